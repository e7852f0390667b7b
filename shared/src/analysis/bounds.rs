//! Lower bounds on hardware: what no wiring can beat, so that the impossible is refused before a search starts.

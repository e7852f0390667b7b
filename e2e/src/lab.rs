//! A wiring in network namespaces.

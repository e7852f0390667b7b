//! Demand from measurement: a square matrix of weights or a list of pairs.

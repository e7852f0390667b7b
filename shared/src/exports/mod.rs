//! 6. What people and machines build the network from, one format a file.

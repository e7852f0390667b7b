//! First designs, one method a file. Each keeps every limit of ports and NIs.

pub mod closed;
pub mod fill;
pub mod greedy;
pub mod scaled;
pub mod seat;

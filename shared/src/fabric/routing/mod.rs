//! Which channels a frame takes from host to host.

mod dimension;

pub use dimension::DimensionOrder;

/// Paths on a fabric, one scheme a file.
///
/// A path is the list of channels from the source to the destination in order; it may lead through other hosts, which then
/// forward. A scheme that knows several paths for a pair numbers them from 0.
pub trait Routing: Send + Sync {
    /// How many paths there are from one host to another; 0 where there is none.
    fn choices(&self, from: u32, to: u32) -> u32;

    /// Appends the channels of path `choice`, which is less than [`Routing::choices`]. Nothing is appended for a host and itself.
    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>);
}

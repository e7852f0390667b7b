//! Networks of any kind: hosts, switches, links between any two of them, and the paths that frames take.
//!
//! A [`Fabric`] is a graph. Nodes are numbered hosts first (0 to `hosts` - 1), then switches. A link carries frames both ways
//! at once: its two directions are its channels. What the comparisons and the simulator know of a network is this and a
//! [`Routing`].

mod graph;
mod grid;
mod routing;
mod sides;
pub mod vlan;

pub use graph::{Fabric, FabricFault, Link, Switch, SwitchKind, channel_link};
pub use grid::{Grid, GridFault, GridShape, Way};
pub use routing::{DimensionOrder, Routing};
pub use sides::{MOST_PLACES, Sides, SidesFault};

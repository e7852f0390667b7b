//! Networks of any kind: hosts, switches, links between any two of them, and the paths that frames take.
//!
//! A [`Fabric`] is a graph. Nodes are numbered hosts first (0 to `hosts` - 1), then switches. A link carries frames both ways
//! at once: its two directions are its channels. The comparisons and the simulator see a network as this graph and a
//! [`Routing`].

mod clos;
mod direct;
mod dragonfly;
mod fat_tree;
mod file;
mod fit;
mod full;
mod graph;
mod grid;
mod halves;
mod hamming_mesh;
mod host_torus;
mod hyperx;
mod jellyfish;
mod kind;
pub mod kinds;
mod myrinet;
mod parameters;
mod planes;
pub mod pmesh;
mod polarfly;
mod rail;
mod routing;
mod sides;
mod slim_fly;
mod star;
mod switch_grid;
mod switched;
mod tree;
pub mod vlan;
mod wiring;

pub use file::{MAX_FILE_BYTES, NetworkFile};
pub use graph::{Fabric, FabricFault, Link, Switch, SwitchKind, channel_link};
pub use grid::{Grid, GridFault, GridShape, Way};
pub use kind::{
    Cut, Hops, KindEntry, Limits, NetworkKind, Parts, RoutingEntry, Speeds, SplitNetwork, SwitchParts,
};
pub use kinds::{Fit, ROUTINGS, fit};
pub use myrinet::MYRINETS;
pub use routing::{
    DimensionOrder, Disjoint, Distances, Ecmp, Minimal, Neighbourhood, RingChannel, Routing, RoutingFault,
    RoutingTooLarge, Shares, SpanningTree,
};
pub use sides::{MAX_PLACES, Sides, SidesFault};
pub use wiring::Wiring;

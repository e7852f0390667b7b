//! Networks of any kind: hosts, switches, links between any two of them, and the paths that frames take.
//!
//! A [`Fabric`] is a graph. Nodes are numbered hosts first (0 to `hosts` - 1), then switches. A link carries frames both ways
//! at once: its two directions are its channels. What the comparisons and the simulator know of a network is this and a
//! [`Routing`].

mod clos;
mod direct;
mod fat_tree;
mod fit;
mod full;
mod graph;
mod grid;
mod halves;
mod host_torus;
mod hub;
pub mod kinds;
mod myrinet;
mod parameters;
pub mod pmesh;
mod rail;
mod routing;
mod sides;
mod single;
mod switches;
mod tree;
pub mod vlan;
mod wiring;

pub use direct::Direct;
pub use fat_tree::FatTree;
pub use fit::{Fit, Limits, fit};
pub use full::Full;
pub use graph::{Fabric, FabricFault, Link, Switch, SwitchKind, channel_link};
pub use grid::{Grid, GridFault, GridShape, Way};
pub use host_torus::HostTorus;
pub use hub::Hub;
pub use kinds::{Apart, Cut, Hops, Kind, KindEntry, Parts, Speeds, SwitchParts};
pub use myrinet::{MYRINETS, Myrinet};
pub use rail::Rail;
pub use routing::{
    DimensionOrder, Disjoint, Distances, Minimal, ROUTINGS, Routing, RoutingEntry, RoutingFault,
    RoutingTooLarge, SpanningTree,
};
pub use sides::{MAX_PLACES, Sides, SidesFault};
pub use single::Single;
pub use switches::SwitchGrid;
pub use tree::Tree;
pub use wiring::Wiring;

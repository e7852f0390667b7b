//! Routing schemes for designs, one per file, and the effect of failed parts.

mod advanced;
mod basic;
mod boot;
mod broadcast;
mod entries;
mod link_layer;
mod losses;
mod preload;
mod through;
mod worst;

pub use advanced::{Advanced, Tuple, TupleLayout, advanced};
pub use basic::{MAX_CONNECTED, Routes, RoutingError, basic};
pub use boot::{BootPlan, Booting, Way, boot};
pub use broadcast::{BroadcastTree, Reception, Spread, Transmission, broadcast};
pub use entries::{
    Entries, EntriesError, Entry, HEADER_BYTES, Hop, MAX_ENTRY_NIS, MAX_ENTRY_PES, NiPair, Table, entries,
    header,
};
pub use link_layer::{MultiRoutes, Neighbour, link_layer};
pub use losses::{
    Damage, FaultReport, Loss, LostPair, RemainingRoute, Tally, damage, fault_report, losses, try_losses,
};
pub use preload::{PeInterfaces, Preload, per_ni, preload};
pub use through::{BALANCED_PES, DestinationRoutes, ThroughRoute, ThroughRoutes, through};
pub use worst::{Single, Singles, singles};

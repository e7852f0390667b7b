//! A design beside other networks for the same number of hosts: cost and performance.
//!
//! [`compare()`] fits every kind of [`fabric`](crate::fabric) to a number of hosts and the hardware of a [`Market`], and
//! computes [`FabricFigures`] for each: parts, price, diameter, bisection, latency and bandwidth as in Nitzberg et al. 1999, and
//! the effect of faults. Figures that are not exact are bounds. [`recabling()`] lists the cables to move from one design to
//! another.

mod beside;
mod bill;
mod bisection;
mod conclusion;
mod cuts;
mod faults;
mod figures;
mod floor;
mod halving;
pub mod market;
mod recable;
mod table;

pub use beside::{Comparison, FabricRow, Sources, compare, own_row, unlike};
pub use bill::{Bill, BillLine, bill, measured_bill};
pub use bisection::{Bisection, bisection};
pub use conclusion::{RANKED, SAME, differing, subject};
pub use faults::{Losses, Survival, survival};
pub use figures::{DemandFigures, FabricFigures, figures};
pub use floor::{CableLengths, Lengths};
pub use market::{Market, Model, Performance};
pub use recable::{Action, MAX_MATCHED, Recabling, SpecWiring, Step, recabling};
pub use table::{COLUMNS, Column, cells};

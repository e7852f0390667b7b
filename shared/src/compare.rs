//! 5. A wiring beside all other networks for as many hosts: what they cost and what they do.
//!
//! [`compare()`] fits every kind of [`fabric`](crate::fabric) to a number of hosts and what is for sale on a [`Market`], and
//! computes [`FabricFigures`] for each: parts, price, diameter, bisection, latency and bandwidth by the P-Mesh paper's model, and what
//! faults take. FabricFigures that are only known between two bounds say so.

mod beside;
mod bill;
mod bisection;
mod cuts;
mod faults;
mod figures;
pub mod market;
mod model;
mod table;

pub use beside::{Comparison, FabricRow, Sources, compare, own_row};
pub use bill::{Bill, BillLine, bill};
pub use bisection::{Bisection, bisection};
pub use faults::{Losses, Survival, survival};
pub use figures::{DemandFigures, FabricFigures, figures};
pub use market::Market;
pub use model::{Model, Performance};
pub use table::{COLUMNS, Column, cells};

//! Local moves, one a file. Most propose a [`Trade`](crate::wiring::Trade); the wiring says what it would change and
//! carries it out. Proposals only ever name a switch that the moving PE is not on.

pub mod gather;
pub mod serve;
pub mod swap;
pub mod vacate;

//! The studio's state: plain values, actions and updates, without the browser, so that all of it is tested natively.

pub mod aside;
pub mod audit;
pub mod board;
pub mod chart;
pub mod choices;
pub mod compare;
pub mod connection;
pub mod draft;
pub mod library;
pub mod link;
pub mod map;
pub mod operator;
pub mod picture;
pub mod place;
pub mod preview;
pub mod recent;
pub mod routes;
pub mod run;
pub mod simulate;
pub mod started;
pub mod theme;
pub mod wiring;
pub mod words;

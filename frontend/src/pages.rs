//! The studio's panels and pages, one per file or folder. They do not import each other; `app` puts them together.

pub mod about;
pub mod audit;
pub mod bounds;
pub mod cables;
pub mod cabling;
pub mod compare;
pub mod difference;
pub mod exports;
pub mod figures;
pub mod gallery;
pub mod hardware;
pub mod header;
pub mod help;
pub mod join;
pub mod library;
pub mod map;
pub mod node;
pub mod operator;
pub mod racks;
pub mod remaining;
pub mod routes;
pub mod search;
pub mod simulate;
pub mod spec;
pub mod tour;
pub mod wiring;

//! The simulator against arithmetic and against a plain reference simulator.

mod detours;
mod groups;
mod model;
mod published;
mod reference;
mod step;
mod support;
mod virtual_channels;

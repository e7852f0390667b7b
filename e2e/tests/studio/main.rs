//! The studio in a real browser, one part of the work a file.

mod board;
mod exports;
mod faults;
mod looks;
mod main_path;
mod map;
mod matrix;
mod reload;
mod rules;
mod share;
mod steps;

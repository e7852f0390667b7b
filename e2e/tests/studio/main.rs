//! The studio in a real browser, one area per file.

mod board;
mod cables;
mod cabling;
mod compare;
mod exports;
mod faults;
mod job;
mod labels;
mod large;
mod library;
mod looks;
mod main_path;
mod map;
mod matrix;
mod operator;
mod parts;
mod reload;
mod replay;
mod rights;
mod routes;
mod rules;
mod share;
mod simulate;
mod steps;
mod truth;
mod views;

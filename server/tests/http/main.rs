//! The studio's HTTP, in process, noun by noun.

mod analysis;
mod archive;
mod boards;
mod cabling;
mod checkpoints;
mod compare;
mod demand;
mod designs;
mod exports;
mod fabrics;
mod gallery;
mod guard;
mod health;
mod library;
mod names;
mod operator;
mod pages;
mod problems;
mod rights;
mod runs;
mod simulations;
mod strangers;
mod studio;
mod tasks;

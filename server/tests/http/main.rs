//! The studio's HTTP, in process, noun by noun.

mod analysis;
mod archive;
mod cabling;
mod checkpoints;
mod compare;
mod demand;
mod designs;
mod exports;
mod fabrics;
mod gallery;
mod guard;
mod hardware;
mod health;
mod library;
mod migration;
mod names;
mod operator;
mod pages;
mod problems;
mod rights;
mod search;
mod simulation;
mod strangers;
mod studio;
mod tasks;
mod work;

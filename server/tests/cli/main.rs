//! The program as people and scripts use it.

mod analyze;
mod archive;
mod check;
mod checkpoint;
mod compare;
mod dead;
mod demand;
mod deploy;
mod estimate;
mod export;
mod fabric;
mod files;
mod hardware;
mod help;
mod import;
mod program;
mod prune;
mod recable;
mod search;
mod serve;
mod simulate;

//! Routing tables for programs, broadcast trees and network boot, against slow recomputation and the programs that read them.

mod advanced;
mod boot;
mod broadcast;
mod dnsmasq;
mod entries;
mod machines;
mod programs;

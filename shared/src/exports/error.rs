//! Why an export cannot be written.

use super::Each;
use crate::{
    analysis::routing::{EntriesError, RoutingError},
    design::UnknownParts,
    fabric::vlan::VlanFault,
    text::grouped,
};
use ipnet::Ipv4Net;
use std::{fmt, io};

/// Why a file cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// No format of that name.
    #[error("there is no format {name:?}; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// One file per node or switch, and no number given.
    #[error("{format} is one file per {0}: choose a {0}", .each.word())]
    Missing {
        /// The format.
        format: &'static str,
        /// Its part.
        each: Each,
    },
    /// A node or switch that the network does not have.
    #[error("there is no {} {number}; {} are 0 to {last}", .each.word(), .each.plural())]
    NoSuch {
        /// Its part.
        each: Each,
        /// The number as given.
        number: u32,
        /// The highest number.
        last: u32,
    },
    /// A number for a format that is one file for the whole network.
    #[error("{0} is one file for the whole network: leave the number out")]
    Whole(&'static str),
    /// There is no such set of VLANs.
    #[error(transparent)]
    Vlan(#[from] VlanFault),
    /// No files for that kind of network.
    #[error("{kind}: there are files for {forms}")]
    NoFiles {
        /// The network.
        kind: String,
        /// Kinds that have some.
        forms: String,
    },
    /// More switches than files are written for.
    #[error("{kind} has {switches} switches; files are written for at most {max}")]
    Switches {
        /// The network.
        kind: String,
        /// Its switches.
        switches: u32,
        /// The limit.
        max: u32,
    },
    /// Longer paths between switches than are followed.
    #[error(
        "{kind}: the paths of all pairs of switches have {} steps together; files of nodes and switches are written for \
         up to {}: take sides that differ less, or fewer switches",
        grouped(*.steps), grouped(*.max)
    )]
    Steps {
        /// The network.
        kind: String,
        /// Steps between switches.
        steps: u64,
        /// The limit.
        max: u64,
    },
    /// The wiring does not fit the spec.
    #[error("{0}")]
    Routing(#[from] RoutingError),
    /// The machine does not fit entries of 32 bits.
    #[error("{0}")]
    Entries(#[from] EntriesError),
    /// A PE that a setting names and that cannot be meant.
    #[error("{setting}: PE {pe} {why}")]
    Pe {
        /// The setting.
        setting: &'static str,
        /// What it names.
        pe: u32,
        /// What is wrong, and what is accepted.
        why: String,
    },
    /// What is said to be dead is not in the wiring.
    #[error("dead: {0}")]
    Dead(#[from] UnknownParts),
    /// The chosen network has no room for all addresses beside what the site has of it.
    #[error("{what}, which do not fit into {network}{}, where {has} are free; {instead}", beside(.site))]
    Addresses {
        /// What is to be named, and how many addresses that takes.
        what: String,
        /// The setting `network`.
        network: Ipv4Net,
        /// The site's networks that it meets, with spaces between them; often none.
        site: String,
        /// Addresses that are free in it.
        has: u64,
        /// What would do.
        instead: String,
    },
    /// A choice that cannot be heeded.
    #[error("{choice:?}: {why}")]
    Setting {
        /// As it was given.
        choice: String,
        /// What is wrong, and what is accepted.
        why: String,
    },
    /// Bytes were asked for as text.
    #[error("{0} is not text")]
    NoText(&'static str),
    /// Several files were asked for as one.
    #[error("{0} is several files")]
    Several(&'static str),
    /// One file was asked for as several.
    #[error("{0} is one file")]
    Single(&'static str),
    /// Where the file goes took no more.
    #[error("the file could not be written")]
    Sink,
}

/// The site's networks in an error, if there are any.
fn beside(site: &str) -> String {
    if site.is_empty() { String::new() } else { format!(" beside the site's {site}") }
}

impl From<io::Error> for ExportError {
    fn from(_: io::Error) -> Self {
        ExportError::Sink
    }
}

impl From<fmt::Error> for ExportError {
    fn from(_: fmt::Error) -> Self {
        ExportError::Sink
    }
}

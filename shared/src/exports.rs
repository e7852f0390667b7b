//! 6. What people and machines build the network from, one format a file.
//!
//! [`groups`] lists them. A [`Bundle`] holds what all of them need and renders one file at a time into any
//! [`fmt::Write`], so that nobody ever holds all files of a large machine. The same bundle gives the same bytes in the
//! browser, over HTTP and at the command line.
//!
//! Two conventions hold everywhere: NI k of a PE is on the k-th lowest of its switches, and a PE's port on a
//! switch is its place among the members, from 1; reserved ports are therefore the last ones.

pub mod address;
mod advanced;
mod ansible;
mod audit;
mod boot;
mod broadcast;
mod bundle;
mod c;
mod cables;
mod colours;
mod containerlab;
mod dnsmasq;
mod dot;
mod entries;
mod escape;
mod fabric;
mod faults;
mod graphml;
mod hosts;
mod identifiers;
mod json;
mod labels;
mod machine;
mod multipath;
mod names;
mod nccl;
mod netbox;
mod netplan;
mod networkd;
mod openmpi;
mod picture;
mod preload;
mod routes;
mod script;
mod settings;
mod slurm;
mod subnets;
mod text;
mod through;
mod ways;
mod worklist;

pub use bundle::Bundle;
pub use colours::Palette;
pub use fabric::{
    Each, FabricBundle, FabricExportError, FabricFormat, FabricSetting, FabricSettings, fabric_format,
    fabric_formats, fabric_settings,
};
pub use labels::{Labels, Of, sheet_words};
pub use settings::{Network, Reach, Setting, Settings, settings};

use crate::{
    analysis::routing::{EntriesError, RoutingError},
    design::UnknownParts,
};
use std::{fmt, io};

/// A kind of file.
pub struct Format {
    /// As `--format` takes it.
    pub name: &'static str,
    /// What it is for, in one line.
    pub purpose: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What its file names end in, without a dot.
    pub extension: &'static str,
    /// Whether it is one file a PE.
    pub per_pe: bool,
    /// Names of the settings that it heeds; see [`settings()`].
    pub settings: &'static [&'static str],
    render: Render,
}

impl Format {
    /// Whether it is text, which [`Bundle::render`] writes.
    pub fn is_text(&self) -> bool {
        matches!(self.render, Render::Text(_))
    }

    /// Whether it is several files for the machine, or for each PE; see [`Bundle::files`].
    pub fn is_several(&self) -> bool {
        matches!(self.render, Render::Files(_))
    }
}

/// Writes one file; the PE is there exactly for formats that are one file a PE.
enum Render {
    Text(fn(&Bundle, Option<u32>, &mut dyn fmt::Write) -> Result<(), ExportError>),
    /// What is not text, such as a picture.
    Bytes(fn(&Bundle, Option<u32>, &mut dyn io::Write) -> Result<(), ExportError>),
    /// Several files, each handed over as a path with `/` between folders and its text. They travel as a tar archive.
    Files(fn(&Bundle, Option<u32>, &mut EachFile) -> Result<(), ExportError>),
}

/// Takes the path and the text of one file after another.
type EachFile<'a> = dyn FnMut(&str, &str) -> Result<(), ExportError> + 'a;

/// Formats that serve one purpose.
pub struct Group {
    /// What it is called.
    pub name: &'static str,
    /// What its formats are for, in one line.
    pub purpose: &'static str,
    /// Its formats.
    pub formats: &'static [Format],
}

/// Every format, by what it is for. One more is one file and one line here.
const GROUPS: &[Group] = &[
    Group {
        name: "The design",
        purpose: "what everything else is made from; it is read back by every command",
        formats: &[text::WIRING, text::SPEC],
    },
    Group {
        name: "Wiring in the hand",
        purpose: "to cut cables, label them, plug them in and look whether they are where they belong",
        formats: &[
            cables::FORMAT,
            labels::FORMAT,
            labels::PDF,
            worklist::FORMAT,
            worklist::CSV,
            worklist::TEXT,
            audit::FORMAT,
        ],
    },
    Group {
        name: "Configuration of the machine",
        purpose: "what nodes run or read so that packets take the right switch; one of the forms is enough",
        formats: &[
            hosts::FORMAT,
            script::FORMAT,
            multipath::FORMAT,
            names::FORMAT,
            networkd::FORMAT,
            netplan::FORMAT,
            ansible::FORMAT,
            preload::FORMAT,
            boot::FORMAT,
            dnsmasq::FORMAT,
            openmpi::FORMAT,
            nccl::FORMAT,
            slurm::FORMAT,
        ],
    },
    Group {
        name: "Routes and tables",
        purpose: "which way each pair takes, to read and to compute with",
        formats: &[
            routes::ROUTES,
            routes::PATHS,
            subnets::FORMAT,
            through::THROUGH,
            through::RELAYS,
            faults::FAULTS,
            faults::LOSSES,
            advanced::FORMAT,
            entries::BINARY,
            entries::HEADER,
            entries::JSON,
            broadcast::FORMAT,
            broadcast::FORWARDING,
        ],
    },
    Group {
        name: "For other tools",
        purpose: "the wiring as inventories, graphs and pictures",
        formats: &[
            picture::SVG,
            picture::PNG,
            json::FORMAT,
            json::SCHEMA,
            graphml::FORMAT,
            dot::FORMAT,
            containerlab::FORMAT,
            netbox::SITES,
            netbox::MANUFACTURERS,
            netbox::ROLES,
            netbox::DEVICE_TYPES,
            netbox::RACKS,
            netbox::DEVICES,
            netbox::INTERFACES,
            netbox::CABLES,
        ],
    },
];

/// Every format, by what it is for.
pub fn groups() -> &'static [Group] {
    GROUPS
}

/// Every format.
pub fn formats() -> impl Iterator<Item = &'static Format> + Clone {
    GROUPS.iter().flat_map(|group| group.formats)
}

/// The format of that name.
///
/// # Errors
/// There is none; the error lists those there are.
pub fn format(name: &str) -> Result<&'static Format, ExportError> {
    formats().find(|f| f.name == name).ok_or_else(|| ExportError::Unknown {
        name: name.chars().take(40).collect(),
        known: formats().map(|f| f.name).collect::<Vec<_>>().join(", "),
    })
}

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
    /// A format with one file a PE, and no PE given.
    #[error("{0} is one file a PE: say which PE")]
    PeMissing(&'static str),
    /// A PE the machine does not have.
    #[error("there is no PE {pe}; PEs are 0 to {last}")]
    NoSuchPe {
        /// What was asked for.
        pe: u32,
        /// The highest there is.
        last: u32,
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
        network: Network,
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

//! Errors of exports.

use super::FileScope;
use crate::{
    analysis::routing::{EntriesError, RoutingError},
    design::Breach,
    fabric::vlan::VlanFault,
    text::{grouped, listed, shorten},
};
use std::{fmt, io};

/// Reason why a file cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// No format of that name.
    #[error("there is no format {name:?}. {}", .near.map_or_else(|| some(.known), |near| format!("Did you mean `{near}`?")))]
    Unknown {
        /// The name as given.
        name: String,
        /// The name that may be meant.
        near: Option<&'static str>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// One file per node or switch, and no number given.
    #[error("{format} is one file per {0}: choose a {0}", .each.word())]
    Missing {
        /// The format.
        format: &'static str,
        /// Part that the format has one file for.
        each: FileScope,
    },
    /// A node or switch that the network does not have.
    #[error("there is no {} {number}; {} are 0 to {last}", .each.word(), .each.plural())]
    NoSuch {
        /// The part asked for.
        each: FileScope,
        /// The number as given.
        number: u32,
        /// The highest number.
        last: u32,
    },
    /// A name of no node or switch of the network.
    #[error("there is no {} {name:?}; give a name, or a number from 0 to {last}", .each.word())]
    NoName {
        /// The part asked for.
        each: FileScope,
        /// The name as given.
        name: String,
        /// The highest number.
        last: u32,
    },
    /// The name of a switch where a node is meant, or the other way round.
    #[error("{name} is no {}; give the name of one, or a number from 0 to {last}", .each.word())]
    OtherName {
        /// The part asked for.
        each: FileScope,
        /// The name as given.
        name: String,
        /// The highest number.
        last: u32,
    },
    /// A name of no part of the network.
    #[error("there is no node or switch {0:?}; give a name or a number")]
    NoPart(String),
    /// A node for a format with one file per switch, or the other way round.
    #[error("{format} is one file per {0}; choose a {0}, not a {1}", .each.word(), .chosen.word())]
    OtherPart {
        /// The format.
        format: &'static str,
        /// Part that the format has one file for.
        each: FileScope,
        /// The part that was chosen.
        chosen: FileScope,
    },
    /// A node or switch for a format that is one file for the whole network.
    #[error("`{0}` is a single file for the whole network; leave out the node or switch")]
    Whole(&'static str),
    /// The wiring breaks limits of the spec.
    #[error(
        "{format} needs a wiring that fits the spec: {breach}{}; change the spec or the wiring",
        and_more(*.more)
    )]
    Breach {
        /// The format.
        format: &'static str,
        /// The first broken limit.
        breach: Breach,
        /// Number of others.
        more: usize,
    },
    /// There is no such set of VLANs.
    #[error(transparent)]
    Vlan(#[from] VlanFault),
    /// A network with a hub in a file of links.
    #[error("{kind} has a hub, whose ports share one medium; lists of links have switches only")]
    Hub {
        /// The network.
        kind: String,
    },
    /// A network whose hosts forward or are linked directly, for a tool in which they cannot.
    #[error(
        "in {kind}, hosts are linked to each other or forward; ns-3 supports only hosts that have links to switches and don't forward"
    )]
    Forwarding {
        /// The network.
        kind: String,
    },
    /// More links than are written.
    #[error("{kind}: {links} links; exports of links support up to {max}", links = grouped(*.links), max = grouped(*.max))]
    Links {
        /// The network.
        kind: String,
        /// Links of the network.
        links: u64,
        /// The limit.
        max: u64,
    },
    /// More switches than files are written for.
    #[error("{kind} has {switches} switches; exports support up to {max}")]
    Switches {
        /// The network.
        kind: String,
        /// Switches of the network.
        switches: u32,
        /// The limit.
        max: u32,
    },
    /// Longer paths between switches than are followed.
    #[error(
        "{kind}: the paths between all pairs of switches add up to {} hops (max {}); choose sides that differ \
         less, or fewer switches",
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
    /// A setting that cannot be used.
    #[error("{choice}: {why}")]
    Setting {
        /// Setting as given.
        choice: String,
        /// The problem and the accepted values.
        why: String,
    },
    /// Several settings that cannot be used.
    #[error("{}", lines(.0))]
    Settings(Vec<ExportError>),
    /// A name of the spec that a format forbids.
    #[error("{format} cannot use the name {name:?}: {why}; change [names] in the spec")]
    Name {
        /// The format.
        format: &'static str,
        /// The name.
        name: String,
        /// The problem.
        why: String,
    },
    /// No NIC number works in every node.
    #[error(
        "Open MPI needs one interface name that works on every node, but every NIC has failed or is missing on some node; leave out the \
         nodes without NIC 0 with the setting failed"
    )]
    NoCommonNic,
    /// A format for switches, and all switches are direct cables.
    #[error(
        "{0} is for switches, and this design has none: every [[switch]] with 2 ports is a cable between two nodes"
    )]
    NoSwitches(&'static str),
    /// A file of a switch that is a direct cable.
    #[error("{0} is a cable between two nodes, not a switch; choose a switch")]
    Cable(String),
    /// A format of routers, and no uplink switch.
    #[error("{0} is for switches that route between uplink switches; add an [uplink] table to the spec")]
    NoUplink(&'static str),
    /// Requested pairs without a path, where nodes forward nothing.
    #[error(
        "requested pairs share no switch, and nodes of this spec forward nothing: {pairs}{}; add [uplink] with links = 1 to the spec, \
         or set forwarding = true",
        and_more(*.more)
    )]
    NoPath {
        /// The first pairs.
        pairs: String,
        /// Number of others.
        more: usize,
    },
    /// A node without a cable, where addresses are those of NICs.
    #[error(
        "{0} has no cable, so no switch has a subnet for its address; connect it, or take it out of the spec"
    )]
    NoCable(String),
    /// The spec has no racks to write.
    #[error("the spec has no racks; add [[rack]] tables")]
    NoRacks,
    /// No setting asks for addresses.
    #[error(
        "{0} has no addresses without settings; set addresses=routed or addresses=rdma for nodes, or management=NETWORK for switches"
    )]
    NoAddresses(&'static str),
    /// The spec has no training job.
    #[error("{0} needs a training job; add a [job] table to the spec")]
    NoJob(&'static str),
    /// The spec has several training jobs.
    #[error("{0} is for a single training job, and the spec has several; export it with one [job] at a time")]
    SeveralJobs(&'static str),
    /// A job whose rings NCCL's graph file cannot describe.
    #[error("nccl-graph: {why}")]
    NcclGraph {
        /// The problem.
        why: String,
    },
    /// A binary format was requested as text.
    #[error("{0} is not text")]
    NoText(&'static str),
    /// A format of several files was requested as one.
    #[error("{0} is several files")]
    Several(&'static str),
    /// A format of one file was requested as several.
    #[error("{0} is one file")]
    Single(&'static str),
    /// The output accepts no more bytes.
    #[error("the file could not be written")]
    Sink,
}

impl ExportError {
    /// The error for all of these settings, each once; `None` without any.
    pub fn of_settings(errors: impl IntoIterator<Item = ExportError>) -> Option<ExportError> {
        let mut all: Vec<ExportError> = Vec::new();
        for error in errors.into_iter().flat_map(ExportError::each) {
            if !all.iter().any(|known| known.to_string() == error.to_string()) {
                all.push(error);
            }
        }
        if all.len() > 1 { Some(ExportError::Settings(all)) } else { all.pop() }
    }

    /// The errors of several settings, or the error itself.
    pub fn each(self) -> Vec<ExportError> {
        match self {
            ExportError::Settings(all) => all,
            one => vec![one],
        }
    }

    /// A setting, as it was given, that cannot be used, and why.
    pub(super) fn setting(name: &str, value: impl fmt::Display, why: impl fmt::Display) -> ExportError {
        let value = shorten(&value.to_string(), 80, 77);
        ExportError::Setting { choice: format!("{name}={value}"), why: why.to_string() }
    }
}

fn lines(errors: &[ExportError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Names of formats, if there are many only the first.
fn some(names: &[&'static str]) -> String {
    let (first, more) = names.split_at(names.len().min(MAX_NAMES));
    let more = if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
    format!("Formats are {}{more}.", listed(first.iter().copied()))
}

/// Max names of formats in an error.
const MAX_NAMES: usize = 12;

fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" (and {} more)", grouped(more as u64)) }
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

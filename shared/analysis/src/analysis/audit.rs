//! Compares the machine as wired with the design, by the LLDP neighbours that nodes report.
//!
//! [`audit()`] reads terminal output: that of `lldpctl` (plain, `-f keyvalue`, `-f json`, `-f json0`) or a switch's table of
//! neighbours, of any number of nodes, one after another. The reporting node is known from the lines between: a prompt, a heading,
//! or the prefix of `pdsh`, `grep` or `ansible`. Times and tags of processes before a line are left out. Either end of a cable may
//! report it. Switches without LLDP pass on the PEs' frames, so a PE sees other PEs; the switch is then the one that most of these
//! PEs belong on.
//!
//! A cable is right if it leads from the NI to the switch; the port does not matter, since routes depend on the
//! switch alone. A direct cable is right if it joins its two NIs, whichever of them reports it.

mod compare;
mod direct;
mod infiniband;
mod json;
mod lines;
mod printed;
mod read;
mod text;

pub use infiniband::{
    PortEnd, PortReport, SubnetLink, SubnetRecord, audit_infiniband, is_infiniband, quoted,
};
pub use printed::Printed;

use crate::{
    design::{Design, Guid, Names, Node},
    form::LineFault,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A cable of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cable {
    /// The PE.
    pub pe: u32,
    /// NI of the PE.
    pub ni: u32,
    /// The switch it belongs on.
    pub switch: u32,
    /// The port in lists, from 1.
    pub port: u32,
}

/// A cable on the wrong switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MisplacedCable {
    /// The cable of the design.
    pub cable: Cable,
    /// The switch it is on.
    pub switch: u32,
    /// The port there, if known.
    pub port: Option<u32>,
    /// The PE and NI whose cable is where this one belongs, and the other way round.
    pub swapped_with: Option<(u32, u32)>,
}

/// A cable that is not where it belongs, nor on another switch of the design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingCable {
    /// The cable of the design.
    pub cable: Cable,
    /// The neighbour outside the design that its NIC sees, if it sees one, and the line of the text, from 1.
    pub sees: Option<(String, usize)>,
}

/// A direct cable of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectCable {
    /// PE and NI of both ends.
    pub ends: [(u32, u32); 2],
}

/// The other end of a NIC's cable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FarEnd {
    /// A NIC of a PE.
    Nic {
        /// The PE.
        pe: u32,
        /// The NI, if its name is known.
        ni: Option<u32>,
        /// The NIC's name, as reported.
        interface: String,
    },
    /// A port of a switch.
    Port {
        /// The switch.
        switch: u32,
        /// The port, if known.
        port: Option<u32>,
    },
}

/// A NIC on the wrong NIC or switch, of which at least one is on a direct cable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MisplacedPlug {
    /// PE and NI.
    pub nic: (u32, u32),
    /// The end that it is cabled to.
    pub at: FarEnd,
    /// The end that it belongs at.
    pub belongs: FarEnd,
    /// PE and NI whose plug is where this one belongs, and the other way round, with the end that it is cabled to.
    pub swapped_with: Option<((u32, u32), FarEnd)>,
}

/// A direct cable that neither of its NICs sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingDirect {
    /// PE and NI of both ends, the one that reported first.
    pub ends: [(u32, u32); 2],
    /// The neighbour outside the design that the first NIC sees, if it sees one, and the line of the text, from 1.
    pub sees: Option<(String, usize)>,
}

/// Several NICs on one port of a switch, which cannot be: a report is old or from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortConflict {
    /// The switch.
    pub switch: u32,
    /// Port, as reported.
    pub port: String,
    /// PE and NIC, as reported, of each.
    pub nics: Vec<(u32, String)>,
}

/// A cable that the design does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// The PE.
    pub pe: u32,
    /// The NI's name, as reported.
    pub interface: String,
    /// The switch.
    pub switch: u32,
    /// The port, if known.
    pub port: Option<u32>,
    /// Line of the text, from 1.
    pub line: usize,
}

/// A neighbour with at least one end outside the design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stranger {
    /// The reporting node.
    pub host: String,
    /// Interface of the host.
    pub interface: String,
    /// The neighbour.
    pub neighbour: String,
    /// Line of the text, from 1.
    pub line: usize,
}

/// A cable to an uplink switch, with the names of both devices and their ports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uplink {
    /// The device and its port or NIC.
    pub from: (String, String),
    /// The uplink switch and its port.
    pub to: (String, String),
}

/// A switch without a name of the design, of InfiniBand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognisedSwitch {
    /// GUID of the switch.
    pub guid: Guid,
    /// The switch that most of its cables belong on; `None` if that is not clear.
    pub switch: Option<u32>,
    /// Number of its cables that belong there.
    pub fits: u32,
    /// Number of its cables from nodes of the design.
    pub cables: u32,
    /// Line of the text, from 1.
    pub line: usize,
}

/// A link below the width or speed of both its ends, of InfiniBand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DegradedLink {
    /// Device and port of each end, as reported.
    pub ends: [String; 2],
    /// Width and speed that the link could have.
    pub could: String,
    /// Line of the text, from 1.
    pub line: usize,
}

/// An interface that sees several neighbours, so that its cable is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmbiguousInterface {
    /// The reporting node.
    pub host: String,
    /// Interface of the node.
    pub interface: String,
    /// The neighbours with their ports.
    pub neighbours: Vec<String>,
    /// Line of the first, from 1.
    pub line: usize,
    /// Cable of the design that is not judged for this reason.
    pub cable: Option<Cable>,
}

/// The machine as wired, compared with the design.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Cables of the design.
    pub cables: u64,
    /// Cables on the right switch.
    pub right: u64,
    /// Right cables in another port of their switch than in lists, which is no fault.
    pub other_port: u64,
    /// Cables on the wrong switch, by PE and NI.
    pub wrong: Vec<MisplacedCable>,
    /// Cables not seen although one of their ends reported, by PE and NI.
    pub missing: Vec<MissingCable>,
    /// Cables that neither end reported, by PE and NI.
    pub unheard: Vec<Cable>,
    /// NICs of direct cables that are cabled to other ends, by PE and NI.
    pub misplugged: Vec<MisplacedPlug>,
    /// Direct cables not seen although one of their ends reported, by PE and NI.
    pub missing_direct: Vec<MissingDirect>,
    /// Direct cables that neither end reported, by PE and NI.
    pub unheard_direct: Vec<DirectCable>,
    /// Cables that the design does not have, by line.
    pub extra: Vec<Extra>,
    /// Ports with several NICs, by switch.
    pub doubled: Vec<PortConflict>,
    /// Cables to uplink switches.
    pub uplinks: u64,
    /// Uplink cables that at least one end reported.
    pub right_uplinks: u64,
    /// Uplink cables that were not seen although at least one end reported.
    pub missing_uplinks: Vec<Uplink>,
    /// Uplink cables neither of whose ends reported.
    pub unheard_uplinks: Vec<Uplink>,
    /// Cables between two switches or two nodes of the design that it does not have, by line.
    pub joins: Vec<Stranger>,
    /// Right cables known by their switch alone, because no name of a NIC was recognised.
    pub by_switch: u64,
    /// Right direct cables known by their nodes alone, because the name of a NIC was not recognised.
    pub by_node: u64,
    /// Neighbours outside the design, by line.
    pub strangers: Vec<Stranger>,
    /// Switches known by their cables alone, or not at all, by GUID.
    pub recognised: Vec<RecognisedSwitch>,
    /// Interfaces that see several neighbours, by line.
    pub ambiguous: Vec<AmbiguousInterface>,
    /// Links below their width or speed, by line. Their cables can be right.
    pub degraded: Vec<DegradedLink>,
    /// Lines that say something odd about the machine, by line.
    pub warnings: Vec<LineFault>,
}

impl Audit {
    /// `true` if every cable of the design is right and there are no others.
    pub fn holds(&self) -> bool {
        self.right == self.cables
            && self.right_uplinks == self.uplinks
            && self.extra.is_empty()
            && self.joins.is_empty()
            && self.doubled.is_empty()
    }

    /// `true` if cables were reported and none is known by the name of its NIC: the names are wrong, or meant for another text.
    pub fn knows_no_nic(&self) -> bool {
        self.wrong.is_empty()
            && self.misplugged.is_empty()
            && self.right == self.by_switch + self.by_node
            && self.right + self.extra.len() as u64 > 0
    }
}

/// A neighbour that a node saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SeenNeighbour {
    /// Line, from 1.
    line: usize,
    /// The reporting node; empty if unknown.
    host: String,
    interface: String,
    /// The neighbour's name; its chassis without one.
    neighbour: String,
    port: String,
    description: String,
}

#[derive(Debug, Default)]
struct Sheet {
    seen: Vec<SeenNeighbour>,
    /// Nodes of the design that reported, even without neighbours.
    spoke: BTreeSet<Node>,
    /// Hosts at the ends of uplink cables that reported, as [`host_of`] writes them.
    outside: BTreeSet<String>,
    /// `true` if switches report all their cables, whatever nodes announce.
    is_complete: bool,
    /// NICs that report no link to a switch, with the neighbour that they see, if any, and its line.
    unlinked: BTreeMap<(u32, u32), Option<(String, usize)>>,
    /// Parts of the text that are not read, by line.
    warnings: Vec<LineFault>,
}

/// Compares reported neighbours with a design and its cables to an uplink switch, which each join two devices alone. NIs without one of
/// the interfaces' `names` are identified by their switch alone.
///
/// # Errors
/// Lines that cannot be parsed, with the accepted forms; a text without any neighbour.
pub fn audit(
    design: &Design,
    names: &Names,
    uplinks: &[Uplink],
    text: &str,
) -> Result<Audit, Vec<LineFault>> {
    let mut sheet = read::read(text, names, uplinks)?;
    let warnings = std::mem::take(&mut sheet.warnings);
    Ok(Audit { warnings, ..compare::compare(design, names, uplinks, &sheet) })
}

/// A name as hosts are compared: in small letters, without a domain.
fn host_of(name: &str) -> String {
    name.split('.').next().unwrap_or_default().to_ascii_lowercase()
}

//! The machine as it is wired against the design: what LLDP says of neighbours, node by node, held against the cables.
//!
//! [`audit()`] takes what people have in a terminal: the output of `lldpctl` (plain, `-f keyvalue`, `-f json`, `-f json0`) or
//! a switch's table of neighbours, of as many nodes as they like, one after another. Which node speaks is read from the
//! lines between: a prompt, a heading, what `pdsh` or `ansible` put in front. Either end of a cable may speak. Where
//! switches do not, and pass on what PEs say, a PE sees other PEs; then the switch is the one that most of those it sees
//! belong on.
//!
//! A cable is where it belongs when it leads from the NI to the switch; the port is free to choose, as labels say.

mod compare;
mod json;
mod lines;
mod read;
mod text;

use crate::design::{Design, Names, table::TableFault};
use serde::{Deserialize, Serialize};

/// A cable of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cable {
    /// The PE.
    pub pe: u32,
    /// Its NI.
    pub ni: u32,
    /// The switch it belongs on.
    pub switch: u32,
    /// The port that lists give it, from 1.
    pub port: u32,
}

/// A cable that is somewhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// Where it belongs.
    pub cable: Cable,
    /// The switch it is on.
    pub switch: u32,
    /// The port there, where it is known.
    pub port: Option<u32>,
    /// The PE and NI that is where this cable belongs, while this one is where that belongs.
    pub swapped_with: Option<(u32, u32)>,
}

/// A cable that is there and not in the design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// The PE.
    pub pe: u32,
    /// What it, or the switch, calls the NI.
    pub interface: String,
    /// The switch.
    pub switch: u32,
    /// The port, where it is known.
    pub port: Option<u32>,
    /// The line it was read from, from 1.
    pub line: usize,
}

/// A neighbour of which at least one end is not in the design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stranger {
    /// Who told of it.
    pub host: String,
    /// On which interface.
    pub interface: String,
    /// Who was seen there.
    pub neighbour: String,
    /// The line it was read from, from 1.
    pub line: usize,
}

/// How the machine is wired, next to the design.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Cables of the design.
    pub cables: u64,
    /// Cables that are where they belong.
    pub right: u64,
    /// Of these, cables in another port of their switch than lists say, which is no fault.
    pub other_port: u64,
    /// Cables that are somewhere else, by PE and NI.
    pub wrong: Vec<Wrong>,
    /// Cables that nobody saw, though one of their ends spoke, by PE and NI.
    pub missing: Vec<Cable>,
    /// Cables neither of whose ends spoke, by PE and NI.
    pub unheard: Vec<Cable>,
    /// Cables that the design does not have, by line.
    pub extra: Vec<Extra>,
    /// Neighbours outside the design, by line.
    pub strangers: Vec<Stranger>,
}

impl Audit {
    /// Whether every cable of the design is where it belongs, and none is there beside.
    pub fn holds(&self) -> bool {
        self.right == self.cables && self.extra.is_empty()
    }
}

/// Holds what nodes say of their neighbours against a design. NI k is `interface` and k, such as `eth2`; NIs of other
/// names are known by their switch alone.
///
/// # Errors
/// Lines that cannot be read, with what would be accepted; a text without any neighbour or node.
pub fn audit(design: &Design, text: &str, interface: &str) -> Result<Audit, Vec<TableFault>> {
    let names = Names::of(design);
    let sheet = read::read(text, names)?;
    Ok(compare::compare(design, names, &sheet, interface))
}

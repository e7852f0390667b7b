//! Names of PEs and switches: `pe007`, `sw03`.

use super::Design;
use crate::form::plain_digits;

/// The names of a wiring's PEs and switches; numbers are zero padded so that names sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    pes: u32,
    switches: u32,
}

/// A PE or a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A PE, by number.
    Pe(u32),
    /// A switch, by number.
    Switch(u32),
}

impl Names {
    /// The names of a wiring.
    pub fn of(design: &Design) -> Names {
        Names { pes: design.pes(), switches: design.switch_count() }
    }

    /// The names of that many PEs and switches.
    pub fn new(pes: u32, switches: u32) -> Names {
        Names { pes, switches }
    }

    /// The host name of a PE.
    pub fn pe(self, pe: u32) -> String {
        format!("pe{pe:0width$}", width = digits(self.pes.saturating_sub(1)).max(3))
    }

    /// A switch's name.
    pub fn switch(self, switch: u32) -> String {
        format!("sw{switch:0width$}", width = digits(self.switches.saturating_sub(1)).max(2))
    }

    /// The name of either.
    pub fn node(self, node: Node) -> String {
        match node {
            Node::Pe(pe) => self.pe(pe),
            Node::Switch(switch) => self.switch(switch),
        }
    }

    /// The PE or switch of a name, in any case, with or without leading zeros and a domain, if the wiring has it.
    pub fn find(self, name: &str) -> Option<Node> {
        let host = name.split('.').next()?;
        let (kind, number) = host.split_at_checked(2)?;
        let number = plain_digits(number).filter(|_| number.len() <= 10)?;
        match kind.to_ascii_lowercase().as_str() {
            "pe" => Some(Node::Pe(number)).filter(|_| number < self.pes),
            "sw" => Some(Node::Switch(number)).filter(|_| number < self.switches),
            _ => None,
        }
    }
}

fn digits(number: u32) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_people_write_them() {
        let names = Names::of(&Design::from_switches(1200, (0..3).map(|_| Vec::new())));
        assert_eq!((names.pe(7).as_str(), names.switch(2).as_str()), ("pe0007", "sw02"));
        assert_eq!(names.find("pe0007"), Some(Node::Pe(7)));
        assert_eq!(names.find("PE7.cluster.example.org"), Some(Node::Pe(7)));
        assert_eq!(names.find("sw2"), Some(Node::Switch(2)));
        for not in ["pe1200", "sw03", "pe", "sw+1", "spine1", "p", "", "ä1", "pe00000000000001"] {
            assert_eq!(names.find(not), None, "{not}");
        }
    }
}

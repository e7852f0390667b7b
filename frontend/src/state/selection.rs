//! The part of a design that all views light up, in words.

use super::words::{count, grouped};
use shared::{
    analysis::map::under,
    demand::Demand,
    design::{Design, Faults, HardwarePart as Failing, Names, UnknownParts},
    exports::Palette,
    spec::Spec,
};

/// Max nodes of a switch whose pairs are counted while the pointer moves.
const MAX_COUNTED: usize = 512;

/// A part of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesignPart {
    /// A node.
    Node(u32),
    /// A switch.
    Switch(u32),
    /// Two nodes, the lower first.
    Pair(u32, u32),
    /// The cable from a node to a switch.
    Cable(u32, u32),
}

impl DesignPart {
    /// The part of a cell of the map: a pair, or a node on the diagonal.
    pub fn of_cell((column, row): (u32, u32)) -> DesignPart {
        if column == row { DesignPart::Node(row) } else { DesignPart::Pair(column.min(row), column.max(row)) }
    }

    /// The nodes that belong to it.
    pub fn nodes(self, design: Option<&Design>) -> Vec<u32> {
        match (self, design) {
            (DesignPart::Node(pe) | DesignPart::Cable(pe, _), _) => vec![pe],
            (DesignPart::Pair(a, b), _) => vec![a, b],
            (DesignPart::Switch(switch), Some(design)) if switch < design.switch_count() => {
                design.members(switch).to_vec()
            }
            (DesignPart::Switch(_), _) => Vec::new(),
        }
    }

    /// `true` if a node belongs to it.
    pub fn has_node(self, pe: u32, design: &Design) -> bool {
        match self {
            DesignPart::Node(own) | DesignPart::Cable(own, _) => own == pe,
            DesignPart::Pair(a, b) => pe == a || pe == b,
            DesignPart::Switch(switch) => is_on(design, pe, switch),
        }
    }

    /// `true` if a switch belongs to it.
    pub fn has_switch(self, switch: u32, design: &Design) -> bool {
        let on = |pe: u32| is_on(design, pe, switch);
        match self {
            DesignPart::Node(pe) => on(pe),
            DesignPart::Switch(own) | DesignPart::Cable(_, own) => own == switch,
            DesignPart::Pair(a, b) => on(a) && on(b),
        }
    }

    /// The part that fails with it; `None` for pairs.
    pub fn failure(self, design: &Design) -> Option<Failing> {
        match self {
            DesignPart::Node(pe) => Some(Failing::Pe(pe)),
            DesignPart::Switch(switch) => Some(Failing::Switch(switch)),
            DesignPart::Cable(pe, switch) => {
                let ni = design.nis().of(pe).binary_search(&switch).ok()?;
                Some(Failing::Ni(pe, ni as u32))
            }
            DesignPart::Pair(..) => None,
        }
    }

    /// Returns the part's name on a button.
    pub fn name(self, names: &Names) -> String {
        match self {
            DesignPart::Node(pe) => names.pe(pe),
            DesignPart::Switch(switch) => names.switch(switch),
            DesignPart::Pair(a, b) => format!("{a}–{b}"),
            DesignPart::Cable(pe, switch) => format!("{}–{}", names.pe(pe), names.switch(switch)),
        }
    }
}

fn is_on(design: &Design, pe: u32, switch: u32) -> bool {
    switch < design.switch_count() && design.members(switch).binary_search(&pe).is_ok()
}

/// A set of failed parts with one of them added, or removed if it has it; `true` if it is added.
///
/// # Errors
/// Words that name no parts.
pub fn toggled(failed: &str, part: Failing, names: &Names) -> Result<(String, bool), UnknownParts> {
    let mut now = Faults::named(failed, names)?;
    let added = match part {
        Failing::Switch(switch) => toggle(&mut now.switches, switch),
        Failing::Pe(pe) => toggle(&mut now.pes, pe),
        Failing::Ni(pe, ni) => toggle(&mut now.nis, (pe, ni)),
    };
    Ok((now.words(|part| names.word(part)), added))
}

/// `true` if the part was not there before.
fn toggle<T: Ord>(all: &mut Vec<T>, part: T) -> bool {
    match all.binary_search(&part) {
        Ok(at) => drop(all.remove(at)),
        Err(at) => {
            all.insert(at, part);
            return true;
        }
    }
    false
}

/// What parts are described from.
#[derive(Clone, Copy)]
pub struct PartContext<'a> {
    /// The spec.
    pub spec: &'a Spec,
    /// Requested pairs.
    pub demand: &'a Demand,
    /// The wiring, if there is one for as many nodes.
    pub design: Option<&'a Design>,
    /// Colours of cables.
    pub palette: Palette,
}

impl PartContext<'_> {
    /// A part in words.
    pub fn words(&self, part: DesignPart) -> String {
        match (part, self.design) {
            (DesignPart::Pair(a, b), _) if b < self.spec.pes => self.pair(a, b),
            (DesignPart::Node(pe), _) if pe < self.spec.pes => self.node(pe),
            (DesignPart::Switch(switch), Some(design)) if switch < design.switch_count() => {
                self.switch(switch, design)
            }
            (DesignPart::Cable(pe, switch), Some(design)) => self.cable(pe, switch, design),
            _ => String::new(),
        }
    }

    fn node(&self, pe: u32) -> String {
        let lower = (0..pe).filter(|&other| self.demand.index_of(other, pe).is_some()).count();
        let asked = count((lower + self.demand.higher_of(pe).len()) as u64, "requested partner");
        let Some(design) = self.design else { return format!("Node {pe}: {asked}") };
        let names = Names::of(self.spec, design);
        let on: Vec<String> = (0..design.switch_count())
            .filter(|&switch| design.members(switch).binary_search(&pe).is_ok())
            .map(|switch| format!("{} {}", names.switch(switch), self.palette.of(switch).name()))
            .collect();
        format!(
            "Node {pe}: {asked}; NICs in order: {}",
            if on.is_empty() { "none".into() } else { on.join(", ") }
        )
    }

    fn switch(&self, switch: u32, design: &Design) -> String {
        let names = Names::of(self.spec, design);
        let members = design.members(switch);
        let ports = match self.spec.usable_of(switch) {
            Some(ports) => format!("{} of {}", members.len(), count(u64::from(ports), "usable port")),
            None => count(members.len() as u64, "port"),
        };
        let name = format!("{} ({})", names.switch(switch), self.palette.of(switch).name());
        if members.len() > MAX_COUNTED {
            return format!("{name}: {ports}");
        }
        let nis = design.nis();
        let (mut served, mut alone) = (0, 0);
        for (at, &a) in members.iter().enumerate() {
            for &b in &members[at + 1..] {
                if self.demand.index_of(a, b).is_some() {
                    served += 1;
                    alone += u64::from(nis.shared(a, b).count() == 1);
                }
            }
        }
        format!(
            "{name}: {ports}; serves {}, {} of them on no other switch",
            count(served, "requested pair"),
            grouped(alone)
        )
    }

    fn cable(&self, pe: u32, switch: u32, design: &Design) -> String {
        let names = Names::of(self.spec, design);
        let (nis, members) = (design.nis(), design.members(switch));
        let (Ok(ni), Ok(port)) = (nis.of(pe).binary_search(&switch), members.binary_search(&pe)) else {
            return String::new();
        };
        let colour = self.palette.of(switch).name();
        format!("{} NIC {ni} to {} port {}: {colour}", names.pe(pe), names.switch(switch), port + 1)
    }

    fn pair(&self, a: u32, b: u32) -> String {
        let found = under(self.spec, self.demand, self.design, a, b);
        let asking = match found.requested_by.as_slice() {
            [] => "not requested".into(),
            by => format!("requested by {}", by.join(", ")),
        };
        let serving = match (self.design, found.switches.as_slice()) {
            (None, _) => "no wiring yet".into(),
            (Some(design), []) if found.links > 0 => {
                format!("uncovered: no shared switch; {}", self.remedy(a, b, design))
            }
            (_, []) => "no shared switch".into(),
            (Some(design), shared) => {
                let names = Names::of(self.spec, design);
                let named: Vec<_> = shared.iter().map(|&switch| names.switch(switch)).collect();
                format!("{}, {}", named.join(", "), count(shared.len() as u64, "path"))
            }
        };
        format!("Nodes {a}–{b}: {asking}; {serving}")
    }

    /// What it would take to serve an uncovered pair: the first switch of one node with a port for the other, and a NIC.
    fn remedy(&self, a: u32, b: u32, design: &Design) -> String {
        let (names, nis) = (Names::of(self.spec, design), design.nis());
        let free = |switch: u32| {
            let used = design.members(switch).len() as u32;
            self.spec.usable_of(switch).is_some_and(|ports| used < ports)
        };
        let idle = |pe: u32| (nis.of(pe).len() as u32) < self.spec.nis_of(pe);
        let ways = [(a, b), (b, a)];
        let room = |&(to, of): &(u32, u32)| nis.of(of).iter().copied().find(|&s| free(s)).map(|s| (to, s));
        let with_nic = ways.iter().filter(|(to, _)| idle(*to)).find_map(room);
        if let Some((node, switch)) = with_nic {
            return format!("a cable from {} to {} would serve it", names.pe(node), names.switch(switch));
        }
        match ways.iter().find_map(room) {
            Some((node, switch)) => format!(
                "{} has a free port, but {} has no free NIC: a cable must move",
                names.switch(switch),
                names.pe(node)
            ),
            None => "no switch of either has a free port: two cables must move".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::resolve::{self, NoFiles};

    fn words(part: DesignPart, ports: u32, nis: u32) -> String {
        let text = format!(
            "pes = 6\nnis_per_pe = {nis}\nobjective = \"sparse\"\n[[switch]]\nports = {ports}\ncount = 3\n[[pattern]]\nkind = \"ring\"\n"
        );
        let spec = resolve::read(&text, &mut NoFiles).unwrap();
        let demand = Demand::build(&spec).unwrap();
        let design = Design::from_switches(6, [vec![0, 1, 2], vec![2, 3], vec![0, 4, 5]]);
        PartContext { spec: &spec, demand: &demand, design: Some(&design), palette: Palette::Papers }
            .words(part)
    }

    #[test]
    fn parts_say_what_they_are_for() {
        assert_eq!(
            words(DesignPart::Node(2), 4, 2),
            "Node 2: 2 requested partners; NICs in order: sw00 blue, sw01 yellow"
        );
        assert_eq!(
            words(DesignPart::Switch(0), 4, 2),
            "sw00 (blue): 3 of 4 usable ports; serves 2 requested pairs, 2 of them on no other switch"
        );
        assert_eq!(words(DesignPart::Cable(4, 2), 4, 2), "node004 NIC 0 to sw02 port 2: red");
        assert_eq!(words(DesignPart::Cable(4, 0), 4, 2), "");
        assert_eq!(words(DesignPart::Pair(0, 1), 4, 2), "Nodes 0–1: requested by ring; sw00, 1 path");
    }

    #[test]
    fn an_uncovered_pair_says_what_it_would_take() {
        let pair = DesignPart::Pair(3, 4);
        assert!(
            words(pair, 4, 2).ends_with("a cable from node003 to sw02 would serve it"),
            "{}",
            words(pair, 4, 2)
        );
        // Node 3 has one NIC only, and so has node 4.
        let few = words(DesignPart::Pair(3, 4), 4, 1);
        assert!(few.ends_with("a cable must move"), "{few}");
        let full = words(DesignPart::Pair(3, 4), 2, 2);
        assert!(full.ends_with("two cables must move"), "{full}");
    }

    #[test]
    fn failed_parts_come_and_go() {
        let design = Design::from_switches(6, [vec![0, 1, 2], vec![2, 3], vec![0, 4, 5]]);
        assert_eq!(DesignPart::Cable(2, 1).failure(&design), Some(Failing::Ni(2, 1)));
        let names = Names::new(6, 3);
        let next = |failed, part| toggled(failed, part, &names).unwrap();
        assert_eq!(next("", Failing::Switch(3)), ("sw03".into(), true));
        assert_eq!(next("node7, sw03", Failing::Switch(3)), ("node007".into(), false));
        assert_eq!(
            next("sw1 node4.nic0", Failing::Ni(2, 1)),
            ("sw01 node002.nic1 node004.nic0".into(), true)
        );
        assert!(toggled("rack 7", Failing::Switch(3), &names).is_err());
    }

    #[test]
    fn every_view_finds_the_same_switches() {
        let design = Design::from_switches(6, [vec![0, 1, 2], vec![2, 3], vec![0, 4, 5]]);
        let of = |part: DesignPart| (0..3).filter(|&s| part.has_switch(s, &design)).collect::<Vec<_>>();
        assert_eq!(of(DesignPart::Node(2)), [0, 1]);
        assert_eq!(of(DesignPart::Pair(0, 5)), [2]);
        assert_eq!(of(DesignPart::Cable(2, 1)), [1]);
        assert_eq!(DesignPart::Switch(1).nodes(Some(&design)), [2, 3]);
        for part in [
            DesignPart::Node(2),
            DesignPart::Switch(1),
            DesignPart::Switch(9),
            DesignPart::Pair(0, 5),
            DesignPart::Cable(2, 1),
        ] {
            let nodes: Vec<u32> = (0..6).filter(|&pe| part.has_node(pe, &design)).collect();
            assert_eq!(nodes, part.nodes(Some(&design)), "{part:?}");
        }
        assert!(!DesignPart::Node(2).has_switch(9, &design));
        assert_eq!(DesignPart::of_cell((5, 2)), DesignPart::Pair(2, 5));
        assert_eq!(DesignPart::of_cell((4, 4)), DesignPart::Node(4));
    }
}

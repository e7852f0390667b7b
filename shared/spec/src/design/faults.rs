//! Failed parts of a machine (Mattox 2006, section 5.3): switches, NIs and PEs.
//!
//! Every routing scheme takes [`Faults`] and routes over the [`WorkingDesign`] part of the design. Numbers stay: NI k of a PE is the
//! one on the k-th lowest switch of the whole design, so that routes before and after can be compared and interfaces keep their
//! names.

use super::{Design, HardwarePart, Names, NiTable};
use crate::text::shorten;
use std::fmt::Write as _;

/// Failed parts. Each list ascends and is distinct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Failed switches.
    pub switches: Vec<u32>,
    /// Failed NIs as (PE, NI); a failed cable is a failed NI.
    pub nis: Vec<(u32, u32)>,
    /// Failed PEs.
    pub pes: Vec<u32>,
}

/// A text or part that cannot be a failed part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownPart {
    /// Not a name of a part.
    #[error(
        "{0:?} is not a switch (such as sw03), node (node007) or NIC (node005.nic1), nor a name of the spec"
    )]
    Word(String),
    /// The uplink switch or a spare node.
    #[error(
        "{0:?} names an uplink switch or a spare node; no routes use these, so they cannot be failed parts"
    )]
    Beside(String),
    /// A switch that the design does not have.
    #[error("there is no switch {switch}; {}", range("switches", .count))]
    Switch {
        /// The switch named.
        switch: u32,
        /// Switches of the design.
        count: u32,
    },
    /// A PE that the design does not have.
    #[error("there is no node {pe}; {}", range("nodes", .count))]
    Pe {
        /// The PE named.
        pe: u32,
        /// PEs of the design.
        count: u32,
    },
    /// An NI that the design does not have.
    #[error("node {pe} has no NIC {ni}; {}", range("its NICs", .count))]
    Ni {
        /// The PE.
        pe: u32,
        /// The NI named.
        ni: u32,
        /// NIs of that PE.
        count: u32,
    },
}

/// Names that are no parts of the design, in order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(.0))]
pub struct UnknownParts(pub Vec<UnknownPart>);

fn range(what: &str, count: &u32) -> String {
    match *count {
        0 => "there are none".into(),
        1 => "the only one is 0".into(),
        most => format!("{what} are 0 to {}", most - 1),
    }
}

const MAX_LISTED: usize = 10;
/// Max number of a spare node whose name is told from other words.
const MAX_SPARES: u32 = 1000;

fn listed(all: &[UnknownPart]) -> String {
    let mut text = String::new();
    for (i, unknown) in all.iter().take(MAX_LISTED).enumerate() {
        let _ = write!(text, "{}{unknown}", if i == 0 { "" } else { "; " });
    }
    if all.len() > MAX_LISTED {
        let _ = write!(text, "; and {} more", all.len() - MAX_LISTED);
    }
    text
}

impl Faults {
    /// Parses parts separated by spaces or commas, by number as in [`HardwarePart::numbered`]. An empty text has no faults.
    ///
    /// # Errors
    /// Every word that names no part. [`Faults::fit`] checks that a design has the parts.
    pub fn read(text: &str) -> Result<Faults, UnknownParts> {
        Faults::collect(text, HardwarePart::numbered, |_| false)
    }

    /// Reads parts by name or number, like [`Names::part`].
    ///
    /// # Errors
    /// Errors of [`Faults::read`].
    pub fn named(text: &str, names: &Names) -> Result<Faults, UnknownParts> {
        let beside = |word: &str| {
            (0..names.uplinks().max(1)).any(|uplink| word == names.uplink(uplink))
                || (0..MAX_SPARES).any(|spare| word == names.spare(spare))
        };
        Faults::collect(text, |word| names.part(word), beside)
    }

    /// Reads parts; `beside` tells words that name what cannot fail.
    fn collect(
        text: &str,
        part: impl Fn(&str) -> Option<HardwarePart>,
        beside: impl Fn(&str) -> bool,
    ) -> Result<Faults, UnknownParts> {
        let (mut faults, mut unknown) = (Faults::default(), Vec::new());
        for word in text.split([' ', '\t', '\n', '\r', ',']).filter(|word| !word.is_empty()) {
            match part(word) {
                Some(HardwarePart::Switch(switch)) => faults.switches.push(switch),
                Some(HardwarePart::Pe(pe)) => faults.pes.push(pe),
                Some(HardwarePart::Ni(pe, ni)) => faults.nis.push((pe, ni)),
                None if beside(word) => unknown.push(UnknownPart::Beside(word.into())),
                None => unknown.push(UnknownPart::Word(shorten(word, 40, 37))),
            }
        }
        faults.switches.sort_unstable();
        faults.switches.dedup();
        faults.nis.sort_unstable();
        faults.nis.dedup();
        faults.pes.sort_unstable();
        faults.pes.dedup();
        if unknown.is_empty() { Ok(faults) } else { Err(UnknownParts(unknown)) }
    }

    /// Parses parts of a design. Errors: as for [`Faults::named`] and [`Faults::fit`].
    pub fn parse(text: &str, design: &Design, names: &Names) -> Result<Faults, UnknownParts> {
        let faults = Faults::named(text, names)?;
        faults.fit(design)?;
        Ok(faults)
    }

    /// Checks that a design has all these parts. Errors: every part that it does not have.
    pub fn fit(&self, design: &Design) -> Result<(), UnknownParts> {
        // Failed NIs are rare, and the table takes a walk over all cables.
        let nis = (!self.nis.is_empty()).then(|| design.nis());
        let nis_of = |pe: u32| nis.as_ref().map_or(0, |nis| nis.of(pe).len() as u32);
        let (switches, pes) = (design.switch_count(), design.pes());
        let mut unknown = Vec::new();
        let beyond = self.switches.iter().filter(|&&switch| switch >= switches);
        unknown.extend(beyond.map(|&switch| UnknownPart::Switch { switch, count: switches }));
        let beyond = self.pes.iter().filter(|&&pe| pe >= pes);
        unknown.extend(beyond.map(|&pe| UnknownPart::Pe { pe, count: pes }));
        for &(pe, ni) in &self.nis {
            if pe >= pes {
                unknown.push(UnknownPart::Pe { pe, count: pes });
            } else if ni >= nis_of(pe) {
                unknown.push(UnknownPart::Ni { pe, ni, count: nis_of(pe) });
            }
        }
        if unknown.is_empty() { Ok(()) } else { Err(UnknownParts(unknown)) }
    }

    /// All parts in words, separated by spaces.
    pub fn words(&self, word: impl Fn(HardwarePart) -> String) -> String {
        let switches = self.switches.iter().map(|&switch| HardwarePart::Switch(switch));
        let pes = self.pes.iter().map(|&pe| HardwarePart::Pe(pe));
        let nis = self.nis.iter().map(|&(pe, ni)| HardwarePart::Ni(pe, ni));
        switches.chain(pes).chain(nis).map(word).collect::<Vec<_>>().join(" ")
    }

    /// `true` without failed parts.
    pub fn is_empty(&self) -> bool {
        self.switches.is_empty() && self.nis.is_empty() && self.pes.is_empty()
    }

    /// `true` if a PE has failed. A PE without a working cable has not failed, though it is unreachable.
    pub fn is_dead(&self, pe: u32) -> bool {
        self.pes.binary_search(&pe).is_ok()
    }

    /// `true` if a cable has failed, at its NI or with its PE.
    pub fn cuts(&self, pe: u32, ni: u32) -> bool {
        self.is_dead(pe) || self.nis.binary_search(&(pe, ni)).is_ok()
    }
}

impl std::fmt::Display for Faults {
    /// In the form of [`Faults::read`].
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words(|part| part.to_string()))
    }
}

/// A path over one switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    /// The switch.
    pub switch: u32,
    /// NI of the PE at the start.
    pub ni: u32,
    /// NI of the PE at the end.
    pub other_ni: u32,
}

impl Path {
    /// Returns the path from the other end.
    pub fn back(self) -> Path {
        Path { switch: self.switch, ni: self.other_ni, other_ni: self.ni }
    }
}

/// A design without its failed cables. Switches, PEs and NIs keep their numbers: see [`WorkingDesign::ni`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingDesign {
    faults: Faults,
    design: Design,
    live: NiTable,
    whole: NiTable,
}

impl WorkingDesign {
    /// Removes the failed parts; parts that the design does not have are skipped.
    pub fn new(design: &Design, faults: &Faults) -> WorkingDesign {
        let whole = design.nis();
        let ni = |pe, switch| whole.of(pe).partition_point(|&s| s < switch) as u32;
        let members = |(switch, members): (u32, &[u32])| {
            let dead = faults.switches.binary_search(&switch).is_ok();
            let works = |pe: &u32| !dead && !faults.cuts(*pe, ni(*pe, switch));
            members.iter().copied().filter(works).collect()
        };
        let left = Design::from_switches(design.pes(), (0..).zip(design.switches()).map(members));
        WorkingDesign { faults: faults.clone(), live: left.nis(), design: left, whole }
    }

    /// The failed parts.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The working cables, as a design.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The switches that each PE still reaches. Their positions are not NI numbers: see [`WorkingDesign::ni`].
    pub fn live(&self) -> &NiTable {
        &self.live
    }

    /// The NIs of every PE, failed ones included.
    pub fn whole(&self) -> &NiTable {
        &self.whole
    }

    /// The NI of a PE on a switch that it is on.
    pub fn ni(&self, pe: u32, switch: u32) -> u32 {
        self.whole.of(pe).partition_point(|&s| s < switch) as u32
    }

    /// The path of two PEs over a switch that both are on.
    pub fn path(&self, from: u32, to: u32, switch: u32) -> Path {
        Path { switch, ni: self.ni(from, switch), other_ni: self.ni(to, switch) }
    }

    /// Every path of two PEs over one switch, by ascending switch; none from a PE to itself or outside the design.
    pub fn paths(&self, from: u32, to: u32) -> impl Iterator<Item = Path> + '_ {
        let real = from != to && from.max(to) < self.design.pes();
        let switches = real.then(|| self.live.shared(from, to)).into_iter().flatten();
        switches.map(move |switch| self.path(from, to, switch))
    }
}

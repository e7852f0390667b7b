//! What of a machine is dead (dissertation, section 5.3): switches, NIs and PEs.
//!
//! Every routing scheme takes [`Faults`] and routes over what is left of the wiring, the [`Working`] part. Numbers do not
//! change by it: NI k of a PE stays on the k-th lowest switch of the whole wiring, so that routes before and after can be
//! compared and interfaces keep their names.

use super::{Design, NiTable};
use crate::text::shorten;
use std::fmt::Write as _;

/// Dead parts of a machine. Each list ascends and is distinct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Dead switches.
    pub switches: Vec<u32>,
    /// Dead NIs as (PE, NI); a dead cable is a dead NI.
    pub nis: Vec<(u32, u32)>,
    /// Dead PEs.
    pub pes: Vec<u32>,
}

/// What cannot be dead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// Not a name of a part.
    #[error("{0:?} is no part of a machine; sw3, pe7 and pe5.ni1 are read as a switch, a PE and an NI")]
    Word(String),
    /// A switch that the wiring does not have.
    #[error("there is no switch {switch}; {}", range("switches", .count))]
    Switch {
        /// What was named.
        switch: u32,
        /// Switches of the wiring.
        count: u32,
    },
    /// A PE that the machine does not have.
    #[error("there is no PE {pe}; {}", range("PEs", .count))]
    Pe {
        /// What was named.
        pe: u32,
        /// PEs of the machine.
        count: u32,
    },
    /// An NI that is not in the wiring.
    #[error("PE {pe} has no NI {ni}; {}", range("its NIs", .count))]
    Ni {
        /// Whose.
        pe: u32,
        /// What was named.
        ni: u32,
        /// NIs of that PE in the wiring.
        count: u32,
    },
}

/// Everything that was named and cannot be dead, in the order it was named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", told(.0))]
pub struct UnknownParts(pub Vec<Unknown>);

fn range(what: &str, count: &u32) -> String {
    match *count {
        0 => "there are none".into(),
        1 => "there is 0 alone".into(),
        most => format!("{what} are 0 to {}", most - 1),
    }
}

/// Most that one message tells.
const TOLD: usize = 10;

fn told(all: &[Unknown]) -> String {
    let mut text = String::new();
    for (i, unknown) in all.iter().take(TOLD).enumerate() {
        let _ = write!(text, "{}{unknown}", if i == 0 { "" } else { "; " });
    }
    if all.len() > TOLD {
        let _ = write!(text, "; and {} more", all.len() - TOLD);
    }
    text
}

impl Faults {
    /// Reads parts with spaces or commas between them: `sw3` is a switch, `pe7` a PE, `pe5.ni1` an NI. Leading zeros and
    /// capitals do not matter, so that names may be copied from exports. An empty text is no faults.
    ///
    /// # Errors
    /// Every word that names no part. Whether a wiring has the parts is for [`Faults::fit`] to say.
    pub fn read(text: &str) -> Result<Faults, UnknownParts> {
        let (mut faults, mut unknown) = (Faults::default(), Vec::new());
        for word in text.split([' ', '\t', '\n', '\r', ',']).filter(|word| !word.is_empty()) {
            if faults.take(&word.to_ascii_lowercase()).is_none() {
                unknown.push(Unknown::Word(shorten(word, 40, 37)));
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

    fn take(&mut self, word: &str) -> Option<()> {
        if let Some(switch) = word.strip_prefix("sw") {
            self.switches.push(number(switch)?);
            return Some(());
        }
        let pe = word.strip_prefix("pe")?;
        match pe.split_once(".ni") {
            Some((pe, ni)) => self.nis.push((number(pe)?, number(ni)?)),
            None => self.pes.push(number(pe)?),
        }
        Some(())
    }

    /// Reads parts of a wiring.
    ///
    /// # Errors
    /// As for [`Faults::read`] and [`Faults::fit`].
    pub fn parse(text: &str, design: &Design) -> Result<Faults, UnknownParts> {
        let faults = Faults::read(text)?;
        faults.fit(design)?;
        Ok(faults)
    }

    /// Checks that a wiring has all these parts.
    ///
    /// # Errors
    /// Every part that it does not have.
    pub fn fit(&self, design: &Design) -> Result<(), UnknownParts> {
        let nis = design.nis();
        let (switches, pes) = (design.switch_count(), design.pes());
        let mut unknown = Vec::new();
        let beyond = self.switches.iter().filter(|&&switch| switch >= switches);
        unknown.extend(beyond.map(|&switch| Unknown::Switch { switch, count: switches }));
        let beyond = self.pes.iter().filter(|&&pe| pe >= pes);
        unknown.extend(beyond.map(|&pe| Unknown::Pe { pe, count: pes }));
        for &(pe, ni) in &self.nis {
            if pe >= pes {
                unknown.push(Unknown::Pe { pe, count: pes });
            } else if ni as usize >= nis.of(pe).len() {
                unknown.push(Unknown::Ni { pe, ni, count: nis.of(pe).len() as u32 });
            }
        }
        if unknown.is_empty() { Ok(()) } else { Err(UnknownParts(unknown)) }
    }

    /// Whether nothing is dead.
    pub fn is_empty(&self) -> bool {
        self.switches.is_empty() && self.nis.is_empty() && self.pes.is_empty()
    }

    /// Whether a PE is dead. One whose every cable is dead is alive, though nobody reaches it.
    pub fn is_dead(&self, pe: u32) -> bool {
        self.pes.binary_search(&pe).is_ok()
    }

    fn cuts(&self, pe: u32, ni: u32) -> bool {
        self.is_dead(pe) || self.nis.binary_search(&(pe, ni)).is_ok()
    }
}

impl std::fmt::Display for Faults {
    /// As [`Faults::read`] reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let switches = self.switches.iter().map(|switch| format!("sw{switch}"));
        let pes = self.pes.iter().map(|pe| format!("pe{pe}"));
        let nis = self.nis.iter().map(|(pe, ni)| format!("pe{pe}.ni{ni}"));
        f.write_str(&switches.chain(pes).chain(nis).collect::<Vec<_>>().join(" "))
    }
}

/// A number of digits alone.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A path over one switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    /// The switch.
    pub switch: u32,
    /// The NI on it of the PE that the path starts at.
    pub ni: u32,
    /// The NI on it of the PE that the path leads to.
    pub other_ni: u32,
}

impl Path {
    /// The same path, seen from its other end.
    pub fn back(self) -> Path {
        Path { switch: self.switch, ni: self.other_ni, other_ni: self.ni }
    }
}

/// A wiring without its dead cables. Switches and PEs keep their numbers, and so do NIs: see [`Working::ni`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Working {
    faults: Faults,
    design: Design,
    live: NiTable,
    whole: NiTable,
}

impl Working {
    /// Takes the dead parts out; those that the wiring does not have are passed over.
    pub fn new(design: &Design, faults: &Faults) -> Working {
        let whole = design.nis();
        let ni = |pe, switch| whole.of(pe).partition_point(|&s| s < switch) as u32;
        let members = |(switch, members): (u32, &[u32])| {
            let dead = faults.switches.binary_search(&switch).is_ok();
            let works = |pe: &u32| !dead && !faults.cuts(*pe, ni(*pe, switch));
            members.iter().copied().filter(works).collect()
        };
        let left = Design::from_switches(design.pes(), (0..).zip(design.switches()).map(members));
        Working { faults: faults.clone(), live: left.nis(), design: left, whole }
    }

    /// What is dead.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The cables that work, as a wiring of their own.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The switches that every PE still reaches. Their places are not NI numbers: see [`Working::ni`].
    pub fn live(&self) -> &NiTable {
        &self.live
    }

    /// The NIs of every PE, dead ones included.
    pub fn whole(&self) -> &NiTable {
        &self.whole
    }

    /// Which NI of a PE is on a switch that it is on.
    pub fn ni(&self, pe: u32, switch: u32) -> u32 {
        self.whole.of(pe).partition_point(|&s| s < switch) as u32
    }

    /// The path of two PEs over a switch that both are on.
    pub fn path(&self, from: u32, to: u32, switch: u32) -> Path {
        Path { switch, ni: self.ni(from, switch), other_ni: self.ni(to, switch) }
    }

    /// Every path of two PEs over one switch, by ascending switch; none from a PE to itself or outside the machine.
    pub fn paths(&self, from: u32, to: u32) -> impl Iterator<Item = Path> + '_ {
        let real = from != to && from.max(to) < self.design.pes();
        let switches = real.then(|| self.live.shared(from, to)).into_iter().flatten();
        switches.map(move |switch| self.path(from, to, switch))
    }
}

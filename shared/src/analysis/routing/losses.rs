//! What faults take (dissertation, section 5.3): which pairs lose their path over one switch, and what is left to them.
//!
//! Pairs are found PE by PE with a counter a PE, before and after, so that the time is that of the connected pairs and the
//! memory that of the PEs.

use super::{Singles, Through};
use crate::{
    analysis::meetings::Meetings,
    demand::Demand,
    design::{Design, Names},
    text::grouped,
};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A pair that shares fewer switches than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The PEs, lower first.
    pub pair: (u32, u32),
    /// Its number in the demand, if it is requested.
    pub requested: Option<usize>,
    /// Switches that it shared.
    pub had: u32,
    /// Those of them that it still has paths over.
    pub has: u32,
    /// What is left to it.
    pub left: Left,
}

/// What is left to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    /// Paths over other shared switches.
    Fewer,
    /// No such path, but a route through other PEs.
    Through,
    /// Nothing: no route leads from one to the other.
    Nothing,
    /// One of the two is dead.
    Dead,
}

/// Pairs that lose paths, by what is left to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tally {
    /// Pairs that have paths over other shared switches.
    pub fewer: u64,
    /// Pairs that have a route through other PEs alone.
    pub through: u64,
    /// Pairs of living PEs that nothing joins any more.
    pub nothing: u64,
    /// Pairs with a dead PE.
    pub dead: u64,
}

impl Tally {
    /// Pairs that share no switch any more.
    pub fn lost(&self) -> u64 {
        self.through + self.nothing + self.dead
    }

    fn count(&mut self, left: Left) {
        *match left {
            Left::Fewer => &mut self.fewer,
            Left::Through => &mut self.through,
            Left::Nothing => &mut self.nothing,
            Left::Dead => &mut self.dead,
        } += 1;
    }
}

/// What faults take from a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Damage {
    /// Requested pairs.
    pub requested: Tally,
    /// All pairs that share a switch without the faults, requested or not.
    pub all: Tally,
    /// Requested pairs that have as many shared switches as they want without the faults, and fewer with them.
    pub unmet: u64,
    /// Pairs of living PEs that cannot reach each other at all with the faults, whether they shared a switch or not.
    pub unreachable: u64,
}

/// Hands on every pair that shares fewer switches with the faults than without, ascending. `through` are the routes of the
/// same wiring with the faults; PEs that demand or wiring lack are passed over.
pub fn losses(demand: &Demand, design: &Design, through: &Through, mut each: impl FnMut(Loss)) {
    // Stopping is not asked for, so that nothing can stop it.
    let _ = try_losses(demand, design, through, |loss| {
        each(loss);
        Ok::<(), std::convert::Infallible>(())
    });
}

/// The same until `each` fails.
///
/// # Errors
/// What `each` fails with.
pub fn try_losses<E>(
    demand: &Demand,
    design: &Design,
    through: &Through,
    mut each: impl FnMut(Loss) -> Result<(), E>,
) -> Result<(), E> {
    let working = through.working();
    let faults = working.faults();
    let pes = design.pes().min(demand.pes());
    let (mut before, mut after) = (Meetings::new(pes), Meetings::new(pes));
    for a in 0..pes {
        before.count(design, working.whole(), a, a + 1, pes);
        after.count(working.design(), working.live(), a, a + 1, pes);
        before.sort();
        for &b in before.met_unsorted() {
            let (had, has) = (before.with(b), after.with(b));
            if has == had {
                continue;
            }
            let left = match has {
                1.. => Left::Fewer,
                0 if faults.is_dead(a) || faults.is_dead(b) => Left::Dead,
                0 if through.reaches(a, b) => Left::Through,
                0 => Left::Nothing,
            };
            each(Loss { pair: (a, b), requested: demand.index_of(a, b), had, has, left })?;
        }
    }
    Ok(())
}

/// Counts what faults take.
pub fn damage(demand: &Demand, design: &Design, through: &Through) -> Damage {
    let mut damage = Damage { unreachable: through.unreachable(), ..Damage::default() };
    losses(demand, design, through, |loss| {
        damage.all.count(loss.left);
        if let Some(pair) = loss.requested {
            damage.requested.count(loss.left);
            let wants = demand.links(pair);
            damage.unmet += u64::from(loss.had >= wants && loss.has < wants);
        }
    });
    damage
}

impl Damage {
    /// In words, some lines, for a demand of so many pairs.
    pub fn words(&self, requested: u64) -> String {
        let mut text = String::new();
        let asked = format!("of {} requested pairs", grouped(requested));
        for (tally, whose) in [(&self.requested, asked.as_str()), (&self.all, "of all pairs")] {
            let _ = match tally.fewer + tally.lost() {
                0 => writeln!(text, "none {whose} loses a path over one switch"),
                1 => writeln!(text, "1 {whose} loses a path over one switch:"),
                changed => writeln!(text, "{} {whose} lose paths over one switch:", grouped(changed)),
            };
            for (number, left) in [
                (tally.fewer, "with other shared switches"),
                (tally.through, "with a route through other PEs"),
                (tally.nothing, "with no way left"),
                (tally.dead, "with a dead PE"),
            ] {
                if number > 0 {
                    let _ = writeln!(text, "  {:>9} {left}", grouped(number));
                }
            }
        }
        let _ = match self.unmet {
            0 => Ok(()),
            1 => writeln!(text, "1 more requested pair shares fewer switches than it wants"),
            unmet => {
                writeln!(text, "{} more requested pairs share fewer switches than they want", grouped(unmet))
            }
        };
        let _ = match self.unreachable {
            0 => writeln!(text, "all living PEs reach each other"),
            1 => writeln!(text, "1 pair of living PEs cannot reach each other"),
            pairs => writeln!(text, "{} pairs of living PEs cannot reach each other", grouped(pairs)),
        };
        text
    }
}

/// What faults take, and what would be the worst to lose next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FaultReport {
    /// What is dead, such as `sw3 pe7 pe5.ni1`; empty for nothing.
    pub dead: String,
    /// How many pairs lose paths.
    pub damage: Damage,
    /// Requested pairs that lose paths, ascending, the first of them.
    pub pairs: Vec<LostPair>,
    /// The worst switch to lose next and what its loss would take, in words.
    pub worst_switch: Option<String>,
    /// The worst PE to lose next, likewise.
    pub worst_pe: Option<String>,
}

/// A requested pair that loses paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LostPair {
    /// The lower PE.
    pub a: u32,
    /// The higher PE.
    pub b: u32,
    /// Switches that it shared.
    pub had: u32,
    /// Those that it has left.
    pub has: u32,
    /// What it has instead, such as `over sw05`, `through pe012` or `no way`.
    pub instead: String,
}

/// Reports on the faults that the through routes of a wiring were made with; of the requested pairs that lose paths `most`
/// are told. `singles` are the same wiring's with the same faults.
pub fn fault_report(
    demand: &Demand,
    design: &Design,
    through: &Through,
    singles: &Singles,
    most: usize,
) -> FaultReport {
    let names = Names::of(design);
    let mut pairs = Vec::new();
    losses(demand, design, through, |loss| {
        if loss.requested.is_some() && pairs.len() < most {
            let (a, b) = loss.pair;
            let instead = instead(names, through, loss);
            pairs.push(LostPair { a, b, had: loss.had, has: loss.has, instead });
        }
    });
    FaultReport {
        dead: through.working().faults().to_string(),
        damage: damage(demand, design, through),
        pairs,
        worst_switch: singles.switches.first().map(|single| single.words(names)),
        worst_pe: singles.pes.first().map(|single| single.words(names)),
    }
}

fn instead(names: Names, through: &Through, loss: Loss) -> String {
    let (a, b) = loss.pair;
    match loss.left {
        Left::Fewer => {
            let switches = through.working().paths(a, b).map(|path| names.switch(path.switch));
            format!("over {}", switches.collect::<Vec<_>>().join(" "))
        }
        Left::Through => {
            let path = through.path(a, b).unwrap_or_default();
            let inner = path.iter().skip(1).take(path.len().saturating_sub(2));
            format!("through {}", inner.map(|&pe| names.pe(pe)).collect::<Vec<_>>().join(" "))
        }
        Left::Nothing => "no way".into(),
        Left::Dead => "a dead PE".into(),
    }
}

impl FaultReport {
    /// In words, some lines, for a demand of so many pairs.
    pub fn words(&self, requested: u64) -> String {
        let mut text = String::new();
        if !self.dead.is_empty() {
            let _ = writeln!(text, "dead: {}", self.dead);
            text += &self.damage.words(requested);
            for pair in &self.pairs {
                let LostPair { a, b, had, has, instead } = pair;
                let _ = writeln!(text, "  {a} {b}: {has} of {had} switches, {instead}");
            }
            let asked = self.damage.requested;
            let more = (asked.fewer + asked.lost()).saturating_sub(self.pairs.len() as u64);
            if more > 0 && !self.pairs.is_empty() {
                let _ = writeln!(text, "  and {} more", grouped(more));
            }
        }
        let next = if self.dead.is_empty() { "" } else { " next" };
        for (part, words) in [("switch", &self.worst_switch), ("PE", &self.worst_pe)] {
            if let Some(words) = words {
                let _ = writeln!(text, "the worst {part} to lose{next} is {words}");
            }
        }
        text
    }
}

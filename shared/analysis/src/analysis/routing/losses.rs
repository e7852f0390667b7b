//! Effect of faults (Mattox 2006, section 5.3): pairs that lose paths over one switch, and their remaining routes.
//!
//! Pairs are found PE by PE with a counter per PE, before and after, so time grows with the connected pairs and memory with the
//! PEs.

use super::{Singles, ThroughRoutes};
use crate::{
    analysis::meetings::Meetings,
    cancel::checked,
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
    /// Number in the demand, if requested.
    pub requested: Option<usize>,
    /// Shared switches without the faults.
    pub had: u32,
    /// Shared switches with the faults.
    pub has: u32,
    /// Remaining routes.
    pub left: RemainingRoute,
}

/// Remaining routes of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemainingRoute {
    /// Paths over other shared switches.
    Fewer,
    /// A route through other PEs.
    Through,
    /// No route.
    Nothing,
    /// None: one of the two has failed.
    Dead,
}

/// Pairs that lose paths, by their remaining routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tally {
    /// Pairs with paths over other shared switches.
    pub fewer: u64,
    /// Pairs with a route through other nodes only.
    pub through: u64,
    /// Pairs of working nodes without any route.
    pub nothing: u64,
    /// Pairs with a failed node.
    pub dead: u64,
}

impl Tally {
    /// Pairs that lose their last shared switch.
    pub fn lost(&self) -> u64 {
        self.through + self.nothing + self.dead
    }

    fn count(&mut self, left: RemainingRoute) {
        *match left {
            RemainingRoute::Fewer => &mut self.fewer,
            RemainingRoute::Through => &mut self.through,
            RemainingRoute::Nothing => &mut self.nothing,
            RemainingRoute::Dead => &mut self.dead,
        } += 1;
    }
}

/// Effect of failures on a design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Damage {
    /// Requested pairs.
    pub requested: Tally,
    /// All pairs that share a switch without the faults, requested or not.
    pub all: Tally,
    /// Requested pairs that share as many switches as they want without the faults, and fewer with them.
    pub unmet: u64,
    /// Pairs of working nodes that cannot reach each other with the faults, whether they shared a switch or not.
    pub unreachable: u64,
}

/// Calls `each` for every pair that shares fewer switches with the faults, ascending. `through` are the routes of the same
/// design with the faults. PEs that the demand or the design lacks are skipped.
pub fn losses(demand: &Demand, design: &Design, through: &ThroughRoutes, mut each: impl FnMut(Loss)) {
    // The error type has no values.
    let _ = try_losses(demand, design, through, |loss| {
        each(loss);
        Ok::<(), std::convert::Infallible>(())
    });
}

/// [`losses`] that stops when `each` fails. Errors: the error of `each`.
pub fn try_losses<E>(
    demand: &Demand,
    design: &Design,
    through: &ThroughRoutes,
    mut each: impl FnMut(Loss) -> Result<(), E>,
) -> Result<(), E> {
    let working = through.working();
    let faults = working.faults();
    let pes = design.pes().min(demand.pes());
    let (mut before, mut after) = (Meetings::new(pes), Meetings::new(pes));
    for a in checked(0..pes) {
        before.count(design, working.whole(), a, a + 1, pes);
        after.count(working.design(), working.live(), a, a + 1, pes);
        before.sort();
        for &b in before.met_unsorted() {
            let (had, has) = (before.with(b), after.with(b));
            if has == had {
                continue;
            }
            let left = match has {
                1.. => RemainingRoute::Fewer,
                0 if faults.is_dead(a) || faults.is_dead(b) => RemainingRoute::Dead,
                0 if through.reaches(a, b) => RemainingRoute::Through,
                0 => RemainingRoute::Nothing,
            };
            each(Loss { pair: (a, b), requested: demand.index_of(a, b), had, has, left })?;
        }
    }
    Ok(())
}

/// Counts the losses.
pub fn damage(demand: &Demand, design: &Design, through: &ThroughRoutes) -> Damage {
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
    /// Text of some lines, for a demand with `requested` pairs.
    pub fn words(&self, requested: u64) -> String {
        let mut text = String::new();
        let asked = format!("of {} requested pairs", grouped(requested));
        for (tally, whose) in [(&self.requested, asked.as_str()), (&self.all, "of all pairs")] {
            let _ = match tally.fewer + tally.lost() {
                0 => writeln!(text, "none {whose} loses a path"),
                1 => writeln!(text, "1 {whose} loses a path:"),
                changed => writeln!(text, "{} {whose} lose paths:", grouped(changed)),
            };
            for (number, left) in [
                (tally.fewer, "still share a switch"),
                (tally.through, "have a route through other nodes"),
                (tally.nothing, "have no route"),
                (tally.dead, "include a failed node"),
            ] {
                if number > 0 {
                    let _ = writeln!(text, "  {:>9} {left}", grouped(number));
                }
            }
        }
        let _ = match self.unmet {
            0 => Ok(()),
            1 => writeln!(text, "1 more requested pair has fewer links than required"),
            unmet => {
                writeln!(text, "{} more requested pairs have fewer links than required", grouped(unmet))
            }
        };
        let _ = match self.unreachable {
            0 => writeln!(text, "all working nodes reach each other"),
            1 => writeln!(text, "1 pair of working nodes cannot reach each other"),
            pairs => writeln!(text, "{} pairs of working nodes cannot reach each other", grouped(pairs)),
        };
        text
    }
}

/// Effect of failures, and the worst parts to fail next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FaultReport {
    /// Failed parts by name, such as `sw03 node007 node005.nic1`; empty without faults.
    pub dead: String,
    /// Numbers of pairs that lose paths.
    pub damage: Damage,
    /// The first requested pairs that lose paths, ascending.
    pub pairs: Vec<LostPair>,
    /// The worst switch to fail next, with the effect.
    pub worst_switch: Option<String>,
    /// The worst node to fail next, with the effect.
    pub worst_pe: Option<String>,
}

/// A requested pair that loses paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LostPair {
    /// The lower node.
    pub a: u32,
    /// The higher node.
    pub b: u32,
    /// Shared switches without the faults.
    pub had: u32,
    /// Shared switches with the faults.
    pub has: u32,
    /// Remaining route, such as `over sw05`, `through node012` or `no route`.
    pub instead: String,
}

/// Reports on the faults of `through`, with up to `most` requested pairs that lose paths. `singles` belongs to the same design
/// and faults.
pub fn fault_report(
    demand: &Demand,
    (design, names): (&Design, &Names),
    through: &ThroughRoutes,
    singles: &Singles,
    most: usize,
) -> FaultReport {
    let mut pairs = Vec::new();
    losses(demand, design, through, |loss| {
        if loss.requested.is_some() && pairs.len() < most {
            let (a, b) = loss.pair;
            let instead = instead(names, through, loss);
            pairs.push(LostPair { a, b, had: loss.had, has: loss.has, instead });
        }
    });
    FaultReport {
        dead: through.working().faults().words(|part| names.word(part)),
        damage: damage(demand, design, through),
        pairs,
        worst_switch: singles.switches.first().map(|single| single.words(names)),
        worst_pe: singles.pes.first().map(|single| single.words(names)),
    }
}

fn instead(names: &Names, through: &ThroughRoutes, loss: Loss) -> String {
    let (a, b) = loss.pair;
    match loss.left {
        RemainingRoute::Fewer => {
            let switches = through.working().paths(a, b).map(|path| names.switch(path.switch));
            format!("over {}", switches.collect::<Vec<_>>().join(" "))
        }
        RemainingRoute::Through => {
            let path = through.path(a, b).unwrap_or_default();
            let inner = path.iter().skip(1).take(path.len().saturating_sub(2));
            format!("through {}", inner.map(|&pe| names.pe(pe)).collect::<Vec<_>>().join(" "))
        }
        RemainingRoute::Nothing => "no route".into(),
        RemainingRoute::Dead => "a failed node".into(),
    }
}

impl FaultReport {
    /// Text of some lines, for a demand with `requested` pairs.
    pub fn words(&self, requested: u64) -> String {
        let mut text = String::new();
        if !self.dead.is_empty() {
            let _ = writeln!(text, "failed: {}", self.dead);
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
        for (part, words) in [("switch", &self.worst_switch), ("node", &self.worst_pe)] {
            if let Some(words) = words {
                let _ = writeln!(text, "worst {part} to fail{next}: {words}");
            }
        }
        text
    }
}

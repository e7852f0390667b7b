//! What faults take, told to people: at the command line, in the studio and in exports alike.

use super::{Damage, Left, Loss, Singles, Through, damage, losses};
use crate::{
    demand::Demand,
    design::{Design, Names},
    text::grouped,
};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

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

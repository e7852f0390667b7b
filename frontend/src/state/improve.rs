//! Improvements of a design in steps: what to try next, and the difference in words.

use super::{
    board::money,
    words::{count, grouped},
};
use shared::estimate::duration;

/// Smallest difference of prices that is shown.
const CENT: f64 = 0.005;

/// The aim of an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Fewer switches of the only model.
    Fewer,
    /// A second shared switch for each requested pair.
    Survive,
    /// A shorter training step on the same hardware.
    Faster,
}

/// Numbers of switches to try: halves of what is left while a try takes milliseconds, then one fewer at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descent {
    /// Proven least number.
    bound: u32,
    /// Number of the best design so far.
    best: u32,
    /// The least number that a short try may still reach.
    low: u32,
    /// `true` if one fewer was tried for longer, without success.
    is_over: bool,
    /// `true` without long tries.
    is_short: bool,
}

impl Descent {
    /// From a design with this many switches.
    pub fn from(best: u32, bound: u32) -> Descent {
        Descent { bound, best, low: bound, is_over: false, is_short: false }
    }

    /// Leaves out long tries.
    #[must_use]
    pub fn short(self) -> Descent {
        Descent { is_short: true, ..self }
    }

    /// The next number, and `true` if the try may be long; `None` at the end.
    pub fn next(self) -> Option<(u32, bool)> {
        match self {
            _ if self.is_over || self.best <= self.bound => None,
            _ if self.low < self.best => Some((self.low + (self.best - self.low - 1) / 2, false)),
            _ if self.is_short => None,
            _ => Some((self.best - 1, true)),
        }
    }

    /// Takes the outcome of the number tried: the switches of the design found, if any.
    pub fn tried(&mut self, found: Option<u32>) {
        let Some((number, long)) = self.next() else { return };
        match found {
            Some(used) => self.best = used.min(number),
            None if long => self.is_over = true,
            None => self.low = number + 1,
        }
    }

    /// `true` if no design has fewer switches.
    pub fn is_optimal(self) -> bool {
        self.best <= self.bound
    }
}

/// The figures of a design that an improvement changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Most NICs of a node.
    pub nics: u32,
    /// Switches in use.
    pub switches: u32,
    /// Switches that the spec allows; `None` without a limit.
    pub limit: Option<u32>,
    /// NICs without a cable.
    pub bare: u64,
    /// Complete price, if every part has one.
    pub price: Option<f64>,
    /// Seconds of a training step, if the spec has a job.
    pub step: Option<f64>,
}

/// The difference of two designs, such as `17 → 15 switches, price −190`; `None` if nothing differs.
pub fn difference(before: Figures, after: Figures) -> Option<String> {
    let mut parts = Vec::new();
    if before.nics != after.nics {
        parts.push(format!("{} → {} NICs per node", before.nics, after.nics));
    }
    if before.switches != after.switches {
        parts.push(format!(
            "{} → {}",
            grouped(before.switches.into()),
            count(after.switches.into(), "switch")
        ));
    }
    if before.limit != after.limit {
        parts.push(match after.limit {
            Some(most) => format!("max count {}", grouped(most.into())),
            None => "no max count".into(),
        });
    }
    if before.bare != after.bare {
        parts.push(format!("{} without a cable", count(after.bare, "NIC")));
    }
    if let Some((one, two)) =
        before.step.zip(after.step).filter(|(one, two)| duration(*one) != duration(*two))
    {
        parts.push(format!("step {} → {}", duration(one), duration(two)));
    }
    if let Some((one, two)) = before.price.zip(after.price).filter(|(one, two)| (one - two).abs() > CENT) {
        let sign = if two > one { "+" } else { "−" };
        parts.push(format!("price {sign}{}", money((two - one).abs())));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a descent whose short tries reach `short` and whose long ones `long`. Returns the best number and the tries.
    fn descend(from: u32, bound: u32, short: u32, long: u32) -> (u32, Vec<(u32, bool)>) {
        let (mut descent, mut tries) = (Descent::from(from, bound), Vec::new());
        assert_eq!(descent.short().next().is_some(), from > bound);
        while let Some((number, is_long)) = descent.next() {
            tries.push((number, is_long));
            descent.tried((number >= if is_long { long } else { short }).then_some(number));
        }
        (descent.best, tries)
    }

    #[test]
    fn a_descent_halves_then_steps() {
        assert_eq!(descend(17, 12, 15, 15), (15, vec![(14, false), (15, false), (14, true)]));
        assert_eq!(descend(17, 12, 15, 13).0, 13);
        assert_eq!(descend(17, 12, 12, 12).0, 12, "ends at the bound");
        assert_eq!(descend(17, 17, 0, 0), (17, vec![]));
        assert!(descend(1000, 10, 400, 400).1.len() < 13);
    }

    #[test]
    fn a_design_found_may_use_fewer_than_allowed() {
        let mut descent = Descent::from(17, 10);
        descent.tried(Some(11));
        assert_eq!(descent.next(), Some((10, false)));
        descent.tried(Some(10));
        assert!(descent.is_optimal() && descent.next().is_none());
    }

    #[test]
    fn differences_name_what_differs() {
        let before =
            Figures { nics: 3, switches: 17, limit: None, bare: 0, price: Some(5200.0), step: Some(14.77) };
        let words = |after| difference(before, after);
        assert_eq!(words(before), None);
        let fewer = Figures { switches: 15, limit: Some(15), bare: 1, price: Some(5010.0), ..before };
        let fewer_words = "17 → 15 switches, max count 15, 1 NIC without a cable, price −190";
        assert_eq!(words(fewer).as_deref(), Some(fewer_words));
        let back = "15 → 17 switches, no max count, 0 NICs without a cable, price +190";
        assert_eq!(difference(fewer, before).as_deref(), Some(back));
        let more = Figures { nics: 4, ..before };
        assert_eq!(words(more).as_deref(), Some("3 → 4 NICs per node"));
        let dearer = Figures { price: Some(6200.5), step: Some(12.11), ..before };
        assert_eq!(words(dearer).as_deref(), Some("step 14.77 s → 12.11 s, price +1,000.50"));
        let cents = Figures { price: Some(5390.996), ..before };
        assert_eq!(words(cents).as_deref(), Some("price +191.00"));
        assert_eq!(words(Figures { price: None, ..before }), None, "an unknown price is no difference");
    }
}

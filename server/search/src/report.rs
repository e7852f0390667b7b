//! From what the islands tell to the [`Progress`] that people see: nothing in it is invented or smoothed.

use crate::ledger::{Score, Stage, Tally};
use shared::search::Progress;

/// How an island's population stands.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// Uncovered pairs of each wiring.
    pub counts: Vec<u64>,
    /// How unlike the wirings are, 0 to 1.
    pub diversity: f64,
}

/// What is known about the whole search besides its islands.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Requested pairs.
    pub requested: u64,
    /// How good the best wiring is that has been shown, if any has been.
    pub best: Option<Score>,
    /// How many better wirings have been shown.
    pub revision: u64,
    /// Seconds since the search began.
    pub elapsed: f64,
}

/// The progress of a search. Generations are those of the furthest island; counts are sums; the median is over all
/// populations together (the best count while there are none); diversity is the mean over islands.
pub fn progress(standing: &Standing, tallies: &[Tally], censuses: &[Census]) -> Progress {
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let (moves, individuals) = (sum(|t| t.moves), sum(|t| t.individuals));
    let rate = |count: u64| if standing.elapsed > 0.0 { count as f64 / standing.elapsed } else { 0.0 };
    let mut counts: Vec<u64> = censuses.iter().flat_map(|c| c.counts.iter().copied()).collect();
    counts.sort_unstable();
    let settled = censuses.iter().filter(|c| !c.counts.is_empty()).count();
    let requested = standing.requested.max(1) as f64;
    // What an island has found may not have been shown yet; where an island goes on from a checkpoint it is the other way round.
    let best = tallies.iter().filter_map(|tally| tally.best).chain(standing.best).min();
    let best = best.map_or(standing.requested, |score| score.uncovered);
    Progress {
        trying: trying(tallies),
        generation: tallies.iter().map(|t| t.generation).max().unwrap_or(0),
        best,
        median: counts.get(counts.len() / 2).copied().unwrap_or(best),
        diversity: censuses.iter().map(|c| c.diversity).sum::<f64>() / settled.max(1) as f64,
        covered: if standing.requested == 0 { 1.0 } else { 1.0 - best as f64 / requested },
        individuals,
        individuals_per_second: rate(individuals),
        moves,
        moves_per_second: rate(moves),
        elapsed: standing.elapsed,
        revision: standing.revision,
        restarts: sum(|t| t.restarts),
        islands: tallies.iter().map(|t| t.best.map_or(standing.requested, |score| score.uncovered)).collect(),
    }
}

/// What the islands are doing, in words: each thing once, in island order. Reading and waiting are told only where no
/// island does more than that.
fn trying(tallies: &[Tally]) -> String {
    let works = |tally: &&Tally| !matches!(tally.stage, Stage::Reading | Stage::Waiting);
    let mut shown: Vec<&Tally> = tallies.iter().filter(works).collect();
    if shown.is_empty() {
        shown = tallies.iter().collect();
    }
    let mut words: Vec<String> = Vec::new();
    let mut named: Vec<Stage> = Vec::new();
    for tally in shown {
        if !named.contains(&kind(tally.stage)) {
            named.push(kind(tally.stage));
            words.push(describe(tally));
        }
    }
    words.join("; ")
}

/// A stage without what differs from island to island.
fn kind(stage: Stage) -> Stage {
    if let Stage::Tournament(_) = stage { Stage::Tournament(0) } else { stage }
}

fn describe(tally: &Tally) -> String {
    let what = match tally.stage {
        Stage::Reading => "reading the demand".into(),
        Stage::Fill => "filling switches in order".into(),
        Stage::Scaled(ports) => format!("a scaled-down design with {ports}-port switches"),
        Stage::Greedy => "greedy design, ties to the lowest PE".into(),
        Stage::GreedyByDna => "greedy design by DNA".into(),
        Stage::Repair => "repair of a first design".into(),
        Stage::Crossover => "repair of a crossover".into(),
        Stage::Mutation => "repair of a mutant".into(),
        Stage::Tournament(temperature) => {
            format!("repair at temperature {}.{:03}", temperature / 1000, temperature % 1000)
        }
        Stage::Wishes => "granting wishes".into(),
        Stage::Renumbering => "renumbering".into(),
        Stage::Waiting => "waiting for other islands".into(),
    };
    match (tally.done * 100).checked_div(tally.of) {
        Some(percent) => format!("{what}, {} %", percent.min(100)),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stages: &[Stage]) -> String {
        let tallies: Vec<Tally> = stages.iter().map(|&stage| Tally { stage, ..Tally::default() }).collect();
        trying(&tallies)
    }

    #[test]
    fn idle_islands_are_not_told_of_while_others_work() {
        assert_eq!(told(&[Stage::Reading, Stage::Reading]), "reading the demand");
        assert_eq!(told(&[Stage::Reading, Stage::Fill]), "filling switches in order");
        assert_eq!(told(&[Stage::Waiting, Stage::Mutation, Stage::Mutation]), "repair of a mutant");
        assert_eq!(told(&[Stage::Waiting]), "waiting for other islands");
        assert_eq!(
            told(&[Stage::Repair, Stage::Crossover]),
            "repair of a first design; repair of a crossover"
        );
    }
}

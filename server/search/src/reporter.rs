//! The calling thread during a search: runs islands, shows progress and better wirings, collects checkpoints.

use crate::{
    checkpoint::{Checkpoint, seal},
    islands::{
        IslandEnd, IslandFn, LocalCoordinator, PopulationReport, ScoredItem, Settings, lock, run_island,
    },
    ledger::{Elite, Ledger, Score, Stage, Tally, Times},
    wiring::Genome,
};
use spec::{
    cancel::{Token, scope},
    design::Design,
};
use std::{
    sync::{
        atomic::Ordering::SeqCst,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, Scope},
    time::Instant,
};
use work::search::{Observer, Progress, StepTime, Weights};

/// Result of all islands.
pub struct Ending {
    /// The best wiring, if any was made.
    pub best: Option<Elite>,
    /// The last progress.
    pub progress: Progress,
    /// Cost of a wiring that covers nothing, where costs are weights; else 0.
    pub most: u64,
    /// Number of islands that panicked.
    pub crashed: u32,
}

/// Turns the switch of every NI into a design; `None` for a wiring that no table describes, which is not shown.
pub type Translate<'a> = &'a (dyn Fn(&[u32]) -> Option<Design> + Sync);

/// Runs `island_fn` on `settings.limits.len()` threads. Does not show the final best wiring to the observer.
pub fn run(
    settings: &Settings,
    observer: &mut dyn Observer,
    translate: Translate,
    island_fn: IslandFn,
) -> Ending {
    let coordinator = LocalCoordinator::new(settings, observer.keeps_checkpoints());
    let (done, finished) = channel();
    settings.limit.watch(|stop| {
        thread::scope(|threads| {
            for (number, &limit) in settings.limits.iter().enumerate() {
                let (coordinator, done) = (&coordinator, done.clone());
                let saved = settings.resumed.as_ref().map(|resumed| &*resumed.islands[number]);
                threads.spawn(move || {
                    let island = |ledger: &mut Ledger| island_fn(number as u32, saved, ledger);
                    let _ = done.send(run_island(coordinator, number as u32, limit, stop, island));
                });
            }
            drop(done);
            let builder = DesignBuilder::begin(threads, stop, translate);
            let mut reporter = Reporter::new(&coordinator, observer, settings);
            let ends = reporter.run(&finished, builder);
            let crashed = ends.iter().filter(|end| end.crashed).count() as u32;
            let (progress, most) = (reporter.report(), reporter.most());
            Ending { best: winner(ends), progress, most, crashed }
        })
    })
}

fn winner(mut ends: Vec<IslandEnd>) -> Option<Elite> {
    ends.retain(|end| end.best.is_some());
    ends.sort_by_key(|IslandEnd { number, solved, best, .. }| {
        (solved.unwrap_or(u64::MAX), best.as_ref().map_or(Score::NONE, |e| e.score), *number)
    });
    ends.into_iter().next().and_then(|end| end.best)
}

struct Reporter<'a, 'o> {
    coordinator: &'a LocalCoordinator<'a>,
    observer: &'o mut dyn Observer,
    settings: &'a Settings<'a>,
    best: Option<Score>,
    revision: u64,
    collecting: bool,
}

impl<'a, 'o> Reporter<'a, 'o> {
    pub fn new(
        coordinator: &'a LocalCoordinator<'a>,
        observer: &'o mut dyn Observer,
        settings: &'a Settings<'a>,
    ) -> Self {
        let (best, revision) = settings.resumed.as_ref().map_or((None, 0), |resumed| resumed.shown);
        Reporter { coordinator, observer, settings, best, revision, collecting: false }
    }

    pub fn run(&mut self, finished: &Receiver<IslandEnd>, mut builder: DesignBuilder) -> Vec<IslandEnd> {
        let mut ends = Vec::new();
        self.report();
        let tick = self.settings.tick;
        let mut next = Instant::now() + tick;
        while ends.len() < self.settings.limits.len() {
            match finished.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(end) => ends.push(end),
                Err(RecvTimeoutError::Timeout) => {
                    self.forward_designs(&mut builder);
                    self.collect_checkpoint();
                    self.report();
                    next = Instant::now() + tick;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        ends
    }

    /// Shows a finished design, and passes the next wiring to the builder.
    fn forward_designs(&mut self, builder: &mut DesignBuilder) {
        if let Some((score, design)) = builder.finished() {
            self.best = Some(score);
            self.revision += 1;
            self.observer.better(&design, score.uncovered);
        }
        if !builder.is_free() {
            return;
        }
        if let Some((score, genome)) = lock(&self.coordinator.fresh).take() {
            self.coordinator.shown.store(score.key(), SeqCst);
            builder.start((score, genome));
        }
        self.coordinator.ready.store(true, SeqCst);
    }

    /// Requests the states of all islands, and hands them over once complete. States are at most one exchange old.
    fn collect_checkpoint(&mut self) {
        let slots = &self.coordinator.slots;
        if !self.collecting {
            if !self.coordinator.keeps_checkpoints || !self.observer.wants_checkpoint() {
                return;
            }
            slots.iter().for_each(|slot| slot.wanted.store(true, SeqCst));
            self.collecting = true;
            return;
        }
        // While this is locked no island returns from an exchange, so contributions fit the states.
        let exchange = lock(&self.coordinator.exchange);
        let rests = |island: usize| slots[island].last.load(SeqCst) || exchange.waiting[island];
        if (0..slots.len()).any(|island| slots[island].wanted.load(SeqCst) && !rests(island)) {
            return;
        }
        let states: Option<Vec<Vec<u8>>> = slots.iter().map(|slot| lock(&slot.state).clone()).collect();
        let Some(islands) = states else { return };
        self.collecting = false;
        let resumed = Checkpoint {
            fingerprint: self.settings.fingerprint,
            elapsed: self.elapsed(),
            shown: (self.best, self.revision),
            islands,
            migrations: exchange.migrations.clone(),
        };
        drop(exchange);
        if let Some(bytes) = seal(&resumed) {
            self.observer.checkpoint(bytes);
        }
    }

    /// Reports the progress: generations of the furthest island, sums of counts, the median over all populations (the best
    /// count without any), and the mean diversity of islands.
    pub fn report(&mut self) -> Progress {
        let tallies: Vec<Tally> = self.coordinator.tallies.iter().map(|t| *lock(t)).collect();
        let populations: Vec<PopulationReport> =
            self.coordinator.populations.iter().map(|c| lock(c).clone()).collect();
        let (elapsed, requested) = (self.elapsed(), self.settings.requested);
        let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
        let (moves, individuals) = (sum(|t| t.moves), sum(|t| t.individuals));
        let rate = |count: u64| if elapsed > 0.0 { count as f64 / elapsed } else { 0.0 };
        let scores = || populations.iter().flat_map(|c| &c.scores);
        let mut counts: Vec<u64> = scores().map(|score| score.uncovered).collect();
        counts.sort_unstable();
        let settled = populations.iter().filter(|c| !c.scores.is_empty()).count();
        // A new best may not be shown yet. After a resume, the best shown may be better than all.
        let best = tallies.iter().filter_map(|tally| tally.best).chain(self.best).min();
        let costs = scores().map(|score| score.cost).collect();
        let weight = (self.most() > 0).then(|| self.weights(&tallies, best, costs));
        let best = best.map_or(requested, |score| score.uncovered);
        let progress = Progress {
            trying: trying(&tallies),
            generation: tallies.iter().map(|t| t.generation).max().unwrap_or(0),
            best,
            median: counts.get(counts.len() / 2).copied().unwrap_or(best),
            diversity: populations.iter().map(|c| c.diversity).sum::<f64>() / settled.max(1) as f64,
            covered: if requested == 0 { 1.0 } else { 1.0 - best as f64 / requested as f64 },
            individuals,
            individuals_per_second: rate(individuals),
            moves,
            moves_per_second: rate(moves),
            elapsed,
            revision: self.revision,
            restarts: sum(|t| t.restarts),
            islands: tallies.iter().map(|t| t.best.map_or(requested, |score| score.uncovered)).collect(),
            weight,
            time: tallies.iter().filter_map(|tally| tally.time).min().map(of_nanoseconds),
        };
        self.observer.progress(&progress);
        progress
    }

    /// Cost of a wiring that covers nothing; 0 before the demand is read, or if costs are not weights.
    fn most(&self) -> u64 {
        self.coordinator.tallies.iter().map(|tally| lock(tally).most).max().unwrap_or(0)
    }

    fn weights(&self, tallies: &[Tally], best: Option<Score>, mut costs: Vec<u64>) -> Weights {
        let most = self.most();
        let share_of = |score: Option<Score>| score.map_or(0.0, |score| share(score.cost, most));
        costs.sort_unstable();
        Weights {
            best: share_of(best),
            shown: share_of(self.best),
            median: costs.get(costs.len() / 2).map_or(share_of(best), |&cost| share(cost, most)),
            islands: tallies.iter().map(|tally| share_of(tally.best)).collect(),
        }
    }

    fn elapsed(&self) -> f64 {
        self.coordinator.elapsed_before + self.coordinator.began.elapsed().as_secs_f64()
    }
}

/// Times for people.
fn of_nanoseconds(times: Times) -> StepTime {
    let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
    StepTime {
        best: seconds(times.step),
        communication: seconds(times.communication),
        bound: seconds(times.bound),
    }
}

/// Share of the weight that a wiring of this cost covers, if one that covers nothing costs `most`.
pub fn share(cost: u64, most: u64) -> f64 {
    (1.0 - cost as f64 / most.max(1) as f64).max(0.0)
}

/// Pause after building a design, in multiples of the time that it took.
const REST: u32 = 4;

/// Builds designs on its own thread: with a million PEs, this would delay reports.
struct DesignBuilder {
    inbox: Sender<ScoredItem<Genome>>,
    outbox: Receiver<ScoredItem<Option<Design>>>,
    busy_since: Option<Instant>,
    rests_until: Option<Instant>,
}

impl DesignBuilder {
    pub fn begin<'scope>(
        threads: &'scope Scope<'scope, '_>,
        stop: &'scope Token,
        translate: Translate<'scope>,
    ) -> Self {
        let (inbox, wirings) = channel::<ScoredItem<Genome>>();
        let (designs, outbox) = channel();
        threads.spawn(move || {
            for (score, genome) in wirings {
                let Ok(design) = scope(stop, || translate(&genome)) else { return };
                if designs.send((score, design)).is_err() {
                    return;
                }
            }
        });
        DesignBuilder { inbox, outbox, busy_since: None, rests_until: None }
    }

    pub fn finished(&mut self) -> Option<ScoredItem<Design>> {
        let (score, design) = self.outbox.try_recv().ok()?;
        if let Some(began) = self.busy_since.take() {
            self.rests_until = Some(Instant::now() + began.elapsed() * REST);
        }
        Some((score, design?))
    }

    pub fn is_free(&self) -> bool {
        self.busy_since.is_none() && self.rests_until.is_none_or(|until| Instant::now() >= until)
    }

    pub fn start(&mut self, scored: ScoredItem<Genome>) {
        self.busy_since = self.inbox.send(scored).is_ok().then(Instant::now);
    }
}

/// Activities of the islands, each once. Reading and waiting appear only if no island does anything else.
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

/// A stage without its parameter.
fn kind(stage: Stage) -> Stage {
    if let Stage::Annealing(_) = stage { Stage::Annealing(0) } else { stage }
}

fn describe(tally: &Tally) -> String {
    let what = match tally.stage {
        Stage::Reading => "reading the demand".into(),
        Stage::Scaled(ports) => format!("scaled-down design with {ports} ports per switch"),
        Stage::Greedy => "greedy design, ties to the lowest node number".into(),
        Stage::GreedyByDna => "greedy design, ties by DNA".into(),
        Stage::Repair => "repairing a first design".into(),
        Stage::Annealing(temperature) => {
            format!("annealing at temperature {}.{:03}", temperature / 1000, temperature % 1000)
        }
        Stage::Renumbering => "renumbering nodes".into(),
        Stage::Rectangles => "rectangles of nodes, one per switch".into(),
        Stage::Time => "annealing for time".into(),
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
    use crate::limit::Limit;
    use std::time::Duration;

    struct Quiet;

    impl Observer for Quiet {
        fn progress(&mut self, _: &Progress) {}

        fn better(&mut self, _: &Design, _: u64) {}
    }

    /// Runs islands that each have a wiring with as many uncovered pairs as their number.
    fn run_islands(count: usize, crashes: impl Fn(u32) -> bool + Sync) -> Ending {
        let settings = Settings {
            limits: &vec![u64::MAX; count],
            limit: Limit::NONE,
            began: Instant::now(),
            requested: 9,
            tick: Duration::from_millis(1),
            fingerprint: 0,
            resumed: None,
        };
        let island = |number: u32, _: Option<&[u8]>, ledger: &mut Ledger| {
            ledger.consider(Score::uncovered(u64::from(number) + 1), &[number], "by hand");
            for epoch in 0..3 {
                assert!(epoch == 0 || !crashes(number), "an injected crash");
                ledger.exchange(epoch);
            }
        };
        run(&settings, &mut Quiet, &|_| Some(Design::from_switches(1, [])), &island)
    }

    #[test]
    fn an_island_that_panics_ends_alone() {
        let ending = run_islands(3, |number| number == 1);
        assert_eq!((ending.crashed, ending.best.map(|best| best.genome)), (1, Some(vec![0])));
        let ending = run_islands(3, |number| number == 0);
        assert_eq!(ending.best.map(|best| best.genome), Some(vec![0]), "its best wiring counts");
        let ending = run_islands(2, |_| true);
        assert_eq!((ending.crashed, ending.best.map(|best| best.genome)), (2, Some(vec![0])));
    }

    fn shown(stages: &[Stage]) -> String {
        let tallies: Vec<Tally> = stages.iter().map(|&stage| Tally { stage, ..Tally::default() }).collect();
        trying(&tallies)
    }

    #[test]
    fn idle_islands_are_not_shown_while_others_work() {
        assert_eq!(shown(&[Stage::Reading, Stage::Reading]), "reading the demand");
        assert_eq!(shown(&[Stage::Reading, Stage::Renumbering]), "renumbering nodes");
        assert_eq!(shown(&[Stage::Waiting, Stage::Repair, Stage::Repair]), "repairing a first design");
        assert_eq!(shown(&[Stage::Waiting]), "waiting for other islands");
        assert_eq!(
            shown(&[Stage::Repair, Stage::GreedyByDna]),
            "repairing a first design; greedy design, ties by DNA"
        );
    }
}

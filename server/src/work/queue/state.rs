//! State of a queue: which job starts next, which ones pause, and how long the others wait. Knows no thread and no store.

use super::QueueJob;
use crate::tasks::{Owner, share};
use shared::api::QueueView;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// Time after which no other search passes a waiting one that does not fit.
const PATIENCE: Duration = Duration::from_secs(60);

/// Max clients whose turns are remembered while they have no queued jobs.
const MAX_TURNS: usize = 1000;

/// Jobs of a queue.
pub struct State<J> {
    /// Queued and running jobs, and ended ones that could not be saved. Other ended ones are in the store.
    pub live: HashMap<String, Arc<J>>,
    /// Queued jobs, oldest first.
    pub waiting: Vec<WaitingJob<J>>,
    pub running: Vec<RunningJob<J>>,
    /// Owners of jobs that are being stored, each with a place.
    pub reserved: Vec<Owner>,
    /// Each client's turn: the number of its last start. The lowest is next.
    turns: HashMap<Owner, u64>,
    /// Turn of clients that had no jobs lately: the one that was next before the last start.
    turn: u64,
    pub shutting_down: bool,
    has_shares: bool,
}

/// A job that waits.
pub struct WaitingJob<J> {
    pub job: Arc<J>,
    pub since: Instant,
}

/// A job that runs.
pub struct RunningJob<J> {
    pub job: Arc<J>,
    threads: u32,
    pub since: Instant,
}

impl<J: QueueJob> State<J> {
    /// Without jobs. With `has_shares`, a client may have a share of the threads only.
    pub fn new(has_shares: bool) -> State<J> {
        State {
            live: HashMap::new(),
            waiting: Vec::new(),
            running: Vec::new(),
            reserved: Vec::new(),
            turns: HashMap::new(),
            turn: 0,
            shutting_down: false,
            has_shares,
        }
    }

    /// Queues a job.
    pub fn push(&mut self, job: Arc<J>) {
        if !self.waiting.iter().any(|waiting| waiting.job.owner() == job.owner()) {
            let turn = self.turns.entry(job.owner().clone()).or_default();
            *turn = self.turn.max(*turn);
        }
        self.live.insert(job.id().to_owned(), job.clone());
        self.waiting.push(WaitingJob { job, since: Instant::now() });
    }

    /// Positions of the waiting jobs in the order of their turns, each with the number of older ones of its client.
    pub fn order(&self) -> Vec<(usize, usize)> {
        let mut older: HashMap<&Owner, usize> = HashMap::new();
        let turns = self.waiting.iter().enumerate().map(|(at, waiting)| {
            let owner = waiting.job.owner();
            let rank = older.entry(owner).and_modify(|older| *older += 1).or_default();
            (*rank, self.turns.get(owner), at)
        });
        let mut turns: Vec<_> = turns.collect();
        turns.sort_unstable();
        turns.into_iter().map(|(rank, _, at)| (at, rank)).collect()
    }

    fn free(&self, cores: u32) -> u32 {
        cores.saturating_sub(self.running.iter().map(|running| running.threads).sum())
    }

    /// The waiting job that starts now, if one does, as in [`order`](State::order).
    fn next(&self, cores: u32) -> Option<(usize, usize)> {
        let free = self.free(cores);
        for (at, rank) in self.order().into_iter().take_while(|_| free > 0) {
            let WaitingJob { job, since } = &self.waiting[at];
            if self.has_shares && !self.has_share(job.owner(), cores) {
                continue;
            }
            if threads(&**job, cores) <= free {
                return Some((at, rank));
            }
            // Threads that become free by a pause are for the search that waits for them.
            let pauses = || self.running.iter().any(|running| running.job.control().is_paused());
            if since.elapsed() >= PATIENCE || pauses() {
                return None;
            }
        }
        None
    }

    /// `true` if a client may have one more thread: up to half of those that others leave.
    fn has_share(&self, owner: &Owner, cores: u32) -> bool {
        let threads = |own: bool| {
            let of = self.running.iter().filter(|running| (running.job.owner() == owner) == own);
            of.map(|running| running.threads as usize).sum::<usize>()
        };
        threads(true) < share(cores as usize, threads(false))
    }

    /// Moves the next job to the running ones.
    pub fn start(&mut self, cores: u32) -> Option<Arc<J>> {
        let (at, rank) = self.next(cores)?;
        let job = self.waiting.remove(at).job;
        // A job that passes an older one of its client leaves it its turn.
        if rank == 0 {
            self.turn = self.take_turn(job.owner());
        }
        if self.turns.len() > MAX_TURNS {
            let waits = |owner: &Owner| self.waiting.iter().any(|waiting| waiting.job.owner() == owner);
            self.turns.retain(|owner, turn| *turn > self.turn || waits(owner));
        }
        self.running.push(RunningJob {
            job: job.clone(),
            threads: threads(&*job, cores),
            since: Instant::now(),
        });
        job.set_place(None);
        Some(job)
    }

    /// Moves a paused job to the end of the queue. Its slice was its client's turn.
    pub fn requeue(&mut self, job: &J) {
        let at = self.running.iter().position(|running| running.job.id() == job.id());
        let Some(RunningJob { job, .. }) = at.map(|at| self.running.swap_remove(at)) else { return };
        self.take_turn(job.owner());
        self.push(job);
    }

    fn take_turn(&mut self, owner: &Owner) -> u64 {
        let last = self.turns.values().max().map_or(1, |last| last + 1);
        self.turns.insert(owner.clone(), last).unwrap_or(0)
    }

    /// Decides which running jobs pause after their slice. A waiting job without free threads gets them from clients that
    /// use more threads than its own client.
    pub fn plan_pauses(&self, cores: u32, slice: Duration) {
        let mut free = self.free(cores);
        let mut held: HashMap<&Owner, u32> = HashMap::new();
        for RunningJob { job, threads, .. } in &self.running {
            *held.entry(job.owner()).or_default() += threads;
        }
        let mut left: Vec<&RunningJob<J>> = self.running.iter().collect();
        left.sort_by_key(|running| running.since);
        for running in &left {
            running.job.control().requests().pause_at = None;
        }
        left.retain(|running| !running.job.control().requests().cannot_pause);
        for (at, _) in self.order() {
            let job = &*self.waiting[at].job;
            let (needs, owner) = (threads(job, cores), job.owner());
            let (mut gained, mut then, mut chosen) = (free, held.clone(), Vec::new());
            for running in &left {
                let others = running.job.owner();
                let (theirs, own) = (then[others], then.get(owner).copied().unwrap_or(0));
                if gained < needs && others != owner && theirs > own {
                    gained += running.threads;
                    then.insert(others, theirs - running.threads);
                    chosen.push(*running);
                }
            }
            if gained < needs {
                continue;
            }
            // All at the same time, so that no thread is idle in between.
            if let Some(last) = chosen.last() {
                let at = last.since + slice;
                for running in &chosen {
                    running.job.control().requests().pause_at = Some(at);
                }
            }
            left.retain(|running| !chosen.iter().any(|chosen| std::ptr::eq(*chosen, *running)));
            *then.entry(owner).or_default() += needs;
            (free, held) = (gained - needs, then);
        }
    }

    /// Shows each waiting job its place, and the expected wait if the ends of all jobs before it are known.
    pub fn show_places(&self, cores: u32) {
        let mut free = self.free(cores);
        let now = Instant::now();
        let mut ends: Vec<(f64, u32)> = Vec::new();
        for RunningJob { job, threads, .. } in &self.running {
            let pause = job.control().requests().pause_at.map(|at| at.saturating_duration_since(now));
            let pause = pause.map_or(f64::INFINITY, |pause| pause.as_secs_f64());
            ends.push((job.seconds_left().unwrap_or(f64::INFINITY).min(pause), *threads));
        }
        let mut start = 0.0;
        for (ahead, (at, rank)) in (0..).zip(self.order()) {
            let job = &*self.waiting[at].job;
            if self.has_shares {
                let seconds = self.wait_for_share(job.owner(), rank, ahead as usize).map(rounded);
                job.set_place(Some(QueueView { ahead, seconds }));
                continue;
            }
            let needs = threads(job, cores);
            ends.sort_by(|a, b| b.0.total_cmp(&a.0));
            while free < needs
                && let Some((end, threads)) = ends.pop()
            {
                (free, start) = (free + threads, end.max(start));
            }
            free = free.saturating_sub(needs);
            ends.push((start + job.seconds_left().unwrap_or(f64::INFINITY), needs));
            let seconds = start.is_finite().then(|| rounded(start));
            job.set_place(Some(QueueView { ahead, seconds }));
        }
    }

    /// Expected seconds until a client's waiting job starts, if an end of a running one lets it: of its own, or of any if it has none.
    /// `rank` older ones of the client wait, and `ahead` of all.
    fn wait_for_share(&self, owner: &Owner, rank: usize, ahead: usize) -> Option<f64> {
        let ends = |own: bool| {
            let running = self.running.iter().filter(move |running| !own || running.job.owner() == owner);
            let mut ends: Vec<f64> =
                running.map(|running| running.job.seconds_left().unwrap_or(f64::INFINITY)).collect();
            ends.sort_by(f64::total_cmp);
            ends
        };
        let own = ends(true);
        let end = if own.is_empty() { ends(false).get(ahead).copied() } else { own.get(rank).copied() };
        end.filter(|end| end.is_finite())
    }
}

/// Seconds in steps of 1, 5 or 60, so that watchers do not get each change.
fn rounded(seconds: f64) -> f64 {
    let step = match seconds {
        s if s < 10.0 => 1.0,
        s if s < 300.0 => 5.0,
        _ => 60.0,
    };
    (seconds / step).ceil() * step
}

/// Threads that a job occupies: one with more threads than cores runs alone.
fn threads(job: &impl QueueJob, cores: u32) -> u32 {
    job.threads().min(cores)
}

#[cfg(test)]
mod tests {
    use super::{
        super::fake::{Fake, running},
        *,
    };
    use std::sync::mpsc::channel;

    struct Bench {
        state: State<Fake>,
        cores: u32,
    }

    impl Bench {
        fn new(cores: u32) -> Bench {
            Bench { state: State::new(false), cores }
        }

        fn advance(&mut self) {
            while self.state.start(self.cores).is_some() {}
            self.state.show_places(self.cores);
        }

        fn add(&mut self, id: &str, threads: u32) -> Arc<Fake> {
            let job = Fake::new(id, threads, channel().1, "");
            self.state.push(job.clone());
            self.advance();
            job
        }

        fn end(&mut self, id: &str) {
            self.state.running.retain(|running| running.job.id() != id);
            self.advance();
        }

        fn waited(&mut self, id: &str, time: Duration) {
            let waiting = self.state.waiting.iter_mut().find(|waiting| waiting.job.id() == id).unwrap();
            waiting.since = waiting.since.checked_sub(time).unwrap();
        }
    }

    #[test]
    fn clients_take_turns() {
        let mut bench = Bench::new(1);
        for id in ["a1", "a2", "a3", "b1", "b2", "c1"] {
            bench.add(id, 1);
        }
        for id in ["a1", "b1", "c1", "a2", "b2", "a3"] {
            assert_eq!(running(&bench.state), [id]);
            bench.end(id);
        }
    }

    #[test]
    fn small_jobs_pass_a_large_one_that_has_not_waited_long() {
        let mut bench = Bench::new(8);
        bench.add("a1", 6);
        bench.add("b1", 8);
        bench.add("c1", 1);
        bench.add("b2", 1);
        assert_eq!(running(&bench.state), ["a1", "b2", "c1"]);
        bench.end("c1");
        bench.waited("b1", PATIENCE);
        bench.add("d1", 1);
        assert_eq!(running(&bench.state), ["a1", "b2"], "nothing passes b1 any more");
        bench.end("a1");
        bench.end("b2");
        assert_eq!(running(&bench.state), ["b1"]);
        bench.end("b1");
        assert_eq!(running(&bench.state), ["d1"]);
    }

    #[test]
    fn a_client_has_a_share_of_threads_where_nothing_pauses() {
        let mut bench = Bench { state: State::new(true), cores: 4 };
        let jobs = ["a1", "a2", "a3", "b1", "b2", "c1", "d1"].map(|id| bench.add(id, 1));
        assert_eq!(running(&bench.state), ["a1", "a2", "b1", "c1"]);
        let waits =
            |id: &str| jobs.iter().find(|job| job.id == id).and_then(|job| *job.place.lock().unwrap());
        // Jobs of one thread end at an unknown time here.
        assert!(waits("a3").is_some_and(|place| place.seconds.is_none()) && waits("a1").is_none());
        bench.end("a1");
        assert_eq!(running(&bench.state), ["a2", "b1", "c1", "d1"]);
        bench.end("a2");
        assert_eq!(running(&bench.state), ["a3", "b1", "c1", "d1"]);
    }

    #[test]
    fn a_search_knows_its_place_and_its_wait() {
        let mut bench = Bench::new(4);
        let jobs: Vec<_> = [("a1", 4), ("a2", 2), ("a3", 3), ("a4", 1), ("a5", 4), ("a6", 4)]
            .map(|(id, t)| bench.add(id, t))
            .into();
        let places: Vec<_> = jobs
            .iter()
            .map(|job| job.place.lock().unwrap().map(|place| (place.ahead, place.seconds)))
            .collect();
        // a4 ends at an unknown time.
        let expected = [
            None,
            Some((0, Some(100.0))),
            Some((1, Some(200.0))),
            Some((2, Some(200.0))),
            Some((3, None)),
            Some((4, None)),
        ];
        assert_eq!(places, expected);
        bench.state.waiting.retain(|waiting| waiting.job.id() != "a2");
        bench.advance();
        assert_eq!(jobs[2].place.lock().unwrap().map(|place| place.ahead), Some(0));
    }
}

//! Islands whose epochs run elsewhere find the wiring of islands on threads.

use crate::{
    checkpoint::{HOPELESS, KNOWN, TORI, hurried, same, whole},
    random_specs::{KINDS, random_spec},
    support::{Log, request},
};
use search::{
    epoch::{Epoch, EpochEnd, EpochRunner, Epochs, Instances, Machines, PART, Watch, run, run_watched},
    options::Options,
    request::{resume, run_with},
};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};
use work::search::{Budget, EndReason, SearchRequest};

/// Machines elsewhere, which share nothing with the search but the bytes of its epochs.
struct Elsewhere {
    options: Options,
    /// Epochs run so far.
    count: AtomicU64,
    /// Each epoch of such a number is killed in the middle, and run again.
    killed: u64,
    /// Work of each epoch.
    part: u64,
    /// `true` for epochs that run in the search's own process.
    at_home: fn(u64) -> bool,
    crashes: bool,
    ends: Mutex<Vec<(Epoch, EpochEnd)>>,
}

impl Elsewhere {
    fn new(options: &Options) -> Elsewhere {
        Elsewhere {
            options: options.clone(),
            count: AtomicU64::new(0),
            killed: u64::MAX,
            part: PART,
            at_home: |_| false,
            crashes: false,
            ends: Mutex::default(),
        }
    }
}

/// A search that is open elsewhere.
struct Open<'a> {
    elsewhere: &'a Elsewhere,
    search: &'a SearchRequest,
}

impl Machines for Elsewhere {
    fn open<'a>(&'a self, search: &'a SearchRequest) -> Box<dyn Epochs + 'a> {
        Box::new(Open { elsewhere: self, search })
    }
}

impl Epochs for Open<'_> {
    fn run(&self, epoch: &Epoch, here: EpochRunner, watch: Watch) -> EpochEnd {
        let number = self.elsewhere.count.fetch_add(1, SeqCst);
        if (self.elsewhere.at_home)(number) {
            here(watch)
        } else {
            self.elsewhere.run(self.search, number, epoch, watch)
        }
    }
}

impl Elsewhere {
    fn run(&self, search: &SearchRequest, number: u64, epoch: &Epoch, watch: Watch) -> EpochEnd {
        if self.crashes && epoch.island == 1 {
            return EpochEnd::Crashed;
        }
        let instances = Instances::read(search, &self.options, &mut || true).expect("not stopped");
        if number % self.killed == self.killed - 1 {
            let kill = AtomicBool::new(false);
            let reported = |_| kill.store(true, SeqCst);
            run(&instances, &self.options, epoch, self.part, &kill, &reported);
        }
        let end = run_watched(&instances, &self.options, epoch, self.part, watch);
        self.ends.lock().unwrap().push((epoch.clone(), end.clone()));
        end
    }
}

fn assert_same_elsewhere(text: &str, effort: u64, islands: u32, prepare: impl Fn(&mut Elsewhere)) -> u64 {
    let (options, never) = (hurried(), AtomicBool::new(false));
    let ask = request(text, Budget::Effort(effort), 5, islands);
    let here = run_with(&ask, &options, &mut Log::default(), &never).expect("accepted");
    let mut elsewhere = Elsewhere::new(&options);
    prepare(&mut elsewhere);
    let there = resume(&ask, &options, None, Some(&elsewhere), &mut Log::default(), &never);
    same(&here, &there.expect("accepted"), text);
    elsewhere.count.load(SeqCst)
}

#[test]
fn a_search_elsewhere_finds_the_same_wiring() {
    let mut epochs = 0;
    for (text, effort, islands) in
        [(TORI, 3, 1), (TORI, 4, 3), (HOPELESS, 2, 2), (HOPELESS, 3, 7), (KNOWN, 1, 2)]
    {
        epochs += assert_same_elsewhere(text, effort, islands, |_| ());
    }
    assert!(epochs > 20, "{epochs} epochs");
}

#[test]
fn random_searches_elsewhere_find_the_same_wirings() {
    for seed in 0..20 {
        let text = random_spec(seed, KINDS[seed as usize % KINDS.len()]);
        assert_same_elsewhere(&text, 1, 1 + seed as u32 % 4, |_| ());
    }
}

#[test]
fn killed_epochs_change_nothing() {
    assert_same_elsewhere(TORI, 6, 3, |elsewhere| elsewhere.killed = 2);
    assert_same_elsewhere(HOPELESS, 4, 4, |elsewhere| elsewhere.killed = 1);
}

#[test]
fn epochs_run_here_and_elsewhere_in_turns() {
    let ways: [fn(u64) -> bool; 4] =
        [|_| true, |number| number > 0, |number| number < 5, |number| number % 3 == 1];
    for at_home in ways {
        assert_same_elsewhere(TORI, 3, 3, |elsewhere| elsewhere.at_home = at_home);
        assert_same_elsewhere(HOPELESS, 2, 4, |elsewhere| elsewhere.at_home = at_home);
    }
}

#[test]
fn short_epochs_change_nothing() {
    for part in [1, 50_000] {
        assert_same_elsewhere(TORI, 2, 2, |elsewhere| elsewhere.part = part);
        assert_same_elsewhere(HOPELESS, 1, 3, |elsewhere| elsewhere.part = part);
    }
}

#[test]
fn an_epoch_is_a_function() {
    let (options, never) = (hurried(), AtomicBool::new(false));
    let ask = request(HOPELESS, Budget::Effort(3), 5, 3);
    let elsewhere = Elsewhere::new(&options);
    resume(&ask, &options, None, Some(&elsewhere), &mut Log::default(), &never).expect("accepted");
    let ends = elsewhere.ends.into_inner().unwrap();
    let instances = Instances::read(&ask, &options, &mut || true).expect("not stopped");
    assert!(ends.iter().any(|(_, end)| matches!(end, EpochEnd::Next(_))));
    assert!(ends.iter().any(|(_, end)| matches!(end, EpochEnd::Last(_))));
    for (epoch, end) in ends.iter().rev().take(8) {
        assert_eq!(run(&instances, &options, epoch, PART, &never, &|_| ()), *end);
    }
    let nonsense = Epoch { state: vec![1, 2, 3], ..ends[0].0.clone() };
    assert_eq!(run(&instances, &options, &nonsense, PART, &never, &|_| ()), EpochEnd::Stopped);
}

#[test]
fn checkpoints_of_a_search_elsewhere_resume_here_and_there() {
    let (options, never) = (hurried(), AtomicBool::new(false));
    let ask = request(HOPELESS, Budget::Effort(4), 5, 3);
    let (plain, _) = whole(&ask, &options);
    let mut kept = crate::checkpoint::Keeper::all();
    let elsewhere = Elsewhere::new(&options);
    let there = resume(&ask, &options, None, Some(&elsewhere), &mut kept, &never).expect("accepted");
    same(&plain, &there, "watched");
    let checkpoints = kept.kept;
    assert!(checkpoints.len() > 2, "{}", checkpoints.len());
    for at in [0, checkpoints.len() / 2, checkpoints.len() - 1] {
        let here = resume(&ask, &options, Some(&checkpoints[at]), None, &mut Log::default(), &never);
        same(&plain, &here.expect("accepted"), "here");
        let there =
            resume(&ask, &options, Some(&checkpoints[at]), Some(&elsewhere), &mut Log::default(), &never);
        same(&plain, &there.expect("accepted"), "there");
    }
}

#[test]
fn an_island_that_crashes_elsewhere_ends_alone() {
    let (options, never) = (hurried(), AtomicBool::new(false));
    let ask = request(HOPELESS, Budget::Effort(3), 5, 3);
    let elsewhere = Elsewhere { crashes: true, ..Elsewhere::new(&options) };
    let outcome =
        resume(&ask, &options, None, Some(&elsewhere), &mut Log::default(), &never).expect("accepted");
    assert_eq!((outcome.crashed, outcome.ended), (1, EndReason::Exhausted));
}

#[test]
fn a_cancel_ends_a_search_elsewhere_with_its_best_wiring() {
    let options = Options::default();
    let ask = request(HOPELESS, Budget::Effort(100_000), 5, 2);
    let (elsewhere, cancel) = (Elsewhere::new(&options), AtomicBool::new(false));
    let outcome = thread::scope(|threads| {
        threads.spawn(|| {
            while elsewhere.count.load(SeqCst) < 8 {
                thread::sleep(Duration::from_millis(5));
            }
            cancel.store(true, SeqCst);
        });
        resume(&ask, &options, None, Some(&elsewhere), &mut Log::default(), &cancel).expect("accepted")
    });
    assert_eq!(outcome.ended, EndReason::Cancelled);
    assert!(outcome.uncovered < ask.demand.len() as u64);
}

//! A resumed search ends as if it had not been interrupted.

use crate::{
    random_specs::{KINDS, random_ruled_spec, random_spec},
    support::{Log, request, search},
};
use search::{
    SearchError,
    checkpoint::Checkpoint,
    genetic::{Setup, State, evolve},
    islands::Settings,
    ledger::{Account, Elite, Ledger},
    limit::Limit,
    options::Options,
    request::{resume, run_with},
};
use spec::{
    design::{Design, check},
    random::Rng,
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};
use work::search::{Budget, Observer, Outcome, Progress, SearchRequest};

/// Keeps every checkpoint, and cancels after `most` of them.
#[derive(Default)]
pub struct Keeper {
    pub kept: Vec<Vec<u8>>,
    most: usize,
    cancel: Arc<AtomicBool>,
}

impl Keeper {
    /// Keeps all.
    pub fn all() -> Keeper {
        Keeper { most: usize::MAX, ..Keeper::default() }
    }
}

impl Observer for Keeper {
    fn progress(&mut self, _: &Progress) {}
    fn better(&mut self, _: &Design, _: u64) {}
    fn keeps_checkpoints(&self) -> bool {
        true
    }
    fn wants_checkpoint(&mut self) -> bool {
        true
    }
    fn checkpoint(&mut self, bytes: Vec<u8>) {
        self.kept.push(bytes);
        if self.kept.len() >= self.most {
            self.cancel.store(true, SeqCst);
        }
    }
}

/// Exchanges, heats and restarts every few ticks; checkpoints every few milliseconds.
pub fn hurried() -> Options {
    Options {
        tick: 5,
        epoch: 40,
        brief: 10,
        idle_rungs: 1,
        heat: 50,
        quench: 20,
        entrants: 4,
        stale: 1,
        concentrated_repairs: 1,
        patience: 100,
        scaled_patience: 50,
        first_moves: 1,
        ..Options::default()
    }
}

/// An uninterrupted search, and its checkpoints.
pub fn whole(ask: &SearchRequest, options: &Options) -> (Outcome, Vec<Vec<u8>>) {
    let mut keeper = Keeper::all();
    let outcome = run_with(ask, options, &mut keeper, &AtomicBool::new(false)).expect("accepted");
    (outcome, keeper.kept)
}

pub fn same(one: &Outcome, other: &Outcome, what: &str) {
    assert_eq!(
        (one.uncovered, &one.method, one.ended),
        (other.uncovered, &other.method, other.ended),
        "{what}"
    );
    assert_eq!(one.design, other.design, "{what}");
}

/// Compares searches with and without checkpoints, resumes several of them, and resumes through a chain of
/// interruptions.
fn assert_resumes(text: &str, effort: u64, threads: u32, options: &Options) -> usize {
    let ask = request(text, Budget::Effort(effort), 5, threads);
    let never = AtomicBool::new(false);
    let plain = run_with(&ask, options, &mut Log::default(), &never).expect("accepted");
    assert_eq!(check(&ask.spec, &ask.demand, &plain.design).breaches, []);
    let (kept, checkpoints) = whole(&ask, options);
    same(&plain, &kept, "looked at");
    let count = checkpoints.len();
    let some = [0, count / 2, count.saturating_sub(1)];
    let some: BTreeSet<usize> = some.into_iter().filter(|&at| at < count).collect();
    for at in some {
        let resumed = resume(&ask, options, Some(&checkpoints[at]), None, &mut Log::default(), &never);
        same(
            &plain,
            &resumed.expect("its own checkpoint"),
            &format!("{at} of {count}, {threads} islands: {text}"),
        );
    }
    let mut last: Option<Vec<u8>> = None;
    for _ in 0..3 {
        let mut keeper = Keeper { most: 2, ..Keeper::default() };
        let cancel = keeper.cancel.clone();
        resume(&ask, options, last.as_deref(), None, &mut keeper, &cancel).expect("accepted");
        last = keeper.kept.pop().or(last);
    }
    let chained =
        resume(&ask, options, last.as_deref(), None, &mut Log::default(), &never).expect("accepted");
    same(&plain, &chained, &format!("three breaks, {threads} islands: {text}"));
    count
}

pub const TORI: &str = "pes = 96\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 7\n\
    [[pattern]]\nkind = \"torus\"\ndimensions = 2\nfactorizations = \"all\"\n";

/// Not solvable: 16 PEs, every pair, two NIs on 4-port switches.
pub const HOPELESS: &str = "pes = 16\nnis_per_pe = 2\nobjective = \"universal\"\n[[switch]]\nports = 4\n";

/// Solved by a closed form, but with fewer links per pair than the NIs can give.
pub const KNOWN: &str = "pes = 12\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 7\n";

const WISHES: &str = "pes = 36\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = 18\n\
    [[pattern]]\nkind = \"torus\"\ndims = [6, 6]\nneighbours = \"axis\"\nextra = 2\n";

fn weights() -> String {
    TORI.replace("sparse", "fractional") + "[[pattern]]\nkind = \"ring\"\nweight = 7\n"
}

#[test]
fn a_search_goes_on_where_it_was() {
    let mut kept = 0;
    for threads in 1..=3 {
        kept += assert_resumes(TORI, 2 * u64::from(threads), threads, &hurried());
    }
    assert!(kept >= 3, "{kept} checkpoints");
}

#[test]
fn a_search_of_every_pair_goes_on_where_it_was() {
    let mut kept = 0;
    for threads in 1..=3 {
        kept += assert_resumes(HOPELESS, 2 * u64::from(threads), threads, &hurried());
    }
    assert!(kept >= 3, "{kept} checkpoints");
    assert_resumes(KNOWN, 3, 2, &hurried());
}

#[test]
fn a_search_by_weight_goes_on_where_it_was() {
    let kept: usize =
        (1..=3).map(|threads| assert_resumes(&weights(), u64::from(threads), threads, &hurried())).sum();
    assert!(kept >= 3, "{kept} checkpoints");
}

#[test]
fn a_search_for_wishes_goes_on_where_it_was() {
    let kept: usize =
        (1..=3).map(|threads| assert_resumes(WISHES, u64::from(threads), threads, &hurried())).sum();
    assert!(kept >= 3, "{kept} checkpoints");
}

#[test]
fn exchanges_without_hurry_and_dna_go_on_where_they_were() {
    let bred = Options { dna: 1000, epoch: 15, ..hurried() };
    assert_resumes(TORI, 6, 3, &bred);
    assert_resumes(TORI, 4, 2, &Options { epoch: 500, ..Options::default() });
}

#[test]
fn any_random_spec_goes_on_where_it_was() {
    for seed in 0..2 {
        for kind in KINDS {
            let text = random_ruled_spec(seed, kind).unwrap_or_else(|| random_spec(seed, kind));
            assert_resumes(&text, 1, 1 + (seed % 3) as u32, &hurried());
        }
    }
}

fn refusal(ask: &SearchRequest, options: &Options, bytes: &[u8]) -> SearchError {
    resume(ask, options, Some(bytes), None, &mut Log::default(), &AtomicBool::new(false))
        .expect_err("a refusal")
}

fn a_checkpoint(ask: &SearchRequest) -> Vec<u8> {
    let mut keeper = Keeper { most: 1, ..Keeper::default() };
    let cancel = keeper.cancel.clone();
    run_with(ask, &hurried(), &mut keeper, &cancel).expect("accepted");
    keeper.kept.pop().expect("a checkpoint")
}

#[test]
fn a_checkpoint_of_another_search_is_refused() {
    let ask = request(HOPELESS, Budget::Effort(50), 5, 2);
    let bytes = a_checkpoint(&ask);
    let other = |text: &str, seed: u64, threads: u32| request(text, Budget::Effort(50), seed, threads);
    let wider = HOPELESS.replace("ports = 4", "ports = 5");
    for ask in [other(HOPELESS, 6, 2), other(HOPELESS, 5, 3), other(HOPELESS, 5, 1), other(&wider, 5, 2)] {
        let refused = refusal(&ask, &hurried(), &bytes);
        assert!(
            matches!(refused, SearchError::Checkpoint(why) if why.contains("another search")),
            "{refused}"
        );
    }
    assert!(refusal(&ask, &Options::default(), &bytes).to_string().contains("another search"));
    let more = SearchRequest { budget: Budget::Effort(2), ..ask };
    assert!(
        resume(&more, &hurried(), Some(&bytes), None, &mut Log::default(), &AtomicBool::new(false)).is_ok()
    );
}

#[test]
fn a_matrix_with_one_other_weight_is_another_search() {
    let text = weights() + "[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 50 3\n\"\"\"\n";
    let bytes = a_checkpoint(&request(&text, Budget::Effort(50), 5, 1));
    let ask = request(&text.replace("0 50 3", "0 50 4"), Budget::Effort(50), 5, 1);
    assert!(refusal(&ask, &hurried(), &bytes).to_string().contains("another search"));
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let ask = request(HOPELESS, Budget::Effort(50), 5, 2);
    let bytes = a_checkpoint(&ask);
    let mut rng = Rng::new(3, 50);
    for turn in 0..2000u32 {
        let mut damaged = bytes.clone();
        let at = rng.below(bytes.len() as u32) as usize;
        match turn % 4 {
            0 => damaged[at] ^= 1 << rng.below(8),
            1 => damaged.truncate(at),
            2 => damaged.insert(at, rng.bits() as u8),
            _ => damaged[at..].reverse(),
        }
        if damaged != bytes {
            assert!(matches!(refusal(&ask, &hurried(), &damaged), SearchError::Checkpoint(_)), "turn {turn}");
        }
    }
    for bytes in [&[][..], &[0; 7], &[0; 8], &[255; 100]] {
        assert!(matches!(refusal(&ask, &hurried(), bytes), SearchError::Checkpoint(_)));
    }
}

#[test]
fn who_keeps_no_checkpoints_gets_none() {
    let ask = request(HOPELESS, Budget::Effort(3), 5, 2);
    let (watched, kept) = whole(&ask, &Options::default());
    assert!(!kept.is_empty());
    same(&search(&ask), &watched, "looked at");
}

/// The best wiring of two islands on an unsolvable instance, the first with a fraction of the other's work, from a
/// checkpoint if given.
fn unequal(resumed: Option<Checkpoint>, observer: &mut dyn Observer) -> Elite {
    let ask = request(HOPELESS, Budget::Effort(1), 5, 2);
    let (options, go_on) = (hurried(), &mut || true);
    let problems = search::problem::instances(&ask.spec, &ask.demand, go_on).expect("not stopped");
    let setup = |number: u32, saved: Option<&[u8]>, ledger: &mut Ledger| {
        let mut state = State::new(Rng::new(5, u64::from(number)), &options);
        if let Some(saved) = saved {
            let account: Account;
            (state, account) = postcard::from_bytes(saved).expect("an island");
            ledger.resume(account);
        }
        evolve(
            &Setup {
                problems: &problems,
                spec: &ask.spec,
                demand: &ask.demand,
                start: None,
                clock: None,
                size: 4,
                options: &options,
                helpers: number,
                number,
            },
            &mut state,
            ledger,
        );
    };
    let translate = |genome: &[u32]| Some(search::problem::design(&ask.spec, genome));
    let requested = ask.demand.len() as u64;
    let tick = Duration::from_millis(1);
    let settings = Settings {
        limits: &[100_000, 4_000_000],
        limit: Limit::NONE,
        began: Instant::now(),
        requested,
        tick,
        fingerprint: 0,
        resumed,
    };
    let ending = search::reporter::run(&settings, observer, &translate, &setup);
    ending.best.expect("a wiring")
}

#[test]
fn checkpoints_come_though_an_island_has_ended() {
    let mut keeper = Keeper::all();
    let plain = unequal(None, &mut Log::default());
    assert_eq!(unequal(None, &mut keeper), plain, "looked at");
    let read =
        |bytes: &Vec<u8>| postcard::from_bytes::<Checkpoint>(&bytes[..bytes.len() - 8]).expect("whole");
    let kept: Vec<Checkpoint> = keeper.kept.iter().map(read).collect();
    let last = kept.last().expect("a checkpoint");
    let since_its_end = kept.iter().filter(|one| one.islands[0] == last.islands[0]);
    let others: BTreeSet<&Vec<u8>> = since_its_end.map(|one| &one.islands[1]).collect();
    assert!(others.len() > 1, "{} checkpoints, none with one island alone", kept.len());
    let count = kept.len();
    for (_, resumed) in kept.into_iter().enumerate().filter(|(at, _)| [0, count / 2, count - 1].contains(at))
    {
        assert_eq!(unequal(Some(resumed), &mut Log::default()), plain);
    }
}

//! The cheapest network for a job: estimates other networks, searches for wirings, and ranks both by price and time.
//!
//! Other networks come first, since an estimate takes less than a search: the best of each kind and NIC count, then the cheapest
//! that are about as fast as the fastest, then all others by price. A network is left out if another one costs no more and is no slower
//! than its lower bound on time. Then each wiring is searched for, the cheapest that may be fast enough first, and searched for again
//! with twice the budget while it may improve the frontier, until such a search finds nothing better.
//!
//! Estimates run on the request's threads, in batches that do not depend on their number. With budgets counted in work, seed and
//! threads determine the offers, apart from seconds of the search itself.

use crate::lock;
use search::{
    checkpoint::{DAMAGED, open, seal},
    epoch::Machines,
    hardware::{BoardError, fingerprint as fingerprint_of},
    options::Options,
    request,
};
use serde::{Deserialize, Serialize};
use shared::{
    analysis::bounds::quick_refusal,
    cancel::{Token, checked, scope},
    compare::{Bill, Sources},
    design::{Design, check},
    estimate::{NetworkStep, SAME, duration, timing::Timing},
    fabric::{NetworkKind, Wiring, kinds::title},
    form::Fault,
    hardware::{
        Board, BoardObserver, DesignOption, Frontier, FrontierRequest, Offer, OfferState, SLOWEST,
        candidates::{Bounds, Candidate, Order, candidates},
        network_offer,
    },
    random::{Rng, fnv1a},
    search::{Budget, Observer, Progress, SearchRequest},
    spec::Faults,
    text::grouped,
};
use simulate::step;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// Time between two reports.
const TICK: Duration = Duration::from_millis(100);
/// Networks that are estimated together.
const BATCH: usize = 8;
/// Max searches for one wiring.
const MAX_ATTEMPTS: u32 = 8;
/// Share of a budget from which a search counts as ended by it.
const SPENT: f64 = 0.9;
/// Times of the frontier's up to which a wiring is worth another search.
const NEAR: f64 = 1.1;

/// Upper bound in bytes of the memory of the estimates, without the spec and its demand.
pub fn memory(request: &FrontierRequest) -> u64 {
    let hardware = &request.hardware;
    let sources = sources(request, None);
    step::memory(&sources, &[]).saturating_mul(hardware.threads.max(1).into())
}

/// Finds the cheapest networks.
///
/// Calls the observer on every change and about ten times per second, always from the calling thread, and ends within 200 ms of a
/// cancel. Resumes from a checkpoint if one is given: offers with a time are kept, and designs are published again.
///
/// # Errors
/// The request is not valid: see [`FrontierRequest::faults`]. The checkpoint is damaged or of another search.
pub fn run(
    request: &FrontierRequest,
    saved: Option<&[u8]>,
    machines: Option<&dyn Machines>,
    observer: &mut dyn BoardObserver,
    cancel: &AtomicBool,
) -> Result<Board, BoardError> {
    let timing = timing(request).map_err(BoardError::Faults)?;
    let context = Context { request, timing: &timing, designs: request.designs() };
    let mut work = Work::new(&context, machines, observer, cancel);
    if let Some(bytes) = saved {
        work.resume(bytes)?;
    }
    if work.estimate_networks() {
        work.search_designs();
    }
    Ok(work.finish())
}

/// What the spec communicates.
///
/// # Errors
/// The request is not valid, or the bytes of a dimension are unknown.
pub fn timing(request: &FrontierRequest) -> Result<Timing, Faults> {
    let mut faults = request.faults();
    let timing = request.timing();
    if timing.is_none() && faults.is_empty() {
        let expected = "pairs, or a spec whose job has [model] or `bytes` in a [[collective]] of every dimension that uses the network";
        faults.push(Fault::new("goal", "time", expected));
    }
    timing.filter(|_| faults.is_empty()).ok_or(Faults(faults))
}

/// The board before anything is tried.
pub fn blank(request: &FrontierRequest, timing: &Timing) -> Board {
    Board {
        nis_from: request.hardware.nis_from,
        nis_to: request.hardware.nis_to,
        networks: Some(request.blank(timing)),
        ..Board::default()
    }
}

fn sources<'a>(request: &'a FrontierRequest, design: Option<&'a Design>) -> Sources<'a> {
    let hardware = &request.hardware;
    Sources {
        spec: &hardware.spec,
        demand: &hardware.demand,
        design,
        market: &request.market.market,
        own: request.market.own,
    }
}

/// Inputs that do not change.
struct Context<'a> {
    request: &'a FrontierRequest,
    timing: &'a Timing,
    designs: Vec<DesignOption>,
}

/// A network with its price and its lower bound on time.
struct NetworkEntry {
    candidate: Candidate,
    price: Option<f64>,
    bound: f64,
    /// Number of the best order of nodes.
    order: usize,
}

impl Context<'_> {
    /// Every network in stock with its price and bound, the orders of nodes that they use, and how many are not in stock.
    fn list(&self) -> (Vec<NetworkEntry>, BTreeMap<usize, Order>, u64) {
        let hardware = &self.request.hardware;
        let (hosts, nics) = (hardware.spec.pes, hardware.nis_from..=hardware.nis_to);
        let widths: Vec<u32> = hardware.catalogue.iter().map(|model| model.ports).collect();
        let mut bounds = Bounds::new(self.timing, hosts, hardware.spec.only_job());
        let (mut list, mut unstocked) = (Vec::new(), 0);
        for candidate in checked(candidates(hosts, nics, &self.request.market.market, &widths)) {
            let kind = candidate.kind();
            if !self.request.has_stock(&kind.parts()) {
                unstocked += 1;
                continue;
            }
            let price = price(&self.bill(&*kind));
            let (bound, order) = bounds.of(&candidate);
            list.push(NetworkEntry { candidate, price, bound, order });
        }
        let used: BTreeSet<usize> = list.iter().map(|listed| listed.order).collect();
        let orders = used.into_iter().map(|number| (number, bounds.order(number).clone())).collect();
        (list, orders, unstocked)
    }

    fn bill(&self, kind: &dyn NetworkKind) -> Bill {
        sources(self.request, None).bill(kind)
    }

    /// The step on another network with its nodes in an order.
    fn on_network(&self, kind: &dyn NetworkKind, order: &Order) -> NetworkStep {
        let timing = order.on(self.timing);
        step::step_on(&sources(self.request, None), kind, &timing, &self.request.hardware.spec.assumptions)
    }

    /// Time of a training step on a design.
    fn on_design(&self, option: &DesignOption, design: &Design) -> NetworkStep {
        let sources = Sources { spec: &option.spec, design: Some(design), ..sources(self.request, None) };
        let wiring = Wiring::of(&option.spec, design);
        step::step_on(&sources, &wiring, self.timing, &option.spec.assumptions)
    }

    /// Seconds per step with the ratio of frames to the fluid model, or why there are none. Networks on which frames wait for each other
    /// forever are left out.
    fn seconds(&self, step: &NetworkStep) -> Result<Times, String> {
        if let Some(missing) = &step.missing {
            return Err(missing.clone());
        }
        if let Some(check) = step.check.as_ref().filter(|check| check.ratio.is_none()) {
            return Err(format!(
                "frames wait for each other forever ({}), with one virtual channel per link",
                check.dimension
            ));
        }
        let seconds = match self.request.hardware.spec.has_model() {
            true => step.exposed().map(|exposed| self.timing.base() + exposed),
            false => step.communication(),
        };
        let frames = step.check.as_ref().and_then(|check| check.ratio);
        seconds
            .map(|seconds| Times { seconds, jobs: step.jobs.iter().map(|job| job.step).collect(), frames })
            .ok_or_else(|| "the time of a dimension is unknown".into())
    }
}

/// Seconds per step, and the ratio of frames to the fluid model.
#[derive(Clone)]
struct Times {
    seconds: f64,
    /// Of each job, if there are several.
    jobs: Vec<f64>,
    frames: Option<f64>,
}

fn price(bill: &Bill) -> Option<f64> {
    bill.total.filter(|_| bill.unpriced.is_empty())
}

/// Facts about a design that only the search needs.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Record {
    /// PEs on each switch of the best wiring.
    wiring: Option<Vec<Vec<u32>>>,
    /// Uncovered pairs of the best wiring.
    uncovered: u64,
    /// `true` if another search would not help.
    settled: bool,
}

#[derive(Serialize, Deserialize)]
struct FrontierCheckpoint {
    fingerprint: u64,
    elapsed: f64,
    spent: u64,
    board: Board,
    records: Vec<Record>,
}

struct Work<'a> {
    context: &'a Context<'a>,
    machines: Option<&'a dyn Machines>,
    observer: &'a mut dyn BoardObserver,
    cancel: &'a AtomicBool,
    began: Instant,
    /// Seconds before a checkpoint.
    before: f64,
    /// Million moves.
    spent: u64,
    board: Board,
    records: Vec<Record>,
    /// `true` if nothing is left to try.
    is_complete: bool,
}

impl<'a> Work<'a> {
    fn new(
        context: &'a Context<'a>,
        machines: Option<&'a dyn Machines>,
        observer: &'a mut dyn BoardObserver,
        cancel: &'a AtomicBool,
    ) -> Work<'a> {
        let board = blank(context.request, context.timing);
        let records = vec![Record::default(); context.designs.len()];
        let (began, before) = (Instant::now(), 0.0);
        Work {
            context,
            machines,
            observer,
            cancel,
            began,
            before,
            spent: 0,
            board,
            records,
            is_complete: false,
        }
    }

    fn networks(&mut self) -> &mut Frontier {
        self.board.networks.get_or_insert_default()
    }

    fn offers(&self) -> &[Offer] {
        self.board.networks.as_ref().map_or(&[], |networks| &networks.offers)
    }

    fn elapsed(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }

    /// `true` after a cancel or once the budget is spent.
    fn is_over(&self) -> bool {
        self.cancel.load(SeqCst)
            || match self.context.request.hardware.total {
                Budget::Seconds(total) => self.elapsed() >= total,
                Budget::Effort(total) => self.spent >= total,
            }
    }

    fn report(&mut self) {
        self.board.elapsed = self.elapsed();
        self.board.revision += 1;
        self.observer.board(&self.board);
        if !self.cancel.load(SeqCst) && self.observer.keeps_checkpoints() && self.observer.wants_checkpoint()
        {
            self.save();
        }
    }

    /// Ranks the offers anew and reports them.
    fn rank(&mut self) {
        let is_complete = self.is_complete;
        self.networks().rank(is_complete);
        self.report();
    }

    fn save(&mut self) {
        let mut board = self.board.clone();
        board.settle();
        let fingerprint = fingerprint(self.context.request);
        let (elapsed, spent, records) = (self.elapsed(), self.spent, self.records.clone());
        let bytes = seal(&FrontierCheckpoint { fingerprint, elapsed, spent, board, records });
        bytes.into_iter().for_each(|bytes| self.observer.checkpoint(bytes));
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), BoardError> {
        let Some(saved) = open::<FrontierCheckpoint>(bytes) else {
            return Err(BoardError::Checkpoint(DAMAGED));
        };
        if saved.fingerprint != fingerprint(self.context.request) {
            let why = "belongs to another hardware search: spec, NIC range, switch models, market, budget per search, seed, threads and \
                       version must match";
            return Err(BoardError::Checkpoint(why));
        }
        let offers = saved.board.networks.as_ref().map_or(0, |networks| networks.offers.len());
        if saved.records.len() != self.records.len() || offers < self.records.len() {
            return Err(BoardError::Checkpoint(DAMAGED));
        }
        (self.before, self.spent) = (saved.elapsed, saved.spent);
        (self.board, self.records) = (saved.board, saved.records);
        self.networks().within = self.context.request.within;
        for (index, record) in self.records.iter().enumerate() {
            let Some(wiring) = &record.wiring else { continue };
            let option = &self.context.designs[index];
            let design = Design::from_switches(option.spec.pes, wiring.iter().cloned());
            self.observer.design(index, &option.spec, &design, record.uncovered);
        }
        self.rank();
        Ok(())
    }

    /// Runs work on the threads of the request, and reports meanwhile. `None` for work that the end of the search cut off.
    fn on_threads<T: Send>(&mut self, works: Vec<impl FnOnce() -> T + Send>) -> Vec<Option<T>> {
        let mut results: Vec<Option<T>> = works.iter().map(|_| None).collect();
        let threads = works.len().min(self.context.request.hardware.threads.max(1) as usize);
        let left = Mutex::new(works.into_iter().enumerate().collect::<VecDeque<_>>());
        let (token, (done, ended)) = (Token::default(), mpsc::channel());
        thread::scope(|scoped| {
            for _ in 0..threads {
                let (done, token, left) = (done.clone(), token.clone(), &left);
                scoped.spawn(move || {
                    while !token.is_cancelled() {
                        let Some((at, work)) = lock(left).pop_front() else { break };
                        // The receiver stays until all threads have ended.
                        let _ = done.send((at, scope(&token, work).ok()));
                    }
                });
            }
            drop(done);
            loop {
                match ended.recv_timeout(TICK) {
                    Ok((at, result)) => results[at] = result,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if self.is_over() {
                    token.cancel();
                }
                self.report();
            }
        });
        results
    }

    /// Estimates the networks that may be on the frontier; `false` if the search ended before.
    fn estimate_networks(&mut self) -> bool {
        self.board.trying = "listing networks".into();
        let context = self.context;
        let Some(Some((list, orders, unstocked))) = self.on_threads(vec![|| context.list()]).pop() else {
            return false;
        };
        let least = list.iter().map(|listed| listed.bound).fold(f64::INFINITY, f64::min);
        let is_slow = |listed: &NetworkEntry| listed.bound > SLOWEST * least;
        let networks = self.networks();
        (networks.networks, networks.unstocked) = (list.len() as u64, unstocked);
        networks.slow = list.iter().filter(|listed| is_slow(listed)).count() as u64;
        let mut list = Networks { left: list, orders };
        list.left.retain(|listed| !is_slow(listed));
        list.left.sort_by(|a, b| {
            let key = |listed: &NetworkEntry| listed.price.unwrap_or(f64::INFINITY);
            key(a)
                .total_cmp(&key(b))
                .then(a.bound.total_cmp(&b.bound))
                .then_with(|| a.candidate.text.cmp(&b.candidate.text))
        });
        // Estimated before a checkpoint.
        let known: BTreeSet<String> = self.offers().iter().map(|offer| offer.text.clone()).collect();
        let first = list.best_of_each();
        list.left.retain(|listed| !known.contains(&listed.candidate.text));
        let first: Vec<NetworkEntry> = list.take(|listed| first.contains(&listed.candidate.text));
        self.estimate_all(first, &list.orders);
        list.left.retain(|listed| listed.price.is_some());
        // The cheapest that are about as fast as the fastest, then all.
        loop {
            if self.is_over() {
                return false;
            }
            let stairs = self.stairs();
            let limit = self.board.networks.as_ref().and_then(Frontier::limit).unwrap_or(f64::INFINITY);
            let reached = stairs
                .iter()
                .find(|(_, seconds)| *seconds <= limit)
                .map_or(f64::INFINITY, |(price, _)| *price);
            list.drop_beaten(&stairs);
            let near = list.next_batch(|listed| {
                listed.bound <= limit && listed.price.is_some_and(|price| price < reached)
            });
            let next = if near.is_empty() { list.next_batch(|_| true) } else { near };
            if next.is_empty() {
                break;
            }
            self.estimate_all(next, &list.orders);
            let (offers, left) = (
                self.offers().iter().filter(|offer| !offer.is_design()).count() as u64,
                list.left.len() as u64,
            );
            let networks = self.networks();
            networks.beaten =
                networks.networks - networks.slow - offers.min(networks.networks - networks.slow) - left;
        }
        self.rank();
        true
    }

    /// Price and time of the estimated networks that are faster than all cheaper ones, cheapest first.
    fn stairs(&self) -> Vec<(f64, f64)> {
        let mut all: Vec<(f64, f64)> =
            self.offers().iter().filter(|offer| !offer.is_design()).filter_map(Offer::ranked).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut fastest = f64::INFINITY;
        all.retain(|&(_, seconds)| {
            let is_faster = seconds < fastest;
            fastest = fastest.min(seconds);
            is_faster
        });
        all
    }

    /// Estimates networks, [`BATCH`] at a time.
    fn estimate_all(&mut self, networks: Vec<NetworkEntry>, orders: &BTreeMap<usize, Order>) {
        let context = self.context;
        let mut networks = VecDeque::from(networks);
        while !networks.is_empty() && !self.is_over() {
            let batch: Vec<NetworkEntry> = networks.drain(..BATCH.min(networks.len())).collect();
            let first = self.offers().len();
            for NetworkEntry { candidate, bound, order, .. } in &batch {
                let kind = candidate.kind();
                let mut offer =
                    network_offer(&candidate.text, title(&*kind), candidate.nics, candidate.uplinks);
                offer.count(&kind.parts());
                offer.bill(&context.bill(&*kind));
                offer.order.clone_from(&orders[order].words);
                (offer.bound, offer.state) = (*bound, OfferState::Trying);
                self.networks().offers.push(offer);
            }
            self.board.trying = format!("estimating {}", batch[0].candidate.text);
            let works = batch.iter().map(|listed| {
                let order = &orders[&listed.order];
                move || context.seconds(&context.on_network(&*listed.candidate.kind(), order))
            });
            let ended = self.on_threads(works.collect());
            let is_cut = ended.iter().any(Option::is_none);
            for (at, result) in ended.into_iter().enumerate() {
                let offer = &mut self.networks().offers[first + at];
                match result {
                    Some(Ok(Times { seconds, jobs, frames })) => {
                        (offer.seconds, offer.jobs, offer.frames, offer.state) =
                            (Some(seconds), jobs, frames, OfferState::Done);
                    }
                    Some(Err(missing)) => (offer.missing, offer.state) = (Some(missing), OfferState::Missing),
                    None => {}
                }
            }
            if is_cut {
                // A search that goes on later lists them again.
                let mut index = 0;
                self.networks().offers.retain(|offer| {
                    index += 1;
                    index <= first || offer.state != OfferState::Trying
                });
            }
            self.rank();
        }
    }

    /// Searches for the designs that may be on the frontier, again and again.
    fn search_designs(&mut self) {
        while let Some((index, open)) = self.next_design() {
            if self.is_over() {
                return;
            }
            self.search(index, open);
        }
        self.is_complete = !self.cancel.load(SeqCst);
    }

    /// The design to search for next: the cheapest that was not searched for and may be within the limit of the fastest, then the
    /// cheapest of the others, then the one near the frontier with fewest searches. With it, the number of all these.
    fn next_design(&mut self) -> Option<(usize, u64)> {
        let is_open = |work: &Work, index: usize| {
            let (offer, record) = (&work.offers()[index], &work.records[index]);
            !record.settled && offer.attempts < MAX_ATTEMPTS && offer.state != OfferState::Beaten
        };
        let mut open: Vec<usize> = (0..self.records.len()).filter(|&index| is_open(self, index)).collect();
        for &index in &open {
            let Some(networks) = &mut self.board.networks else { return None };
            let offer = &networks.offers[index];
            let bound = offer.bound;
            let is_beaten = offer.attempts == 0
                && offer.price.is_some_and(|price| networks.beats(price, bound, |_| true));
            if is_beaten {
                networks.offers[index].state = OfferState::Beaten;
            }
        }
        open.retain(|&index| is_open(self, index));
        let networks = self.board.networks.as_ref()?;
        let limit = networks.limit().unwrap_or(f64::INFINITY);
        open.retain(|&index| {
            let offer = &networks.offers[index];
            let best = offer.seconds.map_or(offer.bound, |seconds| (seconds / NEAR).max(offer.bound));
            let is_least = offer.seconds.is_some_and(|seconds| seconds <= offer.bound * (1.0 + 1e-6));
            let is_near =
                offer.price.is_none_or(|price| !networks.beats(price, best * (1.0 - SAME), |_| true));
            offer.attempts == 0 || (is_near && !is_least)
        });
        let count = open.len() as u64;
        let first = open.into_iter().min_by(|&a, &b| {
            let key = |index: usize| {
                let offer = &networks.offers[index];
                (offer.attempts, offer.bound > limit, offer.price.unwrap_or(f64::INFINITY))
            };
            let (a_key, b_key) = (key(a), key(b));
            a_key
                .0
                .cmp(&b_key.0)
                .then(a_key.1.cmp(&b_key.1))
                .then(a_key.2.total_cmp(&b_key.2))
                .then(a.cmp(&b))
        });
        first.map(|index| (index, count))
    }

    /// The budget of the next search for a design: doubles with each, up to a share of what is left for the `open` designs. First
    /// searches take half as much, so that second ones have the rest.
    fn budget(&self, attempts: u32, open: u64) -> Budget {
        let hardware = &self.context.request.hardware;
        let (times, share) = (1u64 << attempts, if attempts == 0 { 2 * open } else { open + 1 });
        match (hardware.cell, hardware.total) {
            (Budget::Seconds(one), Budget::Seconds(total)) => {
                let rest = (total - self.elapsed()).max(0.001);
                Budget::Seconds((one * times as f64).min(rest / share as f64))
            }
            (Budget::Seconds(one), Budget::Effort(_)) => Budget::Seconds(one * times as f64),
            (Budget::Effort(one), Budget::Effort(total)) => {
                let rest = total.saturating_sub(self.spent).max(1);
                Budget::Effort(one.saturating_mul(times).min((rest / share).max(1)))
            }
            (Budget::Effort(one), Budget::Seconds(_)) => Budget::Effort(one.saturating_mul(times)),
        }
    }

    fn search(&mut self, index: usize, open: u64) {
        let context = self.context;
        let hardware = &context.request.hardware;
        let option = &context.designs[index];
        let attempts = self.offers()[index].attempts;
        if attempts == 0 {
            self.board.trying = format!("{}: checking bounds", self.offers()[index].name());
            let refused =
                self.on_threads(vec![|| quick_refusal(&option.spec, &hardware.demand)]).pop().flatten();
            let Some(refused) = refused else { return };
            if let Some(refusal) = refused {
                return self.fail(index, refusal.proof, true);
            }
        }
        self.networks().offers[index].state = OfferState::Trying;
        let budget = self.budget(attempts, open);
        let seed = Rng::new(hardware.seed, (index as u64) << 32 | u64::from(attempts)).bits().into();
        let asked = SearchRequest {
            spec: Arc::new(option.spec.clone()),
            demand: hardware.demand.clone(),
            budget,
            seed,
            threads: hardware.threads,
        };
        let (machines, cancel) = (self.machines, self.cancel);
        // Where the total is a time and the search's budget is work, the observer ends the search.
        let over = AtomicBool::new(false);
        let cuts = matches!((budget, hardware.total), (Budget::Effort(_), Budget::Seconds(_)));
        let name = self.offers()[index].name();
        let mut watcher = Attempt { work: self, name, over: &over };
        let stop = if cuts { &over } else { cancel };
        let outcome = request::resume(&asked, &Options::default(), None, machines, &mut watcher, stop);
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return self.fail(index, error.to_string(), true),
        };
        if let Budget::Effort(effort) = budget {
            self.spent += outcome.progress.moves.div_ceil(1_000_000).clamp(1, effort);
        }
        let ends_early = match budget {
            Budget::Seconds(seconds) => outcome.progress.elapsed < SPENT * seconds,
            Budget::Effort(effort) => (outcome.progress.moves as f64) < SPENT * 1e6 * effort as f64,
        };
        let is_cut = self.cancel.load(SeqCst) || over.load(SeqCst);
        self.board.trying = format!("{}: estimating", self.offers()[index].name());
        let design = outcome.design;
        let judged = self.on_threads(vec![|| {
            let verdict = check(&option.spec, &hardware.demand, &design);
            if let Some(breach) = verdict.breaches.first() {
                return Err((0, format!("the search made a wiring that breaks a limit: {breach}")));
            }
            match verdict.uncovered.len() as u64 {
                0 => context.seconds(&context.on_design(option, &design)).map_err(|missing| (0, missing)),
                pairs => {
                    Err((pairs, format!("{} pairs share no switch in the best wiring found", grouped(pairs))))
                }
            }
        }]);
        // Another search would not help.
        let settles = |is_better: bool| !is_cut && (ends_early || (attempts > 0 && !is_better));
        match judged.into_iter().next().flatten() {
            Some(Ok(times)) => {
                let is_better =
                    self.offers()[index].seconds.is_none_or(|known| times.seconds < known * (1.0 - SAME));
                self.found(index, &design, times, settles(is_better));
            }
            Some(Err((uncovered, missing))) => {
                let record = &self.records[index];
                let is_better = uncovered > 0 && (record.wiring.is_none() || uncovered < record.uncovered);
                if is_better {
                    self.publish(index, &design, uncovered);
                }
                self.fail(index, missing, settles(is_better));
            }
            // Cut off: the search ends, and does this again if it goes on later.
            None => self.networks().settle(),
        }
    }

    /// Keeps a design if it is faster than the one before.
    fn found(
        &mut self,
        index: usize,
        design: &Design,
        Times { seconds, jobs, frames }: Times,
        settled: bool,
    ) {
        let context = self.context;
        let option = &context.designs[index];
        let offer = &mut self.networks().offers[index];
        offer.attempts += 1;
        offer.state = OfferState::Done;
        if offer.seconds.is_none_or(|known| seconds < known) {
            let wiring = Wiring::of(&option.spec, design);
            let sources =
                Sources { spec: &option.spec, design: Some(design), ..sources(context.request, None) };
            offer.count(&wiring.parts());
            offer.bill(&sources.bill(&wiring));
            (offer.seconds, offer.jobs, offer.frames, offer.missing) = (Some(seconds), jobs, frames, None);
            self.publish(index, design, 0);
        }
        self.records[index].settled = settled;
        self.rank();
    }

    fn publish(&mut self, index: usize, design: &Design, uncovered: u64) {
        let record = &mut self.records[index];
        record.uncovered = uncovered;
        record.wiring =
            Some((0..design.switch_count()).map(|switch| design.members(switch).to_vec()).collect());
        self.observer.design(index, &self.context.designs[index].spec, design, uncovered);
    }

    fn fail(&mut self, index: usize, missing: String, settled: bool) {
        let offer = &mut self.networks().offers[index];
        offer.attempts += 1;
        if offer.seconds.is_some() {
            offer.state = OfferState::Done;
        } else {
            (offer.missing, offer.state) = (Some(missing), OfferState::Missing);
        }
        self.records[index].settled = settled;
        self.rank();
    }

    fn finish(mut self) -> Board {
        self.board.settle();
        self.board.complete = self.is_complete;
        self.rank();
        if !self.cancel.load(SeqCst) && self.observer.keeps_checkpoints() {
            self.save();
        }
        self.board
    }
}

/// Networks that are not estimated yet, cheapest first, and the orders of their nodes.
struct Networks {
    left: Vec<NetworkEntry>,
    orders: BTreeMap<usize, Order>,
}

impl Networks {
    /// The best network of each kind and NIC count, by text: the cheapest of about the least bound. Without prices, the first in the list.
    fn best_of_each(&self) -> BTreeSet<String> {
        let mut groups: BTreeMap<(&str, u32), Vec<&NetworkEntry>> = BTreeMap::new();
        for listed in &self.left {
            groups.entry((listed.candidate.family(), listed.candidate.nics)).or_default().push(listed);
        }
        let best = |group: Vec<&NetworkEntry>| {
            let is_priced = group.iter().any(|listed| listed.price.is_some());
            let counts = |listed: &&&NetworkEntry| listed.price.is_some() || !is_priced;
            let least = group.iter().filter(counts).map(|listed| listed.bound).fold(f64::INFINITY, f64::min);
            let best = group.iter().filter(counts).find(|listed| listed.bound <= least * (1.0 + SAME));
            best.map(|listed| listed.candidate.text.clone())
        };
        groups.into_values().filter_map(best).collect()
    }

    /// Takes the networks for which a condition holds.
    fn take(&mut self, is_taken: impl Fn(&NetworkEntry) -> bool) -> Vec<NetworkEntry> {
        let all = std::mem::take(&mut self.left);
        let (taken, left) = all.into_iter().partition(|listed| is_taken(listed));
        self.left = left;
        taken
    }

    /// Drops the networks that cost no less than one of the stairs and are bound to be no faster.
    fn drop_beaten(&mut self, stairs: &[(f64, f64)]) {
        let (mut at, mut fastest) = (0, f64::INFINITY);
        self.left.retain(|listed| {
            let price = listed.price.unwrap_or(f64::INFINITY);
            while let Some(&(_, seconds)) = stairs.get(at).filter(|(own, _)| *own <= price) {
                fastest = seconds;
                at += 1;
            }
            fastest > listed.bound * (1.0 + SAME)
        });
    }

    /// Takes the next networks, none of which another one of them would beat at its bound.
    fn next_batch(&mut self, counts: impl Fn(&NetworkEntry) -> bool) -> Vec<NetworkEntry> {
        let (mut chosen, mut least) = (BTreeSet::new(), f64::INFINITY);
        for (at, listed) in self.left.iter().enumerate().filter(|(_, listed)| counts(listed)) {
            if chosen.len() < BATCH && listed.bound * (1.0 + SAME) < least {
                least = listed.bound;
                chosen.insert(at);
            }
        }
        let mut at = 0;
        let all = std::mem::take(&mut self.left);
        let (taken, left) = all.into_iter().partition(|_| {
            at += 1;
            chosen.contains(&(at - 1))
        });
        self.left = left;
        taken
    }
}

/// The observer of one search for a design.
struct Attempt<'w, 'a> {
    work: &'w mut Work<'a>,
    name: String,
    /// Set when the total time is over.
    over: &'w AtomicBool,
}

impl Observer for Attempt<'_, '_> {
    fn progress(&mut self, progress: &Progress) {
        if self.work.is_over() {
            self.over.store(true, SeqCst);
        }
        let time = progress.time.map_or(String::new(), |time| format!(", {}", duration(time.best)));
        self.work.board.trying = format!("{}: {}{time}", self.name, progress.trying);
        self.work.report();
    }

    /// Wirings are published after the checker has seen them.
    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}

/// Identifies a search by everything but its total time or work, and the limit of the answer.
fn fingerprint(request: &FrontierRequest) -> u64 {
    let FrontierRequest { hardware, market, .. } = request;
    let text = format!("frontier {market:?} {}", fingerprint_of(hardware));
    fnv1a(text.as_bytes())
}

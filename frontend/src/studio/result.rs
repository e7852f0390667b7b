//! Everything computed or fetched from the session's spec.

use super::{session::Session, view::View};
use crate::{
    browser,
    state::{
        board::WatchedBoard,
        coverage::{Coverage, CoverageCounts},
        draft::{Draft, read_spec},
        failed::Damage,
        improve::{Aim, Figures},
        picture::Picture,
        place::Place,
        quick::{QuickEnd, QuickResult},
        routes,
        run::Run,
        simulate::Curves,
        words::count,
    },
    work::Work,
};
use leptos::prelude::*;
use shared::{
    analysis::{
        bounds::{Bounds, Refusal, Standing},
        figures::FigureRow,
        leftout::{UncoveredPair, weight_served},
        map::MapIndex,
    },
    api::{DesignView, StartWork, StepTime, WorkKind},
    demand::Demand,
    design::{Design, Faults, Names, UnknownParts, Verdict, table},
    exports::{Bundle, FileScope, Settings},
    spec::{Fault, Objective, Spec},
};
use std::sync::Arc;

/// Added to the origin of a wiring whose switches were moved.
pub(super) const MOVED: &str = ", switches moved";
/// Max wirings of earlier specs that undo brings back.
const MAX_EARLIER: usize = 32;
/// Storage key of the switch of quick searches.
const OFF: &str = "crosspoint.quick";

/// Everything that follows from a valid spec.
#[derive(Clone)]
pub struct ValidSpec {
    pub spec: Arc<Spec>,
    pub demand: Arc<Demand>,
    pub pictures: Arc<Vec<Picture>>,
    /// `None` until the part that computes them has loaded; an error if the server has none for a large machine.
    pub limits: Option<Result<Limits, Arc<str>>>,
}

/// What a spec can have at best.
#[derive(Clone)]
pub struct Limits {
    /// Proof that no wiring exists, if there is one.
    pub refusal: Option<Refusal>,
    pub bounds: Arc<Bounds>,
}

impl ValidSpec {
    /// What the spec can have at best, if that is known.
    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_ref()?.as_ref().ok()
    }

    /// Proof that no wiring exists, if one is known.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.limits()?.refusal.as_ref()
    }

    /// The number of pairs in words, with a note if patterns overlap.
    pub fn total(&self) -> (String, Option<String>) {
        let (all, total) =
            (self.pictures.iter().map(|picture| picture.pairs).sum(), self.demand.len() as u64);
        let note =
            || format!("The patterns list {}. A pair in several patterns counts once.", count(all, "pair"));
        (count(total, "pair"), (all > total).then(note))
    }
}

/// A wiring on screen.
#[derive(Clone)]
pub struct ShownWiring {
    pub table: Arc<str>,
    pub design: Arc<Design>,
    pub spec_text: Arc<str>,
    pub spec: Arc<Spec>,
    pub origin: String,
    /// The design as saved on the server.
    pub kept: Option<Arc<DesignView>>,
    /// Revision, if the wiring is the best so far of a search.
    pub revision: Option<u64>,
    /// How a search that is not on screen found it.
    pub found: Option<Arc<QuickResult>>,
}

impl ShownWiring {
    /// Reads a wiring table with the spec it is for.
    ///
    /// # Errors
    /// Every fault of the spec or the table, in words.
    pub fn read(spec_text: &str, table: &str, origin: String) -> Result<ShownWiring, Vec<String>> {
        let spec = Arc::new(read_spec(spec_text)?);
        let words =
            |faults: Vec<shared::form::LineFault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>();
        let design = Arc::new(table::parse(table, spec.pes).map_err(words)?);
        Ok(ShownWiring {
            table: table.into(),
            design,
            spec_text: spec_text.into(),
            spec,
            origin,
            kept: None,
            revision: None,
            found: None,
        })
    }

    /// Reads a wiring that a search found; `None` if it cannot be read.
    pub async fn found(
        spec_text: &str,
        table: &str,
        origin: String,
        found: QuickResult,
    ) -> Option<ShownWiring> {
        let held = ShownWiring::load(spec_text, table, origin).await.ok()?;
        Some(ShownWiring { found: Some(Arc::new(found)), ..held })
    }

    /// `true` if a search found it, and nobody has changed it since.
    pub fn is_found(&self) -> bool {
        self.revision.is_some()
            || (["search", "hardware search"].iter().any(|found| self.origin.starts_with(found))
                && !self.origin.ends_with(MOVED))
    }

    /// A request for work on it.
    pub fn request(&self, kind: WorkKind) -> StartWork {
        let (spec, table) = (Some(self.spec_text.to_string()), Some(self.table.to_string()));
        StartWork { kind, spec, table, ..StartWork::default() }
    }

    /// The names of its parts.
    pub fn names(&self) -> Names {
        Names::of(&self.spec, &self.design)
    }

    /// Failed parts of the wiring.
    ///
    /// # Errors
    /// Every word that names no part of it.
    pub fn faults(&self, failed: &str) -> Result<Faults, UnknownParts> {
        Faults::parse(failed, &self.design, &self.names())
    }

    /// [`ShownWiring::read`] in a task of its own: a table of megabytes takes milliseconds, and so does what draws the wiring.
    ///
    /// # Errors
    /// As [`ShownWiring::read`].
    pub async fn load(spec_text: &str, table: &str, origin: String) -> Result<ShownWiring, Vec<String>> {
        browser::breathe().await;
        let held = ShownWiring::read(spec_text, table, origin);
        browser::breathe().await;
        held
    }

    /// The node that a text names by name or number, or the switch where there is a file per switch.
    ///
    /// # Errors
    /// The accepted parts.
    pub fn part(&self, each: FileScope, text: &str) -> Result<u32, String> {
        let (names, count) = (self.names(), each.count(&self.spec, &self.design));
        match each {
            FileScope::Switch => routes::switch(text, &names, count),
            _ => routes::pe(text, &names, count),
        }
    }

    /// The source of its exports; `None` if the pairs of the spec cannot be built.
    pub fn bundle(&self, demand: Option<Arc<Demand>>, settings: Settings) -> Option<Bundle> {
        let demand = demand.or_else(|| Demand::build(&self.spec).ok().map(Arc::new))?;
        let bundle = Bundle::new(self.spec.clone(), self.spec_text.as_ref(), demand, self.design.clone());
        Some(bundle.with(settings))
    }
}

/// How a library connects the pairs of a job, in words.
#[derive(Clone)]
pub struct ConnectionSummary {
    pub counts: Arc<str>,
    pub settings: Arc<str>,
}

/// The checker's verdict on the wiring on screen, for the spec on screen.
#[derive(Clone)]
pub struct WiringVerdict {
    pub design: Arc<Design>,
    pub verdict: Arc<Verdict>,
    pub advice: Arc<Vec<String>>,
    /// Distance to the bounds; `None` if the wiring is for another number of PEs.
    pub standing: Option<Standing>,
    pub left_out: Arc<Vec<UncoveredPair>>,
    /// Time of a step, for a search for time.
    pub time: Option<StepTime>,
    /// The spec that the wiring was made for.
    pub made_for: Arc<Spec>,
    /// How the library of the job on screen connects its pairs; `None` without a job, or if the library takes all shared switches.
    pub connections: Option<ConnectionSummary>,
    /// `true` if the spec has changed since the wiring was made, in something that wirings depend on.
    pub spec_changed: bool,
    /// Revision of the [`ShownWiring`].
    pub revision: Option<u64>,
}

/// Reason why results on screen are not those of the spec on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutdatedReason {
    /// The spec has faults.
    Faults,
    /// The wiring was made for an earlier spec.
    Wiring,
}

impl OutdatedReason {
    /// In words, after "Outdated".
    pub fn words(self) -> &'static str {
        match self {
            OutdatedReason::Faults => ": the results are for the last valid spec. Fix the errors first. ",
            OutdatedReason::Wiring => ": this wiring was made for an earlier spec. ",
        }
    }

    /// Returns the name for an attribute of the page.
    pub fn name(self) -> &'static str {
        match self {
            OutdatedReason::Faults => "faults",
            OutdatedReason::Wiring => "wiring",
        }
    }
}

/// The signals of quick searches.
#[derive(Clone, Copy)]
pub struct QuickSearch {
    /// The person's switch.
    on: RwSignal<bool>,
    pub ended: RwSignal<QuickEnd>,
    /// Wirings of the session with the searches that found them, oldest first.
    earlier: StoredValue<Vec<(ShownWiring, Option<Run>)>>,
}

impl QuickSearch {
    pub(super) fn new() -> QuickSearch {
        QuickSearch {
            on: RwSignal::new(browser::stored(OFF).is_none_or(|text| text.is_empty())),
            ended: RwSignal::new(QuickEnd::Found),
            earlier: StoredValue::new(Vec::new()),
        }
    }

    /// `true` if the person and the studio want quick searches.
    pub fn is_on(self) -> bool {
        self.on.get() && self.ended.get() != QuickEnd::Off
    }

    /// Turns quick searches on or off. The browser remembers it.
    pub fn switch(self, on: bool) {
        self.on.set(on);
        browser::store(OFF, if on { "" } else { "off" });
    }

    /// Forgets the wirings of the session that was left.
    pub(super) fn forget(self) {
        self.earlier.set_value(Vec::new());
        if self.ended.get_untracked() != QuickEnd::Off {
            self.ended.set(QuickEnd::Found);
        }
    }

    /// Keeps a wiring in place of an earlier one for the same spec.
    pub(super) fn keep(self, held: ShownWiring, run: Option<Run>) {
        self.earlier.update_value(|earlier| {
            earlier.retain(|(other, _)| other.spec_text != held.spec_text);
            earlier.push((held, run));
            let extra = earlier.len().saturating_sub(MAX_EARLIER);
            earlier.drain(..extra);
        });
    }

    /// The latest wiring for a spec.
    pub(super) fn earlier_for(self, spec: &Spec) -> Option<(ShownWiring, Option<Run>)> {
        self.earlier.with_value(|all| all.iter().rfind(|(held, _)| held.spec.has_same_wirings(spec)).cloned())
    }
}

/// The signals of an improvement.
#[derive(Clone, Copy)]
pub struct Improvement {
    pub(super) work: Work,
    /// The try in progress, in words.
    pub trying: RwSignal<Option<String>>,
    /// The best design so far.
    pub(super) best: StoredValue<Option<ShownWiring>>,
    /// The spec on screen at the start, and its figures.
    pub(super) start: StoredValue<Option<(String, Figures, Aim)>>,
}

impl Improvement {
    pub(super) fn new() -> Improvement {
        Improvement {
            work: Work::new(),
            trying: RwSignal::new(None),
            best: StoredValue::new(None),
            start: StoredValue::new(None),
        }
    }
}

/// The signals of results.
#[derive(Clone, Copy)]
pub struct Results {
    /// The valid spec, or all faults.
    pub resolved: Memo<Result<Arc<Spec>, Vec<Fault>>>,
    /// Faults found while the pairs are built.
    pub demand_faults: RwSignal<Vec<Fault>>,
    /// Everything that follows from the last valid spec.
    pub asked: RwSignal<Option<ValidSpec>>,
    /// Counts pairs and asks for limits again.
    pub recount: Trigger,
    pub held: RwSignal<Option<ShownWiring>>,
    pub judged: RwSignal<Option<WiringVerdict>>,
    /// Effect of failed parts; `None` without any.
    pub damage: RwSignal<Option<Damage>>,
    pub figures: RwSignal<Option<Arc<Vec<FigureRow>>>>,
    pub index: RwSignal<Option<Arc<MapIndex>>>,
    pub busy: RwSignal<Option<&'static str>>,
    pub run: RwSignal<Option<Run>>,
    pub quick: QuickSearch,
    pub improving: Improvement,
    /// The spec of that search.
    run_spec: Memo<Option<Arc<Spec>>>,
    pub board: RwSignal<Option<WatchedBoard>>,
    pub curves: RwSignal<Curves>,
}

impl Results {
    pub(super) fn new(session: Session, view: View) -> Results {
        let resolved = Memo::new(move |_| {
            let is_catalogue = view.place.with(Place::is_hardware);
            let resolve = if is_catalogue { Draft::resolve_catalogue } else { Draft::resolve };
            session.draft.with(resolve).map(Arc::new).map_err(|faults| faults.0)
        });
        let run = RwSignal::new(None::<Run>);
        let run_id = Memo::new(move |_| run.with(|run| run.as_ref().map(|run| run.view.id.clone())));
        let run_spec = Memo::new(move |_| {
            // Reading it makes it follow the run; tracking alone would not.
            run_id.get()?;
            run.with_untracked(|run| read_spec(run.as_ref()?.view.asked.spec()).ok().map(Arc::new))
        });
        Results {
            resolved,
            demand_faults: RwSignal::new(Vec::new()),
            asked: RwSignal::new(None),
            recount: Trigger::new(),
            held: RwSignal::new(None),
            judged: RwSignal::new(None),
            damage: RwSignal::new(None),
            figures: RwSignal::new(None),
            index: RwSignal::new(None),
            busy: RwSignal::new(None),
            run,
            quick: QuickSearch::new(),
            improving: Improvement::new(),
            run_spec,
            board: RwSignal::new(None),
            curves: RwSignal::new(Curves::default()),
        }
    }

    /// Reads what follows from the last valid spec.
    pub fn of_asked<T>(self, read: impl FnOnce(&ValidSpec) -> T) -> Option<T> {
        self.asked.with(|asked| asked.as_ref().map(read))
    }

    /// Reads the wiring on screen.
    pub fn of_held<T>(self, read: impl FnOnce(&ShownWiring) -> T) -> Option<T> {
        self.held.with(|held| held.as_ref().map(read))
    }

    /// Reads its verdict.
    pub fn of_judged<T>(self, read: impl FnOnce(&WiringVerdict) -> T) -> Option<T> {
        self.judged.with(|judged| judged.as_ref().map(read))
    }

    /// Reads the effect of failed parts.
    pub fn of_damage<T>(self, read: impl FnOnce(&Damage) -> T) -> Option<T> {
        self.damage.with(|damage| damage.as_ref().map(read))
    }

    /// Reads the search being followed.
    pub fn of_run<T>(self, read: impl FnOnce(&Run) -> T) -> Option<T> {
        self.run.with(|run| run.as_ref().map(read))
    }

    /// Reads the hardware search being followed.
    pub fn of_board<T>(self, read: impl FnOnce(&WatchedBoard) -> T) -> Option<T> {
        self.board.with(|board| board.as_ref().map(read))
    }

    /// Every fault of the spec on screen.
    pub fn faults(self) -> Vec<Fault> {
        match self.resolved.get() {
            Err(faults) => faults,
            Ok(_) => self.demand_faults.get(),
        }
    }

    /// Reason why results on screen are outdated; `None` if they are not.
    pub fn outdated(self) -> Option<OutdatedReason> {
        if !self.faults().is_empty() {
            return self.asked.with(Option::is_some).then_some(OutdatedReason::Faults);
        }
        self.of_judged(|j| j.spec_changed).unwrap_or_default().then_some(OutdatedReason::Wiring)
    }

    /// `true` if the search being followed is not for the spec on screen.
    pub fn is_run_outdated(self) -> bool {
        let differs = |asked: &ValidSpec| {
            self.run_spec.with(|spec| spec.as_ref().is_some_and(|spec| !spec.has_same_wirings(&asked.spec)))
        };
        !self.faults().is_empty() || self.of_asked(differs).unwrap_or_default()
    }

    /// Coverage of the best wiring.
    pub fn coverage(self) -> Option<Coverage> {
        let fractional = self.is_fractional();
        let checked = self.judged.with(|judged| {
            let WiringVerdict { verdict, .. } = judged.as_ref().filter(|judged| !judged.spec_changed)?;
            let weight = fractional.then(|| weight_served(verdict));
            Some(CoverageCounts {
                requested: verdict.requested,
                uncovered: verdict.uncovered.len() as u64,
                weight,
            })
        });
        self.run.with(|run| Coverage::of(run.as_ref(), checked))
    }

    /// Coverage of the wiring on the map, if that is the best one and for the spec on screen.
    pub fn coverage_of_map(self) -> Option<Coverage> {
        let is_current = self.of_judged(|judged| !judged.spec_changed).unwrap_or_default();
        self.coverage().filter(|coverage| is_current && !coverage.is_ahead)
    }

    /// The pairs that a wiring was made for, if they are at hand.
    pub fn demand_of(self, held: &ShownWiring) -> Option<Arc<Demand>> {
        self.asked.with(|a| a.as_ref().filter(|a| *a.spec == *held.spec).map(|a| a.demand.clone()))
    }

    /// `true` if the objective is to cover as much weight as fits.
    pub fn is_fractional(self) -> bool {
        self.asked.with(|a| a.as_ref().is_some_and(|a| a.spec.objective == Objective::Fractional))
    }

    /// `true` while a search is queued or running.
    pub fn is_searching(self) -> bool {
        self.run.with(|run| run.as_ref().is_some_and(|run| !run.is_over()))
    }

    /// `true` while an earlier time of a search is on screen.
    pub fn is_replaying(self) -> bool {
        self.run.with(|run| run.as_ref().is_some_and(|run| run.replays))
    }
}

/// Changes the work of a signal, if there is some.
pub fn change<T: Send + Sync + 'static>(work: RwSignal<Option<T>>, change: impl FnOnce(&mut T)) {
    work.update(|work| {
        if let Some(work) = work {
            change(work);
        }
    });
}

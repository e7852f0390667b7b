//! What the whole studio shares: the signals that panels read, and the actions that change more than one of them.

mod links;

use crate::{
    browser,
    state::{
        board::{self, BoardForm, Watched},
        choices::Choices,
        compare::Prices,
        map::View,
        picture::Picture,
        place::Place,
        recent::{Kept, KeptWiring, Recent},
        routes::Ends,
        run::Run,
        search::SearchForm,
        session::{Action, Session},
        simulate::{Curves, SimulateForm},
        theme::Choice,
        tie::Followed,
        wiring::Table,
    },
};
use leptos::prelude::*;
use shared::{
    analysis::{
        bounds::{Bounds, Refusal, Standing},
        figures::FigureRow,
        leftout::LeftOut,
        map::MapIndex,
    },
    api::{DesignView, GalleryEntry, Problem},
    demand::Demand,
    design::{Design, Verdict},
    spec::{Fault, Objective, Spec},
};
use std::sync::Arc;

/// Where recent sessions are stored.
const RECENT: &str = "crosspoint.recent";
/// Where a tab stores which of them it shows.
pub const SESSION: &str = "crosspoint.session";
/// What is stored there in front of a ready spec's name.
pub const READY: &str = "ready:";
/// Where the theme is stored; the page reads it before the studio starts.
const THEME: &str = "crosspoint.theme";
/// What follows from a valid spec.
#[derive(Clone)]
pub struct Asked {
    /// The spec.
    pub spec: Arc<Spec>,
    /// Its pairs.
    pub demand: Arc<Demand>,
    /// Why no wiring can exist, if it is proven.
    pub refusal: Option<Refusal>,
    /// The narrowest switches that are not proven too narrow, and the fewest that are not proven too few.
    pub bounds: Arc<Bounds>,
    /// A picture of each pattern.
    pub pictures: Arc<Vec<Picture>>,
}

/// A wiring on screen.
#[derive(Clone)]
pub struct Held {
    /// Its text table.
    pub table: Arc<str>,
    /// The wiring.
    pub design: Arc<Design>,
    /// The text of the spec it was made for.
    pub spec_text: Arc<str>,
    /// That spec.
    pub spec: Arc<Spec>,
    /// Where it comes from, in words.
    pub origin: String,
    /// What the server kept, if it has.
    pub kept: Option<Arc<DesignView>>,
}

/// What the checker says of the wiring on screen, by the spec on screen.
#[derive(Clone)]
pub struct Judged {
    /// The wiring that was judged.
    pub design: Arc<Design>,
    /// The verdict.
    pub verdict: Arc<Verdict>,
    /// What would help.
    pub advice: Arc<Vec<String>>,
    /// How close it is to the bounds; none if it is for another number of PEs.
    pub standing: Option<Standing>,
    /// The heaviest of the pairs that it leaves uncovered.
    pub left_out: Arc<Vec<LeftOut>>,
    /// Whether the spec has been changed since the wiring was made.
    pub spec_changed: bool,
}

/// Which tab below the panels is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The wiring table.
    #[default]
    Wiring,
    /// The figures.
    Figures,
    /// The routes, and what faults take.
    Routes,
    /// The labels.
    Labels,
    /// Other networks beside it.
    Compare,
    /// What traffic does.
    Simulate,
    /// All files.
    Export,
}

/// Something to tell above the panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Whether something went wrong.
    pub bad: bool,
    /// What to tell.
    pub text: String,
    /// More lines.
    pub lines: Vec<String>,
}

/// All signals.
#[derive(Clone, Copy)]
pub struct Studio {
    /// The page.
    pub place: RwSignal<Place>,
    /// The spec being edited.
    pub session: RwSignal<Session>,
    /// When this session began, which is its name among the recent ones.
    pub key: RwSignal<u64>,
    /// The valid spec or all faults.
    pub resolved: Memo<Result<Arc<Spec>, Vec<Fault>>>,
    /// What follows from the last valid spec.
    pub asked: RwSignal<Option<Asked>>,
    /// The wiring on screen.
    pub held: RwSignal<Option<Held>>,
    /// What the checker says of it.
    pub judged: RwSignal<Option<Judged>>,
    /// Its figures, while their tab is open.
    pub figures: RwSignal<Option<Arc<Vec<FigureRow>>>>,
    /// The map, prepared.
    pub index: RwSignal<Option<Arc<MapIndex>>>,
    /// What is being computed, in words.
    pub busy: RwSignal<Option<String>>,
    /// What to start a search with.
    pub search: RwSignal<SearchForm>,
    /// The search being followed.
    pub run: RwSignal<Option<Run>>,
    /// What to start a search over hardware with.
    pub board_form: RwSignal<BoardForm>,
    /// The session's last search over hardware.
    pub board_id: RwSignal<Option<String>>,
    /// The search over hardware that is followed.
    pub board: RwSignal<Option<Watched>>,
    /// Which part of the map is seen.
    pub view: RwSignal<View>,
    /// How the wiring table is seen.
    pub table: RwSignal<Table>,
    /// Settings of exports, as typed.
    pub choices: RwSignal<Choices>,
    /// The two PEs whose ways are looked at.
    pub ends: RwSignal<Ends>,
    /// What networks are compared at.
    pub prices: RwSignal<Prices>,
    /// Networks that are compared besides, as typed.
    pub besides: RwSignal<String>,
    /// What to simulate.
    pub simulate: RwSignal<SimulateForm>,
    /// What was simulated.
    pub curves: RwSignal<Curves>,
    /// The open tab.
    pub tab: RwSignal<Tab>,
    /// The chosen theme.
    pub theme: RwSignal<Choice>,
    /// Whether the page is dark.
    pub dark: Memo<bool>,
    /// The ready specs.
    pub gallery: RwSignal<Vec<GalleryEntry>>,
    /// The sessions this browser has seen.
    pub recent: RwSignal<Recent>,
    /// Something to tell.
    pub notice: RwSignal<Option<Notice>>,
    /// When the session was last stored here, as a time of day.
    pub stored: RwSignal<Option<String>>,
    /// Whether the list of shortcuts is open.
    pub help: RwSignal<bool>,
}

impl Studio {
    /// The studio before anything has happened.
    pub fn new() -> Studio {
        let session = RwSignal::new(Session::default());
        let theme = RwSignal::new(Choice::named(&browser::stored(THEME).unwrap_or_default()));
        let system = RwSignal::new(browser::system_is_dark());
        browser::on_system_theme(move |dark| system.set(dark));
        // Paper is light.
        let printing = RwSignal::new(false);
        browser::on_print(move |now| printing.set(now));
        let (path, fragment) = browser::address();
        let place = RwSignal::new(Place::of(&path, &fragment));
        Studio {
            place,
            session,
            key: RwSignal::new(browser::now()),
            resolved: Memo::new(move |_| {
                let is_catalogue = place.with(Place::is_hardware);
                let spec = session.with(|s| if is_catalogue { s.resolve_catalogue() } else { s.resolve() });
                spec.map(Arc::new).map_err(|faults| faults.0)
            }),
            asked: RwSignal::new(None),
            held: RwSignal::new(None),
            judged: RwSignal::new(None),
            figures: RwSignal::new(None),
            index: RwSignal::new(None),
            busy: RwSignal::new(None),
            search: RwSignal::new(SearchForm::default()),
            run: RwSignal::new(None),
            board_form: RwSignal::new(BoardForm::default()),
            board_id: RwSignal::new(None),
            board: RwSignal::new(None),
            view: RwSignal::new(View::all(1)),
            table: RwSignal::new(Table::default()),
            choices: RwSignal::new(Choices::default()),
            ends: RwSignal::new(Ends::default()),
            prices: RwSignal::new(Prices::default()),
            besides: RwSignal::new(String::new()),
            simulate: RwSignal::new(SimulateForm::default()),
            curves: RwSignal::new(Curves::default()),
            tab: RwSignal::new(Tab::default()),
            theme,
            dark: Memo::new(move |_| !printing.get() && theme.get().is_dark(system.get())),
            gallery: RwSignal::new(Vec::new()),
            recent: RwSignal::new(Recent::read(&browser::stored(RECENT).unwrap_or_default())),
            notice: RwSignal::new(None),
            stored: RwSignal::new(None),
            help: RwSignal::new(false),
        }
    }

    /// The studio that the surrounding page provides.
    pub fn here() -> Studio {
        expect_context()
    }

    /// The pairs that a wiring was made for, if they are at hand.
    pub fn demand_of(self, held: &Held) -> Option<Arc<Demand>> {
        self.asked.with(|a| a.as_ref().filter(|a| *a.spec == *held.spec).map(|a| a.demand.clone()))
    }

    /// Edits the spec. The wiring stays; what no longer holds is marked by the checker.
    pub fn edit(self, action: Action) {
        self.session.update(|s| s.update(action));
        self.remember();
    }

    /// Begins a session with a spec's text: nothing to undo, no wiring.
    pub fn open(self, text: &str) {
        self.session.set(Session::open(text));
        self.key.set(browser::now());
        self.held.set(None);
        self.run.set(None);
        self.board_id.set(None);
        self.board.set(None);
        self.simulate.set(SimulateForm::default());
        self.curves.set(Curves::default());
        self.notice.set(None);
        self.stored.set(None);
        self.view.update(|v| *v = View::all(v.pes));
    }

    /// Carries out what happened to the board that is followed.
    pub fn act_on_board(self, action: board::Action) {
        self.board.update(|board| {
            if let Some(board) = board {
                board.update(action);
            }
        });
    }

    /// Whether nothing was opened yet.
    pub fn is_blank(self) -> bool {
        self.session.with_untracked(|s| s.document().text.is_empty())
    }

    /// Whether the page is that of the session's hardware.
    pub fn is_at_hardware(self) -> bool {
        matches!(self.place.get_untracked(), Place::Hardware | Place::Board(_))
    }

    /// Whether as much weight as fits is wanted, not every pair.
    pub fn is_fractional(self) -> bool {
        self.asked.with(|a| a.as_ref().is_some_and(|a| a.spec.objective == Objective::Fractional))
    }

    /// Leaves the page for another one of ours.
    pub fn go(self, place: Place) {
        if browser::address().0 != place.address() {
            browser::push_address(&place.address());
        }
        self.place.set(place);
    }

    /// The spec's TOML text.
    pub fn text(self) -> String {
        self.session.with(|s| s.document().text.clone())
    }

    /// What people call the spec.
    pub fn name(self) -> String {
        self.session.with(|s| s.document().form.name.clone())
    }

    /// Keeps the session in this browser.
    pub fn remember(self) {
        let run = self.run.with_untracked(|r| r.as_ref().map(|r| r.view.id.clone()));
        let wiring = self.held.get_untracked().filter(|_| run.is_none()).map(|held| KeptWiring {
            spec: held.spec_text.to_string(),
            table: held.table.to_string(),
            origin: held.origin.clone(),
        });
        let kept = Kept {
            key: self.key.get_untracked(),
            text: self.session.with_untracked(|s| s.document().text.clone()),
            name: self.session.with_untracked(|s| s.document().form.name.clone()),
            run,
            board: self.board_id.get_untracked(),
            wiring,
            changed: browser::now(),
        };
        browser::store_for_tab(SESSION, &kept.key.to_string());
        // Other tabs have kept theirs in the meantime.
        self.read_recent();
        self.recent.update(|r| r.keep(kept));
        let mut stored = self.recent.with_untracked(|r| browser::store(RECENT, &r.write()));
        while !stored && self.recent.try_update(Recent::forget_oldest) == Some(true) {
            stored = self.recent.with_untracked(|r| browser::store(RECENT, &r.write()));
        }
        self.stored.set(stored.then(browser::time_of_day));
    }

    /// Reads the sessions again that this browser keeps: other tabs keep theirs in the same place.
    pub fn read_recent(self) {
        if let Some(text) = browser::stored(RECENT) {
            self.recent.set(Recent::read(&text));
        }
    }

    /// The session that this tab shows, by its name among the recent ones.
    pub fn own_key() -> Option<u64> {
        browser::stored_for_tab(SESSION)?.parse().ok()
    }

    /// Begins with a ready spec, which a reloaded page shows again.
    pub fn pick(self, entry: &GalleryEntry) {
        self.open(&entry.spec);
        browser::store_for_tab(SESSION, &format!("{READY}{}", entry.id));
    }

    /// The ready spec that this tab shows unchanged.
    pub fn picked() -> Option<String> {
        Some(browser::stored_for_tab(SESSION)?.strip_prefix(READY)?.to_owned())
    }

    /// Chooses the next theme.
    pub fn next_theme(self) {
        self.theme.update(|t| *t = t.next());
        browser::store(THEME, self.theme.get_untracked().name());
    }

    /// Tells something, for a while.
    pub fn tell(self, text: impl Into<String>) {
        let notice = Notice { bad: false, text: text.into(), lines: Vec::new() };
        self.notice.set(Some(notice.clone()));
        leptos::task::spawn_local(async move {
            browser::sleep(8000).await;
            if self.notice.with_untracked(|n| n.as_ref() == Some(&notice)) {
                self.notice.set(None);
            }
        });
    }

    /// Tells what went wrong.
    pub fn complain(self, text: impl Into<String>, lines: Vec<String>) {
        self.notice.set(Some(Notice { bad: true, text: text.into(), lines }));
    }

    /// Tells a problem in the server's words.
    pub fn problem(self, problem: Problem) {
        let text = in_words(&problem);
        self.complain(text, faults_of(&problem));
    }
}

/// The faults of a problem, a line each.
pub fn faults_of(problem: &Problem) -> Vec<String> {
    let faults = problem.faults.iter().map(ToString::to_string);
    faults.chain(problem.table_faults.iter().map(ToString::to_string)).collect()
}

/// A problem as a sentence, without its faults.
pub fn in_words(problem: &Problem) -> String {
    match (problem.title.trim_end_matches('.'), problem.detail.as_str()) {
        ("", detail) => detail.to_owned(),
        (title, "") => format!("{title}."),
        (title, detail) => format!("{title}: {detail}"),
    }
}

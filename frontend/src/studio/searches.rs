//! Searches and hardware searches: fetching the best wiring while a search improves, and opening the design of a cell.

use super::{
    ShownWiring, Studio, change,
    follow::{FollowedWork, Follower, PagedWork},
};
use crate::{
    api, browser, rights,
    state::{
        board::WatchedBoard,
        compare::add_network,
        connection::{Connection, Event},
        draft,
        place::{Place, Room},
        quick::{QuickEnd, QuickResult},
        recent::RecentDrafts,
        run::Run,
        words::clock,
    },
    work::Turn,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{ContinueWork, FormTexts, QuickView, SearchReport, StartWork, WorkKind, WorkState, WorkView},
    hardware::Board,
};

/// The connection to the search that is followed.
pub type RunFollower = Follower<Runs>;

/// Searches.
#[derive(Clone, Copy)]
pub struct Runs {
    /// `true` while the best wiring is being fetched.
    fetching: StoredValue<bool>,
    /// `true` for a moment after that.
    resting: StoredValue<bool>,
}

impl FollowedWork for Runs {
    type Report = SearchReport;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio.result.run.with_untracked(|run| Some(run.as_ref().filter(|run| run.view.id == id)?.connection))
    }

    fn update(studio: Studio, id: &str, event: Event<SearchReport>) {
        let Some(before) = Self::connection(studio, id) else { return };
        change(studio.result.run, |run| run.apply(event));
        if !before.is_over() {
            tell_end(studio);
        }
    }

    fn changed(self, studio: Studio, id: &str) {
        self.fetch(studio, id);
    }
}

impl PagedWork for Runs {
    const KIND: WorkKind = WorkKind::Search;

    fn followed(studio: Studio) -> Option<String> {
        studio.result.run.with_untracked(|run| Some(run.as_ref()?.view.id.clone()))
    }

    fn form(studio: Studio) -> Option<FormTexts> {
        studio.session.search.with_untracked(|form| form.read().is_ok().then(|| FormTexts::of(&[form])))
    }

    fn show(studio: Studio, view: WorkView<SearchReport>) {
        studio.result.run.set(Some(Run::new(view)));
    }

    /// Opens the session in any case, with the spec as it was left.
    fn reopen(studio: Studio, view: &WorkView<SearchReport>) {
        studio.restore_or_open(|recent, own| recent.of_run(&view.id, own).cloned(), view.asked.spec());
        studio.session.search.set(view.asked.form.form());
    }
}

/// Says that the search has just ended: to those who watch the search of another browser, and to who asked for a notification.
fn tell_end(studio: Studio) {
    let Some(run) = studio.result.run.get_untracked().filter(Run::is_over) else { return };
    let words = match run.view.state {
        WorkState::Solved => format!("Solved in {}.", clock(run.progress().elapsed)),
        _ => format!("{}.", run.state_words()),
    };
    if !rights::started(&run.view.id) {
        studio.view.notify(words.clone());
    }
    if run.notifies {
        browser::show_notification(&format!("{}: {words}", studio.session.name_now()));
    }
}

impl Runs {
    /// Creates it with nothing to fetch.
    pub fn new() -> Runs {
        Runs { fetching: StoredValue::new(false), resting: StoredValue::new(false) }
    }

    /// Fetches the best wiring while the one on screen is older: one request at a time, with a pause in between.
    fn fetch(self, studio: Studio, id: &str) {
        let (wanted, over) = studio
            .result
            .run
            .with_untracked(|r| r.as_ref().map_or((false, false), |r| (r.has_better(), r.is_over())));
        if !wanted || self.fetching.get_value() || (self.resting.get_value() && !over) {
            return;
        }
        self.fetching.set_value(true);
        let id = id.to_owned();
        spawn_local(async move {
            let answered = self.fetch_once(studio, &id).await;
            self.fetching.set_value(false);
            self.resting.set_value(true);
            let pause = match studio.result.asked.with_untracked(|a| a.as_ref().map_or(0, |a| a.spec.pes)) {
                _ if !answered => 3000,
                0..4096 => 250,
                4096..32_768 => 1000,
                _ => 3000,
            };
            browser::sleep(pause).await;
            self.resting.set_value(false);
            if Self::connection(studio, &id).is_some() {
                self.fetch(studio, &id);
            }
        });
    }

    /// Returns `false` if the server could not be reached.
    async fn fetch_once(self, studio: Studio, id: &str) -> bool {
        let Some(run) = studio.result.run.get_untracked().filter(|r| r.view.id == id) else { return true };
        let revision = run.progress().revision;
        // Otherwise tried again after a pause.
        let Ok(table) = api::search_table(id).await else { return Self::connection(studio, id).is_none() };
        let held = match &table {
            Some(table) => {
                let seed = run.settings().map_or(1, |settings| settings.seed);
                Some(ShownWiring::load(run.view.asked.spec(), table, format!("search, seed {seed}")).await)
            }
            None => None,
        };
        if Self::connection(studio, id).is_none() {
            return true;
        }
        if let Some(held) = held {
            match held {
                Ok(held) => studio.result.held.set(Some(ShownWiring { revision: Some(revision), ..held })),
                Err(lines) => studio.view.show_error("The search sent a wiring that cannot be read.", lines),
            }
        }
        change(studio.result.run, |run| run.shown = run.shown.max(revision));
        true
    }
}

impl RunFollower {
    /// Continues the search on screen with the limit on screen in addition.
    pub fn extend(self, studio: Studio) {
        let Some(id) = Runs::followed(studio) else { return };
        let Some(mut form) = Runs::form(studio) else { return };
        form.0.retain(|key, _| key.starts_with("budget."));
        self.once(async move {
            studio.view.notice.set(None);
            match api::continue_search(&id, &ContinueWork { form }).await {
                Ok(view) => self.show(studio, view),
                Err(problem) => studio.view.show_problem(problem),
            }
        });
    }
}

/// Searches for some milliseconds while people type. Returns `None` in place of a wiring if the limit is too short.
pub async fn quick(studio: Studio, turn: Turn, request: StartWork) -> Option<Option<ShownWiring>> {
    let ended = studio.result.quick.ended;
    let view = match api::quick(&request, &turn.abort_signal()?).await {
        Ok(view) => view?,
        // It was only an attempt: Start says what is wrong.
        Err(_) => {
            ended.set(QuickEnd::Found);
            return None;
        }
    };
    let QuickView { table: Some(table), method, seconds, solved, .. } = view else {
        ended.set(if view.limit == 0.0 { QuickEnd::Off } else { QuickEnd::Longer(1000.0 * view.limit) });
        return Some(None);
    };
    ended.set(QuickEnd::Found);
    let seed = studio.session.search.with_untracked(|form| form.read().map_or(1, |settings| settings.seed));
    let found = QuickResult { method, seconds, solved, limit: view.limit };
    ShownWiring::found(request.spec(), &table, format!("search, seed {seed}"), found).await.map(Some)
}

/// The connection to the hardware search that is followed.
pub type BoardFollower = Follower<Boards>;

/// Hardware searches.
#[derive(Clone, Copy)]
pub struct Boards;

impl FollowedWork for Boards {
    type Report = Board;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio
            .result
            .board
            .with_untracked(|board| Some(board.as_ref().filter(|b| b.view.id == id)?.connection))
    }

    fn update(studio: Studio, id: &str, event: Event<Board>) {
        if Self::connection(studio, id).is_some() {
            change(studio.result.board, |board| board.apply(event));
        }
    }
}

impl PagedWork for Boards {
    const KIND: WorkKind = WorkKind::Hardware;

    fn followed(studio: Studio) -> Option<String> {
        studio.result.board.with_untracked(|board| Some(board.as_ref()?.view.id.clone()))
    }

    fn form(studio: Studio) -> Option<FormTexts> {
        studio.session.board_form.with_untracked(|form| form.read().is_ok().then(|| FormTexts::of(&[form])))
    }

    fn show(studio: Studio, view: WorkView<Board>) {
        studio.session.board_id.set(Some(view.id.clone()));
        studio.result.board.set(Some(WatchedBoard::new(view)));
    }

    fn reopen(studio: Studio, view: &WorkView<Board>) {
        if studio.session.board_id.get_untracked().as_ref() != Some(&view.id) {
            let own_draft = |recent: &RecentDrafts, own| recent.of_board(&view.id, own).cloned();
            studio.restore_or_open(own_draft, view.asked.spec());
        }
        studio.session.board_form.set(view.asked.form.form());
    }
}

impl BoardFollower {
    /// Opens the best wiring of a cell, with the cell's hardware in the spec. It is one step, which can be undone.
    pub fn open_cell(self, studio: Studio, cell: usize) {
        let Some(id) = Boards::followed(studio) else { return };
        let hardware = studio.result.board.with_untracked(|b| {
            let board = b.as_ref()?.board();
            if let Some(networks) = &board.networks {
                return Some(networks.offers.get(cell)?.name());
            }
            let cell = board.cells.get(cell)?;
            Some(format!("{} NICs per node and {}-port switches", cell.nis, cell.ports))
        });
        self.once(async move {
            let design = match api::part(&id, cell).await {
                Ok(design) => design,
                Err(problem) => return studio.view.show_problem(problem),
            };
            let origin = match design.method.as_str() {
                "" => "hardware search".to_owned(),
                method => format!("hardware search: {method}"),
            };
            match ShownWiring::load(&design.spec, &design.table, origin).await {
                Ok(held) => {
                    if studio.view.viewing.get_untracked() {
                        studio.fork();
                    }
                    studio.result.run.set(None);
                    studio.edit(draft::Action::Replace(design.spec));
                    studio.result.held.set(Some(held));
                    studio.remember();
                    studio.view.enter(Place::Draft, Room::Design);
                    studio.view.notify(format!(
                        "Design for {}. Undo restores your own spec. The Hardware page has the results.",
                        hardware.unwrap_or_default()
                    ));
                }
                Err(lines) => studio.view.show_error("This design cannot be read.", lines),
            }
        });
    }

    /// Opens another network beside the design: in the comparison.
    pub fn open_network(self, studio: Studio, text: &str) {
        studio.session.networks.update(|networks| add_network(networks, text));
        studio.view.enter(Place::Draft, Room::Compare);
        browser::focus(&Room::Compare.id());
    }
}

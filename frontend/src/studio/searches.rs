//! Searches and hardware searches: fetching the best wiring while a search improves, and opening the design of a cell.

use super::{
    Held, Studio,
    follow::{Follower, Kind, Paged},
};
use crate::{
    api::{self, Answer},
    browser, rights,
    state::{
        board::{self, Watched},
        compare::add_network,
        connection::Connection,
        draft,
        place::{Place, Tab},
        recent::Recent,
        run::{Action, Run, typed_limit},
        words::clock,
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{BoardView, ContinueRun, RunState, RunView, WatchersView},
    hardware::BoardForm,
    search::{SearchForm, StartRun},
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

impl Kind for Runs {
    type View = RunView;
    type Action = Action;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio.result.run.with_untracked(|run| Some(run.as_ref().filter(|run| run.view.id == id)?.connection))
    }

    fn update(studio: Studio, id: &str, action: Action) {
        if Self::connection(studio, id).is_some() {
            let was_over = studio.result.run.with_untracked(|run| run.as_ref().is_none_or(Run::is_over));
            studio.result.run.update(|run| {
                if let Some(run) = run {
                    run.update(action);
                }
            });
            if !was_over {
                tell_end(studio);
            }
        }
    }

    fn listen(id: &str, act: impl Fn(Action) + Clone + 'static) -> Option<api::Events> {
        let mut events = api::job_events(id, &act)?;
        events.listen("progress", &act, |data| serde_json::from_str(data).ok().map(Action::Progress));
        events.listen("watchers", &act, |data| {
            serde_json::from_str::<WatchersView>(data).ok().map(|view| Action::Watchers(view.count))
        });
        events.listen("queue", &act, |data| serde_json::from_str(data).ok().map(Action::Queue));
        Some(events)
    }

    fn changed(follower: RunFollower, studio: Studio, id: &str) {
        follower.kind.fetch(studio, id);
    }
}

impl Paged for Runs {
    fn place(id: String) -> Place {
        Place::Run(id)
    }

    fn followed(studio: Studio) -> Option<String> {
        studio.result.run.with_untracked(|run| Some(run.as_ref()?.view.id.clone()))
    }

    fn start(studio: Studio) -> Option<impl Future<Output = Answer<RunView>>> {
        let request =
            studio.session.search.with_untracked(|form| form.read(&studio.session.text_now())).ok()?;
        Some(async move { api::start_job(&request).await })
    }

    fn show(studio: Studio, view: RunView) {
        studio.result.run.set(Some(Run::new(view)));
    }

    /// Opens the session in any case, with the spec as it was left.
    fn reopen(studio: Studio, view: &RunView) {
        studio.restore_or_open(|recent, own| recent.of_run(&view.id, own).cloned(), &view.spec);
        studio.session.search.set(SearchForm::of(&StartRun {
            spec: String::new(),
            budget: Some(typed_limit(view.budget)),
            seed: Some(view.seed),
            threads: Some(view.threads),
        }));
    }
}

/// Says that the search has just ended: to those who watch the search of another browser, and to who asked for a notification.
fn tell_end(studio: Studio) {
    let Some(run) = studio.result.run.get_untracked().filter(Run::is_over) else { return };
    let words = match run.view.state {
        RunState::Solved => format!("Solved in {}.", clock(run.view.progress.elapsed)),
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
        let revision = run.view.progress.revision;
        // Otherwise tried again after a pause.
        let Ok(table) = api::run_table(id).await else { return Self::connection(studio, id).is_none() };
        let held = match &table {
            Some(table) => {
                Some(Held::load(&run.view.spec, table, format!("search, seed {}", run.view.seed)).await)
            }
            None => None,
        };
        if Self::connection(studio, id).is_none() {
            return true;
        }
        if let Some(held) = held {
            match held {
                Ok(held) => studio.result.held.set(Some(Held { revision: Some(revision), ..held })),
                Err(lines) => studio.view.show_error("The search sent a wiring that cannot be read.", lines),
            }
        }
        Self::update(studio, id, Action::Shown(revision));
        true
    }
}

impl RunFollower {
    /// Continues the search on screen with the limit on screen in addition.
    pub fn extend(self, studio: Studio) {
        let Some(id) = Runs::followed(studio) else { return };
        let Ok(asked) = studio.session.search.with_untracked(|form| form.read("")) else { return };
        let Some(budget) = asked.budget else { return };
        self.once(async move {
            studio.view.notice.set(None);
            match api::continue_run(&id, &ContinueRun { budget }).await {
                Ok(view) => {
                    Runs::show(studio, view);
                    self.follow(studio, &id);
                }
                Err(problem) => studio.view.show_problem(problem),
            }
        });
    }
}

/// The connection to the hardware search that is followed.
pub type BoardFollower = Follower<Boards>;

/// Hardware searches.
#[derive(Clone, Copy)]
pub struct Boards;

impl Kind for Boards {
    type View = BoardView;
    type Action = board::Action;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio
            .result
            .board
            .with_untracked(|board| Some(board.as_ref().filter(|b| b.view.id == id)?.connection))
    }

    fn update(studio: Studio, id: &str, action: board::Action) {
        if Self::connection(studio, id).is_some() {
            studio.result.act_on_board(action);
        }
    }

    fn listen(id: &str, act: impl Fn(board::Action) + Clone + 'static) -> Option<api::Events> {
        let mut events = api::job_events(id, &act)?;
        let read = |data: &str| serde_json::from_str(data).ok().map(board::Action::Progress);
        events.listen("progress", &act, read);
        Some(events)
    }
}

impl Paged for Boards {
    fn place(id: String) -> Place {
        Place::Board(id)
    }

    fn followed(studio: Studio) -> Option<String> {
        studio.result.board.with_untracked(|board| Some(board.as_ref()?.view.id.clone()))
    }

    fn start(studio: Studio) -> Option<impl Future<Output = Answer<BoardView>>> {
        let text = studio.session.text_now();
        let request = studio.session.board_form.with_untracked(|form| form.read(&text)).ok()?;
        Some(async move { api::start_job(&request).await })
    }

    fn show(studio: Studio, view: BoardView) {
        studio.session.board_id.set(Some(view.id.clone()));
        studio.result.board.set(Some(Watched::new(view)));
    }

    fn reopen(studio: Studio, view: &BoardView) {
        if studio.session.board_id.get_untracked().as_ref() != Some(&view.id) {
            let own_draft = |recent: &Recent, own| recent.of_board(&view.id, own).cloned();
            studio.restore_or_open(own_draft, &view.asked.spec);
        }
        studio.session.board_form.set(BoardForm::of(&view.asked));
    }
}

impl BoardFollower {
    /// Opens the best wiring of a cell, with the cell's hardware in the spec. It is one step, which can be undone.
    pub fn open_cell(self, studio: Studio, cell: usize) {
        let Some(id) = Boards::followed(studio) else { return };
        let hardware = studio.result.board.with_untracked(|b| {
            let board = &b.as_ref()?.view.board;
            if let Some(networks) = &board.networks {
                return Some(networks.offers.get(cell)?.name());
            }
            let cell = board.cells.get(cell)?;
            Some(format!("{} NICs per node and {}-port switches", cell.nis, cell.ports))
        });
        self.once(async move {
            let design = match api::board_design(&id, cell).await {
                Ok(design) => design,
                Err(problem) => return studio.view.show_problem(problem),
            };
            let origin = match design.method.as_str() {
                "" => "hardware search".to_owned(),
                method => format!("hardware search: {method}"),
            };
            match Held::load(&design.spec, &design.table, origin).await {
                Ok(held) => {
                    studio.result.run.set(None);
                    studio.edit(draft::Action::Replace(design.spec));
                    studio.result.held.set(Some(held));
                    studio.remember();
                    studio.view.go(Place::Home);
                    browser::scroll_to_top();
                    studio.view.notify(format!(
                        "Design for {}. Undo restores your own spec. The Hardware tab has the results.",
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
        studio.view.tab.set(Tab::Compare);
        studio.view.go(Place::Home);
        browser::focus(&Tab::Compare.id());
    }
}

//! Searches over hardware: starting, following, stopping, and opening what was found for a cell.

use crate::{
    api, browser,
    pages::{
        runs::{self, Follower},
        studio::Studio,
    },
    state::{
        board::{Action, BoardForm, Watched},
        place::Place,
        session,
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::api::BoardView;

/// The line to the board that is followed.
#[derive(Clone, Copy)]
pub struct BoardFollower {
    /// What follows the session's run.
    runs: Follower,
    events: StoredValue<Option<api::Events>, LocalStorage>,
    /// A request is on its way: a second click makes no second one.
    asking: StoredValue<bool>,
}

impl BoardFollower {
    /// Follows nothing yet.
    pub fn new(runs: Follower) -> BoardFollower {
        BoardFollower { runs, events: StoredValue::new_local(None), asking: StoredValue::new(false) }
    }

    /// Starts a search over hardware for the spec on screen.
    pub fn start(self, studio: Studio) {
        let text = studio.session.with_untracked(|s| s.document().text.clone());
        let Some(request) = studio.board_form.with_untracked(|form| form.request(&text)) else { return };
        if self.asking.get_value() {
            return;
        }
        self.asking.set_value(true);
        studio.notice.set(None);
        spawn_local(async move {
            let answer = api::start_board(&request).await;
            self.asking.set_value(false);
            match answer {
                Ok(view) => {
                    studio.go(Place::Board(view.id.clone()));
                    self.follow(studio, view);
                    studio.remember();
                }
                Err(problem) => studio.problem(problem),
            }
        });
    }

    /// Asks the search to stop.
    pub fn stop(self, studio: Studio) {
        let Some(id) = followed(studio) else { return };
        studio.act_on_board(Action::Stop);
        spawn_local(async move {
            if let Err(problem) = api::stop_board(&id).await {
                studio.problem(problem);
            }
        });
    }

    /// Comes back to a board by its number. Unless the session on screen is the one it was started from, it is opened too.
    pub async fn come_back(self, studio: Studio, id: String) {
        let answer = api::board(&id).await;
        if studio.place.get_untracked() != Place::Board(id.clone()) {
            return;
        }
        match answer {
            Ok(view) => {
                if studio.board_id.get_untracked().as_deref() != Some(&id) {
                    studio.read_recent();
                    let own = Studio::own_key();
                    let edited = studio.recent.with_untracked(|r| r.of_board(&id, own).cloned());
                    match edited {
                        Some(kept) => {
                            runs::restore(studio, &kept);
                            // The session of another tab goes on there; here it is a copy.
                            if own != Some(kept.key) {
                                studio.key.set(browser::now());
                            }
                        }
                        None => studio.open(&view.asked.spec),
                    }
                }
                studio.board_form.set(BoardForm::of(&view.asked));
                self.follow(studio, view);
            }
            Err(problem) if problem.status == 404 => {
                super::super::begin_anew(studio, "There is no such search over hardware here.");
            }
            Err(problem) => studio.problem(problem),
        }
    }

    /// Follows a board until it is over.
    pub fn follow(self, studio: Studio, view: BoardView) {
        let (id, over) = (view.id.clone(), view.state.is_over());
        studio.board_id.set(Some(id.clone()));
        studio.board.set(Some(Watched::new(view)));
        self.leave();
        if !over {
            self.listen(studio, id);
        }
    }

    /// Follows nothing any more.
    pub fn leave(self) {
        self.events.set_value(None);
    }

    fn listen(self, studio: Studio, id: String) {
        let heard = id.clone();
        let events = api::follow_board(&id, move |action| {
            if followed(studio).as_ref() == Some(&heard) {
                studio.act_on_board(action);
            }
            let over = studio.board.with_untracked(|b| b.as_ref().is_none_or(Watched::is_over));
            if over {
                // Not inside the stream's own callback, which would be freed while it runs.
                spawn_local(async move { self.leave() });
            } else if self.events.with_value(|e| e.as_ref().is_some_and(api::Events::is_closed)) {
                spawn_local(self.again(studio, heard.clone()));
            }
        });
        self.events.set_value(events);
    }

    /// Makes a line again that the browser has given up.
    async fn again(self, studio: Studio, id: String) {
        self.leave();
        browser::sleep(2000).await;
        if followed(studio).as_ref() != Some(&id) {
            return;
        }
        if let Ok(view) = api::board(&id).await {
            studio.act_on_board(Action::Told(Box::new(view)));
        }
        if studio.board.with_untracked(|b| b.as_ref().is_some_and(|b| !b.is_over())) {
            self.listen(studio, id);
        }
    }

    /// Opens the best wiring of a cell in the session, with the cell's hardware in the spec: one step, which can be undone.
    pub fn open(self, studio: Studio, cell: usize) {
        let Some(id) = followed(studio) else { return };
        let what = studio.board.with_untracked(|b| {
            let cell = b.as_ref()?.view.board.cells.get(cell)?;
            Some(format!("{} NIs a PE and switches of {} ports", cell.nis, cell.ports))
        });
        if self.asking.get_value() {
            return;
        }
        self.asking.set_value(true);
        spawn_local(async move {
            let answer = api::board_design(&id, cell).await;
            self.asking.set_value(false);
            let design = match answer {
                Ok(design) => design,
                Err(problem) => return studio.problem(problem),
            };
            let origin = match design.method.as_str() {
                "" => "search over hardware".to_owned(),
                method => format!("search over hardware: {method}"),
            };
            match runs::hold(&design.spec, &design.table, origin) {
                Ok(held) => {
                    self.runs.leave();
                    studio.run.set(None);
                    studio.edit(session::Action::Replace(design.spec));
                    studio.held.set(Some(held));
                    studio.remember();
                    studio.go(Place::Home);
                    browser::scroll_to_top();
                    studio.tell(format!(
                        "This is the design for {}. Undo brings your own spec back; Hardware leads back to the board.",
                        what.unwrap_or_default()
                    ));
                }
                Err(lines) => studio.complain("This design cannot be read", lines),
            }
        });
    }
}

fn followed(studio: Studio) -> Option<String> {
    studio.board.with_untracked(|b| b.as_ref().map(|b| b.view.id.clone()))
}

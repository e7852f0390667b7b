//! Searches over hardware, and opening what was found for a cell.

use crate::{
    api::{self, Answer},
    browser,
    pages::{
        follow::{self, Kind, followed},
        runs::{self, Follower},
        studio::Studio,
    },
    state::{
        board::{Action, BoardForm, Watched},
        place::Place,
        recent::{Kept, Recent},
        session,
    },
};
use leptos::prelude::*;
use shared::api::BoardView;

/// The line to the board that is followed.
pub type BoardFollower = follow::Follower<Boards>;

/// Searches over hardware.
#[derive(Clone, Copy)]
pub struct Boards {
    /// What follows the session's run.
    pub runs: Follower,
}

impl Kind for Boards {
    type Search = Watched;

    const MISSING: &'static str = "There is no such search over hardware here.";

    fn signal(studio: Studio) -> RwSignal<Option<Watched>> {
        studio.board
    }

    fn place(id: String) -> Place {
        Place::Board(id)
    }

    fn ask(studio: Studio) -> Option<impl Future<Output = Answer<BoardView>>> {
        let text = studio.session.with_untracked(|s| s.document().text.clone());
        let request = studio.board_form.with_untracked(|form| form.request(&text))?;
        Some(async move { api::start_board(&request).await })
    }

    fn get(id: &str) -> impl Future<Output = Answer<BoardView>> {
        api::board(id)
    }

    fn stop(id: &str) -> impl Future<Output = Answer<()>> {
        api::stop_board(id)
    }

    fn listen(id: &str, act: impl Fn(Action) + Clone + 'static) -> Option<api::Events> {
        api::follow_board(id, act)
    }

    fn is_on_screen(studio: Studio, id: &str) -> bool {
        studio.board_id.get_untracked().as_deref() == Some(id)
    }

    fn kept<'a>(recent: &'a Recent, id: &str, own: Option<u64>) -> Option<&'a Kept> {
        recent.of_board(id, own)
    }

    fn spec(view: &BoardView) -> &str {
        &view.asked.spec
    }

    fn came_back(studio: Studio, view: &BoardView) {
        studio.board_form.set(BoardForm::of(&view.asked));
    }

    fn followed(self, studio: Studio, id: &str) {
        studio.board_id.set(Some(id.to_owned()));
    }
}

impl BoardFollower {
    /// Opens the best wiring of a cell in the session, with the cell's hardware in the spec: one step, which can be undone.
    pub fn open(self, studio: Studio, cell: usize) {
        let Some(id) = followed::<Boards>(studio) else { return };
        let what = studio.board.with_untracked(|b| {
            let cell = b.as_ref()?.view.board.cells.get(cell)?;
            Some(format!("{} NIs a PE and switches of {} ports", cell.nis, cell.ports))
        });
        self.once(async move {
            let answer = api::board_design(&id, cell).await;
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
                    self.kind.runs.leave();
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

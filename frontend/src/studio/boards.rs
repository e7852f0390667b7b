//! Hardware searches, and opening the design of a cell.

use super::{
    Held, Studio,
    follow::{Follower, Kind, Paged},
};
use crate::{
    api::{self, Answer},
    browser,
    state::{
        board::{Action, Watched},
        connection::Connection,
        draft,
        place::Place,
    },
};
use leptos::prelude::*;
use shared::{api::BoardView, hardware::BoardForm};

/// The connection to the hardware search that is followed.
pub type BoardFollower = Follower<Boards>;

/// Hardware searches.
#[derive(Clone, Copy)]
pub struct Boards;

impl Kind for Boards {
    type View = BoardView;
    type Action = Action;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio
            .result
            .board
            .with_untracked(|board| Some(board.as_ref().filter(|b| b.view.id == id)?.connection))
    }

    fn update(studio: Studio, id: &str, action: Action) {
        if Self::connection(studio, id).is_some() {
            studio.result.board.update(|board| {
                if let Some(board) = board {
                    board.update(action);
                }
            });
        }
    }
}

impl Paged for Boards {
    fn place(id: String) -> Place {
        Place::Board(id)
    }

    fn start(studio: Studio) -> Option<impl Future<Output = Answer<BoardView>>> {
        let text = studio.session.draft.with_untracked(|d| d.document().text.clone());
        let request = studio.session.board_form.with_untracked(|form| form.read(&text)).ok()?;
        Some(async move { api::start_job(&request).await })
    }

    fn show(studio: Studio, view: BoardView) {
        studio.session.board_id.set(Some(view.id.clone()));
        studio.result.board.set(Some(Watched::new(view)));
    }

    fn reopen(studio: Studio, view: &BoardView) {
        if studio.session.board_id.get_untracked().as_ref() != Some(&view.id) {
            let own_draft =
                |recent: &crate::state::recent::Recent, own| recent.of_board(&view.id, own).cloned();
            studio.restore_or_open(own_draft, &view.asked.spec);
        }
        studio.session.board_form.set(BoardForm::of(&view.asked));
    }
}

impl BoardFollower {
    /// Stops the hardware search that is followed.
    pub fn stop(self, studio: Studio) {
        if let Some(id) = followed(studio) {
            self.stop_job(studio, id);
        }
    }

    /// Opens the best wiring of a cell, with the cell's hardware in the spec. It is one step, which can be undone.
    pub fn open_cell(self, studio: Studio, cell: usize) {
        let Some(id) = followed(studio) else { return };
        let hardware = studio.result.board.with_untracked(|b| {
            let cell = b.as_ref()?.view.board.cells.get(cell)?;
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
            match Held::read(&design.spec, &design.table, origin) {
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
}

/// Id of the hardware search that is followed.
fn followed(studio: Studio) -> Option<String> {
    studio.result.board.with_untracked(|board| board.as_ref().map(|board| board.view.id.clone()))
}

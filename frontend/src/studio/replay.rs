//! Replay of an ended search: wirings that it found on its way take the place of the final one, with their progress and the chart
//! until then. So everything on screen follows from the same signals as during a search.
//!
//! The replay ends when the spec changes or another search takes the place of this one.

use super::{ShownWiring, Studio};
use crate::{
    api, browser,
    state::{
        run::Run,
        words::{grouped, percent, seconds},
    },
    work::Work,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    analysis::leftout::weight_served,
    api::ReplayFrame,
    design::{Design, table},
};
use std::sync::Arc;

/// Milliseconds of a whole replay.
const DURATION: usize = 10_000;
/// Max milliseconds of a frame.
const MAX_PACE: usize = 500;

/// The replay of the search on screen.
#[derive(Clone, Copy)]
pub struct Replayer {
    shown: RwSignal<Option<OpenReplay>>,
    /// Plays the frames.
    work: Work,
}

/// A replay that is open.
#[derive(Clone)]
struct OpenReplay {
    frames: Arc<Vec<ReplayFrame>>,
    /// Index of the frame on screen.
    at: usize,
    /// Wiring of the frame.
    design: Arc<Design>,
    /// The search and its wiring at the end.
    run: Run,
    held: ShownWiring,
}

impl Replayer {
    /// Creates it closed. It closes with the component that created it.
    pub fn new(studio: Studio) -> Replayer {
        let replayer = Replayer { shown: RwSignal::new(None), work: Work::new() };
        let id = Memo::new(move |_| studio.result.of_run(|run| run.view.id.clone()));
        let text = Memo::new(move |_| studio.session.draft.with(|draft| draft.document().text.clone()));
        Effect::new(move |before: Option<()>| {
            id.track();
            text.track();
            if before.is_some() {
                replayer.close(studio);
            }
        });
        on_cleanup(move || replayer.close(studio));
        replayer
    }

    /// `true` while a frame is on screen.
    pub fn is_open(self) -> bool {
        self.shown.with(Option::is_some)
    }

    /// `true` while it plays.
    pub fn is_playing(self) -> bool {
        self.work.running.get()
    }

    /// Index of the frame on screen.
    pub fn at(self) -> usize {
        self.shown.with(|shown| shown.as_ref().map_or(0, |shown| shown.at))
    }

    /// Index of the last frame, which is the final wiring.
    pub fn last(self) -> usize {
        self.shown.with(|shown| shown.as_ref().map_or(0, OpenReplay::last))
    }

    /// Fetches the frames and shows the first. Plays them, unless the person asked for less motion.
    pub fn open(self, studio: Studio) {
        let run = studio.result.run.get_untracked();
        let held = studio.result.held.get_untracked();
        let Some((run, held)) = run.zip(held).filter(|(run, _)| run.is_over()) else { return };
        let id = run.view.id.clone();
        spawn_local(async move {
            let answer = api::search_replay(&id).await;
            let is_same = |now: &Option<Run>| now.as_ref() == Some(&run);
            if self.shown.try_get_untracked().is_none() || !studio.result.run.with_untracked(is_same) {
                return;
            }
            match answer {
                Ok(view) if view.frames.len() > 1 => {
                    let (frames, design) = (Arc::new(view.frames), held.design.clone());
                    self.shown.set(Some(OpenReplay { frames, at: 0, design, run, held }));
                    self.show(studio, 0);
                    focus("replay-at");
                    if !browser::prefers_less_motion() {
                        self.play(studio);
                    }
                }
                Ok(_) => studio.view.notify("The studio has no earlier wirings of this search."),
                Err(problem) => studio.view.show_problem(problem),
            }
        });
    }

    /// Shows a frame.
    pub fn show(self, studio: Studio, at: usize) {
        let Some(mut shown) = self.shown.get_untracked() else { return };
        let at = at.min(shown.last());
        let progress = &shown.frames[at].progress;
        let held = if at == shown.last() { Ok(shown.held.clone()) } else { shown.wiring(at) };
        match held {
            Ok(held) => {
                studio.result.run.set(Some(shown.run.at(progress)));
                (shown.at, shown.design) = (at, held.design.clone());
                studio.result.held.set(Some(held));
                self.shown.set(Some(shown));
            }
            Err(lines) => {
                self.close(studio);
                studio.view.show_error("The replay has a wiring that cannot be read.", lines);
            }
        }
    }

    /// Pauses, or plays: from the start if the end is on screen.
    pub fn toggle(self, studio: Studio) {
        match self.work.running.get_untracked() {
            true => self.pause(),
            false => {
                if self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|s| s.at == s.last())) {
                    self.show(studio, 0);
                }
                self.play(studio);
            }
        }
    }

    /// Leaves the frame on screen.
    pub fn pause(self) {
        self.work.cancel();
    }

    /// Plays from the frame on screen to the end, and closes. A frame stays until it is checked.
    fn play(self, studio: Studio) {
        let last = self.shown.with_untracked(|shown| shown.as_ref().map_or(1, OpenReplay::last));
        let pace = (DURATION / last.max(1)).min(MAX_PACE) as u32;
        self.work.run(
            move |turn| {
                Some(async move {
                    loop {
                        turn.wait(pace).await?;
                        let shown = self.shown.get_untracked()?;
                        if shown.at == shown.last() {
                            return Some(());
                        }
                        if studio.result.judged.with_untracked(|j| shown.is_judged(j.as_ref())) {
                            self.show(studio, shown.at + 1);
                        }
                    }
                })
            },
            move |()| self.leave(studio),
        );
    }

    /// Closes the replay, and moves the focus from its controls to the button that opens it.
    pub fn leave(self, studio: Studio) {
        if self.shown.with_untracked(Option::is_none) {
            return;
        }
        let focused = browser::document().active_element().map(|element| element.id());
        self.close(studio);
        if focused.is_some_and(|id| id.starts_with("replay-")) {
            focus("replay");
        }
    }

    /// Returns to the final wiring, if what is on screen is of the replay.
    fn close(self, studio: Studio) {
        self.work.cancel();
        let Some(OpenReplay { design, run, held, .. }) = self.shown.try_update(Option::take).flatten() else {
            return;
        };
        let is_own = |now: &Run| now.replays && now.view.id == run.view.id;
        if studio.result.run.with_untracked(|now| now.as_ref().is_some_and(is_own)) {
            studio.result.run.set(Some(run));
        }
        let is_own =
            |now: &ShownWiring| Arc::ptr_eq(&now.design, &design) && !Arc::ptr_eq(&now.design, &held.design);
        if studio.result.held.with_untracked(|now| now.as_ref().is_some_and(is_own)) {
            studio.result.held.set(Some(held));
        }
    }

    /// The time on screen and its uncovered pairs.
    pub fn words(self, studio: Studio) -> String {
        let Some(shown) = self.shown.get() else { return String::new() };
        let time = |at: usize| seconds(shown.frames[at].progress.elapsed);
        let counts = studio.result.judged.with(|judged| match judged {
            Some(judged) if shown.is_judged(Some(judged)) => {
                let (left, all) = (judged.verdict.uncovered.len() as u64, judged.verdict.requested);
                if studio.result.is_fractional() && left > 0 {
                    return format!("{} of the weight covered", percent(weight_served(&judged.verdict)));
                }
                format!("{} of {} uncovered", grouped(left), grouped(all))
            }
            _ => "checking".into(),
        });
        format!("Replay, {} of {}: {counts}", time(shown.at), time(shown.last()))
    }
}

/// Moves the focus to an element that is about to be drawn.
fn focus(id: &'static str) {
    spawn_local(async move {
        browser::breathe().await;
        if let Some(element) = browser::element(id) {
            let _ = element.focus();
        }
    });
}

impl OpenReplay {
    fn last(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// The wiring of a frame, for the spec of the final one.
    fn wiring(&self, at: usize) -> Result<ShownWiring, Vec<String>> {
        let ReplayFrame { progress, table } = &self.frames[at];
        let words =
            |faults: Vec<shared::form::LineFault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>();
        let design = Arc::new(table::parse(table, self.held.spec.pes).map_err(words)?);
        Ok(ShownWiring {
            table: table.as_str().into(),
            design,
            origin: format!("{}, after {}", self.held.origin, seconds(progress.elapsed)),
            kept: None,
            revision: Some(progress.revision),
            ..self.held.clone()
        })
    }

    /// `true` if this verdict is of the frame on screen.
    fn is_judged(&self, judged: Option<&super::WiringVerdict>) -> bool {
        judged.is_some_and(|judged| Arc::ptr_eq(&judged.design, &self.design))
    }
}

//! Searches while people type: the view follows the spec, and undo brings back the wiring of the spec that it restores.

use super::{ShownWiring, Studio, ValidSpec, judge::LARGE, late};
use crate::{
    state::{draft::Draft, place::Place},
    work::{Work, keep_current},
};
use leptos::prelude::*;
use shared::{
    api::{FormTexts, StartWork, WorkKind},
    spec::Spec,
};
use std::sync::Arc;

/// Milliseconds without a change before a search.
const PAUSE: u32 = 150;
/// Max requested pairs: counting more takes too long.
const MAX_PAIRS: usize = 1 << 18;

/// Keeps the wiring on screen up to date with the spec, for as long as the page lives.
pub fn follow(studio: Studio) -> Work {
    let result = studio.result;
    Effect::new(move |_| {
        let Some(held) = result.held.get() else { return };
        let run = result.run.get_untracked().filter(|_| held.revision.is_some());
        // Undo leads back to each spec with a wiring of its own.
        if *held.spec_text == *studio.session.text_now() {
            studio.session.draft.update_untracked(Draft::end_step);
        }
        result.quick.keep(held, run);
    });
    // A wiring is kept with its search as the search ended.
    let ended = Memo::new(move |_| result.of_run(|run| run.is_over().then(|| run.view.id.clone())).flatten());
    Effect::new(move |_| {
        if ended.get().is_some()
            && let Some((held, run)) = result.held.get_untracked().zip(result.run.get_untracked())
            && held.revision == Some(run.progress().revision)
        {
            result.quick.keep(held, Some(run));
        }
    });
    let lacking = Memo::new(move |_| lacking(studio));
    Effect::new(move |_| {
        let earlier = lacking.get().and_then(|spec| result.quick.earlier_for(&spec));
        if let Some((held, run)) = earlier {
            studio.show_wiring(held, run);
        }
    });
    // The search of a memo runs again only if the request differs.
    let request = Memo::new(move |_| request(studio, lacking.get()?));
    keep_current(
        move |turn| {
            let request = request.get()?;
            Some(async move {
                turn.wait(PAUSE).await?;
                studio.ask(late::quick(studio, turn, request)).await?.await
            })
        },
        move |found: Option<ShownWiring>| {
            if let Some(held) = found {
                studio.take_found(held);
            }
        },
    )
}

/// The spec on screen if no wiring on screen is for it, and no search of it either.
fn lacking(studio: Studio) -> Option<Arc<Spec>> {
    let result = studio.result;
    let is_open =
        studio.view.place.with(|place| matches!(place, Place::Draft | Place::Link(_) | Place::Run(_)));
    if !is_open
        || studio.view.viewing.get()
        || result.is_searching()
        || result.is_replaying()
        || !result.faults().is_empty()
    {
        return None;
    }
    let spec = result.of_asked(|asked| asked.spec.clone())?;
    // Results may be those of an earlier spec.
    let is_current = result.resolved.with(|now| now.as_ref().is_ok_and(|now| Arc::ptr_eq(now, &spec)));
    let has_wiring = result.of_held(|held| held.spec.has_same_wirings(&spec)).unwrap_or_default();
    let has_run = result.run.with(Option::is_some) && !result.is_run_outdated();
    (is_current && !has_wiring && !has_run).then_some(spec)
}

/// The quick search that the spec on screen lacks. A wiring that no search found stays.
fn request(studio: Studio, spec: Arc<Spec>) -> Option<StartWork> {
    let result = studio.result;
    if !result.quick.is_on() || spec.pes >= LARGE {
        return None;
    }
    let is_wanted = |asked: &ValidSpec| asked.demand.len() <= MAX_PAIRS && asked.refusal().is_none();
    let is_free =
        result.of_held(ShownWiring::is_found).unwrap_or(true) && result.quick.earlier_for(&spec).is_none();
    if !is_free || !result.of_asked(is_wanted).unwrap_or_default() {
        return None;
    }
    let form = studio.session.search.with(|form| form.read().is_ok().then(|| FormTexts::of(&[form])))?;
    Some(StartWork {
        kind: WorkKind::Search,
        spec: Some(studio.session.text()),
        form,
        ..StartWork::default()
    })
}

impl Studio {
    /// Shows a wiring that a quick search found. It alone makes no draft: an example stays an example.
    fn take_found(self, held: ShownWiring) {
        match self.session.saved_at.with_untracked(Option::is_some) {
            true => self.show_wiring(held, None),
            // Nothing was edited since the session was opened, so no search is on screen.
            false => self.result.held.set(Some(held)),
        }
    }
}

//! Results computed in the browser: demand, bounds, map, verdict, figures.
//!
//! At 65,536 PEs each step takes hundreds of milliseconds. Between steps the page draws and takes input, and the run stops if the
//! spec or the wiring has changed.

use super::{
    Asked, Held, Judged, Results, Studio, View,
    judge::{LARGE, pause},
    late,
};
use crate::{
    state::{map, picture, place::Tab},
    work::{Turn, keep_current},
};
use leptos::prelude::*;
use shared::{
    analysis::map::MapIndex,
    demand::Demand,
    spec::{Fault, Spec},
};
use std::sync::Arc;

/// Milliseconds without a change before the pairs of a large machine are counted.
const PAUSE: u32 = 150;

/// Keeps all computed results up to date for as long as the page lives.
pub fn follow(studio: Studio) {
    let Studio { session, result, view } = studio;
    // The session and its last valid spec: faults leave its results in place.
    let valid = Memo::new(move |last: Option<&(u64, Option<Arc<Spec>>)>| {
        let key = session.key.get();
        let before = || last.filter(|last| last.0 == key).and_then(|last| last.1.clone());
        (key, result.resolved.get().ok().or_else(before))
    });
    let asking = keep_current(
        move |turn| {
            let (_, spec) = valid.get();
            if spec.is_none() {
                result.asked.set(None);
                result.index.set(None);
                result.judged.set(None);
            }
            spec.map(|spec| ask(turn, spec))
        },
        move |found| take_asked(result, view, found),
    );
    // Limits come with the pairs, but not before the part that computes them has loaded.
    keep_current(
        move |_| {
            let asked = result.asked.get().filter(|asked| asked.limits.is_none())?;
            Some(async move {
                let limits = studio.ask(late::limits(asked.spec.clone(), asked.demand.clone())).await?;
                Some(Asked { limits: Some(limits), ..asked })
            })
        },
        move |asked| result.asked.set(Some(asked)),
    );
    Effect::new(move |_| {
        result.asked.track();
        keep_despite_racks(studio);
    });
    let judging = keep_current(
        move |turn| result.asked.get().map(|asked| judge(turn, studio, asked, result.held.get())),
        move |judged| result.judged.set(judged),
    );
    keep_current(
        move |turn| {
            let judged = result.judged.get();
            let open = view.tab.get() == Tab::Figures;
            let found = judged.zip(result.asked.get_untracked()).filter(|_| open);
            if found.is_none() {
                result.figures.set(None);
            }
            found.map(
                |(judged, asked)| async move { studio.ask(late::figure(turn, judged, asked)).await?.await },
            )
        },
        move |found| result.figures.set(found),
    );
    Effect::new(move |_| {
        let large = valid.with(|(_, spec)| spec.as_ref().is_some_and(|spec| spec.pes >= LARGE));
        let words = match (asking.running.get(), judging.running.get()) {
            (true, _) => Some("Counting pairs"),
            (_, true) => Some("Checking every pair"),
            _ => None,
        };
        result.busy.set(words.filter(|_| large));
    });
}

/// Builds the demand and everything that follows from the spec alone.
async fn ask(turn: Turn, spec: Arc<Spec>) -> Option<Result<Asked, Vec<Fault>>> {
    let large = spec.pes >= LARGE;
    if large {
        turn.wait(PAUSE).await?;
    }
    let demand = match Demand::build(&spec) {
        Ok(demand) => Arc::new(demand),
        Err(faults) => return Some(Err(faults.0)),
    };
    pause(turn, large).await?;
    let pictures = Arc::new(picture::of_demand(&spec, &demand));
    pause(turn, large).await?;
    let limits = late::limits(spec.clone(), demand.clone()).now();
    Some(Ok(Asked { spec, demand, pictures, limits }))
}

fn take_asked(result: Results, view: View, found: Result<Asked, Vec<Fault>>) {
    match found {
        Ok(asked) => {
            if view.map.with_untracked(|map| map.pes) != asked.spec.pes {
                view.map.set(map::View::all(asked.spec.pes));
            }
            result.demand_faults.set(Vec::new());
            result.asked.set(Some(asked));
        }
        Err(faults) => result.demand_faults.set(faults),
    }
}

/// Takes the wiring on screen as one for the spec on screen if only racks differ: they change lengths, and no pair.
fn keep_despite_racks(studio: Studio) {
    let Some(held) = studio.result.held.get_untracked() else { return };
    let Some(spec) =
        studio.result.asked.with_untracked(|asked| asked.as_ref().map(|asked| asked.spec.clone()))
    else {
        return;
    };
    let moved = Spec { racks: spec.racks.clone(), ..(*held.spec).clone() };
    if held.spec.racks == spec.racks || moved != *spec || studio.result.is_searching() {
        return;
    }
    let (text, revision) = (studio.session.text_now(), held.revision);
    if let Ok(again) = Held::read(&text, &held.table, held.origin)
        && *again.spec == *spec
    {
        studio.result.held.set(Some(Held { revision, ..again }));
    }
}

/// Prepares the map and checks the wiring, if there is one.
async fn judge(turn: Turn, studio: Studio, asked: Asked, held: Option<Held>) -> Option<Option<Judged>> {
    let large = asked.spec.pes >= LARGE;
    pause(turn, large).await?;
    let design = held.as_ref().map(|h| h.design.clone());
    studio.result.index.set(Some(Arc::new(MapIndex::new(&asked.demand, design.as_deref()))));
    let Some(held) = held else { return Some(None) };
    pause(turn, large).await?;
    let judged = studio.ask(late::verdict(turn, asked, held)).await?.await?;
    Some(Some(judged))
}

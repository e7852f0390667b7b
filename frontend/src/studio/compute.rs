//! Results computed in the browser: demand, bounds, map, verdict, figures.
//!
//! For large machines the server computes bounds and figures, and the page counts and checks pairs in slices. Between slices the page
//! draws and takes input, and the run stops if the spec or the wiring has changed.

use super::{
    Limits, Results, ShownWiring, Studio, ValidSpec, View, WiringVerdict,
    judge::{LARGE, pause},
    late,
};
use crate::{
    api::{self, Answer},
    components::{PartCall, parts},
    state::{
        draft::read_spec,
        map,
        picture::Pictures,
        place::{Room, Scene},
        words::problem_words,
    },
    work::{SLICE, Turn, keep_current},
};
use leptos::prelude::*;
use shared::{
    analysis::{
        bounds::Refusal,
        figures::{FigureRow, figures, rows},
        map::MapIndex,
    },
    api::{AnalysisView, DemandView, SpecText, WorkKind},
    demand::{Building, Demand},
    spec::{Fault, Faults, Spec},
};
use std::{pin::Pin, sync::Arc};

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
            result.recount.track();
            let (_, spec) = valid.get();
            if spec.is_none() {
                result.asked.set(None);
                result.index.set(None);
                result.judged.set(None);
            }
            spec.map(|spec| ask(turn, studio, spec))
        },
        move |found| take_asked(result, view, found),
    );
    // Limits come with the pairs, but not before the part that computes them has loaded.
    keep_current(
        move |_| {
            let asked = result.asked.get().filter(|asked| asked.limits.is_none())?;
            Some(async move {
                let limits = studio.ask(late::limits(asked.spec.clone(), asked.demand.clone())).await?;
                Some(ValidSpec { limits: Some(Ok(limits)), ..asked })
            })
        },
        move |asked| result.asked.set(Some(asked)),
    );
    Effect::new(move |_| keep_wiring(studio));
    let judging = keep_current(
        move |turn| result.asked.get().map(|asked| judge(turn, studio, asked, result.held.get())),
        move |judged| result.judged.set(judged),
    );
    keep_current(
        move |_| {
            let found = result.judged.get().zip(studio.faults());
            if found.is_none() {
                result.damage.set(None);
            }
            let asked = result.asked.get_untracked();
            found
                .zip(asked)
                .map(|((judged, (faults, _)), asked)| studio.ask(late::damage(asked, judged, faults)))
        },
        move |damage| result.damage.set(Some(damage)),
    );
    keep_current(
        move |turn| {
            let judged = result.judged.get();
            let open = view.room() == Room::Design && view.scene.get() == Scene::Figures;
            let found = judged.zip(result.asked.get_untracked()).filter(|_| open);
            if found.is_none() {
                result.figures.set(None);
            }
            let held = result.held.get_untracked();
            found.zip(held).map(|((judged, asked), held)| async move {
                studio.ask(figures_of(studio, turn, judged, asked, held)).await?.await
            })
        },
        move |found| match found {
            Ok(rows) => result.figures.set(rows),
            Err(problem) => view.show_problem(problem),
        },
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
async fn ask(turn: Turn, studio: Studio, spec: Arc<Spec>) -> Option<Result<ValidSpec, Vec<Fault>>> {
    let text = studio.session.text_now();
    let large = spec.pes >= LARGE;
    if large {
        turn.wait(PAUSE).await?;
    }
    let demand = match build(turn, &spec, large).await? {
        Ok(demand) => Arc::new(demand),
        Err(faults) => return Some(Err(faults.0)),
    };
    let mut pictures = Pictures::new(&spec);
    while !pictures.step(&demand, SLICE) {
        pause(turn, large).await?;
    }
    let pictures = Arc::new(pictures.finish());
    pause(turn, large).await?;
    let limits = match large {
        true => Some(studio.ask(bounds_of(turn, text)).await?.await?),
        false => late::limits(spec.clone(), demand.clone()).now().map(Ok),
    };
    Some(Ok(ValidSpec { spec, demand, pictures, limits }))
}

async fn build(turn: Turn, spec: &Spec, large: bool) -> Option<Result<Demand, Faults>> {
    let mut building = match Building::new(spec) {
        Ok(building) => building,
        Err(faults) => return Some(Err(faults)),
    };
    loop {
        match building.step(SLICE) {
            Ok(true) => return Some(Ok(building.finish())),
            Ok(false) => pause(turn, large).await?,
            Err(faults) => return Some(Err(faults)),
        }
    }
}

type FiguresAnswer = Answer<Option<Arc<Vec<FigureRow>>>>;
type ResultFuture<T> = Pin<Box<dyn std::future::Future<Output = Option<T>>>>;

parts! {
    results {
        /// The bounds of a large machine; an error if the server has no answer: for a switch catalogue, or without a connection.
        bounds_of(turn: Turn, text: String) -> ResultFuture<Result<Limits, Arc<str>>> { Box::pin(ask_bounds(turn, text)) }
        /// The figures of a wiring.
        figures_of(studio: Studio, turn: Turn, judged: WiringVerdict, asked: ValidSpec, held: ShownWiring) -> ResultFuture<FiguresAnswer> {
            Box::pin(figure(studio, turn, judged, asked, held))
        }
    }
}

async fn ask_bounds(turn: Turn, text: String) -> Option<Result<Limits, Arc<str>>> {
    match api::demand(&SpecText { spec: text }, &turn.abort_signal()?).await {
        Ok(Some(DemandView { refusal, proof, bounds, .. })) => {
            let refusal = (!proof.is_empty()).then_some(Refusal { faults: refusal, proof });
            Some(Ok(Limits { refusal, bounds: Arc::new(bounds) }))
        }
        Ok(None) => None,
        Err(problem) => Some(Err(problem_words(&problem).into())),
    }
}

fn take_asked(result: Results, view: View, found: Result<ValidSpec, Vec<Fault>>) {
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

/// Takes the wiring on screen as one for the spec on screen if no wiring depends on what differs, such as names and prices.
fn keep_wiring(studio: Studio) {
    let spec = studio.result.of_asked(|asked| asked.spec.clone());
    let Some((spec, held)) = spec.zip(studio.result.held.get()) else { return };
    if *held.spec == *spec || !spec.has_same_wirings(&held.spec) {
        return;
    }
    let text = studio.session.text_now();
    // The text may be ahead of the results.
    if read_spec(&text).is_ok_and(|read| read == *spec) {
        let spec_text = text.as_str().into();
        studio.result.held.set(Some(ShownWiring { spec_text, spec, kept: None, ..held }));
    }
}

/// Prepares the map and checks the wiring, if there is one.
async fn judge(
    turn: Turn,
    studio: Studio,
    asked: ValidSpec,
    held: Option<ShownWiring>,
) -> Option<Option<WiringVerdict>> {
    let large = asked.spec.pes >= LARGE;
    pause(turn, large).await?;
    let design = held.as_ref().map(|h| h.design.clone());
    studio.result.index.set(Some(Arc::new(MapIndex::of(&asked.spec, &asked.demand, design.as_deref()))));
    let Some(held) = held else { return Some(None) };
    pause(turn, large).await?;
    let judged = studio.ask(late::verdict(turn, asked, held)).await?.await?;
    Some(Some(judged))
}

/// The figures of a wiring and the spec it was made for.
async fn figure(
    studio: Studio,
    turn: Turn,
    judged: WiringVerdict,
    asked: ValidSpec,
    held: ShownWiring,
) -> Option<FiguresAnswer> {
    let spec = &judged.made_for;
    if spec.pes >= LARGE {
        let answer = studio.compute(turn, held.request(WorkKind::Analysis), |_| ()).await?;
        return Some(answer.map(|view: AnalysisView| Some(Arc::new(view.rows))));
    }
    let demand = match judged.spec_changed {
        true => Demand::build(spec).ok().map(Arc::new),
        false => Some(asked.demand),
    };
    Some(Ok(demand.map(|demand| Arc::new(rows(&figures(spec, &demand, &judged.design))))))
}

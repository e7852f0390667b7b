//! What follows from the spec and the wiring, computed in the browser: demand, bounds, map, verdict, figures.
//!
//! At 65,536 PEs each step takes a good part of a second, so that there is a pause between any two, in which the page
//! draws and takes input. A change in the meantime makes the steps that are left give up: each looks whether its
//! number is still the last one.

use super::studio::{Asked, Held, Judged, Studio, Tab};
use crate::{
    browser::{breathe, sleep},
    state::{map::View, picture},
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    analysis::{
        bounds::{advice, bounds, refuse, standing},
        figures::{figures, rows},
        leftout::left_out,
        map::MapIndex,
    },
    api::MAX_LEFT_OUT,
    demand::Demand,
    design::{Design, check},
    spec::{Fault, Spec},
};
use std::sync::Arc;

/// Machines from this size on take long enough that progress is shown and typing is waited for.
const LARGE: u32 = 8192;

/// Faults that only show when pairs are made.
#[derive(Clone, Copy)]
pub struct DemandFaults(pub RwSignal<Vec<Fault>>);

/// Keeps everything that follows up to date, for as long as the page lives.
pub fn follow(studio: Studio) -> DemandFaults {
    let faults = DemandFaults(RwSignal::new(Vec::new()));
    let asking = StoredValue::new(0u64);
    Effect::new(move |_| {
        let Ok(spec) = studio.resolved.get() else { return };
        asking.update_value(|n| *n += 1);
        let turn = asking.get_value();
        spawn_local(ask(studio, spec, faults, move || asking.get_value() == turn));
    });
    let judging = StoredValue::new(0u64);
    Effect::new(move |_| {
        let (asked, held) = (studio.asked.get(), studio.held.get());
        let Some(asked) = asked else { return };
        judging.update_value(|n| *n += 1);
        let turn = judging.get_value();
        spawn_local(judge(studio, asked, held, move || judging.get_value() == turn));
    });
    Effect::new(move |_| {
        let open = studio.tab.get() == Tab::Figures;
        let judged = studio.judged.get();
        match judged.zip(studio.asked.get_untracked()).filter(|_| open) {
            Some((judged, asked)) => spawn_local(figure(studio, judged, asked)),
            None => studio.figures.set(None),
        }
    });
    faults
}

async fn ask(studio: Studio, spec: Arc<Spec>, faults: DemandFaults, current: impl Fn() -> bool) {
    let large = spec.pes >= LARGE;
    if large {
        sleep(150).await;
        if !current() {
            return;
        }
        studio.busy.set(Some("counting pairs".into()));
        breathe().await;
    }
    let demand = match Demand::build(&spec) {
        Ok(demand) => Arc::new(demand),
        Err(found) => {
            faults.0.set(found.0);
            studio.busy.set(None);
            return;
        }
    };
    faults.0.set(Vec::new());
    pause(large).await;
    let pictures = Arc::new(picture::of_demand(&spec, &demand));
    pause(large).await;
    if !current() {
        return;
    }
    let refusal = refuse(&spec, &demand);
    let bounds = Arc::new(bounds(&spec, &demand));
    if studio.view.with_untracked(|v| v.pes) != spec.pes {
        studio.view.set(View::all(spec.pes));
    }
    studio.asked.set(Some(Asked { spec, demand, refusal, bounds, pictures }));
}

async fn judge(studio: Studio, asked: Asked, held: Option<Held>, current: impl Fn() -> bool) {
    let large = asked.spec.pes >= LARGE;
    if large {
        studio.busy.set(Some("drawing the map".into()));
        breathe().await;
    }
    let design = held.as_ref().map(|h| h.design.clone());
    studio.index.set(Some(Arc::new(MapIndex::new(&asked.demand, design.as_deref()))));
    let Some((held, design)) = held.zip(design) else {
        studio.judged.set(None);
        studio.busy.set(None);
        return;
    };
    if large {
        studio.busy.set(Some("checking every pair".into()));
    }
    pause(large).await;
    if !current() {
        return;
    }
    let verdict = Arc::new(check(&asked.spec, &asked.demand, &design));
    pause(large).await;
    if !current() {
        return;
    }
    let advice = Arc::new(advice(&asked.spec, &asked.demand, &verdict));
    let spec_changed = *asked.spec != *held.spec;
    let standing = same_machine(&asked.spec, &design).then(|| standing(&asked.bounds, &design, &verdict));
    let left_out = Arc::new(left_out(&asked.spec, &asked.demand, &verdict.uncovered, MAX_LEFT_OUT));
    studio.judged.set(Some(Judged { design, verdict, advice, standing, left_out, spec_changed }));
    studio.busy.set(None);
}

async fn figure(studio: Studio, judged: Judged, asked: Asked) {
    let large = asked.spec.pes >= LARGE;
    pause(large).await;
    if same_machine(&asked.spec, &judged.design) {
        let found = figures(&asked.spec, &asked.demand, &judged.design);
        studio.figures.set(Some(Arc::new(rows(&found))));
    } else {
        studio.figures.set(None);
    }
}

fn same_machine(spec: &Spec, design: &Design) -> bool {
    spec.pes == design.pes()
}

async fn pause(large: bool) {
    if large {
        breathe().await;
    }
}

//! Results that only a part computes: bounds, and the verdict on a wiring.

use super::{Limits, ShownWiring, ValidSpec, WiringVerdict, result::ConnectionSummary};
use crate::{
    state::failed::Damage,
    work::{SLICE, Turn},
};
use shared::{
    analysis::{
        bounds::{Bounds, advice, bounds, refuse, standing},
        leftout::left_out,
        library::{Connections, Library},
    },
    api::{MAX_LEFT_OUT, StepTime},
    demand::Demand,
    design::{Faults, IncrementalCheck, Names},
    estimate::timing::{self, Timing},
    spec::Spec,
};
use std::sync::Arc;

/// Machines of this size or larger take long enough to wait for the end of typing and to show progress.
pub const LARGE: u32 = 8192;

/// Lets the page draw and take input, if the machine is large.
pub async fn pause(turn: Turn, large: bool) -> Option<()> {
    if large { turn.pause().await } else { turn.is_current().then_some(()) }
}

/// What a spec can have at best.
pub fn limits(spec: &Spec, demand: &Demand) -> Limits {
    let bounds = Bounds { time: timing::bound(spec), ..bounds(spec, demand) };
    Limits { refusal: refuse(spec, demand), bounds: Arc::new(bounds) }
}

/// Checks a wiring against the spec on screen.
pub async fn judge(turn: Turn, asked: ValidSpec, held: ShownWiring) -> Option<WiringVerdict> {
    let large = asked.spec.pes >= LARGE;
    let design = held.design;
    let mut checking = IncrementalCheck::new(&asked.spec, &asked.demand, &design);
    while !checking.step(SLICE) {
        pause(turn, large).await?;
    }
    let verdict = Arc::new(checking.finish());
    pause(turn, large).await?;
    let mut advice = advice(&asked.spec, &asked.demand, &verdict);
    pause(turn, large).await?;
    let spec = &asked.spec;
    let has_rule = spec.library() != Library::Any && design.pes() == spec.pes;
    let found = has_rule.then(|| Connections::of(spec.spine(), &spec.jobs, &design.nis()));
    if let Some(found) = found.as_ref().filter(|found| !found.hold()) {
        advice.push(format!("{}.", found.counts()));
        advice.extend(found.remedies());
    }
    let connections = found
        .map(|found| ConnectionSummary { counts: found.counts().into(), settings: found.settings().into() });
    let advice = Arc::new(advice);
    pause(turn, large).await?;
    let spec_changed = !asked.spec.has_same_wirings(&held.spec);
    // The bounds are those of the spec on screen.
    let limits = asked.limits().filter(|_| !spec_changed);
    let standing = limits.map(|limits| standing(&asked.spec, &limits.bounds, &design, &verdict));
    let left_out = Arc::new(left_out(&asked.spec, &asked.demand, &verdict.uncovered, MAX_LEFT_OUT));
    pause(turn, large).await?;
    let time = limits.and_then(|limits| limits.bounds.time.as_ref()).and_then(|bound| {
        let own = Timing::of(&asked.spec)?.on(&design)?;
        Some(StepTime { best: own.step, communication: own.communication, bound: bound.step })
    });
    let (made_for, revision) = (held.spec, held.revision);
    Some(WiringVerdict {
        design,
        verdict,
        advice,
        standing,
        left_out,
        time,
        made_for,
        connections,
        spec_changed,
        revision,
    })
}

/// Compares a wiring with and without failed parts, for the pairs of the spec on screen.
pub fn damage(asked: &ValidSpec, judged: WiringVerdict, faults: Faults) -> Damage {
    let names = Names::of(&judged.made_for, &judged.design);
    Damage::of(&asked.demand, judged.design, faults, &names)
}

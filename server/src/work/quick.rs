//! Quick searches: the wiring of a spec while people type it.

use super::{StartError, search::CheckedWiring};
use crate::{prepare::Request, tasks};
use search::request::{memory, run};
use shared::{
    analysis::bounds::quick_refusal,
    api::{QuickView, StartWork, WorkKind},
    design::Design,
    resolve::NoFiles,
    search::{Budget, Observer, Progress, SearchForm, SearchRequest},
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Searches on one thread for up to `limit`. Returns the best wiring until then; none without a limit, if the spec takes too long to
/// read, or if no wiring can exist.
///
/// # Errors
/// Every fault of the spec and the settings.
pub fn find(asked: &StartWork, limit: Duration) -> Result<QuickView, StartError> {
    let began = Instant::now();
    let none = QuickView { limit: limit.as_secs_f64(), ..QuickView::default() };
    if limit.is_zero() {
        return Ok(none);
    }
    asked.form.check(WorkKind::Search)?;
    let seed = asked.form.form::<SearchForm>().read()?.seed;
    let Request { spec, demand, .. } = &Request::read(asked.spec(), &mut NoFiles)?;
    let left = limit.saturating_sub(began.elapsed());
    if left.is_zero() || quick_refusal(spec, demand).is_some() {
        return Ok(none);
    }
    let needs = memory(spec, demand, 1);
    let Ok(_claim) = tasks::claim(needs) else { return Ok(none) };
    let budget = Budget::Seconds(left.as_secs_f64());
    let request = SearchRequest { spec: spec.clone(), demand: demand.clone(), budget, seed, threads: 1 };
    let stop = AtomicBool::new(false);
    let mut watch = Watch { ends: began + 2 * limit, stop: &stop };
    let Ok(outcome) = run(&request, &mut watch, &stop) else { return Ok(none) };
    let Ok(CheckedWiring { table, verdict }) = CheckedWiring::by_checker(spec, demand, &outcome.design)
    else {
        return Ok(none);
    };
    Ok(QuickView {
        table: Some(table.to_string()),
        method: outcome.method,
        seconds: began.elapsed().as_secs_f64(),
        solved: verdict.holds(),
        ..none
    })
}

/// Stops an engine that overruns its limit.
struct Watch<'a> {
    ends: Instant,
    stop: &'a AtomicBool,
}

impl Observer for Watch<'_> {
    fn progress(&mut self, _progress: &Progress) {
        if Instant::now() > self.ends {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}

//! Computations of one result: comparison, estimate, placement, analysis.

use super::{
    Admitted, Body, Context, Detail, Kind, Lane, Live, StartError, Works,
    live::{End, raw},
};
use crate::{
    counts, lock,
    prepare::{Request, TextError},
    store::WorkRecord,
    tasks,
};
use search::lengths;
use serde::Serialize;
use serde_json::value::RawValue;
use shared::{
    analysis::{lengths::total, racks::even_racks},
    api::{
        CompareForm, Computed, MAX_FABRICS, MAX_UNCOVERED, PlacedView, PlacementForm, Stage, StartWork,
        WorkState,
    },
    cancel,
    compare::{Sources, compare, market::chosen},
    design::{Design, check, table},
    estimate::EstimateForm,
    fabric::{Kind as Network, NetworkFile, kinds},
    form::{FormReader, Reader, toml},
    resolve::NoFiles,
    spec::{Fault, Spec},
};
use simulate::step;
use std::sync::{Arc, Mutex};

/// A kind of computation.
pub struct Computation(fn(&StartWork, &mut dyn FnMut(Stage)) -> Result<Box<RawValue>, TextError>);

/// Comparisons of a wiring with every kind of network for the same number of nodes.
pub static COMPARE: Computation = Computation(compared);
/// Estimates of the time of a training step on a wiring and on other networks.
pub static ESTIMATE: Computation = Computation(estimated);
/// Placements of identical switches in racks so that cables are shortest.
pub static PLACEMENT: Computation = Computation(placed);
/// Analyses of a wiring: verdict, figures, advice.
pub static ANALYSIS: Computation = Computation(analysed);

impl Kind for Computation {
    fn lane(&self) -> Lane {
        Lane::Task
    }

    fn admit(&self, _: &StartWork, _: &Works) -> Result<Admitted, StartError> {
        Ok(Admitted { body: self.body(), threads: 1, foreseen: None })
    }

    fn resume(&self, _: WorkRecord, _: f64, _: &Works) -> Result<Box<dyn Body>, StartError> {
        Ok(self.body())
    }
}

impl Computation {
    fn body(&self) -> Box<dyn Body> {
        Box::new(LiveComputation { compute: self.0, report: Mutex::default() })
    }
}

/// A computation that waits, runs or has just ended.
struct LiveComputation {
    compute: fn(&StartWork, &mut dyn FnMut(Stage)) -> Result<Box<RawValue>, TextError>,
    report: Mutex<Computed<Box<RawValue>>>,
}

impl Body for LiveComputation {
    fn report(&self, _: Detail) -> Box<RawValue> {
        raw(&*lock(&self.report))
    }

    fn run(&self, context: &Context<'_>) -> End {
        let live = context.live;
        let mut watch = |stage: Stage| {
            cancel::check();
            lock(&self.report).stage = Some(stage);
            live.changed();
        };
        match (self.compute)(&live.asked, &mut watch) {
            Ok(result) => {
                *lock(&self.report) = Computed { stage: None, result: Some(result) };
                (WorkState::Done, String::new())
            }
            Err(error) => live.failed(error),
        }
    }

    fn seconds_left(&self) -> Option<f64> {
        None
    }

    fn elapsed(&self) -> f64 {
        0.0
    }

    fn end(&self, _: &Live, _: WorkState) {
        lock(&self.report).stage = None;
    }
}

fn result(value: &impl Serialize) -> Result<Box<RawValue>, TextError> {
    Ok(raw(value))
}

fn compared(asked: &StartWork, watch: &mut dyn FnMut(Stage)) -> Result<Box<RawValue>, TextError> {
    watch(Stage { trying: "comparing networks".into(), number: 1, of: 1 });
    with_sources(asked, |sources, others| result(&compare(sources, others)))
}

fn estimated(asked: &StartWork, watch: &mut dyn FnMut(Stage)) -> Result<Box<RawValue>, TextError> {
    with_sources(asked, |sources, others| {
        let settings = asked.form.form::<EstimateForm>().read(&sources.spec.assumptions)?;
        let _claim = tasks::claim(step::memory(sources, others))?;
        let mut estimating = |network: step::Estimating| {
            let (number, of) = (network.number as u32, network.of as u32);
            watch(Stage { trying: network.network, number, of });
        };
        result(&step::estimate_watched(sources, others, &settings, &mut estimating)?)
    })
}

fn placed(asked: &StartWork, watch: &mut dyn FnMut(Stage)) -> Result<Box<RawValue>, TextError> {
    let request = Request::read(asked.spec(), &mut NoFiles)?;
    let design = wiring(asked, &request)?;
    let spec = racked(&request.spec.grown(design.used_switches()), &asked.form.form())?;
    let verdict = check(&spec, &request.demand, &design);
    if let Some(breach) = verdict.breaches.first() {
        return Err(Fault::new("table", breach, "a wiring within the hardware of the spec").into());
    }
    watch(Stage { trying: "placing switches".into(), number: 1, of: 1 });
    let mut go_on = || {
        cancel::check();
        true
    };
    let placed = lengths::placed(&spec, &request.demand, &design, &mut go_on);
    let metres = |design: &Design| total(&spec, design).unwrap_or_default();
    // The engine may number switches anew only where the spec allows it; the checker decides.
    let placed = placed.filter(|placed| {
        metres(placed) < metres(&design) && check(&spec, &request.demand, placed) == verdict
    });
    let best = placed.as_ref().unwrap_or(&design);
    result(&PlacedView { table: table::write(best), metres_before: metres(&design), metres: metres(best) })
}

/// The spec with racks.
fn racked(spec: &Spec, form: &PlacementForm) -> Result<Arc<Spec>, TextError> {
    let mut reader = Reader::default();
    let nodes = reader.form(form, "").given("nodes_per_rack", FormReader::whole);
    let nodes = reader.finish(nodes)?;
    match nodes {
        _ if !spec.racks.is_empty() => Ok(Arc::new(spec.clone())),
        Some(nodes) => Ok(Arc::new(Spec { racks: even_racks(spec, nodes), ..spec.clone() })),
        None => Err(Fault::new("nodes_per_rack", "nothing", "a number, since the spec has no racks").into()),
    }
}

fn analysed(asked: &StartWork, watch: &mut dyn FnMut(Stage)) -> Result<Box<RawValue>, TextError> {
    watch(Stage { trying: "checking pairs".into(), number: 1, of: 1 });
    let request = Request::read(asked.spec(), &mut NoFiles)?;
    let mut view = counts::analysis(&request, &wiring(asked, &request)?);
    view.verdict.uncovered.truncate(MAX_UNCOVERED);
    result(&view)
}

/// The wiring of a request that needs one.
fn wiring(asked: &StartWork, request: &Request) -> Result<Design, TextError> {
    match &asked.table {
        Some(table) => request.wiring(table),
        None => Err(Fault::new("table", "nothing", "the text table of a wiring").into()),
    }
}

/// Reads the inputs of a comparison.
fn with_sources<T>(
    asked: &StartWork,
    work: impl FnOnce(&Sources, &[Box<dyn Network>]) -> Result<T, TextError>,
) -> Result<T, TextError> {
    let form: CompareForm = asked.form.form();
    let fabrics = form.networks();
    if fabrics.len() > MAX_FABRICS {
        let expected = format!("at most {MAX_FABRICS} networks");
        return Err(Fault::new("fabrics", fabrics.len(), expected).into());
    }
    let files = asked.files.values().map(|text| NetworkFile::max_bytes(text)).sum::<u64>();
    let _parsing = tasks::claim(files + toml::max_bytes(&form.prices))?;
    let request = Request::read(asked.spec(), &mut NoFiles)?;
    let design = asked.table.as_deref().map(|table| request.wiring(table)).transpose()?;
    design.as_ref().map_or(Ok(()), |design| request.fits(design))?;
    let chosen = chosen(&request.spec, &form.prices)?;
    let file =
        |name: &str| asked.files.get(name).cloned().ok_or_else(|| "`files` has none of that name".into());
    let others = kinds::parse_all(&fabrics, &file, |number| format!("fabrics[{number}]"))?;
    let sources = Sources {
        spec: &request.spec,
        demand: &request.demand,
        design: design.as_ref(),
        market: &chosen.market,
        own: chosen.own,
    };
    work(&sources, &others)
}

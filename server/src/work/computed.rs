//! Computations of one result: comparison, estimate, placement, analysis.

use super::{
    Body, Context, Detail, KindOfWork, Lane, Live, NewWork, StartError, Units, Works,
    live::{End, raw},
    no_units,
};
use crate::{
    cluster::{
        read,
        studio::{OpenWork, Workers},
        write,
    },
    counts, lock,
    prepare::{Request, TextError},
    store::WorkRecord,
    tasks,
};
use search::lengths;
use serde_json::value::RawValue;
use shared::{
    analysis::{lengths::total, racks::even_racks},
    api::{
        CompareForm, ComputedReport, MAX_FABRICS, MAX_UNCOVERED, PlacedView, PlacementForm, Stage, StartWork,
        WorkState,
    },
    cancel::{self, Token},
    compare::{Sources, compare, market::chosen},
    design::{Design, check, table},
    estimate::{EstimateForm, NetworkStep},
    fabric::{NetworkFile, NetworkKind, kinds},
    form::{FormReader, Reader, toml},
    resolve::NoFiles,
    spec::{Fault, Spec},
};
use simulate::step::{self, Estimation};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    time::Duration,
};

/// Time between two looks at the cancellation of a computation on workers.
const PACE: Duration = Duration::from_millis(100);
/// Max units at once on other machines.
const MAX_ELSEWHERE: usize = 32;

/// Computes the result of a request, perhaps on workers, and tells its stages.
type Compute = fn(&StartWork, Option<&Workers>, Watch) -> Result<Box<RawValue>, TextError>;
/// Takes each stage. Does not return once the computation is cancelled.
type Watch<'a> = &'a mut dyn FnMut(Stage);

/// A kind of computation.
pub struct Computation {
    compute: Compute,
    /// `true` if its units may run on workers.
    has_units: bool,
}

/// Comparisons of a wiring with every kind of network for the same number of nodes.
pub static COMPARE: Computation = Computation { compute: compared, has_units: false };
/// Estimates of the time of a training step on a wiring and on other networks. A unit is a network.
pub static ESTIMATE: Computation = Computation { compute: estimated, has_units: true };
/// Placements of identical switches in racks so that cables are shortest.
pub static PLACEMENT: Computation = Computation { compute: placed, has_units: false };
/// Analyses of a wiring: verdict, figures, advice.
pub static ANALYSIS: Computation = Computation { compute: analysed, has_units: false };

impl KindOfWork for Computation {
    fn lane(&self) -> Lane {
        Lane::Task
    }

    fn admit(&self, _: &StartWork, _: &Works) -> Result<NewWork, StartError> {
        Ok(NewWork { body: self.body(), threads: 1, foreseen: None })
    }

    fn units(&self, asked: StartWork) -> Result<(Box<dyn Units>, u64), StartError> {
        if !self.has_units {
            return Err(no_units(asked.kind));
        }
        let bytes = with_sources(&asked, |sources, others| Ok(step::memory(sources, others)))?;
        Ok((Box::new(Networks(asked)), bytes))
    }

    fn resume(&self, _: WorkRecord, _: f64, _: &Works) -> Result<Box<dyn Body>, StartError> {
        Ok(self.body())
    }
}

impl Computation {
    fn body(&self) -> Box<dyn Body> {
        Box::new(LiveComputation { compute: self.compute, report: Mutex::default() })
    }
}

/// A computation that waits, runs or has just ended.
struct LiveComputation {
    compute: Compute,
    report: Mutex<ComputedReport<Box<RawValue>>>,
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
        match (self.compute)(&live.asked, context.workers, &mut watch) {
            Ok(result) => {
                *lock(&self.report) = ComputedReport { stage: None, result: Some(result) };
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

fn compared(asked: &StartWork, _: Option<&Workers>, watch: Watch) -> Result<Box<RawValue>, TextError> {
    watch(Stage { trying: "comparing networks".into(), number: 1, of: 1 });
    with_sources(asked, |sources, others| Ok(raw(&compare(sources, others))))
}

fn estimated(asked: &StartWork, workers: Option<&Workers>, watch: Watch) -> Result<Box<RawValue>, TextError> {
    with_sources(asked, |sources, others| {
        let settings = asked.form.form::<EstimateForm>().read(&sources.spec.assumptions)?;
        let _claim = tasks::claim(step::memory(sources, others))?;
        let estimation = Estimation::new(sources, others, &settings)?;
        let steps = match workers {
            Some(workers) => spread(&estimation, &workers.units(asked), watch),
            None => (0..estimation.count())
                .map(|number| {
                    watch(stage(&estimation.estimating(number)));
                    estimation.step(number)
                })
                .collect(),
        };
        Ok(raw(&estimation.report(steps)))
    })
}

fn stage(estimating: &step::Estimating) -> Stage {
    let (number, of) = (estimating.number as u32, estimating.of as u32);
    Stage { trying: estimating.network.clone(), number, of }
}

/// Cancels work on other threads when the calling thread ends or unwinds.
struct CancelOnDrop<'a>(&'a Token);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The steps on all networks, on workers as far as they can. A network that no worker takes is estimated here.
fn spread(estimation: &Estimation, units: &OpenWork, watch: Watch) -> Vec<NetworkStep> {
    let (next, token, (sender, done)) = (AtomicUsize::new(0), Token::default(), mpsc::channel());
    let count = estimation.count();
    let mut steps: BTreeMap<usize, NetworkStep> = BTreeMap::new();
    std::thread::scope(|threads| {
        let _cancel = CancelOnDrop(&token);
        for _ in 0..count.min(MAX_ELSEWHERE) {
            let (sender, next, token) = (sender.clone(), &next, &token);
            threads.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= count {
                        return;
                    }
                    let here =
                        || cancel::scope(token, || raw(&estimation.step(number)).get().to_owned()).ok();
                    let step = units.unit(write(&number), here, &mut |_| !token.is_cancelled());
                    // Without a step it was stopped, and nobody listens any more.
                    let Some(step) = step else { return };
                    _ = sender.send((number, step));
                }
            });
        }
        drop(sender);
        while steps.len() < count {
            let unfinished = (0..count).find(|number| !steps.contains_key(number)).unwrap_or(0);
            let number = steps.len() as u32 + 1;
            watch(Stage { number, ..stage(&estimation.estimating(unfinished)) });
            if let Ok((number, step)) = done.recv_timeout(PACE) {
                // A worker of this version wrote it.
                let step = serde_json::from_str(&step).unwrap_or_else(|_| estimation.step(number));
                steps.insert(number, step);
            }
        }
    });
    steps.into_values().collect()
}

/// An estimate on a worker.
struct Networks(StartWork);

impl Units for Networks {
    fn unit(
        &self,
        unit: &[u8],
        _: &AtomicBool,
        _: &(dyn Fn(Vec<u8>) + Sync),
    ) -> Result<Option<Vec<u8>>, String> {
        let number: usize = read(unit).ok_or("this version cannot read the network")?;
        let step = with_sources(&self.0, |sources, others| {
            let settings = self.0.form.form::<EstimateForm>().read(&sources.spec.assumptions)?;
            Ok(raw(&Estimation::new(sources, others, &settings)?.step(number)).get().to_owned())
        });
        step.map(|step| Some(write(&step))).map_err(|error| error.to_string())
    }
}

fn placed(asked: &StartWork, _: Option<&Workers>, watch: Watch) -> Result<Box<RawValue>, TextError> {
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
    Ok(raw(&PlacedView { table: table::write(best), metres_before: metres(&design), metres: metres(best) }))
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

fn analysed(asked: &StartWork, _: Option<&Workers>, watch: Watch) -> Result<Box<RawValue>, TextError> {
    watch(Stage { trying: "checking pairs".into(), number: 1, of: 1 });
    let request = Request::read(asked.spec(), &mut NoFiles)?;
    let mut view = counts::analysis(&request, &wiring(asked, &request)?);
    view.verdict.uncovered.truncate(MAX_UNCOVERED);
    Ok(raw(&view))
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
    work: impl FnOnce(&Sources, &[Box<dyn NetworkKind>]) -> Result<T, TextError>,
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

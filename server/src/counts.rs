//! Counts of a spec's demand and of a wiring's coverage, for the command line and HTTP.

use crate::prepare::Request;
use search::closed::with_more;
use shared::{
    analysis::{
        bounds::{Bounds, advice, bounds, refuse},
        cost::cost,
        figures::{figures, rows},
        leftout::left_out,
        library::Connections,
        routing::{FaultReport, fault_report, singles, through},
    },
    api::{AnalysisView, DemandView, ListedHardware, MAX_LEFT_OUT, PatternView},
    demand::{Demand, patterns},
    design::{Design, Faults, Names, Verdict, check},
    estimate::timing,
    spec::Spec,
};

/// Counts a demand.
pub fn demand(request: &Request) -> DemandView {
    let (spec, demand) = (&request.spec, &request.demand);
    let synergy = demand.synergy(spec.patterns.len());
    let patterns = spec.patterns.iter().zip(synergy).map(|(pattern, (pairs, synergy))| PatternView {
        label: patterns::label(pattern),
        pairs,
        synergy,
    });
    let degrees = demand.degrees();
    let refusal = refuse(spec, demand);
    DemandView {
        pes: spec.pes,
        pairs: demand.len() as u64,
        degree_max: degrees.iter().copied().max().unwrap_or(0),
        degree_mean: 2.0 * demand.len() as f64 / f64::from(spec.pes.max(1)),
        degree_min: degrees.iter().copied().min().unwrap_or(0),
        patterns: patterns.collect(),
        bounds: Bounds { time: timing::bound(spec), ..bounds(spec, demand) },
        proof: refusal.as_ref().map(|r| r.proof.clone()).unwrap_or_default(),
        refusal: refusal.map(|r| r.faults).unwrap_or_default(),
    }
}

/// Judges a wiring and computes its figures, naming every uncovered pair.
pub fn analysis(request: &Request, design: &Design) -> AnalysisView {
    let (spec, demand) = (&request.spec, &request.demand);
    let verdict = check(spec, demand, design);
    let figures = figures(spec, demand, design);
    AnalysisView {
        uncovered: verdict.uncovered.len() as u64,
        rows: rows(&figures),
        advice: advise(spec, demand, &verdict),
        left_out: left_out(spec, demand, &verdict.uncovered, MAX_LEFT_OUT),
        figures,
        verdict,
        faults: None,
        connections: (!spec.jobs.is_empty())
            .then(|| Connections::of(spec.spine(), &spec.jobs, &design.nis())),
    }
}

/// Hardware, price and objective of a design, for the library.
pub fn hardware(spec: &Spec, design: &Design) -> ListedHardware {
    let (price, _) = cost(spec, design);
    ListedHardware {
        switches: Some(design.switch_count()),
        ports: spec.switches.iter().map(|model| model.ports).collect(),
        price: price.total,
        unpriced: price.unpriced,
        objective: spec.objective.name().into(),
    }
}

/// Suggestions for uncovered pairs, a construction first.
pub fn advise(spec: &Spec, demand: &Demand, verdict: &Verdict) -> Vec<String> {
    let lacks = !verdict.uncovered.is_empty();
    let constructed = if lacks { remedy(spec, demand) } else { None };
    constructed.into_iter().chain(advice(spec, demand, verdict)).collect()
}

/// Effect of faults on a wiring, with up to `most` requested pairs that lose paths, and the worst parts to lose next.
pub fn faults(request: &Request, design: &Design, faults: &Faults, most: usize) -> FaultReport {
    let routes = through(design, faults);
    let singles = singles(&request.demand, routes.working());
    let names = Names::of(&request.spec, design);
    fault_report(&request.demand, (design, &names), &routes, &singles, most)
}

/// A construction that serves every pair with more switches than the spec's NIs ask for, if a model has no count, with the
/// count that it takes; in a sentence.
pub fn remedy(spec: &Spec, demand: &Demand) -> Option<String> {
    with_more(spec, demand, &mut || true).map(|more| more.words())
}

//! The conclusion of the simulations on the page, in a sentence or two.

use super::curves::{Curve, Curves};
use shared::{
    compare::{SAME, differing, subject},
    simulation::SimulationForm,
    text::capital,
};

/// Share of an offered load that counts as all of it.
const ALL: f64 = 0.98;

/// The result of a simulation.
struct CurveResult<'a> {
    curve: &'a Curve,
    /// Flits per cycle and host that the network accepts at most, in Gb/s if that is known; or the time of an operation in cycles or µs.
    value: f64,
    /// The value with its unit.
    words: String,
    is_timed: bool,
    /// `true` if all of the highest load was accepted.
    is_all: bool,
}

impl CurveResult<'_> {
    /// Results before the first deadlock; `None` without any, and for an operation that did not end.
    fn of(curve: &Curve) -> Option<CurveResult<'_>> {
        let (units, report) = (curve.units(), &curve.view.as_ref()?.report);
        if let Some(timed) = &report.collective {
            let cycles = timed.cycles as f64;
            let value = units.micros(cycles).unwrap_or(cycles);
            return timed.complete.then(|| CurveResult {
                curve,
                value,
                words: units.time(cycles),
                is_timed: true,
                is_all: true,
            });
        }
        let stuck = report.points.iter().filter(|point| point.deadlock.is_some()).map(|point| point.offered);
        let stuck = stuck.fold(f64::INFINITY, f64::min);
        let points = || report.points.iter().filter(|point| point.offered < stuck);
        let best = points().max_by(|a, b| a.accepted.total_cmp(&b.accepted))?;
        let highest = points().max_by(|a, b| a.offered.total_cmp(&b.offered))?;
        let is_all = stuck.is_infinite() && highest.accepted >= ALL * highest.offered;
        let value = best.accepted * units.flit().unwrap_or(1.0);
        Some(CurveResult { curve, value, words: units.rate(best.accepted), is_timed: false, is_all })
    }

    /// Settings besides the network, and the unit of the value.
    fn question(&self) -> (SimulationForm, bool) {
        (
            SimulationForm { fabric: String::new(), ..self.curve.form.clone() },
            self.curve.units().flit().is_some(),
        )
    }

    fn name(&self) -> String {
        self.curve.network()
    }
}

/// The conclusion of the results that `counts` is true for: networks with the settings of the latest result, beside each other. Empty
/// without a result.
pub fn conclusion(curves: &Curves, counts: impl Fn(&Curve) -> bool) -> String {
    let all: Vec<CurveResult> =
        curves.all().iter().filter(|curve| counts(curve)).filter_map(CurveResult::of).collect();
    let Some(question) = all.last().map(CurveResult::question) else { return String::new() };
    let (mut same, others): (Vec<CurveResult>, Vec<CurveResult>) =
        all.into_iter().partition(|found| found.question() == question);
    let is_timed = same.iter().any(|found| found.is_timed);
    match is_timed {
        true => same.sort_by(|a, b| a.value.total_cmp(&b.value)),
        false => same.sort_by(|a, b| b.value.total_cmp(&a.value)),
    }
    // A network counts once, with its best result.
    let mut networks: Vec<CurveResult> = Vec::new();
    for found in same {
        if networks.iter().all(|known| known.curve.form.fabric != found.curve.form.fabric) {
            networks.push(found);
        }
    }
    let text = if is_timed { by_time(&networks) } else { by_rate(&networks) };
    let left_out = if others.is_empty() { "" } else { " Simulations with other settings are not compared." };
    text + left_out
}

fn by_time(networks: &[CurveResult]) -> String {
    match networks {
        [first, next, ..] => {
            let than = match differing(first.value, next.value, ["less time than", "", ""]) {
                same if same.is_empty() => format!("as long as {}", next.name()),
                less => format!("{less} the next network ({})", next.name()),
            };
            format!("{} takes {than}: {}.", subject(&first.name()), first.words)
        }
        [only] => format!("{} takes {}.", subject(&only.name()), only.words),
        [] => String::new(),
    }
}

fn by_rate(networks: &[CurveResult]) -> String {
    let Some((first, rest)) = networks.split_first() else { return String::new() };
    let is_same = |other: &CurveResult| other.value >= first.value * (1.0 - SAME);
    match rest.first() {
        None if first.is_all => {
            format!("{} accepts all that is offered, {} per host.", subject(&first.name()), first.words)
        }
        None => format!("{} accepts up to {} per host.", subject(&first.name()), first.words),
        Some(_) if networks.iter().all(|found| found.is_all && is_same(found)) => {
            format!("All {} networks accept all that is offered, {} per host.", networks.len(), first.words)
        }
        Some(next) if is_same(next) => {
            let (one, two) = (capital(&first.name()), next.name());
            format!("{one} and {two} accept the same: {} per host.", first.words)
        }
        Some(next) => format!(
            "{} accepts {} than the next network ({}): {} per host.",
            subject(&first.name()),
            differing(first.value, next.value, ["less", "", "more"]),
            next.name(),
            first.words
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        api::{WorkState, WorkView},
        simulation::{ClosedResult, Deadlock, Point, SimulationReport},
    };

    fn curve(fabric: &str, traffic: &str, report: SimulationReport) -> Curve {
        let form =
            SimulationForm { fabric: fabric.into(), traffic: traffic.into(), ..SimulationForm::default() };
        // Flits of 4 bytes at 100 Gb/s.
        let report = SimulationReport { cycle_ns: 0.32, ..report };
        let view = WorkView { id: "a".into(), state: WorkState::Done, report, ..WorkView::default() };
        Curve { form, view: Some(view), ..Curve::default() }
    }

    fn open(fabric: &str, traffic: &str, loads: &[(f64, f64)]) -> Curve {
        let point = |&(offered, accepted): &(f64, f64)| Point { offered, accepted, ..Point::default() };
        let points = loads.iter().map(point).collect();
        curve(fabric, traffic, SimulationReport { points, ..SimulationReport::default() })
    }

    fn timed(fabric: &str, cycles: u64, complete: bool) -> Curve {
        let collective = Some(ClosedResult { cycles, complete, ..ClosedResult::default() });
        curve(fabric, "exchange", SimulationReport { collective, ..SimulationReport::default() })
    }

    fn said(all: Vec<Curve>) -> String {
        let mut curves = Curves::default();
        all.into_iter().for_each(|curve| _ = curves.add(curve));
        conclusion(&curves, |_| true)
    }

    const MESH: &str = "mesh:4x4";
    const NAME: &str = "2D mesh, 4x4 switches, 1 host each";

    #[test]
    fn networks_are_compared_by_what_they_accept() {
        assert_eq!(said(vec![]), "");
        let (own, mesh) = (
            open("", "uniform", &[(0.5, 0.5), (1.0, 0.8)]),
            open(MESH, "uniform", &[(0.5, 0.4), (1.0, 0.4)]),
        );
        assert_eq!(said(vec![own.clone()]), "This design accepts up to 80 Gb/s per host.");
        let both =
            format!("This design accepts 100 % more than the next network ({NAME}): 80 Gb/s per host.");
        assert_eq!(said(vec![own.clone(), mesh.clone()]), both);
        assert_eq!(said(vec![mesh.clone(), own.clone(), open(MESH, "uniform", &[(1.0, 0.3)])]), both);
        let all = |fabric: &str| open(fabric, "uniform", &[(0.5, 0.5), (1.0, 0.99)]);
        assert_eq!(said(vec![all("")]), "This design accepts all that is offered, 99 Gb/s per host.");
        assert_eq!(
            said(vec![all(""), all(MESH)]),
            "All 2 networks accept all that is offered, 99 Gb/s per host."
        );
        let tie = said(vec![own.clone(), open(MESH, "uniform", &[(1.0, 0.8)])]);
        assert_eq!(tie, format!("This design and {NAME} accept the same: 80 Gb/s per host."));
    }

    #[test]
    fn other_settings_and_deadlocks_are_not_compared() {
        let other = open(MESH, "transpose", &[(1.0, 0.9)]);
        let own = open("", "uniform", &[(1.0, 0.8)]);
        let apart =
            "This design accepts up to 80 Gb/s per host. Simulations with other settings are not compared.";
        assert_eq!(said(vec![other, own.clone()]), apart);
        let mut stuck = open(MESH, "uniform", &[(0.5, 0.4), (1.0, 0.9)]);
        stuck.view.as_mut().unwrap().report.points[1].deadlock = Some(Deadlock::default());
        assert_eq!(
            said(vec![own, stuck]),
            format!("This design accepts 100 % more than the next network ({NAME}): 80 Gb/s per host.")
        );
        let mut never = Curves::default();
        never.add(open("", "uniform", &[(1.0, 0.8)]));
        assert_eq!(conclusion(&never, |_| false), "");
    }

    #[test]
    fn operations_are_compared_by_time() {
        let both = said(vec![timed("", 1000, true), timed(MESH, 2000, true)]);
        assert_eq!(both, format!("This design takes 50 % less time than the next network ({NAME}): 320 ns."));
        let mesh = said(vec![timed("", 1000, false), timed(MESH, 2000, true)]);
        assert_eq!(mesh, format!("{NAME}, takes 640 ns."));
        let same = said(vec![timed("", 1000, true), timed(MESH, 1000, true)]);
        assert_eq!(same, format!("This design takes as long as {NAME}: 320 ns."));
    }
}

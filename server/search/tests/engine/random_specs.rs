//! Random small specs with weights, extra links and rules, and the value of their wirings counted from scratch.

use crate::support::zoo;
use search::{
    fill,
    genetic::operators,
    problem::{NONE, Problem, design, start_genome},
    wiring::Wiring,
};
use spec::{
    demand::Demand,
    design::{Breach, check, table},
    random::Rng,
    resolve::{self, NoFiles, resolve},
    spec::{Objective, Spec},
};
use std::fmt::Write;

/// A spec from its file's text, if it is valid.
pub fn read(toml: &str) -> Option<Spec> {
    resolve(&resolve::parse(toml).ok()?, &mut NoFiles).ok()
}

/// Additions to the specs of [`zoo`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternKind {
    /// Weights from 1 to a million, with the fractional objective.
    Weights,
    /// Extra links.
    ExtraLinks,
    /// Every pair counts the same.
    Plain,
}

/// All kinds.
pub const KINDS: [PatternKind; 3] = [PatternKind::Weights, PatternKind::ExtraLinks, PatternKind::Plain];

/// A spec of [`zoo`] with weights or extra links.
pub fn random_spec(seed: u64, kind: PatternKind) -> String {
    let (text, mut rng) = (zoo(seed), Rng::new(seed, 20));
    match kind {
        PatternKind::Plain => text,
        PatternKind::ExtraLinks => with_extra_links(&text, &mut rng),
        PatternKind::Weights => weighted(&text, &mut rng),
    }
}

fn with_extra_links(text: &str, rng: &mut Rng) -> String {
    let mut with_extra_links = text.to_string();
    for extra in [1 + rng.below(2), 1] {
        let wished = text.replace("kind = \"ring\"\n", &format!("kind = \"ring\"\nextra = {extra}\n"));
        if read(&wished).is_some() {
            with_extra_links = wished;
            break;
        }
    }
    with_extra_links
}

fn weighted(text: &str, rng: &mut Rng) -> String {
    let weight = |rng: &mut Rng| u64::from(1 + rng.below(10)) * 10u64.pow(rng.below(6));
    let mut weighted = String::new();
    for line in text.lines() {
        let is_pair = line.starts_with(|c: char| c.is_ascii_digit());
        match line {
            line if line.starts_with("objective") => weighted += "objective = \"fractional\"",
            line if is_pair => write!(weighted, "{line} {}", weight(rng)).expect("text"),
            line if line.starts_with("kind") => {
                write!(weighted, "{line}\nweight = {}", weight(rng)).expect("text");
            }
            line => weighted += line,
        }
        weighted.push('\n');
    }
    weighted
}

/// The spec under rules that a given wiring keeps: required and forbidden placements, and perhaps a start wiring.
pub fn ruled(text: &str, kept: &[u32], spec: &Spec, rng: &mut Rng) -> String {
    let made = design(spec, kept);
    let nis = made.nis();
    let mut ruled = text.to_string();
    for _ in 0..rng.below(6) {
        let (pe, switch) = (rng.below(spec.pes), rng.below(spec.switch_budget()));
        let kind = if nis.of(pe).contains(&switch) { "on" } else { "off" };
        writeln!(ruled, "[[placement]]\npes = {pe}\nswitches = {switch}\nkind = \"{kind}\"").expect("text");
    }
    if made.cables() > 0 && rng.chance(700) {
        let moves = rng.below(8);
        writeln!(ruled, "[start]\nmoves = {moves}\ntable = \"\"\"\n{}\"\"\"", table::write(&made))
            .expect("text");
    }
    ruled
}

/// A random spec under rules that some wiring keeps.
pub fn random_ruled_spec(seed: u64, kind: PatternKind) -> Option<String> {
    let text = random_spec(seed, kind);
    let (spec, mut rng) = (read(&text)?, Rng::new(seed, 21));
    let demand = Demand::build(&spec).ok()?;
    let problems = search::problem::instances(&spec, &demand, &mut || true)?;
    let wiring = scattered(problems.last()?, &mut rng);
    Some(ruled(&text, wiring.genome(), &spec, &mut rng))
}

/// A random wiring that keeps the rules of an instance.
pub fn scattered<'p>(problem: &'p Problem, rng: &mut Rng) -> Wiring<'p> {
    let mut wiring = Wiring::empty(problem);
    assert!(wiring.load(&fill::fill(problem), &mut || true));
    operators::exchange_connections(&mut wiring, 3 * problem.nis(), rng);
    wiring
}

/// A wiring that keeps the spec's rules, from which swaps lead to others that do.
pub fn beginning<'p>(spec: &Spec, problem: &'p Problem, rng: &mut Rng) -> Wiring<'p> {
    let Some(start) = start_genome(spec) else { return scattered(problem, rng) };
    let mut wiring = Wiring::empty(problem);
    assert!(wiring.load(&start, &mut || true));
    operators::exchange_connections(&mut wiring, 3 * problem.nis(), rng);
    wiring
}

/// Counts a wiring from scratch; takes only the integer weights from the search.
pub struct Recount<'a> {
    pub spec: &'a Spec,
    pub demand: &'a Demand,
    pub problem: &'a Problem,
}

impl Recount<'_> {
    fn shared(&self, genome: &[u32], a: u32, b: u32) -> u32 {
        let on = |pe: u32| genome[self.problem.nis_of(pe)].iter().filter(|&&s| s != NONE);
        on(a).filter(|s| on(b).any(|t| t == *s)).count() as u32
    }

    /// The quantity that the search lowers.
    pub fn cost(&self, genome: &[u32]) -> u64 {
        let graph = &self.problem.graph;
        let wishes = self.problem.pending_aims == 0 && self.demand.has_extra();
        let fractional = self.spec.objective == Objective::Fractional;
        let mut cost = 0;
        for (pair, (a, b)) in self.demand.pairs().enumerate() {
            let (has, links) = (self.shared(genome, a, b), self.demand.links(pair));
            let lacks = u64::from(links.saturating_sub(has));
            if fractional {
                let bit = graph.bit_of(a, b).expect("a pair");
                cost += lacks * u64::from(graph.value(a, bit, 1));
            } else if wishes {
                let all = links + self.demand.extra(pair);
                cost +=
                    lacks * u64::from(graph.required_value) + u64::from(all.saturating_sub(has.max(links)));
            } else {
                cost += lacks;
            }
        }
        cost
    }

    /// Number of pairs that share fewer switches than they want.
    pub fn uncovered(&self, genome: &[u32]) -> u64 {
        let bare =
            |&(pair, (a, b)): &(usize, (u32, u32))| self.shared(genome, a, b) < self.demand.links(pair);
        self.demand.pairs().enumerate().filter(bare).count() as u64
    }

    /// Limits and rules that a wiring breaks.
    pub fn breaches(&self, genome: &[u32]) -> Vec<Breach> {
        check(self.spec, self.demand, &design(self.spec, genome)).breaches
    }
}

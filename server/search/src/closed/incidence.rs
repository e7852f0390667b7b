//! Intersecting designs: every two points are on a line. Points become groups of PEs and lines become switches. PEs
//! are distributed so that every line fits its switch: first evenly, then one by one where the fullest line has most
//! room.

use super::{Form, Trial, blocks::Blocks};
use spec::{
    cancel::{check, checked},
    galois::Galois,
    random::Rng,
};

const SEED: u64 = 0x636c_6f73_6564;

/// Maximum number of points for which more than one order is tried, and the number of orders.
const MAX_RETRIED: usize = 1024;
const ORDERS: u32 = 24;

/// Points and lines, with equally many lines through every point.
pub(super) struct Incidence {
    pub lines: Vec<Vec<u32>>,
    pub through: Vec<Vec<u32>>,
}

impl Incidence {
    pub fn new(points: usize, lines: Vec<Vec<u32>>) -> Incidence {
        let mut through = vec![Vec::new(); points];
        for (line, members) in lines.iter().enumerate() {
            for &point in members {
                through[point as usize].push(line as u32);
            }
        }
        Incidence { lines, through }
    }
}

/// Size of a design that is not built yet.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub lines: usize,
    /// Lines through each point, which is the NIs per PE.
    pub through: u32,
}

/// `true` if the spec's NIs, switches and ports could suffice for this size.
pub(super) fn may_fit(trial: &Trial<'_>, size: Size) -> bool {
    if size.through > trial.nis || size.lines > trial.ports.len() {
        return false;
    }
    let room = |ports: &[u32]| ports.iter().map(|&p| u64::from(p)).sum::<u64>();
    let needed = u64::from(trial.spec.pes) * u64::from(size.through);
    if room(&trial.ports) < needed {
        return false;
    }
    let mut widest = trial.ports.clone();
    widest.select_nth_unstable_by(size.lines - 1, |a, b| b.cmp(a));
    room(&widest[..size.lines]) >= needed
}

pub(super) fn offer(trial: &mut Trial<'_>, incidence: &Incidence, name: &str) {
    let mut caps = trial.ports.clone();
    caps.sort_unstable_by(|a, b| b.cmp(a));
    caps.truncate(incidence.lines.len());
    let Some(sizes) = sizes(incidence, &caps, trial.spec.pes) else { return };
    let mut starts = vec![0];
    for size in &sizes {
        starts.push(starts[starts.len() - 1] + size);
    }
    let mut blocks = Blocks::default();
    for line in &incidence.lines {
        blocks.push(line.iter().flat_map(|&p| starts[p as usize]..starts[p as usize + 1]));
    }
    let (least, max) = (sizes.iter().min().copied(), sizes.iter().max().copied());
    let (least, max) = (least.unwrap_or(0), max.unwrap_or(0));
    let each = if least == max { format!("{least}") } else { format!("{least} to {max}") };
    let name = format!("{name} with {each} node{} per point", if max == 1 { "" } else { "s" });
    trial.offer(&Form { name, blocks });
}

/// Number of PEs of each point, if every line can keep its limit.
fn sizes(incidence: &Incidence, caps: &[u32], pes: u32) -> Option<Vec<u32>> {
    let points = incidence.through.len();
    let even = incidence.lines.iter().zip(caps).map(|(line, &cap)| cap / line.len().max(1) as u32).min();
    let even = even.unwrap_or(0).min(pes / points as u32);
    let orders = if points > MAX_RETRIED { 1 } else { ORDERS };
    let mut rng = Rng::new(SEED, points as u64);
    let mut order: Vec<u32> = (0..points as u32).collect();
    for _ in 0..orders {
        if let Some(sizes) = filled(incidence, caps, pes, even, &order) {
            return Some(sizes);
        }
        rng.shuffle(&mut order);
    }
    None
}

/// `even` PEs on each point, then one by one where the fullest line has most room, then all lines, then the first in
/// `order`.
fn filled(incidence: &Incidence, caps: &[u32], pes: u32, even: u32, order: &[u32]) -> Option<Vec<u32>> {
    let points = incidence.through.len();
    let mut sizes = vec![even; points];
    let mut slack: Vec<u32> = incidence
        .lines
        .iter()
        .zip(caps)
        .map(|(line, &cap)| cap.saturating_sub(even * line.len() as u32))
        .collect();
    let at = |point: usize| incidence.through[point].iter().map(|&line| slack[line as usize]);
    let mut room: Vec<(u32, u32)> = (0..points).map(|p| (at(p).min().unwrap_or(0), at(p).sum())).collect();
    for _ in checked(even * points as u32..pes) {
        let max = room.iter().copied().max().filter(|&(least, _)| least > 0)?;
        let point = order.iter().copied().find(|&p| room[p as usize] == max)? as usize;
        sizes[point] += 1;
        for &line in &incidence.through[point] {
            let left = &mut slack[line as usize];
            *left -= 1;
            check();
            for &other in &incidence.lines[line as usize] {
                let (least, all) = &mut room[other as usize];
                (*least, *all) = ((*least).min(*left), *all - 1);
            }
        }
    }
    Some(sizes)
}

/// Offers complete graphs of 3 to NIs + 1 points: each edge is a switch (Mattox 2006, chapter 3).
pub(super) fn offer_complete(trial: &mut Trial<'_>) {
    for nodes in 3..=trial.nis + 1 {
        if trial.is_over() {
            return;
        }
        let size = Size { lines: (nodes * (nodes - 1) / 2) as usize, through: nodes - 1 };
        if may_fit(trial, size) {
            let edges = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| vec![a, b]));
            let incidence = Incidence::new(nodes as usize, edges.collect());
            offer(trial, &incidence, &format!("complete graph of {nodes} points"));
        }
    }
}

/// Offers projective and affine planes of every order that the NIs allow, smallest first. They approach Füredi's
/// bound on pairwise intersecting sets (Mattox 2006, section 2.2). The projective plane adds a point to each set of
/// parallels, and a line through these.
pub(super) fn offer_planes(trial: &mut Trial<'_>) {
    for order in 2..trial.nis {
        if trial.is_over() {
            return;
        }
        for projective in [false, true] {
            let lines = (order * order + order + u32::from(projective)) as usize;
            if !may_fit(trial, Size { lines, through: order + 1 }) {
                continue;
            }
            let Some(field) = Galois::new(order) else { break };
            let kind = if projective { "projective" } else { "affine" };
            offer(trial, &plane(&field, projective), &format!("{kind} plane of order {order}"));
        }
    }
}

/// The plane over a field. A parabola comes first among the points: no line holds more than two of its points.
fn plane(field: &Galois, projective: bool) -> Incidence {
    let q = field.order();
    // Point (x, x² + d) has number d * q + x.
    let mut number = vec![0; (q * q) as usize];
    for x in 0..q {
        for d in 0..q {
            number[(x * q + field.add(field.times(x, x), d)) as usize] = d * q + x;
        }
    }
    let infinite = |slope: u32| projective.then_some(q * q + slope);
    let mut lines = Vec::new();
    for slope in 0..q {
        for shift in checked(0..q) {
            let on = |x| number[(x * q + field.add(field.times(slope, x), shift)) as usize];
            lines.push((0..q).map(on).chain(infinite(slope)).collect());
        }
    }
    for x in 0..q {
        lines.push((0..q).map(|y| number[(x * q + y) as usize]).chain(infinite(q)).collect());
    }
    if projective {
        lines.push((q * q..=q * q + q).collect());
    }
    Incidence::new((q * q + if projective { q + 1 } else { 0 }) as usize, lines)
}

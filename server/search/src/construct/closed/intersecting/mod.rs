//! Intersecting designs: points and lines such that every two points are on a line. Points are replaced by groups of PEs
//! and lines by switches, so that every two PEs share a switch.
//!
//! A line needs as many ports as the points on it have PEs together. How many PEs each point gets is balanced such that
//! every line stays within its switch, whatever the number of PEs: first the same number everywhere, then one PE after the
//! other where the fullest line has most room left.

pub mod complete;
pub mod planes;

use super::{Form, Trial, blocks::Blocks};
use crate::dice::Dice;

/// Seed of the orders in which points are tried.
const SEED: u64 = 0x636c_6f73_6564;

/// Most points for which more than the first order is tried, and how many orders.
const MOST_RETRIED: usize = 1024;
const ORDERS: u32 = 24;

/// Points and lines; every point is on equally many lines.
pub struct Incidence {
    /// The points of each line.
    pub lines: Vec<Vec<u32>>,
    /// The lines of each point.
    pub through: Vec<Vec<u32>>,
}

impl Incidence {
    /// From the points of each line.
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

/// What is known of a design before it is built.
#[derive(Clone, Copy)]
pub struct Size {
    pub lines: usize,
    /// Lines through each point: NIs of each PE.
    pub through: u32,
}

/// Whether the spec's NIs, switches and ports could do for a design of this size. No two PEs need share a switch that are
/// not asked to, so a demand that is not for everybody may pass, too.
pub fn may_fit(trial: &Trial<'_>, size: Size) -> bool {
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

/// Offers the design with its points replaced by PEs, if there is room for all.
pub fn offer(trial: &mut Trial<'_>, incidence: &Incidence, name: &str) {
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
    let (least, most) = (sizes.iter().min().copied(), sizes.iter().max().copied());
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
    let each = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let name = format!("{name}, points replaced by {each} PE{}", if most == 1 { "" } else { "s" });
    trial.offer(&Form { name, blocks });
}

/// How many PEs each point gets, if every line can keep within its limit.
fn sizes(incidence: &Incidence, caps: &[u32], pes: u32) -> Option<Vec<u32>> {
    let points = incidence.through.len();
    let even = incidence.lines.iter().zip(caps).map(|(line, &cap)| cap / line.len().max(1) as u32).min();
    let even = even.unwrap_or(0).min(pes / points as u32);
    let orders = if points > MOST_RETRIED { 1 } else { ORDERS };
    let mut dice = Dice::new(SEED, points as u64);
    let mut order: Vec<u32> = (0..points as u32).collect();
    for _ in 0..orders {
        if let Some(sizes) = filled(incidence, caps, pes, even, &order) {
            return Some(sizes);
        }
        dice.shuffle(&mut order);
    }
    None
}

/// `even` PEs on each point, then one after the other where the fullest line has most room; of equal points where all lines
/// together have most, and of equal ones still the first in `order`.
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
    for _ in even * points as u32..pes {
        let most = room.iter().copied().max().filter(|&(least, _)| least > 0)?;
        let point = order.iter().copied().find(|&p| room[p as usize] == most)? as usize;
        sizes[point] += 1;
        for &line in &incidence.through[point] {
            let left = &mut slack[line as usize];
            *left -= 1;
            for &other in &incidence.lines[line as usize] {
                let (least, all) = &mut room[other as usize];
                (*least, *all) = ((*least).min(*left), *all - 1);
            }
        }
    }
    Some(sizes)
}

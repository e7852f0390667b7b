//! Where accepted traffic ends to grow.

use crate::{Open, SimulateError, open::simulate};
use shared::simulation::{Point, Saturation};
use std::sync::atomic::{AtomicBool, Ordering};

/// A load counts as accepted from this share of what is generated.
const ACCEPTED: f64 = 0.98;
/// The largest accepted load is found to this share of it.
const CLOSE: f64 = 0.01;
/// Loads above the largest accepted one that are tried, since accepted traffic may still grow for a while.
const ABOVE: [f64; 6] = [1.02, 1.06, 1.12, 1.25, 1.5, 2.0];

/// Searches the offered load for the most accepted traffic: first all that hosts can send, then by halving the load at
/// which what is offered is just accepted, then some loads above it. Every point is told as soon as it is there; those of a
/// cancelled simulation are not.
///
/// # Errors
/// As those of [`simulate`].
pub fn saturate(
    open: &Open,
    cancel: &AtomicBool,
    each: &mut dyn FnMut(&Point),
) -> Result<Saturation, SimulateError> {
    let most = most_load(open);
    let mut found = Saturation::default();
    let mut next = |load: f64, found: &mut Saturation| -> Result<Option<Point>, SimulateError> {
        let point = simulate(open, load, cancel)?;
        if cancel.load(Ordering::Relaxed) {
            return Ok(None);
        }
        each(&point);
        note(found, &point);
        Ok(Some(point))
    };
    let Some(all) = next(most, &mut found)? else { return Ok(found) };
    let (mut low, mut high) = (0.0, most);
    let mut load = if all.deadlock.is_some() { most / 2.0 } else { all.accepted };
    while !sustains(&all) && high - low > CLOSE * high && load > 0.0 {
        let Some(point) = next(load.min(most), &mut found)? else { return Ok(found) };
        if sustains(&point) {
            low = load;
        } else {
            high = load;
        }
        load = (low + high) / 2.0;
        if high < most * 1e-4 {
            break;
        }
    }
    for factor in ABOVE {
        let load = high * factor;
        if low < most && load < most && next(load, &mut found)?.is_none() {
            break;
        }
    }
    Ok(found)
}

/// The most that nodes can send: what the links of the host with the most carry, as the one that sends the most sees it.
pub fn most_load(open: &Open) -> f64 {
    let mut speed = vec![0u64; open.fabric.hosts as usize];
    for link in &open.fabric.links {
        for end in link.ends {
            if let Some(speed) = speed.get_mut(end as usize) {
                *speed += u64::from(link.speed);
            }
        }
    }
    let fastest = open.fabric.links.iter().map(|link| link.speed).max().unwrap_or(1);
    let reference = open.settings.reference_speed.unwrap_or(fastest);
    let most = speed.into_iter().max().unwrap_or(0) as f64 / f64::from(reference);
    most.min(f64::from(open.settings.frame()) / open.traffic.most_rate())
}

fn sustains(point: &Point) -> bool {
    point.deadlock.is_none() && point.accepted >= ACCEPTED * point.generated
}

fn note(found: &mut Saturation, point: &Point) {
    if point.deadlock.is_some() {
        let from = found.deadlock_from.map_or(point.offered, |from| from.min(point.offered));
        found.deadlock_from = Some(from);
        return;
    }
    if point.accepted > found.throughput {
        (found.throughput, found.offered) = (point.accepted, point.offered);
    }
    if sustains(point) {
        found.sustained = found.sustained.max(point.offered);
    }
}

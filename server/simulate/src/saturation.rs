//! Where accepted traffic ends to grow.

use crate::{Open, SimulateError, Watch, open::simulate};
use shared::simulation::{Point, Saturation};

/// A load counts as accepted from this share of what is generated.
const ACCEPTED: f64 = 0.98;
/// The largest accepted load is found to this share of it.
const CLOSE: f64 = 0.01;
/// Loads below this share of all that hosts can send are not looked for.
const LEAST: f64 = 1e-4;
/// Loads above the largest accepted one that are tried, since accepted traffic may still grow for a while.
const ABOVE: [f64; 6] = [1.02, 1.06, 1.12, 1.25, 1.5, 2.0];

/// Searches the offered load for the most accepted traffic: first all that hosts can send, then by halving the load at
/// which what is offered is just accepted, then some loads above it. Every point is told as soon as it is there; those of a
/// stopped simulation are not.
///
/// # Errors
/// As those of [`simulate`].
pub fn saturate(
    open: &Open,
    watch: &dyn Watch,
    each: &mut dyn FnMut(&Point),
) -> Result<Saturation, SimulateError> {
    let most = most_load(open);
    let mut tried = Vec::new();
    let mut next = |load: f64, tried: &mut Vec<Tried>| -> Result<Option<Tried>, SimulateError> {
        let point = simulate(open, load, watch)?;
        if watch.stops() {
            return Ok(None);
        }
        each(&point);
        let Point { offered, accepted, .. } = point;
        let sustained = point.deadlock.is_none() && accepted >= ACCEPTED * point.generated;
        tried.push(Tried { offered, accepted, sustained, stuck: point.deadlock.is_some() });
        Ok(tried.last().copied())
    };
    let Some(all) = next(most, &mut tried)? else { return Ok(told(&tried)) };
    let (mut low, mut high) = (0.0, most);
    let mut load = if all.stuck { most / 2.0 } else { all.accepted };
    while !all.sustained && high - low > CLOSE * high && high > most * LEAST {
        let Some(point) = next(load, &mut tried)? else { return Ok(told(&tried)) };
        if point.sustained {
            low = load;
        } else {
            high = load;
        }
        load = (low + high) / 2.0;
    }
    for factor in ABOVE {
        let load = high * factor;
        let stuck = tried.iter().any(|tried| tried.stuck && tried.offered <= load);
        if stuck || load >= most || next(load, &mut tried)?.is_none() {
            break;
        }
    }
    Ok(told(&tried))
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

/// A load that was simulated.
#[derive(Clone, Copy, Debug)]
struct Tried {
    offered: f64,
    accepted: f64,
    sustained: bool,
    stuck: bool,
}

/// Loads from the first deadlock on do not count: what went well there went well by luck.
fn told(tried: &[Tried]) -> Saturation {
    let deadlock_from = tried.iter().filter(|tried| tried.stuck).map(|tried| tried.offered).reduce(f64::min);
    let counts = |tried: &&Tried| deadlock_from.is_none_or(|from| tried.offered < from);
    let mut found = Saturation { deadlock_from, ..Saturation::default() };
    for tried in tried.iter().filter(counts) {
        if tried.accepted > found.throughput {
            (found.throughput, found.offered) = (tried.accepted, tried.offered);
        }
        if tried.sustained {
            found.sustained = found.sustained.max(tried.offered);
        }
    }
    found
}

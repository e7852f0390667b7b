//! Search for the saturation load.

use crate::{Observer, OpenInput, SimulateError, network::reference_speed, open::simulate};
use work::simulation::{Point, Saturation};

/// A load is sustained if at least this share of the generated traffic is accepted.
const SUSTAINED: f64 = 0.98;
/// Relative precision of the largest sustained load.
const PRECISION: f64 = 0.01;
/// Smallest load tried, as a share of the maximum load.
const MIN_SHARE: f64 = 1e-4;
/// Loads tried above the largest sustained one, relative to it, since accepted traffic may still grow there.
const ABOVE: [f64; 6] = [1.02, 1.06, 1.12, 1.25, 1.5, 2.0];

/// Searches for the offered load with the highest accepted traffic: first the maximum load, then bisection for the largest
/// sustained load, then some loads above it. `each` is called for every finished point.
///
/// # Errors
/// Same as for [`simulate`].
pub fn saturate(
    open: &OpenInput,
    observer: &dyn Observer,
    each: &mut dyn FnMut(&Point),
) -> Result<Saturation, SimulateError> {
    let max = max_load(open);
    let mut tried = Vec::new();
    let mut next = |load: f64, tried: &mut Vec<LoadTrial>| -> Result<Option<LoadTrial>, SimulateError> {
        let point = simulate(open, load, observer)?;
        if observer.is_cancelled() {
            return Ok(None);
        }
        each(&point);
        let Point { offered, accepted, lost_share, .. } = point;
        let sustained = point.deadlock.is_none() && accepted >= SUSTAINED * point.generated;
        tried.push(LoadTrial { offered, accepted, lost_share, sustained, stuck: point.deadlock.is_some() });
        Ok(tried.last().copied())
    };
    let Some(all) = next(max, &mut tried)? else { return Ok(summary(&tried)) };
    let (mut low, mut high) = (0.0, max);
    let mut load = if all.stuck { max / 2.0 } else { all.accepted };
    while !all.sustained && high - low > PRECISION * high && high > max * MIN_SHARE {
        let Some(point) = next(load, &mut tried)? else { return Ok(summary(&tried)) };
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
        if stuck || load >= max || next(load, &mut tried)?.is_none() {
            break;
        }
    }
    Ok(summary(&tried))
}

/// Maximum offered load in flits per cycle and sending node: the link capacity of the best-connected host, bounded by
/// one frame per cycle for the busiest sender.
pub fn max_load(open: &OpenInput) -> f64 {
    let mut speed = vec![0u64; open.fabric.hosts as usize];
    for link in &open.fabric.links {
        for end in link.ends {
            if let Some(speed) = speed.get_mut(end as usize) {
                *speed += u64::from(link.speed);
            }
        }
    }
    let reference = reference_speed(open.fabric, open.settings);
    let max = speed.into_iter().max().unwrap_or(0) as f64 / f64::from(reference);
    max.min(f64::from(open.settings.frame()) / open.traffic.max_rate())
}

/// A simulated load.
#[derive(Clone, Copy, Debug)]
struct LoadTrial {
    offered: f64,
    accepted: f64,
    lost_share: f64,
    sustained: bool,
    stuck: bool,
}

/// Loads from the first deadlock on do not count: a load above it got through by luck only.
fn summary(tried: &[LoadTrial]) -> Saturation {
    let deadlock_from = tried.iter().filter(|tried| tried.stuck).map(|tried| tried.offered).reduce(f64::min);
    let counts = |tried: &&LoadTrial| deadlock_from.is_none_or(|from| tried.offered < from);
    let mut found = Saturation { deadlock_from, ..Saturation::default() };
    for tried in tried.iter().filter(counts) {
        if tried.accepted > found.throughput {
            (found.throughput, found.offered, found.lost_share) =
                (tried.accepted, tried.offered, tried.lost_share);
        }
        if tried.sustained {
            found.sustained = found.sustained.max(tried.offered);
        }
    }
    found
}

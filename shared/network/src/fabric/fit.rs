//! Tools that find the network of a kind for N hosts.

use super::kind::{FitResult, NetworkKind};
use crate::{spec::MAX_PES, text::grouped};

/// Distance, up and down, within which other numbers of hosts are proposed.
const NEAR: u32 = 4096;
/// Reason why a kind fits no number of hosts.
const NOTHING_SOLD: &str = "no suitable hardware for sale";

/// The network of a kind that takes `min` to `max` hosts.
pub(super) fn within<K: NetworkKind + 'static>(
    hosts: u32,
    min: u32,
    max: u64,
    kind: impl FnOnce(u32) -> Option<K>,
) -> FitResult {
    let fits = (u64::from(min)..=max).contains(&u64::from(hosts));
    match Some(hosts).filter(|_| fits).and_then(kind) {
        Some(kind) => Ok(vec![Box::new(kind)]),
        None if max < min.into() => Err(NOTHING_SOLD.into()),
        None if max == u64::from(min) => Err(format!("{} only", grouped(max))),
        None => Err(format!("{} to {}", grouped(min.into()), grouped(max))),
    }
}

/// The network of a kind for N hosts, up to `max`; the error proposes the nearest numbers that it takes.
pub(super) fn near<K: NetworkKind + 'static>(
    hosts: u32,
    max: u64,
    kind: impl Fn(u32) -> Option<K>,
) -> FitResult {
    if let Some(kind) = kind(hosts) {
        return Ok(vec![Box::new(kind)]);
    }
    let found = |number: &u32| kind(*number).is_some();
    let max = u64::from(MAX_PES).min(max) as u32;
    let up_to = hosts.min(max.saturating_add(1));
    let below = (up_to.saturating_sub(NEAR).max(1)..up_to).rev().find(found);
    let above = (hosts + 1..=hosts.saturating_add(NEAR).min(max)).find(found);
    Err(match (below, above) {
        (Some(below), Some(above)) => {
            format!("{} or {} (nearest)", grouped(below.into()), grouped(above.into()))
        }
        (Some(below), None) if hosts > max => format!("up to {}", grouped(below.into())),
        (Some(only), None) | (None, Some(only)) => format!("{} (nearest)", grouped(only.into())),
        (None, None) => NOTHING_SOLD.into(),
    })
}

/// Two sides of at least 2 with that product, as equal as possible, the longer first.
pub(super) fn squarest(places: u32) -> Option<[u32; 2]> {
    let root = f64::from(places).sqrt() as u32 + 1;
    let short = (2..=root).rev().find(|&side| places.is_multiple_of(side) && places / side >= side)?;
    Some([places / short, short])
}

/// Three sides of at least 2 with that product, as equal as possible, longer ones first.
pub(super) fn cubest(places: u32) -> Option<[u32; 3]> {
    let root = f64::from(places).cbrt() as u32 + 1;
    (2..=root).rev().filter(|&short| places.is_multiple_of(short)).find_map(|short| {
        let [long, middle] = squarest(places / short)?;
        (middle >= short).then_some([long, middle, short])
    })
}

//! The network of each kind for N hosts, built from the switches and hubs that are available.

use super::kinds::{KINDS, Kind, KindEntry};
use crate::{spec::MAX_PES, text::grouped};

/// Distance, up and down, within which other numbers of hosts are proposed.
const NEAR: u32 = 4096;
/// Reason why a kind fits no number of hosts.
const NOTHING_SOLD: &str = "no suitable hardware for sale";

/// Limits of the hardware that networks are built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Max ports of the hosts' speed per switch.
    pub ports: u32,
    /// Max ports of the trunks' speed per switch.
    pub trunk_ports: u32,
    /// Max ports per hub; 0 without hubs.
    pub hub_ports: u32,
    /// Hosts per leaf of a tree.
    pub leaf: u32,
    /// Uplinks per leaf of a tree.
    pub uplinks: u32,
}

/// A kind with its network for a number of hosts.
pub struct Fit {
    /// The kind.
    pub entry: &'static KindEntry,
    /// The network, or the numbers of hosts that the kind takes.
    pub kind: Result<Box<dyn Kind>, String>,
}

/// The networks of one kind, or the numbers of hosts that it takes.
pub(super) type Fitted = Result<Vec<Box<dyn Kind>>, String>;

/// Every kind for N hosts, in the order of [`KINDS`]; a kind with several networks comes once per network.
pub fn fit(hosts: u32, limits: &Limits) -> Vec<Fit> {
    let fitted = |entry: &'static KindEntry| {
        let kinds = match (entry.fit)(hosts, limits) {
            Ok(kinds) => kinds.into_iter().map(Ok).collect(),
            Err(takes) => vec![Err(takes)],
        };
        kinds.into_iter().map(move |kind| Fit { entry, kind })
    };
    KINDS.iter().flat_map(fitted).collect()
}

/// The network of a kind that takes `min` to `max` hosts.
pub(super) fn within<K: Kind + 'static>(
    hosts: u32,
    min: u32,
    max: u64,
    kind: impl FnOnce(u32) -> Option<K>,
) -> Fitted {
    let fits = (u64::from(min)..=max).contains(&u64::from(hosts));
    match Some(hosts).filter(|_| fits).and_then(kind) {
        Some(kind) => Ok(vec![Box::new(kind)]),
        None if max < min.into() => Err(NOTHING_SOLD.into()),
        None if max == u64::from(min) => Err(format!("{} only", grouped(max))),
        None => Err(format!("{} to {}", grouped(min.into()), grouped(max))),
    }
}

/// The network of a kind for N hosts, up to `max`; the error proposes the nearest numbers that it takes.
pub(super) fn near<K: Kind + 'static>(hosts: u32, max: u64, kind: impl Fn(u32) -> Option<K>) -> Fitted {
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

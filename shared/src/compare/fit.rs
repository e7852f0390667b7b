//! Which network of each kind has so many hosts, with the switches of a market; else which numbers of hosts it takes.

use super::market::Market;
use crate::fabric::{
    Direct, FatTree, Full, Grid, GridShape, HostTorus, Hub, Kind, MYRINETS, Myrinet, Rail, Single,
    SwitchGrid, Tree,
    kinds::{self, KindEntry},
    pmesh::PMesh,
};
use crate::{spec::MAX_PES, text::grouped};

/// How far up and down other numbers of hosts are looked for.
const NEAR: u32 = 4096;
/// Most rails that are proposed.
const MOST_RAILS: u32 = 8;
/// Why no number of hosts will do.
const NOTHING_SOLD: &str = "none, since nobody sells the switches or hubs for it";

/// A kind for a number of hosts.
pub struct Fit {
    /// Its name, as before the colon of the text form.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The network, or which numbers of hosts it takes.
    pub kind: Result<Box<dyn Kind>, String>,
}

/// Every kind for so many hosts, in the order of [`kinds::KINDS`].
pub fn fit(hosts: u32, market: &Market) -> Vec<Fit> {
    kinds::KINDS.iter().flat_map(|entry| fitted(entry, hosts, market)).collect()
}

fn fitted(entry: &KindEntry, hosts: u32, market: &Market) -> Vec<Fit> {
    let fit = |kind| Fit { name: entry.name, title: entry.title, kind };
    if entry.name == "myrinet" {
        let all = MYRINETS.iter().filter(|&&(of, _)| of == hosts);
        let found: Vec<Fit> =
            all.filter_map(|&(of, cut)| boxed(Myrinet::new(of, cut))).map(|k| fit(Ok(k))).collect();
        return if found.is_empty() { vec![fit(Err("16 or 18 hosts".into()))] } else { found };
    }
    vec![fit(one(entry.name, hosts, market))]
}

fn boxed<K: Kind + 'static, E>(kind: Result<K, E>) -> Option<Box<dyn Kind>> {
    kind.ok().map(|kind| Box::new(kind) as Box<dyn Kind>)
}

fn within(
    hosts: u32,
    least: u32,
    most: u64,
    kind: impl FnOnce() -> Option<Box<dyn Kind>>,
) -> Result<Box<dyn Kind>, String> {
    let range = || match u64::from(least) {
        least if most < least => NOTHING_SOLD.into(),
        least if most == least => format!("{} hosts", grouped(least)),
        least => format!("{} to {} hosts", grouped(least), grouped(most)),
    };
    match u64::from(hosts) {
        n if (u64::from(least)..=most).contains(&n) => kind().ok_or_else(range),
        _ => Err(range()),
    }
}

fn one(name: &str, hosts: u32, market: &Market) -> Result<Box<dyn Kind>, String> {
    let (all, wide) = (u64::from(MAX_PES), market.widest());
    match name {
        "direct" => within(hosts, 2, 2, || Some(Box::new(Direct))),
        "hub" => within(hosts, 2, market.hub_ports.into(), || Some(Box::new(Hub { hosts }))),
        "switch" => within(hosts, 2, wide.into(), || Some(Box::new(Single { hosts }))),
        "full" => within(hosts, 2, all, || Some(Box::new(Full { hosts }))),
        "tree" => tree(hosts, market),
        "fat-tree" => fat_tree(hosts, wide),
        "host-torus" => near(hosts, all, |n| boxed(HostTorus::new(&squarest(n, u32::MAX)?))),
        "pmesh" => near(hosts, u64::from(wide).pow(3), |n| boxed(PMesh::new(&cubest(n, wide)?, &[1]))),
        "rail" => near(hosts, u64::from(wide) * u64::from(MOST_RAILS), |n| rail(n, wide)),
        "mesh" => near(hosts, all, |n| switches(GridShape::Mesh, n, wide)),
        _ => near(hosts, all, |n| switches(GridShape::Torus, n, wide)),
    }
}

/// Leaves as the market has them, with as few roots as have the ports.
fn tree(hosts: u32, market: &Market) -> Result<Box<dyn Kind>, String> {
    let (leaf, uplinks) = (market.leaf, market.uplinks);
    let most = u64::from(leaf) * u64::from(market.widest_trunks());
    within(hosts, leaf + 1, most.min(MAX_PES.into()), || {
        let leaves = hosts.div_ceil(leaf);
        let suffices = |&roots: &u32| {
            uplinks.is_multiple_of(roots)
                && u64::from(uplinks / roots) * u64::from(leaves) <= market.widest_trunks().into()
        };
        boxed(Tree::new(hosts, leaf, uplinks, (1..=uplinks).find(suffices)?))
    })
}

/// As few levels as have the hosts.
fn fat_tree(hosts: u32, ports: u32) -> Result<Box<dyn Kind>, String> {
    let most = |levels: u32| 2 * u64::from(ports / 2).saturating_pow(levels);
    within(hosts, ports + 1, if ports < 2 { 0 } else { most(6).min(MAX_PES.into()) }, || {
        (2..=6).find_map(|levels| boxed(FatTree::new(hosts, ports, levels, 1)))
    })
}

/// A network for so many hosts, or the nearest numbers that there is one for; there is none for more than `most`.
fn near(hosts: u32, most: u64, kind: impl Fn(u32) -> Option<Box<dyn Kind>>) -> Result<Box<dyn Kind>, String> {
    if let Some(kind) = kind(hosts) {
        return Ok(kind);
    }
    let found = |number: &u32| kind(*number).is_some();
    let most = u64::from(MAX_PES).min(most) as u32;
    let up_to = hosts.min(most.saturating_add(1));
    let below = (up_to.saturating_sub(NEAR).max(1)..up_to).rev().find(found);
    let above = (hosts + 1..=hosts.saturating_add(NEAR).min(most)).find(found);
    Err(match (below, above) {
        (Some(below), Some(above)) => {
            format!("{} or {} hosts, the nearest", grouped(below.into()), grouped(above.into()))
        }
        (Some(below), None) if hosts > most => format!("{} hosts at the most", grouped(below.into())),
        (Some(only), None) | (None, Some(only)) => format!("{} hosts, the nearest", grouped(only.into())),
        (None, None) => NOTHING_SOLD.into(),
    })
}

/// Two sides of at least 2 with that product, as equal as can be, the larger first.
fn squarest(places: u32, most: u32) -> Option<Vec<u32>> {
    let root = f64::from(places).sqrt() as u32 + 1;
    let short = (2..=root).rev().find(|&side| places.is_multiple_of(side) && places / side >= side)?;
    (places / short <= most).then(|| vec![places / short, short])
}

/// Two sides that switches of so many ports have room for, else three, as equal as can be; no side longer than four times
/// another, as such networks are built.
fn cubest(places: u32, most: u32) -> Option<Vec<u32>> {
    let even = |sides: &Vec<u32>| sides[0] <= 4 * sides[sides.len() - 1];
    if let Some(sides) = squarest(places, most).filter(even) {
        return Some(sides);
    }
    let third = |side: u32| {
        let mut sides = squarest(places / side, most)?;
        sides.push(side);
        sides.sort_unstable_by(|a, b| b.cmp(a));
        Some(sides)
    };
    let root = f64::from(places).cbrt() as u32 + 1;
    let all = (2..=root).filter(|&side| places.is_multiple_of(side)).filter_map(third).filter(even);
    all.filter(|sides| sides[0] <= most).min_by_key(|sides| sides.iter().sum::<u32>())
}

/// Eight rails, or as many fewer as the hosts divide into.
fn rail(hosts: u32, ports: u32) -> Option<Box<dyn Kind>> {
    let suits = |&rails: &u32| hosts.is_multiple_of(rails) && hosts / rails >= 2 && hosts / rails <= ports;
    let rails = (2..=MOST_RAILS).rev().find(suits)?;
    Some(Box::new(Rail { domains: hosts / rails, rails }))
}

/// Two dimensions of switches with as many hosts on each as have room beside four links to others, at least four switches.
fn switches(shape: GridShape, hosts: u32, ports: u32) -> Option<Box<dyn Kind>> {
    let each = (1..=ports.saturating_sub(4).min(hosts / 4)).rev().filter(|&each| hosts.is_multiple_of(each));
    let grid = |each: u32| {
        let sides = squarest(hosts / each, u32::MAX).filter(|sides| sides[0] <= 4 * sides[1])?;
        Grid::new(shape, &sides, each).ok()
    };
    each.filter_map(grid).next().map(|grid| Box::new(SwitchGrid(grid)) as Box<dyn Kind>)
}

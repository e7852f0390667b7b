//! Frames that the switches of a mesh or torus with VLANs should forward, from the exported tables.

use super::{End, FrameCounts};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The cables of an exported list with the columns a, a_port, b and b_port.
///
/// # Errors
/// If a column is missing or a line has other cells.
pub fn cables(csv: &str) -> Result<Vec<[End; 2]>> {
    let mut lines = csv.lines();
    ensure!(lines.next() == Some("a,a_port,b,b_port"), "no cable list: {csv}");
    let cable = |line: &str| {
        let cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        let [a, a_port, b, b_port] = <[String; 4]>::try_from(cells).ok().context(line.to_owned())?;
        Ok([(a, a_port), (b, b_port)])
    };
    lines.map(cable).collect()
}

/// Frames forwarded by each switch when each host asks each other once: a question and an answer for each ordered pair, both of
/// which take the same path. `paths` is the exported table, `macs` the addresses of all hosts.
///
/// # Errors
/// If a pair has no path or two, or its path has more links than needed.
pub fn expected(
    cables: &[[End; 2]],
    paths: &str,
    macs: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, FrameCounts>> {
    let neighbours = neighbours(cables);
    let mut expected: BTreeMap<String, FrameCounts> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    for line in paths.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [from, to, vlan, switches] = cells[..] else { anyhow::bail!("{line}") };
        ensure!(from != to && pairs.insert((from, to)), "{line}: twice");
        let mac = |host: &str| macs.get(host).cloned().with_context(|| format!("no address of {host}"));
        let nodes: Vec<&str> = [from].into_iter().chain(switches.split(' ')).chain([to]).collect();
        let fewest = distance(&neighbours, from, to).context("a way")?;
        ensure!(nodes.len() - 1 == fewest, "{line}: {fewest} links would do");
        for way in nodes.windows(3) {
            let port = |other: &str| {
                let port = neighbours[way[1]].get(other);
                port.cloned().with_context(|| format!("{line}: {} and {other} are not joined", way[1]))
            };
            let (came, goes) = (port(way[0])?, port(way[2])?);
            let passed = expected.entry(way[1].to_owned()).or_default();
            let frame = [came, goes.clone(), mac(from)?, mac(to)?];
            ensure!(passed.frames.insert(frame, 2).is_none(), "{line}: twice over {}", way[1]);
            *passed.vlans.entry([vlan.to_owned(), mac(to)?, goes]).or_default() += 2;
        }
    }
    ensure!(pairs.len() == macs.len() * (macs.len() - 1), "{} pairs have a path", pairs.len());
    Ok(expected)
}

/// Neighbours of each node, with the port to each.
type Neighbours = BTreeMap<String, BTreeMap<String, String>>;

fn neighbours(cables: &[[End; 2]]) -> Neighbours {
    let mut neighbours = Neighbours::new();
    for [a, b] in cables {
        for (own, other) in [(a, b), (b, a)] {
            neighbours.entry(own.0.clone()).or_default().insert(other.0.clone(), own.1.clone());
        }
    }
    neighbours
}

/// Min links between two nodes.
fn distance(neighbours: &Neighbours, from: &str, to: &str) -> Option<usize> {
    let mut distance = BTreeMap::from([(from, 0)]);
    let mut edge = VecDeque::from([from]);
    while let Some(node) = edge.pop_front() {
        for other in neighbours.get(node)?.keys() {
            if !distance.contains_key(other.as_str()) {
                distance.insert(other, distance[node] + 1);
                edge.push_back(other);
            }
        }
    }
    distance.get(to).copied()
}

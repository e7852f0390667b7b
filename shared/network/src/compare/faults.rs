//! Hosts that one failed switch, link or NIC cuts off at worst, and the failures that a network survives: all working hosts
//! still reach each other. Hosts forward here, whatever the routing.

use crate::cancel::{check, checked};
use crate::fabric::{Fabric, SplitNetwork};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Max work of the exact count: hosts times nodes and links, times the links of the host with fewest.
const MAX_WORK: u64 = 1 << 22;

/// Hosts cut off from the largest remaining part by the worst single failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Losses {
    /// One switch or hub; `None` without switches.
    pub switch: Option<u32>,
    /// One link of any kind.
    pub link: u32,
    /// One NIC, the end of one link at a host.
    pub ni: u32,
}

/// Numbers of failures that never separate two working hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Survival {
    /// Hosts cut off by a single failure.
    pub losses: Losses,
    /// Failed switches survived; `None` if switches cannot separate hosts.
    pub switches: Option<u32>,
    /// Failed links survived.
    pub links: Option<u32>,
    /// `true` if both numbers are exact; otherwise they are upper bounds.
    pub exact: bool,
}

/// The failures that a network survives.
pub fn survival(fabric: &Fabric) -> Survival {
    let (losses, parts) = losses(fabric);
    let ways = fewest_at_a_host(fabric, Element::Link).map_or(0, u64::from);
    let work = u64::from(fabric.hosts) * (u64::from(fabric.nodes()) + fabric.links.len() as u64) * ways;
    let exact = work <= MAX_WORK;
    let survived = |element, lost| match exact {
        true => Some(Count { most: separators(fabric, element)?.saturating_sub(1), exact }),
        false if parts > 1 => Some(Count { most: 0, exact: true }),
        false => Some(Count::by_one(fewest_at_a_host(fabric, element)?.saturating_sub(1), lost)),
    };
    let links = survived(Element::Link, losses.link);
    Survival::of(losses, losses.switch.and_then(|lost| survived(Element::Switch, lost)), links)
}

/// The failures that a network survives whose switches keep some of their ports apart.
pub(super) fn survival_apart(apart: &SplitNetwork) -> Survival {
    let Survival { losses, links, exact, .. } = survival(&apart.fabric);
    let most =
        fewest_at_a_host(&apart.fabric, Element::Switch).map_or(0, |switches| switches.saturating_sub(1));
    let losses = Losses { switch: Some(apart.switch_loss), ..losses };
    let links = links.map(|most| Count { most, exact });
    Survival::of(losses, Some(Count::by_one(most, apart.switch_loss)), links)
}

/// Upper bound of the failures survived, and whether it is exact.
#[derive(Clone, Copy)]
struct Count {
    most: u32,
    exact: bool,
}

impl Count {
    /// Failures survived, judged by single failures: 0 if one of them cuts off a host, else at least 1.
    fn by_one(most: u32, lost: u32) -> Count {
        match lost {
            0 => Count { most, exact: most <= 1 },
            _ => Count { most: 0, exact: true },
        }
    }
}

impl Survival {
    fn of(losses: Losses, switches: Option<Count>, links: Option<Count>) -> Survival {
        let exact = [switches, links].iter().flatten().all(|count| count.exact);
        let most = |count: Option<Count>| count.map(|count| count.most);
        Survival { losses, switches: most(switches), links: most(links), exact }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Element {
    Switch,
    Link,
}

/// Links, or different switches, at the host with fewest: their failure cuts it off.
fn fewest_at_a_host(fabric: &Fabric, element: Element) -> Option<u32> {
    let leaving = fabric.leaving();
    let count = |host: u32| {
        let mut ends: Vec<u32> = leaving[host as usize].iter().map(|&c| fabric.channel_ends(c).1).collect();
        if element == Element::Switch {
            ends.sort_unstable();
            ends.dedup();
            if ends.iter().any(|&node| fabric.is_host(node)) {
                return None;
            }
        }
        Some(ends.len() as u32)
    };
    (0..fabric.hosts).filter_map(count).min()
}

/// Min failures that separate host 0 from some other, and so any two hosts.
fn separators(fabric: &Fabric, element: Element) -> Option<u32> {
    let mut flow = Flow::of(fabric, element);
    (1..fabric.hosts).filter_map(|host| flow.between(0, host)).min()
}

const ENDLESS: u32 = u32::MAX / 2;

/// A flow network: every node is an entrance and an exit with an arc between, which failed switches lack.
struct Flow {
    /// Arcs leave node n's entrance at 2n and its exit at 2n + 1; arc a goes back as a ^ 1.
    arcs: Vec<Vec<usize>>,
    to: Vec<usize>,
    room: Vec<u32>,
    left: Vec<u32>,
}

impl Flow {
    fn of(fabric: &Fabric, element: Element) -> Flow {
        let nodes = fabric.nodes() as usize;
        let mut flow =
            Flow { arcs: vec![Vec::new(); 2 * nodes], to: Vec::new(), room: Vec::new(), left: Vec::new() };
        for node in checked(0..fabric.nodes()) {
            let dies = element == Element::Switch && !fabric.is_host(node);
            flow.arc(2 * node as usize, 2 * node as usize + 1, if dies { 1 } else { ENDLESS });
        }
        let room = if element == Element::Link { 1 } else { ENDLESS };
        for link in &fabric.links {
            let [a, b] = link.ends.map(|node| 2 * node as usize);
            flow.arc(a + 1, b, room);
            flow.arc(b + 1, a, room);
        }
        flow
    }

    fn arc(&mut self, from: usize, to: usize, room: u32) {
        for (from, to, room) in [(from, to, room), (to, from, 0)] {
            self.arcs[from].push(self.to.len());
            self.to.push(to);
            self.room.push(room);
        }
    }

    /// Failures needed; `None` if no number suffices.
    fn between(&mut self, from: u32, to: u32) -> Option<u32> {
        self.left.clone_from(&self.room);
        let (from, to) = (2 * from as usize + 1, 2 * to as usize);
        let mut sum = 0;
        while let Some(more) = self.push(from, to) {
            check();
            sum += more;
            if sum >= ENDLESS {
                return None;
            }
        }
        Some(sum)
    }

    /// Sends a flow along a shortest way.
    fn push(&mut self, from: usize, to: usize) -> Option<u32> {
        let mut by = vec![usize::MAX; self.arcs.len()];
        let mut edge = VecDeque::from([from]);
        while let Some(at) = edge.pop_front().filter(|&at| at != to) {
            for &arc in &self.arcs[at] {
                let next = self.to[arc];
                if self.left[arc] > 0 && by[next] == usize::MAX && next != from {
                    by[next] = arc;
                    edge.push_back(next);
                }
            }
        }
        let way: Vec<usize> = std::iter::successors(Some(by[to]).filter(|&arc| arc != usize::MAX), |&arc| {
            let before = self.to[arc ^ 1];
            (before != from).then(|| by[before])
        })
        .collect();
        let most = way.iter().map(|&arc| self.left[arc]).min()?;
        for arc in way {
            self.left[arc] -= most;
            self.left[arc ^ 1] += most;
        }
        Some(most)
    }
}

/// The worst single failures by one walk over the network: for each node the earliest node that its branch reaches another way
/// (Tarjan 1972). Also the number of parts without any failure.
fn losses(fabric: &Fabric) -> (Losses, u32) {
    let mut walk = Walk::of(fabric);
    let mut parts = 0;
    for host in checked(0..fabric.hosts) {
        if walk.entered[host as usize] == 0 {
            walk.branch(host);
            parts += 1;
        }
    }
    (walk.losses(), parts)
}

struct Walk<'a> {
    fabric: &'a Fabric,
    leaving: Vec<Vec<u32>>,
    /// Order in which a node was reached, from 1; 0 if it was not.
    entered: Vec<u32>,
    earliest: Vec<u32>,
    /// The channel by which a node was reached.
    by: Vec<Option<u32>>,
    /// Hosts in the branch of a node.
    hosts: Vec<u32>,
    /// Hosts of the whole part of a node, set at its first node.
    order: Vec<u32>,
    root: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn of(fabric: &'a Fabric) -> Walk<'a> {
        let nodes = fabric.nodes() as usize;
        let hosts = (0..fabric.nodes()).map(|node| u32::from(fabric.is_host(node))).collect();
        Walk {
            fabric,
            leaving: fabric.leaving(),
            entered: vec![0; nodes],
            earliest: vec![0; nodes],
            by: vec![None; nodes],
            hosts,
            order: Vec::new(),
            root: vec![0; nodes],
        }
    }

    fn enter(&mut self, node: u32, by: Option<u32>, root: u32) {
        self.order.push(node);
        let at = node as usize;
        (self.entered[at], self.by[at], self.root[at]) = (self.order.len() as u32, by, root);
        self.earliest[at] = self.entered[at];
    }

    fn branch(&mut self, root: u32) {
        self.enter(root, None, root);
        let mut open = vec![(root, 0)];
        while let Some((node, tried)) = open.last_mut() {
            let (at, channel) = (*node, self.leaving[*node as usize].get(*tried).copied());
            *tried += 1;
            let Some(channel) = channel else {
                open.pop();
                if let Some(&(parent, _)) = open.last() {
                    let earliest = self.earliest[at as usize];
                    self.earliest[parent as usize] = self.earliest[parent as usize].min(earliest);
                    self.hosts[parent as usize] += self.hosts[at as usize];
                }
                continue;
            };
            let next = self.fabric.channel_ends(channel).1;
            if self.entered[next as usize] == 0 {
                self.enter(next, Some(channel), root);
                open.push((next, 0));
            } else if self.by[at as usize] != Some(channel ^ 1) {
                self.earliest[at as usize] = self.earliest[at as usize].min(self.entered[next as usize]);
            }
        }
    }

    fn losses(&self) -> Losses {
        let mut losses = Losses { switch: (!self.fabric.switches.is_empty()).then_some(0), link: 0, ni: 0 };
        // Of each switch: hosts in branches that it alone connects to the rest, and in the largest of them.
        let mut alone = vec![(0u32, 0u32); self.entered.len()];
        for &node in &self.order {
            let Some(channel) = self.by[node as usize] else { continue };
            let parent = self.fabric.channel_ends(channel).0;
            let (hosts, all) = (self.hosts[node as usize], self.hosts[self.root[node as usize] as usize]);
            if self.earliest[node as usize] > self.entered[parent as usize] {
                let lost = hosts.min(all - hosts);
                losses.link = losses.link.max(lost);
                if self.fabric.is_host(node) || self.fabric.is_host(parent) {
                    losses.ni = losses.ni.max(lost);
                }
            }
            if self.earliest[node as usize] >= self.entered[parent as usize] {
                let (sum, largest) = &mut alone[parent as usize];
                (*sum, *largest) = (*sum + hosts, (*largest).max(hosts));
            }
        }
        for &node in self.order.iter().filter(|&&node| !self.fabric.is_host(node)) {
            let (sum, largest) = alone[node as usize];
            let all = self.hosts[self.root[node as usize] as usize];
            let lost = all - largest.max(all - sum);
            losses.switch = losses.switch.max(Some(lost));
        }
        losses
    }
}

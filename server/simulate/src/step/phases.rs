//! The transfers of a job, phase by phase, and a network that carries them.

use crate::fluid::Loads;
use analysis::analysis::library::SwitchRule;
use network::{
    compare::{Market, Model},
    fabric::{Ecmp, Fabric, Hops, RoutingTooLarge, Shares, SwitchKind, channel_link},
};
use spec::{cancel::checked, demand::collective::Transfer};
use work::estimate::timing::Lane;

/// Max parts of paths that are kept to share links fairly, 8 bytes each. Beyond, all groups of a phase are one.
const MAX_PARTS: usize = 1 << 26;

/// Parts of the paths of one transfer, in a network of eight planes with 128 ports per switch, for estimates of memory.
const PARTS: u64 = 1100;
/// Frames of one transfer and of all, in both directions, and bytes of each in its simulation.
const MAX_TRANSFER_FRAMES: u64 = 6144;
const MAX_FRAMES: u64 = 1_800_000;
const FRAME_BYTES: u64 = 100;
/// Time in links of hosts from which other links limit a phase.
const LIMITED: f64 = 1.001;

/// Upper bound in bytes of the memory of so many transfers.
pub(super) fn memory(transfers: u64) -> u64 {
    // A transfer takes up to some hundred parts of paths per direction, and the sum of its frames.
    let parts = transfers.saturating_mul(2 * PARTS).min(MAX_PARTS as u64);
    let frames = transfers.saturating_mul(MAX_TRANSFER_FRAMES).min(MAX_FRAMES);
    parts * 12 + frames * FRAME_BYTES
}

/// One direction of a transfer.
pub(super) fn directions(transfer: &Transfer) -> impl Iterator<Item = ([u32; 2], f64)> {
    let Transfer { ends: [a, b], bytes, .. } = *transfer;
    [([a, b], bytes[0]), ([b, a], bytes[1])].into_iter().filter(|(_, bytes)| *bytes > 0.0)
}

/// A network with its paths.
pub(super) struct Network<'a> {
    pub fabric: &'a Fabric,
    pub paths: Ecmp,
    pub model: &'a Model,
    /// Bytes per second of each channel, then of each switch: hubs pass one frame at a time.
    pub capacity: Vec<f64>,
    /// `true` if there is a hub.
    has_hubs: bool,
    /// Share of the links' speed that messages reach.
    pub efficiency: f64,
    /// `true` if every host has one NIC per plane, so that paths may turn in another switch.
    pub has_detours: bool,
    /// The switches that the job's library uses between two hosts; `None` for all shortest paths.
    pub rule: Option<SwitchRule<'a>>,
}

/// Paths of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Shortest,
    /// The switch that a transfer names, else all shortest paths.
    OwnSwitch,
    /// The switches of [`Network::rule`].
    Rule,
}

/// The transfers of a phase on a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub seconds: f64,
    /// Detours, if part of the traffic takes some.
    pub detour: Option<Detour>,
    /// Bytes per channel, then per hub.
    load: Vec<f64>,
}

/// Detours of a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detour {
    /// Switches on the longest detour.
    pub switches: u32,
    /// Seconds that the phase would take longer on shortest paths.
    pub saved: f64,
}

impl Flow {
    /// Adds the bytes to the load of each channel.
    pub fn add_to(&self, load: &mut [f64]) {
        load.iter_mut().zip(&self.load).for_each(|(load, own)| *load += own);
    }

    /// Seconds if other jobs leave a share of each channel.
    pub fn beside(&self, network: &Network, left: impl Fn(usize) -> f64) -> f64 {
        let used = self.load.iter().enumerate().filter(|(_, load)| **load > 0.0);
        let slower =
            used.map(|(at, load)| (load / network.capacity[at], left(at))).filter(|(_, left)| *left < 1.0);
        slower.map(|(seconds, left)| seconds / left).fold(self.seconds, f64::max)
    }
}

/// A part that may fail.
pub(super) struct FailingPart {
    pub name: String,
    pub links: Vec<u32>,
}

impl<'a> Network<'a> {
    pub fn of(
        fabric: &'a Fabric,
        has_detours: bool,
        market: &'a Market,
    ) -> Result<Network<'a>, RoutingTooLarge> {
        let (paths, model) = (Ecmp::of(fabric)?, &market.model);
        // Messages reach the model's bandwidth on links of the market's speed, and that share of the speed on others.
        let efficiency = (model.bandwidth / (f64::from(market.speed) / 8.0)).min(1.0);
        let of = |channel: u32| {
            f64::from(fabric.links[channel_link(channel) as usize].speed) / 8.0 * 1e6 * efficiency
        };
        let mut capacity: Vec<f64> = (0..fabric.channels()).map(of).collect();
        let slowest = capacity.iter().copied().fold(f64::INFINITY, f64::min);
        capacity.extend(fabric.switches.iter().map(|switch| match switch.kind {
            SwitchKind::Hub => slowest,
            SwitchKind::Switch | SwitchKind::Cable => f64::INFINITY,
        }));
        let has_hubs = fabric.switches.iter().any(|switch| switch.kind == SwitchKind::Hub);
        Ok(Network { fabric, paths, model, capacity, has_hubs, efficiency, has_detours, rule: None })
    }

    /// Sets the rule that chooses switches.
    pub fn by(self, rule: Option<SwitchRule<'a>>) -> Network<'a> {
        Network { rule, ..self }
    }

    /// The network without some links.
    pub fn without(&self, links: &[u32]) -> Network<'a> {
        let paths = self.paths.without(self.fabric, links);
        let failed = links.iter().map(|&link| {
            let [a, b] = self.fabric.links[link as usize].ends;
            (a.min(b), a.max(b).saturating_sub(self.fabric.hosts))
        });
        let rule = self.rule.as_ref().map(|rule| rule.without(failed));
        Network { paths, capacity: self.capacity.clone(), rule, ..*self }
    }

    /// Hosts and switches between the two nodes of a lane that are farthest apart.
    ///
    /// # Errors
    /// Some have no path, or only over other hosts without `forwarding`, or the job's library does not connect them.
    pub fn farthest(&self, work: &Lane, forwarding: bool) -> Result<Hops, String> {
        let mut most = Hops::default();
        for transfer in checked(work.transfers()) {
            for ([from, to], _) in directions(transfer) {
                let mut hops = self.paths.hops(from, to).ok_or("some nodes have no path to each other")?;
                if let Some(route) = self.rule.as_ref().map(|rule| rule.route(from, to)) {
                    let mut is_whole = route.is_complete();
                    for &(switches, _) in &route.over {
                        let path = self.paths.paths_over([from, to], switches).into_iter().next();
                        is_whole &= path.is_some();
                        let is_switch = |&&channel: &&u32| {
                            let reached = self.fabric.channel_ends(channel).1.checked_sub(self.fabric.hosts);
                            reached.is_some_and(|switch| {
                                self.fabric.switches[switch as usize].kind != SwitchKind::Cable
                            })
                        };
                        let switches = path.map_or(0, |path| path.iter().filter(is_switch).count() as u32);
                        hops = Hops { hosts: 0, switches: hops.switches.max(switches) };
                    }
                    if !is_whole {
                        return Err(format!("the job's library does not connect nodes {from} and {to}"));
                    }
                }
                if hops.hosts > 0 && !forwarding {
                    return Err(format!(
                        "nodes {from} and {to} communicate, every path between them passes through other nodes, and nodes do not \
                         forward traffic"
                    ));
                }
                most = most.max(hops);
            }
        }
        Ok(most)
    }

    /// Seconds of a message.
    pub fn latency(&self, hops: Hops) -> f64 {
        self.model.performance(hops).latency * 1e-6
    }

    /// The phases on their paths, with detours only where `detours` are wanted.
    pub fn flows(&self, work: &Lane, detours: bool) -> Vec<Flow> {
        work.phases.iter().map(|groups| self.flow(groups, detours && self.has_detours)).collect()
    }

    /// A phase on the switches that the job's library uses, where there is a rule; else on shortest paths; or on the switches of its transfers where this is faster; or with the best share of detours,
    /// where links between switches limit the phase.
    fn flow(&self, groups: &[Vec<Transfer>], detours: bool) -> Flow {
        if self.rule.is_some() {
            return self.flow_on(groups, Way::Rule).0;
        }
        let (shortest, loads) = self.flow_on(groups, Way::Shortest);
        if groups.iter().flatten().any(|transfer| transfer.switch.is_some()) {
            let (own, _) = self.flow_on(groups, Way::OwnSwitch);
            return if own.seconds < shortest.seconds { own } else { shortest };
        }
        let at_host = |channel: &u32| !self.is_between(*channel);
        let alone = |channel: u32| shortest.load[channel as usize] / self.capacity[channel as usize];
        let at_hosts = (0..self.fabric.channels()).filter(at_host).map(alone).fold(0.0, f64::max);
        if !detours || self.has_hubs || shortest.seconds < LIMITED * at_hosts {
            return shortest;
        }
        let Some(detours) = self.detours(groups, &shortest.load) else { return shortest };
        let weight = detours.best(self, &shortest.load);
        let load = detours.mixed(self, &shortest.load, weight);
        // Groups share the links that shortest paths take; detours lead over all others evenly.
        let fair = loads.map(|mut loads| {
            loads.scale(|channel| if self.is_between(channel) { weight.max(0.0) } else { 1.0 });
            loads.seconds(&self.capacity)
        });
        let seconds = self.busiest(&load).max(fair.unwrap_or(0.0));
        let saved = shortest.seconds - seconds;
        match saved > 0.0 {
            true => Flow { seconds, detour: Some(Detour { switches: detours.switches, saved }), load },
            false => shortest,
        }
    }

    /// Seconds of a phase on the switches of the job's library, or on shortest paths.
    pub fn plain(&self, groups: &[Vec<Transfer>]) -> f64 {
        let way = if self.rule.is_some() { Way::Rule } else { Way::Shortest };
        self.flow_on(groups, way).0.seconds
    }

    /// A phase, and the bytes of its groups if there are several that share channels.
    fn flow_on(&self, groups: &[Vec<Transfer>], way: Way) -> (Flow, Option<Loads>) {
        match groups {
            [group] if way == Way::Shortest => (self.gathered(group), None),
            groups => self.shared(groups, way),
        }
    }

    /// A phase of one group, which moves at its busiest channel.
    fn gathered(&self, group: &[Transfer]) -> Flow {
        let mut flows: Vec<(u32, (u32, f64))> =
            group.iter().flat_map(directions).map(|([from, to], bytes)| (to, (from, bytes))).collect();
        flows.sort_by_key(|flow| (flow.0, flow.1.0));
        let mut sums = vec![0.0; self.capacity.len()];
        for flows in checked(flows.chunk_by(|a, b| a.0 == b.0)) {
            let sources: Vec<(u32, f64)> = flows.iter().map(|flow| flow.1).collect();
            self.paths.gather(flows[0].0, &sources, |channel, bytes| {
                self.used(channel).for_each(|at| sums[at] += bytes);
            });
        }
        Flow { seconds: self.busiest(&sums), detour: None, load: sums }
    }

    /// A phase of groups that share channels.
    fn shared<'t>(&self, groups: &'t [Vec<Transfer>], way: Way) -> (Flow, Option<Loads>) {
        let mut shares = Shares::default();
        let mut loads = Loads::new();
        let mut sums = vec![0.0; self.capacity.len()];
        for group in groups {
            let mut largest = 0.0_f64;
            let flows = |transfer: &'t Transfer| directions(transfer).map(|flow| (flow, transfer.switch));
            for ((ends, bytes), switch) in checked(group).flat_map(flows) {
                largest = largest.max(bytes);
                let keep = loads.len() < MAX_PARTS;
                let mut add = |channel: u32, share: f64| {
                    for at in self.used(channel) {
                        sums[at] += bytes * share;
                        if keep {
                            loads.add(at as u32, bytes * share);
                        }
                    }
                };
                match (way, switch) {
                    (Way::Rule, _) => self.split_by_rule(ends, &mut add),
                    (Way::OwnSwitch, Some(switch)) if self.paths.split_through(ends, switch, &mut add) => {}
                    _ => self.paths.split(ends, &mut shares, &mut add),
                }
            }
            loads.end(largest);
        }
        let loads = (loads.len() < MAX_PARTS).then_some(loads);
        let seconds =
            loads.as_ref().map_or_else(|| self.busiest(&sums), |loads| loads.seconds(&self.capacity));
        (Flow { seconds, detour: None, load: sums }, loads)
    }

    /// Calls `add(channel, share)` for the channels of the switches that the job's library uses from one host to another.
    fn split_by_rule(&self, ends: [u32; 2], mut add: impl FnMut(u32, f64)) {
        let route = self.rule.as_ref().map(|rule| rule.route(ends[0], ends[1])).unwrap_or_default();
        for (switch, part) in route.switches {
            self.paths.split_through(ends, switch, |channel, share| add(channel, part * share));
        }
        for (switches, part) in route.over {
            self.paths.split_over(ends, switches, |channel, share| add(channel, part * share));
        }
    }

    /// Seconds of the busiest channel or hub.
    fn busiest(&self, sums: &[f64]) -> f64 {
        sums.iter().zip(&self.capacity).map(|(sum, capacity)| sum / capacity).fold(0.0, f64::max)
    }

    /// A channel, and the hub that it reaches, whose ports share one medium; as places in `capacity`.
    fn used(&self, channel: u32) -> impl Iterator<Item = usize> {
        let to = self.has_hubs.then(|| self.fabric.channel_ends(channel).1);
        let switch = to.and_then(|to| to.checked_sub(self.fabric.hosts));
        let hub = switch.filter(|&switch| self.fabric.switches[switch as usize].kind == SwitchKind::Hub);
        let hub = hub.map(|hub| (self.fabric.channels() + hub) as usize);
        std::iter::once(channel as usize).chain(hub)
    }

    /// Switches, and NICs, with the most load: up to `most` of each.
    pub fn parts(&self, load: &[f64], most: usize) -> Vec<FailingPart> {
        let fabric = self.fabric;
        let mut of_switch = vec![0.0; fabric.switches.len()];
        let mut nics: Vec<(f64, u32)> = Vec::new();
        for (number, link) in (0..).zip(&fabric.links) {
            let both = load[2 * number as usize] + load[2 * number as usize + 1];
            for end in link.ends.iter().filter_map(|end| end.checked_sub(fabric.hosts)) {
                of_switch[end as usize] += both;
            }
            if link.ends.iter().any(|&end| fabric.is_host(end)) && both > 0.0 {
                nics.push((both, number));
            }
        }
        let mut switches: Vec<(f64, u32)> =
            of_switch.into_iter().zip(0..).filter(|(load, _)| *load > 0.0).collect();
        for parts in [&mut switches, &mut nics] {
            parts.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            parts.truncate(most);
        }
        let switch = |(_, switch): (f64, u32)| {
            let node = fabric.switch_node(switch);
            let links = (0..).zip(&fabric.links).filter(|(_, link)| link.ends.contains(&node));
            FailingPart { name: format!("switch {switch}"), links: links.map(|(number, _)| number).collect() }
        };
        let nic = |(_, link): (f64, u32)| FailingPart {
            name: format!("NIC of {}", fabric.channel_name(2 * link)),
            links: vec![link],
        };
        switches.into_iter().map(switch).chain(nics.into_iter().map(nic)).collect()
    }

    /// Number of switches and NICs.
    pub fn part_count(&self) -> u32 {
        let fabric = self.fabric;
        let ends = fabric.links.iter().flat_map(|link| link.ends);
        let nics = ends.filter(|&end| fabric.is_host(end)).count();
        nics as u32 + fabric.switches.len() as u32
    }
}

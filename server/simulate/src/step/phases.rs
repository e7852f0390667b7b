//! The transfers of a job, phase by phase, and a network that carries them.

use crate::fluid::Loads;
use shared::{
    analysis::orders::GroupOrders,
    cancel::checked,
    compare::{Market, Model},
    demand::{
        collective::Transfer,
        job::{Share, calls, groups},
    },
    fabric::{Ecmp, Fabric, Hops, RoutingTooLarge, Shares, SwitchKind, channel_link},
    random::mix,
    spec::job::{Dimension, Job},
};
use std::collections::BTreeMap;

/// Max parts of paths that are kept to share links fairly, 8 bytes each. Beyond, all groups of a phase are one.
const MAX_PARTS: usize = 1 << 26;

/// Parts of the paths of one transfer, in a network of eight planes with 128 ports per switch, for estimates of memory.
const PARTS: u64 = 1100;
/// Frames of one transfer and of all, in both directions, and bytes of each in its simulation.
const MAX_TRANSFER_FRAMES: u64 = 6144;
const MAX_FRAMES: u64 = 1_800_000;
const FRAME_BYTES: u64 = 100;
/// Time in links of hosts from which other links limit a phase.
const LIMITED: f64 = 1.1;
/// Transfers per host from which a phase is spread over the network already.
const DENSE: usize = 16;
/// Intermediate hosts of a transfer.
const DETOURS: usize = 16;

/// The communication along one dimension.
pub(super) struct Work {
    pub dimension: Dimension,
    /// `true` if its bytes are known.
    pub has_bytes: bool,
    /// Messages of a step that follow one another.
    pub messages: f64,
    /// Transfers of each phase, group by group.
    pub phases: Vec<Vec<Vec<Transfer>>>,
}

/// Upper bound in bytes of the memory of so many transfers.
pub(super) fn memory(transfers: u64) -> u64 {
    // A transfer takes up to some hundred parts of paths per direction, and the sum of its frames.
    let parts = transfers.saturating_mul(2 * PARTS).min(MAX_PARTS as u64);
    let frames = transfers.saturating_mul(MAX_TRANSFER_FRAMES).min(MAX_FRAMES);
    parts * 12 + frames * FRAME_BYTES
}

impl Work {
    /// The communication of a share; `None` if all of its groups are inside nodes.
    pub fn of(job: &Job, share: &Share) -> Option<Work> {
        Work::with(job, share, groups(job, share.collective).transfers())
    }

    /// The same with rings and trees in these orders, where there are any.
    pub fn in_orders(job: &Job, share: &Share, orders: &[GroupOrders]) -> Option<Work> {
        let own = orders.iter().filter(|group| group.along == share.collective.along);
        let own: BTreeMap<&[u32], &GroupOrders> = own.map(|group| (&group.members[..], group)).collect();
        let ordered = |members: &[u32]| match own.get(members) {
            Some(group) => group.members(),
            None => vec![(members.to_vec(), Vec::new())],
        };
        Work::with(job, share, groups(job, share.collective).transfers_in(ordered))
    }

    /// The phases of a share's groups and rounds.
    fn with(job: &Job, share: &Share, (groups, rounds): (Vec<Vec<Transfer>>, f64)) -> Option<Work> {
        let mut phases: Vec<Vec<Vec<Transfer>>> = Vec::new();
        for transfers in groups {
            for of_phase in transfers.chunk_by(|a, b| a.phase == b.phase) {
                let phase = of_phase[0].phase as usize;
                if phases.len() <= phase {
                    phases.resize_with(phase + 1, Vec::new);
                }
                phases[phase].push(of_phase.to_vec());
            }
        }
        phases.retain(|phase| !phase.is_empty());
        let messages = calls(job, &share.collective) * rounds;
        let has_bytes = share.collective.bytes.is_some();
        (!phases.is_empty()).then_some(Work {
            dimension: share.collective.along,
            has_bytes,
            messages,
            phases,
        })
    }

    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.phases.iter().flatten().flatten()
    }
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
    /// `true` if every host has one NIC per plane, so that paths may turn in another host's switch.
    pub has_detours: bool,
}

/// Paths of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Shortest,
    /// The switch that a transfer names, else all shortest paths.
    OwnSwitch,
    /// Over the switches of random intermediate hosts.
    Detour,
}

/// The transfers of a phase on a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub seconds: f64,
    /// `true` if paths lead over random intermediate hosts' switches.
    pub detour: bool,
    /// Bytes per channel, then per hub.
    load: Vec<f64>,
}

/// A part that may fail.
pub(super) struct Part {
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
            SwitchKind::Switch => f64::INFINITY,
        }));
        let has_hubs = fabric.switches.iter().any(|switch| switch.kind == SwitchKind::Hub);
        Ok(Network { fabric, paths, model, capacity, has_hubs, efficiency, has_detours })
    }

    /// The network without some links.
    pub fn without(&self, links: &[u32]) -> Network<'a> {
        let paths = self.paths.without(self.fabric, links);
        Network { paths, capacity: self.capacity.clone(), ..*self }
    }

    /// Hosts and switches between the two nodes of the dimension that are farthest apart; `None` if some have no path.
    pub fn farthest(&self, work: &Work) -> Option<Hops> {
        let mut most = Hops::default();
        for transfer in checked(work.transfers()) {
            for ([from, to], _) in directions(transfer) {
                most = most.max(self.paths.hops(from, to)?);
            }
        }
        Some(most)
    }

    /// Seconds of a message. A detour passes up to twice the switches, less the one where it turns.
    pub fn latency(&self, hops: Hops, detour: bool) -> f64 {
        let switches = if detour { 2 * hops.switches - 1 } else { hops.switches };
        self.model.performance(Hops::new(hops.hosts, switches)).latency * 1e-6
    }

    /// The phases on their paths; adds their bytes to the load of each channel.
    pub fn flows(&self, work: &Work, load: &mut [f64]) -> Vec<Flow> {
        let flows: Vec<Flow> = work.phases.iter().map(|groups| self.flow(groups)).collect();
        for flow in &flows {
            load.iter_mut().zip(&flow.load).for_each(|(load, own)| *load += own);
        }
        flows
    }

    /// A phase on shortest paths; or on the switches of its transfers where this is faster; or on detours, where these are
    /// possible, links between switches limit the phase, and detours are faster (Valiant: "A scheme for fast parallel
    /// communication", 1982; Kim et al.: "Technology-driven, highly-scalable Dragonfly topology", 2008, section 4, which chooses
    /// between both per packet: UGAL).
    fn flow(&self, groups: &[Vec<Transfer>]) -> Flow {
        let shortest = self.flow_on(groups, Way::Shortest);
        if groups.iter().flatten().any(|transfer| transfer.switch.is_some()) {
            let own = self.flow_on(groups, Way::OwnSwitch);
            return if own.seconds < shortest.seconds { own } else { shortest };
        }
        let transfers: usize = groups.iter().map(Vec::len).sum();
        if !self.has_detours || transfers > DENSE * self.fabric.hosts as usize {
            return shortest;
        }
        let of_host = |channel: &usize| {
            let (from, to) = self.fabric.channel_ends(*channel as u32);
            self.fabric.is_host(from) || self.fabric.is_host(to)
        };
        let alone = |channel: usize| shortest.load[channel] / self.capacity[channel];
        let at_hosts = (0..self.fabric.channels() as usize).filter(of_host).map(alone).fold(0.0, f64::max);
        if shortest.seconds < LIMITED * at_hosts {
            return shortest;
        }
        let detour = self.flow_on(groups, Way::Detour);
        if detour.seconds < shortest.seconds { detour } else { shortest }
    }

    /// A phase on shortest paths.
    pub fn on_shortest(&self, groups: &[Vec<Transfer>]) -> f64 {
        self.flow_on(groups, Way::Shortest).seconds
    }

    fn flow_on(&self, groups: &[Vec<Transfer>], way: Way) -> Flow {
        match groups {
            [group] if way == Way::Shortest => self.gathered(group),
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
        Flow { seconds: self.busiest(&sums), detour: false, load: sums }
    }

    /// A phase of groups that share channels.
    fn shared<'t>(&self, groups: &'t [Vec<Transfer>], way: Way) -> Flow {
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
                    (Way::Detour, _) => self.split_over(ends, &mut shares, &mut add),
                    (Way::OwnSwitch, Some(switch)) if self.paths.split_through(ends, switch, &mut add) => {}
                    _ => self.paths.split(ends, &mut shares, &mut add),
                }
            }
            loads.end(largest);
        }
        let seconds = match loads.len() < MAX_PARTS {
            true => loads.seconds(&self.capacity),
            false => self.busiest(&sums),
        };
        Flow { seconds, detour: way == Way::Detour, load: sums }
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

    /// Paths over [`DETOURS`] hosts drawn by the pair, whose switches turn them round.
    fn split_over(&self, [from, to]: [u32; 2], shares: &mut Shares, add: &mut impl FnMut(u32, f64)) {
        let hosts = u64::from(self.fabric.hosts);
        let drawn = |number: u64| (mix((u64::from(from) << 32 | u64::from(to)) ^ mix(number)) % hosts) as u32;
        let is_middle = |&host: &u32| {
            host != from
                && host != to
                && self.paths.hops(from, host).is_some()
                && self.paths.hops(host, to).is_some()
        };
        // With two hosts there is none; a failed host is no middle.
        let middles: Vec<u32> = (1..).take(4 * DETOURS).map(drawn).filter(is_middle).take(DETOURS).collect();
        if middles.is_empty() {
            return self.paths.split([from, to], shares, add);
        }
        let each = 1.0 / middles.len() as f64;
        for middle in middles {
            for ends in [[from, middle], [middle, to]] {
                self.paths.split(ends, shares, |channel, share| {
                    let (leaves, reaches) = self.fabric.channel_ends(channel);
                    if leaves != middle && reaches != middle {
                        add(channel, share * each);
                    }
                });
            }
        }
    }

    /// Switches, and NICs, with the most load: up to `most` of each.
    pub fn parts(&self, load: &[f64], most: usize) -> Vec<Part> {
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
            Part { name: format!("switch {switch}"), links: links.map(|(number, _)| number).collect() }
        };
        let nic = |(_, link): (f64, u32)| Part {
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

//! A fabric compiled to arrays over channels and nodes.
//!
//! Hubs joined by links form one medium: a frame passes all of them at once, at the speed of the slowest link, and no other
//! frame passes meanwhile. A link of a half-duplex host is a medium of two channels.

use crate::SimulateError;
use network::fabric::{Fabric, SwitchKind};
use spec::union_find::UnionFind;
use work::simulation::{Queue, Settings, Switching};

/// Treatment of frames that pass through a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// A hub has no buffers: frames go on at once.
    pub hub: bool,
    /// Cycles to route a frame.
    pub delay: u64,
    /// PathTable a frame only when its last flit has arrived.
    pub stores: bool,
    /// Every frame in a buffer may leave, not just the oldest.
    pub shared: bool,
    /// Buffer size in frames per virtual channel of each incoming channel, or the size of a shared memory.
    pub room: u32,
    /// `true` if all channels share one memory.
    pub pool: bool,
}

/// Link speed relative to the reference: flit k is sent `ceil(k * over / under)` cycles after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    over: u64,
    under: u64,
}

impl Rate {
    /// Cycles from the first flit to flit `flits`.
    pub fn after(self, flits: u32) -> u64 {
        (u64::from(flits) * self.over).div_ceil(self.under)
    }

    /// Flits per cycle.
    pub fn speed(self) -> f64 {
        self.under as f64 / self.over as f64
    }
}

/// Compiled fabric.
pub(crate) struct Network {
    pub hosts: u32,
    pub nodes: Vec<Node>,
    /// Node at the end of each channel.
    pub to: Vec<u32>,
    /// Node at the start of each channel.
    pub from: Vec<u32>,
    /// Resource that a frame occupies while it is sent on each channel: the channel, or the first channel of its medium.
    pub resource: Vec<u32>,
    /// Index of each channel's speed in `rates`.
    pub rate: Vec<u8>,
    pub rates: Vec<Rate>,
    /// Outgoing channel of each host that has only one.
    pub only: Vec<Option<u32>>,
}

impl Network {
    /// Compiles a fabric.
    ///
    /// # Errors
    /// Returned for an invalid fabric, a link faster than the reference speed, or more than 200 link speeds.
    pub fn new(fabric: &Fabric, settings: &Settings) -> Result<Network, SimulateError> {
        fabric.check().map_err(SimulateError::Fabric)?;
        let (from, to) = (0..fabric.channels()).map(|channel| fabric.channel_ends(channel)).unzip();
        let hosts = (0..fabric.hosts).map(|_| host(settings));
        let switches = fabric.switches.iter().map(|switch| match switch.kind {
            SwitchKind::Switch => self::switch(settings),
            SwitchKind::Cable => Node { delay: 0, stores: false, ..self::switch(settings) },
            SwitchKind::Hub => {
                Node { hub: true, delay: 0, stores: false, shared: false, room: 0, pool: false }
            }
        });
        let mut network = Network {
            hosts: fabric.hosts,
            nodes: hosts.chain(switches).collect(),
            from,
            to,
            resource: (0..fabric.channels()).collect(),
            rate: Vec::new(),
            rates: Vec::new(),
            only: only(fabric),
        };
        network.share_media(settings.half_duplex_hosts);
        network.set_rates(fabric, settings)?;
        Ok(network)
    }

    /// Number of channels.
    pub fn channels(&self) -> u32 {
        self.to.len() as u32
    }

    /// Index in the path after the last channel of the hop that starts at `path[at]`.
    pub fn hop_end(&self, path: &[u32], mut at: usize) -> usize {
        while self.nodes[self.to[path[at] as usize] as usize].hub && at + 1 < path.len() {
            at += 1;
        }
        at + 1
    }

    fn share_media(&mut self, half_duplex_hosts: bool) {
        // Joined hubs get the same root.
        let mut media = UnionFind::new(self.nodes.len() as u32);
        let hub = |nodes: &[Node], node: u32| nodes[node as usize].hub;
        for channel in (0..self.to.len()).step_by(2) {
            let (a, b) = (self.from[channel], self.to[channel]);
            if hub(&self.nodes, a) && hub(&self.nodes, b) {
                media.join(a, b);
            }
        }
        let mut first = vec![u32::MAX; self.nodes.len()];
        for channel in 0..self.to.len() {
            let (a, b) = (self.from[channel], self.to[channel]);
            let Some(node) = [a, b].into_iter().find(|&node| hub(&self.nodes, node)) else {
                let ends_at_host = a.min(b) < self.hosts;
                if half_duplex_hosts && ends_at_host {
                    self.resource[channel] = channel as u32 & !1;
                }
                continue;
            };
            let first = &mut first[media.root(node) as usize];
            *first = (*first).min(channel as u32);
            self.resource[channel] = *first;
        }
    }

    fn set_rates(&mut self, fabric: &Fabric, settings: &Settings) -> Result<(), SimulateError> {
        let (reference, fastest) = (reference_speed(fabric, settings), fastest(fabric));
        if reference < fastest {
            return Err(SimulateError::Reference(reference, fastest));
        }
        let mut slowest = vec![u32::MAX; self.to.len()];
        for (channel, &resource) in self.resource.iter().enumerate() {
            let slowest = &mut slowest[resource as usize];
            *slowest = (*slowest).min(fabric.links[channel / 2].speed);
        }
        for &resource in &self.resource {
            let speed = slowest[resource as usize];
            let common = gcd(reference, speed);
            let rate = Rate { over: (reference / common).into(), under: (speed / common).into() };
            let known = self.rates.iter().position(|known| *known == rate);
            let number = known.unwrap_or_else(|| {
                self.rates.push(rate);
                self.rates.len() - 1
            });
            self.rate.push(u8::try_from(number).ok().filter(|n| *n < 200).ok_or(SimulateError::Speeds)?);
        }
        Ok(())
    }
}

/// Speed in Mb/s of a link that carries one flit per cycle.
pub fn reference_speed(fabric: &Fabric, settings: &Settings) -> u32 {
    settings.reference_speed.unwrap_or_else(|| fastest(fabric))
}

fn fastest(fabric: &Fabric) -> u32 {
    fabric.links.iter().map(|link| link.speed).max().unwrap_or(1)
}

fn only(fabric: &Fabric) -> Vec<Option<u32>> {
    let mut leaving = vec![(0, 0); fabric.hosts as usize];
    for channel in 0..fabric.channels() {
        if let Some((count, last)) = leaving.get_mut(fabric.channel_ends(channel).0 as usize) {
            (*count, *last) = (*count + 1, channel);
        }
    }
    leaving.into_iter().map(|(count, last)| (count == 1).then_some(last)).collect()
}

fn host(settings: &Settings) -> Node {
    Node {
        hub: false,
        delay: settings.host_delay.into(),
        stores: true,
        shared: true,
        room: settings.host_buffer,
        pool: false,
    }
}

fn switch(settings: &Settings) -> Node {
    Node {
        hub: false,
        delay: settings.routing_delay.into(),
        stores: settings.switching == Switching::StoreAndForward,
        shared: settings.queue == Queue::Shared,
        room: settings.shared_buffer.unwrap_or(settings.buffer),
        pool: settings.shared_buffer.is_some(),
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

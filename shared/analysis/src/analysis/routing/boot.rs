//! Network boot (Mattox 2006, section 5.2.1): the PE or server that answers each PE, and the order in which PEs boot.
//!
//! PEs on a switch of the server ask it directly. On other switches a PE that has booted relays requests to the server: one per
//! switch, so that no request is answered twice. PEs boot in waves: the relays of a wave have booted in earlier ones. Distance
//! alone decides the wave, as in the breadth-first tree of Mattox 2006. The switch with the most PEs of the wave comes
//first, which keeps relays few. Ties go to the lowest number. Its relay is the PE of the previous wave that relays for the
//fewest so far, then
//! the lowest. The server's own switches share the first wave evenly.

use crate::cancel::check;
use crate::design::WorkingDesign;
use std::{cmp::Reverse, collections::BinaryHeap};

const NONE: u32 = u32::MAX;

/// Boot of one PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booting {
    /// Wave, from 1.
    pub wave: u32,
    /// The switch that it asks on.
    pub switch: u32,
    /// NI of the PE on that switch.
    pub ni: u32,
    /// The PE that answers or relays there: the server in wave 1.
    pub asks: u32,
}

/// Boot of all PEs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootPlan {
    working: WorkingDesign,
    server: u32,
    booting: Vec<Option<Booting>>,
    /// For each switch the PE that answers or relays there, or [`NONE`].
    served_by: Vec<u32>,
    /// PEs by wave and number, the server first.
    order: Vec<u32>,
}

/// A subnet behind a PE, which has to forward packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// The server or relay that needs the route.
    pub at: u32,
    /// The switch of the subnet.
    pub to: u32,
    /// The next PE, which asks `at` when it boots and has its address on that switch.
    pub via: u32,
}

/// Plans the boot of all PEs from a server, over any NI, or only over `boot_ni` if given.
///
/// # Panics
/// If the server does not exist.
pub fn boot(working: &WorkingDesign, server: u32, boot_ni: Option<u32>) -> BootPlan {
    let pes = working.design().pes() as usize;
    let mut plan = BootPlan {
        working: working.clone(),
        server,
        booting: vec![None; pes],
        served_by: vec![NONE; working.design().switch_count() as usize],
        order: vec![server],
    };
    let mut load = vec![0u32; pes];
    let (mut begin, mut wave) = (0, 1);
    while begin < plan.order.len() {
        check();
        let end = plan.order.len();
        let mut booted = plan.wave(begin, wave, boot_ni, &mut load);
        booted.sort_unstable();
        plan.order.extend(booted);
        (begin, wave) = (end, wave + 1);
    }
    plan
}

impl BootPlan {
    /// Boots all PEs that can ask through PEs of the previous wave, which begins in the order at `begin`.
    fn wave(&mut self, begin: usize, wave: u32, boot_ni: Option<u32>, load: &mut [u32]) -> Vec<u32> {
        let before = self.order[begin..].to_vec();
        let mut reached: Vec<u32> =
            before.iter().flat_map(|&pe| self.working.live().of(pe)).copied().collect();
        reached.sort_unstable();
        reached.dedup();
        if wave == 1 {
            return self.first_wave(&reached, boot_ni);
        }
        let mut booted = Vec::new();
        let gain = |plan: &BootPlan, switch| plan.clients(switch, boot_ni).len();
        let mut next: BinaryHeap<(usize, Reverse<u32>)> =
            reached.iter().map(|&switch| (gain(self, switch), Reverse(switch))).collect();
        while let Some((most, Reverse(switch))) = next.pop() {
            let clients = self.clients(switch, boot_ni);
            if clients.len() < most {
                next.push((clients.len(), Reverse(switch)));
            } else if !clients.is_empty()
                && let Some(relay) = self.relay(switch, &before, load)
            {
                load[relay as usize] += clients.len() as u32;
                self.served_by[switch as usize] = relay;
                clients.iter().for_each(|&pe| self.set(pe, wave, switch, relay));
                booted.extend(clients);
            }
        }
        booted
    }

    /// Boots the PEs on the server's switches, shared as evenly as possible.
    fn first_wave(&mut self, switches: &[u32], boot_ni: Option<u32>) -> Vec<u32> {
        switches.iter().for_each(|&switch| self.served_by[switch as usize] = self.server);
        let mut booted: Vec<u32> = switches.iter().flat_map(|&s| self.clients(s, boot_ni)).collect();
        booted.sort_unstable();
        booted.dedup();
        let mut asks = vec![0u32; switches.len()];
        let mut chosen = vec![usize::MAX; booted.len()];
        let mut moved = true;
        while moved {
            check();
            moved = false;
            for (&pe, chosen) in booted.iter().zip(&mut chosen) {
                let on = (0..switches.len()).filter(|&at| self.may_boot(pe, switches[at], boot_ni));
                let least = on.min_by_key(|&at| asks[at]).unwrap_or(0);
                let before = asks.get(*chosen).copied();
                if before.is_none_or(|before| asks[least] + 1 < before) {
                    before.iter().for_each(|_| asks[*chosen] -= 1);
                    asks[least] += 1;
                    (*chosen, moved) = (least, true);
                }
            }
        }
        booted.iter().zip(chosen).for_each(|(&pe, at)| self.set(pe, 1, switches[at], self.server));
        booted
    }

    /// PEs that have not booted and may do so over a switch, ascending.
    fn clients(&self, switch: u32, boot_ni: Option<u32>) -> Vec<u32> {
        let members = self.working.design().members(switch).iter().copied();
        let waits = |&pe: &u32| pe != self.server && self.booting[pe as usize].is_none();
        members.filter(waits).filter(|&pe| self.may_boot(pe, switch, boot_ni)).collect()
    }

    fn may_boot(&self, pe: u32, switch: u32, boot_ni: Option<u32>) -> bool {
        let on = self.working.live().of(pe).binary_search(&switch).is_ok();
        on && boot_ni.is_none_or(|ni| self.working.ni(pe, switch) == ni)
    }

    /// The PE of a wave on a switch, ascending, that relays for the fewest.
    fn relay(&self, switch: u32, wave: &[u32], load: &[u32]) -> Option<u32> {
        let members = self.working.design().members(switch).iter().copied();
        let inside = members.filter(|pe| wave.binary_search(pe).is_ok());
        inside.min_by_key(|&pe| (load[pe as usize], pe))
    }

    fn set(&mut self, pe: u32, wave: u32, switch: u32, asks: u32) {
        let ni = self.working.ni(pe, switch);
        self.booting[pe as usize] = Some(Booting { wave, switch, ni, asks });
    }

    /// The working part of the design.
    pub fn working(&self) -> &WorkingDesign {
        &self.working
    }

    /// The server.
    pub fn server(&self) -> u32 {
        self.server
    }

    /// Boot of a PE; `None` for the server, for PEs that cannot boot, and outside the design.
    pub fn booting(&self, pe: u32) -> Option<Booting> {
        *self.booting.get(pe as usize)?
    }

    /// PEs that cannot boot, ascending.
    pub fn never(&self) -> impl Iterator<Item = u32> + '_ {
        let all = (0..).zip(&self.booting);
        all.filter(|&(pe, booting)| pe != self.server && booting.is_none()).map(|(pe, _)| pe)
    }

    /// All PEs that boot, by wave and number; the server first.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The PE that answers or relays on a switch; `None` if nothing boots over it, or outside the design.
    pub fn served_by(&self, switch: u32) -> Option<u32> {
        self.served_by.get(switch as usize).copied().filter(|&pe| pe != NONE)
    }

    /// The switches that a PE answers or relays on, ascending.
    pub fn serves(&self, pe: u32) -> impl Iterator<Item = u32> + '_ {
        let on = if pe < self.working.design().pes() { self.working.live().of(pe) } else { &[] };
        on.iter().copied().filter(move |&switch| self.served_by(switch) == Some(pe))
    }

    /// The chain of requests from a PE to the server; the PE alone if it cannot boot.
    pub fn chain(&self, pe: u32) -> Vec<u32> {
        let mut chain = vec![pe];
        let mut at = pe;
        while let Some(booting) = self.booting(at) {
            at = booting.asks;
            chain.push(at);
        }
        chain
    }

    /// The routes by which the server answers through relays, sorted.
    pub fn ways(&self) -> Vec<Way> {
        let relayed = (0..self.working.design().switch_count())
            .filter_map(|switch| Some((switch, self.served_by(switch)?)))
            .filter(|&(_, relay)| relay != self.server);
        let mut ways: Vec<Way> = relayed
            .flat_map(|(to, relay)| {
                let chain = self.chain(relay);
                let steps: Vec<Way> =
                    chain.windows(2).map(|step| Way { at: step[1], to, via: step[0] }).collect();
                steps
            })
            .collect();
        ways.sort_unstable();
        ways
    }
}

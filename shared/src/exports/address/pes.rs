//! One address for each PE, whichever NI it is reached over (dissertation, section 5.1.2).

use super::room::{Room, instead, met};
use crate::exports::{ExportError, Network, Settings};
use std::net::Ipv4Addr;

/// The one address of each PE: the addresses of the network from its second on, those of the site left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeAddresses {
    network: Network,
    room: Room,
    pes: u32,
    around: Vec<String>,
}

impl PeAddresses {
    /// Plans an address for each of `pes` PEs in the network of the settings, clear of the site's networks.
    ///
    /// # Errors
    /// The network has no room for them.
    pub fn new(pes: u32, settings: &Settings) -> Result<PeAddresses, ExportError> {
        let plan = |settings: &Settings| {
            let (network, around) = (settings.network, met(settings));
            let room = Room::new(network, &settings.avoid);
            // The first and the last address of a network are for no host.
            (room.size() >= u64::from(pes) + 2).then_some(PeAddresses { network, room, pes, around })
        };
        plan(settings).ok_or_else(|| ExportError::Addresses {
            what: format!("{pes} PEs need {} addresses", u64::from(pes) + 2),
            network: settings.network,
            site: met(settings).join(" "),
            has: Room::new(settings.network, &settings.avoid).size(),
            instead: instead(settings, |other| plan(other).is_some()),
        })
    }

    /// The address of a PE of the machine.
    pub fn of(&self, pe: u32) -> Ipv4Addr {
        // The room was found large enough when this was made.
        Ipv4Addr::from_bits(self.room.nth(u64::from(pe) + 1).unwrap_or(self.network.first))
    }

    /// Few networks that hold the addresses of all PEs and none of the site's, ascending.
    pub fn networks(&self) -> Vec<Network> {
        let mut found = Vec::new();
        if let Some(last) = self.pes.checked_sub(1) {
            self.cover(self.network, (self.of(0).to_bits(), self.of(last).to_bits()), &mut found);
        }
        found
    }

    /// Halves a network until the halves are clear of the site, and leaves out those without a PE.
    fn cover(&self, part: Network, (first, last): (u32, u32), found: &mut Vec<Network>) {
        let half = (part.size() / 2) as u32;
        let end = u64::from(part.first) + part.size();
        if u64::from(first) >= end || last < part.first {
            return;
        }
        let middle = part.first.saturating_add(half);
        let one_half = last < middle || first >= middle;
        if part.prefix == 32 || !one_half && self.room.has(part) {
            return found.extend(self.room.has(part).then_some(part));
        }
        for first_of_half in [part.first, middle] {
            let half = Network { first: first_of_half, prefix: part.prefix + 1 };
            self.cover(half, (first, last), found);
        }
    }

    /// The plan in words, for comments.
    pub fn describe(&self) -> String {
        let first = self.of(0);
        if self.around.is_empty() {
            return format!("one a PE, {first} plus the PE's number");
        }
        let around = self.around.join(" ");
        format!("one a PE in {}, from {first} on, clear of the site's {around}", self.network)
    }
}

//! IP and link-layer addresses of NIs.
//!
//! Each switch is a subnet of its own (dissertation, section 5.1.1). Where they fit, addresses are readable:
//! `10.S.0.0/16` for switch S, with PE + 1 as the host. Larger machines get compact subnets one after the other in
//! `10.0.0.0/8`, each the least power of two that holds its switch's ports, with the port as the host.
//!
//! MAC addresses are computed from PE and NI (dissertation, section 5.1.3, algorithm 11), so that nobody collects
//! them: locally administered, with a last byte that differs between PEs for the hash tables of commodity switches. The
//! algorithm has room for 8 NIs; the three high bits of an NI's number go into the second byte here, which leaves
//! its addresses for the first 8 NIs as they are and makes all of 64 NIs on 2^20 PEs distinct.

use super::ExportError;
use crate::{design::Design, spec::Spec};
use std::net::Ipv4Addr;

/// Where the address of each switch's subnet begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressPlan {
    /// None for the readable plan; else each switch's first address, relative to 10.0.0.0, and prefix length.
    compact: Option<Vec<(u32, u8)>>,
}

const NETWORK: u32 = 10 << 24;
const SIZE: u64 = 1 << 24;

impl AddressPlan {
    /// Plans subnets for a wiring.
    ///
    /// # Errors
    /// All subnets together are larger than 10.0.0.0/8.
    pub fn new(spec: &Spec, design: &Design) -> Result<AddressPlan, ExportError> {
        if design.switch_count() <= 256 && design.pes() <= 65_533 {
            return Ok(AddressPlan { compact: None });
        }
        let models = spec.switches.iter().zip(spec.switch_counts());
        let mut ports = models.flat_map(|(m, count)| std::iter::repeat_n(m.ports, count as usize));
        let mut next = 0u64;
        let mut widest = 0;
        let mut compact = Vec::with_capacity(design.switch_count() as usize);
        for members in design.switches() {
            let width = ports.next().unwrap_or(0).max(members.len() as u32);
            // Two more for the network's own and the broadcast address.
            let size = (u64::from(width) + 2).next_power_of_two();
            let first = next.next_multiple_of(size);
            compact.push((first as u32, 32 - size.ilog2() as u8));
            next = first + size;
            widest = widest.max(width);
        }
        if next > SIZE {
            let switches = design.switch_count();
            return Err(ExportError::Addresses { switches, ports: widest, needed: next, has: SIZE });
        }
        Ok(AddressPlan { compact: Some(compact) })
    }

    /// The address of a PE's NI on a switch, where it is on that port.
    pub fn address(&self, switch: u32, pe: u32, port: u32) -> Ipv4Addr {
        Ipv4Addr::from(match &self.compact {
            None => NETWORK | switch << 16 | (pe + 1),
            Some(subnets) => NETWORK + subnets[switch as usize].0 + port,
        })
    }

    /// The prefix length of a switch's subnet.
    pub fn prefix(&self, switch: u32) -> u8 {
        self.compact.as_ref().map_or(16, |subnets| subnets[switch as usize].1)
    }

    /// The plan in words, for comments.
    pub fn describe(&self) -> &'static str {
        match self.compact {
            None => "10.S.0.0/16 for switch S; the host is the PE's number plus 1",
            Some(_) => "one subnet a switch in 10.0.0.0/8; the host is the port on the switch",
        }
    }
}

/// The computed MAC address of NI `ni` (0 to 63) of a PE (below 2^20).
pub fn mac(pe: u32, ni: u32) -> Mac {
    let node = (NETWORK + pe).to_be_bytes();
    let spread = node[2].wrapping_add(node[3]) ^ ((ni & 7) << 5) as u8;
    Mac([2, node[0] | (ni >> 3 << 4) as u8, node[1], node[2], node[3], spread])
}

/// A MAC address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

impl std::fmt::Display for Mac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

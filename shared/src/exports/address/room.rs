//! A network without the parts that the site has.

use crate::exports::{Network, Settings};

/// The addresses of a network that no network of the site has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Room {
    network: Network,
    /// What the site has of it, first and end of each piece, ascending and with something between each two.
    taken: Vec<(u64, u64)>,
}

impl Room {
    pub fn new(network: Network, avoid: &[Network]) -> Room {
        let span = |n: &Network| (u64::from(n.first), u64::from(n.first) + n.size());
        let mut pieces: Vec<_> = avoid.iter().filter(|n| n.meets(network)).map(span).collect();
        pieces.sort_unstable();
        let (own, end) = span(&network);
        let mut taken: Vec<(u64, u64)> = Vec::new();
        for (first, last) in pieces {
            let (first, last) = (first.max(own), last.min(end));
            match taken.last_mut() {
                Some(before) if first <= before.1 => before.1 = before.1.max(last),
                _ => taken.push((first, last)),
            }
        }
        Room { network, taken }
    }

    /// Number of addresses.
    pub fn size(&self) -> u64 {
        self.network.size() - self.taken.iter().map(|(first, end)| end - first).sum::<u64>()
    }

    /// Whether all addresses of a part of the network are free.
    pub fn has(&self, part: Network) -> bool {
        self.place(u64::from(part.first), part.size()) == Some(u64::from(part.first))
    }

    /// The first multiple of `size`, a power of two, from `from` on where so many addresses are free.
    pub fn place(&self, from: u64, size: u64) -> Option<u64> {
        let own = u64::from(self.network.first);
        let mut first = from.max(own).next_multiple_of(size);
        let met = self.taken.partition_point(|piece| piece.1 <= first);
        for &(start, end) in &self.taken[met..] {
            if first < end && start < first + size {
                first = end.next_multiple_of(size);
            }
        }
        (first + size <= own + self.network.size()).then_some(first)
    }

    /// The free address of that number, from 0 in ascending order.
    pub fn nth(&self, number: u64) -> Option<u32> {
        let mut address = u64::from(self.network.first) + number;
        for &(first, end) in &self.taken {
            if first <= address {
                address += end - first;
            }
        }
        let end = u64::from(self.network.first) + self.network.size();
        (address < end).then_some(address as u32)
    }
}

/// The networks of the site that a network meets, as people read them.
pub(super) fn met(settings: &Settings) -> Vec<String> {
    settings.avoid.iter().filter(|n| n.meets(settings.network)).map(Network::to_string).collect()
}

/// Networks that are nobody's (RFC 1918), largest first.
const PRIVATE: [Network; 3] = [
    Network { first: 10 << 24, prefix: 8 },
    Network { first: 172 << 24 | 16 << 16, prefix: 12 },
    Network { first: 192 << 24 | 168 << 16, prefix: 16 },
];

/// The private networks that would do instead, by a test of each.
pub(super) fn instead(settings: &Settings, does: impl Fn(&Settings) -> bool) -> String {
    let other =
        |&&network: &&Network| network != settings.network && does(&Settings { network, ..settings.clone() });
    let free: Vec<String> = PRIVATE.iter().filter(other).map(Network::to_string).collect();
    match free.len() {
        0 => "no private network has room for them beside the site's".into(),
        1 => format!("network={} is free", free[0]),
        _ => format!("network={} are free", free.join(" or network=")),
    }
}

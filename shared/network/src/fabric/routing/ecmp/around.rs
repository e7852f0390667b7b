//! Shortest paths to a switch, as detours need them: they end at switches, with hosts or without.

use super::{Ecmp, NONE};

/// Switches around one, and their distances from it over links between switches.
#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    /// The switches from the nearest to the farthest, by number; the one in the middle comes first.
    switches: Vec<u32>,
    /// Links from each switch; [`NONE`] without a path.
    links: Vec<u32>,
}

impl Neighbourhood {
    /// The switches that have a path to the one in the middle, which comes first, with the number of links of a shortest path.
    pub fn switches(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.switches.iter().map(|&switch| (switch, self.links[switch as usize]))
    }
}

impl Ecmp {
    /// Finds the switches around `middle`, breadth first. Hosts forward nothing here.
    pub fn around(&self, middle: u32, around: &mut Neighbourhood) {
        let count = self.starts.len() - 1 - self.hosts as usize;
        around.links.clear();
        around.links.resize(count, NONE);
        around.switches.clear();
        around.switches.push(middle);
        around.links[middle as usize] = 0;
        let mut at = 0;
        while let Some(&switch) = around.switches.get(at) {
            at += 1;
            let links = around.links[switch as usize] + 1;
            for next in self.next(self.hosts + switch).filter_map(|next| next.checked_sub(self.hosts)) {
                if around.links[next as usize] == NONE {
                    around.links[next as usize] = links;
                    around.switches.push(next);
                }
            }
        }
    }

    /// Calls `add(channel, amount)` for the channels of all shortest paths from switches to the one in the middle, if every switch
    /// splits evenly among its ways; each channel comes once. `amounts` has what starts at each switch, and then what passes it.
    pub fn gather_around(&self, around: &Neighbourhood, amounts: &mut [f64], mut add: impl FnMut(u32, f64)) {
        let mut ways = Vec::new();
        // Every way leads closer to the middle, which keeps what arrives.
        for (switch, links) in around.switches.iter().map(|&s| (s, around.links[s as usize])).skip(1).rev() {
            let amount = amounts[switch as usize];
            if amount == 0.0 {
                continue;
            }
            let reached = |channel: u32| self.reached[channel as usize].checked_sub(self.hosts);
            let leads_on = |&channel: &u32| {
                reached(channel).is_some_and(|next| around.links[next as usize].wrapping_add(1) == links)
            };
            ways.clear();
            ways.extend(self.channels(self.hosts + switch).iter().copied().filter(leads_on));
            let each = amount / ways.len() as f64;
            for &channel in &ways {
                add(channel, each);
                if let Some(next) = reached(channel) {
                    amounts[next as usize] += each;
                }
            }
        }
    }
}

//! Clusters of 16 and 18 hosts on dual 8-way switches (Etsion et al. 2000, figures 2 and 10).
//!
//! The figures are lost; the graphs are reconstructed from the text. A dual switch holds two switches of 8 ports: two of them
//! give four switches with four hosts each, three give six switches with three hosts each (18 hosts, or 16 with two places
//! free). The text says of each graph:
//!
//! | bisection | switches | links | from |
//! | --- | --- | --- | --- |
//! | 1 | 4 | 3, a chain | a list price of $22,200: 16 NIs, two dual switches and 19 cables |
//! | 2 | 4 | 4, a ring | reconstruction: the one step between the chain and the complete graph that has bisection 2 and is regular |
//! | 4 | 4 | 6, complete | "just adding 3 cables"; "completely symmetric"; "all 6 links" |
//! | 5 | 6 | 9, every switch of one half with every one of the other | reconstruction: the fewest links that reach 5 with 18 hosts |
//! | 6 | 6 | 12, all but three links without a switch in common | reconstruction: the regular graph between those two |
//! | 9 | 6 | 15, complete | "one additional dual switch and 12 cables" |
//!
//! Hosts are numbered from switch to switch, so that hosts whose numbers differ by 8 share one link per four pairs, as section
//! 4 says of the complete graph on four switches. Four switches with four hosts each reach at most 4. The tests check all of
//! this exhaustively. The paper counts links between switches, with all hosts on the side of their switch. Where 16 hosts have
//! bisection 9 so counted, their own 8 links are a smaller cut.

use super::{
    Fabric, Link,
    kind::{FitResult, KindEntry, Limits, NetworkKind, Parts, Speeds, SwitchParts},
    parameters::{Numbers, Parameter},
};
use crate::text::count;

/// Ports per switch; a box holds two switches.
const PORTS: u32 = 8;

/// One of the paper's clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Myrinet {
    hosts: u32,
    bisection: u32,
}

/// All clusters, as hosts and bisection in links.
pub const MYRINETS: [(u32, u32); 9] =
    [(16, 1), (16, 2), (16, 4), (16, 5), (16, 6), (16, 9), (18, 5), (18, 6), (18, 9)];

impl Myrinet {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "myrinet",
        title: "Myrinet cluster",
        form: "myrinet:HOSTS,BISECTION",
        example: "myrinet:16,4",
        explanation: "16 hosts with a bisection of 1, 2, 4, 5, 6 or 9 links, or 18 with 5, 6 or 9, on dual 8-way switches.",
        source: "Etsion et al. 2000, figures 2 and 10",
        read: |text| {
            let [hosts, bisection] =
                Numbers::read(text, [Parameter::new("hosts", 16, 18), Parameter::new("bisection", 1, 9)])?;
            Ok(Box::new(Myrinet::new(hosts, bisection)?))
        },
        fit: Myrinet::fit,
    };

    fn fit(hosts: u32, _: &Limits) -> FitResult {
        let clusters = MYRINETS.iter().filter(|&&(of, _)| of == hosts);
        let found: Vec<Box<dyn NetworkKind>> = clusters
            .map(|&(hosts, bisection)| Box::new(Myrinet { hosts, bisection }) as Box<dyn NetworkKind>)
            .collect();
        if found.is_empty() { Err("16 or 18 only".into()) } else { Ok(found) }
    }

    /// The cluster with that number of hosts and that bisection. Errors: no such cluster.
    pub fn new(hosts: u32, bisection: u32) -> Result<Myrinet, String> {
        if MYRINETS.contains(&(hosts, bisection)) {
            return Ok(Myrinet { hosts, bisection });
        }
        Err("16 hosts with bisection 1, 2, 4, 5, 6 or 9, or 18 hosts with 5, 6 or 9".into())
    }

    fn switches(&self) -> u32 {
        if self.bisection <= 4 { 4 } else { 6 }
    }

    /// `true` if two switches share a link; the lower one first.
    fn joined(&self, a: u32, b: u32) -> bool {
        match self.bisection {
            1 => b == a + 1,
            2 => b == a + 1 || (a, b) == (0, 3),
            5 => a < 3 && b >= 3,
            6 => b != a + 3,
            _ => true,
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let switches = self.switches();
        (0..switches)
            .flat_map(move |a| (a + 1..switches).map(move |b| (a, b)))
            .filter(|&(a, b)| self.joined(a, b))
    }

    /// The switch of each host: as even as possible, larger groups first.
    fn places(&self) -> Vec<u32> {
        let (each, more) = (self.hosts / self.switches(), self.hosts % self.switches());
        (0..self.switches())
            .flat_map(|s| std::iter::repeat_n(s, (each + u32::from(s < more)) as usize))
            .collect()
    }
}

impl NetworkKind for Myrinet {
    fn text(&self) -> String {
        format!("myrinet:{},{}", self.hosts, self.bisection)
    }

    fn name(&self) -> String {
        format!("Myrinet cluster, bisection of {}", count(self.bisection.into(), "link"))
    }

    fn parts(&self) -> Parts {
        let hosts = u64::from(self.hosts);
        let switches = SwitchParts { count: self.switches(), ports: PORTS, trunks: 0, hub: false };
        let cables = hosts + self.pairs().count() as u64;
        Parts {
            hosts: self.hosts,
            nis: hosts,
            trunk_nis: 0,
            switches: vec![switches],
            cables,
            between: cables - hosts,
        }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let link = |ends| Link { ends, speed: speeds.hosts };
        let hosts =
            self.places().into_iter().zip(0..).map(|(switch, host)| link([host, self.hosts + switch]));
        let between = self.pairs().map(|(a, b)| link([self.hosts + a, self.hosts + b]));
        let links = hosts.chain(between).collect();
        Fabric { hosts: self.hosts, switches: self.parts().all_switches(), links }
    }
}

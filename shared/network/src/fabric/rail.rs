//! Rails without a spine: a fast switch per domain, and a switch per rail across domains.
//!
//! A host reaches another rail through its own domain: the domain's host on that rail forwards. This is the "rail-only"
//! network of machine learning clusters, where a domain is one machine with its accelerators. It is also a P-Mesh of two
//! dimensions whose first has faster links.

use super::{
    Fabric, Link, Routing,
    fit::near,
    halves::{RowCosts, halves},
    kind::{Cut, FitResult, Hops, KindEntry, Limits, NetworkKind, Parts, Speeds, SwitchParts},
    parameters::Numbers,
};
use crate::{spec::MAX_PES, text::grouped};

const MAX_RAILS: u32 = 8;

/// Rails; host `rail + rails * domain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rail {
    /// Domains, at least 2: ports per rail switch.
    pub domains: u32,
    /// Rails, at least 2: hosts per domain.
    pub rails: u32,
}

impl Rail {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "rail",
        title: "Rail-only",
        form: "rail:DOMAINSxRAILS",
        example: "rail:16x8",
        explanation: "A fast switch per domain and a switch per rail across domains; no spine.",
        source: "Wang et al. 2024",
        read: |text| {
            let (sides, rest) = Numbers::sides(text)?;
            Numbers::read(rest, [])?;
            match sides[..] {
                [domains, rails]
                    if domains > 1
                        && rails > 1
                        && u64::from(domains) * u64::from(rails) <= MAX_PES.into() =>
                {
                    Ok(Box::new(Rail { domains, rails }))
                }
                _ => {
                    let most = grouped(MAX_PES.into());
                    Err(format!("two numbers of at least 2, separated by x, for at most {most} hosts"))
                }
            }
        },
        fit: Rail::fit,
    };
}

impl Rail {
    /// Max possible rails, up to [`MAX_RAILS`].
    fn fit(hosts: u32, limits: &Limits) -> FitResult {
        let ports = limits.ports;
        near(hosts, u64::from(ports) * u64::from(MAX_RAILS), |hosts| {
            let suits =
                |&rails: &u32| hosts.is_multiple_of(rails) && hosts / rails >= 2 && hosts / rails <= ports;
            let rails = (2..=MAX_RAILS).rev().find(suits)?;
            Some(Rail { domains: hosts / rails, rails })
        })
    }

    /// The minimum cut, given the cost of a link inside a domain and of a rail link, and the limit per rail switch.
    fn least(&self, inner: u64, rail: u64, passed: u64) -> Option<u64> {
        let row = |hosts: u32, link: u64, most: u64| -> RowCosts {
            let hosts = u64::from(hosts);
            (0..=hosts).map(|here| (link * here.min(hosts - here)).min(most)).collect()
        };
        halves(&[row(self.rails, inner, u64::MAX), row(self.domains, rail, passed)]).map(|found| found.least)
    }
}

/// Path 0 to another domain and rail changes the rail inside the own domain, as NCCL's PXN does; path 1 changes it over there.
impl Routing for Rail {
    fn choices(&self, from: u32, to: u32) -> u32 {
        let both = from / self.rails != to / self.rails && from % self.rails != to % self.rails;
        1 + u32::from(both)
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        let hosts = self.domains * self.rails;
        let (domain, rail) = if choice == 0 { (from, to) } else { (to, from) };
        let turn = domain / self.rails * self.rails + rail % self.rails;
        for (from, to) in [(from, turn), (turn, to)] {
            // Links of domains come first, then those of rails, both by host.
            let first = if from / self.rails == to / self.rails { 0 } else { hosts };
            if from != to {
                channels.extend([2 * (first + from), 2 * (first + to) + 1]);
            }
        }
    }
}

impl NetworkKind for Rail {
    fn text(&self) -> String {
        format!("rail:{}x{}", self.domains, self.rails)
    }

    fn name(&self) -> String {
        format!("rail-only, {} rails, {} domains", self.rails, grouped(self.domains.into()))
    }

    fn parts(&self) -> Parts {
        let hosts = self.domains * self.rails;
        let inner = SwitchParts { count: self.domains, ports: 0, trunks: self.rails, hub: false };
        let rail = SwitchParts { count: self.rails, ports: self.domains, trunks: 0, hub: false };
        let nis = u64::from(hosts);
        Parts { hosts, nis, trunk_nis: nis, switches: vec![inner, rail], cables: 2 * nis, between: 0 }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let hosts = self.domains * self.rails;
        let domain =
            (0..hosts).map(|host| Link { ends: [host, hosts + host / self.rails], speed: speeds.trunks });
        let rails = hosts + self.domains;
        let rail =
            (0..hosts).map(|host| Link { ends: [host, rails + host % self.rails], speed: speeds.hosts });
        let links = domain.chain(rail).collect();
        Fabric { hosts, switches: self.parts().all_switches(), links }
    }

    fn routing(&self) -> Option<Box<dyn Routing>> {
        Some(Box::new(*self))
    }

    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        let (domain, rail) = (from / self.rails != to / self.rails, from % self.rails != to % self.rails);
        Some(Hops::new(u32::from(domain && rail), u32::from(domain) + u32::from(rail)))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some([Hops::new(0, 1), Hops::new(1, 2)])
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        let links = self.least(1, 1, u64::MAX)?;
        let speed = self.least(speeds.trunks.into(), speeds.hosts.into(), u64::MAX)?;
        Some(Cut { least_links: links, links, least_speed: speed, speed })
    }

    fn passed(&self, speeds: Speeds, backplane: u32) -> Option<[u64; 2]> {
        let [inner, rail] = [speeds.trunks, speeds.hosts].map(|speed| 2 * u64::from(speed));
        Some([self.least(inner, rail, backplane.into())?; 2])
    }
}

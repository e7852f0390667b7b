//! All hosts on one hub or one switch (Nitzberg et al. 1999, sections 3.1 and 3.2).

use super::{
    Fabric, Link, Switch, SwitchKind,
    fit::within,
    kind::{Cut, FitResult, Hops, KindEntry, Limits, NetworkKind, Parts, Speeds, SwitchParts},
    parameters::{Numbers, Parameter},
};
use crate::{spec::MAX_PES, text::grouped};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Star {
    hosts: u32,
    kind: SwitchKind,
}

impl Star {
    pub(super) const HUB: KindEntry = KindEntry {
        name: "hub",
        title: "Hub",
        form: "hub:HOSTS",
        example: "hub:16",
        explanation: "All hosts on one hub: one frame at a time in the whole network.",
        source: "Nitzberg et al. 1999, section 3.1",
        read: |text| Star::read(SwitchKind::Hub, text),
        fit: |hosts, limits| Star::fit(SwitchKind::Hub, hosts, limits),
    };
    pub(super) const SWITCH: KindEntry = KindEntry {
        name: "switch",
        title: "Switch",
        form: "switch:HOSTS",
        example: "switch:16",
        explanation: "All hosts on one switch.",
        source: "Nitzberg et al. 1999, section 3.2",
        read: |text| Star::read(SwitchKind::Switch, text),
        fit: |hosts, limits| Star::fit(SwitchKind::Switch, hosts, limits),
    };

    fn read(kind: SwitchKind, text: &str) -> Result<Box<dyn NetworkKind>, String> {
        let [hosts] = Numbers::read(text, [Parameter::new("hosts", 1, MAX_PES)])?;
        Ok(Box::new(Star { hosts, kind }))
    }

    fn fit(kind: SwitchKind, hosts: u32, limits: &Limits) -> FitResult {
        let ports = if kind == SwitchKind::Hub { limits.hub_ports } else { limits.ports };
        within(hosts, 2, ports.into(), |hosts| Some(Star { hosts, kind }))
    }

    fn is_hub(&self) -> bool {
        self.kind == SwitchKind::Hub
    }
}

impl NetworkKind for Star {
    fn text(&self) -> String {
        format!("{}:{}", if self.is_hub() { "hub" } else { "switch" }, self.hosts)
    }

    fn name(&self) -> String {
        format!("one {}-port {}", grouped(self.hosts.into()), if self.is_hub() { "hub" } else { "switch" })
    }

    fn parts(&self) -> Parts {
        let switch = SwitchParts { count: 1, ports: self.hosts, trunks: 0, hub: self.is_hub() };
        let links = u64::from(self.hosts);
        Parts {
            hosts: self.hosts,
            nis: links,
            trunk_nis: 0,
            switches: vec![switch],
            cables: links,
            between: 0,
        }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let Star { hosts, kind } = *self;
        let links = (0..hosts).map(|host| Link { ends: [host, hosts], speed: speeds.hosts });
        Fabric { hosts, switches: vec![Switch { ports: hosts, kind }], links: links.collect() }
    }

    fn hops(&self, _from: u32, _to: u32) -> Option<Hops> {
        Some(Hops::new(0, u32::from(!self.is_hub())))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some([self.hops(0, 1)?; 2])
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        let half = self.hosts / 2;
        Some(Cut::exact(if self.is_hub() { half.min(1) } else { half }.into(), speeds.hosts))
    }

    fn passed(&self, speeds: Speeds, backplane: u32) -> Option<[u64; 2]> {
        let links = 2 * u64::from(self.hosts / 2) * u64::from(speeds.hosts);
        (!self.is_hub()).then_some([links.min(backplane.into()); 2])
    }
}

//! All hosts on one switch (P-Mesh paper, section 3.2).

use super::{
    Fabric, Link, Switch, SwitchKind,
    fit::within,
    kinds::{Cut, Hops, Kind, KindEntry, Parts, Speeds, SwitchParts},
    parameters::{Numbers, Parameter},
};
use crate::spec::MAX_PES;

/// One switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Single {
    /// Hosts, at least 1.
    pub hosts: u32,
}

impl Single {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "switch",
        title: "Switch",
        form: "switch:HOSTS",
        example: "switch:16",
        explanation: "All hosts on one switch.",
        source: "P-Mesh paper, section 3.2",
        read: |text| {
            let [hosts] = Numbers::read(text, [Parameter::new("hosts", 1, MAX_PES)])?;
            Ok(Box::new(Single { hosts }))
        },
        fit: |hosts, limits| within(hosts, 2, limits.ports.into(), |hosts| Some(Single { hosts })),
    };
}

impl Kind for Single {
    fn text(&self) -> String {
        format!("switch:{}", self.hosts)
    }

    fn parts(&self) -> Parts {
        let switch = SwitchParts { count: 1, ports: self.hosts, trunks: 0, hub: false };
        let links = u64::from(self.hosts);
        Parts { hosts: self.hosts, nis: links, trunk_nis: 0, switches: vec![switch], cables: links }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        star(self.hosts, SwitchKind::Switch, speeds.hosts)
    }

    fn hops(&self, _from: u32, _to: u32) -> Option<Hops> {
        Some(Hops::new(0, 1))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some([Hops::new(0, 1); 2])
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        Some(Cut::exact(u64::from(self.hosts / 2), speeds.hosts))
    }

    fn passed(&self, speeds: Speeds, backplane: u32) -> Option<[u64; 2]> {
        let links = 2 * u64::from(self.hosts / 2) * u64::from(speeds.hosts);
        Some([links.min(backplane.into()); 2])
    }
}

/// All hosts on one switch or hub, with links of that speed in Mb/s.
pub(super) fn star(hosts: u32, kind: SwitchKind, speed: u32) -> Fabric {
    let links = (0..hosts).map(|host| Link { ends: [host, hosts], speed });
    Fabric { hosts, switches: vec![Switch { ports: hosts, kind }], links: links.collect() }
}

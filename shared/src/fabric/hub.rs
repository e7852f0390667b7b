//! All hosts on one hub, whose ports share one medium (P-Mesh paper, section 3.1).

use super::{
    Fabric, SwitchKind,
    fit::within,
    kinds::{Cut, Hops, Kind, KindEntry, Parts, Speeds, SwitchParts},
    parameters::{Numbers, Parameter},
    single::star,
};
use crate::spec::MAX_PES;

/// One hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hub {
    /// Hosts, at least 1.
    pub hosts: u32,
}

impl Hub {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "hub",
        title: "Hub",
        form: "hub:HOSTS",
        example: "hub:16",
        explanation: "All hosts on one hub: one frame at a time in the whole network.",
        source: "P-Mesh paper, section 3.1",
        read: |text| {
            let [hosts] = Numbers::read(text, [Parameter::new("hosts", 1, MAX_PES)])?;
            Ok(Box::new(Hub { hosts }))
        },
        fit: |hosts, limits| within(hosts, 2, limits.hub_ports.into(), |hosts| Some(Hub { hosts })),
    };
}

impl Kind for Hub {
    fn text(&self) -> String {
        format!("hub:{}", self.hosts)
    }

    fn parts(&self) -> Parts {
        let hub = SwitchParts { count: 1, ports: self.hosts, trunks: 0, hub: true };
        let links = u64::from(self.hosts);
        Parts { hosts: self.hosts, nis: links, trunk_nis: 0, switches: vec![hub], cables: links }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        star(self.hosts, SwitchKind::Hub, speeds.hosts)
    }

    fn hops(&self, _from: u32, _to: u32) -> Option<Hops> {
        Some(Hops::new(0, 0))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some([Hops::new(0, 0); 2])
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        Some(Cut::exact(u64::from(self.hosts > 1), speeds.hosts))
    }
}

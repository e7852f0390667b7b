//! A cable between every two hosts (Nitzberg et al. 1999, table 2).

use super::{
    Fabric, Link, Routing,
    fit::within,
    kind::{Cut, Hops, KindEntry, NetworkKind, Parts, Speeds},
    parameters::{Numbers, Parameter},
};
use crate::{cancel::checked, spec::MAX_PES};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full {
    pub hosts: u32,
}

impl Full {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "full",
        title: "Fully connected",
        form: "full:HOSTS",
        example: "full:16",
        explanation: "A cable between every two hosts; every host has a NIC per other host.",
        source: "Nitzberg et al. 1999, table 2",
        read: |text| {
            let [hosts] = Numbers::read(text, [Parameter::new("hosts", 2, MAX_PES)])?;
            Ok(Box::new(Full { hosts }))
        },
        fit: |hosts, _| within(hosts, 2, MAX_PES.into(), |hosts| Some(Full { hosts })),
    };
}

/// The cable between the two.
impl Routing for Full {
    fn choices(&self, _from: u32, _to: u32) -> u32 {
        1
    }

    fn path(&self, from: u32, to: u32, _choice: u32, channels: &mut Vec<u32>) {
        if from == to {
            return;
        }
        let [low, high, hosts] = [from.min(to), from.max(to), self.hosts].map(u64::from);
        // Links of lower hosts to all above them come first.
        let link = low * (2 * hosts - low - 1) / 2 + high - low - 1;
        channels.push(2 * link as u32 + u32::from(from > to));
    }
}

impl NetworkKind for Full {
    fn text(&self) -> String {
        format!("full:{}", self.hosts)
    }

    fn name(&self) -> String {
        "a cable between every two hosts".into()
    }

    fn parts(&self) -> Parts {
        let hosts = u64::from(self.hosts);
        let nis = hosts * (hosts - 1);
        Parts { hosts: self.hosts, nis, trunk_nis: 0, switches: Vec::new(), cables: nis / 2, between: 0 }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let above =
            |low| (low + 1..self.hosts).map(move |high| Link { ends: [low, high], speed: speeds.hosts });
        Fabric {
            hosts: self.hosts,
            switches: Vec::new(),
            links: checked(0..self.hosts).flat_map(above).collect(),
        }
    }

    fn routing(&self) -> Option<Box<dyn Routing>> {
        Some(Box::new(*self))
    }

    fn hops(&self, _from: u32, _to: u32) -> Option<Hops> {
        Some(Hops::new(0, 0))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some([Hops::new(0, 0); 2])
    }

    fn alike(&self) -> bool {
        true
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        let half = u64::from(self.hosts / 2);
        Some(Cut::exact(half * (u64::from(self.hosts) - half), speeds.hosts))
    }
}

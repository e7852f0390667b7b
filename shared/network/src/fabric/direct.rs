//! Two hosts and a cable between them (Nitzberg et al. 1999, section 3.0).

use super::{
    Fabric, Link,
    fit::within,
    kind::{Cut, Hops, KindEntry, NetworkKind, Parts, Speeds},
    parameters::{Numbers, Parameter},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direct;

impl Direct {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "direct",
        title: "Direct",
        form: "direct",
        example: "direct",
        explanation: "Two hosts with one cable between them.",
        source: "Nitzberg et al. 1999, section 3.0",
        read: |text| {
            Numbers::read(text, [Parameter::new("hosts", 2, 2).or(2)])?;
            Ok(Box::new(Direct))
        },
        fit: |hosts, _| within(hosts, 2, 2, |_| Some(Direct)),
    };
}

impl NetworkKind for Direct {
    fn text(&self) -> String {
        "direct".into()
    }

    fn name(&self) -> String {
        "one cable".into()
    }

    fn parts(&self) -> Parts {
        Parts { hosts: 2, nis: 2, trunk_nis: 0, switches: Vec::new(), cables: 1, between: 0 }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        Fabric { hosts: 2, switches: Vec::new(), links: vec![Link { ends: [0, 1], speed: speeds.hosts }] }
    }

    fn hops(&self, _from: u32, _to: u32) -> Option<Hops> {
        Some(Hops::new(0, 0))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some([Hops::new(0, 0); 2])
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        Some(Cut::exact(1, speeds.hosts))
    }
}

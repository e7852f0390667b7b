//! The result of an audit as text.

use super::{
    AmbiguousInterface, Audit, Cable, DegradedLink, DirectCable, Extra, FarEnd, MisplacedCable,
    MisplacedPlug, MissingCable, MissingDirect, PortConflict, RecognisedSwitch, Stranger, Uplink,
};
use crate::{design::Names, text::grouped};
use std::fmt;

/// Max neighbours of one interface in a line.
const MAX_NEIGHBOURS: usize = 8;

impl Audit {
    /// Writes the number of right cables, then a line per other cable with both ends as they are and as they should be.
    ///
    /// # Errors
    /// The sink fails.
    pub fn write(&self, names: &Names, out: &mut dyn fmt::Write) -> fmt::Result {
        let (right, cables) = (grouped(self.right), grouped(self.cables));
        writeln!(out, "{right} of {cables} cables are where the design says")?;
        if let Some(ports) = self.other_port_text(names) {
            writeln!(out, "{ports}")?;
        }
        for line in [self.by_switch_text(), self.by_node_text(), self.uplinks_text()].into_iter().flatten() {
            writeln!(out, "{line}")?;
        }
        for found in &self.recognised {
            writeln!(out, "{}", found.text(names))?;
        }
        for wrong in &self.wrong {
            writeln!(out, "{}", wrong.text(names))?;
        }
        for wrong in &self.misplugged {
            writeln!(out, "{}", wrong.text(names))?;
        }
        for missing in &self.missing {
            writeln!(out, "{}", missing.text(names))?;
        }
        for missing in &self.missing_direct {
            writeln!(out, "{}", missing.text(names))?;
        }
        for uplink in &self.missing_uplinks {
            writeln!(out, "{}", uplink.text())?;
        }
        for extra in &self.extra {
            writeln!(out, "{}", extra.text(names))?;
        }
        for doubled in &self.doubled {
            writeln!(out, "{}", doubled.text(names))?;
        }
        for join in &self.joins {
            writeln!(out, "{}", join.join_text())?;
        }
        for stranger in &self.strangers {
            writeln!(out, "{}", stranger.text())?;
        }
        for ambiguous in &self.ambiguous {
            writeln!(out, "{}", ambiguous.text())?;
        }
        for link in &self.degraded {
            writeln!(out, "{}", link.text())?;
        }
        for warning in &self.warnings {
            writeln!(out, "warning: {warning}")?;
        }
        let unheard = self.unheard.len() + self.unheard_direct.len();
        if unheard > 0 {
            let number = grouped(unheard as u64);
            writeln!(out, "not checked, because neither end reported: {number} cables")?;
            for line in self.unheard_lines(names) {
                writeln!(out, "  {line}")?;
            }
        }
        if let Some(uplinks) = self.unheard_uplinks_text() {
            writeln!(out, "not checked, because neither end reported: {uplinks}")?;
        }
        Ok(())
    }

    /// The cables that were known by their switch alone; `None` if there is none.
    pub fn by_switch_text(&self) -> Option<String> {
        let number = (self.by_switch > 0).then(|| grouped(self.by_switch))?;
        Some(format!(
            "{number} of them compared by switch only: the names of their NICs differ from the spec"
        ))
    }

    /// The direct cables that were known by their nodes alone; `None` if there is none.
    pub fn by_node_text(&self) -> Option<String> {
        let number = (self.by_node > 0).then(|| grouped(self.by_node))?;
        Some(format!("{number} of them compared by node only: the names of their NICs differ from the spec"))
    }

    /// The right cables to uplink switches; `None` if the design has no such cables.
    pub fn uplinks_text(&self) -> Option<String> {
        let (right, uplinks) = (grouped(self.right_uplinks), grouped(self.uplinks));
        (self.uplinks > 0)
            .then(|| format!("{right} of {uplinks} cables to uplink switches join the right devices"))
    }

    /// The cables to uplink switches that neither end reported; `None` if there is none.
    pub fn unheard_uplinks_text(&self) -> Option<String> {
        let mut from: Vec<&str> = self.unheard_uplinks.iter().map(|uplink| uplink.from.0.as_str()).collect();
        from.dedup();
        (!from.is_empty()).then(|| format!("uplink cables of {}", from.join(" ")))
    }

    /// The cables on other ports; `None` if there is none. Ports without names of their own are told by the number at the end,
    /// which is another one where a maker counts lanes or from 0.
    pub fn other_port_text(&self, names: &Names) -> Option<String> {
        let ports = (self.other_port > 0).then(|| grouped(self.other_port))?;
        let hint = if names.has_own_ports() {
            ""
        } else {
            "; if the switches number their ports differently, set port in [names], such as Ethernet{port*4-4}"
        };
        Some(format!("{ports} of them on another port of the right switch, which is fine{hint}"))
    }

    /// A line per PE with cables that neither end reported, and a line per direct cable.
    pub fn unheard_lines(&self, names: &Names) -> Vec<String> {
        let line = |of_pe: &[Cable]| {
            let nic = |cable: &Cable| format!(" NIC{} to {}", cable.ni, names.switch(cable.switch));
            format!("{}:{}", names.pe(of_pe[0].pe), of_pe.iter().map(nic).collect::<String>())
        };
        let direct = |cable: &DirectCable| {
            let [a, b] = cable.ends.map(|nic| nic_text(nic, names));
            format!("{a} to {b}")
        };
        let on_switches = self.unheard.chunk_by(|a, b| a.pe == b.pe).map(line);
        on_switches.chain(self.unheard_direct.iter().map(direct)).collect()
    }
}

impl Cable {
    fn place(self, names: &Names) -> String {
        format!("{} port {}", names.switch(self.switch), self.port)
    }
}

impl Uplink {
    /// A cable that was not seen, and its right place.
    pub fn text(&self) -> String {
        let [from, to] = [&self.from, &self.to].map(|(device, port)| format!("{device} {port}"));
        format!("missing: uplink cable of {from}: no neighbour seen; it belongs on {to}")
    }
}

impl MissingCable {
    /// The neighbour outside the design that its NIC sees, in words.
    pub fn neighbour(&self) -> Option<&str> {
        self.sees.as_ref().map(|(neighbour, _)| or_unnamed(neighbour))
    }

    /// The cable's right place, and what its NIC sees.
    pub fn text(&self, names: &Names) -> String {
        let Cable { pe, ni, .. } = self.cable;
        let (pe, place) = (names.pe(pe), self.cable.place(names));
        let sees = sees_text(self.sees.as_ref(), names);
        format!("missing: {pe} NIC{ni}: {sees}; it belongs on {place}")
    }
}

fn sees_text(sees: Option<&(String, usize)>, names: &Names) -> String {
    let Some((neighbour, line)) = sees else { return "no neighbour seen".into() };
    let is_known = neighbour.split_whitespace().any(|word| names.find(word).is_some());
    let outside = if is_known { "" } else { ", outside the design" };
    format!("line {line}: it sees {}{outside}", or_unnamed(neighbour))
}

fn nic_text((pe, ni): (u32, u32), names: &Names) -> String {
    format!("{} NIC{ni}", names.pe(pe))
}

impl MissingDirect {
    /// The neighbour outside the design that its NIC sees, in words.
    pub fn neighbour(&self) -> Option<&str> {
        self.sees.as_ref().map(|(neighbour, _)| or_unnamed(neighbour))
    }

    /// Both ends of the cable, and what the first one sees.
    pub fn text(&self, names: &Names) -> String {
        let [near, far] = self.ends.map(|nic| nic_text(nic, names));
        format!("missing: {near}: {}; it belongs at {far}", sees_text(self.sees.as_ref(), names))
    }
}

impl FarEnd {
    /// The NIC, or the switch with its port.
    fn text(&self, names: &Names) -> String {
        match self {
            FarEnd::Nic { pe, ni: Some(ni), .. } => nic_text((*pe, *ni), names),
            FarEnd::Nic { pe, interface, .. } => {
                format!("{} {interface}", names.pe(*pe)).trim_end().to_owned()
            }
            FarEnd::Port { switch, port } => at_port(names.switch(*switch), *port),
        }
    }

    /// The NIC or the port with a word before it.
    pub fn place(&self, word: &str, names: &Names) -> String {
        let word = if matches!(self, FarEnd::Port { .. }) { "on" } else { word };
        format!("{word} {}", self.text(names))
    }
}

impl MisplacedPlug {
    /// The NIC with the end that it is cabled to, and the end that it belongs at, or the plug to swap it with.
    pub fn text(&self, names: &Names) -> String {
        let MisplacedPlug { nic, at, belongs, swapped_with } = self;
        let is = format!("{} is {}", nic_text(*nic, names), at.place("cabled to", names));
        let Some((other, end)) = swapped_with else {
            return format!("wrong: {is}; it belongs {}", belongs.place("at", names));
        };
        let other_is = format!("{} is {}", nic_text(*other, names), end.place("cabled to", names));
        let advice = if nic.0 == other.0 {
            format!("these two plugs at {}", names.pe(nic.0))
        } else {
            format!("the plugs at {} and {}", nic_text(*nic, names), nic_text(*other, names))
        };
        format!("swapped: {is}, and {other_is}; swap {advice}")
    }
}

impl PortConflict {
    /// The port, and the NICs on it.
    pub fn text(&self, names: &Names) -> String {
        let PortConflict { switch, port, nics } = self;
        let nics: Vec<String> = nics.iter().map(|(pe, nic)| format!("{} {nic}", names.pe(*pe))).collect();
        format!(
            "impossible: {} are all on port {port} of {}; a report is old or from another machine",
            nics.join(", "),
            names.switch(*switch)
        )
    }
}

impl MisplacedCable {
    /// The cable's place, its right place, and the cable that it is swapped with.
    pub fn text(&self, names: &Names) -> String {
        let Cable { pe, ni, .. } = self.cable;
        let is = at_port(names.switch(self.switch), self.port);
        let kind = if self.swapped_with.is_some() { "swapped" } else { "wrong" };
        let place = self.cable.place(names);
        let mut text = format!("{kind}: {} NIC{ni} is on {is}; it belongs on {place}", names.pe(pe));
        if let Some((other, ni)) = self.swapped_with {
            text += &format!(", where {} NIC{ni} is", names.pe(other));
        }
        text
    }
}

impl Extra {
    /// The cable, as unknown to the design.
    pub fn text(&self, names: &Names) -> String {
        let is = at_port(names.switch(self.switch), self.port);
        let Extra { pe, interface, line, .. } = self;
        format!(
            "unknown: line {line}: {} {interface} is on {is}; the design has no such cable",
            names.pe(*pe)
        )
    }
}

impl RecognisedSwitch {
    /// The switch that it is taken for, or that it cannot be told.
    pub fn text(&self, names: &Names) -> String {
        let RecognisedSwitch { guid, fits, cables, line, .. } = self;
        match self.switch {
            Some(switch) => {
                let name = names.switch(switch);
                format!(
                    "recognised: switch {guid} has no name; it is {name}, where {fits} of its {cables} cables belong"
                )
            }
            None => format!(
                "not recognised: line {line}: switch {guid} has no name, and its {cables} cables belong on several switches; \
                 add its GUID to the list, such as sw0={guid}"
            ),
        }
    }
}

impl AmbiguousInterface {
    /// The interface, and all that it sees.
    pub fn text(&self) -> String {
        let AmbiguousInterface { host, interface, neighbours, line, .. } = self;
        let all = match &neighbours[..] {
            [others @ .., last] if neighbours.len() <= MAX_NEIGHBOURS => {
                format!("{} and {last}", others.join(", "))
            }
            _ => {
                let (first, more) = neighbours.split_at(MAX_NEIGHBOURS.min(neighbours.len()));
                format!("{} and {} more", first.join(", "), more.len())
            }
        };
        format!(
            "ambiguous: line {line}: {host} {interface} sees {all}; one report is old, or a device between them passes LLDP on"
        )
    }
}

impl DegradedLink {
    /// The two ends of the link, and what it could have.
    pub fn text(&self) -> String {
        let DegradedLink { ends: [a, b], could, line } = self;
        format!("degraded: line {line}: the link from {a} to {b} could have {could}")
    }
}

impl Stranger {
    /// The neighbour, as outside the design.
    pub fn text(&self) -> String {
        format!("outside the design: {}", self.seen())
    }

    /// A cable between two switches that the design does not have.
    pub fn join_text(&self) -> String {
        format!("extra: {}; the design has no cable between them", self.seen())
    }

    fn seen(&self) -> String {
        let Stranger { host, interface, neighbour, line } = self;
        format!("line {line}: {host} {interface} sees {}", or_unnamed(neighbour))
    }
}

fn or_unnamed(neighbour: &str) -> &str {
    if neighbour.is_empty() { "an unnamed neighbour" } else { neighbour }
}

fn at_port(switch: String, port: Option<u32>) -> String {
    port.map_or_else(|| switch.clone(), |port| format!("{switch} port {port}"))
}

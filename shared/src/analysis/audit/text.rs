//! The result of an audit as text.

use super::{Audit, Cable, Doubled, Extra, Missing, Recognised, Stranger, Uplink, Wrong};
use crate::{design::Names, text::grouped};
use std::fmt;

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
        if self.by_switch > 0 {
            let number = grouped(self.by_switch);
            writeln!(
                out,
                "{number} of them by their switch alone: their NICs have other names than in the spec"
            )?;
        }
        if self.uplinks > 0 {
            let (right, uplinks) = (grouped(self.right_uplinks), grouped(self.uplinks));
            writeln!(out, "{right} of {uplinks} cables to the uplink switch join the right devices")?;
        }
        for found in &self.recognised {
            writeln!(out, "{}", found.text(names))?;
        }
        for wrong in &self.wrong {
            writeln!(out, "{}", wrong.text(names))?;
        }
        for missing in &self.missing {
            writeln!(out, "{}", missing.text(names))?;
        }
        for Uplink { from, to } in &self.missing_uplinks {
            let [from, to] = [from, to].map(|(device, port)| format!("{device} {port}"));
            writeln!(out, "missing: uplink cable of {from}: no neighbour seen; it belongs on {to}")?;
        }
        for extra in &self.extra {
            writeln!(out, "{}", extra.text(names))?;
        }
        for doubled in &self.doubled {
            writeln!(out, "{}", doubled.text(names))?;
        }
        for join in &self.joins {
            writeln!(out, "extra: {}; the design has no cable between them", join.seen())?;
        }
        for stranger in &self.strangers {
            writeln!(out, "{}", stranger.text())?;
        }
        self.write_unheard(names, out)?;
        if !self.unheard_uplinks.is_empty() {
            let from: Vec<&str> = self.unheard_uplinks.iter().map(|uplink| uplink.from.0.as_str()).collect();
            writeln!(out, "not checked, because neither end reported: uplink cables of {}", from.join(" "))?;
        }
        Ok(())
    }

    /// The cables on other ports; `None` if there is none. Ports without names of their own are told by the number at the end,
    /// which is another one where a maker counts lanes or from 0.
    pub fn other_port_text(&self, names: &Names) -> Option<String> {
        let ports = (self.other_port > 0).then(|| grouped(self.other_port))?;
        let hint = if names.has_own_ports() {
            ""
        } else {
            "; if the switches only count their ports differently, set port in [names], such as Ethernet{port*4-4}"
        };
        Some(format!("{ports} of them on another port of the right switch, which is fine{hint}"))
    }

    /// A line per PE with cables that neither end reported.
    fn write_unheard(&self, names: &Names, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.unheard.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "not checked, because neither end reported: {} cables",
            grouped(self.unheard.len() as u64)
        )?;
        for of_pe in self.unheard.chunk_by(|a, b| a.pe == b.pe) {
            write!(out, "  {}:", names.pe(of_pe[0].pe))?;
            for cable in of_pe {
                write!(out, " NIC{} to {}", cable.ni, names.switch(cable.switch))?;
            }
            out.write_char('\n')?;
        }
        Ok(())
    }
}

impl Cable {
    fn place(self, names: &Names) -> String {
        format!("{} port {}", names.switch(self.switch), self.port)
    }
}

impl Missing {
    /// The cable's right place, and what its NIC sees.
    pub fn text(&self, names: &Names) -> String {
        let Cable { pe, ni, .. } = self.cable;
        let (pe, place) = (names.pe(pe), self.cable.place(names));
        let sees = match &self.sees {
            None => "no neighbour seen".into(),
            Some((neighbour, line)) => {
                format!("line {line}: it sees {}, outside the design", or_unnamed(neighbour))
            }
        };
        format!("missing: {pe} NIC{ni}: {sees}; it belongs on {place}")
    }
}

impl Doubled {
    /// The port, and the NICs on it.
    pub fn text(&self, names: &Names) -> String {
        let Doubled { switch, port, nics } = self;
        let nics: Vec<String> = nics.iter().map(|(pe, nic)| format!("{} {nic}", names.pe(*pe))).collect();
        format!(
            "impossible: {} are all on port {port} of {}; a report is old or from elsewhere",
            nics.join(", "),
            names.switch(*switch)
        )
    }
}

impl Wrong {
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

impl Recognised {
    /// The switch that it is taken for, or that it cannot be told.
    pub fn text(&self, names: &Names) -> String {
        let Recognised { guid, fits, cables, line, .. } = self;
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

impl Stranger {
    /// The neighbour, as outside the design.
    pub fn text(&self) -> String {
        format!("outside the design: {}", self.seen())
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

//! What was found, in words.

use super::{Audit, Cable, Extra, Stranger, Wrong};
use crate::{
    design::{Design, Names},
    text::grouped,
};
use std::fmt;

impl Audit {
    /// Writes what was found: what is right first, then a line for each cable that is not, with both ends as they are and as
    /// they should be.
    ///
    /// # Errors
    /// The sink's.
    pub fn tell(&self, design: &Design, out: &mut dyn fmt::Write) -> fmt::Result {
        let names = Names::of(design);
        let (right, cables) = (grouped(self.right), grouped(self.cables));
        writeln!(out, "{right} of {cables} cables are where the design says")?;
        if self.other_port > 0 {
            let ports = grouped(self.other_port);
            writeln!(
                out,
                "{ports} of them in another port of their switch than lists say, which is no fault"
            )?;
        }
        for wrong in &self.wrong {
            writeln!(out, "{}", wrong.told(names))?;
        }
        for cable in &self.missing {
            writeln!(out, "{}", cable.told_missing(names))?;
        }
        for extra in &self.extra {
            writeln!(out, "{}", extra.told(names))?;
        }
        for stranger in &self.strangers {
            writeln!(out, "{}", stranger.told())?;
        }
        self.tell_unheard(names, out)
    }

    /// A line for each PE with cables of which nobody spoke.
    fn tell_unheard(&self, names: Names, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.unheard.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "not looked at, since neither end spoke: {} cables",
            grouped(self.unheard.len() as u64)
        )?;
        for of_pe in self.unheard.chunk_by(|a, b| a.pe == b.pe) {
            write!(out, "  {}:", names.pe(of_pe[0].pe))?;
            for cable in of_pe {
                write!(out, " NI{} to {}", cable.ni, names.switch(cable.switch))?;
            }
            out.write_char('\n')?;
        }
        Ok(())
    }
}

impl Cable {
    fn place(self, names: Names) -> String {
        format!("{} port {}", names.switch(self.switch), self.port)
    }

    /// The cable as one that nobody saw.
    pub fn told_missing(self, names: Names) -> String {
        let place = self.place(names);
        format!("missing: {} NI{}: nothing was seen there; it belongs on {place}", names.pe(self.pe), self.ni)
    }
}

impl Wrong {
    /// Where the cable is, where it belongs, and what it is swapped with.
    pub fn told(&self, names: Names) -> String {
        let Cable { pe, ni, .. } = self.cable;
        let is = at_port(names.switch(self.switch), self.port);
        let kind = if self.swapped_with.is_some() { "swapped" } else { "wrong" };
        let place = self.cable.place(names);
        let mut told = format!("{kind}: {} NI{ni} is on {is}; it belongs on {place}", names.pe(pe));
        if let Some((other, ni)) = self.swapped_with {
            told += &format!(", where {} NI{ni} is", names.pe(other));
        }
        told
    }
}

impl Extra {
    /// The cable, which the design does not have.
    pub fn told(&self, names: Names) -> String {
        let is = at_port(names.switch(self.switch), self.port);
        let Extra { pe, interface, line, .. } = self;
        format!(
            "unknown: line {line}: {} {interface} is on {is}; the design has no such cable",
            names.pe(*pe)
        )
    }
}

impl Stranger {
    /// The neighbour, which is not of the design.
    pub fn told(&self) -> String {
        let Stranger { host, interface, neighbour, line } = self;
        let neighbour = if neighbour.is_empty() { "somebody without a name" } else { neighbour };
        format!("outside the design: line {line}: {host} {interface} sees {neighbour}")
    }
}

fn at_port(switch: String, port: Option<u32>) -> String {
    port.map_or_else(|| switch.clone(), |port| format!("{switch} port {port}"))
}

//! The cable list: one line a cable, with what is written on each of its ends.

use super::{Bundle, ExportError, Format, colours};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "cables",
    purpose: "the cable list: PE, NI, switch, port, colour and the label at each end",
    media_type: "text/csv; charset=utf-8",
    extension: "csv",
    per_pe: false,
    render,
};

fn render(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    out.write_str("pe,ni,switch,port,colour,pe_end,switch_end\n")?;
    for pe in 0..bundle.pes() {
        let name = bundle.pe_name(pe);
        for (ni, &switch) in bundle.nis.of(pe).iter().enumerate() {
            let port = bundle.port(switch, pe);
            let colour = field(&colours::of(switch).name());
            let switch_name = bundle.switch_name(switch);
            writeln!(out, "{pe},{ni},{switch},{port},{colour},{name} NI{ni},{switch_name} port {port}")?;
        }
    }
    Ok(())
}

/// A CSV field (RFC 4180), quoted where it must be.
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

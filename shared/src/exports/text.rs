//! The two files everything else is made from: the wiring's table and the spec.

use super::{Bundle, ExportError, Format, Render};
use crate::{design::table, form::toml, resolve};
use std::fmt;

pub(super) const WIRING: Format = Format {
    name: "wiring",
    purpose: "the wiring table, a line a switch with its PEs, that every tool reads back",
    media_type: "text/plain; charset=utf-8",
    extension: "txt",
    per_pe: false,
    settings: &[],
    render: Render::Text(wiring),
};

pub(super) const SPEC: Format = Format {
    name: "spec",
    purpose: "the spec in its normal form, to search again or share",
    media_type: "application/toml; charset=utf-8",
    extension: "toml",
    per_pe: false,
    settings: &[],
    render: Render::Text(spec),
};

fn wiring(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    Ok(table::write_to(&bundle.design, out)?)
}

/// The normal form, so that it does not matter how a spec was typed; a text that cannot be read goes out as it is.
fn spec(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    match resolve::parse(&bundle.spec_text) {
        Ok(form) => out.write_str(&toml::write(&form))?,
        Err(_) => out.write_str(&bundle.spec_text)?,
    }
    Ok(())
}

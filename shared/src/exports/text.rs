//! The wiring table and the spec.

use super::{DesignPlan, Format, Render, TEXT, Written};
use crate::{design::table, form::toml, resolve};
use std::fmt;

pub(super) const WIRING: Format = Format::new(
    "wiring",
    "wiring table, one line per switch with its nodes; every command reads it back",
    TEXT,
    Render::Text(wiring),
);

pub(super) const SPEC: Format = Format {
    needs_wiring: false,
    ..Format::new(
        "spec",
        "spec in normal form, to search again or share",
        ("application/toml; charset=utf-8", "toml"),
        Render::Text(spec),
    )
};

fn wiring(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    Ok(table::write_to(&plan.design, out)?)
}

/// The normal form, so that it does not matter how a spec was typed; a text that cannot be read goes out as it is.
fn spec(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    match resolve::parse(&plan.spec_text) {
        Ok(form) => out.write_str(&toml::write(&form))?,
        Err(_) => out.write_str(&plan.spec_text)?,
    }
    Ok(())
}

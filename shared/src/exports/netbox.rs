//! Files that NetBox's bulk import takes, with its own names of columns (`netbox/dcim/forms/bulk_import.py`
//! of NetBox 4.4 and later; earlier ones know no `side_a_site` and `side_b_site`).
//!
//! They are imported in the order of their formats: what a file refers to stands in the ones before. Colours are six
//! lower-case hexadecimal digits, as NetBox wants them. Everything is `planned`, since a design is a plan.

mod cables;
mod devices;
mod stock;

pub(super) use cables::CABLES;
pub(super) use devices::{DEVICES, INTERFACES};
pub(super) use stock::{DEVICE_TYPES, MANUFACTURERS, RACKS, ROLES, SITES};

use super::{
    CSV, DesignPlan, Format, Render, Written,
    bundle::slug,
    escape::{FORMULA_SIGNS, field},
};
use std::fmt;

const MANUFACTURER: &str = "Crosspoint";
const PE_ROLE: &str = "PE";
const SWITCH_ROLE: &str = "FNN switch";
/// Most rack units that NetBox takes (`RACK_U_HEIGHT_MAX`).
const MOST_UNITS: u32 = 100;

type Rendering = fn(&DesignPlan, u32, &mut dyn fmt::Write) -> Written;

const fn format(
    name: &'static str,
    purpose: &'static str,
    settings: &'static [&'static str],
    render: Rendering,
) -> Format {
    Format { settings, ..Format::new(name, purpose, CSV, Render::Text(render)) }
}

/// The site's name, which NetBox gives 100 characters. One of the design's name leaves out what would make it a formula where
/// somebody opens the file in a spreadsheet first.
fn site(plan: &DesignPlan) -> String {
    let chosen = &plan.settings.site;
    if !chosen.is_empty() {
        return chosen.clone();
    }
    let title = plan.title();
    let plain = title.trim_start_matches(|c: char| FORMULA_SIGNS.contains(&c) || c.is_whitespace());
    if plain.is_empty() { "untitled".into() } else { plain.chars().take(100).collect() }
}

/// The device type of PEs with so many NIs.
fn pe_type(nis: u32) -> String {
    format!("PE with {nis} NIs")
}

/// The device type of switches with so many ports.
fn switch_type(ports: u32) -> String {
    format!("Switch with {ports} ports")
}

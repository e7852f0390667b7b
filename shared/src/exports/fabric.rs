//! Files for networks that are no wirings found here: meshes and tori of switches with VLANs, and P-Meshes.
//!
//! A [`FabricBundle`] is such a network with its settings; [`fabric_formats`] tells which files there are for it. As for wirings,
//! one file is rendered at a time. Hosts are called `pe` and their number, switches `sw` and theirs.

mod names;
mod pmesh;
mod pmesh_script;
mod settings;
mod vlan;
mod vlan_bridge;
mod vlan_ios;
mod vlan_script;

pub use settings::{FabricSetting, FabricSettings, fabric_settings};

use super::{
    ExportError,
    address::Mac,
    bundle::slug,
    script::shell::{self, BODY},
};
use crate::{
    design::Names,
    fabric::{
        Kind,
        kinds::{KINDS, parse},
        vlan::VlanFault,
    },
    text::grouped,
};
use pmesh::PMeshPlan;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;
use vlan::VlanPlan;

/// A kind of file for such a network.
pub struct FabricFormat {
    /// As `--format` takes it.
    pub name: &'static str,
    /// What it is for, in one line.
    pub purpose: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What its file names end in, without a dot.
    pub extension: &'static str,
    /// What there is one file for.
    pub each: Each,
    /// Names of the settings that it heeds; see [`fabric_settings`].
    pub settings: &'static [&'static str],
    render: Render,
}

/// What there is one file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Each {
    /// The whole network.
    Network,
    /// Each host.
    Host,
    /// Each switch.
    Switch,
}

type Written = Result<(), FabricExportError>;

/// Writes a file; the number is that of the host or the switch, else 0.
enum Render {
    Vlan(fn(&VlanPlan, u32, &mut dyn fmt::Write) -> Written),
    PMesh(fn(&PMeshPlan, u32, &mut dyn fmt::Write) -> Written),
}

const VLAN_FORMATS: &[FabricFormat] = &[
    vlan_script::FORMAT,
    vlan_bridge::FORMAT,
    vlan_ios::FORMAT,
    vlan_ios::UNDO,
    vlan::CABLES,
    vlan::NAMES,
    vlan::VLANS,
    vlan::PATHS,
];

const PMESH_FORMATS: &[FabricFormat] = &[
    pmesh_script::FORMAT,
    pmesh::CABLES,
    pmesh::NAMES,
    pmesh::ADDRESSES,
    pmesh::ROUTES,
    pmesh::PATHS,
    pmesh::LOSSES,
];

/// The files that there are for a network.
///
/// # Errors
/// There are none for its kind; the error names those that have some.
pub fn fabric_formats(kind: &dyn Kind) -> Result<&'static [FabricFormat], FabricExportError> {
    if kind.grid().is_some() {
        return Ok(VLAN_FORMATS);
    }
    if kind.pmesh().is_some() {
        return Ok(PMESH_FORMATS);
    }
    let has_files =
        |example: &str| parse(example).is_ok_and(|kind| kind.grid().is_some() || kind.pmesh().is_some());
    let forms: Vec<_> =
        KINDS.iter().filter(|entry| has_files(entry.example)).map(|entry| entry.form).collect();
    Err(FabricExportError::NoFiles { kind: kind.text(), forms: forms.join(", ") })
}

/// The format of that name for a network.
///
/// # Errors
/// There is none; the error lists those there are.
pub fn fabric_format(kind: &dyn Kind, name: &str) -> Result<&'static FabricFormat, FabricExportError> {
    let formats = fabric_formats(kind)?;
    formats.iter().find(|format| format.name == name).ok_or_else(|| {
        let known = formats.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
        ExportError::Unknown { name: name.chars().take(40).collect(), known }.into()
    })
}

/// Why a file cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FabricExportError {
    /// As for wirings.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// There is no such set of VLANs.
    #[error(transparent)]
    Vlan(#[from] VlanFault),
    /// No files for that kind of network.
    #[error("{kind}: there are files for {forms}")]
    NoFiles {
        /// The network.
        kind: String,
        /// Kinds that have some.
        forms: String,
    },
    /// More switches than files are written for.
    #[error("{kind} has {switches} switches; files are written for at most {most}")]
    Switches {
        /// The network.
        kind: String,
        /// Its switches.
        switches: u32,
        /// Most that are accepted.
        most: u32,
    },
    /// Longer paths between switches than are followed.
    #[error(
        "{kind}: the paths of all pairs of switches have {} steps together; files of hosts and switches are written for \
         up to {}: take sides that differ less, or fewer switches",
        grouped(*.steps), grouped(*.most)
    )]
    Steps {
        /// The network.
        kind: String,
        /// Steps between switches.
        steps: u64,
        /// Most that are accepted.
        most: u64,
    },
    /// No such host or switch.
    #[error("there is no {what} {number}; they are 0 to {last}")]
    NoSuch {
        /// `host` or `switch`.
        what: &'static str,
        /// What was asked for.
        number: u32,
        /// The highest there is.
        last: u32,
    },
}

impl From<fmt::Error> for FabricExportError {
    fn from(error: fmt::Error) -> Self {
        ExportError::from(error).into()
    }
}

/// A network with its settings, ready to be written in any of its formats.
pub struct FabricBundle {
    stem: String,
    names: Names,
    plan: Plan,
}

enum Plan {
    Vlan(Box<VlanPlan>),
    PMesh(Box<PMeshPlan>),
}

impl FabricBundle {
    /// Plans VLANs or addresses for a network.
    ///
    /// # Errors
    /// The kind has no files, a setting does not fit it, or there is no room for addresses.
    pub fn new(kind: &dyn Kind, settings: FabricSettings) -> Result<FabricBundle, FabricExportError> {
        fabric_formats(kind)?;
        let text = kind.text();
        let stem = slug(&text);
        if let Some(grid) = kind.grid() {
            let plan = VlanPlan::new(text, grid, settings)?;
            return Ok(FabricBundle { stem, names: plan.names, plan: Plan::Vlan(Box::new(plan)) });
        }
        let Some(mesh) = kind.pmesh() else {
            return Err(FabricExportError::NoFiles { kind: text, forms: String::new() });
        };
        let plan = PMeshPlan::new(text, mesh, settings)?;
        Ok(FabricBundle { stem, names: plan.names, plan: Plan::PMesh(Box::new(plan)) })
    }

    /// How many files a format has.
    pub fn files(&self, format: &FabricFormat) -> u32 {
        let (hosts, switches) = match &self.plan {
            Plan::Vlan(plan) => (plan.vlans.grid().hosts(), plan.vlans.grid().switches()),
            Plan::PMesh(plan) => (plan.mesh.hosts(), plan.mesh.switches()),
        };
        match format.each {
            Each::Network => 1,
            Each::Host => hosts,
            Each::Switch => switches,
        }
    }

    /// What a file is called, such as `mesh-4x4-script-pe007.sh`; without a number, what all files of the format are.
    pub fn file_name(&self, format: &FabricFormat, number: Option<u32>) -> String {
        let (stem, name, extension) = (&self.stem, format.name, format.extension);
        match (format.each, number) {
            (Each::Host, Some(host)) => format!("{stem}-{name}-{}.{extension}", self.names.pe(host)),
            (Each::Switch, Some(switch)) => {
                format!("{stem}-{name}-{}.{extension}", self.names.switch(switch))
            }
            (Each::Network, _) => format!("{stem}-{name}.{extension}"),
            _ => format!("{stem}-{name}"),
        }
    }

    /// That there is a file of that number.
    ///
    /// # Errors
    /// No such host or switch.
    pub fn check(&self, format: &FabricFormat, number: u32) -> Written {
        let last = self.files(format) - 1;
        if number > last {
            let what = if format.each == Each::Switch { "switch" } else { "host" };
            return Err(FabricExportError::NoSuch { what, number, last });
        }
        Ok(())
    }

    /// Writes a file; the number is that of its host or switch, and 0 for the whole network.
    ///
    /// # Errors
    /// No such file, or a sink that takes no more.
    pub fn render(&self, format: &FabricFormat, number: u32, out: &mut dyn fmt::Write) -> Written {
        self.check(format, number)?;
        match (&format.render, &self.plan) {
            (Render::Vlan(render), Plan::Vlan(plan)) => render(plan, number, out),
            (Render::PMesh(render), Plan::PMesh(plan)) => render(plan, number, out),
            _ => Err(ExportError::NoText(format.name).into()),
        }
    }
}

/// An NI of a script: how the script calls it, its address or none, its MAC address.
struct ScriptNi {
    name: String,
    address: Option<String>,
    mac: Mac,
}

/// Writes what stands in front of a host's script: who it is for, its NIs, and how many neighbours it will know. Only the NIs
/// that are `real` are looked for before anything is changed.
fn begin_script(
    comment: &str,
    host: &str,
    (real, neighbours): (u32, usize),
    interface: &str,
    nis: &[ScriptNi],
    out: &mut dyn fmt::Write,
) -> Written {
    writeln!(out, "#!/bin/sh\n{comment}\n\nHOST={host}")?;
    let list: Vec<String> = (0..real).map(|ni| ni.to_string()).collect();
    writeln!(out, "NIS='{}'\nNEIGHBOURS={neighbours}", list.join(" "))?;
    for ni in 0..real {
        writeln!(out, ": \"${{CROSSPOINT_NI{ni}:={interface}{ni}}}\"")?;
    }
    lines("# NI, address, MAC address.", "nis", out, |out| {
        nis.iter().try_for_each(|ni| {
            Ok(writeln!(out, "{} {} {}", ni.name, ni.address.as_deref().unwrap_or("-"), ni.mac)?)
        })
    })
}

/// Writes a function of a script that prints lines.
fn lines(
    comment: &str,
    name: &str,
    out: &mut dyn fmt::Write,
    each: impl FnOnce(&mut dyn fmt::Write) -> Written,
) -> Written {
    let mut stopped = None;
    let done = shell::lines(comment, name, out, |out| {
        each(out).map_err(|error| {
            stopped = Some(error);
            ExportError::Sink
        })
    });
    stopped.map_or_else(|| Ok(done?), Err)
}

/// Ends a host's script: the part of its kind, and the program that all scripts share.
fn end_script(own: &str, out: &mut dyn fmt::Write) -> Written {
    Ok(write!(out, "\n{own}\n{BODY}")?)
}

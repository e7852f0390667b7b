//! Files that people and machines build a network from, one format per file.
//!
//! [`DESIGNS`] and [`fabrics`] list the formats of designs and of other networks. A [`Bundle`] is such a source with its
//! settings. It renders one file at a time, so that the files of a large machine are never all in memory. The bytes are
//! the same in the browser, over HTTP and at the command line.
//!
//! Two conventions hold everywhere: NI k of a PE is on the k-th lowest of its switches, and a PE's port on a
//! switch is its place among the members, from 1. Reserved ports are therefore the last ones.

pub mod address;
mod ansible;
mod bill;
mod boot;
mod broadcast;
mod bundle;
mod cables;
mod cabling;
mod colours;
mod design;
mod dns;
mod entries;
mod error;
mod escape;
mod fabric;
mod frr;
mod graphs;
mod hosts;
mod identifiers;
mod infiniband;
mod jobs;
mod kea;
mod labels;
mod machines;
mod monitoring;
mod netbox;
mod netbox_addresses;
mod netbox_types;
mod networkd;
mod order;
mod parts;
mod picture;
mod plugs;
mod provisioning;
mod ranks;
mod rdma;
mod report;
mod routers;
mod routes;
mod scripts;
mod settings;
mod switches;
mod uplinks;
mod ways;
mod wiring;
mod worklist;

pub use bundle::{Bundle, FileTarget};
pub use cabling::{CablingPlan, NodeCable, NodeGroup, UplinkEnds};
pub use colours::{Colour, Palette};
pub use error::ExportError;
pub use escape::markup;
pub use identifiers::rack_names;
#[cfg(feature = "server")]
pub use labels::check_font;
pub use labels::{FORMAT as LABELS, PDF as LABELS_PDF, QUIET_MODULES, Qr};
pub use picture::{Rows, write_png};
pub use settings::{Setting, SettingOf, Settings};
pub use uplinks::{oversubscription, uplink_cables};

use crate::{
    design::{Breach, Design},
    fabric::NetworkKind,
    form::{Choice, Field},
    spec::Spec,
    text::closest,
};
use address::{AVOID, NETWORK};
use colours::PALETTE;
use design::DesignPlan;
use fabric::{PMeshPlan, VlanPlan, topologies::MARKET};
use parts::{FAILED, INTERFACE, PORT, ROOT};
use serde::{Deserialize, Serialize};
use settings::Reason;
use std::{collections::BTreeSet, fmt, io, sync::Arc};

/// Last file of an archive of all formats, if some are skipped: a line for each, with why.
pub const LEFT_OUT: &str = "LEFT-OUT.txt";

/// Contents of font files, in the order in which they are searched for a character. All passed `check_font`.
pub type Fonts = Arc<[Vec<u8>]>;

/// A kind of file.
pub struct Format {
    /// The job that it serves.
    pub group: Group,
    /// Name, as `--format` accepts it.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Use of the format, in one line.
    pub purpose: &'static str,
    /// Media type.
    pub media_type: &'static str,
    /// End of its file names, without a dot.
    pub extension: &'static str,
    /// Part that one file is for.
    pub each: FileScope,
    /// `true` if it walks every pair of nodes: its size grows with the square of the machine.
    pub walks_all_pairs: bool,
    /// `false` if it is made from the spec alone.
    pub needs_wiring: bool,
    /// Part of the spec that it needs.
    pub needs: Option<Need>,
    /// `true` if it is a good first choice of its group.
    pub is_recommended: bool,
    /// `true` if it describes any wiring, and nobody builds from it: also one that breaks limits of the spec.
    pub of_any_wiring: bool,
    /// Programs that read it in a test, with the versions of Debian 12 or PyPI; `Crosspoint` if this program reads it back.
    pub read_by: &'static [&'static str],
    /// `true` if it is drawn with fonts: PDF files, and pictures and labels in pixels. Only the server has fonts.
    pub has_fonts: bool,
    /// `true` if the browser cannot write it.
    pub needs_server: bool,
    /// Settings of the format.
    pub settings: &'static [&'static Setting],
    render: Render,
}

/// Part of the network that one file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum FileScope {
    /// The whole network.
    #[serde(rename = "network")]
    Whole,
    /// One node.
    #[serde(rename = "host")]
    Node,
    /// One switch.
    Switch,
}

impl FileScope {
    /// Number of such parts of a design, and so of files. A separate uplink switch counts as a switch.
    pub fn count(self, spec: &Spec, design: &Design) -> u32 {
        match self {
            FileScope::Whole => 1,
            FileScope::Node => design.pes(),
            FileScope::Switch => design.switch_count() + spec.separate_uplinks(),
        }
    }

    /// The part in words.
    pub fn word(self) -> &'static str {
        match self {
            FileScope::Whole => "network",
            FileScope::Node => "node",
            FileScope::Switch => "switch",
        }
    }

    /// Several of the parts in words.
    pub fn plural(self) -> &'static str {
        match self {
            FileScope::Whole => "networks",
            FileScope::Node => "nodes",
            FileScope::Switch => "switches",
        }
    }
}

/// Preview of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Preview as text.
    Text,
    /// Preview as a page of HTML.
    Page,
    /// Preview as a picture.
    Picture,
    /// Preview as several texts.
    Files,
    /// Not at all.
    Hidden,
}

/// Media type and extension.
type FileType = (&'static str, &'static str);

const TEXT: FileType = ("text/plain; charset=utf-8", "txt");
const HOSTS: FileType = ("text/plain; charset=utf-8", "hosts");
const CSV: FileType = ("text/csv; charset=utf-8", "csv");
const HTML: FileType = ("text/html; charset=utf-8", "html");
const HEADER: FileType = ("text/x-c; charset=utf-8", "h");
const SCRIPT: FileType = ("text/x-shellscript; charset=utf-8", "sh");
const JSON: FileType = ("application/json", "json");
const FOLDER: FileType = ("application/x-tar", "tar");

impl Format {
    /// One file for the whole network, without settings.
    const fn new(
        group: Group,
        name: &'static str,
        title: &'static str,
        (media_type, extension): FileType,
        render: Render,
    ) -> Format {
        Format {
            group,
            name,
            title,
            purpose: "",
            media_type,
            extension,
            each: FileScope::Whole,
            walks_all_pairs: false,
            needs_wiring: true,
            needs: None,
            is_recommended: false,
            of_any_wiring: false,
            read_by: &[],
            has_fonts: false,
            needs_server: false,
            settings: &[],
            render,
        }
    }

    const fn purpose(self, purpose: &'static str) -> Format {
        Format { purpose, ..self }
    }

    const fn per(self, each: FileScope) -> Format {
        Format { each, ..self }
    }

    const fn with(self, settings: &'static [&'static Setting]) -> Format {
        Format { settings, ..self }
    }

    const fn all_pairs(self) -> Format {
        Format { walks_all_pairs: true, ..self }
    }

    const fn without_wiring(self) -> Format {
        Format { needs_wiring: false, ..self }
    }

    const fn needs(self, part: Need) -> Format {
        Format { needs: Some(part), ..self }
    }

    const fn recommended(self) -> Format {
        Format { is_recommended: true, ..self }
    }

    const fn of_any_wiring(self) -> Format {
        Format { of_any_wiring: true, ..self }
    }

    const fn on_server(self) -> Format {
        Format { needs_server: true, ..self }
    }

    const fn with_fonts(self) -> Format {
        Format { has_fonts: true, needs_server: true, ..self }
    }

    const fn read_by(self, read_by: &'static [&'static str]) -> Format {
        Format { read_by, ..self }
    }

    /// Programs that read it in a test, in words.
    pub fn readers(&self) -> String {
        match self.read_by {
            [] => "Not tested with the target tool".into(),
            programs => format!("Read in tests by: {}", programs.join(", ")),
        }
    }

    /// `true` if it is several files for the machine, or for each node; see [`Bundle::files`].
    pub fn is_several(&self) -> bool {
        matches!(self.render, Render::Files(_))
    }

    /// Returns the kind of preview.
    pub fn look(&self) -> Look {
        match self.render {
            Render::Files(_) => Look::Files,
            _ if self.media_type.starts_with("image/") => Look::Picture,
            Render::Bytes(_) => Look::Hidden,
            _ if self.media_type == HTML.0 => Look::Page,
            _ => Look::Text,
        }
    }

    /// Reason why it does not apply to a spec and a wiring that breaks these limits, whatever its settings.
    pub fn refusal(&self, spec: &Spec, breaches: &[Breach]) -> Option<ExportError> {
        if let [breach, more @ ..] = breaches
            && !self.of_any_wiring
        {
            let (breach, more) = (breach.clone(), more.len());
            return Some(ExportError::Breach { format: self.name, breach, more });
        }
        let for_switches = self.each == FileScope::Switch || self.needs == Some(Need::Switches);
        if for_switches && spec.has_only_cables() {
            return Some(ExportError::NoSwitches(self.name));
        }
        match self.needs? {
            Need::Job if spec.jobs.is_empty() => Some(ExportError::NoJob(self.name)),
            Need::Job if spec.jobs.len() > 1 => Some(ExportError::SeveralJobs(self.name)),
            Need::Racks if spec.racks.is_empty() => Some(ExportError::NoRacks),
            Need::Uplink if spec.uplink.is_none() => Some(ExportError::NoUplink(self.name)),
            Need::Job | Need::Racks | Need::Uplink | Need::Switches => None,
        }
    }

    /// `true` if it has a setting of that name.
    pub fn has_setting(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.is(name))
    }
}

type WriteResult = Result<(), ExportError>;

/// Writes one file from the source that it reads. The number is that of its node or switch, 0 for the whole network.
enum Render {
    Text(fn(&DesignPlan, u32, &mut dyn fmt::Write) -> WriteResult),
    /// Anything but text, such as a picture.
    Bytes(fn(&DesignPlan, u32, &mut dyn io::Write) -> WriteResult),
    /// Several files, each as a path with `/` between folders and its text. They travel as a tar archive.
    Files(fn(&DesignPlan, u32, &mut FileSink) -> WriteResult),
    Vlan(fn(&VlanPlan, u32, &mut dyn fmt::Write) -> WriteResult),
    PMesh(fn(&PMeshPlan, u32, &mut dyn fmt::Write) -> WriteResult),
    /// Any network, or the network of a design.
    Network(fn(&dyn NetworkKind, &Settings, &mut dyn fmt::Write) -> WriteResult),
}

/// Refuses: only the server has fonts and workbooks.
#[cfg(not(feature = "server"))]
fn on_server(_: &DesignPlan, _: u32, _: &mut dyn io::Write) -> WriteResult {
    Err(ExportError::NoText("a file of the server"))
}

/// Permissions of an exported file by its path. NetworkManager and netplan keep their files from users.
pub fn permissions(path: &str) -> u32 {
    if path.ends_with(".sh") || path.contains("/sbin/") {
        0o755
    } else if path.ends_with(".nmconnection") || path.contains("etc/netplan/") {
        0o600
    } else {
        0o644
    }
}

/// Takes the path and the text of one file after another.
type FileSink<'a> = dyn FnMut(&str, &str) -> WriteResult + 'a;

/// A part of the spec that some formats need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A single training job.
    Job,
    /// Racks.
    Racks,
    /// Uplink switches.
    Uplink,
    /// Switches that are not direct cables.
    Switches,
}

/// The job that a format serves, in the order of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Source of all other formats, and documents for people.
    Share,
    /// Purchase of parts.
    Purchasing,
    /// Cabling.
    Rack,
    /// Configuration of switches and subnet managers.
    Switches,
    /// Network configuration of nodes.
    Nodes,
    /// Network configuration of nodes with RoCE.
    Rdma,
    /// Names, addresses and first boot.
    Boot,
    /// Settings of jobs.
    Jobs,
    /// NetBox.
    Inventory,
    /// Monitoring of links.
    Monitoring,
    /// Routes for people and spreadsheets.
    Routes,
    /// Files for programs of one's own.
    Programs,
    /// Simulators and labs.
    Labs,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 13] = [
        Group::Share,
        Group::Purchasing,
        Group::Rack,
        Group::Switches,
        Group::Nodes,
        Group::Rdma,
        Group::Boot,
        Group::Jobs,
        Group::Inventory,
        Group::Monitoring,
        Group::Routes,
        Group::Programs,
        Group::Labs,
    ];

    /// Returns the name, and the use of the formats in one line.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Group::Share => ("To keep and share", "the design itself, and documents for people"),
            Group::Purchasing => ("For purchasing", "parts to buy, with prices and spares"),
            Group::Rack => ("For the rack", "to cut, label, plug in and check cables"),
            Group::Switches => (
                "For the switches",
                "names, ports with both ends of their cables, MTU and flow control; subnet managers",
            ),
            Group::Nodes => (
                "For the nodes",
                "addresses and routes that send packets over the right switch; choose one format",
            ),
            Group::Rdma => ("For nodes with RDMA", "an address per NIC for RoCE v2; choose one format"),
            Group::Boot => ("For the first boot", "names, addresses and installation of nodes"),
            Group::Jobs => ("For jobs", "settings of MPI, NCCL and Slurm, and the nodes of ranks"),
            Group::Inventory => ("For inventory", "devices, interfaces, cables and addresses in NetBox"),
            Group::Monitoring => ("For monitoring", "alerts on cables that should have a link"),
            Group::Routes => ("Routes", "the path of each pair, and the impact of failures"),
            Group::Programs => {
                ("For your own programs", "the wiring and its routing tables in other formats")
            }
            Group::Labs => ("For simulators and labs", "the network in other tools"),
        }
    }
}

/// The formats of one kind of source, in the order of archives.
#[derive(Clone, Copy)]
pub struct Formats(&'static [Format]);

impl Formats {
    /// The formats by the job that they serve, recommended ones first. Groups without formats are left out.
    pub fn groups(self) -> impl Iterator<Item = (Group, Vec<&'static Format>)> {
        Group::ALL.into_iter().filter_map(move |group| {
            let mut formats: Vec<_> = self.iter().filter(|format| format.group == group).collect();
            formats.sort_by_key(|format| !format.is_recommended);
            (!formats.is_empty()).then_some((group, formats))
        })
    }

    /// Every format.
    pub fn iter(self) -> impl Iterator<Item = &'static Format> + Clone {
        self.0.iter()
    }

    /// The format of that name.
    ///
    /// # Errors
    /// No such format; the error names the one that may be meant, else the first ones.
    pub fn get(self, name: &str) -> Result<&'static Format, ExportError> {
        let names = || self.iter().map(|format| format.name);
        self.iter().find(|format| format.name == name).ok_or_else(|| {
            let (near, known) = (closest(name, names()), names().collect());
            ExportError::Unknown { name: name.chars().take(40).collect(), near, known }
        })
    }

    /// The setting of that name, if any of the formats has it.
    pub fn setting(self, name: &str) -> Option<&'static Setting> {
        self.iter().flat_map(|format| format.settings).copied().find(|setting| setting.is(name))
    }

    /// The settings that any of the formats has.
    pub fn settings(self) -> Vec<&'static Setting> {
        let mut seen = BTreeSet::new();
        let all = self.iter().flat_map(|format| format.settings).copied();
        all.filter(|setting| seen.insert(setting.field.key)).collect()
    }
}

/// The formats of designs. One more is one file and one line here.
pub const DESIGNS: Formats = Formats(&[
    wiring::TABLE,
    wiring::SPEC,
    report::FORMAT,
    cables::LIST,
    labels::FORMAT,
    labels::PDF,
    labels::ZPL,
    worklist::FORMAT,
    worklist::TABLE,
    worklist::PLAIN,
    cables::AUDIT,
    hosts::FORMAT,
    scripts::NEIGHBOURS,
    scripts::MULTIPATH,
    hosts::NAMES,
    networkd::NETWORKD,
    networkd::NETPLAN,
    frr::FORMAT,
    ansible::FORMAT,
    scripts::PRELOAD,
    boot::TABLE,
    boot::DNSMASQ,
    jobs::OPENMPI,
    jobs::NCCL,
    jobs::SLURM,
    ranks::RANKFILE,
    ranks::HOSTS,
    ranks::RING_ORDERS,
    ranks::NCCL_GRAPH,
    rdma::NETWORKD,
    rdma::NETPLAN,
    rdma::NETWORK_MANAGER,
    ansible::RDMA,
    rdma::ENV,
    infiniband::OPENSM,
    infiniband::TOPOLOGY,
    infiniband::TOPO,
    infiniband::P2P,
    infiniband::P2P_WORKBOOK,
    switches::SONIC,
    switches::NVUE,
    switches::EOS,
    switches::NXOS,
    switches::LINUX,
    routers::FRR,
    kea::FORMAT,
    dns::FORMAT,
    provisioning::CLOUD_INIT,
    provisioning::IGNITION,
    provisioning::BUTANE,
    machines::MAAS,
    machines::WAREWULF,
    machines::XCAT,
    bill::BILL,
    bill::WORKBOOK,
    monitoring::PROMETHEUS,
    routes::ROUTES,
    routes::PATHS,
    routes::SUBNETS,
    routes::THROUGH,
    routes::RELAYS,
    routes::FAULTS,
    routes::LOSSES,
    entries::ADVANCED,
    entries::BINARY,
    entries::C_HEADER,
    entries::AS_JSON,
    broadcast::FORMAT,
    broadcast::FORWARDING,
    picture::SVG,
    picture::PNG,
    wiring::AS_JSON,
    wiring::SCHEMA,
    graphs::GRAPHML,
    graphs::DOT,
    graphs::CONTAINERLAB,
    fabric::topologies::ASTRA_SIM,
    fabric::topologies::SIMAI,
    netbox::SITES,
    netbox::MANUFACTURERS,
    netbox::ROLES,
    netbox::DEVICE_TYPES,
    netbox::RACKS,
    netbox::DEVICES,
    netbox::INTERFACES,
    netbox::CABLES,
    netbox_addresses::PREFIXES,
    netbox_addresses::ADDRESSES,
    netbox::API,
]);

/// The formats of meshes and tori of switches.
const VLANS: Formats = Formats(&[
    fabric::VLAN_SCRIPT,
    fabric::switches::BRIDGE,
    fabric::switches::IOS,
    fabric::switches::IOS_UNDO,
    fabric::vlan::CABLES,
    fabric::vlan::NAMES,
    fabric::vlan::VLANS,
    fabric::vlan::PATHS,
    fabric::links::LINKS,
    fabric::links::GRAPHML,
    fabric::topologies::ASTRA_SIM,
    fabric::topologies::SIMAI,
]);

/// The formats of P-Meshes, whose hosts forward.
const PMESHES: Formats = Formats(&[
    fabric::PMESH_SCRIPT,
    fabric::pmesh::CABLES,
    fabric::pmesh::NAMES,
    fabric::pmesh::ADDRESSES,
    fabric::pmesh::ROUTES,
    fabric::pmesh::PATHS,
    fabric::pmesh::LOSSES,
    fabric::links::LINKS,
    fabric::links::GRAPHML,
]);

/// The formats of other networks.
const LINKS: Formats = Formats(&[
    fabric::links::LINKS,
    fabric::links::GRAPHML,
    fabric::topologies::ASTRA_SIM,
    fabric::topologies::SIMAI,
]);

/// The formats of a network that is no design.
pub fn fabrics(kind: &dyn NetworkKind) -> Formats {
    match (kind.grid(), kind.pmesh()) {
        (Some(_), _) => VLANS,
        (None, Some(_)) => PMESHES,
        (None, None) => LINKS,
    }
}

/// Every format of designs.
pub fn formats() -> impl Iterator<Item = &'static Format> + Clone {
    DESIGNS.iter()
}

/// The format of designs of that name.
///
/// # Errors
/// No such format; the error names the one that may be meant, else the first ones.
pub fn format(name: &str) -> Result<&'static Format, ExportError> {
    DESIGNS.get(name)
}

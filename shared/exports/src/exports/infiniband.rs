//! InfiniBand: subnet managers, the expected topology of each switch, and both files of NVIDIA's cable validation.
//!
//! Switches are not connected, so each is a subnet with a subnet manager of its own, on a port of one of its nodes. Each NIC is port
//! 1 of an RDMA device. A port is known by its GUID (setting `guids`), else by the name of its device.
//!
//! Uplink switches join the switches of a set to one subnet. Its master and its standby are on different switches.
//!
//! A topology file of ibdiagnet has a section per switch: `TYPE NAME`, then `PORT -> TYPE NAME PORT` per cable (man page
//! ibdm-topo-file). NVIDIA's Cable Validation Tool reads it, and point-to-point tables with a row per cable.

#[cfg(not(feature = "server"))]
use super::on_server as p2p_workbook;
use super::{
    CSV, DesignPlan, ExportError, FAILED, FOLDER, FileScope, FileSink, FileType, Format, Group, Need, PORT,
    Render, Setting, SettingOf, WriteResult,
    bill::XLSX,
    escape::field,
    identifiers::Identifiers,
    parts::{GUIDS, HCA, is_word},
    scripts::lines,
    uplinks::{UplinkEnd, UplinkPlan},
};
use crate::{
    analysis::managers::{Managers, managers},
    design::{Guid, HardwarePart, RackPlace, WorkingDesign},
};
use std::{
    collections::HashMap,
    fmt::{self, Write as _},
};

pub(super) const OPENSM: Format = Format::new(Group::Switches, "opensm", "OpenSM for InfiniBand", FOLDER, Render::Files(opensm))
    .read_by(&["OpenSM 3.3"])
    .purpose(
        "OpenSM for InfiniBand: each switch, or all switches that uplink switches join, form a subnet with its own prefix, a master on \
         one node and a standby on another; files per node, a table, names of GUIDs",
    )
    .with(&[&GUIDS, &HCA, &FAILED]);

const TEXT: FileType = ("text/plain; charset=utf-8", "topo");

pub(super) const TOPOLOGY: Format = Format::new(
    Group::Switches,
    "ibnetdiscover",
    "InfiniBand subnet as planned",
    TEXT,
    Render::Text(topology),
)
.read_by(&["ibsim 0.10"])
.purpose("expected topology of the subnet of each switch, as ibnetdiscover prints it and ibsim simulates it")
.per(FileScope::Switch)
.with(&[&GUIDS, &HCA]);

pub(super) const TOPO: Format = Format::new(
    Group::Switches,
    "topo",
    "InfiniBand cables for ibdiagnet",
    TEXT,
    Render::Text(topo),
)
.purpose("topology file of ibdiagnet and of NVIDIA's Cable Validation Tool: the cables of all switches, by types, names and ports")
.needs(Need::Switches)
.with(&[&HCA, &PORT, &SWITCH_TYPE]);

pub(super) const P2P: Format = Format::new(
    Group::Switches,
    "p2p",
    "Point-to-point table, CSV",
    CSV,
    Render::Text(p2p),
)
.purpose("a row per InfiniBand cable with rack, unit, name and port of both ends, as NVIDIA's tools take it")
.needs(Need::Switches)
.with(&[&PORT])
.read_by(&["pandas 3.1"]);

pub(super) const P2P_WORKBOOK: Format = Format::new(
    Group::Switches,
    "p2p-xlsx",
    "Point-to-point table, Excel",
    XLSX,
    Render::Bytes(p2p_workbook),
)
.purpose("workbook with the point-to-point table, for NVIDIA's Cable Validation Tool")
.needs(Need::Switches)
.on_server()
.with(&[&PORT]);

/// System type of all switches.
const SWITCH_TYPE: SettingOf<String> = Setting::new(
    "system-type",
    "type of all switches, as ibdiagnet names it; by default the type with as many ports",
)
.syntax("Switch type", "up to 80 ASCII letters, digits, -, _ or ., such as MQM9700")
.hint("by the number of ports")
.read(|text| is_word(text).then(|| text.into()).ok_or(None));

/// Switches of NVIDIA by their ports.
const SWITCH_TYPES: [(u32, &str); 3] = [(36, "MSB7800"), (40, "MQM8700"), (64, "MQM9700")];

/// Prefix of the subnet of switch 0; that of switch S is S higher. Site-local prefixes end with 16 bits for the subnet, of which 0
/// stays free.
const FIRST_PREFIX: u64 = 0xfec0_0000_0000_0001;
/// Max switches with a prefix of their own.
const MAX_SUBNETS: u32 = 0xffff;
/// Priorities of managers, below the highest so that people can overrule them.
const MASTER: u32 = 14;
const STANDBY: u32 = 13;

/// A port that a subnet manager runs on.
struct Manager {
    host: String,
    ni: u32,
    device: String,
    /// GUID, if known.
    guid: Option<Guid>,
    priority: u32,
}

/// A switch, or switches that uplink switches join, with its managers.
struct Subnet {
    name: String,
    prefix: u64,
    /// `true` if it has several switches.
    is_joined: bool,
    /// Nodes that work and have a cable to it.
    nodes: usize,
    master: Option<Manager>,
    standby: Option<Manager>,
}

impl DesignPlan {
    /// Checks that each subnet can have a prefix, and that the settings fit the wiring.
    fn is_infiniband(&self, format: &'static str) -> WriteResult {
        let setting = |choice: String, why: String| Err(ExportError::Setting { choice, why });
        if self.design.switch_count() > MAX_SUBNETS && self.spec.uplink.is_none() {
            let why = format!("up to {MAX_SUBNETS} switches have a subnet prefix of their own");
            return setting(format!("format={format}"), why);
        }
        self.guids().map(drop)
    }

    fn subnets(&self) -> Result<Vec<Subnet>, ExportError> {
        let (working, guids) = (WorkingDesign::new(&self.design, self.faults()?), self.guids()?);
        let hca = self.settings.get(&HCA);
        let manager = |switch: u32, pe: u32, priority: u32| {
            let ni = working.ni(pe, switch);
            let guid = guids.of(HardwarePart::Ni(pe, ni));
            Manager { host: self.pe_name(pe), ni, device: hca.of(ni), guid, priority }
        };
        let all = managers(working.design());
        if let Some(spine) = self.spec.spine() {
            let mut subnets = Vec::new();
            for set in 0..spine.sets {
                let inside: Vec<u32> = (0..self.design.switch_count())
                    .filter(|&switch| spine.set_of(switch) == set)
                    .filter(|&switch| !working.design().members(switch).is_empty())
                    .collect();
                let mut nodes: Vec<u32> =
                    inside.iter().flat_map(|&switch| working.design().members(switch)).copied().collect();
                nodes.sort_unstable();
                nodes.dedup();
                let of = |switch: u32| &all[switch as usize];
                let master = inside.iter().find_map(|&switch| Some((switch, of(switch).master?)));
                // On another switch, if there is one with another node.
                let others = inside.iter().rev().flat_map(|&switch| {
                    [of(switch).master, of(switch).standby].into_iter().flatten().map(move |pe| (switch, pe))
                });
                let standby = others.clone().find(|(_, pe)| master.is_some_and(|(_, other)| other != *pe));
                subnets.push(Subnet {
                    name: if spine.sets == 1 { "fabric".into() } else { format!("plane{set}") },
                    prefix: FIRST_PREFIX + u64::from(set),
                    is_joined: true,
                    nodes: nodes.len(),
                    master: master.map(|(switch, pe)| manager(switch, pe, MASTER)),
                    standby: standby.map(|(switch, pe)| manager(switch, pe, STANDBY)),
                });
            }
            return Ok(subnets);
        }
        let subnet = |(switch, Managers { master, standby }): (u32, Managers)| Subnet {
            name: self.switch_name(switch),
            prefix: FIRST_PREFIX + u64::from(switch),
            is_joined: false,
            nodes: working.design().members(switch).len(),
            master: master.map(|pe| manager(switch, pe, MASTER)),
            standby: standby.map(|pe| manager(switch, pe, STANDBY)),
        };
        Ok((0..).zip(all).map(subnet).collect())
    }
}

fn opensm(plan: &DesignPlan, _: u32, each: &mut FileSink) -> WriteResult {
    plan.is_infiniband(OPENSM.name)?;
    let subnets = plan.subnets()?;
    each("subnets.csv", &table(&subnets)?)?;
    each("node-name-map", &names(plan)?)?;
    each("guids.sh", &guids_script(plan)?)?;
    let mut with_script = Vec::new();
    for subnet in &subnets {
        for manager in [&subnet.master, &subnet.standby].into_iter().flatten() {
            let (host, name) = (&manager.host, &subnet.name);
            each(
                &format!("{host}/etc/opensm/crosspoint/{name}.conf"),
                &configuration(plan, subnet, manager),
            )?;
            let unit = format!("{host}/etc/systemd/system/crosspoint-opensm-{name}.service");
            each(&unit, &service(plan, subnet, manager))?;
            if manager.guid.is_none() && !with_script.contains(host) {
                each(&format!("{host}/usr/local/sbin/crosspoint-opensm"), SCRIPT)?;
                with_script.push(host.clone());
            }
        }
    }
    Ok(())
}

const SCRIPT: &str = concat!(
    "#!/bin/sh\n# usage: crosspoint-opensm SWITCH DEVICE\n# Runs OpenSM on port 1 of an RDMA device, which it finds by its name.\n",
    include_str!("assets/opensm.sh")
);

/// A row per switch with its managers.
fn table(subnets: &[Subnet]) -> Result<String, ExportError> {
    let mut text = String::from(
        "switch,subnet_prefix,nodes,master,master_ni,master_device,master_guid,standby,standby_ni,standby_device,standby_guid,note\n",
    );
    for subnet in subnets {
        write!(text, "{},0x{:016x},{}", subnet.name, subnet.prefix, subnet.nodes)?;
        for manager in [&subnet.master, &subnet.standby] {
            match manager {
                Some(Manager { host, ni, device, guid, .. }) => {
                    let guid = guid.map_or_else(String::new, |guid| guid.to_string());
                    write!(text, ",{host},{ni},{device},{guid}")?;
                }
                None => text.push_str(",,,,"),
            }
        }
        writeln!(
            text,
            ",{}",
            match subnet.nodes {
                0 => "no working node",
                1 => "no standby: one node only",
                _ => "",
            }
        )?;
    }
    Ok(text)
}

/// Configuration of OpenSM; all other options keep their defaults.
fn configuration(plan: &DesignPlan, subnet: &Subnet, manager: &Manager) -> String {
    let Subnet { name, prefix, .. } = subnet;
    let Manager { host, ni, device, priority, .. } = manager;
    // No path goes up again after it came down, also when links fail: so no loop of full buffers can form.
    let routing = match subnet.is_joined {
        true => {
            "# Paths go up to an uplink switch at most once, so switches cannot wait for each other in a circle.\nrouting_engine updn\n"
        }
        false => "",
    };
    let guid = match manager.guid {
        Some(guid) => format!("guid {guid}\n"),
        None => "# The service looks up the port GUID by device name.\n".into(),
    };
    format!(
        "# OpenSM on {host}, NIC {ni} ({device} port 1): {} of the subnet of {name} in {}.\n{guid}\
         # Open MPI, UCX and NCCL tell subnets apart by their prefixes. Both managers have the same.\n\
         subnet_prefix 0x{prefix:016x}\n{routing}\
         # The manager with the highest priority is the master.\n\
         sm_priority {priority}\n\
         # The standby takes over after 4 missed polls, 2,000 ms apart.\n\
         polling_retry_number 4\nsminfo_polling_timeout 2000\n\
         # A node may run several managers, so each has files of its own. Without a partition file all nodes are in one partition.\n\
         partition_config_file /etc/opensm/crosspoint/{name}.partitions\n\
         log_file /var/log/opensm-{name}.log\nlog_max_size 64\ndump_files_dir /var/cache/opensm-{name}\n",
        role(manager),
        plan.title(),
    )
}

fn role(manager: &Manager) -> &'static str {
    if manager.priority == MASTER { "master" } else { "standby" }
}

fn service(plan: &DesignPlan, subnet: &Subnet, manager: &Manager) -> String {
    let (name, role) = (&subnet.name, role(manager));
    let start = match manager.guid {
        Some(_) => format!("/usr/sbin/opensm --config /etc/opensm/crosspoint/{name}.conf"),
        None => format!("/usr/local/sbin/crosspoint-opensm {name} {}", manager.device),
    };
    format!(
        "# {} in {}. The service opensm of the distribution binds the same ports: systemctl disable --now opensm\n\
         [Unit]\nDescription=OpenSM, {role} of the InfiniBand subnet of {name}\nDocumentation=man:opensm(8)\n\
         Before=network.target remote-fs-pre.target\nConditionPathExists=/sys/class/infiniband_mad/abi_version\n\n\
         [Service]\nExecStart={start}\nEnvironment=OSM_CACHE_DIR=/var/cache/opensm-{name}\nCacheDirectory=opensm-{name}\n\
         Restart=on-failure\nRestartSec=5\n\n[Install]\nWantedBy=multi-user.target\n",
        manager.host,
        plan.title(),
    )
}

/// Names of known GUIDs, for `--node-name-map` of infiniband-diags.
fn names(plan: &DesignPlan) -> Result<String, ExportError> {
    let mut text = format!("# GUIDs of {}, for --node-name-map of infiniband-diags.\n", plan.title());
    text.push_str(
        "# The GUIDs are from the setting `guids`. ConnectX devices have one GUID for the node and its port; for others, give the\n\
         # GUIDs of nodes here.\n",
    );
    let hca = plan.settings.get(&HCA);
    for (part, guid) in plan.guids()?.iter() {
        match part {
            HardwarePart::Ni(pe, ni) => {
                writeln!(text, "{guid} \"{} {}\"", plan.pe_name(pe), hca.of(ni))?;
            }
            HardwarePart::Switch(switch) => writeln!(text, "{guid} \"{}\"", plan.switch_name(switch))?,
            // No node has a GUID here.
            HardwarePart::Pe(_) => {}
        }
    }
    Ok(text)
}

fn guids_script(plan: &DesignPlan) -> Result<String, ExportError> {
    let hca = plan.settings.get(&HCA);
    let devices: Vec<String> = (0..plan.most_nis() as u32).map(|ni| hca.of(ni)).collect();
    let mut text = format!(
        "#!/bin/sh\n# Port GUIDs of a node of {}, as the setting `guids` takes them: pdsh -N -a sh guids.sh > guids.txt\n\
         # Needs ibstat.\nset -eu\nDEVICES='{}'\n",
        plan.title(),
        devices.join(" ")
    );
    lines("# Name of each node and its number of NICs.", "nodes", &mut text, |out| {
        for pe in 0..plan.pes() {
            writeln!(out, "{} {}", plan.pe_name(pe), plan.nis.of(pe).len())?;
        }
        Ok(())
    })?;
    Ok(text + "\n" + include_str!("assets/guids.sh"))
}

/// The subnet of a switch as ibnetdiscover prints it, without LIDs and speeds, which the wiring does not tell.
fn topology(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
    plan.is_infiniband(TOPOLOGY.name)?;
    let uplink = plan.uplink();
    let (name, title) = (plan.any_switch_name(switch), plan.title());
    writeln!(out, "# Expected topology of the subnet of {name} in {title}.")?;
    out.write_str(
        "# GUIDs that are not in the setting `guids` are computed. LIDs and speeds are not known.\n",
    )?;
    let all = with_ends(plan, uplink.as_ref(), subnet_of(plan, uplink.as_ref(), switch))?;
    for IbSwitch { guid: own, name, ports, ends, .. } in &all {
        writeln!(out, "\nswitchguid=0x{own:x}({own:x})")?;
        writeln!(out, "Switch\t{ports} \"S-{own:016x}\"\t\t# \"{name}\" base port 0 lid 0 lmc 0")?;
        for end in ends {
            let (port, guid, far) = (end.port, end.guid, end.label());
            match end.far_port {
                None => writeln!(out, "[{port}]\t\"H-{guid:016x}\"[1]({guid:x}) \t\t# \"{far}\" lid 0")?,
                Some(other) => writeln!(out, "[{port}]\t\"S-{guid:016x}\"[{other}]\t\t# \"{far}\" lid 0")?,
            }
        }
    }
    for IbSwitch { guid: own, name, ends, .. } in &all {
        for end in ends.iter().filter(|end| end.far_port.is_none()) {
            let (port, guid, node) = (end.port, end.guid, end.label());
            writeln!(out, "\ncaguid=0x{guid:x}\nCa\t1 \"H-{guid:016x}\"\t\t# \"{node}\"")?;
            writeln!(out, "[1]({guid:x}) \t\"S-{own:016x}\"[{port}]\t\t# lid 0 lmc 0 \"{name}\" lid 0")?;
        }
    }
    Ok(())
}

/// The cables of all switches, each once.
fn topo(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let uplink = plan.uplink();
    writeln!(out, "# InfiniBand cables of {}, as ibdiagnet writes and reads them.", plan.title())?;
    out.write_str(
        "# Speeds are not known. For example, HCA_mlx5_3 is the type of a node with three adapters.\n",
    )?;
    let nics: Vec<u32> = plan.spec.nis_per_pe().collect();
    let given = plan.settings.given(&SWITCH_TYPE);
    let model = |ports: u32| {
        let known = SWITCH_TYPES.iter().find(|(of, _)| *of == ports).map(|(_, name)| (*name).to_owned());
        given.cloned().or(known)
    };
    let port_name = |port: u32| match plan.settings.given(&PORT) {
        Some(names) => names.of(port),
        None => format!("P{port}"),
    };
    let switches = with_ends(plan, uplink.as_ref(), connected(plan, uplink.as_ref()))?;
    let mut unknown: Vec<u32> = switches.iter().map(|switch| switch.ports).collect();
    unknown.retain(|&ports| model(ports).is_none());
    unknown.sort_unstable();
    unknown.dedup();
    for ports in unknown {
        writeln!(
            out,
            "# SWITCH_{ports}: no type of NVIDIA with {ports} ports is known. Give the type with the setting `system-type`."
        )?;
    }
    let model = |ports: u32| model(ports).unwrap_or_else(|| format!("SWITCH_{ports}"));
    let ports_of: HashMap<u32, u32> = switches.iter().map(|switch| (switch.number, switch.ports)).collect();
    for IbSwitch { name, ports, ends, .. } in &switches {
        writeln!(out, "\n{} {name}", model(*ports))?;
        for end in ends {
            write!(out, "   {} -> ", port_name(end.port))?;
            match (&end.device, end.far_port) {
                (_, Some(port)) => {
                    let ports = end.number.and_then(|switch| ports_of.get(&switch)).copied().unwrap_or(0);
                    writeln!(out, "{} {} {}", model(ports), end.name, port_name(port))?;
                }
                (device, None) => {
                    let nics = end.number.map_or(1, |pe| nics.get(pe as usize).copied().unwrap_or(1));
                    writeln!(out, "{} {} {device}/P1", adapters(device, nics), end.name)?;
                }
            }
        }
    }
    Ok(())
}

/// System type of a node: the driver in the name of a device such as `mlx5_0`, and the number of devices.
fn adapters(device: &str, count: u32) -> String {
    match device.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('_') {
        Some(driver) if !driver.is_empty() => format!("HCA_{driver}_{count}"),
        _ => format!("HCA_{count}"),
    }
}

/// Header of a point-to-point table: first the node or the lower switch, then the switch.
const P2P_HEADER: [&str; 8] = ["Rack", "U", "Name", "HCA/Port", "Rack", "U", "Name", "Port"];

/// Rows of the point-to-point table. NICs are numbered from 1.
fn p2p_rows(plan: &DesignPlan) -> Result<Vec<[String; 8]>, ExportError> {
    let uplink = plan.uplink();
    let identifiers = Identifiers::of(plan);
    let count = plan.design.switch_count();
    let place = |place: Option<RackPlace>| {
        place.map_or_else(Default::default, |RackPlace { rack, unit }| [rack, unit.to_string()])
    };
    let of_switch = |switch: u32| place((switch < count).then(|| identifiers.switch_place(switch)).flatten());
    let port =
        |port: u32| plan.settings.given(&PORT).map_or_else(|| port.to_string(), |names| names.of(port));
    let mut rows = Vec::new();
    for switch in with_ends(plan, uplink.as_ref(), connected(plan, uplink.as_ref()))? {
        for end in switch.ends {
            let (near, far) = match (end.number, end.far_port) {
                // The row of the uplink switch has this cable.
                (_, Some(_)) if !end.is_below => continue,
                (_, Some(far)) => (of_switch(end.number.unwrap_or(count)), port(far)),
                (Some(pe), None) => (place(identifiers.pe_place(pe)), (end.ni + 1).to_string()),
                (None, None) => (place(None), (end.ni + 1).to_string()),
            };
            let [[rack, unit], [to_rack, to_unit]] = [near, of_switch(switch.number)];
            rows.push([rack, unit, end.name, far, to_rack, to_unit, switch.name.clone(), port(end.port)]);
        }
    }
    Ok(rows)
}

fn p2p(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    writeln!(out, "{}", P2P_HEADER.join(","))?;
    for row in p2p_rows(plan)? {
        writeln!(out, "{}", row.each_ref().map(|cell| field(cell)).join(","))?;
    }
    Ok(())
}

#[cfg(feature = "server")]
fn p2p_workbook(plan: &DesignPlan, _: u32, out: &mut dyn std::io::Write) -> WriteResult {
    use super::bill::{new_workbook, write_workbook};
    let rows = p2p_rows(plan)?;
    let write = || {
        let mut book = new_workbook(rust_xlsxwriter::DocProperties::new())?;
        let sheet = book.add_worksheet().set_name("InfiniBand")?;
        sheet.write_row(0, 0, P2P_HEADER)?.set_freeze_panes(1, 0)?;
        for (at, row) in (1..).zip(&rows) {
            sheet.write_row(at, 0, row)?;
        }
        sheet.autofit();
        Ok(book)
    };
    write_workbook(write(), out)
}

/// Every switch with a cable, then the uplink switches.
fn connected<'a>(plan: &'a DesignPlan, uplink: Option<&'a UplinkPlan>) -> impl Iterator<Item = u32> + 'a {
    let count = plan.design.switch_count();
    let more = uplink.into_iter().flat_map(|uplink| uplink.switches.iter().map(|switch| switch.number));
    let folded = uplink.and_then(|uplink| uplink.folded);
    let is_used = move |switch: u32| !plan.design.members(switch).is_empty() && !plan.is_cable(switch);
    let own = (0..count).filter(move |&switch| folded == Some(switch) || is_used(switch));
    own.chain(more.filter(move |&number| number >= count))
}

/// A switch of a topology.
struct IbSwitch {
    guid: u64,
    name: String,
    number: u32,
    ports: u32,
    /// By port.
    ends: Vec<End>,
}

/// The far end of a cable of a switch.
struct End {
    /// Port of the switch.
    port: u32,
    guid: u64,
    /// Name of the node or of the far switch.
    name: String,
    /// Device of the NIC; empty for a switch.
    device: String,
    /// Number of the node, or of the far switch; `None` for a spare node.
    number: Option<u32>,
    /// Number of the NIC; 0 for a switch.
    ni: u32,
    /// Port of the far switch; `None` for a NIC.
    far_port: Option<u32>,
    /// `true` if this is a cable of an uplink switch to a switch below.
    is_below: bool,
}

impl End {
    /// Description of the far end, as adapters and switches have it.
    fn label(&self) -> String {
        if self.device.is_empty() { self.name.clone() } else { format!("{} {}", self.name, self.device) }
    }
}

/// The switches of a switch's subnet, itself among them; uplink switches come last.
fn subnet_of(plan: &DesignPlan, uplink: Option<&UplinkPlan>, switch: u32) -> Vec<u32> {
    let (Some(spine), Some(uplink)) = (plan.spec.spine(), uplink) else { return vec![switch] };
    let count = plan.design.switch_count();
    let set_of = |number: u32| match number.checked_sub(count) {
        Some(at) => at / spine.each,
        None => spine.set_of(number),
    };
    connected(plan, Some(uplink)).filter(|&number| set_of(number) == set_of(switch)).collect()
}

/// Switches with the far ends of their cables.
fn with_ends(
    plan: &DesignPlan,
    uplink: Option<&UplinkPlan>,
    switches: impl IntoIterator<Item = u32>,
) -> Result<Vec<IbSwitch>, ExportError> {
    // Of the form of EUI-64, locally administered.
    let (guids, hca) = (plan.guids()?, plan.settings.get(&HCA));
    let known = |part, computed: u64| guids.of(part).map_or(computed, |guid| guid.0);
    let of_switch = |number: u32| known(HardwarePart::Switch(number), 0x0201 << 48 | u64::from(number));
    let of_nic =
        |pe: u32, ni: u32| known(HardwarePart::Ni(pe, ni), 0x0200 << 48 | u64::from(pe) << 8 | u64::from(ni));
    let to_switch = |port, number, far_port, is_below| End {
        port,
        guid: of_switch(number),
        name: plan.any_switch_name(number),
        device: String::new(),
        number: Some(number),
        ni: 0,
        far_port: Some(far_port),
        is_below,
    };
    let count = plan.design.switch_count();
    let mut ports: HashMap<u32, u32> = (0..).zip(plan.ports().map(|ports| ports.all)).collect();
    let mut uplinks: HashMap<u32, Vec<End>> = HashMap::new();
    if let Some(uplink) = uplink {
        let separate = uplink.switches.iter().filter(|switch| switch.number >= count);
        ports.extend(separate.map(|switch| (switch.number, switch.ports)));
        for &cable in &uplink.cables {
            let top = uplink.switch_of(cable).number;
            let end = match cable.from {
                UplinkEnd::Switch { switch, port } => {
                    uplinks.entry(switch).or_default().push(to_switch(port, top, cable.port, false));
                    to_switch(cable.port, switch, port, true)
                }
                UplinkEnd::Spare(spare) => End {
                    port: cable.port,
                    guid: 0x0202 << 48 | u64::from(spare),
                    name: plan.names.spare(spare),
                    device: hca.of(0),
                    number: None,
                    ni: 0,
                    far_port: None,
                    is_below: false,
                },
            };
            uplinks.entry(top).or_default().push(end);
        }
    }
    let mut with_ends = |switch: u32| {
        let members = if switch < count { plan.design.members(switch) } else { &[] };
        let nodes = (1..).zip(members).map(|(port, &pe)| {
            let ni = plan.nis.of(pe).partition_point(|&other| other < switch) as u32;
            End {
                port,
                guid: of_nic(pe, ni),
                name: plan.pe_name(pe),
                device: hca.of(ni),
                number: Some(pe),
                ni,
                far_port: None,
                is_below: false,
            }
        });
        let ends = nodes.chain(uplinks.remove(&switch).unwrap_or_default()).collect();
        let ports = ports.get(&switch).copied().unwrap_or(0);
        IbSwitch { guid: of_switch(switch), name: plan.any_switch_name(switch), number: switch, ports, ends }
    };
    Ok(switches.into_iter().map(&mut with_ends).collect())
}

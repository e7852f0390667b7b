//! InfiniBand: subnet managers, and the expected topology of each switch.
//!
//! Switches are not connected, so each is a subnet with a subnet manager of its own, on a port of one of its nodes. Each NIC is port
//! 1 of an RDMA device. A port is known by its GUID (setting `guids`), else by the name of its device.
//!
//! Uplink switches join the switches of a set to one subnet. Its master and its standby are on different switches.

use super::{
    DesignPlan, ExportError, FAILED, FOLDER, FileScope, FileSink, FileType, Format, Group, Render,
    WriteResult,
    parts::{GUIDS, HCA},
    scripts::lines,
    uplinks::{UplinkEnd, UplinkPlan},
};
use crate::{
    analysis::managers::{Managers, managers},
    design::{Guid, HardwarePart, WorkingDesign},
};
use std::fmt::{self, Write as _};

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
    let inside = subnet_of(plan, uplink.as_ref(), switch);
    let all = inside.into_iter().map(|switch| ports_of(plan, uplink.as_ref(), switch));
    let all: Vec<IbSwitch> = all.collect::<Result<_, ExportError>>()?;
    for IbSwitch { guid: own, name, ports, ends } in &all {
        writeln!(out, "\nswitchguid=0x{own:x}({own:x})")?;
        writeln!(out, "Switch\t{ports} \"S-{own:016x}\"\t\t# \"{name}\" base port 0 lid 0 lmc 0")?;
        for end in ends {
            let (port, guid, far) = (end.port, end.guid, &end.name);
            match end.far_port {
                None => writeln!(out, "[{port}]\t\"H-{guid:016x}\"[1]({guid:x}) \t\t# \"{far}\" lid 0")?,
                Some(other) => writeln!(out, "[{port}]\t\"S-{guid:016x}\"[{other}]\t\t# \"{far}\" lid 0")?,
            }
        }
    }
    for IbSwitch { guid: own, name, ends, .. } in &all {
        for End { port, guid, name: node, .. } in ends.iter().filter(|end| end.far_port.is_none()) {
            writeln!(out, "\ncaguid=0x{guid:x}\nCa\t1 \"H-{guid:016x}\"\t\t# \"{node}\"")?;
            writeln!(out, "[1]({guid:x}) \t\"S-{own:016x}\"[{port}]\t\t# lid 0 lmc 0 \"{name}\" lid 0")?;
        }
    }
    Ok(())
}

/// A switch of a topology.
struct IbSwitch {
    guid: u64,
    name: String,
    ports: u32,
    /// By port.
    ends: Vec<End>,
}

/// The far end of a cable of a switch.
struct End {
    /// Port of the switch.
    port: u32,
    guid: u64,
    name: String,
    /// Port of the far switch; `None` for a NIC.
    far_port: Option<u32>,
}

/// The switches of a switch's subnet, itself among them; uplink switches come last.
fn subnet_of(plan: &DesignPlan, uplink: Option<&UplinkPlan>, switch: u32) -> Vec<u32> {
    let (Some(spine), Some(uplink)) = (plan.spec.spine(), uplink) else { return vec![switch] };
    let count = plan.design.switch_count();
    let set_of = |number: u32| match number.checked_sub(count) {
        Some(at) => at / spine.each,
        None => spine.set_of(number),
    };
    let all = (0..count).chain(uplink.switches.iter().map(|uplink| uplink.number).filter(|&at| at >= count));
    let is_used = |&number: &u32| {
        number >= count || uplink.folded == Some(number) || !plan.design.members(number).is_empty()
    };
    all.filter(is_used).filter(|&number| set_of(number) == set_of(switch)).collect()
}

/// A switch with the far ends of its cables.
fn ports_of(plan: &DesignPlan, uplink: Option<&UplinkPlan>, switch: u32) -> Result<IbSwitch, ExportError> {
    // Of the form of EUI-64, locally administered.
    let (guids, hca) = (plan.guids()?, plan.settings.get(&HCA));
    let known = |part, computed: u64| guids.of(part).map_or(computed, |guid| guid.0);
    let of_switch = |number: u32| known(HardwarePart::Switch(number), 0x0201 << 48 | u64::from(number));
    let of_nic =
        |pe: u32, ni: u32| known(HardwarePart::Ni(pe, ni), 0x0200 << 48 | u64::from(pe) << 8 | u64::from(ni));
    let mut ends: Vec<End> = Vec::new();
    if switch < plan.design.switch_count() {
        for (port, &pe) in (1..).zip(plan.design.members(switch)) {
            let ni = plan.nis.of(pe).partition_point(|&other| other < switch) as u32;
            let name = format!("{} {}", plan.pe_name(pe), hca.of(ni));
            ends.push(End { port, guid: of_nic(pe, ni), name, far_port: None });
        }
    }
    for &cable in uplink.iter().flat_map(|uplink| &uplink.cables) {
        let top = uplink.map_or(switch, |uplink| uplink.switch_of(cable).number);
        let to = |port, number, far_port| {
            let name = plan.any_switch_name(number);
            End { port, guid: of_switch(number), name, far_port: Some(far_port) }
        };
        match cable.from {
            UplinkEnd::Switch { switch: own, port } if own == switch => ends.push(to(port, top, cable.port)),
            _ if top != switch => {}
            UplinkEnd::Switch { switch: far, port } => ends.push(to(cable.port, far, port)),
            UplinkEnd::Spare(spare) => ends.push(End {
                port: cable.port,
                guid: 0x0202 << 48 | u64::from(spare),
                name: format!("{} {}", plan.names.spare(spare), hca.of(0)),
                far_port: None,
            }),
        }
    }
    let separate = plan.separate_uplinks().into_iter().find(|uplink| uplink.number == switch);
    let own = plan.ports().nth(switch as usize).map_or(0, |ports| ports.all);
    let ports = separate.map_or(own, |uplink| uplink.ports);
    Ok(IbSwitch { guid: of_switch(switch), name: plan.any_switch_name(switch), ports, ends })
}

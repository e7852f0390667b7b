//! Configurations of the switches of a flat neighbourhood: each is one bridge without VLANs, and no two are connected, except through
//! the uplink switch.
//!
//! [`SwitchConfig`] has what all dialects say: the name, the ports with both ends of each cable, the MTU, flow control and, if asked
//! for, a management address. Ports without a cable are shut. Each dialect has its own port names unless the spec or the setting
//! `port` gives some.

use super::{
    DesignPlan, Each, ExportError, FileType, Format, JSON, Render, SCRIPT, Written,
    address::may_have_nodes,
    uplinks::{Joined, UplinkCable},
};
use crate::spec::names::{MAX_INTERFACE, PortNames};
use ipnet::Ipv4Net;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt, net::Ipv4Addr};

const CONFIG: FileType = ("text/plain; charset=utf-8", "cfg");
const YAML: FileType = ("application/yaml; charset=utf-8", "yaml");
const SETTINGS: &[&str] = &["port", "interface", "mtu", "flow-control", "management", "network", "avoid"];
/// Those of switches that take the largest frames without being told.
const WITHOUT_MTU: &[&str] = &["port", "interface", "flow-control", "management", "network", "avoid"];

pub(super) const SONIC: Format = Format::new("sonic", JSON, Render::Text(sonic))
    .purpose("SONiC configuration per switch, for `config load` on top of the switch's own config_db.json")
    .per(Each::Switch)
    .with(SETTINGS);

pub(super) const NVUE: Format = Format::new("nvue", YAML, Render::Text(nvue))
    .read_by(&["nvueschema 0.1"])
    .purpose("NVIDIA Cumulus Linux configuration per switch, for `nv config patch` of version 5.15 or later")
    .per(Each::Switch)
    .with(SETTINGS);

pub(super) const EOS: Format = Format::new("eos", CONFIG, Render::Text(eos))
    .read_by(&["ciscoconfparse2 0.9"])
    .purpose("Arista EOS configuration per switch; switched ports pass frames of any size that NICs send")
    .per(Each::Switch)
    .with(WITHOUT_MTU);

pub(super) const NXOS: Format = Format::new("nxos", CONFIG, Render::Text(nxos))
    .read_by(&["ciscoconfparse2 0.9"])
    .purpose("Cisco NX-OS configuration per switch, for Nexus 9000")
    .per(Each::Switch)
    .with(SETTINGS);

pub(super) const LINUX: Format = Format::new("linux-switch", SCRIPT, Render::Text(linux))
    .read_by(&["iproute2 6.1", "ShellCheck 0.9"])
    .purpose("shell script per Linux switch: a bridge over all ports in use; may be repeated")
    .per(Each::Switch)
    .with(SETTINGS);

/// Priority of RDMA traffic, and the DSCP that hosts mark it with.
const PRIORITY: u32 = 3;
pub(super) const DSCP: u32 = 26;
/// Fill of the queue of RDMA traffic, in kilobytes, from which on some frames get a congestion mark (ECN), and from which on all do:
/// the values that NVUE sets for RoCE. Sites tune them.
const ECN_KB: [u32; 2] = [150, 1500];

/// Means against loss where several nodes send to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowControl {
    /// None.
    None,
    /// Pause frames (IEEE 802.3x).
    Pause,
    /// Pause frames per priority (IEEE 802.1Qbb), and marks by ECN, as RoCE needs.
    #[default]
    Pfc,
}

/// A switch as all dialects describe it.
struct SwitchConfig {
    name: String,
    ports: Vec<Port>,
    mtu: u32,
    flow: FlowControl,
    management: Option<Management>,
}

/// The management port.
pub(super) struct Management {
    pub address: Ipv4Addr,
    /// Prefix length.
    pub prefix: u8,
    gateway: Ipv4Addr,
}

impl Management {
    /// The addresses of switches follow each other from the first one of the network on; the last one is the gateway's.
    pub fn of(plan: &DesignPlan, network: Ipv4Net, switch: u32) -> Result<Management, ExportError> {
        Management::check(plan, network)?;
        let (first, last) = (network.network().to_bits() + 1, network.broadcast().to_bits() - 1);
        let (address, gateway) = (Ipv4Addr::from_bits(first + switch), Ipv4Addr::from_bits(last));
        Ok(Management { address, prefix: network.prefix_len(), gateway })
    }

    /// Checks that a network has an address for every switch and the gateway, and none that a node may have.
    ///
    /// # Errors
    /// It overlaps the network of the nodes, or has too few addresses.
    pub fn check(plan: &DesignPlan, network: Ipv4Net) -> Written {
        if may_have_nodes(&plan.settings, &network) {
            let nodes = plan.settings.network;
            let why = format!(
                "this overlaps {nodes}, where nodes have their addresses; choose another network, or give avoid={network} \
                 here and to the exports of nodes"
            );
            return Err(ExportError::setting("management", network, why));
        }
        Management::fits(plan, network)
    }

    /// Checks that a network has enough addresses.
    ///
    /// # Errors
    /// It has too few.
    pub fn fits(plan: &DesignPlan, network: Ipv4Net) -> Written {
        let all = Each::Switch.count(&plan.spec, &plan.design);
        // Every switch, the gateway, the network and its broadcasts.
        let prefix = 32 - (all + 3).next_power_of_two().trailing_zeros();
        if u32::from(network.prefix_len()) > prefix {
            let why = format!("{all} switches and a gateway need a prefix of /{prefix} or shorter");
            return Err(ExportError::setting("management", network, why));
        }
        Ok(())
    }
}

/// Names that a dialect has.
struct Dialect {
    /// Ports, unless they have names of their own.
    ports: &'static str,
    /// Begin of all names of ports; empty for any.
    prefix: &'static str,
    /// The management port.
    management: &'static str,
    /// `true` if ports are network interfaces of Linux.
    is_linux: bool,
}

const SONIC_DIALECT: Dialect =
    Dialect { ports: "Ethernet{port*4-4}", prefix: "Ethernet", management: "eth0", is_linux: true };
const NVUE_DIALECT: Dialect =
    Dialect { ports: "swp{port}", prefix: "swp", management: "eth0", is_linux: true };
const EOS_DIALECT: Dialect =
    Dialect { ports: "Ethernet{port}", prefix: "Ethernet", management: "Management1", is_linux: false };
const NXOS_DIALECT: Dialect =
    Dialect { ports: "Ethernet1/{port}", prefix: "Ethernet", management: "mgmt0", is_linux: false };
const LINUX_DIALECT: Dialect = Dialect { ports: "swp{port}", prefix: "", management: "eth0", is_linux: true };

/// Interfaces of a Linux switch that are no ports.
const NO_PORTS: [(&str, &str); 2] = [("br0", "the bridge"), ("lo", "the loopback interface")];

struct Port {
    name: String,
    /// Both ends of its cable; `None` without one.
    cable: Option<String>,
}

impl Dialect {
    /// Checks the name of a port.
    fn check(&self, plan: &DesignPlan, port: &Port) -> Written {
        let name = &port.name;
        let taken = NO_PORTS.iter().find(|(other, _)| self.is_linux && name == other);
        let why = if plan.settings.management.is_some() && name == self.management {
            "that is the management port".into()
        } else if let Some((_, what)) = taken {
            format!("that is {what}")
        } else if !name.starts_with(self.prefix) {
            format!("names of ports begin with {}, such as {}", self.prefix, self.ports)
        } else if self.ports.contains('/') && !name.contains('/') {
            format!("names of ports have a slot, such as {}", self.ports)
        } else if self.is_linux && (name.len() > MAX_INTERFACE || name.contains(['/', ':'])) {
            format!("interfaces have up to {MAX_INTERFACE} characters without / and :")
        } else {
            return Ok(());
        };
        Err(self.refused(plan, port, why))
    }

    /// The fault of a port's name, which the setting has or else the spec.
    fn refused(&self, plan: &DesignPlan, port: &Port, why: String) -> ExportError {
        // Names of the spec that do not suit this dialect are mended by the setting, too.
        let of_spec = if plan.settings.port.is_none() { ", as [names] in the spec has it" } else { "" };
        let why = format!("{}{of_spec}: {why}", port.name);
        ExportError::setting("port", plan.names.ports().unwrap_or_default(), why)
    }
}

impl SwitchConfig {
    /// A switch of a plan.
    fn of(plan: &DesignPlan, switch: u32, dialect: &Dialect) -> Result<SwitchConfig, ExportError> {
        let own = PortNames::parse(dialect.ports).ok().filter(|_| !plan.names.has_own_ports());
        let port_name = |port: u32| own.as_ref().map_or_else(|| plan.port_name(port), |own| own.of(port));
        let (name, all, far) = far_ends(plan, switch, port_name);
        let port = |number| {
            let own = port_name(number);
            let cable = far.get(&number).map(|far| format!("{name} {own} to {far}"));
            Port { name: own, cable }
        };
        let ports: Vec<Port> = (1..=all).map(port).collect();
        ports.iter().try_for_each(|port| dialect.check(plan, port))?;
        let management =
            plan.settings.management.map(|network| Management::of(plan, network, switch)).transpose()?;
        let (mtu, flow) = (plan.settings.mtu, plan.settings.flow_control);
        Ok(SwitchConfig { name, ports, mtu, flow, management })
    }

    /// Lines above a configuration.
    fn head(&self, plan: &DesignPlan, sign: &str, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{sign} Switch {} of {}.", self.name, plan.title())?;
        writeln!(out, "{sign} Ports without a cable are shut.")?;
        if !plan.names.has_own_ports() {
            writeln!(out, "{sign} Name ports in the spec, [names] port, to have the same in all files.")?;
        }
        if self.flow == FlowControl::Pfc {
            writeln!(
                out,
                "{sign} RDMA traffic: DSCP {DSCP}, priority {PRIORITY}. Buffers and thresholds are for the site to tune."
            )?;
        }
        Ok(())
    }
}

/// Name and number of ports of a switch, and the far end of each cable by its port. Separate uplink switches are counted on
/// after the last switch.
fn far_ends(
    plan: &DesignPlan,
    switch: u32,
    port_name: impl Fn(u32) -> String,
) -> (String, u32, BTreeMap<u32, String>) {
    let mut far = BTreeMap::new();
    let uplink = plan.uplink();
    if switch < plan.design.switch_count() {
        for (port, &pe) in (1..).zip(plan.design.members(switch)) {
            let ni = plan.nis.of(pe).partition_point(|&other| other < switch) as u32;
            far.insert(port, format!("{} {}", plan.pe_name(pe), plan.interface(ni)));
        }
    }
    let cables =
        uplink.iter().flat_map(|uplink| uplink.cables.iter().map(|&cable| (uplink.switch_of(cable), cable)));
    for (uplink, UplinkCable { from, port, .. }) in cables {
        match from {
            Joined::Switch { switch: other, port: own } if other == switch => {
                far.insert(own, format!("{} {}", uplink.name, port_name(port)));
            }
            _ if uplink.number != switch => {}
            Joined::Switch { switch: other, port: own } => {
                far.insert(port, format!("{} {}", plan.switch_name(other), port_name(own)));
            }
            Joined::Spare(spare) => {
                far.insert(port, format!("{} {}", plan.names.spare(spare), plan.interface(0)));
            }
        }
    }
    match plan.separate_uplinks().into_iter().find(|uplink| uplink.number == switch) {
        Some(uplink) => (uplink.name, uplink.ports, far),
        None => {
            let all = plan.ports().nth(switch as usize).map_or(0, |ports| ports.all);
            (plan.switch_name(switch), all, far)
        }
    }
}

/// An object of these entries.
fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(entries.into_iter().collect::<Map<_, _>>())
}

/// Tables of ConfigDB (SONiC Configuration Database Manual). Ports have attributes of the platform, such as lanes, which the file
/// leaves alone.
fn sonic(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> Written {
    let config = SwitchConfig::of(plan, switch, &SONIC_DIALECT)?;
    let mtu = config.mtu.to_string();
    let ports = config.ports.iter().map(|port| {
        let mut entry = json!({"admin_status": if port.cable.is_some() { "up" } else { "down" }, "mtu": mtu});
        if let Some(cable) = &port.cable {
            entry["description"] = json!(cable);
        }
        (port.name.clone(), entry)
    });
    let used = || config.ports.iter().filter(|port| port.cable.is_some());
    let member =
        |port: &Port| (format!("Vlan{SONIC_VLAN}|{}", port.name), json!({"tagging_mode": "untagged"}));
    let mut tables = json!({
        "DEVICE_METADATA": {"localhost": {"hostname": config.name}},
        "LLDP": {"GLOBAL": {"enabled": "true"}},
        "PORT": object(ports),
        "VLAN": {format!("Vlan{SONIC_VLAN}"): {"vlanid": SONIC_VLAN.to_string()}},
        "VLAN_MEMBER": object(used().map(member)),
    });
    if let Some(Management { address, prefix, gateway }) = config.management {
        tables["MGMT_PORT"] = json!({"eth0": {"admin_status": "up", "alias": "eth0"}});
        tables["MGMT_INTERFACE"] = json!({format!("eth0|{address}/{prefix}"): {"gwaddr": gateway}});
    }
    match config.flow {
        FlowControl::None => {}
        FlowControl::Pause => {
            let why = "ConfigDB has no pause frames for all traffic; choose pfc or none".into();
            return Err(ExportError::Setting { choice: "flow-control=pause".into(), why });
        }
        FlowControl::Pfc => {
            let same = || object((0..8).map(|number| (number.to_string(), json!(number.to_string()))));
            let class = |dscp: u32| if dscp == DSCP { PRIORITY } else { 0 };
            let dscp = (0..64).map(|dscp| (dscp.to_string(), json!(class(dscp).to_string())));
            tables["DSCP_TO_TC_MAP"] = json!({"CROSSPOINT": object(dscp)});
            for map in ["TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE"] {
                tables[map] = json!({"CROSSPOINT": same()});
            }
            let maps = json!({
                "dscp_to_tc_map": "CROSSPOINT", "tc_to_queue_map": "CROSSPOINT", "tc_to_pg_map": "CROSSPOINT",
                "pfc_to_queue_map": "CROSSPOINT", "pfc_enable": PRIORITY.to_string(),
            });
            let [least, most] = ECN_KB.map(|kilobytes| (kilobytes * 1000).to_string());
            tables["WRED_PROFILE"] = json!({"CROSSPOINT": {
                "ecn": "ecn_green", "wred_green_enable": "true", "green_drop_probability": "100",
                "green_min_threshold": least, "green_max_threshold": most,
            }});
            let queue =
                |port: &Port| (format!("{}|{PRIORITY}", port.name), json!({"wred_profile": "CROSSPOINT"}));
            tables["QUEUE"] = object(used().map(queue));
            tables["PORT_QOS_MAP"] = object(used().map(|port| (port.name.clone(), maps.clone())));
        }
    }
    Ok(writeln!(out, "{tables:#}")?)
}

/// VLAN of all ports: SONiC has no bridge without one, and VLAN 1 is reserved.
const SONIC_VLAN: u32 = 1000;

fn nvue(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> Written {
    let config = SwitchConfig::of(plan, switch, &NVUE_DIALECT)?;
    config.head(plan, "#", out)?;
    writeln!(out, "- set:\n    system:\n      hostname: {}", config.name)?;
    out.write_str("    bridge:\n      domain:\n        br_default:\n          vlan:\n            '1': {}\n")?;
    if config.flow == FlowControl::Pfc {
        out.write_str("    qos:\n      roce:\n        state: enabled\n        mode: lossless\n")?;
    }
    out.write_str("    interface:\n")?;
    if let Some(Management { address, prefix, gateway }) = config.management {
        writeln!(out, "      eth0:\n        type: eth\n        ipv4:")?;
        writeln!(out, "          address:\n            {address}/{prefix}: {{}}")?;
        writeln!(out, "          gateway:\n            {gateway}: {{}}")?;
    }
    for Port { name, cable } in &config.ports {
        writeln!(out, "      {name}:\n        type: swp\n        link:")?;
        match cable {
            None => out.write_str("          state:\n            down: {}\n")?,
            Some(cable) => {
                writeln!(out, "          mtu: {}\n          state:\n            up: {{}}", config.mtu)?;
                writeln!(out, "        description: '{cable}'")?;
                out.write_str("        bridge:\n          domain:\n            br_default: {}\n")?;
                if config.flow == FlowControl::Pause {
                    out.write_str(
                        "        qos:\n          link-pause:\n            profile: default-global\n",
                    )?;
                }
            }
        }
    }
    Ok(())
}

fn eos(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> Written {
    let config = SwitchConfig::of(plan, switch, &EOS_DIALECT)?;
    config.head(plan, "!", out)?;
    out.write_str("! Switched ports pass jumbo frames without a setting; `mtu` is for routed ports only.\n")?;
    writeln!(out, "hostname {}\n!\nlldp run\n!", config.name)?;
    if config.flow == FlowControl::Pfc {
        let [least, most] = ECN_KB;
        write!(
            out,
            "! Switches of the series 7280R and 7800R say tx-queue instead of uc-tx-queue.\n\
             qos map dscp {DSCP} to traffic-class {PRIORITY}\n!\n\
             qos profile CROSSPOINT\n   qos trust dscp\n   priority-flow-control on\n\
             \x20  priority-flow-control priority {PRIORITY} no-drop\n   uc-tx-queue {PRIORITY}\n\
             \x20     random-detect ecn minimum-threshold {least} kbytes maximum-threshold {most} kbytes \
             max-mark-probability 100 weight 0\n!\n"
        )?;
    }
    for Port { name, cable } in &config.ports {
        writeln!(out, "interface {name}")?;
        match cable {
            None => out.write_str("   shutdown\n")?,
            Some(cable) => {
                writeln!(out, "   description {cable}\n   no shutdown")?;
                match config.flow {
                    FlowControl::None => {}
                    FlowControl::Pause => {
                        out.write_str("   flowcontrol send on\n   flowcontrol receive on\n")?
                    }
                    FlowControl::Pfc => out.write_str("   service-profile CROSSPOINT\n")?,
                }
            }
        }
        out.write_str("!\n")?;
    }
    if let Some(Management { address, prefix, gateway }) = config.management {
        writeln!(out, "interface Management1\n   ip address {address}/{prefix}\n!")?;
        writeln!(out, "ip route 0.0.0.0/0 {gateway}\n!")?;
    }
    Ok(out.write_str("end\n")?)
}

fn nxos(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> Written {
    let config = SwitchConfig::of(plan, switch, &NXOS_DIALECT)?;
    config.head(plan, "!", out)?;
    let mtu = if config.mtu > 1500 { 9216 } else { 1500 };
    if mtu != config.mtu {
        writeln!(
            out,
            "! Switched ports have an MTU of 1500 or 9216 bytes; {mtu} holds frames of {}.",
            config.mtu
        )?;
    }
    writeln!(out, "hostname {}\nfeature lldp", config.name)?;
    if config.flow == FlowControl::Pfc {
        let [least, most] = ECN_KB;
        let queue =
            |queue| format!("  class type queuing c-out-8q-q{queue}\n    bandwidth remaining percent 0\n");
        let idle: String = [1, 2, 4, 5, 6].map(queue).concat();
        write!(
            out,
            "class-map type qos match-all CROSSPOINT-RDMA\n  match dscp {DSCP}\n\
             policy-map type qos CROSSPOINT-IN\n  class CROSSPOINT-RDMA\n    set qos-group {PRIORITY}\n\
             policy-map type network-qos CROSSPOINT\n  class type network-qos c-8q-nq{PRIORITY}\n    pause pfc-cos {PRIORITY}\n    mtu {mtu}\n\
             \x20 class type network-qos c-8q-nq-default\n    mtu {mtu}\n\
             policy-map type queuing CROSSPOINT-OUT\n  class type queuing c-out-8q-q7\n    priority level 1\n\
             \x20 class type queuing c-out-8q-q{PRIORITY}\n    bandwidth remaining percent 50\n\
             \x20   random-detect minimum-threshold {least} kbytes maximum-threshold {most} kbytes drop-probability 100 weight 0 ecn\n\
             \x20 class type queuing c-out-8q-q-default\n    bandwidth remaining percent 50\n{idle}\
             system qos\n  service-policy type network-qos CROSSPOINT\n  service-policy type queuing output CROSSPOINT-OUT\n"
        )?;
    }
    for Port { name, cable } in &config.ports {
        writeln!(out, "interface {name}")?;
        match cable {
            None => out.write_str("  shutdown\n")?,
            Some(cable) => {
                writeln!(out, "  description {cable}\n  switchport\n  mtu {mtu}\n  no shutdown")?;
                match config.flow {
                    FlowControl::None => {}
                    FlowControl::Pause => {
                        out.write_str("  flowcontrol send on\n  flowcontrol receive on\n")?
                    }
                    FlowControl::Pfc => out.write_str(
                        "  priority-flow-control mode on\n  service-policy type qos input CROSSPOINT-IN\n",
                    )?,
                }
            }
        }
    }
    if let Some(Management { address, prefix, gateway }) = config.management {
        writeln!(out, "interface mgmt0\n  vrf member management\n  ip address {address}/{prefix}")?;
        writeln!(out, "vrf context management\n  ip route 0.0.0.0/0 {gateway}")?;
    }
    Ok(())
}

fn linux(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> Written {
    let config = SwitchConfig::of(plan, switch, &LINUX_DIALECT)?;
    out.write_str("#!/bin/sh\n")?;
    config.head(plan, "#", out)?;
    writeln!(out, "\nset -eu\n\nhostname {}", config.name)?;
    out.write_str(
        "[ -e /sys/class/net/br0 ] || ip link add br0 type bridge stp_state 0\n\
         # Port, and both ends of its cable.\nport() {\n    ip link set dev \"$1\" alias \"$2\"\n",
    )?;
    writeln!(out, "    ip link set dev \"$1\" mtu {} master br0 up", config.mtu)?;
    match config.flow {
        FlowControl::None => {}
        FlowControl::Pause => out.write_str("    ethtool -A \"$1\" autoneg off rx on tx on\n")?,
        FlowControl::Pfc => {
            writeln!(out, "    dcb pfc set dev \"$1\" prio-pfc all:off {PRIORITY}:on")?;
            writeln!(out, "    dcb app replace dev \"$1\" dscp-prio {DSCP}:{PRIORITY}")?;
        }
    }
    out.write_str("}\n")?;
    for Port { name, cable } in &config.ports {
        match cable {
            Some(cable) => writeln!(out, "port {name} '{cable}'")?,
            None => writeln!(out, "ip link set dev {name} down")?,
        }
    }
    writeln!(out, "ip link set dev br0 mtu {} up", config.mtu)?;
    if let Some(Management { address, prefix, gateway }) = config.management {
        writeln!(out, "ip address replace {address}/{prefix} dev eth0\nip link set dev eth0 up")?;
        writeln!(out, "ip route replace default via {gateway} dev eth0")?;
    }
    Ok(())
}

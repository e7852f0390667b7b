//! Configurations of the switches of a flat neighbourhood: each is one bridge without VLANs. Uplink switches join them, if there are
//! any: then each switch is a router, too ([`Router`]), and ports to uplink switches are outside the bridge.
//!
//! [`SwitchConfig`] has what all dialects say: the name, the ports with both ends of each cable, the MTU, flow control and, if asked
//! for, a management address. Unused ports are shut down. Each dialect has its own port names unless the spec or the setting
//! `port` gives some.

use super::{
    AVOID, Choice, DesignPlan, ExportError, Field, FileScope, FileType, Format, Group, INTERFACE, JSON,
    NETWORK, PORT, Render, SCRIPT, Setting, SettingOf, WriteResult,
    address::{may_have_nodes, network},
    routers::{KERNEL, MAX_PATHS, Router, RouterLink, TIMERS},
    uplinks::{UplinkCable, UplinkEnd},
};
use crate::spec::names::{MAX_INTERFACE, PortNames};
use ipnet::Ipv4Net;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt, net::Ipv4Addr};

pub(super) const MTU: SettingOf<u32> = Setting::new(
    "mtu",
    "largest packet in bytes, for formats with one address per NIC; the switches must pass such packets",
)
.field(Field::whole("MTU", 1280, 9216).unit("bytes"))
.or("9000")
.parsed();

const FLOW_CONTROL: SettingOf<FlowControl> =
    Setting::new("flow-control", "flow control on switch ports, against loss under incast")
        .choice(
            "Flow control",
            &[
                Choice::new("pfc", "per priority, with DSCP 26, for RoCE"),
                Choice::new("pause", "pause frames for all traffic"),
                Choice::new("none", "none"),
            ],
        )
        .or("pfc")
        .read(|text| {
            Ok(match text {
                "pfc" => FlowControl::Pfc,
                "pause" => FlowControl::Pause,
                _ => FlowControl::None,
            })
        });

/// No addresses without it.
pub(super) const MANAGEMENT: SettingOf<Ipv4Net> = Setting::new(
    "management",
    "network of the switches' management ports; switch 0 has its first address, the gateway its last",
)
.syntax("Management network", "an IPv4 network from /8 to /30 without host bits, such as 192.168.0.0/24")
.hint("no addresses")
.read(|text| {
    network(text).and_then(|net| if (8..=30).contains(&net.prefix_len()) { Ok(net) } else { Err(None) })
});

const CONFIG: FileType = ("text/plain; charset=utf-8", "cfg");
const YAML: FileType = ("application/yaml; charset=utf-8", "yaml");
const SETTINGS: &[&Setting] = &[&PORT, &INTERFACE, &MTU, &FLOW_CONTROL, &MANAGEMENT, &NETWORK, &AVOID];
/// Settings for switches that need no MTU.
const WITHOUT_MTU: &[&Setting] = &[&PORT, &INTERFACE, &FLOW_CONTROL, &MANAGEMENT, &NETWORK, &AVOID];

pub(super) const SONIC: Format = Format::new(Group::Switches, "sonic", "SONiC", JSON, Render::Text(sonic))
    .read_by(&["SONiC's YANG models 086b03bd70"])
    .purpose("SONiC configuration per switch, for `config load` on top of the switch's own config_db.json")
    .per(FileScope::Switch)
    .with(SETTINGS);

pub(super) const NVUE: Format =
    Format::new(Group::Switches, "nvue", "NVIDIA Cumulus Linux", YAML, Render::Text(nvue))
        .read_by(&["nvueschema 0.1"])
        .purpose(
            "NVIDIA Cumulus Linux configuration per switch, for `nv config patch` of version 5.15 or later",
        )
        .per(FileScope::Switch)
        .with(SETTINGS);

pub(super) const EOS: Format = Format::new(Group::Switches, "eos", "Arista EOS", CONFIG, Render::Text(eos))
    .read_by(&["ciscoconfparse2 0.9"])
    .purpose("Arista EOS configuration per switch; switched ports pass frames of any size that NICs send")
    .per(FileScope::Switch)
    .with(WITHOUT_MTU);

pub(super) const NXOS: Format =
    Format::new(Group::Switches, "nxos", "Cisco NX-OS", CONFIG, Render::Text(nxos))
        .read_by(&["ciscoconfparse2 0.9"])
        .purpose("Cisco NX-OS configuration per switch, for Nexus 9000")
        .per(FileScope::Switch)
        .with(SETTINGS);

pub(super) const LINUX: Format =
    Format::new(Group::Switches, "linux-switch", "Linux switch", SCRIPT, Render::Text(linux))
        .read_by(&["iproute2 6.1", "ShellCheck 0.9"])
        .purpose("shell script per Linux switch: a bridge over all ports in use; can be run again")
        .per(FileScope::Switch)
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
    /// Routing, if uplink switches join the switch to others.
    router: Option<Router>,
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
    pub fn check(plan: &DesignPlan, network: Ipv4Net) -> WriteResult {
        if may_have_nodes(&plan.settings, &network) {
            let nodes = plan.settings.get(&NETWORK);
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
    pub fn fits(plan: &DesignPlan, network: Ipv4Net) -> WriteResult {
        let all = FileScope::Switch.count(&plan.spec, &plan.design);
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
    /// Bonds, by number.
    bonds: &'static str,
    /// `true` if ports are network interfaces of Linux.
    is_linux: bool,
}

const SONIC_DIALECT: Dialect = Dialect {
    ports: "Ethernet{port*4-4}",
    prefix: "Ethernet",
    management: "eth0",
    bonds: "PortChannel",
    is_linux: true,
};
const NVUE_DIALECT: Dialect =
    Dialect { ports: "swp{port}", prefix: "swp", management: "eth0", bonds: "bond", is_linux: true };
const EOS_DIALECT: Dialect = Dialect {
    ports: "Ethernet{port}",
    prefix: "Ethernet",
    management: "Management1",
    bonds: "Port-Channel",
    is_linux: false,
};
const NXOS_DIALECT: Dialect = Dialect {
    ports: "Ethernet1/{port}",
    prefix: "Ethernet",
    management: "mgmt0",
    bonds: "port-channel",
    is_linux: false,
};
const LINUX_DIALECT: Dialect =
    Dialect { ports: "swp{port}", prefix: "", management: "eth0", bonds: "bond", is_linux: true };

/// Interfaces of a Linux switch that are no ports.
const NO_PORTS: [(&str, &str); 2] = [("br0", "the bridge"), ("lo", "the loopback interface")];

struct Port {
    name: String,
    /// Both ends of its cable; `None` without one.
    cable: Option<String>,
    /// Place of the router's link that it belongs to; `None` in the bridge.
    link: Option<usize>,
}

impl Dialect {
    /// Checks the name of a port.
    fn check(&self, plan: &DesignPlan, port: &Port) -> WriteResult {
        let name = &port.name;
        let taken = NO_PORTS.iter().find(|(other, _)| self.is_linux && name == other);
        let why = if plan.settings.given(&MANAGEMENT).is_some() && name == self.management {
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

    /// `true` if a name may be that of a bond.
    fn is_bond(&self, name: &str) -> bool {
        let number = name.strip_prefix(self.bonds);
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// The name of a link's interface: that of its bond or else its only port.
    fn link(&self, (link, ports): &(&RouterLink, Vec<&Port>)) -> String {
        match link.bond {
            Some(number) => format!("{}{number}", self.bonds),
            None => ports[0].name.clone(),
        }
    }

    /// The fault of a port's name, which the setting has or else the spec.
    fn refused(&self, plan: &DesignPlan, port: &Port, why: String) -> ExportError {
        // Names of the spec that do not suit this dialect are mended by the setting, too.
        let of_spec =
            if plan.settings.given(&PORT).is_none() { ", as [names] in the spec has it" } else { "" };
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
        let router = Router::of(plan, switch)?;
        let port = |number| {
            let own = port_name(number);
            let cable = far.get(&number).map(|far| format!("{name} {own} to {far}"));
            let link = router.as_ref().and_then(|router| router.link_of(number));
            Port { name: own, cable, link }
        };
        let ports: Vec<Port> = (1..=all).map(port).collect();
        ports.iter().try_for_each(|port| dialect.check(plan, port))?;
        if let Some(port) = ports.iter().find(|port| router.is_some() && dialect.is_bond(&port.name)) {
            return Err(dialect.refused(plan, port, "that is a bond of cables to an uplink switch".into()));
        }
        let management = plan.settings.given(&MANAGEMENT);
        let management = management.map(|&network| Management::of(plan, network, switch)).transpose()?;
        let (mtu, flow) = (plan.settings.get(&MTU), plan.settings.get(&FLOW_CONTROL));
        Ok(SwitchConfig { name, ports, mtu, flow, management, router })
    }

    /// Ports with a cable in the bridge.
    fn bridged(&self) -> impl Iterator<Item = &Port> {
        self.ports.iter().filter(|port| port.cable.is_some() && port.link.is_none())
    }

    /// `true` if the switch has a bridge.
    fn has_bridge(&self) -> bool {
        self.router.is_none() || self.bridged().next().is_some()
    }

    /// The links of the router, each with its ports.
    fn links(&self) -> impl Iterator<Item = (&RouterLink, Vec<&Port>)> {
        let links = self.router.iter().flat_map(|router| &router.links);
        (0..)
            .zip(links)
            .map(|(at, link)| (link, self.ports.iter().filter(|port| port.link == Some(at)).collect()))
    }

    /// The bond that a port belongs to.
    fn bond_of(&self, port: &Port) -> Option<u32> {
        self.router.as_ref()?.links[port.link?].bond
    }

    /// The link that a port is by itself.
    fn link_of(&self, port: &Port) -> Option<&RouterLink> {
        let link = &self.router.as_ref()?.links[port.link?];
        link.bond.is_none().then_some(link)
    }

    /// The address of the router in the subnet of its nodes or spares.
    fn gateway(&self) -> Option<Ipv4Net> {
        self.router.as_ref().and_then(|router| router.gateway).filter(|_| self.has_bridge())
    }

    /// Description of a link.
    fn about(&self, link: &RouterLink) -> String {
        format!("{} to {}", self.name, link.peer)
    }

    /// Lines above a configuration.
    fn head(&self, plan: &DesignPlan, sign: &str, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{sign} Switch {} of {}.", self.name, plan.title())?;
        writeln!(out, "{sign} Unused ports are shut down.")?;
        if !plan.names.has_own_ports() {
            writeln!(
                out,
                "{sign} To use these port names in all files, set `port` under [names] in the spec."
            )?;
        }
        if let Some(router) = &self.router {
            writeln!(
                out,
                "{sign} Routes by BGP between this switch, AS {}, and the switches at the other ends of its links.",
                router.asn
            )?;
        }
        if self.flow == FlowControl::Pfc {
            writeln!(
                out,
                "{sign} RDMA traffic: DSCP {DSCP}, priority {PRIORITY}. Tune buffers and ECN thresholds for your site."
            )?;
        }
        Ok(())
    }
}

/// Name and number of ports of a switch, and the far end of each cable by its port. Separate uplink switches have the
/// numbers after the last switch.
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
            UplinkEnd::Switch { switch: other, port: own } if other == switch => {
                far.insert(own, format!("{} {}", uplink.name, port_name(port)));
            }
            _ if uplink.number != switch => {}
            UplinkEnd::Switch { switch: other, port: own } => {
                far.insert(port, format!("{} {}", plan.switch_name(other), port_name(own)));
            }
            UplinkEnd::Spare(spare) => {
                far.insert(port, format!("{} {}", plan.names.spare(spare), plan.interface(0)));
            }
        }
    }
    let separate =
        uplink.filter(|uplink| uplink.folded.is_none()).map_or_else(Vec::new, |uplink| uplink.switches);
    match separate.into_iter().find(|uplink| uplink.number == switch) {
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
fn sonic(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
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
    });
    if config.has_bridge() {
        tables["VLAN"] = json!({format!("Vlan{SONIC_VLAN}"): {"vlanid": SONIC_VLAN.to_string()}});
        tables["VLAN_MEMBER"] = object(config.bridged().map(member));
    }
    sonic_router(&config, &mut tables);
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

/// Adds the tables of a router. Its BGP advertises the subnets of VLANs by itself, and needs a loopback address. Devices of the type
/// `ToRRouter` would take routes with their own AS number in the path.
fn sonic_router(config: &SwitchConfig, tables: &mut Value) {
    let Some(router) = &config.router else { return };
    let metadata = &mut tables["DEVICE_METADATA"]["localhost"];
    metadata["type"] = json!("LeafRouter");
    metadata["bgp_asn"] = json!(router.asn.to_string());
    tables["LOOPBACK_INTERFACE"] = json!({"Loopback0": {}, format!("Loopback0|{}/32", router.id): {}});
    if let Some(gateway) = config.gateway() {
        let vlan = format!("Vlan{SONIC_VLAN}");
        tables["VLAN_INTERFACE"] = json!({vlan.as_str(): {}, format!("{vlan}|{gateway}"): {}});
    }
    let [keepalive, hold] = TIMERS.map(|seconds| seconds.to_string());
    for (link, ports) in config.links() {
        let name = SONIC_DIALECT.link(&(link, ports.clone()));
        let table = if link.bond.is_some() { "PORTCHANNEL_INTERFACE" } else { "INTERFACE" };
        tables[table][name.as_str()] = json!({});
        tables[table][format!("{name}|{}/31", link.own())] = json!({});
        if link.bond.is_some() {
            tables["PORTCHANNEL"][name.as_str()] = json!({
                "admin_status": "up", "mtu": config.mtu.to_string(), "min_links": "1", "lacp_key": "auto", "fast_rate": "true",
                "description": config.about(link),
            });
            for port in ports {
                tables["PORTCHANNEL_MEMBER"][format!("{name}|{}", port.name)] = json!({});
            }
        }
        tables["BGP_NEIGHBOR"][link.other().to_string()] = json!({
            "asn": link.peer_asn.to_string(), "name": link.peer, "local_addr": link.own(), "admin_status": "up",
            "keepalive": keepalive, "holdtime": hold, "nhopself": "0", "rrclient": "0",
        });
    }
}

/// VLAN of all ports: SONiC has no bridge without one, and VLAN 1 is reserved.
const SONIC_VLAN: u32 = 1000;

fn nvue(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let config = SwitchConfig::of(plan, switch, &NVUE_DIALECT)?;
    config.head(plan, "#", out)?;
    writeln!(out, "- set:\n    system:\n      hostname: {}", config.name)?;
    if config.has_bridge() {
        out.write_str(
            "    bridge:\n      domain:\n        br_default:\n          vlan:\n            '1': {}\n",
        )?;
    }
    if config.flow == FlowControl::Pfc {
        out.write_str("    qos:\n      roce:\n        state: enabled\n        mode: lossless\n")?;
    }
    nvue_router(&config, out)?;
    out.write_str("    interface:\n")?;
    if let Some(Management { address, prefix, gateway }) = config.management {
        writeln!(out, "      eth0:\n        type: eth\n        ipv4:")?;
        writeln!(out, "          address:\n            {address}/{prefix}: {{}}")?;
        writeln!(out, "          gateway:\n            {gateway}: {{}}")?;
    }
    if let Some(gateway) = config.gateway() {
        writeln!(
            out,
            "      vlan1:\n        type: svi\n        vlan: 1\n        link:\n          mtu: {}",
            config.mtu
        )?;
        nvue_address(gateway, out)?;
    }
    for (link, ports) in config.links().filter(|(link, _)| link.bond.is_some()) {
        writeln!(out, "      {}:\n        type: bond", NVUE_DIALECT.link(&(link, ports.clone())))?;
        writeln!(
            out,
            "        description: '{}'\n        link:\n          mtu: {}",
            config.about(link),
            config.mtu
        )?;
        out.write_str("        bond:\n          mode: lacp\n          lacp-rate: fast\n          member:\n")?;
        ports.iter().try_for_each(|port| writeln!(out, "            {}: {{}}", port.name))?;
        nvue_address(address_of(link), out)?;
    }
    for port in &config.ports {
        let Port { name, cable, .. } = port;
        writeln!(out, "      {name}:\n        type: swp\n        link:")?;
        match cable {
            None => out.write_str("          state:\n            down: {}\n")?,
            Some(cable) => {
                writeln!(out, "          mtu: {}\n          state:\n            up: {{}}", config.mtu)?;
                writeln!(out, "        description: '{cable}'")?;
                if port.link.is_none() {
                    out.write_str("        bridge:\n          domain:\n            br_default: {}\n")?;
                }
                if let Some(link) = config.link_of(port) {
                    nvue_address(address_of(link), out)?;
                }
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

/// The own address of a link, with its prefix length.
fn address_of(link: &RouterLink) -> Ipv4Net {
    Ipv4Net::new_assert(link.own(), 31)
}

fn nvue_address(address: Ipv4Net, out: &mut dyn fmt::Write) -> fmt::Result {
    writeln!(out, "        ipv4:\n          address:\n            {address}: {{}}")
}

fn nvue_router(config: &SwitchConfig, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(router) = &config.router else { return Ok(()) };
    let (asn, id, [keepalive, hold]) = (router.asn, router.id, TIMERS);
    write!(
        out,
        "    router:\n      bgp:\n        state: enabled\n        autonomous-system: {asn}\n        router-id: {id}\n    \
         vrf:\n      default:\n        router:\n          bgp:\n            state: enabled\n            address-family:\n              \
         ipv4-unicast:\n                state: enabled\n                multipaths:\n                  ebgp: {MAX_PATHS}\n"
    )?;
    if let Some(gateway) = config.gateway() {
        writeln!(out, "                network:\n                  {}: {{}}", gateway.trunc())?;
    }
    if !router.links.is_empty() {
        out.write_str("            neighbor:\n")?;
    }
    for link in &router.links {
        write!(
            out,
            "              {}:\n                type: numbered\n                remote-as: {}\n                description: '{}'\n\
             \x20               timers:\n                  keepalive: {keepalive}\n                  hold: {hold}\n",
            link.other(),
            link.peer_asn,
            link.peer
        )?;
    }
    Ok(())
}

fn eos(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let config = SwitchConfig::of(plan, switch, &EOS_DIALECT)?;
    config.head(plan, "!", out)?;
    out.write_str("! Switched ports pass jumbo frames without a setting; `mtu` is for routed ports only.\n")?;
    writeln!(out, "hostname {}\n!\nlldp run\n!", config.name)?;
    if config.flow == FlowControl::Pfc {
        let [least, most] = ECN_KB;
        write!(
            out,
            "! On 7280R and 7800R, use tx-queue instead of uc-tx-queue.\n\
             qos map dscp {DSCP} to traffic-class {PRIORITY}\n!\n\
             qos profile CROSSPOINT\n   qos trust dscp\n   priority-flow-control on\n\
             \x20  priority-flow-control priority {PRIORITY} no-drop\n   uc-tx-queue {PRIORITY}\n\
             \x20     random-detect ecn minimum-threshold {least} kbytes maximum-threshold {most} kbytes \
             max-mark-probability 100 weight 0\n!\n"
        )?;
    }
    if config.router.is_some() {
        out.write_str("service routing protocols model multi-agent\n!\nip routing\n!\n")?;
    }
    if let Some(gateway) = config.gateway() {
        writeln!(out, "interface Vlan1\n   mtu {EOS_MTU}\n   ip address {gateway}\n!")?;
    }
    for (link, ports) in config.links().filter(|(link, _)| link.bond.is_some()) {
        let (name, about) = (EOS_DIALECT.link(&(link, ports)), config.about(link));
        writeln!(out, "interface {name}\n   description {about}\n   no switchport\n   mtu {EOS_MTU}")?;
        writeln!(out, "   ip address {}\n!", address_of(link))?;
    }
    for port in &config.ports {
        writeln!(out, "interface {}", port.name)?;
        match &port.cable {
            None => out.write_str("   shutdown\n")?,
            Some(cable) => {
                writeln!(out, "   description {cable}\n   no shutdown")?;
                if let Some(link) = config.link_of(port) {
                    writeln!(out, "   no switchport\n   mtu {EOS_MTU}\n   ip address {}", address_of(link))?;
                }
                if let Some(number) = config.bond_of(port) {
                    writeln!(out, "   channel-group {number} mode active\n   lacp timer fast")?;
                }
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
    eos_router(&config, out)?;
    Ok(out.write_str("end\n")?)
}

/// MTU of routed interfaces, the largest: it takes frames of any size that NICs send.
const EOS_MTU: u32 = 9214;

/// Distance of routes that drop packets to a subnet without a route, which would leave by the default route of management.
const LAST_DISTANCE: u32 = 254;

fn eos_router(config: &SwitchConfig, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(router) = &config.router else { return Ok(()) };
    for network in &router.networks {
        writeln!(out, "ip route {network} Null0 {LAST_DISTANCE}")?;
    }
    let [keepalive, hold] = TIMERS;
    writeln!(
        out,
        "!\nrouter bgp {}\n   router-id {}\n   timers bgp {keepalive} {hold}",
        router.asn, router.id
    )?;
    writeln!(out, "   maximum-paths {MAX_PATHS} ecmp {MAX_PATHS}")?;
    router.write_neighbours("   ", out)?;
    if let Some(gateway) = config.gateway() {
        writeln!(out, "   network {}", gateway.trunc())?;
    }
    out.write_str("!\n")
}

fn nxos(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
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
    if config.router.is_some() {
        out.write_str("feature bgp\nfeature interface-vlan\nfeature lacp\n")?;
    }
    let flow = |out: &mut dyn fmt::Write| match config.flow {
        FlowControl::None => Ok(()),
        FlowControl::Pause => out.write_str("  flowcontrol send on\n  flowcontrol receive on\n"),
        FlowControl::Pfc => {
            out.write_str("  priority-flow-control mode on\n  service-policy type qos input CROSSPOINT-IN\n")
        }
    };
    if let Some(gateway) = config.gateway() {
        writeln!(
            out,
            "interface Vlan1\n  mtu {mtu}\n  no ip redirects\n  ip address {gateway}\n  no shutdown"
        )?;
    }
    for (link, ports) in config.links().filter(|(link, _)| link.bond.is_some()) {
        let (name, about) = (NXOS_DIALECT.link(&(link, ports)), config.about(link));
        writeln!(out, "interface {name}\n  description {about}\n  no switchport\n  mtu {mtu}")?;
        writeln!(out, "  ip address {}\n  no shutdown", address_of(link))?;
        flow(out)?;
    }
    for port in &config.ports {
        writeln!(out, "interface {}", port.name)?;
        let Some(cable) = &port.cable else {
            out.write_str("  shutdown\n")?;
            continue;
        };
        writeln!(out, "  description {cable}")?;
        match (config.link_of(port), config.bond_of(port)) {
            (Some(link), _) => {
                let address = address_of(link);
                writeln!(out, "  no switchport\n  mtu {mtu}\n  ip address {address}\n  no shutdown")?;
                flow(out)?;
            }
            // Policies are on the bond.
            (None, Some(number)) => writeln!(
                out,
                "  no switchport\n  mtu {mtu}\n  lacp rate fast\n  channel-group {number} mode active\n  no shutdown"
            )?,
            (None, None) => {
                writeln!(out, "  switchport\n  mtu {mtu}\n  no shutdown")?;
                flow(out)?;
            }
        }
    }
    if let Some(Management { address, prefix, gateway }) = config.management {
        writeln!(out, "interface mgmt0\n  vrf member management\n  ip address {address}/{prefix}")?;
        writeln!(out, "vrf context management\n  ip route 0.0.0.0/0 {gateway}")?;
    }
    Ok(nxos_router(&config, out)?)
}

fn nxos_router(config: &SwitchConfig, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(router) = &config.router else { return Ok(()) };
    let [keepalive, hold] = TIMERS;
    writeln!(out, "router bgp {}\n  router-id {}\n  timers bgp {keepalive} {hold}", router.asn, router.id)?;
    out.write_str("  address-family ipv4 unicast\n")?;
    if let Some(gateway) = config.gateway() {
        writeln!(out, "    network {}", gateway.trunc())?;
    }
    writeln!(out, "    maximum-paths {MAX_PATHS}")?;
    for link in &router.links {
        let RouterLink { peer, peer_asn, .. } = link;
        writeln!(out, "  neighbor {}\n    remote-as {peer_asn}\n    description {peer}", link.other())?;
        out.write_str("    address-family ipv4 unicast\n")?;
    }
    Ok(())
}

fn linux(plan: &DesignPlan, switch: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let config = SwitchConfig::of(plan, switch, &LINUX_DIALECT)?;
    out.write_str("#!/bin/sh\n")?;
    config.head(plan, "#", out)?;
    if config.router.is_some() {
        out.write_str("# The files of frr-switch have BGP.\n")?;
    }
    writeln!(out, "\nset -eu\n\nhostname {}", config.name)?;
    if config.has_bridge() {
        out.write_str("[ -e /sys/class/net/br0 ] || ip link add br0 type bridge stp_state 0\n")?;
        linux_port("port", "Port, and both ends of its cable.", " master br0", &config, out)?;
    }
    linux_router(&config, out)?;
    for port in &config.ports {
        let name = &port.name;
        match &port.cable {
            None => writeln!(out, "ip link set dev {name} down")?,
            Some(cable) => {
                let function = if port.link.is_some() { "routed" } else { "port" };
                writeln!(out, "{function} {name} '{cable}'")?;
            }
        }
    }
    if config.has_bridge() {
        writeln!(out, "ip link set dev br0 mtu {} up", config.mtu)?;
    }
    if let Some(gateway) = config.gateway() {
        writeln!(out, "sysctl -q -w net/ipv4/conf/br0/rp_filter=0\nip address replace {gateway} dev br0")?;
    }
    for link in config.links() {
        let name = LINUX_DIALECT.link(&link);
        if link.0.bond.is_some() {
            let ports: Vec<&str> = link.1.iter().map(|port| port.name.as_str()).collect();
            writeln!(out, "bond {name} '{}' {}", config.about(link.0), ports.join(" "))?;
        }
        writeln!(out, "ip address replace {} dev {name}", address_of(link.0))?;
    }
    for network in config.router.iter().flat_map(|router| &router.networks) {
        writeln!(out, "ip route replace unreachable {network} metric {LAST_METRIC}")?;
    }
    if let Some(Management { address, prefix, gateway }) = config.management {
        writeln!(out, "ip address replace {address}/{prefix} dev eth0\nip link set dev eth0 up")?;
        writeln!(out, "ip route replace default via {gateway} dev eth0")?;
    }
    Ok(())
}

/// Metric of routes for subnets without a better one, whose packets would leave by a default route.
const LAST_METRIC: u32 = 100_000;

/// Writes a function of the script that sets up a port.
fn linux_port(
    name: &str,
    about: &str,
    master: &str,
    config: &SwitchConfig,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    write!(out, "# {about}\n{name}() {{\n    ip link set dev \"$1\" alias \"$2\"\n")?;
    writeln!(out, "    ip link set dev \"$1\" mtu {}{master} up", config.mtu)?;
    if master.is_empty() {
        // Packets may come from a subnet whose route leads over another link.
        out.write_str("    sysctl -q -w \"net/ipv4/conf/$1/rp_filter=0\"\n")?;
    }
    match config.flow {
        FlowControl::None => {}
        FlowControl::Pause => out.write_str("    ethtool -A \"$1\" autoneg off rx on tx on\n")?,
        FlowControl::Pfc => {
            writeln!(out, "    dcb pfc set dev \"$1\" prio-pfc all:off {PRIORITY}:on")?;
            writeln!(out, "    dcb app replace dev \"$1\" dscp-prio {DSCP}:{PRIORITY}")?;
        }
    }
    out.write_str("}\n")
}

/// Writes the kernel settings of a router, and functions for its links.
fn linux_router(config: &SwitchConfig, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some(router) = &config.router else { return Ok(()) };
    linux_port("routed", "Port of a link to another switch, and both ends of its cable.", "", config, out)?;
    if router.links.iter().any(|link| link.bond.is_some()) {
        write!(
            out,
            "# Bond of cables to the same switch, both ends, and its ports.\n\
             bond() {{\n    bond=$1\n    [ -e \"/sys/class/net/$bond\" ] ||\n        \
             ip link add \"$bond\" type bond mode 802.3ad lacp_rate fast miimon 100 xmit_hash_policy layer3+4\n    \
             ip link set dev \"$bond\" alias \"$2\"\n    shift 2\n    for port; do\n        \
             [ -e \"/sys/class/net/$bond/lower_$port\" ] || {{\n            ip link set dev \"$port\" down\n            \
             ip link set dev \"$port\" master \"$bond\"\n        }}\n        ip link set dev \"$port\" up\n    done\n    \
             ip link set dev \"$bond\" mtu {} up\n    sysctl -q -w \"net/ipv4/conf/$bond/rp_filter=0\"\n}}\n",
            config.mtu
        )?;
    }
    for (key, value) in KERNEL {
        writeln!(out, "sysctl -q -w {key}={value}")?;
    }
    Ok(())
}

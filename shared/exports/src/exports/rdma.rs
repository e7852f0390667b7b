//! Files of nodes for RDMA over Ethernet (RoCE v2), and the environment of jobs on them.
//!
//! An RDMA device has the addresses of its NIC, and a connection stays on one device at either end. So every NIC has an address of
//! its own, in the subnet of its switch. A rule sends what comes from that address to a table of the NIC, whose only route is that
//! subnet. NICs answer ARP for their own address only. Nothing forwards: nodes meet on the switches that they share. With uplink
//! switches, the table also leads to the subnets of other switches, over the gateway of its own; so does the main table, over the first
//! NIC that works, for packets without an address yet.
//!
//! NICs keep their permanent MAC addresses. There are no link-local IPv6 addresses, which would take places in the GID table.

use super::{
    AVOID, DesignPlan, ExportError, FAILED, FOLDER, Field, FileScope, FileSink, FileType, Format, Group,
    INTERFACE, NETWORK, Render, Setting, SettingOf, WriteResult,
    jobs::cross_nic,
    networkd::{BY_NAME, NiMatch, may_name},
    parts::{HARDWARE_PATHS, HCA, MACS},
    switches::{DSCP, MTU},
};
use crate::{
    analysis::{
        library::{Library, MAX_RNDV_RAILS},
        routing::Neighbour,
    },
    spec::names::Interfaces,
    text::count,
};
use ipnet::Ipv4Net;
use std::{
    fmt::{self, Write as _},
    net::Ipv4Addr,
};

const GID_INDEX: SettingOf<u32> =
    Setting::new("gid-index", "index of the RoCE v2 address in the GID table of each RDMA device")
        .field(Field::whole("GID index", 0, 255))
        .or("3")
        .parsed();

/// Routing table and priority of the rule of NIC 0; the others follow. Neither the kernel nor iproute2 names them.
const FIRST_TABLE: u32 = 1000;

/// A working NIC with an address of its own.
pub(super) struct RdmaNic {
    pub ni: u32,
    pub switch: u32,
    /// Name in the operating system.
    pub name: String,
    pub address: Ipv4Addr,
    /// Prefix length of its subnet.
    pub prefix: u8,
    /// Networks behind uplink switches, and the gateway to them.
    beyond: Vec<Ipv4Net>,
    gateway: Ipv4Addr,
    found: NiMatch,
}

impl RdmaNic {
    /// The working NICs of a node, ascending.
    pub fn all(plan: &DesignPlan, pe: u32) -> Result<Vec<RdmaNic>, ExportError> {
        let prefixes = plan.addresses()?;
        let nic = |(ni, switch)| {
            Ok(RdmaNic {
                ni,
                switch,
                name: plan.interface(ni),
                address: plan.address_on(pe, switch)?,
                prefix: prefixes.prefix(switch),
                beyond: plan.networks_beyond(switch)?.to_vec(),
                gateway: prefixes.gateway(switch),
                found: NiMatch::by(plan, pe, ni)?,
            })
        };
        plan.working_nis(pe)?.into_iter().map(nic).collect()
    }

    /// The subnet of its switch.
    pub fn subnet(&self) -> Ipv4Net {
        Ipv4Net::new_assert(self.address, self.prefix).trunc()
    }

    fn table(&self) -> u32 {
        FIRST_TABLE + self.ni
    }

    /// Head of its file.
    fn about(&self, plan: &DesignPlan, pe: u32) -> String {
        let (host, title) = (plan.pe_name(pe), plan.title());
        format!("# NIC {} of {host} in {title}: to {}.\n", self.ni, plan.far_label(pe, self.switch))
    }

    fn write_link(&self, about: &str, each: &mut FileSink) -> WriteResult {
        write_link(&self.found, &self.name, about, each)
    }
}

fn networkd_path(name: &str, extension: &str) -> String {
    format!("etc/systemd/network/10-crosspoint-{name}.{extension}")
}

/// Writes the `.link` file that gives a NIC its name, unless only the name is known.
pub(super) fn write_link(found: &NiMatch, name: &str, about: &str, each: &mut FileSink) -> WriteResult {
    found.by_hardware().map_or(Ok(()), |line| {
        each(&networkd_path(name, "link"), &format!("{about}[Match]\n{line}\n\n[Link]\nName={name}\n"))
    })
}

pub(super) const NETWORKD: Format =
    Format::new(Group::Rdma, "rdma-networkd", "systemd-networkd, RoCE v2", FOLDER, Render::Files(networkd))
        .read_by(&["systemd 252"])
        .purpose(
            "systemd-networkd files per node for RoCE v2: an address, a routing table and a rule per NIC",
        )
        .per(FileScope::Node)
        .with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED, &MACS, &HARDWARE_PATHS, &MTU]);

pub(super) fn networkd(plan: &DesignPlan, pe: u32, each: &mut FileSink) -> WriteResult {
    may_name(plan)?;
    let nics = RdmaNic::all(plan, pe)?;
    for nic in &nics {
        let about = nic.about(plan, pe);
        nic.write_link(&about, each)?;
        each(&networkd_path(&nic.name, "network"), &format!("{about}{}", network(plan, nic)))?;
    }
    each(SYSCTL, &sysctl(plan, pe, &nics)?)
}

fn network(plan: &DesignPlan, nic: &RdmaNic) -> String {
    let (address, prefix, subnet, table) = (nic.address, nic.prefix, nic.subnet(), nic.table());
    let found = match nic.found.by_hardware() {
        Some(line) => format!("[Match]\n{line}\n"),
        None => format!("{BY_NAME}[Match]\nName={}\n", nic.name),
    };
    let gateway = nic.gateway;
    let beyond = |network: &Ipv4Net| {
        let route =
            format!("\n[Route]\nDestination={network}\nGateway={gateway}\nPreferredSource={address}\n");
        format!("{route}Table={table}\n{route}Metric={table}\n")
    };
    let beyond: String = nic.beyond.iter().map(beyond).collect();
    format!(
        "{found}\n[Link]\nMTUBytes={mtu}\nRequiredForOnline=no\n\n\
         [Network]\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n\n\
         [Address]\nAddress={address}/{prefix}\n\n\
         [Route]\nDestination={subnet}\nScope=link\nPreferredSource={address}\nTable={table}\n{beyond}\n\
         [RoutingPolicyRule]\nFrom={address}/32\nTable={table}\nPriority={table}\n",
        mtu = plan.settings.get(&MTU)
    )
}

/// Path of the kernel settings.
const SYSCTL: &str = "etc/sysctl.d/90-crosspoint.conf";

/// The kernel settings, as systemd-sysctl reads them.
fn sysctl(plan: &DesignPlan, pe: u32, nics: &[RdmaNic]) -> Result<String, ExportError> {
    let mut text = format!("# Network of {} in {}.\n", plan.pe_name(pe), plan.title());
    text.push_str(
        "# A NIC answers ARP requests only for its own address, and sends requests from it. Packets may come from a subnet that another NIC is on.\n",
    );
    for nic in nics {
        let conf = format!("net.ipv4.conf.{}", nic.name.replace('.', "/"));
        writeln!(text, "{conf}.arp_ignore = 1\n{conf}.arp_announce = 2\n{conf}.rp_filter = 2")?;
    }
    Ok(text)
}

pub(super) const NETPLAN: Format =
    Format::new(Group::Rdma, "rdma-netplan", "Netplan, RoCE v2", FOLDER, Render::Files(netplan))
        .read_by(&["netplan 0.106", "systemd 252"])
        .recommended()
        .purpose("netplan files per node for RoCE v2: the configuration of rdma-networkd")
        .per(FileScope::Node)
        .with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED, &MACS, &HARDWARE_PATHS, &MTU]);

pub(super) fn netplan(plan: &DesignPlan, pe: u32, each: &mut FileSink) -> WriteResult {
    may_name(plan)?;
    let nics = RdmaNic::all(plan, pe)?;
    each("etc/netplan/60-crosspoint.yaml", &yaml(plan, pe, &nics)?)?;
    // Netplan finds NICs by MAC address or name only.
    for nic in nics.iter().filter(|nic| matches!(nic.found, NiMatch::Path(_))) {
        nic.write_link(&nic.about(plan, pe), each)?;
    }
    each(SYSCTL, &sysctl(plan, pe, &nics)?)
}

fn yaml(plan: &DesignPlan, pe: u32, nics: &[RdmaNic]) -> Result<String, ExportError> {
    let (host, addresses) = (plan.pe_name(pe), plan.addresses()?.describe());
    let mut text = format!("# Network of {host} in {}. Addresses: {addresses}.\n", plan.title());
    text.push_str("network:\n  version: 2\n  renderer: networkd\n");
    text.push_str(if nics.is_empty() { "  ethernets: {}\n" } else { "  ethernets:\n" });
    for nic in nics {
        let RdmaNic { name, address, prefix, .. } = nic;
        let (subnet, table) = (nic.subnet(), nic.table());
        writeln!(text, "    {name}:")?;
        if let NiMatch::PermanentMac(mac) = &nic.found {
            write!(text, "      match: {{macaddress: \"{mac}\"}}\n      set-name: {name}\n")?;
        }
        let gateway = nic.gateway;
        let beyond = |network: &Ipv4Net| {
            let route = format!("        - {{to: {network}, via: {gateway}, from: {address}");
            format!("{route}, table: {table}}}\n{route}, metric: {table}}}\n")
        };
        let beyond: String = nic.beyond.iter().map(beyond).collect();
        write!(
            text,
            "      mtu: {}\n      dhcp4: false\n      dhcp6: false\n      accept-ra: false\n      link-local: []\n      \
             optional: true\n      ignore-carrier: true\n      addresses: [{address}/{prefix}]\n      routes:\n        \
             - {{to: {subnet}, scope: link, from: {address}, table: {table}}}\n{beyond}      routing-policy:\n        \
             - {{from: {address}/32, table: {table}, priority: {table}}}\n",
            plan.settings.get(&MTU)
        )?;
    }
    Ok(text)
}

pub(super) const NETWORK_MANAGER: Format = Format::new(
    Group::Rdma,
    "rdma-networkmanager",
    "NetworkManager, RoCE v2",
    FOLDER,
    Render::Files(network_manager),
)
.read_by(&["NetworkManager 1.42"])
.purpose("NetworkManager keyfiles per node for RoCE v2: the configuration of rdma-networkd")
.per(FileScope::Node)
.with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED, &MACS, &HARDWARE_PATHS, &MTU]);

pub(super) fn network_manager(plan: &DesignPlan, pe: u32, each: &mut FileSink) -> WriteResult {
    may_name(plan)?;
    let nics = RdmaNic::all(plan, pe)?;
    for nic in &nics {
        let about = nic.about(plan, pe);
        nic.write_link(&about, each)?;
        let path = format!("etc/NetworkManager/system-connections/crosspoint-{}.nmconnection", nic.name);
        each(&path, &format!("{about}{}", keyfile(plan, nic)))?;
    }
    if !nics.is_empty() {
        let names: Vec<String> = nics.iter().map(|nic| format!("interface-name:={}", nic.name)).collect();
        let text = format!(
            "# NICs of {} in {} keep their addresses without a carrier.\n\
             [device-crosspoint]\nmatch-device={}\nignore-carrier=yes\n",
            plan.pe_name(pe),
            plan.title(),
            names.join(";")
        );
        each("etc/NetworkManager/conf.d/90-crosspoint.conf", &text)?;
    }
    each(SYSCTL, &sysctl(plan, pe, &nics)?)
}

fn keyfile(plan: &DesignPlan, nic: &RdmaNic) -> String {
    let RdmaNic { name, address, prefix, .. } = nic;
    let (subnet, table) = (nic.subnet(), nic.table());
    let (by_name, mac) = match &nic.found {
        NiMatch::PermanentMac(mac) => ("", format!("mac-address={mac}\n")),
        NiMatch::Path(_) => ("", String::new()),
        NiMatch::Name => (BY_NAME, String::new()),
    };
    let gateway = nic.gateway;
    let beyond = |(number, network): (usize, &Ipv4Net)| {
        let [own, main] = [2 * number + 2, 2 * number + 3];
        format!(
            "route{own}={network},{gateway}\nroute{own}_options=table={table},src={address}\n\
             route{main}={network},{gateway},{table}\nroute{main}_options=src={address}\n"
        )
    };
    let beyond: String = nic.beyond.iter().enumerate().map(beyond).collect();
    format!(
        "# NetworkManager reads this file if only root may: chmod 600.\n{by_name}\
         [connection]\nid=crosspoint-{name}\ntype=ethernet\ninterface-name={name}\nautoconnect=true\n\n\
         [ethernet]\n{mac}mtu={mtu}\n\n\
         [ipv4]\nmethod=manual\naddress1={address}/{prefix}\nnever-default=true\n\
         route1={subnet}\nroute1_options=table={table},src={address},scope=253\n{beyond}\
         routing-rule1=priority {table} from {address}/32 table {table}\n\n\
         [ipv6]\nmethod=disabled\n",
        mtu = plan.settings.get(&MTU)
    )
}

/// Lines of `NAME=value`, which systemd, containers and shells read.
const ENVIRONMENT: FileType = ("text/plain; charset=utf-8", "env");

pub(super) const ENV: Format = Format::new(
    Group::Rdma,
    "rdma-env",
    "Environment of jobs, RoCE v2",
    ENVIRONMENT,
    Render::Text(environment),
)
.read_by(&["BusyBox 1.35"])
.purpose("environment of jobs per node: RDMA devices for NCCL and UCX, and the limits of this wiring")
.per(FileScope::Node)
.with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED, &HCA, &GID_INDEX]);

fn environment(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let nics = RdmaNic::all(plan, pe)?;
    let hca = &plan.settings.get(&HCA);
    let (host, title) = (plan.pe_name(pe), plan.title());
    writeln!(
        out,
        "# Environment of jobs on {host} in {title}, with RoCE v2 on {}.",
        count(nics.len() as u64, "NIC")
    )?;
    out.write_str(
        "# For EnvironmentFile of systemd, --env-file of containers, or a shell: set -a; . FILE\n",
    )?;
    for nic in &nics {
        let (device, switch) = (hca.of(nic.ni), plan.switch_name(nic.switch));
        let far = match plan.far_ni(pe, nic.switch) {
            Some(_) => format!("by {switch} to {}", plan.far_label(pe, nic.switch)),
            None => format!("on {switch}"),
        };
        writeln!(out, "# {device}: {}, {}/{} {far}", nic.name, nic.address, nic.prefix)?;
    }
    if nics.is_empty() {
        return Ok(out.write_str("# No NIC works, so there is nothing to set.\n")?);
    }
    reach(plan, pe, out)?;
    nccl(plan, pe, &nics, out)?;
    ucx(plan, &nics, out)
}

/// Tells which nodes a node reaches, and by which NICs.
fn reach(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let host = plan.pe_name(pe);
    let neighbours = plan.multi_routes()?.neighbours(pe);
    let rails =
        neighbours.iter().filter(|Neighbour { paths, .. }| paths.iter().any(|path| path.ni == path.other_ni));
    let (others, rails, all) = (plan.pes() - 1, rails.count(), neighbours.len());
    let [on_one, other] = [rails, all - rails];
    if plan.spec.uplink.is_some() {
        write!(
            out,
            "#\n# {host} shares a switch with {all} of {others} other nodes: with {on_one} on NICs of the same number, with {other} only\n\
             # on NICs of different numbers. A NIC reaches other nodes over the gateway of its switch and the uplink switches.\n"
        )?;
        return Ok(());
    }
    if plan.has_only_cables() {
        write!(
            out,
            "#\n# A NIC reaches only the node at the other end of its cable. {host} has cables to {all} of {others} other nodes and\n\
             # reaches no other node.\n"
        )?;
        return Ok(());
    }
    let has_cable = plan.nis.of(pe).iter().any(|&switch| plan.is_cable(switch));
    let (or_cable, cable) = if has_cable { (" or at the end of its cable", " or cable") } else { ("", "") };
    write!(
        out,
        "#\n# A NIC reaches only the nodes on its switch{or_cable}. {host} shares a switch{cable} with {all} of {others} other nodes: with\n\
         # {on_one} on NICs of the same number, with {other} only on NICs of different numbers. It reaches no other node.\n"
    )?;
    Ok(())
}

/// The byte of IPv4 with the DSCP of RDMA traffic and the mark of senders that heed ECN.
const TRAFFIC_CLASS: u32 = DSCP << 2 | 2;

fn nccl(plan: &DesignPlan, pe: u32, nics: &[RdmaNic], out: &mut dyn fmt::Write) -> WriteResult {
    let (hca, gid) = (&plan.settings.get(&HCA), plan.settings.get(&GID_INDEX));
    let names: Vec<&str> = nics.iter().map(|nic| nic.name.as_str()).collect();
    write!(
        out,
        "\n# NCCL: the InfiniBand transport runs RoCE v2 on these devices.\n\
         NCCL_IB_HCA=={}\n\
         # Index of the RoCE v2 GID: see /sys/class/infiniband/DEVICE/ports/1/gids.\n\
         NCCL_IB_GID_INDEX={gid}\n\
         # DSCP 26 is the lossless class{}. Configure PFC on the NICs yourself, for example:\n\
         # mlnx_qos -i NIC --trust dscp --pfc 0,0,0,1,0,0,0,0\n\
         NCCL_IB_TC={TRAFFIC_CLASS}\n\
         # Connections start over TCP on a network that joins all nodes{}: any other interface.\n\
         NCCL_SOCKET_IFNAME=^={},lo,docker0\n\
         {}{}",
        devices(hca, nics, false),
        if plan.has_only_cables() { "" } else { " in the exported switch configs" },
        if plan.spec.uplink.is_some() {
            " and is no part of the cluster network"
        } else {
            ", unlike the network of these NICs"
        },
        names.join(","),
        cross_nic(plan),
        merging(plan, nics)
    )?;
    out.write_str(
        "# From 2.30.7 on, a sender takes its NIC on the subnet of the receiver's NIC. Older versions ignore both lines.\n\
         NCCL_IB_SUBNET_AWARE_ROUTING=1\n",
    )?;
    match common_prefix(plan)? {
        Some(prefix) => writeln!(out, "NCCL_IB_SUBNET_PREFIX_LEN={prefix}")?,
        None => out.write_str(
            "# NCCL_IB_SUBNET_PREFIX_LEN is missing, since the subnets of the switches differ in length and no single length tells them\n\
             # apart. A larger `network` has room for subnets of one length.\n",
        )?,
    }
    if plan.spec.uplink.is_some() {
        return Ok(out.write_str(NCCL_UPLINKED)?);
    }
    let host = plan.pe_name(pe);
    match plan.nccl_partners(pe)? {
        (0, _) => {}
        (all, apart) if apart.is_empty() => {
            writeln!(out, "# NCCL connects {host} to {}.", requested(all))?;
        }
        (all, apart) => {
            let mut names: Vec<String> = apart.iter().map(|&other| plan.pe_name(other)).collect();
            if names.len() > MAX_APART {
                names.truncate(MAX_APART);
                names.push(format!("{} more", apart.len() - MAX_APART));
            }
            let (count, all, names) = (apart.len(), requested(all), names.join(", "));
            writeln!(out, "# NCCL does not connect {host} to {count} of {all}: {names}.")?;
        }
    }
    Ok(out.write_str(NCCL_LIMITS)?)
}

/// Max nodes that the environment lists as not connected.
const MAX_APART: usize = 8;

/// The partners of a node.
fn requested(partners: usize) -> String {
    match partners {
        1 => "the one node that the spec pairs it with".into(),
        _ => format!("the {partners} nodes that the spec pairs it with"),
    }
}

/// The lines that say which NICs NCCL takes for one device: the devices of [`SwitchRule`](crate::analysis::library::SwitchRule),
/// whichever library the job names. The module of `SwitchRule` has the places in NCCL's source.
fn merging(plan: &DesignPlan, nics: &[RdmaNic]) -> String {
    let size = plan.nccl_devices().size() as u32;
    let merged: Vec<String> = nics
        .chunk_by(|a, b| a.ni / size == b.ni / size)
        .filter(|device| device.len() > 1)
        .map(|device| devices(&plan.settings.get(&HCA), device, false))
        .collect();
    match &merged[..] {
        [] => "# Every NIC is a device.\nNCCL_IB_MERGE_NICS=0\n".into(),
        [pair] => format!("{MERGED}NCCL_IB_MERGE_NICS=1\nNCCL_NET_FORCE_MERGE={pair}\n"),
        pairs => format!(
            "{MERGED}# Shells and systemd remove the quotes. `docker --env-file` keeps them: remove them there.\n\
             NCCL_IB_MERGE_NICS=1\nNCCL_NET_FORCE_MERGE=\"{}\"\n",
            pairs.join(";")
        ),
    }
}

const MERGED: &str = "\
# Two NICs are one device. A receiver then offers the subnets of both NICs. The sender uses one of them that it is connected to. NCCL merges
# no NICs with NCCL_IB_MERGE_NICS=0, and then stops at NCCL_NET_FORCE_MERGE. Graph files of the export `nccl-graph` number single NICs: with
# such a file, set NCCL_IB_MERGE_NICS=0 and leave out NCCL_NET_FORCE_MERGE.
";

/// The number of leading bits in which the subnets of all switches differ: the prefix length of the largest subnet. `None` if smaller
/// subnets agree in so many bits.
fn common_prefix(plan: &DesignPlan) -> Result<Option<u8>, ExportError> {
    let all = plan.addresses()?;
    let switches = 0..plan.design.switch_count();
    let Some(prefix) = switches.clone().map(|switch| all.prefix(switch)).min() else { return Ok(None) };
    let start = |switch| Ipv4Net::new_assert(all.subnet(switch).network(), prefix).trunc();
    let mut starts: Vec<Ipv4Net> = switches.map(start).collect();
    starts.sort_unstable();
    Ok(starts.windows(2).all(|pair| pair[0] != pair[1]).then_some(prefix))
}

const NCCL_UPLINKED: &str = "\
# A sender without a NIC in the receiver's subnet keeps the NIC near its GPU. Its packets go over the uplink switches, which have fewer
# cables than the nodes. `crosspoint check SPEC WIRING --library nccl` lists the pairs of a job's groups that share no switch.
";

const NCCL_LIMITS: &str = "\
# A sender that shares no subnet with a receiver's device cannot connect, and the job fails. Trees, CollNet, NVLS and PAT connect other pairs
# than a ring: NCCL_ALGO=Ring keeps them out if NCCL connects at first use, as NCCL_RUNTIME_CONNECT=1 and NCCL_CUMEM_ENABLE=1 do. Both are
# defaults where CUDA has virtual memory management. Without it, NCCL connects trees at start whatever NCCL_ALGO says. All-to-all and
# send/recv connect arbitrary pairs. PXN assumes that NICs with the same number share a switch. NCCL_NET=Socket with the exports `nccl` and
# `multipath` connects all pairs: the routes of the kernel choose the NICs.
";

fn ucx(plan: &DesignPlan, nics: &[RdmaNic], out: &mut dyn fmt::Write) -> WriteResult {
    let hca = &plan.settings.get(&HCA);
    let (about, mode) = match plan.spec.uplink {
        Some(_) => (
            "It connects any two devices that a route joins: over a shared switch, or over uplink switches.",
            "route",
        ),
        None => (
            "From 1.19 on it connects two devices only if they are in one subnet; before, UCX_IB_ROCE_LOCAL_SUBNET=y does that.",
            "local_subnet",
        ),
    };
    write!(
        out,
        "\n# UCX. {about}\n\
         # UCX_TLS stays unset: with all transports UCX takes shared memory within a node.\n\
         UCX_NET_DEVICES={}\n\
         UCX_IB_ROCE_REACHABILITY_MODE={mode}\n\
         UCX_IB_TRAFFIC_CLASS={TRAFFIC_CLASS}\n",
        devices(hca, nics, true)
    )?;
    if plan.spec.library() == Library::Mpi {
        write!(
            out,
            "# A large message uses up to {MAX_RNDV_RAILS} of the switches that two nodes share.\n\
             UCX_MAX_RNDV_RAILS={MAX_RNDV_RAILS}\n"
        )?;
    }
    Ok(())
}

/// Devices, separated with commas, each with its port.
fn devices(hca: &Interfaces, nics: &[RdmaNic], with_port: bool) -> String {
    let port = if with_port { ":1" } else { "" };
    let names: Vec<String> = nics.iter().map(|nic| format!("{}{port}", hca.of(nic.ni))).collect();
    names.join(",")
}

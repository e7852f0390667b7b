//! Network boot (Mattox 2006, section 5.2.1): the order in which nodes can boot as a table, and dnsmasq's configuration of the
//! server, with all reservations, and of each relay.
//!
//! Relays and server are in different subnets, so routes come first; they are in comments that a shell can run. Relays may be
//! behind other relays.

use super::{
    AVOID, CSV, DesignPlan, ExportError, FAILED, FOLDER, Field, FileSink, Format, Group, INTERFACE, NETWORK,
    ROOT, Reason, Render, Setting, SettingOf, WriteResult,
    address::{Mac, mac},
    parts::MACS,
};
use crate::{
    analysis::routing::{BootPlan, Way, boot},
    design::WorkingDesign,
};
use std::{
    fmt::{self, Write as _},
    net::Ipv4Addr,
};

pub(super) const BOOT_NI: SettingOf<u32> =
    Setting::new("boot-nic", "NIC that nodes boot over; by default their firmware tries every NIC")
        .field(Field::whole("Boot NIC", 0, 63))
        .alias("boot-ni")
        .parsed();

pub(super) const BOOT_FILE: SettingOf<String> =
    Setting::new("boot-file", "file that nodes without UEFI firmware load to boot")
        .syntax("Boot file", FILE)
        .or("pxelinux.0")
        .read(file);

pub(super) const UEFI_FILE: SettingOf<String> =
    Setting::new("uefi-file", "file that nodes with x86-64 UEFI firmware load to boot")
        .syntax("UEFI boot file", FILE)
        .or("grubx64.efi")
        .read(file);

pub(super) const ARM_FILE: SettingOf<String> =
    Setting::new("arm-file", "file that nodes with 64-bit ARM UEFI firmware load to boot")
        .syntax("ARM boot file", FILE)
        .or("grubaa64.efi")
        .read(file);

const TFTP_ROOT: SettingOf<String> = Setting::new("tftp-root", "folder of the boot files on the boot server")
    .syntax(
        "TFTP folder",
        "a path of up to 127 ASCII letters, digits, -, _, . or / that starts with /, without .. as a folder",
    )
    .or("/srv/tftp")
    .read(|text| file(text).and_then(|path| path.starts_with('/').then_some(path).ok_or(None)));

const FILE: &str = "a path of up to 127 ASCII letters, digits, -, _, . or /, without .. as a folder";

/// A path without spaces and quotes, as short as the field of the boot file in DHCP.
fn file(text: &str) -> Result<String, Reason> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let fits = (1..=127).contains(&text.len()) && text.chars().all(plain);
    (fits && text.split('/').all(|part| part != "..")).then(|| text.to_owned()).ok_or(None)
}

pub(super) const TABLE: Format =
    Format::new(Group::Boot, "boot", "Network boot order", CSV, Render::Text(table))
        .read_by(&["pandas 3.1"])
        .purpose("network boot order: waves of nodes; for each node its NIC, its address and the node it sends its boot requests to")
        .with(&[&ROOT, &BOOT_NI, &NETWORK, &AVOID, &MACS, &FAILED]);

impl DesignPlan {
    /// Boot order of all PEs from the setting `root`.
    pub(super) fn boot_plan(&self) -> Result<BootPlan, ExportError> {
        let root = self.root()?;
        self.may_boot_over()?;
        let working = WorkingDesign::new(&self.design, self.faults()?);
        Ok(boot(&working, root, self.settings.given(&BOOT_NI).copied()))
    }

    /// Checks that some PE has the NI of the setting `boot-nic`.
    pub(super) fn may_boot_over(&self) -> WriteResult {
        let most = self.most_nis() as u32;
        let Some(ni) = self.settings.given(&BOOT_NI).filter(|&&ni| ni >= most) else { return Ok(()) };
        let why = match most.checked_sub(1) {
            Some(last) => format!("no node has this NIC; NICs are 0 to {last}"),
            None => "no node has a cable".into(),
        };
        Err(ExportError::setting("boot-nic", ni, why))
    }

    /// The address of a PE's NI on a switch that it is on.
    pub(super) fn address_on(&self, pe: u32, switch: u32) -> Result<Ipv4Addr, ExportError> {
        Ok(self.addresses()?.address(switch, pe, self.port(switch, pe)))
    }

    /// Permanent MAC address of an NI (setting `macs`), else the computed one.
    pub(super) fn boot_mac(&self, pe: u32, ni: u32) -> Result<Mac, ExportError> {
        Ok(self.permanent_mac(pe, ni)?.unwrap_or_else(|| mac(pe, ni)))
    }
}

fn table(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let boot = plan.boot_plan()?;
    out.write_str("wave,pe,name,ni,switch,mac,address,asks\n")?;
    for &pe in boot.order() {
        let name = plan.pe_name(pe);
        match boot.booting(pe) {
            None => writeln!(out, "0,{pe},{name},,,,,")?,
            Some(b) => {
                let (mac, address) = (plan.boot_mac(pe, b.ni)?, plan.address_on(pe, b.switch)?);
                writeln!(out, "{},{pe},{name},{},{},{mac},{address},{}", b.wave, b.ni, b.switch, b.asks)?;
            }
        }
    }
    for pe in boot.never() {
        writeln!(out, "never,{pe},{},,,,,", plan.pe_name(pe))?;
    }
    Ok(())
}

pub(super) const DNSMASQ: Format = Format::new(Group::Boot, "dnsmasq", "dnsmasq for network boot", FOLDER, Render::Files(dnsmasq))
    .read_by(&["dnsmasq 2.90", "BusyBox 1.35"])
    .purpose("dnsmasq configuration for network boot: the server with DHCP and TFTP and every DHCP relay, with all reservations")
    .with(&[
        &ROOT,
        &BOOT_NI,
        &BOOT_FILE,
        &UEFI_FILE,
        &ARM_FILE,
        &TFTP_ROOT,
        &NETWORK,
        &AVOID,
        &MACS,
        &INTERFACE,
        &FAILED,
    ]);

fn dnsmasq(plan: &DesignPlan, _: u32, each: &mut FileSink) -> WriteResult {
    let boot = plan.boot_plan()?;
    let ways = boot.ways();
    let file = |pe| format!("{}.conf", plan.pe_name(pe));
    let own = |pe| {
        let first = ways.partition_point(|way: &Way| way.at < pe);
        ways[first..].iter().take_while(move |way| way.at == pe)
    };
    let mut text = String::new();
    server(plan, &boot, own(boot.server()), &mut text)?;
    each(&file(boot.server()), &text)?;
    for &pe in &boot.order()[1..] {
        if boot.serves(pe).next().is_some() {
            text.clear();
            relay(plan, &boot, pe, own(pe), &mut text)?;
            each(&file(pe), &text)?;
        }
    }
    Ok(())
}

fn server<'a>(
    plan: &DesignPlan,
    boot: &BootPlan,
    ways: impl Iterator<Item = &'a Way>,
    out: &mut String,
) -> WriteResult {
    let (server, booting) = (boot.server(), boot.order().len() - 1);
    let (host, title) = (plan.pe_name(server), plan.title());
    writeln!(out, "# dnsmasq on {host}, the boot server of {booting} of {} nodes of {title}.", plan.pes())?;
    writeln!(out, "# Addresses: {}.", plan.addresses()?.describe())?;
    out.write_str(
        "# Nodes not listed in `macs` are matched by the MAC address that Crosspoint computes for them.\n",
    )?;
    routes(plan, boot, ways, out)?;
    out.write_str("\n# DHCP and TFTP only, for known nodes.\nport=0\nbind-dynamic\ndhcp-authoritative\n")?;
    writeln!(out, "dhcp-lease-max={}", booting.max(1))?;
    for switch in boot.serves(server) {
        writeln!(out, "interface={}", interface(plan, boot, server, switch))?;
    }
    boot_files(plan, out)?;
    for (switch, by) in served(plan, boot) {
        let (subnet, mask) = subnet(plan, by, switch)?;
        let name = plan.switch_name(switch);
        writeln!(out, "\n# {name}, through {}.", plan.pe_name(by))?;
        writeln!(out, "dhcp-range=set:{name},{subnet},static,{mask},infinite")?;
        writeln!(out, "dhcp-option=tag:{name},option:router,{}", plan.address_on(by, switch)?)?;
        for &pe in plan.design.members(switch) {
            let Some(booting) = boot.booting(pe).filter(|booting| booting.switch == switch) else { continue };
            let (mac, address) = (plan.boot_mac(pe, booting.ni)?, plan.address_on(pe, switch)?);
            writeln!(out, "dhcp-host={mac},{address},{},infinite", plan.pe_name(pe))?;
        }
    }
    Ok(())
}

/// Boot files by the firmware that asks. A missing folder stops TFTP alone.
fn boot_files(plan: &DesignPlan, out: &mut String) -> WriteResult {
    let settings = &plan.settings;
    writeln!(
        out,
        "\n# Boot files. Firmware sends its architecture in option 93 (RFC 4578): 7 and 9 are UEFI on x86-64, 11 on ARM.\n\
         enable-tftp\ntftp-root={}\ntftp-no-fail",
        settings.get(&TFTP_ROOT)
    )?;
    for (tag, architecture) in [("uefi", 7), ("uefi", 9), ("arm", 11)] {
        writeln!(out, "dhcp-match=set:{tag},option:client-arch,{architecture}")?;
    }
    writeln!(out, "dhcp-boot=tag:!uefi,tag:!arm,{}", settings.get(&BOOT_FILE))?;
    writeln!(out, "dhcp-boot=tag:uefi,{}", settings.get(&UEFI_FILE))?;
    writeln!(out, "dhcp-boot=tag:arm,{}", settings.get(&ARM_FILE))?;
    Ok(())
}

fn relay<'a>(
    plan: &DesignPlan,
    boot: &BootPlan,
    pe: u32,
    ways: impl Iterator<Item = &'a Way>,
    out: &mut String,
) -> WriteResult {
    let (host, server) = (plan.pe_name(pe), plan.pe_name(boot.server()));
    let wave = boot.booting(pe).map_or(0, |booting| booting.wave);
    writeln!(out, "# dnsmasq on {host}, which boots in wave {wave} and then relays DHCP to {server}.")?;
    let to = server_address(plan, boot, pe)?;
    out.write_str("#\n# Commands to run first, as root: sed -n 's/^# run: //p' FILE | sh\n")?;
    out.write_str("# run: sysctl -w net.ipv4.ip_forward=1\n")?;
    if let Some(booting) = boot.booting(pe).filter(|booting| booting.asks != boot.server()) {
        let via = plan.address_on(booting.asks, booting.switch)?;
        writeln!(out, "# run: ip route replace {to}/32 via {via}")?;
    }
    for way in ways {
        route(plan, boot, way, out)?;
    }
    out.write_str("\n# DHCP only.\nport=0\n")?;
    for switch in boot.serves(pe) {
        let members = plan.design.members(switch).iter().copied();
        let clients = members.filter(|&client| {
            boot.booting(client).is_some_and(|booting| booting.switch == switch && booting.asks == pe)
        });
        let names: Vec<String> = clients.map(|client| plan.pe_name(client)).collect();
        let device = interface(plan, boot, pe, switch);
        writeln!(out, "\n# {device}, {}: {}.", plan.switch_name(switch), names.join(" "))?;
        writeln!(out, "dhcp-relay={},{to}", plan.address_on(pe, switch)?)?;
    }
    Ok(())
}

/// The server's address as a relay sends to it: that on the switch which the way to it ends with.
pub(super) fn server_address(plan: &DesignPlan, boot: &BootPlan, pe: u32) -> Result<Ipv4Addr, ExportError> {
    let chain = boot.chain(pe);
    let last = chain.len().checked_sub(2).and_then(|at| boot.booting(chain[at]));
    let switch = last.map_or(0, |booting| booting.switch);
    plan.address_on(boot.server(), switch)
}

fn routes<'a>(
    plan: &DesignPlan,
    boot: &BootPlan,
    ways: impl Iterator<Item = &'a Way>,
    out: &mut String,
) -> WriteResult {
    let mut ways = ways.peekable();
    if ways.peek().is_some() {
        out.write_str("#\n# Routes to the relays, as root: sed -n 's/^# run: //p' FILE | sh\n")?;
    }
    ways.try_for_each(|way| route(plan, boot, way, out))
}

/// Commands of the routes from the server to its relays.
pub(super) fn server_routes(plan: &DesignPlan, boot: &BootPlan) -> Result<Vec<String>, ExportError> {
    let mut text = String::new();
    let ways = boot.ways();
    ways.iter()
        .filter(|way| way.at == boot.server())
        .try_for_each(|way| route(plan, boot, way, &mut text))?;
    Ok(text.lines().map(|line| line.trim_start_matches("# run: ").to_owned()).collect())
}

fn route(plan: &DesignPlan, boot: &BootPlan, way: &Way, out: &mut String) -> WriteResult {
    let Some(booting) = boot.booting(way.via) else { return Ok(()) };
    let via = plan.address_on(way.via, booting.switch)?;
    let prefix = plan.addresses()?.prefix(way.to);
    let relay = boot.served_by(way.to).unwrap_or(way.via);
    let (subnet, _) = subnet(plan, relay, way.to)?;
    Ok(writeln!(out, "# run: ip route replace {subnet}/{prefix} via {via}")?)
}

/// Every switch that somebody boots over, with who answers or relays there.
pub(super) fn served<'a>(plan: &'a DesignPlan, boot: &'a BootPlan) -> impl Iterator<Item = (u32, u32)> + 'a {
    (0..plan.design.switch_count()).filter_map(|switch| Some((switch, boot.served_by(switch)?)))
}

/// The first address and the mask of a switch's subnet, which a PE has an address of.
pub(super) fn subnet(plan: &DesignPlan, pe: u32, switch: u32) -> Result<(Ipv4Addr, Ipv4Addr), ExportError> {
    let mask = !(u32::MAX >> plan.addresses()?.prefix(switch));
    let first = plan.address_on(pe, switch)?.to_bits() & mask;
    Ok((Ipv4Addr::from_bits(first), Ipv4Addr::from_bits(mask)))
}

pub(super) fn interface(plan: &DesignPlan, boot: &BootPlan, pe: u32, switch: u32) -> String {
    plan.interface(boot.working().ni(pe, switch))
}

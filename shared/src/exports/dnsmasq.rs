//! Network boot by dnsmasq: a configuration for the server, with the address of every PE reserved, and one for each PE that
//! relays requests to it (dissertation, section 5.2.1).
//!
//! Relays and what they relay to are in different subnets, so that routes are needed before anyone boots there; they stand
//! in comments that a shell can be given. A relay may itself be behind another one: requests do not pass through its
//! dnsmasq, but packets do.

use super::{Bundle, EachFile, ExportError, Format, Render, machine};
use crate::analysis::routing::{BootPlan, Way};
use std::{fmt::Write as _, net::Ipv4Addr};

pub(super) const FORMAT: Format = Format {
    name: "dnsmasq",
    purpose: "network boot by dnsmasq: a configuration for the server, and for each PE that relays DHCP, with all reservations",
    media_type: "application/x-tar",
    extension: "tar",
    per_pe: false,
    settings: &["root", "boot-ni", "boot-file", "network", "avoid", "macs", "interface", "dead"],
    render: Render::Files(render),
};

fn render(bundle: &Bundle, _pe: Option<u32>, each: &mut EachFile) -> Result<(), ExportError> {
    let plan = bundle.boot_plan()?;
    let ways = plan.ways();
    let file = |pe| format!("{}.conf", bundle.pe_name(pe));
    let own = |pe| {
        let first = ways.partition_point(|way: &Way| way.at < pe);
        ways[first..].iter().take_while(move |way| way.at == pe)
    };
    let mut text = String::new();
    server(bundle, &plan, own(plan.server()), &mut text)?;
    each(&file(plan.server()), &text)?;
    for &pe in &plan.order()[1..] {
        if plan.serves(pe).next().is_some() {
            text.clear();
            relay(bundle, &plan, pe, own(pe), &mut text)?;
            each(&file(pe), &text)?;
        }
    }
    Ok(())
}

fn server<'a>(
    bundle: &Bundle,
    plan: &BootPlan,
    ways: impl Iterator<Item = &'a Way>,
    out: &mut String,
) -> Result<(), ExportError> {
    let (server, booting) = (plan.server(), plan.order().len() - 1);
    let (host, title) = (bundle.pe_name(server), bundle.title());
    writeln!(out, "# dnsmasq on {host}, which {booting} of {} PEs of {title} boot from.", bundle.pes())?;
    writeln!(out, "# Addresses: {}.", bundle.addresses()?.describe())?;
    out.write_str(
        "# PEs without a permanent MAC address in the setting `macs` are known by their computed one.\n",
    )?;
    routes(bundle, plan, ways, out)?;
    out.write_str("\n# DHCP alone, for those that are known.\nport=0\nbind-dynamic\ndhcp-authoritative\n")?;
    writeln!(out, "dhcp-lease-max={}\ndhcp-boot={}", booting.max(1), bundle.settings.boot_file)?;
    for switch in plan.serves(server) {
        writeln!(out, "interface={}", interface(bundle, plan, server, switch))?;
    }
    for (switch, by) in served(bundle, plan) {
        let (subnet, mask) = subnet(bundle, by, switch)?;
        let name = bundle.switch_name(switch);
        writeln!(out, "\n# {name}, through {}.", bundle.pe_name(by))?;
        writeln!(out, "dhcp-range=set:{name},{subnet},static,{mask},infinite")?;
        writeln!(out, "dhcp-option=tag:{name},option:router,{}", bundle.address_on(by, switch)?)?;
        for &pe in bundle.design.members(switch) {
            let Some(booting) = plan.booting(pe).filter(|booting| booting.switch == switch) else { continue };
            let (mac, address) = (bundle.boot_mac(pe, booting.ni)?, bundle.address_on(pe, switch)?);
            writeln!(out, "dhcp-host={mac},{address},{},infinite", bundle.pe_name(pe))?;
        }
    }
    Ok(())
}

fn relay<'a>(
    bundle: &Bundle,
    plan: &BootPlan,
    pe: u32,
    ways: impl Iterator<Item = &'a Way>,
    out: &mut String,
) -> Result<(), ExportError> {
    let (host, server) = (bundle.pe_name(pe), bundle.pe_name(plan.server()));
    let wave = plan.booting(pe).map_or(0, |booting| booting.wave);
    writeln!(
        out,
        "# dnsmasq on {host}, which boots in wave {wave} and relays DHCP to {server} from then on."
    )?;
    let to = server_address(bundle, plan, pe)?;
    out.write_str("#\n# What it takes before that, as root: sed -n 's/^# run: //p' FILE | sh\n")?;
    out.write_str("# run: sysctl -w net.ipv4.ip_forward=1\n")?;
    if let Some(booting) = plan.booting(pe).filter(|booting| booting.asks != plan.server()) {
        let via = bundle.address_on(booting.asks, booting.switch)?;
        writeln!(out, "# run: ip route replace {to}/32 via {via}")?;
    }
    for way in ways {
        route(bundle, plan, way, out)?;
    }
    out.write_str("\n# DHCP alone.\nport=0\n")?;
    for switch in plan.serves(pe) {
        let members = bundle.design.members(switch).iter().copied();
        let clients = members.filter(|&client| {
            plan.booting(client).is_some_and(|booting| booting.switch == switch && booting.asks == pe)
        });
        let names: Vec<String> = clients.map(|client| bundle.pe_name(client)).collect();
        let device = interface(bundle, plan, pe, switch);
        writeln!(out, "\n# {device}, {}: {}.", bundle.switch_name(switch), names.join(" "))?;
        writeln!(out, "dhcp-relay={},{to}", bundle.address_on(pe, switch)?)?;
    }
    Ok(())
}

/// The server's address as a relay sends to it: that on the switch which the way to it ends with.
fn server_address(bundle: &Bundle, plan: &BootPlan, pe: u32) -> Result<Ipv4Addr, ExportError> {
    let chain = plan.chain(pe);
    let last = chain.len().checked_sub(2).and_then(|at| plan.booting(chain[at]));
    let switch = last.map_or(0, |booting| booting.switch);
    bundle.address_on(plan.server(), switch)
}

fn routes<'a>(
    bundle: &Bundle,
    plan: &BootPlan,
    ways: impl Iterator<Item = &'a Way>,
    out: &mut String,
) -> Result<(), ExportError> {
    let mut ways = ways.peekable();
    if ways.peek().is_some() {
        out.write_str("#\n# What relays are reached by, as root: sed -n 's/^# run: //p' FILE | sh\n")?;
    }
    ways.try_for_each(|way| route(bundle, plan, way, out))
}

fn route(bundle: &Bundle, plan: &BootPlan, way: &Way, out: &mut String) -> Result<(), ExportError> {
    let Some(booting) = plan.booting(way.via) else { return Ok(()) };
    let via = bundle.address_on(way.via, booting.switch)?;
    let prefix = bundle.addresses()?.prefix(way.to);
    let relay = plan.served_by(way.to).unwrap_or(way.via);
    let (subnet, _) = subnet(bundle, relay, way.to)?;
    Ok(writeln!(out, "# run: ip route replace {subnet}/{prefix} via {via}")?)
}

/// Every switch that somebody boots over, with who answers or relays there.
fn served<'a>(bundle: &'a Bundle, plan: &'a BootPlan) -> impl Iterator<Item = (u32, u32)> + 'a {
    (0..bundle.design.switch_count()).filter_map(|switch| Some((switch, plan.served_by(switch)?)))
}

/// The first address and the mask of a switch's subnet, which a PE has an address of.
fn subnet(bundle: &Bundle, pe: u32, switch: u32) -> Result<(Ipv4Addr, Ipv4Addr), ExportError> {
    let mask = !(u32::MAX >> bundle.addresses()?.prefix(switch));
    let first = bundle.address_on(pe, switch)?.to_bits() & mask;
    Ok((Ipv4Addr::from_bits(first), Ipv4Addr::from_bits(mask)))
}

fn interface(bundle: &Bundle, plan: &BootPlan, pe: u32, switch: u32) -> String {
    machine::interface(bundle, plan.working().ni(pe, switch) as usize)
}

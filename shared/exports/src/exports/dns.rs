//! Zone files of BIND: the names of nodes and NICs, and of their addresses.
//!
//! With one address per node, a node has one A record. With one address per NIC it has one for each, and each NIC a name of its own,
//! such as `node007-eth1`. Reverse zones end at a whole octet: one per 65,536 addresses, or per 256 in networks smaller than that.

use super::{
    AVOID, Choice, DesignPlan, ExportError, FAILED, FOLDER, FileSink, Format, Group, INTERFACE, NETWORK,
    ROOT, Render, Setting, SettingOf, WriteResult, rdma::RdmaNic,
};
use crate::spec::names::MAX_HOST_NAME;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    net::Ipv4Addr,
};

/// Form of the nodes' addresses.
pub(super) const FORM: SettingOf<bool> = Setting::new(
    "form",
    "addresses of nodes: one per node with routes over all switches, or one per NIC for RDMA",
)
.choice(
    "Addresses",
    &[
        Choice::new("routed", "one per node, as in multipath, networkd and netplan"),
        Choice::new("rdma", "one per NIC, as in the formats for RDMA"),
    ],
)
.or("routed")
.read(|text| Ok(text == "rdma"));

pub(super) const DOMAIN: SettingOf<String> =
    Setting::new("domain", "DNS zone of the nodes; by default cluster.example, and none in prometheus")
        .syntax(
            "DNS zone",
            "a domain such as cluster.example, of up to 180 letters, digits, hyphens and dots, that does not end in a number",
        )
        .hint("cluster.example, or none")
        .read(|text| domain(text).ok_or(None));

/// A domain in small letters, without a dot at its end. 180 characters leave room for the longest name in it.
fn domain(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let label = |label: &str| {
        let fits = (1..=MAX_HOST_NAME).contains(&label.len()) && label.chars().all(plain);
        fits && !label.starts_with('-') && !label.ends_with('-')
    };
    let text = text.strip_suffix('.').unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let top = lower.split('.').next_back()?;
    // An address is no domain, and the export has the reverse zones itself.
    let is_domain = top != "arpa" && !top.bytes().all(|byte| byte.is_ascii_digit());
    (text.len() <= 180 && text.split('.').all(label) && is_domain).then_some(lower)
}

pub(super) const FORMAT: Format =
    Format::new(Group::Boot, "dns-zone", "DNS zones for BIND", FOLDER, Render::Files(render))
        .read_by(&["BIND 9.18"])
        .purpose("BIND zone files: names of nodes and NICs, reverse zones, and named.conf for them")
        .with(&[&DOMAIN, &FORM, &NETWORK, &AVOID, &INTERFACE, &FAILED, &ROOT]);

/// The zone of the nodes.
fn zone_of(plan: &DesignPlan) -> &str {
    plan.settings.given(&DOMAIN).map_or("cluster.example", String::as_str)
}

/// One record, a name without the zone and its address.
type Record = (String, Ipv4Addr);

fn render(plan: &DesignPlan, _: u32, each: &mut FileSink) -> WriteResult {
    let domain = zone_of(plan);
    let (records, reverse) = records(plan)?;
    let mut zones = vec![domain.to_owned()];
    let mut text = begin(plan, domain)?;
    for (name, address) in &records {
        writeln!(text, "{name} IN A {address}")?;
    }
    each(&format!("{domain}.zone"), &text)?;
    let octets = if plan.settings.get(&NETWORK).prefix_len() <= 16 { 2 } else { 3 };
    let mut parts: BTreeMap<String, Vec<(String, &str)>> = BTreeMap::new();
    for (name, address) in &reverse {
        let backwards: Vec<String> = address.octets().iter().rev().map(u8::to_string).collect();
        let (host, part) = backwards.split_at(4 - octets);
        parts.entry(format!("{}.in-addr.arpa", part.join("."))).or_default().push((host.join("."), name));
    }
    for (zone, records) in parts {
        let mut text = begin(plan, &zone)?;
        for (host, name) in records {
            writeln!(text, "{host} IN PTR {name}.{domain}.")?;
        }
        each(&format!("{zone}.zone"), &text)?;
        zones.push(zone);
    }
    each("named.conf.crosspoint", &configuration(plan, &zones)?)
}

/// All A records, and those that a reverse record leads back from.
fn records(plan: &DesignPlan) -> Result<(Vec<Record>, Vec<Record>), ExportError> {
    let (mut records, mut reverse) = (Vec::new(), Vec::new());
    let faults = plan.faults()?;
    for pe in (0..plan.pes()).filter(|&pe| !faults.is_dead(pe)) {
        let name = plan.pe_name(pe).to_ascii_lowercase();
        if !plan.settings.get(&FORM) {
            let record = (name, plan.pe_addresses()?.of(pe));
            reverse.push(record.clone());
            records.push(record);
            continue;
        }
        let nics = RdmaNic::all(plan, pe)?;
        records.extend(nics.iter().map(|nic| (name.clone(), nic.address)));
        let own: Vec<Record> = nics
            .iter()
            .map(|nic| Ok((nic_host(FORMAT.name, &name, &nic.name)?, nic.address)))
            .collect::<Result<_, ExportError>>()?;
        reverse.extend(own.iter().cloned());
        records.extend(own);
    }
    let mut seen = BTreeSet::new();
    match reverse.iter().find(|(name, _)| !seen.insert(name)) {
        Some((name, _)) => Err(refused(
            FORMAT.name,
            name,
            "two NICs would have this name: DNS ignores case, and `_` and `.` are replaced",
        )),
        None => Ok((records, reverse)),
    }
}

/// The name of a NIC as a host: that of its node and its own in letters, digits and hyphens.
pub(super) fn nic_host(format: &'static str, node: &str, nic: &str) -> Result<String, ExportError> {
    let name = format!("{node}-{}", nic.to_ascii_lowercase().replace(['_', '.'], "-"));
    let fits = name.len() <= MAX_HOST_NAME && !name.ends_with('-');
    if fits {
        Ok(name)
    } else {
        Err(refused(format, &name, "names have up to 63 characters and no hyphen at the end"))
    }
}

fn refused(format: &'static str, name: &str, why: &str) -> ExportError {
    ExportError::Name { format, name: name.into(), why: why.into() }
}

/// Head of a zone. The server of the setting `root` is its name server.
fn begin(plan: &DesignPlan, zone: &str) -> Result<String, ExportError> {
    let server = plan.pe_name(plan.root()?).to_ascii_lowercase();
    let domain = zone_of(plan);
    let addresses = match plan.settings.get(&FORM) {
        true => plan.addresses()?.describe(),
        false => plan.pe_addresses()?.describe(),
    };
    let mut text = format!("; {zone} of {} ({} nodes). Addresses: {addresses}.\n", plan.title(), plan.pes());
    text.push_str("; Raise the serial number when you replace a zone that secondary servers have.\n");
    write!(
        text,
        "$ORIGIN {zone}.\n$TTL 3600\n@ IN SOA {server}.{domain}. hostmaster.{domain}. 1 3600 600 604800 300\n\
         @ IN NS {server}.{domain}.\n"
    )?;
    Ok(text)
}

fn configuration(plan: &DesignPlan, zones: &[String]) -> Result<String, ExportError> {
    let mut text =
        format!("// Zones of {}, to include in named.conf. Put the zone files next to it.\n", plan.title());
    for zone in zones {
        writeln!(text, "zone \"{zone}\" {{ type primary; file \"{zone}.zone\"; }};")?;
    }
    Ok(text)
}

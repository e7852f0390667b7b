//! Netplan files for each node: the same addresses, neighbours and routes as `multipath`, from boot on.
//!
//! Netplan has no syntax for permanent neighbours and for routes over several NICs. Those are in drop-in files of
//! systemd-networkd, as netplan's manual suggests. NICs are found by permanent MAC address (setting `macs`), else by name.

use super::{
    DesignPlan, Each, EachFile, ExportError, FOLDER, Format, Render, Written,
    address::mac,
    networkd::{Sections, may_name, sysctl},
    ways::Ways,
};
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["network", "avoid", "interface", "failed", "through", "macs"],
    ..Format::new(
        "netplan",
        "netplan files per node, with systemd-networkd drop-ins: the configuration of multipath from boot on",
        FOLDER,
        Render::Files(render),
    )
};

fn render(plan: &DesignPlan, pe: u32, each: &mut EachFile) -> Written {
    may_name(plan)?;
    let ways = plan.ways(pe)?;
    let sections = Sections::new(plan, pe, &ways)?;
    each("etc/netplan/60-crosspoint.yaml", &yaml(plan, pe, &ways, &sections)?)?;
    let drop_in = |name: &str| format!("etc/systemd/network/10-netplan-{name}.network.d/crosspoint.conf");
    for &(ni, switch) in &ways.nis {
        let mut text = sections.about(ni, switch);
        text.push_str("[Network]\nConfigureWithoutCarrier=yes\n");
        sections.neighbours(ni, &mut text)?;
        each(&drop_in(&sections.interface(ni)), &text)?;
    }
    let mut text = sections.title();
    sections.shared_routes(&mut text)?;
    each(&drop_in("lo"), &text)?;
    each("etc/sysctl.d/90-crosspoint.conf", &sysctl(plan, pe, &ways)?)
}

fn yaml(plan: &DesignPlan, pe: u32, ways: &Ways, sections: &Sections) -> Result<String, ExportError> {
    let mut text = sections.title();
    let own = sections.own;
    text.push_str("network:\n  version: 2\n  renderer: networkd\n  ethernets:\n");
    writeln!(text, "    lo:\n      link-local: []\n      addresses: [{own}/32]")?;
    for &(ni, _) in &ways.nis {
        let name = sections.interface(ni);
        writeln!(text, "    {name}:")?;
        if let Some(mac) = plan.permanent_mac(pe, ni)? {
            write!(text, "      match: {{macaddress: \"{mac}\"}}\n      set-name: {name}\n")?;
        }
        writeln!(text, "      macaddress: \"{}\"", mac(pe, ni))?;
        text.push_str("      dhcp4: false\n      dhcp6: false\n      accept-ra: false\n      link-local: []\n      optional: true\n");
        // An NI without any address would drop what comes in from PEs that it has no route back to.
        writeln!(text, "      addresses: [{own}/32]")?;
        routes(sections, ni, &mut text)?;
    }
    Ok(text)
}

fn routes(sections: &Sections, ni: u32, text: &mut String) -> Written {
    let mut head = "      routes:\n";
    for (to, metric) in sections.link_routes(ni) {
        let metric = if metric > 0 { format!(", metric: {metric}") } else { String::new() };
        writeln!(text, "{head}        - {{to: {to}/32, scope: link, from: {}{metric}}}", sections.own)?;
        head = "";
    }
    for (to, next) in sections.gateway_routes(ni) {
        writeln!(
            text,
            "{head}        - {{to: {to}/32, via: {next}, on-link: true, from: {}}}",
            sections.own
        )?;
        head = "";
    }
    Ok(())
}

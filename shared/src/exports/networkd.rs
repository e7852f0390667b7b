//! Files of systemd-networkd for each PE: the same addresses, neighbours and routes as `multipath`, from boot on.
//!
//! Each NI gets its computed MAC address. What tells NIs apart before that is, for each of them, the first that is known of:
//! its permanent MAC address (setting `macs`), where it is plugged in (`paths`), its name (`interface`). By
//! the first two a `.link` file finds it, names it and sets the address, and its `.network` file finds it by
//! that address: the order in which interfaces come up cannot matter. They need names that the kernel does not give, so that
//! `interface` has to be another than `eth` then. By its name alone the `.network` file does all, which
//! is as sure as the name; names such as `eth0` may change places from one boot to the next, and the file says so.
//!
//! A neighbour that shares one switch is a route on that NI. One that shares several has a route of the loopback
//! interface, which is always there, over all of them, and one on each NI with a metric: it makes the neighbour a gateway
//! that networkd accepts, and holds where the first cannot.

pub(super) mod sections;

use super::{
    DesignPlan, Each, EachFile, ExportError, FOLDER, Format, Render, Written, address::mac, ways::Ways,
};
use sections::Sections;
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["network", "avoid", "interface", "dead", "through", "macs", "paths"],
    ..Format::new(
        "networkd",
        "systemd-networkd files for each PE: what multipath sets, from boot on; NIs are found by permanent MAC address or by where they are plugged in",
        FOLDER,
        Render::Files(render),
    )
};

fn render(plan: &DesignPlan, pe: u32, each: &mut EachFile) -> Written {
    may_name(plan)?;
    let ways = plan.ways(pe)?;
    let sections = Sections::new(plan, pe, &ways)?;
    for &(ni, switch) in &ways.nis {
        let found = Found::by(plan, pe, ni)?;
        let name = format!("etc/systemd/network/10-crosspoint-{}", sections.interface(ni));
        let about = sections.about(ni, switch);
        if let Some(text) = link(&sections, pe, ni, &found) {
            each(&format!("{name}.link"), &format!("{about}{text}"))?;
        }
        each(&format!("{name}.network"), &format!("{about}{}", network(&sections, pe, ni, &found)?))?;
    }
    each("etc/systemd/network/10-crosspoint-lo.network", &loopback(&sections)?)?;
    each("etc/sysctl.d/90-crosspoint.conf", &sysctl(plan, pe, &ways)?)
}

/// What an NI is found by before it has its computed MAC address.
enum Found {
    PermanentMac(String),
    Path(String),
    Name,
}

/// Checks that NIs may be given names: the kernel's own names are taken by whichever interface comes up first.
pub(super) fn may_name(plan: &DesignPlan) -> Written {
    let settings = &plan.settings;
    if settings.interface != "eth" || settings.macs.is_empty() && settings.paths.is_empty() {
        return Ok(());
    }
    let why = "NIs that are found by macs or paths are named anew, and eth is the kernel's own; a name such as interface=ni is \
               accepted";
    Err(ExportError::Setting { choice: "interface=eth".into(), why: why.into() })
}

impl Found {
    fn by(plan: &DesignPlan, pe: u32, ni: u32) -> Result<Found, ExportError> {
        if let Some(mac) = plan.permanent_mac(pe, ni)? {
            return Ok(Found::PermanentMac(mac.to_string()));
        }
        Ok(plan.settings.paths.get(ni as usize).map_or(Found::Name, |path| Found::Path(path.clone())))
    }
}

/// The `.link` file, where something better than the name is known.
fn link(sections: &Sections, pe: u32, ni: u32, found: &Found) -> Option<String> {
    let by = match found {
        Found::PermanentMac(mac) => format!("PermanentMACAddress={mac}"),
        Found::Path(path) => format!("Path={path}"),
        Found::Name => return None,
    };
    let (name, mac) = (sections.interface(ni), mac(pe, ni));
    Some(format!("[Match]\n{by}\n\n[Link]\nName={name}\nMACAddress={mac}\n"))
}

fn network(sections: &Sections, pe: u32, ni: u32, found: &Found) -> Result<String, ExportError> {
    let (name, mac) = (sections.interface(ni), mac(pe, ni));
    let mut text = match found {
        Found::Name => format!(
            "# Found by its name. Where names may change places, as those of the kernel may, export with macs or paths.\n\
             [Match]\nName={name}\n\n[Link]\nMACAddress={mac}\nRequiredForOnline=no\n"
        ),
        _ => format!("[Match]\nMACAddress={mac}\n\n[Link]\nRequiredForOnline=no\n"),
    };
    text.push_str("\n[Network]\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n");
    // An NI without any address would drop what comes in from PEs that it has no route back to.
    write!(text, "\n[Address]\nAddress={}/32\n", sections.own)?;
    sections.neighbours(ni, &mut text)?;
    sections.own_routes(ni, &mut text)?;
    Ok(text)
}

fn loopback(sections: &Sections) -> Result<String, ExportError> {
    let mut text = sections.title();
    write!(text, "[Match]\nName=lo\n\n[Address]\nAddress={}/32\n", sections.own)?;
    sections.shared_routes(&mut text)?;
    Ok(text)
}

/// The kernel settings of `multipath`, as systemd-sysctl reads them.
pub(super) fn sysctl(plan: &DesignPlan, pe: u32, ways: &Ways) -> Result<String, ExportError> {
    let mut text = format!("# Network of {} in {}.\n", plan.pe_name(pe), plan.title());
    text.push_str(
        "# Several flows between two PEs take several paths.\nnet.ipv4.fib_multipath_hash_policy = 1\n",
    );
    text.push_str("# Answers may come in over another NI than questions went out; an NI without a carrier is left out.\n");
    for (ni, _) in &ways.nis {
        let conf = format!("net.ipv4.conf.{}{ni}", plan.settings.interface);
        writeln!(text, "{conf}.rp_filter = 2\n{conf}.ignore_routes_with_linkdown = 1")?;
        if ways.forwards {
            writeln!(text, "{conf}.forwarding = 1")?;
        }
    }
    Ok(text)
}

//! One hosts file for all hosts of a network.

use super::{Each, FabricFormat, Render, Written};
use crate::design::Names;
use std::{fmt, net::Ipv4Addr};

/// The format, as a kind of network has it.
pub(super) const fn format(
    purpose: &'static str,
    settings: &'static [&'static str],
    render: Render,
) -> FabricFormat {
    FabricFormat {
        name: "names",
        purpose,
        media_type: "text/plain; charset=utf-8",
        extension: "hosts",
        each: Each::Network,
        settings,
        render,
    }
}

/// Writes it: which network it is, what addresses are, and each host's address.
pub(super) fn write(
    (kind, addresses): (&str, &str),
    names: Names,
    hosts: impl Iterator<Item = Ipv4Addr>,
    out: &mut dyn fmt::Write,
) -> Written {
    writeln!(out, "# Hosts of {kind}\n# Addresses: {addresses}")?;
    for (host, address) in (0..).zip(hosts) {
        writeln!(out, "{address} {}", names.pe(host))?;
    }
    Ok(())
}

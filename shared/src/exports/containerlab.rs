//! A topology for containerlab: PEs are Linux containers, switches Linux bridges of the machine that runs it, which has
//! to have them before. NI k is `ethk` as on a real PE, since the containers have no management network that would take
//! `eth0`; so the exported scripts run inside as they are.

use super::{Bundle, ExportError, Format, Render, bundle::slug, machine};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "containerlab",
    purpose: "a topology for containerlab: PEs as Linux containers, switches as bridges",
    media_type: "application/yaml; charset=utf-8",
    extension: "clab.yml",
    per_pe: false,
    settings: &["interface"],
    render: Render::Text(render),
};

/// Has iproute2 and ping.
const IMAGE: &str = "ghcr.io/srl-labs/network-multitool:latest";

fn render(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let switches = bundle.design.switch_count();
    writeln!(out, "# {}: {} PEs, {switches} switches.", bundle.title(), bundle.pes())?;
    out.write_str(
        "#\n# Bridges have to be there first, and containerlab leaves them there:\n\
         #   for sw in $(awk '/kind: bridge/ { print last } { last = $1 }' FILE | tr -d :); do\n\
         #       sudo ip link add $sw type bridge && sudo ip link set $sw up\n\
         #   done\n\
         #   sudo containerlab deploy -t FILE\n",
    )?;
    writeln!(
        out,
        "name: {}\n\ntopology:\n  kinds:\n    linux:\n      image: {IMAGE}",
        slug(&bundle.spec.name)
    )?;
    out.write_str("      network-mode: none\n  nodes:\n")?;
    for switch in 0..switches {
        writeln!(out, "    {}:\n      kind: bridge", bundle.switch_name(switch))?;
    }
    for pe in 0..bundle.pes() {
        writeln!(out, "    {}:\n      kind: linux", bundle.pe_name(pe))?;
    }
    out.write_str("  links:")?;
    if bundle.design.cables() == 0 {
        out.write_str(" []")?;
    }
    out.write_str("\n")?;
    for pe in 0..bundle.pes() {
        let name = bundle.pe_name(pe);
        for (ni, &switch) in bundle.nis.of(pe).iter().enumerate() {
            // Ports of all bridges are interfaces of one machine, which names them in at most 15 characters.
            let (bridge, port) = (bundle.switch_name(switch), bundle.port(switch, pe));
            let interface = machine::interface(bundle, ni);
            writeln!(out, "    - endpoints: [\"{name}:{interface}\", \"{bridge}:{bridge}p{port}\"]")?;
        }
    }
    Ok(())
}

//! A topology for containerlab: nodes are Linux containers, switches are Linux bridges of the machine that runs it.
//!
//! Containers have no management network, so NI k is `ethk` as on a real node, and the exported scripts run inside unchanged.

use super::{DesignPlan, Format, Render, Written, bundle::slug, machine};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["interface"],
    ..Format::new(
        "containerlab",
        "containerlab topology: nodes as Linux containers, switches as bridges",
        ("application/yaml; charset=utf-8", "clab.yml"),
        Render::Text(render),
    )
};

/// Has iproute2 and ping.
const IMAGE: &str = "ghcr.io/srl-labs/network-multitool:latest";

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let switches = plan.design.switch_count();
    writeln!(out, "# {}: {} nodes, {switches} switches.", plan.title(), plan.pes())?;
    out.write_str(
        "#\n# Create the bridges first; containerlab does not remove them:\n\
         #   for sw in $(awk '/kind: bridge/ { print last } { last = $1 }' FILE | tr -d :); do\n\
         #       sudo ip link add $sw type bridge && sudo ip link set $sw up\n\
         #   done\n\
         #   sudo containerlab deploy -t FILE\n",
    )?;
    writeln!(
        out,
        "name: {}\n\ntopology:\n  kinds:\n    linux:\n      image: {IMAGE}",
        slug(&plan.spec.name)
    )?;
    out.write_str("      network-mode: none\n  nodes:\n")?;
    for switch in 0..switches {
        writeln!(out, "    {}:\n      kind: bridge", plan.switch_name(switch))?;
    }
    for pe in 0..plan.pes() {
        writeln!(out, "    {}:\n      kind: linux", plan.pe_name(pe))?;
    }
    out.write_str("  links:")?;
    if plan.design.cables() == 0 {
        out.write_str(" []")?;
    }
    out.write_str("\n")?;
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            // Ports of all bridges are interfaces of one machine, which names them in at most 15 characters.
            let (bridge, port) = (plan.switch_name(switch), plan.port(switch, pe));
            let interface = machine::interface(plan, ni);
            writeln!(out, "    - endpoints: [\"{name}:{interface}\", \"{bridge}:{bridge}p{port}\"]")?;
        }
    }
    Ok(())
}

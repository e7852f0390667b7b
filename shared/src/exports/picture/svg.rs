//! The picture as SVG: one path for all cables of a switch, text as text.

use super::{
    super::{DesignPlan, Written, colours::Colour, escape::markup, uplinks::UplinkPlan},
    HEADING, heading,
    layout::{Layout, PATCH, Point, is_pale},
};
use std::fmt::{self, Write as _};

/// Writes the picture of PEs and switches.
pub(super) fn wiring(plan: &DesignPlan, out: &mut dyn fmt::Write) -> Written {
    let layout = Layout::of(plan);
    head(plan, (layout.width, layout.height), HEADING, out)?;
    for switch in 0..plan.design.switch_count() {
        cables(plan, &layout, switch, out)?;
    }
    if let Some(uplink) = &layout.uplink {
        uplinks(plan, &layout, uplink, out)?;
    }
    for switch in 0..plan.design.switch_count() {
        let name = plan.names.switch_title(switch);
        switch_box(layout.switch(switch), &name, plan.colour(switch), out)?;
    }
    for pe in 0..plan.pes() {
        pe_row(plan, &layout, pe, out)?;
    }
    Ok(out.write_str("</svg>\n")?)
}

/// Start of both pictures: size, paper, title.
pub(super) fn head(
    plan: &DesignPlan,
    (width, height): (f64, f64),
    size: f64,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let (title, heading, line) = (markup(&plan.title()), markup(&heading(plan)), 20.0 + size / 2.0);
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Wiring of {title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#f4f6f8\"/>\n\
         <text x=\"24\" y=\"{line}\" font-size=\"{size}\" font-weight=\"bold\">{heading}</text>\n",
    )
}

fn cables(plan: &DesignPlan, layout: &Layout, switch: u32, out: &mut dyn fmt::Write) -> fmt::Result {
    let members = plan.design.members(switch);
    if members.is_empty() {
        return Ok(());
    }
    let colour = plan.colour(switch);
    let mut path = String::with_capacity(members.len() * 48);
    for &pe in members {
        let [a, b, c, d] = layout.curve(pe, switch);
        write!(path, "M{:.0} {:.1}C{:.0} {:.1} ", a.x, a.y, b.x, b.y)?;
        write!(path, "{:.0} {:.1} {:.0} {:.1}", c.x, c.y, d.x, d.y)?;
    }
    let name = plan.switch_name(switch);
    if is_pale(plan, switch) {
        writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#8a929a\" stroke-width=\"2.6\"/>")?;
    }
    let dash = if colour.transparent { " stroke-dasharray=\"7 3\"" } else { "" };
    writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{dash}><title>{name}</title></path>",
        colour.paint
    )
}

/// The cables to uplink switches, the spares, and these switches if they are none of the others.
fn uplinks(plan: &DesignPlan, layout: &Layout, uplink: &UplinkPlan, out: &mut dyn fmt::Write) -> fmt::Result {
    for (at, switch) in (0..).zip(&uplink.switches) {
        let colour = plan.colour(switch.number);
        let mut path = String::new();
        for [from, to] in layout.uplink_lines(uplink, at) {
            write!(path, "M{:.0} {:.1}L{:.0} {:.1}", from.x, from.y, to.x, to.y)?;
        }
        if is_pale(plan, switch.number) {
            writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#8a929a\" stroke-width=\"3.6\"/>")?;
        }
        writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"><title>{}</title></path>",
            colour.paint, switch.name
        )?;
        for spare in uplink.cables_of(at).filter_map(|cable| cable.from.spare()) {
            let (Point { x, y }, corner) = layout.spare(spare);
            writeln!(out, "<text x=\"{x:.0}\" y=\"{:.1}\">{}</text>", y + 4.0, plan.names.spare(spare))?;
            patch(corner, &colour, &switch.number.to_string(), out)?;
        }
        if uplink.folded.is_none() {
            switch_box(layout.uplink_box(uplink, at), &switch.name, colour, out)?;
        }
    }
    Ok(())
}

fn switch_box(
    (Point { x, y }, width, height): (Point, f64, f64),
    name: &str,
    colour: Colour,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let text = colour.text();
    writeln!(
        out,
        "<rect x=\"{x:.0}\" y=\"{y:.1}\" width=\"{width:.0}\" height=\"{height:.1}\" rx=\"3\" fill=\"{}\" \
         stroke=\"#30363c\"/>",
        colour.paint
    )?;
    let (middle, line) = (x + width / 2.0, y + height / 2.0);
    writeln!(
        out,
        "<text x=\"{middle:.0}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{text}\" font-weight=\"bold\">{}</text>",
        line - 1.0,
        name
    )?;
    writeln!(
        out,
        "<text x=\"{middle:.0}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{text}\" font-size=\"8\">{}</text>",
        line + 9.0,
        colour.name()
    )
}

fn pe_row(plan: &DesignPlan, layout: &Layout, pe: u32, out: &mut dyn fmt::Write) -> fmt::Result {
    let Point { x, y } = layout.name(pe);
    writeln!(out, "<text x=\"{x:.0}\" y=\"{:.1}\">{}</text>", y + 4.0, plan.pe_name(pe))?;
    for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
        patch(layout.patch(pe, ni), &plan.colour(switch), &switch.to_string(), out)?;
    }
    Ok(())
}

/// A patch with a switch's number.
fn patch(Point { x, y }: Point, colour: &Colour, number: &str, out: &mut dyn fmt::Write) -> fmt::Result {
    let text = colour.text();
    writeln!(
        out,
        "<rect x=\"{x:.0}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#30363c\" \
         stroke-width=\".5\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\" \
         fill=\"{text}\">{number}</text>",
        PATCH.0 - 2.0,
        PATCH.1,
        colour.paint,
        x + PATCH.0 / 2.0 - 1.0,
        y + PATCH.1 - 3.0,
    )
}

//! The picture as SVG: one path for all cables of a switch, text as text.

use super::{
    super::{DesignPlan, Written, escape::markup},
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
    for switch in 0..plan.design.switch_count() {
        switch_box(plan, &layout, switch, out)?;
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

fn switch_box(plan: &DesignPlan, layout: &Layout, switch: u32, out: &mut dyn fmt::Write) -> fmt::Result {
    let (Point { x, y }, width, height) = layout.switch(switch);
    let colour = plan.colour(switch);
    let text = if colour.dark_text { "#000" } else { "#fff" };
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
        plan.switch_name(switch)
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
        let Point { x, y } = layout.patch(pe, ni);
        let colour = plan.colour(switch);
        let text = if colour.dark_text { "#000" } else { "#fff" };
        writeln!(
            out,
            "<rect x=\"{x:.0}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#30363c\" \
             stroke-width=\".5\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\" \
             fill=\"{text}\">{switch}</text>",
            PATCH.0 - 2.0,
            PATCH.1,
            colour.paint,
            x + PATCH.0 / 2.0 - 1.0,
            y + PATCH.1 - 3.0,
        )?;
    }
    Ok(())
}

//! The page for A4 and Letter: one label per node, laid out by the browser. It has no script and no external references.

use super::super::{DesignPlan, Written, colours::Palette, escape::markup};
use crate::text::grouped;
use std::fmt;

const STYLE: &str = include_str!("../assets/labels.css");
/// Two triangles, point to point.
const TRIANGLES: &str = "<svg class=\"double\" viewBox=\"0 0 20 10\" role=\"img\" aria-label=\"transparent\">\
    <path d=\"M0 0h9L4.5 10zM11 0h9l-4.5 10z\"/></svg>";

/// Writes the page.
pub fn render(plan: &DesignPlan, out: &mut dyn fmt::Write) -> Written {
    let title = markup(&plan.title());
    let palette = plan.settings.labels.palette;
    let switches = plan.design.switch_count();
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Wiring labels: {title}</title>\n<style>\n{STYLE}"
    )?;
    for switch in 0..switches.min(palette.round()) {
        let colour = palette.of(switch);
        let text = if colour.dark_text { "#000" } else { "#fff" };
        writeln!(out, ".c{switch} {{ background-color: {}; color: {text}; }}", colour.paint)?;
    }
    out.write_str("</style>\n</head>\n<body>\n")?;
    head(plan, &title, out)?;
    // Numbers stay inside their patches however many digits they have.
    match switches.saturating_sub(1).checked_ilog10().unwrap_or(0) + 1 {
        0..=2 => out.write_str("<main>\n")?,
        digits => writeln!(out, "<main class=\"digits{}\">", digits.min(7))?,
    }
    notes(palette, plan.design.switch_count(), out)?;
    if plan.left_out() > 0 {
        writeln!(
            out,
            "<p class=\"note\"><strong>This wiring leaves {} of {} requested pairs uncovered.</strong></p>",
            grouped(plan.left_out() as u64),
            grouped(plan.requested() as u64)
        )?;
    }
    for pe in 0..plan.pes() {
        label(plan, pe, &title, out)?;
    }
    Ok(out.write_str("</main>\n</body>\n</html>\n")?)
}

/// Text above the labels, on screen only.
fn head(plan: &DesignPlan, title: &str, out: &mut dyn fmt::Write) -> Written {
    let (pes, switches) = (plan.pes(), plan.design.switch_count());
    write!(
        out,
        "<header>\n<h1>Wiring labels: {title}</h1>\n<p>{pes} labels, {switches} switches. Print at 100 % on A4 or \
         Letter, with background colours. Each patch is one NIC, NIC 0 first: plug in a cable of that colour. Its other \
         end goes to the switch of that number.</p>\n"
    )?;
    Ok(out.write_str("</header>\n")?)
}

/// Notes on the marks, on the first sheet.
fn notes(palette: Palette, switches: u32, out: &mut dyn fmt::Write) -> Written {
    let (transparent, again) = (palette.solids() < switches.min(palette.round()), switches > palette.round());
    if transparent {
        write!(out, "<p class=\"note\">{TRIANGLES} marks a transparent cable.")?;
    } else if again {
        out.write_str("<p class=\"note\">")?;
    }
    if again {
        out.write_str(
            " ×2 marks the second switch of a colour, and so on; if in doubt, go by the switch number.",
        )?;
    }
    if transparent || again {
        out.write_str("</p>\n")?;
    }
    Ok(())
}

fn label(plan: &DesignPlan, pe: u32, title: &str, out: &mut dyn fmt::Write) -> Written {
    let palette = plan.settings.labels.palette;
    let switches = plan.nis.of(pe);
    let wide = if switches.len() > 8 { " wide" } else { "" };
    write!(
        out,
        "<section class=\"label{wide}\"><h2><b>{}</b> <span>{title}</span></h2><ol>",
        plan.pe_name(pe)
    )?;
    for (ni, &switch) in switches.iter().enumerate() {
        let colour = palette.of(switch);
        let class = switch % palette.round();
        let (hatch, mark) = if colour.transparent { (" clear", TRIANGLES) } else { ("", "") };
        let round = if colour.round > 1 { format!(" ×{}", colour.round) } else { String::new() };
        write!(
            out,
            "<li class=\"c{class}{hatch}\"><i>NIC{ni}</i><b>{switch}</b><em>{}{round}</em>{mark}</li>",
            colour.hue
        )?;
    }
    if switches.is_empty() {
        out.write_str("<li class=\"none\"><em>no cable</em></li>")?;
    }
    Ok(out.write_str("</ol></section>\n")?)
}

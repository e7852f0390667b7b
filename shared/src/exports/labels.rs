//! Wiring labels to print (LCPC paper, section 3.1): one a PE, with a patch for each NI in the colour of the cable that
//! belongs there. Colour is never the only sign: each patch carries its switch's number, the colour's name and, where
//! the cable is transparent, a double triangle.
//!
//! The page holds no script and refers to nothing outside itself. Lengths are in millimetres, and a sheet's
//! printed area is as wide as the narrower of A4 and Letter allows, so that the same page fits both; the grid breaks
//! between labels only.

use super::{Bundle, ExportError, Format, Render, colours, escape::markup};
use crate::text::grouped;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "labels",
    purpose: "wiring labels to print on A4 or Letter: one a PE, with a colour patch for each NI",
    media_type: "text/html; charset=utf-8",
    extension: "html",
    per_pe: false,
    settings: &[],
    render: Render::Text(render),
};

const STYLE: &str = include_str!("labels/style.css");
/// Two triangles, point to point.
const TRIANGLES: &str = "<svg class=\"double\" viewBox=\"0 0 20 10\" role=\"img\" aria-label=\"transparent\">\
    <path d=\"M0 0h9L4.5 10zM11 0h9l-4.5 10z\"/></svg>";

fn render(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let title = markup(&bundle.title());
    let switches = bundle.design.switch_count();
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Wiring labels: {title}</title>\n<style>\n{STYLE}"
    )?;
    for switch in 0..switches.min(colours::ROUND) {
        let colour = colours::of(switch);
        let text = if colour.dark_text { "#000" } else { "#fff" };
        writeln!(out, ".c{switch} {{ background-color: {}; color: {text}; }}", colour.paint)?;
    }
    out.write_str("</style>\n</head>\n<body>\n")?;
    head(bundle, &title, out)?;
    // Numbers stay inside their patches however many digits they have.
    match switches.saturating_sub(1).checked_ilog10().unwrap_or(0) + 1 {
        0..=2 => out.write_str("<main>\n")?,
        digits => writeln!(out, "<main class=\"digits{}\">", digits.min(7))?,
    }
    notes(bundle.design.switch_count(), out)?;
    if bundle.left_out() > 0 {
        writeln!(
            out,
            "<p class=\"note\"><strong>This wiring leaves {} of {} requested pairs uncovered.</strong></p>",
            grouped(bundle.left_out() as u64),
            grouped(bundle.requested() as u64)
        )?;
    }
    for pe in 0..bundle.pes() {
        label(bundle, pe, &title, out)?;
    }
    Ok(out.write_str("</main>\n</body>\n</html>\n")?)
}

/// What a screen shows above the labels and paper does not.
fn head(bundle: &Bundle, title: &str, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let (pes, switches) = (bundle.pes(), bundle.design.switch_count());
    write!(
        out,
        "<header>\n<h1>Wiring labels: {title}</h1>\n<p>{pes} labels, {switches} switches. Print at 100 % on A4 or \
         Letter, with background colours. Each patch is one NI, NI 0 first: plug in a cable of that colour, whose other \
         end goes to the switch of that number, into any port that is not reserved.</p>\n"
    )?;
    Ok(out.write_str("</header>\n")?)
}

/// What the first sheet says of the marks on its labels.
fn notes(switches: u32, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    if switches > colours::SOLIDS {
        write!(out, "<p class=\"note\">{TRIANGLES} marks a transparent cable.")?;
        if switches > colours::ROUND {
            out.write_str(" ×2 marks the second switch of a colour, and so on: the number decides.")?;
        }
        out.write_str("</p>\n")?;
    }
    Ok(())
}

fn label(bundle: &Bundle, pe: u32, title: &str, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let switches = bundle.nis.of(pe);
    let wide = if switches.len() > 8 { " wide" } else { "" };
    write!(
        out,
        "<section class=\"label{wide}\"><h2><b>{}</b> <span>{title}</span></h2><ol>",
        bundle.pe_name(pe)
    )?;
    for (ni, &switch) in switches.iter().enumerate() {
        let colour = colours::of(switch);
        let class = switch % colours::ROUND;
        let (hatch, mark) = if colour.transparent { (" clear", TRIANGLES) } else { ("", "") };
        let round = if colour.round > 1 { format!(" ×{}", colour.round) } else { String::new() };
        write!(
            out,
            "<li class=\"c{class}{hatch}\"><i>NI{ni}</i><b>{switch}</b><em>{}{round}</em>{mark}</li>",
            colour.hue
        )?;
    }
    if switches.is_empty() {
        out.write_str("<li class=\"none\"><em>no cable</em></li>")?;
    }
    Ok(out.write_str("</ol></section>\n")?)
}

//! The working order to print: a table for each part.

use super::{Line, Order, preface, standing};
use crate::exports::{DesignPlan, Written, escape::markup, identifiers::Identifiers};
use std::fmt;

const STYLE: &str = include_str!("style.css");

/// Writes the page.
pub fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let (order, identifiers) = (Order::of(plan), Identifiers::of(plan));
    let names: Vec<&str> = identifiers.racks().map(|rack| rack.0).collect();
    let title = markup(&plan.title());
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Working order: {title}</title>\n<style>\n{STYLE}"
    )?;
    let palette = plan.settings.labels.palette;
    for switch in 0..plan.design.switch_count().min(palette.round()) {
        let colour = palette.of(switch);
        writeln!(out, ".c{switch} {{ background-color: {}; color: {}; }}", colour.paint, colour.text())?;
    }
    write!(out, "</style>\n</head>\n<body>\n<header>\n<h1>Working order: {title}</h1>\n")?;
    for said in preface(&order, plan) {
        writeln!(out, "<p>{}</p>", markup(&said))?;
    }
    out.write_str("</header>\n<main>\n")?;
    let length = if names.is_empty() { "" } else { "<th scope=\"col\" class=\"number\">m</th>" };
    for (number, part) in (1..).zip(&order.parts) {
        let steps = &order.steps[part.steps.clone()];
        write!(
            out,
            "<table><caption>Part {number} of {}: {}</caption>\n<thead><tr><th scope=\"col\" class=\"number\">Cable</th>\
             <th scope=\"col\">A</th><th scope=\"col\">PE</th><th scope=\"col\">B</th><th scope=\"col\">Switch</th>\
             <th scope=\"col\">Colour</th>{length}</tr></thead>\n<tbody>\n",
            order.parts.len(),
            standing(plan, &names, part, steps)
        )?;
        for (at, step) in part.steps.clone().zip(steps) {
            let line = Line::of(plan, &identifiers, step);
            row(out, at + 1, &line, (step.switch, step.switch % palette.round()), !names.is_empty())?;
        }
        out.write_str("</tbody></table>\n")?;
    }
    Ok(out.write_str("</main>\n</body>\n</html>\n")?)
}

fn row(
    out: &mut dyn fmt::Write,
    step: usize,
    line: &Line,
    (switch, class): (u32, u32),
    racks: bool,
) -> fmt::Result {
    let at = |identifier: &str| if racks { format!(" <b>{identifier}</b>") } else { String::new() };
    write!(
        out,
        "<tr><td class=\"number\">{step}</td><td><i class=\"box\"></i></td><td>{}{}</td><td><i class=\"box\"></i></td>\
         <td>{}{}</td><td><span class=\"patch c{class}\">{switch}</span> {}</td>",
        line.pe,
        at(&line.pe_id),
        line.switch,
        at(&line.switch_id),
        line.colour
    )?;
    if racks {
        out.write_str("<td class=\"number\">")?;
        if let Some(metres) = line.metres {
            write!(out, "{metres:.1}")?;
        }
        out.write_str("</td>")?;
    }
    out.write_str("</tr>\n")
}

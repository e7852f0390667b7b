//! First paint of linked pages: a design or a node, without a script, until the studio has loaded.

use crate::store::{Card, StoredDesign};
use shared::{
    design::Design,
    exports::{CablingPlan, NodeCable, markup},
    text::grouped,
};

/// A bar and the content below it. Both are HTML.
fn page(class: &str, bar: &str, content: &str) -> String {
    format!("{bar}\n<main class=\"{class}\">\n{content}\n</main>\n")
}

/// A design, or a search so far: its name and its figures, each a sentence or a list of numbers.
pub fn design(name: &str, figures: &[String], picture: Option<&str>) -> String {
    let bar = "<header class=\"bar\"><p class=\"brand\"><a href=\"/\">Crosspoint</a></p></header>";
    let figures: String = figures.iter().map(|line| format!("<p>{}</p>\n", markup(line))).collect();
    let picture = picture.map_or_else(String::new, |address| {
        let size = "width=\"1200\" height=\"630\"";
        format!(
            "<img src=\"{}\" {size} alt=\"Map of the requested and delivered pairs\" fetchpriority=\"high\">",
            markup(address)
        )
    });
    page("page first", bar, &format!("<h1>{}</h1>\n{figures}{picture}", markup(name)))
}

/// Number of switches and cables, and the verdict of the checker if it is known.
pub fn figures(wiring: &Design, card: Option<&Card>) -> Vec<String> {
    let switches = grouped(wiring.used_switches().into());
    let cables = grouped(wiring.cables() as u64);
    let verdict = card.map(|card| {
        let requested = grouped(card.requested);
        match (card.uncovered, card.weight) {
            (0, _) => format!("All {requested} requested pairs share a switch."),
            (_, Some(weight)) => format!("{:.1} % of the weight covered.", 100.0 * weight),
            (left, None) => format!("{} of {requested} requested pairs uncovered.", grouped(left)),
        }
    });
    [Some(format!("{switches} switches, {cables} cables")), verdict].into_iter().flatten().collect()
}

/// What a technician can do until the studio has loaded.
const NOTE: &str = "These are the cables of this node, each with its switch and port. You can plug them in now. \
    To tick them off here, wait until this page has loaded completely.";

/// The cables of a node in the order of its NICs, as those who plug them in need them.
pub fn node(stored: &StoredDesign, plan: &CablingPlan, node: u32) -> String {
    let name = if plan.name().is_empty() { "Cabling" } else { plan.name() };
    let bar = format!(
        "<header class=\"companion-bar\"><a href=\"/d/{}/cabling\">{}</a></header>",
        markup(&stored.id),
        markup(name)
    );
    let place = plan.place(node).unwrap_or_default();
    let rows: String = plan.cables(node).iter().map(row).collect();
    let content = format!(
        "{bar}\n<p class=\"companion-note\">{NOTE}</p>\n<h1>{}</h1>\n<p class=\"hint\">{}</p>\n<ul class=\"cable-list\">\n{rows}</ul>",
        markup(&plan.names().pe(node)),
        markup(&place)
    );
    page("companion first", "", &content)
}

/// A cable. The page's policy permits no inline styles, so a drawing has the colours.
fn row(cable: &NodeCable) -> String {
    format!(
        "<li class=\"cable\"><div class=\"button cable-tick\">\
         <svg class=\"chip\" viewBox=\"0 0 64 64\" aria-hidden=\"true\">\
         <rect width=\"64\" height=\"64\" fill=\"{}\"/>\
         <text x=\"32\" y=\"41\" text-anchor=\"middle\" fill=\"{}\">{}</text></svg>\
         <span class=\"words\"><strong>{}</strong><span>{}</span></span></div></li>\n",
        cable.paint,
        cable.ink,
        markup(&cable.number),
        markup(&cable.ends()),
        markup(&cable.details())
    )
}

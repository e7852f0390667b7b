//! The work list: cables in an order for two people, one at the nodes and one at the switches, with boxes to tick.

use super::{
    CSV, DesignPlan, Format, Group, HTML, INTERFACE, PALETTE, PORT, Render, TEXT, WriteResult,
    escape::{field, markup},
    identifiers::Identifiers,
    order::{Order, RackStage, Step},
    uplinks::{End, UplinkCable, UplinkSwitch},
};
use crate::text::{count, grouped};
use std::fmt;

pub(super) const FORMAT: Format = Format::new(
    Group::Rack,
    "worklist",
    "Work list, web page",
    HTML,
    Render::Text(page),
)
.read_by(&["Chromium"])
.recommended()
.purpose("work list for two people, one at the nodes and one at the switches, with boxes to tick, to print")
.with(&[&PALETTE]);

pub(super) const TABLE: Format =
    Format::new(Group::Rack, "worklist-csv", "Work list, table", CSV, Render::Text(csv))
        .read_by(&["pandas 3.1"])
        .purpose("the work list as a table")
        .with(&[&PALETTE, &INTERFACE, &PORT]);

pub(super) const PLAIN: Format =
    Format::new(Group::Rack, "worklist-text", "Work list, text", TEXT, Render::Text(text))
        .purpose("the work list as plain text")
        .with(&[&PALETTE]);

/// One cable as it is written.
struct Line {
    /// Empty at a node.
    port: String,
    pe: String,
    switch: String,
    pe_id: String,
    switch_id: String,
    /// Name of its interface.
    interface: String,
    /// Name of its port on the switch.
    switchport: String,
    colour: String,
    metres: Option<f64>,
}

impl Line {
    fn of(plan: &DesignPlan, identifiers: &Identifiers, step: &Step) -> Line {
        let Step { pe, ni, switch } = *step;
        let cable = plan.plug(pe, ni, switch);
        let port = if cable.direct.is_some() { String::new() } else { cable.port.to_string() };
        Line::between(
            plan.ends(identifiers, cable),
            port,
            plan.colour(switch).name(),
            plan.length(identifiers, cable),
        )
    }

    fn between([from, to]: [End; 2], port: String, colour: String, metres: Option<f64>) -> Line {
        Line {
            port,
            pe: from.label,
            switch: to.label,
            pe_id: from.identifier,
            switch_id: to.identifier,
            interface: from.port,
            switchport: to.port,
            colour,
            metres,
        }
    }

    /// The end at the switch for people: the number of the port is on the switch, its name in the configuration.
    fn switch_end(&self, plan: &DesignPlan) -> String {
        if plan.names.has_own_ports() && !self.port.is_empty() {
            format!("{}, {}", self.switch, self.switchport)
        } else {
            self.switch.clone()
        }
    }

    /// Writes the columns from the identifiers on.
    fn write_rest(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{},{},{},", self.pe_id, self.switch_id, field(&self.colour))?;
        if let Some(metres) = self.metres {
            write!(out, "{metres:.2}")?;
        }
        writeln!(out, ",{},{},,", self.interface, self.switchport)
    }
}

/// Cables to an uplink switch, after all others.
struct Uplinks {
    /// Name of the uplink switch.
    name: String,
    /// Number that the colour follows.
    number: u32,
    lines: Vec<Line>,
}

impl Uplinks {
    /// Lists the cables of each uplink switch that has any.
    fn of(plan: &DesignPlan, identifiers: &Identifiers) -> Vec<Uplinks> {
        let Some(uplink) = plan.uplink() else { return Vec::new() };
        let line = |cable: UplinkCable| {
            let colour = plan.colour(uplink.switch_of(cable).number).name();
            let ends = uplink.ends(&plan.names, identifiers, cable);
            Line::between(ends, cable.port.to_string(), colour, uplink.length(identifiers, cable))
        };
        let of = |(at, switch): (u32, &UplinkSwitch)| Uplinks {
            lines: uplink.cables_of(at).map(line).collect(),
            name: switch.name.clone(),
            number: switch.number,
        };
        let all = (0..).zip(&uplink.switches).map(of);
        all.filter(|uplinks| !uplinks.lines.is_empty()).collect()
    }

    /// Where both people are.
    fn standing(&self) -> String {
        format!("B at {}, A at each switch and spare", self.name)
    }
}

/// Racks of both people in a part.
fn standing(plan: &DesignPlan, names: &[&str], part: &RackStage, steps: &[Step]) -> String {
    match (part.racks, steps.first()) {
        (Some((pes, switches)), _) => format!("A at rack {}, B at rack {}", names[pes], names[switches]),
        (None, Some(step)) if plan.is_cable(step.switch) => "A and B each at a node of the cable".into(),
        (None, Some(step)) => format!("B at {}, A along the nodes", plan.switch_name(step.switch)),
        (None, None) => String::new(),
    }
}

/// Sentences before the list.
fn preface(order: &Order, plan: &DesignPlan) -> Vec<String> {
    let uplink = plan.uplink();
    let uplinks = uplink.as_ref().map_or(0, |uplink| uplink.cables.len());
    let last = uplink.map_or(0, |uplink| uplink.cables.chunk_by(|a, b| a.to == b.to).count());
    let (cables, parts) = ((order.steps.len() + uplinks) as u64, (order.parts.len() + last) as u64);
    let (cables, parts) = (count(cables, "cable"), count(parts, "part"));
    let only_cables = plan.has_only_cables();
    let ends = match only_cables {
        true => "Person A plugs in one end of a cable, person B the other end",
        false => "Person A plugs in at the node, person B at the switch",
    };
    let mut said = vec![format!("{cables} in {parts}. {ends}. Each ticks a box per cable.")];
    let to_uplinks = grouped(uplinks as u64);
    match last {
        0 => {}
        1 => said.push(format!("The last part has the {to_uplinks} cables to the uplink switch.")),
        _ => said.push(format!("The last {last} parts have the {to_uplinks} cables to uplink switches.")),
    }
    if let Some((here, list)) = order.walked {
        let outer = match order.pes_once {
            _ if only_cables => "One person passes the racks",
            true => "A passes the racks of nodes",
            false => "B passes the racks of switches",
        };
        said.push(
            "Within a part, both stay at their racks. Between parts, one moves to the next rack.".into(),
        );
        said.push(format!(
            "{outer} once, in order. Together they walk {here:.0} m, against {list:.0} m in the order of the cable list."
        ));
    } else if !only_cables {
        said.push(
            "B visits each switch once. A walks along the nodes, then starts over for the next switch."
                .into(),
        );
    }
    if plan.left_out() > 0 {
        let (left, all) = (grouped(plan.left_out() as u64), grouped(plan.requested() as u64));
        said.push(format!("This wiring leaves {left} of {all} requested pairs uncovered."));
    }
    said.push(format!("Wiring {}. Use labels with the same wiring id.", plan.revision()));
    said
}

fn csv(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (order, identifiers) = (Order::of(plan), Identifiers::of(plan));
    out.write_str(
        "part,step,pe,ni,switch,port,pe_end,switch_end,pe_id,switch_id,colour,length_m,interface,switchport,pe_done,switch_done\n",
    )?;
    for (number, part) in (1..).zip(&order.parts) {
        for (at, step) in part.steps.clone().zip(&order.steps[part.steps.clone()]) {
            let line = Line::of(plan, &identifiers, step);
            let Step { pe, ni, switch } = step;
            write!(out, "{number},{},{pe},{ni},{switch},{},{},{},", at + 1, line.port, line.pe, line.switch)?;
            line.write_rest(out)?;
        }
    }
    let folded = plan.spec.uplink_switch().map_or_else(String::new, |switch| switch.to_string());
    let mut at = order.steps.len();
    for (number, uplinks) in (order.parts.len() + 1..).zip(&Uplinks::of(plan, &identifiers)) {
        for line in &uplinks.lines {
            at += 1;
            write!(out, "{number},{at},,,{folded},{},{},{},", line.port, line.pe, line.switch)?;
            line.write_rest(out)?;
        }
    }
    Ok(())
}

fn text(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (order, identifiers) = (Order::of(plan), Identifiers::of(plan));
    let names: Vec<&str> = identifiers.racks().map(|rack| rack.0).collect();
    writeln!(out, "Work list of {}", plan.title())?;
    for said in preface(&order, plan) {
        writeln!(out, "{said}")?;
    }
    let uplinks = Uplinks::of(plan, &identifiers);
    let all = order.steps.len() + uplinks.iter().map(|uplinks| uplinks.lines.len()).sum::<usize>();
    let (digits, racks) = (all.to_string().len(), !names.is_empty());
    let write_line = |out: &mut dyn fmt::Write, at: usize, line: &Line| {
        write!(out, "{at:digits$}  A [ ] {}", line.pe)?;
        if racks {
            write!(out, " ({})", line.pe_id)?;
        }
        write!(out, "  B [ ] {}", line.switch_end(plan))?;
        if racks {
            write!(out, " ({})", line.switch_id)?;
        }
        writeln!(out, "  {}", line.colour)
    };
    let parts = order.parts.len() + uplinks.len();
    for (number, part) in (1..).zip(&order.parts) {
        let steps = &order.steps[part.steps.clone()];
        writeln!(out, "\nPart {number} of {parts}: {}", standing(plan, &names, part, steps))?;
        for (at, step) in part.steps.clone().zip(steps) {
            write_line(out, at + 1, &Line::of(plan, &identifiers, step))?;
        }
    }
    let mut at = order.steps.len();
    for (number, uplinks) in (order.parts.len() + 1..).zip(&uplinks) {
        writeln!(out, "\nPart {number} of {parts}: {}", uplinks.standing())?;
        for line in &uplinks.lines {
            at += 1;
            write_line(out, at, line)?;
        }
    }
    Ok(())
}

const STYLE: &str = include_str!("assets/worklist.css");

/// Writes the page.
fn page(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (order, identifiers) = (Order::of(plan), Identifiers::of(plan));
    let names: Vec<&str> = identifiers.racks().map(|rack| rack.0).collect();
    let title = markup(&plan.title());
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Work list: {title}</title>\n<style>\n{STYLE}"
    )?;
    let palette = plan.settings.get(&PALETTE);
    let uplinks = Uplinks::of(plan, &identifiers);
    let colours = plan.design.switch_count() + uplinks.len() as u32;
    for switch in 0..colours.min(palette.round()) {
        let colour = palette.of(switch);
        writeln!(out, ".c{switch} {{ background-color: {}; color: {}; }}", colour.paint, colour.text())?;
    }
    write!(out, "</style>\n</head>\n<body>\n<header>\n<h1>Work list: {title}</h1>\n")?;
    for said in preface(&order, plan) {
        writeln!(out, "<p>{}</p>", markup(&said))?;
    }
    out.write_str("</header>\n<main>\n")?;
    // A switch with a name of its own has it beside the patch. Without a blank, the patch would have no height.
    let mark = |switch: u32| match plan.names.has_named_switches() {
        true => "\u{a0}".to_owned(),
        false => switch.to_string(),
    };
    let length = if names.is_empty() { "" } else { "<th scope=\"col\" class=\"number\">m</th>" };
    let parts = order.parts.len() + uplinks.len();
    let begin = |out: &mut dyn fmt::Write, number: usize, standing: String, [from, to]: [&str; 2]| {
        write!(
            out,
            "<table><caption>Part {number} of {parts}: {standing}</caption>\n<thead><tr><th scope=\"col\" class=\"number\">Cable</th>\
             <th scope=\"col\">A</th><th scope=\"col\">{from}</th><th scope=\"col\">B</th><th scope=\"col\">{to}</th>\
             <th scope=\"col\">Colour</th>{length}</tr></thead>\n<tbody>\n"
        )
    };
    for (number, part) in (1..).zip(&order.parts) {
        let steps = &order.steps[part.steps.clone()];
        let is_direct = steps.iter().all(|step| plan.is_cable(step.switch));
        let to = if is_direct { "Other node" } else { "Switch" };
        begin(out, number, standing(plan, &names, part, steps), ["Node", to])?;
        for (at, step) in part.steps.clone().zip(steps) {
            let line = Line::of(plan, &identifiers, step);
            let patch = (&*mark(step.switch), step.switch % palette.round());
            row(out, at + 1, &line, patch, plan)?;
        }
        out.write_str("</tbody></table>\n")?;
    }
    let mut at = order.steps.len();
    for (number, uplinks) in (order.parts.len() + 1..).zip(&uplinks) {
        begin(out, number, uplinks.standing(), ["From", "Switch"])?;
        for line in &uplinks.lines {
            at += 1;
            let patch = (&*mark(uplinks.number), uplinks.number % palette.round());
            row(out, at, line, patch, plan)?;
        }
        out.write_str("</tbody></table>\n")?;
    }
    Ok(out.write_str("</main>\n</body>\n</html>\n")?)
}

fn row(
    out: &mut dyn fmt::Write,
    step: usize,
    line: &Line,
    (number, class): (&str, u32),
    plan: &DesignPlan,
) -> fmt::Result {
    let racks = !plan.spec.racks.is_empty();
    let at = |identifier: &str| if racks { format!(" <b>{identifier}</b>") } else { String::new() };
    write!(
        out,
        "<tr><td class=\"number\">{step}</td><td><i class=\"box\"></i></td><td>{}{}</td><td><i class=\"box\"></i></td>\
         <td>{}{}</td><td><span class=\"patch c{class}\">{number}</span> {}</td>",
        line.pe,
        at(&line.pe_id),
        line.switch_end(plan),
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

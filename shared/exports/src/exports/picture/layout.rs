//! Positions in a picture of the wiring: switches in the middle, PEs in a column on either side, a curve per cable, and a patch with
//! the switch number per NI.

use super::{
    super::{
        DesignPlan,
        labels::font::{Helvetica, Letters},
        uplinks::UplinkPlan,
    },
    HEADING, Line, Mark, Path, Picture,
};
use crate::design::Design;

/// Least height of a PE's row, in pixels.
const ROW: f64 = 16.0;
/// A patch's width and height.
pub(super) const PATCH: (f64, f64) = (22.0, 12.0);
/// Least width of PEs' names, and their font size.
const NAME: f64 = 64.0;
pub(super) const NAME_SIZE: f64 = 12.0;
/// From the patches to the switches.
const GAP: f64 = 320.0;
/// Least width of switches.
const SWITCH_WIDTH: f64 = 86.0;
/// From the switches to the line that joins them with the uplink switch.
const BUS: f64 = 14.0;
pub(super) const MARGIN: f64 = 24.0;
/// Above the first row.
const HEAD: f64 = 48.0;
/// Between two switches.
const BETWEEN: f64 = 10.0;
/// Least height of a switch.
const SWITCH_HEIGHT: f64 = 30.0;

/// A place in the picture; x to the right, y down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::exports) struct Point {
    pub x: f64,
    pub y: f64,
}

/// Heights in a picture of the wiring, in pixels from the first row down: half of the PEs on the left, the others on the right, and
/// the switches between them.
pub struct Rows {
    /// PEs on the left.
    left: u32,
    /// Distance between two PEs of a side.
    pitch: f64,
    /// Top and height of each switch.
    switches: Vec<(f64, f64)>,
    height: f64,
}

impl Rows {
    /// The rows of a wiring.
    pub fn of(design: &Design) -> Rows {
        let left = design.pes().div_ceil(2);
        let rows = f64::from(left) * ROW;
        // Ports of both sides share a switch's height; what the rows leave is shared out.
        let lowest = |members: usize| SWITCH_HEIGHT.max(members as f64 / 2.0 * 3.0);
        let least: f64 = design.switches().map(|members| lowest(members.len()) + BETWEEN).sum();
        let stretch = if least > 0.0 { (rows / least).max(1.0) } else { 1.0 };
        let mut switches = Vec::with_capacity(design.switch_count() as usize);
        let mut top = 0.0;
        for members in design.switches() {
            let whole = (lowest(members.len()) + BETWEEN) * stretch;
            switches.push((top, whole - BETWEEN));
            top += whole;
        }
        let height = rows.max(top);
        Rows { left, pitch: height / f64::from(left.max(1)), switches, height }
    }

    /// Height of all rows.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Distance between two PEs of a side.
    pub fn pitch(&self) -> f64 {
        self.pitch
    }

    /// `true` if a PE is on the left.
    pub fn is_left(&self, pe: u32) -> bool {
        pe < self.left
    }

    /// The middle of a PE's row.
    pub fn row(&self, pe: u32) -> f64 {
        let place = if self.is_left(pe) { pe } else { pe - self.left };
        (f64::from(place) + 0.5) * self.pitch
    }

    /// Top and height of a switch.
    pub fn switch(&self, switch: u32) -> (f64, f64) {
        self.switches[switch as usize]
    }

    /// The port of a cable. Ports of a side are spread over the switch's height in PE order, so that no two cables of one switch
    /// and side cross there.
    pub fn port(&self, design: &Design, pe: u32, switch: u32) -> f64 {
        let members = design.members(switch);
        let split = members.partition_point(|&member| self.is_left(member));
        let at = members.partition_point(|&member| member < pe);
        let (place, of) = if self.is_left(pe) { (at, split) } else { (at - split, members.len() - split) };
        let (top, height) = self.switch(switch);
        top + height * (place as f64 + 0.5) / of as f64
    }
}

/// Pictures below so many pixels are drawn at twice the size.
#[cfg(feature = "server")]
const SMALL: f64 = 4e6;

/// The picture of PEs, switches and cables.
pub(super) fn wiring(plan: &DesignPlan) -> Picture {
    let layout = Layout::of(plan);
    let (width, height) = (layout.width, layout.height);
    let mut marks = Vec::new();
    for (switch, members) in (0..).zip(plan.design.switches()).filter(|(_, members)| !members.is_empty()) {
        let colour = plan.colour(switch);
        let outline = is_pale(plan, switch).then_some(2.6);
        let line = Line { thickness: 1.5, outline, is_dashed: colour.transparent };
        let paths = members.iter().map(|&pe| Path::Curve(layout.curve(pe, switch))).collect();
        marks.push(Mark::Cables { switch: plan.switch_name(switch), colour, line, paths });
    }
    if let Some(uplink) = &layout.uplink {
        layout.uplinks(uplink, &mut marks);
    }
    marks.extend((0..plan.design.switch_count()).map(|switch| {
        let (area, name) = (layout.switch(switch), plan.names.switch_title(switch));
        Mark::Switch { area, name, colour: plan.colour(switch) }
    }));
    for pe in 0..plan.pes() {
        marks.push(Mark::Name { at: layout.name(pe), text: plan.pe_name(pe) });
        marks.extend(plan.nis.of(pe).iter().enumerate().map(|(ni, &switch)| Mark::Patch {
            corner: layout.patch(pe, ni),
            colour: plan.colour(switch),
            number: switch,
        }));
    }
    Picture {
        width,
        height,
        heading: HEADING,
        #[cfg(feature = "server")]
        scale: if width * height <= SMALL { 2.0 } else { 1.0 },
        marks,
    }
}

/// Sizes of a picture and what follows from them.
struct Layout<'a> {
    plan: &'a DesignPlan,
    rows: Rows,
    /// Width of a PE's name with the gap behind it.
    name: f64,
    switch_width: f64,
    /// The uplink switch with its cables.
    uplink: Option<UplinkPlan>,
    width: f64,
    height: f64,
}

impl<'a> Layout<'a> {
    fn of(plan: &'a DesignPlan) -> Layout<'a> {
        let rows = Rows::of(&plan.design);
        let patches = plan.most_nis() as f64 * PATCH.0;
        let uplink = plan.uplink();
        let of = |name: String, bold: bool| Helvetica.width(&name, bold) * NAME_SIZE + PATCH.0;
        let spares = uplink.iter().flat_map(|uplink| uplink.spares().map(|spare| plan.names.spare(spare)));
        let nodes = (0..plan.pes()).map(|pe| plan.pe_name(pe)).chain(spares);
        let name = nodes.map(|name| of(name, false)).fold(NAME, f64::max).ceil();
        let joining = uplink.iter().flat_map(|uplink| &uplink.switches).map(|switch| switch.name.clone());
        let switches =
            (0..plan.design.switch_count()).map(|switch| plan.names.switch_title(switch)).chain(joining);
        let switch_width = switches.map(|name| of(name, true)).fold(SWITCH_WIDTH, f64::max).ceil();
        let width = 2.0 * (MARGIN + name + patches + GAP) + switch_width;
        let below = uplink.as_ref().map_or(0.0, |uplink| {
            let boxes = if uplink.folded.is_none() { uplink.switches.len() } else { 0 };
            let own = (BETWEEN + SWITCH_HEIGHT) * boxes as f64;
            own.max(BETWEEN + ROW * uplink.spares().count() as f64)
        });
        let height = HEAD + rows.height() + below + MARGIN;
        Layout { plan, rows, name, switch_width, uplink, width, height }
    }

    /// Cables to uplink switches, spares, and the uplink switches unless they are folded.
    fn uplinks(&self, uplink: &UplinkPlan, marks: &mut Vec<Mark>) {
        for (at, switch) in (0..).zip(&uplink.switches) {
            let (colour, name) = (self.plan.colour(switch.number), switch.name.clone());
            let outline = is_pale(self.plan, switch.number).then_some(3.6);
            let line = Line { thickness: 2.5, outline, is_dashed: false };
            let paths = self.uplink_lines(uplink, at).into_iter().map(Path::Straight).collect();
            marks.push(Mark::Cables { switch: name.clone(), colour, line, paths });
            for spare in uplink.cables_of(at).filter_map(|cable| cable.from.spare()) {
                let (name, corner) = self.spare(spare);
                marks.push(Mark::Name { at: name, text: self.plan.names.spare(spare) });
                marks.push(Mark::Patch { corner, colour, number: switch.number });
            }
            if uplink.folded.is_none() {
                marks.push(Mark::Switch { area: self.uplink_box(uplink, at), name, colour });
            }
        }
    }

    /// The box of an uplink switch, by its place in the plan: its upper left corner, width and height.
    fn uplink_box(&self, uplink: &UplinkPlan, at: u32) -> (Point, f64, f64) {
        let y = HEAD + self.rows.height() + BETWEEN + f64::from(at) * (BETWEEN + SWITCH_HEIGHT);
        let own = Point { x: (self.width - self.switch_width) / 2.0, y };
        uplink.folded.map_or((own, self.switch_width, SWITCH_HEIGHT), |switch| self.switch(switch))
    }

    /// A spare's name, and the upper left corner of its patch.
    fn spare(&self, spare: u32) -> (Point, Point) {
        let y = HEAD + self.rows.height() + BETWEEN + (f64::from(spare) + 0.5) * ROW;
        (Point { x: MARGIN, y }, Point { x: MARGIN + self.name, y: y - PATCH.1 / 2.0 })
    }

    /// Lines of the cables to an uplink switch: a line from each switch to one that leads to it, and a line from each spare.
    fn uplink_lines(&self, uplink: &UplinkPlan, at: u32) -> Vec<[Point; 2]> {
        let (corner, width, height) = self.uplink_box(uplink, at);
        let step = BUS / uplink.switches.len() as f64;
        let (bus, middle) = (corner.x + width + step * f64::from(at + 1), corner.y + height / 2.0);
        let stub = |y: f64| [Point { x: corner.x + width, y }, Point { x: bus, y }];
        let mut lines = vec![stub(middle)];
        let mut span = (middle, middle);
        let mut switches: Vec<u32> = uplink.cables_of(at).filter_map(|cable| cable.from.switch()).collect();
        switches.dedup();
        for switch in switches {
            let (corner, _, height) = self.switch(switch);
            let y = corner.y + height / 2.0;
            span = (span.0.min(y), span.1.max(y));
            lines.push(stub(y));
        }
        lines.push([Point { x: bus, y: span.0 }, Point { x: bus, y: span.1 }]);
        for spare in uplink.cables_of(at).filter_map(|cable| cable.from.spare()) {
            let (name, patch) = self.spare(spare);
            lines.push([Point { x: patch.x + PATCH.0, y: name.y }, Point { x: corner.x, y: middle }]);
        }
        lines
    }

    fn row(&self, pe: u32) -> f64 {
        HEAD + self.rows.row(pe)
    }

    /// Start of a PE's name, and the middle of its line.
    fn name(&self, pe: u32) -> Point {
        let x = if self.rows.is_left(pe) { MARGIN } else { self.width - MARGIN - self.name + 8.0 };
        Point { x, y: self.row(pe) }
    }

    /// The upper left corner of an NI's patch. Patches adjoin the PE's name.
    fn patch(&self, pe: u32, ni: usize) -> Point {
        let y = self.row(pe) - PATCH.1 / 2.0;
        let first = if self.rows.is_left(pe) {
            MARGIN + self.name
        } else {
            self.width - MARGIN - self.name - self.patches(pe)
        };
        Point { x: first + ni as f64 * PATCH.0, y }
    }

    /// Width of a PE's patches.
    fn patches(&self, pe: u32) -> f64 {
        self.plan.nis.of(pe).len() as f64 * PATCH.0
    }

    /// A switch's box: its upper left corner, width and height.
    fn switch(&self, switch: u32) -> (Point, f64, f64) {
        let (top, height) = self.rows.switch(switch);
        (Point { x: (self.width - self.switch_width) / 2.0, y: HEAD + top }, self.switch_width, height)
    }

    /// The ends and two control points of a cable's curve, from the PE's patches to the switch.
    fn curve(&self, pe: u32, switch: u32) -> [Point; 4] {
        let (corner, width, _) = self.switch(switch);
        let port = HEAD + self.rows.port(&self.plan.design, pe, switch);
        let y = self.row(pe);
        let patches = self.patch(pe, 0).x;
        let (from, to, bend) = if self.rows.is_left(pe) {
            (patches + self.patches(pe), corner.x, GAP / 2.0)
        } else {
            (patches, corner.x + width, -GAP / 2.0)
        };
        [
            Point { x: from, y },
            Point { x: from + bend, y },
            Point { x: to - bend, y: port },
            Point { x: to, y: port },
        ]
    }
}

/// `true` if a colour is too pale for the paper and gets an outline.
pub(super) fn is_pale(plan: &DesignPlan, switch: u32) -> bool {
    let colour = plan.colour(switch);
    colour.dark_text && (colour.transparent || matches!(colour.hue, "white" | "yellow"))
}

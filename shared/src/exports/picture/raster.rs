//! The picture of PEs, switches and cables in pixels.

use super::{
    super::{
        DesignPlan,
        colours::Colour,
        labels::{faces::Faces, font::Letters},
        uplinks::UplinkPlan,
    },
    HEADING, INK, OUTLINE, PAPER,
    canvas::{Canvas, Rgb, rgb},
    heading,
    layout::{Layout, MARGIN, NAME_SIZE, PATCH, Point, is_pale},
    pen::Style,
};

/// Pictures below so many pixels are drawn at twice the size.
const SMALL: f64 = 4e6;
/// Font sizes, and `true` for bold.
const NAME: (f64, bool) = (NAME_SIZE, false);
const SWITCH: (f64, bool) = (NAME_SIZE, true);
const COLOUR: (f64, bool) = (9.5, false);
const NUMBER: (f64, bool) = (10.0, false);

/// Draws the picture.
pub(super) fn wiring(plan: &DesignPlan) -> Canvas {
    let (layout, faces) = (Layout::of(plan), Faces::new(&plan.fonts));
    let scale = if layout.width * layout.height <= SMALL { 2.0 } else { 1.0 };
    let size = |length: f64| (length * scale).ceil() as usize;
    let mut drawing = Drawing {
        plan,
        canvas: Canvas::new(size(layout.width), size(layout.height), PAPER),
        layout: &layout,
        faces: &faces,
        scale,
    };
    drawing.canvas.heading(&faces, &heading(plan), MARGIN * scale, HEADING * scale);
    for switch in 0..plan.design.switch_count() {
        drawing.cables(switch);
    }
    if let Some(uplink) = &layout.uplink {
        drawing.uplinks(uplink);
    }
    for switch in 0..plan.design.switch_count() {
        let name = plan.names.switch_title(switch);
        drawing.switch(layout.switch(switch), &name, &plan.colour(switch));
    }
    for pe in 0..plan.pes() {
        drawing.pe(pe);
    }
    drawing.canvas
}

/// A canvas that is drawn on in the layout's units.
struct Drawing<'a> {
    plan: &'a DesignPlan,
    canvas: Canvas,
    layout: &'a Layout<'a>,
    faces: &'a Faces<'a>,
    scale: f64,
}

impl Drawing<'_> {
    fn text(&mut self, text: &str, (x, y): (f64, f64), (size, bold): (f64, bool), colour: Rgb) {
        let style = Style { size: size * self.scale, bold, colour };
        self.canvas.text(self.faces, text, (x * self.scale, y * self.scale), style);
    }

    /// Text with its middle at `x`.
    fn centred(&mut self, text: &str, (x, y): (f64, f64), look: (f64, bool), colour: Rgb) {
        let width = self.faces.width(text, look.1) * look.0;
        self.text(text, (x - width / 2.0, y), look, colour);
    }

    fn fill(&mut self, x: f64, y: f64, width: f64, height: f64, colour: Rgb) {
        let scale = self.scale;
        self.canvas.fill(x * scale, y * scale, width * scale, height * scale, colour);
    }

    /// A box with an edge.
    fn boxed(&mut self, x: f64, y: f64, width: f64, height: f64, colour: Rgb) {
        let edge = 0.5;
        self.fill(x - edge, y - edge, width + 2.0 * edge, height + 2.0 * edge, INK);
        self.fill(x, y, width, height, colour);
    }

    fn cables(&mut self, switch: u32) {
        let colour = self.plan.colour(switch);
        for &pe in self.plan.design.members(switch) {
            let points = flatten(self.layout.curve(pe, switch), self.scale);
            if is_pale(self.plan, switch) {
                self.strokes(&points, 2.6, OUTLINE, false);
            }
            self.strokes(&points, 1.5, rgb(colour.paint), colour.transparent);
        }
    }

    /// Cables that are transparent are dashed: every third piece is left out.
    fn strokes(&mut self, points: &[Point], thickness: f64, colour: Rgb, dashed: bool) {
        for (i, piece) in points.windows(2).enumerate() {
            if !dashed || i % 3 != 2 {
                self.canvas.line(piece[0], piece[1], thickness * self.scale, colour);
            }
        }
    }

    /// The cables to uplink switches, the spares, and these switches if they are none of the others.
    fn uplinks(&mut self, uplink: &UplinkPlan) {
        for (at, switch) in (0..).zip(&uplink.switches) {
            let colour = self.plan.colour(switch.number);
            for ends in self.layout.uplink_lines(uplink, at) {
                let points = ends.map(|Point { x, y }| Point { x: x * self.scale, y: y * self.scale });
                if is_pale(self.plan, switch.number) {
                    self.strokes(&points, 3.6, OUTLINE, false);
                }
                self.strokes(&points, 2.5, rgb(colour.paint), false);
            }
            for spare in uplink.cables_of(at).filter_map(|cable| cable.from.spare()) {
                let (Point { x, y }, corner) = self.layout.spare(spare);
                self.text(&self.plan.names.spare(spare), (x, y), NAME, INK);
                self.patch(corner, &colour, switch.number);
            }
            if uplink.folded.is_none() {
                self.switch(self.layout.uplink_box(uplink, at), &switch.name, &colour);
            }
        }
    }

    fn switch(&mut self, (Point { x, y }, width, height): (Point, f64, f64), name: &str, colour: &Colour) {
        let ink = rgb(colour.text());
        self.boxed(x, y, width, height, rgb(colour.paint));
        let (middle, line, words) = (x + width / 2.0, y + height / 2.0, colour.name());
        let fits = self.faces.width(&words, COLOUR.1) * COLOUR.0 <= width - 4.0;
        let (first, rest) = if fits { (&*words, "") } else { words.split_once(' ').unwrap_or((&words, "")) };
        let above = if fits { 6.0 } else { 9.0 };
        self.centred(name, (middle, line - above), SWITCH, ink);
        self.centred(first, (middle, line - above + 12.0), COLOUR, ink);
        self.centred(rest, (middle, line - above + 21.0), COLOUR, ink);
    }

    fn pe(&mut self, pe: u32) {
        let Point { x, y } = self.layout.name(pe);
        self.text(&self.plan.pe_name(pe), (x, y), NAME, INK);
        for (ni, &switch) in self.plan.nis.of(pe).iter().enumerate() {
            self.patch(self.layout.patch(pe, ni), &self.plan.colour(switch), switch);
        }
    }

    fn patch(&mut self, Point { x, y }: Point, colour: &Colour, number: u32) {
        let ink = rgb(colour.text());
        let width = PATCH.0 - 2.0;
        self.boxed(x, y, width, PATCH.1 - 1.0, rgb(colour.paint));
        self.centred(&number.to_string(), (x + width / 2.0, y + PATCH.1 / 2.0 - 0.5), NUMBER, ink);
    }
}

/// A Bézier curve as short straight pieces, in pixels.
fn flatten(curve: [Point; 4], scale: f64) -> Vec<Point> {
    let [a, b, c, d] = curve;
    let length = (d.x - a.x).hypot(d.y - a.y) * scale;
    let pieces = ((length / 6.0).ceil() as usize).clamp(8, 2000);
    let point = |i: usize| {
        let t = i as f64 / pieces as f64;
        let u = 1.0 - t;
        let weights = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
        let sum = |value: fn(&Point) -> f64| {
            [a, b, c, d].iter().zip(weights).map(|(p, w)| value(p) * w).sum::<f64>() * scale
        };
        Point { x: sum(|p| p.x), y: sum(|p| p.y) }
    };
    (0..=pieces).map(point).collect()
}

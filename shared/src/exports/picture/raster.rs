//! The picture of PEs, switches and cables in pixels.

use super::{
    super::DesignPlan,
    canvas::{Canvas, Rgb, rgb, text_width},
    heading,
    layout::{Layout, PATCH, Point, is_pale},
};

const PAPER: Rgb = [0xf4, 0xf6, 0xf8];
const INK: Rgb = [0x16, 0x1a, 0x1e];
const OUTLINE: Rgb = [0x8a, 0x92, 0x9a];
const WHITE: Rgb = [255; 3];
/// Pictures below so many pixels are drawn at twice the size.
const SMALL: f64 = 4e6;

/// Draws the picture.
pub(super) fn wiring(plan: &DesignPlan) -> Canvas {
    let layout = Layout::of(plan);
    let scale = if layout.width * layout.height <= SMALL { 2.0 } else { 1.0 };
    let size = |length: f64| (length * scale).ceil() as usize;
    let mut drawing = Drawing {
        plan,
        canvas: Canvas::new(size(layout.width), size(layout.height), PAPER),
        layout: &layout,
        scale,
    };
    drawing.text(&heading(plan), 24.0, 24.0, 2.0, INK);
    for switch in 0..plan.design.switch_count() {
        drawing.cables(switch);
    }
    for switch in 0..plan.design.switch_count() {
        drawing.switch(switch);
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
    scale: f64,
}

impl Drawing<'_> {
    fn text(&mut self, text: &str, x: f64, y: f64, size: f64, colour: Rgb) {
        let scale = self.scale;
        self.canvas.text(text, x * scale, y * scale, size * scale, colour);
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

    fn switch(&mut self, switch: u32) {
        let (Point { x, y }, width, height) = self.layout.switch(switch);
        let colour = self.plan.colour(switch);
        let ink = if colour.dark_text { INK } else { WHITE };
        self.boxed(x, y, width, height, rgb(colour.paint));
        let (name, words) = (self.plan.switch_name(switch), colour.name().replace('×', "x"));
        let centred = |text: &str| x + (width - text_width(text, 1.0)) / 2.0;
        let middle = y + height / 2.0;
        self.text(&name, centred(&name), middle - 5.0, 1.0, ink);
        if text_width(&words, 1.0) <= width - 4.0 {
            return self.text(&words, centred(&words), middle + 6.0, 1.0, ink);
        }
        let (first, rest) = words.split_once(' ').unwrap_or((&words, ""));
        self.text(first, centred(first), middle + 4.0, 1.0, ink);
        self.text(rest, centred(rest), middle + 12.0, 1.0, ink);
    }

    fn pe(&mut self, pe: u32) {
        let Point { x, y } = self.layout.name(pe);
        let name = self.plan.pe_name(pe);
        self.text(&name, x, y, 1.0, INK);
        for (ni, &switch) in self.plan.nis.of(pe).iter().enumerate() {
            let Point { x, y } = self.layout.patch(pe, ni);
            let colour = self.plan.colour(switch);
            let ink = if colour.dark_text { INK } else { WHITE };
            let width = PATCH.0 - 2.0;
            self.boxed(x, y, width, PATCH.1 - 1.0, rgb(colour.paint));
            let number = switch.to_string();
            let from = x + (width - text_width(&number, 1.0)) / 2.0 + 0.5;
            self.text(&number, from, y + PATCH.1 / 2.0 - 0.5, 1.0, ink);
        }
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

//! Pictures in pixels.

use super::{
    super::{
        DesignPlan,
        colours::Colour,
        labels::{faces::Faces, font::Letters},
    },
    INK, LABEL, Line, Mark, OUTLINE, PAPER, Path, Picture,
    canvas::{Canvas, Rgb, rgb},
    heading,
    layout::{MARGIN, NAME_SIZE, PATCH, Point},
    pen::Style,
};

/// Font sizes, and `true` for bold.
const NAME: (f64, bool) = (NAME_SIZE, false);
const SWITCH: (f64, bool) = (NAME_SIZE, true);
const COLOUR: (f64, bool) = (9.5, false);
const NUMBER: (f64, bool) = (10.0, false);

/// Draws a picture.
pub(super) fn draw(plan: &DesignPlan, picture: &Picture) -> Canvas {
    let (faces, scale) = (Faces::new(&plan.fonts), picture.scale);
    let size = |length: f64| (length * scale).ceil() as usize;
    let canvas = Canvas::new(size(picture.width), size(picture.height), PAPER);
    let mut drawing = Drawing { canvas, faces: &faces, scale };
    drawing.canvas.heading(&faces, &heading(plan), MARGIN * scale, picture.heading * scale);
    for mark in &picture.marks {
        drawing.mark(mark);
    }
    drawing.canvas
}

/// A canvas that is drawn on in the picture's units.
struct Drawing<'a> {
    canvas: Canvas,
    faces: &'a Faces<'a>,
    scale: f64,
}

impl Drawing<'_> {
    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Cables { colour, line, paths, .. } => {
                paths.iter().for_each(|path| self.cable(path, line, rgb(colour.paint)));
            }
            Mark::Switch { area, name, colour } => self.switch(*area, name, colour),
            Mark::Name { at, text } => self.text(text, (at.x, at.y), NAME, INK),
            Mark::Patch { corner, colour, number } => self.patch(*corner, colour, *number),
            Mark::Label { at, text } => self.text(text, (at.x, at.y), (LABEL, false), INK),
            Mark::Image { at, canvas } => self.canvas.place(canvas, (at.x as usize, at.y as usize)),
        }
    }

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

    fn cable(&mut self, path: &Path, line: &Line, colour: Rgb) {
        let points = match path {
            Path::Curve(curve) => flatten(*curve, self.scale),
            Path::Straight(ends) => {
                ends.iter().map(|Point { x, y }| Point { x: x * self.scale, y: y * self.scale }).collect()
            }
        };
        if let Some(outline) = line.outline {
            self.strokes(&points, outline, OUTLINE, false);
        }
        self.strokes(&points, line.thickness, colour, line.is_dashed);
    }

    /// Cables that are transparent are dashed: every third piece is left out.
    fn strokes(&mut self, points: &[Point], thickness: f64, colour: Rgb, dashed: bool) {
        for (i, piece) in points.windows(2).enumerate() {
            if !dashed || i % 3 != 2 {
                self.canvas.line(piece[0], piece[1], thickness * self.scale, colour);
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

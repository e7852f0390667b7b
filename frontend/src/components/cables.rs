//! The picture of cables, on a canvas: all of them as a layer of its own, and over it those of the active part.

use super::pointer::{Hand, context, on_wheel, share_of, watch_size};
use crate::{
    browser,
    state::{
        cables::{Cables, Curve, Frame, Hit, Lens, Uplink},
        selection::DesignPart,
    },
    work::{Turn, Work},
};
use leptos::{html, prelude::*};
use shared::{
    design::{Design, Faults, Names},
    exports::{Colour, Palette},
};
use std::{collections::BTreeSet, sync::Arc};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, KeyboardEvent, PointerEvent};

/// Curves that are drawn in one go.
const SLICE: usize = 1024;
/// Min distance of the middle of a name from the picture's edge.
const EDGE: f64 = 6.0;
/// Min height of a row with an outline.
const MIN_OUTLINED: f64 = 7.0;

/// A wiring to draw, with its failed parts.
#[derive(Clone)]
pub struct Drawing {
    /// The rows, boxes and curves.
    pub cables: Arc<Cables>,
    /// The wiring.
    pub design: Arc<Design>,
    /// Names of nodes and switches.
    pub names: Names,
    /// Characters of the longest name of a node and of a switch; 0 in summed pictures.
    pub longest: [usize; 2],
    /// Failed parts.
    pub faults: Arc<Faults>,
    /// Nodes with a requested pair that loses its last shared switch.
    pub hurt: Arc<BTreeSet<u32>>,
    /// Colours of cables.
    pub palette: Palette,
    /// The uplink switches.
    pub uplinks: Vec<Uplink>,
}

impl Drawing {
    fn frame(&self, lens: Lens, side: f64) -> Frame<'_> {
        Frame::new(&self.cables, lens, self.longest, (side, side))
    }
}

impl PartialEq for Drawing {
    fn eq(&self, other: &Drawing) -> bool {
        Arc::ptr_eq(&self.cables, &other.cables)
            && Arc::ptr_eq(&self.design, &other.design)
            && self.names == other.names
            && self.faults == other.faults
            && self.hurt == other.hurt
            && self.palette == other.palette
            && self.uplinks == other.uplinks
    }
}

#[derive(Clone, Copy)]
struct DrawingInputs {
    canvas: NodeRef<html::Canvas>,
    drawing: Signal<Option<Drawing>>,
    lens: RwSignal<Lens>,
    active: Signal<Option<DesignPart>>,
    dark: Signal<bool>,
    size: RwSignal<f64>,
    base: StoredValue<Option<HtmlCanvasElement>, LocalStorage>,
}

/// The cables of a wiring. Wheel zooms at the pointer, a drag pans, arrows go from part to part, + and - zoom, 0 fits.
#[component]
pub fn CablesCanvas(
    #[prop(into)] drawing: Signal<Option<Drawing>>,
    lens: RwSignal<Lens>,
    /// The part that is lit up.
    #[prop(into)]
    active: Signal<Option<DesignPart>>,
    #[prop(into)] dark: Signal<bool>,
    #[prop(into)] label: Signal<String>,
    /// Takes the part under the pointer.
    on_hover: impl Fn(Option<Hit>) + Copy + 'static,
    /// Takes the part that is clicked or reached by keys; `None` for none.
    on_pick: impl Fn(Option<Hit>) + Copy + 'static,
) -> impl IntoView {
    let (canvas, size) = (NodeRef::new(), RwSignal::new(0.0));
    let shown =
        DrawingInputs { canvas, drawing, lens, active, dark, size, base: StoredValue::new_local(None) };
    watch_size(canvas, size);
    let drawn = Work::new();
    Effect::new(move |_| {
        shown.drawing.track();
        shown.lens.track();
        shown.dark.track();
        shown.size.track();
        drawn.run(
            |turn| Some(base(shown, turn)),
            move |base| {
                shown.base.set_value(base);
                paint(shown);
            },
        );
    });
    Effect::new(move |before: Option<()>| {
        shown.active.track();
        // The effect above has painted the first picture.
        if before.is_some() {
            paint(shown);
        }
    });
    let zoom = move |factor, at| {
        drawing.with_untracked(|d| {
            if let Some(drawing) = d {
                lens.update(|lens| lens.zoom(factor, at, &drawing.cables));
            }
        });
    };
    on_wheel(canvas, move |factor, at| zoom(factor, at.1));
    let hand = Hand::new(canvas);
    let over = move |event: PointerEvent| {
        if let Some(moved) = hand.moved(&event) {
            lens.update(|lens| lens.drag(moved.by.1));
            zoom(moved.factor, moved.at.1);
            on_hover(None);
        } else if event.pointer_type() == "mouse" {
            on_hover(hit(shown, &event));
        }
    };
    let press = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "+" | "=" => zoom(1.5, 0.5),
            "-" | "_" => zoom(1.0 / 1.5, 0.5),
            "0" => lens.set(Lens::default()),
            "Escape" => on_pick(None),
            key => match step(shown, key) {
                Some(next) => on_pick(Some(next)),
                None => return,
            },
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <canvas id="cables" class="map" class:fit=move || lens.with(Lens::is_fit) tabindex="0" role="application"
            aria-roledescription="picture of cables" aria-label=label aria-describedby="cables-keys" node_ref=canvas
            on:pointerdown=move |event| hand.down(&event)
            on:pointermove=over
            on:pointerup=move |event| if hand.up(&event) { on_pick(hit(shown, &event)) }
            on:pointercancel=move |event| { hand.up(&event); }
            on:pointerleave=move |event| if event.pointer_type() == "mouse" { on_hover(None) }
            on:keydown=press></canvas>
    }
}

/// What is under a pointer.
fn hit(shown: DrawingInputs, event: &PointerEvent) -> Option<Hit> {
    let (x, y) = share_of(shown.canvas, event);
    let side = shown.size.get_untracked() / browser::pixel_ratio();
    shown.drawing.with_untracked(|drawing| {
        let frame = drawing.as_ref()?.frame(shown.lens.get_untracked(), side);
        frame.hit(x * side, y * side)
    })
}

/// The part that an arrow key leads to: up and down within rows or boxes, left and right across them.
fn step(shown: DrawingInputs, key: &str) -> Option<Hit> {
    let (down, across) = match key {
        "ArrowUp" => (-1, 0),
        "ArrowDown" => (1, 0),
        "ArrowLeft" => (0, -1),
        "ArrowRight" => (0, 1),
        _ => return None,
    };
    let drawing = shown.drawing.get_untracked()?;
    let cables = &drawing.cables;
    let (rows, groups) = (cables.drawn.pes(), cables.drawn.switch_count());
    let left = rows.div_ceil(2);
    let moved = |at: u32, count: u32| at.saturating_add_signed(down).min(count.saturating_sub(1));
    let nearest = |row: u32, first: u32, count: u32| first + row.min(count.saturating_sub(1));
    match shown.active.get_untracked() {
        Some(DesignPart::Switch(switch)) => {
            let group = (switch / cables.switches_per).min(groups.checked_sub(1)?);
            let member = |is_left: bool| {
                cables.drawn.members(group).iter().copied().find(|&row| (row < left) == is_left)
            };
            match across {
                0 => Some(Hit::Box(moved(group, groups))),
                -1 => member(true).map(Hit::Row),
                _ => member(false).map(Hit::Row),
            }
        }
        part => {
            let pe = part.and_then(|part| part.nodes(None).first().copied());
            let Some(row) = pe.map(|pe| pe / cables.nodes_per).filter(|&row| row < rows) else {
                return Some(Hit::Row(0));
            };
            let (is_left, first) = (row < left, cables.boxes.of(row).first().copied());
            match (across, is_left) {
                (0, _) => Some(Hit::Row(moved(row, rows))),
                (-1, true) => Some(Hit::Row(nearest(row, left, rows - left))).filter(|_| rows > left),
                (1, false) => Some(Hit::Row(nearest(row - left, 0, left))),
                _ => first.map(Hit::Box),
            }
        }
    }
}

/// An empty canvas of its own.
fn blank(size: f64) -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
    let canvas: HtmlCanvasElement = browser::document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(size as u32);
    canvas.set_height(size as u32);
    let pen = context(&canvas)?;
    Some((canvas, pen))
}

/// Everything but the active part, as a picture; `None` inside if there is nothing to draw. It is drawn some curves at a time.
async fn base(shown: DrawingInputs, turn: Turn) -> Option<Option<HtmlCanvasElement>> {
    let size = shown.size.get_untracked().round();
    let drawing = shown.drawing.get_untracked().filter(|_| size >= 1.0);
    let canvases = blank(size).zip(blank(1.0));
    let Some((drawing, ((canvas, pen), (_, scratch)))) = drawing.zip(canvases) else { return Some(None) };
    let (lens, dark) = (shown.lens.get_untracked(), shown.dark.get_untracked());
    let brush = Brush::new(&pen, &drawing, lens, dark, size);
    let mut curves = 0;
    for group in 0..drawing.cables.drawn.switch_count() {
        let members = drawing.cables.drawn.members(group);
        brush.curves(members.iter().map(|&row| (row, group)), false);
        curves += members.len();
        if curves >= SLICE {
            curves = 0;
            // Browsers only record strokes until somebody needs the picture.
            let _ = scratch.draw_image_with_html_canvas_element(&canvas, 0.0, 0.0);
            turn.pause().await?;
        }
    }
    brush.uplinks();
    (0..drawing.cables.drawn.switch_count()).for_each(|group| brush.switch(group));
    brush.rows();
    Some(Some(canvas))
}

fn paint(shown: DrawingInputs) {
    let Some(canvas) = shown.canvas.get_untracked() else { return };
    let size = shown.size.get_untracked().round();
    if size < 1.0 {
        return;
    }
    if f64::from(canvas.width()) != size {
        canvas.set_width(size as u32);
        canvas.set_height(size as u32);
    }
    let Some(pen) = context(&canvas) else { return };
    pen.clear_rect(0.0, 0.0, size, size);
    let active = shown.active.get_untracked();
    let lit = shown.drawing.with_untracked(|d| Some(d.as_ref()?.cables.lit(active?))).unwrap_or_default();
    pen.set_global_alpha(if lit.is_empty() { 1.0 } else { 0.25 });
    shown.base.with_value(|base| {
        if let Some(base) = base {
            let _ = pen.draw_image_with_html_canvas_element(base, 0.0, 0.0);
        }
    });
    pen.set_global_alpha(1.0);
    let Some(drawing) = shown.drawing.get_untracked().filter(|_| !lit.is_empty()) else { return };
    let (lens, dark) = (shown.lens.get_untracked(), shown.dark.get_untracked());
    pen.save();
    Brush::new(&pen, &drawing, lens, dark, size).lit(&lit);
    pen.restore();
}

/// A pen with what it draws.
struct Brush<'a> {
    pen: &'a CanvasRenderingContext2d,
    drawing: &'a Drawing,
    frame: Frame<'a>,
    dark: bool,
    side: f64,
}

impl<'a> Brush<'a> {
    /// Scales the pen of a square canvas of `size` device pixels.
    fn new(
        pen: &'a CanvasRenderingContext2d,
        drawing: &'a Drawing,
        lens: Lens,
        dark: bool,
        size: f64,
    ) -> Brush<'a> {
        let scale = browser::pixel_ratio();
        let side = size / scale;
        let _ = pen.scale(scale, scale);
        Brush { pen, drawing, frame: drawing.frame(lens, side), dark, side }
    }

    fn ink(&self) -> &'static str {
        if self.dark { "#eceef0" } else { "#16191d" }
    }

    /// The colour of what has failed.
    fn red(&self) -> &'static str {
        if self.dark { "#ff5454" } else { "#d01020" }
    }

    fn colour(&self, group: u32) -> Colour {
        self.drawing.palette.of(group)
    }

    /// `true` if a colour needs an outline on the background.
    fn is_faint(&self, colour: &Colour) -> bool {
        let pale = colour.dark_text && (colour.transparent || matches!(colour.hue, "white" | "yellow"));
        if self.dark { !colour.dark_text } else { pale }
    }

    fn is_cut(&self, row: u32, group: u32) -> bool {
        let faults = &self.drawing.faults;
        if self.drawing.cables.is_summed() || faults.is_empty() {
            return false;
        }
        let ni = self.drawing.cables.boxes.of(row).partition_point(|&s| s < group) as u32;
        faults.switches.binary_search(&group).is_ok() || faults.cuts(row, ni)
    }

    /// Draws curves, which all lead to one box or are lit.
    fn curves(&self, curves: impl Iterator<Item = (u32, u32)>, lit: bool) {
        let summed = self.drawing.cables.is_summed();
        let most = f64::from(self.drawing.cables.most());
        let width = (self.frame.pitch() * 0.25).clamp(0.6, 1.5) + if lit { 1.25 } else { 0.0 };
        for (row, group) in curves {
            let curve = self.frame.curve(row, group);
            if !self.frame.is_visible(&curve) {
                continue;
            }
            if summed {
                let share = f64::from(self.drawing.cables.cables(row, group)) / most;
                self.pen.set_global_alpha(if lit { 0.9 } else { 0.04 + 0.3 * share });
                self.stroke(&curve, self.ink(), 0.5 + share);
                self.pen.set_global_alpha(1.0);
                continue;
            }
            if self.is_cut(row, group) {
                self.dash(&[3.0, 4.0]);
                self.stroke(&curve, self.red(), 1.0);
                self.dash(&[]);
                continue;
            }
            let colour = self.colour(group);
            if self.is_faint(&colour) {
                self.stroke(&curve, "#8a929a", width + 1.0);
            }
            if colour.transparent {
                self.dash(&[7.0, 3.0]);
            }
            self.stroke(&curve, colour.paint, width);
            self.dash(&[]);
        }
    }

    fn dash(&self, lengths: &[f64]) {
        let list: js_sys::Array = lengths.iter().map(|&length| JsValue::from_f64(length)).collect();
        let _ = self.pen.set_line_dash(&list);
    }

    fn stroke(&self, curve: &Curve, style: &str, width: f64) {
        let (from, to) = (curve.from, curve.to);
        let middle = (from.0 + to.0) / 2.0;
        self.pen.set_stroke_style_str(style);
        self.pen.set_line_width(width);
        self.pen.begin_path();
        self.pen.move_to(from.0, from.1);
        self.pen.bezier_curve_to(middle, from.1, middle, to.1, to.0, to.1);
        self.pen.stroke();
    }

    /// A line for each uplink switch, behind the boxes that it joins.
    fn uplinks(&self) {
        let uplinks = &self.drawing.uplinks;
        for (at, uplink) in uplinks.iter().enumerate() {
            let [(x, top, width, _), (_, low, _, height)] =
                uplink.boxes.map(|group| self.frame.switch_box(group));
            let x = x + width * (at + 1) as f64 / (uplinks.len() + 1) as f64;
            let colour = self.colour(uplink.number);
            let line = |style: &str, thickness: f64| {
                self.pen.set_stroke_style_str(style);
                self.pen.set_line_width(thickness);
                self.pen.begin_path();
                self.pen.move_to(x, top);
                self.pen.line_to(x, low + height);
                self.pen.stroke();
            };
            if self.is_faint(&colour) {
                line("#8a929a", 4.0);
            }
            line(colour.paint, 3.0);
        }
    }

    fn switch(&self, group: u32) {
        let (x, y, width, height) = self.frame.switch_box(group);
        if y > self.side || y + height < 0.0 {
            return;
        }
        let summed = self.drawing.cables.is_summed();
        let colour = self.colour(group);
        let failed = !summed && self.drawing.faults.switches.binary_search(&group).is_ok();
        // A failed switch is an empty box with a red outline, so that its name stays legible.
        let (paint, text) = match (summed || failed, self.dark) {
            (true, true) => ("#2a3037", "#eceef0"),
            (true, false) => ("#e6e9ec", "#16191d"),
            _ => (colour.paint, colour.text()),
        };
        self.pen.set_fill_style_str(paint);
        self.pen.fill_rect(x, y, width, height);
        let line = match (failed, self.dark) {
            (true, _) => self.red(),
            (false, true) => "#a9b0b8",
            (false, false) => "#30363c",
        };
        self.dash(if failed { &[4.0, 3.0] } else { &[] });
        self.pen.set_stroke_style_str(line);
        self.pen.set_line_width(if failed { 2.0 } else { 1.0 });
        self.pen.stroke_rect(x, y, width, height);
        self.dash(&[]);
        let name = match (summed, self.drawing.cables.switches_of(group)) {
            (true, (first, last)) if first < last => format!("{first}–{last}"),
            (_, (first, _)) => self.drawing.names.switch(first),
        };
        if height >= 11.0 {
            let words = if failed { format!("× {name}") } else { name };
            self.text(
                &words,
                (x + width / 2.0, y + height / 2.0),
                width - 4.0,
                ("center", text, height >= 14.0),
            );
        }
    }

    /// Writes words, narrower if they would take more than `room`.
    fn text(&self, words: &str, at: (f64, f64), room: f64, look: (&str, &str, bool)) {
        self.text_of(10.0, words, at, room, look);
    }

    /// Draws the text in a font of `size` pixels.
    fn text_of(
        &self,
        size: f64,
        words: &str,
        (x, y): (f64, f64),
        room: f64,
        (align, style, bold): (&str, &str, bool),
    ) {
        let weight = if bold { "600 " } else { "" };
        self.pen.set_font(&format!("{weight}{size}px system-ui, sans-serif"));
        self.pen.set_text_align(align);
        self.pen.set_text_baseline("middle");
        self.pen.set_fill_style_str(style);
        let _ = self.pen.fill_text_with_max_width(words, x, y, room);
    }

    /// Names of rows, as many as fit, and their patches.
    fn rows(&self) {
        let rows = self.drawing.cables.drawn.pes();
        let step = (11.0 / self.frame.pitch()).ceil().max(1.0) as u32;
        for row in 0..rows {
            let y = self.frame.row(row);
            if (0.0..=self.side).contains(&y) {
                let left = rows.div_ceil(2);
                let place = if row < left { row } else { row - left };
                self.row(row, place % step == 0, false);
            }
        }
    }

    fn row(&self, row: u32, named: bool, bold: bool) {
        let (y, x) = (self.frame.row(row), self.frame.patches_from(row));
        let left = self.frame.is_left(row);
        let cables = &self.drawing.cables;
        if named {
            let name = match (cables.is_summed(), cables.nodes_of(row)) {
                (true, (first, last)) if first < last => format!("{first}–{last}"),
                (_, (first, _)) => self.drawing.names.pe(first),
            };
            let (x, align) = if left { (4.0, "left") } else { (self.side - 4.0, "right") };
            // The first and the last name stay whole at the picture's edge.
            let y = y.clamp(EDGE, (self.side - EDGE).max(EDGE));
            self.text(&name, (x, y), self.frame.name_room(), (align, self.ink(), bold));
        }
        let height = self.frame.patch_height();
        for (ni, &group) in cables.boxes.of(row).iter().enumerate().take(cables.patches()) {
            let colour = self.colour(group);
            let x = x + ni as f64 * self.frame.patch;
            self.pen.set_fill_style_str(colour.paint);
            self.pen.fill_rect(x, y - height / 2.0, self.frame.patch - 1.0, height);
            if let Some(size) = self.frame.number_size() {
                let middle = (x + self.frame.patch / 2.0 - 0.5, y);
                let look = ("center", colour.text(), false);
                self.text_of(size, &group.to_string(), middle, self.frame.patch - 1.0, look);
            }
        }
        if self.drawing.hurt.contains(&row) && !cables.is_summed() {
            self.pen.set_stroke_style_str(self.red());
            self.pen.set_line_width(1.5);
            let x = if left { 1.0 } else { x - 2.0 };
            let width = if left { self.frame.patches_from(row) } else { self.side - x - 1.0 };
            // An outline would strike the names of narrow rows through: they have a bar at the edge.
            let (x, width) = match (height < MIN_OUTLINED, left) {
                (true, true) => (1.0, 1.0),
                (true, false) => (self.side - 2.0, 1.0),
                (false, _) => (x, width),
            };
            self.pen.stroke_rect(x, y - height / 2.0 - 1.0, width, height + 2.0);
        }
    }

    /// Draws some curves with their ends over the rest.
    fn lit(&self, curves: &[(u32, u32)]) {
        self.curves(curves.iter().copied(), true);
        let rows: BTreeSet<u32> = curves.iter().map(|curve| curve.0).collect();
        let groups: BTreeSet<u32> = curves.iter().map(|curve| curve.1).collect();
        groups.into_iter().for_each(|group| self.switch(group));
        // Names that would lie over each other are left out.
        let mut last = [f64::MIN; 2];
        for row in rows {
            let (y, last) = (self.frame.row(row), &mut last[usize::from(self.frame.is_left(row))]);
            let is_named = y - *last >= 10.0;
            if is_named {
                *last = y;
            }
            self.row(row, is_named, true);
        }
    }
}

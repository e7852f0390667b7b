//! The picture of a job's ranks on their nodes, on a canvas: all of them as a layer of its own, and over it the groups of one.

use super::{
    controls::line_colour,
    pointer::{context, share_of, watch_size},
};
use crate::{
    browser,
    state::job::{DimensionTraffic, Grid, Ranks},
};
use leptos::{html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, KeyboardEvent, PointerEvent};

/// A cell of a group is at least so large, in pixels.
const LEAST: f64 = 3.0;

#[derive(Clone, Copy)]
struct DrawingInputs {
    canvas: NodeRef<html::Canvas>,
    drawing: Signal<Option<Drawing>>,
    rank: RwSignal<Option<u32>>,
    dark: Signal<bool>,
    size: RwSignal<f64>,
    base: StoredValue<Option<HtmlCanvasElement>, LocalStorage>,
}

/// Ranks, and the groups that they are in.
type Drawing = (Arc<Ranks>, Arc<Vec<DimensionTraffic>>);

/// The ranks, node by node. A pointer or the arrow keys choose a rank, whose groups light up.
#[component]
pub fn RanksCanvas(
    #[prop(into)] drawing: Signal<Option<Drawing>>,
    rank: RwSignal<Option<u32>>,
    #[prop(into)] dark: Signal<bool>,
    #[prop(into)] label: Signal<String>,
    /// Keeps the width of the picture, in the screen's pixels.
    size: RwSignal<f64>,
) -> impl IntoView {
    let canvas = NodeRef::new();
    let shown = DrawingInputs { canvas, drawing, rank, dark, size, base: StoredValue::new_local(None) };
    watch_size(canvas, size);
    Effect::new(move |_| {
        shown.base.set_value(base(shown));
        paint(shown);
    });
    Effect::new(move |_| {
        shown.rank.track();
        paint(shown);
    });
    let point = move |event: PointerEvent| {
        if let Some(found) = under(shown, &event) {
            rank.set(Some(found));
        }
    };
    view! {
        <canvas id="ranks" class="ranks" tabindex="0" role="application" aria-roledescription="picture of ranks" aria-label=label
            aria-describedby="ranks-keys" node_ref=canvas
            style:height=move || grid(shown).map(|grid| format!("{:.0}px", grid.height()))
            on:pointerdown=point
            on:pointermove=move |event| if event.pointer_type() == "mouse" { point(event) }
            on:keydown=move |event| press(shown, &event)></canvas>
    }
}

fn press(shown: DrawingInputs, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let Some(grid) = grid_now(shown) else { return };
    let next = shown.drawing.with_untracked(|drawing| {
        let ranks = &drawing.as_ref()?.0;
        let slot = shown.rank.get_untracked().map(|rank| ranks.slot_of(rank));
        let to = grid.step(slot.unwrap_or(0), &event.key())?;
        // Beyond the last rank, and at a place without one, it stays.
        ranks.at(if slot.is_some() { to } else { 0 }).or(shown.rank.get_untracked())
    });
    let leaves = event.key() == "Escape";
    if next.is_some() || leaves {
        shown.rank.set(next);
        event.prevent_default();
        event.stop_propagation();
    }
}

/// Width on screen, in pixels of the style sheet.
fn width(shown: DrawingInputs) -> f64 {
    shown.size.get() / browser::pixel_ratio()
}

fn grid(shown: DrawingInputs) -> Option<Grid> {
    let width = width(shown);
    shown.drawing.with(|drawing| Some(Grid::fit(&drawing.as_ref().filter(|_| width >= 1.0)?.0, width)))
}

fn grid_now(shown: DrawingInputs) -> Option<Grid> {
    untrack(|| grid(shown))
}

fn under(shown: DrawingInputs, event: &PointerEvent) -> Option<u32> {
    let (grid, (x, y)) = (grid_now(shown)?, share_of(shown.canvas, event));
    let slot = grid.slot_at(x * untrack(|| width(shown)), y * grid.height())?;
    shown.drawing.with_untracked(|drawing| drawing.as_ref()?.0.at(slot))
}

/// A canvas of the picture's size with its pen, which draws in pixels of the style sheet.
fn sized(canvas: &HtmlCanvasElement, shown: DrawingInputs, grid: &Grid) -> Option<CanvasRenderingContext2d> {
    let scale = browser::pixel_ratio();
    canvas.set_width(shown.size.get_untracked().round() as u32);
    canvas.set_height((grid.height() * scale).ceil() as u32);
    let pen = context(canvas)?;
    let _ = pen.scale(scale, scale);
    Some(pen)
}

/// All ranks, without their groups.
fn base(shown: DrawingInputs) -> Option<HtmlCanvasElement> {
    let (grid, dark) = (grid(shown)?, shown.dark.get());
    let canvas: HtmlCanvasElement = browser::document().create_element("canvas").ok()?.dyn_into().ok()?;
    let pen = sized(&canvas, shown, &grid)?;
    pen.set_fill_style_str(if dark { "#3c434b" } else { "#c9ced4" });
    let ranks = shown.drawing.with_untracked(|drawing| Some(drawing.as_ref()?.0.clone()))?;
    if grid.cell < LEAST {
        for (x, y) in (0..grid.nodes).filter_map(|node| grid.node(node)) {
            pen.fill_rect(x, y, f64::from(ranks.per_node) * grid.cell, grid.cell);
        }
    } else {
        let slots = (0..grid.nodes * ranks.per_node).filter(|&slot| ranks.at(slot).is_some());
        for (x, y) in slots.filter_map(|slot| grid.place(slot)) {
            pen.fill_rect(x, y, grid.cell - 1.0, grid.cell - 1.0);
        }
    }
    Some(canvas)
}

fn paint(shown: DrawingInputs) {
    let (Some(canvas), Some(grid)) = (shown.canvas.get_untracked(), grid_now(shown)) else { return };
    let Some(pen) = sized(&canvas, shown, &grid) else { return };
    let side = |length: f64| (length - if grid.cell < LEAST { 0.0 } else { 1.0 }).max(LEAST);
    shown.base.with_value(|base| {
        if let Some(base) = base {
            let height = f64::from(base.height()) / browser::pixel_ratio();
            let width = f64::from(base.width()) / browser::pixel_ratio();
            let _ = pen.draw_image_with_html_canvas_element_and_dw_and_dh(base, 0.0, 0.0, width, height);
        }
    });
    let (Some(rank), Some((ranks, along))) = (shown.rank.get_untracked(), shown.drawing.get_untracked())
    else {
        return;
    };
    if rank >= ranks.count {
        return;
    }
    let (dark, size) = (shown.dark.get_untracked(), side(grid.cell));
    let place = |rank: u32| {
        let (x, y) = grid.place(ranks.slot_of(rank))?;
        let out = (size - grid.cell).max(0.0) / 2.0;
        Some((x - out, y - out))
    };
    // Small groups lie over large ones that contain them.
    let mut order: Vec<&DimensionTraffic> = along.iter().collect();
    order.sort_by_key(|one| std::cmp::Reverse(one.share.members));
    for one in order {
        pen.set_fill_style_str(&line_colour(one.colour(), dark));
        for (x, y) in one.groups.group_of(rank).into_iter().filter_map(place) {
            pen.fill_rect(x, y, size, size);
        }
    }
    if let Some((x, y)) = place(rank) {
        pen.set_fill_style_str(if dark { "#eceef0" } else { "#111111" });
        pen.fill_rect(x - 1.0, y - 1.0, size + 2.0, size + 2.0);
    }
}

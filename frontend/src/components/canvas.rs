//! Canvases: the map of requested and delivered pairs, and small pictures of patterns.
//!
//! A view of the map is summed in squares, with a pause after each, so that the page stays responsive at 65,536 PEs. Meanwhile the last
//! pictures show in their place: zooming and panning respond at once, and the picture gets sharper.

use super::{
    controls::pressed,
    pointer::{Hand, context, on_wheel, share_of, watch_size},
};
use crate::{
    browser,
    state::{
        map::{Action, View, stride},
        picture::Picture,
    },
    work::{Turn, Work},
};
use leptos::{html, prelude::*};
use shared::{
    analysis::map::{MapIndex, Theme, Tile, Triangle, Window, colour},
    design::Verdict,
};
use std::sync::Arc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData, PointerEvent};

/// Max number of cells per row of a picture.
const MAX_PIXELS: u32 = 1024;
/// Machines up to this size are summed without a pause.
const IN_ONE_GO: u32 = 4096;
/// Milliseconds without a change before a view of a larger machine is summed.
const PAUSE: u32 = 80;
/// Share of the largest weight from which an uncovered pair has a ring.
const RINGED: f32 = 0.5;
/// Max number of uncovered pairs with a ring.
const MAX_RINGS: usize = 400;
/// Max number of squares for pairs that failed parts take.
const MAX_SQUARES: usize = 20_000;

/// A summed square of the map, as a picture.
struct Piece {
    window: Window,
    canvas: HtmlCanvasElement,
}

/// The whole map, and the last view in more detail.
#[derive(Default)]
struct Pictures {
    whole: Vec<Piece>,
    detail: Vec<Piece>,
}

/// The inputs of a drawing.
#[derive(Clone, Copy)]
struct MapInputs {
    canvas: NodeRef<html::Canvas>,
    view: RwSignal<View>,
    index: Signal<Option<Arc<MapIndex>>>,
    missing: Signal<Option<Arc<Verdict>>>,
    lost: Signal<Arc<Vec<(u32, u32)>>>,
    dark: Signal<bool>,
    lit: Signal<(Vec<u32>, Vec<u32>)>,
    summing: Work,
    pictures: StoredValue<Pictures, LocalStorage>,
    size: RwSignal<f64>,
}

/// The map. Wheel zooms at the pointer, a drag pans, two fingers do both, arrows move the cursor, + and - zoom, 0 fits.
#[component]
pub fn MapCanvas(
    #[prop(into)] index: Signal<Option<Arc<MapIndex>>>,
    view: RwSignal<View>,
    /// The verdict whose uncovered pairs get a ring if they are few.
    #[prop(into)]
    missing: Signal<Option<Arc<Verdict>>>,
    /// Pairs that failed parts take from the wiring.
    #[prop(into)]
    lost: Signal<Arc<Vec<(u32, u32)>>>,
    #[prop(into)] dark: Signal<bool>,
    #[prop(into)] label: Signal<String>,
    /// Columns and rows that are lit up.
    #[prop(into)]
    lit: Signal<(Vec<u32>, Vec<u32>)>,
    /// Takes the cell (column, row) under the pointer.
    on_hover: impl Fn(Option<(u32, u32)>) + Copy + 'static,
    /// Takes the cell under the cursor, which clicks and keys set.
    on_cursor: impl Fn(Option<(u32, u32)>) + Copy + 'static,
) -> impl IntoView {
    let shown = MapInputs {
        canvas: NodeRef::new(),
        view,
        index,
        missing,
        lost,
        dark,
        lit,
        summing: Work::new(),
        pictures: StoredValue::new_local(Pictures::default()),
        size: RwSignal::new(0.0),
    };
    watch_size(shown.canvas, shown.size);
    Effect::new(move |_| {
        shown.index.track();
        shown.dark.track();
        shown.size.track();
        sum_again(shown, true);
    });
    Effect::new(move |before: Option<View>| {
        let now = view.get();
        shown.missing.track();
        shown.lost.track();
        shown.lit.track();
        paint(shown, &[]);
        if before.is_some_and(|b| (b.x, b.y, b.span) != (now.x, now.y, now.span)) {
            sum_again(shown, false);
        }
        if before.is_some_and(|b| b.cursor != now.cursor) {
            on_cursor(now.cursor);
        }
        now
    });
    let hand = Hand::new(shown.canvas);
    on_wheel(shown.canvas, move |factor, at| view.update(|v| v.update(Action::Zoom { factor, at })));
    let over = move |event: PointerEvent| {
        if let Some(moved) = hand.moved(&event) {
            view.update(|v| {
                v.update(Action::Drag { dx: moved.by.0, dy: moved.by.1 });
                v.update(Action::Zoom { factor: moved.factor, at: moved.at });
            });
            on_hover(None);
        } else if event.pointer_type() == "mouse" {
            on_hover(view.get_untracked().cell_at(share_of(shown.canvas, &event)));
        }
    };
    view! {
        <canvas
            id="map"
            class="map"
            class:fit=move || view.with(|view| view.is_fit())
            tabindex="0"
            role="application"
            aria-roledescription="map"
            aria-label=label
            aria-describedby="map-keys"
            aria-busy=move || pressed(shown.summing.running.get())
            node_ref=shown.canvas
            on:pointerdown=move |event| hand.down(&event)
            on:pointermove=over
            on:pointerup=move |event| {
                if hand.up(&event) {
                    let cell = view.get_untracked().cell_at(share_of(shown.canvas, &event));
                    if let Some((column, row)) = cell {
                        view.update(|v| v.update(Action::Show { column, row }));
                    }
                }
            }
            on:pointercancel=move |event| { hand.up(&event); }
            on:pointerleave=move |event| if event.pointer_type() == "mouse" { on_hover(None) }
            on:keydown=move |event| {
                let plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
                if let Some(action) = key(&event.key(), event.shift_key(), shown).filter(|_| plain) {
                    event.prevent_default();
                    event.stop_propagation();
                    view.update(|v| v.update(action));
                }
            }
        ></canvas>
    }
}

fn key(key: &str, shift: bool, shown: MapInputs) -> Option<Action> {
    let view = shown.view.get_untracked();
    let step = stride(&view, shown.size.get_untracked()) * if shift { 8 } else { 1 };
    let middle = match view.cursor {
        Some((column, row)) => view.place_of(column, row),
        None => (0.5, 0.5),
    };
    Some(match key {
        "ArrowLeft" => Action::Step { dx: -step, dy: 0 },
        "ArrowRight" => Action::Step { dx: step, dy: 0 },
        "ArrowUp" => Action::Step { dx: 0, dy: -step },
        "ArrowDown" => Action::Step { dx: 0, dy: step },
        "+" | "=" => Action::Zoom { factor: 1.5, at: middle },
        "-" | "_" => Action::Zoom { factor: 1.0 / 1.5, at: middle },
        "0" => Action::Fit,
        "Escape" => Action::Leave,
        _ => return None,
    })
}

/// Sums the visible squares, drawing each as it comes: of the whole map, and of the view where it shows a part.
fn sum_again(shown: MapInputs, everything: bool) {
    shown.summing.run(
        |turn| match shown.index.get_untracked() {
            Some(index) if shown.size.get_untracked() >= 1.0 => {
                Some(sum_both(shown, everything, index, turn))
            }
            Some(_) => None,
            None => {
                shown.pictures.set_value(Pictures::default());
                paint(shown, &[]);
                None
            }
        },
        |()| {},
    );
}

async fn sum_both(shown: MapInputs, everything: bool, index: Arc<MapIndex>, turn: Turn) -> Option<()> {
    if everything {
        // The page around it is drawn first.
        if index.pes() > IN_ONE_GO {
            turn.pause().await?;
        }
        sum(shown, &index, View::all(index.pes()), true, turn).await?;
    } else if index.pes() > IN_ONE_GO {
        turn.wait(PAUSE).await?;
    }
    let view = shown.view.get_untracked();
    if view.is_fit() { Some(()) } else { sum(shown, &index, view, false, turn).await }
}

async fn sum(shown: MapInputs, index: &MapIndex, view: View, whole: bool, turn: Turn) -> Option<()> {
    let pixels = (shown.size.get_untracked() as u32).clamp(64, MAX_PIXELS);
    let parts = if view.span <= f64::from(IN_ONE_GO) && index.pes() <= 4 * IN_ONE_GO { 1 } else { 8 };
    let theme = if shown.dark.get_untracked() { Theme::Dark } else { Theme::Light };
    let windows = view.windows(parts);
    let mut pieces = Vec::new();
    let alone = windows.len() == 1;
    for window in windows {
        let tile = index.tile(window, pixels.div_ceil(parts));
        if let Some(canvas) = image(&tile, index.pes(), theme) {
            pieces.push(Piece { window, canvas });
        }
        if !alone {
            // Without an older picture, each square shows at once.
            if whole && shown.pictures.with_value(|p| p.whole.is_empty()) {
                paint(shown, &pieces);
            }
            turn.pause().await?;
        }
    }
    shown.pictures.update_value(|p| {
        if whole {
            p.whole = pieces;
            p.detail.clear();
        } else {
            p.detail = pieces;
        }
    });
    paint(shown, &[]);
    Some(())
}

/// A tile as an image, one pixel per cell.
fn image(tile: &Tile, pes: u32, theme: Theme) -> Option<HtmlCanvasElement> {
    let n = tile.pixels;
    let mut bytes = Vec::with_capacity(tile.cells.len() * 4);
    let middle = |from: u32, cell: u32| {
        f64::from(from) + (f64::from(cell) + 0.5) * f64::from(tile.window.span) / f64::from(n)
    };
    for row in 0..n {
        let y = middle(tile.window.y, row);
        for column in 0..n {
            let cell = &tile.cells[(row * n + column) as usize];
            let triangle =
                if y > middle(tile.window.x, column) { Triangle::Requested } else { Triangle::Delivered };
            let places = if *cell == Default::default() { 0 } else { tile.places(column, row, pes) };
            bytes.extend(colour(cell, places, theme, triangle));
        }
    }
    let canvas: HtmlCanvasElement = browser::document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(n);
    canvas.set_height(n);
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), n, n).ok()?;
    context(&canvas)?.put_image_data(&image, 0.0, 0.0).ok()?;
    Some(canvas)
}

fn paint(shown: MapInputs, more: &[Piece]) {
    let Some(canvas) = shown.canvas.get_untracked() else { return };
    let side = shown.size.get_untracked().round();
    if side < 1.0 {
        return;
    }
    if f64::from(canvas.width()) != side {
        canvas.set_width(side as u32);
        canvas.set_height(side as u32);
    }
    let Some(pen) = context(&canvas) else { return };
    let view = shown.view.get_untracked();
    pen.set_image_smoothing_enabled(false);
    pen.clear_rect(0.0, 0.0, side, side);
    let scale = side / view.span;
    shown.pictures.with_value(|pictures| {
        let covered = !pictures.detail.is_empty();
        let whole = pictures.whole.iter().filter(|_| !covered || !view.is_fit());
        for piece in whole.chain(more) {
            place_piece(&pen, piece, &view, scale);
        }
        if !view.is_fit() {
            for piece in &pictures.detail {
                let (x, y, size) = on_screen(piece, &view, scale);
                pen.clear_rect(x, y, size, size);
            }
            pictures.detail.iter().for_each(|piece| place_piece(&pen, piece, &view, scale));
        }
    });
    let dark = shown.dark.get_untracked();
    diagonal(&pen, &view, side, dark);
    if let Some((verdict, index)) = shown.missing.get_untracked().zip(shown.index.get_untracked()) {
        rings(&pen, &view, side, &verdict.uncovered, &index, dark);
    }
    cursor(&pen, &view, side, dark);
    shown.lit.with_untracked(|lit| bands(&pen, &view, side, lit, dark));
    shown.lost.with_untracked(|lost| squares(&pen, &view, side, lost, dark));
    if !view.is_fit() {
        axes(&pen, &view, side, dark);
    }
}

/// Tints the columns and rows that are lit up.
fn bands(
    pen: &CanvasRenderingContext2d,
    view: &View,
    side: f64,
    (columns, rows): &(Vec<u32>, Vec<u32>),
    dark: bool,
) {
    let cell = side / view.span;
    let width = cell.max(1.5);
    pen.set_fill_style_str(if dark { "rgba(110, 178, 255, 0.22)" } else { "rgba(11, 87, 164, 0.16)" });
    for &column in columns {
        let x = view.place_of(column, 0).0 * side + (cell - width) / 2.0;
        pen.fill_rect(x, 0.0, width, side);
    }
    for &row in rows {
        let y = view.place_of(0, row).1 * side + (cell - width) / 2.0;
        pen.fill_rect(0.0, y, side, width);
    }
}

/// Writes node numbers along the upper and left edges.
fn axes(pen: &CanvasRenderingContext2d, view: &View, side: f64, dark: bool) {
    let fine = browser::pixel_ratio();
    let ticks = view.ticks(side / (56.0 * fine));
    let (ink, paper) =
        if dark { ("#eceef0", "rgba(18, 20, 23, 0.85)") } else { ("#16191d", "rgba(255, 255, 255, 0.85)") };
    pen.set_font(&format!("{}px system-ui, sans-serif", 11.0 * fine));
    pen.set_text_baseline("middle");
    pen.set_text_align("center");
    let height = 16.0 * fine;
    let write = |words: &str, x: f64, y: f64| {
        let width = pen.measure_text(words).map_or(0.0, |measured| measured.width()) + 6.0 * fine;
        let (x, y) = (x.clamp(width / 2.0, side - width / 2.0), y.clamp(height / 2.0, side - height / 2.0));
        pen.set_fill_style_str(paper);
        pen.fill_rect(x - width / 2.0, y - height / 2.0, width, height);
        pen.set_fill_style_str(ink);
        let _ = pen.fill_text(words, x, y);
    };
    for node in ticks {
        let words = node.to_string();
        let half = side / view.span / 2.0;
        let (x, y) = (view.place_of(node, 0).0 * side + half, view.place_of(0, node).1 * side + half);
        if (height * 1.5..side).contains(&x) {
            write(&words, x, 0.0);
        }
        if (height * 1.5..side).contains(&y) {
            write(&words, 0.0, y);
        }
    }
}

fn on_screen(piece: &Piece, view: &View, scale: f64) -> (f64, f64, f64) {
    let window = piece.window;
    (
        (f64::from(window.x) - view.x) * scale,
        (f64::from(window.y) - view.y) * scale,
        f64::from(window.span) * scale,
    )
}

fn place_piece(pen: &CanvasRenderingContext2d, piece: &Piece, view: &View, scale: f64) {
    let (x, y, size) = on_screen(piece, view, scale);
    let _ = pen.draw_image_with_html_canvas_element_and_dw_and_dh(&piece.canvas, x, y, size, size);
}

fn diagonal(pen: &CanvasRenderingContext2d, view: &View, side: f64, dark: bool) {
    let at = |pe: f64| ((pe - view.x) / view.span * side, (pe - view.y) / view.span * side);
    let ((x0, y0), (x1, y1)) = (at(0.0), at(f64::from(view.pes)));
    pen.set_stroke_style_str(if dark { "#5b636d" } else { "#aab1ba" });
    pen.set_line_width(1.0);
    pen.begin_path();
    pen.move_to(x0, y0);
    pen.line_to(x1, y1);
    pen.stroke();
}

/// Draws a ring around each uncovered pair, or an outline if cells are large: red alone must not be the only sign. On a map by
/// weight, only heavy pairs have one.
fn rings(
    pen: &CanvasRenderingContext2d,
    view: &View,
    side: f64,
    missing: &[(u32, u32)],
    index: &MapIndex,
    dark: bool,
) {
    let cell = side / view.span;
    let inside = |&&(a, b): &&(u32, u32)| {
        let (x, y) = view.place_of(b, a);
        (-0.1..1.1).contains(&x) && (-0.1..1.1).contains(&y) && index.share(a, b) >= RINGED
    };
    let seen: Vec<_> = missing.iter().filter(inside).take(MAX_RINGS + 1).collect();
    if seen.len() > MAX_RINGS {
        return;
    }
    let fine = browser::pixel_ratio();
    pen.set_stroke_style_str(if dark { "#ff5454" } else { "#d01020" });
    pen.set_line_width(1.25 * fine);
    for &&(a, b) in &seen {
        // The delivered triangle is the upper one: the row is the lower PE.
        let (x, y) = view.place_of(b, a);
        let (x, y) = (x * side, y * side);
        pen.begin_path();
        if cell >= 10.0 * fine {
            pen.rect(x - 1.5 * fine, y - 1.5 * fine, cell + 3.0 * fine, cell + 3.0 * fine);
        } else {
            let _ = pen.arc(x + cell / 2.0, y + cell / 2.0, 4.0 * fine, 0.0, std::f64::consts::TAU);
        }
        pen.stroke();
    }
}

/// Fills the cells of pairs that failed parts take, at a size that shows. Of very many pairs, evenly spread ones stand for all.
fn squares(pen: &CanvasRenderingContext2d, view: &View, side: f64, lost: &[(u32, u32)], dark: bool) {
    let cell = side / view.span;
    let fine = browser::pixel_ratio();
    let size = cell.max(5.0 * fine);
    pen.set_fill_style_str(if dark { "#ff5454" } else { "#d01020" });
    // Red alone must not be the only sign, and uncovered pairs have rings.
    pen.set_stroke_style_str(if dark { "#ffffff" } else { "#16191d" });
    pen.set_line_width(fine);
    for &(a, b) in lost.iter().step_by(lost.len() / MAX_SQUARES + 1) {
        let (x, y) = view.place_of(b, a);
        if (-0.1..1.1).contains(&x) && (-0.1..1.1).contains(&y) {
            let (x, y) = (x * side + (cell - size) / 2.0, y * side + (cell - size) / 2.0);
            pen.fill_rect(x, y, size, size);
            pen.stroke_rect(x + fine / 2.0, y + fine / 2.0, size - fine, size - fine);
        }
    }
}

fn cursor(pen: &CanvasRenderingContext2d, view: &View, side: f64, dark: bool) {
    let Some((column, row)) = view.cursor else { return };
    let (x, y) = view.place_of(column, row);
    let size = (side / view.span).max(7.0);
    let (x, y) =
        (x * side + side / view.span / 2.0 - size / 2.0, y * side + side / view.span / 2.0 - size / 2.0);
    pen.set_stroke_style_str(if dark { "#6eb2ff" } else { "#0b57a4" });
    pen.set_line_width(2.0);
    pen.stroke_rect(x - 1.0, y - 1.0, size + 2.0, size + 2.0);
}

/// The picture, one pixel per cell, magnified without blur by the style sheet.
#[component]
pub fn PictureCanvas(
    #[prop(into)] picture: Signal<Option<Picture>>,
    #[prop(into)] dark: Signal<bool>,
    /// The picture in words, for screen readers; empty if the text beside it is enough.
    #[prop(optional, into)]
    label: String,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        let (Some(canvas), ink) = (canvas.get(), if dark.get() { 236 } else { 17 }) else { return };
        picture.with(|picture| {
            let Some(picture) = picture else { return };
            let side = picture.side as u32;
            canvas.set_width(side);
            canvas.set_height(side);
            let bytes: Vec<u8> = picture.shades.iter().flat_map(|&shade| [ink, ink, ink, shade]).collect();
            let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), side, side);
            if let (Some(context), Ok(image)) = (context(&canvas), image) {
                let _ = context.put_image_data(&image, 0.0, 0.0);
            }
        });
    });
    let hidden = label.is_empty().then_some("true");
    view! { <canvas class="picture" width="64" height="64" role="img" node_ref=canvas aria-label=label aria-hidden=hidden></canvas> }
}

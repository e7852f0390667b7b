//! Pointers and wheels over canvases, and their sizes on screen.

use crate::{browser, state::selection::DesignPart};
use leptos::{html, prelude::*};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    AddEventListenerOptions, CanvasRenderingContext2d, Element, Event, HtmlCanvasElement, PointerEvent,
    WheelEvent,
};

type Canvas = NodeRef<html::Canvas>;

/// Position of a pointer in shares of the canvas.
pub fn share_of(canvas: Canvas, event: &PointerEvent) -> (f64, f64) {
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    canvas.get_untracked().map_or((0.5, 0.5), |canvas| share(&canvas, x, y))
}

fn share(element: &Element, x: f64, y: f64) -> (f64, f64) {
    let area = element.get_bounding_client_rect();
    ((x - area.left()) / area.width().max(1.0), (y - area.top()) / area.height().max(1.0))
}

/// Movement of pointers that hold a canvas, in shares of it.
#[derive(Clone, Copy, Debug)]
pub struct Movement {
    /// To the right and down.
    pub by: (f64, f64),
    /// Zoom factor of two fingers; 1 for one pointer.
    pub factor: f64,
    /// The place that the zoom keeps.
    pub at: (f64, f64),
}

/// The pointers that hold a canvas.
#[derive(Clone, Copy)]
pub struct Hand {
    canvas: Canvas,
    held: StoredValue<Vec<(i32, (f64, f64))>>,
    travelled: StoredValue<f64>,
}

impl Hand {
    /// No pointer yet.
    pub fn new(canvas: Canvas) -> Hand {
        Hand { canvas, held: StoredValue::new(Vec::new()), travelled: StoredValue::new(0.0) }
    }

    /// Takes a pointer that is pressed.
    pub fn down(self, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        if let Some(canvas) = self.canvas.get_untracked() {
            // An error means that the pointer is gone, which needs no capture.
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        let at = share_of(self.canvas, event);
        self.held.update_value(|held| {
            held.retain(|h| h.0 != event.pointer_id());
            held.push((event.pointer_id(), at));
        });
        self.travelled.set_value(0.0);
    }

    /// The movement of a pointer that holds the canvas; `None` for others.
    pub fn moved(self, event: &PointerEvent) -> Option<Movement> {
        let at = share_of(self.canvas, event);
        let before = self.held.get_value();
        let mine = before.iter().position(|h| h.0 == event.pointer_id())?;
        self.held.update_value(|held| held[mine].1 = at);
        let (dx, dy) = (at.0 - before[mine].1.0, at.1 - before[mine].1.1);
        self.travelled.update_value(|t| *t += dx.abs() + dy.abs());
        if before.len() == 1 {
            return Some(Movement { by: (dx, dy), factor: 1.0, at });
        }
        let other = before[1 - mine.min(1)].1;
        let distance = |p: (f64, f64)| (p.0 - other.0).hypot(p.1 - other.1).max(0.01);
        let factor = distance(at) / distance(before[mine].1);
        let middle = ((at.0 + other.0) / 2.0, (at.1 + other.1) / 2.0);
        Some(Movement { by: (dx / 2.0, dy / 2.0), factor, at: middle })
    }

    /// Releases a pointer. Returns `true` after a click.
    pub fn up(self, event: &PointerEvent) -> bool {
        let held = self.held.with_value(|h| h.iter().any(|h| h.0 == event.pointer_id()));
        self.held.update_value(|h| h.retain(|h| h.0 != event.pointer_id()));
        held && self.held.with_value(Vec::is_empty) && self.travelled.get_value() < 0.01
    }
}

/// Calls `zoom` with a factor and the place of the pointer, in shares, when the wheel turns. Only a listener that is not passive can
/// keep the page from scrolling too.
pub fn on_wheel(canvas: Canvas, zoom: impl Fn(f64, (f64, f64)) + Copy + 'static) {
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let closure = Closure::<dyn FnMut(WheelEvent)>::new(move |event: WheelEvent| {
            let Some(target) = event.current_target().and_then(|t| t.dyn_into::<Element>().ok()) else {
                return;
            };
            // A picture taller than its view scrolls first; with Ctrl it zooms, as pages do.
            let view = target.closest(".scene").ok().flatten();
            if !event.ctrl_key() && view.is_some_and(|view| view.scroll_height() > view.client_height() + 1) {
                return;
            }
            event.prevent_default();
            let lines = if event.delta_mode() == 1 { 16.0 } else { 1.0 };
            let factor = (-event.delta_y() * lines / 300.0).clamp(-1.0, 1.0).exp();
            zoom(factor, share(&target, f64::from(event.client_x()), f64::from(event.client_y())));
        });
        let options = AddEventListenerOptions::new();
        options.set_passive(false);
        let _ = canvas.add_event_listener_with_callback_and_add_event_listener_options(
            "wheel",
            closure.as_ref().unchecked_ref(),
            &options,
        );
        closure.forget();
    });
}

/// Keeps `size` at the canvas's width in the screen's pixels.
pub fn watch_size(canvas: Canvas, size: RwSignal<f64>) {
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let watched = canvas.clone();
        let closure = Closure::<dyn FnMut()>::new(move || {
            let pixels = f64::from(watched.client_width()) * browser::window().device_pixel_ratio();
            if pixels > 0.0 && size.try_get_untracked().is_some_and(|s| (s - pixels).abs() > 0.5) {
                size.set(pixels);
            }
        });
        if let Ok(observer) = web_sys::ResizeObserver::new(closure.as_ref().unchecked_ref()) {
            observer.observe(&canvas);
        }
        closure.forget();
    });
}

/// The drawing context of a canvas.
pub fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context_with_context_options("2d", &JsValue::UNDEFINED).ok().flatten()?.dyn_into().ok()
}

/// The part of the element under an event: the attribute `data-part` of it or of an element around it, such as `pe17` or `sw3`.
pub fn part_at(event: &Event) -> Option<DesignPart> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let name = target.closest("[data-part]").ok()??.get_attribute("data-part")?;
    let number = |text: &str| text.parse().ok();
    match name.split_at_checked(2)? {
        ("pe", pe) => number(pe).map(DesignPart::Node),
        ("sw", switch) => number(switch).map(DesignPart::Switch),
        _ => None,
    }
}

//! Keyboard shortcuts: what they do, and the list of them.

use super::{
    header::on_wiring_page,
    studio::{Studio, Tab},
};
use crate::{
    browser,
    components::Dialog,
    state::{place::Place, session::Action},
};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

const SHORTCUTS: [(&str, &str); 15] = [
    ("?", "this list"),
    ("S", "start or stop the search"),
    ("M", "to the map"),
    ("H", "from the wiring to the hardware, and back"),
    ("1 2 3 4 5 6 7", "wiring, figures, routes, labels, compare, simulate, export"),
    ("/", "filter the wiring table"),
    ("Ctrl+Z", "undo"),
    ("Ctrl+Shift+Z, Ctrl+Y", "redo"),
    ("T", "next theme"),
    ("Arrows", "on the map: move the cursor; with Shift in larger steps"),
    ("+ -", "on the map: zoom in and out"),
    ("0", "on the map: fit all of it"),
    ("Escape", "on the map: no cursor; in a menu or dialog: close"),
    ("Wheel, drag", "on the map: zoom at the pointer, pan"),
    ("Two fingers", "on the map: zoom and pan"),
];

/// Listens for shortcuts for as long as the page lives.
pub fn listen(studio: Studio) {
    let listener = window_event_listener(leptos::ev::keydown, move |event| {
        let key = event.key();
        if event.ctrl_key() || event.meta_key() {
            if is_typing(&event) || !is_session(studio) {
                return;
            }
            let action = match (key.to_ascii_lowercase().as_str(), event.shift_key()) {
                ("z", false) => Action::Undo,
                ("z", true) | ("y", false) => Action::Redo,
                _ => return,
            };
            event.prevent_default();
            studio.edit(action);
            return;
        }
        if event.alt_key() || is_typing(&event) || studio.help.get_untracked() {
            return;
        }
        let mut taken = true;
        match key.as_str() {
            "?" => studio.help.set(true),
            "s" | "S" if is_session(studio) => {
                let buttons = ["stop", "start", "board-stop", "board-start"];
                if let Some(button) = buttons.into_iter().find_map(browser::element) {
                    button.click();
                }
            }
            "h" | "H" if is_session(studio) => {
                let other = if studio.is_at_hardware() { "to-wiring" } else { "to-hardware" };
                if let Some(link) = browser::element(other) {
                    link.click();
                }
            }
            "m" | "M" => on_wiring_page(studio, || browser::focus("map")),
            "t" | "T" => studio.next_theme(),
            "1" => open(studio, Tab::Wiring),
            "2" => open(studio, Tab::Figures),
            "3" => open(studio, Tab::Routes),
            "4" => open(studio, Tab::Labels),
            "5" => open(studio, Tab::Compare),
            "6" => open(studio, Tab::Simulate),
            "7" => open(studio, Tab::Export),
            "/" => {
                studio.tab.set(Tab::Wiring);
                on_wiring_page(studio, || browser::focus("wiring-filter"));
            }
            _ => taken = false,
        }
        if taken {
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
}

fn open(studio: Studio, tab: Tab) {
    studio.tab.set(tab);
    on_wiring_page(studio, move || browser::focus(super::results::tab_id(tab)));
}

fn is_session(studio: Studio) -> bool {
    !matches!(studio.place.get_untracked(), Place::Design(_))
}

fn is_typing(event: &web_sys::KeyboardEvent) -> bool {
    let Some(element) = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
        return false;
    };
    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
}

/// The list of shortcuts.
#[component]
pub fn Help() -> impl IntoView {
    let studio = Studio::here();
    view! {
        <Dialog open=studio.help title="Keyboard shortcuts" id="help">
            <table class="keys">
                <tbody>
                    {SHORTCUTS.map(|(keys, what)| view! { <tr><th scope="row"><kbd>{keys}</kbd></th><td>{what}</td></tr> }).collect_view()}
                </tbody>
            </table>
        </Dialog>
    }
}

//! Keyboard shortcuts: what they do, and the list of them.

use crate::{
    browser,
    components::Dialog,
    state::{
        draft::Action,
        place::{Place, Tab},
    },
    studio::{Studio, navigate::Navigator},
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
pub fn listen(studio: Studio, navigator: Navigator) {
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
        if event.alt_key() || is_typing(&event) || studio.view.help.get_untracked() {
            return;
        }
        let mut taken = true;
        match key.as_str() {
            "?" => studio.view.help.set(true),
            "s" | "S" if is_session(studio) => {
                let buttons = ["stop", "start", "board-stop", "board-start"];
                if let Some(button) = buttons.into_iter().find_map(browser::element) {
                    button.click();
                }
            }
            "h" | "H" if is_session(studio) => {
                navigator.go(if studio.view.is_at_hardware() {
                    navigator.wiring()
                } else {
                    navigator.hardware()
                });
            }
            "m" | "M" => navigator.on_wiring(|| browser::focus("map")),
            "t" | "T" => studio.view.next_theme(),
            "1" => open(studio, navigator, Tab::Wiring),
            "2" => open(studio, navigator, Tab::Figures),
            "3" => open(studio, navigator, Tab::Routes),
            "4" => open(studio, navigator, Tab::Labels),
            "5" => open(studio, navigator, Tab::Compare),
            "6" => open(studio, navigator, Tab::Simulate),
            "7" => open(studio, navigator, Tab::Export),
            "/" => {
                studio.view.tab.set(Tab::Wiring);
                navigator.on_wiring(|| browser::focus("wiring-filter"));
            }
            _ => taken = false,
        }
        if taken {
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
}

fn open(studio: Studio, navigator: Navigator, tab: Tab) {
    studio.view.tab.set(tab);
    navigator.on_wiring(move || browser::focus(&tab.id()));
}

fn is_session(studio: Studio) -> bool {
    !matches!(studio.view.place.get_untracked(), Place::Design(_))
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
        <Dialog open=studio.view.help title="Keyboard shortcuts" id="help">
            <table class="keys">
                <tbody>
                    {SHORTCUTS.map(|(keys, what)| view! { <tr><th scope="row"><kbd>{keys}</kbd></th><td>{what}</td></tr> }).collect_view()}
                </tbody>
            </table>
        </Dialog>
    }
}

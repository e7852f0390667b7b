//! Help: keyboard shortcuts, and the chapters that `crosspoint help` prints too.

use crate::{
    api::{self, Answer},
    browser,
    components::Dialog,
    state::{
        draft::Action,
        place::{Place, Room, Scene},
    },
    studio::{Studio, navigate::Navigator},
    work::latest,
};
use leptos::{prelude::*, task::spawn_local};
use shared::api::HelpTopic;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Keys, and their effect. A browser test presses each of them.
const KEYS: [(&[&str], &str); 13] = [
    (&["?"], "Open help"),
    (&["S"], "Start or stop the search"),
    (&["M"], "Go to the map, the cables or the racks"),
    (&["H"], "Switch between design and hardware"),
    (
        &["1", "2", "3", "4", "5", "6", "7"],
        "Open Design, Hardware, Compare, Step time, Simulate, Labels, Export",
    ),
    (&["/"], "Filter the wiring table"),
    (&["Ctrl+Z"], "Undo"),
    (&["Ctrl+Shift+Z", "Ctrl+Y"], "Redo"),
    (&["T"], "Change theme"),
    (&["←", "→", "↑", "↓"], "Map and cables: go from part to part"),
    (&["+", "-"], "Map and cables: zoom in and out"),
    (&["0"], "Map and cables: show all"),
    (&["Escape"], "Map and cables: select nothing. Menu, dialog or replay: close"),
];

/// Moves of a pointer or of fingers, and their effect.
const MOVES: [(&str, &str); 3] = [
    ("Wheel", "Map and cables: zoom at the pointer"),
    ("Drag", "Map and cables: pan"),
    ("Two fingers", "Map and cables: zoom and pan"),
];

/// Topic of the page of shortcuts.
const SHORTCUTS: &str = "";

/// Listens for shortcuts.
pub fn listen(studio: Studio, navigator: Navigator) {
    let listener = window_event_listener(leptos::ev::keydown, move |event| {
        let key = event.key();
        if event.ctrl_key() || event.meta_key() {
            if is_typing(&event) || browser::has_dialog() || !is_session(studio) {
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
        if event.alt_key() || is_typing(&event) || browser::has_dialog() {
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
                navigator.enter(if studio.view.is_at_hardware() { Room::Design } else { Room::Hardware });
            }
            "m" | "M" if has_rooms(studio) => {
                navigator.enter(Room::Design);
                soon(|| ["map", "cables", "elevations"].into_iter().for_each(browser::focus));
            }
            "t" | "T" => studio.view.next_theme(),
            "/" if has_rooms(studio) => {
                navigator.look(Scene::Wiring);
                soon(|| browser::focus("wiring-filter"));
            }
            // Digits open the pages in their order.
            key => match Room::ALL.into_iter().zip('1'..).find(|(_, digit)| key == digit.to_string()) {
                Some((room, _)) if has_rooms(studio) && (room != Room::Hardware || is_session(studio)) => {
                    navigator.enter(room);
                    browser::focus(&room.id());
                }
                _ => taken = false,
            },
        }
        if taken {
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
}

/// Runs an action once the page is drawn.
fn soon(act: impl FnOnce() + 'static) {
    spawn_local(async move {
        browser::breathe().await;
        act();
    });
}

fn has_rooms(studio: Studio) -> bool {
    studio.view.place.with_untracked(Place::has_rooms)
}

fn is_session(studio: Studio) -> bool {
    studio.view.place.with_untracked(Place::is_session)
}

fn is_typing(event: &web_sys::KeyboardEvent) -> bool {
    let Some(element) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
        return false;
    };
    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
}

/// Help in a sheet at the side: topics, and a chapter or the shortcuts. It opens on the chapter of the page on screen, or of a link.
#[component]
pub fn Help() -> impl IntoView {
    let studio = Studio::here();
    let topic = RwSignal::new(SHORTCUTS.to_owned());
    let own = move || {
        let view = studio.view;
        view.place.with_untracked(|place| place.chapter(untrack(|| view.room()), view.scene.get_untracked()))
    };
    Effect::new(move |before: Option<Option<&'static str>>| {
        let before = before.flatten();
        if !studio.view.help.get() {
            return before;
        }
        // A chapter that somebody turned to stays while the page stays.
        let own = own();
        if let Some(chapter) = studio.view.chapter.get_untracked() {
            studio.view.chapter.set(None);
            topic.set(chapter.into());
        } else if before != Some(own) {
            topic.set(own.into());
        }
        Some(own)
    });
    let topics = latest(move |_| studio.view.help.get().then(api::help_topics));
    let chapter = latest(move |_| {
        let topic = topic.get();
        (topic != SHORTCUTS)
            .then_some(async move { api::help_chapter(&topic).await.map(|chapter| chapter.html) })
    });
    // Each chapter begins at its top, the glossary at the word that was clicked.
    let page = NodeRef::<leptos::html::Article>::new();
    Effect::new(move |_| {
        chapter.found.track();
        topic.track();
        let word = studio.view.word.get();
        let Some(page) = page.get() else { return };
        page.set_scroll_top(0);
        if !word.is_empty() && topic.with(|topic| topic == "glossary") {
            soon(move || {
                let row = browser::elements(&page, "td:first-child").into_iter().find(|cell| {
                    let term = cell.text_content().unwrap_or_default();
                    term.starts_with(word) || word.starts_with(&term)
                });
                row.iter().for_each(Element::scroll_into_view);
            });
        }
    });
    let listed = move || {
        let found = topics.found.get()?;
        Some(found.map(|topics| {
            topics.into_iter().map(|HelpTopic { topic, title }| (topic, title)).collect::<Vec<_>>()
        }))
    };
    // The word was clicked for a chapter that is left.
    let turn = move |name: String| {
        studio.view.word.set("");
        topic.set(name);
    };
    let shortcuts = || (SHORTCUTS.to_owned(), "Keyboard shortcuts".to_owned());
    let entry = move |(name, title): (String, String)| {
        let chosen = name.clone();
        let current = move || (topic.get() == chosen).then_some("page");
        view! {
            <li><button type="button" class="plain" aria-current=current on:click=move |_| turn(name.clone())>
                {title}
            </button></li>
        }
    };
    let option = move |(name, title): (String, String)| {
        let chosen = name.clone();
        view! { <option value=name prop:selected=move || topic.get() == chosen>{title}</option> }
    };
    view! {
        <Dialog open=studio.view.help title="Help" id="help">
            <div class="chapters">
                <div class="topics">
                    <button type="button" id="help-tour" on:click=move |_| {
                        studio.view.help.set(false);
                        studio.view.tour.set(Some(0));
                    }>"Tour of the page"</button>
                    <select aria-label="Topic" on:change=move |event| turn(event_target_value(&event))>
                        {option(shortcuts())}
                        {move || listed().and_then(Result::ok).map(|topics| topics.into_iter().map(option).collect_view())}
                    </select>
                    <nav aria-label="Topics"><ul>
                        {entry(shortcuts())}
                        {move || answered(listed()?, |topics| topics.into_iter().map(entry).collect_view())}
                    </ul></nav>
                </div>
                <article aria-live="polite" tabindex="0" node_ref=page aria-label="Chapter">
                    {move || match topic.with(|topic| topic == SHORTCUTS) {
                        true => Some(keys().into_any()),
                        false => answered(chapter.found.get()?, |html| view! { <div inner_html=html></div> }),
                    }}
                </article>
            </div>
        </Dialog>
    }
}

/// The view of an answer, or of the reason why there is none.
fn answered<T, V: IntoView + 'static>(answer: Answer<T>, view: impl FnOnce(T) -> V) -> Option<AnyView> {
    Some(match answer {
        Ok(answer) => view(answer).into_any(),
        Err(problem) => view! { <p>{problem.title}": "{problem.detail}</p> }.into_any(),
    })
}

/// The page of shortcuts.
fn keys() -> impl IntoView {
    let row = |(keys, effect): (&'static [&'static str], &'static str)| {
        let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd>" " }).collect_view();
        view! { <tr><th scope="row">{keys}</th><td>{effect}</td></tr> }
    };
    let line = |(how, effect): (&'static str, &'static str)| {
        view! { <tr><th scope="row">{how}</th><td>{effect}</td></tr> }
    };
    view! {
        <h3>"Keyboard shortcuts"</h3>
        <table class="keys" id="help-keys"><tbody>{KEYS.map(row).collect_view()}</tbody></table>
        <h4>"Pointer and fingers"</h4>
        <table class="keys"><tbody>{MOVES.map(line).collect_view()}</tbody></table>
    }
}

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

const SHORTCUTS: [(&str, &str); 15] = [
    ("?", "Open help"),
    ("S", "Start or stop the search"),
    ("M", "Go to the map, the cables or the racks"),
    ("H", "Switch between design and hardware"),
    ("1 2 3 4 5 6 7", "Open Design, Hardware, Compare, Step time, Simulate, Labels, Export"),
    ("/", "Filter the wiring table"),
    ("Ctrl+Z", "Undo"),
    ("Ctrl+Shift+Z, Ctrl+Y", "Redo"),
    ("T", "Change theme"),
    ("Arrows", "Map, cables: go from part to part; on the map with Shift in larger steps"),
    ("+ -", "Map, cables: zoom in and out"),
    ("0", "Map, cables: show all"),
    ("Escape", "Map, cables: select nothing; menu or dialog: close"),
    ("Wheel, drag", "Map, cables: zoom at the pointer, pan"),
    ("Two fingers", "Map, cables: zoom and pan"),
];

/// Listens for shortcuts.
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
                Some((room, _)) if has_rooms(studio) => {
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
    let Some(element) = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
        return false;
    };
    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
}

/// Help dialog: a list of topics, and the shortcuts or a chapter beside it.
#[component]
pub fn Help() -> impl IntoView {
    let studio = Studio::here();
    // Topic of the chapter shown; empty for the shortcuts.
    let topic = RwSignal::new(String::new());
    let topics = latest(move |_| studio.view.help.get().then(api::help_topics));
    let chapter = latest(move |_| {
        let topic = topic.get();
        (!topic.is_empty())
            .then_some(async move { api::help_chapter(&topic).await.map(|chapter| chapter.html) })
    });
    let entry = move |name: String, title: String| {
        let chosen = name.clone();
        let current = move || (topic.get() == chosen).then_some("page");
        view! {
            <li><button type="button" class="plain" aria-current=current on:click=move |_| topic.set(name.clone())>
                {title}
            </button></li>
        }
    };
    let entries = move |topics: Vec<HelpTopic>| {
        topics.into_iter().map(|HelpTopic { topic, title }| entry(topic, title)).collect_view()
    };
    view! {
        <Dialog open=studio.view.help title="Help" id="help">
            <div class="chapters">
                <nav aria-label="Topics"><ul>
                    {entry(String::new(), "Keyboard shortcuts".into())}
                    <li><button type="button" class="plain" id="help-tour" on:click=move |_| {
                        studio.view.help.set(false);
                        studio.view.tour.set(Some(0));
                    }>"Tour of the page"</button></li>
                    {move || answered(topics.found.get()?, entries)}
                </ul></nav>
                {move || match topic.with(String::is_empty) {
                    true => shortcuts().into_any(),
                    false => view! {
                        <article aria-live="polite">
                            {move || answered(chapter.found.get()?, |html| view! { <div inner_html=html></div> })}
                        </article>
                    }.into_any(),
                }}
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

fn shortcuts() -> impl IntoView {
    let row = |(keys, effect): (&'static str, &'static str)| view! { <tr><th scope="row"><kbd>{keys}</kbd></th><td>{effect}</td></tr> };
    view! { <table class="keys"><tbody>{SHORTCUTS.map(row).collect_view()}</tbody></table> }
}

//! The bar on top: where one is, what is kept, and what can be done with all of it.

use super::{
    BoardFollower, Follower, runs,
    studio::{Studio, Tab},
};
use crate::{
    browser,
    components::Icon,
    state::{place::Place, session::Action, theme::Choice},
};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;

/// The header of every page.
#[component]
pub fn Header() -> impl IntoView {
    let studio = Studio::here();
    let (follower, boards) = (Follower::here(), expect_context::<BoardFollower>());
    let editable = move || !matches!(studio.place.get(), Place::Design(_));
    let can_undo = move || editable() && studio.session.with(|s| s.can_undo());
    let can_redo = move || editable() && studio.session.with(|s| s.can_redo());
    view! {
        <header class="bar">
            <h1 class="brand">
                <a href="/" on:click=move |event| {
                    event.prevent_default();
                    home(studio, follower, boards);
                }>"Crosspoint"</a>
                <span class="crumb" id="session-name">{move || studio.name()}</span>
            </h1>
            <Modes/>
            <p class="kept" id="kept" role="status">{move || kept(studio)}</p>
            <nav aria-label="Session">
                <button type="button" id="undo" class="plain" title="Undo (Ctrl+Z)" aria-label="Undo"
                    prop:disabled=move || !can_undo() on:click=move |_| studio.edit(Action::Undo)><Icon name="undo"/></button>
                <button type="button" id="redo" class="plain" title="Redo (Ctrl+Shift+Z)" aria-label="Redo"
                    prop:disabled=move || !can_redo() on:click=move |_| studio.edit(Action::Redo)><Icon name="redo"/></button>
                <Share/>
                <button type="button" id="export" on:click=move |_| {
                    studio.tab.set(Tab::Export);
                    on_wiring_page(studio, || browser::focus("tab-export"));
                }><Icon name="export"/>"Export"</button>
                <button type="button" id="theme" class="plain" title=move || theme_words(studio.theme.get())
                    aria-label=move || theme_words(studio.theme.get())
                    on:click=move |_| studio.next_theme()><Icon name=Signal::derive(move || studio.theme.get().name())/></button>
                <button type="button" id="help-open" class="plain" title="Keyboard shortcuts (?)"
                    aria-label="Keyboard shortcuts" on:click=move |_| studio.help.set(true)>"?"</button>
            </nav>
        </header>
    }
}

/// A new session; the one that is left can be continued from the gallery.
fn home(studio: Studio, follower: Follower, boards: BoardFollower) {
    browser::forget_for_tab(super::studio::SESSION);
    studio.go(Place::Home);
    browser::scroll_to_top();
    super::arrive(studio, follower, boards);
}

/// The two pages of a session: its wiring, and the hardware that it takes.
#[component]
fn Modes() -> impl IntoView {
    let studio = Studio::here();
    let (follower, boards) = (Follower::here(), expect_context::<BoardFollower>());
    let session = Memo::new(move |_| !matches!(studio.place.get(), Place::Design(_)));
    let hardware = Memo::new(move |_| matches!(studio.place.get(), Place::Hardware | Place::Board(_)));
    let go = move |place: Place| {
        if studio.place.get_untracked() != place {
            studio.go(place);
            browser::scroll_to_top();
            super::arrive(studio, follower, boards);
        }
    };
    let current = |here: bool| if here { "page" } else { "false" };
    view! {
        {move || session.get().then(|| view! {
            <nav class="modes" aria-label="Pages of the session">
                <a href="/" id="to-wiring" aria-current=move || current(!hardware.get()) on:click=move |event| {
                    event.prevent_default();
                    go(wiring_place(studio));
                }>"Wiring"</a>
                <a href="/b" id="to-hardware" aria-current=move || current(hardware.get()) on:click=move |event| {
                    event.prevent_default();
                    go(studio.board_id.get_untracked().map_or(Place::Hardware, Place::Board));
                }>"Hardware"</a>
            </nav>
        })}
    }
}

/// Does something on the page of the wiring, which is opened first.
pub fn on_wiring_page(studio: Studio, act: impl FnOnce() + 'static) {
    if !studio.is_at_hardware() {
        act();
        return;
    }
    if let Some(link) = browser::element("to-wiring") {
        link.click();
    }
    spawn_local(async move {
        // The page is drawn first.
        browser::breathe().await;
        act();
    });
}

/// Where the wiring of the session is: with its run, if it has one.
fn wiring_place(studio: Studio) -> Place {
    if !studio.is_at_hardware() {
        return studio.place.get_untracked();
    }
    let on_screen = studio.run.with_untracked(|r| r.as_ref().map(|r| r.view.id.clone()));
    let key = studio.key.get_untracked();
    let kept =
        || studio.recent.with_untracked(|r| r.0.iter().find(|k| k.key == key).and_then(|k| k.run.clone()));
    on_screen.or_else(kept).map_or(Place::Home, Place::Run)
}

fn theme_words(theme: Choice) -> &'static str {
    match theme {
        Choice::System => "Theme: as the system has it",
        Choice::Light => "Theme: light",
        Choice::Dark => "Theme: dark",
    }
}

fn kept(studio: Studio) -> String {
    let saved = studio.held.with(|h| h.as_ref().is_some_and(|h| h.kept.is_some()));
    match (saved, studio.stored.get()) {
        (true, _) => "design saved on the server".into(),
        (false, Some(time)) => format!("draft kept in this browser {time}"),
        (false, None) => String::new(),
    }
}

/// Saving and links.
#[component]
fn Share() -> impl IntoView {
    let studio = Studio::here();
    let link = RwSignal::new(String::new());
    let has_design = move || studio.held.with(Option::is_some);
    // A link belongs to what is on screen: to another spec or wiring it would lead astray.
    let shown = Memo::new(move |_| {
        let wiring = studio.held.with(|h| h.as_ref().map(|h| (h.table.clone(), h.spec_text.clone())));
        (wiring, studio.text(), studio.place.get())
    });
    Effect::new(move |before: Option<()>| {
        // Read, not only tracked: a memo that nobody reads is never computed.
        shown.with(|_| ());
        if before.is_some() {
            link.set(String::new());
        }
    });
    let save = move |_| {
        spawn_local(async move {
            if let Some(id) = runs::keep(studio).await {
                let besides = studio.link(String::new()).write();
                let address = Place::Design(id).address();
                let hash = if besides.is_empty() { "" } else { "#" };
                link.set(browser::absolute(&format!("{address}{hash}{besides}")));
                if browser::copy(&link.get_untracked()).await {
                    studio.tell("Saved. The link is copied.");
                }
            }
        });
    };
    let copy_spec = move |_| {
        let packed = shared::spec::link::encode(&studio.text());
        link.set(browser::absolute(&Place::Link(studio.link(packed).write()).address()));
        spawn_local(async move {
            if browser::copy(&link.get_untracked()).await {
                studio.tell("The link is copied. It holds the whole spec; nothing is stored.");
            }
        });
    };
    let copy_board = move |_| {
        link.set(browser::absolute(&studio.place.get_untracked().address()));
        spawn_local(async move {
            if browser::copy(&link.get_untracked()).await {
                studio.tell("The link is copied. Whoever has it sees this board.");
            }
        });
    };
    let has_board = Memo::new(move |_| matches!(studio.place.get(), Place::Board(_)));
    let close = window_event_listener(leptos::ev::click, |event| close_menu(event.target()));
    let escape = window_event_listener(leptos::ev::keydown, |event| {
        if event.key() == "Escape" {
            close_menu(None);
        }
    });
    on_cleanup(move || {
        close.remove();
        escape.remove();
    });
    view! {
        <details class="menu" id="share">
            <summary><Icon name="share"/>"Share"</summary>
            <div class="sheet">
                <button type="button" id="share-design" class="primary" prop:disabled=move || !has_design() on:click=save>
                    "Save design and get link"
                </button>
                <p class="hint">{move || if has_design() {
                    "A permanent link to this spec, wiring, map and figures. A saved design never changes."
                } else {
                    "There is no wiring yet: start a search, or import a table."
                }}</p>
                <button type="button" id="share-spec" on:click=copy_spec><Icon name="copy"/>"Copy spec link"</button>
                <p class="hint">"The spec travels in the link itself; the server stores nothing."</p>
                {move || has_board.get().then(|| view! {
                    <button type="button" id="share-board" on:click=copy_board><Icon name="copy"/>"Copy link of this board"</button>
                    <p class="hint">"The board stays on the server; whoever has the link may watch and stop it."</p>
                })}
                <div class="field" hidden=move || link.with(String::is_empty)>
                    <label for="share-link">"Link"</label>
                    <span class="entry">
                        <input id="share-link" type="text" readonly=true prop:value=link
                            on:focus=move |event| { event_target::<web_sys::HtmlInputElement>(&event).select(); }/>
                        <a class="button" id="share-open" href=link>"Open"</a>
                    </span>
                </div>
            </div>
        </details>
    }
}

/// Closes the menu unless the click was inside it.
fn close_menu(target: Option<web_sys::EventTarget>) {
    let Some(menu) = browser::element("share") else { return };
    let inside =
        target.and_then(|t| t.dyn_into::<web_sys::Node>().ok()).is_some_and(|t| menu.contains(Some(&t)));
    if !inside {
        let _ = menu.remove_attribute("open");
    }
}

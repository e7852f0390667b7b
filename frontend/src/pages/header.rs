//! The bar on top: session, pages, save state and actions.

use crate::{
    api, browser,
    components::{Icon, Part, PartCall, parts},
    rights,
    state::{
        draft::Action,
        place::{Place, Room},
        theme::Choice,
    },
    studio::{
        Studio, late,
        navigate::{EDIT, Navigator},
    },
};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;

/// The header of every page.
#[component]
pub fn Header() -> impl IntoView {
    let studio = Studio::here();
    let navigator = Navigator::here();
    let editable = move || studio.view.place.with(Place::is_session) && !studio.view.viewing.get();
    // Some pages have no session.
    let title = Memo::new(move |_| studio.view.place.with(Place::title));
    let has_rooms = Memo::new(move |_| studio.view.place.with(Place::has_rooms));
    let can_undo = move || editable() && studio.session.draft.with(|s| s.can_undo());
    let can_redo = move || editable() && studio.session.draft.with(|s| s.can_redo());
    view! {
        <header class="bar">
            <h1 class="brand">
                <a href="/" on:click=move |event| {
                    event.prevent_default();
                    navigator.home();
                }>"Crosspoint"</a>
                <span class="crumb" id="session-name">{move || title.get().map_or_else(|| if has_rooms.get() { studio.session.name() } else { String::new() }, Into::into)}</span>
            </h1>
            <Rooms/>
            <nav class="modes" aria-label="Saved work">
                <a href="/library" id="to-library" aria-current=move || if title.get() == Some("Library") { "page" } else { "false" }
                    on:click=move |event| {
                        event.prevent_default();
                        navigator.go(Place::Library);
                    }>"Library"</a>
            </nav>
            <p class="kept" id="kept" role="status">{move || has_rooms.get().then(|| kept(studio))}</p>
            <nav aria-label="Session">
                {move || has_rooms.get().then(|| view! {
                    <button type="button" id="undo" class="plain" title="Undo (Ctrl+Z)" aria-label="Undo"
                        prop:disabled=move || !can_undo() on:click=move |_| studio.edit(Action::Undo)><Icon name="undo"/></button>
                    <button type="button" id="redo" class="plain" title="Redo (Ctrl+Shift+Z)" aria-label="Redo"
                        prop:disabled=move || !can_redo() on:click=move |_| studio.edit(Action::Redo)><Icon name="redo"/></button>
                    <Share/>
                })}
                <button type="button" id="theme" class="plain" title=move || theme_words(studio.view.theme.get())
                    aria-label=move || theme_words(studio.view.theme.get())
                    on:click=move |_| studio.view.next_theme()><Icon name=Signal::derive(move || studio.view.theme.get().name())/></button>
                <button type="button" id="help-open" class="plain" title="Help (?)"
                    aria-label="Help" on:click=move |_| studio.view.help.set(true)>"?"</button>
            </nav>
        </header>
    }
}

/// The pages of a design: that on screen, or the one before a page without a design.
#[component]
fn Rooms() -> impl IntoView {
    let studio = Studio::here();
    let navigator = Navigator::here();
    let is_here = Memo::new(move |_| studio.view.place.with(Place::has_rooms));
    let is_start = Memo::new(move |_| matches!(studio.view.place.get(), Place::Home | Place::Unknown));
    // A saved design has no hardware search.
    let rooms = Memo::new(move |_| {
        let saved = matches!(studio.view.place.get(), Place::Design(_));
        Room::ALL.into_iter().filter(|room| !saved || *room != Room::Hardware).collect::<Vec<_>>()
    });
    let current = move |room| if is_here.get() && studio.view.room() == room { "page" } else { "false" };
    let link = move |room: Room| {
        let address = move || match room {
            Room::Hardware => Place::Hardware.address(),
            room => {
                studio.view.place.track();
                navigator.wiring().at(room)
            }
        };
        view! {
            <a href=address id=room.id() aria-current=move || current(room) on:click=move |event| {
                event.prevent_default();
                navigator.enter(room);
            }>{room.title()}</a>
        }
    };
    view! {
        {move || (!is_start.get()).then(|| view! {
            <nav class="modes rooms" id="rooms" aria-label="Pages of the design">{rooms.get().into_iter().map(link).collect_view()}</nav>
        })}
    }
}

fn theme_words(theme: Choice) -> &'static str {
    match theme {
        Choice::System => "Theme: system",
        Choice::Light => "Theme: light",
        Choice::Dark => "Theme: dark",
    }
}

fn kept(studio: Studio) -> String {
    let saved = studio.result.of_held(|h| h.kept.is_some()).unwrap_or_default();
    match (saved, studio.session.saved_at.get()) {
        (true, _) => "Saved on the server".into(),
        (false, Some(time)) => format!("Saved in this browser {time}"),
        (false, None) => String::new(),
    }
}

/// The menu of links. Its content loads when it is opened.
#[component]
fn Share() -> impl IntoView {
    let opened = RwSignal::new(false);
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
        <details class="menu" id="share" on:toggle=move |_| if !opened.get_untracked() { opened.set(true) }>
            <summary><Icon name="share"/>"Share"</summary>
            {move || opened.get().then(|| view! { <Part of=links/> })}
        </details>
    }
}

parts! {
    results {
        /// The links to what is on screen.
        links() -> AnyView { view! { <Links/> }.into_any() }
    }
}

#[component]
fn Links() -> impl IntoView {
    let studio = Studio::here();
    let link = RwSignal::new(String::new());
    let has_design = move || studio.result.held.with(Option::is_some);
    // A link goes away when its spec or wiring is no longer on screen.
    let shown = Memo::new(move |_| {
        let wiring = studio.result.of_held(|h| (h.table.clone(), h.spec_text.clone()));
        (wiring, studio.session.text(), studio.view.place.get())
    });
    Effect::new(move |before: Option<()>| {
        // Read, not only tracked: an unread memo is never computed.
        shown.with(|_| ());
        // A link to a search on this page stays while its wiring improves.
        let stays = studio.view.place.with_untracked(|place| {
            let is_search = matches!(place, Place::Run(_) | Place::Board(_));
            is_search && link.with_untracked(|link| link.starts_with(&browser::absolute(&place.address())))
        });
        if before.is_some() && !stays {
            link.set(String::new());
        }
    });
    let save = move |_| {
        spawn_local(async move {
            let Some(saving) = studio.ask(late::save_design(studio)).await else { return };
            if let Some(id) = saving.await {
                let Some(settings) = studio.ask(late::packed_settings(studio)).await else { return };
                let hash = if settings.is_empty() { "" } else { "#" };
                let address = format!("{}{hash}{settings}", Place::Design(id).at(studio.view.room()));
                show(studio, link, &address, "Saved. Link copied.");
            }
        });
    };
    let save_adopted = move |event| {
        studio.adopt_wiring();
        save(event);
    };
    // Whatever the reason: the wiring keeps the spec it was made for.
    let outdated = Memo::new(move |_| {
        let text = studio.session.text();
        studio.result.outdated().is_some()
            && studio.result.of_held(|h| *h.spec_text != *text).unwrap_or_default()
    });
    let copy_spec = move |_| {
        spawn_local(async move {
            let Some(address) = studio.ask(late::spec_address(studio)).await else { return };
            show(
                studio,
                link,
                &address,
                "Link copied. It contains the whole spec; the server stores nothing.",
            );
        });
    };
    let copy_board = move |_| {
        let address = studio.view.place.get_untracked().address();
        show(studio, link, &address, "Link copied. Anyone who has it can see these results.");
    };
    let has_board = Memo::new(move |_| matches!(studio.view.place.get(), Place::Board(_)));
    // What is on screen may have a link already.
    let existing = Memo::new(move |_| match studio.view.place.get() {
        Place::Library | Place::Home => None,
        place @ (Place::Run(_) | Place::Board(_)) => {
            Some(("Link to this search", place.at(studio.view.room())))
        }
        _ => {
            let id =
                studio.result.of_held(|held| held.kept.as_ref().map(|kept| kept.id.clone())).flatten()?;
            Some(("Link to this saved design", Place::Design(id).at(studio.view.room())))
        }
    });
    view! {
            <div class="sheet">
                {move || existing.get().map(|(label, address)| {
                    let shown = browser::absolute(&address);
                    view! {
                        <div class="field">
                            <label for="share-existing">{label}</label>
                            <span class="entry">
                                <input id="share-existing" type="text" readonly=true value=shown
                                    on:focus=move |event| { event_target::<web_sys::HtmlInputElement>(&event).select(); }/>
                                <button type="button" id="share-copy" on:click=move |_| show(studio, link, &address, "Link copied.")><Icon name="copy"/>"Copy"</button>
                            </span>
                        </div>
                    }
                })}
                <button type="button" id="share-design" class="primary" prop:disabled=move || !has_design() on:click=save>
                    {move || if outdated.get() { "Save the wiring with its own spec" } else { "Save design and get link" }}
                </button>
                <p class="hint">{move || match (has_design(), outdated.get()) {
                    (true, true) => "Saves the wiring with the spec it was made for, without your later changes.",
                    (true, false) => "A link to this spec, wiring, map and figures, which never change. The library lists it.",
                    (false, _) => "No wiring yet: start a search, or import a table.",
                }}</p>
                {move || (has_design() && outdated.get()).then(|| view! {
                    <button type="button" id="share-adopted" prop:disabled=move || !studio.result.faults().is_empty() on:click=save_adopted>
                        "Save the wiring with the spec on screen"
                    </button>
                    <p class="hint">"Pairs it doesn't cover will be listed."</p>
                })}
                <button type="button" id="share-spec" on:click=copy_spec><Icon name="copy"/>"Copy spec link"</button>
                <p class="hint">"The link contains the spec; the server stores nothing."</p>
                <RunLinks link=link/>
                {move || has_board.get().then(|| view! {
                    <button type="button" id="share-board" on:click=copy_board><Icon name="copy"/>"Copy link to these results"</button>
                    <p class="hint">"The results stay on the server. Anyone who has the link can watch. Only the browser that started the search can stop it."</p>
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
    }
}

/// The links of the search on screen.
#[component]
fn RunLinks(link: RwSignal<String>) -> impl IntoView {
    let studio = Studio::here();
    let run = Memo::new(move |_| match studio.view.place.get() {
        Place::Run(id) => Some(id),
        _ => None,
    });
    let copy_view = move |_| {
        let notice = "View link copied (read-only).";
        show(studio, link, &studio.view.place.get_untracked().address(), notice);
    };
    let copy_edit = move |_| {
        let Some(id) = run.get_untracked() else { return };
        spawn_local(async move {
            match api::edit_link(&id).await {
                Ok(secret) => {
                    let address = format!("{}#{EDIT}={secret}", Place::Run(id).address());
                    show(
                        studio,
                        link,
                        &address,
                        "Edit link copied. Everyone who has it can stop this search.",
                    );
                }
                Err(problem) => studio.view.show_problem(problem),
            }
        });
    };
    move || {
        run.get().map(|id| {
            view! {
                <button type="button" id="share-view" on:click=copy_view><Icon name="copy"/>"View link (watch live)"</button>
                {rights::may_stop(&id).then(|| view! {
                    <button type="button" id="share-edit" on:click=copy_edit><Icon name="copy"/>"Edit link (can stop)"</button>
                })}
                <p class="hint">"Both links show this search live. Only the edit link can stop it."</p>
            }
        })
    }
}

/// Shows a link and copies it.
fn show(studio: Studio, link: RwSignal<String>, address: &str, notice: &'static str) {
    link.set(browser::absolute(address));
    spawn_local(async move {
        if browser::copy(&link.get_untracked()).await {
            studio.view.notify(notice);
        }
    });
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

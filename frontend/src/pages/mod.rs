//! The studio's pages, and the panels they are made of: one noun a file.

mod about;
mod aside;
mod audit;
mod bounds;
mod compare;
mod compute;
mod design;
mod exports;
mod figures;
mod follow;
mod gallery;
mod hardware;
mod header;
mod help;
mod labels;
mod latest;
mod map;
mod patterns;
mod remaining;
mod results;
mod routes;
mod rules;
mod runs;
mod search;
mod simulate;
mod spec;
mod studio;
mod wiring;

use crate::{
    api, browser,
    state::{link::Link, place::Place, recent::Kept},
};
use hardware::{BoardFollower, Boards};
use leptos::{prelude::*, task::spawn_local};
use runs::{Follower, Runs};
use shared::api::GalleryEntry;
use studio::Studio;

/// Where a tab stores which session it has made of which link.
const LINK: &str = "crosspoint.link";

/// Draws the studio into the page.
pub fn mount() {
    mount_to_body(App);
}

#[component]
fn App() -> impl IntoView {
    let studio = Studio::new();
    let follower = Follower::new(Runs::new());
    provide_context(studio);
    provide_context(follower);
    let boards = BoardFollower::new(Boards { runs: follower });
    provide_context(boards);
    provide_context(compute::follow(studio));
    provide_context(simulate::Simulator::new(studio));
    aside::keep(studio);
    Effect::new(move |_| {
        if let Some(root) = browser::document().document_element() {
            let _ = root.set_attribute("data-theme", studio.theme.get().name());
        }
    });
    Effect::new(move |_| {
        let name = studio.session.with(|s| s.document().form.name.clone());
        browser::document().set_title(&match name.as_str() {
            "" => "Crosspoint".into(),
            name => format!("{name} – Crosspoint"),
        });
    });
    let back = window_event_listener(leptos::ev::popstate, move |_| {
        let (path, fragment) = browser::address();
        studio.place.set(Place::of(&path, &fragment));
        arrive(studio, follower, boards);
    });
    on_cleanup(move || back.remove());
    help::listen(studio);
    spawn_local(async move {
        load_gallery(studio).await;
        arrive(studio, follower, boards);
    });
    // Panels are made anew only where they differ: going from a draft to its search must not fold what is unfolded.
    let kept = Memo::new(move |_| matches!(studio.place.get(), Place::Design(_)));
    let hardware = Memo::new(move |_| studio.place.with(Place::is_hardware));
    view! {
        <a class="skip" href="#main">"Skip to the session"</a>
        <header::Header/>
        <main id="main" tabindex="-1">
            <NoticeBar/>
            {move || (studio.place.get() == Place::Home).then(|| view! { <gallery::Gallery/> })}
            {move || if hardware.get() {
                view! { <hardware::Hardware/> }.into_any()
            } else {
                view! {
                    <div class="panels">
                        {move || if kept.get() { view! { <about::KeptSpec/> }.into_any() } else { view! { <spec::SpecPanel/> }.into_any() }}
                        <map::MapPanel/>
                        {move || if kept.get() { view! { <about::About/> }.into_any() } else { view! { <search::SearchPanel/> }.into_any() }}
                    </div>
                    <results::Results/>
                }.into_any()
            }}
        </main>
        <help::Help/>
    }
}

/// Loads what the address asks for.
fn arrive(studio: Studio, follower: Follower, boards: BoardFollower) {
    match studio.place.get_untracked() {
        Place::Home => {
            follower.leave();
            begin(studio);
        }
        Place::Hardware if studio.is_blank() => begin(studio),
        Place::Hardware => {}
        Place::Board(id) => {
            let followed = studio.board.with_untracked(|b| b.as_ref().is_some_and(|b| b.view.id == id));
            if !followed {
                spawn_local(boards.come_back(studio, id));
            }
        }
        Place::Run(id) => {
            let followed = studio.run.with_untracked(|r| r.as_ref().is_some_and(|r| r.view.id == id));
            if !followed {
                spawn_local(follower.come_back(studio, id));
            }
        }
        Place::Design(id) => {
            follower.leave();
            spawn_local(about::load(studio, id));
        }
        Place::Link(link) => {
            follower.leave();
            open_link(studio, &link);
        }
        Place::Unknown => begin_anew(studio, "There is no such page."),
    }
}

/// Goes on with the session of this tab; the one on screen, if it is that, keeps what can be undone.
fn begin(studio: Studio) {
    match own_session(studio) {
        Some(kept) => {
            let same = studio.key.get_untracked() == kept.key
                && studio.session.with_untracked(|s| s.document().text == kept.text);
            if !same || studio.run.with_untracked(Option::is_some) {
                runs::restore(studio, &kept);
            }
        }
        None => open_ready(studio, Studio::picked()),
    }
}

/// The session that this tab has shown before.
fn own_session(studio: Studio) -> Option<Kept> {
    studio.read_recent();
    let own = Studio::own_key()?;
    studio.recent.with_untracked(|r| r.0.iter().find(|k| k.key == own).cloned())
}

/// Begins with a ready spec: the wanted one, else the first.
fn open_ready(studio: Studio, wanted: Option<String>) {
    let named = |g: &[GalleryEntry], id: &str| g.iter().find(|e| e.id == id).cloned();
    let entry = studio.gallery.with_untracked(|g| {
        let wanted = wanted.and_then(|id| named(g, &id));
        wanted.or_else(|| named(g, gallery::FIRST)).or_else(|| g.first().cloned())
    });
    if let Some(entry) = entry {
        studio.open(&entry.spec);
    }
}

/// Begins with the spec that a link holds, or goes on with what this tab has made of it.
fn open_link(studio: Studio, link: &str) {
    let parts = Link::of(link);
    let known =
        |kept: &Kept| browser::stored_for_tab(LINK).is_some_and(|l| l == format!("{} {link}", kept.key));
    if let Some(kept) = own_session(studio).filter(known) {
        runs::restore(studio, &kept);
        studio.look(&parts);
        return;
    }
    match shared::spec::link::decode(&parts.spec) {
        Ok(text) => {
            studio.open(&text);
            studio.look(&parts);
            browser::store_for_tab(LINK, &format!("{} {link}", studio.key.get_untracked()));
        }
        Err(fault) => {
            begin_anew(
                studio,
                &format!("This link holds no spec that can be read: expected {}.", fault.expected),
            );
        }
    }
}

/// Where an address leads nowhere: says so, over a new session.
fn begin_anew(studio: Studio, reason: &str) {
    browser::forget_for_tab(studio::SESSION);
    studio.place.set(Place::Home);
    open_ready(studio, None);
    studio.complain(
        format!("{reason} A link works only if it is copied whole. Here is a new session."),
        Vec::new(),
    );
}

async fn load_gallery(studio: Studio) {
    match api::gallery().await {
        Ok(entries) => studio.gallery.set(entries),
        Err(problem) => studio.problem(problem),
    }
}

/// Something to tell, above the panels.
#[component]
fn NoticeBar() -> impl IntoView {
    let studio = Studio::here();
    view! {
        <div class="notices" aria-live="polite">
            {move || studio.notice.get().map(|notice| view! {
                <div class="notice" class:bad=notice.bad role=if notice.bad { "alert" } else { "status" }>
                    <div>
                        <p>{notice.text}</p>
                        {(!notice.lines.is_empty()).then(|| view! {
                            <ul>{notice.lines.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
                        })}
                    </div>
                    <button type="button" class="plain" aria-label="Dismiss" on:click=move |_| studio.notice.set(None)>
                        <crate::components::Icon name="close"/>
                    </button>
                </div>
            })}
        </div>
    }
}

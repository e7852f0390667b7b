//! The studio's pages, and the panels they are made of: one noun a file.

mod about;
mod compute;
mod design;
mod exports;
mod figures;
mod gallery;
mod header;
mod help;
mod labels;
mod map;
mod patterns;
mod results;
mod runs;
mod search;
mod spec;
mod studio;
mod wiring;

use crate::{api, browser, state::place::Place};
use leptos::{prelude::*, task::spawn_local};
use runs::Follower;
use studio::Studio;

/// Draws the studio into the page.
pub fn mount() {
    mount_to_body(App);
}

#[component]
fn App() -> impl IntoView {
    let studio = Studio::new();
    let follower = Follower::new();
    provide_context(studio);
    provide_context(follower);
    provide_context(compute::follow(studio));
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
        arrive(studio, follower);
    });
    on_cleanup(move || back.remove());
    help::listen(studio);
    spawn_local(async move {
        load_gallery(studio).await;
        arrive(studio, follower);
    });
    let kept = move || matches!(studio.place.get(), Place::Design(_));
    view! {
        <a class="skip" href="#main">"Skip to the session"</a>
        <header::Header/>
        <main id="main" tabindex="-1">
            <NoticeBar/>
            {move || (studio.place.get() == Place::Home).then(|| view! { <gallery::Gallery/> })}
            <div class="panels">
                {move || if kept() { view! { <about::KeptSpec/> }.into_any() } else { view! { <spec::SpecPanel/> }.into_any() }}
                <map::MapPanel/>
                {move || if kept() { view! { <about::About/> }.into_any() } else { view! { <search::SearchPanel/> }.into_any() }}
            </div>
            <results::Results/>
        </main>
        <help::Help/>
    }
}

/// Loads what the address asks for.
fn arrive(studio: Studio, follower: Follower) {
    match studio.place.get_untracked() {
        Place::Home => {
            follower.leave();
            let mine = browser::stored_for_tab(studio::SESSION).and_then(|key| key.parse().ok());
            let kept = studio.recent.with_untracked(|r| r.0.iter().find(|k| Some(k.key) == mine).cloned());
            if let Some(kept) = kept {
                runs::restore(studio, &kept);
                return;
            }
            let first = studio
                .gallery
                .with_untracked(|g| g.iter().find(|e| e.id == gallery::FIRST).or(g.first()).cloned());
            if let Some(entry) = first {
                studio.open(&entry.spec);
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
            match shared::spec::link::decode(&link) {
                Ok(text) => studio.open(&text),
                Err(fault) => studio.complain(fault.to_string(), Vec::new()),
            }
        }
        Place::Unknown => studio.complain("There is no such page. Here is a new session.", Vec::new()),
    }
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

//! The start page: ways to begin, and example specs.

use crate::{
    browser,
    components::{FilesPicker, PictureCanvas},
    state::{
        draft::read_spec,
        drawers::Drawer,
        job,
        picture::{self, Picture},
        place::Pane,
        traffic::{FILES, Target},
        words::grouped,
    },
    studio::{Studio, TrafficFiles, navigate::FIRST},
    work::SLICE,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{api::GalleryEntry, demand::Building, spec::blank};

/// A card's picture and figures.
type CardContent = (Picture, String);

/// Ways to begin, drafts to continue, and the example specs.
#[component]
pub fn Gallery(
    /// The drafts in this browser.
    children: ChildrenFn,
) -> impl IntoView {
    let studio = Studio::here();
    let has_drafts = Memo::new(move |_| studio.session.recent.with(|recent| !recent.0.is_empty()));
    let drawn = RwSignal::new(Vec::<Option<CardContent>>::new());
    let entries = Memo::new(move |_| sorted(studio.session.gallery.get()));
    Effect::new(move |_| {
        let entries = entries.get();
        drawn.set(vec![None; entries.len()]);
        spawn_local(async move {
            for (index, entry) in entries.into_iter().enumerate() {
                browser::sleep(30).await;
                let card = draw(&entry).await;
                let _ = drawn.try_update(|d| {
                    if let Some(place) = d.get_mut(index) {
                        *place = card;
                    }
                });
            }
        });
    });
    view! {
        <section class="gallery" id="gallery" aria-labelledby="gallery-title">
            <p class="claim">"Cable your cluster so that any two nodes that talk share a switch."</p>
            <Doors/>
            {move || has_drafts.get().then(|| view! { <div class="recents">{children()}</div> })}
            <div class="heading">
                <h2 id="gallery-title">"Example specs"</h2>
            </div>
            <ul class="cards">
                {move || entries.get().into_iter().enumerate().map(|(index, entry)| {
                    let card = Signal::derive(move || drawn.with(|d| d.get(index).cloned().flatten()));
                    view! { <li><Card entry=entry card=card/></li> }
                }).collect_view()}
            </ul>
        </section>
    }
}

/// Ways to begin without an example.
#[component]
fn Doors() -> impl IntoView {
    let studio = Studio::here();
    let patterns = move |_| {
        studio.open(&blank(64));
        studio.remember();
        studio.view.pane.set(Pane::Spec);
        spawn_local(async {
            // The form is drawn first.
            browser::breathe().await;
            browser::focus("add-pattern");
            if let Some(button) = browser::element("add-pattern") {
                button.click();
            }
        });
    };
    let job = move |_| {
        studio.open(job::EXAMPLE);
        studio.remember();
        studio.view.pane.set(Pane::Spec);
        studio.view.drawer.set(Some(Drawer::Job));
    };
    let traffic = move |files| studio.view.traffic.set(Some(TrafficFiles { files, target: Target::Session }));
    view! {
        <div class="doors" role="group" aria-label="Ways to begin">
            <button type="button" id="door-patterns" on:click=patterns>"Choose communication patterns"</button>
            <button type="button" id="door-job" on:click=job>"Describe a training job"</button>
            <FilesPicker id="door-traffic" words="Use measured traffic" label="Start from measured traffic"
                title=Some(FILES.to_owned()) multiple=true on_files=traffic/>
            <button type="button" class="link" id="tour-open" on:click=move |_| studio.view.tour.set(Some(0))>"Take the tour"</button>
        </div>
    }
}

/// The spec of a first visit comes first, then small machines before large ones.
fn sorted(mut entries: Vec<GalleryEntry>) -> Vec<GalleryEntry> {
    entries.sort_by_cached_key(|e| (e.id != FIRST, read_spec(&e.spec).map_or(0, |s| s.pes)));
    entries
}

/// Builds the pairs of an example some nodes at a time, and draws them.
async fn draw(entry: &GalleryEntry) -> Option<CardContent> {
    let spec = read_spec(&entry.spec).ok()?;
    let mut building = Building::new(&spec).ok()?;
    while !building.step(SLICE).ok()? {
        browser::breathe().await;
    }
    let demand = building.finish();
    if spec.pes > SLICE {
        browser::breathe().await;
    }
    let words = format!("{} nodes, {} pairs", grouped(u64::from(spec.pes)), grouped(demand.len() as u64));
    Some((picture::of_all(&demand), words))
}

#[component]
fn Card(entry: GalleryEntry, card: Signal<Option<CardContent>>) -> impl IntoView {
    let studio = Studio::here();
    let title = entry.title.clone();
    let (hover, summary) = (entry.summary.clone(), entry.summary.clone());
    view! {
        <button type="button" class="card" id=format!("gallery-{}", entry.id)
            title=hover
            on:click=move |_| studio.pick(&entry)>
            <PictureCanvas picture=Signal::derive(move || card.get().map(|c| c.0)) dark=studio.view.dark/>
            <span class="words">
                <strong>{title}</strong>
                <span class="figures">{move || card.get().map_or_else(|| "\u{a0}".to_owned(), |c| c.1)}</span>
                <span class="summary">{summary}</span>
            </span>
        </button>
    }
}

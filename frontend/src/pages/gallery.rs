//! The gallery: example specs to start from, and drafts to continue.

use crate::{
    browser,
    components::{FilePicker, PictureCanvas, pressed},
    state::{
        draft::{Action, read_spec},
        job,
        picture::{self, Picture},
        place::Place,
        recent::Kept,
        words::grouped,
    },
    studio::{
        Studio,
        navigate::{FIRST, Navigator},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::GalleryEntry,
    demand::{Demand, matrix},
    spec::{MAX_PES, blank},
};

/// A card's picture and figures.
type Drawn = (Picture, String);

/// The example specs in a row.
#[component]
pub fn Gallery() -> impl IntoView {
    let studio = Studio::here();
    let drawn = RwSignal::new(Vec::<Option<Drawn>>::new());
    Effect::new(move |_| {
        let entries = studio.session.gallery.get();
        drawn.set(vec![None; entries.len()]);
        let entries = sorted(entries);
        spawn_local(async move {
            for (index, entry) in entries.into_iter().enumerate() {
                browser::sleep(30).await;
                let card = draw(&entry);
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
            <p class="claim">"Crosspoint finds how to cable a cluster so that nodes that talk to each other share a switch."</p>
            <Doors/>
            <div class="heading">
                <h2 id="gallery-title">"Example specs"</h2>
                <p class="hint">"Pick one, then start its search."</p>
                <Continue/>
            </div>
            <ul class="cards">
                {move || sorted(studio.session.gallery.get()).into_iter().enumerate().map(|(index, entry)| {
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
        spawn_local(async {
            // The form is drawn first.
            browser::breathe().await;
            browser::focus("training-job-title");
        });
    };
    let traffic = move |name: String, file: Result<String, String>| {
        let read = file.and_then(|text| {
            let list = || matrix::parse(&text, MAX_PES, None).ok();
            let pes = matrix::size(&text).or_else(|| Some(list()?.iter().map(|pair| pair.1).max()? + 1));
            let pairs = pes.map(|pes| matrix::parse(&text, pes, None));
            match (pes, pairs) {
                (Some(pes), Some(Ok(pairs))) => Ok((pes, pairs)),
                _ => Err(format!(
                    "{name} cannot be read: expected a square matrix of weights, or lines of `a b` or `a b weight`."
                )),
            }
        });
        match read {
            Ok((pes, pairs)) => {
                studio.open(&blank(pes));
                studio.edit(Action::Matrix { pattern: None, pairs: matrix::write_list(&pairs), pes: None });
            }
            Err(why) => studio.view.show_error(why, Vec::new()),
        }
    };
    view! {
        <div class="doors" role="group" aria-label="Ways to begin">
            <button type="button" id="door-patterns" on:click=patterns>"Choose communication patterns"</button>
            <button type="button" id="door-job" on:click=job>"Describe a training job"</button>
            <FilePicker id="door-traffic" words="Use measured traffic" label="Start from measured traffic"
                title="A square matrix of weights (CSV or space-separated), or lines of a b weight" accept=".csv,.txt,.tsv,text/*"
                max=matrix::MAX_BYTES on_file=traffic/>
            <span class="hint">"or start from an example:"</span>
            <button type="button" class="link" id="tour-open" on:click=move |_| studio.view.tour.set(Some(0))>"Take the tour"</button>
        </div>
    }
}

/// The spec of a first visit comes first, then small machines before large ones.
fn sorted(mut entries: Vec<GalleryEntry>) -> Vec<GalleryEntry> {
    entries.sort_by_key(|e| (e.id != FIRST, read_spec(&e.spec).map_or(0, |s| s.pes)));
    entries
}

fn draw(entry: &GalleryEntry) -> Option<Drawn> {
    let spec = read_spec(&entry.spec).ok()?;
    let demand = Demand::build(&spec).ok()?;
    let words = format!("{} nodes, {} pairs", grouped(u64::from(spec.pes)), grouped(demand.len() as u64));
    Some((picture::of_all(&demand), words))
}

#[component]
fn Card(entry: GalleryEntry, card: Signal<Option<Drawn>>) -> impl IntoView {
    let studio = Studio::here();
    let (title, name) = (entry.title.clone(), entry.title.clone());
    let (hover, summary) = (entry.summary.clone(), entry.summary.clone());
    let chosen = move || studio.session.name() == name;
    view! {
        <button type="button" class="card" id=format!("gallery-{}", entry.id)
            aria-pressed=move || pressed(chosen())
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

/// The drafts in this browser.
#[component]
fn Continue() -> impl IntoView {
    let studio = Studio::here();
    let others = move || {
        let now = studio.session.key.get();
        studio.session.recent.with(|r| r.0.iter().filter(|k| k.key != now).cloned().collect::<Vec<_>>())
    };
    view! {
        {move || {
            let others = others();
            (!others.is_empty()).then(|| view! {
                <p class="continue">"Continue: "
                    {others.into_iter().map(|kept| view! { <Recent kept=kept/> }).collect_view()}
                </p>
            })
        }}
    }
}

#[component]
fn Recent(kept: Kept) -> impl IntoView {
    let studio = Studio::here();
    let name = if kept.name.is_empty() { "untitled".to_owned() } else { kept.name.clone() };
    let about = match (&kept.run, &kept.board) {
        (Some(_), _) => " (search)",
        (None, Some(_)) => " (hardware)",
        (None, None) => " (draft)",
    };
    let navigator = Navigator::here();
    let place = kept.run.clone().map(Place::Run).or_else(|| kept.board.clone().map(Place::Board));
    let open = move |_| match &place {
        Some(place) => navigator.go(place.clone()),
        None => studio.restore(&kept),
    };
    view! { <button type="button" class="link" on:click=open>{name}{about}</button> }
}

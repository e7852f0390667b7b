//! The drafts in this browser, on the start page: each with a picture and its figures.

use crate::{
    browser,
    components::PictureCanvas,
    state::{
        draft::read_spec,
        picture::{self, Picture},
        place::Place,
        recent::RecentDraft,
        words::count,
    },
    studio::{ShownWiring, Studio, navigate::Navigator},
    work::SLICE,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{demand::Building, spec::Spec};

/// Drafts above this size have no picture: it would take as long as opening them.
const MAX_DRAWN: u32 = 16_384;

/// The drafts, the newest first.
#[component]
pub fn RecentDesigns() -> impl IntoView {
    let studio = Studio::here();
    let drafts = Memo::new(move |_| studio.session.recent.with(|recent| recent.0.clone()));
    view! {
        <div class="heading"><h2 id="recent-title">"Recent designs"</h2></div>
        <ul class="cards recent" aria-labelledby="recent-title">
            {move || drafts.get().into_iter().map(|kept| view! { <li><Draft kept=kept/></li> }).collect_view()}
        </ul>
    }
}

#[component]
fn Draft(kept: RecentDraft) -> impl IntoView {
    let studio = Studio::here();
    let navigator = Navigator::here();
    let name = if kept.name.is_empty() { "Untitled".to_owned() } else { kept.name.clone() };
    let spec = read_spec(&kept.text).ok();
    let (words, changed) = (figures(&kept, spec.as_ref()), browser::day_and_time(kept.changed));
    let drawn = RwSignal::new(None::<Picture>);
    let to_draw = kept.clone();
    spawn_local(async move {
        if let Some(picture) = draw(to_draw, spec).await {
            // The component may be gone by now.
            let _ = drawn.try_set(Some(picture));
        }
    });
    let state = state(&kept);
    let place = kept.run.clone().map(Place::Run).or_else(|| kept.board.clone().map(Place::Board));
    let open = move |_| match &place {
        Some(place) => navigator.go(place.clone()),
        None => {
            studio.restore(&kept);
            studio.remember();
        }
    };
    view! {
        <button type="button" class="card" on:click=open>
            <PictureCanvas picture=drawn dark=studio.view.dark/>
            <span class="words">
                <strong>{name}</strong>
                <span class="figures">{words}</span>
                <span class="summary">{format!("{state} · {changed}")}</span>
            </span>
        </button>
    }
}

/// Nodes, NICs and switches of a draft.
fn figures(kept: &RecentDraft, spec: Option<&Spec>) -> String {
    let Some(spec) = spec else { return "The spec has errors".into() };
    let nics = match spec.pe_groups[..] {
        [all] => format!("{} each", count(all.nis.into(), "NIC")),
        _ => count(spec.total_nis(), "NIC"),
    };
    let nodes = count(spec.pes.into(), "node");
    match kept.switches {
        0 => format!("{nodes} · {nics}"),
        used => format!("{nodes} · {nics} · {}", count(used.into(), spec.switch_noun())),
    }
}

/// The last that was done with a draft.
fn state(kept: &RecentDraft) -> String {
    match (&kept.run, &kept.board) {
        (Some(_), _) if !kept.state.is_empty() => kept.state.clone(),
        (Some(_), _) => "Search".into(),
        (None, Some(_)) => "Hardware search".into(),
        (None, None) if kept.wiring.is_some() => "With a wiring".into(),
        (None, None) => "Draft".into(),
    }
}

/// The wiring of a draft, or else the pairs that it asks for.
async fn draw(kept: RecentDraft, spec: Option<Spec>) -> Option<Picture> {
    browser::breathe().await;
    let spec = spec.filter(|spec| spec.pes <= MAX_DRAWN)?;
    if let Some(wiring) = &kept.wiring
        && let Ok(held) = ShownWiring::read(&wiring.spec, &wiring.table, String::new())
    {
        return Some(picture::of_wiring(&held.design));
    }
    let mut building = Building::new(&spec).ok()?;
    while !building.step(SLICE).ok()? {
        browser::breathe().await;
    }
    Some(picture::of_all(&building.finish()))
}

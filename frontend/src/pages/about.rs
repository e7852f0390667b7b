//! Page of a saved design: its map, wiring and figures, the spec to read, and its origin.

use crate::{
    components::{Fold, Icon, ItemForm, PictureCanvas},
    state::{
        library::base_words,
        picture,
        place::{Place, Side},
        words::{count, fixed, grouped, moment},
    },
    studio::{Studio, companion, navigate::Navigator},
};
use leptos::{prelude::*, task::spawn_local};
use shared::spec::{Objective, Spec};

/// Origin of a saved design, and a button to edit a copy.
#[component]
pub fn About(children: Children) -> impl IntoView {
    let (studio, navigator) = (Studio::here(), Navigator::here());
    let cable = move |_| {
        let Place::Design(id) = studio.view.place.get_untracked() else { return };
        spawn_local(async move {
            if let Err(problem) = companion::start(&id).await {
                studio.view.show_problem(problem);
            }
        });
    };
    let kept = move || studio.result.of_held(|h| h.kept.clone()).flatten();
    view! {
        <section class="panel about" id="about" aria-labelledby="about-title">
            <div class="heading"><h2 id="about-title">"Saved design"</h2><Fold words="Hide what is saved" right=true on_fold=move || studio.view.fold(Side::Right)/></div>
            {move || kept().map(|view| view! {
                <dl class="bounds">
                    <div><dt>"Saved"</dt><dd id="design-created">{moment(&view.created)}</dd></div>
                    <div><dt>"Origin"</dt><dd id="design-origin">{view.origin.clone()}</dd></div>
                    {view.based_on.as_ref().map(|base| view! {
                        <div><dt>"Based on"</dt><dd id="design-base">{base_words(base)}</dd></div>
                    })}
                    {(view.generation > 1).then(|| view! { <div><dt>"Design version"</dt><dd id="design-generation">{view.generation}</dd></div> })}
                    {(!view.note.is_empty()).then(|| view! { <div><dt>"Note"</dt><dd id="design-note">{view.note.clone()}</dd></div> })}
                    <div><dt>"Version"</dt><dd id="design-version">{view.version.clone()}</dd></div>
                </dl>
                <p class="hint">"The spec and wiring of a saved design never change. Everyone with the link sees the same."</p>
                <div class="actions">
                    <button type="button" class="primary" id="fork" on:click=move |_| studio.fork()><Icon name="fork"/>"Edit a copy"</button>
                    <button type="button" id="start-cabling" on:click=cable>"Start cabling"</button>
                </div>
                <ItemForm id="compare-link" label="Compare with (link of a design or search)" verb="Compare"
                    on_item={
                        let id = view.id.clone();
                        move |other| navigator.go(Place::Difference(id.clone(), other))
                    }/>
            })}
            {children()}
        </section>
    }
}

/// Spec of a saved design or of a search of others, read-only.
#[component]
pub fn KeptSpec() -> impl IntoView {
    let studio = Studio::here();
    view! {
        <section class="panel spec" id="spec" aria-labelledby="spec-title">
            <div class="heading"><h2 id="spec-title">"Spec"</h2><Fold words="Hide the spec" on_fold=move || studio.view.fold(Side::Left)/></div>
            {move || studio.result.asked.get().map(|asked| {
                let spec = asked.spec.clone();
                let rows = spec.patterns.iter().enumerate().map(|(i, pattern)| {
                    let picture = asked.pictures.get(i).cloned();
                    let pairs = picture.as_ref().map(|p| grouped(p.pairs));
                    view! {
                        <li class="pattern read">
                            <PictureCanvas picture=Signal::derive(move || picture.clone()) dark=studio.view.dark/>
                            <span class="title">{picture::title(pattern, spec.pes)}</span>
                            <span class="number">{pairs}<span class="sr">" pairs"</span></span>
                        </li>
                    }
                }).collect_view();
                let (total, overlap) = asked.total();
                view! {
                    <dl class="bounds">{facts(&spec).into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}</dl>
                    <h3>"Patterns"</h3>
                    <ul class="patterns">{rows}</ul>
                    <p class="total">"Total "<strong id="total-pairs">{total}</strong></p>
                    <p class="hint" id="total-overlap">{overlap}</p>
                }
            })}
            <details class="source"><summary>"As TOML"</summary><pre id="spec-text" tabindex="0">{move || studio.session.text()}</pre></details>
        </section>
    }
}

fn facts(spec: &Spec) -> Vec<(String, String)> {
    let nis: Vec<String> = match spec.pe_groups.as_slice() {
        [all] => vec![all.nis.to_string()],
        groups => groups.iter().map(|g| format!("{} × {}", grouped(u64::from(g.count)), g.nis)).collect(),
    };
    let objective = match spec.objective {
        Objective::Universal => "universal",
        Objective::Sparse => "sparse",
        Objective::Fractional => "fractional",
        Objective::Time => "time",
    };
    let mut facts = vec![
        ("Nodes".into(), grouped(u64::from(spec.pes))),
        ("NICs per node".into(), nis.join(", ")),
        ("Objective".into(), objective.into()),
    ];
    facts.extend(spec.rail.then(|| ("Rails".into(), "NIC i only to switches of plane i".into())));
    let unlimited = spec.unlimited();
    for (index, (model, number)) in spec.switches.iter().zip(spec.switch_counts()).enumerate() {
        let is_cable = spec.is_cable(model);
        let mut words = if is_cable { "two nodes each".into() } else { format!("{} ports", model.ports) };
        if model.reserve > 0 {
            words += &format!(", {} reserved", model.reserve);
        }
        if let Some(price) = model.price {
            words += &format!(", {} each", fixed(price, 2));
        }
        let number = if unlimited == Some(index) { "Any number of".into() } else { grouped(number.into()) };
        facts.push((format!("{number} {}", if is_cable { "cables" } else { "switches" }), words));
    }
    facts.extend(spec.ni_price.map(|p| ("Price per NIC".into(), fixed(p, 2))));
    facts.extend(spec.cable_price.map(|p| ("Price per cable".into(), fixed(p, 2))));
    facts.extend(spec.metre_price.map(|p| ("Price per metre of cable".into(), fixed(p, 2))));
    facts.extend(rules(spec));
    facts
}

/// Less common rules, with the number of each.
fn rules(spec: &Spec) -> Vec<(String, String)> {
    let mut rules = Vec::new();
    rules.extend(spec.uplink_text().map(|uplinks| ("Uplinks".to_owned(), uplinks)));
    let lists = [
        ("Ports reserved on", spec.kept.len(), "switch"),
        ("Placements", spec.placements.len(), "rule"),
        ("Racks", spec.racks.len(), "rack"),
    ];
    let given = lists.iter().filter(|(_, number, _)| *number > 0);
    rules.extend(given.map(|&(name, number, one)| (name.to_owned(), count(number as u64, one))));
    if let Some(start) = &spec.start {
        let cables: usize = start.switches.iter().map(Vec::len).sum();
        let may = match (start.renumber, start.moves) {
            (true, _) => "node numbers are permuted".to_owned(),
            (false, Some(moves)) => format!("{} may move", count(moves.into(), "cable")),
            (false, None) => "any may move".to_owned(),
        };
        rules.push(("Starts from".to_owned(), format!("{}, {may}", count(cables as u64, "cable"))));
    }
    rules
}

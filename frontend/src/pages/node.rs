//! Page of a node for those who plug in its cables: one large button per cable, in the order of its NICs.

use crate::{
    components::pressed,
    state::cabling::{Progress, state_word},
    studio::companion::Companion,
};
use leptos::prelude::*;
use shared::{
    api::{CableId, CableState},
    exports::NodeCable,
};

/// The cables of a node, and the way to its neighbours.
#[component]
pub fn NodePage(node: u32) -> impl IntoView {
    let companion = Companion::here();
    let found = companion.cabling.with_untracked(|cabling| {
        let plan = &cabling.as_ref()?.plan;
        (node < plan.nodes()).then(|| {
            let group = plan.group_of(node);
            (plan.names().pe(node), plan.place(node), plan.cables(node), plan.nodes(), group)
        })
    });
    let Some((name, place, cables, nodes, group)) = found else {
        return view! { <h1>"No such node"</h1><p>"This design has no node "{node}"."</p> }.into_any();
    };
    let all =
        Memo::new(move |_| companion.cabling.with(|c| c.as_ref().map(|c| c.progress())).unwrap_or_default());
    let part = move |at: usize| all.with(|all| all.get(at).cloned().unwrap_or_default());
    view! {
        <h1 id="node-name">{name}</h1>
        <p class="hint">{place}</p>
        <ul class="cable-list">
            {cables.into_iter().map(|cable| view! { <CableRow node=node cable=cable/> }).collect_view()}
        </ul>
        <Bar label="All cables" progress=Signal::derive(move || part(0))/>
        <Bar label="" progress=Signal::derive(move || part(1 + group))/>
        <Steps node=node nodes=nodes/>
    }
    .into_any()
}

/// Progress of some cables.
#[component]
fn Bar(label: &'static str, progress: Signal<Progress>) -> impl IntoView {
    let name = move || if label.is_empty() { progress.with(|p| p.name.clone()) } else { label.to_owned() };
    view! {
        <label class="cable-bar">
            <span>{name}</span>
            <span class="number">{move || progress.with(Progress::words)}</span>
            <progress max=move || progress.with(|p| p.cables) prop:value=move || progress.with(|p| p.plugged as f64)></progress>
        </label>
    }
}

#[component]
fn CableRow(node: u32, cable: NodeCable) -> impl IntoView {
    let companion = Companion::here();
    let id = CableId { node, nic: cable.nic, switch: cable.switch };
    let newest = Memo::new(move |_| companion.cabling.with(|c| c.as_ref()?.newest(id).cloned()));
    let state =
        Memo::new(move |_| newest.with(|n| n.as_ref().map_or(CableState::Unplugged, |tick| tick.state)));
    let is_in = move || matches!(state.get(), CableState::Plugged | CableState::Verified);
    let said = move || {
        newest.with(|tick| {
            let tick = tick.as_ref()?;
            Some(if tick.note.is_empty() { format!("by {}", tick.who) } else { tick.note.clone() })
        })
    };
    let may = Memo::new(move |_| companion.may_tick());
    let turn = move |to: CableState| {
        let is_back = state.get_untracked() == to || (to == CableState::Plugged && is_in());
        companion.set(id, if is_back { CableState::Unplugged } else { to });
    };
    view! {
        <li class="cable" data-state=move || state_word(state.get())>
            <button type="button" class="cable-tick" id=format!("cable-{}", cable.nic) aria-pressed=move || pressed(is_in())
                prop:disabled=move || !may.get() on:click=move |_| turn(CableState::Plugged)>
                <span class="chip" style:background-color=cable.paint style:color=cable.ink>{cable.number.clone()}</span>
                <span class="words">
                    <strong>{cable.ends()}</strong>
                    <span>{cable.details()}</span>
                    <span class="said"><b>{move || state_word(state.get())}</b>" "{said}</span>
                </span>
                <span class="mark" aria-hidden="true">{move || match state.get() {
                    CableState::Unplugged => "",
                    CableState::Plugged => "✓",
                    CableState::Verified => "✓✓",
                    CableState::Wrong => "!",
                }}</span>
            </button>
            <button type="button" class="cable-wrong" hidden=move || !may.get() aria-label=format!("NIC {} is wrong", cable.nic)
                aria-pressed=move || pressed(state.get() == CableState::Wrong) on:click=move |_| turn(CableState::Wrong)>"Wrong"</button>
        </li>
    }
}

/// Previous node, undo, next node: within reach of the thumb.
#[component]
fn Steps(node: u32, nodes: u32) -> impl IntoView {
    let companion = Companion::here();
    let name = move |node: u32| {
        companion.cabling.with_untracked(|c| c.as_ref().map(|c| c.plan.names().pe(node))).unwrap_or_default()
    };
    let nothing = move || companion.cabling.with(|c| c.as_ref().is_none_or(|c| c.undoable().is_none()));
    let (before, after) = (node.checked_sub(1), Some(node + 1).filter(|next| *next < nodes));
    let step = move |to: Option<u32>, id: &'static str, label: &'static str, words: String| {
        let label = format!("{label} {words}");
        view! {
            <button type="button" id=id aria-label=label prop:disabled=to.is_none()
                on:click=move |_| if let Some(to) = to { companion.go(to) }>{words}</button>
        }
    };
    let before_name = before.map_or_else(|| "–".into(), |node| format!("‹ {}", name(node)));
    let after_name = after.map_or_else(|| "–".into(), |node| format!("{} ›", name(node)));
    view! {
        <nav class="thumb" aria-label="Nodes">
            {step(before, "previous", "Previous node", before_name)}
            <button type="button" id="undo-tick" prop:disabled=nothing on:click=move |_| companion.undo()>"Undo"</button>
            {step(after, "next", "Next node", after_name)}
        </nav>
    }
}

//! Overview of a cabling for its supervisor: progress per rack, wrong cables, the latest ticks, and the join link.

use crate::{
    browser,
    components::Icon,
    state::{
        cabling::{Cabling, Progress, Spot, state_word},
        words::grouped,
    },
    studio::companion::Companion,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::Tick,
    exports::{Qr, UplinkEnds},
};

/// Latest ticks on the page.
const LATEST: usize = 30;

/// The whole page.
#[component]
pub fn CablingPage() -> impl IntoView {
    let companion = Companion::here();
    let all =
        Memo::new(move |_| companion.cabling.with(|c| c.as_ref().map(Cabling::progress)).unwrap_or_default());
    let total = move || all.with(|all| all.first().cloned().unwrap_or_default());
    let wrong =
        Memo::new(move |_| companion.cabling.with(|c| c.as_ref().map(Cabling::wrong)).unwrap_or_default());
    let latest = Memo::new(move |_| {
        companion.cabling.with(|c| c.as_ref().map(|c| c.recent(LATEST))).unwrap_or_default()
    });
    let facts = move || {
        let Progress { cables, plugged, verified, wrong, .. } = total();
        let open = cables - plugged - wrong;
        [("Plugged", plugged), ("Verified", verified), ("Wrong", wrong), ("Open", open)].map(
            |(name, number)| {
                view! { <div><dt>{name}</dt><dd>{grouped(number)}</dd></div> }
            },
        )
    };
    view! {
        <h1>"Cabling"</h1>
        <label class="cable-bar" id="cabling-total">
            <span>"All cables"</span>
            <span class="number">{move || total().words()}</span>
            <progress max=move || total().cables prop:value=move || total().plugged as f64></progress>
        </label>
        <dl class="cabling-facts">{facts}</dl>
        <JoinLink/>
        <h2>"Wrong cables"</h2>
        <p class="empty" id="none-wrong" hidden=move || !wrong.with(Vec::is_empty)>"None reported."</p>
        <Ticks id="cabling-wrong" ticks=wrong/>
        <h2>"Racks"</h2>
        <Racks all=all/>
        <Uplinks/>
        <h2>"Latest ticks"</h2>
        <p class="empty" hidden=move || !latest.with(Vec::is_empty)>"No ticks yet."</p>
        <Ticks id="cabling-latest" ticks=latest/>
    }
}

/// A table of the groups of nodes. The next node is the first one with an open cable.
#[component]
fn Racks(all: Memo<Vec<Progress>>) -> impl IntoView {
    let companion = Companion::here();
    let node = move |node: u32| {
        let name = companion.cabling.with_untracked(|c| c.as_ref().map(|c| c.plan.names().pe(node)));
        let address = Spot { design: companion.design(), node: Some(node) }.address();
        view! { <a href=address>{name}</a> }
    };
    let row = move |group: &Progress| {
        view! {
            <tr>
                <th scope="row">{group.name.clone()}</th>
                <td class="number">{group.words()}</td>
                <td class="number">{grouped(group.wrong)}</td>
                <td>{group.next.map(node)}</td>
            </tr>
        }
    };
    view! {
        <table class="data" id="cabling-racks">
            <thead><tr>
                <th scope="col">"Nodes"</th><th scope="col" class="number">"Plugged"</th>
                <th scope="col" class="number">"Wrong"</th><th scope="col">"Next"</th>
            </tr></thead>
            <tbody>{move || all.with(|all| all.iter().skip(1).map(row).collect_view())}</tbody>
        </table>
    }
}

/// The cables to uplink switches, which belong to no node.
#[component]
fn Uplinks() -> impl IntoView {
    let companion = Companion::here();
    let all = Memo::new(move |_| {
        companion.cabling.with(|c| c.as_ref().map(|c| c.plan.uplinks())).unwrap_or_default()
    });
    let row = |cable: &UplinkEnds| {
        view! {
            <tr>
                <th scope="row">{cable.from.clone()}</th>
                <td>{cable.to.clone()}</td>
                <td>{cable.plane.map(|plane| format!("Plane {plane}"))}</td>
                <td>{cable.colour.clone()}</td>
            </tr>
        }
    };
    view! {
        <section id="cabling-uplinks" hidden=move || all.with(Vec::is_empty)>
            <h2>"Cables to uplink switches"</h2>
            <table class="data">
                <thead><tr>
                    <th scope="col">"From"</th><th scope="col">"To"</th>
                    <th scope="col">"Plane"</th><th scope="col">"Colour"</th>
                </tr></thead>
                <tbody>{move || all.with(|all| all.iter().map(row).collect_view())}</tbody>
            </table>
        </section>
    }
}

/// Ticks with who and when.
#[component]
fn Ticks(id: &'static str, ticks: Memo<Vec<Tick>>) -> impl IntoView {
    let companion = Companion::here();
    let line = move |tick: &Tick| {
        let words = companion.cabling.with_untracked(|c| c.as_ref().map(|c| c.cable_words(tick)));
        let address = Spot { design: companion.design(), node: Some(tick.node) }.address();
        let note = (!tick.note.is_empty()).then(|| view! { <p>{tick.note.clone()}</p> });
        view! {
            <li>
                <p><a href=address>{words}</a>": "<strong>{state_word(tick.state)}</strong></p>
                {note}
                <p class="hint">{tick.who.clone()}" · "{browser::day_and_time(tick.at)}</p>
            </li>
        }
    };
    view! { <ul class="tick-list" id=id>{move || ticks.with(|ticks| ticks.iter().map(line).collect_view())}</ul> }
}

/// The link that lets a phone tick, to copy and as a QR code, and a new one for who may replace it.
#[component]
fn JoinLink() -> impl IntoView {
    let companion = Companion::here();
    let allowed = Memo::new(move |_| companion.is_allowed());
    let link = Memo::new(move |_| companion.join_link().filter(|_| allowed.get()));
    let may_renew = Memo::new(move |_| {
        let has_started = companion.cabling.with(|c| c.as_ref().is_some_and(|c| c.is_started));
        has_started && companion.edit.with(Option::is_some)
    });
    // A new link leaves the section open.
    let is_shown = Memo::new(move |_| link.with(Option::is_some) || may_renew.get());
    let copied = RwSignal::new(false);
    let copy = move |link: String| {
        spawn_local(async move { copied.set(browser::copy(&link).await) });
    };
    let current = move || {
        let link = link.get()?;
        let (shown, to_copy) = (link.clone(), link.clone());
        Some(view! {
            <p>"Scan this code once on each phone. The phone can then tick cables on every node’s page. Give it to technicians only."</p>
            {drawing(&link)}
            <div class="field inline">
                <label for="join-link">"Join link"</label>
                <input id="join-link" type="text" readonly prop:value=shown/>
            </div>
            <button type="button" on:click=move |_| copy(to_copy.clone())><Icon name="copy"/>"Copy link"</button>
            <span role="status">{move || copied.get().then_some(" Copied.")}</span>
        })
    };
    let renew = move |_| {
        copied.set(false);
        companion.renew();
    };
    move || {
        is_shown.get().then(|| view! {
            <details class="cabling-join" id="join">
                <summary>"Tick off cables on a phone"</summary>
                {current}
                {move || may_renew.get().then(|| view! {
                    <p>"A new join link ends the current one. Phones keep their ticks, and send them once they open the new link."</p>
                    <button type="button" id="renew-key" on:click=renew>"Replace join link"</button>
                })}
            </details>
        })
    }
}

/// A QR code, black on white in both themes.
fn drawing(text: &str) -> Option<impl IntoView + use<>> {
    let code = Qr::of(text)?;
    let quiet = shared::exports::QUIET_MODULES;
    let dark = code.runs().into_iter().map(|(x, y, long)| format!("M{x} {y}h{long}v1h-{long}z"));
    let dark: String = dark.collect();
    let side = code.whole();
    Some(view! {
        <svg class="qr" viewBox=format!("-{quiet} -{quiet} {side} {side}") role="img" aria-label="QR code of the join link">
            <path fill="#fff" d=format!("M-{quiet} -{quiet}h{side}v{side}h-{side}z")/>
            <path fill="#000" d=dark/>
        </svg>
    })
}

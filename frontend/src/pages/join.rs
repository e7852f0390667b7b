//! Top of the companion's pages: the design, the connection, and the right to tick.

use crate::{
    browser,
    state::{cabling::Cabling, words::count},
    studio::companion::Companion,
};
use leptos::prelude::*;
use shared::api::MAX_WHO;

/// The design's name as a link to the overview, and the state of the connection.
#[component]
pub fn TopBar() -> impl IntoView {
    let companion = Companion::here();
    let name = Memo::new(move |_| {
        let name =
            companion.cabling.with(|c| c.as_ref().map(|c| c.plan.name().to_owned())).unwrap_or_default();
        if name.is_empty() { "Cabling".to_owned() } else { name }
    });
    Effect::new(move |_| {
        let node = companion.spot.with(|spot| spot.node);
        let node = companion.cabling.with(|c| Some(c.as_ref()?.plan.names().pe(node?)));
        let title = [node, Some(name.get()), Some("Crosspoint".into())];
        browser::document().set_title(&title.into_iter().flatten().collect::<Vec<_>>().join(" – "));
    });
    let waiting =
        Memo::new(move |_| companion.cabling.with(|c| c.as_ref().map_or(0, |c| c.own.waiting.len() as u64)));
    let status = move || match (companion.is_connected.get(), waiting.get()) {
        (true, 0) => "Connected".to_owned(),
        (true, waiting) => format!("{} to send", count(waiting, "tick")),
        (false, 0) => "No connection".to_owned(),
        (false, waiting) => format!("No connection · {} kept on this phone", count(waiting, "tick")),
    };
    let rejected = Memo::new(move |_| {
        companion.cabling.with(|c| c.as_ref().map(Cabling::rejected_words)).unwrap_or_default()
    });
    view! {
        <header class="companion-bar">
            <a href=format!("/d/{}/cabling", companion.design())>{name}</a>
            <span id="connection" role="status" class:bad=move || !companion.is_connected.get()>{status}</span>
        </header>
        <p class="fault" id="companion-problem" role="alert">{companion.problem}</p>
        <section class="companion-note" id="rejected" role="alert" hidden=move || rejected.with(Vec::is_empty)>
            {move || rejected.get().into_iter().map(|words| view! { <p>{words}</p> }).collect_view()}
            <button type="button" on:click=move |_| companion.dismiss()>"Dismiss"</button>
        </section>
    }
}

/// How to get the right to tick, or the question for a name.
#[component]
pub fn Join() -> impl IntoView {
    let companion = Companion::here();
    let about = Memo::new(move |_| {
        companion.cabling.with(|c| {
            let known = c.as_ref().filter(|c| c.is_known)?;
            Some((known.is_started, known.is_allowed))
        })
    });
    let has_name = Memo::new(move |_| !companion.who.with(String::is_empty));
    let is_renaming = RwSignal::new(false);
    view! {
        {move || match about.get() {
            None => ().into_any(),
            Some((false, _)) => view! {
                <section class="companion-note" id="not-started">
                    <p>"Cabling of this design has not started."</p>
                    <button type="button" class="primary" id="start-cabling" on:click=move |_| companion.start()>"Start cabling"</button>
                </section>
            }.into_any(),
            Some((true, false)) if companion.key.with(Option::is_some) => view! {
                <p class="companion-note" id="key-ended">
                    <strong>"View only."</strong>
                    " The join link of this phone has been replaced. Ask the person who started cabling for the current one, and open it once on this phone."
                </p>
            }.into_any(),
            Some((true, false)) => view! {
                <p class="companion-note" id="view-only">
                    <strong>"View only."</strong>
                    " To tick off cables, open the join link once on this phone. The person who started cabling has it as a QR code."
                </p>
            }.into_any(),
            Some((true, true)) if has_name.get() && !is_renaming.get() => view! {
                <p class="companion-who">"You tick as "<strong id="who">{companion.who}</strong>" "
                    <button type="button" class="link" on:click=move |_| is_renaming.set(true)>"Change name"</button></p>
            }.into_any(),
            Some((true, true)) => view! { <Name done=move || is_renaming.set(false)/> }.into_any(),
        }}
    }
}

#[component]
fn Name(done: impl Fn() + Copy + 'static) -> impl IntoView {
    let companion = Companion::here();
    let typed = RwSignal::new(companion.who.get_untracked());
    view! {
        <form class="companion-note" on:submit=move |event| {
            event.prevent_default();
            companion.set_who(&typed.get_untracked());
            done();
        }>
            <div class="field">
                <label for="your-name">"Your name"</label>
                <input id="your-name" type="text" autocomplete="name" maxlength=MAX_WHO.to_string()
                    prop:value=typed on:input=move |event| typed.set(event_target_value(&event))/>
            </div>
            <button type="submit" class="primary" prop:disabled=move || typed.with(|t| t.trim().is_empty())>"Start"</button>
        </form>
    }
}

//! A look at a file before it is fetched, made in the browser.

use crate::{
    browser,
    components::Sheet,
    pages::studio::{Held, Studio},
    state::{
        choices::{Choices, is_too_large},
        preview::{Preview, preview},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    demand::Demand,
    exports::{Bundle, Format, Settings},
};
use std::sync::Arc;

/// The beginning of a file, made anew when its settings change.
#[component]
pub fn Look(
    /// The format.
    format: &'static Format,
    /// The PE whose file it is, for formats with one for each.
    #[prop(into)]
    pe: Signal<Option<u32>>,
) -> impl IntoView {
    let studio = Studio::here();
    let seen = RwSignal::new(None::<Result<Preview, String>>);
    let turn = StoredValue::new(0u64);
    Effect::new(move |_| {
        let (Some(held), choices, pe) = (studio.held.get(), studio.choices.get(), pe.get()) else { return };
        let demand = studio.demand_of(&held);
        turn.update_value(|n| *n += 1);
        let now = turn.get_value();
        spawn_local(async move {
            // While somebody types, only the last text counts; and what was there before makes way for word of what is going on.
            browser::sleep(120).await;
            if turn.try_get_value() != Some(now) {
                return;
            }
            let _ = seen.try_set(None);
            browser::breathe().await;
            let _ = seen.try_set(Some(look(&held, demand, format, &choices, pe)));
        });
    });
    view! {
        <div class="look" id=format!("look-{}", format.name)>
            {move || match seen.get() {
                None => view! { <p class="hint" role="status">"Being written"</p> }.into_any(),
                Some(Err(why)) => view! { <p class="fault" role="alert">{why}</p> }.into_any(),
                Some(Ok(preview)) => shown(format, preview),
            }}
        </div>
    }
}

fn look(
    held: &Held,
    demand: Option<Arc<Demand>>,
    format: &'static Format,
    choices: &Choices,
    pe: Option<u32>,
) -> Result<Preview, String> {
    if is_too_large(&held.design) {
        let told = "This machine is too large for a look in the browser; the command writes the file";
        return Ok(Preview::Not(format!("{told}: {}", choices.command(format, pe))));
    }
    if format.per_pe && pe.is_none() {
        return Ok(Preview::Not("Choose a PE to look at its file.".into()));
    }
    let settings = choices.settings(format).map_err(|e| e.to_string())?;
    let bundle = bundle(held, demand, settings).ok_or("the pairs of the spec cannot be made")?;
    preview(&bundle, format, pe).map_err(|e| e.to_string())
}

/// What exports of the wiring on screen are made from.
pub fn bundle(held: &Held, demand: Option<Arc<Demand>>, settings: Settings) -> Option<Bundle> {
    let demand = demand.or_else(|| Demand::build(&held.spec).ok().map(Arc::new))?;
    Some(Bundle::new(held.spec.clone(), held.spec_text.as_ref(), demand, held.design.clone()).with(settings))
}

fn shown(format: &'static Format, preview: Preview) -> AnyView {
    match preview {
        Preview::Text { text, more } => view! {
            <pre tabindex="0" role="region" aria-label=format!("The first lines of {}", format.name)>{text}</pre>
            {more.then(|| view! { <p class="hint">"and so on"</p> })}
        }
        .into_any(),
        Preview::Page(page) => view! { <Sheet html=Signal::derive(move || page.clone()) label="The beginning of the page"/> }.into_any(),
        Preview::Picture(bytes) => match browser::address_of(&bytes, format.media_type) {
            Some(address) => {
                let shown = address.clone();
                on_cleanup(move || browser::forget_address(&address));
                view! { <img src=shown alt=format!("The picture that {} is", format.name)/> }.into_any()
            }
            None => view! { <p class="hint">"The picture cannot be shown here."</p> }.into_any(),
        },
        Preview::Files { files, more } => view! {
            {files.into_iter().map(|(path, text)| view! { <h4>{path.clone()}</h4><pre tabindex="0" role="region" aria-label=path>{text}</pre> }).collect_view()}
            {more.then(|| view! { <p class="hint">"and more files"</p> })}
        }
        .into_any(),
        Preview::Not(why) => view! { <p class="hint">{why}</p> }.into_any(),
    }
}

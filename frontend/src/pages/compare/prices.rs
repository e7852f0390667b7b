//! Prices, speeds and constants of the model: a preset, or fields to edit.

use crate::{
    components::{Choice, FieldView, Icon, field_id},
    state::compare::{Action, Prices, markets},
    studio::Studio,
};
use leptos::prelude::*;
use shared::{
    compare::market::{GoodsForm, MarketForm, PRESETS},
    form::{self, Described},
    spec::Spec,
};
use std::sync::Arc;

/// Key of edited prices.
const CHANGED: &str = "";

fn with<T>(studio: Studio, read: impl Fn(&Prices, &Spec) -> T) -> Option<T> {
    let spec: Arc<Spec> = studio.result.asked.with(|asked| asked.as_ref().map(|asked| asked.spec.clone()))?;
    Some(studio.session.prices.with(|prices| read(prices, &spec)))
}

fn act(studio: Studio, action: Action) {
    if let Some(spec) =
        studio.result.asked.with_untracked(|asked| asked.as_ref().map(|asked| asked.spec.clone()))
    {
        studio.session.prices.update(|prices| prices.update(&spec, action));
    }
}

/// The choice of a market, and its fields.
#[component]
pub fn PriceForm() -> impl IntoView {
    let studio = Studio::here();
    let key = Memo::new(move |_| with(studio, Prices::key).unwrap_or_default());
    let boxes = Memo::new(move |_| with(studio, |prices, spec| prices.form(spec).boxes.len()).unwrap_or(0));
    let source = move || {
        let preset = PRESETS.iter().find(|preset| preset.key == key.get());
        match (preset, key.get().as_str()) {
            (Some(preset), _) => format!("Source: {}.", preset.source),
            (None, CHANGED) => "Edited here; the spec link includes it.".into(),
            (None, _) => "Switches and prices of the spec; speed and latencies of the P-Mesh paper.".into(),
        }
    };
    let mut options = markets();
    options.push((CHANGED, "Edited"));
    view! {
        <div class="tools compare-market">
            <Choice id="compare-prices" label="Prices and speeds" value=key options=options fault=Signal::derive(|| None::<String>)
                on_choice=move |key| if key != CHANGED { act(studio, Action::Pick(key)) }/>
            <p class="hint">{source}</p>
        </div>
        <details class="compare-prices">
            <summary>"Edit prices, speeds and latencies"</summary>
            <div class="price-fields">{MarketForm::SCHEMA.fields[1..].iter().map(|field| entry(studio, field, field.key.to_owned())).collect_view()}</div>
            <h4>"Switch boxes"</h4>
            <p class="hint">"Trunks are ports at trunk speed. Without switch boxes, each port is priced separately."</p>
            <div class="price-boxes">
                {move || (0..boxes.get()).map(|number| view! {
                    <div class="row box">
                        {GoodsForm::SCHEMA.fields.iter().map(|field| entry(studio, field, format!("box[{number}].{}", field.key))).collect_view()}
                        <button type="button" class="plain" aria-label=format!("Remove box {}", number + 1)
                            on:click=move |_| act(studio, Action::RemoveBox(number))><Icon name="close"/></button>
                    </div>
                }).collect_view()}
                <button type="button" class="add" id="compare-add-box" on:click=move |_| act(studio, Action::AddBox)>"Add box"</button>
            </div>
        </details>
    }
}

fn entry(studio: Studio, field: &'static form::Field, path: String) -> impl IntoView {
    let id = field_id("price", &path);
    let (read, judged) = (path.clone(), path.clone());
    let value =
        Memo::new(move |_| with(studio, |prices, spec| prices.field(spec, &read)).unwrap_or_default());
    let fault = Memo::new(move |_| with(studio, |prices, spec| prices.fault(spec, &judged)).flatten());
    view! {
        <FieldView field=field id=id value=value fault=fault on_input=move |text| act(studio, Action::Set(path.clone(), text))/>
    }
}

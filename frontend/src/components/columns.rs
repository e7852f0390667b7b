//! The choice of a table's columns, and the names of what its plot numbers.

use super::controls::Swatch;
use crate::state::columns::{Choosable, Columns};
use leptos::prelude::*;

/// A fold with a box per column.
#[component]
pub fn ColumnChoice(
    /// Name of the table.
    table: &'static str,
    #[prop(into)] all: Signal<Vec<Choosable>>,
    columns: RwSignal<Columns>,
) -> impl IntoView {
    let words = move || all.with(|all| columns.with(|columns| columns.words(table, all)));
    let line = move |column: Choosable| {
        let (key, title) = (column.key.clone(), column.title.clone());
        let is_shown = move || columns.with(|columns| columns.shows(table, &column));
        view! {
            <label><input type="checkbox" prop:checked=is_shown
                on:change=move |event| columns.update(|columns| columns.set(table, key.clone(), event_target_checked(&event)))/>{title}</label>
        }
    };
    view! {
        <details class="columns" id=format!("{table}-columns")>
            <summary>{words}</summary>
            <fieldset><legend class="sr">"Columns of the table"</legend>{move || all.get().into_iter().map(line).collect_view()}</fieldset>
        </details>
    }
}

/// The head of a column of numbers, with its unit below the title.
#[component]
pub fn ColumnHead(
    title: String,
    /// The explanation, as a tooltip.
    about: &'static str,
    /// Empty for none.
    unit: String,
) -> impl IntoView {
    view! {
        <th scope="col" class="number" title=about>{title}
            {(!unit.is_empty()).then(|| view! { <span class="unit">{unit}</span> })}</th>
    }
}

/// A line of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendLine {
    /// Number in the plot.
    pub number: u32,
    pub name: String,
    /// Code of the name, as a tooltip; empty for none.
    pub code: String,
    /// `true` for the point that others are compared with.
    pub own: bool,
}

/// The names of a plot's curves, or of its points.
#[component]
pub fn Legend(
    #[prop(into)] lines: Signal<Vec<LegendLine>>,
    /// `true` for curves, each in its colour.
    #[prop(optional)]
    curves: bool,
    #[prop(into)] dark: Signal<bool>,
) -> impl IntoView {
    let line = move |LegendLine { number, name, code, own }: LegendLine| {
        let code = (!code.is_empty()).then_some(code);
        view! {
            <li title=code>
                {if curves { view! { <Swatch number=number dark=dark/> }.into_any() } else { view! { <span class="point" class:own=own aria-hidden="true"></span> }.into_any() }}
                <span class="number">{number}</span>" "<span>{name}</span>
            </li>
        }
    };
    view! { <ul class="plot-legend" aria-label="Legend">{move || lines.get().into_iter().map(line).collect_view()}</ul> }
}

/// A bar of [`Bars`].
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Number in the table.
    pub number: u32,
    pub name: String,
    pub value: f64,
    /// The value with its unit.
    pub words: String,
    pub own: bool,
}

/// Bars from 0, one below the other.
#[component]
pub fn Bars(title: String, bars: Vec<Bar>) -> impl IntoView {
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let line = |bar: Bar| {
        let width = if most > 0.0 { 100.0 * bar.value / most } else { 0.0 };
        view! {
            <li class:own=bar.own>
                <span class="name"><span class="number">{bar.number}</span>" "{bar.name}</span>
                <span class="bar-line" style:width=format!("{width:.1}%")></span>
                <span class="number">{bar.words}</span>
            </li>
        }
    };
    view! { <figure class="bars"><figcaption>{title}</figcaption><ul>{bars.into_iter().map(line).collect_view()}</ul></figure> }
}

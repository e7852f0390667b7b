//! The colour of a numbered line, beside the words that it belongs to.

use super::ink::Ink;
use leptos::prelude::*;

/// A piece of the line. It says nothing to screen readers; the number beside it does.
#[component]
pub fn Swatch(
    /// The line's number, from 1 on.
    number: u32,
    /// Whether the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let colour = move || {
        let plotters::style::RGBColor(red, green, blue) = Ink::of(dark.get()).line(number);
        format!("#{red:02x}{green:02x}{blue:02x}")
    };
    view! {
        <svg class="swatch" viewBox="0 0 24 16" width="24" height="16" aria-hidden="true">
            <path d="M1 8h22" stroke=colour stroke-width="3"/>
            <circle cx="12" cy="8" r="4" fill=colour/>
        </svg>
    }
}

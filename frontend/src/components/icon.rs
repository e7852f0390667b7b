//! Icons: small drawings from the assets, in the colour of the text around them.

use leptos::prelude::*;

macro_rules! icons {
    ($($name:literal)*) => {
        fn drawing(name: &str) -> &'static str {
            match name {
                $($name => include_str!(concat!("../../../assets/icons/", $name, ".svg")),)*
                _ => "",
            }
        }
    };
}

icons!("add" "close" "copy" "dark" "download" "export" "fit" "fork" "light" "lower" "open" "play" "print" "redo" "share" "stop" "system" "undo" "upper" "zoom-in" "zoom-out");

/// An icon. It says nothing to screen readers; what it stands on does.
#[component]
pub fn Icon(
    /// Its file name without the ending.
    #[prop(into)]
    name: Signal<&'static str>,
) -> impl IntoView {
    view! { <span class="icon" aria-hidden="true" inner_html=move || drawing(name.get())></span> }
}

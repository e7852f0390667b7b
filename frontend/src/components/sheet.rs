//! A page to print, shown in a shadow root, so that its styles and the studio's do not mix.

use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{CssStyleSheet, DomParser, ShadowRoot, ShadowRootInit, ShadowRootMode, SupportedType};

/// Styles added to the page: sheets look like paper and shrink to fit.
const DESK: &str = "main { padding: 0; overflow: visible; } \
    main:not(:has(.sheet)) { max-width: 210mm; padding: 8mm; background: #fff; outline: 0.2mm solid #999; } \
    .sheet { overflow: visible; } \
    .sheet svg { max-width: 100%; height: auto; }";

/// Shows the body of an HTML page with its own styles, adopted as an object: the content security policy allows no inline style.
#[component]
pub fn Sheet(
    /// The page; it may end after any element.
    #[prop(into)]
    html: Signal<String>,
    /// Its label, for screen readers.
    label: &'static str,
) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let Some(host) = host.get() else { return };
        let root = host
            .shadow_root()
            .or_else(|| host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)).ok());
        if let Some(root) = root {
            html.with(|html| show(&root, html));
        }
    });
    view! { <div class="sheet-of-labels" node_ref=host role="region" tabindex="0" aria-label=label></div> }
}

fn show(root: &ShadowRoot, html: &str) -> Option<()> {
    // Parsed without the style, which the content security policy would reject.
    let (before, rest) = html.split_once("<style>")?;
    let (style, after) = rest.split_once("</style>")?;
    let html = format!("{before}{after}");
    let page = DomParser::new().ok()?.parse_from_string(&html, SupportedType::TextHtml).ok()?;
    let sheet = CssStyleSheet::new().ok()?;
    // The elements above `main` are the shadow's host here.
    let style =
        style.replace(":root", ":host").replace("html {", ":host {").replace("body {", ":host {") + DESK;
    sheet.replace_sync(&style).ok()?;
    root.set_adopted_style_sheets(&js_sys::Array::of1(&sheet).unchecked_into());
    let main = page.query_selector("main").ok()??;
    root.replace_children_with_node_1(&page.adopt_node(&main).ok()?);
    Some(())
}

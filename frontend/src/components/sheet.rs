//! A page to print, shown inside ours: in a shadow of its own, so that neither's styles reach the other.

use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{CssStyleSheet, DomParser, ShadowRoot, ShadowRootInit, ShadowRootMode, SupportedType};

/// Paper on a desk: where a sheet is wider than there is room, it shrinks.
const DESK: &str = "main { padding: 0; overflow: visible; } \
    main:not(:has(.sheet)) { max-width: 210mm; padding: 8mm; background: #fff; outline: 0.2mm solid #999; } \
    .sheet { overflow: visible; } \
    .sheet svg { max-width: 100%; height: auto; }";

/// Shows the body of an HTML page with the page's own styles, which are adopted as an object: the content security
/// policy allows no style in the text of ours.
#[component]
pub fn Sheet(
    /// The page; it may break off after any element.
    #[prop(into)]
    html: Signal<String>,
    /// What it is, for screen readers.
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
    // The style goes before the page is parsed: the content security policy complains of any in a document.
    let (before, rest) = html.split_once("<style>")?;
    let (style, after) = rest.split_once("</style>")?;
    let html = format!("{before}{after}");
    let page = DomParser::new().ok()?.parse_from_string(&html, SupportedType::TextHtml).ok()?;
    let sheet = CssStyleSheet::new().ok()?;
    // What is above `main` in the page is the shadow's host here.
    let style =
        style.replace(":root", ":host").replace("html {", ":host {").replace("body {", ":host {") + DESK;
    sheet.replace_sync(&style).ok()?;
    root.set_adopted_style_sheets(&js_sys::Array::of1(&sheet).unchecked_into());
    let main = page.query_selector("main").ok()??;
    root.replace_children_with_node_1(&page.adopt_node(&main).ok()?);
    Some(())
}

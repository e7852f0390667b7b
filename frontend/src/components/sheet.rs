//! A page to print, shown inside ours: in a shadow of its own, so that neither's styles reach the other.

use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{CssStyleSheet, DomParser, ShadowRoot, ShadowRootInit, ShadowRootMode, SupportedType};

/// Shows the body of an HTML page with the page's own styles, which are adopted as an object: the content security
/// policy allows no style in the text of ours.
#[component]
pub fn Sheet(
    /// The page; it may break off anywhere.
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
    // `body` and `:root` of the page are the shadow's host here.
    let style = style.replace(":root", ":host").replace("body", ":host");
    sheet.replace_sync(&style).ok()?;
    root.set_adopted_style_sheets(&js_sys::Array::of1(&sheet).unchecked_into());
    let main = page.query_selector("main").ok()??;
    // The last label may be cut; a whole sheet that is cut still shows what came before.
    if let Some(last) = main.last_element_child().filter(|_| main.child_element_count() > 1) {
        last.remove();
    }
    root.replace_children_with_node_1(&page.adopt_node(&main).ok()?);
    Some(())
}

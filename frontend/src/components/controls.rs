//! Small controls: icons, buttons, dialogs, pages to print.

use super::plots::Ink;
use crate::{browser, state::file};
use leptos::{html, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::{CssStyleSheet, DomParser, File, ShadowRoot, ShadowRootInit, ShadowRootMode, SupportedType};

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

icons!("add" "close" "copy" "dark" "download" "fit" "fork" "light" "lower" "open" "play" "preview" "print" "redo" "share" "stop" "system" "undo" "upper" "zoom-in" "zoom-out");

/// Children that are drawn after `frames` frames of what surrounds them: views of thousands of elements take milliseconds each.
#[component]
pub fn Soon(#[prop(default = 1)] frames: u32, children: ChildrenFn) -> impl IntoView {
    let begun = RwSignal::new(false);
    spawn_local(async move {
        for _ in 0..frames {
            browser::next_frame().await;
        }
        // The component may be gone by now.
        let _ = begun.try_set(true);
    });
    move || begun.get().then(|| children())
}

/// An icon in the colour of the text around it. It is hidden from screen readers.
#[component]
pub fn Icon(
    /// File name without the extension.
    #[prop(into)]
    name: Signal<&'static str>,
) -> impl IntoView {
    view! { <span class="icon" aria-hidden="true" inner_html=move || drawing(name.get())></span> }
}

/// A button that folds a side of the page.
#[component]
pub fn Fold(
    /// Action in words, such as `Hide the spec`.
    words: &'static str,
    /// `true` at the right edge of the screen.
    #[prop(optional)]
    right: bool,
    on_fold: impl Fn() + 'static,
) -> impl IntoView {
    let (id, arrow) = if right { ("fold-right", "▸") } else { ("fold-left", "◂") };
    view! { <button type="button" class="plain fold" id=id aria-label=words title=words on:click=move |_| on_fold()>{arrow}</button> }
}

/// A word that explains itself when it is pointed at, touched or reached by keys. A click or Enter runs `on_open`; a touch does not.
#[component]
pub fn Term(
    word: &'static str,
    about: Option<&'static str>,
    on_open: impl Fn() + Copy + Send + 'static,
) -> impl IntoView {
    match about {
        Some(about) => view! {
            <button type="button" class="term" aria-description=about data-about=about
                on:pointerup=move |event| if event.pointer_type() == "mouse" { on_open() }
                // Clicks of keys and screen readers have no pointer.
                on:click=move |event| if event.detail() == 0 { on_open() }>{word}</button>
        }
        .into_any(),
        None => word.into_any(),
    }
}

/// A source, which is a button that runs `on_open` if it is a paper.
pub fn cited(source: &str, on_open: impl Fn() + 'static) -> AnyView {
    let text = source.to_owned();
    match source.contains(|letter: char| letter.is_ascii_digit()) {
        true => view! { <button type="button" class="link" on:click=move |_| on_open()>{text}</button> }
            .into_any(),
        false => text.into_any(),
    }
}

/// `true` or `false`, as attributes take it.
pub fn pressed(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

/// Start and stop in one button, so that the keyboard's focus stays on it. While a job of another browser runs, a sentence
/// replaces it.
#[component]
pub fn StartStop(
    /// Ids for start and for stop.
    ids: (&'static str, &'static str),
    /// `true` if there is something to stop.
    #[prop(into)]
    live: Signal<bool>,
    /// `true` if another browser started it, which alone can stop it.
    #[prop(into)]
    of_others: Signal<bool>,
    /// `true` if nothing can be started.
    #[prop(into)]
    blocked: Signal<bool>,
    /// Id of the element with the reason why nothing can be started.
    reason: &'static str,
    /// `true` if stopping was requested already or is not possible.
    #[prop(into)]
    stopping: Signal<bool>,
    on_start: impl Fn() + Copy + Send + 'static,
    on_stop: impl Fn() + Copy + Send + 'static,
) -> impl IntoView {
    let watching = Memo::new(move |_| live.get() && of_others.get());
    let button = move || {
        view! {
            <button type="button" class="primary" id=move || if live.get() { ids.1 } else { ids.0 }
                prop:disabled=move || !live.get() && blocked.get()
                aria-disabled=move || (live.get() && stopping.get()).then_some("true")
                aria-describedby=move || (!live.get()).then_some(reason)
                on:click=move |_| if live.get_untracked() { on_stop() } else { on_start() }>
                {move || if live.get() {
                    view! { <Icon name="stop"/>"Stop" }.into_any()
                } else {
                    view! { <Icon name="play"/>"Start" }.into_any()
                }}
            </button>
        }
    };
    move || match watching.get() {
        true => {
            view! { <p class="hint watching">"Only the browser that started this search can stop it."</p> }
                .into_any()
        }
        false => button().into_any(),
    }
}

/// Shows its children on top of the page while `open` is true. Escape closes it.
#[component]
pub fn Dialog(
    open: RwSignal<bool>,
    title: &'static str,
    id: &'static str,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (open.get(), dialog.open()) {
            (true, false) => {
                let _ = dialog.show_modal();
            }
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let heading = format!("{id}-title");
    let named = heading.clone();
    view! {
        <dialog id=id node_ref=dialog aria-labelledby=named on:close=move |_| open.set(false)>
            <header>
                <h2 id=heading>{title}</h2>
                <button type="button" class="plain" aria-label="Close" on:click=move |_| open.set(false)>
                    <Icon name="close"/>
                </button>
            </header>
            {children()}
        </dialog>
    }
}

/// The colour of a numbered line, from 1 on, in the light or the dark theme.
pub fn line_colour(number: u32, dark: bool) -> String {
    let plotters::style::RGBColor(red, green, blue) = Ink::of(dark).line(number);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A piece of a numbered line, in the line's colour. It is hidden from screen readers.
#[component]
pub fn Swatch(
    /// The line's number, from 1 on.
    number: u32,
    #[prop(into)] dark: Signal<bool>,
) -> impl IntoView {
    let colour = move || line_colour(number, dark.get());
    view! {
        <svg class="swatch" viewBox="0 0 24 16" width="24" height="16" aria-hidden="true">
            <path d="M1 8h22" stroke=colour stroke-width="3"/>
            <circle cx="12" cy="8" r="4" fill=colour/>
        </svg>
    }
}

/// A button that takes files, chosen or dropped on it.
#[component]
pub fn FilesPicker<F: Fn(Vec<File>) + Copy + 'static>(
    #[prop(into)] id: String,
    words: &'static str,
    label: &'static str,
    #[prop(optional_no_strip)] title: Option<String>,
    #[prop(optional_no_strip)] accept: Option<&'static str>,
    /// `true` if several files belong together.
    #[prop(optional)]
    multiple: bool,
    on_files: F,
) -> impl IntoView {
    let take = move |event: web_sys::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        let files: Vec<File> =
            input.files().iter().flat_map(|all| (0..all.length()).filter_map(|at| all.get(at))).collect();
        // Without this, choosing the same file again has no effect.
        input.set_value("");
        if !files.is_empty() {
            on_files(files);
        }
    };
    view! {
        <label class="button file" title=title>
            <Icon name="open"/><span>{words}</span>
            <input type="file" id=id accept=accept multiple=multiple aria-label=label on:change=take/>
        </label>
    }
}

/// A button that reads a text file of up to `max` bytes.
#[component]
pub fn FilePicker<F: Fn(String, Result<String, String>) + Copy + 'static>(
    #[prop(into)] id: String,
    words: &'static str,
    label: &'static str,
    #[prop(optional)] title: Option<&'static str>,
    #[prop(optional)] accept: Option<&'static str>,
    max: usize,
    /// Files that are accepted, for people.
    wanted: &'static str,
    /// Takes the file's name, and its text or the reason why it cannot be read.
    on_file: F,
) -> impl IntoView {
    let read = move |files: Vec<File>| {
        let Some(file) = files.into_iter().next() else { return };
        spawn_local(async move {
            let name = file.name();
            let text =
                browser::read_file(&file, max).await.and_then(|bytes| file::text(&name, bytes, wanted));
            on_file(name, text);
        });
    };
    view! { <FilesPicker id=id words=words label=label title=title.map(str::to_owned) accept=accept on_files=read/> }
}

/// Styles added to the page: sheets look like paper and shrink to fit.
const DESK: &str = ".main { padding: 0; overflow: visible; } \
    .main:not(:has(.sheet)) { max-width: 210mm; padding: 8mm; background: #fff; outline: 0.2mm solid #999; } \
    .sheet { overflow: visible; } \
    .sheet svg { max-width: 100%; height: auto; }";

/// Shows the body of an HTML page in a shadow root, so that its styles and the studio's do not mix. They are adopted as an object: the
/// content security policy allows no inline style.
#[component]
pub fn Sheet(
    /// The page; it may end after any element.
    #[prop(into)]
    html: Signal<String>,
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
    // The elements above `main` are the shadow's host here, and the studio has a `main` of its own.
    let style = style.replace(":root", ":host").replace("html {", ":host {").replace("body {", ":host {");
    let style = style.replace("main {", ".main {") + DESK;
    sheet.replace_sync(&style).ok()?;
    root.set_adopted_style_sheets(&js_sys::Array::of1(&sheet).unchecked_into());
    let main = page.query_selector("main").ok()??;
    let shown = browser::document().create_element("div").ok()?;
    shown.set_class_name("main");
    while let Some(child) = main.first_child() {
        shown.append_child(&child).ok()?;
    }
    root.replace_children_with_node_1(&shown);
    Some(())
}

//! Every export by the job that it serves, with its settings and a preview; all of them as one archive; and the wiring labels.

use crate::{
    api, browser,
    components::{Choice, Field, Icon, Sheet, pressed},
    state::{
        choices::{ChoiceError, Choices, FAILED, is_written_elsewhere, sentence},
        exports::{found, refused},
        preview::{Beginning, Preview, left_out, preview, unseen},
        words::{count, problem_words},
    },
    studio::{ShownWiring, Studio},
    work::{Latest, latest},
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{ExportRequest, Problem},
    demand::Demand,
    exports::{DESIGNS, FileScope, Format, Group, LABELS, LABELS_PDF, Setting, formats},
    text,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use web_sys::AbortController;

/// Bytes at the end of an archive that have the list of formats it is without.
const MAX_LEFT_OUT: u32 = 64 << 10;

/// The formats, by the job that they serve.
#[component]
pub fn Exports() -> impl IntoView {
    let result = Studio::here().result;
    let filter = RwSignal::new(String::new());
    let found = Memo::new(move |_| found(&filter.get()));
    let refused = Memo::new(move |_| {
        let verdict = result.of_judged(|j| (j.design.clone(), j.verdict.clone(), j.spec_changed));
        result
            .of_held(|held| {
                let same =
                    |(design, _, changed): &(_, _, bool)| Arc::ptr_eq(design, &held.design) && !changed;
                let verdict = verdict.filter(same).map(|(_, verdict, _)| verdict);
                refused(&held.spec, verdict.as_ref().map_or(&[], |verdict| &verdict.breaches))
            })
            .unwrap_or_default()
    });
    view! {
        <Together/>
        <div class="tools export-filter">
            <div class="field">
                <label for="export-filter">"Filter"</label>
                <input id="export-filter" type="search" placeholder="Name, use, program or file type" prop:value=filter
                    on:input=move |event| filter.set(event_target_value(&event))/>
            </div>
            <p class="hint" role="status" id="export-found">
                {move || (!filter.with(|filter| filter.trim().is_empty())).then(|| count(found.with(BTreeSet::len) as u64, "format"))}
            </p>
        </div>
        {DESIGNS.groups().map(|(group, formats)| view! { <Family group=group formats=formats found=found refused=refused/> }).collect_view()}
        <Refusals filter=filter found=found refused=refused/>
    }
}

/// Formats that do not apply to this design, folded, with the reasons.
#[component]
fn Refusals(
    filter: RwSignal<String>,
    found: Memo<BTreeSet<&'static str>>,
    refused: Memo<BTreeMap<&'static str, String>>,
) -> impl IntoView {
    let shown = Memo::new(move |_| {
        let found = found.get();
        let in_groups = DESIGNS.groups().flat_map(|(_, formats)| formats);
        let shown = in_groups.filter(|format| found.contains(format.name));
        let why = |format: &'static Format| {
            refused.with(|refused| Some((format.name, format.title, refused.get(format.name)?.clone())))
        };
        shown.filter_map(why).collect::<Vec<_>>()
    });
    let filtered = move || filter.with(|filter| !filter.trim().is_empty());
    move || {
        shown.with(|shown| {
            (!shown.is_empty()).then(|| {
                let line = |(name, title, why): &(&'static str, &'static str, String)| {
                    view! { <li id=format!("refused-{name}")><strong>{*title}</strong>" "<code>{*name}</code><p class="hint">{why.clone()}</p></li> }
                };
                view! {
                    <details class="export-refused" id="export-refused" prop:open=filtered>
                        <summary>{format!("Not for this design: {}", count(shown.len() as u64, "format"))}</summary>
                        <ul>{shown.iter().map(line).collect_view()}</ul>
                    </details>
                }
            })
        })
    }
}

/// Several formats as one archive.
#[component]
fn Together() -> impl IntoView {
    let ticked = Studio::here().view.ticked;
    let number = move || ticked.with(BTreeSet::len);
    // A single name would be that format alone, which is not an archive.
    let names = move || ticked.with(|t| format!("{},", t.iter().copied().collect::<Vec<_>>().join(",")));
    let chosen = move || ticked.with(|t| formats().filter(|f| t.contains(f.name)).collect::<Vec<_>>());
    let studio = Studio::here();
    let with =
        move || Some(format!(" --with '{FAILED}={}'", studio.faults().filter(|_| studio.is_around())?.1));
    view! {
        <div class="tools">
            <Fetch id="export-all" words="Download all as .tar" name="all"
                formats=Signal::derive(|| formats().collect::<Vec<_>>())/>
            <Fetch id="export-chosen" words=Signal::derive(move || chosen_words(number() as u64))
                name=Signal::derive(names) formats=Signal::derive(chosen) blocked=Signal::derive(move || number() == 0)/>
            <p class="hint">"Or on the command line: "<code>"crosspoint export SPEC WIRING --format all"{with}" -o FILE.tar"</code>
                ". Formats that don't apply to this design are skipped and listed in LEFT-OUT.txt. Settings apply to every format that has them."</p>
            <Around/>
        </div>
    }
}

/// Asks if files route around the failed parts of the views. By default, files are those of the intact wiring.
#[component]
fn Around() -> impl IntoView {
    let studio = Studio::here();
    let failed = Memo::new(move |_| studio.faults().map(|(_, names)| names));
    let hint = move || match studio.is_around() {
        true => "Routes in files avoid these parts. The names of these files contain “failed”.",
        false => "These parts have failed in the views only. Files describe the intact wiring.",
    };
    let tick = move |event| {
        studio.session.failed.update(|failed| failed.set_around(event_target_checked(&event)));
    };
    view! {
        {move || failed.get().map(|names| view! {
            <div class="around">
                <label><input type="checkbox" id="around-failed" prop:checked=move || studio.is_around() on:change=tick/>
                    "Route around failed parts"{format!(": {names}")}</label>
                <p class="hint">{hint}</p>
            </div>
        })}
    }
}

#[component]
fn Family(
    group: Group,
    formats: Vec<&'static Format>,
    found: Memo<BTreeSet<&'static str>>,
    refused: Memo<BTreeMap<&'static str, String>>,
) -> impl IntoView {
    let (name, purpose) = group.words();
    let applicable = Memo::new(move |_| {
        let formats = formats.iter().map(|format| format.name);
        formats.filter(|name| refused.with(|refused| !refused.contains_key(name))).collect::<Vec<_>>()
    });
    let is_empty =
        move || applicable.with(|names| !names.iter().any(|name| found.with(|found| found.contains(name))));
    let entry = move |format: &'static Format| view! { <Entry format=format found=found/> };
    view! {
        <section class="export-group" aria-label=name hidden=is_empty>
            <h3>{name}</h3>
            <p class="hint">{sentence(purpose)}</p>
            <ul>{move || applicable.get().into_iter().filter_map(|name| DESIGNS.get(name).ok()).map(entry).collect_view()}</ul>
        </section>
    }
}

/// The format's line.
#[component]
fn Entry(format: &'static Format, found: Memo<BTreeSet<&'static str>>) -> impl IntoView {
    let studio = Studio::here();
    let open = RwSignal::new(false);
    let (name, title, each, ticked) = (format.name, format.title, format.each, studio.view.ticked);
    let tick = move |_| {
        ticked.update(|ticked| {
            if !ticked.remove(name) {
                ticked.insert(name);
            }
        });
    };
    Effect::new(move |_| {
        if studio.view.export.get() == Some(name) {
            studio.view.export.set(None);
            open.set(true);
            browser::focus(&format!("show-{name}"));
        }
    });
    let parts =
        move || studio.result.of_held(|held| each.count(&held.spec, &held.design)).unwrap_or_default();
    let words = Signal::derive(move || match (each, format.is_several()) {
        (FileScope::Whole, false) => format!("Download {title} (.{})", format.extension),
        (FileScope::Whole, true) => format!("Download {title} (.tar)"),
        (each, _) => format!("Download {title}, {} (.tar)", count(u64::from(parts()), each.word())),
    });
    let preview = format!("Settings and preview of {title}");
    view! {
        <li class="export-entry" hidden=move || found.with(|found| !found.contains(name))>
            <label class="choose"><input type="checkbox" id=format!("tick-{name}") prop:checked=move || ticked.with(|t| t.contains(name)) on:change=tick/>
                <span class="sr">{format!("Add {title} to the archive")}</span></label>
            <div class="words" on:click=move |_| open.update(|open| *open ^= true)>
                <p><strong>{title}</strong>{format.is_recommended.then(|| view! { " "<span class="badge">"Recommended"</span> })}</p>
                <p class="purpose"><code>{name}</code>" "{in_code(format.purpose)}</p>
            </div>
            <button type="button" class="plain" id=format!("show-{name}") title=preview.clone() aria-label=preview aria-expanded=move || pressed(open.get())
                on:click=move |_| open.update(|open| *open ^= true)><Icon name="preview"/></button>
            <Fetch id=format!("export-{name}") words=words name=name formats=Signal::derive(move || vec![format]) bare=true/>
            {move || open.get().then(|| view! { <Opened format=format/> })}
        </li>
    }
}

/// The settings of a format, a preview, and the download of one file of several. All formats with a file per node share the node typed, and so for switches.
#[component]
fn Opened(format: &'static Format) -> impl IntoView {
    let studio = Studio::here();
    let [node, switch] = studio.view.parts;
    let part = if format.each == FileScope::Switch { switch } else { node };
    let (name, each) = (format.name, format.each);
    let per_part = each != FileScope::Whole;
    let read = Memo::new(move |_| studio.result.of_held(|held| part.with(|text| held.part(each, text))));
    let chosen =
        Signal::derive(move || read.with(|r| r.as_ref()?.as_ref().ok().copied()).filter(|_| per_part));
    let looking = PreviewLoader::at(format, chosen);
    let refused = looking.refused();
    let cannot = Signal::derive(move || refused.with(Option::is_some));
    let fault = move || read.with(|r| r.as_ref()?.as_ref().err().cloned());
    let only = Signal::derive(move || vec![format]);
    view! {
        <div class="export-body">
            <div class="export-side">
                <Fields format=format refused=refused/>
                {per_part.then(|| view! {
                    <div class="field" class:wrong=move || fault().is_some()>
                        <label for=format!("export-part-{name}")>{if each == FileScope::Switch { "Switch" } else { "Node" }}</label>
                        <span class="entry"><input id=format!("export-part-{name}") type="text" prop:value=part
                            aria-invalid=move || pressed(fault().is_some()) aria-describedby=format!("export-part-{name}-fault")
                            on:input=move |event| part.set(event_target_value(&event))/></span>
                        <p class="fault" id=format!("export-part-{name}-fault") hidden=move || fault().is_none()>{fault}</p>
                    </div>
                })}
                {per_part.then(|| view! {
                    <Fetch id=format!("export-one-{name}") words=format!("Download this {}", each.word()) name=name
                        formats=only pe=chosen blocked=Signal::derive(move || chosen.get().is_none() || cannot.get())/>
                })}
                <p class="hint command"><code>{move || studio.choices().command(format, chosen.get())}</code></p>
                <p class="hint">{format.readers()}"."</p>
            </div>
            <Look looking=looking/>
        </div>
    }
}

/// Words between backticks as code.
fn in_code(text: &str) -> impl IntoView + use<> {
    let parts = text.split('`').enumerate();
    parts
        .map(|(i, part)| match i % 2 {
            1 => view! { <code>{part.to_owned()}</code> }.into_any(),
            _ => part.to_owned().into_any(),
        })
        .collect_view()
}

/// A field for each setting of the format. All formats with a setting share its text.
#[component]
fn Fields(format: &'static Format, refused: Signal<Option<ChoiceError>>) -> impl IntoView {
    // Failed parts come from the views, and files contain them only if that is ticked.
    let typed = format.settings.iter().copied().filter(|setting| !setting.is(FAILED));
    typed.map(|setting| one(format.name, setting, refused)).collect_view()
}

fn one(
    format: &'static str,
    setting: &'static Setting,
    refused: Signal<Option<ChoiceError>>,
) -> impl IntoView {
    let (studio, spec) = (Studio::here(), &setting.field);
    let id = format!("with-{format}-{}", spec.key);
    let fault = Signal::derive(move || {
        let typed = studio.session.choices.with(|c| c.fault(setting));
        typed.or_else(|| refused.with(|r| r.as_ref().and_then(|r| r.of(setting))))
    });
    let take = move |text: String| studio.session.choices.update(|c| c.set(setting, text));
    let text = Signal::derive(move || studio.session.choices.with(|c| c.text(spec.key)));
    let words = spec.kind.choices();
    let field = if words.is_empty() {
        view! { <Field id=id label=spec.label value=text on_input=take fault=fault mode="text" placeholder=spec.placeholder()/> }
            .into_any()
    } else {
        let mut options: Vec<_> = words.iter().map(|choice| (choice.word, choice.label)).collect();
        if spec.default.is_empty() {
            options.insert(0, ("", "default"));
        }
        let value = Signal::derive(move || {
            let text = text.get();
            if text.is_empty() { spec.default.to_owned() } else { text }
        });
        let take = move |text: String| take(if text == spec.default { String::new() } else { text });
        view! { <Choice id=id label=spec.label value=value options=options on_choice=take fault=fault/> }
            .into_any()
    };
    view! { <div class="setting">{field}<p class="hint">{sentence(spec.help)}</p></div> }
}

/// Fetches one format, several or all, with the settings that are chosen for them.
#[component]
fn Fetch(
    /// The button's id; that of the one that stops has `-stop` behind it.
    #[prop(into)]
    id: String,
    #[prop(into)] words: Signal<String>,
    /// The formats as the server takes them: a name, names with commas between them, or `all`.
    #[prop(into)]
    name: Signal<String>,
    formats: Signal<Vec<&'static Format>>,
    /// The node whose files are wanted; none for all.
    #[prop(optional, into)]
    pe: Signal<Option<u32>>,
    #[prop(optional, into)] blocked: Signal<bool>,
    /// `true` for an icon whose tooltip has the words.
    #[prop(optional)]
    bare: bool,
) -> impl IntoView {
    let studio = Studio::here();
    // Bytes that have come, while a file is being fetched.
    let fetched = RwSignal::new(None::<u64>);
    let fetching = move || fetched.with(Option::is_some);
    let failed = RwSignal::new(None::<String>);
    let without = RwSignal::new(Vec::<String>::new());
    let stopper = StoredValue::new_local(None::<AbortController>);
    // What was said is about other files by now.
    Effect::new(move |_| {
        name.track();
        studio.result.held.track();
        studio.session.choices.track();
        studio.session.failed.track();
        failed.set(None);
        without.set(Vec::new());
    });
    let get = move |_| {
        let (Some(held), Ok(controller)) = (studio.result.held.get_untracked(), AbortController::new())
        else {
            return;
        };
        let with = untrack(|| studio.choices()).of_any(&formats.get_untracked());
        let what = ExportRequest { spec: held.spec_text.to_string(), table: held.table.to_string(), with };
        let (name, pe, stop) = (name.get_untracked(), pe.get_untracked(), controller.signal());
        stopper.set_value(Some(controller));
        fetched.set(Some(0));
        failed.set(None);
        without.set(Vec::new());
        spawn_local(async move {
            let progress = move |bytes| {
                let _ = fetched.try_set(Some(bytes));
            };
            match api::export(&name, pe, &what, &stop, progress).await {
                Ok(Some(file)) => {
                    browser::download(&file.name, &file.blob);
                    if name == "all" {
                        let _ = without.try_set(left_out(&browser::end_of(&file.blob, MAX_LEFT_OUT).await));
                    }
                }
                Ok(None) => {}
                Err(problem) => {
                    let _ = failed.try_set(Some(problem_words(&problem)));
                }
            }
            let _ = fetched.try_set(None);
        });
    };
    let stop = format!("{id}-stop");
    view! {
        <span class="fetch">
            <button type="button" id=id class:plain=bare prop:disabled=move || blocked.get() || fetching() title=move || bare.then(|| words.get())
                aria-label=move || bare.then(|| words.get()) on:click=get><Icon name="download"/>{(!bare).then_some(words)}</button>
            <span class="so-far" hidden=move || !fetching()>
                <span role="status">{move || fetched.get().map(so_far)}</span>
                <button type="button" id=stop on:click=move |_| stopper.with_value(|s| if let Some(s) = s { s.abort() })>"Stop"</button>
            </span>
            <span class="fault" role="alert" hidden=move || failed.with(Option::is_none)>{move || failed.get()}</span>
            {move || without.with(|lines| (!lines.is_empty()).then(|| view! {
                <details class="left-out">
                    <summary role="status">{format!("Without {}", count(lines.len() as u64, "format"))}</summary>
                    <ul>{lines.iter().map(|line| view! { <li>{line.clone()}</li> }).collect_view()}</ul>
                </details>
            }))}
        </span>
    }
}

fn so_far(bytes: u64) -> String {
    if bytes < 1000 { "Writing".into() } else { format!("{} so far", text::bytes(bytes as f64)) }
}

/// A look at the labels.
#[component]
pub fn Labels() -> impl IntoView {
    let (html, pdf) = (&LABELS, &LABELS_PDF);
    let studio = Studio::here();
    let looking = PreviewLoader::at(html, Signal::derive(|| None));
    let refused = looking.refused();
    let wrong = Signal::derive(move || refused.with(Option::is_some));
    let saved = Memo::new(move |_| studio.design_link().is_some());
    let save = move |_| {
        spawn_local(async move {
            studio.save_design().await;
        });
    };
    view! {
        <div class="tools">
            {move || if saved.get() {
                view! {
                    <button type="button" class="primary" id="print-labels" prop:disabled=wrong on:click=move |_| open_labels(studio)>
                        <Icon name="print"/>"Open label page"</button>
                }.into_any()
            } else {
                view! { <button type="button" class="primary" id="save-labels" on:click=save>"Save design"</button> }.into_any()
            }}
            <Fetch id="labels-pdf" words="Download as PDF" name=pdf.name
                formats=Signal::derive(move || vec![pdf]) blocked=wrong/>
            <p class="hint">{move || if saved.get() {
                "The page and the PDF print these sheets. Print at 100 %, with background colours. Use the calibration page to check the printer."
            } else {
                "Save the design to get its link. Then labels get QR codes, and you can open the label page."
            }}</p>
        </div>
        <p class="on-paper">"To print labels, choose “Open label page” in the studio."</p>
        <div class="export-body">
            <div class="export-side"><Fields format=html refused=refused/></div>
            <Look looking=looking/>
        </div>
    }
}

/// Opens the label page of the saved design, with the settings of the preview.
fn open_labels(studio: Studio) {
    // Opened before the answer is there, or browsers take it for an advertisement.
    let tab = browser::window().open_with_url_and_target("about:blank", "_blank").ok().flatten();
    let choices = untrack(|| studio.choices()).of(&LABELS);
    spawn_local(async move {
        let address = studio.save_design().await.map(|id| api::export_address(&id, LABELS.name, &choices));
        match (address, tab) {
            (Some(address), Some(tab)) => {
                let _ = tab.location().set_href(&browser::absolute(&address));
            }
            (Some(address), None) => {
                let _ = browser::window().location().set_href(&address);
            }
            (None, Some(tab)) => {
                let _ = tab.close();
            }
            (None, None) => {}
        }
    });
}

/// Preview of a file; `None` if it was stopped.
type PreviewResult = Result<Option<Preview>, ChoiceError>;

/// A look that is taken whenever the wiring, the settings or the node change.
#[derive(Clone, Copy)]
struct PreviewLoader {
    format: &'static Format,
    seen: Latest<PreviewResult>,
}

impl PreviewLoader {
    /// Looks at a format, or at the file of one node.
    fn at(format: &'static Format, pe: Signal<Option<u32>>) -> PreviewLoader {
        let studio = Studio::here();
        let seen = latest(move |turn| {
            let (held, choices, pe) = (studio.result.held.get()?, studio.choices(), pe.get());
            let demand = studio.result.demand_of(&held);
            let signal = turn.abort_signal()?;
            Some(async move { look(&held, demand, (format, pe), &choices, &signal).await })
        });
        PreviewLoader { format, seen }
    }

    /// Reason why the file cannot be made, if any.
    fn refused(self) -> Signal<Option<ChoiceError>> {
        Signal::derive(move || {
            self.seen.found.with(|seen| seen.as_ref().and_then(|s| s.as_ref().err().cloned()))
        })
    }
}

/// The beginning of a file.
#[component]
fn Look(looking: PreviewLoader) -> impl IntoView {
    let PreviewLoader { format, seen } = looking;
    let studio = Studio::here();
    let far = Memo::new(move |_| {
        studio.result.of_held(|h| is_written_elsewhere(format, &h.design)).unwrap_or_default()
    });
    view! {
        <div class="look" id=format!("look-{}", format.name) aria-busy=move || seen.work.running.get().then_some("true")>
            <p class="hint writing">
                <span role="status">{move || seen.work.running.get().then_some("Writing")}</span>
                {move || (far.get() && seen.work.running.get()).then(|| view! {
                    <button type="button" class="plain" on:click=move |_| seen.stop(Ok(None))>"Stop"</button>
                })}
            </p>
            {move || match seen.found.get() {
                None => ().into_any(),
                Some(Err(ChoiceError { setting: Some(_), .. })) => view! { <p class="hint">"No preview: fix the setting first."</p> }.into_any(),
                Some(Err(ChoiceError { words, .. })) => view! { <p class="fault" role="alert">{words}</p> }.into_any(),
                Some(Ok(None)) => view! { <p class="hint">"Preview stopped. Change a setting to start again, or download the file."</p> }.into_any(),
                Some(Ok(Some(preview))) => shown(format, preview),
            }}
        </div>
    }
}

async fn look(
    held: &ShownWiring,
    demand: Option<Arc<Demand>>,
    (format, pe): (&'static Format, Option<u32>),
    choices: &Choices,
    stop: &web_sys::AbortSignal,
) -> PreviewResult {
    if format.each != FileScope::Whole && pe.is_none() {
        return Ok(Some(Preview::Not(format!("Choose a {} to preview its file.", format.each.word()))));
    }
    let settings = choices.settings(format)?;
    if is_written_elsewhere(format, &held.design) {
        return written_elsewhere(held, (format, pe), choices, stop).await;
    }
    let Some(bundle) = held.bundle(demand, settings) else {
        return Err(ChoiceError { setting: None, words: "The pairs of the spec cannot be computed.".into() });
    };
    Ok(Some(preview(&bundle, format, pe)?))
}

/// A look at a file that the server writes, as far as it is shown.
async fn written_elsewhere(
    held: &ShownWiring,
    (format, pe): (&'static Format, Option<u32>),
    choices: &Choices,
    stop: &web_sys::AbortSignal,
) -> PreviewResult {
    if let Some(why) = unseen(format) {
        return Ok(Some(Preview::Not(why)));
    }
    if format.is_several() {
        let words = "This machine is too large for a preview of several files; download them instead.";
        return Ok(Some(Preview::Not(words.into())));
    }
    let (spec, table) = (held.spec_text.to_string(), held.table.to_string());
    let what = ExportRequest { spec, table, with: choices.of(format) };
    let mut beginning = Beginning::of(format);
    match api::beginning(format.name, pe, &what, stop, |bytes| beginning.take(bytes)).await {
        Ok(Some(())) => Ok(Some(beginning.shown())),
        Ok(None) => Ok(None),
        Err(Problem { detail, .. }) => Err(ChoiceError { setting: None, words: sentence(&detail) }),
    }
}

fn chosen_words(number: u64) -> String {
    match number {
        0 => "Download chosen formats as .tar".into(),
        _ => format!("Download {} as .tar", count(number, "chosen format")),
    }
}

fn shown(format: &'static Format, preview: Preview) -> AnyView {
    let so_on = |more: bool| more.then(|| view! { <p class="hint">"…"</p> });
    match preview {
        Preview::Text { text, more } => view! {
            <pre tabindex="0" role="region" aria-label=format!("First lines of {}", format.name)>{text}</pre>
            {so_on(more)}
        }
        .into_any(),
        Preview::Page { html, more } => view! {
            <Sheet html=Signal::derive(move || html.clone()) label="Start of the page"/>
            {so_on(more)}
        }
        .into_any(),
        Preview::Picture(bytes) => match browser::address_of(&bytes, format.media_type) {
            Some(address) => {
                let shown = address.clone();
                on_cleanup(move || browser::forget_address(&address));
                view! { <img src=shown alt=format!("Picture {}", format.name)/> }.into_any()
            }
            None => view! { <p class="hint">"This browser cannot show the picture."</p> }.into_any(),
        },
        Preview::Files { files, more } => view! {
            {files.into_iter().map(|(path, text)| view! { <h4>{path.clone()}</h4><pre tabindex="0" role="region" aria-label=path>{text}</pre> }).collect_view()}
            {more.then(|| view! { <p class="hint">"… and more files"</p> })}
        }
        .into_any(),
        Preview::Not(why) => view! { <p class="hint">{why}</p> }.into_any(),
    }
}

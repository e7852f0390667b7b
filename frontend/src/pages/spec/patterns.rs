//! The patterns of a spec, each with its picture, and the picker for more.

use super::bound::{SpecField, fault_at};
use crate::{
    browser,
    components::{Choice, Icon, PictureCanvas, field_id, pressed},
    state::{
        draft::{Action, Layout},
        picture::{self, Picture},
        words::{count, grouped},
    },
    studio::Studio,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    demand::{
        matrix,
        patterns::{self, Takes},
    },
    form::Described,
    spec::SpecForm,
};

/// The list, its total, and what may be added.
#[component]
pub fn Patterns() -> impl IntoView {
    let studio = Studio::here();
    // Rows are made anew only when patterns come, go or change their kind: typing must not lose its place.
    let kinds = Memo::new(move |_| {
        studio
            .session
            .draft
            .with(|s| s.document().form.pattern.iter().map(|p| p.kind.clone()).collect::<Vec<_>>())
    });
    let picking = RwSignal::new(false);
    let fault = fault_at("pattern");
    let total = move || {
        studio
            .result
            .asked
            .with(|a| a.as_ref().map(|a| count(a.demand.len() as u64, "pair")))
            .unwrap_or_default()
    };
    view! {
        <fieldset class="list patterns" id="spec-pattern">
            <legend>"Patterns"</legend>
            <ul>
                {move || kinds.get().into_iter().enumerate().map(|(i, kind)| view! { <li><Row index=i kind=kind/></li> }).collect_view()}
            </ul>
            <p class="fault" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
            <p class="total">"Total "<strong id="total-pairs">{total}</strong></p>
            <div class="actions">
                <button type="button" id="add-pattern" aria-expanded=move || pressed(picking.get())
                    on:click=move |_| picking.update(|p| *p = !*p)><Icon name="add"/>"Add pattern"</button>
                <UploadMatrix pattern=None/>
            </div>
            {move || picking.get().then(|| view! { <Picker picking=picking/> })}
        </fieldset>
    }
}

#[component]
fn Row(index: usize, kind: String) -> impl IntoView {
    let studio = Studio::here();
    let picture = Signal::derive(move || {
        studio.result.asked.with(|a| a.as_ref().and_then(|a| a.pictures.get(index).cloned()))
    });
    let title = {
        let kind = kind.clone();
        move || {
            let label = studio
                .result
                .resolved
                .with(|r| r.as_ref().ok().and_then(|s| s.patterns.get(index).map(patterns::label)));
            label.unwrap_or_else(|| kind.clone())
        }
    };
    let pairs = move || picture.with(|p| p.as_ref().map(|p| grouped(p.pairs))).unwrap_or_default();
    let fault = fault_at(&format!("pattern[{index}].kind"));
    let name = title.clone();
    view! {
        <details class="pattern" id=field_id("spec", &format!("pattern[{index}].kind"))>
            <summary>
                <PictureCanvas picture=picture dark=studio.view.dark/>
                <span class="title">{title}</span>
                <span class="number">{pairs}<span class="sr">" pairs"</span></span>
            </summary>
            <div class="options">
                {options(index, &kind)}
                <div class="row triple">
                    <SpecField path=format!("pattern[{index}].weight")/>
                    <SpecField path=format!("pattern[{index}].links")/>
                    <SpecField path=format!("pattern[{index}].extra")/>
                </div>
                <button type="button" class="link" aria-label=move || format!("Remove {}", name())
                    on:click=move |_| studio.edit(Action::RemovePattern(index))>"Remove"</button>
            </div>
        </details>
        <p class="fault" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
        <RowFaults index=index/>
    }
}

/// Faults of a row that may be folded.
#[component]
fn RowFaults(index: usize) -> impl IntoView {
    let studio = Studio::here();
    let start = format!("pattern[{index}].");
    let own = move || {
        let faults = studio.result.faults().into_iter();
        let others = faults.filter(|f| f.path.starts_with(&start) && !f.path.ends_with(".kind"));
        others.take(5).map(|fault| format!("{}.", fault.labelled(SpecForm::SCHEMA))).collect::<Vec<_>>()
    };
    view! { {move || own().into_iter().map(|words| view! { <p class="fault">{words}</p> }).collect_view()} }
}

/// The fields of a pattern's kind.
fn options(index: usize, kind: &str) -> AnyView {
    match patterns::entry(kind).map(|entry| entry.takes) {
        Some(Takes::Lattice) => view! { <Lattice index=index/> }.into_any(),
        Some(Takes::Matrix) => view! { <Matrix index=index/> }.into_any(),
        Some(Takes::Nothing) | None => ().into_any(),
    }
}

#[component]
fn Lattice(index: usize) -> impl IntoView {
    let studio = Studio::here();
    let layout = Memo::new(move |_| {
        studio.session.draft.with(|s| s.document().form.pattern.get(index).map_or(Layout::Sizes, Layout::of))
    });
    let value = Signal::derive(move || {
        match layout.get() {
            Layout::Sizes => "sizes",
            Layout::Balanced => "balanced",
            Layout::All => "all",
        }
        .to_owned()
    });
    let set = move |name: String| {
        let layout = match name.as_str() {
            "sizes" => Layout::Sizes,
            "all" => Layout::All,
            _ => Layout::Balanced,
        };
        studio.edit(Action::Layout { pattern: index, layout });
    };
    let layouts =
        vec![("sizes", "Sizes"), ("balanced", "Balanced factorization"), ("all", "All factorizations")];
    let factorizations = fault_at(&format!("pattern[{index}].factorizations"));
    view! {
        <div class="row pair">
            <Choice id=field_id("spec", &format!("pattern[{index}].factorizations")) label="Layout" value=value
                options=layouts on_choice=set fault=factorizations/>
            {move || match layout.get() {
                Layout::Sizes => view! {
                    <SpecField path=format!("pattern[{index}].dims")/>
                }.into_any(),
                _ => view! { <SpecField path=format!("pattern[{index}].dimensions")/> }.into_any(),
            }}
        </div>
        <SpecField path=format!("pattern[{index}].neighbours")/>
    }
}

#[component]
fn Matrix(index: usize) -> impl IntoView {
    view! {
        <SpecField path=format!("pattern[{index}].pairs")/>
        <div class="row pair">
            <SpecField path=format!("pattern[{index}].threshold")/>
            <UploadMatrix pattern=Some(index)/>
        </div>
    }
}

/// Reads a measured matrix from disk: CSV, blanks, or a list of pairs.
#[component]
fn UploadMatrix(pattern: Option<usize>) -> impl IntoView {
    let studio = Studio::here();
    let id = pattern.map_or("upload-matrix".to_owned(), |i| format!("upload-matrix-{i}"));
    let read = move |event: web_sys::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        let Some(file) = input.files().and_then(|f| f.get(0)) else { return };
        spawn_local(async move {
            let pes =
                studio.session.draft.with_untracked(|s| s.document().form.pes.trim().parse().unwrap_or(0));
            let name = file.name();
            if pes == 0 {
                studio
                    .view
                    .show_error(format!("Set the number of nodes before you open {name}."), Vec::new());
                input.set_value("");
                return;
            }
            let read = browser::read_file(&file, matrix::MAX_BYTES).await;
            match read.map(|text| matrix::parse(&text, pes, None)) {
                Ok(Ok(pairs)) if pairs.is_empty() => studio.view.show_error(
                    format!("{name} holds no pair: expected a square matrix of weights, or lines of `a b` or `a b weight`."),
                    Vec::new(),
                ),
                Ok(Ok(pairs)) => {
                    studio.view.notice.set(None);
                    studio.edit(Action::Matrix { pattern, pairs: matrix::write_list(&pairs) });
                }
                Ok(Err(faults)) => studio.view.show_error(
                    format!("{name} cannot be read as a matrix for {pes} nodes"),
                    faults.iter().map(ToString::to_string).collect(),
                ),
                Err(reason) => studio.view.show_error(reason, Vec::new()),
            }
            input.set_value("");
        });
    };
    view! {
        <label class="button file" title="A square matrix of weights (CSV or space-separated), or lines of a b weight">
            <Icon name="open"/><span>{if pattern.is_some() { "From a file" } else { "Measured matrix" }}</span>
            <input type="file" id=id accept=".csv,.txt,.tsv,text/*" aria-label="Open a measured matrix" on:change=read/>
        </label>
    }
}

/// Every kind of pattern as it would be on this machine.
#[component]
fn Picker(picking: RwSignal<bool>) -> impl IntoView {
    let studio = Studio::here();
    let pes = Memo::new(move |_| {
        studio.session.draft.with(|s| s.document().form.pes.trim().parse::<u32>().ok()).unwrap_or(0)
    });
    let drawn = RwSignal::new(vec![None::<Result<Picture, String>>; patterns::LIST.len()]);
    Effect::new(move |_| {
        let now = pes.get();
        drawn.set(vec![None; patterns::LIST.len()]);
        spawn_local(async move {
            for (index, entry) in patterns::LIST.iter().enumerate() {
                let Some(kind) = entry.example() else { continue };
                browser::breathe().await;
                if pes.try_get_untracked() != Some(now) {
                    return;
                }
                let result = picture::of_kind(&kind, now);
                let _ = drawn.try_update(|d| d[index] = Some(result));
            }
        });
    });
    let shown = patterns::LIST.iter().enumerate().filter(|(_, entry)| entry.takes != Takes::Matrix);
    view! {
        <ul class="picker" id="picker" aria-label="Kinds of pattern">
            {shown.map(|(index, entry)| {
                let picture = Signal::derive(move || drawn.with(|d| d[index].clone().and_then(Result::ok)));
                let reason = move || drawn.with(|d| d[index].as_ref().and_then(|r| r.as_ref().err().cloned())).filter(|r| !r.is_empty());
                let barred = reason;
                let line = move || match (reason(), picture.with(|p| p.as_ref().map(|p| p.pairs))) {
                    (Some(reason), _) => format!("needs {reason}"),
                    (None, Some(pairs)) => count(pairs, "pair"),
                    (None, None) => String::new(),
                };
                view! {
                    <li><button type="button" class="card" id=format!("pick-{}", entry.name) title=entry.about
                        prop:disabled=move || barred().is_some()
                        on:click=move |_| {
                            studio.edit(Action::AddPattern(entry.name.into()));
                            picking.set(false);
                        }>
                        <PictureCanvas picture=picture dark=studio.view.dark/>
                        <span class="words"><strong>{entry.label}</strong><span class="summary">{line}</span></span>
                    </button></li>
                }
            }).collect_view()}
        </ul>
    }
}

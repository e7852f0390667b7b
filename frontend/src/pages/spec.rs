//! The spec: as a form and as text, in step.

pub mod job;
pub mod rules;
pub mod text;

use crate::{
    browser,
    components::{
        Choice, FieldView, FilePicker, FilesPicker, Fold, Icon, Mends, Part, PartCall, PictureCanvas,
        field_id, parts, pressed,
    },
    state::{
        draft::{Action, Draft, List},
        drawers::{Drawer, JOB_TABLES, RULE_TABLES},
        file,
        mends::{all_sizes, is_unasked},
        picture::{self, Picture},
        place::{Place, Side},
        traffic::{FILES, Target},
        words::{capital, count, grouped},
    },
    studio::{Studio, TrafficFiles, ValidSpec},
};
use leptos::{html, prelude::*, task::spawn_local};
use shared::{
    form::{Described, Fault, Field as FormField, Form as _, Schema, message},
    spec::{
        MAX_SPEC_BYTES, RACK_PITCH, Spec, SpecForm,
        patterns::{self, lattice::Layout},
    },
};
use std::sync::Arc;

/// The panel on the left of a session.
#[component]
pub fn SpecPanel(
    /// The editor of the spec as text.
    children: ChildrenFn,
) -> impl IntoView {
    let studio = Studio::here();
    let as_text = RwSignal::new(false);
    let open = move |name: String, content: Result<String, String>| match content
        .and_then(|text| file::check_spec(&name, &text).map(|()| text))
    {
        Ok(text) => {
            studio.view.notice.set(None);
            studio.open_file(text);
        }
        Err(reason) => studio.view.show_error(reason, Vec::new()),
    };
    view! {
        <section class="panel spec" class:as-text=as_text id="spec" aria-labelledby="spec-title">
            <div class="heading">
                <h2 id="spec-title">"Spec"</h2>
                <div class="switcher" role="group" aria-label="Edit the spec as">
                    <button type="button" id="spec-as-form" aria-pressed=move || pressed(!as_text.get())
                        on:click=move |_| as_text.set(false)>"Form"</button>
                    <button type="button" id="spec-as-text" aria-pressed=move || pressed(as_text.get())
                        on:click=move |_| as_text.set(true)>"TOML"</button>
                </div>
                <FilePicker id="open-spec" words="Open" label="Open a spec file" title="Open a spec file" accept=".toml,text/plain"
                    max=MAX_SPEC_BYTES wanted=file::SPEC on_file=open/>
                <Fold words="Hide the spec" on_fold=move || studio.view.fold(Side::Left)/>
            </div>
            {move || if as_text.get() {
                children().into_any()
            } else {
                view! { <Form as_text=as_text/> }.into_any()
            }}
        </section>
    }
}

/// Faults of no field. A field has its own beside it, so that nothing moves while somebody types.
#[component]
fn Faults(as_text: RwSignal<bool>) -> impl IntoView {
    let studio = Studio::here();
    let shown = move || {
        let faults = studio.result.faults().into_iter();
        let is_elsewhere =
            |f: &Fault| studio.session.has_field(&f.path) || is_of_drawer(&f.path) || is_unasked(f);
        faults.filter(|fault| !is_elsewhere(fault)).collect::<Vec<_>>()
    };
    view! {
        <div class="fault-summary" id="spec-faults" aria-live="polite">
            {move || {
                let faults = shown();
                (!faults.is_empty()).then(|| view! {
                    <p>{count(faults.len() as u64, "fault")}". Form and map show the last valid spec."</p>
                    // Paths are names in the text; the form has labels.
                    <ul>{faults.iter().take(50).map(|f| view! { <li>{f.labelled(SpecForm::SCHEMA).to_string()}</li> }).collect_view()}</ul>
                    <button type="button" class="link" id="to-text" on:click=move |_| as_text.set(true)>"Show them in the text"</button>
                })
            }}
        </div>
    }
}

/// Fields that stand below the traffic.
const PRICES: [&str; 3] = ["market", "nic_price", "cable_price"];

#[component]
fn Form(as_text: RwSignal<bool>) -> impl IntoView {
    view! {
        <div class="form">
            {rows_with(input, "", SpecForm::SCHEMA, |field| !field.folded && !PRICES.contains(&field.key))}
            <Patterns/>
            <DrawerButton drawer=Drawer::Job/>
            {rows_with(input, "", SpecForm::SCHEMA, |field| PRICES.contains(&field.key))}
            <DrawerButton drawer=Drawer::Rules/>
        </div>
        // Over the end of the panel, so that it moves no field.
        <Faults as_text=as_text/>
    }
}

/// The inputs of the fields of a form whose paths begin with `prefix`, row by row.
fn rows(prefix: &str, schema: &'static Schema, shown: impl Fn(&FormField) -> bool) -> Vec<AnyView> {
    rows_with(|path| view! { <SpecField path=path/> }.into_any(), prefix, schema, shown)
}

/// Returns rows with other inputs.
fn rows_with(
    input: impl Fn(String) -> AnyView,
    prefix: &str,
    schema: &'static Schema,
    shown: impl Fn(&FormField) -> bool,
) -> Vec<AnyView> {
    let path = |field: &FormField| {
        if prefix.is_empty() { field.key.into() } else { format!("{prefix}.{}", field.key) }
    };
    let row = |row: Vec<&FormField>| {
        let mut inputs: Vec<AnyView> =
            row.into_iter().filter(|field| shown(field)).map(|field| input(path(field))).collect();
        match inputs.len() {
            0 | 1 => inputs.pop(),
            _ => Some(view! { <div class="row pair">{inputs}</div> }.into_any()),
        }
    };
    schema.rows().into_iter().filter_map(row).collect()
}

/// The input of the field at a path, or a widget of its own.
fn input(path: String) -> AnyView {
    match &*path {
        "name" => view! { <SpecField path=path class="wide"/> }.into_any(),
        "nics_per_node" => view! { <Groups/> }.into_any(),
        "objective" => view! {
            <SpecField path=path/>
            <Entries list=List::Switch legend="Switches" add="Add a switch model"/>
        }
        .into_any(),
        _ => view! { <SpecField path=path/> }.into_any(),
    }
}

/// The common NIC count, or groups of nodes with different counts.
#[component]
fn Groups() -> impl IntoView {
    let studio = Studio::here();
    let grouped = Memo::new(move |_| studio.session.draft.with(|s| !s.document().form.pe_group.is_empty()));
    view! {
        {move || match grouped.get() {
            false => view! {
                <SpecField path="nics_per_node"/>
                <button type="button" class="link add" id="add-node_group" on:click=move |_| studio.edit(Action::Add(List::Group))>
                    "Different NIC counts"
                </button>
            }.into_any(),
            true => view! { <Entries list=List::Group legend="Node groups" add="Add a group"/> }.into_any(),
        }}
    }
}

/// A list of the spec, with buttons to remove and add entries.
#[component]
fn Entries(list: List, legend: &'static str, add: &'static str) -> impl IntoView {
    let (studio, key) = (Studio::here(), list.key());
    let table = SpecForm::SCHEMA.tables.iter().find(|table| table.key == key);
    let (one, fields) = table.map_or(("", &[][..]), |table| (table.label, table.schema.fields));
    let length = Memo::new(move |_| {
        studio.session.draft.with(|s| s.document().form.rows(key).map_or(0, |rows| rows.count()))
    });
    let field = move |i: usize, field: &'static str| {
        let placeholder = match (list, field) {
            (List::Switch, "count") => Some(Signal::derive(move || allowed(studio, i))),
            (List::Rack, "x") => Some(Signal::stored(format!("{:.1}", RACK_PITCH * i as f64))),
            _ => None,
        };
        view! { <SpecField path=format!("{key}[{i}].{field}") placeholder=placeholder/> }
    };
    view! {
        <fieldset class="list" id=field_id("spec", key)>
            <legend>{legend}</legend>
            {move || (0..length.get()).map(|i| view! {
                <div class=format!("row entries {key}")>
                    {fields.iter().map(|of| field(i, of.key)).collect_view()}
                    <button type="button" class="plain" aria-label=format!("Remove {} {}", one.to_lowercase(), i + 1)
                        prop:disabled=move || list == List::Switch && length.get() < 2
                        on:click=move |_| studio.edit(Action::Remove(list, i))><Icon name="close"/></button>
                </div>
                <TableFault path=format!("{key}[{i}]")/>
            }).collect_view()}
            <TableFault path=key/>
            <button type="button" class="link add" id=format!("add-{key}") on:click=move |_| studio.edit(Action::Add(list))>{add}</button>
        </fieldset>
    }
}

/// The number of switches of a model without a count.
fn allowed(studio: Studio, model: usize) -> String {
    if studio.view.place.with(Place::is_hardware) {
        return "any".to_owned();
    }
    studio.result.resolved.with(|resolved| match resolved.as_ref() {
        Ok(spec) if spec.unlimited() == Some(model) => "any".to_owned(),
        Ok(spec) => spec.switch_counts().get(model).map_or_else(String::new, |&n| grouped(n.into())),
        // Only a single model's number depends on nothing else.
        Err(_) if studio.session.draft.with(|draft| draft.document().form.switch.len() == 1) => {
            "any".to_owned()
        }
        Err(_) => String::new(),
    })
}

/// The input of the field at a path, such as `switch[0].ports`.
#[component]
fn SpecField(
    #[prop(into)] path: String,
    /// Words for an empty input, if they depend on other fields.
    #[prop(optional_no_strip)]
    placeholder: Option<Signal<String>>,
    #[prop(optional)] class: &'static str,
) -> impl IntoView {
    let studio = Studio::here();
    let field = SpecForm::SCHEMA.field_at(&path).unwrap_or_else(|| panic!("no field {path}"));
    let (id, fault) = (field_id("spec", &path), fault_at(&path));
    let read = path.clone();
    let value = Signal::derive(move || text_at(studio, &read));
    let set = move |text| studio.edit(Action::Set { path: path.clone(), text });
    view! { <FieldView field=field id=id value=value on_input=set fault=fault placeholder=placeholder class=class/> }
}

fn text_at(studio: Studio, path: &str) -> String {
    studio.session.draft.with(|s| s.document().form.text_at(path).unwrap_or_default().to_owned())
}

fn fault_at(path: &str) -> Signal<Option<String>> {
    let studio = Studio::here();
    let path = path.to_owned();
    Signal::derive(move || {
        let message = |faults: &Vec<Fault>| message(faults, &path);
        studio.result.resolved.with(|resolved| match resolved {
            Err(faults) => message(faults),
            Ok(_) => studio.result.demand_faults.with(message).or_else(|| refused(studio, &path)),
        })
    })
}

/// Message of a proof about the field at a path.
fn refused(studio: Studio, path: &str) -> Option<String> {
    studio.result.asked.with(|a| {
        let refusal = a.as_ref()?.refusal()?;
        let fault = refusal.faults.iter().find(|f| f.path == path)?;
        Some(capital(&fault.message))
    })
}

/// `true` if a path names a whole table of a drawer, which shows its own faults.
fn is_of_drawer(path: &str) -> bool {
    let table =
        path.split_once('[').map_or(path, |(list, rest)| if rest.ends_with(']') { list } else { path });
    JOB_TABLES.contains(&table) || RULE_TABLES.contains(&table)
}

/// A button that opens a long part of the form, with what it holds in a line.
#[component]
fn DrawerButton(drawer: Drawer) -> impl IntoView {
    let studio = Studio::here();
    let words = Memo::new(move |_| {
        let spec = studio.result.resolved.get().ok();
        studio.session.draft.with(|s| drawer.words(&s.document().form, spec.as_deref()))
    });
    let faults = Memo::new(move |_| {
        studio.result.faults().iter().filter(|fault| Drawer::of(&fault.path) == Some(drawer)).count()
    });
    let is_open = Memo::new(move |_| studio.view.drawer.get() == Some(drawer));
    view! {
        <button type="button" class="open-drawer" id=drawer.button() aria-expanded=move || pressed(is_open.get())
            on:click=move |_| studio.view.drawer.set((!is_open.get_untracked()).then_some(drawer))>
            <span class="words"><strong>{drawer.title()}</strong><span class="summary">{words}</span>
                {move || (faults.get() > 0).then(|| view! { <span class="fault">{count(faults.get() as u64, "fault")}</span> })}</span>
            <span aria-hidden="true">"▸"</span>
        </button>
    }
}

/// A long part of the form, over the view. Escape closes it.
#[component]
pub fn DrawerPanel(drawer: Drawer, children: Children) -> impl IntoView {
    let studio = Studio::here();
    let section = NodeRef::<html::Section>::new();
    let close = move || {
        studio.view.drawer.set(None);
        browser::focus(drawer.button());
    };
    Effect::new(move |_| {
        if let Some(section) = section.get() {
            let _ = section.focus();
        }
    });
    let escape = window_event_listener(leptos::ev::keydown, move |event| {
        let has_dialog = || browser::document().query_selector("dialog[open]").ok().flatten().is_some();
        if event.key() == "Escape" && !event.default_prevented() && !has_dialog() {
            close();
        }
    });
    on_cleanup(move || escape.remove());
    view! {
        <section class="panel drawer" id="drawer" tabindex="-1" aria-labelledby="drawer-title" node_ref=section>
            <div class="heading">
                <h2 id="drawer-title">{drawer.title()}</h2>
                <button type="button" class="plain" id="close-drawer" aria-label="Close" title="Close (Escape)" on:click=move |_| close()><Icon name="close"/></button>
            </div>
            {children()}
        </section>
    }
}

#[component]
fn TableFault(#[prop(into)] path: String) -> impl IntoView {
    let fault = fault_at(&path);
    view! { <p class="fault" aria-live="polite" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p> }
}

/// The list, its total, and what may be added.
#[component]
fn Patterns() -> impl IntoView {
    let studio = Studio::here();
    // Rows are made anew only when patterns come, go or change their kind: typing must not lose its place.
    let kinds = Memo::new(move |_| {
        let kinds =
            |s: &Draft| s.document().form.pattern.iter().map(|p| p["kind"].clone()).collect::<Vec<_>>();
        studio.session.draft.with(kinds)
    });
    let picking = RwSignal::new(false);
    let is_unasked = Memo::new(move |_| studio.result.faults().iter().any(is_unasked));
    let fault = fault_at("pattern");
    let fault = Signal::derive(move || fault.get().filter(|_| !is_unasked.get()));
    let sizes = Memo::new(move |_| all_sizes(&studio.result.faults()));
    let close = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            picking.set(false);
            browser::focus("add-pattern");
        }
    };
    let total = Memo::new(move |_| studio.result.of_asked(ValidSpec::total));
    view! {
        <fieldset class="list patterns" id="spec-pattern">
            <legend>"Patterns"</legend>
            <ul>
                {move || kinds.get().into_iter().enumerate().map(|(i, kind)| view! { <li><Row index=i kind=kind/></li> }).collect_view()}
                {move || of_job(studio).into_iter().map(|(label, picture)| view! {
                    <li class="pattern read">
                        <PictureCanvas picture=Signal::stored(Some(picture.clone())) dark=studio.view.dark/>
                        <span class="title">{label}</span>
                        <span class="number">{grouped(picture.pairs)}<span class="sr">" pairs"</span></span>
                    </li>
                }).collect_view()}
            </ul>
            <p class="fault" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
            {move || is_unasked.get().then(|| view! {
                <p class="hint" id="no-patterns">"Add patterns, measured traffic or a training job to say which nodes talk to each other."</p>
            })}
            {move || Some(sizes.get()).filter(|sizes| !sizes.is_empty()).map(|sizes| {
                let words = sizes.iter().map(|mend| mend.text.clone()).collect::<Vec<_>>().join(" and ");
                view! { <button type="button" id="fit-sizes" on:click=move |_| studio.edit(Action::Mend(sizes.clone()))>{format!("Use sizes {words}")}</button> }
            })}
            <p class="total" hidden=is_unasked>"Total "<strong id="total-pairs">{move || total.get().map(|total| total.0)}</strong></p>
            <p class="hint" id="total-overlap">{move || total.get().and_then(|total| total.1)}</p>
            <div class="actions">
                <button type="button" id="add-pattern" aria-expanded=move || pressed(picking.get())
                    on:click=move |_| picking.update(|p| *p = !*p)><Icon name="add"/>"Add pattern"</button>
                <MeasuredTraffic pattern=None/>
            </div>
            {move || picking.get().then(|| view! { <div on:keydown=close><Part of=picker/></div> })}
        </fieldset>
    }
}

/// The patterns of the training job, which come after the written ones.
fn of_job(studio: Studio) -> Vec<(String, Picture)> {
    let found = studio.result.of_asked(|asked| {
        let title = |pattern| picture::title(pattern, asked.spec.pes);
        let all = asked.spec.patterns.iter().map(title).zip(asked.pictures.iter().cloned());
        all.skip(asked.spec.own_patterns().len()).collect()
    });
    found.unwrap_or_default()
}

#[component]
fn Row(index: usize, kind: String) -> impl IntoView {
    let studio = Studio::here();
    // The last valid spec may have another pattern here.
    let own = format!("pattern[{index}].");
    let is_wrong =
        Memo::new(move |_| studio.result.faults().iter().any(|fault| fault.path.starts_with(&own)));
    let picture = Signal::derive(move || {
        let picture = studio.result.of_asked(|asked| asked.pictures.get(index).cloned()).flatten();
        picture.filter(|_| !is_wrong.get())
    });
    let word = patterns::entry(&kind).map_or(kind.clone(), |entry| entry.label.to_owned());
    let typed_sizes = move || {
        studio
            .session
            .draft
            .with(|s| s.document().form.pattern.get(index).map(|p| p["dims"].trim().to_owned()))
    };
    let title = Memo::new(move |_| {
        let label =
            |spec: Arc<Spec>| spec.patterns.get(index).map(|pattern| picture::title(pattern, spec.pes));
        studio.result.resolved.get().ok().and_then(label).unwrap_or_else(|| {
            // While another field has a fault.
            format!("{word} {}", typed_sizes().unwrap_or_default()).trim_end().to_owned()
        })
    });
    let pairs = move || picture.with(|p| p.as_ref().map_or_else(|| "–".into(), |p| grouped(p.pairs)));
    let fault = fault_at(&format!("pattern[{index}].kind"));
    view! {
        <details class="pattern" id=field_id("spec", &format!("pattern[{index}].kind"))>
            <summary>
                <PictureCanvas picture=picture dark=studio.view.dark/>
                <span class="title">{title}</span>
                <span class="number">{pairs}<span class="sr">" pairs"</span></span>
            </summary>
            <div class="options">
                <Parameters index=index kind=kind/>
                <div class="row triple">
                    {patterns::COMMON.iter().map(|field| view! { <SpecField path=format!("pattern[{index}].{}", field.key)/> }).collect_view()}
                </div>
                <button type="button" class="link" aria-label=move || format!("Remove {}", title.get())
                    on:click=move |_| studio.edit(Action::RemovePattern(index))>"Remove"</button>
            </div>
        </details>
        <p class="fault" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
        <RowFaults index=index/>
    }
}

/// Faults of a row that may be folded, with buttons that mend them.
#[component]
fn RowFaults(index: usize) -> impl IntoView {
    let studio = Studio::here();
    let start = format!("pattern[{index}].");
    let own = Memo::new(move |_| {
        let faults = studio.result.faults().into_iter();
        faults.filter(|f| f.path.starts_with(&start)).take(5).collect::<Vec<_>>()
    });
    view! {
        {move || own.get().into_iter().map(|fault| {
            // The kind has its words above.
            let words = (!fault.path.ends_with(".kind")).then(|| fault.labelled(SpecForm::SCHEMA).to_string());
            view! { {words.map(|words| view! { <p class="fault">{words}</p> })}<Mending fault=fault/> }
        }).collect_view()}
    }
}

/// Buttons that mend a fault of the spec, a step each.
#[component]
fn Mending(fault: Fault) -> impl IntoView {
    let studio = Studio::here();
    let label = format!("Values for {}", SpecForm::SCHEMA.label(&fault.path));
    view! { <Mends label=label mends=fault.mends on_mend=move |mend| studio.edit(Action::Mend(vec![mend]))/> }
}

/// The parameters of a pattern of that kind.
#[component]
fn Parameters(index: usize, kind: String) -> impl IntoView {
    let studio = Studio::here();
    let own = patterns::entry(&kind)?.fields()?;
    let shown = move |key: &'static str| {
        Memo::new(move |_| {
            studio
                .session
                .draft
                .with(|s| s.document().form.pattern.get(index).is_some_and(|p| (own.shown)(p, key)))
        })
    };
    let field = move |key: &'static str| {
        let shown = shown(key);
        move || shown.get().then(|| parameter(index, key))
    };
    let row = move |keys: &'static [&'static str]| match keys {
        [only] => field(only).into_any(),
        several => {
            view! { <div class="row pair">{several.iter().map(|key| field(key)).collect_view()}</div> }
                .into_any()
        }
    };
    let sized = own.keys().any(|key| key == "dims").then(|| shown("dims"));
    Some(view! {
        {own.rows.iter().map(|keys| row(keys)).collect_view()}
        {move || sized.is_some_and(|sized| sized.get()).then(|| view! { <p class="hint">"The first dimension runs fastest."</p> })}
    })
}

/// The input of a parameter. Files are opened here instead of on the server, and factorizations are one choice with sizes.
fn parameter(index: usize, key: &str) -> AnyView {
    match key {
        "file" => view! { <MeasuredTraffic pattern=Some(index)/> }.into_any(),
        "factorizations" => view! { <Layouts index=index/> }.into_any(),
        _ => view! { <SpecField path=format!("pattern[{index}].{key}")/> }.into_any(),
    }
}

/// The way a torus or a grid gives its sizes.
#[component]
fn Layouts(index: usize) -> impl IntoView {
    let studio = Studio::here();
    let value = Signal::derive(move || {
        let layout = studio.session.draft.with(|s| s.document().form.pattern.get(index).map(Layout::of));
        let known = Layout::ALL.into_iter().find(|(known, ..)| Some(*known) == layout);
        known.map_or("", |(_, word, _)| word).to_owned()
    });
    let set = move |chosen: String| {
        if let Some((layout, ..)) = Layout::ALL.into_iter().find(|(_, word, _)| *word == chosen) {
            studio.edit(Action::Layout { pattern: index, layout });
        }
    };
    let path = format!("pattern[{index}].factorizations");
    // What each gives for this number of nodes.
    let options = Memo::new(move |_| {
        let pattern = studio.session.draft.with(|s| s.document().form.pattern.get(index).cloned());
        let resolved = studio.result.resolved.get().ok();
        Layout::ALL
            .map(|(layout, word, label)| {
                let of = |spec: &Spec| {
                    let mut form = pattern.clone()?;
                    layout.set(&mut form, spec.pes);
                    picture::sizes_of(&form, spec.pes)
                };
                let sizes = resolved.as_deref().and_then(of);
                (word.to_owned(), sizes.map_or_else(|| label.to_owned(), |sizes| format!("{label}: {sizes}")))
            })
            .to_vec()
    });
    view! {
        <Choice id=field_id("spec", &path) label="Layout" value=value options=options on_choice=set fault=fault_at(&path)/>
    }
}

/// Imports measured traffic as the pairs of a pattern.
#[component]
fn MeasuredTraffic(pattern: Option<usize>) -> impl IntoView {
    let studio = Studio::here();
    let id = pattern.map_or("measured-traffic".to_owned(), |i| format!("measured-traffic-{i}"));
    let target = Target::Pattern(pattern);
    let open = move |files| studio.view.traffic.set(Some(TrafficFiles { files, target }));
    view! {
        <FilesPicker id=id words=if pattern.is_some() { "From files" } else { "Measured traffic" } label="Open measured traffic"
            title=Some(FILES.to_owned()) multiple=true on_files=open/>
    }
}

parts! {
    results {
        /// The kinds of pattern to add.
        picker() -> AnyView { view! { <Picker/> }.into_any() }
    }
}

/// Every kind of pattern as it would be on this machine. It stays open, so that several can be added.
#[component]
fn Picker() -> impl IntoView {
    let studio = Studio::here();
    let pes = Memo::new(move |_| {
        studio.session.draft.with(|s| s.document().form.pes.trim().parse::<u32>().ok()).unwrap_or(0)
    });
    let drawn = RwSignal::new(vec![None::<Result<Picture, String>>; patterns::LIST.len()]);
    Effect::new(move |before: Option<()>| {
        let now = pes.get();
        drawn.set(vec![None; patterns::LIST.len()]);
        spawn_local(async move {
            for (index, entry) in patterns::LIST.iter().enumerate() {
                let Some(kind) = entry.example(now) else { continue };
                browser::breathe().await;
                if pes.try_get_untracked() != Some(now) {
                    return;
                }
                let result = picture::of_kind(&kind, now);
                let _ = drawn.try_update(|d| d[index] = Some(result));
            }
            // The picker opens at the end of what is in sight.
            if before.is_none() {
                browser::next_frame().await;
                browser::reveal("picker");
            }
        });
    });
    let shown = patterns::LIST.iter().enumerate().filter(|(_, entry)| entry.example(1).is_some());
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
                let sizes = move || {
                    let pes = pes.get();
                    entry.example(pes).and_then(|kind| picture::sizes(&kind, pes)).map(|sizes| format!(" {sizes}"))
                };
                // Times that the session has it already.
                let added = move || {
                    let times = studio.session.draft.with(|s| s.document().form.pattern.iter().filter(|p| p["kind"] == entry.name).count());
                    (times > 0).then(|| if times == 1 { "added".into() } else { format!("added {times} times") })
                };
                view! {
                    <li><button type="button" class="card" id=format!("pick-{}", entry.name) title=entry.about
                        prop:disabled=move || barred().is_some()
                        on:click=move |_| studio.edit(Action::AddPattern(entry.name.into()))>
                        <PictureCanvas picture=picture dark=studio.view.dark/>
                        <span class="words"><strong>{entry.label}{sizes}</strong><span class="summary">{line}</span><span class="summary added">{added}</span></span>
                    </button></li>
                }
            }).collect_view()}
        </ul>
    }
}

//! The spec: as a form and as text, in step.

pub mod job;

use crate::{
    browser,
    components::{Choice, FieldView, FilePicker, FilesPicker, Fold, Icon, PictureCanvas, field_id, pressed},
    state::{
        draft::{Action, Draft, List},
        file,
        mends::{self, Mend, all_sizes, is_unasked},
        picture::{self, Picture},
        place::{Place, Side},
        traffic::{FILES, Target},
        words::{count, grouped},
    },
    studio::{Asked, Recorded, Studio},
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    design::Names,
    form::{Described, Fault, Field as FormField, Form as _, Schema, message},
    spec::{
        self, MAX_SPEC_BYTES, NamesForm, RACK_PITCH, Spec, SpecForm, StartForm, UplinkForm,
        patterns::{self, lattice::Layout},
    },
};
use std::sync::Arc;

/// The panel on the left of a session.
#[component]
pub fn SpecPanel(
    /// The page of the training job.
    children: ChildrenFn,
) -> impl IntoView {
    let studio = Studio::here();
    let as_text = RwSignal::new(false);
    let unreadable = RwSignal::new(None::<String>);
    let open = move |name: String, content: Result<String, String>| {
        let text = content.and_then(|text| file::check_spec(&name, &text).map(|()| text));
        unreadable.set(text.as_ref().err().cloned());
        if let Ok(text) = text {
            studio.open_file(text);
        }
    };
    // The fault of a file is over once the spec changes.
    Effect::new(move |_| {
        studio.session.draft.track();
        unreadable.set(None);
    });
    view! {
        <section class="panel spec" id="spec" aria-labelledby="spec-title">
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
            <p class="fault" role="alert" id="open-spec-fault" hidden=move || unreadable.with(Option::is_none)>{move || unreadable.get()}</p>
            {move || if as_text.get() {
                view! { <Text/> }.into_any()
            } else {
                view! { <Form job=children.clone()/> }.into_any()
            }}
        </section>
    }
}

/// All faults beside the text; beside the form only those of no field, so that nothing moves while somebody types.
#[component]
fn Faults(as_text: bool) -> impl IntoView {
    let studio = Studio::here();
    // Paths are names in the text; the form has labels.
    let words = move |fault: &Fault| {
        if as_text { fault.to_string() } else { fault.labelled(SpecForm::SCHEMA).to_string() }
    };
    let shown = move || {
        let faults = studio.result.faults().into_iter();
        faults
            .filter(|f| as_text || !(studio.session.has_field(&f.path) || is_rule(&f.path) || is_unasked(f)))
            .collect::<Vec<_>>()
    };
    view! {
        <div class="fault-summary" id="spec-faults" aria-live="polite">
            {move || {
                let faults = shown();
                (!faults.is_empty()).then(|| view! {
                    <p>{count(faults.len() as u64, "fault")}". Form and map show the last valid spec."</p>
                    <ul>{faults.iter().take(50).map(|f| view! { <li>{words(f)}</li> }).collect_view()}</ul>
                })
            }}
        </div>
    }
}

#[component]
fn Form(job: ChildrenFn) -> impl IntoView {
    view! {
        <Faults as_text=false/>
        <div class="form">
            {rows("", SpecForm::SCHEMA, |field| !field.folded)}
            <Rules/>
            <TrainingJob page=job/>
            <Patterns/>
        </div>
    }
}

/// The inputs of the fields of a form whose paths begin with `prefix`, row by row.
fn rows(prefix: &str, schema: &'static Schema, shown: impl Fn(&FormField) -> bool) -> Vec<AnyView> {
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
        "nis_per_pe" => view! { <Groups/> }.into_any(),
        "objective" => view! {
            <SpecField path=path/>
            <Entries list=List::Switch legend="Switches" add="Add a switch model"/>
        }
        .into_any(),
        "forwarding" => view! { <Forwarding/> }.into_any(),
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
                <SpecField path="nis_per_pe"/>
                <button type="button" class="link add" id="add-pe_group" on:click=move |_| studio.edit(Action::Add(List::Group))>
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
        Err(_) => String::new(),
    })
}

/// The same document as text.
#[component]
fn Text() -> impl IntoView {
    let studio = Studio::here();
    let wrong = Signal::derive(move || studio.session.draft.with(|s| !s.document().unreadable.is_empty()));
    view! {
        <div class="field text" class:wrong=move || wrong.get()>
            <label for="spec-text">"Spec as TOML"</label>
            <textarea id="spec-text" spellcheck="false" rows="28" wrap="off"
                aria-invalid=move || pressed(wrong.get()) aria-describedby="spec-faults"
                prop:value=move || studio.session.text()
                on:input=move |event| studio.edit(Action::Text(event_target_value(&event)))></textarea>
        </div>
        <Faults as_text=true/>
    }
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
        let typed = text_at(studio, &path);
        let message = |faults: &Vec<Fault>| message(faults, &path, &typed);
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
        Some(format!("Too little: {}.", fault.expected))
    })
}

type Widget = fn() -> AnyView;

/// Tables of the less common rules, in the order of the page.
const RULES: [(&str, Widget); 6] = [
    ("uplink", || view! { <Uplink/> }.into_any()),
    ("keep", || {
        view! { <Entries list=List::Keep legend="Reserved ports of single switches" add="Add a switch"/> }
            .into_any()
    }),
    ("placement", || {
        view! { <Entries list=List::Placement legend="Placements" add="Add a placement"/> }.into_any()
    }),
    ("rack", || {
        view! { <Entries list=List::Rack legend="Racks, in order of node and switch numbers" add="Add a rack"/> }.into_any()
    }),
    ("names", || view! { <PartNames/> }.into_any()),
    ("start", || view! { <Start/> }.into_any()),
];
/// Tables of the training job.
const JOB_TABLES: [&str; 4] = ["job", "model", "assumptions", "collective"];

/// Keys of the rules: their fields and tables.
fn rules() -> impl Iterator<Item = &'static str> {
    let fields = SpecForm::SCHEMA.fields.iter().filter(|field| field.folded).map(|field| field.key);
    fields.chain(RULES.map(|(table, _)| table))
}

/// `true` if a path names a whole table of these rules, which shows its own faults.
fn is_rule(path: &str) -> bool {
    let table =
        path.split_once('[').map_or(path, |(list, rest)| if rest.ends_with(']') { list } else { path });
    RULES.iter().any(|(rule, _)| *rule == table) || JOB_TABLES.contains(&table)
}

/// All rules, folded while none is given.
#[component]
fn Rules() -> impl IntoView {
    let studio = Studio::here();
    let wanted = Memo::new(move |_| {
        let faulty = |path: &str| rules().any(|start| path.starts_with(start));
        studio.session.draft.with(|s| is_given(&s.document().form))
            || studio.result.faults().iter().any(|fault| faulty(&fault.path))
    });
    view! {
        <details class="rules" id="hardware-rules" open=move || wanted.get()>
            <summary>"More hardware rules"</summary>
            <div class="rules-form">
                {rows("", SpecForm::SCHEMA, |field| field.folded)}
                {RULES.map(|(_, table)| table()).into_iter().collect_view()}
            </div>
        </details>
    }
}

fn is_given(form: &SpecForm) -> bool {
    rules().any(|key| {
        form.rows(key).is_some_and(|rows| rows.count() > 0)
            || form.get(key).is_some_and(|text| !text.trim().is_empty())
    })
}

/// The training job, folded while there is none. Its page loads when it is unfolded.
#[component]
fn TrainingJob(page: ChildrenFn) -> impl IntoView {
    let studio = Studio::here();
    let given = Memo::new(move |_| {
        let given = |table: &&str| {
            studio.session.draft.with(|s| s.document().form.rows(table).is_some_and(|rows| rows.count() > 0))
        };
        JOB_TABLES.iter().any(given)
    });
    let unfolded = RwSignal::new(false);
    let shown = Memo::new(move |_| given.get() || unfolded.get());
    let toggled = move |event: web_sys::Event| {
        unfolded.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    };
    view! {
        <details class="rules" id="training-job" open=move || given.get() on:toggle=toggled>
            <summary id="training-job-title">"Training job"</summary>
            {move || shown.get().then(|| view! { <div class="rules-form job">{page()}</div> })}
        </details>
    }
}

#[component]
fn TableFault(#[prop(into)] path: String) -> impl IntoView {
    let fault = fault_at(&path);
    view! { <p class="fault" aria-live="polite" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p> }
}

/// Whether nodes forward: yes, no, or as the job's library does.
#[component]
fn Forwarding() -> impl IntoView {
    let studio = Studio::here();
    let set = move |text: String| studio.edit(Action::Set { path: "forwarding".into(), text });
    view! {
        <Choice id=field_id("spec", "forwarding") label="Forwarding by nodes" value=Signal::derive(move || text_at(studio, "forwarding"))
            options=vec![("", "Unless the job uses NCCL or MPI"), ("true", "Yes"), ("false", "No")]
            on_choice=set fault=fault_at("forwarding")/>
    }
}

#[component]
fn Uplink() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.uplink.is_some()));
    let value =
        Signal::derive(move || if has.get() { text_at(studio, "uplink.kind") } else { String::new() });
    let separate = Memo::new(move |_| value.get() == "separate");
    let kinds = SpecForm::SCHEMA.field_at("uplink.kind").map_or_else(Vec::new, |field| field.kind.choices());
    let kinds: Vec<_> =
        std::iter::once(("", "None")).chain(kinds.iter().map(|kind| (kind.word, kind.label))).collect();
    let set = move |kind: String| studio.edit(Action::Uplink(Some(kind).filter(|k| !k.is_empty())));
    view! {
        <div class="list" id="spec-uplink">
            <Choice id=field_id("spec", "uplink.kind") label="Uplink switches" value=value options=kinds
                on_choice=set fault=fault_at("uplink.kind")/>
            {move || has.get().then(|| {
                let other = separate.get();
                rows("uplink", UplinkForm::SCHEMA, |field| {
                    field.key != "kind" && (other || !spec::Uplink::SEPARATE.contains(&field.key))
                })
            })}
            <TableFault path="uplink"/>
        </div>
    }
}

/// Templates of names, with the names that they give.
#[component]
fn PartNames() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.names.is_some()));
    let samples = move || studio.result.resolved.get().ok().map(|spec| name_samples(&spec));
    view! {
        <fieldset class="list" id="spec-names">
            <legend>"Names"</legend>
            <p class="hint" id="name-samples">{samples}</p>
            {move || has.get().then(|| rows("names", NamesForm::SCHEMA, |_| true))}
            <TableFault path="names"/>
            <div class="actions">
                {move || match has.get() {
                    true => view! {
                        <button type="button" class="link" id="remove-names" on:click=move |_| studio.edit(Action::Names(false))>"Remove"</button>
                    }.into_any(),
                    false => view! {
                        <button type="button" class="link" id="add-names" on:click=move |_| studio.edit(Action::Names(true))>"Change names"</button>
                    }.into_any(),
                }}
            </div>
        </fieldset>
    }
}

/// Names of the first and last parts of a machine.
fn name_samples(spec: &Spec) -> String {
    let names = Names::sized(spec, spec.pes, spec.switch_budget());
    let nics = spec.pe_groups.iter().map(|group| group.nis).max().unwrap_or(1);
    let ports = spec.switches.iter().map(|model| model.ports).max().unwrap_or(1);
    let span = |first: String, last: String| if first == last { first } else { format!("{first} to {last}") };
    let switches = spec.switch_budget().max(1);
    [
        span(names.pe(0), names.pe(spec.pes - 1)),
        span(names.switch(0), names.switch(switches - 1)),
        span(names.interface(0), names.interface(nics.max(1) - 1)),
        span(names.port(1), names.port(ports)),
    ]
    .join(" · ")
}

#[component]
fn Start() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.start.is_some()));
    let held = Memo::new(move |_| studio.result.held.with(Option::is_some));
    view! {
        <fieldset class="list" id="spec-start">
            <legend>"Existing wiring"</legend>
            {move || has.get().then(|| view! {
                <SpecField path="start.table"/>
                {rows("start", StartForm::SCHEMA, |field| !["file", "table"].contains(&field.key))}
            })}
            <TableFault path="start"/>
            <div class="actions">
                <button type="button" id="start-from-design" prop:disabled=move || !held.get()
                    title="Use the wiring on screen as the existing wiring" on:click=move |_| studio.start_from_wiring()>
                    "Start from this wiring"
                </button>
                {move || match has.get() {
                    true => view! {
                        <button type="button" class="link" id="remove-start" on:click=move |_| studio.edit(Action::Start(None))>"Remove"</button>
                    }.into_any(),
                    false => view! {
                        <button type="button" class="link" id="add-start" on:click=move |_| studio.edit(Action::Start(Some(String::new())))>"Type a table"</button>
                    }.into_any(),
                }}
            </div>
        </fieldset>
    }
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
    let sizes = Memo::new(move |_| {
        studio.session.draft.with(|s| all_sizes(&s.document().form, &studio.result.faults()))
    });
    let total = Memo::new(move |_| studio.result.of_asked(Asked::total));
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
                <p class="hint" id="no-patterns">"Add a pattern, measured traffic or a training job: it says which nodes talk to each other."</p>
            })}
            {move || Some(sizes.get()).filter(|sizes| !sizes.is_empty()).map(|sizes| {
                let words = sizes.iter().map(|mend| mend.text.clone()).collect::<Vec<_>>().join(" and ");
                view! { <button type="button" id="fit-sizes" on:click=move |_| studio.edit(Action::Mend(sizes.clone()))>{format!("Use sizes {words}")}</button> }
            })}
            <p class="total">"Total "<strong id="total-pairs">{move || total.get().map(|total| total.0)}</strong></p>
            <p class="hint" id="total-overlap">{move || total.get().and_then(|total| total.1)}</p>
            <div class="actions">
                <button type="button" id="add-pattern" aria-expanded=move || pressed(picking.get())
                    on:click=move |_| picking.update(|p| *p = !*p)><Icon name="add"/>"Add patterns"</button>
                <MeasuredTraffic pattern=None/>
            </div>
            {move || picking.get().then(|| view! { <Picker picking=picking/> })}
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
    let picture =
        Signal::derive(move || studio.result.of_asked(|a| a.pictures.get(index).cloned()).flatten());
    let word = kind.clone();
    let title = Memo::new(move |_| {
        let label =
            |spec: Arc<Spec>| spec.patterns.get(index).map(|pattern| picture::title(pattern, spec.pes));
        studio.result.resolved.get().ok().and_then(label).unwrap_or_else(|| word.clone())
    });
    let pairs = move || picture.with(|p| p.as_ref().map(|p| grouped(p.pairs)));
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
            let words = (!fault.path.ends_with(".kind")).then(|| format!("{}.", fault.labelled(SpecForm::SCHEMA)));
            view! { {words.map(|words| view! { <p class="fault">{words}</p> })}<Mends fault=fault/> }
        }).collect_view()}
    }
}

/// Buttons that mend a fault, a step each.
#[component]
fn Mends(fault: Fault) -> impl IntoView {
    let studio = Studio::here();
    let found = studio.session.draft.with_untracked(|s| mends::mends(&s.document().form, &fault));
    let button = |mend: Mend| {
        let title = format!("{}: {}", SpecForm::SCHEMA.label(&mend.path), mend.text);
        view! { <button type="button" title=title on:click=move |_| studio.edit(Action::Mend(vec![mend.clone()]))>{mend.words.clone()}</button> }
    };
    (!found.is_empty()).then(|| {
        let label = format!("Values for {}", SpecForm::SCHEMA.label(&fault.path));
        view! { <div class="mends" role="group" aria-label=label>{found.into_iter().map(button).collect_view()}</div> }
    })
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
    let open = move |files| studio.view.traffic.set(Some(Recorded { files, target }));
    view! {
        <FilesPicker id=id words=if pattern.is_some() { "From files" } else { "Measured traffic" } label="Open measured traffic"
            title=Some(FILES.to_owned()) multiple=true on_files=open/>
    }
}

/// Every kind of pattern as it would be on this machine. It stays open, so that several can be added.
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
                let Some(kind) = entry.example(now) else { continue };
                browser::breathe().await;
                if pes.try_get_untracked() != Some(now) {
                    return;
                }
                let result = picture::of_kind(&kind, now);
                let _ = drawn.try_update(|d| d[index] = Some(result));
            }
        });
    });
    let close = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            picking.set(false);
            browser::focus("add-pattern");
        }
    };
    let shown = patterns::LIST.iter().enumerate().filter(|(_, entry)| entry.example(1).is_some());
    view! {
        <ul class="picker" id="picker" aria-label="Kinds of pattern" on:keydown=close>
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

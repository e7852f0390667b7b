//! The training job of a spec: its degrees, model and collectives, its bytes, and a picture of its ranks.

use super::{Mending, SpecField, TableFault, rows, text_at};
use crate::{
    browser,
    components::{Choice, Field, FieldView, RanksCanvas, Swatch, field_id, line_colour, pressed},
    state::{
        draft::{Action, is_of},
        drawers::JOB_TABLES,
        job::{self, DimensionTraffic, EXPERT_FIELDS, Grid, PRESETS, Preset, Ranks},
        words::{count, grouped},
    },
    studio::Studio,
    work::latest,
};
use leptos::prelude::*;
use shared::{
    demand::job::{shares, usual},
    estimate::EstimateForm,
    form::{Described, message},
    spec::{
        CollectiveForm, JobForm, ModelForm, SpecForm,
        job::{Algorithm, Dimension, Job, Operation},
    },
    text::bytes,
};
use std::sync::Arc;

/// The last valid job, with everything that is drawn of it.
#[derive(Clone, PartialEq)]
struct JobPreview {
    job: Arc<Job>,
    ranks: Arc<Ranks>,
    along: Arc<Vec<DimensionTraffic>>,
}

/// The training job.
#[component]
pub fn JobPage() -> impl IntoView {
    let studio = Studio::here();
    let jobs = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.job.len()));
    let has = Memo::new(move |_| jobs.get() > 0);
    let chosen = RwSignal::new(0_usize);
    let number = Memo::new(move |_| chosen.get().min(jobs.get().saturating_sub(1)));
    let collectives = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.collective.len()));
    let seen = Memo::new(move |_| {
        let (job, pes) = studio
            .result
            .of_asked(|asked| Some((asked.spec.jobs.get(number.get())?.clone(), asked.spec.pes)))??;
        let (ranks, along) = (Arc::new(Ranks::of(&job, pes)), Arc::new(DimensionTraffic::all(&job)));
        Some(JobPreview { job: Arc::new(job), ranks, along })
    });
    view! {
        <Presets/>
        {JOB_TABLES.map(|table| view! { <TableFault path=table/> })}
        {move || (0..collectives.get()).map(|i| view! {
            <TableFault path=format!("collective[{i}]")/>
            <div id=field_id("spec", &format!("collective[{i}].along")) tabindex="-1">
                <TableFault path=format!("collective[{i}].along")/>
            </div>
        }).collect_view()}
        {move || has.get().then(|| view! {
            <div class="job-columns">
                <div class="list">
                    {move || (jobs.get() > 1).then(|| view! { <Jobs jobs=jobs number=number chosen=chosen/> })}
                    {move || {
                        let job = number.get();
                        view! { <Degrees job=job/><Model job=job/><Collectives job=job seen=seen/> }
                    }}
                    <Assumptions/>
                    <button type="button" class="link add" id="remove-job" on:click=move |_| studio.edit(Action::Job(false))>
                        {move || if jobs.get() > 1 { "Remove all training jobs" } else { "Remove the training job" }}
                    </button>
                </div>
                <div class="list"><Picture seen=seen/><Shares seen=seen/></div>
            </div>
        })}
    }
}

/// Models to begin with.
#[component]
fn Presets() -> impl IntoView {
    let studio = Studio::here();
    let jobs = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.job.len()));
    let chosen = Memo::new(move |_| {
        studio.session.draft.with(|s| s.document().form.model.first().and_then(job::model_name))
    });
    let button = move |preset: &'static Preset| {
        view! {
            <button type="button" aria-pressed=move || pressed(chosen.get() == Some(preset.name)) title=preset.about()
                on:click=move |_| studio.edit(Action::Preset(preset.text))>{preset.name}</button>
        }
    };
    view! {
        <div class="presets" role="group" aria-label="Presets">
            {PRESETS.iter().map(button).collect_view()}
            <button type="button" id="own-job" aria-pressed=move || pressed(jobs.get() > 0 && chosen.get().is_none())
                title="A small model on the nodes of this spec" on:click=move |_| studio.edit(Action::OwnJob)>"Your own"</button>
        </div>
        <p class="hint">{move || match jobs.get() {
            0 => "A training job adds its communication to the patterns. A preset brings its model, degrees, nodes and NICs, and the objective Time.",
            _ => "A preset sets model, degrees, nodes, NICs and the objective Time. Undo brings yours back.",
        }}</p>
    }
}

/// Chooses one of several jobs.
#[component]
fn Jobs(jobs: Memo<usize>, number: Memo<usize>, chosen: RwSignal<usize>) -> impl IntoView {
    let studio = Studio::here();
    let options = Memo::new(move |_| {
        let spans = studio.result.of_asked(|asked| asked.spec.jobs.iter().map(Job::span).collect::<Vec<_>>());
        let label = |at: usize| {
            let nodes = spans.as_ref().and_then(|spans| spans.get(at));
            let nodes =
                nodes.map_or_else(String::new, |nodes| format!(", nodes {}–{}", nodes.start, nodes.end - 1));
            (at.to_string(), format!("Job {at}{nodes}"))
        };
        (0..jobs.get()).map(label).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || number.get().to_string());
    view! {
        <Choice id=field_id("spec", "job") label="Training job" value=value options=options
            on_choice=move |text: String| chosen.set(text.parse().unwrap_or(0)) fault=Signal::stored(None::<String>)/>
        <p class="hint">"Jobs run at the same time on separate nodes. Jobs take nodes in the order of the list. Add and remove jobs in the TOML text, as [[job]]."</p>
    }
}

#[component]
fn Degrees(job: usize) -> impl IntoView {
    let studio = Studio::here();
    let path = move |key: &str| format!("{}.{key}", SpecForm::SCHEMA.entry("job", job));
    let product = move || studio.session.draft.with(|s| job::product(&s.document().form, job));
    let mapped = Memo::new(move |_| !text_at(studio, &path("ranks")).trim().is_empty());
    let faults = Memo::new(move |_| {
        let own = path("");
        studio.result.faults().into_iter().filter(|fault| fault.path.starts_with(&own)).collect::<Vec<_>>()
    });
    let has_share = Memo::new(move |_| {
        let several = studio.session.draft.with(|s| s.document().form.job.len() > 1);
        several || !text_at(studio, &path("share")).is_empty()
    });
    let has_experts = Memo::new(move |_| {
        let of_model = |form: &SpecForm| {
            form.model.iter().any(|model| job::job_of(&model.job) == job && job::has_experts(model))
        };
        !["", "1"].contains(&text_at(studio, &path("ep")).trim())
            || studio.session.draft.with(|s| of_model(&s.document().form))
    });
    view! {
        <div class="form">
            {move || has_share.get().then(|| view! { <SpecField path=path("share")/> })}
            {rows(&SpecForm::SCHEMA.entry("job", job), JobForm::SCHEMA, |field| !["share", "ep", "ranks", "rank_file"].contains(&field.key))}
            {move || has_experts.get().then(|| view! { <SpecField path=path("ep")/> })}
        </div>
        <p class="hint" id="job-product" aria-live="polite">{move || product().unwrap_or_else(|| "–".into())}</p>
        {move || faults.get().into_iter().map(|fault| view! { <Mending fault=fault/> }).collect_view()}
        <details open=move || mapped.get()>
            <summary>"Ranks on nodes"</summary>
            <SpecField path=path("ranks")/>
        </details>
    }
}

#[component]
fn Model(job: usize) -> impl IntoView {
    let studio = Studio::here();
    let at = Memo::new(move |_| {
        studio
            .session
            .draft
            .with(|s| s.document().form.model.iter().position(|model| job::job_of(&model.job) == job))
    });
    let has_experts = Memo::new(move |_| {
        at.get().is_some_and(|at| {
            studio.session.draft.with(|s| s.document().form.model.get(at).is_some_and(job::has_experts))
        })
    });
    view! {
        <fieldset class="list" id="spec-model">
            <legend>"Model"</legend>
            {move || match at.get().map(|at| SpecForm::SCHEMA.entry("model", at)) {
                Some(model) => view! {
                    <div class="form">
                        {rows(&model, ModelForm::SCHEMA, |field| !["job", "experts"].contains(&field.key) && !EXPERT_FIELDS.contains(&field.key))}
                        <SpecField path=format!("{model}.experts")/>
                        {move || has_experts.get().then(|| rows(&model, ModelForm::SCHEMA, |field| EXPERT_FIELDS.contains(&field.key)))}
                    </div>
                    <button type="button" class="link add" id="remove-model" on:click=move |_| studio.edit(Action::Model(job, false))>"Remove the model"</button>
                }.into_any(),
                None => view! {
                    <p class="hint">"A model gives the bytes of each dimension."</p>
                    <button type="button" class="link add" id="add-model" on:click=move |_| studio.edit(Action::Model(job, true))>"Add a model"</button>
                }.into_any(),
            }}
        </fieldset>
    }
}

/// Assumptions on the time of a step.
#[component]
fn Assumptions() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.assumptions.is_some()));
    view! {
        <fieldset class="list" id="spec-assumptions">
            <legend>"Assumptions"</legend>
            {move || match has.get() {
                true => view! {
                    <div class="form">{rows("assumptions", EstimateForm::SCHEMA, |_| true)}</div>
                    <button type="button" class="link add" id="remove-assumptions" on:click=move |_| studio.edit(Action::Assumptions(false))>"Remove the assumptions"</button>
                }.into_any(),
                false => view! {
                    <p class="hint">"Step times and searches for time use the default assumptions."</p>
                    <button type="button" class="link add" id="add-assumptions" on:click=move |_| studio.edit(Action::Assumptions(true))>"Change assumptions"</button>
                }.into_any(),
            }}
        </fieldset>
    }
}

/// A row for each dimension with a degree above 1, or with a collective of its own.
#[component]
fn Collectives(job: usize, seen: Memo<Option<JobPreview>>) -> impl IntoView {
    let studio = Studio::here();
    let dimensions = Memo::new(move |_| {
        let used: Vec<Dimension> = seen.with(|seen| {
            seen.iter().flat_map(|seen| seen.along.iter().map(DimensionTraffic::dimension)).collect()
        });
        let is_written = |&one: &Dimension| {
            let written = |form: &CollectiveForm| is_of(form, job, one);
            studio.session.draft.with(|s| s.document().form.collective.iter().any(written))
        };
        Dimension::ALL.into_iter().filter(|one| used.contains(one) || is_written(one)).collect::<Vec<_>>()
    });
    view! {
        <details>
            <summary>"Collectives"</summary>
            <div class="list">
                {move || dimensions.get().into_iter().map(|along| view! { <Row job=job along=along seen=seen/> }).collect_view()}
            </div>
        </details>
    }
}

#[component]
fn Row(job: usize, along: Dimension, seen: Memo<Option<JobPreview>>) -> impl IntoView {
    let studio = Studio::here();
    let at = Memo::new(move |_| {
        let written = |form: &CollectiveForm| is_of(form, job, along);
        studio.session.draft.with(|s| s.document().form.collective.iter().position(written))
    });
    let path = move |key: &str| at.get().map(|at| format!("collective[{at}].{key}"));
    let text = move |key: &'static str| {
        Signal::derive(move || path(key).map(|path| text_at(studio, &path)).unwrap_or_default())
    };
    let fault = move |key: &'static str| {
        Signal::derive(move || {
            let path = path(key)?;
            studio.result.resolved.with(|resolved| message(resolved.as_ref().err()?, &path))
        })
    };
    let set = move |key: &'static str| {
        move |text: String| studio.edit(Action::Collective { job, along, key, text })
    };
    let as_usual = Memo::new(move |_| seen.with(|seen| seen.as_ref().map(|seen| usual(&seen.job, along))));
    let labelled = |key: &str, word: &str| {
        let choices = CollectiveForm::field(key).kind.choices();
        choices.iter().find(|choice| choice.word == word).map_or(word, |choice| choice.label).to_owned()
    };
    let operations = Memo::new(move |_| {
        let usual = as_usual.get().map(|usual| labelled("operation", usual.operation.name()));
        let all = Operation::ALL.map(|one| (one.name().to_owned(), labelled("operation", one.name())));
        with_usual(usual, all)
    });
    let algorithms = Memo::new(move |_| {
        let written = text("operation").get();
        let operation = Operation::ALL.into_iter().find(|one| one.name() == written.trim());
        let usual = as_usual.get();
        let fitting = operation.or(usual.map(|usual| usual.operation));
        let of_usual = usual.filter(|usual| Some(usual.operation) == fitting).map(|usual| usual.algorithm);
        let first = of_usual.or(fitting.and_then(|operation| operation.algorithms().first().copied()));
        let possible =
            Algorithm::ALL.into_iter().filter(|&one| fitting.is_none_or(|operation| operation.accepts(one)));
        let all = possible.map(|one| (one.name().to_owned(), labelled("algorithm", one.name())));
        with_usual(first.map(|one| labelled("algorithm", one.name())), all)
    });
    let placeholder = Signal::derive(move || {
        let usual = seen.with(|seen| {
            let share =
                shares(&seen.as_ref()?.job).into_iter().find(|share| share.collective.along == along)?;
            share.collective.bytes
        });
        usual.map_or_else(|| "none".into(), bytes)
    });
    let id = |key: &str| field_id("spec", &format!("collective.{}.{key}", along.name()));
    view! {
        <fieldset class="list">
            <legend>{along.label()}</legend>
            <Choice id=id("operation") label="Operation" value=text("operation") options=operations on_choice=set("operation")
                fault=fault("operation")/>
            <Choice id=id("algorithm") label="Algorithm" value=text("algorithm") options=algorithms on_choice=set("algorithm")
                fault=fault("algorithm")/>
            <FieldView field=CollectiveForm::field("bytes") id=id("bytes") value=text("bytes") on_input=set("bytes") fault=fault("bytes")
                placeholder=Some(placeholder)/>
            {move || at.get().is_some().then(|| view! {
                <button type="button" class="link add" aria-label=format!("Reset {}", along.label().to_lowercase())
                    on:click=move |_| studio.edit(Action::Usual(job, along))>"Reset"</button>
            })}
        </fieldset>
    }
}

/// Prepends the default choice, with an empty value.
fn with_usual(
    usual: Option<String>,
    all: impl IntoIterator<Item = (String, String)>,
) -> Vec<(String, String)> {
    let usual = usual.map_or_else(|| "Usual".into(), |usual| format!("Usual: {usual}"));
    std::iter::once((String::new(), usual)).chain(all).collect()
}

/// Bytes of each dimension, with the formula.
#[component]
fn Shares(seen: Memo<Option<JobPreview>>) -> impl IntoView {
    let studio = Studio::here();
    // Pairs of large jobs take long enough to count them after the form has drawn, one dimension at a time.
    let network = latest(move |turn| {
        let along = seen.get()?.along;
        Some(async move {
            let mut found = Vec::new();
            for one in along.iter() {
                if turn.pause().await.is_none() {
                    break;
                }
                found.push((one.groups.clone(), one.on_network()));
            }
            found
        })
    });
    let on_network = move |one: &DimensionTraffic| {
        network.found.with(|found| {
            found.as_ref()?.iter().find(|(groups, _)| *groups == one.groups).map(|(_, sum)| *sum)
        })
    };
    let rows = move || {
        let along = seen.get()?.along;
        let most = along.iter().filter_map(|one| one.share.collective.bytes).fold(0.0, f64::max);
        Some(along.iter().map(|one| share(studio, one, most, on_network(one))).collect_view())
    };
    let total = move || {
        let along = seen.get()?.along;
        let sums: Option<Vec<_>> = along.iter().map(on_network).collect();
        let sum: f64 = sums?.iter().flatten().map(|(_, sum)| sum).sum();
        along.iter().all(|one| one.share.collective.bytes.is_some()).then(|| bytes(sum))
    };
    view! {
        <table class="data job-shares" id="job-shares">
            <caption>"Bytes per step"</caption>
            <thead><tr><th scope="col">"Dimension"</th><th scope="col" class="number">"Per rank"</th><th scope="col" class="number">"On the network"</th></tr></thead>
            {rows}
            <tfoot><tr><th scope="row">"All"</th><td></td><td class="number" id="job-network">{move || total().unwrap_or_else(|| "–".into())}</td></tr></tfoot>
        </table>
    }
}

/// Outer `None` of `network`: not counted yet. Inner `None`: inside nodes.
fn share(
    studio: Studio,
    one: &DimensionTraffic,
    most: f64,
    network: Option<Option<(u64, f64)>>,
) -> impl IntoView + use<> {
    let (share, number) = (&one.share, one.colour());
    let own = share.collective.bytes;
    let (operation, algorithm) = (share.collective.operation.name(), share.collective.algorithm.name());
    let groups = format!("{} of {}", count(share.groups.into(), "group"), grouped(share.members.into()));
    let words = match network {
        None => "…".into(),
        Some(None) => "inside nodes".into(),
        Some(Some((pairs, _))) if own.is_none() => count(pairs, "pair"),
        Some(Some((_, sum))) => bytes(sum),
    };
    let width = own.filter(|_| most > 0.0).map_or(0.0, |own| 100.0 * own / most);
    let lines = job::formula(share);
    let colour = move || line_colour(number, studio.view.dark.get());
    view! {
        <tbody id=format!("share-{}", share.collective.along.name())>
            <tr>
                <th scope="row"><Swatch number=number dark=studio.view.dark/>" "{share.collective.along.label()}</th>
                <td class="number">{own.map_or_else(|| "–".into(), bytes)}</td>
                <td class="number">{words}</td>
            </tr>
            <tr><td colspan="3">
                <span class="share" aria-hidden="true" style:width=format!("{width:.1}%") style:background=colour></span>
                <span class="hint">{format!("{groups}, {operation}, {}", algorithm.replace('-', " "))}</span>
                {(!lines.is_empty()).then(|| view! {
                    <details><summary>"Formula"</summary>{lines.into_iter().map(|line| view! { <p class="hint">{line}</p> }).collect_view()}</details>
                })}
            </td></tr>
        </tbody>
    }
}

/// The ranks on their nodes. The groups of one light up in the colours of the table.
#[component]
fn Picture(seen: Memo<Option<JobPreview>>) -> impl IntoView {
    let studio = Studio::here();
    let (rank, size) = (RwSignal::new(None::<u32>), RwSignal::new(0.0));
    let drawing = Signal::derive(move || seen.get().map(|seen| (seen.ranks, seen.along)));
    let typed = Signal::derive(move || rank.get().map(|rank| rank.to_string()).unwrap_or_default());
    let label = Signal::derive(move || {
        let ranks = seen.with(|seen| seen.as_ref().map_or(0, |seen| seen.ranks.count));
        format!("Picture of {}", count(ranks.into(), "rank"))
    });
    let words = move || {
        seen.with(|seen| {
            let (seen, rank) = (seen.as_ref()?, rank.get()?);
            (rank < seen.ranks.count).then(|| seen.ranks.words(rank, &seen.along))
        })
    };
    let fault = Signal::derive(move || {
        let count = seen.with(|seen| seen.as_ref().map_or(0, |seen| seen.ranks.count));
        let beyond = rank.get().is_some_and(|rank| rank >= count);
        beyond.then(|| format!("Expected 0–{}.", grouped(u64::from(count).saturating_sub(1))))
    });
    let hidden = move || {
        let width = size.get() / browser::pixel_ratio();
        seen.with(|seen| {
            let ranks = &seen.as_ref().filter(|_| width >= 1.0)?.ranks;
            let shown = Grid::fit(ranks, width).nodes;
            (shown < ranks.nodes).then_some("Not all nodes fit. Type a rank number to see its groups.")
        })
    };
    view! {
        <fieldset class="list" id="job-ranks">
            <legend>"Ranks"</legend>
            <RanksCanvas drawing=drawing rank=rank dark=studio.view.dark label=label size=size/>
            <p class="sr" id="ranks-keys">"Arrow keys choose a rank, Escape leaves."</p>
            {move || hidden().map(|words| view! { <p class="hint">{words}</p> })}
            <p id="rank-words" aria-live="polite">{move || words().unwrap_or_else(|| "Point at a rank, or type its number.".into())}</p>
            <Field id="rank-number" label="Rank" value=typed fault=fault
                on_input=move |text: String| rank.set(text.trim().parse().ok())/>
        </fieldset>
    }
}

//! Import of measured traffic: files are read where they are, slice by slice; the pairs to keep go into a spec.

use crate::{
    browser,
    components::{Dialog, Field, FilesPicker, FormField, Plot, ShareCurve},
    state::{
        draft::Action,
        traffic::{MeasuredTraffic, PlacedTraffic, Progress, Reading, Slice, Target, files, listed},
        words::grouped,
    },
    studio::{Studio, TrafficFiles},
    work::{Latest, Turn, Work, keep_current, latest},
};
use leptos::prelude::*;
use shared::{
    demand::{
        matrix,
        trace::{self, Format, KeptPairs, Settings, TrafficForm},
    },
    form::{self, Described, message},
};
use std::sync::Arc;
use web_sys::File;

/// Bytes that the readers take at a time.
const PIECE: usize = 32 << 10;
/// Milliseconds of reading after which the page draws and takes input.
const BUSY: u64 = 16;

/// Pairs to keep, with the traffic that they are of.
#[derive(Clone)]
struct PairSelection {
    placed: Arc<PlacedTraffic>,
    kept: Arc<KeptPairs>,
    /// Number of nodes of the spec.
    pes: u32,
}

/// The signals of an import.
#[derive(Clone, Copy)]
struct Import {
    target: Target,
    form: RwSignal<TrafficForm>,
    progress: RwSignal<Progress>,
    reading: Work,
    measured: RwSignal<Option<Result<Arc<MeasuredTraffic>, String>>>,
    placed: Latest<Result<Arc<PlacedTraffic>, form::Fault>>,
    chosen: Latest<Result<PairSelection, form::Fault>>,
    /// The spec's refusal of the pairs, until a setting changes.
    refused: RwSignal<Option<form::Fault>>,
}

/// The import that is open.
#[component]
pub fn ImportTraffic() -> impl IntoView {
    let studio = Studio::here();
    let import = Import::new(studio);
    let open = RwSignal::new(true);
    Effect::new(move |_| {
        if !open.get() {
            studio.view.traffic.set(None);
        }
    });
    let fault = move || import.measured.with(|measured| measured.as_ref()?.as_ref().err().cloned());
    view! {
        <Dialog open=open title="Measured traffic" id="traffic">
            <Files/>
            <p class="fault" role="alert" id="traffic-fault" hidden=move || fault().is_none()>{fault}</p>
            <div class="form">
                <FormField form=import.form name="traffic" key="format" faults=Vec::new()/>
            </div>
            <Reader import=import open=open/>
            {move || import.traffic().is_some().then(|| view! { <Pairs import=import open=open/> })}
        </Dialog>
    }
}

impl Import {
    fn new(studio: Studio) -> Import {
        let target =
            studio.view.traffic.with_untracked(|open| open.as_ref().map_or(Target::Session, |it| it.target));
        let nodes = match target {
            Target::Session => String::new(),
            Target::Pattern(_) => {
                studio.session.draft.with_untracked(|draft| draft.document().form.pes.trim().to_owned())
            }
        };
        let form = RwSignal::new(TrafficForm { nodes, ..TrafficForm::default() });
        let (progress, measured) = (RwSignal::new(Progress::default()), RwSignal::new(None));
        let format = Memo::new(move |_| form.with(|form| form.format.clone()));
        let reading = keep_current(
            move |turn| {
                let files = studio.view.traffic.with(|open| Some(open.as_ref()?.files.clone()))?;
                let format = trace::format(format.get().trim());
                measured.set(None);
                Some(read(turn, files, format, progress))
            },
            move |found| measured.set(Some(found.map(Arc::new))),
        );
        let settings = Memo::new(move |_| form.with(TrafficForm::read).ok());
        let place = Memo::new(move |_| settings.get().map(|settings| (settings.placement, settings.nodes)));
        let placed = latest(move |_| {
            let (measured, (placement, nodes)) = (measured.get()?.ok()?, place.get()?);
            let settings = Settings { placement, nodes, threshold: Default::default() };
            Some(async move { measured.place(&settings).map(Arc::new) })
        });
        let threshold = Memo::new(move |_| settings.get().map(|settings| settings.threshold));
        let chosen = latest(move |_| {
            let (placed, threshold) = (placed.found.get()?.ok()?, threshold.get()?);
            let pes = settings.get_untracked()?.nodes.unwrap_or(placed.nodes.nodes);
            Some(async move { Ok(PairSelection { kept: Arc::new(placed.keep(threshold)?), placed, pes }) })
        });
        // Results of other files.
        Effect::new(move |_| {
            if measured.with(Option::is_none) {
                placed.found.set(None);
                chosen.found.set(None);
            }
        });
        let refused = RwSignal::new(None);
        Effect::new(move |_| {
            form.track();
            refused.set(None);
        });
        Import { target, form, progress, reading, measured, placed, chosen, refused }
    }

    fn traffic(self) -> Option<Arc<MeasuredTraffic>> {
        self.measured.with(|measured| measured.as_ref()?.as_ref().ok().cloned())
    }

    /// Faults of the settings.
    fn faults(self) -> Vec<form::Fault> {
        let typed = self.form.with(TrafficForm::read).err().map_or_else(Vec::new, |faults| faults.0);
        if !typed.is_empty() {
            return typed;
        }
        let placed = self.placed.found.with(|placed| placed.as_ref()?.as_ref().err().cloned());
        let chosen = || self.chosen.found.with(|chosen| chosen.as_ref()?.as_ref().err().cloned());
        placed.or_else(chosen).or_else(|| self.refused.get()).into_iter().collect()
    }

    /// The pairs to keep, if nothing is wrong with the settings.
    fn chosen(self) -> Option<PairSelection> {
        let chosen = self.chosen.found.get()?.ok()?;
        self.faults().is_empty().then_some(chosen)
    }

    /// Writes the pairs into the spec of a new session or of this one. Returns `false` if they do not fit.
    fn finish(self, studio: Studio, chosen: &PairSelection) -> bool {
        match self.target {
            Target::Session => match chosen.kept.spec(chosen.pes) {
                Ok(text) => {
                    studio.open(&text);
                    studio.remember();
                }
                Err(fault) => {
                    self.refused.set(Some(form::Fault::new("keep", "", form::says(fault.message))));
                    return false;
                }
            },
            Target::Pattern(pattern) => {
                let pairs = matrix::write_list(&chosen.kept.pairs);
                studio.edit(Action::Matrix { pattern, pairs, pes: Some(chosen.pes) });
            }
        }
        true
    }
}

/// Reads files slice by slice. Returns `None` if the import is cancelled.
async fn read(
    turn: Turn,
    files: Vec<File>,
    format: Option<&'static Format>,
    progress: RwSignal<Progress>,
) -> Option<Result<MeasuredTraffic, String>> {
    let sizes = files.iter().map(|file| (file.name(), file.size() as u64)).collect();
    let mut reading = Reading::new(format, sizes);
    let mut bytes = Vec::new();
    let mut since = browser::now();
    while let Some(Slice { file, start, end }) = reading.next() {
        progress.try_set(reading.progress());
        let read = browser::read_slice(&files[file], start, end, &mut bytes).await;
        if !turn.is_current() {
            return None;
        }
        if let Err(reason) = read {
            return Some(Err(reason));
        }
        let mut pieces = bytes.chunks(PIECE);
        // An empty file is a piece, too.
        let mut piece = Some(pieces.next().unwrap_or_default());
        while let Some(bytes) = piece {
            if let Err(fault) = reading.feed(bytes) {
                return Some(Err(fault.to_string()));
            }
            if browser::now() - since > BUSY {
                turn.pause().await?;
                since = browser::now();
            }
            piece = pieces.next();
        }
    }
    progress.try_set(reading.progress());
    turn.pause().await?;
    Some(reading.finish().map_err(|fault| fault.to_string()))
}

/// Names of the files, and a button for others.
#[component]
fn Files() -> impl IntoView {
    let studio = Studio::here();
    let names = move || {
        let names = |open: &TrafficFiles| open.files.iter().map(File::name).collect::<Vec<_>>();
        studio.view.traffic.with(|open| open.as_ref().map_or_else(String::new, |open| listed(&names(open))))
    };
    let others = move |files| {
        studio.view.traffic.update(|open| {
            if let Some(open) = open {
                open.files = files;
            }
        });
    };
    view! {
        <div class="tools traffic-files">
            <p id="traffic-files">{names}</p>
            <FilesPicker id="traffic-others" words="Other files" label="Choose other files" title=Some(files()) multiple=true
                on_files=others/>
        </div>
    }
}

/// Progress of reading, and a button to cancel it.
#[component]
fn Reader(import: Import, open: RwSignal<bool>) -> impl IntoView {
    let Import { progress, reading, .. } = import;
    let cancel = move |_| {
        reading.cancel();
        open.set(false);
    };
    view! {
        {move || reading.running.get().then(|| view! {
            <div class="traffic-reading" aria-busy="true">
                <progress id="traffic-progress" aria-label="Bytes read" max=move || progress.get().total.max(1).to_string()
                    value=move || progress.get().done.to_string()></progress>
                <div class="tools">
                    <p class="hint" id="traffic-standing">{move || progress.get().words()}</p>
                    <button type="button" id="traffic-cancel" on:click=cancel>"Cancel"</button>
                </div>
            </div>
        })}
    }
}

/// Settings, the pairs that they keep, and the button that uses them.
#[component]
fn Pairs(import: Import, open: RwSignal<bool>) -> impl IntoView {
    let studio = Studio::here();
    let Import { form, target, .. } = import;
    let faults = Memo::new(move |_| import.faults());
    let keep = Memo::new(move |_| form.with(|form| form.keep.clone()));
    let ranks = move || {
        let placed = import.placed.found.get()?.ok()?;
        Some(import.traffic()?.words(&placed.nodes))
    };
    let other = Memo::new(move |_| form.with(|form| import.traffic()?.other_count(form)));
    let is_busy = move || import.placed.work.running.get() || import.chosen.work.running.get();
    let is_ready = Memo::new(move |_| !is_busy() && import.chosen().is_some());
    let take = move |_| {
        let Some(chosen) = import.chosen() else { return };
        if import.finish(studio, &chosen) {
            open.set(false);
            browser::focus(if target == Target::Session { "spec-nodes" } else { "spec-pattern" });
        }
    };
    let verb = if target == Target::Session { "Open as a new session" } else { "Use in this spec" };
    view! {
        <div class="form">
            <FormField form=form name="traffic" key="ranks_per_node" faults=faults/>
            <FormField form=form name="traffic" key="nodes" faults=faults/>
        </div>
        {move || other.get().map(|count| view! {
            <button type="button" class="link" on:click=move |_| form.update(|form| form.nodes = count.to_string())>
                "Set nodes to "{grouped(count.into())}</button>
        })}
        <p class="hint" id="traffic-ranks" aria-live="polite">{ranks}</p>
        <div class="form">
            <FormField form=form name="traffic" key="keep" faults=faults/>
            {move || match &*keep.get() {
                "amount" => view! { <Amount import=import faults=faults/> }.into_any(),
                "share" => view! { <FormField form=form name="traffic" key="share" faults=faults/> }.into_any(),
                _ => ().into_any(),
            }}
        </div>
        <Curve import=import/>
        <div class="tools">
            <button type="button" class="primary" id="traffic-use" prop:disabled=move || !is_ready.get()
                aria-describedby="traffic-kept" on:click=take>{verb}</button>
            <button type="button" on:click=move |_| open.set(false)>"Cancel"</button>
        </div>
    }
}

/// The least traffic of a pair, in the unit of the files.
#[component]
fn Amount(import: Import, #[prop(into)] faults: Signal<Vec<form::Fault>>) -> impl IntoView {
    let form::Field { key, label, help, .. } = *TrafficForm::field("amount");
    let value = Signal::derive(move || import.form.with(|form| form.amount.clone()));
    let fault = Signal::derive(move || faults.with(|faults| message(faults, key)));
    let unit = move || import.traffic().map_or("", |measured| measured.traffic.unit.words());
    view! {
        <Field id="traffic-amount" label=label value=value fault=fault unit=unit() placeholder=TrafficForm::field(key).placeholder().to_owned()
            mode="decimal" help=help on_input=move |text| import.form.update(|form| form.amount = text)/>
    }
}

/// How much of the traffic the heaviest pairs carry, with the pairs to keep marked.
#[component]
fn Curve(import: Import) -> impl IntoView {
    let studio = Studio::here();
    let curve = Signal::derive(move || {
        let placed = import.placed.found.get().and_then(Result::ok);
        let mark = import.chosen().map(|chosen| chosen.placed.mark(&chosen.kept));
        placed.map(|placed| ShareCurve { points: placed.curve.clone(), mark }).into_iter().collect::<Vec<_>>()
    });
    let has_curve = Memo::new(move |_| curve.with(|curve| !curve.is_empty()));
    let kept = move || import.chosen().map(|chosen| chosen.placed.words(&chosen.kept));
    view! {
        {move || has_curve.get().then(|| view! {
            <Plot items=curve axes=Signal::stored(["Pairs of nodes, heaviest first", "Share of the traffic, %"].map(str::to_owned)) dark=studio.view.dark/>
        })}
        <p id="traffic-kept" role="status">{kept}</p>
    }
}

//! Work on a spec, a wiring, prices and further networks: comparisons and estimates.

use super::{ShownWiring, Studio, ValidSpec, computed::refused};
use crate::{
    components::Progress,
    state::{
        compare::{Files, Prices, currency, needed, networks},
        connection::Report,
    },
    work::{Work, keep_current},
};
use leptos::prelude::*;
use shared::{
    api::{CompareForm, ComputedReport, FormTexts, StartWork, WorkKind},
    form::Form,
};

/// The valid networks of the session's text; a text that is no network changes nothing.
pub fn valid_networks(studio: Studio) -> Memo<Vec<String>> {
    Memo::new(move |_| read_networks(studio).0)
}

/// The networks of the session's text, and the faults of the others.
pub fn read_networks(studio: Studio) -> (Vec<String>, Option<String>) {
    let files = studio.session.network_files;
    studio.session.networks.with(|text| files.with(|files| networks(text, files)))
}

/// Currency of the chosen prices; empty if it is not given, or without a valid spec.
pub fn prices_currency(studio: Studio) -> String {
    let spec = studio.result.of_asked(|asked| asked.spec.clone());
    spec.map_or_else(String::new, |spec| studio.session.prices.with(|prices| currency(prices, &spec)))
}

/// Inputs of a comparison.
struct ComparisonInputs {
    asked: ValidSpec,
    design: Option<ShownWiring>,
    prices: Prices,
    others: Vec<String>,
    files: Files,
}

impl ComparisonInputs {
    /// The current inputs, followed; `None` without a valid spec.
    fn here(studio: Studio, valid: Memo<Vec<String>>) -> Option<ComparisonInputs> {
        let (asked, held) = (studio.result.asked.get()?, studio.result.held.get());
        let others = valid.get();
        let files = studio.session.network_files.with(|files| needed(files, &others));
        let prices = studio.session.prices.get();
        // A wiring that breaks the spec's rules is no design for it.
        let breaks =
            studio.result.of_judged(|judged| !judged.verdict.breaches.is_empty()).unwrap_or_default();
        let design = held.filter(|held| held.design.pes() == asked.spec.pes && !breaks);
        Some(ComparisonInputs { asked, design, prices, others, files })
    }

    /// The request to the server, with the fields of another form; `None` if a price is no number.
    fn request(self, studio: Studio, kind: WorkKind, more: &dyn Form) -> Option<StartWork> {
        self.prices.market(&self.asked.spec).ok()?;
        let form = CompareForm { prices: self.prices.text(), fabrics: self.others.join(" ") };
        Some(StartWork {
            kind,
            spec: Some(studio.session.text_now()),
            table: self.design.map(|held| held.table.to_string()),
            form: FormTexts::of(&[&form, more]),
            files: self.files,
            ..StartWork::default()
        })
    }
}

/// The last result of work on networks that follows the session.
pub struct NetworkResult<T: Send + Sync + 'static> {
    /// The result; stays while a newer one is being made.
    pub result: RwSignal<Option<T>>,
    pub progress: RwSignal<Progress>,
    pub work: Work,
}

/// Keeps such a result current. `form` reads the other fields of the request; `None` if they have faults. Work starts after
/// `pause` milliseconds without a change: while somebody types, only the last text counts.
pub fn on_networks<T, F: Form + 'static>(
    studio: Studio,
    kind: WorkKind,
    pause: u32,
    form: impl Fn() -> Option<F> + 'static,
) -> NetworkResult<T>
where
    ComputedReport<T>: Report,
    T: Send + Sync,
{
    let (result, progress) = (RwSignal::new(None), RwSignal::new(Progress::Done));
    let valid = valid_networks(studio);
    let work = keep_current(
        move |turn| {
            let (compared, form) = (ComparisonInputs::here(studio, valid)?, form()?);
            Some(async move {
                turn.wait(pause).await?;
                let request = compared.request(studio, kind, &form)?;
                let of_others = studio.has_opened_of_others(&request);
                let going = move |stage| if of_others { Progress::OfOthers } else { Progress::Going(stage) };
                progress.set(going(None));
                let stage = move |stage| progress.set(going(stage));
                studio.compute(turn, request, stage).await
            })
        },
        move |answer| match answer {
            Ok(found) => {
                result.set(Some(found));
                progress.set(Progress::Done);
            }
            Err(problem) => progress.set(Progress::Failed(refused(&problem))),
        },
    );
    NetworkResult { result, progress, work }
}

//! The inputs of a comparison and of an estimate: spec, wiring, prices and further networks.

use super::{Asked, Held, Studio};
use crate::state::{
    compare::{Files, Prices, needed, networks},
    words::{problem_faults, problem_words},
};
use leptos::prelude::*;
use shared::api::{CompareRequest, Problem};

/// Max faults that a page shows.
const MAX_FAULTS: usize = 5;

/// The valid networks of the session's text; a text that is no network changes nothing.
pub fn valid_networks(studio: Studio) -> Memo<Vec<String>> {
    Memo::new(move |_| read_networks(studio).0)
}

/// The networks of the session's text, and the faults of the others.
pub fn read_networks(studio: Studio) -> (Vec<String>, Option<String>) {
    let files = studio.session.network_files;
    studio.session.networks.with(|text| files.with(|files| networks(text, files)))
}

/// Inputs of a comparison.
pub struct Compared {
    asked: Asked,
    design: Option<Held>,
    prices: Prices,
    others: Vec<String>,
    files: Files,
}

impl Compared {
    /// The current inputs, followed; `None` without a valid spec.
    pub fn here(studio: Studio, valid: Memo<Vec<String>>) -> Option<Compared> {
        let (asked, held) = (studio.result.asked.get()?, studio.result.held.get());
        let others = valid.get();
        let files = studio.session.network_files.with(|files| needed(files, &others));
        let prices = studio.session.prices.get();
        let design = held.filter(|held| held.design.pes() == asked.spec.pes);
        Some(Compared { asked, design, prices, others, files })
    }

    /// The request to the server; `None` if a price is no number.
    pub fn request(self, studio: Studio) -> Option<CompareRequest> {
        self.prices.market(&self.asked.spec).ok()?;
        Some(CompareRequest {
            spec: studio.session.text_now(),
            table: self.design.map(|held| held.table.to_string()),
            prices: self.prices.text(),
            fabrics: self.others,
            files: self.files,
        })
    }
}

/// The first faults of a refused request in words. A file may have one per line.
pub fn refused(problem: &Problem) -> String {
    let faults = problem_faults(problem);
    if faults.is_empty() {
        return problem_words(problem);
    }
    let more = faults.len().saturating_sub(MAX_FAULTS);
    let more = (more > 0).then(|| format!("{more} more faults"));
    let first = faults.into_iter().take(MAX_FAULTS).chain(more);
    first.map(|fault| format!("{fault}.")).collect::<Vec<_>>().join(" ")
}

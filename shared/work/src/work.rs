//! Work: computations of a studio that may take long.
//!
//! All kinds have one request, the form as typed ([`StartWork`]); one lifecycle ([`WorkState`]); one view ([`WorkView`]) and one change
//! ([`WorkChange`]). Particular to a kind are its form and its report.
//!
//! | kind | form | report |
//! | --- | --- | --- |
//! | [`WorkKind::Search`] | [`SearchForm`] | [`SearchReport`] |
//! | [`WorkKind::Hardware`] | [`BoardForm`] | [`Board`](crate::hardware::Board) |
//! | [`WorkKind::Simulation`] | [`SimulationForm`] | [`SimulationReport`](crate::simulation::SimulationReport) |
//! | [`WorkKind::Compare`] | [`CompareForm`] | [`ComputedReport`] of a [`Comparison`](crate::compare::Comparison) |
//! | [`WorkKind::Estimate`] | [`CompareForm`] and [`EstimateForm`] | [`ComputedReport`] of an [`EstimateReport`](crate::estimate::EstimateReport) |
//! | [`WorkKind::Placement`] | [`PlacementForm`] | [`ComputedReport`] of a [`PlacedView`] |
//! | [`WorkKind::Analysis`] | none | [`ComputedReport`] of an [`AnalysisView`](crate::api::AnalysisView) |

mod computed;
mod problem;
mod search;

pub use computed::{CompareForm, ComputedReport, MAX_FABRICS, PlacedView, PlacementForm, Stage};
pub use problem::Problem;
pub use search::{ReplayFrame, ReplayView, Sample, SearchReport, thinned};

use crate::{
    estimate::EstimateForm,
    form::{Described, Fault, Faults, Field, FieldKind, Form, Schema, no_such, remove, typed},
    hardware::BoardForm,
    search::SearchForm,
    simulation::SimulationForm,
    text::{closest, listed},
};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;
use std::collections::BTreeMap;

/// A kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum WorkKind {
    /// A search for a wiring.
    #[default]
    Search,
    /// A search over hardware.
    Hardware,
    /// A simulation.
    Simulation,
    /// A comparison with other networks.
    Compare,
    /// An estimate of the step time.
    Estimate,
    /// A placement of switches in racks.
    Placement,
    /// An analysis of a wiring.
    Analysis,
}

/// Facts about a kind of work that server and page share.
#[derive(Debug)]
pub struct KindEntry {
    /// The kind.
    pub kind: WorkKind,
    /// Name in JSON.
    pub name: &'static str,
    /// Noun in sentences.
    pub noun: &'static str,
    /// Plural of the name.
    pub plural: &'static str,
    /// Forms whose fields the request has.
    pub forms: &'static [&'static Schema],
    /// Start of the address of its page, before the id.
    pub page: &'static str,
    /// Max days that a studio keeps ended work, if less than its other limits.
    pub days: Option<u32>,
}

/// All kinds of work, in the order of [`WorkKind`].
pub static KINDS: [KindEntry; 7] = [
    KindEntry {
        kind: WorkKind::Search,
        name: "search",
        noun: "search",
        plural: "searches",
        forms: &[SearchForm::SCHEMA],
        page: "/r/",
        days: None,
    },
    KindEntry {
        kind: WorkKind::Hardware,
        name: "hardware",
        noun: "hardware search",
        plural: "hardware searches",
        forms: &[BoardForm::SCHEMA],
        page: "/b/",
        days: None,
    },
    KindEntry {
        kind: WorkKind::Simulation,
        name: "simulation",
        noun: "simulation",
        plural: "simulations",
        forms: &[SimulationForm::SCHEMA],
        page: "/work/",
        days: None,
    },
    KindEntry {
        kind: WorkKind::Compare,
        name: "compare",
        noun: "comparison",
        plural: "comparisons",
        forms: &[CompareForm::SCHEMA],
        page: "/work/",
        days: Some(1),
    },
    KindEntry {
        kind: WorkKind::Estimate,
        name: "estimate",
        noun: "estimate",
        plural: "estimates",
        forms: &[CompareForm::SCHEMA, EstimateForm::SCHEMA],
        page: "/work/",
        days: Some(1),
    },
    KindEntry {
        kind: WorkKind::Placement,
        name: "placement",
        noun: "placement",
        plural: "placements",
        forms: &[PlacementForm::SCHEMA],
        page: "/work/",
        days: Some(1),
    },
    KindEntry {
        kind: WorkKind::Analysis,
        name: "analysis",
        noun: "analysis",
        plural: "analyses",
        forms: &[],
        page: "/work/",
        days: Some(1),
    },
];

impl<'de> Deserialize<'de> for WorkKind {
    /// Reads a name. The error lists all names, also if the value is no text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WorkKind, D::Error> {
        let value = Value::deserialize(deserializer)?;
        value.as_str().and_then(WorkKind::named).ok_or_else(|| {
            let (text, names) = (value.to_string(), listed(KINDS.iter().map(|entry| entry.name)));
            let found = value.as_str().unwrap_or(&text);
            D::Error::custom(format!("unknown variant `{found}`, expected one of {names}"))
        })
    }
}

impl WorkKind {
    /// Facts about the kind.
    pub fn entry(self) -> &'static KindEntry {
        &KINDS[self as usize]
    }

    /// The kind of that name in JSON.
    pub fn named(name: &str) -> Option<WorkKind> {
        KINDS.iter().find(|entry| entry.name == name).map(|entry| entry.kind)
    }

    /// Noun in sentences.
    pub fn noun(self) -> &'static str {
        self.entry().noun
    }

    /// Address of the page of work with this id.
    pub fn page(self, id: &str) -> String {
        format!("{}{id}", self.entry().page)
    }
}

/// Texts of a form by the keys of its fields, without empty ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FormTexts(pub BTreeMap<String, String>);

impl<'de> Deserialize<'de> for FormTexts {
    /// Reads texts. Numbers, flags and lists become the texts that people type for them. A list for a field of one value stays a JSON
    /// list, which [`FormTexts::check`] finds.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FormTexts, D::Error> {
        let values: BTreeMap<String, Value> = Deserialize::deserialize(deserializer)?;
        let texts = values.into_iter().map(|(key, value)| match value {
            Value::Array(_) if is_single(&key) => (key, value.to_string()),
            _ => (key, typed(&value)),
        });
        Ok(FormTexts(texts.filter(|(_, text)| !text.is_empty()).collect()))
    }
}

/// `true` if a field of that key has one value, on one line.
fn is_single(key: &str) -> bool {
    let field = KINDS.iter().flat_map(|entry| entry.forms).find_map(|schema| schema.field(key));
    field.is_some_and(|field| !field.kind.takes_list() && !matches!(field.kind, FieldKind::Lines))
}

impl FormTexts {
    /// The texts of forms.
    pub fn of(forms: &[&dyn Form]) -> FormTexts {
        let fields =
            forms.iter().flat_map(|form| form.schema().fields.iter().map(move |field| (form, field)));
        let texts =
            fields.filter_map(|(form, field)| Some((field.key.to_owned(), form.get(field.key)?.to_owned())));
        FormTexts(texts.filter(|(_, text)| !text.trim().is_empty()).collect())
    }

    /// The texts of this form; those of other forms are left out.
    pub fn form<F: Described>(&self) -> F {
        let mut form = F::default();
        for (key, text) in &self.0 {
            form.get_mut(key).into_iter().for_each(|place| text.clone_into(place));
        }
        form
    }

    /// Checks that every text belongs to a field of the kind, and is no list where the field has one value.
    ///
    /// # Errors
    /// Every text that does not.
    pub fn check(&self, kind: WorkKind) -> Result<(), Faults> {
        let fields: Vec<&Field> = kind.entry().forms.iter().flat_map(|schema| schema.fields).collect();
        let keys = || fields.iter().map(|field| field.key);
        let faults = self.0.iter().filter_map(|(key, text)| {
            let advice = match keys().any(|known| known == key) {
                true if text.starts_with('[') && is_single(key) => "one value".into(),
                true => return None,
                false if fields.is_empty() => remove(format!("a {} has no fields", kind.noun())),
                false => no_such("field", key, closest(key, keys()), keys()),
            };
            Some(Fault::new(format!("form.{key}"), text, advice))
        });
        Faults::of(faults.collect()).map_or(Ok(()), Err)
    }
}

/// Starts work: `POST /api/work`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StartWork {
    /// The kind.
    pub kind: WorkKind,
    /// The spec's TOML text. Simulations of other networks need the spec only for traffic along its demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// The wiring's text table, for work on a wiring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The fields as typed. A field that is left out has its default.
    #[serde(default)]
    pub form: FormTexts,
    /// Texts of files that fields name, such as `file:NAME` in `fabrics`, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// `true` for a step of something larger, which the library does not list.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trial: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl StartWork {
    /// Leaves out texts of spaces.
    #[must_use]
    pub fn without_blanks(self) -> StartWork {
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        StartWork { spec: given(self.spec), table: given(self.table), ..self }
    }

    /// The spec's text; empty without one.
    pub fn spec(&self) -> &str {
        self.spec.as_deref().unwrap_or_default()
    }
}

/// State of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum WorkState {
    /// Waiting in the queue.
    #[default]
    Queued,
    /// Running.
    Running,
    /// Ended: a search that covers every requested pair, a hardware search with at least one solved cell.
    Solved,
    /// Ended: a search whose limit is reached.
    Exhausted,
    /// Ended: the report is complete.
    Done,
    /// Ended: stopped by a client; the report has what was found until then.
    Cancelled,
    /// Interrupted when the server stopped; the report has what was found until then.
    Interrupted,
    /// Failed; see the message.
    Failed,
}

impl WorkState {
    /// `true` if the work is over.
    pub fn is_over(self) -> bool {
        !matches!(self, WorkState::Queued | WorkState::Running)
    }
}

/// Place of work in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueView {
    /// Number of pieces of work that start before it.
    pub ahead: u32,
    /// Expected seconds until it starts, rounded up; `None` if unknown.
    pub seconds: Option<f64>,
}

/// Work with its report: `GET /api/work/{id}`, and the events `work` of `GET /api/work/{id}/events`, sent at the start and at each
/// change of state. Events `progress` between them carry a [`WorkChange`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkView<R> {
    /// Unguessable id.
    pub id: String,
    /// State.
    pub state: WorkState,
    /// The request.
    pub asked: StartWork,
    /// Threads that it was started with.
    pub threads: u32,
    /// Error message, if it failed; reason of a pause, if it paused; while it runs, the workers that it leaves to others.
    pub message: String,
    /// Details of a failure, for fields and files of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// Start time, RFC 3339 in UTC.
    pub created: String,
    /// Version of Crosspoint that ran it.
    pub version: String,
    /// Place in the queue, while it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueView>,
    /// Expected seconds on one core, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreseen: Option<f64>,
    /// The report, so far or in the end.
    pub report: R,
}

/// A change of work: the events `progress` of `GET /api/work/{id}/events`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkChange<R> {
    /// State.
    pub state: WorkState,
    /// Error message, if it failed; reason of a pause, if it paused; while it runs, the workers that it leaves to others.
    pub message: String,
    /// Place in the queue, while it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueView>,
    /// The report so far, without what few watchers need: the chart of a search, the loads of channels of a simulation.
    pub report: R,
}

/// Continues a search that was stopped or reached its limit: `POST /api/work/{id}/continue`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContinueWork {
    /// The limit in addition to what the search has used: its fields as typed.
    pub form: FormTexts,
}

/// Best wiring of a part of work, such as a cell of a hardware search: `GET /api/work/{id}/parts/{number}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PartView {
    /// The spec with the hardware of the part, as TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Number of uncovered pairs.
    pub uncovered: u64,
    /// Method.
    pub method: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_entry() {
        for (number, entry) in KINDS.iter().enumerate() {
            assert_eq!(entry.kind as usize, number);
            assert_eq!(serde_json::to_value(entry.kind).unwrap(), entry.name);
            assert_eq!(WorkKind::named(entry.name), Some(entry.kind));
        }
    }

    #[test]
    fn a_form_travels_as_typed() {
        let typed: StartWork =
            serde_json::from_str(r#"{"kind": "search", "form": {"seed": 18446744073709551615, "budget.seconds": " 2.50", "threads": ""}}"#)
                .unwrap();
        let form: SearchForm = typed.form.form();
        assert_eq!((form.seed.as_str(), form.seconds.as_str()), ("18446744073709551615", " 2.50"));
        assert_eq!(FormTexts::of(&[&form]), typed.form);
        assert!(typed.form.check(WorkKind::Search).is_ok());
        let Err(Faults(faults)) = typed.form.check(WorkKind::Placement) else { panic!("strange fields") };
        assert_eq!(faults.len(), 2);
        assert_eq!(faults[1].path, "form.seed");
    }

    #[test]
    fn forms_of_a_kind_share_no_key() {
        for entry in &KINDS {
            let mut keys: Vec<_> =
                entry.forms.iter().flat_map(|schema| schema.fields).map(|field| field.key).collect();
            let all = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), all, "{}", entry.name);
        }
    }
}

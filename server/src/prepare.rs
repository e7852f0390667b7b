//! Reads specs and wirings, for the command line and the studio.

use crate::tasks::{self, Claim, TaskRefusal};
use shared::{
    demand::Demand,
    design::{Design, broken, table},
    exports::Bundle,
    form::{Described, Layout, LineFault, check_form, check_visible, of_lines, says, toml},
    resolve::{self, MatrixFiles},
    spec::{Fault, Faults, MAX_SPEC_BYTES, Spec, SpecForm},
    text::grouped,
};
use std::sync::Arc;

/// A spec with its demand.
#[derive(Clone, Debug)]
pub struct Request {
    /// Text of the spec.
    pub text: Arc<str>,
    /// The resolved spec.
    pub spec: Arc<Spec>,
    /// Requested pairs.
    pub demand: Arc<Demand>,
    /// Memory of the demand, in a task.
    claim: Option<Arc<Claim>>,
}

/// Faults of a text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextError {
    /// The spec has faults.
    #[error("{0}")]
    Spec(#[from] Faults),
    /// The wiring table has faults.
    #[error("{}", of_lines(.0))]
    Table(Vec<LineFault>),
    /// There is not enough memory for the demand.
    #[error("{0}")]
    Memory(#[from] TaskRefusal),
}

impl From<Fault> for TextError {
    fn from(fault: Fault) -> TextError {
        TextError::Spec(fault.into())
    }
}

impl Request {
    /// Reads a spec and builds its demand.
    ///
    /// # Errors
    /// Every fault of the spec.
    pub fn read(text: &str, files: &mut dyn MatrixFiles) -> Result<Request, TextError> {
        Request::of(text, || read_spec(text, files))
    }

    /// [`Request::read`] for a hardware search, which accepts several switch models without a count.
    pub fn read_catalogue(text: &str, files: &mut dyn MatrixFiles) -> Result<Request, TextError> {
        Request::of(text, || read_catalogue(text, files))
    }

    fn of(text: &str, read: impl FnOnce() -> Result<Spec, Faults>) -> Result<Request, TextError> {
        let parsing = tasks::claim(toml::max_bytes(text))?;
        let spec = read()?;
        drop(parsing);
        let claim = tasks::claim(Demand::max_bytes(&spec))?.map(Arc::new);
        let demand = Demand::build(&spec)?;
        Ok(Request { text: text.into(), spec: Arc::new(spec), demand: Arc::new(demand), claim })
    }

    /// Reads a wiring table, without checking it against the spec.
    ///
    /// # Errors
    /// Every faulty line.
    pub fn wiring(&self, text: &str) -> Result<Design, TextError> {
        let _parsing = tasks::claim(table::max_bytes(text))?;
        table::parse(text, self.spec.pes).map_err(TextError::Table)
    }

    /// Checks that a wiring fits the spec, so that figures of it mean something. It may leave pairs uncovered.
    ///
    /// # Errors
    /// The limits that it breaks.
    pub fn fits(&self, design: &Design) -> Result<(), Fault> {
        match broken(&self.spec, &self.demand, design) {
            Some(broken) => {
                let sentence = format!("does not fit the spec: {broken}. Change the wiring or the spec.");
                Err(Fault::new("table", "", says(sentence)))
            }
            None => Ok(()),
        }
    }

    /// Memory of the demand, for values that outlive the request.
    pub fn claim(&self) -> Option<Arc<Claim>> {
        self.claim.clone()
    }

    /// Source of all exports.
    pub fn bundle(&self, design: Design) -> Bundle {
        let text = self.text.to_string();
        Bundle::new(self.spec.clone(), text, self.demand.clone(), Arc::new(design))
    }
}

/// Reads a spec.
pub fn read_spec(text: &str, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    limited(text)?;
    resolve::read(text, files).map_err(|faults| located(text, faults))
}

/// [`read_spec`] for a hardware search.
pub fn read_catalogue(text: &str, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    limited(text)?;
    resolve::read_catalogue(text, files).map_err(|faults| located(text, faults))
}

/// Checks a new spec that the studio keeps and shows to others: neither its text nor a value in it has hidden characters. Specs of
/// earlier versions may have some, and stay readable.
///
/// # Errors
/// Every text with a hidden character, by field. Other faults of the spec are not listed.
pub fn check_new(text: &str) -> Result<(), Faults> {
    limited(text)?;
    check_visible("spec", text, Layout::Lines)?;
    let faults = resolve::parse(text).map_or_else(|_| Vec::new(), |form| check_form(&form, ""));
    Faults::of(faults).map_or(Ok(()), Err)
}

fn located(text: &str, mut faults: Faults) -> Faults {
    toml::locate(text, SpecForm::SCHEMA, &mut faults.0);
    faults
}

fn limited(text: &str) -> Result<(), Faults> {
    if text.len() <= MAX_SPEC_BYTES {
        return Ok(());
    }
    let found = format!("{} bytes", grouped(text.len() as u64));
    Err(Fault::new("spec", found, format!("up to {} bytes", grouped(MAX_SPEC_BYTES as u64))).into())
}

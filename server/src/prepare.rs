//! From texts to values: what the command line and the studio both do before anything else.

use shared::{
    demand::Demand,
    design::{Design, table, table::TableFault},
    exports::Bundle,
    resolve::{self, MatrixFiles},
    spec::{Fault, Faults, MAX_SPEC_BYTES, Spec},
};
use std::sync::Arc;

/// A spec with its demand.
#[derive(Clone, Debug)]
pub struct Request {
    /// The text it was made from.
    pub text: Arc<str>,
    /// What is asked.
    pub spec: Arc<Spec>,
    /// The pairs it asks for.
    pub demand: Arc<Demand>,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextError {
    /// The spec breaks rules.
    #[error("{0}")]
    Spec(#[from] Faults),
    /// The wiring table cannot be read.
    #[error("{}", lines(.0))]
    Table(Vec<TableFault>),
}

impl Request {
    /// Reads a spec and builds its demand.
    ///
    /// # Errors
    /// Every broken rule of the spec.
    pub fn read(text: &str, files: &mut dyn MatrixFiles) -> Result<Request, TextError> {
        Request::of(text, read_spec(text, files)?)
    }

    /// [`Request::read`] for a search over hardware, where any number of switch models may be without a count.
    ///
    /// # Errors
    /// Every broken rule of the spec.
    pub fn read_catalogue(text: &str, files: &mut dyn MatrixFiles) -> Result<Request, TextError> {
        Request::of(text, read_catalogue(text, files)?)
    }

    fn of(text: &str, spec: Spec) -> Result<Request, TextError> {
        let demand = Demand::build(&spec)?;
        Ok(Request { text: text.into(), spec: Arc::new(spec), demand: Arc::new(demand) })
    }

    /// Reads a wiring for this spec's machine. Whether it fits is for the checker to say.
    ///
    /// # Errors
    /// Every faulty line.
    pub fn wiring(&self, text: &str) -> Result<Design, TextError> {
        table::parse(text, self.spec.pes).map_err(TextError::Table)
    }

    /// All that exports are written from. The files are the same bytes wherever they are asked for.
    pub fn bundle(&self, design: Design) -> Bundle {
        let text = self.text.to_string();
        Bundle::new(self.spec.clone(), text, self.demand.clone(), Arc::new(design))
    }
}

/// Reads a spec alone.
///
/// # Errors
/// Every broken rule.
pub fn read_spec(text: &str, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    limited(text)?;
    resolve::read(text, files)
}

/// [`read_spec`] for a search over hardware.
///
/// # Errors
/// Every broken rule.
pub fn read_catalogue(text: &str, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    limited(text)?;
    resolve::read_catalogue(text, files)
}

fn limited(text: &str) -> Result<(), Faults> {
    if text.len() <= MAX_SPEC_BYTES {
        return Ok(());
    }
    let found = format!("{} bytes", text.len());
    Err(Fault::new("spec", found, format!("a spec of at most {MAX_SPEC_BYTES} bytes")).into())
}

fn lines(faults: &[TableFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

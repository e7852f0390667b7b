//! From a spec as written to one that is valid by construction.

use super::{Faults, Spec, SpecForm};

/// Where the `file` of a matrix pattern is read from. Only the program's edge knows files.
pub trait MatrixFiles {
    /// The text of the file, or a clause that says why it cannot be had and what would do.
    fn read(&mut self, path: &str) -> Result<String, String>;
}

/// For places that have no files, such as the browser.
pub struct NoFiles;

impl MatrixFiles for NoFiles {
    fn read(&mut self, _path: &str) -> Result<String, String> {
        Err("inline `pairs` here, since files are read at the command line only".into())
    }
}

/// Checks every rule.
///
/// # Errors
/// All broken rules, each with its path, value and what would do.
pub fn resolve(_form: &SpecForm, _files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    Err(super::Fault::new("spec", "", "resolution is being written").into())
}

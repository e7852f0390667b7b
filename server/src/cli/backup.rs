//! `crosspoint backup`: a copy of the store.

use super::{Answer, output, serve::default_folder};
use crate::store::Store;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Copy everything the studio keeps to one file, also while it runs
///
/// The copy holds all designs, searches and other work saved until now. To restore it, stop the studio, move the old database files out
/// of the data folder, and copy the backup there as crosspoint.sqlite.
#[derive(Args)]
pub struct Backup {
    /// File to create; it must not exist yet
    file: PathBuf,
    /// Data folder, with the database [default: crosspoint in the user's data folder, such as ~/.local/share/crosspoint]
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
}

impl Backup {
    /// Writes the backup.
    pub fn run(self) -> Result<Answer> {
        let folder = self.data.map_or_else(default_folder, Ok)?;
        let designs = Store::back_up(&folder, &self.file)?;
        let plural = if designs == 1 { "" } else { "s" };
        output::print(&format!("Saved {designs} design{plural} in {}\n", self.file.display()))?;
        Ok(Answer::Yes)
    }
}

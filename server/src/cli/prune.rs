//! `crosspoint prune`: removal of ended work from the store.

use super::{
    Answer, output,
    serve::{RetentionFlags, default_folder},
};
use crate::store::Store;
use anyhow::Result;
use clap::Args;
use shared::text::{grouped, mebibytes};
use std::path::PathBuf;

/// Remove old work, such as searches and simulations, never designs
///
/// Stop the studio first, since it keeps the database open. A running studio removes the same work by itself, at its start and once an
/// hour. Designs stay, and so does work that can still resume. The database file shrinks to its contents.
#[derive(Args)]
pub struct Prune {
    /// Data folder, with the database [default: crosspoint in the user's data folder, such as ~/.local/share/crosspoint]
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    #[command(flatten)]
    keep: RetentionFlags,
    /// Print the figures and remove nothing
    #[arg(long)]
    dry_run: bool,
}

impl Prune {
    /// Removes the work and prints figures.
    pub fn run(self) -> Result<Answer> {
        let folder = self.data.map_or_else(default_folder, Ok)?;
        let store = Store::open_existing(&folder)?;
        let before = store.file_bytes();
        let pruned = store.prune(self.keep.retention(), self.dry_run)?;
        let verb = if self.dry_run { "Would remove" } else { "Removed" };
        output::print(&format!(
            "{verb} {} ({}). {} of ended work stay.\n",
            pruned.words(),
            mebibytes(pruned.bytes),
            mebibytes(pruned.kept),
        ))?;
        if pruned.spared > 0 {
            output::print(&format!(
                "Days on which no studio ran or its clock was wrong don't count. {} for this reason.\n",
                match pruned.spared {
                    1 => "1 piece of ended work stays".to_owned(),
                    many => format!("{} pieces of ended work stay", grouped(many)),
                },
            ))?;
        }
        if !self.dry_run {
            store.compact()?;
            let [before, after] = [before, store.file_bytes()].map(mebibytes);
            output::print(&format!("Database: {before} before, {after} now\n"))?;
        }
        Ok(Answer::Yes)
    }
}

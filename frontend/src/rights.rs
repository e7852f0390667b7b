//! The right to stop: the edit token of this browser, and the jobs that it started.

use crate::{browser, state::started::Started};
use std::cell::RefCell;

/// Storage key of the token.
const TOKEN: &str = "crosspoint.edit";
/// Storage key of the ids of started jobs.
const STARTED: &str = "crosspoint.started";

thread_local! {
    /// Token and jobs of this page, for browsers that store nothing.
    static OWN: RefCell<(Option<String>, Started)> = RefCell::default();
}

/// The edit token of this browser, made at its first use; `None` if the browser has no random numbers.
pub fn token() -> Option<String> {
    OWN.with_borrow_mut(|(token, _)| {
        if token.is_none() {
            *token = browser::stored(TOKEN).or_else(|| {
                let fresh = browser::random()?;
                browser::store(TOKEN, &fresh);
                Some(fresh)
            });
        }
        token.clone()
    })
}

/// Remembers a job that was started with the token.
pub fn add_started(id: &str) {
    // Other tabs store theirs in the same place.
    let mut started = stored();
    started.add(id);
    browser::store(STARTED, &started.write());
    OWN.with_borrow_mut(|(_, own)| own.add(id));
}

/// `true` if this browser started the job.
pub fn started(id: &str) -> bool {
    OWN.with_borrow(|(_, own)| own.has(id)) || stored().has(id)
}

fn stored() -> Started {
    Started::read(&browser::stored(STARTED).unwrap_or_default())
}

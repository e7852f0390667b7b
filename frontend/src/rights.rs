//! The right to stop and to change: the edit token of this browser, the jobs that it started, and the edit links that it opened.

use crate::{
    browser,
    state::{
        library::{KnownWorkspace, Secrets, Workspaces},
        started::StartedJobs,
    },
};
use std::cell::RefCell;

/// Storage key of the token.
const TOKEN: &str = "crosspoint.edit";
/// Storage key of the ids of started jobs.
const STARTED: &str = "crosspoint.started";

/// Storage key of the secrets of edit links.
const LINKS: &str = "crosspoint.links";
/// Storage key of the workspaces.
const WORKSPACES: &str = "crosspoint.workspaces";

thread_local! {
    /// Token and jobs of this page, for browsers that store nothing.
    static OWN: RefCell<(Option<String>, StartedJobs)> = RefCell::default();
    /// Secrets of edit links.
    static SECRETS: RefCell<Secrets> = RefCell::default();
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

/// `true` if this browser started the job, or holds its edit link.
pub fn may_stop(id: &str) -> bool {
    started(id) || secret(id).is_some()
}

/// The token that stops a job: that of this browser for its own, else the secret of its edit link.
pub fn token_for(id: &str) -> Option<String> {
    if started(id) { token() } else { secret(id).or_else(token) }
}

/// The secret of the edit link of a run or workspace, if this browser has opened or made that.
pub fn secret(id: &str) -> Option<String> {
    let kept = Secrets::read(&browser::stored(LINKS).unwrap_or_default());
    SECRETS.with_borrow(|own| own.of(id).or(kept.of(id)).map(str::to_owned))
}

/// Secrets that may give the right to change a saved design: the token of this browser, and the secrets of its workspaces.
pub fn edit_secrets() -> Vec<String> {
    let shared = workspaces().0.into_iter().filter_map(|known| secret(&known.id));
    token().into_iter().chain(shared).collect()
}

/// Remembers the secret of an edit link.
pub fn keep_secret(id: &str, secret: &str) {
    change_secrets(|secrets| secrets.keep(id, secret));
}

/// Forgets the secret of an edit link, which the server refused.
pub fn forget_secret(id: &str) {
    change_secrets(|secrets| secrets.forget(id));
}

fn change_secrets(change: impl Fn(&mut Secrets)) {
    let mut kept = Secrets::read(&browser::stored(LINKS).unwrap_or_default());
    change(&mut kept);
    browser::store(LINKS, &kept.write());
    SECRETS.with_borrow_mut(change);
}

/// The workspaces that this browser has opened.
pub fn workspaces() -> Workspaces {
    Workspaces::read(&browser::stored(WORKSPACES).unwrap_or_default())
}

/// Remembers a workspace.
pub fn keep_workspace(id: &str, name: &str) {
    let mut known = workspaces();
    known.keep(KnownWorkspace { id: id.into(), name: name.into() });
    browser::store(WORKSPACES, &known.write());
}

/// Forgets a workspace that the server no longer has.
pub fn forget_workspace(id: &str) {
    let mut known = workspaces();
    known.forget(id);
    browser::store(WORKSPACES, &known.write());
}

/// `true` if this browser started the job.
pub fn started(id: &str) -> bool {
    OWN.with_borrow(|(_, own)| own.has(id)) || stored().has(id)
}

fn stored() -> StartedJobs {
    StartedJobs::read(&browser::stored(STARTED).unwrap_or_default())
}

//! The library on screen: search, selection, words, and what this browser knows of workspaces and edit links.

use super::words::{capital, grouped, moment, percent};
use serde::{Deserialize, Serialize};
use shared::api::{Base, LibraryItem, WorkKind, WorkState};

/// Max number of known workspaces, and of known edit links; beyond that, the oldest are forgotten.
const MAX: usize = 256;

/// Secrets of edit links by the id of what they change, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Parses what [`Secrets::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> Secrets {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes them as JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Stores the secret of an id in place of an earlier one.
    pub fn keep(&mut self, id: &str, secret: &str) {
        self.forget(id);
        self.0.push((id.into(), secret.into()));
        let extra = self.0.len().saturating_sub(MAX);
        self.0.drain(..extra);
    }

    /// Drops the secret of an id.
    pub fn forget(&mut self, id: &str) {
        self.0.retain(|(known, _)| known != id);
    }

    /// The secret of an id.
    pub fn of(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, secret)| secret.as_str())
    }
}

/// A workspace that this browser has opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Workspaces that this browser has opened, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Workspaces(pub Vec<Known>);

impl Workspaces {
    /// Parses what [`Workspaces::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> Workspaces {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes them as JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Adds a workspace, or its new name.
    pub fn keep(&mut self, workspace: Known) {
        match self.0.iter_mut().find(|known| known.id == workspace.id) {
            Some(known) => known.name = workspace.name,
            None => self.0.push(workspace),
        }
        let extra = self.0.len().saturating_sub(MAX);
        self.0.drain(..extra);
    }

    /// Drops a workspace that the server no longer has.
    pub fn forget(&mut self, id: &str) {
        self.0.retain(|known| known.id != id);
    }
}

/// `true` if the item has all words of a search in its name, note, origin, number of nodes, coverage or state.
pub fn matches(item: &LibraryItem, search: &str) -> bool {
    let text = format!(
        "{} {} {} {} {} nodes {} {} {}",
        name(item),
        item.note,
        item.origin,
        item.nodes,
        grouped(item.nodes.into()),
        coverage(item),
        state(item),
        based_on(item).unwrap_or_default()
    );
    let text = text.to_lowercase();
    search.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// Name of an item.
pub fn name(item: &LibraryItem) -> String {
    named(&item.name)
}

fn named(name: &str) -> String {
    if name.is_empty() { "Untitled".into() } else { name.into() }
}

/// Address of the page of a design, or of work.
pub fn address(id: &str, kind: Option<WorkKind>) -> String {
    kind.map_or_else(|| format!("/d/{id}"), |kind| kind.page(id))
}

/// Share of the covered pairs, or of their weight for a fractional objective; a dash without a wiring.
pub fn coverage(item: &LibraryItem) -> String {
    match item.weight {
        Some(share) => format!("{} of the weight", percent(share)),
        None => item.coverage.map_or("–".into(), percent),
    }
}

/// Kind of an item, with the state of work.
pub fn state(item: &LibraryItem) -> String {
    let Some((kind, state)) = item.kind.zip(item.state) else { return "Design".into() };
    let state = match state {
        WorkState::Queued => "queued",
        WorkState::Running => "running",
        WorkState::Solved => "solved",
        WorkState::Exhausted => "limit reached",
        WorkState::Done => "done",
        WorkState::Cancelled => "stopped",
        WorkState::Interrupted => "interrupted",
        WorkState::Failed => "failed",
    };
    format!("{}, {state}", capital(kind.noun()))
}

/// Lineage of an item: `Version 2, based on KASY0 of 2026-11-21 06:45 UTC`.
pub fn based_on(item: &LibraryItem) -> Option<String> {
    let base = item.based_on.as_ref()?;
    let version = if item.generation > 1 { format!("Version {}, ", item.generation) } else { String::new() };
    Some(format!("{version}based on {}", base_words(base)))
}

/// Name and time of a base.
pub fn base_words(base: &Base) -> String {
    let kind = if base.is_run { "the search of " } else { "" };
    format!("{kind}{} of {}", named(&base.name), moment(&base.created))
}

/// Id of a design or run in a pasted link, or the id itself.
pub fn id_in(link: &str) -> Option<String> {
    let path = link.trim().split(['#', '?']).next()?.trim_end_matches('/');
    let (is_item, id) = match path.rsplit_once('/') {
        Some((before, id)) => (before.ends_with("/d") || before.ends_with("/r"), id),
        None => (!link.contains('/'), path),
    };
    let is_id = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_item && is_id).then(|| id.to_owned())
}

/// Adds an id to a selection, or takes it out.
pub fn toggle(selection: &mut Vec<String>, id: &str) {
    let before = selection.len();
    selection.retain(|known| known != id);
    if selection.len() == before {
        selection.push(id.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> LibraryItem {
        LibraryItem {
            id: "a".into(),
            kind: None,
            state: None,
            name: "KASY0".into(),
            nodes: 1024,
            uncovered: Some(3),
            coverage: Some(0.5),
            weight: None,
            note: "Bought in May".into(),
            origin: "imported".into(),
            created: "2026-11-21T06:45:53Z".into(),
            generation: 1,
            based_on: None,
            may_edit: true,
        }
    }

    #[test]
    fn a_search_finds_name_note_nodes_and_coverage() {
        for search in ["", "kasy", "may bought", "1024", "1,024 nodes", "50.00 %", "design import"] {
            assert!(matches(&item(), search), "{search}");
        }
        for search in ["klat", "kasy0 june", "51 %", "run"] {
            assert!(!matches(&item(), search), "{search}");
        }
        let fractional = LibraryItem { weight: Some(0.8458), ..item() };
        assert_eq!([coverage(&item()), coverage(&fractional)], ["50.00 %", "84.58 % of the weight"]);
        let (kind, state) = (Some(WorkKind::Hardware), Some(WorkState::Queued));
        let queued = LibraryItem { kind, state, coverage: None, ..item() };
        assert!(matches(&queued, "hardware search queued") && coverage(&queued) == "–");
        assert_eq!([kind, None].map(|kind| address("a", kind)), ["/b/a", "/d/a"]);
    }

    #[test]
    fn lineage_reads_as_a_sentence() {
        let base = Base {
            name: String::new(),
            is_run: true,
            created: "2026-11-20T05:00:00Z".into(),
            id: String::new(),
        };
        let found = LibraryItem { based_on: Some(base.clone()), ..item() };
        assert_eq!(based_on(&found).unwrap(), "based on the search of Untitled of 2026-11-20 05:00 UTC");
        let fork = Base { name: "Old".into(), is_run: false, ..base };
        let fork = LibraryItem { based_on: Some(fork), generation: 3, ..item() };
        assert_eq!(based_on(&fork).unwrap(), "Version 3, based on Old of 2026-11-20 05:00 UTC");
        assert_eq!(based_on(&item()), None);
    }

    #[test]
    fn ids_are_found_in_links() {
        for link in
            ["https://host:8080/d/abc1#tab=compare", " /r/abc1/ ", "abc1", "http://host/r/abc1#edit=x"]
        {
            assert_eq!(id_in(link).as_deref(), Some("abc1"), "{link}");
        }
        for link in ["", "https://host/w/abc1", "https://host/s#abc", "/d/a b", "d/"] {
            assert_eq!(id_in(link), None, "{link}");
        }
    }

    #[test]
    fn the_latest_secrets_and_workspaces_are_known() {
        let mut secrets = Secrets::default();
        (0..=MAX).for_each(|number| secrets.keep(&number.to_string(), "old"));
        secrets.keep("7", "new");
        let mut read = Secrets::read(&secrets.write());
        assert_eq!((read.of("0"), read.of("1"), read.of("7")), (None, Some("old"), Some("new")));
        read.forget("7");
        assert_eq!(read.of("7"), None);
        let mut known = Workspaces::default();
        for name in ["one", "two"] {
            known.keep(Known { id: "a".into(), name: name.into() });
        }
        assert_eq!(Workspaces::read(&known.write()).0, [Known { id: "a".into(), name: "two".into() }]);
        assert_eq!(Workspaces::read("["), Workspaces::default());
    }

    #[test]
    fn a_selection_keeps_the_order_of_choice() {
        let mut selection = Vec::new();
        ["a", "b", "a", "c", "a"].into_iter().for_each(|id| toggle(&mut selection, id));
        assert_eq!(selection, ["b", "c", "a"]);
    }
}

//! The drafts in this browser, newest first, so that closing a page loses no work.

use serde::{Deserialize, Serialize};

/// Max number of drafts.
const MAX_DRAFTS: usize = 8;
/// Max size of a draft in bytes: browsers store little.
const MAX_BYTES: usize = 512 << 10;

/// A draft.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentDraft {
    /// Key: the time the draft began, in milliseconds since 1970.
    pub key: u64,
    /// The spec's TOML text.
    pub text: String,
    /// The spec's name.
    pub name: String,
    /// Id of its last search.
    pub run: Option<String>,
    /// Id of its last hardware search.
    pub board: Option<String>,
    /// Id of the design that it is based on.
    pub base: Option<String>,
    /// The wiring on screen, unless it came from a search.
    pub wiring: Option<KeptWiring>,
    /// State of its last search, in words.
    pub state: String,
    /// Number of switches that its wiring uses; 0 without one.
    pub switches: u32,
    /// Time of the last change, in milliseconds since 1970.
    pub changed: u64,
}

/// The wiring of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptWiring {
    /// The text of the spec it was made for.
    pub spec: String,
    /// Text table.
    pub table: String,
    /// Origin, in words.
    pub origin: String,
}

impl RecentDraft {
    fn bytes(&self) -> usize {
        self.text.len() + self.wiring.as_ref().map_or(0, |w| w.spec.len() + w.table.len())
    }
}

/// All drafts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecentDrafts(pub Vec<RecentDraft>);

impl RecentDrafts {
    /// Parses what [`RecentDrafts::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> RecentDrafts {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes them as JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Stores a draft in front of all others.
    pub fn keep(&mut self, mut session: RecentDraft) {
        self.0.retain(|k| k.key != session.key);
        if session.bytes() > MAX_BYTES {
            session.wiring = None;
        }
        if session.bytes() <= MAX_BYTES {
            self.0.insert(0, session);
        }
        self.0.truncate(MAX_DRAFTS);
    }

    /// `true` if a draft has that search.
    pub fn has(&self, key: u64, run: Option<&str>) -> bool {
        run.is_some() && self.0.iter().any(|kept| kept.key == key && kept.run.as_deref() == run)
    }

    /// The draft of a search: that of the tab, else the newest.
    pub fn of_run(&self, run: &str, own: Option<u64>) -> Option<&RecentDraft> {
        let mut found = self.0.iter().filter(|k| k.run.as_deref() == Some(run));
        found.clone().find(|k| Some(k.key) == own).or_else(|| found.next())
    }

    /// Returns the draft of a hardware search: the tab's own, else the newest.
    pub fn of_board(&self, board: &str, own: Option<u64>) -> Option<&RecentDraft> {
        let mut found = self.0.iter().filter(|k| k.board.as_deref() == Some(board));
        found.clone().find(|k| Some(k.key) == own).or_else(|| found.next())
    }

    /// Drops the oldest draft to make room. Returns `false` if only the newest is left.
    pub fn forget_oldest(&mut self) -> bool {
        let some = self.0.len() > 1;
        self.0.truncate(self.0.len().saturating_sub(1).max(1));
        some
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_drafts_are_stored_once_each() {
        let mut recent = RecentDrafts::default();
        for key in [1, 2, 3, 2, 4, 5, 6, 7, 8, 9, 10] {
            recent.keep(RecentDraft { key, run: Some(format!("r{key}")), ..RecentDraft::default() });
        }
        assert_eq!(recent.0.iter().map(|k| k.key).collect::<Vec<_>>(), [10, 9, 8, 7, 6, 5, 4, 2]);
        assert_eq!(RecentDrafts::read(&recent.write()), recent);
        assert_eq!(RecentDrafts::read("{\"old\":"), RecentDrafts::default());
    }

    #[test]
    fn a_run_leads_to_the_draft_of_its_tab() {
        let mut recent = RecentDrafts::default();
        for key in [1, 2, 3] {
            recent.keep(RecentDraft { key, run: Some("r".into()), ..RecentDraft::default() });
        }
        assert_eq!(recent.of_run("r", Some(1)).map(|k| k.key), Some(1));
        assert_eq!(recent.of_run("r", Some(9)).map(|k| k.key), Some(3));
        assert_eq!(recent.of_run("r", None).map(|k| k.key), Some(3));
        assert_eq!(recent.of_run("q", Some(1)), None);
        assert!(recent.has(1, Some("r")) && !recent.has(1, Some("q")) && !recent.has(4, Some("r")));
        recent.keep(RecentDraft { key: 4, board: Some("b".into()), ..RecentDraft::default() });
        assert_eq!(recent.of_board("b", Some(1)).map(|k| k.key), Some(4));
        assert_eq!(recent.of_board("r", None), None);
    }

    #[test]
    fn room_is_made_for_the_newest() {
        let mut recent = RecentDrafts::default();
        [1, 2, 3].into_iter().for_each(|key| recent.keep(RecentDraft { key, ..RecentDraft::default() }));
        assert!(recent.forget_oldest() && recent.forget_oldest());
        assert_eq!(recent.0.iter().map(|k| k.key).collect::<Vec<_>>(), [3]);
        assert!(!recent.forget_oldest());
        assert!(!RecentDrafts::default().forget_oldest());
    }

    #[test]
    fn what_is_too_large_is_left_out() {
        let wiring = KeptWiring { spec: String::new(), table: "x".repeat(MAX_BYTES), origin: String::new() };
        let mut recent = RecentDrafts::default();
        recent.keep(RecentDraft {
            key: 1,
            text: "pes = 8".into(),
            wiring: Some(wiring),
            ..RecentDraft::default()
        });
        assert_eq!(recent.0[0].wiring, None);
        recent.keep(RecentDraft { key: 1, text: "x".repeat(MAX_BYTES + 1), ..RecentDraft::default() });
        assert!(recent.0.is_empty());
    }
}

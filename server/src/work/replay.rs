//! A run's record for its replay: some of the wirings that it found, in order.
//!
//! When the record is full, one of each two neighbours is removed, and from then on only half as many are recorded. So the
//! frames stay evenly spread over the better wirings, of which a search finds most at its start.

use shared::{
    api::ReplayFrame,
    design::{Design, table},
    search::Progress,
};

/// Max frames.
pub const MAX_FRAMES: usize = 60;
/// Max bytes of the frames' wiring tables together.
pub const MAX_BYTES: usize = 2 << 20;
/// Max cables of a recorded wiring: writing a larger table would delay reports of the search.
const MAX_CABLES: usize = 50_000;

/// Frames in the order of time and revision.
#[derive(Clone, Debug)]
pub struct Recording {
    frames: Vec<ReplayFrame>,
    /// One of so many better wirings is recorded; a power of two.
    stride: u64,
    /// The newest better wiring and its uncovered pairs, until the progress that counts it.
    pending: Option<(Design, u64)>,
    /// `true` if all frames are in the store.
    is_saved: bool,
}

impl Recording {
    /// A record that continues after stored frames.
    pub fn after(frames: Vec<ReplayFrame>) -> Recording {
        let places = frames.iter().map(|frame| frame.progress.revision.saturating_sub(1));
        let stride = places.filter(|&place| place > 0).map(|place| 1 << place.trailing_zeros()).min();
        Recording { frames, stride: stride.unwrap_or(1), pending: None, is_saved: true }
    }

    /// Takes a better wiring.
    pub fn better(&mut self, design: &Design, uncovered: u64) {
        let cables: usize = design.switches().map(<[u32]>::len).sum();
        self.pending = (cables <= MAX_CABLES).then(|| (design.clone(), uncovered));
    }

    /// Takes the progress that counts the newest wiring, and records both if it is their turn.
    pub fn progress(&mut self, progress: &Progress) {
        let Some((design, uncovered)) = self.pending.take() else { return };
        let newest = self.frames.last().map_or(0, |frame| frame.progress.revision);
        if progress.revision <= newest || !is_recorded(progress.revision, self.stride) {
            return;
        }
        let mut progress = progress.clone();
        // The engine may already have better wirings.
        progress.best = uncovered;
        progress.median = progress.median.max(uncovered);
        progress.islands.iter_mut().for_each(|best| *best = uncovered.max(*best));
        if let Some(weight) = &mut progress.weight {
            weight.best = weight.shown;
            weight.median = weight.median.min(weight.best);
            weight.islands.iter_mut().for_each(|share| *share = weight.best.min(*share));
        }
        self.frames.push(ReplayFrame { progress, table: table::write(&design) });
        self.is_saved = false;
        while self.is_full() {
            self.stride *= 2;
            self.frames.retain(|frame| is_recorded(frame.progress.revision, self.stride));
        }
    }

    /// All frames.
    pub fn frames(&self) -> &[ReplayFrame] {
        &self.frames
    }

    /// The frames, if some are not in the store yet. They count as stored from now on.
    pub fn unsaved(&mut self) -> Option<Vec<ReplayFrame>> {
        (!std::mem::replace(&mut self.is_saved, true)).then(|| self.frames.clone())
    }

    fn is_full(&self) -> bool {
        let bytes: usize = self.frames.iter().map(|frame| frame.table.len()).sum();
        self.frames.len() > MAX_FRAMES || bytes > MAX_BYTES && self.frames.len() > 1
    }
}

/// `true` for the first better wiring, and for one of `stride` after it.
fn is_recorded(revision: u64, stride: u64) -> bool {
    revision.saturating_sub(1).is_multiple_of(stride)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(cables: u32) -> Design {
        Design::from_switches(cables, [(0..cables).collect::<Vec<u32>>()])
    }

    fn record(recording: &mut Recording, revisions: std::ops::RangeInclusive<u64>, cables: u32) {
        for revision in revisions {
            recording.better(&design(cables), 9000 - revision);
            let elapsed = revision as f64;
            recording.progress(&Progress { revision, elapsed, best: 0, ..Progress::default() });
            assert!(recording.frames.len() <= MAX_FRAMES);
        }
    }

    fn revisions(recording: &Recording) -> Vec<u64> {
        recording.frames.iter().map(|frame| frame.progress.revision).collect()
    }

    #[test]
    fn a_short_record_is_complete_and_a_long_one_even() {
        let mut recording = Recording::after(Vec::new());
        record(&mut recording, 1..=60, 4);
        assert_eq!(revisions(&recording), (1..=60).collect::<Vec<_>>());
        record(&mut recording, 61..=5000, 4);
        let found = revisions(&recording);
        assert!(found.len() > MAX_FRAMES / 2 - 1 && found[0] == 1, "{found:?}");
        assert!(found.windows(2).all(|w| w[1] - w[0] == found[1] - found[0]), "{found:?}");
        assert!(recording.frames.iter().all(|f| f.progress.best == 9000 - f.progress.revision));
    }

    #[test]
    fn large_tables_are_fewer_and_very_large_ones_not_recorded() {
        let mut recording = Recording::after(Vec::new());
        record(&mut recording, 1..=100, MAX_CABLES as u32);
        let bytes: usize = recording.frames.iter().map(|frame| frame.table.len()).sum();
        assert!(bytes <= MAX_BYTES && recording.frames.len() > 3, "{bytes}");
        let mut recording = Recording::after(Vec::new());
        record(&mut recording, 1..=3, MAX_CABLES as u32 + 1);
        assert!(recording.frames.is_empty());
    }

    #[test]
    fn it_goes_on_where_a_checkpoint_was() {
        let mut whole = Recording::after(Vec::new());
        record(&mut whole, 1..=200, 4);
        let mut kept = whole.frames.clone();
        kept.retain(|frame| frame.progress.elapsed <= 100.0);
        let mut resumed = Recording::after(kept);
        record(&mut resumed, 101..=200, 4);
        assert_eq!(revisions(&resumed), revisions(&whole));
    }

    #[test]
    fn progress_without_a_better_wiring_records_nothing() {
        let mut recording = Recording::after(Vec::new());
        record(&mut recording, 1..=2, 4);
        assert_eq!(recording.unsaved().map(|frames| frames.len()), Some(2));
        recording.progress(&Progress { revision: 3, ..Progress::default() });
        assert!(recording.unsaved().is_none() && recording.frames().len() == 2);
    }
}

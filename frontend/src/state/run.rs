//! A search on the server, as it is followed from here.

use super::tie::{Followed, Heard, Tie};
use shared::{
    api::{self, RunState, RunView, Sample},
    search::Progress,
};

/// Most points that are kept of a chart; past them every second one goes.
const MOST_SAMPLES: usize = 1200;

/// A run and the tie to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// As the server last told it, with the progress since.
    pub view: RunView,
    /// The tie to it.
    pub tie: Tie,
    /// Revision of the best wiring that is on screen.
    pub shown: u64,
}

/// What can happen to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Something was heard of it.
    Heard(Box<Heard<RunView>>),
    /// The server told how it goes.
    Progress(Progress),
    /// A wiring of this revision came on screen.
    Shown(u64),
}

impl From<Heard<RunView>> for Action {
    fn from(heard: Heard<RunView>) -> Action {
        Action::Heard(Box::new(heard))
    }
}

impl Followed for Run {
    type View = RunView;
    type Action = Action;

    fn new(view: RunView) -> Run {
        Run { tie: Tie::to(view.state), view, shown: 0 }
    }

    fn view(&self) -> &RunView {
        &self.view
    }

    fn tie(&self) -> &Tie {
        &self.tie
    }

    fn update(&mut self, action: Action) {
        match action {
            Action::Heard(heard) => self.tie.hear(&mut self.view, *heard),
            Action::Progress(progress) => self.progress(progress),
            Action::Shown(revision) => self.shown = self.shown.max(revision),
        }
    }
}

impl Run {
    /// Whether the server has a better wiring than the one on screen.
    pub fn has_better(&self) -> bool {
        self.view.progress.revision > self.shown
    }

    fn progress(&mut self, progress: Progress) {
        self.tie.hear(&mut self.view, Heard::Opened);
        if self.view.state == RunState::Queued {
            self.view.state = RunState::Running;
        }
        let history = &mut self.view.history;
        if history.last().is_none_or(|last| last.elapsed < progress.elapsed) {
            history.push(Sample::from(&progress));
        }
        if history.len() > MOST_SAMPLES {
            *history = thinned(history);
        }
        self.view.progress = progress;
    }
}

/// Half as many points, and the last of all.
fn thinned(points: &[Sample]) -> Vec<Sample> {
    let mut kept = api::thinned(points);
    let newest = points.last().filter(|last| kept.last().is_none_or(|k| k.elapsed < last.elapsed));
    kept.extend(newest.cloned());
    kept
}

#[cfg(test)]
mod tests {
    use super::{super::tie::Line, *};
    use shared::search::Budget;

    fn view(state: RunState) -> RunView {
        RunView {
            id: "a".into(),
            state,
            spec: String::new(),
            budget: Budget::Seconds(1.0),
            seed: 1,
            threads: 1,
            progress: Progress::default(),
            history: Vec::new(),
            method: String::new(),
            message: String::new(),
            created: String::new(),
            version: String::new(),
        }
    }

    fn progress(elapsed: f64, revision: u64) -> Action {
        Action::Progress(Progress { elapsed, revision, best: 9, ..Progress::default() })
    }

    #[test]
    fn progress_grows_the_chart_once() {
        let mut run = Run::new(view(RunState::Queued));
        run.update(progress(0.25, 1));
        run.update(progress(0.25, 1));
        run.update(progress(0.5, 2));
        assert_eq!((run.view.history.len(), run.view.state), (2, RunState::Running));
        assert!(run.has_better());
        run.update(Action::Shown(2));
        assert!(!run.has_better());
    }

    #[test]
    fn a_long_chart_is_thinned_and_keeps_its_ends() {
        let mut run = Run::new(view(RunState::Running));
        (0..5000).for_each(|i| run.update(progress(f64::from(i), 0)));
        let history = &run.view.history;
        assert!(history.len() <= MOST_SAMPLES);
        assert_eq!((history[0].elapsed, history[history.len() - 1].elapsed), (0.0, 4999.0));
        assert!(history.is_sorted_by(|a, b| a.elapsed < b.elapsed));
    }

    #[test]
    fn restarts_outlive_the_thinning() {
        let mut run = Run::new(view(RunState::Running));
        for second in 0..3000u32 {
            let restarts = u64::from(second / 501);
            run.update(Action::Progress(Progress {
                elapsed: second.into(),
                restarts,
                ..Progress::default()
            }));
        }
        let rises = run.view.history.windows(2).filter(|w| w[1].restarts > w[0].restarts);
        let rises: Vec<f64> = rises.map(|w| w[1].elapsed).collect();
        assert_eq!(rises, [501.0, 1002.0, 1503.0, 2004.0, 2505.0]);
    }

    #[test]
    fn progress_is_a_sign_of_life() {
        let mut run = Run::new(view(RunState::Running));
        run.update(Heard::Lost.into());
        assert_eq!(run.tie.line, Line::Lost);
        run.update(progress(1.0, 0));
        assert_eq!(run.tie.line, Line::Open);
    }
}

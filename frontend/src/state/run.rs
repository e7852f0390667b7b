//! A search on the server, as this page follows it.

use super::{
    connection::{Connection, Event},
    words::grouped,
};
use shared::{
    api::{self, QueueView, RunState, RunView, Sample},
    search::{Budget, Progress},
};

/// Number of points of the chart; beyond that, every second one is dropped.
const MAX_SAMPLES: usize = 1200;

/// A search and the connection to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The server's last report, with the progress since.
    pub view: RunView,
    /// The connection.
    pub connection: Connection,
    /// Revision of the best wiring on screen.
    pub shown: u64,
    /// Number of pages that watch it, this one included.
    pub watchers: u32,
    /// `true` if the person wants a notification when it is over.
    pub notifies: bool,
    /// `true` while an earlier time of the search is on screen.
    pub replays: bool,
}

/// An update of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An event.
    Event(Box<Event<RunView>>),
    /// Progress.
    Progress(Progress),
    /// Place in the queue.
    Queue(QueueView),
    /// A wiring of this revision is on screen.
    Shown(u64),
    /// Number of pages that watch it.
    Watchers(u32),
    /// The person wants a notification when it is over.
    Notify,
}

impl From<Event<RunView>> for Action {
    fn from(event: Event<RunView>) -> Action {
        Action::Event(Box::new(event))
    }
}

impl Run {
    /// A search that is not followed yet.
    pub fn new(view: RunView) -> Run {
        let connection = Connection::to(view.state);
        Run { connection, view, shown: 0, watchers: 0, notifies: false, replays: false }
    }

    /// An ended search as it was with this progress.
    pub fn at(&self, progress: &Progress) -> Run {
        let mut run = Run { replays: true, ..self.clone() };
        if run.view.progress != *progress {
            // The search may have been ahead of the wirings that it showed.
            run.view.history.retain(|s| s.elapsed < progress.elapsed && s.best >= progress.best);
            run.view.history.push(Sample::from(progress));
            run.view.progress = progress.clone();
        }
        run
    }

    /// Carries out an update.
    pub fn update(&mut self, action: Action) {
        match action {
            Action::Event(event) => self.connection.apply(&mut self.view, *event),
            Action::Progress(progress) => self.progress(progress),
            Action::Queue(place) => {
                self.connection.apply(&mut self.view, Event::Opened);
                self.view.queue = Some(place);
            }
            Action::Shown(revision) => self.shown = self.shown.max(revision),
            Action::Watchers(count) => self.watchers = count,
            Action::Notify => self.notifies = true,
        }
    }

    /// Number of watchers in words, while somebody else watches.
    pub fn watchers_words(&self) -> Option<String> {
        (self.watchers > 1 && !self.is_over()).then(|| format!("{} watching", grouped(self.watchers.into())))
    }

    /// `true` if the search is over.
    pub fn is_over(&self) -> bool {
        self.connection.is_over()
    }

    /// The state, in words.
    pub fn state_words(&self) -> String {
        if self.replays {
            return "Replay".into();
        }
        let ends = ["Solved", "Limit reached", "Interrupted; the best wiring is kept"];
        self.connection.search_words(&self.view, ends)
    }

    /// The state, in words, for a spec on screen that may be another one: `outdated`.
    pub fn state_words_for(&self, outdated: bool) -> String {
        match (outdated, self.is_over()) {
            (false, _) => self.state_words(),
            (true, true) => "Outdated".into(),
            (true, false) => format!("{}, for an earlier spec", self.state_words()),
        }
    }

    /// `true` if the server has a better wiring than the one on screen.
    pub fn has_better(&self) -> bool {
        self.view.progress.revision > self.shown
    }

    fn progress(&mut self, progress: Progress) {
        self.connection.apply(&mut self.view, Event::Opened);
        if self.view.state == RunState::Queued {
            (self.view.state, self.view.queue) = (RunState::Running, None);
        }
        let history = &mut self.view.history;
        match history.last_mut() {
            Some(last) if last.elapsed > progress.elapsed => {}
            Some(last) if last.elapsed >= progress.elapsed => *last = Sample::from(&progress),
            _ => history.push(Sample::from(&progress)),
        }
        if history.len() > MAX_SAMPLES {
            *history = thinned(history);
        }
        self.view.progress = progress;
    }
}

/// A limit as people type it. That of a search continued by an earlier version contains measured time, which is rounded up.
pub fn typed_limit(budget: Budget) -> Budget {
    match budget {
        Budget::Seconds(seconds) => {
            let milliseconds = 1000.0 * seconds;
            let is_typed = (milliseconds - milliseconds.round()).abs() < 1e-6;
            Budget::Seconds(if is_typed { seconds } else { seconds.ceil() })
        }
        effort @ Budget::Effort(_) => effort,
    }
}

/// Every second point, and the last one.
fn thinned(points: &[Sample]) -> Vec<Sample> {
    let mut kept = api::thinned(points);
    let newest = points.last().filter(|last| kept.last().is_none_or(|k| k.elapsed < last.elapsed));
    kept.extend(newest.cloned());
    kept
}

#[cfg(test)]
mod tests {
    use super::{super::connection::Line, *};

    fn view(state: RunState) -> RunView {
        let queued = RunView::queued("a".into(), String::new(), Budget::Seconds(1.0), 1, 1);
        RunView { state, ..queued }
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
    fn an_earlier_time_has_the_chart_until_then() {
        let mut run = Run::new(view(RunState::Running));
        for (elapsed, revision) in [(0.25, 1), (0.5, 2), (0.75, 3)] {
            run.update(progress(elapsed, revision));
        }
        run.update(Event::Reported(RunView { state: RunState::Solved, ..run.view.clone() }).into());
        let earlier = run.at(&Progress { elapsed: 0.5, revision: 2, best: 9, ..Progress::default() });
        assert_eq!((earlier.view.history.len(), earlier.view.progress.revision), (2, 2));
        assert_eq!((earlier.state_words(), run.state_words()), ("Replay".into(), "Solved".into()));
    }

    #[test]
    fn a_queued_run_shows_its_place() {
        let mut run = Run::new(view(RunState::Queued));
        run.update(Event::Opened.into());
        let mut words = |ahead, seconds| {
            run.update(Action::Queue(QueueView { ahead, seconds }));
            run.state_words()
        };
        assert_eq!(words(2, Some(40.0)), "Queued, 2 ahead, about 40 s");
        assert_eq!(words(1, Some(600.0)), "Queued, 1 ahead, about 10 min");
        assert_eq!(words(0, Some(8000.0)), "Queued, next, about 2 h 13 min");
        assert_eq!(words(0, None), "Queued, next");
        run.update(progress(1.0, 0));
        assert_eq!(run.state_words(), "Searching");
    }

    #[test]
    fn a_search_for_another_spec_says_so() {
        let mut run = Run::new(view(RunState::Running));
        run.update(Event::Opened.into());
        let words = |run: &Run| [false, true].map(|outdated| run.state_words_for(outdated));
        assert_eq!(words(&run), ["Searching", "Searching, for an earlier spec"]);
        run.update(Event::Reported(view(RunState::Solved)).into());
        assert_eq!(words(&run), ["Solved", "Outdated"]);
    }

    #[test]
    fn a_limit_reads_as_it_was_typed() {
        let limits = [60.0, 0.25, 2.5, 66.923_417].map(|seconds| typed_limit(Budget::Seconds(seconds)));
        assert_eq!(limits, [60.0, 0.25, 2.5, 67.0].map(Budget::Seconds));
        assert_eq!(typed_limit(Budget::Effort(7)), Budget::Effort(7));
    }

    #[test]
    fn others_who_watch_are_counted_until_the_end() {
        let mut run = Run::new(view(RunState::Running));
        run.update(Action::Watchers(1));
        assert_eq!(run.watchers_words(), None);
        run.update(Action::Watchers(3));
        assert_eq!(run.watchers_words().as_deref(), Some("3 watching"));
        run.update(Event::Reported(view(RunState::Solved)).into());
        assert_eq!(run.watchers_words(), None);
    }

    #[test]
    fn a_long_chart_is_thinned_and_keeps_its_ends() {
        let mut run = Run::new(view(RunState::Running));
        (0..5000).for_each(|i| run.update(progress(f64::from(i), 0)));
        let history = &run.view.history;
        assert!(history.len() <= MAX_SAMPLES);
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
    fn progress_shows_that_the_stream_works() {
        let mut run = Run::new(view(RunState::Running));
        run.update(Event::Disconnected.into());
        assert_eq!(run.connection.line, Line::Disconnected);
        run.update(progress(1.0, 0));
        assert_eq!(run.connection.line, Line::Open);
    }
}

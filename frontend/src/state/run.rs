//! A search on the server, as this page follows it.

use super::{
    connection::{Connection, Event, Report},
    words::grouped,
};
use shared::{
    api::{self, Sample, SearchReport, WorkView},
    search::{Progress, SearchForm, SearchSettings},
};

/// Number of points of the chart; beyond that, every second one is dropped.
const MAX_SAMPLES: usize = 1200;

impl Report for SearchReport {
    /// Takes the progress, also into the chart.
    fn change(&mut self, report: SearchReport) {
        // A change of the state alone brings no progress.
        if report.progress == self.progress {
            return;
        }
        let (history, progress) = (&mut self.history, report.progress);
        match history.last_mut() {
            Some(last) if last.elapsed > progress.elapsed => {}
            Some(last) if last.elapsed >= progress.elapsed => *last = Sample::from(&progress),
            _ => history.push(Sample::from(&progress)),
        }
        if history.len() > MAX_SAMPLES {
            *history = thinned(history);
        }
        self.progress = progress;
    }
}

/// A search and the connection to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The server's last report, with the progress since.
    pub view: WorkView<SearchReport>,
    /// The connection.
    pub connection: Connection,
    /// Revision of the best wiring on screen.
    pub shown: u64,
    /// `true` if the person wants a notification when it is over.
    pub notifies: bool,
    /// `true` while an earlier time of the search is on screen.
    pub replays: bool,
}

impl Run {
    /// A search that is not followed yet.
    pub fn new(view: WorkView<SearchReport>) -> Run {
        let connection = Connection::to(view.state);
        Run { connection, view, shown: 0, notifies: false, replays: false }
    }

    /// The latest progress.
    pub fn progress(&self) -> &Progress {
        &self.view.report.progress
    }

    /// The settings, unless another version of Crosspoint accepted them.
    pub fn settings(&self) -> Option<SearchSettings> {
        self.view.asked.form.form::<SearchForm>().read().ok()
    }

    /// An ended search as it was with this progress.
    pub fn at(&self, progress: &Progress) -> Run {
        let mut run = Run { replays: true, ..self.clone() };
        let report = &mut run.view.report;
        if report.progress != *progress {
            // The search may have been ahead of the wirings that it showed.
            report.history.retain(|s| s.elapsed < progress.elapsed && s.best >= progress.best);
            report.history.push(Sample::from(progress));
            report.progress = progress.clone();
        }
        run
    }

    /// Updates the search.
    pub fn apply(&mut self, event: Event<SearchReport>) {
        self.connection.apply(&mut self.view, event);
    }

    /// Number of watchers in words, while somebody else watches.
    pub fn watchers_words(&self) -> Option<String> {
        let watchers = self.connection.watchers;
        (watchers > 1 && !self.is_over()).then(|| format!("{} watching", grouped(watchers.into())))
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
        self.progress().revision > self.shown
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
    use shared::api::{FormTexts, QueueView, WorkChange, WorkState};

    fn view(state: WorkState) -> WorkView<SearchReport> {
        WorkView { state, ..WorkView::default() }
    }

    fn changed(state: WorkState, queue: Option<QueueView>, progress: Progress) -> Event<SearchReport> {
        let report = SearchReport { progress, ..SearchReport::default() };
        Event::Changed(Box::new(WorkChange { state, message: String::new(), queue, report }))
    }

    fn running(progress: Progress) -> Event<SearchReport> {
        changed(WorkState::Running, None, progress)
    }

    fn progress(elapsed: f64, revision: u64) -> Event<SearchReport> {
        running(Progress { elapsed, revision, best: 9, ..Progress::default() })
    }

    fn reported(view: WorkView<SearchReport>) -> Event<SearchReport> {
        Event::Reported(Box::new(view))
    }

    #[test]
    fn progress_grows_the_chart_once() {
        let mut run = Run::new(view(WorkState::Queued));
        run.apply(progress(0.25, 1));
        run.apply(progress(0.25, 1));
        run.apply(progress(0.5, 2));
        assert_eq!((run.view.report.history.len(), run.view.state), (2, WorkState::Running));
        assert!(run.has_better());
        run.shown = 2;
        assert!(!run.has_better());
    }

    #[test]
    fn an_earlier_time_has_the_chart_until_then() {
        let mut run = Run::new(view(WorkState::Running));
        for (elapsed, revision) in [(0.25, 1), (0.5, 2), (0.75, 3)] {
            run.apply(progress(elapsed, revision));
        }
        let solved = WorkView { state: WorkState::Solved, ..run.view.clone() };
        run.apply(reported(solved));
        let earlier = run.at(&Progress { elapsed: 0.5, revision: 2, best: 9, ..Progress::default() });
        assert_eq!((earlier.view.report.history.len(), earlier.progress().revision), (2, 2));
        assert_eq!((earlier.state_words(), run.state_words()), ("Replay".into(), "Solved".into()));
    }

    #[test]
    fn a_queued_run_shows_its_place() {
        let mut run = Run::new(view(WorkState::Queued));
        run.apply(Event::Opened);
        let mut words = |ahead, seconds| {
            let queue = Some(QueueView { ahead, seconds });
            run.apply(changed(WorkState::Queued, queue, Progress::default()));
            run.state_words()
        };
        assert_eq!(words(2, Some(40.0)), "Queued, 2 ahead, about 40 s");
        assert_eq!(words(1, Some(600.0)), "Queued, 1 ahead, about 10 min");
        assert_eq!(words(0, Some(8000.0)), "Queued, next, about 2 h 13 min");
        assert_eq!(words(0, None), "Queued, next");
        assert!(run.view.report.history.is_empty(), "the queue is no progress");
        run.apply(progress(1.0, 0));
        assert_eq!(run.state_words(), "Searching");
    }

    #[test]
    fn a_search_for_another_spec_says_so() {
        let mut run = Run::new(view(WorkState::Running));
        run.apply(Event::Opened);
        let words = |run: &Run| [false, true].map(|outdated| run.state_words_for(outdated));
        assert_eq!(words(&run), ["Searching", "Searching, for an earlier spec"]);
        run.apply(reported(view(WorkState::Solved)));
        assert_eq!(words(&run), ["Solved", "Outdated"]);
    }

    #[test]
    fn settings_are_those_typed() {
        let form = SearchForm { seed: "7".into(), ..SearchForm::default() };
        let mut run = Run::new(view(WorkState::Running));
        run.view.asked.form = FormTexts::of(&[&form]);
        assert_eq!(run.settings().map(|settings| settings.seed), Some(7));
        assert_eq!(run.settings(), form.read().ok());
    }

    #[test]
    fn others_who_watch_are_counted_until_the_end() {
        let mut run = Run::new(view(WorkState::Running));
        run.apply(Event::Watchers(1));
        assert_eq!(run.watchers_words(), None);
        run.apply(Event::Watchers(3));
        assert_eq!(run.watchers_words().as_deref(), Some("3 watching"));
        run.apply(reported(view(WorkState::Solved)));
        assert_eq!(run.watchers_words(), None);
    }

    #[test]
    fn a_long_chart_is_thinned_and_keeps_its_ends() {
        let mut run = Run::new(view(WorkState::Running));
        (0..5000).for_each(|i| run.apply(progress(f64::from(i), 0)));
        let history = &run.view.report.history;
        assert!(history.len() <= MAX_SAMPLES);
        assert_eq!((history[0].elapsed, history[history.len() - 1].elapsed), (0.0, 4999.0));
        assert!(history.is_sorted_by(|a, b| a.elapsed < b.elapsed));
    }

    #[test]
    fn restarts_outlive_the_thinning() {
        let mut run = Run::new(view(WorkState::Running));
        for second in 0..3000u32 {
            let restarts = u64::from(second / 501);
            run.apply(running(Progress { elapsed: second.into(), restarts, ..Progress::default() }));
        }
        let rises = run.view.report.history.windows(2).filter(|w| w[1].restarts > w[0].restarts);
        let rises: Vec<f64> = rises.map(|w| w[1].elapsed).collect();
        assert_eq!(rises, [501.0, 1002.0, 1503.0, 2004.0, 2505.0]);
    }

    #[test]
    fn progress_shows_that_the_stream_works() {
        let mut run = Run::new(view(WorkState::Running));
        run.apply(Event::Disconnected);
        assert_eq!(run.connection.line, Line::Disconnected);
        run.apply(progress(1.0, 0));
        assert_eq!(run.connection.line, Line::Open);
    }
}

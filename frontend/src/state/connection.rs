//! Work on the server as this page follows it, while the server stops and starts again.

use serde::de::DeserializeOwned;
use shared::{
    api::{ComputedReport, QueueView, WorkChange, WorkState, WorkView},
    hardware::Board,
    simulation::SimulationReport,
};

/// The report of a kind of work.
pub trait Report: Clone + Default + DeserializeOwned + Send + Sync + 'static {
    /// Takes the report of a change.
    fn change(&mut self, report: Self) {
        *self = report;
    }
}

impl Report for Board {}
impl Report for SimulationReport {}
impl<T: Clone + DeserializeOwned + Send + Sync + 'static> Report for ComputedReport<T> {}

/// An event of work.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<R> {
    /// The event stream delivered the work.
    Reported(Box<WorkView<R>>),
    /// The event stream delivered a change.
    Changed(Box<WorkChange<R>>),
    /// The event stream delivered its number of watchers.
    Watchers(u32),
    /// A server that is not about to stop answered a request with the work.
    Fetched(Box<WorkView<R>>),
    /// A server answered that it has no such work.
    Missing,
    /// The event stream opened.
    Opened,
    /// The event stream broke.
    Disconnected,
    /// Somebody requested a stop.
    Stop,
    /// The server refused to stop the work.
    Refused,
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The event stream.
    pub line: Line,
    /// `true` from the request to stop until the work ends.
    pub stopping: bool,
    /// Number of pages that watch the work, this one included; 0 if unknown.
    pub watchers: u32,
}

/// The state of an event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Not open yet.
    Connecting,
    /// Open.
    Open,
    /// Broken; the browser reconnects by itself.
    Disconnected,
    /// The server reported that it stops. The next server decides whether the work continues.
    Gone,
    /// Closed: the work is over.
    Closed,
}

impl Connection {
    /// The connection to work that was just fetched.
    pub fn to(state: WorkState) -> Connection {
        let line = if state.is_over() { Line::Closed } else { Line::Connecting };
        Connection { line, stopping: false, watchers: 0 }
    }

    /// Updates the connection and the work.
    pub fn apply<R: Report>(&mut self, view: &mut WorkView<R>, event: Event<R>) {
        match event {
            Event::Reported(report) => {
                *view = *report;
                self.reported(view.state);
            }
            Event::Changed(change) => {
                let WorkChange { state, message, queue, report } = *change;
                (view.state, view.message, view.queue) = (state, message, queue);
                view.report.change(report);
                self.reported(state);
            }
            Event::Watchers(count) => self.watchers = count,
            Event::Fetched(report) => {
                *self = Connection::to(report.state);
                *view = *report;
            }
            Event::Missing => (self.line, self.stopping) = (Line::Closed, false),
            Event::Opened => self.set_line(Line::Open),
            Event::Disconnected => self.set_line(Line::Disconnected),
            Event::Stop => self.stopping = self.can_stop(),
            Event::Refused => self.stopping = false,
        }
    }

    fn reported(&mut self, state: WorkState) {
        // After a break, this may be another server, which has received no request to stop.
        self.stopping &= self.line == Line::Open && !state.is_over();
        self.line = match state {
            WorkState::Interrupted => Line::Gone,
            state if state.is_over() => Line::Closed,
            _ => Line::Open,
        };
    }

    /// `true` if the work is over.
    pub fn is_over(self) -> bool {
        self.line == Line::Closed
    }

    /// `true` if a request to stop makes sense.
    pub fn can_stop(self) -> bool {
        !self.stopping && !matches!(self.line, Line::Closed | Line::Gone)
    }

    /// The status line of work: its state, and the connection if there is a problem with it.
    pub fn words(self, state: WorkState, words: &str) -> String {
        match self.line {
            Line::Disconnected => format!("{words}; server unreachable, reconnecting"),
            Line::Gone => "Server stopped; waiting for it to restart".into(),
            Line::Connecting if state == WorkState::Running => format!("{words}; connecting"),
            Line::Closed if !state.is_over() => "No longer on the server".into(),
            Line::Connecting | Line::Open | Line::Closed => words.into(),
        }
    }

    /// The status line of a search. `ends` are the words for solved, for the limit reached, and for interrupted.
    pub fn search_words<R>(self, view: &WorkView<R>, ends: [&str; 3]) -> String {
        let queued = place_words(view.queue);
        let words = match view.state {
            WorkState::Queued => &queued,
            WorkState::Running if self.stopping => "Stopping",
            WorkState::Running => "Searching",
            WorkState::Solved | WorkState::Done => ends[0],
            WorkState::Exhausted => ends[1],
            WorkState::Cancelled => "Stopped",
            WorkState::Interrupted => ends[2],
            WorkState::Failed => "Failed",
        };
        self.words(view.state, words)
    }

    fn set_line(&mut self, line: Line) {
        if !matches!(self.line, Line::Closed | Line::Gone) {
            self.line = line;
        }
    }
}

/// A place in the queue: Queued, 2 ahead, about 40 s.
pub fn place_words(place: Option<QueueView>) -> String {
    let Some(QueueView { ahead, seconds }) = place else { return "Queued".into() };
    let ahead = if ahead == 0 { "next".into() } else { format!("{ahead} ahead") };
    let wait = seconds.map(|seconds| match seconds.round() as u64 {
        s if s < 300 => format!(", about {s} s"),
        s if s < 3600 => format!(", about {} min", s / 60),
        s => format!(", about {} h {} min", s / 3600, s / 60 % 60),
    });
    format!("Queued, {ahead}{}", wait.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::api::StartWork;

    type Search = WorkView<Board>;

    fn search(state: WorkState) -> Box<Search> {
        Box::new(Search { state, ..Search::default() })
    }

    /// The connection to a running search after these events.
    fn after(event: impl IntoIterator<Item = Event<Board>>) -> (Connection, Search) {
        let mut search = *search(WorkState::Running);
        let mut connection = Connection::to(search.state);
        event.into_iter().for_each(|event| connection.apply(&mut search, event));
        (connection, search)
    }

    fn reported(state: WorkState) -> Event<Board> {
        Event::Reported(search(state))
    }

    #[test]
    fn a_broken_stream_shows_unless_the_search_is_over() {
        let (connection, _) = after([Event::Opened, Event::Disconnected]);
        assert_eq!(connection.line, Line::Disconnected);
        assert!(connection.words(WorkState::Running, "Searching").contains("reconnecting"));
        for state in [WorkState::Solved, WorkState::Cancelled, WorkState::Failed] {
            assert_eq!(after([reported(state), Event::Disconnected, Event::Opened]).0.line, Line::Closed);
        }
    }

    #[test]
    fn stopping_lasts_until_it_is_over_or_the_server_is_another() {
        let stopping = |event: Vec<Event<Board>>| {
            after([Event::Opened, Event::Stop].into_iter().chain(event)).0.stopping
        };
        assert!(
            stopping(vec![])
                && stopping(vec![reported(WorkState::Running)])
                && stopping(vec![Event::Disconnected])
        );
        assert!(!stopping(vec![reported(WorkState::Cancelled)]));
        assert!(!stopping(vec![Event::Disconnected, reported(WorkState::Running)]));
        assert!(!stopping(vec![reported(WorkState::Cancelled), Event::Stop]));
        assert!(!stopping(vec![Event::Refused]));
    }

    #[test]
    fn a_search_that_a_server_interrupts_may_continue_on_the_next() {
        let gone = || [Event::Opened, Event::Stop, reported(WorkState::Interrupted), Event::Disconnected];
        let (connection, _) = after(gone());
        assert_eq!((connection.line, connection.stopping, connection.can_stop()), (Line::Gone, false, false));
        assert!(
            connection.words(WorkState::Interrupted, "Interrupted").contains("waiting for it to restart")
        );

        let (connection, found) =
            after(gone().into_iter().chain([Event::Fetched(search(WorkState::Queued))]));
        assert_eq!((connection, found), (Connection::to(WorkState::Queued), *search(WorkState::Queued)));
        assert!(connection.can_stop());

        let (connection, _) =
            after(gone().into_iter().chain([Event::Fetched(search(WorkState::Interrupted))]));
        assert_eq!(
            (connection.line, connection.words(WorkState::Interrupted, "Interrupted")),
            (Line::Closed, "Interrupted".into())
        );
    }

    #[test]
    fn a_change_leaves_the_request_as_it_is() {
        let asked = StartWork { spec: Some("pes = 8".into()), ..StartWork::default() };
        let report = Event::Reported(Box::new(Search { asked: asked.clone(), ..*search(WorkState::Queued) }));
        let board = Board { elapsed: 2.0, ..Board::default() };
        let change =
            WorkChange { state: WorkState::Solved, message: "m".into(), queue: None, report: board.clone() };
        let (connection, search) = after([report, Event::Watchers(3), Event::Changed(Box::new(change))]);
        assert!(connection.is_over());
        assert_eq!((search.asked, search.report, search.message.as_str()), (asked, board, "m"));
        assert_eq!(connection.watchers, 3);
    }

    #[test]
    fn a_server_without_the_search_ends_it() {
        let (connection, search) = after([Event::Disconnected, Event::Missing]);
        assert_eq!((connection.line, connection.can_stop()), (Line::Closed, false));
        assert!(connection.words(search.state, "Searching").contains("No longer"));
    }
}

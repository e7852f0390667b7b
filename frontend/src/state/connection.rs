//! The connection to a job on the server (a search, a hardware search, a simulation), while the server stops and starts again.

use serde::de::DeserializeOwned;
use shared::api::{BoardView, QueueView, RunState, RunView};

/// A job as the server reports it.
pub trait View: DeserializeOwned + 'static {
    /// The noun of its HTTP paths and events: `run` stands for `/api/runs`.
    const NOUN: &'static str;

    /// Its id.
    fn id(&self) -> &str;
    /// Its state.
    fn state(&self) -> RunState;
    /// Its place in the queue.
    fn queue(&self) -> Option<QueueView> {
        None
    }
}

impl View for RunView {
    const NOUN: &'static str = "run";

    fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> RunState {
        self.state
    }

    fn queue(&self) -> Option<QueueView> {
        self.queue
    }
}

impl View for BoardView {
    const NOUN: &'static str = "board";

    fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> RunState {
        self.state
    }

    fn queue(&self) -> Option<QueueView> {
        self.queue
    }
}

/// An event of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<V> {
    /// The event stream delivered a report.
    Reported(V),
    /// A server that is not about to stop answered a request with a report.
    Fetched(V),
    /// A server answered that it has no such job.
    Missing,
    /// The event stream opened.
    Opened,
    /// The event stream broke.
    Disconnected,
    /// Somebody requested a stop.
    Stop,
    /// The server refused to stop the job.
    Refused,
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The event stream.
    pub line: Line,
    /// `true` from the request to stop until the job ends.
    pub stopping: bool,
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
    /// The server reported that it stops. The next server decides whether the job continues.
    Gone,
    /// Closed: the job is over.
    Closed,
}

impl Connection {
    /// The connection to a job that was just fetched.
    pub fn to(state: RunState) -> Connection {
        let line = if state.is_over() { Line::Closed } else { Line::Connecting };
        Connection { line, stopping: false }
    }

    /// Updates the connection and the job's report.
    pub fn apply<V: View>(&mut self, view: &mut V, event: Event<V>) {
        match event {
            Event::Reported(report) => {
                // After a break, this may be another server, which has received no request to stop.
                self.stopping &= self.line == Line::Open && !report.state().is_over();
                self.line = match report.state() {
                    RunState::Interrupted => Line::Gone,
                    state if state.is_over() => Line::Closed,
                    _ => Line::Open,
                };
                *view = report;
            }
            Event::Fetched(report) => {
                *self = Connection::to(report.state());
                *view = report;
            }
            Event::Missing => *self = Connection { line: Line::Closed, stopping: false },
            Event::Opened => self.set_line(Line::Open),
            Event::Disconnected => self.set_line(Line::Disconnected),
            Event::Stop => self.stopping = self.can_stop(),
            Event::Refused => self.stopping = false,
        }
    }

    /// `true` if the job is over.
    pub fn is_over(self) -> bool {
        self.line == Line::Closed
    }

    /// `true` if a request to stop makes sense.
    pub fn can_stop(self) -> bool {
        !self.stopping && !matches!(self.line, Line::Closed | Line::Gone)
    }

    /// The status line of a job: its state, and the connection if there is a problem with it.
    pub fn words(self, state: RunState, words: &str) -> String {
        match self.line {
            Line::Disconnected => format!("{words}; server unreachable, reconnecting"),
            Line::Gone => "Server stopped; waiting for it to restart".into(),
            Line::Connecting => format!("{words}; connecting"),
            Line::Closed if !state.is_over() => "No longer on the server".into(),
            Line::Open | Line::Closed => words.into(),
        }
    }

    /// The status line of a search. `ends` are the words for solved, for the limit reached, and for interrupted.
    pub fn search_words(self, view: &impl View, ends: [&str; 3]) -> String {
        let state = view.state();
        let queued = place_words(view.queue());
        let words = match state {
            RunState::Queued => &queued,
            RunState::Running if self.stopping => "Stopping",
            RunState::Running => "Searching",
            RunState::Solved => ends[0],
            RunState::Exhausted => ends[1],
            RunState::Cancelled => "Stopped",
            RunState::Interrupted => ends[2],
            RunState::Failed => "Failed",
        };
        self.words(state, words)
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

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Search(RunState);

    impl View for Search {
        const NOUN: &'static str = "search";

        fn id(&self) -> &'static str {
            "a"
        }

        fn state(&self) -> RunState {
            self.0
        }
    }

    /// The connection to a running search after these events.
    fn after(event: impl IntoIterator<Item = Event<Search>>) -> (Connection, Search) {
        let (mut connection, mut search) = (Connection::to(RunState::Running), Search(RunState::Running));
        event.into_iter().for_each(|event| connection.apply(&mut search, event));
        (connection, search)
    }

    fn reported(state: RunState) -> Event<Search> {
        Event::Reported(Search(state))
    }

    #[test]
    fn a_broken_stream_shows_unless_the_search_is_over() {
        let (connection, _) = after([Event::Opened, Event::Disconnected]);
        assert_eq!(connection.line, Line::Disconnected);
        assert!(connection.words(RunState::Running, "Searching").contains("reconnecting"));
        for state in [RunState::Solved, RunState::Cancelled, RunState::Failed] {
            assert_eq!(after([reported(state), Event::Disconnected, Event::Opened]).0.line, Line::Closed);
        }
    }

    #[test]
    fn stopping_lasts_until_it_is_over_or_the_server_is_another() {
        let stopping = |event: Vec<Event<Search>>| {
            after([Event::Opened, Event::Stop].into_iter().chain(event)).0.stopping
        };
        assert!(
            stopping(vec![])
                && stopping(vec![reported(RunState::Running)])
                && stopping(vec![Event::Disconnected])
        );
        assert!(!stopping(vec![reported(RunState::Cancelled)]));
        assert!(!stopping(vec![Event::Disconnected, reported(RunState::Running)]));
        assert!(!stopping(vec![reported(RunState::Cancelled), Event::Stop]));
        assert!(!stopping(vec![Event::Refused]));
    }

    #[test]
    fn a_search_that_a_server_interrupts_may_continue_on_the_next() {
        let gone = || [Event::Opened, Event::Stop, reported(RunState::Interrupted), Event::Disconnected];
        let (connection, _) = after(gone());
        assert_eq!((connection.line, connection.stopping, connection.can_stop()), (Line::Gone, false, false));
        assert!(connection.words(RunState::Interrupted, "Interrupted").contains("waiting for it to restart"));

        let (connection, search) =
            after(gone().into_iter().chain([Event::Fetched(Search(RunState::Queued))]));
        assert_eq!((connection, search), (Connection::to(RunState::Queued), Search(RunState::Queued)));
        assert!(connection.can_stop());

        let (connection, _) =
            after(gone().into_iter().chain([Event::Fetched(Search(RunState::Interrupted))]));
        assert_eq!(
            (connection.line, connection.words(RunState::Interrupted, "Interrupted")),
            (Line::Closed, "Interrupted".into())
        );
    }

    #[test]
    fn a_server_without_the_search_ends_it() {
        let (connection, search) = after([Event::Disconnected, Event::Missing]);
        assert_eq!((connection.line, connection.can_stop()), (Line::Closed, false));
        assert!(connection.words(search.state(), "Searching").contains("No longer"));
    }
}

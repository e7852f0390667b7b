//! The tie between the page and a search on the server, of a wiring or of hardware: what is heard of it, and what becomes
//! of it when the server goes and comes back.

use shared::api::{BoardView, RunState, RunView};

/// What the server tells of a search.
pub trait View {
    /// Its name.
    fn id(&self) -> &str;
    /// How it stands.
    fn state(&self) -> RunState;
}

impl View for RunView {
    fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> RunState {
        self.state
    }
}

impl View for BoardView {
    fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> RunState {
        self.state
    }
}

/// A search that the page follows: what the server has told, and the tie to it.
pub trait Followed: Send + Sync + 'static {
    /// What the server tells of it.
    type View: View;
    /// What can happen to it.
    type Action: From<Heard<Self::View>>;

    /// One that is not yet followed.
    fn new(view: Self::View) -> Self;
    /// As the server last told it.
    fn view(&self) -> &Self::View;
    /// The tie to it.
    fn tie(&self) -> &Tie;
    /// Carries out what happened.
    fn update(&mut self, action: Self::Action);

    /// Whether nothing more will come.
    fn is_over(&self) -> bool {
        self.tie().line == Line::Closed
    }
}

/// What is heard of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard<V> {
    /// The server told all of it, unasked.
    Told(V),
    /// A server that is not about to go told all of it when it was asked.
    Found(V),
    /// A server is there and knows nothing of it.
    Missing,
    /// The line was made.
    Opened,
    /// The line was lost.
    Lost,
    /// Somebody asked to stop it.
    Stop,
}

/// The line, and what was asked over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// Whether events arrive.
    pub line: Line,
    /// Somebody asked to stop the search, and it has not ended yet.
    pub stopping: bool,
}

/// The state of the event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Being made.
    Connecting,
    /// Events arrive.
    Open,
    /// Lost; made again by itself.
    Lost,
    /// The server said that it goes. The next one knows whether the search goes on.
    Gone,
    /// Closed, since the search is over.
    Closed,
}

impl Tie {
    /// To a search of which a server has told when it was asked.
    pub fn to(state: RunState) -> Tie {
        let line = if state.is_over() { Line::Closed } else { Line::Connecting };
        Tie { line, stopping: false }
    }

    /// Takes note of what was heard of a search, and of the search itself.
    pub fn hear<V: View>(&mut self, view: &mut V, heard: Heard<V>) {
        match heard {
            Heard::Told(told) => {
                // Where the line was lost, the server may be another one, which nobody asked to stop anything.
                self.stopping &= self.line == Line::Open && !told.state().is_over();
                self.line = match told.state() {
                    RunState::Interrupted => Line::Gone,
                    state if state.is_over() => Line::Closed,
                    _ => Line::Open,
                };
                *view = told;
            }
            Heard::Found(found) => {
                *self = Tie::to(found.state());
                *view = found;
            }
            Heard::Missing => *self = Tie { line: Line::Closed, stopping: false },
            Heard::Opened => self.become_line(Line::Open),
            Heard::Lost => self.become_line(Line::Lost),
            Heard::Stop => self.stopping = self.can_stop(),
        }
    }

    /// Whether the search may be asked to stop.
    pub fn can_stop(self) -> bool {
        !self.stopping && !matches!(self.line, Line::Closed | Line::Gone)
    }

    /// A state with what is to be said of the line to it.
    pub fn words(self, state: RunState, words: &str) -> String {
        match self.line {
            Line::Lost => format!("{words}; the server cannot be reached, trying again"),
            Line::Gone => "the server was stopped; this page waits for it to come back".into(),
            Line::Connecting => format!("{words}; connecting"),
            Line::Closed if !state.is_over() => "the server knows it no longer".into(),
            Line::Open | Line::Closed => words.into(),
        }
    }

    fn become_line(&mut self, line: Line) {
        if !matches!(self.line, Line::Closed | Line::Gone) {
            self.line = line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Search(RunState);

    impl View for Search {
        fn id(&self) -> &'static str {
            "a"
        }

        fn state(&self) -> RunState {
            self.0
        }
    }

    /// The tie after each of what is heard of a search that runs.
    fn after(heard: impl IntoIterator<Item = Heard<Search>>) -> (Tie, Search) {
        let (mut tie, mut search) = (Tie::to(RunState::Running), Search(RunState::Running));
        heard.into_iter().for_each(|heard| tie.hear(&mut search, heard));
        (tie, search)
    }

    fn told(state: RunState) -> Heard<Search> {
        Heard::Told(Search(state))
    }

    #[test]
    fn a_lost_line_is_told_unless_the_search_is_over() {
        let (tie, _) = after([Heard::Opened, Heard::Lost]);
        assert_eq!(tie.line, Line::Lost);
        assert!(tie.words(RunState::Running, "searching").contains("cannot be reached"));
        for state in [RunState::Solved, RunState::Cancelled, RunState::Failed] {
            assert_eq!(after([told(state), Heard::Lost, Heard::Opened]).0.line, Line::Closed);
        }
    }

    #[test]
    fn stopping_lasts_until_it_is_over_or_the_server_is_another() {
        let stopping = |heard: Vec<Heard<Search>>| {
            after([Heard::Opened, Heard::Stop].into_iter().chain(heard)).0.stopping
        };
        assert!(stopping(vec![]) && stopping(vec![told(RunState::Running)]) && stopping(vec![Heard::Lost]));
        assert!(!stopping(vec![told(RunState::Cancelled)]));
        assert!(!stopping(vec![Heard::Lost, told(RunState::Running)]));
        assert!(!stopping(vec![told(RunState::Cancelled), Heard::Stop]));
    }

    #[test]
    fn what_a_server_interrupts_as_it_goes_may_go_on_with_the_next() {
        let gone = || [Heard::Opened, Heard::Stop, told(RunState::Interrupted), Heard::Lost];
        let (tie, _) = after(gone());
        assert_eq!((tie.line, tie.stopping, tie.can_stop()), (Line::Gone, false, false));
        assert!(tie.words(RunState::Interrupted, "interrupted").contains("waits for it to come back"));

        let (tie, search) = after(gone().into_iter().chain([Heard::Found(Search(RunState::Queued))]));
        assert_eq!((tie, search), (Tie::to(RunState::Queued), Search(RunState::Queued)));
        assert!(tie.can_stop());

        let (tie, _) = after(gone().into_iter().chain([Heard::Found(Search(RunState::Interrupted))]));
        assert_eq!(
            (tie.line, tie.words(RunState::Interrupted, "interrupted")),
            (Line::Closed, "interrupted".into())
        );
    }

    #[test]
    fn a_server_that_knows_nothing_of_it_ends_it() {
        let (tie, search) = after([Heard::Lost, Heard::Missing]);
        assert_eq!((tie.line, tie.can_stop()), (Line::Closed, false));
        assert!(tie.words(search.state(), "searching").contains("no longer"));
    }
}

//! Following work on the server: starting, events, stopping, reconnecting.

use super::Studio;
use crate::{
    api, rights,
    state::{
        connection::{Connection, Event, Line, Report},
        place::Place,
    },
    work::{Work, follow},
};
use leptos::{prelude::*, task::spawn_local};
use shared::api::{FormTexts, StartWork, WorkKind, WorkView};

/// A kind of work among the studio's signals.
pub trait FollowedWork: Copy + Send + Sync + 'static {
    /// Report of the work.
    type Report: Report;

    /// The connection to work; `None` if the work is not followed.
    fn connection(studio: Studio, id: &str) -> Option<Connection>;
    /// Updates work, if it is followed.
    fn update(studio: Studio, id: &str, event: Event<Self::Report>);
    /// Runs after each update of work that is followed.
    fn changed(self, _studio: Studio, _id: &str) {}
}

/// A kind of work with a page of its own.
pub trait PagedWork: FollowedWork {
    /// The kind.
    const KIND: WorkKind;

    /// Id of the work that is followed.
    fn followed(studio: Studio) -> Option<String>;
    /// The settings on screen as typed; `None` if they have faults.
    fn form(studio: Studio) -> Option<FormTexts>;
    /// Puts work on screen, to be followed from now on.
    fn show(studio: Studio, view: WorkView<Self::Report>);
    /// Opens the session that work was started from, unless it is on screen.
    fn reopen(studio: Studio, view: &WorkView<Self::Report>);
}

/// The connection to work of a kind.
#[derive(Clone, Copy)]
pub struct Follower<K: FollowedWork> {
    pub kind: K,
    /// The event streams.
    streams: Work,
    /// The request that is on its way: a second click sends no second one.
    asking: Work,
}

impl<K: FollowedWork> Follower<K> {
    /// Creates a follower of nothing.
    pub fn new(kind: K) -> Self {
        Follower { kind, streams: Work::new(), asking: Work::new() }
    }

    /// The follower of the surrounding page.
    pub fn here() -> Self {
        expect_context()
    }

    /// Sends a request, unless one is on its way.
    pub fn once(self, request: impl Future<Output = ()> + 'static) {
        if !self.asking.running.get_untracked() {
            let request = async move {
                request.await;
                Some(())
            };
            self.asking.run(|_| Some(request), |()| ());
        }
    }

    /// Stops work that is followed.
    pub fn stop_work(self, studio: Studio, id: String) {
        if !K::connection(studio, &id).is_some_and(Connection::can_stop) {
            return;
        }
        K::update(studio, &id, Event::Stop);
        spawn_local(async move {
            if let Err(problem) = api::stop(&id).await {
                if problem.status == 403 {
                    rights::forget_secret(&id);
                }
                K::update(studio, &id, Event::Refused);
                studio.view.show_problem(problem);
            }
        });
    }

    /// Follows work, which is among the signals already, until it is over. Returns `false` if the page has left it.
    pub async fn follow(self, studio: Studio, id: String) -> bool {
        let turn = self.streams.turn();
        self.kind.changed(studio, &id);
        if K::connection(studio, &id).is_some_and(|connection| connection.line != Line::Closed) {
            let (kind, work) = (self.kind, id.clone());
            let act = move |event| {
                K::update(studio, &work, event);
                let line = K::connection(studio, &work)?.line;
                kind.changed(studio, &work);
                Some(line)
            };
            if let Err(problem) = follow(turn, id, act).await {
                studio.view.show_problem(problem);
            }
        }
        turn.is_current()
    }

    /// Closes all connections.
    pub fn leave(self) {
        self.streams.cancel();
    }
}

/// `true` while the work of this id was started by another browser, whose edit link this one does not hold.
pub fn is_of_others(id: impl Fn() -> Option<String> + Send + Sync + 'static) -> Memo<bool> {
    // Reports come often, and each look reads the browser's storage.
    let id = Memo::new(move |_| id());
    Memo::new(move |_| id.with(|id| id.as_ref().is_some_and(|id| !rights::may_stop(id))))
}

impl<K: PagedWork> Follower<K> {
    /// Starts work with the settings on screen.
    pub fn start(self, studio: Studio) {
        let Some(form) = K::form(studio) else { return };
        let spec = Some(studio.session.text_now());
        let request = StartWork { kind: K::KIND, spec, form, ..StartWork::default() };
        self.once(async move {
            studio.view.notice.set(None);
            match api::start(&request, None).await {
                Ok(view) => {
                    studio.view.go(Place::of(&K::KIND.page(&view.id), ""));
                    self.show(studio, view);
                    studio.remember();
                }
                Err(problem) => studio.view.show_problem(problem),
            }
        });
    }

    /// Puts work on screen in place of other work, and follows it.
    pub fn show(self, studio: Studio, view: WorkView<K::Report>) {
        let id = view.id.clone();
        K::show(studio, view);
        self.leave();
        spawn_local(async move {
            self.follow(studio, id).await;
        });
    }

    /// Stops the work that is followed.
    pub fn stop(self, studio: Studio) {
        if let Some(id) = K::followed(studio) {
            self.stop_work(studio, id);
        }
    }

    /// Opens the page of work. Returns `false` if the server has no such work.
    pub async fn open(self, studio: Studio, id: String) -> bool {
        let (place, answer) = (studio.view.place.get_untracked(), api::work(&id).await);
        if studio.view.place.get_untracked() != place {
            return true;
        }
        match answer {
            Ok(view) => {
                K::reopen(studio, &view);
                self.show(studio, view);
            }
            Err(problem) if problem.status == 404 => return false,
            Err(problem) => studio.view.show_problem(problem),
        }
        true
    }
}

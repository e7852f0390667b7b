//! Following a job on the server (a search, a hardware search, a simulation): starting, events, stopping, reconnecting.

use super::Studio;
use crate::{
    api::{self, Answer, Events},
    browser, rights,
    state::{
        connection::{Connection, Event, Line, View},
        place::Place,
    },
};
use leptos::{prelude::*, task::spawn_local};

/// Milliseconds between attempts to reach a server that has stopped.
const RETRY: u32 = 2000;

/// A kind of job: its place among the studio's signals, and its calls to the server.
pub trait Kind: Copy + Send + Sync + 'static {
    /// A job as the server reports it.
    type View: View;
    /// An update of a job.
    type Action: From<Event<Self::View>> + 'static;

    /// The connection to a job; `None` if the job is not followed.
    fn connection(studio: Studio, id: &str) -> Option<Connection>;
    /// Updates a job, if it is followed.
    fn update(studio: Studio, id: &str, action: Self::Action);
    /// Opens the event stream of a job.
    fn listen(id: &str, act: impl Fn(Self::Action) + Clone + 'static) -> Option<Events> {
        api::job_events(id, &act)
    }
    /// Runs after each update of a job that is followed.
    fn changed(_follower: Follower<Self>, _studio: Studio, _id: &str) {}
}

/// A kind of job with a page of its own.
pub trait Paged: Kind {
    /// The page of a job.
    fn place(id: String) -> Place;
    /// Id of the job that is followed.
    fn followed(studio: Studio) -> Option<String>;
    /// Starts a job with the settings on screen; `None` if they have faults.
    fn start(studio: Studio) -> Option<impl Future<Output = Answer<Self::View>>>;
    /// Puts a job on screen, to be followed from now on.
    fn show(studio: Studio, view: Self::View);
    /// Opens the session a job was started from, unless it is on screen.
    fn reopen(studio: Studio, view: &Self::View);
}

/// The connection to the job of a kind that is followed.
#[derive(Clone, Copy)]
pub struct Follower<K: Kind> {
    pub kind: K,
    events: StoredValue<Option<Events>, LocalStorage>,
    /// `true` while a request is on its way: a second click sends no second one.
    asking: StoredValue<bool>,
}

impl<K: Kind> Follower<K> {
    /// Creates a follower of nothing.
    pub fn new(kind: K) -> Self {
        Follower { kind, events: StoredValue::new_local(None), asking: StoredValue::new(false) }
    }

    /// The follower of the surrounding page.
    pub fn here() -> Self {
        expect_context()
    }

    /// Sends a request, unless one is on its way.
    pub fn once(self, request: impl Future<Output = ()> + 'static) {
        if self.asking.get_value() {
            return;
        }
        self.asking.set_value(true);
        spawn_local(async move {
            request.await;
            self.asking.set_value(false);
        });
    }

    /// Stops a job.
    pub fn stop_job(self, studio: Studio, id: String) {
        if !K::connection(studio, &id).is_some_and(Connection::can_stop) {
            return;
        }
        K::update(studio, &id, Event::Stop.into());
        spawn_local(async move {
            if let Err(problem) = api::stop_job::<K::View>(&id).await {
                if problem.status == 403 {
                    rights::forget_secret(&id);
                }
                K::update(studio, &id, Event::Refused.into());
                studio.view.show_problem(problem);
            }
        });
    }

    /// Follows a job, which is among the signals already, until it is over.
    pub fn follow(self, studio: Studio, id: &str) {
        self.leave();
        if K::connection(studio, id).is_some_and(|connection| connection.line != Line::Closed) {
            self.listen(studio, id.to_owned());
        }
        K::changed(self, studio, id);
    }

    /// Closes the connection.
    pub fn leave(self) {
        self.events.set_value(None);
    }

    fn listen(self, studio: Studio, id: String) {
        let job = id.clone();
        let events = K::listen(&id, move |action| {
            K::update(studio, &job, action);
            let line = K::connection(studio, &job).map(|connection| connection.line);
            let given_up = self.events.with_value(|e| e.as_ref().is_some_and(Events::is_closed));
            // Not inside the stream's own callback, which would be freed while it runs.
            match line {
                None | Some(Line::Closed) => spawn_local(async move { self.leave() }),
                Some(Line::Gone) => spawn_local(self.reconnect(studio, job.clone())),
                Some(_) if given_up => spawn_local(self.reconnect(studio, job.clone())),
                Some(_) => {}
            }
            if line.is_some() {
                K::changed(self, studio, &job);
            }
        });
        self.events.set_value(events);
    }

    /// Retries until a server answers, and follows the job there. The server has stopped, or the browser has given up the stream.
    async fn reconnect(self, studio: Studio, id: String) {
        // Several events may have asked for this.
        if self.events.with_value(Option::is_none) {
            return;
        }
        self.leave();
        loop {
            browser::sleep(RETRY).await;
            let answer = api::job::<K::View>(&id).await;
            if K::connection(studio, &id).is_none() || self.events.with_value(Option::is_some) {
                return;
            }
            match answer {
                Ok(view) => {
                    K::update(studio, &id, Event::Fetched(view).into());
                    return self.follow(studio, &id);
                }
                Err(problem) if problem.status == 404 => {
                    K::update(studio, &id, Event::Missing.into());
                    studio.view.show_problem(problem);
                    return K::changed(self, studio, &id);
                }
                // Unreachable, or about to stop.
                Err(_) => {}
            }
        }
    }
}

/// `true` while the job of this id was started by another browser, whose edit link this one does not hold.
pub fn is_of_others(id: impl Fn() -> Option<String> + Send + Sync + 'static) -> Memo<bool> {
    // Reports come often, and each look reads the browser's storage.
    let id = Memo::new(move |_| id());
    Memo::new(move |_| id.with(|id| id.as_ref().is_some_and(|id| !rights::may_stop(id))))
}

impl<K: Paged> Follower<K> {
    /// Starts a job with the settings on screen.
    pub fn start(self, studio: Studio) {
        let Some(request) = K::start(studio) else { return };
        self.once(async move {
            studio.view.notice.set(None);
            match request.await {
                Ok(view) => {
                    let id = view.id().to_owned();
                    studio.view.go(K::place(id.clone()));
                    K::show(studio, view);
                    self.follow(studio, &id);
                    studio.remember();
                }
                Err(problem) => studio.view.show_problem(problem),
            }
        });
    }

    /// Stops the job that is followed.
    pub fn stop(self, studio: Studio) {
        if let Some(id) = K::followed(studio) {
            self.stop_job(studio, id);
        }
    }

    /// Opens the page of a job. Returns `false` if the server has no such job.
    pub async fn open(self, studio: Studio, id: String) -> bool {
        let answer = api::job::<K::View>(&id).await;
        if studio.view.place.get_untracked() != K::place(id.clone()) {
            return true;
        }
        match answer {
            Ok(view) => {
                K::reopen(studio, &view);
                K::show(studio, view);
                self.follow(studio, &id);
            }
            Err(problem) if problem.status == 404 => return false,
            Err(problem) => studio.view.show_problem(problem),
        }
        true
    }
}

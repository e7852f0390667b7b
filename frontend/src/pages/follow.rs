//! Searches on the server, of a wiring or of hardware: starting, following, stopping, coming back to one by its number, and
//! going on where the server went and came back.

use super::studio::Studio;
use crate::{
    api::{Answer, Events},
    browser,
    state::{
        place::Place,
        recent::{Kept, Recent},
        tie::{Followed, Heard, Line, View},
    },
};
use leptos::{prelude::*, task::spawn_local};

/// How long a server that has gone is left alone before it is looked for again.
const LOOK_AGAIN: u32 = 2000;

/// What the server tells of a kind of search.
pub type ViewOf<K> = <<K as Kind>::Search as Followed>::View;
/// What can happen to a kind of search.
pub type ActionOf<K> = <<K as Kind>::Search as Followed>::Action;

/// A kind of search on the server: where it stands on the page, and how the server is asked.
pub trait Kind: Copy + Send + Sync + 'static {
    /// What is followed.
    type Search: Followed;

    /// Told where an address leads to none.
    const MISSING: &'static str;

    /// The one that is followed.
    fn signal(studio: Studio) -> RwSignal<Option<Self::Search>>;
    /// The page of one.
    fn place(id: String) -> Place;
    /// Asks for one as the form on screen says; `None` if the form is wrong.
    fn ask(studio: Studio) -> Option<impl Future<Output = Answer<ViewOf<Self>>>>;
    /// Asks how one stands.
    fn get(id: &str) -> impl Future<Output = Answer<ViewOf<Self>>>;
    /// Asks one to stop.
    fn stop(id: &str) -> impl Future<Output = Answer<()>>;
    /// Makes a line to one.
    fn listen(id: &str, act: impl Fn(ActionOf<Self>) + Clone + 'static) -> Option<Events>;

    /// Whether the session on screen is the one that it was started from.
    fn is_on_screen(studio: Studio, id: &str) -> bool;
    /// The session that this browser has kept of it.
    fn kept<'a>(recent: &'a Recent, id: &str, own: Option<u64>) -> Option<&'a Kept>;
    /// The text of its spec.
    fn spec(view: &ViewOf<Self>) -> &str;
    /// Somebody came back to it, and its session is on screen.
    fn came_back(_studio: Studio, _view: &ViewOf<Self>) {}
    /// It is followed from now on.
    fn followed(self, _studio: Studio, _id: &str) {}
    /// Something may have changed.
    fn changed(self, _studio: Studio, _id: &str) {}
}

/// The line to the search of a kind that is followed.
#[derive(Clone, Copy)]
pub struct Follower<K: Kind> {
    /// What it follows.
    pub kind: K,
    events: StoredValue<Option<Events>, LocalStorage>,
    /// A request is on its way: a second click makes no second one.
    asking: StoredValue<bool>,
}

impl<K: Kind> Follower<K> {
    /// Follows nothing yet.
    pub fn new(kind: K) -> Self {
        Follower { kind, events: StoredValue::new_local(None), asking: StoredValue::new(false) }
    }

    /// The follower that the surrounding page provides.
    pub fn here() -> Self {
        expect_context()
    }

    /// Starts a search for the spec on screen.
    pub fn start(self, studio: Studio) {
        let Some(asked) = K::ask(studio) else { return };
        self.once(async move {
            studio.notice.set(None);
            match asked.await {
                Ok(view) => {
                    studio.go(K::place(view.id().to_owned()));
                    self.follow(studio, view);
                    studio.remember();
                }
                Err(problem) => studio.problem(problem),
            }
        });
    }

    /// Does what asks the server for something, unless something is being asked for.
    pub fn once(self, asking: impl Future<Output = ()> + 'static) {
        if self.asking.get_value() {
            return;
        }
        self.asking.set_value(true);
        spawn_local(async move {
            asking.await;
            self.asking.set_value(false);
        });
    }

    /// Asks the search to stop.
    pub fn stop(self, studio: Studio) {
        let can_stop = K::signal(studio).with_untracked(|s| s.as_ref().is_some_and(|s| s.tie().can_stop()));
        let Some(id) = followed::<K>(studio).filter(|_| can_stop) else { return };
        act::<K>(studio, &id, Heard::Stop.into());
        spawn_local(async move {
            if let Err(problem) = K::stop(&id).await {
                studio.problem(problem);
            }
        });
    }

    /// Comes back to a search by its number. Unless the session on screen is the one it was started from, that is opened too.
    pub async fn come_back(self, studio: Studio, id: String) {
        let answer = K::get(&id).await;
        if studio.place.get_untracked() != K::place(id.clone()) {
            return;
        }
        match answer {
            Ok(view) => {
                if !K::is_on_screen(studio, &id) {
                    reopen::<K>(studio, &view);
                }
                K::came_back(studio, &view);
                self.follow(studio, view);
            }
            Err(problem) if problem.status == 404 => super::begin_anew(studio, K::MISSING),
            Err(problem) => studio.problem(problem),
        }
    }

    /// Follows a search until it is over.
    pub fn follow(self, studio: Studio, view: ViewOf<K>) {
        let id = view.id().to_owned();
        let search = K::Search::new(view);
        let over = search.is_over();
        self.kind.followed(studio, &id);
        K::signal(studio).set(Some(search));
        self.leave();
        self.kind.changed(studio, &id);
        if !over {
            self.listen(studio, id);
        }
    }

    /// Follows nothing any more.
    pub fn leave(self) {
        self.events.set_value(None);
    }

    fn listen(self, studio: Studio, id: String) {
        let heard = id.clone();
        let events = K::listen(&id, move |action| {
            act::<K>(studio, &heard, action);
            let line = K::signal(studio).with_untracked(|s| s.as_ref().map(|s| s.tie().line));
            let given_up = self.events.with_value(|e| e.as_ref().is_some_and(Events::is_closed));
            // Not inside the stream's own callback, which would be freed while it runs.
            match line {
                None | Some(Line::Closed) => spawn_local(async move { self.leave() }),
                Some(Line::Gone) => spawn_local(self.again(studio, heard.clone())),
                Some(_) if given_up => spawn_local(self.again(studio, heard.clone())),
                Some(_) => {}
            }
            self.kind.changed(studio, &heard);
        });
        self.events.set_value(events);
    }

    /// Looks for a server that has gone until there is one again, and follows the search there. So it does where the browser
    /// has given up the line.
    async fn again(self, studio: Studio, id: String) {
        // Several events may have told the same.
        if self.events.with_value(Option::is_none) {
            return;
        }
        self.leave();
        loop {
            browser::sleep(LOOK_AGAIN).await;
            let answer = K::get(&id).await;
            if followed::<K>(studio).as_ref() != Some(&id) || self.events.with_value(Option::is_some) {
                return;
            }
            match answer {
                Ok(view) => {
                    act::<K>(studio, &id, Heard::Found(view).into());
                    break;
                }
                Err(problem) if problem.status == 404 => {
                    act::<K>(studio, &id, Heard::Missing.into());
                    return studio.problem(problem);
                }
                // Unreachable, or about to go.
                Err(_) => {}
            }
        }
        if K::signal(studio).with_untracked(|s| s.as_ref().is_some_and(|s| !s.is_over())) {
            self.listen(studio, id.clone());
        }
        self.kind.changed(studio, &id);
    }
}

/// Opens the session that a search was started from, as far as this browser has kept it.
fn reopen<K: Kind>(studio: Studio, view: &ViewOf<K>) {
    studio.read_recent();
    let own = Studio::own_key();
    let edited = studio.recent.with_untracked(|r| K::kept(r, view.id(), own).cloned());
    match edited {
        Some(kept) => {
            super::runs::restore(studio, &kept);
            // The session of another tab goes on there; here it is a copy.
            if own != Some(kept.key) {
                studio.key.set(browser::now());
            }
        }
        None => studio.open(K::spec(view)),
    }
}

/// The search of a kind that is followed, by its number.
pub fn followed<K: Kind>(studio: Studio) -> Option<String> {
    K::signal(studio).with_untracked(|s| s.as_ref().map(|s| s.view().id().to_owned()))
}

/// Carries out what happened to a search, if it is the one that is followed.
pub fn act<K: Kind>(studio: Studio, id: &str, action: ActionOf<K>) {
    if followed::<K>(studio).as_deref() == Some(id) {
        K::signal(studio).update(|search| {
            if let Some(search) = search {
                search.update(action);
            }
        });
    }
}

//! Opening the page that the address bar names, and going from page to page.

use super::{
    Session, ShownWiring, Studio,
    follow::{Follower, PagedWork},
    searches::{BoardFollower, RunFollower},
    session::OpenedWork,
    simulations::{Simulator, fingerprint_of},
};
use crate::{
    api, browser,
    components::{PartCall, parts},
    rights,
    state::{
        compare::Prices,
        link::Link,
        place::{Pane, Place, Room, Scene},
        recent::RecentDraft,
        simulate::{Curve, SimulateForm},
    },
};
use leptos::{prelude::*, task::spawn_local};
use serde::Deserialize;
use shared::{
    api::{CompareForm, GalleryEntry, StartWork, WorkKind},
    spec::link,
};
use std::sync::Arc;

/// Id of the spec that a first visit shows.
pub const FIRST: &str = "kasy0";
/// Storage key, per tab, of the link that the tab's session was opened from.
const LINK: &str = "crosspoint.link";

/// Key of the secret in the fragment of an edit link.
pub const EDIT: &str = "edit";

/// Opens pages.
#[derive(Clone, Copy)]
pub struct Navigator {
    studio: Studio,
    runs: RunFollower,
    boards: BoardFollower,
    simulator: Simulator,
}

/// Work of any kind.
#[derive(Deserialize)]
struct WorkRequest {
    asked: StartWork,
}

parts! {
    studies {
        /// Opens the page of work other than searches.
        open_work(navigator: Navigator, id: String) -> () { spawn_local(navigator.open_work(id)) }
    }
    results {
        /// Opens a page other than the start page.
        open_place(navigator: Navigator, place: Place) -> () { navigator.open(place) }
    }
}

impl Navigator {
    /// Creates it and opens the page of the address bar, now and whenever somebody goes back or forward.
    pub fn new(studio: Studio, runs: RunFollower, boards: BoardFollower, simulator: Simulator) -> Navigator {
        let navigator = Navigator { studio, runs, boards, simulator };
        let back = window_event_listener(leptos::ev::popstate, move |_| {
            let (path, fragment) = browser::address();
            let place = Place::of(&path, &fragment);
            let is_here = studio.view.place.with_untracked(|here| *here == place);
            if take_secret(&place) && is_here {
                // The page shows what it may do now.
                return browser::reload();
            }
            studio.view.follow_address(place, &path);
            if !is_here {
                navigator.arrive();
            }
        });
        on_cleanup(move || back.remove());
        studio.view.place.with_untracked(take_secret);
        spawn_local(async move {
            match api::gallery().await {
                Ok(entries) => studio.session.gallery.set(entries),
                Err(problem) => studio.view.show_problem(problem),
            }
            // The gallery is drawn first.
            browser::breathe().await;
            navigator.arrive();
        });
        navigator
    }

    /// The navigator of the surrounding page.
    pub fn here() -> Navigator {
        expect_context()
    }

    /// Goes to a place and loads it.
    pub fn go(self, place: Place) {
        self.open_at(place, Room::Design);
    }

    /// Goes to a page of the design: that on screen, or the one that was on screen last.
    pub fn enter(self, room: Room) {
        if self.studio.view.pane.get_untracked() == Pane::Search {
            self.studio.view.pane.set(Pane::View);
        }
        // The other half of a search that may only be watched is part of a copy.
        let view = self.studio.view;
        if view.viewing.get_untracked() && view.is_at_hardware() != (room == Room::Hardware) {
            self.studio.fork();
        }
        match room {
            Room::Hardware => self.go(self.hardware()),
            room => self.open_at(self.wiring(), room),
        }
    }

    /// Goes to a view of the design.
    pub fn look(self, scene: Scene) {
        self.studio.view.show_scene(scene);
        self.enter(Room::Design);
    }

    fn open_at(self, place: Place, room: Room) {
        let is_here = self.studio.view.place.get_untracked() == place;
        self.studio.view.enter(place, room);
        if !is_here {
            self.arrive();
        }
    }

    /// Opens the start page. The session that is left stays among the drafts.
    pub fn home(self) {
        Session::forget();
        self.go(Place::Home);
    }

    /// The place of the design: that of the session's search, if it has one.
    pub fn wiring(self) -> Place {
        let Studio { session, result, view } = self.studio;
        let place = view.place.get_untracked();
        if place.has_rooms() && !place.is_hardware() {
            return place;
        }
        if let Some(place) = view.latest() {
            return place;
        }
        let on_screen = result.run.with_untracked(|r| r.as_ref().map(|r| r.view.id.clone()));
        let key = session.key.get_untracked();
        let kept =
            || session.recent.with_untracked(|recent| recent.0.iter().find(|k| k.key == key)?.run.clone());
        on_screen.or_else(kept).map_or(Place::Draft, Place::Run)
    }

    /// The page of the session's hardware: that of its hardware search, if it has one.
    pub fn hardware(self) -> Place {
        self.studio.session.board_id.get_untracked().map_or(Place::Hardware, Place::Board)
    }

    /// Loads the page of the place on screen.
    fn arrive(self) {
        let Navigator { studio, runs, .. } = self;
        match studio.view.place.get_untracked() {
            Place::Home => runs.leave(),
            Place::Draft => {
                runs.leave();
                self.resume();
            }
            Place::Hardware if studio.session.is_blank() => self.resume(),
            Place::Hardware => {}
            Place::Operator => runs.leave(),
            // A search goes on in the background.
            Place::Library | Place::Workspace(_) | Place::Difference(..) => {}
            Place::Unknown => self.start_over("There is no such page."),
            Place::Work(id) => studio.act(move || open_work(self, id.clone())),
            place => studio.act(move || open_place(self, place.clone())),
        }
    }

    /// Opens a search, a saved design or a link, if it is still on screen.
    pub(super) fn open(self, place: Place) {
        let Navigator { studio, runs, boards, .. } = self;
        if studio.view.place.get_untracked() != place {
            return;
        }
        match place {
            Place::Board(id) => self.open_search(boards, id, "The server has no such hardware search."),
            Place::Run(id) => self.open_search(runs, id, "The server has no such search."),
            Place::Design(id) => {
                runs.leave();
                spawn_local(self.open_design(id));
            }
            Place::Link(link) => {
                runs.leave();
                self.open_link(&link);
            }
            _ => {}
        }
    }

    /// Opens the page of a search, unless it is followed. `missing` is the error if the server has no such search.
    fn open_search<K: PagedWork>(self, follower: Follower<K>, id: String, missing: &'static str) {
        let studio = self.studio;
        if K::followed(studio).as_ref() != Some(&id) {
            spawn_local(async move {
                if !follower.open(studio, id).await {
                    self.start_over(missing);
                }
            });
        }
    }

    /// Opens the session of work, with its form in the fields of the page that shows the report.
    async fn open_work(self, id: String) {
        let studio = self.studio;
        let (place, answer) = (Place::Work(id.clone()), api::work::<WorkRequest>(&id).await);
        if studio.view.place.get_untracked() != place {
            return;
        }
        let asked = match answer {
            Ok(WorkRequest { asked }) => asked,
            Err(problem) if problem.status == 404 => return self.start_over("The server has no such work."),
            Err(problem) => return studio.view.show_problem(problem),
        };
        let page = Place::of(&asked.kind.page(&id), "");
        if page != place {
            browser::replace_address(&page.address());
            studio.view.place.set(page);
            return self.arrive();
        }
        match &asked.spec {
            Some(spec) => studio.open(spec),
            // The session on screen stays.
            None if studio.session.is_blank() => self.open_example(None),
            None => {}
        }
        let (spec, table) = (asked.spec().to_owned(), asked.table.clone().filter(|_| asked.spec.is_some()));
        self.show_work(id, asked);
        if let Some(table) = table {
            let held = ShownWiring::load(&spec, &table, "imported".into()).await;
            if studio.view.place.get_untracked() != place {
                return;
            }
            match held {
                Ok(held) => studio.result.held.set(Some(held)),
                Err(lines) => studio.view.show_error("This wiring cannot be read.", lines),
            }
        }
    }

    /// Puts the form of work into the fields of its page. The page takes the report in place of new work as long as they stay.
    fn show_work(self, id: String, mut asked: StartWork) {
        let Studio { session, result, view } = self.studio;
        match asked.kind {
            WorkKind::Simulation => {
                let form = SimulateForm::of(asked.form.form());
                session.simulate.set(form.clone());
                if result.curves.with_untracked(|curves| curves.of_id(&id).is_none()) {
                    let (form, of) = (form.texts().clone(), fingerprint_of(&asked));
                    result.curves.update(|curves| {
                        curves.add(Curve { form, of, id: Some(id), ..Curve::default() });
                    });
                }
                self.simulator.find_again(self.studio);
                return view.show(Room::Simulate);
            }
            WorkKind::Compare | WorkKind::Estimate => {
                let form: CompareForm = asked.form.form();
                session.prices.set(Prices::of(&form.prices));
                let networks = form.networks().join(" ");
                // Fields as this page writes them in a request.
                let texts =
                    [("prices", session.prices.read_untracked().text()), ("fabrics", networks.clone())];
                for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
                    asked.form.0.insert(key.into(), text);
                }
                session.networks.set(networks);
                session.network_files.set(asked.files.clone());
                session.estimate.set(asked.form.form());
                view.show(if asked.kind == WorkKind::Compare { Room::Compare } else { Room::StepTime });
            }
            WorkKind::Placement => view.show_view(Scene::Racks),
            WorkKind::Analysis | WorkKind::Search | WorkKind::Hardware => view.show_view(Scene::Figures),
        }
        session.opened.set_value(Some(OpenedWork { id, asked }));
    }

    /// Continues the tab's draft. If it is on screen, its undo steps stay.
    fn resume(self) {
        let studio = self.studio;
        let Some(kept) = studio.session.own() else {
            // An example on screen stays.
            if studio.session.is_blank() {
                self.open_example(Session::picked());
            }
            return;
        };
        let same = studio.session.key.get_untracked() == kept.key
            && studio.session.draft.with_untracked(|d| d.document().text == kept.text);
        if !same || studio.result.run.with_untracked(Option::is_some) {
            studio.restore(&kept);
        }
    }

    /// Opens the first example spec as a session.
    pub fn open_first(self) {
        if let Some(entry) = self.example(None) {
            self.studio.pick(&entry);
        }
    }

    /// Opens an example spec: the wanted one, else the first.
    fn open_example(self, wanted: Option<String>) {
        if let Some(entry) = self.example(wanted) {
            self.studio.open(&entry.spec);
        }
    }

    fn example(self, wanted: Option<String>) -> Option<GalleryEntry> {
        let named = |gallery: &[GalleryEntry], id: &str| gallery.iter().find(|e| e.id == id).cloned();
        self.studio.session.gallery.with_untracked(|gallery| {
            let wanted = wanted.and_then(|id| named(gallery, &id));
            wanted.or_else(|| named(gallery, FIRST)).or_else(|| gallery.first().cloned())
        })
    }

    /// Opens a saved design.
    async fn open_design(self, id: String) {
        let studio = self.studio;
        let answer = api::design(&id).await;
        let place = Place::Design(id);
        if studio.view.place.get_untracked() != place {
            return;
        }
        match answer {
            Ok(view) => {
                studio.open(&view.spec);
                let held = ShownWiring::load(&view.spec, &view.table, view.origin.clone()).await;
                if studio.view.place.get_untracked() != place {
                    return;
                }
                match held {
                    Ok(mut held) => {
                        held.kept = Some(Arc::new(view));
                        studio.result.held.set(Some(held));
                        studio.apply_link(&Link::of(browser::address().1.trim_start_matches('#')));
                    }
                    Err(lines) => studio.view.show_error("This design cannot be read.", lines),
                }
            }
            Err(problem) if problem.status == 404 => self.start_over("The server has no such design."),
            Err(problem) if problem.status == 410 => {
                self.nowhere(problem.detail);
            }
            Err(problem) => studio.view.show_problem(problem),
        }
    }

    /// Opens the spec in a link, or continues the draft that this tab has made of it.
    fn open_link(self, text: &str) {
        let studio = self.studio;
        let link = Link::of(text);
        let known = |kept: &RecentDraft| {
            browser::stored_for_tab(LINK).is_some_and(|l| l == format!("{} {text}", kept.key))
        };
        if let Some(kept) = studio.session.own().filter(known) {
            studio.restore(&kept);
            studio.apply_link(&link);
            return;
        }
        match link::decode(&link.spec) {
            Ok(spec) => {
                studio.open(&spec);
                studio.apply_link(&link);
                browser::store_for_tab(LINK, &format!("{} {text}", studio.session.key.get_untracked()));
            }
            Err(fault) => {
                self.start_over(&format!("The spec in this link cannot be read: {}", fault.message));
            }
        }
    }

    /// Opens the start page with an error above it: the address leads nowhere.
    fn start_over(self, reason: &str) {
        self.nowhere(format!("{reason} Check that the link is complete."));
    }

    fn nowhere(self, text: String) {
        Session::forget();
        self.studio.view.place.set(Place::Home);
        self.studio.view.show_error(text, Vec::new());
    }
}

/// Takes the secret of an edit link out of the address bar, so that nobody passes it on by accident. Returns `true` if there was
/// one.
fn take_secret(place: &Place) -> bool {
    let (Place::Run(id) | Place::Workspace(id)) = place else { return false };
    let (path, fragment) = browser::address();
    let link = Link::of(fragment.trim_start_matches('#'));
    let secret = link.part(EDIT);
    if let Some(secret) = secret {
        rights::keep_secret(id, secret);
        browser::replace_address(&path);
    }
    secret.is_some()
}

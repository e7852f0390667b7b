//! The part of a session on screen, and the notice above it.

use crate::{
    browser, rights,
    state::{
        columns::Columns,
        drawers::Drawer,
        map,
        place::{Pane, Place, Room, Scene, Side},
        routes::Ends,
        selection::DesignPart,
        theme::Choice,
        traffic::Target,
        wiring::Table,
        words::{problem_faults, problem_words},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::api::Problem;
use std::{collections::BTreeSet, sync::Arc};

/// Storage key of the theme; the page reads it before the studio starts.
const THEME: &str = "crosspoint.theme";
/// Storage key of the view of the design, for this tab.
const SCENE: &str = "crosspoint.scene";
/// Storage key of the folded sides.
const FOLDED: &str = "crosspoint.folded";
/// The node and the switch that exports show at first.
const FIRST_PART: &str = "0";
/// Milliseconds that a notice stays.
const NOTICE: u32 = 8000;
/// Milliseconds that a notice with a button stays.
const OFFER: u32 = 30_000;

/// A notice above the panels.
#[derive(Clone, Debug)]
pub struct Notice {
    /// `true` for an error, which stays until it is dismissed.
    pub bad: bool,
    pub text: String,
    /// Details, a line each.
    pub lines: Vec<String>,
    /// Label and action of a button that can fix the error.
    pub offer: Option<(String, Act)>,
}

/// The action of a notice's button. It outlives the component that offers it.
#[derive(Clone)]
pub struct Act(Arc<dyn Fn() + Send + Sync>);

impl Act {
    /// Carries it out.
    pub fn run(&self) {
        (self.0)();
    }
}

impl std::fmt::Debug for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Act")
    }
}

/// Files of measured traffic, and the use of it.
#[derive(Clone)]
pub struct TrafficFiles {
    pub files: Vec<web_sys::File>,
    pub target: Target,
}

/// The view's signals.
#[derive(Clone, Copy)]
pub struct View {
    pub place: RwSignal<Place>,
    /// The page of the design, unless `place` is one of hardware.
    page: RwSignal<Room>,
    /// `true` on the page of a search of another browser, whose edit link this one does not hold.
    pub viewing: Memo<bool>,
    /// The design that was on screen last.
    latest: RwSignal<Option<Place>>,
    pub map: RwSignal<map::View>,
    pub scene: RwSignal<Scene>,
    /// The panel of the Design page that a narrow screen shows.
    pub pane: RwSignal<Pane>,
    /// `true` for each side of the Design page that is folded.
    folded: RwSignal<[bool; 2]>,
    /// The part of the form that is open over the view.
    pub drawer: RwSignal<Option<Drawer>>,
    /// The part under the pointer, in any view.
    pub hovered: RwSignal<Option<DesignPart>>,
    /// The part that was picked in any view.
    pub selected: RwSignal<Option<DesignPart>>,
    /// Several parts under the pointer, in words, where a picture sums them.
    pub summed: RwSignal<Option<String>>,
    pub table: RwSignal<Table>,
    pub ends: RwSignal<Ends>,
    /// The export that the list of exports is to open.
    pub export: RwSignal<Option<&'static str>>,
    /// Exports that are ticked for an archive, by name.
    pub ticked: RwSignal<BTreeSet<&'static str>>,
    /// Columns of tables, as long as the page is open.
    pub columns: RwSignal<Columns>,
    /// The node and the switch, as typed, that exports with a file for each show.
    pub parts: [RwSignal<String>; 2],
    pub theme: RwSignal<Choice>,
    pub dark: Memo<bool>,
    pub notice: RwSignal<Option<Notice>>,
    pub help: RwSignal<bool>,
    /// The chapter that help opens next, instead of the one of the page.
    pub chapter: RwSignal<Option<&'static str>>,
    /// The word of the glossary that help shows next; empty for the top of the chapter.
    pub word: RwSignal<&'static str>,
    /// The open step of the tour.
    pub tour: RwSignal<Option<usize>>,
    /// The import of measured traffic that is open.
    pub traffic: RwSignal<Option<TrafficFiles>, LocalStorage>,
}

impl View {
    pub(super) fn new() -> View {
        let theme = RwSignal::new(Choice::named(&browser::stored(THEME).unwrap_or_default()));
        let system = RwSignal::new(browser::system_is_dark());
        browser::on_system_theme(move |dark| system.set(dark));
        // Paper is light.
        let printing = RwSignal::new(false);
        browser::on_print(move |now| printing.set(now));
        let (path, fragment) = browser::address();
        let place = RwSignal::new(Place::of(&path, &fragment));
        let latest = RwSignal::new(None);
        Effect::new(move |_| {
            let place = place.get();
            if place.has_rooms() && !place.is_hardware() {
                latest.set(Some(place));
            }
        });
        let viewing = Memo::new(move |_| match place.get() {
            Place::Run(id) | Place::Board(id) => !rights::may_stop(&id),
            _ => false,
        });
        View {
            place,
            viewing,
            latest,
            page: RwSignal::new(Room::of(&path)),
            map: RwSignal::new(map::View::all(1)),
            scene: RwSignal::new(Scene::named(&browser::stored_for_tab(SCENE).unwrap_or_default())),
            pane: RwSignal::new(Pane::default()),
            folded: RwSignal::new(
                ['l', 'r'].map(|side| browser::stored(FOLDED).unwrap_or_default().contains(side)),
            ),
            drawer: RwSignal::new(None),
            hovered: RwSignal::new(None),
            selected: RwSignal::new(None),
            summed: RwSignal::new(None),
            table: RwSignal::new(Table::default()),
            ends: RwSignal::new(Ends::default()),
            export: RwSignal::new(None),
            ticked: RwSignal::default(),
            columns: RwSignal::default(),
            parts: [(); 2].map(|()| RwSignal::new(FIRST_PART.into())),
            theme,
            dark: Memo::new(move |_| !printing.get() && theme.get().is_dark(system.get())),
            notice: RwSignal::new(None),
            help: RwSignal::new(false),
            chapter: RwSignal::new(None),
            word: RwSignal::new(""),
            tour: RwSignal::new(None),
            traffic: RwSignal::new_local(None),
        }
    }

    /// `true` on the session's hardware page.
    pub fn is_at_hardware(self) -> bool {
        self.place.with_untracked(Place::is_hardware)
    }

    /// The part that all views light up.
    pub fn active(self) -> Option<DesignPart> {
        self.hovered.get().or_else(|| self.selected.get())
    }

    /// Opens a chapter of the help.
    pub fn read(self, chapter: &'static str) {
        self.word.set("");
        self.chapter.set(Some(chapter));
        self.help.set(true);
    }

    /// Opens the glossary at a word.
    pub fn explain(self, word: &'static str) {
        self.read("glossary");
        self.word.set(word);
    }

    /// Picks a part, or nothing.
    pub fn select(self, part: Option<DesignPart>) {
        if self.selected.get_untracked() != part {
            self.selected.set(part);
        }
    }

    /// Picks, filters and names no parts: those of one design are none of the next.
    pub(super) fn forget_parts(self) {
        self.drawer.set(None);
        self.hovered.set(None);
        self.summed.set(None);
        self.select(None);
        self.table.set(Table::default());
        self.ends.set(Ends::default());
        for part in self.parts {
            part.set(FIRST_PART.into());
        }
    }

    /// Shows another view of the design.
    pub fn show_scene(self, scene: Scene) {
        self.hovered.set(None);
        self.summed.set(None);
        self.scene.set(scene);
        browser::store_for_tab(SCENE, scene.title());
    }

    /// The page of the session or design on screen.
    pub fn room(self) -> Room {
        match self.page.get() {
            _ if self.place.with(Place::is_hardware) => Room::Hardware,
            // Of the hardware that was left.
            Room::Hardware => Room::Design,
            page => page,
        }
    }

    /// The design that was on screen last.
    pub fn latest(self) -> Option<Place> {
        self.latest.get_untracked()
    }

    /// Shows another page of the design, unless the session's hardware is on screen.
    pub fn show(self, room: Room) {
        self.hovered.set(None);
        self.summed.set(None);
        if self.page.get_untracked() != room {
            self.page.set(room);
        }
        self.address(&self.place.get_untracked());
    }

    /// Shows a view of the design.
    pub fn show_view(self, scene: Scene) {
        self.show_scene(scene);
        self.show(Room::Design);
    }

    /// Goes to another place of the studio; the page of the design stays.
    pub fn go(self, place: Place) {
        self.address(&place);
        self.place.set(place);
    }

    /// Goes to a page of a place.
    pub fn enter(self, place: Place, room: Room) {
        self.page.set(room);
        self.go(place);
    }

    /// Leaves the start page for a session.
    pub(super) fn begin(self) {
        if self.place.get_untracked() == Place::Home {
            self.enter(Place::Draft, Room::Design);
        }
    }

    /// Takes place and page from the address bar.
    pub fn follow_address(self, place: Place, path: &str) {
        self.page.set(Room::of(path));
        self.place.set(place);
    }

    fn address(self, place: &Place) {
        let address = place.at(self.page.get_untracked());
        let path = address.split('#').next().unwrap_or_default();
        if browser::address().0 != path {
            browser::push_address(&address);
        }
    }

    /// `true` if a side of the Design page is folded.
    pub fn is_folded(self, side: Side) -> bool {
        self.folded.get()[side as usize]
    }

    /// Folds a side of the Design page, or unfolds it. The browser remembers it.
    pub fn fold(self, side: Side) {
        self.folded.update(|folded| folded[side as usize] ^= true);
        let names = self.folded.get_untracked().into_iter().zip(["l", "r"]);
        let names: String = names.filter_map(|(folded, name)| folded.then_some(name)).collect();
        browser::store(FOLDED, &names);
    }

    /// Switches to the next theme.
    pub fn next_theme(self) {
        self.theme.update(|theme| *theme = theme.next());
        browser::store(THEME, self.theme.get_untracked().name());
    }

    /// Shows a notice for a few seconds.
    pub fn notify(self, text: impl Into<String>) {
        self.show_for(Notice { bad: false, text: text.into(), lines: Vec::new(), offer: None }, NOTICE);
    }

    fn show_for(self, notice: Notice, milliseconds: u32) {
        self.notice.set(Some(notice.clone()));
        spawn_local(async move {
            browser::sleep(milliseconds).await;
            let is_same = |now: &Notice| !now.bad && now.text == notice.text;
            if self.notice.with_untracked(|now| now.as_ref().is_some_and(is_same)) {
                self.notice.set(None);
            }
        });
    }

    /// Shows an error, with its details a line each.
    pub fn show_error(self, text: impl Into<String>, lines: Vec<String>) {
        self.notice.set(Some(Notice { bad: true, text: text.into(), lines, offer: None }));
    }

    /// Shows a notice with a button for some time.
    pub fn offer(self, text: String, words: String, act: impl Fn() + Send + Sync + 'static) {
        let act = Act(Arc::new(move || {
            self.notice.set(None);
            act();
        }));
        self.show_for(Notice { bad: false, text, lines: Vec::new(), offer: Some((words, act)) }, OFFER);
    }

    /// Shows an error with a button that mends it.
    pub fn show_error_with(
        self,
        text: String,
        lines: Vec<String>,
        offer: String,
        mend: impl Fn() + Send + Sync + 'static,
    ) {
        let mend = Act(Arc::new(move || {
            self.notice.set(None);
            mend();
        }));
        self.notice.set(Some(Notice { bad: true, text, lines, offer: Some((offer, mend)) }));
    }

    /// Shows a problem that the server reported.
    pub fn show_problem(self, problem: Problem) {
        self.show_error(problem_words(&problem), problem_faults(&problem));
    }
}

//! The places of the studio with their addresses: pages of a design, its views and panels.

/// Address of a session without a search.
const DRAFT: &str = "design";

/// A place of the studio.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The start page.
    #[default]
    Home,
    /// A session without a search.
    Draft,
    /// A session with a search.
    Run(String),
    /// The session's hardware, before a hardware search.
    Hardware,
    /// A hardware search.
    Board(String),
    /// A session with other work.
    Work(String),
    /// A saved design.
    Design(String),
    /// A session opened from the spec in the address.
    Link(String),
    /// Saved designs and runs of this browser.
    Library,
    /// A workspace that colleagues share.
    Workspace(String),
    /// Two designs or runs side by side, by id.
    Difference(String, String),
    /// All work of the studio, for its operator.
    Operator,
    /// Not a page of the studio.
    Unknown,
}

/// A page of a design, with the whole width of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// The spec, the wiring and the search.
    #[default]
    Design,
    /// The search over hardware.
    Hardware,
    /// Comparison with other networks.
    Compare,
    /// The time of a training step.
    StepTime,
    /// Simulated traffic.
    Simulate,
    /// The labels.
    Labels,
    /// All files.
    Export,
}

/// A side of the Design page, which folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The spec.
    Left,
    /// The search, or what a saved design says of itself.
    Right,
}

/// A panel of the Design page, of which a narrow screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The spec.
    Spec,
    /// The view of the design.
    #[default]
    View,
    /// The search.
    Search,
}

impl Pane {
    /// All panels.
    pub const ALL: [Pane; 3] = [Pane::Spec, Pane::View, Pane::Search];

    /// Returns the title.
    pub fn title(self) -> &'static str {
        match self {
            Pane::Spec => "Spec",
            Pane::View => "View",
            Pane::Search => "Search",
        }
    }
}

/// A view of the design, in the middle panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scene {
    /// Requested and delivered pairs.
    #[default]
    Map,
    /// Nodes, switches and the cables between them.
    Cables,
    /// Racks on the floor.
    Racks,
    /// The wiring table.
    Wiring,
    /// The figures.
    Figures,
    /// The routes, and the effect of failures.
    Routes,
}

impl Scene {
    /// All views.
    pub const ALL: [Scene; 6] =
        [Scene::Map, Scene::Cables, Scene::Racks, Scene::Wiring, Scene::Figures, Scene::Routes];

    /// Returns the title, which is also the name in storage.
    pub fn title(self) -> &'static str {
        match self {
            Scene::Map => "Map",
            Scene::Cables => "Cables",
            Scene::Racks => "Racks",
            Scene::Wiring => "Wiring",
            Scene::Figures => "Figures",
            Scene::Routes => "Routes",
        }
    }

    /// Id of its button.
    pub fn id(self) -> String {
        format!("scene-{}", self.title().to_lowercase())
    }

    /// The view of a name; the map for others.
    pub fn named(name: &str) -> Scene {
        Scene::ALL.into_iter().find(|scene| scene.title() == name).unwrap_or_default()
    }
}

impl Room {
    /// All pages, in their order on screen.
    pub const ALL: [Room; 7] = [
        Room::Design,
        Room::Hardware,
        Room::Compare,
        Room::StepTime,
        Room::Simulate,
        Room::Labels,
        Room::Export,
    ];

    /// Returns the title.
    pub fn title(self) -> &'static str {
        match self {
            Room::Design => "Design",
            Room::Hardware => "Hardware",
            Room::Compare => "Compare",
            Room::StepTime => "Step time",
            Room::Simulate => "Simulate",
            Room::Labels => "Labels",
            Room::Export => "Export",
        }
    }

    /// The last word of its address, as in [`PAGES`](shared::api::PAGES); `None` for pages with an address of their own.
    pub fn word(self) -> Option<&'static str> {
        let pages = [Room::Compare, Room::StepTime, Room::Simulate, Room::Labels, Room::Export];
        pages.into_iter().zip(shared::api::PAGES).find(|(room, _)| *room == self).map(|(_, word)| word)
    }

    /// The page of a word.
    pub fn named(word: &str) -> Option<Room> {
        Room::ALL.into_iter().find(|room| room.word() == Some(word))
    }

    /// The page of a path.
    pub fn of(path: &str) -> Room {
        let mut words = path.split('/').filter(|word| !word.is_empty());
        match (words.next(), words.next_back()) {
            (Some("b"), _) => Room::Hardware,
            // Two designs side by side.
            (Some(first), None) => Room::named(first).unwrap_or_default(),
            (Some("r" | "d" | "work" | "s"), Some(last)) => Room::named(last).unwrap_or_default(),
            _ => Room::Design,
        }
    }

    /// Id of the link to it.
    pub fn id(self) -> String {
        format!("to-{}", self.title().to_lowercase().replace(' ', "-"))
    }
}

impl Place {
    /// `true` on the pages of the hardware search, where the spec is a switch catalogue.
    pub fn is_hardware(&self) -> bool {
        matches!(self, Place::Hardware | Place::Board(_))
    }

    /// `true` on the pages of a session, which can be edited.
    pub fn is_session(&self) -> bool {
        matches!(self, Place::Draft | Place::Run(_) | Place::Work(_) | Place::Link(_)) || self.is_hardware()
    }

    /// `true` on the pages of a session or a saved design.
    pub fn has_rooms(&self) -> bool {
        matches!(self, Place::Design(_)) || self.is_session()
    }

    /// Title of a page that shows neither a session nor a design.
    pub fn title(&self) -> Option<&'static str> {
        match self {
            Place::Library => Some("Library"),
            Place::Workspace(_) => Some("Workspace"),
            Place::Difference(..) => Some("Two designs"),
            Place::Operator => Some("Operator"),
            _ => None,
        }
    }

    /// Topic of the help for the page on screen.
    pub fn chapter(&self, room: Room, scene: Scene) -> &'static str {
        match (self, room) {
            (Place::Home | Place::Unknown, _) => "spec",
            (Place::Library | Place::Workspace(_) | Place::Difference(..), _) => "library",
            (Place::Operator, _) => "deploy",
            (_, Room::Design) => match scene {
                Scene::Map | Scene::Figures => "search",
                Scene::Cables | Scene::Racks => "cabling",
                Scene::Wiring => "import",
                Scene::Routes => "failures",
            },
            (_, Room::Hardware) => "hardware",
            (_, Room::Compare) => "compare",
            (_, Room::StepTime) => "estimate",
            (_, Room::Simulate) => "simulate",
            (_, Room::Labels) => "labels",
            (_, Room::Export) => "archive",
        }
    }

    /// The page of a path and a fragment (with or without its `#`).
    pub fn of(path: &str, fragment: &str) -> Place {
        let mut words: Vec<&str> = path.split('/').filter(|word| !word.is_empty()).collect();
        if Room::of(path).word().is_some_and(|word| words.last() == Some(&word)) {
            words.pop();
        }
        let mut words = words.into_iter();
        match (words.next(), words.next(), words.next()) {
            (None, ..) if path.trim_matches('/').is_empty() => Place::Home,
            (None, ..) | (Some(DRAFT), None, None) => Place::Draft,
            (Some("r"), Some(id), None) if is_id(id) => Place::Run(id.into()),
            (Some("b"), None, None) => Place::Hardware,
            (Some("b"), Some(id), None) if is_id(id) => Place::Board(id.into()),
            (Some("work"), Some(id), None) if is_id(id) => Place::Work(id.into()),
            (Some("d"), Some(id), None) if is_id(id) => Place::Design(id.into()),
            (Some("library"), None, None) => Place::Library,
            (Some("w"), Some(id), None) if is_id(id) => Place::Workspace(id.into()),
            (Some("compare"), Some(a), Some(b)) if is_id(a) && is_id(b) && words.next().is_none() => {
                Place::Difference(a.into(), b.into())
            }
            (Some("operator"), None, None) => Place::Operator,
            (Some("s"), None, None) => Place::Link(fragment.trim_start_matches('#').into()),
            _ => Place::Unknown,
        }
    }

    /// The address of one of its pages, from the first slash on.
    pub fn at(&self, room: Room) -> String {
        let Some(word) = room.word().filter(|_| self.has_rooms() && !self.is_hardware()) else {
            return self.address();
        };
        match self {
            Place::Draft => format!("/{word}"),
            Place::Link(spec) => format!("/s/{word}#{spec}"),
            place => format!("{}/{word}", place.address()),
        }
    }

    /// The address, from the first slash on.
    pub fn address(&self) -> String {
        match self {
            Place::Home | Place::Unknown => "/".into(),
            Place::Draft => format!("/{DRAFT}"),
            Place::Run(id) => format!("/r/{id}"),
            Place::Hardware => "/b".into(),
            Place::Board(id) => format!("/b/{id}"),
            Place::Work(id) => format!("/work/{id}"),
            Place::Design(id) => format!("/d/{id}"),
            Place::Library => "/library".into(),
            Place::Workspace(id) => format!("/w/{id}"),
            Place::Difference(a, b) => format!("/compare/{a}/{b}"),
            Place::Operator => "/operator".into(),
            Place::Link(spec) => format!("/s#{spec}"),
        }
    }
}

fn is_id(word: &str) -> bool {
    word.len() <= 64 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_their_pages() {
        let link = Place::Link("1abc_-".into());
        let named = [Place::Run("x7-_Y".into()), Place::Design("q".into()), Place::Board("7".into())];
        let shared =
            [Place::Library, Place::Workspace("w1".into()), Place::Difference("a".into(), "b".into())];
        let named = named.into_iter().chain(shared).chain([Place::Work("8".into())]);
        for place in named.chain([Place::Home, Place::Draft, Place::Hardware, Place::Operator, link]) {
            let address = place.address();
            let (path, fragment) = address.split_once('#').unwrap_or((&address, ""));
            assert_eq!(Place::of(path, fragment), place);
            for room in Room::ALL {
                let address = place.at(room);
                let (path, fragment) = address.split_once('#').unwrap_or((&address, ""));
                assert_eq!(Place::of(path, fragment), place, "{address}");
                let own = if place.is_hardware() { Room::Hardware } else { Room::Design };
                let has_it = place.has_rooms() && room.word().is_some() && !place.is_hardware();
                assert_eq!(Room::of(path), if has_it { room } else { own }, "{address}");
            }
        }
    }

    #[test]
    fn pages_are_found_by_their_words() {
        let words: Vec<&str> = Room::ALL.into_iter().filter_map(Room::word).collect();
        assert_eq!(words, shared::api::PAGES);
        assert!(
            Room::ALL.into_iter().all(|room| room.word().is_none_or(|word| Room::named(word) == Some(room)))
        );
        assert_eq!(Room::named("map"), None);
    }

    #[test]
    fn other_addresses_are_unknown() {
        for path in [
            "/x",
            "/r",
            "/r/a/b",
            "/d/..%2f",
            "/d/a b",
            "/b/a/b",
            "/b/a%20b",
            "/operator/a",
            "/w",
            "/work",
            "/compare/a",
            "/compare/a/b/c",
        ] {
            assert_eq!(Place::of(path, ""), Place::Unknown, "{path}");
        }
    }
}

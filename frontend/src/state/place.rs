//! The pages of the studio with their addresses, and the tabs.

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The gallery, above a session.
    #[default]
    Home,
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

/// A tab below the panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The wiring table.
    #[default]
    Wiring,
    /// The figures.
    Figures,
    /// The routes, and the effect of failures.
    Routes,
    /// The labels.
    Labels,
    /// Comparison with other networks.
    Compare,
    /// The time of a training step.
    Step,
    /// Simulated traffic.
    Simulate,
    /// All files.
    Export,
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
}

impl Scene {
    /// All views.
    pub const ALL: [Scene; 3] = [Scene::Map, Scene::Cables, Scene::Racks];

    /// Its title, also its name in storage.
    pub fn title(self) -> &'static str {
        match self {
            Scene::Map => "Map",
            Scene::Cables => "Cables",
            Scene::Racks => "Racks",
        }
    }

    /// The view of a name; the map for others.
    pub fn named(name: &str) -> Scene {
        Scene::ALL.into_iter().find(|scene| scene.title() == name).unwrap_or_default()
    }
}

impl Tab {
    /// All tabs, in their order on screen.
    pub const ALL: [Tab; 8] = [
        Tab::Wiring,
        Tab::Figures,
        Tab::Routes,
        Tab::Labels,
        Tab::Compare,
        Tab::Step,
        Tab::Simulate,
        Tab::Export,
    ];

    /// Its name in links and in storage.
    pub fn name(self) -> String {
        match self {
            Tab::Step => "step".into(),
            tab => tab.title().to_lowercase(),
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Tab::Wiring => "Wiring",
            Tab::Figures => "Figures",
            Tab::Routes => "Routes",
            Tab::Labels => "Labels",
            Tab::Compare => "Compare",
            Tab::Step => "Step time",
            Tab::Simulate => "Simulate",
            Tab::Export => "Export",
        }
    }

    /// The tab of a name.
    pub fn named(name: &str) -> Option<Tab> {
        Tab::ALL.into_iter().find(|tab| tab.name() == name)
    }

    /// Id of its button.
    pub fn id(self) -> String {
        format!("tab-{}", self.name())
    }
}

impl Place {
    /// `true` on the pages of the hardware search, where the spec is a switch catalogue.
    pub fn is_hardware(&self) -> bool {
        matches!(self, Place::Hardware | Place::Board(_))
    }

    /// `true` on the pages of a session, which can be edited.
    pub fn is_session(&self) -> bool {
        !matches!(self, Place::Design(_)) && self.title().is_none()
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

    /// The page of a path and a fragment (with or without its `#`).
    pub fn of(path: &str, fragment: &str) -> Place {
        let mut words = path.split('/').filter(|w| !w.is_empty());
        match (words.next(), words.next(), words.next()) {
            (None, ..) => Place::Home,
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

    /// The address, from the first slash on.
    pub fn address(&self) -> String {
        match self {
            Place::Home | Place::Unknown => "/".into(),
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
        for place in named.chain([Place::Home, Place::Hardware, Place::Operator, link]) {
            let address = place.address();
            let (path, fragment) = address.split_once('#').unwrap_or((&address, ""));
            assert_eq!(Place::of(path, fragment), place);
        }
    }

    #[test]
    fn tabs_are_found_by_name() {
        assert!(Tab::ALL.into_iter().all(|tab| Tab::named(&tab.name()) == Some(tab)));
        assert_eq!(Tab::named("map"), None);
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

//! The library on screen: search, selection, words, and what this browser knows of workspaces and edit links.

use super::words::{capital, fixed, grouped, moment, percent};
use serde::{Deserialize, Serialize};
use shared::{
    api::{Base, DifferenceRow, DifferenceView, LibraryItem, ListedHardware, WorkKind, WorkState},
    compare::differing,
};

/// Max number of known workspaces, and of known edit links; beyond that, the oldest are forgotten.
const MAX: usize = 256;

/// Secrets of edit links by the id of what they change, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Parses what [`Secrets::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> Secrets {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes them as JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Stores the secret of an id in place of an earlier one.
    pub fn keep(&mut self, id: &str, secret: &str) {
        self.forget(id);
        self.0.push((id.into(), secret.into()));
        let extra = self.0.len().saturating_sub(MAX);
        self.0.drain(..extra);
    }

    /// Drops the secret of an id.
    pub fn forget(&mut self, id: &str) {
        self.0.retain(|(known, _)| known != id);
    }

    /// The secret of an id.
    pub fn of(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, secret)| secret.as_str())
    }
}

/// A workspace that this browser has opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownWorkspace {
    /// Id.
    pub id: String,
    /// Name.
    pub name: String,
}

/// Workspaces that this browser has opened, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Workspaces(pub Vec<KnownWorkspace>);

impl Workspaces {
    /// Parses what [`Workspaces::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> Workspaces {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes them as JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Adds a workspace, or its new name.
    pub fn keep(&mut self, workspace: KnownWorkspace) {
        match self.0.iter_mut().find(|known| known.id == workspace.id) {
            Some(known) => known.name = workspace.name,
            None => self.0.push(workspace),
        }
        let extra = self.0.len().saturating_sub(MAX);
        self.0.drain(..extra);
    }

    /// Drops a workspace that the server no longer has.
    pub fn forget(&mut self, id: &str) {
        self.0.retain(|known| known.id != id);
    }
}

/// `true` if the item has all words of a search in its name, note, origin, figures or state.
pub fn matches(item: &LibraryItem, search: &str) -> bool {
    let text = format!(
        "{} {} {} {} {} nodes {} switches {} {} {} {} {}",
        name(item),
        item.note,
        item.origin,
        item.nodes,
        grouped(item.nodes.into()),
        switches(item),
        price(item).0,
        objective(item),
        coverage(item),
        state(item),
        based_on(item).unwrap_or_default()
    );
    let text = text.to_lowercase();
    search.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// Name of an item.
pub fn name(item: &LibraryItem) -> String {
    named(&item.name)
}

fn named(name: &str) -> String {
    if name.is_empty() { "Untitled".into() } else { name.into() }
}

/// Address of the page of a design, or of work.
pub fn address(id: &str, kind: Option<WorkKind>) -> String {
    kind.map_or_else(|| format!("/d/{id}"), |kind| kind.page(id))
}

/// Shown instead of an unknown value.
const UNKNOWN: &str = "–";

/// Share of the covered pairs, or of their weight for a fractional objective; a dash without a wiring.
pub fn coverage(item: &LibraryItem) -> String {
    match item.weight {
        Some(share) => format!("{} of the weight", percent(share)),
        None => item.coverage.map_or(UNKNOWN.into(), percent),
    }
}

/// Switches with their ports, such as `17 × 24 ports`; a dash if neither is known.
pub fn switches(item: &LibraryItem) -> String {
    let Some(ListedHardware { switches, ports, .. }) = &item.hardware else { return UNKNOWN.into() };
    let number = switches.map(|number| grouped(number.into()));
    let ports = ports.iter().map(|&ports| grouped(ports.into())).collect::<Vec<_>>().join(" or ");
    match (number, ports.is_empty()) {
        (Some(number), false) => format!("{number} × {ports} ports"),
        (Some(number), true) => number,
        (None, false) => format!("{ports} ports"),
        (None, true) => UNKNOWN.into(),
    }
}

/// Price, with the parts that it leaves out as a sentence; a dash if no price is known.
pub fn price(item: &LibraryItem) -> (String, Option<String>) {
    let hardware = item.hardware.as_ref();
    let Some((hardware, total)) = hardware.and_then(|hardware| Some((hardware, hardware.price?))) else {
        return (UNKNOWN.into(), None);
    };
    match hardware.unpriced.is_empty() {
        true => (fixed(total, 2), None),
        false => (
            format!("≥ {}", fixed(total, 2)),
            Some(format!("No price for {}.", hardware.unpriced.join(", "))),
        ),
    }
}

/// Objective in a word; a dash if it is not known.
pub fn objective(item: &LibraryItem) -> String {
    let known = item.hardware.as_ref().map(|hardware| &hardware.objective);
    known.filter(|objective| !objective.is_empty()).map_or(UNKNOWN.into(), |objective| capital(objective))
}

/// `true` for a design, and for a search that has a wiring.
pub fn has_wiring(item: &LibraryItem) -> bool {
    match item.kind {
        None => true,
        Some(kind) => kind == WorkKind::Search && item.uncovered.is_some(),
    }
}

/// Headings of two designs side by side: their names, with what differs if the names are the same.
pub fn headings(view: &DifferenceView) -> [String; 2] {
    let [old, new] = view.sides.each_ref().map(|side| named(&side.name));
    if old != new {
        return [old, new];
    }
    let differs = |row: &&DifferenceRow| row.values[0] != row.values[1];
    let marks = match view.rows.iter().find(differs) {
        Some(row) => {
            row.values.each_ref().map(|value| format!("{} {value}{}", row.title.to_lowercase(), unit(row)))
        }
        None => {
            let moments = view.sides.each_ref().map(|side| moment(&side.created));
            if moments[0] == moments[1] { ["first".into(), "second".into()] } else { moments }
        }
    };
    marks.map(|mark| format!("{old}, {mark}"))
}

fn unit(row: &DifferenceRow) -> String {
    if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) }
}

/// The conclusion of two designs side by side, in a sentence: prices on the same basis, and uncovered pairs.
pub fn conclusion(view: &DifferenceView) -> String {
    let row = |title: &str| view.rows.iter().find(|row| row.title == title);
    let numbers = |title: &str| {
        let [one, two] =
            row(title)?.values.each_ref().map(|value| value.replace(',', "").parse::<f64>().ok());
        one.zip(two)
    };
    let is_one_basis = row("Prices and speeds").is_some_and(|row| row.values[0] == row.values[1]);
    let price = match numbers("Price") {
        Some((old, new)) if is_one_basis => {
            let words = differing(new, old, ["cheaper", "", "dearer"]);
            if words.is_empty() {
                "Both cost the same".into()
            } else {
                format!("The second design is {words}")
            }
        }
        Some(_) => "Prices and speeds differ, so prices are not compared".into(),
        None => "A price is unknown, so prices are not compared".to_owned(),
    };
    let uncovered = |number: f64| grouped(number as u64);
    let pairs = match numbers("Uncovered pairs") {
        Some((0.0, 0.0)) => "both cover every requested pair".into(),
        Some((old, new)) if old == new => format!("both leave {} requested pairs uncovered", uncovered(old)),
        Some((old, new)) => {
            format!(
                "the first leaves {} requested pairs uncovered, the second {}",
                uncovered(old),
                uncovered(new)
            )
        }
        None => return format!("{price}."),
    };
    format!("{price}; {pairs}.")
}

/// Difference of two figures from the first to the second, such as `−2 (−11.8 %)`; a dash if one of them is not a number.
pub fn difference(row: &DifferenceRow) -> String {
    let number = |value: &String| value.replace(',', "").parse::<f64>().ok();
    let [Some(old), Some(new)] = row.values.each_ref().map(number) else { return UNKNOWN.into() };
    let decimals = |value: &String| value.split_once('.').map_or(0, |(_, digits)| digits.len());
    let decimals = row.values.iter().map(decimals).max().unwrap_or(0);
    let signed = |value: f64, decimals| {
        let sign = if value < 0.0 { "−" } else { "+" };
        format!("{sign}{}", fixed(value.abs(), decimals))
    };
    if new == old {
        return "0".into();
    }
    let share = 100.0 * (new - old) / old;
    match row.unit == "%" || !share.is_finite() {
        true => signed(new - old, decimals),
        false => format!("{} ({} %)", signed(new - old, decimals), signed(share, 1)),
    }
}

/// `true` for a design, and for work that has ended.
pub fn is_over(item: &LibraryItem) -> bool {
    item.state.is_none_or(WorkState::is_over)
}

/// Number of nodes; a dash if it is not known.
pub fn nodes(item: &LibraryItem) -> String {
    if item.nodes == 0 { UNKNOWN.into() } else { grouped(item.nodes.into()) }
}

/// Id of the search that found a design and has its name.
pub fn found_by(item: &LibraryItem) -> Option<&str> {
    let base = item.based_on.as_ref().filter(|base| base.is_run && base.name == item.name)?;
    (!base.id.is_empty() && !item.origin.is_empty()).then_some(&base.id)
}

/// Kind of an item, with the state of work.
pub fn state(item: &LibraryItem) -> String {
    let Some((kind, state)) = item.kind.zip(item.state) else { return "Design".into() };
    let state = match state {
        WorkState::Queued => "queued",
        WorkState::Running => "running",
        WorkState::Solved => "solved",
        WorkState::Exhausted => "limit reached",
        WorkState::Done => "done",
        WorkState::Cancelled => "stopped",
        WorkState::Interrupted => "interrupted",
        WorkState::Failed => "failed",
    };
    format!("{}, {state}", capital(kind.noun()))
}

/// Lineage of an item: `Version 2, based on KASY0 of 2026-11-21 06:45 UTC`.
pub fn based_on(item: &LibraryItem) -> Option<String> {
    let base = item.based_on.as_ref()?;
    let version =
        if item.generation > 1 { format!("Version {}, based", item.generation) } else { "Based".into() };
    Some(format!("{version} on {}", base_words(base)))
}

/// Name and time of a base.
pub fn base_words(base: &Base) -> String {
    let kind = if base.is_run { "the search of " } else { "" };
    format!("{kind}{} of {}", named(&base.name), moment(&base.created))
}

/// Id of a design or run in a pasted link, or the id itself.
pub fn id_in(link: &str) -> Option<String> {
    let path = link.trim().split(['#', '?']).next()?.trim_end_matches('/');
    let (is_item, id) = match path.rsplit_once('/') {
        Some((before, id)) => (before.ends_with("/d") || before.ends_with("/r"), id),
        None => (!link.contains('/'), path),
    };
    let is_id = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_item && is_id).then(|| id.to_owned())
}

/// Adds an id to a selection, or takes it out.
pub fn toggle(selection: &mut Vec<String>, id: &str) {
    let before = selection.len();
    selection.retain(|known| known != id);
    if selection.len() == before {
        selection.push(id.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::api::SideView;

    fn item() -> LibraryItem {
        LibraryItem {
            id: "a".into(),
            kind: None,
            state: None,
            name: "KASY0".into(),
            nodes: 1024,
            uncovered: Some(3),
            coverage: Some(0.5),
            weight: None,
            hardware: Some(ListedHardware {
                switches: Some(17),
                ports: vec![24],
                price: Some(1710.0),
                unpriced: vec!["NICs".into()],
                objective: "sparse".into(),
            }),
            note: "Bought in May".into(),
            origin: "imported".into(),
            created: "2026-11-21T06:45:53Z".into(),
            generation: 1,
            based_on: None,
            may_edit: true,
        }
    }

    #[test]
    fn a_search_finds_name_note_nodes_and_coverage() {
        for search in [
            "",
            "kasy",
            "may bought",
            "1024",
            "1,024 nodes",
            "50.00 %",
            "design import",
            "17 switches",
            "24 ports",
        ] {
            assert!(matches(&item(), search), "{search}");
        }
        for search in ["klat", "kasy0 june", "51 %", "run"] {
            assert!(!matches(&item(), search), "{search}");
        }
        let fractional = LibraryItem { weight: Some(0.8458), ..item() };
        assert_eq!([coverage(&item()), coverage(&fractional)], ["50.00 %", "84.58 % of the weight"]);
        let (kind, state) = (Some(WorkKind::Hardware), Some(WorkState::Queued));
        let queued = LibraryItem { kind, state, coverage: None, ..item() };
        assert!(matches(&queued, "hardware search queued") && coverage(&queued) == "–");
        assert_eq!([kind, None].map(|kind| address("a", kind)), ["/b/a", "/d/a"]);
    }

    #[test]
    fn rows_show_hardware_price_and_objective() {
        let words = |item: &LibraryItem| (switches(item), price(item), objective(item));
        let no_price = Some("No price for NICs.".to_owned());
        assert_eq!(
            words(&item()),
            ("17 × 24 ports".into(), ("≥ 1,710.00".into(), no_price), "Sparse".into())
        );
        let work =
            ListedHardware { ports: vec![8, 24], objective: "time".into(), ..ListedHardware::default() };
        let work = LibraryItem { hardware: Some(work), ..item() };
        assert_eq!(words(&work), ("8 or 24 ports".into(), ("–".into(), None), "Time".into()));
        let unknown = LibraryItem { hardware: None, ..item() };
        assert_eq!(words(&unknown), ("–".into(), ("–".into(), None), "–".into()));
        let silent = LibraryItem { hardware: Some(ListedHardware::default()), ..item() };
        assert_eq!(objective(&silent), "–");
        assert_eq!([item(), LibraryItem { nodes: 0, ..item() }].map(|item| nodes(&item)), ["1,024", "–"]);
        let (search, running) = (Some(WorkKind::Search), Some(WorkState::Running));
        let goes_on = LibraryItem { kind: search, state: running, ..item() };
        assert_eq!([item(), goes_on.clone()].map(|item| state(&item)), ["Design", "Search, running"]);
        assert!(is_over(&item()) && !is_over(&goes_on));
        let of = |kind, uncovered| has_wiring(&LibraryItem { kind: Some(kind), uncovered, ..item() });
        assert!(has_wiring(&item()) && of(WorkKind::Search, Some(0)));
        assert!(!of(WorkKind::Search, None) && !of(WorkKind::Hardware, None));
    }

    #[test]
    fn two_designs_have_a_difference_and_headings_that_differ() {
        let row = |title: &str, unit: &str, values: [&str; 2]| DifferenceRow {
            title: title.into(),
            unit: unit.into(),
            values: values.map(str::to_owned),
            explanation: String::new(),
        };
        for (unit, values, words) in [
            ("", ["17", "15"], "−2 (−11.8 %)"),
            ("", ["1,500.00", "1,710.50"], "+210.50 (+14.0 %)"),
            ("%", ["99.50", "100"], "+0.50"),
            ("", ["0", "3"], "+3"),
            ("", ["5", "5"], "0"),
            ("", ["1 gigabit", "2"], "–"),
        ] {
            assert_eq!(difference(&row("Switches", unit, values)), words);
        }
        let side = |name: &str, created: &str| SideView {
            name: name.into(),
            created: created.into(),
            ..SideView::default()
        };
        let view = |sides, rows| DifferenceView { sides, rows, ..DifferenceView::default() };
        let (a, b) = ("2026-11-20T05:00:00Z", "2026-11-21T05:00:00Z");
        let rows = vec![row("Nodes", "", ["8", "8"]), row("Switches", "", ["17", "15"])];
        let heads = |view| headings(&view);
        assert_eq!(heads(view([side("A", a), side("B", a)], rows.clone())), ["A", "B"]);
        assert_eq!(heads(view([side("A", a), side("A", b)], rows)), ["A, switches 17", "A, switches 15"]);
        let by_time = heads(view([side("", a), side("", b)], Vec::new()));
        assert_eq!(by_time, ["Untitled, 2026-11-20 05:00 UTC", "Untitled, 2026-11-21 05:00 UTC"]);
        assert_eq!(heads(view([side("A", a), side("A", a)], Vec::new())), ["A, first", "A, second"]);
    }

    #[test]
    fn lineage_reads_as_a_sentence() {
        let base = Base {
            name: String::new(),
            is_run: true,
            created: "2026-11-20T05:00:00Z".into(),
            id: String::new(),
        };
        let found = LibraryItem { based_on: Some(base.clone()), ..item() };
        assert_eq!(based_on(&found).unwrap(), "Based on the search of Untitled of 2026-11-20 05:00 UTC");
        let search = Base { name: "KASY0".into(), id: "b".into(), ..base.clone() };
        let same = LibraryItem { based_on: Some(search), ..item() };
        assert_eq!([&same, &found].map(|item| found_by(item)), [Some("b"), None]);
        let fork = Base { name: "Old".into(), is_run: false, ..base };
        let fork = LibraryItem { based_on: Some(fork), generation: 3, ..item() };
        assert_eq!(based_on(&fork).unwrap(), "Version 3, based on Old of 2026-11-20 05:00 UTC");
        assert_eq!(based_on(&item()), None);
    }

    #[test]
    fn ids_are_found_in_links() {
        for link in
            ["https://host:8080/d/abc1#tab=compare", " /r/abc1/ ", "abc1", "http://host/r/abc1#edit=x"]
        {
            assert_eq!(id_in(link).as_deref(), Some("abc1"), "{link}");
        }
        for link in ["", "https://host/w/abc1", "https://host/s#abc", "/d/a b", "d/"] {
            assert_eq!(id_in(link), None, "{link}");
        }
    }

    #[test]
    fn the_latest_secrets_and_workspaces_are_known() {
        let mut secrets = Secrets::default();
        (0..=MAX).for_each(|number| secrets.keep(&number.to_string(), "old"));
        secrets.keep("7", "new");
        let mut read = Secrets::read(&secrets.write());
        assert_eq!((read.of("0"), read.of("1"), read.of("7")), (None, Some("old"), Some("new")));
        read.forget("7");
        assert_eq!(read.of("7"), None);
        let mut known = Workspaces::default();
        for name in ["one", "two"] {
            known.keep(KnownWorkspace { id: "a".into(), name: name.into() });
        }
        assert_eq!(
            Workspaces::read(&known.write()).0,
            [KnownWorkspace { id: "a".into(), name: "two".into() }]
        );
        assert_eq!(Workspaces::read("["), Workspaces::default());
    }

    #[test]
    fn a_selection_keeps_the_order_of_choice() {
        let mut selection = Vec::new();
        ["a", "b", "a", "c", "a"].into_iter().for_each(|id| toggle(&mut selection, id));
        assert_eq!(selection, ["b", "c", "a"]);
    }
}

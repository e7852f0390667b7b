//! The wiring as a table: by switch or by PE, filtered, in pages.

use shared::design::{Design, Names, Node};

/// Rows, filter and page of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Rows are PEs instead of switches.
    pub by_pe: bool,
    /// Nodes and switches to search for, as typed.
    pub filter: String,
    /// The page, from 0.
    pub page: usize,
}

/// An action on the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Rows are switches (`false`) or PEs.
    ByPe(bool),
    /// Types a filter.
    Filter(String),
    /// Goes to a page.
    Page(usize),
}

/// Max rows on a page, and max members on it: drawing a page must not block the others.
const MAX_ROWS: usize = 64;
const MAX_MEMBERS: usize = 1536;

/// One row: a switch with its PEs, or a PE with its switches by NI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The switch or the PE.
    pub head: u32,
    /// PEs of the switch, or switches of the PE.
    pub members: Vec<u32>,
}

/// A page of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Rows on all pages.
    pub total: usize,
    /// The page's number, from 0.
    pub number: usize,
    /// Number of pages, at least 1.
    pub pages: usize,
}

impl Table {
    /// Carries out an action.
    pub fn update(&mut self, action: Action) {
        match action {
            Action::ByPe(by_pe) => *self = Table { by_pe, filter: self.filter.clone(), page: 0 },
            Action::Filter(filter) => (self.filter, self.page) = (filter, 0),
            Action::Page(page) => self.page = page,
        }
    }

    /// The page on screen. A row matches if each word of the filter is its head or one of its members.
    pub fn page(&self, design: &Design, names: &Names) -> Page {
        let wanted = self.wanted(names);
        // Only rows of nodes need it, and it takes a walk over all cables.
        let nis = self.by_pe.then(|| design.nis());
        let heads = if self.by_pe { design.pes() } else { design.switch_count() };
        let members = |head: u32| nis.as_ref().map_or_else(|| design.members(head), |nis| nis.of(head));
        let (head_kind, member_kind) = self.kinds();
        let matches = |head: u32, word: &Word| {
            word.may_be(head_kind) && head == word.number
                || word.may_be(member_kind) && members(head).binary_search(&word.number).is_ok()
        };
        let found: Vec<u32> = match &wanted {
            Some(words) => (0..heads).filter(|&h| words.iter().all(|word| matches(h, word))).collect(),
            None => Vec::new(),
        };
        let longest = (0..heads).map(|head| members(head).len()).max().unwrap_or(0).max(1);
        let on_page = (MAX_MEMBERS / longest).clamp(1, MAX_ROWS);
        let pages = found.len().div_ceil(on_page).max(1);
        let number = self.page.min(pages - 1);
        let rows = found.iter().skip(number * on_page).take(on_page);
        let rows = rows.map(|&head| Row { head, members: members(head).to_vec() }).collect();
        Page { rows, total: found.len(), number, pages }
    }

    /// The fault of the filter: what is accepted.
    pub fn fault(&self, names: &Names) -> Option<String> {
        let expected = || {
            format!("numbers, or names such as {} and {}, separated by spaces", names.pe(0), names.switch(0))
        };
        self.wanted(names).is_none().then(expected)
    }

    /// Members that the filter names.
    pub fn marked(&self, names: &Names) -> Vec<u32> {
        let words = self.wanted(names).unwrap_or_default().into_iter();
        words.filter(|word| word.may_be(self.kinds().1)).map(|word| word.number).collect()
    }

    /// Kind of the heads and of the members.
    fn kinds(&self) -> (NodeKind, NodeKind) {
        if self.by_pe { (NodeKind::Pe, NodeKind::Switch) } else { (NodeKind::Switch, NodeKind::Pe) }
    }

    /// The words of the filter; `None` if one is neither a number nor a name.
    fn wanted(&self, names: &Names) -> Option<Vec<Word>> {
        let words = self.filter.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
        words.map(|word| Word::read(word, names)).collect()
    }
}

/// A word of the filter: a number, perhaps of a PE or switch alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    kind: Option<NodeKind>,
    number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeKind {
    Pe,
    Switch,
}

impl Word {
    fn may_be(self, kind: NodeKind) -> bool {
        self.kind.is_none_or(|own| own == kind)
    }

    fn read(word: &str, names: &Names) -> Option<Word> {
        match names.find(word) {
            Some(Node::Pe(number)) => return Some(Word { kind: Some(NodeKind::Pe), number }),
            Some(Node::Switch(number)) => return Some(Word { kind: Some(NodeKind::Switch), number }),
            None => {}
        }
        let at = word.find(|c: char| c.is_ascii_digit())?;
        let (name, number) = word.split_at(at);
        let kind = match name.to_ascii_lowercase().as_str() {
            "" => None,
            "pe" | "node" => Some(NodeKind::Pe),
            "sw" | "switch" => Some(NodeKind::Switch),
            _ => return None,
        };
        Some(Word { kind, number: number.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design() -> Design {
        Design::from_switches(6, [vec![0, 1, 2], vec![2, 3, 4], vec![0, 4, 5]])
    }

    fn names() -> Names {
        Names::new(6, 3)
    }

    #[test]
    fn rows_name_every_number_of_the_filter() {
        let mut table = Table::default();
        let heads =
            |table: &Table| table.page(&design(), &names()).rows.iter().map(|r| r.head).collect::<Vec<_>>();
        assert_eq!(heads(&table), [0, 1, 2]);
        table.update(Action::Filter("4, 2".into()));
        assert_eq!(heads(&table), [1, 2]);
        table.update(Action::ByPe(true));
        assert_eq!(heads(&table), [4]);
        table.update(Action::Filter("2".into()));
        assert_eq!(heads(&table), [0, 2, 4, 5]);
        table.update(Action::Filter("sw2".into()));
        assert_eq!(heads(&table), [0, 4, 5]);
        table.update(Action::Filter("PE2".into()));
        assert_eq!(heads(&table), [2]);
        table.update(Action::ByPe(false));
        assert_eq!(heads(&table), [0, 1]);
    }

    #[test]
    fn a_filter_that_is_no_number_finds_nothing_and_says_why() {
        let mut table = Table::default();
        table.update(Action::Filter("rack7".into()));
        assert_eq!(table.page(&design(), &names()).total, 0);
        let why = table.fault(&names()).unwrap();
        assert_eq!(why, "numbers, or names such as node000 and sw00, separated by spaces");
    }

    #[test]
    fn filters_take_the_names_of_the_spec() {
        let text = "pes = 6\nnis_per_pe = 2\n[[switch]]\nports = 4\ncount = 3\n[[pattern]]\nkind = 'ring'\n\
            [names]\nnodes = 'gpu{number%2}-{number/2}'\nswitches = 'leaf{number}'\n";
        let spec = shared::resolve::read(text, &mut shared::resolve::NoFiles).unwrap();
        let names = Names::of(&spec, &design());
        let heads = |filter: &str| {
            let table = Table { filter: filter.into(), ..Table::default() };
            table.page(&design(), &names).rows.iter().map(|r| r.head).collect::<Vec<_>>()
        };
        assert_eq!(
            (heads("gpu0-1"), heads("GPU0-1 leaf1"), heads("2"), heads("node0")),
            (vec![0, 1], vec![1], vec![0, 1, 2], vec![0, 2])
        );
    }

    #[test]
    fn pages_hold_every_row_once() {
        let design = Design::from_switches(200, (0..200).map(|pe| vec![pe]));
        let mut table = Table::default();
        let mut seen = Vec::new();
        for page in 0..9 {
            table.update(Action::Page(page));
            let page_now = table.page(&design, &Names::new(200, 200));
            assert_eq!(page_now.pages, 4);
            if page < 4 {
                seen.extend(page_now.rows.iter().map(|r| r.head));
            }
        }
        assert_eq!(seen, (0..200).collect::<Vec<_>>());
    }
}

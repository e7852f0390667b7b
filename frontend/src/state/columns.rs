//! The columns of tables: those that decide are shown, others by choice.

use std::collections::BTreeMap;

/// Choices by table and column; a column without one is shown if it decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns(BTreeMap<(&'static str, String), bool>);

/// A column that may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choosable {
    /// Key, unique in its table.
    pub key: String,
    /// Title in the choice.
    pub title: String,
    /// `true` if it is shown without a choice.
    pub decides: bool,
}

impl Columns {
    /// `true` if a table shows a column.
    pub fn shows(&self, table: &'static str, column: &Choosable) -> bool {
        self.0.get(&(table, column.key.clone())).copied().unwrap_or(column.decides)
    }

    /// For each of a table's columns, `true` if it is shown.
    pub fn shown(&self, table: &'static str, all: &[Choosable]) -> Vec<bool> {
        all.iter().map(|column| self.shows(table, column)).collect()
    }

    /// Shows or hides a column.
    pub fn set(&mut self, table: &'static str, key: String, is_shown: bool) {
        self.0.insert((table, key), is_shown);
    }

    /// Number of columns that a table shows, in words: 8 of 23 columns.
    pub fn words(&self, table: &'static str, all: &[Choosable]) -> String {
        let shown = self.shown(table, all).into_iter().filter(|is_shown| *is_shown).count();
        format!("{shown} of {} columns", all.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_decide_are_shown_until_something_else_is_chosen() {
        let column = |key: &str, decides| Choosable { key: key.into(), title: key.to_uppercase(), decides };
        let all = [column("price", true), column("ports", false), column("cables", false)];
        let mut columns = Columns::default();
        assert_eq!(columns.words("compare", &all), "1 of 3 columns");
        columns.set("compare", "cables".into(), true);
        columns.set("compare", "price".into(), false);
        columns.set("other", "ports".into(), true);
        assert_eq!(columns.shown("compare", &all), [false, false, true]);
        assert!(columns.shows("other", &all[0]));
    }

    #[test]
    fn tables_decide_by_eight_columns() {
        let compared = shared::compare::COLUMNS.iter().filter(|column| column.decides).count();
        let timed = shared::estimate::COLUMNS.iter().filter(|column| column.decides).count();
        assert_eq!((compared, timed), (8, 8));
    }
}

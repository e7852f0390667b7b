//! Settings of printed pages that are known without being given: the date, and the link of a saved design.

use shared::exports::Formats;
use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// Settings with another one, if it is not given and one of the formats has it. `names` are a format's name, several with commas
/// between them, or `all`.
pub fn with_default(
    formats: Formats,
    names: &str,
    mut choices: Vec<String>,
    (setting, value): (&str, &str),
) -> Vec<String> {
    let is_meant = |name: &str| names == super::ALL || names.split(',').any(|word| word.trim() == name);
    let is_given = choices.iter().any(|choice| choice.split('=').next().is_some_and(|n| n.trim() == setting));
    if !is_given && formats.iter().any(|format| is_meant(format.name) && format.has_setting(setting)) {
        choices.push(format!("{setting}={value}"));
    }
    choices
}

/// Settings with today's date (UTC), if one of the formats shows a date and none is given.
pub fn with_today(formats: Formats, names: &str, choices: Vec<String>) -> Vec<String> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    with_default(formats, names, choices, ("date", &day(seconds / SECONDS_PER_DAY)))
}

/// The date of a day since 1970: year, month and day.
///
/// Years begin in March, so that the leap day is the last one (Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013).
fn day(days: u64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::exports::DESIGNS;

    #[test]
    fn days_are_dates() {
        let dates =
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_779, "2026-11-22")];
        for (number, date) in dates {
            assert_eq!(day(number), date);
        }
        assert_eq!((day(47_540), day(47_541)), ("2100-02-28".into(), "2100-03-01".into()));
    }

    #[test]
    fn a_date_is_added_where_it_shows_and_none_is_given() {
        let with = |names, given: &[&str]| {
            with_today(DESIGNS, names, given.iter().map(ToString::to_string).collect()).len()
        };
        assert_eq!(
            (with("labels", &[]), with("cables, labels-pdf", &["palette=papers"]), with("all", &[])),
            (1, 2, 1)
        );
        assert_eq!((with("cables", &[]), with("labels", &["date=2026-11-22"])), (0, 1));
    }
}

//! Numbers, times and problems as people read them.

pub use shared::text::{capital, count, fixed, grouped};
use shared::{
    api::Problem,
    search::Budget,
    text::{percents, rounded},
};

/// Seconds as a clock: 00:07, 1:02:03.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0).floor() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes:02}:{seconds:02}")
    }
}

/// Seconds with a tenth, longer times as a clock: 12.3 s, 02:05.
pub fn seconds(seconds: f64) -> String {
    if seconds < 100.0 { format!("{} s", fixed(seconds, 1)) } else { clock(seconds) }
}

/// A rate in three digits with its prefix: 950, 12.3 k, 3.10 M.
pub fn short(number: f64) -> String {
    if !number.is_finite() {
        return "–".into();
    }
    let (scaled, prefix) = match number.abs() {
        n if n < 999.5 => (number, ""),
        n if n < 999.5e3 => (number / 1e3, " k"),
        n if n < 999.5e6 => (number / 1e6, " M"),
        _ => (number / 1e9, " G"),
    };
    let decimals = match scaled.abs() {
        _ if prefix.is_empty() && number.fract() == 0.0 => 0,
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.decimals$}{prefix}")
}

/// The unit in which a time and all shorter ones are shown, and its number per second.
pub fn time_unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        s if s >= 1.0 => ("s", 1.0),
        s if s >= 1e-3 => ("ms", 1e3),
        s if s >= 1e-6 => ("µs", 1e6),
        _ => ("ns", 1e9),
    }
}

/// A share in percent; never rounded up to all or down to nothing.
pub fn percent(share: f64) -> String {
    format!("{} %", percents(share))
}

/// A sum of weights, with the digits that matter.
pub fn weight(number: f64) -> String {
    match number {
        n if n.fract() == 0.0 => fixed(n, 0),
        n if n.abs() >= 100.0 => fixed(n, 1),
        n if n.abs() >= 0.01 => rounded(n, 3),
        n => format!("{n:.1e}"),
    }
}

/// `2026-11-21T06:45:53Z` as `2026-11-21 06:45`.
pub fn moment(rfc3339: &str) -> String {
    match rfc3339.split_once('T') {
        Some((day, time)) => format!("{day} {} UTC", time.get(..5).unwrap_or(time)),
        None => rfc3339.into(),
    }
}

/// Limit, seed and threads of a search: of 05:00, seed 1, 2 threads.
pub fn budget(limit: Budget, seed: u64, threads: Option<u32>) -> String {
    let limit = match limit {
        Budget::Seconds(seconds) => format!("of {}", clock(seconds)),
        Budget::Effort(effort) => format!("of {} M moves", grouped(effort)),
    };
    let threads = threads.map(|threads| format!(", {}", count(threads.into(), "thread")));
    format!("{limit}, seed {seed}{}", threads.unwrap_or_default())
}

/// A problem as a sentence, without its faults.
pub fn problem_words(problem: &Problem) -> String {
    match (problem.title.trim_end_matches('.'), problem.detail.as_str()) {
        ("", detail) => detail.to_owned(),
        (title, "") => format!("{title}."),
        (title, detail) => format!("{title}: {detail}"),
    }
}

/// The faults of a problem, a line each.
pub fn problem_faults(problem: &Problem) -> Vec<String> {
    let faults = problem.faults.iter().map(ToString::to_string);
    faults.chain(problem.table_faults.iter().map(ToString::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!((clock(7.9), clock(3723.0)), ("00:07".into(), "1:02:03".into()));
        let rates =
            [(0.0, "0"), (950.0, "950"), (12_340.0, "12.3 k"), (3.1e6, "3.10 M"), (999_600.0, "1.00 M")];
        rates.iter().for_each(|&(number, text)| assert_eq!(short(number), text));
        let shares =
            [(1.0, "100 %"), (0.999_999, "99.99 %"), (0.0, "0.00 %"), (1e-9, "0.01 %"), (0.5, "50.00 %")];
        shares.iter().for_each(|&(share, text)| assert_eq!(percent(share), text));
        let weights =
            [(1234.0, "1,234"), (1234.56, "1,234.6"), (2.5, "2.5"), (0.125, "0.125"), (4e-5, "4.0e-5")];
        weights.iter().for_each(|&(number, text)| assert_eq!(weight(number), text));
        assert_eq!((count(1, "pair"), count(1536, "switch")), ("1 pair".into(), "1,536 switches".into()));
        assert_eq!(moment("2026-11-21T06:45:53Z"), "2026-11-21 06:45 UTC");
    }
}

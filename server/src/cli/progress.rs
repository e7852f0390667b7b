//! The progress line of the command line.

use super::output::to_stderr;
use shared::{
    search::Progress,
    text::{fixed, grouped},
};
use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

/// Columns of a terminal whose width is unknown.
const DEFAULT_WIDTH: usize = 80;
/// Min columns of a text that is cut off.
const MIN_TEXT: usize = 8;

/// One line that is overwritten on a terminal; elsewhere a new line per second.
pub struct ProgressLine {
    terminal: bool,
    written: Option<Instant>,
}

impl ProgressLine {
    pub fn new() -> Self {
        ProgressLine { terminal: std::io::stderr().is_terminal(), written: None }
    }

    pub fn end(&mut self, last: &[String]) {
        self.written = None;
        self.write(|| last.to_vec());
        if self.terminal {
            to_stderr("\n");
        }
    }

    /// Writes a message on a line of its own.
    pub fn remark(&mut self, text: &str) {
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        to_stderr(&format!("{clear}{text}\n"));
    }

    /// Writes a line of fields, the most important first, unless the last line is too recent.
    pub fn write(&mut self, fields: impl FnOnce() -> Vec<String>) {
        let pause = if self.terminal { Duration::from_millis(100) } else { Duration::from_secs(1) };
        if self.written.is_some_and(|at| at.elapsed() < pause) {
            return;
        }
        self.written = Some(Instant::now());
        let fields = fields();
        // The last column stays free: terminals differ in where the cursor is after it.
        to_stderr(&match self.terminal {
            true => format!("\r{}\x1b[K", fitted(&fields, width().saturating_sub(1))),
            false => fitted(&fields, usize::MAX) + "\n",
        });
    }
}

/// Fields of a search for a wiring, the most important first.
pub fn fields(progress: &Progress) -> Vec<String> {
    let uncovered = format!("uncovered {} (median {})", grouped(progress.best), grouped(progress.median));
    let [first, second] = match &progress.weight {
        Some(weight) => {
            let (best, median) = (100.0 * weight.best, 100.0 * weight.median);
            [format!("weight covered {best:.2}% (median {median:.2}%)"), uncovered]
        }
        None => match &progress.time {
            Some(time) => [time.words(), uncovered],
            None => [uncovered, format!("covered {:.2}%", 100.0 * progress.covered)],
        },
    };
    vec![
        format!("{:>7} s", fixed(progress.elapsed, 1)),
        first,
        second,
        format!("generation {}", grouped(progress.generation)),
        format!("{} M moves/s", fixed(progress.moves_per_second / 1e6, 1)),
        progress.trying.clone(),
    ]
}

/// Fields that fit into `width` columns. Only the last field, which is text, may be cut.
fn fitted(fields: &[String], width: usize) -> String {
    let mut line = String::new();
    for (at, field) in fields.iter().enumerate() {
        let gap = if line.is_empty() { "" } else { "  " };
        let room = width.saturating_sub(line.chars().count() + gap.len());
        let words = at + 1 == fields.len() && room >= MIN_TEXT;
        if field.chars().count() > room && !words {
            break;
        }
        line += gap;
        line.extend(field.chars().take(room));
    }
    line
}

fn width() -> usize {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0));
    let width = width.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok());
    width.filter(|&width| width > 0).unwrap_or(DEFAULT_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::search::Weights;

    #[test]
    fn a_line_never_passes_the_edge() {
        let progress = Progress {
            elapsed: 12.34,
            best: 10_463_169,
            median: 10_463_170,
            trying: "filling switches in order; greedy design, ties to the lowest PE".into(),
            ..Progress::default()
        };
        let weight = Some(Weights { best: 0.8458, median: 0.8, ..Weights::default() });
        let by_weight = fitted(&fields(&Progress { weight, ..progress.clone() }), 65);
        assert_eq!(by_weight, "   12.3 s  weight covered 84.58% (median 80.00%)");
        let fields = fields(&progress);
        let whole = fitted(&fields, usize::MAX);
        assert!(whole.starts_with("   12.3 s  uncovered 10,463,169 (median 10,463,170)  covered 0.00%  gen"));
        assert!(whole.ends_with("lowest PE"), "{whole}");
        for width in 0..200 {
            let line = fitted(&fields, width);
            assert!(line.chars().count() <= width && whole.starts_with(&line), "{width}: {line}");
        }
        assert!(fitted(&fields, 80).ends_with("  generation 0"), "{}", fitted(&fields, 80));
        assert!(fitted(&fields, 79).ends_with("  covered 0.00%"), "{}", fitted(&fields, 79));
        assert!(
            fitted(&fields, 120).ends_with("  0.0 M moves/s  filling switches in ord"),
            "{}",
            fitted(&fields, 120)
        );
    }
}

//! How a search goes on, for who waits for it.

use super::tell;
use shared::{
    design::Design,
    search::{Observer, Progress},
    text::{fixed, grouped},
};
use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

/// Columns of a terminal that does not say how many it has.
const USUAL_WIDTH: usize = 80;
/// Fewer columns of words than these say nothing.
const LEAST: usize = 8;

/// One line that is written over on a terminal, a line a second elsewhere.
pub struct ProgressLine {
    terminal: bool,
    told: Option<Instant>,
}

impl ProgressLine {
    /// A line on standard error.
    pub fn new() -> Self {
        ProgressLine { terminal: std::io::stderr().is_terminal(), told: None }
    }

    /// Tells where the search has ended.
    pub fn end(&mut self, last: &[String]) {
        self.told = None;
        self.write(|| last.to_vec());
        if self.terminal {
            tell("\n");
        }
    }

    /// Tells something else on a line of its own, which stays.
    pub fn remark(&mut self, text: &str) {
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        tell(&format!("{clear}{text}\n"));
    }

    /// Writes a line of these fields, the most important first, unless the one before is too fresh to have been read.
    pub fn write(&mut self, fields: impl FnOnce() -> Vec<String>) {
        let pause = if self.terminal { Duration::from_millis(100) } else { Duration::from_secs(1) };
        if self.told.is_some_and(|told| told.elapsed() < pause) {
            return;
        }
        self.told = Some(Instant::now());
        let fields = fields();
        // Back to the start of the line, and clear to its end. The last column stays free: a cursor that has passed it
        // is on the next line for some terminals, and on the last letter for others.
        tell(&match self.terminal {
            true => format!("\r{}\x1b[K", fitted(&fields, width().saturating_sub(1))),
            false => fitted(&fields, usize::MAX) + "\n",
        });
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        self.write(|| fields(progress));
    }

    fn better(&mut self, _design: &Design, _uncovered: u64) {}
}

/// What is told of a search, the most important first.
pub fn fields(progress: &Progress) -> Vec<String> {
    vec![
        format!("{:>7} s", fixed(progress.elapsed, 1)),
        format!("uncovered {} (median {})", grouped(progress.best), grouped(progress.median)),
        format!("covered {:.2}%", 100.0 * progress.covered),
        format!("generation {}", grouped(progress.generation)),
        format!("{} M moves/s", fixed(progress.moves_per_second / 1e6, 1)),
        progress.trying.clone(),
    ]
}

/// As many fields as a line of `width` columns takes. Only the last, which is words, may be cut: half a number is a lie.
fn fitted(fields: &[String], width: usize) -> String {
    let mut line = String::new();
    for (at, field) in fields.iter().enumerate() {
        let gap = if line.is_empty() { "" } else { "  " };
        let room = width.saturating_sub(line.chars().count() + gap.len());
        let words = at + 1 == fields.len() && room >= LEAST;
        if field.chars().count() > room && !words {
            break;
        }
        line += gap;
        line.extend(field.chars().take(room));
    }
    line
}

/// Asked anew each time, since windows are resized.
fn width() -> usize {
    let told = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0));
    let told = told.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok());
    told.filter(|&width| width > 0).unwrap_or(USUAL_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_never_passes_the_edge() {
        let progress = Progress {
            elapsed: 12.34,
            best: 10_463_169,
            median: 10_463_170,
            trying: "filling switches in order; greedy design, ties to the lowest PE".into(),
            ..Progress::default()
        };
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

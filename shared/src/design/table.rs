//! The papers' text table of a wiring: `switch: pe pe pe`, a line a switch (LCPC paper, section 2.3).

use super::Design;
use std::fmt;

/// What is wrong with a line of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("line {line}: {found}; expected {expected}")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TableFault {
    /// Counted from 1.
    pub line: usize,
    /// What stands there.
    pub found: String,
    /// What would be accepted.
    pub expected: String,
}

/// Most faults that [`parse`] lists; the rest is counted in a last one.
pub const MAX_FAULTS: usize = 200;

/// Writes the table: switches ascending from 0, PEs ascending, a final newline.
pub fn write(design: &Design) -> String {
    let mut text = String::with_capacity(design.cables() * 6);
    // Writing to a string cannot fail.
    let _ = write_to(design, &mut text);
    text
}

/// Writes the same table piece by piece.
///
/// # Errors
/// The sink's.
pub fn write_to(design: &Design, sink: &mut dyn fmt::Write) -> fmt::Result {
    for (s, members) in design.switches().enumerate() {
        write!(sink, "{s}:")?;
        for pe in members {
            write!(sink, " {pe}")?;
        }
        sink.write_char('\n')?;
    }
    Ok(())
}

/// Reads a table for a machine of `pes` PEs. Blank lines and `#` comments are passed over, and lines may come in any
/// order, but every switch from 0 to the highest must be there once.
///
/// # Errors
/// Every faulty line, in line order.
pub fn parse(text: &str, pes: u32) -> Result<Design, Vec<TableFault>> {
    let mut faults = Vec::new();
    let mut switches: Vec<(u32, usize, Vec<u32>)> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let content = raw.split('#').next().unwrap_or("").trim();
        if content.is_empty() {
            continue;
        }
        match parse_line(content, pes) {
            Ok((switch, members)) => switches.push((switch, line, members)),
            Err(found) => {
                faults.extend(found.into_iter().map(|(found, expected)| TableFault { line, found, expected }))
            }
        }
    }
    switches.sort_unstable_by_key(|s| (s.0, s.1));
    let broken = !faults.is_empty();
    faults.extend(numbering_faults(&switches, broken, text.lines().count()));
    if faults.is_empty() {
        return Ok(Design::from_switches(pes, switches.into_iter().map(|s| s.2)));
    }
    faults.sort_by_key(|f| f.line);
    if faults.len() > MAX_FAULTS {
        let (line, more) = (faults[MAX_FAULTS].line, faults.len() - MAX_FAULTS);
        faults.truncate(MAX_FAULTS);
        faults.push(TableFault {
            line,
            found: format!("{more} more faults from here"),
            expected: "a table without them".into(),
        });
    }
    Err(faults)
}

type Found = (String, String);

fn parse_line(content: &str, pes: u32) -> Result<(u32, Vec<u32>), Vec<Found>> {
    let Some((head, tail)) = content.split_once(':') else {
        return Err(vec![(format!("{:?} has no colon", shorten(content)), "`switch: pe pe pe`".into())]);
    };
    let mut faults = Vec::new();
    let switch = head.trim().parse::<u32>().ok().filter(|&s| s < MAX_SWITCHES);
    if switch.is_none() {
        faults.push((
            format!("switch {:?}", shorten(head.trim())),
            format!("a switch number, 0 to {}", MAX_SWITCHES - 1),
        ));
    }
    let mut members = Vec::new();
    for word in tail.split_whitespace() {
        match word.parse::<u32>() {
            Ok(pe) if pe < pes => members.push(pe),
            _ => faults.push((format!("PE {:?}", shorten(word)), format!("a PE number, 0 to {}", pes - 1))),
        }
    }
    let mut sorted = members.clone();
    sorted.sort_unstable();
    for twice in sorted.chunk_by(|a, b| a == b).filter(|c| c.len() > 1) {
        faults.push((
            format!("PE {} {} times", twice[0], twice.len()),
            "each PE at most once on a switch".into(),
        ));
    }
    switch.filter(|_| faults.is_empty()).map(|s| (s, members)).ok_or(faults)
}

const MAX_SWITCHES: u32 = 1 << 26;

fn numbering_faults(sorted: &[(u32, usize, Vec<u32>)], broken: bool, lines: usize) -> Vec<TableFault> {
    let mut faults = Vec::new();
    let mut expected = 0;
    for (i, &(switch, line, _)) in sorted.iter().enumerate() {
        if i > 0 && sorted[i - 1].0 == switch {
            let found = format!("switch {switch} again (first on line {})", sorted[i - 1].1);
            faults.push(TableFault { line, found, expected: "each switch on one line".into() });
            continue;
        }
        // A line that could not be read may be the one that is missing.
        if switch > expected && !broken {
            let found = format!("switch {switch} where {expected} is missing");
            faults.push(TableFault { line, found, expected: "switches from 0 without gaps".into() });
        }
        expected = switch + 1;
    }
    if sorted.is_empty() && !broken {
        faults.push(TableFault {
            line: lines.max(1),
            found: "no switch in the whole table".into(),
            expected: "`switch: pe pe pe` lines".into(),
        });
    }
    faults
}

fn shorten(word: &str) -> String {
    if word.chars().count() <= 40 {
        word.into()
    } else {
        word.chars().take(37).chain("...".chars()).collect()
    }
}

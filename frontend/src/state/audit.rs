//! The machine's cables compared with the design on screen.

use super::words::grouped;
use shared::{
    analysis::audit::{Wrong, audit},
    design::{Design, Names},
};

/// Max bytes compared in the browser.
pub const MAX_BYTES: usize = 2 << 20;
/// Max lines per kind.
const MAX_LINES: usize = 200;

/// Cables of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Label.
    pub name: &'static str,
    /// Number of cables.
    pub number: u64,
    /// One line per cable, the first of them.
    pub lines: Vec<String>,
    /// `true` if there should be none.
    pub bad: bool,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Summary, one line.
    pub words: String,
    /// `true` if every cable is right and there are no others.
    pub holds: bool,
    /// Kinds of cables with their numbers; empty kinds are left out, except right cables.
    pub kinds: Vec<Kind>,
}

/// Compares reported LLDP neighbours with a design.
///
/// # Errors
/// Lines that cannot be parsed, or a text that is too large.
pub fn compare(design: &Design, names: &Names, text: &str) -> Result<Compared, Vec<String>> {
    if text.len() > MAX_BYTES {
        let fault = "The text is larger than 2 MB. Use `crosspoint check SPEC DESIGN --lldp FILE` instead.";
        return Err(vec![fault.into()]);
    }
    let audit = audit(design, names, &[], text)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let (swapped, wrong): (Vec<&Wrong>, Vec<&Wrong>) =
        audit.wrong.iter().partition(|wrong| wrong.swapped_with.is_some());
    let other_port = audit.other_port_text(names).into_iter().collect();
    let (right, cables) = (grouped(audit.right), grouped(audit.cables));
    let words = format!("{right} of {cables} cables are where the design says.");
    let mut kinds = vec![
        Kind { name: "right", number: audit.right, lines: other_port, bad: false },
        kind("swapped", swapped.iter().map(|wrong| wrong.text(names))),
        kind("on the wrong switch", wrong.iter().map(|wrong| wrong.text(names))),
        kind("missing", audit.missing.iter().map(|missing| missing.text(names))),
        kind("unknown", audit.extra.iter().map(|extra| extra.text(names))),
        kind("impossible", audit.doubled.iter().map(|doubled| doubled.text(names))),
        kind("outside the design", audit.strangers.iter().map(|stranger| stranger.text())),
        Kind {
            name: "not checked, because neither end reported",
            number: audit.unheard.len() as u64,
            lines: Vec::new(),
            bad: false,
        },
    ];
    kinds.retain(|kind| kind.number > 0 || kind.name == "right");
    Ok(Compared { words, holds: audit.holds(), kinds })
}

fn kind(name: &'static str, mut all: impl ExactSizeIterator<Item = String>) -> Kind {
    let number = all.len() as u64;
    // The kind is the row's heading.
    let line = |text: String| text.split_once(": ").map(|(_, line)| line.to_owned()).unwrap_or(text);
    let mut lines: Vec<String> = all.by_ref().take(MAX_LINES).map(line).collect();
    let more = all.len();
    lines.extend((more > 0).then(|| format!("and {more} more")));
    Kind { name, number, lines, bad: name != "outside the design" && number > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two PEs with two cables each: NI 0 on switch 0, NI 1 on switch 1.
    fn design() -> Design {
        Design::from_switches(2, [vec![0, 1], vec![0, 1]])
    }

    fn names() -> Names {
        Names::new(2, 2)
    }

    fn neighbours(lines: &[(&str, &str, &str)]) -> String {
        lines.iter().map(|(pe, ni, switch)| format!("{pe}: lldp.{ni}.chassis.name={switch}\n")).collect()
    }

    fn kind<'a>(compared: &'a Compared, name: &str) -> Option<&'a Kind> {
        compared.kinds.iter().find(|kind| kind.name == name)
    }

    #[test]
    fn where_all_is_right_nothing_else_is_listed() {
        let text =
            [("pe0", "eth0", "sw0"), ("pe0", "eth1", "sw1"), ("pe1", "eth0", "sw0"), ("pe1", "eth1", "sw1")];
        let compared = compare(&design(), &names(), &neighbours(&text)).unwrap();
        assert_eq!(compared.words, "4 of 4 cables are where the design says.");
        assert!(compared.holds && compared.kinds.len() == 1, "{compared:?}");
    }

    #[test]
    fn right_swapped_and_unheard_cables_are_counted() {
        let text = neighbours(&[("pe0", "eth0", "sw1"), ("pe0", "eth1", "sw0")]);
        let compared = compare(&design(), &names(), &text).unwrap();
        assert!(!compared.holds && kind(&compared, "right").unwrap().number == 0, "{compared:?}");
        let swapped = kind(&compared, "swapped").unwrap();
        assert!(swapped.bad && swapped.number == 2, "{swapped:?}");
        assert!(swapped.lines[0].starts_with("pe000 NIC0 is on sw01"), "{swapped:?}");
        assert_eq!(kind(&compared, "not checked, because neither end reported").unwrap().number, 2);
    }

    #[test]
    fn a_text_without_neighbours_or_is_too_large_is_refused() {
        assert!(compare(&design(), &names(), "nonsense").is_err());
        let large = "x".repeat(MAX_BYTES + 1);
        assert!(compare(&design(), &names(), &large).is_err_and(|faults| faults[0].contains("--lldp")));
    }
}

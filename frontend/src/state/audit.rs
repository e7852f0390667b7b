//! The machine's cables held against the wiring on screen.

use super::words::grouped;
use shared::{
    analysis::audit::{Wrong, audit},
    design::{Design, Names},
};

/// Most bytes that are compared in the browser, in a moment.
pub const MAX_BYTES: usize = 2 << 20;
/// Most lines of a kind that are told.
const MAX_LINES: usize = 200;

/// How a kind of cable stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What they are.
    pub name: &'static str,
    /// How many there are.
    pub number: u64,
    /// A line each, the first of them.
    pub lines: Vec<String>,
    /// Whether there should be none.
    pub bad: bool,
}

/// How the machine's cables stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// In one line.
    pub words: String,
    /// Whether every cable is where it belongs, and none is there beside.
    pub holds: bool,
    /// Kinds of cables with their numbers; those there are none of are left out, but for those that are right.
    pub kinds: Vec<Kind>,
}

/// Compares what nodes say of their neighbours with a wiring.
///
/// # Errors
/// Lines that cannot be read, or a text that is too large.
pub fn compare(design: &Design, text: &str, interface: &str) -> Result<Compared, Vec<String>> {
    if text.len() > MAX_BYTES {
        let told = "The text is larger than 2 MB; compare it by `crosspoint check SPEC DESIGN --lldp FILE`.";
        return Err(vec![told.into()]);
    }
    let audit = audit(design, text, interface)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let names = Names::of(design);
    let (swapped, wrong): (Vec<&Wrong>, Vec<&Wrong>) =
        audit.wrong.iter().partition(|wrong| wrong.swapped_with.is_some());
    let other_port = match audit.other_port {
        0 => Vec::new(),
        ports => {
            vec![format!("{ports} of them on another port of the right switch, which is fine")]
        }
    };
    let (right, cables) = (grouped(audit.right), grouped(audit.cables));
    let words = format!("{right} of {cables} cables are where the design says.");
    let mut kinds = vec![
        Kind { name: "right", number: audit.right, lines: other_port, bad: false },
        kind("swapped", swapped.iter().map(|wrong| wrong.text(names))),
        kind("on the wrong switch", wrong.iter().map(|wrong| wrong.text(names))),
        kind("missing", audit.missing.iter().map(|cable| cable.missing_text(names))),
        kind("unknown", audit.extra.iter().map(|extra| extra.text(names))),
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
    // Their kind stands beside them already.
    let line = |told: String| told.split_once(": ").map(|(_, line)| line.to_owned()).unwrap_or(told);
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

    fn neighbours(lines: &[(&str, &str, &str)]) -> String {
        lines.iter().map(|(pe, ni, switch)| format!("{pe}: lldp.{ni}.chassis.name={switch}\n")).collect()
    }

    fn kind<'a>(compared: &'a Compared, name: &str) -> Option<&'a Kind> {
        compared.kinds.iter().find(|kind| kind.name == name)
    }

    #[test]
    fn where_all_is_right_nothing_else_is_told() {
        let text =
            [("pe0", "eth0", "sw0"), ("pe0", "eth1", "sw1"), ("pe1", "eth0", "sw0"), ("pe1", "eth1", "sw1")];
        let compared = compare(&design(), &neighbours(&text), "eth").unwrap();
        assert_eq!(compared.words, "4 of 4 cables are where the design says.");
        assert!(compared.holds && compared.kinds.len() == 1, "{compared:?}");
    }

    #[test]
    fn right_swapped_and_unheard_cables_are_counted() {
        let text = neighbours(&[("pe0", "eth0", "sw1"), ("pe0", "eth1", "sw0")]);
        let compared = compare(&design(), &text, "eth").unwrap();
        assert!(!compared.holds && kind(&compared, "right").unwrap().number == 0, "{compared:?}");
        let swapped = kind(&compared, "swapped").unwrap();
        assert!(swapped.bad && swapped.number == 2, "{swapped:?}");
        assert!(swapped.lines[0].starts_with("pe000 NI0 is on sw01"), "{swapped:?}");
        assert_eq!(kind(&compared, "not checked, because neither end reported").unwrap().number, 2);
    }

    #[test]
    fn a_text_that_tells_of_no_neighbours_or_is_too_large_is_refused() {
        assert!(compare(&design(), "nonsense", "eth").is_err());
        let large = "x".repeat(MAX_BYTES + 1);
        assert!(compare(&design(), &large, "eth").is_err_and(|told| told[0].contains("--lldp")));
    }
}

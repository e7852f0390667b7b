//! The machine's cables held against the wiring on screen.

use shared::{
    analysis::audit::{Wrong, audit},
    design::{Design, Names},
};

/// Most bytes that are compared in the browser, in a moment.
pub const MOST_BYTES: usize = 2 << 20;
/// Most lines of a kind that are told.
const MOST_LINES: usize = 200;

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

/// Compares what nodes say of their neighbours with a wiring.
///
/// # Errors
/// Lines that cannot be read, or a text that is too large.
pub fn compare(design: &Design, text: &str, interface: &str) -> Result<Vec<Kind>, Vec<String>> {
    if text.len() > MOST_BYTES {
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
            vec![format!("{ports} of them in another port of their switch than lists say, which is no fault")]
        }
    };
    Ok(vec![
        Kind { name: "right", number: audit.right, lines: other_port, bad: false },
        kind("swapped", swapped.iter().map(|wrong| wrong.told(names))),
        kind("on another switch", wrong.iter().map(|wrong| wrong.told(names))),
        kind("missing", audit.missing.iter().map(|cable| cable.told_missing(names))),
        kind("unknown", audit.extra.iter().map(|extra| extra.told(names))),
        kind("outside the design", audit.strangers.iter().map(|stranger| stranger.told())),
        Kind {
            name: "not looked at, since neither end spoke",
            number: audit.unheard.len() as u64,
            lines: Vec::new(),
            bad: false,
        },
    ])
}

fn kind(name: &'static str, mut all: impl ExactSizeIterator<Item = String>) -> Kind {
    let number = all.len() as u64;
    let mut lines: Vec<String> = all.by_ref().take(MOST_LINES).collect();
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

    fn number(kinds: &[Kind], name: &str) -> u64 {
        kinds.iter().find(|kind| kind.name == name).unwrap().number
    }

    #[test]
    fn right_swapped_and_unheard_cables_are_counted() {
        let text = neighbours(&[("pe0", "eth0", "sw1"), ("pe0", "eth1", "sw0")]);
        let kinds = compare(&design(), &text, "eth").unwrap();
        assert_eq!((number(&kinds, "right"), number(&kinds, "swapped")), (0, 2));
        assert!(
            kinds[1].bad && kinds[1].lines[0].contains("swapped: pe000 NI0 is on sw01"),
            "{:?}",
            kinds[1]
        );
        assert_eq!(number(&kinds, "not looked at, since neither end spoke"), 2);
    }

    #[test]
    fn a_text_that_tells_of_no_neighbours_or_is_too_large_is_refused() {
        assert!(compare(&design(), "nonsense", "eth").is_err());
        let large = "x".repeat(MOST_BYTES + 1);
        assert!(compare(&design(), &large, "eth").is_err_and(|told| told[0].contains("--lldp")));
    }
}

//! The machine's cables compared with the design on screen.

use super::words::grouped;
use shared::{
    analysis::audit::{MisplacedCable, MisplacedPlug, Uplink, audit, is_infiniband},
    design::{Design, Names},
    spec::names::Interfaces,
};

/// Max bytes compared in the browser.
pub const MAX_BYTES: usize = 2 << 20;
/// Max lines per kind.
const MAX_LINES: usize = 200;

/// Cables of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CableKind {
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
pub struct AuditSummary {
    /// Summary, one line.
    pub words: String,
    /// `true` if every cable is right and there are no others.
    pub holds: bool,
    /// Kinds of cables with their numbers; empty kinds are left out, except right cables.
    pub kinds: Vec<CableKind>,
}

/// Compares reported LLDP neighbours with a design and its cables to the uplink switch. NICs have the names of `nics`, or else those of
/// the spec.
///
/// # Errors
/// Lines that cannot be parsed, a text that is too large, or one where no NIC has one of the given names.
pub fn compare(
    design: &Design,
    names: &Names,
    uplinks: &[Uplink],
    nics: Option<&Interfaces>,
    text: &str,
) -> Result<AuditSummary, Vec<String>> {
    if text.len() > MAX_BYTES {
        let fault = "The text is larger than 2 MB. Use `crosspoint check SPEC WIRING --lldp FILE` instead.";
        return Err(vec![fault.into()]);
    }
    if is_infiniband(text) {
        let fault = "This is InfiniBand output. Use `crosspoint check SPEC WIRING --ib FILE`; see the topic verify in the help.";
        return Err(vec![fault.into()]);
    }
    let names = &names.clone().with(nics, None);
    let audit = audit(design, names, uplinks, text)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    if let Some(nics) = nics.filter(|_| audit.knows_no_nic()) {
        let nics = nics.written();
        return Err(vec![format!(
            "No NIC in the text is called {nics}. Leave “NIC names on the nodes” empty to compare by switch only."
        )]);
    }
    let (swapped, wrong): (Vec<&MisplacedCable>, Vec<&MisplacedCable>) =
        audit.wrong.iter().partition(|wrong| wrong.swapped_with.is_some());
    let (swapped_plugs, plugs): (Vec<&MisplacedPlug>, Vec<&MisplacedPlug>) =
        audit.misplugged.iter().partition(|wrong| wrong.swapped_with.is_some());
    let remarks = [audit.other_port_text(names), audit.by_switch_text(), audit.by_node_text()];
    let remarks = remarks.into_iter().flatten().collect();
    let (right, cables) = (grouped(audit.right), grouped(audit.cables));
    let mut words = format!("{right} of {cables} cables are where the design says.");
    if let Some(uplinks) = audit.uplinks_text() {
        words += &format!(" {uplinks}.");
    }
    let missing = audit.missing.iter().map(|missing| missing.text(names));
    let missing = missing.chain(audit.missing_direct.iter().map(|missing| missing.text(names)));
    let missing: Vec<String> = missing.chain(audit.missing_uplinks.iter().map(Uplink::text)).collect();
    let mut unheard = audit.unheard_lines(names);
    unheard.extend(audit.unheard_uplinks_text());
    let mut kinds = vec![
        CableKind { name: "right", number: audit.right, lines: remarks, bad: false },
        kind("swapped", swapped.iter().map(|wrong| wrong.text(names))),
        kind("direct cables with swapped plugs", swapped_plugs.iter().map(|wrong| wrong.text(names))),
        kind("on the wrong switch", wrong.iter().map(|wrong| wrong.text(names))),
        kind("NICs at the wrong end", plugs.iter().map(|wrong| wrong.text(names))),
        kind("missing", missing.into_iter()),
        kind("unknown", audit.extra.iter().map(|extra| extra.text(names))),
        kind("extra", audit.joins.iter().map(|join| join.join_text())),
        kind("impossible", audit.doubled.iter().map(|doubled| doubled.text(names))),
        kind("outside the design", audit.strangers.iter().map(|stranger| stranger.text())),
        kind("ambiguous", audit.ambiguous.iter().map(|ambiguous| ambiguous.text())),
        kind("degraded", audit.degraded.iter().map(|link| link.text())),
        CableKind {
            name: "not checked, because neither end reported",
            number: (audit.unheard.len() + audit.unheard_direct.len() + audit.unheard_uplinks.len()) as u64,
            lines: first_of(unheard.into_iter()),
            bad: false,
        },
        CableKind {
            name: "warnings",
            number: audit.warnings.len() as u64,
            lines: first_of(audit.warnings.iter().map(ToString::to_string)),
            bad: false,
        },
    ];
    kinds.retain(|kind| kind.number > 0 || kind.name == "right");
    Ok(AuditSummary { words, holds: audit.holds(), kinds })
}

fn kind(name: &'static str, all: impl ExactSizeIterator<Item = String>) -> CableKind {
    let number = all.len() as u64;
    // The kind is the row's heading.
    let line = |text: String| text.split_once(": ").map(|(_, line)| line.to_owned()).unwrap_or(text);
    CableKind {
        name,
        number,
        lines: first_of(all.map(line)),
        bad: !["outside the design", "ambiguous", "degraded"].contains(&name) && number > 0,
    }
}

/// The first lines, and the number of others.
fn first_of(mut all: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = all.by_ref().take(MAX_LINES).collect();
    let more = all.len();
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
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

    fn kind<'a>(compared: &'a AuditSummary, name: &str) -> Option<&'a CableKind> {
        compared.kinds.iter().find(|kind| kind.name == name)
    }

    #[test]
    fn where_all_is_right_nothing_else_is_listed() {
        let text = [
            ("node0", "eth0", "sw0"),
            ("node0", "eth1", "sw1"),
            ("node1", "eth0", "sw0"),
            ("node1", "eth1", "sw1"),
        ];
        let compared = compare(&design(), &names(), &[], None, &neighbours(&text)).unwrap();
        assert_eq!(compared.words, "4 of 4 cables are where the design says.");
        assert!(compared.holds && compared.kinds.len() == 1, "{compared:?}");
    }

    #[test]
    fn right_swapped_and_unheard_cables_are_counted() {
        let text = neighbours(&[("node0", "eth0", "sw1"), ("node0", "eth1", "sw0")]);
        let compared = compare(&design(), &names(), &[], None, &text).unwrap();
        assert!(!compared.holds && kind(&compared, "right").unwrap().number == 0, "{compared:?}");
        let swapped = kind(&compared, "swapped").unwrap();
        assert!(swapped.bad && swapped.number == 2, "{swapped:?}");
        assert!(swapped.lines[0].starts_with("node000 NIC0 is on sw01"), "{swapped:?}");
        let unheard = kind(&compared, "not checked, because neither end reported").unwrap();
        assert_eq!((unheard.number, &*unheard.lines[0]), (2, "node001: NIC0 to sw00 NIC1 to sw01"));
    }

    #[test]
    fn cables_to_the_uplink_switch_count() {
        let end = |device: &str, port: &str| (device.to_owned(), port.to_owned());
        let uplinks: Vec<Uplink> = ["sw00", "sw01"]
            .into_iter()
            .zip(["swp1", "swp2"])
            .map(|(from, to)| Uplink { from: end(from, "swp8"), to: end("uplink", to) })
            .collect();
        let mut text = neighbours(&[("node0", "eth0", "sw0"), ("node0", "eth1", "sw1")]);
        text +=
            &neighbours(&[("node1", "eth0", "sw0"), ("node1", "eth1", "sw1"), ("uplink", "swp1", "sw00")]);
        let compared = compare(&design(), &names(), &uplinks, None, &text).unwrap();
        let all = "4 of 4 cables are where the design says. 1 of 2 cables to uplink switches join the right devices.";
        assert_eq!((&*compared.words, compared.holds), (all, false));
        let missing = kind(&compared, "missing").unwrap();
        assert!(missing.bad && missing.lines[0].starts_with("uplink cable of sw01 swp8"), "{missing:?}");
    }

    #[test]
    fn a_switch_whose_output_is_not_read_is_listed() {
        let text = neighbours(&[("node0", "eth0", "sw0")]) + "sw1# show lldp nei\n% LLDP is not enabled\n";
        let compared = compare(&design(), &names(), &[], None, &text).unwrap();
        let warnings = kind(&compared, "warnings").unwrap();
        assert!(!warnings.bad && warnings.number == 1, "{warnings:?}");
        assert!(
            warnings.lines[0].starts_with("line 3: sw1 reports no neighbour that can be read; "),
            "{warnings:?}"
        );
    }

    #[test]
    fn names_that_no_nic_has_are_refused() {
        let text = neighbours(&[("node0", "eth0", "sw1"), ("node0", "eth1", "sw0")]);
        let nics = |written: &str| Interfaces::parse(written).unwrap();
        let swapped = compare(&design(), &names(), &[], Some(&nics("eth")), &text).unwrap();
        assert_eq!(kind(&swapped, "swapped").unwrap().number, 2);
        let why = compare(&design(), &names(), &[], Some(&nics("ib")), &text).unwrap_err();
        assert_eq!(
            why,
            [
                "No NIC in the text is called ib. Leave “NIC names on the nodes” empty to compare by switch only."
            ]
        );
    }

    #[test]
    fn a_text_without_neighbours_or_is_too_large_is_refused() {
        assert!(compare(&design(), &names(), &[], None, "nonsense").is_err());
        for text in ["#\nvendid=0x2c9\nswitchguid=0x2c9(2c9)\n", "Switch: 0x0002c90300000010 sw00:\n"] {
            assert!(
                compare(&design(), &names(), &[], None, text).is_err_and(|faults| faults[0].contains("--ib"))
            );
        }
        let large = "x".repeat(MAX_BYTES + 1);
        assert!(
            compare(&design(), &names(), &[], None, &large).is_err_and(|faults| faults[0].contains("--lldp"))
        );
    }
}

//! `crosspoint analyze --failed`, and its alias `--dead`.

use crate::program::{SMALL, folder, kasy0, kasy0_wiring, run};
use shared::api::AnalysisView;

/// Two switches hold two PEs each, a third the four of them but one; all six pairs are requested.
const WIRING: &[u8] = b"0: 0 1\n1: 2 3\n2: 0 1 2\n";

#[test]
fn pairs_that_lose_paths_are_told_with_what_they_have_instead() {
    let spec = SMALL.replace("nis_per_pe = 1", "nis_per_pe = 2") + "count = 3\n";
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", WIRING)]);
    let ran = run(folder.path(), &["analyze", "spec.toml", "wiring.txt", "--failed", "sw0, PE003"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for told in [
        "\nfailed: sw00 node003\n",
        "2 of 6 requested pairs lose paths:\n",
        "\n  0 1: 1 of 2 switches, over sw02\n",
        "\n  2 3: 0 of 1 switches, a failed node\n",
        "\nall working nodes reach each other\n",
        "\nworst switch to fail next: sw02: 3 requested pairs (3 of all pairs) would lose their last shared switch; \
         3 pairs of other nodes would become unreachable\n",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
}

#[test]
fn without_faults_the_worst_parts_to_lose_are_told() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["analyze".into(), kasy0(), kasy0_wiring()]);
    let last: Vec<&str> = ran.out.lines().rev().take(2).collect();
    assert!(last[1].starts_with("worst switch to fail: sw"), "{}", ran.out);
    assert!(last[0].starts_with("worst node to fail: node"), "{}", ran.out);
    assert!(!ran.out.contains("failed"), "{}", ran.out);
}

#[test]
fn json_names_every_requested_pair_that_loses_paths() {
    let folder = folder(&[]);
    let arguments =
        ["analyze".into(), kasy0(), kasy0_wiring(), "--json".into(), "--dead".into(), "sw0".into()];
    let view: AnalysisView = serde_json::from_str(&run(folder.path(), &arguments).out).unwrap();
    let faults = view.faults.unwrap();
    assert_eq!(faults.dead, "sw00");
    let lost = faults.damage.requested;
    assert_eq!(faults.pairs.len() as u64, lost.fewer + lost.lost());
    // All pairs of a switch with 23 PEs.
    assert_eq!(faults.damage.all.fewer + faults.damage.all.lost(), 23 * 22 / 2);
    assert_eq!((lost.dead, lost.nothing, faults.damage.unreachable), (0, 0, 0));
    assert_eq!(view.uncovered, 0, "the rest is of the wiring as it should be");
}

#[test]
fn what_cannot_be_dead_is_bad_input() {
    let folder = folder(&[]);
    for (dead, told) in [
        ("sw17", "--failed: there is no switch 17; switches are 0 to 16"),
        (
            "node128 node0.nic3",
            "there is no node 128; nodes are 0 to 127; node 0 has no NIC 3; its NICs are 0 to 2",
        ),
        ("router", "\"router\" is not a switch (such as sw03), node (node007) or NIC (node005.nic1)"),
    ] {
        let arguments = ["analyze".into(), kasy0(), kasy0_wiring(), "--dead".into(), dead.into()];
        let ran = run(folder.path(), &arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

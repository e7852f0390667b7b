//! The text table: what it reads, what it writes, what it says of faults.

use proptest::prelude::*;
use shared::design::{Design, table};

fn faults(text: &str, pes: u32) -> Vec<String> {
    table::parse(text, pes).unwrap_err().iter().map(|f| f.to_string()).collect()
}

#[test]
fn comments_blank_lines_and_any_order_are_read() {
    let text = "# a wiring\n\n1: 2 0 # two\n0:1   3\r\n 2 :\n";
    let design = table::parse(text, 4).unwrap();
    assert_eq!(table::write(&design), "0: 1 3\n1: 0 2\n2:\n");
    // As editors on Windows save it.
    assert_eq!(table::parse("\u{feff}0: 1 3\r\n1: 0 2\r\n2:\r\n", 4), Ok(design));
}

#[test]
fn every_faulty_line_is_named_with_its_number() {
    assert_eq!(
        faults("0: 1 9\nnonsense\n1: 2 2\nx: 1\n1: -1\n", 4),
        [
            "line 1: \"9\" is not a node number (0 to 3).",
            "line 2: \"nonsense\" has no colon; write `switch: node node node`.",
            "line 3: node 2 is listed 2 times; list each node once.",
            "line 4: has names; write numbers, such as `0: 3 5 7`, not \"x\".",
            "line 5: \"-1\" is not a node number (0 to 3).",
            "line 5: switch 1 is on line 3 already; give each switch one line.",
        ]
    );
}

/// A fault in a line hides no fault of another kind, in it or elsewhere.
#[test]
fn gaps_and_repeats_are_told_beside_faulty_members() {
    assert_eq!(
        faults("0: 1 9\n2: 1\n0: 3 3\n4: 7\n", 4),
        [
            "line 1: \"9\" is not a node number (0 to 3).",
            "line 2: switch 1 is missing before switch 2; number without gaps.",
            "line 3: node 3 is listed 2 times; list each node once.",
            "line 3: switch 0 is on line 1 already; give each switch one line.",
            "line 4: \"7\" is not a node number (0 to 3).",
            "line 4: switch 3 is missing before switch 4; number without gaps.",
        ]
    );
    // The line without a colon may be the missing switch 1.
    assert_eq!(
        faults("0: 1\n1 2\n2: 1 1\n", 4),
        [
            "line 2: \"1 2\" has no colon; write `switch: node node node`.",
            "line 3: node 1 is listed 2 times; list each node once.",
        ]
    );
}

#[test]
fn a_table_of_another_spec_is_one_fault() {
    let table: String = (0..16).map(|s| format!("{s}: {} {}\n", s, 127 - s)).collect();
    assert_eq!(faults(&table, 64), ["line 1: has nodes up to 127; the spec has nodes 0 to 63."]);
    assert_eq!(faults(&format!("{table}x\n"), 64).len(), 2);
    assert_eq!(faults(&table, 120).len(), 8);
}

#[test]
fn gaps_repeats_and_emptiness_are_faults() {
    assert_eq!(
        faults("0: 1\n2: 1\n", 4),
        ["line 2: switch 1 is missing before switch 2; number without gaps."]
    );
    assert_eq!(
        faults("0: 1\n0: 2\n", 4),
        ["line 2: switch 0 is on line 1 already; give each switch one line."]
    );
    assert_eq!(faults("# nothing\n", 4), ["line 1: has no switch; write lines `switch: node node node`."]);
    assert_eq!(faults("", 4).len(), 1);
}

#[test]
fn a_hostile_table_ends_in_a_bounded_list_of_faults() {
    let faults = faults(&format!("0: 1\n{}", "x\n".repeat(100_000)), 4);
    assert_eq!(faults.len(), table::MAX_FAULTS + 1);
    assert!(
        faults[table::MAX_FAULTS].contains("this and 99800 more errors."),
        "{}",
        faults[table::MAX_FAULTS]
    );
    let words = table::parse(&format!("0: {}", "x ".repeat(1_000_000)), 4).unwrap_err();
    assert_eq!((words.len(), words[table::MAX_FAULTS].line), (table::MAX_FAULTS + 1, 1));
    assert_eq!(table::parse(&format!("0: {}", "9 ".repeat(1_000_000)), 4).unwrap_err().len(), 1);
    assert!(table::parse("4000000000: 1", 4).is_err());
    assert!(table::parse("67108863: 1", 4).is_err());
    assert!(table::parse(&format!("0: {}", "9".repeat(1 << 20)), 4).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_reads_back(switches in prop::collection::vec(prop::collection::vec(0u32..40, 0..12), 1..12)) {
        let design = Design::from_switches(40, switches);
        let text = table::write(&design);
        prop_assert_eq!(table::parse(&text, 40), Ok(design));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[0-9:# x\n-]{0,60}") {
        if let Err(faults) = table::parse(&text, 5) {
            prop_assert!(!faults.is_empty());
            prop_assert!(faults.is_sorted_by_key(|f| f.line));
        }
    }

    #[test]
    fn nis_are_the_wiring_seen_from_the_pes(switches in prop::collection::vec(prop::collection::vec(0u32..20, 0..12), 1..9)) {
        let design = Design::from_switches(20, switches);
        let nis = design.nis();
        prop_assert_eq!(nis.cables(), design.cables());
        for pe in 0..20 {
            let on: Vec<u32> = (0..design.switch_count()).filter(|&s| design.members(s).contains(&pe)).collect();
            prop_assert_eq!(nis.of(pe), &on[..]);
        }
    }
}

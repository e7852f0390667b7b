//! Entries of 32 bits: their bits, what they say, their turns, and the three forms they are exported in.

use super::{
    machines::{
        Machine, all, bundle, faults, kasy0, klat2, lab, machine, ni, parts, routes, row, shared, written,
    },
    programs,
};
use crate::common::sparse;
use shared::{
    analysis::routing::{
        EntriesError, Entry, HEADER_BYTES, Hop, MultiRoutes, NiPair, Table, ThroughRoutes, entries, through,
    },
    design::Design,
    design::Faults,
    exports::format,
};
use std::collections::BTreeSet;

fn prepared(machine: &Machine, faults: &Faults) -> (MultiRoutes, ThroughRoutes) {
    (routes(machine, faults), through(&machine.2, faults))
}

/// Two PEs on so many switches, PE 0 on one more before them, so that its NIs are one higher.
fn pair(switches: u32) -> Vec<Entry> {
    let both: String = (1..=switches).map(|switch| format!("{switch}: 0 1\n")).collect();
    let machine = machine(3, 8, &format!("0: 0 2\n{both}"));
    let (routes, through) = prepared(&machine, &Faults::default());
    entries(&routes, &through).unwrap().table(0)
}

/// The bits of fields, the one that is used next first, in a mode.
fn bits(mode: u32, fields: &[(u32, u32)]) -> u32 {
    let field = |(at, &(own, other)): (usize, &(u32, u32))| (own << 3 | other) << (2 + 6 * at);
    fields.iter().enumerate().map(field).sum::<u32>() + mode
}

/// From PE 0 to PE 1 turns begin with the second path, as the sum of the numbers says.
#[test]
fn fields_are_where_the_table_of_bits_says() {
    assert_eq!(pair(1)[1].0, bits(1, &[(1, 0), (1, 0), (1, 0)]));
    assert_eq!(pair(2)[1].0, bits(2, &[(2, 1), (1, 0), (2, 1), (1, 0)]));
    assert_eq!(pair(3)[1].0, bits(1, &[(2, 1), (3, 2), (1, 0)]));
    assert_eq!(pair(4)[1].0, bits(2, &[(2, 1), (3, 2), (4, 3), (1, 0)]));
    assert_eq!(pair(5)[1].0, bits(3, &[(2, 1), (3, 2), (4, 3), (5, 4), (1, 0)]));
    assert_eq!(pair(7)[1].0, bits(3, &[(2, 1), (3, 2), (4, 3), (5, 4), (6, 5)]));
    assert_eq!(pair(4)[0].0, 0, "nothing to itself");
    let row = row();
    let (routes, through) = prepared(&row, &Faults::default());
    let table = entries(&routes, &through).unwrap().table(3);
    assert_eq!(table[7].0, 4 << 16 | 1 << 8, "through PE 4, from NI 0 to NI 0");
    assert_eq!(table[0].0, 2 << 16 | 1 << 8 | bits(0, &[(0, 1)]), "through PE 2, from NI 0 to NI 1");
}

#[test]
fn every_entry_leads_where_it_should() {
    for machine in all() {
        for dead in ["", "sw1 node2 node0.nic0"] {
            let faults = faults(dead, &machine.2);
            let (routes, through) = prepared(&machine, &faults);
            let tables = entries(&routes, &through).unwrap();
            let parts = parts(&machine.2, &faults);
            let all: Vec<Vec<Entry>> = (0..machine.2.pes()).map(|pe| tables.table(pe)).collect();
            for pe in 0..machine.2.pes() {
                for dest in 0..machine.2.pes() {
                    leads(&machine.2, &faults, &parts, &all, pe, dest);
                }
            }
        }
    }
}

/// Follows entries from one PE to another.
fn leads(design: &Design, faults: &Faults, parts: &[u32], all: &[Vec<Entry>], pe: u32, dest: u32) {
    let meeting = |a: u32, b: u32| -> BTreeSet<NiPair> {
        let pair = |&switch: &u32| NiPair { own: ni(design, a, switch), other: ni(design, b, switch) };
        shared(design, faults, a, b).iter().map(pair).collect()
    };
    let hop = all[pe as usize][dest as usize].decode().expect("an entry that is written is read");
    let direct = meeting(pe, dest);
    match hop {
        Hop::Unreachable => assert!(pe == dest || parts[pe as usize] != parts[dest as usize]),
        Hop::Direct(nis) => {
            let times = |one: &NiPair| nis.iter().filter(|ni| *ni == one).count();
            assert_eq!(nis.iter().copied().collect::<BTreeSet<_>>().len(), direct.len().min(5));
            assert!(nis.iter().all(|ni| direct.contains(ni) && times(ni) == times(&nis[0])), "{nis:?}");
        }
        Hop::Through { .. } => {
            let mut at = pe;
            let mut steps = 0;
            while let Some(Hop::Through { gateway, nis }) = all[at as usize][dest as usize].decode() {
                assert!(meeting(at, gateway).contains(&nis), "PE {at} does not meet {gateway} by {nis:?}");
                at = gateway;
                steps += 1;
                assert!(steps < design.pes(), "from PE {pe} to {dest} in circles");
            }
            assert!(
                direct.is_empty() && !meeting(at, dest).is_empty(),
                "from PE {pe} to {dest} stopped at {at}"
            );
        }
    }
}

#[test]
fn not_all_pairs_begin_with_the_same_nis() {
    let (routes, through) = prepared(&klat2(), &Faults::default());
    let tables = entries(&routes, &through).unwrap();
    let mut first = [0; 4];
    for entry in (0..64).flat_map(|pe| tables.table(pe)) {
        if let Some(Hop::Direct(nis)) = entry.decode() {
            first[nis[0].own as usize] += 1;
        }
    }
    assert!(first.iter().min().unwrap() * 2 > *first.iter().max().unwrap(), "{first:?}");
}

#[test]
fn machines_that_do_not_fit_are_refused() {
    let nine: String = (0..9).map(|switch| format!("{switch}: 1 2\n")).collect();
    let (routes, through) = prepared(&machine(3, 9, &nine), &Faults::default());
    assert_eq!(entries(&routes, &through).err(), Some(EntriesError::Nis { pe: 1, has: 9 }));
    let error = written(machine(3, 9, &nine), "entries-c", Some(0), &[]).unwrap_err();
    assert_eq!(error, "node 1 has 9 NICs; 32-bit entries support at most 8");

    let (spec, demand) = sparse(65_537, 1, 4, 1, &[(0, 1)]);
    let (routes, through) =
        prepared(&(spec, demand, Design::from_switches(65_537, [vec![0, 1]])), &Faults::default());
    assert_eq!(entries(&routes, &through).err(), Some(EntriesError::Pes(65_537)));
}

/// A PE's table as the binary export writes it.
fn file(machine: Machine, pe: u32, dead: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let bundle = bundle(machine, "entries", &[&format!("dead={dead}")]).unwrap();
    bundle.write(format("entries").unwrap(), Some(pe), &mut bytes).unwrap();
    bytes
}

/// The table of a file.
fn read(bytes: &[u8]) -> Table {
    let number = |at: &[u8]| u32::from_le_bytes(at.try_into().unwrap());
    let (header, body) = bytes.split_at(HEADER_BYTES);
    assert_eq!((&header[..8], number(&header[8..12])), (&b"FNNROUTE"[..], 1));
    let entries: Vec<Entry> = body.chunks_exact(4).map(|entry| Entry(number(entry))).collect();
    assert_eq!(number(&header[12..16]) as usize, entries.len());
    assert!(entries.iter().all(|entry| entry.decode().is_some()));
    Table { pe: number(&header[16..20]), entries }
}

#[test]
fn the_file_reads_back() {
    for (machine, pe, dead) in [(kasy0(), 77, "sw3"), (klat2(), 0, ""), (lab(), 5, "node1"), (row(), 4, "")] {
        let (routes, through) = prepared(&machine, &faults(dead, &machine.2));
        let expected = entries(&routes, &through).unwrap().table(pe);
        let bytes = file(machine, pe, dead);
        assert_eq!(bytes.len(), HEADER_BYTES + 4 * expected.len());
        let table = read(&bytes);
        assert_eq!((table.pe, &table.entries), (pe, &expected));
        assert_eq!(table.to_bytes(), bytes);
    }
    assert_eq!(file(row(), 3, "")[..24], *b"FNNROUTE\x01\0\0\0\x09\0\0\0\x03\0\0\0\x04\x01\x02\0");
}

const MAIN: &str = r#"
#include <stdio.h>
int main(void) {
    for (uint32_t dest = 0; dest < FNN_PES; dest++) {
        printf("%u %d %u:", (unsigned)dest, FNN_REACHES(fnn_entries[dest]), (unsigned)FNN_NEXT_PE(fnn_entries[dest], dest));
        for (uint32_t turn = FNN_FIELDS(fnn_entries[dest]); turn > 0; turn--) {
            uint32_t entry = fnn_entries[dest];
            printf(" %u-%u", (unsigned)FNN_ENTRY_OWN_NI(entry), (unsigned)FNN_ENTRY_OTHER_NI(entry));
            fnn_entries[dest] = FNN_TURNED(entry);
        }
        printf(" %u\n", (unsigned)fnn_entries[dest]);
    }
    return FNN_SELF < FNN_PES ? 0 : 1;
}
"#;

/// What the C program should print for an entry: after all turns it is as it was.
fn line(dest: usize, entry: &Entry) -> String {
    let pairs = |nis: &[NiPair]| nis.iter().map(|ni| format!(" {}-{}", ni.own, ni.other)).collect::<String>();
    match entry.decode().unwrap() {
        Hop::Unreachable => format!("{dest} 0 {dest}: 0-0 0"),
        Hop::Direct(nis) => format!("{dest} 1 {dest}:{} {}", pairs(&nis), entry.0),
        Hop::Through { gateway, nis } => format!("{dest} 1 {gateway}:{} {}", pairs(&[nis]), entry.0),
    }
}

#[test]
fn the_header_compiles_and_says_the_same() {
    for (machine, pe, dead) in
        [(kasy0(), 12, ""), (klat2(), 63, ""), (lab(), 5, "sw1 node3"), (row(), 4, "node4")]
    {
        let table = read(&file(machine.clone(), pe, dead));
        let header = written(machine, "entries-c", Some(pe), &[&format!("dead={dead}")]).unwrap();
        let Some(printed) = programs::c(&format!("entries{pe}"), &format!("{header}{MAIN}")) else { return };
        let expected: Vec<String> =
            table.entries.iter().enumerate().map(|(dest, entry)| line(dest, entry)).collect();
        assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{header}");
    }
}

#[test]
fn json_says_the_same() {
    let table = read(&file(row(), 3, "sw3"));
    let text = written(row(), "entries-json", Some(3), &["dead=sw3"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["pe"], &json["pes"], &json["dead"]), (&3.into(), &9.into(), &"sw03".into()));
    let listed = json["entries"].as_array().unwrap();
    assert_eq!(listed.len(), 8);
    for entry in listed {
        let dest = entry["dest"].as_u64().unwrap() as usize;
        assert_eq!(entry["entry"], table.entries[dest].0);
        let nis =
            |nis: &[NiPair]| serde_json::json!(nis.iter().map(|ni| [ni.own, ni.other]).collect::<Vec<_>>());
        match table.entries[dest].decode().unwrap() {
            Hop::Unreachable => assert_eq!((&entry["nis"], entry.get("through")), (&nis(&[]), None)),
            Hop::Direct(pairs) => assert_eq!((&entry["nis"], entry.get("through")), (&nis(&pairs), None)),
            Hop::Through { gateway, nis: pair } => {
                assert_eq!((&entry["nis"], &entry["through"]), (&nis(&[pair]), &gateway.into()));
            }
        }
    }
}

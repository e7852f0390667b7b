//! Which switches packets cross, by the counters of switch ports.

use crate::plan::{Hop, Plan};
use anyhow::{Context, Result, ensure};
use e2e::lab::{ANSWER, HEADERS, Lab, Peers, QUESTION, Traffic};
use std::{collections::BTreeMap, time::Duration};

/// Long, for machines that are busy: what is answered takes less than a thousandth of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Questions and answers that a PE sent into a switch.
type Sent = BTreeMap<(u32, u32), [u64; 2]>;

/// Lets every PE ask every PE that it has a way to, and checks that all are answered and that each question and each answer
/// crosses the switches of its way, once, and no other.
///
/// In round r each PE asks the PE r places on. So a PE sends one question and one answer of its own a round, and the sizes of
/// packets tell them apart: no packet can hide behind another.
pub fn check(lab: &Lab, peers: &mut Peers, plan: &Plan) -> Result<()> {
    let mut before = lab.traffic()?;
    for round in 1..plan.pes() {
        let pairs: Vec<_> = (0..plan.pes()).map(|pe| (pe, (pe + round) % plan.pes())).collect();
        let asked = |&pair: &(u32, u32)| {
            Ok(plan.way(pair).map(|_| plan.address(pair)).transpose()?.into_iter().collect())
        };
        let lists: Vec<_> = pairs.iter().map(asked).collect::<Result<_>>()?;
        for (&(from, to), unanswered) in pairs.iter().zip(peers.ask(&lists, PATIENCE)?) {
            ensure!(unanswered.is_empty(), "PE {from} gets no answer from PE {to}");
        }
        let after = lab.traffic()?;
        let sent = sent(&before, &after)?;
        followed(&sent, plan, &pairs).with_context(|| format!("PEs ask those {round} places on"))?;
        before = after;
    }
    Ok(())
}

/// Takes the counts of packets and bytes apart into questions and answers.
fn sent(before: &BTreeMap<(u32, u32), Traffic>, after: &BTreeMap<(u32, u32), Traffic>) -> Result<Sent> {
    let (question, answer) = (QUESTION as u64 + HEADERS, ANSWER as u64 + HEADERS);
    let apart = |(&at, after): (&(u32, u32), &Traffic)| {
        let before = before.get(&at).context("a port that was not there")?;
        let (packets, bytes) = (after.packets - before.packets, after.bytes - before.bytes);
        let answers = bytes.checked_sub(packets * question).map_or(0, |more| more / (answer - question));
        let questions = packets.saturating_sub(answers);
        ensure!(
            questions * question + answers * answer == bytes,
            "PE {} sent {packets} packets of {bytes} bytes into switch {}, which are no questions and answers",
            at.0,
            at.1
        );
        Ok((at, [questions, answers]))
    };
    after.iter().map(apart).collect()
}

/// Checks that what each PE sent is explained by the hops of the pairs that asked, and that nothing else was sent.
fn followed(sent: &Sent, plan: &Plan, pairs: &[(u32, u32)]) -> Result<()> {
    let mut hops: [BTreeMap<u32, Vec<&Hop>>; 2] = Default::default();
    for &(from, to) in pairs.iter().filter(|&&pair| plan.way(pair).is_some()) {
        for (kind, pair) in [(from, to), (to, from)].into_iter().enumerate() {
            for hop in plan.way(pair).with_context(|| format!("{pair:?} has no way back"))? {
                hops[kind].entry(hop.from).or_default().push(hop);
            }
        }
    }
    for pe in 0..plan.pes() {
        for (kind, what) in ["questions", "answers"].into_iter().enumerate() {
            let of_pe = sent.range((pe, 0)..=(pe, u32::MAX));
            let counts: BTreeMap<u32, u64> = of_pe.map(|(&(_, switch), sent)| (switch, sent[kind])).collect();
            let expected = hops[kind].remove(&pe).unwrap_or_default();
            ensure!(
                explains(&counts, &expected),
                "PE {pe} sent {what} by switch {counts:?}; its hops are {expected:?}"
            );
        }
    }
    Ok(())
}

/// Whether each hop can be given a switch that it may cross, so that each switch gets as many as were counted there: a matching,
/// by augmenting paths.
fn explains(counts: &BTreeMap<u32, u64>, hops: &[&Hop]) -> bool {
    let crossings: Vec<u32> =
        counts.iter().flat_map(|(&switch, &count)| std::iter::repeat_n(switch, count as usize)).collect();
    if crossings.len() != hops.len() {
        return false;
    }
    let mut given: Vec<Option<usize>> = vec![None; crossings.len()];
    (0..hops.len()).all(|hop| place(hop, &crossings, hops, &mut given, &mut vec![false; crossings.len()]))
}

fn place(
    hop: usize,
    crossings: &[u32],
    hops: &[&Hop],
    given: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for at in 0..crossings.len() {
        if tried[at] || !hops[hop].switches.contains(&crossings[at]) {
            continue;
        }
        tried[at] = true;
        if given[at].is_none_or(|other| place(other, crossings, hops, given, tried)) {
            given[at] = Some(hop);
            return true;
        }
    }
    false
}

#[test]
fn a_count_that_the_hops_do_not_give_is_not_explained() {
    let hop = |switches: &[u32]| Hop { from: 0, switches: switches.iter().copied().collect() };
    let (one, either) = (hop(&[1]), hop(&[1, 2]));
    let hops = [&either, &one];
    assert!(explains(&BTreeMap::from([(1, 1), (2, 1), (3, 0)]), &hops));
    assert!(explains(&BTreeMap::from([(1, 2)]), &hops));
    assert!(!explains(&BTreeMap::from([(2, 2)]), &hops), "one of them may not cross 2");
    assert!(!explains(&BTreeMap::from([(1, 1)]), &hops), "one is missing");
    assert!(!explains(&BTreeMap::from([(1, 1), (2, 1), (3, 1)]), &hops), "one too many");
}

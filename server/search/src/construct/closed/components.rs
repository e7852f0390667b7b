//! One NI a PE: PEs that are connected by requests, however indirectly, share a switch (dissertation, chapter 3, the case of
//! one NI). Where they are all connected that is one switch for everybody.

use super::{
    Form, Trial,
    blocks::{Blocks, root},
};

/// Offers the one form there is.
pub fn offer(trial: &mut Trial<'_>) {
    let pes = trial.spec.pes;
    let Some(&widest) = trial.widths().first() else { return };
    let mut parent: Vec<u32> = (0..pes).collect();
    let mut sizes = vec![1u32; pes as usize];
    for (a, b) in trial.demand.pairs() {
        let (one, other) = (root(&mut parent, a), root(&mut parent, b));
        if one != other {
            sizes[one as usize] += sizes[other as usize];
            parent[other as usize] = one;
            if sizes[one as usize] > widest {
                return;
            }
        }
    }
    let mut members: Vec<(u32, u32)> = (0..pes).map(|pe| (root(&mut parent, pe), pe)).collect();
    members.sort_unstable();
    let mut blocks = Blocks::default();
    for component in members.chunk_by(|a, b| a.0 == b.0) {
        blocks.push(component.iter().map(|&(_, pe)| pe));
    }
    let name = match blocks.len() {
        0 => "no cable is needed".to_string(),
        1 => "one switch for all that have partners".to_string(),
        many => format!("{many} separate parts, each on one switch"),
    };
    trial.offer(&Form { name, blocks });
}

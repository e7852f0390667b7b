//! The instances of the benches as specs, from a short form.

use spec::{
    random::Rng,
    resolve::{self, NoFiles},
    spec::Spec,
};
use std::{collections::BTreeSet, error::Error};

/// A spec with this many PEs, NIs per PE and usable ports per switch. A pattern is a kind, `16x8 axis` (a torus with
/// these sizes) or `2 all nearest` (all or balanced tori with this many dimensions). Without patterns every pair is
/// requested. Demands without structure, always the same: `regular 8` (a random graph of this degree), `power-law 4`
/// (each PE brings this many pairs, to PEs with many), and `band 12 600` (offsets up to 12, each pair with a chance of
/// 600 in 1,000).
pub fn spec(pes: u32, nis: u32, ports: u32, patterns: &[&str]) -> Result<Spec, Box<dyn Error>> {
    let objective = if patterns.is_empty() { "universal" } else { "sparse" };
    // Enough switches to give every NI a port, and no more.
    let switches = (pes * nis).div_ceil(ports);
    let mut text = format!(
        "pes = {pes}\nnis_per_pe = {nis}\nobjective = \"{objective}\"\n[[switch]]\nports = {ports}\ncount = {switches}\n"
    );
    for pattern in patterns {
        let words: Vec<&str> = pattern.split(' ').collect();
        text += "[[pattern]]\n";
        text += &match words[..] {
            ["regular", degree] => matrix(regular(pes, degree.parse()?)),
            ["power-law", degree] => matrix(power_law(pes, degree.parse()?)),
            ["band", width, permille] => matrix(band(pes, width.parse()?, permille.parse()?)),
            [dimensions, factorizations, neighbours] => format!(
                "kind = \"torus\"\ndimensions = {dimensions}\nfactorizations = \"{factorizations}\"\nneighbours = \"{neighbours}\"\n"
            ),
            [dims, neighbours] => {
                format!(
                    "kind = \"torus\"\ndims = [{}]\nneighbours = \"{neighbours}\"\n",
                    dims.replace('x', ", ")
                )
            }
            _ => format!("kind = \"{pattern}\"\n"),
        };
    }
    Ok(resolve::read(&text, &mut NoFiles)?)
}

type Pairs = BTreeSet<(u32, u32)>;

fn matrix(pairs: Pairs) -> String {
    let lines: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} {b}")).collect();
    format!("kind = \"matrix\"\npairs = \"\"\"\n{}\n\"\"\"\n", lines.join("\n"))
}

/// A union of random perfect matchings without common pairs.
fn regular(pes: u32, degree: u32) -> Pairs {
    let (mut rng, mut pairs) = (Rng::new(1, u64::from(degree)), Pairs::new());
    while pairs.len() < (pes * degree / 2) as usize {
        let mut order: Vec<u32> = (0..pes).collect();
        rng.shuffle(&mut order);
        // A pair that is there already exchanges partners with another.
        for turn in 0..200 * pes as usize {
            let taken = |k: usize| pairs.contains(&ordered(order[2 * k], order[2 * k + 1]));
            let Some(k) = (0..order.len() / 2).find(|&k| taken(k)) else { break };
            let other = (k + 1 + turn) % (order.len() / 2);
            order.swap(2 * k, 2 * other);
        }
        pairs.extend(order.chunks_exact(2).map(|pair| ordered(pair[0], pair[1])));
    }
    pairs
}

/// Preferential attachment: each new PE takes `degree` partners, those with many pairs more often.
fn power_law(pes: u32, degree: u32) -> Pairs {
    let (mut rng, mut pairs) = (Rng::new(1, u64::from(degree)), Pairs::new());
    let mut ends: Vec<u32> = (0..=degree).collect();
    for pe in degree + 1..pes {
        let mut partners = BTreeSet::new();
        while partners.len() < degree as usize {
            partners.insert(ends[rng.below(ends.len() as u32) as usize]);
        }
        for partner in partners {
            pairs.insert(ordered(pe, partner));
            ends.extend([pe, partner]);
        }
    }
    pairs
}

fn band(pes: u32, width: u32, permille: u32) -> Pairs {
    let mut rng = Rng::new(1, u64::from(width));
    let all = (0..pes).flat_map(|a| (1..=width).map(move |offset| (a, a + offset)));
    all.filter(|&(_, b)| rng.chance(permille) && b < pes).collect()
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

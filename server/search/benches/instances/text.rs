//! The instances of the benches as specs, from a short form.

use spec::{
    resolve::{self, NoFiles},
    spec::Spec,
};
use std::error::Error;

/// A spec with this many PEs, NIs per PE and usable ports per switch. A pattern is a kind, `16x8 axis` (a torus with
/// these sizes) or `2 all nearest` (all or balanced tori with this many dimensions). Without patterns every pair is
/// requested.
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

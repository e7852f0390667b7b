//! The instances of the benches as specs, written in short.

use shared::{
    resolve::{self, NoFiles},
    spec::Spec,
};
use std::error::Error;

/// A spec of so many PEs with so many NIs each, on switches of so many usable ports. A pattern is a kind, `16x8 axis` (a torus of
/// these sizes) or `2 all nearest` (tori of so many dimensions in all or the balanced factorisations). Without patterns every pair
/// is asked for.
pub fn spec(pes: u32, nis: u32, ports: u32, patterns: &[&str]) -> Result<Spec, Box<dyn Error>> {
    let objective = if patterns.is_empty() { "universal" } else { "sparse" };
    let mut text = format!(
        "pes = {pes}\nnis_per_pe = {nis}\nobjective = \"{objective}\"\n[[switch]]\nports = {ports}\n"
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

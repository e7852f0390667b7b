//! Transpose: element (r, c) of a square matrix, one element per PE, with (c, r) (Mattox 2006, section 2.3.1).

use super::{Entry, Generator, PatternInputs, admitted};

pub(super) const ENTRY: Entry = Entry {
    name: "transpose",
    label: "transpose",
    about: "element (r, c) of a square matrix with (c, r)",
    complete: false,
    takes: PatternInputs::Nothing(|pes| {
        admitted("kind", pes, "a square number", |n| n.isqrt().pow(2) == n)?;
        let side = pes.isqrt();
        let pairs = u64::from(side) * u64::from(side - 1) / 2;
        Ok(Generator::new(pairs, move |pe, partners| partners.push(pe % side * side + pe / side)))
    }),
};

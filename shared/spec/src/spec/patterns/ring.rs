//! Ring: neighbours in a circle, the torus of one dimension (Mattox 2006, section 2.3.1).

use super::{Entry, Generator, PatternInputs};

pub(super) const ENTRY: Entry = Entry {
    name: "ring",
    label: "ring",
    about: "neighbours in a circle",
    complete: false,
    takes: PatternInputs::Nothing(|pes| {
        let both = move |pe: u32| [(pe + 1) % pes, (pe + pes - 1) % pes];
        Ok(Generator::new(pes.into(), move |pe, partners| partners.extend(both(pe))))
    }),
};

//! All pairs: what a universal network serves (Mattox 2006, section 2.4).

use super::{Entry, Generator, PatternInputs};

pub(super) const ENTRY: Entry = Entry {
    name: "all-pairs",
    label: "all pairs",
    about: "every node with every other",
    complete: true,
    takes: PatternInputs::Nothing(|pes| {
        let pairs = u64::from(pes) * u64::from(pes.saturating_sub(1)) / 2;
        Ok(Generator::new(pairs, move |pe, partners| partners.extend(pe + 1..pes)))
    }),
};

//! Hypercube: PE numbers that differ in one bit (Mattox 2006, section 2.3.2).

use super::{Entry, Generator, PatternInputs, admitted};

pub(super) const ENTRY: Entry = Entry {
    name: "hypercube",
    label: "hypercube",
    about: "node numbers that differ in one bit",
    complete: false,
    takes: PatternInputs::Nothing(|pes| {
        admitted("kind", pes, "a power of 2", u32::is_power_of_two)?;
        let bits = pes.ilog2();
        let pairs = u64::from(pes) * u64::from(bits) / 2;
        Ok(Generator::new(pairs, move |pe, partners| partners.extend((0..bits).map(|bit| pe ^ 1 << bit))))
    }),
};

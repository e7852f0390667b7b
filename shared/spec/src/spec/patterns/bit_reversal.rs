//! Bit reversal: a PE with the one whose number has its bits in reverse (Mattox 2006, section 2.3.1).

use super::{Entry, Generator, PatternInputs, admitted};

pub(super) const ENTRY: Entry = Entry {
    name: "bit-reversal",
    label: "bit reversal",
    about: "each node with the one whose number has its bits reversed",
    complete: false,
    takes: PatternInputs::Nothing(|pes| {
        admitted("kind", pes, "a power of 2", u32::is_power_of_two)?;
        // A shift by all 32 bits, on a single PE, would overflow.
        let mirrored = move |pe: u32| pe.reverse_bits().checked_shr(32 - pes.ilog2()).unwrap_or(0);
        Ok(Generator::new((pes / 2).into(), move |pe, partners| partners.push(mirrored(pe))))
    }),
};

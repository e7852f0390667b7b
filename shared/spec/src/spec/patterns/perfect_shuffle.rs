//! Perfect shuffle: PE p with 2p mod (N-1), as when two halves of a deck interleave (Mattox 2006, section 2.3.1). The
//! inverse shuffle requests the same pairs.

use super::{Entry, Generator, PatternInputs, admitted};

pub(super) const ENTRY: Entry = Entry {
    name: "perfect-shuffle",
    label: "perfect shuffle",
    about: "node p with node 2p mod (N-1)",
    complete: false,
    takes: PatternInputs::Nothing(|pes| {
        admitted("kind", pes, "even", |n| n % 2 == 0)?;
        let push = move |pe: u32, partners: &mut Vec<u32>| {
            // Modulo N-1 the number N is 1, so N/2 undoes the doubling. The last PE stays where it is.
            if pe + 1 < pes {
                let image = |factor: u32| (u64::from(pe) * u64::from(factor) % u64::from(pes - 1)) as u32;
                partners.extend([image(2), image(pes / 2)]);
            }
        };
        Ok(Generator::new(pes.into(), push))
    }),
};

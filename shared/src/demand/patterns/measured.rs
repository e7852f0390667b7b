//! Matrix: measured or hand-written pairs, read by [`matrix`](crate::demand::matrix).

use super::{Entry, Generator, Takes};
use crate::spec::Parameters;

pub(super) const ENTRY: Entry = Entry {
    name: "matrix",
    label: "matrix",
    about: "measured or hand-written pairs",
    takes: Takes::Matrix,
    complete: false,
    generator: |parameters, _| {
        let pairs = match parameters {
            Parameters::Matrix { pairs, .. } => pairs.clone(),
            _ => unreachable!("a matrix has pairs"),
        };
        let at_most = pairs.len() as u64;
        let push = move |pe: u32, partners: &mut Vec<u32>| {
            let first = pairs.partition_point(|&(a, ..)| a < pe);
            partners.extend(pairs[first..].iter().take_while(|&&(a, ..)| a == pe).map(|&(_, b, _)| b));
        };
        Ok(Generator::new(at_most, push))
    },
};

//! Groups: nodes on a lattice that communicate with those of their row, plane or box.

use super::{Entry, Generator, Refusal, Takes, sizes};
use crate::{
    demand::collective,
    spec::{Parameters, job::Groups},
    text::grouped,
};
use std::cell::OnceCell;

pub(super) const ENTRY: Entry = Entry {
    name: "groups",
    label: "groups",
    about: "collectives of nodes along some dimensions of a lattice",
    takes: Takes::Groups,
    complete: false,
    generator: |parameters, pes| match parameters {
        Parameters::Groups(groups) => generator(groups.clone(), pes),
        _ => unreachable!("groups have dimensions"),
    },
};

fn generator(groups: Groups, pes: u32) -> Result<Generator, Refusal> {
    let product = groups.dims.iter().try_fold(1u32, |product, &size| product.checked_mul(size));
    let holds = |ranks: u32| match &groups.part {
        None => ranks == pes,
        // A job may take a part of all nodes.
        Some(part) => match &part.nodes {
            Some(nodes) => ranks as usize == nodes.len(),
            None => u64::from(ranks) <= u64::from(pes) * u64::from(part.ranks_per_pe),
        },
    };
    if !product.is_some_and(holds) {
        let product = product.map_or_else(|| "too many".into(), |product| grouped(product.into()));
        let found = format!("{} = {product}", sizes(&groups.dims));
        let expected = format!("sizes whose product is the number of nodes, {pes}");
        return Err(Refusal { field: "dims", found, expected });
    }
    let members = groups.members();
    if !collective::fits(groups.within, members as usize) {
        let found = format!("{} in groups of {members}", groups.within.name());
        let expected = "groups whose size is a power of two, or another algorithm".into();
        return Err(Refusal { field: "within", found, expected });
    }
    let all = u64::from(pes) * u64::from(pes - 1) / 2;
    let at_most = groups.max_pairs().min(all);
    let pairs = OnceCell::new();
    Ok(Generator::new(at_most, move |pe, partners| {
        let pairs = pairs.get_or_init(|| groups.pairs());
        let first = pairs.partition_point(|&(a, ..)| a < pe);
        partners.extend(pairs[first..].iter().take_while(|&&(a, ..)| a == pe).map(|&(_, b, _)| b));
    }))
}

//! Narrow switches put together to wide ones: what met on one of them still does.

use shared::design::Design;
use std::{cmp::Reverse, collections::BTreeSet};

/// Puts the PEs of all `switches` on switches with so many usable `ports`, each whole on one; `None` if that does not fit.
///
/// The fullest come first, each where it leaves least room (best fit, decreasing). k switches of width ρ on each switch of
/// width kρ always fit, since a switch is begun only when all begun ones hold k.
pub fn pack<'a>(pes: u32, switches: impl Iterator<Item = &'a [u32]>, ports: &[u32]) -> Option<Design> {
    let mut parts: Vec<&[u32]> = switches.filter(|members| !members.is_empty()).collect();
    parts.sort_by_key(|members| Reverse(members.len()));
    let mut rooms: BTreeSet<(u32, usize)> = ports.iter().copied().zip(0..).collect();
    let mut wide: Vec<Vec<u32>> = Vec::new();
    for members in parts {
        let size = u32::try_from(members.len()).ok()?;
        let room @ (free, switch) = rooms.range((size, 0)..).next().copied()?;
        rooms.remove(&room);
        rooms.insert((free - size, switch));
        wide.resize(wide.len().max(switch + 1), Vec::new());
        wide[switch].extend(members);
    }
    Some(Design::from_switches(pes, wide))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(sizes: &[u32], ports: &[u32]) -> Option<Vec<usize>> {
        let switches: Vec<Vec<u32>> = sizes.iter().map(|&size| (0..size).collect()).collect();
        // Every part has PEs of its own, so that none is counted once for two.
        let mut first = 0;
        let apart: Vec<Vec<u32>> = switches
            .iter()
            .map(|members| {
                let moved = members.iter().map(|pe| pe + first).collect();
                first += members.len() as u32;
                moved
            })
            .collect();
        let design = pack(first, apart.iter().map(Vec::as_slice), ports)?;
        Some(design.switches().map(<[u32]>::len).collect())
    }

    #[test]
    fn so_many_narrow_ones_make_a_wide_one() {
        assert_eq!(packed(&[4; 6], &[12, 12]), Some(vec![12, 12]));
        assert_eq!(packed(&[4, 4, 4, 4, 3, 1], &[8, 8, 8]), Some(vec![8, 8, 4]));
        assert_eq!(packed(&[4; 7], &[12, 12]), None);
        assert_eq!(packed(&[5], &[4, 4]), None);
        assert_eq!(packed(&[], &[4]), Some(vec![]));
    }

    #[test]
    fn rooms_of_different_widths_are_used_as_they_fit() {
        assert_eq!(packed(&[7, 3], &[8, 3]), Some(vec![7, 3]));
        assert_eq!(packed(&[3, 7], &[3, 8]), Some(vec![3, 7]));
    }

    #[test]
    fn a_pe_of_two_parts_takes_one_port() {
        let design = pack(3, [&[0, 1][..], &[1, 2]].into_iter(), &[4]).expect("four fit");
        assert_eq!(design.members(0), [0, 1, 2]);
    }
}

//! Rows along dimension 0 that have VLANs of their own.
//!
//! A row without VLANs sends its frames one step along another dimension to a row with VLANs, so one of two neighbouring rows
//! must have them. On a mesh, and on a torus whose rings other than those of dimension 0 are even, the paper takes the rows with
//! an odd (mesh) or even (torus) sum of coordinates. For odd rings it defines two dimensions only: the even rows, of which the
//! first and the last are neighbours.
//!
//! Here odd rings are handled in any dimension. Let n be the shortest odd ring, and wind each ring or line onto it: every
//! dimension gets a function f from its coordinates to 0..n, such that neighbours map to numbers that differ by 1 modulo n. The
//! sums of f modulo n of two neighbouring rows then differ by 1 too, and rows with the sums 1, 3, ..., n - 2 need no VLANs: no
//! two of these numbers are neighbours modulo n. That is (n - 1) / (2n) of all rows, the maximum: the rings of length n part the
//! rows, and in each no two neighbours may lack VLANs. In two dimensions f is the identity, which gives the paper's rows;
//! without odd rings n is 2, which gives the paper's sums.

use super::{Method, VlanFault, middles};
use crate::fabric::{Grid, GridShape};

/// The first VLAN of each row that has VLANs of its own.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    first_vlans: Vec<Option<u32>>,
    method: Method,
}

impl Rows {
    pub(super) fn of(grid: &Grid, method: Method) -> Result<Rows, VlanFault> {
        if method == Method::PartialDor && grid.sides().dimensions() == 1 {
            return Err(VlanFault::OneDimension(grid.sides().to_string()));
        }
        let (each, mut next) = (middles(grid).end, 0);
        let first = |row| {
            has_vlans(grid, method, row).then(|| {
                next += each;
                next - each
            })
        };
        let rows = grid.switches() / grid.sides().sizes()[0];
        Ok(Rows { first_vlans: (0..rows).map(first).collect(), method })
    }

    pub(super) fn first_vlan(&self, row: u32) -> Option<u32> {
        self.first_vlans[row as usize]
    }

    pub(super) fn with_vlans(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.first_vlans).filter_map(|(row, first)| first.map(|_| row))
    }

    pub(super) fn vlans(&self, grid: &Grid) -> u32 {
        let rows = self.with_vlans().count() as u32;
        (rows + u32::from(self.method == Method::PartialDor)) * middles(grid).end
    }
}

fn has_vlans(grid: &Grid, method: Method, row: u32) -> bool {
    if method == Method::Dor {
        return true;
    }
    let place = row * grid.sides().sizes()[0];
    let others = 1..grid.sides().dimensions();
    let side = |dimension: usize| grid.sides().sizes()[dimension];
    let is_odd = |&dimension: &usize| grid.wraps(dimension) && side(dimension) % 2 == 1;
    let shortest = others.clone().filter(is_odd).map(side).min();
    let wound = |dimension: usize| {
        let at = grid.sides().coordinate(place, dimension);
        match shortest.filter(|_| is_odd(&dimension)) {
            None => at % 2,
            Some(ring) if at < ring => at,
            // To and fro over the step that closes the ring.
            Some(ring) => (at - ring) % 2 * (ring - 1),
        }
    };
    let sum = others.map(wound).sum::<u32>() % shortest.unwrap_or(2);
    match grid.shape() {
        GridShape::Mesh => sum == 1,
        GridShape::Torus => sum.is_multiple_of(2),
    }
}

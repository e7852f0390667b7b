//! The picture of cables: nodes on either side, switches in the middle, a curve per cable. Large machines are summed in blocks of nodes
//! and groups of switches.

use super::{
    selection::DesignPart,
    words::{capital, count, grouped},
};
use shared::{
    design::{Design, NiTable},
    exports::Rows,
    spec::Spec,
};

/// Max nodes, switches and cables that are drawn one by one.
const MAX_NODES: u32 = 1024;
const MAX_SWITCHES: u32 = 256;
const MAX_CABLES: usize = 8192;
/// Max blocks of nodes and groups of switches of larger machines.
const BLOCKS: u32 = 128;
const GROUPS: u32 = 32;
/// Number of rows at the closest zoom.
const CLOSEST: f64 = 8.0;

/// A wiring as it is drawn.
pub struct Cables {
    /// Nodes that one row stands for.
    pub nodes_per: u32,
    /// Switches that one box stands for.
    pub switches_per: u32,
    nodes: u32,
    switches: u32,
    /// The wiring of rows and boxes.
    pub drawn: Design,
    /// Boxes of each row, ascending.
    pub boxes: NiTable,
    rows: Rows,
    /// Cables from row to box: row by row, [`GROUPS`] each; empty if each is one cable.
    sums: Vec<u32>,
}

impl Cables {
    /// The picture of a wiring.
    pub fn of(design: &Design) -> Cables {
        let (nodes, switches) = (design.pes(), design.switch_count());
        let fine = nodes <= MAX_NODES && switches <= MAX_SWITCHES && design.cables() <= MAX_CABLES;
        let (nodes_per, switches_per) =
            if fine { (1, 1) } else { (nodes.div_ceil(BLOCKS).max(1), switches.div_ceil(GROUPS).max(1)) };
        let mut sums = Vec::new();
        let drawn = if fine {
            design.clone()
        } else {
            let (rows, groups) = (nodes.div_ceil(nodes_per), switches.div_ceil(switches_per));
            sums = vec![0; (rows * GROUPS) as usize];
            for (switch, members) in (0..).zip(design.switches()) {
                for &pe in members {
                    sums[(pe / nodes_per * GROUPS + switch / switches_per) as usize] += 1;
                }
            }
            let members = |group| (0..rows).filter(|row| sums[(row * GROUPS + group) as usize] > 0).collect();
            Design::from_switches(rows, (0..groups).map(members))
        };
        let (rows, boxes) = (Rows::of(&drawn), drawn.nis());
        Cables { nodes_per, switches_per, nodes, switches, drawn, boxes, rows, sums }
    }

    /// `true` if rows and boxes stand for several nodes or switches.
    pub fn is_summed(&self) -> bool {
        !self.sums.is_empty()
    }

    /// The uplink switches that have cables, with the first and last box of those that they join.
    pub fn uplinks(&self, spec: &Spec, design: &Design) -> Vec<Uplink> {
        let Some(spine) = spec.spine() else { return Vec::new() };
        let is_used = |switch: &u32| !design.members(*switch).is_empty();
        let of = |target: u32| {
            let mut joined = (0..self.switches)
                .filter(is_used)
                .filter(|&switch| spine.set_of(switch) == target / spine.each);
            let first = joined.next()?;
            let last = joined.next_back().unwrap_or(first);
            let number = spine.folded.unwrap_or(self.switches + target);
            Some(Uplink { target, number, boxes: [first, last].map(|switch| switch / self.switches_per) })
        };
        (0..spine.switches()).filter_map(of).collect()
    }

    /// Number of cables that a curve stands for.
    pub fn cables(&self, row: u32, group: u32) -> u32 {
        self.sums.get((row * GROUPS + group) as usize).copied().unwrap_or(1)
    }

    /// The largest number of cables of a curve.
    pub fn most(&self) -> u32 {
        self.sums.iter().copied().max().unwrap_or(1)
    }

    /// Largest number of NICs in a row's patches; none in summed pictures.
    pub fn patches(&self) -> usize {
        if self.is_summed() {
            return 0;
        }
        (0..self.drawn.pes()).map(|pe| self.boxes.of(pe).len()).max().unwrap_or(0)
    }

    /// First and last node of a row.
    pub fn nodes_of(&self, row: u32) -> (u32, u32) {
        (row * self.nodes_per, ((row + 1) * self.nodes_per).min(self.nodes) - 1)
    }

    /// First and last switch of a box.
    pub fn switches_of(&self, group: u32) -> (u32, u32) {
        (group * self.switches_per, ((group + 1) * self.switches_per).min(self.switches) - 1)
    }

    /// The curves (row, box) that belong to a part.
    pub fn lit(&self, part: DesignPart) -> Vec<(u32, u32)> {
        let row = |pe: u32| (pe < self.nodes).then_some(pe / self.nodes_per);
        let all = |row: u32| self.boxes.of(row).iter().map(move |&group| (row, group));
        match part {
            DesignPart::Node(pe) => row(pe).into_iter().flat_map(all).collect(),
            DesignPart::Switch(switch) if switch < self.switches => {
                let group = switch / self.switches_per;
                self.drawn.members(group).iter().map(|&row| (row, group)).collect()
            }
            DesignPart::Switch(_) => Vec::new(),
            DesignPart::Cable(pe, switch) => {
                row(pe).map(|row| (row, switch / self.switches_per)).into_iter().collect()
            }
            DesignPart::Pair(a, b) => {
                let Some((a, b)) = row(a).zip(row(b)) else { return Vec::new() };
                let shared: Vec<u32> = self.boxes.shared(a, b).collect();
                let ends = [a, b].into_iter().flat_map(all);
                ends.filter(|(_, group)| shared.is_empty() || shared.contains(group)).collect()
            }
        }
    }

    /// The part that a row or box stands for, if it is one node or switch.
    pub fn part(&self, hit: Hit) -> Option<DesignPart> {
        (!self.is_summed()).then_some(match hit {
            Hit::Row(row) => DesignPart::Node(row),
            Hit::Box(group) => DesignPart::Switch(group),
            Hit::Curve(row, group) => DesignPart::Cable(row, group),
        })
    }

    /// A row, box or curve of a summed picture in words.
    pub fn words(&self, hit: Hit) -> String {
        let range = |(first, last): (u32, u32), one: &str, several: &str| {
            let [low, high] = [first, last].map(|number| grouped(u64::from(number)));
            if first == last { format!("{one} {low}") } else { format!("{several} {low}–{high}") }
        };
        let nodes = |row| range(self.nodes_of(row), "Node", "Nodes");
        let switches = |group| range(self.switches_of(group), "switch", "switches");
        let cables = |number: u32| count(u64::from(number), "cable");
        match hit {
            Hit::Row(row) => {
                let sum = self.boxes.of(row).iter().map(|&group| self.cables(row, group)).sum();
                format!("{}: {}", nodes(row), cables(sum))
            }
            Hit::Box(group) => {
                let sum = self.drawn.members(group).iter().map(|&row| self.cables(row, group)).sum();
                format!("{}: {}", capital(&switches(group)), cables(sum))
            }
            Hit::Curve(row, group) => {
                format!("{} to {}: {}", nodes(row), switches(group), cables(self.cables(row, group)))
            }
        }
    }
}

/// An uplink switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uplink {
    /// Number among the uplink switches.
    pub target: u32,
    /// Number that its colour follows.
    pub number: u32,
    /// The first and the last box that it joins.
    pub boxes: [u32; 2],
}

/// A place in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A row of nodes.
    Row(u32),
    /// A box of switches.
    Box(u32),
    /// A curve from a row to a box.
    Curve(u32, u32),
}

/// The visible rows: all of the width, and a part of the height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// The upper edge, as a share of the height.
    pub top: f64,
    /// The visible share of the height.
    pub span: f64,
}

impl Default for Lens {
    fn default() -> Lens {
        Lens { top: 0.0, span: 1.0 }
    }
}

impl Lens {
    /// `true` if all of the picture is visible.
    pub fn is_fit(&self) -> bool {
        self.span >= 1.0
    }

    /// Zooms around a share of the visible height; a factor above 1 is closer.
    pub fn zoom(&mut self, factor: f64, at: f64, cables: &Cables) {
        if !factor.is_finite() || factor <= 0.0 {
            return;
        }
        let closest = (CLOSEST * cables.rows.pitch() / cables.rows.height()).min(1.0);
        let span = (self.span / factor).clamp(closest, 1.0);
        self.top += at * (self.span - span);
        self.span = span;
        self.keep_inside();
    }

    /// Moves the picture down by a share of the visible height.
    pub fn drag(&mut self, by: f64) {
        self.top -= by * self.span;
        self.keep_inside();
    }

    fn keep_inside(&mut self) {
        self.top = self.top.clamp(0.0, 1.0 - self.span);
    }
}

/// A curve on screen: from the row's side to the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The end at the row.
    pub from: (f64, f64),
    /// The end at the box.
    pub to: (f64, f64),
}

impl Curve {
    /// Returns the height at `x`, a share of the way from the row to the box. The curve's control points are halfway, at the
    /// heights of the ends.
    fn height_at(&self, x: f64) -> f64 {
        // x(t) = 1.5·t·(1-t) + t³ grows with t.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..24 {
            let t: f64 = (low + high) / 2.0;
            if 1.5 * t * (1.0 - t) + t * t * t < x { low = t } else { high = t }
        }
        let t: f64 = low;
        self.from.1 + (self.to.1 - self.from.1) * (3.0 * t * t - 2.0 * t * t * t)
    }
}

/// Where everything is on a screen of some size, in CSS pixels.
pub struct Frame<'a> {
    cables: &'a Cables,
    lens: Lens,
    width: f64,
    height: f64,
    /// Width of a name.
    name: f64,
    /// Width of a patch.
    pub patch: f64,
    patches: f64,
    /// Width of a box.
    pub switch: f64,
}

/// Pixels that a bold character of a name takes.
const CHARACTER: f64 = 6.5;
/// Pixels of the smallest legible number.
const MIN_NUMBER: f64 = 7.0;
/// Max distance from a curve to the pointer that is on it.
const NEAR: f64 = 5.0;

impl<'a> Frame<'a> {
    /// The picture on a screen of that size, with room for the longest names of rows and boxes, in characters.
    pub fn new(
        cables: &'a Cables,
        lens: Lens,
        longest: [usize; 2],
        (width, height): (f64, f64),
    ) -> Frame<'a> {
        let patches = cables.patches() as f64;
        let patch = if patches > 0.0 { (width * 0.15 / patches).clamp(2.0, 16.0) } else { 0.0 };
        let [row, group] = longest.map(|characters| 8.0 + CHARACTER * characters as f64);
        let name = if cables.is_summed() { 84.0 } else { row.min(width * 0.2).max(44.0) };
        let switch = group.min(width * 0.24).max((width * 0.12).clamp(40.0, 80.0));
        Frame { cables, lens, width, height, name, patch, patches, switch }
    }

    /// Pixels that the name of a row may take.
    pub fn name_room(&self) -> f64 {
        self.name - 6.0
    }

    /// Pixels per row.
    pub fn pitch(&self) -> f64 {
        self.scale() * self.cables.rows.pitch()
    }

    /// Height of a patch.
    pub fn patch_height(&self) -> f64 {
        (self.pitch() - 1.0).clamp(1.0, 13.0)
    }

    /// Font size of the numbers on patches; `None` if nobody could read them.
    pub fn number_size(&self) -> Option<f64> {
        let size = self.patch_height().min(10.0).floor();
        (size >= MIN_NUMBER && self.patch >= 12.0).then_some(size)
    }

    fn scale(&self) -> f64 {
        self.height / (self.cables.rows.height() * self.lens.span)
    }

    fn y(&self, y: f64) -> f64 {
        y * self.scale() - self.lens.top / self.lens.span * self.height
    }

    /// The middle of a row.
    pub fn row(&self, row: u32) -> f64 {
        self.y(self.cables.rows.row(row))
    }

    /// `true` if a row is on the left.
    pub fn is_left(&self, row: u32) -> bool {
        self.cables.rows.is_left(row)
    }

    /// The edge of a row's patches towards the picture's edge.
    pub fn patches_from(&self, row: u32) -> f64 {
        if self.is_left(row) { self.name } else { self.width - self.name - self.patches * self.patch }
    }

    /// A box: left, top, width, height.
    pub fn switch_box(&self, group: u32) -> (f64, f64, f64, f64) {
        let (top, height) = self.cables.rows.switch(group);
        ((self.width - self.switch) / 2.0, self.y(top), self.switch, height * self.scale())
    }

    /// A curve.
    pub fn curve(&self, row: u32, group: u32) -> Curve {
        let side = self.name + self.patches * self.patch;
        let middle = (self.width - self.switch) / 2.0;
        let (from, to) =
            if self.is_left(row) { (side, middle) } else { (self.width - side, self.width - middle) };
        let port = self.cables.rows.port(&self.cables.drawn, row, group);
        Curve { from: (from, self.row(row)), to: (to, self.y(port)) }
    }

    /// `true` if some of a curve is visible.
    pub fn is_visible(&self, curve: &Curve) -> bool {
        let (low, high) = (curve.from.1.min(curve.to.1), curve.from.1.max(curve.to.1));
        high >= 0.0 && low <= self.height
    }

    /// What is under a point.
    pub fn hit(&self, x: f64, y: f64) -> Option<Hit> {
        let rows = self.cables.drawn.pes();
        let (side, middle) = (self.name + self.patches * self.patch, (self.width - self.switch) / 2.0);
        let left = x < self.width / 2.0;
        let from_edge = if left { x } else { self.width - x };
        if from_edge < side {
            let own = (0..rows).filter(|&row| self.is_left(row) == left);
            return own
                .min_by(|&a, &b| (self.row(a) - y).abs().total_cmp(&(self.row(b) - y).abs()))
                .map(Hit::Row);
        }
        if from_edge >= middle {
            let inside = |&group: &u32| {
                let (_, top, _, height) = self.switch_box(group);
                (top..top + height).contains(&y)
            };
            return (0..self.cables.drawn.switch_count()).find(inside).map(Hit::Box);
        }
        let share = (from_edge - side) / (middle - side);
        let own = (0..rows).filter(|&row| self.is_left(row) == left);
        let curves = own.flat_map(|row| self.cables.boxes.of(row).iter().map(move |&group| (row, group)));
        let distance = |&(row, group): &(u32, u32)| (self.curve(row, group).height_at(share) - y).abs();
        let nearest = curves.map(|one| (distance(&one), one)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        (nearest.0 <= NEAR).then_some(Hit::Curve(nearest.1.0, nearest.1.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cables() -> Cables {
        Cables::of(&Design::from_switches(6, [vec![0, 1, 2], vec![2, 3, 4], vec![0, 4, 5]]))
    }

    #[test]
    fn every_part_is_found_where_it_is_drawn() {
        let cables = cables();
        let mut lens = Lens::default();
        lens.zoom(1.3, 0.5, &cables);
        for lens in [Lens::default(), lens] {
            let frame = Frame::new(&cables, lens, [5, 4], (600.0, 600.0));
            for row in 0..6 {
                let x = if frame.is_left(row) { 4.0 } else { 596.0 };
                assert_eq!(frame.hit(x, frame.row(row)), Some(Hit::Row(row)));
                for &group in cables.boxes.of(row) {
                    let curve = frame.curve(row, group);
                    let x = curve.from.0 + 0.01 * (curve.to.0 - curve.from.0);
                    // Curves of a row begin together: a part of it is found, the rest a little further on.
                    assert!(
                        matches!(frame.hit(x, curve.height_at(0.01)), Some(Hit::Curve(found, _)) if found == row)
                    );
                    let x = curve.from.0 + 0.9 * (curve.to.0 - curve.from.0);
                    assert_eq!(frame.hit(x, curve.height_at(0.9)), Some(Hit::Curve(row, group)));
                }
            }
            for group in 0..3 {
                let (x, y, width, height) = frame.switch_box(group);
                assert_eq!(frame.hit(x + width / 2.0, y + height / 2.0), Some(Hit::Box(group)));
            }
            assert_eq!(frame.hit(300.0, -4000.0), None);
        }
    }

    #[test]
    fn long_names_have_room_and_leave_some() {
        let cables = cables();
        let frame = |longest, side: f64| Frame::new(&cables, Lens::default(), longest, (side, side));
        assert!(frame([9, 9], 600.0).name_room() >= 9.0 * 6.0 && frame([9, 9], 340.0).switch >= 9.0 * 6.0);
        for side in [340.0, 600.0] {
            let curve = frame([63, 63], side).curve(0, 0);
            assert!(curve.to.0 - curve.from.0 > 0.02 * side, "{side}");
        }
    }

    /// A window of a laptop has patches with numbers in every browser, also where a scroll bar takes room.
    #[test]
    fn numbers_of_switches_fit_on_patches_of_many_rows() {
        let switches = (0..17).map(|s| (0..128).filter(|pe| (pe + s) % 6 == 0).collect());
        let cables = Cables::of(&Design::from_switches(128, switches));
        let size = |side: f64| Frame::new(&cables, Lens::default(), [5, 4], (side, side)).number_size();
        assert_eq!([340.0, 560.0, 640.0, 900.0].map(size), [None, Some(7.0), Some(9.0), Some(10.0)]);
    }

    #[test]
    fn a_part_lights_its_cables() {
        let cables = cables();
        assert_eq!(cables.lit(DesignPart::Node(2)), [(2, 0), (2, 1)]);
        assert_eq!(cables.lit(DesignPart::Switch(2)), [(0, 2), (4, 2), (5, 2)]);
        assert_eq!(cables.lit(DesignPart::Cable(4, 1)), [(4, 1)]);
        // Nodes 0 and 4 share switch 2; nodes 1 and 5 share none, so all of their cables are lit.
        assert_eq!(cables.lit(DesignPart::Pair(0, 4)), [(0, 2), (4, 2)]);
        assert_eq!(cables.lit(DesignPart::Pair(1, 5)), [(1, 0), (5, 2)]);
        for part in [DesignPart::Node(6), DesignPart::Switch(3), DesignPart::Pair(0, 6)] {
            assert_eq!(cables.lit(part), []);
        }
    }

    #[test]
    fn large_machines_are_summed_without_losing_a_cable() {
        let switches = (0..300u32).map(|s| (0..3000).filter(|pe| (pe * 7 + s) % 100 == 0).collect());
        let design = Design::from_switches(3000, switches);
        let cables = Cables::of(&design);
        assert!(cables.is_summed() && cables.drawn.pes() <= BLOCKS && cables.drawn.switch_count() <= GROUPS);
        let rows = 0..cables.drawn.pes();
        let curves = rows.flat_map(|row| cables.boxes.of(row).iter().map(move |&group| (row, group)));
        let sum: u32 = curves.map(|(row, group)| cables.cables(row, group)).sum();
        assert_eq!(sum as usize, design.cables());
        assert_eq!((cables.nodes_of(0), cables.nodes_of(124).1), ((0, 23), 2999));
        assert_eq!(cables.part(Hit::Row(0)), None);
        assert!(cables.words(Hit::Row(0)).starts_with("Nodes 0–23: "));
        assert!(cables.words(Hit::Box(1)).starts_with("Switches 10–19: "));
    }

    #[test]
    fn a_lens_stays_on_the_picture() {
        let cables = cables();
        let mut lens = Lens::default();
        lens.drag(0.5);
        assert!(lens.is_fit() && lens.top == 0.0);
        lens.zoom(1e9, 1.0, &cables);
        lens.drag(-1e9);
        assert!((lens.top + lens.span - 1.0).abs() < 1e-9 && lens.span > 0.0);
        lens.zoom(f64::NAN, 0.5, &cables);
        lens.zoom(1e-9, 0.5, &cables);
        assert_eq!(lens, Lens::default());
    }
}

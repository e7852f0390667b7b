//! What the hardware of a wiring costs, its cables by their length.

use crate::{
    analysis::lengths,
    design::Design,
    hardware::{Cabled, Price},
    spec::Spec,
};

/// The bill of a wiring, by the rule of [`Price::of`], and the metres of its cables where racks say how long they are.
pub fn cost(spec: &Spec, design: &Design) -> (Price, Option<f64>) {
    let metres = lengths::total(spec, design);
    (Price::of(spec, &Cabled { metres, ..Cabled::of(spec, design) }), metres)
}

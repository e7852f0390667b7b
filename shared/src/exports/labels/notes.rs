//! Notes beside the labels.

use super::{
    super::{
        DesignPlan,
        colours::{MAX_BARS, Palette},
    },
    font,
};
use crate::text::grouped;

/// Notes on the labels of a wiring. `pdf`: only letters of Helvetica exist.
pub fn of(plan: &DesignPlan, palette: Palette, pdf: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if plan.left_out() > 0 {
        notes.push(format!(
            "This wiring leaves {} of {} requested pairs uncovered",
            grouped(plan.left_out() as u64),
            grouped(plan.requested() as u64)
        ));
    }
    let (switches, round) = (plan.design.switch_count(), palette.round());
    if switches > round {
        let all = round * (MAX_BARS + 1);
        let mut note = format!(
            "{} switches share {round} colours: ×2 and a bar mark the second of a colour, and so on",
            grouped(switches.into())
        );
        if switches > all {
            note += &format!(
                "; from switch {all} on, a broad bar marks all, and only the number tells them apart"
            );
        }
        notes.push(note);
    }
    if palette.solids() < switches.min(round) {
        notes.push("two triangles mark transparent cables".into());
    }
    let name = plan.title();
    if pdf && !font::has(&name) {
        notes.push(
            "PDF labels show non-Latin letters of the design's name as Unicode numbers; HTML labels print them"
            .into(),
        );
    }
    notes
}

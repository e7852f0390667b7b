//! The floor from above: racks, and a line for each bundle of cables between two of them.

use crate::{browser, state::words::count, studio::Studio};
use leptos::{prelude::*, svg};
use shared::{
    analysis::racks::{CableBundle, RackPlan},
    exports::markup,
    spec::{Rack, Spec},
};
use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

/// Max racks that are drawn, and max bundles.
const MAX_RACKS: usize = 1024;
const MAX_LINES: usize = 400;
/// More lines than this are drawn fainter.
const MANY_LINES: usize = 120;
/// Pixels per metre, and a rack's size in metres.
const SCALE: f64 = 40.0;
const RACK: (f64, f64) = (0.56, 1.0);
/// Metres above the first row: lines within a row rise above it.
const HEAD: f64 = 0.9;

/// The floor plan; `lit` are the racks that light up.
#[component]
pub fn Floor(
    spec: Arc<Spec>,
    plan: Arc<RackPlan>,
    names: Arc<Vec<String>>,
    lit: Memo<Option<BTreeSet<usize>>>,
) -> impl IntoView {
    let studio = Studio::here();
    if spec.racks.len() > MAX_RACKS {
        let words = format!(
            "{} are too many to draw. Put more nodes into each rack.",
            count(spec.racks.len() as u64, "rack")
        );
        return view! { <p class="hint">{words}</p> }.into_any();
    }
    let plane = Plane::of(&spec.racks);
    let mut bundles: Vec<&CableBundle> = plan.bundles.iter().filter(|b| b.from != b.to).collect();
    let heaviest = bundles.iter().map(|bundle| bundle.cables).max().unwrap_or(1);
    let hidden = bundles.len().saturating_sub(MAX_LINES);
    if hidden > 0 {
        bundles.select_nth_unstable_by_key(MAX_LINES, |bundle| Reverse(bundle.cables));
        bundles.truncate(MAX_LINES);
    }
    let many = bundles.len() > MANY_LINES;
    // One text is drawn many times faster than as many views.
    let mut drawing: String =
        bundles.iter().enumerate().map(|(at, bundle)| plane.line(at, bundle, heaviest, &names)).collect();
    drawing.extend((0..spec.racks.len()).map(|rack| plane.square(rack, &plan, &names)));
    let ends: Vec<(usize, usize)> = bundles.iter().map(|bundle| (bundle.from, bundle.to)).collect();
    let picture = NodeRef::<svg::Svg>::new();
    Effect::new(move |_| {
        let wanted = lit.with(|lit| lit.as_ref().map(|lit| selector(lit, &ends))).unwrap_or_default();
        if let Some(picture) = picture.get() {
            browser::light(&picture, "lit", ".lit", &wanted);
        }
    });
    let label = format!("Floor plan: {}", count(spec.racks.len() as u64, "rack"));
    let (width, height) = (plane.width, plane.height);
    view! {
        <div class="scroll floor" tabindex="0" role="region" aria-label="Floor plan" class:faint=move || studio.view.active().is_some() class:many=many>
            <svg id="floor" node_ref=picture viewBox=format!("-2 -2 {:.1} {:.1}", width + 4.0, height + 4.0) role="img" aria-label=label
                style:min-width=format!("{:.0}px", (width * 0.5).min(900.0)) style:max-width=format!("{:.0}px", (width * 2.0).max(320.0))
                inner_html=drawing></svg>
        </div>
        {(hidden > 0).then(|| view! { <p class="hint">{format!("{} smallest bundles not drawn.", count(hidden as u64, "bundle"))}</p> })}
    }
    .into_any()
}

/// Selector of some racks, and of the bundles between them.
fn selector(racks: &BTreeSet<usize>, ends: &[(usize, usize)]) -> String {
    let lines = ends.iter().enumerate().filter(|(_, (from, to))| racks.contains(from) && racks.contains(to));
    let lines = lines.map(|(at, _)| format!("[data-bundle='{at}']"));
    racks.iter().map(|rack| format!("[data-rack='{rack}']")).chain(lines).collect::<Vec<_>>().join(",")
}

/// Where racks are on the drawing, in pixels.
struct Plane<'a> {
    racks: &'a [Rack],
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl<'a> Plane<'a> {
    fn of(racks: &'a [Rack]) -> Plane<'a> {
        let least = |read: fn(&Rack) -> f64| racks.iter().map(read).fold(f64::INFINITY, f64::min);
        let most = |read: fn(&Rack) -> f64| racks.iter().map(read).fold(f64::NEG_INFINITY, f64::max);
        let (left, top) = (least(|rack| rack.x), least(|rack| rack.y));
        let width = (most(|rack| rack.x) - left + RACK.0) * SCALE;
        let height = (most(|rack| rack.y) - top + RACK.1 + HEAD) * SCALE;
        Plane { racks, left, top, width, height }
    }

    /// Left upper corner of a rack.
    fn place(&self, rack: usize) -> (f64, f64) {
        let Rack { x, y, .. } = self.racks[rack];
        ((x - self.left) * SCALE, (y - self.top + HEAD) * SCALE)
    }

    fn line(&self, at: usize, bundle: &CableBundle, heaviest: u64, names: &[String]) -> String {
        let CableBundle { from, to, cables, metres } = *bundle;
        let ((ax, ay), (bx, by)) = (self.place(from), self.place(to));
        let (ax, bx) = (ax + RACK.0 * SCALE / 2.0, bx + RACK.0 * SCALE / 2.0);
        let (ay, by) = (ay + 4.0, by + 4.0);
        let is_row = self.racks[from].y == self.racks[to].y;
        let lift = if is_row { (ax - bx).abs().min(2.0 * HEAD * SCALE) } else { 0.0 };
        let (x, y) = ((ax + bx) / 2.0, (ay + by) / 2.0 - lift);
        let width = 0.75 + 4.0 * cables as f64 / heaviest as f64;
        let words = format!("{} to {}: {} of {metres:.1} m", names[from], names[to], count(cables, "cable"));
        format!(
            "<path class=\"bundle\" data-bundle=\"{at}\" d=\"M{ax:.1} {ay:.1}Q{x:.1} {y:.1} {bx:.1} {by:.1}\" fill=\"none\" \
             stroke-width=\"{width:.1}\"><title>{}</title></path>",
            markup(&words)
        )
    }

    fn square(&self, rack: usize, plan: &RackPlan, names: &[String]) -> String {
        let (x, y) = self.place(rack);
        let load = &plan.racks[rack];
        let words = format!(
            "{}: {}, {}",
            names[rack],
            count(u64::from(load.nodes.1 - load.nodes.0), "node"),
            count(u64::from(load.switches.1 - load.switches.0), "switch")
        );
        let (width, height) = (RACK.0 * SCALE, RACK.1 * SCALE);
        format!(
            "<g class=\"rack\" data-rack=\"{rack}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height}\">\
             <title>{}</title></rect><text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            markup(&words),
            x + width / 2.0,
            y + height / 2.0 + 3.0,
            markup(&names[rack])
        )
    }
}

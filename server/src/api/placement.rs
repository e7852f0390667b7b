//! Places switches in racks so that cables are shortest.

use super::{ApiError, App, extract::Body};
use crate::prepare::{Request, TextError};
use axum::{Json, extract::State};
use search::lengths;
use shared::{
    analysis::{lengths::total, racks::even_racks},
    api::{PlaceSwitches, PlacedView},
    cancel,
    design::{Design, check, table},
    resolve::NoFiles,
    spec::{Fault, MAX_PES, Spec},
};
use std::sync::Arc;

/// Gives identical switches of a wiring the rack positions that make cables shortest. The spec needs racks, or `nodes_per_rack`.
#[utoipa::path(post, path = "/api/placement", tag = "analysis", request_body = PlaceSwitches, responses(
    (status = 200, body = PlacedView),
))]
pub async fn place(
    State(app): State<App>,
    Body(body): Body<PlaceSwitches>,
) -> Result<Json<PlacedView>, ApiError> {
    app.compute(move || placed(&body)).await.map(Json)
}

fn placed(body: &PlaceSwitches) -> Result<PlacedView, TextError> {
    let request = Request::read(&body.spec, &mut NoFiles)?;
    let design = request.wiring(&body.table)?;
    let spec = racked(&request.spec.grown(design.used_switches()), body.nodes_per_rack)?;
    let verdict = check(&spec, &request.demand, &design);
    if let Some(breach) = verdict.breaches.first() {
        return Err(Fault::new("table", breach, "a wiring within the hardware of the spec").into());
    }
    let mut go_on = || {
        cancel::check();
        true
    };
    let placed = lengths::placed(&spec, &request.demand, &design, &mut go_on);
    let metres = |design: &Design| total(&spec, design).unwrap_or_default();
    // The engine may number switches anew only where the spec allows it; the checker decides.
    let placed = placed.filter(|placed| {
        metres(placed) < metres(&design) && check(&spec, &request.demand, placed) == verdict
    });
    let best = placed.as_ref().unwrap_or(&design);
    Ok(PlacedView { table: table::write(best), metres_before: metres(&design), metres: metres(best) })
}

/// The spec with racks.
fn racked(spec: &Spec, nodes_per_rack: Option<u32>) -> Result<Arc<Spec>, TextError> {
    match nodes_per_rack {
        _ if !spec.racks.is_empty() => Ok(Arc::new(spec.clone())),
        Some(nodes) if (1..=MAX_PES).contains(&nodes) => {
            Ok(Arc::new(Spec { racks: even_racks(spec, nodes), ..spec.clone() }))
        }
        Some(nodes) => Err(Fault::new("nodes_per_rack", nodes, format!("1 to {MAX_PES}")).into()),
        None => Err(Fault::new("nodes_per_rack", "nothing", "a number, since the spec has no racks").into()),
    }
}

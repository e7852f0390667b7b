//! Saved designs.

use super::{
    ApiError, App,
    exports::{self, Which},
    extract::{Body, Names, Params},
    guard,
};
use crate::{
    artifact,
    prepare::{Request, TextError},
    store::StoredDesign,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use shared::{
    api::{DesignView, ExportRequest, MAX_UNCOVERED, SaveDesign},
    design::{Verdict, check, table},
    exports::DESIGNS,
    resolve::NoFiles,
    spec::Fault,
};

/// Max characters of an origin.
const MAX_ORIGIN: usize = 200;

/// Saves a design, found or imported, whatever the checker's verdict. A saved design never changes.
#[utoipa::path(post, path = "/api/designs", tag = "designs", request_body = SaveDesign, responses(
    (status = 201, body = DesignView, headers(("Location" = String, description = "Path of the design"))),
))]
pub async fn save(State(app): State<App>, Body(body): Body<SaveDesign>) -> Result<Response, ApiError> {
    let length = body.origin.chars().count();
    if length > MAX_ORIGIN {
        let found = format!("{length} characters");
        return Err(Fault::new("origin", found, format!("up to {MAX_ORIGIN} characters")).into());
    }
    let store = app.store.clone();
    let work = move || {
        let (table, verdict) = judged(&body.spec, &body.table)?;
        Ok::<_, ApiError>(view(store.save_design(&body.spec, &table, &body.origin)?, verdict))
    };
    let view = app.compute(work).await?;
    let location = [(header::LOCATION, format!("/api/designs/{}", view.id))];
    Ok((StatusCode::CREATED, location, Json(view)).into_response())
}

/// A saved design with the checker's verdict.
#[utoipa::path(get, path = "/api/designs/{id}", tag = "designs", params(("id" = String, Path)), responses(
    (status = 200, body = DesignView),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let design = stored(&app, id).await?;
    let work = move || {
        let (_, verdict) = judged(&design.spec, &design.table)?;
        Ok::<_, TextError>(view(design, verdict))
    };
    let view = app.compute(work).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(view)).into_response())
}

/// An export of a saved design, with the same bytes as from the command line with the same settings. The setting `link` is the
/// address of the design unless it is given. Several formats, separated by commas, or `all` give a tar archive.
#[utoipa::path(get, path = "/api/designs/{id}/exports/{format}", tag = "designs",
    params(("id" = String, Path), ("format" = String, Path), Which), responses(
    (status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream"),
))]
pub async fn export(
    State(app): State<App>,
    Names((id, format)): Names<(String, String)>,
    Params(which): Params<Which>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let design = stored(&app, id).await?;
    let mut with = which.choices();
    if let Some(origin) = guard::origin(&app.config, &headers, &uri) {
        let link = format!("{origin}/d/{}", design.id);
        with = artifact::with_default(DESIGNS, &format, with, ("link", &link));
    }
    let asked = ExportRequest { spec: design.spec, table: design.table, with };
    exports::design(&app, &format, Which { with: None, ..which }, asked).await
}

pub(super) async fn stored(app: &App, id: String) -> Result<StoredDesign, ApiError> {
    let design = app.stored(move |store| store.design(&id)).await?;
    design.ok_or_else(|| ApiError::not_found("design with this id"))
}

/// A wiring in its canonical form, with the checker's verdict.
fn judged(spec: &str, wiring: &str) -> Result<(String, Verdict), TextError> {
    let request = Request::read(spec, &mut NoFiles)?;
    let design = request.wiring(wiring)?;
    let verdict = check(&request.spec, &request.demand, &design);
    Ok((table::write(&design), verdict))
}

fn view(design: StoredDesign, mut verdict: Verdict) -> DesignView {
    let uncovered = verdict.uncovered.len() as u64;
    verdict.uncovered.truncate(MAX_UNCOVERED);
    DesignView {
        id: design.id,
        spec: design.spec,
        table: design.table,
        origin: design.origin,
        verdict,
        uncovered,
        created: design.created,
        version: design.version,
    }
}

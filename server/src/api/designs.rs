//! Saved designs.

use super::{
    ApiError, App, error,
    exports::{self, FileQuery},
    extract::{Body, Names, Params},
    guard,
    rights::{EditHeader, Rights},
};
use crate::{
    artifact, counts,
    prepare::{Request, TextError, check_new},
    store::{Card, StoredDesign},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use shared::{
    analysis::leftout::weight_served,
    api::{Base, DesignView, ExportRequest, ListedHardware, MAX_UNCOVERED, SaveDesign},
    design::{Verdict, check, table},
    exports::DESIGNS,
    form::Layout,
    resolve::NoFiles,
    spec::{Objective, Spec},
};
use std::sync::Arc;

/// Max characters of an origin.
const MAX_ORIGIN: usize = 200;

/// Saves a design, found or imported, whatever the checker's verdict. The spec and the wiring never change; the request's edit token
/// gives the right to change the note and to delete the design.
#[utoipa::path(post, path = "/api/designs", tag = "designs", params(EditHeader), request_body = SaveDesign, responses(
    (status = 201, body = DesignView, headers(("Location" = String, description = "Path of the design"),
     ("x-crosspoint-edit" = String, description = "A fresh edit token, if the request had none"))),
))]
pub async fn save(
    State(app): State<App>,
    rights: Rights,
    Body(body): Body<SaveDesign>,
) -> Result<Response, ApiError> {
    error::limited("origin", &body.origin, MAX_ORIGIN, Layout::Line)?;
    let starter = rights.start()?;
    let edit = starter.hash;
    let (store, quota) =
        (app.store.clone(), app.quota(body.spec.len() + body.table.len() + body.origin.len()));
    let work = move || {
        check_new(&body.spec).map_err(TextError::Spec)?;
        let judged = judged(&body.spec, &body.table)?;
        let (based_on, generation) = store.base(&body.based_on)?;
        let card = Card { based_on, generation, ..card(&judged) };
        let CheckedDesign { table, verdict, .. } = judged;
        quota(&store)?;
        let design = store.save_design(&body.spec, &table, &body.origin)?;
        store.add_card(&design.id, Some(edit), &card)?;
        Ok::<_, ApiError>(view(design, verdict, Some(card)))
    };
    let view = app.compute_now(work).await?;
    let location = [(header::LOCATION, format!("/api/designs/{}", view.id))];
    Ok(starter.answer((StatusCode::CREATED, location, Json(view)).into_response()))
}

/// A saved design with the checker's verdict.
#[utoipa::path(get, path = "/api/designs/{id}", tag = "designs", params(("id" = String, Path)), responses(
    (status = 200, body = DesignView),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let design = stored(&app, id).await?;
    let store = app.store.clone();
    let work = move || {
        let card = store.card(&design.id)?;
        let verdict = judged(&design.spec, &design.table)?.verdict;
        Ok::<_, ApiError>(view(design, verdict, card))
    };
    let view = app.compute_now(work).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(view)).into_response())
}

/// An export of a saved design. The command line gives the same bytes. The default of the setting `link` is the address of the design.
/// Several formats (separate with commas) or `all` give a tar archive.
#[utoipa::path(get, path = "/api/designs/{id}/exports/{format}", tag = "designs",
    params(("id" = String, Path), ("format" = String, Path), FileQuery), responses(
    (status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream"),
))]
pub async fn export(
    State(app): State<App>,
    Names((id, format)): Names<(String, String)>,
    Params(which): Params<FileQuery>,
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
    exports::design(&app, &format, FileQuery { with: None, ..which }, asked).await
}

pub(super) async fn stored(app: &App, id: String) -> Result<StoredDesign, ApiError> {
    match app.stored(move |store| Ok((store.design(&id)?, store.deletion_of(&id)?))).await? {
        (Some(design), _) => Ok(design),
        (None, Some(deleted)) => Err(error::gone(&deleted)),
        (None, None) => Err(ApiError::not_found("design with this id")),
    }
}

/// A wiring in its canonical form, with the checker's verdict and facts of its spec.
struct CheckedDesign {
    table: String,
    verdict: Verdict,
    spec: Arc<Spec>,
    hardware: ListedHardware,
}

fn judged(spec: &str, wiring: &str) -> Result<CheckedDesign, TextError> {
    let request = Request::read(spec, &mut NoFiles)?;
    let design = request.wiring(wiring)?;
    let verdict = check(&request.spec, &request.demand, &design);
    let hardware = counts::hardware(&request.spec, &design);
    Ok(CheckedDesign { table: table::write(&design), verdict, spec: request.spec, hardware })
}

fn card(CheckedDesign { verdict, spec, hardware, .. }: &CheckedDesign) -> Card {
    let fractional = spec.objective == Objective::Fractional;
    Card {
        name: spec.name.clone(),
        nodes: spec.pes,
        requested: verdict.requested,
        uncovered: verdict.uncovered.len() as u64,
        weight: fractional.then(|| weight_served(verdict)),
        hardware: Some(hardware.clone()),
        generation: 1,
        ..Card::default()
    }
}

/// What the library says of a design of an earlier version.
pub(super) fn card_of(spec: &str, wiring: &str) -> Result<Card, TextError> {
    Ok(card(&judged(spec, wiring)?))
}

fn view(design: StoredDesign, mut verdict: Verdict, card: Option<Card>) -> DesignView {
    let uncovered = verdict.uncovered.len() as u64;
    verdict.uncovered.truncate(MAX_UNCOVERED);
    let card = card.unwrap_or(Card { generation: 1, ..Card::default() });
    DesignView {
        id: design.id,
        spec: design.spec,
        table: design.table,
        origin: design.origin,
        verdict,
        uncovered,
        created: design.created,
        version: design.version,
        note: card.note,
        generation: card.generation,
        based_on: card.based_on.map(Base::without_id),
    }
}

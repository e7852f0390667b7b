//! Kinds of networks, and their files.

use super::{
    ApiError, App,
    exports::{FileQuery, download},
    extract::{Names, Params},
};
use axum::{Json, extract::State, response::Response};
use shared::{
    api::FabricKindView,
    exports::{Bundle, ExportError, fabrics},
    fabric::kinds::{KINDS, parse},
};

/// All kinds of networks: text form, parameters and export formats.
#[utoipa::path(get, path = "/api/fabrics", tag = "exports", responses((status = 200, body = [FabricKindView])))]
pub async fn list() -> Json<Vec<FabricKindView>> {
    Json(KINDS.iter().map(FabricKindView::from).collect())
}

/// An export of a network in its text form, such as `mesh:4x4`. `crosspoint fabric` gives the same bytes.
#[utoipa::path(get, path = "/api/fabrics/{kind}/exports/{format}", tag = "exports", params(
    ("kind" = String, Path, description = "The network in its text form, percent-encoded", example = "torus:4x4,2"),
    ("format" = String, Path, description = "A format of its kind, several separated with commas, or `all`"), FileQuery,
), responses(
    (status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream"),
))]
pub async fn export(
    State(app): State<App>,
    Names((kind, name)): Names<(String, String)>,
    Params(which): Params<FileQuery>,
) -> Result<Response, ApiError> {
    let kind = parse(&kind)?;
    let formats = fabrics(&*kind);
    download(&app, formats, &name, (which, Vec::new()), move || {
        Ok::<_, ExportError>((Bundle::fabric(kind.into()), ()))
    })
    .await
}

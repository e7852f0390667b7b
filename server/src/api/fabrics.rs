//! Kinds of networks, and their files, streamed as they are rendered.

use super::{
    ApiError, App,
    exports::{choices, respond, stream},
    extract::{Names, Params},
};
use crate::artifact::fabric;
use axum::{Json, extract::State, response::Response};
use serde::Deserialize;
use shared::{
    api::{FabricKindView, Problem},
    exports::{FabricBundle, FabricSettings, fabric_format},
    fabric::kinds::{KINDS, parse},
};
use utoipa::IntoParams;

/// Which file of a format that is one file a host or switch, and how it is to be.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct WhichNode {
    /// The host or switch; without it, the files of all as a tar archive.
    pub node: Option<u32>,
    /// Settings of the format as `name=value`, with `;` between them; a `;` in a value is written twice.
    pub with: Option<String>,
}

/// Every kind of network: its text form, its parameters, and the files that there are for it.
#[utoipa::path(get, path = "/api/fabrics", tag = "exports", responses((status = 200, body = [FabricKindView])))]
pub async fn list() -> Json<Vec<FabricKindView>> {
    Json(KINDS.iter().map(FabricKindView::from).collect())
}

/// A file of a network in its text form, such as `mesh:4x4`. The bytes are those of `crosspoint fabric`.
#[utoipa::path(get, path = "/api/fabrics/{kind}/exports/{format}", tag = "exports", params(
    ("kind" = String, Path, description = "The network in its text form, percent-encoded", example = "torus:4x4,2"),
    ("format" = String, Path, description = "A format that there is for its kind"), WhichNode,
), responses(
    (status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream"),
    (status = 404, description = "No such format, host or switch", body = Problem,
     content_type = "application/problem+json"),
    (status = 422, description = "No such network, no files for it, or a setting that does not fit", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn export(
    State(app): State<App>,
    Names((kind, name)): Names<(String, String)>,
    Params(which): Params<WhichNode>,
) -> Result<Response, ApiError> {
    let kind = parse(&kind)?;
    let format = fabric_format(&*kind, &name)?;
    fabric::check(format, which.node)?;
    let choices = which.with.as_deref().map(choices).unwrap_or_default();
    let settings = FabricSettings::read(format, choices.iter().map(String::as_str))?;
    let bundle = app.compute(move || FabricBundle::new(&*kind, settings)).await?;
    bundle.check(format, which.node.unwrap_or(0))?;
    let (file, media) =
        (fabric::file_name(&bundle, format, which.node), fabric::media_type(format, which.node));
    let content = stream(move |out| fabric::write(&bundle, format, which.node, out)).await?;
    Ok(respond(&file, media, content))
}

//! Which Crosspoint answers.

use axum::Json;
use shared::api::VersionView;

/// Name and version.
#[utoipa::path(get, path = "/api/version", tag = "version", responses((status = 200, body = VersionView)))]
pub async fn get() -> Json<VersionView> {
    Json(VersionView { name: "Crosspoint".into(), version: crate::version::VERSION.into() })
}

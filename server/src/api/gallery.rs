//! The ready specs.

use axum::Json;
use shared::api::GalleryEntry;

/// Every ready spec, with its text.
#[utoipa::path(get, path = "/api/gallery", tag = "gallery", responses((status = 200, body = [GalleryEntry])))]
pub async fn list() -> Json<&'static [GalleryEntry]> {
    Json(crate::gallery::entries())
}

//! Chapters of the help.

use super::{ApiError, extract::Names};
use crate::help::{CHAPTERS, chapter};
use axum::Json;
use shared::api::{HelpChapter, HelpTopic};

/// All topics in reading order.
#[utoipa::path(get, path = "/api/help", tag = "help", responses((status = 200, body = [HelpTopic])))]
pub async fn list() -> Json<Vec<HelpTopic>> {
    let topic = |topic: &str, title: &str| HelpTopic { topic: topic.to_owned(), title: title.to_owned() };
    Json(CHAPTERS.iter().map(|chapter| topic(chapter.topic, chapter.title())).collect())
}

/// A chapter as HTML.
#[utoipa::path(get, path = "/api/help/{topic}", tag = "help", params(("topic" = String, Path)), responses(
    (status = 200, body = HelpChapter),
))]
pub async fn get(Names(topic): Names<String>) -> Result<Json<HelpChapter>, ApiError> {
    let chapter = chapter(&topic).ok_or_else(|| ApiError::not_found(format!("topic {topic:?}")))?;
    Ok(Json(HelpChapter { html: chapter.html() }))
}

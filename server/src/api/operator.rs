//! The operator's view: all work of the studio, and a way to stop it. Ids are hashes, so that nothing here opens a design.

use super::{
    ApiError, App,
    extract::Body,
    health,
    rights::{EditHeader, Rights},
    work::fresh,
};
use crate::{log::short, tasks::ListedTask};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use shared::api::{BudgetView, ListedWork, OperatorView, Problem, StopWork};

/// All running and waiting work, and the use of the studio's limits. Only for clients on the studio's machine or with the operator's
/// token.
#[utoipa::path(get, path = "/api/operator", tag = "operator", params(EditHeader), responses(
    (status = 200, body = OperatorView),
    (status = 403, description = "The request lacks the operator's token, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn list(State(app): State<App>, rights: Rights) -> Result<Response, ApiError> {
    rights.operate()?;
    let (works, memory) = (app.works.clone(), app.tasks.memory.clone());
    let (mut work, of_work) =
        app.block(move || Ok::<_, ApiError>((works.list(&memory), works.tasks()))).await?;
    let tasks = app.tasks.list().into_iter().filter(|listed| !of_work.contains(&listed.number));
    work.extend(tasks.map(task));
    let (searching, cores) = (app.works.searching().into(), app.works.cores().into());
    let mut budgets = vec![
        threads("search-threads", "Search threads", searching, cores),
        threads("task-threads", "Task threads", app.tasks.load().running as u64, app.tasks.threads() as u64),
    ];
    budgets.extend(health::budgets(&app).await?);
    fresh(Some(OperatorView { work, budgets }), missing)
}

/// Stops work. It ends shortly after.
#[utoipa::path(post, path = "/api/operator/stop", tag = "operator", params(EditHeader), request_body = StopWork, responses(
    (status = 204, description = "The work stops"),
    (status = 403, description = "The request lacks the operator's token, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
    (status = 404, description = "The work has ended", body = Problem, content_type = "application/problem+json"),
))]
pub async fn stop(
    State(app): State<App>,
    rights: Rights,
    Body(StopWork { id }): Body<StopWork>,
) -> Result<Response, ApiError> {
    rights.operate()?;
    let (works, hash) = (app.works.clone(), id.clone());
    let stopped = app.block(move || Ok::<_, ApiError>(works.stop_listed(&hash))).await?
        || id.parse().is_ok_and(|number| app.tasks.stop(number));
    if stopped { Ok(StatusCode::NO_CONTENT.into_response()) } else { Err(missing()) }
}

fn threads(name: &str, label: &str, used: u64, max: u64) -> BudgetView {
    BudgetView { name: name.into(), label: label.into(), used, max: Some(max), bytes: false }
}

fn missing() -> ApiError {
    ApiError::NotFound("This work has ended already.".into())
}

fn task(listed: ListedTask) -> ListedWork {
    ListedWork {
        kind: None,
        id: listed.number.to_string(),
        owner: short(&listed.caller.owner.0),
        running: listed.memory.is_some(),
        seconds: listed.age.as_secs_f64(),
        route: listed.caller.route,
        threads: 1,
        share: None,
        queue: None,
        memory: listed.memory.unwrap_or(0),
    }
}

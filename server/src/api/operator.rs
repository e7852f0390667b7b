//! The operator's view: all work of the studio, and a way to stop it. Ids are hashes, so that nothing here opens a design.

use super::{
    ApiError, App,
    extract::Body,
    health,
    rights::{EditHeader, Rights},
    runs::fresh,
};
use crate::{log::short, simulations::LiveSimulation, store::SearchKind, tasks::Listed};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use shared::api::{BudgetView, JobKind, JobView, OperatorView, Problem, StopJob};

/// All running and waiting work, with the budgets of the studio. For clients on the studio's machine, and for those with the
/// operator's token.
#[utoipa::path(get, path = "/api/operator", tag = "operator", params(EditHeader), responses(
    (status = 200, body = OperatorView),
    (status = 403, description = "The request lacks the operator's token, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn list(State(app): State<App>, rights: Rights) -> Result<Response, ApiError> {
    rights.operate()?;
    let mut jobs = app.jobs.list();
    let searching: u32 = jobs.iter().filter(|job| job.running).map(|job| job.threads).sum();
    jobs.extend(app.simulations.running().iter().map(|live| simulation(&app, live)));
    jobs.extend(app.tasks.list().into_iter().map(task));
    let mut budgets = vec![
        threads("search-threads", "Search threads", searching.into(), app.jobs.cores().into()),
        threads("task-threads", "Task threads", app.tasks.load().running as u64, app.tasks.threads() as u64),
    ];
    budgets.extend(health::budgets(&app).await?);
    fresh(Some(OperatorView { jobs, budgets }), missing)
}

/// Stops work. It ends shortly after.
#[utoipa::path(post, path = "/api/operator/stop", tag = "operator", params(EditHeader), request_body = StopJob, responses(
    (status = 204, description = "The work stops"),
    (status = 403, description = "The request lacks the operator's token, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
    (status = 404, description = "The work has ended", body = Problem, content_type = "application/problem+json"),
))]
pub async fn stop(
    State(app): State<App>,
    rights: Rights,
    Body(StopJob { kind, id }): Body<StopJob>,
) -> Result<Response, ApiError> {
    rights.operate()?;
    let search = |kind| {
        let (jobs, id) = (app.jobs.clone(), id.clone());
        app.block(move || Ok::<_, ApiError>(jobs.stop_listed(kind, &id)))
    };
    let stopped = match kind {
        JobKind::Run => search(SearchKind::Run).await?,
        JobKind::Board => search(SearchKind::Board).await?,
        JobKind::Simulation => {
            let found = app.simulations.running().into_iter().find(|live| short(&live.id) == id);
            found.inspect(|live| live.stop()).is_some()
        }
        JobKind::Task => id.parse().is_ok_and(|number| app.tasks.stop(number)),
    };
    if stopped { Ok(StatusCode::NO_CONTENT.into_response()) } else { Err(missing()) }
}

fn threads(name: &str, label: &str, used: u64, max: u64) -> BudgetView {
    BudgetView { name: name.into(), label: label.into(), used, max: Some(max), bytes: false }
}

fn missing() -> ApiError {
    ApiError::NotFound("This work has ended already.".into())
}

fn simulation(app: &App, live: &LiveSimulation) -> JobView {
    JobView {
        kind: JobKind::Simulation,
        id: short(&live.id),
        owner: short(&live.owner.0),
        running: true,
        seconds: live.age().as_secs_f64(),
        route: String::new(),
        threads: 1,
        share: live.view(false).report.progress.and_then(|progress| progress.share),
        queue: None,
        memory: live.memory(&app.tasks.memory),
    }
}

fn task(listed: Listed) -> JobView {
    JobView {
        kind: JobKind::Task,
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

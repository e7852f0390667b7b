//! Simulations.

use super::{
    ApiError, App,
    extract::{Body, Names},
    rights::{EditHeader, Rights},
    runs::{created, fresh},
};
use crate::{
    simulations::{RefusedSimulation, Simulation},
    tasks,
};
use axum::{extract::State, response::Response};
use shared::{
    api::Problem,
    simulation::{SimulationView, StartSimulation},
};

fn missing() -> ApiError {
    ApiError::not_found("simulation with this id")
}

/// Starts a simulation. It continues even if no client is connected. It is lost when the studio stops.
#[utoipa::path(post, path = "/api/simulations", tag = "simulations", params(EditHeader), request_body = StartSimulation, responses(
    (status = 201, body = SimulationView, headers(("Location" = String, description = "Path of the simulation"),
     ("x-crosspoint-edit" = String, description = "A fresh edit token, if the request had none"))),
    (status = 429, description = "The client has its share of the running simulations", body = Problem,
     content_type = "application/problem+json"),
    (status = 422, description = "The spec, the wiring or the form has faults, or the simulation needs too much memory or time",
     body = Problem, content_type = "application/problem+json"),
))]
pub async fn start(
    State(app): State<App>,
    rights: Rights,
    Body(body): Body<StartSimulation>,
) -> Result<Response, ApiError> {
    let (simulations, starter) = (app.simulations.clone(), rights.start()?);
    let (client, edit) = (App::client(), starter.hash);
    let work = move || -> Result<SimulationView, ApiError> {
        let (simulation, estimate) = Simulation::prepare(&body)?;
        simulations.forget_old(&client);
        let claim = tasks::claim_to_keep(estimate.bytes)?;
        let live = simulations.start(client, edit, body, simulation, (estimate.seconds, claim))?;
        Ok(live.view(false))
    };
    let view = app.compute(work).await?;
    Ok(starter.answer(created(format!("/api/simulations/{}", view.id), view)))
}

/// A simulation with its points and the loads of all channels.
#[utoipa::path(get, path = "/api/simulations/{id}", tag = "simulations", params(("id" = String, Path)), responses(
    (status = 200, body = SimulationView),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    fresh(app.simulations.get(&id).map(|live| live.view(true)), missing)
}

/// Stops a simulation and keeps its finished points. It ends shortly after, and its events report the end.
#[utoipa::path(post, path = "/api/simulations/{id}/stop", tag = "simulations", params(("id" = String, Path), EditHeader),
    responses(
    (status = 200, body = SimulationView),
    (status = 403, description = "The request lacks the edit token of the simulation, or comes from another site",
     body = Problem, content_type = "application/problem+json"),
))]
pub async fn stop(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let live = app.simulations.get(&id).ok_or_else(missing)?;
    rights.edit("simulation", Some(live.edit))?;
    live.stop();
    fresh(Some(live.view(false)), missing)
}

impl From<RefusedSimulation> for ApiError {
    fn from(error: RefusedSimulation) -> ApiError {
        match error {
            RefusedSimulation::Share(_) => ApiError::Share(error.to_string()),
            RefusedSimulation::TooMany | RefusedSimulation::Thread(_) => ApiError::Busy(error.to_string()),
            RefusedSimulation::Name(error) => error.into(),
        }
    }
}

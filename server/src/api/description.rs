//! The OpenAPI description: generated from the handlers, with the responses that all of them share.

use utoipa::{
    OpenApi,
    openapi::{
        self, ContentBuilder, Ref, ResponseBuilder,
        path::{Operation, ParameterIn},
    },
};

#[derive(OpenApi)]
#[openapi(info(
    title = "Crosspoint",
    description = "Finds and documents the wiring of cluster interconnects. A spec is sent as TOML text, a wiring as its \
text table. Ids of runs and designs are secret: anyone who knows an id can open it. Stopping a search or simulation takes the edit token \
it was started with (header `x-crosspoint-edit`), deleting a design the one it was saved with.",
    license(name = "MIT", identifier = "MIT"),
))]
struct Description;

/// The description without any routes.
pub fn start() -> openapi::OpenApi {
    let mut description = Description::openapi();
    description.info.version = crate::VERSION.into();
    description
}

/// Adds the responses of limits and guards to each operation.
pub fn complete(description: &mut openapi::OpenApi) {
    for item in description.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
            add_common(operation);
        }
    }
}

fn add_common(operation: &mut Operation) {
    let names = operation.parameters.iter().flatten().any(|p| p.parameter_in == ParameterIn::Path);
    let takes = operation.parameters.is_some() || operation.request_body.is_some();
    let body = operation.request_body.is_some();
    let common = [
        (takes, "400", "The request cannot be read"),
        (names, "404", "Not found"),
        (body, "422", "The spec, the wiring or another field has faults"),
        (true, "403", "The request comes from another site"),
        (body, "413", "The body is too large"),
        (body, "415", "The body is not JSON"),
        (true, "421", "The request is for another host"),
        (true, "429", "Too many requests; `Retry-After` gives the seconds to wait"),
        (true, "500", "Internal error"),
        (true, "503", "The studio is busy; try again later"),
    ];
    for (_, status, meaning) in common.into_iter().filter(|(applies, ..)| *applies) {
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response =
            ResponseBuilder::new().description(meaning).content("application/problem+json", problem).build();
        operation.responses.responses.entry(status.into()).or_insert(response.into());
    }
}

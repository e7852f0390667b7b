//! The OpenAPI description: generated from the handlers, completed by what every request may meet.

use utoipa::{
    OpenApi,
    openapi::{self, ContentBuilder, Ref, ResponseBuilder, path::Operation},
};

#[derive(OpenApi)]
#[openapi(info(
    title = "Crosspoint",
    description = "Finds and documents the wiring of cluster interconnects. A spec travels as the text of its TOML \
file, a wiring as its text table. Names of runs and designs are secrets: whoever knows one may open it.",
    license(name = "MIT", identifier = "MIT"),
))]
struct Description;

/// What the handlers' own descriptions are added to.
pub fn start() -> openapi::OpenApi {
    let mut description = Description::openapi();
    description.info.version = crate::VERSION.into();
    description
}

/// Adds to each operation the answers that are not its handler's: what limits and guards say.
pub fn complete(description: &mut openapi::OpenApi) {
    for item in description.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
            add_common(operation);
        }
    }
}

fn add_common(operation: &mut Operation) {
    let takes = operation.parameters.is_some() || operation.request_body.is_some();
    let body = operation.request_body.is_some();
    let common = [
        (takes, "400", "The request cannot be read"),
        (true, "403", "Asked from another site"),
        (body, "413", "The body is larger than the studio takes"),
        (body, "415", "The body is not JSON"),
        (true, "421", "Asked by a name that is not the studio's"),
        (true, "429", "Too many requests; `Retry-After` says in how many seconds"),
        (true, "500", "A fault of the studio's"),
        (true, "503", "Too much going on; try again later"),
    ];
    for (_, status, meaning) in common.into_iter().filter(|(applies, ..)| *applies) {
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response =
            ResponseBuilder::new().description(meaning).content("application/problem+json", problem).build();
        operation.responses.responses.entry(status.into()).or_insert(response.into());
    }
}

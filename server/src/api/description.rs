//! The OpenAPI description: generated from the handlers, with the responses that all of them share.

use serde_json::{Value, json};
use shared::{
    api::{AnalysisView, ComputedReport, PlacedView, SearchReport, WatchersView, WorkChange, WorkView},
    compare::Comparison,
    estimate::EstimateReport,
    hardware::Board,
    simulation::SimulationReport,
};
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
text table. Ids of work and designs are secret: anyone who knows an id can open it. To stop a search or simulation, send the edit token \
it was started with (header `x-crosspoint-edit`). To delete a design, send the edit token it was saved with.",
    license(name = "MIT", identifier = "MIT"),
), components(schemas(
    WorkView<SearchReport>,
    WorkView<Board>,
    WorkView<SimulationReport>,
    WorkView<ComputedReport<Comparison>>,
    WorkView<ComputedReport<EstimateReport>>,
    WorkView<ComputedReport<PlacedView>>,
    WorkView<ComputedReport<AnalysisView>>,
    WorkChange<Value>,
    WatchersView,
)))]
struct Description;

/// The description without any routes.
pub fn start() -> openapi::OpenApi {
    let mut description = Description::openapi();
    description.info.version = crate::VERSION.into();
    description
}

/// The description as JSON, with the responses of limits and guards and a unique id for each operation.
pub fn complete(mut description: openapi::OpenApi) -> Value {
    for (path, item) in &mut description.paths.paths {
        for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
            add_common(operation);
            let function = operation.operation_id.take().unwrap_or_default();
            operation.operation_id = Some(unique_id(path, &function));
        }
    }
    // Serializing the description does not fail.
    let mut description = serde_json::to_value(description).unwrap_or_default();
    simplify(&mut description);
    description
}

/// A route in a list for people.
pub struct Route {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Path with parameters in braces.
    pub path: String,
    /// First noun of the path.
    pub noun: String,
    /// The documentation of its function, in one line.
    pub about: String,
}

/// All routes of a description, by path.
pub fn listed(description: &openapi::OpenApi) -> Vec<Route> {
    let routes = description.paths.paths.iter().flat_map(|(path, item)| {
        let operations = [("GET", &item.get), ("POST", &item.post)];
        operations.into_iter().filter_map(move |(method, operation)| {
            let operation = operation.as_ref()?;
            let noun = path.trim_start_matches("/api/").split('/').next().unwrap_or_default().to_owned();
            let about = [&operation.summary, &operation.description].into_iter().flatten();
            let about = about.flat_map(|text| text.split_whitespace()).collect::<Vec<_>>().join(" ");
            Some(Route { method, path: path.clone(), noun, about })
        })
    });
    routes.collect()
}

/// Id of an operation: the nouns of its path and its function, such as `designs_cabling_get`.
fn unique_id(path: &str, function: &str) -> String {
    let nouns = path.split('/').filter(|part| !["", "api"].contains(part) && !part.starts_with('{'));
    let parts: Vec<String> = nouns.map(|noun| noun.replace(['.', '-'], "_")).collect();
    if parts.last().is_some_and(|noun| noun == function) {
        return parts.join("_");
    }
    format!("{}_{function}", parts.join("_"))
}

/// Replaces what generators of clients cannot read by plain forms: tuples by arrays with the schemas of their items, and the lists of
/// numbers in files by bytes. The default of an object says nothing that its fields do not say.
fn simplify(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Array(items)) = fields.remove("prefixItems") {
                let length = items.len();
                let mut kinds: Vec<Value> = Vec::new();
                for item in items {
                    if !kinds.contains(&item) {
                        kinds.push(item);
                    }
                }
                let any = match kinds.len() {
                    1 => kinds.remove(0),
                    _ => json!({ "anyOf": kinds }),
                };
                fields.extend([
                    ("items".into(), any),
                    ("minItems".into(), length.into()),
                    ("maxItems".into(), length.into()),
                ]);
            }
            if fields.contains_key("oneOf") && fields.get("default").is_some_and(Value::is_object) {
                fields.remove("default");
            }
            for (media_type, content) in fields.iter_mut() {
                let is_file = media_type == "application/octet-stream" || media_type.starts_with("image/");
                if let Some(schema) = content.get_mut("schema").filter(|_| is_file) {
                    *schema = json!({ "type": "string", "format": "binary" });
                }
                simplify(content);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn add_common(operation: &mut Operation) {
    let names = operation.parameters.iter().flatten().any(|p| p.parameter_in == ParameterIn::Path);
    let takes = operation.parameters.is_some() || operation.request_body.is_some();
    let body = operation.request_body.is_some();
    let common = [
        (takes, "400", "The request cannot be read"),
        (names, "404", "Not found"),
        (takes, "422", "The spec, the wiring or another field has errors, or the work needs too much memory"),
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

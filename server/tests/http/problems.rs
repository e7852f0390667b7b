use crate::studio::{SMALL, Studio, json};
use axum::{body::Body, http::Request};
use serde_json::Value;
use server::api::MAX_BODY_BYTES;
use shared::api::EDIT_HEADER;

#[tokio::test]
async fn unknown_routes_and_methods_are_problems() {
    let studio = Studio::new();
    for path in ["/api", "/api/", "/api/nothing", "/api/work/a/b/c"] {
        studio.get(path).await.problem(404, "not-found");
    }
    studio.get("/api/demand").await.problem(405, "method");
    studio.post("/api/version", &Value::Null).await.problem(405, "method");
    studio.post("/", &Value::Null).await.problem(405, "method");
}

#[tokio::test]
async fn bodies_that_are_no_json_of_ours_are_problems() {
    let studio = Studio::new();
    studio.answer(json("/api/demand", "{")).await.problem(400, "request");
    studio.answer(json("/api/demand", "[]")).await.problem(400, "request");
    let problem = studio.answer(json("/api/demand", "{\"spec\": 3}")).await.problem(400, "request");
    assert_eq!(problem.detail, "spec: must be text, not 3.");
    let body = serde_json::json!({ "spec": SMALL, "sepc": "" }).to_string();
    let problem = studio.answer(json("/api/demand", body)).await.problem(400, "request");
    assert!(problem.detail.contains("sepc"), "{}", problem.detail);
    let form = Request::post("/api/demand").header("content-type", "text/plain");
    studio.answer(form.body(Body::from("{\"spec\": \"\"}")).unwrap()).await.problem(415, "media-type");
    studio.answer(Request::post("/api/demand").body(Body::empty()).unwrap()).await.problem(415, "media-type");
}

#[tokio::test]
async fn what_is_too_large_is_told_the_limit() {
    let studio = Studio::new();
    let body = format!("{{\"spec\": \"{}\"}}", "#".repeat(MAX_BODY_BYTES));
    let problem = studio.answer(json("/api/demand", body)).await.problem(413, "too-large");
    assert!(problem.detail.replace(',', "").contains(&MAX_BODY_BYTES.to_string()), "{}", problem.detail);
    let spec = "#".repeat(shared::spec::MAX_SPEC_BYTES + 1);
    let problem = studio.post("/api/demand", &serde_json::json!({ "spec": spec })).await.problem(422, "spec");
    assert!(problem.faults[0].message.replace(',', "").contains(&shared::spec::MAX_SPEC_BYTES.to_string()));
}

#[tokio::test]
async fn generators_of_clients_can_read_the_description() {
    let description: Value = Studio::new().get("/api/openapi.json").await.json();
    let mut ids = std::collections::BTreeSet::new();
    for operation in
        description["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap())
    {
        let id = operation.1["operationId"].as_str().unwrap();
        assert!(ids.insert(id.to_owned()), "{id} twice");
    }
    for id in
        ["designs_get", "designs_cabling_get", "work_events_follow", "differences_map_png_map", "version"]
    {
        assert!(ids.contains(id), "{id}: {ids:?}");
    }
    let text = description.to_string();
    assert!(!text.contains("\"prefixItems\"") && !text.contains("\"items\":false"));
    let schemas = &description["components"]["schemas"];
    let pair = serde_json::json!({
        "type": "array",
        "items": { "type": "integer", "format": "int32", "minimum": 0 },
        "minItems": 2,
        "maxItems": 2,
    });
    assert_eq!(schemas["Verdict"]["properties"]["uncovered"]["items"], pair);
    let line = &schemas["RouteView"]["properties"]["lines"]["items"]["items"];
    assert_eq!(line["anyOf"].as_array().unwrap().len(), 2, "{line}");
    // A schema with a default that is an object has no place in a client.
    assert!(schemas["SettingView"]["properties"]["default"].is_object());
    let progress = &schemas["WorkView_SearchReport"]["properties"]["report"]["properties"]["progress"];
    assert!(progress["oneOf"].is_array() && progress["default"].is_null(), "{progress}");
    let responses = |path: &str| &description["paths"][path]["get"]["responses"];
    assert!(responses("/api/fabrics/{kind}/exports/{format}")["422"].is_object());
    let events = &responses("/api/work/{id}/events")["200"]["content"]["text/event-stream"];
    assert_eq!(events["schema"]["type"], "string");
    let file = serde_json::json!({ "type": "string", "format": "binary" });
    for (path, media_type) in [
        ("/api/designs/{id}/exports/{format}", "application/octet-stream"),
        ("/api/work/{id}/preview.png", "image/png"),
    ] {
        assert_eq!(responses(path)["200"]["content"][media_type]["schema"], file, "{path}");
    }
}

#[tokio::test]
async fn the_description_names_every_route_and_what_travels() {
    let description: Value = Studio::new().get("/api/openapi.json").await.json();
    let paths = description["paths"].as_object().unwrap();
    for (path, method) in [
        ("/api/version", "get"),
        ("/api/gallery", "get"),
        ("/api/demand", "post"),
        ("/api/work", "post"),
        ("/api/work/{id}", "get"),
        ("/api/work/{id}/events", "get"),
        ("/api/work/{id}/stop", "post"),
        ("/api/work/{id}/continue", "post"),
        ("/api/work/{id}/edit-link", "post"),
        ("/api/work/{id}/table", "get"),
        ("/api/work/{id}/replay", "get"),
        ("/api/work/{id}/parts/{number}", "get"),
        ("/api/designs", "post"),
        ("/api/designs/{id}", "get"),
        ("/api/designs/{id}/exports/{format}", "get"),
        ("/api/exports", "get"),
        ("/api/exports/{format}", "post"),
        ("/api/fabrics", "get"),
        ("/api/fabrics/{kind}/exports/{format}", "get"),
        ("/api/operator", "get"),
        ("/api/operator/stop", "post"),
    ] {
        let operation = &paths[path][method];
        assert!(operation.is_object(), "{method} {path}");
        let (answers, takes_body) = (&operation["responses"], operation["requestBody"].is_object());
        assert_eq!(answers["415"].is_object(), takes_body, "{method} {path}");
        assert_eq!(answers["413"].is_object(), takes_body, "{method} {path}");
        let finds = path.contains('{') || path == "/api/operator/stop";
        assert_eq!(answers["404"].is_object(), finds, "{method} {path}");
        assert!(answers["429"]["content"]["application/problem+json"].is_object(), "{method} {path}");
    }
    let (start, stop) = ("/api/work", "/api/work/{id}/stop");
    for path in [start, stop] {
        let parameters = paths[path]["post"]["parameters"].as_array().unwrap();
        let takes = |p: &Value| p["name"] == EDIT_HEADER && p["in"] == "header" && p["required"] == false;
        assert!(parameters.iter().any(takes), "{path}");
    }
    assert!(paths[start]["post"]["responses"]["201"]["headers"][EDIT_HEADER].is_object());
    let refused = paths[stop]["post"]["responses"]["403"]["description"].as_str().unwrap();
    assert!(refused.contains("edit token"), "{refused}");
    let schemas = description["components"]["schemas"].as_object().unwrap();
    for schema in [
        "WorkView_SearchReport",
        "WorkView_Board",
        "WorkView_SimulationReport",
        "WorkView_ComputedReport_Comparison",
        "WorkView_ComputedReport_EstimateReport",
        "WorkView_ComputedReport_PlacedView",
        "WorkView_ComputedReport_AnalysisView",
        "WorkChange_Value",
        "WatchersView",
        "PartView",
        "DesignView",
        "Problem",
        "Progress",
        "Verdict",
        "Figures",
        "StartWork",
        "Fault",
    ] {
        assert!(schemas.contains_key(schema), "{schema}");
    }
    let text = description.to_string();
    for (at, _) in text.match_indices("#/components/schemas/") {
        let name: String = text[at + 21..].chars().take_while(|c| *c != '"').collect();
        assert!(schemas.contains_key(&name), "{name} is referred to and not there");
    }
    assert_eq!(description["info"]["title"], "Crosspoint");
}

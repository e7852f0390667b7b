//! Hidden characters in texts that the studio keeps and shows to others.

use crate::studio::{Answer, SMALL, SMALL_WIRING, Studio, hardware, search};
use serde_json::{Value, json};
use shared::api::{DesignView, WorkspaceView};

/// Characters without a shape of their own, and what an error calls them.
const HIDDEN: [(char, &str); 5] = [
    ('\0', "U+0000"),
    ('\u{9b}', "U+009B"),
    ('\u{200b}', "U+200B"),
    ('\u{202e}', "U+202E"),
    ('\u{feff}', "U+FEFF"),
];

/// Checks the fault of a text at this path.
fn names(answer: &Answer, path: &str, code: &str) {
    let problem = answer.problem(422, "spec");
    let fault = &problem.faults[0];
    assert_eq!(fault.path, path, "{code}");
    assert!(fault.value.starts_with(code), "{fault}");
    assert!(fault.message.contains("visible characters"), "{fault}");
}

#[tokio::test]
async fn a_spec_that_is_kept_has_no_hidden_characters() {
    let studio = Studio::new();
    for (hidden, code) in HIDDEN {
        let escape = format!("\\u{:04x}", u32::from(hidden));
        for (spec, path) in [
            (SMALL.replace("Small", &format!("Sm{escape}all")), "name"),
            (format!("{SMALL}[start]\ntable = \"0: 0 1 2 3 # {escape}\"\n"), "start.table"),
        ] {
            // The wiring table of a file need not fit; the text of it is looked at first.
            for (route, body) in bodies(&spec) {
                let answer = studio.post(route, &body).await;
                names(&answer, path, code);
            }
        }
        // A comment. TOML itself forbids control characters there.
        for (route, body) in bodies(&format!("# a comment {hidden}\n{SMALL}")) {
            names(&studio.post(route, &body).await, "spec", code);
        }
    }
    assert_eq!(
        studio.post("/api/designs", &bodies(&SMALL.replace("Small", "Zürich 北京 💡"))[0].1).await.status,
        201
    );
}

fn bodies(spec: &str) -> [(&'static str, Value); 4] {
    [
        ("/api/designs", json!({ "spec": spec, "table": SMALL_WIRING })),
        ("/api/work", search(spec, json!({}))),
        ("/api/work", hardware(spec, json!({ "nis_from": 1, "nis_to": 1 }))),
        ("/api/work", json!({ "kind": "analysis", "spec": spec, "table": SMALL_WIRING })),
    ]
}

#[tokio::test]
async fn notes_origins_and_names_of_workspaces_have_no_hidden_characters() {
    let studio = Studio::new();
    let save = json!({ "spec": SMALL, "table": SMALL_WIRING });
    let design: DesignView = studio.post("/api/designs", &save).await.json();
    let workspace: WorkspaceView = studio.post("/api/workspaces", &json!({ "name": "Room" })).await.json();
    let note = format!("/api/library/{}/note", design.id);
    let name = format!("/api/workspaces/{}/name", workspace.id);
    for (hidden, code) in HIDDEN {
        let text = format!("a{hidden}b");
        names(&studio.post(&note, &json!({ "note": text })).await, "note", code);
        names(&studio.post("/api/workspaces", &json!({ "name": text })).await, "name", code);
        names(&studio.post(&name, &json!({ "name": text })).await, "name", code);
        let save = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": text });
        names(&studio.post("/api/designs", &save).await, "origin", code);
    }
    assert_eq!(studio.post(&note, &json!({ "note": "two\nlines" })).await.status, 204);
    names(&studio.post(&name, &json!({ "name": "two\nlines" })).await, "name", "U+000A");
}

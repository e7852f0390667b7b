//! Neighbours in JSON, as `lldpctl -f json` and `-f json0` write them, or a map of such documents by host.

use super::SeenNeighbour;
use serde_json::{Map, Value};

/// Neighbours per node; a node without a name is the one named before the document.
pub(super) type Nodes = Vec<(Option<String>, Vec<SeenNeighbour>)>;

/// Parses a document. Errors: it is not JSON, or contains no LLDP.
pub(super) fn read(text: &str) -> Result<Nodes, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("text that is not JSON: {error}"))?;
    let mut nodes = Vec::new();
    walk(&value, None, &mut nodes);
    if nodes.is_empty() { Err("a document without \"lldp\"".into()) } else { Ok(nodes) }
}

fn walk(value: &Value, host: Option<&str>, nodes: &mut Nodes) {
    let Some(object) = value.as_object() else { return };
    if let Some(lldp) = object.get("lldp") {
        let mut seen = Vec::new();
        for part in each(lldp) {
            for interface in part.get("interface").into_iter().flat_map(each) {
                interfaces(interface, &mut seen);
            }
        }
        nodes.push((host.map(str::to_owned), seen));
        return;
    }
    for (name, inner) in object {
        walk(inner, Some(name), nodes);
    }
}

/// `json` has the interface's name as a key, `json0` as a member.
fn interfaces(value: &Value, seen: &mut Vec<SeenNeighbour>) {
    let Some(object) = value.as_object() else { return };
    if let Some(name) = object.get("name").and_then(text) {
        seen.push(neighbour(name, object));
        return;
    }
    for (name, inner) in object {
        // An interface with several neighbours has a list of them.
        for inner in each(inner).filter_map(Value::as_object) {
            seen.push(neighbour(name.clone(), inner));
        }
    }
}

fn neighbour(interface: String, object: &Map<String, Value>) -> SeenNeighbour {
    let part = |name: &str| object.get(name).and_then(|value| each(value).next());
    let member = |value: Option<&Value>, name: &str| value.and_then(|value| value.get(name)).and_then(text);
    let (chassis, port) = (part("chassis"), part("port"));
    let named = member(chassis, "name").or_else(|| {
        let inner = chassis.and_then(Value::as_object)?;
        inner.iter().find(|(key, value)| *key != "id" && value.is_object()).map(|(key, _)| key.clone())
    });
    SeenNeighbour {
        interface,
        neighbour: named.or_else(|| member(chassis, "id")).unwrap_or_default(),
        port: member(port, "id").unwrap_or_default(),
        description: member(port, "descr").unwrap_or_default(),
        ..SeenNeighbour::default()
    }
}

/// The elements of a list, or the value itself.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    let (list, one) = match value {
        Value::Array(list) => (Some(list), None),
        one => (None, Some(one)),
    };
    list.into_iter().flatten().chain(one)
}

/// A text, or the `value` of an object, or that of a list's first element.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => text(list.first()?),
        Value::Object(object) => text(object.get("value")?),
        _ => None,
    }
}

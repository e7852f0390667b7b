//! Chakra execution traces: one file per rank, as protobuf or JSON (MLCommons Chakra, `schema/protobuf/et_def.proto`).
//!
//! A file of protobuf has a `GlobalMetadata` and then `Node`s, each after its length as a varint. Its JSON, from
//! `chakra_jsonizer`, has the same messages one after the other. The file's name has the rank: `trace.3.et`.
//!
//! `COMM_COLL_NODE`s count for their group, `COMM_SEND_NODE`s and `COMM_RECV_NODE`s for the pair `comm_src`, `comm_dst`. A group
//! is named by `pg_name`; its members come from the node `## process_group:init ##`, or from a file `{"name": [0, 1]}` that is
//! given before the traces. Without a name, a collective is of all ranks, unless `involved_dim` excludes a dimension of a topology that
//! the trace does not have: such a collective is left out, as is one whose root has no name.

use super::{
    End, FaultPlace, Format, LineError, MAX_RANKS, Reader, Traffic,
    groups::Groups,
    pieces::{Messages, Objects, varint},
    rank_in_name,
    traffic::Operation,
};
use crate::{
    cancel::check,
    text::{count, grouped, listed},
};
use prost::{
    DecodeError, Message,
    encoding::{DecodeContext, decode_key, skip_field},
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

pub(super) const FORMAT: Format = Format {
    name: "chakra",
    label: "Chakra execution trace",
    about: "one file per rank, protobuf or JSON; bytes, collectives by rings",
    empty: super::NO_TRAFFIC,
    detect: |head| is_json(head) || is_protobuf(head),
    reader: || Box::<Traces>::default(),
};

/// Number of the field of a node that has its attributes.
const ATTRIBUTES: u32 = 10;
/// Max attributes of a node. Nodes have about ten.
const MAX_ATTRIBUTES: usize = 4096;
const GROUPS: &str = "## process_group:init ##";
const METADATA: i32 = 1;
const SEND: i32 = 5;
const RECV: i32 = 6;
const COLLECTIVE: i32 = 7;
/// Node types by number, as JSON names them.
const TYPES: [(&str, i32); 4] = [
    ("METADATA_NODE", METADATA),
    ("COMM_SEND_NODE", SEND),
    ("COMM_RECV_NODE", RECV),
    ("COMM_COLL_NODE", COLLECTIVE),
];
/// Collectives by their number.
const COLLECTIVES: [&str; 10] = [
    "ALL_REDUCE",
    "REDUCE",
    "ALL_GATHER",
    "GATHER",
    "SCATTER",
    "BROADCAST",
    "ALL_TO_ALL",
    "REDUCE_SCATTER",
    "REDUCE_SCATTER_BLOCK",
    "BARRIER",
];

fn is_json(head: &[u8]) -> bool {
    head.trim_ascii_start().first() == Some(&b'{')
}

/// `true` if there is a message with the fields of `GlobalMetadata`, and one with those of a node.
fn is_protobuf(head: &[u8]) -> bool {
    let second = || {
        let (length, digits) = varint(head).ok()??;
        let end = digits.checked_add(usize::try_from(length).ok()?)?;
        let metadata = head.get(digits..end)?;
        matches!(metadata.first(), None | Some(0x0a | 0x12)).then_some(())?;
        let node = head.get(end..)?;
        let (_, digits) = varint(node).ok()??;
        node.get(digits).copied()
    };
    matches!(second(), Some(0x08 | 0x12 | 0x18))
}

/// The fields of a node that matter here.
#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(int32, tag = "3")]
    kind: i32,
    #[prost(message, optional, tag = "8")]
    inputs: Option<Inputs>,
    #[prost(message, repeated, tag = "10")]
    attr: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Inputs {
    #[prost(string, tag = "1")]
    values: String,
}

/// An attribute. Programs differ in the types that they give to numbers.
#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(double, optional, tag = "3")]
    double: Option<f64>,
    #[prost(float, optional, tag = "5")]
    float: Option<f32>,
    #[prost(int32, optional, tag = "7")]
    int32: Option<i32>,
    #[prost(int64, optional, tag = "9")]
    int64: Option<i64>,
    #[prost(uint32, optional, tag = "11")]
    uint32: Option<u32>,
    #[prost(uint64, optional, tag = "13")]
    uint64: Option<u64>,
    #[prost(sint32, optional, tag = "15")]
    sint32: Option<i32>,
    #[prost(sint64, optional, tag = "17")]
    sint64: Option<i64>,
    #[prost(fixed32, optional, tag = "19")]
    fixed32: Option<u32>,
    #[prost(fixed64, optional, tag = "21")]
    fixed64: Option<u64>,
    #[prost(sfixed32, optional, tag = "23")]
    sfixed32: Option<i32>,
    #[prost(sfixed64, optional, tag = "25")]
    sfixed64: Option<i64>,
    #[prost(bool, optional, tag = "27")]
    bool: Option<bool>,
    #[prost(string, optional, tag = "29")]
    string: Option<String>,
    #[prost(message, optional, tag = "28")]
    bools: Option<Bools>,
}

#[derive(Clone, PartialEq, Message)]
struct Bools {
    #[prost(bool, repeated, tag = "1")]
    values: Vec<bool>,
}

impl Attribute {
    fn text(&self) -> Option<String> {
        fn of<T: ToString>(value: Option<T>) -> Option<String> {
            value.map(|value| value.to_string())
        }
        let signed = of(self.int32).or(of(self.int64)).or(of(self.sint32)).or(of(self.sint64));
        let signed = signed.or(of(self.sfixed32)).or(of(self.sfixed64));
        let unsigned = of(self.uint32).or(of(self.uint64)).or(of(self.fixed32)).or(of(self.fixed64));
        let bools = self.bools.as_ref().map(|bools| format!("{:?}", bools.values));
        self.string
            .clone()
            .or(of(self.bool))
            .or(bools)
            .or(signed)
            .or(unsigned)
            .or(of(self.double))
            .or(of(self.float))
    }
}

/// A node as JSON has it; numbers may be strings.
#[derive(Deserialize)]
struct JsonNode {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    name: String,
    #[serde(default, rename = "type")]
    kind: Value,
    #[serde(default)]
    inputs: Option<Value>,
    #[serde(default)]
    attr: Vec<serde_json::Map<String, Value>>,
}

/// A node with what it says of communication.
struct Event {
    id: String,
    kind: i32,
    name: String,
    inputs: String,
    attributes: HashMap<String, String>,
}

#[derive(Default)]
struct Traces {
    groups: Groups,
    file: String,
    source: Option<Source>,
    /// Collectives of the file that are left out.
    rooted: u64,
    partial: u64,
}

/// The file that is being read.
enum Source {
    Protobuf { messages: Messages, has_metadata: bool },
    Json(Objects),
}

impl Traces {
    fn event(&mut self, event: &Event) -> Result<(), LineError> {
        match event.kind {
            METADATA if event.name == GROUPS => self.members(&event.inputs),
            // The call on the CPU; the node of the GPU has the sizes.
            COLLECTIVE | SEND | RECV if event.is_call() => Ok(()),
            COLLECTIVE => self.collective(event),
            SEND => {
                let from = event.number("comm_src").unwrap_or(Ok(self.groups.rank().into()))?;
                self.message(event, from, event.required("comm_dst")?, End::Sender)
            }
            RECV => {
                let to = event.number("comm_dst").unwrap_or(Ok(self.groups.rank().into()))?;
                self.message(event, event.required("comm_src")?, to, End::Receiver)
            }
            _ => Ok(()),
        }
    }

    fn message(&mut self, event: &Event, from: u64, to: u64, end: End) -> Result<(), LineError> {
        let rank = |rank: u64| {
            let small = u32::try_from(rank).ok().filter(|&rank| rank < MAX_RANKS);
            small.ok_or_else(|| event.wrong(format!("rank {rank} must be 0 to {}", MAX_RANKS - 1)))
        };
        let (from, to) = (rank(from)?, rank(to)?);
        let own = if matches!(end, End::Sender) { from } else { to };
        if own != self.groups.rank() {
            let rank = self.groups.rank();
            return Err(event.wrong(format!("a message of rank {own}, but the file name says rank {rank}")));
        }
        let bytes = event.required("comm_size")?;
        self.groups.direct(from, to, bytes as f64, end)
    }

    fn collective(&mut self, event: &Event) -> Result<(), LineError> {
        let kind = event.attributes.get("comm_type").map_or("", String::as_str);
        let named = COLLECTIVES.iter().find(|name| **name == kind).copied();
        let kind = named.or_else(|| COLLECTIVES.get(kind.parse::<usize>().ok()?).copied());
        let group = event.attributes.get("pg_name").map_or("", String::as_str).to_owned();
        let bytes = || event.required("comm_size").map(|bytes| bytes as f64);
        let dimensions = event.attributes.get("involved_dim").map_or("", String::as_str);
        if group.is_empty() && dimensions.contains("false") {
            self.partial += 1;
            return Ok(());
        }
        let (operation, bytes) = match kind {
            Some("ALL_REDUCE") => (Operation::AllReduce, bytes()?),
            Some("ALL_GATHER") => (Operation::AllGather, bytes()?),
            Some("REDUCE_SCATTER" | "REDUCE_SCATTER_BLOCK") => (Operation::ReduceScatter, bytes()?),
            Some("BROADCAST" | "REDUCE") => (Operation::Rooted, bytes()?),
            Some("ALL_TO_ALL") => (Operation::AllToAll, bytes()?),
            Some("BARRIER") => return Ok(()),
            // GATHER and SCATTER.
            Some(_) => {
                self.rooted += 1;
                return Ok(());
            }
            None => {
                let found =
                    event.attributes.get("comm_type").map_or("missing".into(), |kind| format!("{kind:?}"));
                let known = listed(COLLECTIVES.into_iter());
                return Err(event.wrong(format!("comm_type must be 0 to 9, or {known}; it is {found}")));
            }
        };
        self.groups.collective(&group, operation, bytes)
    }

    /// Members of groups from the text of PyTorch's list, which Python may have put into quotes and brackets.
    fn members(&mut self, inputs: &str) -> Result<(), LineError> {
        #[derive(Deserialize)]
        struct Group {
            pg_name: String,
            #[serde(default)]
            ranks: Vec<u32>,
        }
        let (start, end) = (inputs.find("[{"), inputs.rfind("}]"));
        let (Some(start), Some(end)) = (start, end) else { return Ok(()) };
        let list = inputs.get(start..end + 2).unwrap_or_default().replace("\\\"", "\"");
        let groups: Vec<Group> = serde_json::from_str(&list).map_err(|error| {
            LineError::says(format!(
                "process groups must be JSON, not {}: {error}",
                crate::form::shown(format!("{list:?}"))
            ))
        })?;
        groups.into_iter().try_for_each(|group| self.groups.group(&group.pg_name, group.ranks))
    }

    fn json(&mut self, object: &[u8]) -> Result<(), LineError> {
        if let Ok(groups) = serde_json::from_slice::<BTreeMap<String, Vec<u32>>>(object)
            && !groups.is_empty()
        {
            return groups.into_iter().try_for_each(|(name, members)| self.groups.common(&name, members));
        }
        let node: JsonNode = serde_json::from_slice(object).map_err(|error| {
            LineError::says(format!("an object must be a node of a Chakra trace: {error}"))
        })?;
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let kind = match &node.kind {
            Value::String(name) => TYPES.iter().find(|(known, _)| known == name).map_or(0, |(_, kind)| *kind),
            other => other.as_i64().and_then(|kind| i32::try_from(kind).ok()).unwrap_or(0),
        };
        let attributes = node.attr.iter().filter_map(|attribute| {
            let is_value = |key: &str| ["Val", "_val", "List", "_list"].iter().any(|end| key.ends_with(end));
            let value = attribute.iter().find(|(key, _)| is_value(key))?.1;
            Some((attribute.get("name")?.as_str()?.to_owned(), text(value)))
        });
        let inputs =
            node.inputs.as_ref().and_then(|inputs| inputs.get("values")).map_or_else(String::new, text);
        self.event(&Event {
            id: text(&node.id),
            kind,
            name: node.name,
            inputs,
            attributes: attributes.collect(),
        })
    }

    fn protobuf(&mut self, message: &[u8]) -> Result<(), LineError> {
        let wrong = |error: DecodeError| {
            LineError::says(format!("a message must be a node of a Chakra trace: {error}"))
        };
        let count = attributes(message).map_err(wrong)?;
        if count > MAX_ATTRIBUTES {
            let limit = grouped(MAX_ATTRIBUTES as u64);
            let count = grouped(count as u64);
            return Err(LineError::says(format!("a node has {count} attributes, and the limit is {limit}")));
        }
        let node = Node::decode(message).map_err(wrong)?;
        let attributes =
            node.attr.iter().filter_map(|attribute| Some((attribute.name.clone(), attribute.text()?)));
        let attributes = attributes.collect();
        let inputs = node.inputs.map_or_else(String::new, |inputs| inputs.values);
        self.event(&Event { id: node.id.to_string(), kind: node.kind, name: node.name, inputs, attributes })
    }
}

/// Number of attributes in the message of a node, each of which takes a hundred times its bytes.
fn attributes(mut message: &[u8]) -> Result<usize, DecodeError> {
    let mut count = 0;
    while !message.is_empty() {
        check();
        let (field, kind) = decode_key(&mut message)?;
        count += usize::from(field == ATTRIBUTES);
        skip_field(kind, field, &mut message, DecodeContext::default())?;
    }
    Ok(count)
}

impl Event {
    /// `true` for the call of a communication on the CPU, which has no sizes.
    fn is_call(&self) -> bool {
        let has = |name: &str| self.attributes.contains_key(name);
        let is_cpu = self.attributes.get("is_cpu_op").is_some_and(|is_cpu| matches!(&**is_cpu, "true" | "1"));
        let is_named =
            ["c10d::", "record_param_comms", "nccl:"].iter().any(|start| self.name.starts_with(start));
        !has("comm_type") && !has("comm_size") && (is_cpu || is_named)
    }

    fn wrong(&self, sentence: impl std::fmt::Display) -> LineError {
        LineError::says(format!("node {}: {sentence}", self.id))
    }

    fn number(&self, attribute: &str) -> Option<Result<u64, LineError>> {
        let text = self.attributes.get(attribute)?;
        let number = text.parse::<u64>().ok().or_else(|| {
            let real = text.parse::<f64>().ok().filter(|real| (0.0..1e18).contains(real))?;
            Some(real as u64)
        });
        Some(number.ok_or_else(|| {
            self.wrong(format!(
                "{attribute} must be a whole number, not {}",
                crate::form::shown(format!("{text:?}"))
            ))
        }))
    }

    fn required(&self, attribute: &str) -> Result<u64, LineError> {
        self.number(attribute).unwrap_or_else(|| Err(self.wrong(format!("{attribute} is missing"))))
    }
}

impl Reader for Traces {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.file = file.to_owned();
        self.source = None;
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let mut source = match self.source.take() {
            Some(source) => source,
            // The first piece has enough to tell.
            None => {
                let is_json = is_json(bytes);
                if is_json && memchr::memmem::find(bytes, b"\"workload_graph\"").is_some() {
                    return Err(LineError::says(
                        "is a Chakra graph with run times only; its nodes have no `comm_type` and `comm_size`. Give the trace that Chakra's converter writes",
                    ));
                }
                if !(is_json && is_group_file(bytes)) {
                    let rank = rank_in_name(&self.file);
                    self.groups.begin(
                        rank.ok_or_else(|| {
                            LineError::says(
                                "looks like a Chakra trace, whose file name must end with the rank, such as trace.3.et; if it is none, \
                                 choose another format",
                            )
                        })?,
                        &self.file,
                    )?;
                }
                match is_json {
                    true => Source::Json(Objects::inside(b"")),
                    false => Source::Protobuf { messages: Messages::default(), has_metadata: false },
                }
            }
        };
        let fed = match &mut source {
            Source::Json(objects) => objects.feed(bytes, |object| self.json(object)),
            Source::Protobuf { messages, has_metadata } => {
                messages.feed(bytes, |message| match std::mem::replace(has_metadata, true) {
                    true => self.protobuf(message),
                    false => Ok(()),
                })
            }
        };
        self.source = Some(source);
        fed
    }

    fn end(&mut self) -> Result<(), LineError> {
        match self.source.take() {
            Some(Source::Json(objects)) => {
                let around = objects.end()?;
                let around = String::from_utf8_lossy(&around).replace("null", "");
                if let Some(word) = around.split_whitespace().next() {
                    return Err(LineError::says(format!(
                        "{} between two objects of JSON; remove it",
                        crate::form::shown(format!("{word:?}"))
                    )));
                }
            }
            Some(Source::Protobuf { mut messages, .. }) => messages.end()?,
            None => {}
        }
        for (number, reason) in [
            (self.rooted, "a root, which the nodes do not name"),
            (self.partial, "some dimensions in `involved_dim`, and the trace does not have their sizes"),
        ] {
            if number > 0 {
                let number = count(number, "collective");
                let sentence = format!("Left out: {number} with {reason}.");
                self.groups.warnings.add(FaultPlace::File, sentence);
            }
        }
        (self.rooted, self.partial) = (0, 0);
        self.groups.end()
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        self.groups.finish()
    }
}

/// `true` if the outer object's first value is a list of numbers, as in `{"0": [0, 1]}`.
fn is_group_file(head: &[u8]) -> bool {
    let after = |bytes: &[u8], byte: u8| bytes.iter().position(|&other| other == byte).map(|at| at + 1);
    let value = after(head, b':').map(|at| head[at..].trim_ascii_start());
    let list = value.and_then(|value| value.strip_prefix(b"[")).map(<[u8]>::trim_ascii_start);
    list.and_then(|list| list.first()).is_some_and(|byte| byte.is_ascii_digit() || *byte == b']')
}

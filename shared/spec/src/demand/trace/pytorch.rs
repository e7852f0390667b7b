//! Traces of PyTorch's profiler as JSON, one file per rank: execution traces (`ExecutionTraceObserver`) and Kineto traces
//! (`export_chrome_trace`).
//!
//! Both have an event `record_param_comms` per collective or message, with operation, elements, type and process group (PyTorch,
//! `torch/csrc/distributed/c10d/ParamCommsUtils.hpp`). A Kineto trace without events of the CPU has the same on its kernels. Members of
//! groups come from `distributedInfo`, from `## process_group:init ##`, or from the events.

use super::{
    End, FaultPlace, Format, LineError, Reader, Traffic,
    groups::{Groups, element, operation},
    pieces::Objects,
    rank_in_name,
    traffic::Operation,
};
use crate::form::shown;
use memchr::memmem;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

pub(super) const FORMAT: Format = Format {
    name: "pytorch",
    label: "PyTorch trace",
    about: "execution trace or Kineto trace, one JSON file per rank; bytes, collectives by rings",
    empty: "the trace has no collective and no message with sizes; record one with `record_shapes=True` on several ranks",
    detect,
    reader: || Box::<Traces>::default(),
};

const EVENT: &[u8] = b"record_param_comms";
const GROUPS: &[u8] = b"## process_group:init ##";
const KERNEL: &[u8] = b"\"Collective name\"";
/// Max different records of a file.
const MAX_RECORDS: usize = 1 << 20;

fn detect(head: &[u8]) -> bool {
    let has = |key: &[u8]| memmem::find(head, key).is_some();
    let is_execution_trace = || has(b"\"nodes\"") && (has(b"\"schema\"") || has(b"[pytorch|profiler"));
    head.trim_ascii_start().first() == Some(&b'{') && (has(b"\"traceEvents\"") || is_execution_trace())
}

/// An operation of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    name: String,
    group: String,
    /// Other position in the group.
    peer: Option<u32>,
    /// Elements per member, if they differ.
    splits: Vec<u64>,
}

#[derive(Default)]
struct Traces {
    groups: Groups,
    file: String,
    objects: Option<Objects>,
    so_far: FileSoFar,
}

/// Reports of the file that is being read.
#[derive(Default)]
struct FileSoFar {
    /// Bytes by record, of events and of kernels.
    events: BTreeMap<Record, f64>,
    kernels: BTreeMap<Record, f64>,
    members: HashMap<String, Vec<u32>>,
    /// Own rank as events of the first group have it.
    rank: Option<u32>,
    skipped: u64,
}

impl FileSoFar {
    fn object(&mut self, object: &[u8]) -> Result<(), LineError> {
        let has = |mark: &[u8]| memmem::find(object, mark).is_some();
        if !has(EVENT) && !has(GROUPS) && !has(KERNEL) {
            return Ok(());
        }
        let value: Value = serde_json::from_slice(object)
            .map_err(|error| LineError::says(format!("an event must be JSON: {error}")))?;
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default();
        match (value.get("args"), name) {
            (_, "## process_group:init ##") => self.init(&value),
            (Some(Value::Object(args)), _) if args.contains_key("Collective name") => {
                self.kineto(args, name == "record_param_comms")
            }
            (_, "record_param_comms") => self.execution(&value),
            _ => Ok(()),
        }
    }

    /// Members of groups, from a list of JSON in quotes.
    fn init(&mut self, node: &Value) -> Result<(), LineError> {
        let values = node.pointer("/inputs/values").or_else(|| node.get("inputs"));
        let text = values.and_then(|values| values.get(0)).and_then(Value::as_str).unwrap_or_default();
        let list: Value = serde_json::from_str(text).map_err(|error| {
            LineError::says(format!("process groups must be JSON, not {}: {error}", shown(text)))
        })?;
        self.config(&list);
        Ok(())
    }

    fn config(&mut self, list: &Value) {
        for group in list.as_array().into_iter().flatten() {
            let name = group.get("pg_name").map(word);
            let ranks = group.get("ranks").and_then(numbers);
            if let (Some(name), Some(ranks)) = (name, ranks) {
                self.members.insert(name, ranks.into_iter().map(|rank| rank as u32).collect());
            }
        }
    }

    fn kineto(&mut self, args: &Map<String, Value>, is_event: bool) -> Result<(), LineError> {
        let text = |key: &str| args.get(key).map(word);
        let number = |key: &str| args.get(key).and_then(|value| word(value).parse::<u64>().ok());
        let name = text("Collective name").unwrap_or_default();
        let group = text("Process Group Name").unwrap_or_default();
        let ranks = args.get("Process Group Ranks").and_then(numbers);
        let size = number("Group size");
        self.group(&group, ranks, size, number("Global rank start"), number("Global rank stride"), &name);
        let peer = self.peer(&group, &name, number("Rank"));
        let splits = args.get("In split size").and_then(numbers).unwrap_or_default();
        let (elements, kind) = (number("In msg nelems"), text("dtype").unwrap_or_default());
        let gathered = number("Out msg nelems");
        self.record(is_event, name, group, peer, splits, (elements, gathered), &kind)
    }

    fn execution(&mut self, node: &Value) -> Result<(), LineError> {
        let attribute = |key: &str| {
            let list = node.get("attrs").or_else(|| node.get("attributes"))?.as_array()?;
            list.iter().find(|one| one.get("name").and_then(Value::as_str) == Some(key))?.get("value")
        };
        let values = node.pointer("/inputs/values").or_else(|| node.get("inputs"));
        let values = values.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let number = |key: &str| attribute(key).and_then(|value| word(value).parse::<u64>().ok());
        // Old versions have no attributes: tensors, sequence, group, rank, operation.
        let at = values.iter().position(|value| value.as_str().is_some_and(is_operation));
        let old = |before: usize| at.and_then(|at| values.get(at.checked_sub(before)?));
        let Some(name) = attribute("collective_name").or(old(0)).map(word) else { return Ok(()) };
        let group = attribute("pg_name").or_else(|| match old(2)? {
            Value::Array(names) => names.first(),
            name => Some(name),
        });
        let group = group.map(word).unwrap_or_default();
        let rank = old(1).and_then(|rank| word(rank).parse::<u64>().ok());
        self.group(
            &group,
            None,
            number("pg_size"),
            number("global_rank_start"),
            number("global_rank_stride"),
            &name,
        );
        let peer = self.peer(&group, &name, rank);
        let splits = attribute("in_split_size").and_then(numbers).unwrap_or_default();
        let (mut elements, mut kind) =
            (number("in_msg_nelems"), attribute("dtype").map(word).unwrap_or_default());
        if elements.is_none() {
            let shape = node.pointer("/inputs/shapes/0").or_else(|| node.pointer("/input_shapes/0"));
            elements = shape.and_then(elements_of);
            let types = node.pointer("/inputs/types/0").or_else(|| node.pointer("/input_types/0"));
            kind = types.map(word).as_deref().map(type_name).unwrap_or_default();
        }
        self.record(true, name, group, peer, splits, (elements, number("out_msg_nelems")), &kind)
    }

    /// Position of the other end of a message, which an event has as its rank. Collectives have their root there if they have one, and
    /// otherwise the own position, which gives the rank of the file.
    fn peer(&mut self, group: &str, name: &str, rank: Option<u64>) -> Option<u64> {
        match operation(name) {
            _ if matches!(name, "send" | "recv") => return rank,
            Some(Operation::Rooted) | None => {}
            Some(_) => {
                let own = |rank: u64| match self.members.get(group)? {
                    all if all.is_empty() => u32::try_from(rank).ok(),
                    members => members.get(rank as usize).copied(),
                };
                self.rank = self.rank.or_else(|| own(rank?));
            }
        }
        None
    }

    /// Sets the members of a group that the events name. An event has them as a list, or as the first rank, a stride and a size.
    fn group(
        &mut self,
        group: &str,
        ranks: Option<Vec<u64>>,
        size: Option<u64>,
        start: Option<u64>,
        stride: Option<u64>,
        name: &str,
    ) {
        if matches!(name, "wait" | "") || self.members.get(group).is_some_and(|members| !members.is_empty()) {
            return;
        }
        let listed =
            ranks.filter(|ranks| !ranks.is_empty() && size.is_none_or(|size| ranks.len() as u64 == size));
        let strided = || {
            let (size, start, stride) = (size?, start?, stride?);
            let fits = size > 0 && size <= u64::from(super::MAX_RANKS) && (stride > 0 || size == 1);
            fits.then(|| (0..size).map(|at| start.saturating_add(at.saturating_mul(stride))).collect())
        };
        if let Some(ranks) = listed.or_else(strided)
            && ranks.iter().all(|&rank| rank < super::MAX_RANKS.into())
        {
            self.members.insert(group.to_owned(), ranks.into_iter().map(|rank| rank as u32).collect());
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one event")]
    fn record(
        &mut self,
        is_event: bool,
        name: String,
        group: String,
        peer: Option<u64>,
        splits: Vec<u64>,
        (elements, out): (Option<u64>, Option<u64>),
        kind: &str,
    ) -> Result<(), LineError> {
        if !is_operation(&name) {
            return Ok(());
        }
        let elements = if name == "gather" { out } else { elements };
        let (Some(elements), Some(size)) = (elements, element(kind)) else {
            self.skipped += 1;
            return Ok(());
        };
        let records = if is_event { &mut self.events } else { &mut self.kernels };
        let is_even = splits.windows(2).all(|pair| pair[0] == pair[1]);
        let splits = if is_even { Vec::new() } else { splits };
        let record = Record { name, group, peer: peer.map(|peer| peer as u32), splits };
        if records.len() >= MAX_RECORDS && !records.contains_key(&record) {
            return Err(LineError::too_many(MAX_RECORDS, "different operations"));
        }
        *records.entry(record).or_default() += elements as f64 * size;
        Ok(())
    }
}

/// `true` for the name of an operation with bytes.
fn is_operation(name: &str) -> bool {
    operation(name).is_some() || matches!(name, "send" | "recv" | "gather" | "scatter")
}

/// A text, or a number as text.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A list of numbers, or its text; `None` if the text is cut, as in `[0, 1, ...]`.
fn numbers(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::Array(list) => list.iter().map(Value::as_u64).collect(),
        Value::String(text) => {
            let words = text.trim().strip_prefix('[')?.strip_suffix(']')?.split(',').map(str::trim);
            words.filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
        }
        _ => None,
    }
}

/// Elements of a shape, or of a list of shapes.
fn elements_of(shape: &Value) -> Option<u64> {
    let list = shape.as_array()?;
    match list.first()? {
        Value::Array(_) => list.iter().map(elements_of).sum(),
        _ => list.iter().map(Value::as_u64).try_fold(1u64, |product, n| product.checked_mul(n?)),
    }
}

/// The type of PyTorch's tensors by the name in C, as in `GenericList[Tensor(float)]`.
fn type_name(text: &str) -> String {
    let inner = text.rsplit_once("Tensor(").and_then(|(_, rest)| rest.split(')').next()).unwrap_or(text);
    let name = match inner {
        "float" => "Float",
        "double" => "Double",
        "c10::Half" => "Half",
        "c10::BFloat16" => "BFloat16",
        "long int" | "long" | "int64_t" => "Long",
        "int" => "Int",
        "short int" | "short" => "Short",
        "unsigned char" => "Byte",
        "signed char" => "Char",
        "bool" => "Bool",
        other if other.starts_with("c10::Float8") => "Float8_",
        other => other,
    };
    name.to_owned()
}

impl Traces {
    /// Adds the reports of a file to those of the others.
    fn add(&mut self, around: &Value) -> Result<(), LineError> {
        let mut so_far = std::mem::take(&mut self.so_far);
        if let Some(list) = around.pointer("/distributedInfo/pg_config") {
            so_far.config(list);
        }
        let info = around.pointer("/distributedInfo/rank").and_then(Value::as_u64).map(|rank| rank as u32);
        let world = around.pointer("/distributedInfo/world_size").and_then(Value::as_u64);
        let rank = info.or(so_far.rank).or_else(|| rank_in_name(&self.file)).ok_or_else(|| {
            LineError::says("the trace does not have its rank; end the file name with it, as in trace_3.json")
        })?;
        self.groups.begin(super::rank(&rank.to_string())?, &self.file)?;
        if so_far.skipped > 0 {
            let sentence = format!(
                "{} have no size or no known type and are left out.",
                crate::text::count(so_far.skipped, "operation")
            );
            self.groups.warnings.add(FaultPlace::File, sentence);
        }
        // All ranks are a group without a list.
        if let Some(world) = world.filter(|&world| world > 0 && world <= super::MAX_RANKS.into()) {
            let all = || (0..world as u32).collect::<Vec<_>>();
            so_far
                .members
                .values_mut()
                .filter(|members| members.is_empty())
                .for_each(|members| *members = all());
        }
        for (name, members) in &so_far.members {
            self.groups.group(name, members.clone())?;
        }
        let records = if so_far.events.is_empty() { so_far.kernels } else { so_far.events };
        for (Record { name, group, peer, splits }, bytes) in records {
            let members = so_far.members.get(&group);
            if members.is_none() && !group.is_empty() {
                let sentence = format!(
                    "The members of group {} are not in the trace. Its {name} is left out.",
                    shown(&group)
                );
                self.groups.warnings.add(FaultPlace::File, sentence);
                continue;
            }
            let own = match members {
                Some(members) if !members.is_empty() => members.iter().position(|&member| member == rank),
                _ => Some(rank as usize),
            };
            let Some(own) = own.map(|own| own as u32) else { continue };
            match (name.as_str(), peer) {
                ("send", Some(to)) => self.groups.message(&group, own, to, bytes, End::Sender)?,
                ("recv", Some(from)) => self.groups.message(&group, from, own, bytes, End::Receiver)?,
                ("gather", _) if bytes > 0.0 => self.groups.rooted(&group, bytes, End::Receiver)?,
                ("scatter", _) if bytes > 0.0 => self.groups.rooted(&group, bytes, End::Sender)?,
                _ => {
                    let Some(operation) = operation(&name) else { continue };
                    let sum: u64 = splits.iter().sum();
                    let is_uneven = operation == Operation::AllToAll
                        && sum > 0
                        && members.is_none_or(|members| members.is_empty() || members.len() == splits.len());
                    if !is_uneven {
                        self.groups.collective(&group, operation, bytes)?;
                        continue;
                    }
                    for (to, part) in (0..).zip(&splits) {
                        let part = bytes * *part as f64 / sum as f64;
                        self.groups.message(&group, own, to, part, End::Sender)?;
                    }
                }
            }
        }
        self.groups.end()
    }
}

impl Reader for Traces {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.file = file.to_owned();
        self.objects = Some(Objects::inside(b"{["));
        self.so_far = FileSoFar::default();
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        match &mut self.objects {
            Some(objects) => objects.feed(bytes, |object| self.so_far.object(object)),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), LineError> {
        let Some(objects) = self.objects.take() else { return Ok(()) };
        let (around, is_cut) = objects.end_or_cut()?;
        let around: Value = serde_json::from_slice(&around)
            .map_err(|error| LineError::says(format!("must be a trace of PyTorch as JSON: {error}")))?;
        self.add(&around)?;
        if is_cut {
            let sentence = "The JSON is cut off. Its beginning is read.";
            self.groups.warnings.add(FaultPlace::File, sentence.into());
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        self.groups.finish()
    }
}

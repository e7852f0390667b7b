//! Dumps of PyTorch's flight recorder: one file per rank, `nccl_trace_rank_3`, as a pickle or JSON
//! (PyTorch, `torch/csrc/distributed/c10d/FlightRecorderDetail.hpp`).
//!
//! The recorder keeps the last operations only, so the traffic is that of a window of time. An entry has the operation
//! (`nccl:all_reduce`, `nccl:send 0->1` with positions in the group), its group, and the sizes and types of its tensors;
//! `pg_config` has the members of the groups. Bytes are those of the inputs: sizes of an uneven all-to-all are not recorded.

use super::{
    End, Format, LineError, Reader, Traffic,
    groups::{Groups, element, operation},
    pickle::{self, Pickle},
    pieces::Objects,
    rank_in_name,
};
use crate::{cancel::checked, text::grouped};
use memchr::memmem;
use serde::{Deserialize, de::IgnoredAny};
use std::collections::BTreeMap;

pub(super) const FORMAT: Format = Format {
    name: "flight-recorder",
    label: "PyTorch flight recorder",
    about: "one dump per rank, pickle or JSON; bytes, collectives by rings",
    empty: super::NO_TRAFFIC,
    detect,
    reader: || Box::<Dumps>::default(),
};

const EXPECTED: &str = "a dump of the flight recorder with `entries` and `pg_config`";
/// Fields of an entry that matter here.
const FIELDS: [&str; 6] =
    ["profiling_name", "process_group", "input_sizes", "input_dtypes", "output_sizes", "output_dtypes"];
const KEYS: [&[u8]; 2] = [b"\"pg_config\"", b"\"entries\""];

fn detect(head: &[u8]) -> bool {
    let is_json = head.trim_ascii_start().first() == Some(&b'{');
    is_pickle(head) || is_json && KEYS.iter().any(|key| memmem::find(head, key).is_some())
}

/// `true` if it begins with the number of a protocol that is in use.
fn is_pickle(head: &[u8]) -> bool {
    matches!(head, [0x80, 2..=5, ..])
}

#[derive(Deserialize)]
struct Entry {
    profiling_name: String,
    #[serde(default)]
    process_group: Option<(String, String)>,
    #[serde(default)]
    input_sizes: Vec<Vec<u64>>,
    #[serde(default)]
    input_dtypes: Vec<String>,
    #[serde(default)]
    output_sizes: Vec<Vec<u64>>,
    #[serde(default)]
    output_dtypes: Vec<String>,
}

/// A dump without its entries, each of which is `null` in what surrounds the entries of JSON.
#[derive(Deserialize)]
struct Dump {
    #[serde(default)]
    pg_config: BTreeMap<String, Group>,
    #[serde(rename = "entries")]
    _entries: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Group {
    ranks: Ranks,
}

/// Members as a list, or as its text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Ranks {
    Text(String),
    List(Vec<u32>),
}

#[derive(Default)]
struct Dumps {
    groups: Groups,
    file: String,
    source: Option<Source>,
}

/// The file that is being read.
enum Source {
    Pickle(Vec<u8>),
    Json(Objects),
}

impl Dumps {
    fn entry(&mut self, entry: &Entry) -> Result<(), LineError> {
        let wrong = |expected: &str| {
            LineError::new(format!("{:?}", entry.profiling_name), format!("an operation {expected}"))
        };
        let group = entry.process_group.as_ref().map_or("", |(name, _)| name.as_str());
        let (_, name) =
            entry.profiling_name.split_once(':').ok_or_else(|| wrong("such as `nccl:all_reduce`"))?;
        let (name, peers) = name.split_once(' ').unwrap_or((name, ""));
        let (inputs, outputs) = (|| entry.inputs(), || entry.outputs());
        let operation = match name {
            "send" | "isend" => {
                let (from, to) = positions(peers, "->").ok_or_else(|| wrong("such as `nccl:send 0->1`"))?;
                return self.groups.message(group, from, to, inputs()?, End::Sender);
            }
            "recv" | "irecv" => {
                let (to, from) = positions(peers, "<-").ok_or_else(|| wrong("such as `nccl:recv 1<-0`"))?;
                let bytes = if entry.output_sizes.is_empty() { inputs()? } else { outputs()? };
                return self.groups.message(group, from, to, bytes, End::Receiver);
            }
            // Only the root has tensors for all members.
            "gather" => return self.groups.rooted(group, outputs()?, End::Receiver),
            "scatter" => return self.groups.rooted(group, inputs()?, End::Sender),
            "coalesced" | "barrier" | "all_reduce_barrier" => return Ok(()),
            name => operation(name).ok_or_else(|| {
                wrong("all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, send or recv")
            })?,
        };
        self.groups.collective(group, operation, inputs()?)
    }

    fn pickle(&mut self, whole: &[u8]) -> Result<(), LineError> {
        let wrong = |error: serde_json::Error| LineError::says(format!("must be {EXPECTED}: {error}"));
        let (mut pickle, dump) = Pickle::read(whole)?;
        let entries = pickle.get(dump, "entries").and_then(|list| Some((list, pickle.items(list)?.len())));
        let (entries, count) = entries
            .ok_or_else(|| LineError::says(format!("must be {EXPECTED}; the pickle has no `entries`")))?;
        for at in checked(0..count) {
            let Some(&entry) = pickle.items(entries).and_then(|entries| entries.get(at)) else { break };
            // Without the frames of the stack, which are most of it.
            let mut fields = serde_json::Map::new();
            for key in FIELDS {
                if let Some(value) = pickle.get(entry, key) {
                    fields.insert(key.into(), pickle.json(value)?);
                }
            }
            self.entry(&serde_json::from_value(fields.into()).map_err(wrong)?)?;
        }
        let pg_config = match pickle.get(dump, "pg_config") {
            Some(value) => serde_json::from_value(pickle.json(value)?).map_err(wrong)?,
            None => BTreeMap::new(),
        };
        self.members(pg_config)
    }

    fn members(&mut self, pg_config: BTreeMap<String, Group>) -> Result<(), LineError> {
        for (name, Group { ranks }) in pg_config {
            let members = match ranks {
                Ranks::List(members) => members,
                Ranks::Text(text) => {
                    let words = text
                        .trim_matches(['[', ']'])
                        .split(',')
                        .map(str::trim)
                        .filter(|word| !word.is_empty());
                    words.map(super::rank).collect::<Result<_, _>>()?
                }
            };
            self.groups.group(&name, members)?;
        }
        Ok(())
    }
}

impl Entry {
    fn inputs(&self) -> Result<f64, LineError> {
        bytes(&self.input_sizes, &self.input_dtypes)
    }

    fn outputs(&self) -> Result<f64, LineError> {
        bytes(&self.output_sizes, &self.output_dtypes)
    }
}

/// Bytes of tensors. Types may be those of each tensor, or one for all.
fn bytes(sizes: &[Vec<u64>], types: &[String]) -> Result<f64, LineError> {
    let mut sum = 0.0;
    for (index, size) in sizes.iter().enumerate() {
        let name = types
            .get(index)
            .or(types.last())
            .ok_or_else(|| LineError::says("a tensor has no type; give one type per tensor"))?;
        let each = element(name)
            .ok_or_else(|| LineError::new(format!("{name:?}"), "a type of PyTorch, such as Float"))?;
        sum += size.iter().map(|&n| n as f64).product::<f64>() * each;
    }
    Ok(sum)
}

fn positions(peers: &str, arrow: &str) -> Option<(u32, u32)> {
    let (a, b) = peers.split_once(arrow)?;
    Some((a.trim().parse().ok()?, b.trim().parse().ok()?))
}

impl Reader for Dumps {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.file = file.to_owned();
        self.source = None;
        let rank = rank_in_name(file).ok_or_else(|| {
            LineError::says("the file name must end with the rank, as nccl_trace_rank_3 does")
        })?;
        self.groups.begin(rank, file)
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let new = || {
            if is_pickle(bytes) { Source::Pickle(Vec::new()) } else { Source::Json(Objects::inside(b"{[")) }
        };
        let mut source = self.source.take().unwrap_or_else(new);
        let fed = match &mut source {
            Source::Pickle(whole) if whole.len() + bytes.len() > pickle::MAX_BYTES => {
                let limit = grouped(pickle::MAX_BYTES as u64);
                Err(LineError::says(format!(
                    "a pickle of more than {limit} bytes, which is the limit; write the dump as JSON"
                )))
            }
            Source::Pickle(whole) => {
                whole.extend_from_slice(bytes);
                Ok(())
            }
            Source::Json(objects) => objects.feed(bytes, |object| {
                let entry: Entry = serde_json::from_slice(object).map_err(|error| {
                    LineError::says(format!("must be an entry of a flight recorder: {error}"))
                })?;
                self.entry(&entry)
            }),
        };
        self.source = Some(source);
        fed
    }

    fn end(&mut self) -> Result<(), LineError> {
        let dump: Dump = match self.source.take() {
            None => return Err(LineError::says(format!("is empty; it must be {EXPECTED}"))),
            Some(Source::Pickle(whole)) => {
                self.pickle(&whole)?;
                return self.groups.end();
            }
            Some(Source::Json(objects)) => serde_json::from_slice(&objects.end()?)
                .map_err(|error| LineError::says(format!("must be {EXPECTED}: {error}")))?,
        };
        self.members(dump.pg_config)?;
        self.groups.end()
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        self.groups.finish()
    }
}

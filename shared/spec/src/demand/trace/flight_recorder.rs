//! Dumps of PyTorch's flight recorder: one file per rank, `nccl_trace_rank_3`, as a pickle or JSON
//! (PyTorch, `torch/csrc/distributed/c10d/FlightRecorderDetail.hpp`).
//!
//! The recorder keeps the last operations only, so the traffic is that of a window of time. An entry has the operation
//! (`nccl:all_reduce`, `nccl:send 0->1` with positions in the group), its group, and the sizes and types of its tensors;
//! `pg_config` has the members of the groups. Old versions have only `pg_id`, which each process counts for itself: 0 is the group of all
//! ranks, and the members of others are unknown. Bytes are those of the inputs: sizes of an uneven all-to-all are not recorded.

use super::{
    End, FaultPlace, Format, LineError, Reader, Traffic,
    groups::{Groups, element, operation},
    pickle::{self, Pickle},
    pieces::Objects,
    rank_in_name,
    traffic::Operation,
};
use crate::{
    cancel::checked,
    form::shown,
    text::{count, grouped},
};
use memchr::memmem;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
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
const FIELDS: [&str; 7] = [
    "profiling_name",
    "process_group",
    "pg_id",
    "input_sizes",
    "input_dtypes",
    "output_sizes",
    "output_dtypes",
];
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
    /// Name and description, or the name alone.
    #[serde(default)]
    process_group: Value,
    #[serde(default)]
    pg_id: Option<u64>,
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
    /// Groups of the file by name, and `true` for the one of all ranks.
    used: BTreeMap<String, bool>,
    /// Entries of the file that are left out, and why the first is.
    left_out: u64,
    first_left_out: String,
}

/// What an entry reports.
enum Report {
    Collective(Operation, f64),
    Message { from: u32, to: u32, bytes: f64, end: End },
    Rooted(f64, End),
    Nothing,
}

/// The file that is being read.
enum Source {
    Pickle(Vec<u8>),
    Json(Objects),
}

impl Dumps {
    fn entry(&mut self, entry: &Entry) -> Result<(), LineError> {
        let (group, report) = match entry.group().and_then(|group| Ok((group, entry.report()?))) {
            Ok(known) => known,
            Err(reason) => {
                self.left_out += 1;
                if self.left_out == 1 {
                    self.first_left_out = reason;
                }
                return Ok(());
            }
        };
        match report {
            Report::Collective(operation, bytes) => self.groups.collective(&group, operation, bytes)?,
            Report::Message { from, to, bytes, end } => self.groups.message(&group, from, to, bytes, end)?,
            Report::Rooted(bytes, end) => self.groups.rooted(&group, bytes, end)?,
            Report::Nothing => return Ok(()),
        }
        self.used.entry(group).or_insert_with(|| entry.is_of_all());
        Ok(())
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

    /// Ends the file, once the members of its groups are known.
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
            self.used.remove(&name);
            self.groups.group(&name, members)?;
        }
        let mut unknown = std::mem::take(&mut self.used);
        unknown.remove("");
        for (name, _) in unknown.iter().filter(|(_, is_of_all)| **is_of_all) {
            self.groups.group(name, Vec::new())?;
        }
        unknown.retain(|_, is_of_all| !*is_of_all);
        self.groups.forget(|name| unknown.contains_key(name));
        for name in unknown.into_keys() {
            let name = shown(format!("{name:?}"));
            let sentence =
                format!("The members of group {name} are not in the dump. Its operations are left out.");
            self.groups.warnings.add(FaultPlace::File, sentence);
        }
        if self.left_out > 0 {
            let (number, reason) = (count(self.left_out, "operation"), &self.first_left_out);
            let verb = if self.left_out == 1 { "is" } else { "are" };
            let sentence = format!("{number} {verb} left out. The first: {reason}.");
            self.groups.warnings.add(FaultPlace::File, sentence);
        }
        self.groups.end()
    }
}

impl Entry {
    /// The name of the group, which is empty for all ranks.
    ///
    /// # Errors
    /// Why the group is not known, without a full stop.
    fn group(&self) -> Result<String, String> {
        match (self.process_group.get(0).unwrap_or(&self.process_group), self.pg_id) {
            (Value::String(name), _) => Ok(name.clone()),
            (Value::Null, None | Some(0)) => Ok(String::new()),
            (Value::Null, Some(id)) => Err(format!("group {id} has no list of members")),
            (number, _) => Ok(number.to_string()),
        }
    }

    /// `true` if the group is described as that of all ranks.
    fn is_of_all(&self) -> bool {
        let all = Some("default_pg");
        self.process_group.as_str() == all || self.process_group.get(1).and_then(Value::as_str) == all
    }

    /// # Errors
    /// Why nothing is known of the entry, without a full stop.
    fn report(&self) -> Result<Report, String> {
        let name = self.profiling_name.split_once(':').map_or(&*self.profiling_name, |(_, name)| name);
        let (name, peers) = name.split_once(' ').unwrap_or((name, ""));
        let unknown = || format!("{} is not known", shown(format!("{:?}", self.profiling_name)));
        let inputs = || bytes(&self.input_sizes, &self.input_dtypes);
        let outputs = || bytes(&self.output_sizes, &self.output_dtypes);
        Ok(match name {
            "send" | "isend" => {
                let (from, to) = positions(peers, "->").ok_or_else(unknown)?;
                Report::Message { from, to, bytes: inputs()?, end: End::Sender }
            }
            "recv" | "irecv" => {
                let (to, from) = positions(peers, "<-").ok_or_else(unknown)?;
                let bytes = if self.output_sizes.is_empty() { inputs()? } else { outputs()? };
                Report::Message { from, to, bytes, end: End::Receiver }
            }
            // Only the root has tensors for all members.
            "gather" => Report::Rooted(outputs()?, End::Receiver),
            "scatter" => Report::Rooted(inputs()?, End::Sender),
            // A message from any rank is counted at its sender.
            "coalesced" | "recvAnySource" => Report::Nothing,
            name if name.ends_with("barrier") => Report::Nothing,
            name => Report::Collective(operation(name).ok_or_else(unknown)?, inputs()?),
        })
    }
}

/// Bytes of tensors. Types may be those of each tensor, or one for all.
fn bytes(sizes: &[Vec<u64>], types: &[String]) -> Result<f64, String> {
    let mut sum = 0.0;
    for (index, size) in sizes.iter().enumerate() {
        let name = types.get(index).or(types.last()).ok_or("a tensor has no type")?;
        let each =
            element(name).ok_or_else(|| format!("type {} is not known", shown(format!("{name:?}"))))?;
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
        (self.left_out, self.used) = (0, BTreeMap::new());
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
                return self.pickle(&whole);
            }
            Some(Source::Json(objects)) => serde_json::from_slice(&objects.end()?)
                .map_err(|error| LineError::says(format!("must be {EXPECTED}: {error}")))?,
        };
        self.members(dump.pg_config)
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        self.groups.finish()
    }
}

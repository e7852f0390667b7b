//! What each rank's own file reports of the groups that it is in: collectives, and messages between members.
//!
//! Members of a group are often known only at the end of a file, so reports are kept by the group's name until then.

use super::{
    End, FaultPlace, LineError, MAX_RANK_PAIRS, MAX_RANKS, RankFiles, Sums, Traffic, Unit, Warnings,
    traffic::{Collective, Operation},
};
use crate::{
    cancel::checked,
    text::{count, grouped, ranges, shorten},
};
use std::collections::{BTreeMap, HashMap};

/// Max bytes of the name of a group.
const MAX_NAME: usize = 1 << 10;
/// Max members of all groups of a file, and of all groups with collectives.
const MAX_MEMBERS: usize = 1 << 23;

/// Reports of all files so far.
#[derive(Default)]
pub(super) struct Groups {
    files: RankFiles,
    file: FileSoFar,
    /// Members of groups from a file for all ranks, and of groups of every file that has been read.
    common: HashMap<String, Vec<u32>>,
    collectives: BTreeMap<Key, BTreeMap<u32, f64>>,
    messages: Sums,
    /// Members of [`Groups::common`], and of [`Groups::collectives`].
    common_members: usize,
    collective_members: usize,
    pub(super) warnings: Warnings,
}

/// A group with an operation. `None` is the group of all ranks.
type Key = (Option<Vec<u32>>, Operation);

#[derive(Default)]
struct FileSoFar {
    rank: u32,
    members: HashMap<String, Vec<u32>>,
    member_count: usize,
    /// Bytes by the name of the group, which is empty for all ranks.
    collectives: BTreeMap<(String, Operation), f64>,
    messages: BTreeMap<(String, u32, u32, bool), f64>,
    /// Bytes between the file's rank and all others together, by group and end.
    rooted: BTreeMap<(String, bool), f64>,
}

impl Groups {
    /// Begins the file of a rank.
    pub(super) fn begin(&mut self, rank: u32, file: &str) -> Result<(), LineError> {
        self.file = FileSoFar { rank, ..FileSoFar::default() };
        self.warnings.file = file.to_owned();
        self.files.add(rank, file)
    }

    /// Sets the members of a group for the file; none means all ranks.
    pub(super) fn group(&mut self, name: &str, members: Vec<u32>) -> Result<(), LineError> {
        check(name, &members)?;
        bounded_members(&mut self.file.member_count, &members)?;
        self.file.members.insert(name.to_owned(), members);
        Ok(())
    }

    /// Sets the members of a group for all files.
    pub(super) fn common(&mut self, name: &str, members: Vec<u32>) -> Result<(), LineError> {
        check(name, &members)?;
        bounded_members(&mut self.common_members, &members)?;
        match self.common.insert(name.to_owned(), members) {
            Some(_) => Err(LineError::says(format!("group {name:?} is listed twice; list each group once"))),
            None => Ok(()),
        }
    }

    /// Adds a collective of a group; see [`Collective::bytes`].
    pub(super) fn collective(
        &mut self,
        group: &str,
        operation: Operation,
        bytes: f64,
    ) -> Result<(), LineError> {
        self.bounded(group)?;
        *self.file.collectives.entry((group.to_owned(), operation)).or_default() += bytes;
        Ok(())
    }

    /// Adds a message between positions in a group, as its sender or its receiver reports it.
    pub(super) fn message(
        &mut self,
        group: &str,
        from: u32,
        to: u32,
        bytes: f64,
        end: End,
    ) -> Result<(), LineError> {
        self.bounded(group)?;
        let is_sender = matches!(end, End::Sender);
        *self.file.messages.entry((group.to_owned(), from, to, is_sender)).or_default() += bytes;
        Ok(())
    }

    /// Adds a gather or a scatter of which the file's rank is the root: it receives or sends these bytes, its own share among
    /// them.
    pub(super) fn rooted(&mut self, group: &str, bytes: f64, root: End) -> Result<(), LineError> {
        self.bounded(group)?;
        *self.file.rooted.entry((group.to_owned(), matches!(root, End::Sender))).or_default() += bytes;
        Ok(())
    }

    /// Removes what the file so far reports of these groups.
    pub(super) fn forget(&mut self, is_left_out: impl Fn(&str) -> bool) {
        self.file.collectives.retain(|(name, _), _| !is_left_out(name));
        self.file.messages.retain(|(name, ..), _| !is_left_out(name));
        self.file.rooted.retain(|(name, _), _| !is_left_out(name));
    }

    /// Adds a message between ranks.
    pub(super) fn direct(&mut self, from: u32, to: u32, bytes: f64, end: End) -> Result<(), LineError> {
        self.messages.add(from, to, bytes, end)
    }

    /// The rank of the file.
    pub(super) fn rank(&self) -> u32 {
        self.file.rank
    }

    fn bounded(&self, group: &str) -> Result<(), LineError> {
        check_name(group)?;
        let FileSoFar { collectives, messages, rooted, .. } = &self.file;
        match collectives.len() + messages.len() + rooted.len() < MAX_RANK_PAIRS {
            true => Ok(()),
            false => {
                let limit = grouped(MAX_RANK_PAIRS as u64);
                Err(LineError::says(format!("more than {limit} groups and pairs, which is the limit")))
            }
        }
    }

    /// Ends the file: groups that it names get their members.
    pub(super) fn end(&mut self) -> Result<(), LineError> {
        let FileSoFar { rank, members, collectives, messages, rooted, .. } = std::mem::take(&mut self.file);
        let of = |name: &str| match members.get(name).or_else(|| self.common.get(name)) {
            Some(members) => Ok(Some(members.clone()).filter(|members| !members.is_empty())),
            None if name.is_empty() => Ok(None),
            None => {
                let name = shorten(name, 40, 40);
                Err(LineError::says(format!(
                    "the members of group {name:?} are not in the file; give a file of groups before it"
                )))
            }
        };
        for ((name, operation), bytes) in checked(collectives) {
            let members = of(&name)?;
            if members.as_ref().is_some_and(|members| !members.contains(&rank)) {
                return Err(LineError::says(format!(
                    "a collective of group {name:?}, but rank {rank}, whose file this is, is not in that group"
                )));
            }
            let key = (members, operation);
            if let (Some(members), false) = (&key.0, self.collectives.contains_key(&key)) {
                bounded_members(&mut self.collective_members, members)?;
            }
            *self.collectives.entry(key).or_default().entry(rank).or_default() += bytes;
        }
        for ((name, from, to, is_sender), bytes) in checked(messages) {
            let members = of(&name)?;
            let rank_of = |position: u32| match &members {
                None => Ok(position),
                Some(members) => members.get(position as usize).copied().ok_or_else(|| {
                    let last = members.len() - 1;
                    LineError::says(format!(
                        "position {position} is not in group {name:?}, which has 0 to {last}"
                    ))
                }),
            };
            let (from, to) = (rank_of(from)?, rank_of(to)?);
            self.messages.add(from, to, bytes, if is_sender { End::Sender } else { End::Receiver })?;
        }
        for ((name, is_sender), bytes) in checked(rooted).filter(|(_, bytes)| *bytes > 0.0) {
            let Some(members) = of(&name)? else {
                return Err(LineError::says(
                    "a gather or scatter has no group; give the members of its group",
                ));
            };
            let share = bytes / members.len() as f64;
            for other in members {
                let (from, to) = if is_sender { (rank, other) } else { (other, rank) };
                // The other end reports nothing.
                self.messages.add(from, to, share, End::Sender)?;
                self.messages.add(from, to, share, End::Receiver)?;
            }
        }
        Ok(())
    }

    /// The traffic. A rank that a group or a message names and that has no file is a warning.
    pub(super) fn finish(mut self) -> Result<Traffic, LineError> {
        let flows = self.messages.into_flows();
        let named =
            self.collectives.keys().filter_map(|(members, _)| members.as_ref()?.iter().max().copied());
        let sent = flows.iter().map(|&(from, to, _)| from.max(to));
        let last = named.chain(sent).max().unwrap_or(0).max(self.files.last());
        let missing = self.files.missing(last + 1);
        if !missing.is_empty() {
            self.warnings.file.clear();
            let (files, missing) = (count(self.files.0.len() as u64, "file"), ranges(&missing));
            let sentence = format!(
                "There is no file of ranks {missing} among {files}. Their messages are left out, except with ranks that have a file."
            );
            self.warnings.add(FaultPlace::File, sentence);
        }
        let whole: Vec<u32> = (0..=last).collect();
        let warnings = self.warnings.finish();
        let collective = |((members, operation), reports): (Key, BTreeMap<u32, f64>)| Collective {
            operation,
            members: members.unwrap_or_else(|| whole.clone()),
            bytes: reports.values().sum::<f64>() / reports.len() as f64,
        };
        let collectives = self.collectives.into_iter().map(collective);
        let collectives = collectives.filter(|c| c.members.len() > 1 && c.bytes > 0.0).collect();
        Ok(Traffic { unit: Unit::Bytes, ranks: last + 1, flows, collectives, warnings, ..Traffic::default() })
    }
}

/// The operation that PyTorch calls so.
pub(super) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "all_reduce"
        | "allreduce"
        | "allreduce_"
        | "allreduce_coalesced"
        | "all_reduce_coalesced"
        | "all_reduce_sparse"
        | "allreduce_sparse" => Operation::AllReduce,
        "all_gather"
        | "_all_gather_base"
        | "_allgather_base"
        | "allgather"
        | "allgather_coalesced"
        | "all_gather_into_tensor"
        | "all_gather_into_tensor_coalesced"
        | "allgather_into_tensor_coalesced" => Operation::AllGather,
        "reduce_scatter"
        | "_reduce_scatter_base"
        | "reduce_scatter_tensor"
        | "reduce_scatter_tensor_coalesced"
        | "reduce_scatter_coalesced" => Operation::ReduceScatter,
        "broadcast" | "_broadcast_oop" | "broadcastUniqueNCCLID" | "reduce" | "_reduce_oop" => {
            Operation::Rooted
        }
        "all_to_all" | "all_to_allv" | "alltoall" | "alltoall_base" | "alltoallv" | "all_to_all_single" => {
            Operation::AllToAll
        }
        _ => return None,
    })
}

/// Bytes of an element (PyTorch, `torch/headeronly/core/ScalarType.h`).
pub(super) fn element(name: &str) -> Option<f64> {
    Some(match name {
        "Byte" | "Char" | "Bool" | "QInt8" | "QUInt8" => 1.0,
        name if name.starts_with("Float8_") || name.starts_with("Float4_") => 1.0,
        "Short" | "Half" | "BFloat16" | "UInt16" => 2.0,
        "Int" | "Float" | "QInt32" | "UInt32" | "ComplexHalf" => 4.0,
        "Long" | "Double" | "UInt64" | "ComplexFloat" => 8.0,
        "ComplexDouble" => 16.0,
        _ => return None,
    })
}

/// Accepts names that are not too long to keep.
fn check_name(name: &str) -> Result<(), LineError> {
    match name.len() {
        0..=MAX_NAME => Ok(()),
        _ => {
            Err(LineError::new(format!("{name:?}"), format!("the name of a group, at most {MAX_NAME} bytes")))
        }
    }
}

/// Counts the members of one more group.
fn bounded_members(count: &mut usize, members: &[u32]) -> Result<(), LineError> {
    *count += members.len();
    if *count <= MAX_MEMBERS {
        return Ok(());
    }
    let limit = grouped(MAX_MEMBERS as u64);
    Err(LineError::says(format!("groups with more than {limit} members together, which is the limit")))
}

/// Accepts members that differ.
fn check(name: &str, members: &[u32]) -> Result<(), LineError> {
    check_name(name)?;
    if let Some(rank) = members.iter().find(|&&rank| rank >= MAX_RANKS) {
        return Err(LineError::new(
            format!("{rank} in group {name:?}"),
            format!("a rank, 0 to {}", MAX_RANKS - 1),
        ));
    }
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(LineError::says(format!("rank {} is twice in group {name:?}; list each rank once", pair[0])))
        }
        None => Ok(()),
    }
}

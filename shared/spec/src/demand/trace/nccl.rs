//! NCCL's log with `NCCL_DEBUG=INFO`, of one process or of many in one file.
//!
//! NCCL writes no bytes, so connections are counted. A line of a connection (NCCL, `src/transport/*.cc`) is
//! `host:pid:tid [dev] NCCL INFO Channel 00/0 : 3[3] -> 11[3] [send] via NET/IB/3/GDRDMA`. Its sender writes it, and for
//! networks its receiver as well, so the larger of both counts is taken.
//!
//! Ranks are those of a communicator, which the line does not name. The lines at its start do: `comm 0x… rank 3 nranks 16 … commId
//! 0x… - Init START`. A connection belongs to the communicator that its process started last, of those in which the process
//! has the rank of the line. A process and its GPU are one rank of the import.

use super::{
    End, Format, LineError, MAX_RANK_PAIRS, MAX_RANKS, Reader, Sums, Traffic, Unit,
    pieces::{LineReader, Lines, text},
};
use crate::{
    cancel::checked,
    text::{grouped, natural},
};
use memchr::memmem;
use std::collections::HashMap;

pub(super) const FORMAT: Format = Format {
    name: "nccl",
    label: "NCCL log",
    about: "output of NCCL_DEBUG=INFO, in one file or several; counts connections, since the log has no bytes",
    empty: "there is no line about a connection of two ranks, such as `a:10:10 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0`",
    detect: |head| memmem::find(head, MARK).is_some(),
    reader: || Box::<Log>::default(),
};

/// Max letters of the name of a host and of the id of a communicator.
const MAX_NAME: usize = 256;
const MARK: &[u8] = b"NCCL INFO ";
const CHANNEL: &str = "a connection, such as `Channel 00/0 : 3[3] -> 11[3] [send] via NET/IB/3`";
const PROCESS: &str = "`host:pid:thread [device]` before `NCCL INFO`";
const INIT: &str = "the start of a communicator, such as `comm 0x5f rank 3 nranks 16`";

#[derive(Default)]
struct Log {
    lines: Lines,
    file: String,
    /// Processes with their GPU.
    members: Vec<Member>,
    member_of: HashMap<(String, u64, u32), usize>,
    comms: Vec<Comm>,
    comm_of: HashMap<String, usize>,
    /// Communicators by process and address.
    addresses: HashMap<(usize, u64), usize>,
    connections: HashMap<(usize, Connection), f64>,
    /// Connections that were written before the start of their communicator, by process.
    early: HashMap<(usize, Connection), EarlyOperation>,
}

/// A process and its GPU.
struct Member {
    host: String,
    pid: u64,
    device: u32,
    /// Communicators and the rank in each, the last started last.
    comms: Vec<(usize, u32)>,
}

struct Comm {
    ranks: u32,
    members: HashMap<u32, usize>,
}

/// Ranks in a communicator, and the end that writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Connection {
    from: u32,
    to: u32,
    is_sender: bool,
}

struct EarlyOperation {
    count: f64,
    file: String,
    line: u64,
}

impl LineReader for Log {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn line(&mut self, line: &[u8], number: u64) -> Result<(), LineError> {
        let Some(at) = memmem::find(line, MARK) else { return Ok(()) };
        let (before, message) = (&line[..at], &line[at + MARK.len()..]);
        if message.starts_with(b"Channel ") && memmem::find(message, b"->").is_some() {
            let connection = connection(text(message)?)?;
            let member = self.member(before)?;
            return self.connect(member, connection, number);
        }
        let is_init = memmem::find(message, b"- Init START").or(memmem::find(message, b"- Init COMPLETE"));
        if is_init.is_some() && memmem::find(message, b"comm 0x").is_some() {
            let init = init(text(message)?)?;
            let member = self.member(before)?;
            return self.start(member, &init);
        }
        Ok(())
    }
}

impl Log {
    /// The process that wrote a line, from what stands before its message.
    fn member(&mut self, before: &[u8]) -> Result<usize, LineError> {
        let before = text(before)?.trim_end();
        let wrong = || LineError::new(format!("{before:?}"), PROCESS);
        let (start, device) =
            before.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')).ok_or_else(wrong)?;
        let device = device.parse().ok().ok_or_else(wrong)?;
        // Launchers put tags before the host, such as `[1,3]<stdout>:`.
        let word = start.trim_end().rsplit([' ', '\t']).next().unwrap_or("");
        let mut parts = word.rsplitn(3, ':');
        let (_, pid, host) = (parts.next(), parts.next(), parts.next());
        let pid = pid.and_then(|pid| pid.parse().ok()).ok_or_else(wrong)?;
        let host = host
            .and_then(|host| host.rsplit([':', '>']).next())
            .filter(|host| (1..=MAX_NAME).contains(&host.len()));
        let host = host.ok_or_else(wrong)?.to_owned();
        let key = (host, pid, device);
        if let Some(&known) = self.member_of.get(&key) {
            return Ok(known);
        }
        if self.members.len() >= MAX_RANKS as usize {
            let limit = grouped(MAX_RANKS.into());
            return Err(LineError::says(format!("more than {limit} processes, which is the limit")));
        }
        self.members.push(Member { host: key.0.clone(), pid, device, comms: Vec::new() });
        self.member_of.insert(key, self.members.len() - 1);
        Ok(self.members.len() - 1)
    }

    fn start(&mut self, member: usize, init: &Init) -> Result<(), LineError> {
        if self.addresses.len() >= MAX_RANK_PAIRS {
            let limit = grouped(MAX_RANK_PAIRS as u64);
            return Err(LineError::says(format!(
                "more than {limit} ranks of communicators, which is the limit"
            )));
        }
        let key = match (&init.id, init.parent) {
            (Some(id), _) => id.clone(),
            // A split has no id of its own. Its members have the parent, the count and the colour in common.
            (None, Some((address, split, colour))) => {
                let parent = self.addresses.get(&(member, address));
                let parent = parent.ok_or_else(|| {
                    LineError::says(format!(
                        "a split of communicator {address:#x}, whose start is not in the log; give the log from its start"
                    ))
                })?;
                format!("{parent} {split} {colour}")
            }
            (None, None) => format!("{} ranks", init.ranks),
        };
        let next = self.comms.len();
        let index = *self.comm_of.entry(key).or_insert(next);
        if index == next {
            self.comms.push(Comm { ranks: init.ranks, members: HashMap::new() });
        }
        let comm = &mut self.comms[index];
        if comm.ranks != init.ranks {
            let (ranks, other) = (init.ranks, comm.ranks);
            return Err(LineError::says(format!(
                "the communicator has {ranks} ranks here and {other} in other lines"
            )));
        }
        if *comm.members.entry(init.rank).or_insert(member) != member {
            let advice = match (&init.id, init.parent) {
                (None, None) => "give init lines with `commId`, which tell communicators apart",
                _ => "give the log of one run",
            };
            let (rank, ranks) = (init.rank, init.ranks);
            return Err(LineError::says(format!("two processes have rank {rank} of {ranks}; {advice}")));
        }
        self.addresses.insert((member, init.address), index);
        let own = &mut self.members[member].comms;
        own.retain(|&(other, _)| other != index);
        own.push((index, init.rank));
        if self.early.is_empty() {
            return Ok(());
        }
        let fits =
            |&(of, connection): &(usize, Connection)| of == member && connection.fits(init.rank, init.ranks);
        let found: Vec<_> = checked(self.early.keys()).copied().filter(fits).collect();
        for key in found {
            if let Some(early) = self.early.remove(&key) {
                *self.connections.entry((index, key.1)).or_default() += early.count;
            }
        }
        Ok(())
    }

    fn connect(&mut self, member: usize, connection: Connection, line: u64) -> Result<(), LineError> {
        if self.connections.len() + self.early.len() >= MAX_RANK_PAIRS {
            let limit = grouped(MAX_RANK_PAIRS as u64);
            return Err(LineError::says(format!("more than {limit} pairs of ranks, which is the limit")));
        }
        let own = self.members[member].comms.iter().rev();
        let mut fitting = own.filter(|&&(comm, rank)| connection.fits(rank, self.comms[comm].ranks));
        match fitting.next() {
            Some(&(comm, _)) => *self.connections.entry((comm, connection)).or_default() += 1.0,
            None => {
                let new = || EarlyOperation { count: 0.0, file: self.file.clone(), line };
                self.early.entry((member, connection)).or_insert_with(new).count += 1.0;
            }
        }
        Ok(())
    }

    /// The number of each process: its rank in the largest communicator if that has all of them, otherwise in the order of
    /// hosts and GPUs.
    fn numbers(&self) -> Vec<u32> {
        let largest =
            self.comms.iter().max_by_key(|comm| (comm.members.len(), std::cmp::Reverse(comm.ranks)));
        let mut numbers = vec![0; self.members.len()];
        match largest.filter(|comm| {
            comm.members.len() == self.members.len() && comm.ranks as usize == self.members.len()
        }) {
            Some(comm) => comm.members.iter().for_each(|(&rank, &member)| numbers[member] = rank),
            None => {
                let mut order: Vec<usize> = (0..self.members.len()).collect();
                order.sort_by_cached_key(|&index| {
                    let member = &self.members[index];
                    (natural(&member.host), member.device, member.pid)
                });
                order.iter().zip(0..).for_each(|(&member, number)| numbers[member] = number);
            }
        }
        numbers
    }
}

impl Connection {
    /// `true` if the process with that rank of so many writes this connection.
    fn fits(self, rank: u32, ranks: u32) -> bool {
        let own = if self.is_sender { self.from } else { self.to };
        own == rank && self.from.max(self.to) < ranks
    }
}

/// Parses `Channel 00/0 : 3[3] -> 11[3] [send] via NET/IB/3`.
fn connection(message: &str) -> Result<Connection, LineError> {
    let parse = || {
        let (channel, rest) = message.strip_prefix("Channel ")?.split_once(" : ")?;
        channel.split('/').all(|number| number.parse::<u32>().is_ok()).then_some(())?;
        let (ends, how) = rest.split_once(" via ")?;
        let (from, to) = ends.split_once(" -> ")?;
        let (to, is_sender) = match to.split_once(' ') {
            None => (to, true),
            Some((to, "[send]")) => (to, true),
            Some((to, "[receive]")) => (to, false),
            Some(_) => return None,
        };
        // A number and the GPU, by its index or its bus.
        let end = |word: &str| {
            let (rank, gpu) = word.strip_suffix(']')?.split_once('[')?;
            gpu.chars().all(|c| c.is_ascii_hexdigit()).then(|| rank.parse().ok())?
        };
        Some(Connection { from: end(from)?, to: end(to)?, is_sender }).filter(|_| !how.is_empty())
    };
    parse().ok_or_else(|| LineError::new(format!("{message:?}"), CHANNEL))
}

/// A line at the start of a communicator.
struct Init {
    address: u64,
    rank: u32,
    ranks: u32,
    id: Option<String>,
    /// Address of the parent, the number of the split, and its colour.
    parent: Option<(u64, u64, i64)>,
}

fn init(message: &str) -> Result<Init, LineError> {
    let message = message.replace("- Init", " - Init");
    let words: Vec<&str> = message.split_whitespace().collect();
    let after =
        |name: &str| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1).copied());
    let address = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let parse = || {
        let parent = match after("parent") {
            None => None,
            Some(word) => {
                Some((address(word)?, after("splitCount")?.parse().ok()?, after("color")?.parse().ok()?))
            }
        };
        let (rank, ranks) = (after("rank")?.parse().ok()?, after("nranks")?.parse().ok()?);
        let id = after("commId").map(str::to_owned);
        Some(Init { address: address(after("comm")?)?, rank, ranks, id, parent }).filter(|init| {
            rank < ranks && ranks <= MAX_RANKS && init.id.as_ref().is_none_or(|id| id.len() <= MAX_NAME)
        })
    };
    parse().ok_or_else(|| LineError::new(format!("{message:?}"), INIT))
}

impl Reader for Log {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.file = file.to_owned();
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        self.end_lines().map(|_| ())
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        let first = self.early.iter().min_by_key(|(_, early)| (&early.file, early.line));
        if let Some((&(member, connection), early)) = first {
            let Member { host, pid, device, .. } = &self.members[member];
            let Connection { from, to, .. } = connection;
            let place = format!("{}, line {}", early.file, early.line);
            return Err(LineError::says(format!(
                "the connection {from} -> {to} of {host}:{pid} [{device}] ({place}) has no communicator; \
                 give the log from its start"
            )));
        }
        let numbers = self.numbers();
        let mut sums = Sums::default();
        let mut connections: Vec<_> = self.connections.iter().collect();
        connections.sort_unstable_by_key(|((comm, c), _)| (*comm, c.from, c.to));
        for (&(comm, connection), &count) in connections {
            let number = |rank| {
                let Comm { ranks, members } = &self.comms[comm];
                members.get(&rank).map(|&member| numbers[member]).ok_or_else(|| {
                    LineError::says(format!(
                        "no start of rank {rank} in a communicator of {ranks} ranks; give the logs of all ranks"
                    ))
                })
            };
            let end = if connection.is_sender { End::Sender } else { End::Receiver };
            sums.add(number(connection.from)?, number(connection.to)?, count, end)?;
        }
        let mut hosts = vec![String::new(); self.members.len()];
        self.members
            .iter()
            .zip(&numbers)
            .for_each(|(member, &number)| hosts[number as usize].clone_from(&member.host));
        Ok(Traffic {
            unit: Unit::Connections,
            ranks: numbers.len() as u32,
            flows: sums.into_flows(),
            collectives: Vec::new(),
            hosts,
        })
    }
}

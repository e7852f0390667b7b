//! NCCL's log with `NCCL_DEBUG=INFO`, of one process or of many in one file, versions 2.4 to 2.28.
//!
//! Calls (`AllReduce: opCount 0 … count 1024 datatype 7 … comm 0x5f [nranks=8]`, subsystem COLL) have bytes. A log without calls has
//! connections only, which are counted (NCCL, `src/transport/*.cc`): `host:pid:tid [dev] NCCL INFO Channel 00/0 : 3[3] -> 11[3] [send] via
//! NET/IB/3`. The sender writes the line, and for networks the receiver as well. Rank 0 also writes every ring, as
//! `Channel 00/02 : 0 1 2 3`. The largest of the three counts is taken. If ranks have no log, only the rings are complete.
//!
//! Ranks are those of a communicator, which a connection does not name. The lines at its start do: `comm 0x… rank 3 nranks 16 … commId
//! 0x… - Init START`. A connection belongs to the communicator that its process started last, of those in which the process
//! has the rank of the line. Without any start, the lines are taken as one communicator, and its ranks come from the lines.
//! A process and its GPU are one rank of the import.
//!
//! The logs also say which NICs the ends of a connection use ([`Hops`]): by number, whose names the lines `NET/IB : Using [0]mlx5_0:1/RoCE`
//! and, with the subsystem NET, `NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1` give.
//!
//! A process is a host name and a number. Containers may have equal ones: then a file that starts another rank is of another process.
//! A node is a host name, or `NCCL_HOSTID`. `nNodes` and `localRanks` split a name that several nodes share, unless NVLink connects
//! nodes (`MNNVL 1`), which NCCL counts as one.

use super::{
    End, FaultPlace, Format, LineError, MAX_RANK_PAIRS, MAX_RANKS, Reader, Traffic, Unit, Warnings,
    pieces::{LineReader, Lines},
    traffic::{Collective, Hop, Hops, NicEnd, Operation},
};
use crate::{
    cancel::checked,
    text::{count as count_of, grouped, natural, ranges},
};
use memchr::memmem;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

pub(super) const FORMAT: Format = Format {
    name: "nccl",
    label: "NCCL log",
    about: "output of NCCL_DEBUG=INFO, in one file or several; bytes with NCCL_DEBUG_SUBSYS=INIT,COLL, otherwise connections",
    empty: "the log has no connection and no call of two ranks; run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL",
    detect: |head| memmem::find(head, MARK).is_some(),
    reader: || Box::<Log>::default(),
};

/// Max letters of the name of a host and of the id of a communicator.
const MAX_NAME: usize = 256;
/// Max ends of connections whose NICs are kept.
const MAX_NIC_ENDS: usize = 1 << 18;
/// Max devices of a process: NCCL's limit is 64 virtual devices on 32 ports.
const MAX_DEVICES: u32 = 256;
const MARK: &[u8] = b"NCCL INFO ";
const CHANNEL: &str = "a connection, such as `Channel 00/0 : 3[3] -> 11[3] [send] via NET/IB/3`";
const PROCESS: &str = "`host:pid:thread [device]` before `NCCL INFO`";
const INIT: &str = "the start of a communicator, such as `comm 0x5f rank 3 nranks 16`";
const CALL: &str = "a call, such as `AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 1024 datatype 7 op 0 root 0 comm 0x5f [nranks=8]`";
const SKIPPED: &str = "The line is skipped.";

#[derive(Default)]
struct Log {
    lines: Lines,
    warnings: Warnings,
    /// Processes with their GPU.
    members: Vec<Member>,
    /// Members by process and GPU.
    member_of: HashMap<(usize, u32), usize>,
    /// Processes by host and number, with the file that each is first in.
    processes: HashMap<(String, u64), (usize, usize)>,
    process_count: usize,
    file: usize,
    host_names: HashSet<String>,
    /// `NCCL_HOSTID` by process.
    host_ids: HashMap<usize, String>,
    comms: Vec<Comm>,
    comm_of: HashMap<String, usize>,
    /// Communicators by member and address.
    addresses: HashMap<(usize, u64), usize>,
    /// Who started the communicator at an address of a process: calls may have another GPU of the process before them.
    starters: HashMap<(usize, u64), usize>,
    /// Numbers of connections, by communicator. An exchange of all ranks has millions, so keys are small.
    connections: HashMap<(u32, Connection), u32>,
    /// Connections that were written before the start of their communicator, by process.
    early: HashMap<(u32, Connection), u32>,
    /// Rings by communicator (`None` before its start), process that writes them and channel.
    rings: BTreeMap<(Option<usize>, usize, u32), Vec<u32>>,
    ring_ranks: usize,
    /// GPUs by communicator and rank, as connections name them.
    gpus: HashMap<(Option<usize>, u32), String>,
    /// Bytes of calls.
    calls: HashMap<CallKey, f64>,
    has_calls: bool,
    /// NICs of a process, by the number of their device.
    devices: HashMap<usize, BTreeMap<u32, Vec<String>>>,
    /// Ends of connections with their devices, and how many more there are.
    nic_ends: Vec<(ChannelEnd, u32)>,
    lost_ends: u64,
    /// `true` if senders choose a NIC that reaches the receiver's.
    finds_nics: bool,
}

/// An end of a connection over the network: the communicator (`None` before its start), the process that writes the line, channel
/// and connection, and the ranks.
#[derive(Clone, Copy)]
struct ChannelEnd {
    comm: Option<usize>,
    member: usize,
    channel: [u32; 2],
    connection: Connection,
}

/// A process and its GPU.
struct Member {
    host: String,
    pid: u64,
    process: usize,
    device: u32,
    /// Communicators and the rank in each, the last started last.
    comms: Vec<(usize, u32)>,
}

#[derive(Default)]
struct Comm {
    ranks: u32,
    members: HashMap<u32, usize>,
    /// Nodes of the communicator, and ranks per node and position on the node by rank.
    nodes: Option<u32>,
    local: HashMap<u32, (u32, u32)>,
    /// `true` if nodes are connected by NVLink: NCCL then counts them as one.
    is_mnnvl: bool,
}

/// A call of a process. An exchange of all ranks has millions, so this is small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CallKey {
    /// `true` if the start of the communicator is known.
    is_started: bool,
    /// The communicator; without a start, its number of ranks is all that is known.
    comm: u32,
    member: u32,
    call: Call,
    /// Root, receiver or sender.
    other: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Call {
    Collective(Operation),
    Gather,
    Scatter,
    Send,
    Receive,
}

/// Ranks in a communicator, and the end that writes if the line says so.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Connection {
    from: u32,
    to: u32,
    is_sender: Option<bool>,
    via: Via,
}

/// Where a connection is, as far as its line says.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Via {
    Node,
    Net,
    Unknown,
}

impl LineReader for Log {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn line(&mut self, line: &[u8], number: u64) -> Result<(), LineError> {
        let Some(at) = memmem::find(line, MARK) else { return Ok(()) };
        let mut before = String::from_utf8_lossy(&line[..at]);
        let mut rest = &line[at + MARK.len()..];
        loop {
            let next = memmem::find(rest, MARK);
            let text = String::from_utf8_lossy(&rest[..next.unwrap_or(rest.len())]);
            let end = match next {
                None => Some(text.len()),
                Some(_) => self.next_process(&before, &text),
            };
            match self.message(&before, text[..end.unwrap_or(text.len())].trim()) {
                // A limit ends the import; a line that is cut or mixed with another does not.
                Err(Skipped::Limit(wrong)) => return Err(wrong),
                Err(Skipped::Line(wrong)) => {
                    self.warnings.add(FaultPlace::Line(number), format!("{} {SKIPPED}", wrong.message));
                }
                Ok(()) => {}
            }
            match (next, end) {
                (None, _) => return Ok(()),
                (Some(next), Some(end)) => {
                    before = Cow::Owned(text[end..].to_owned());
                    rest = &rest[next + MARK.len()..];
                }
                (Some(_), None) => {
                    let sentence =
                        "A second message shares the line, and its host is not clear. It is skipped.";
                    self.warnings.add(FaultPlace::Line(number), sentence.into());
                    return Ok(());
                }
            }
        }
    }
}

/// Why a line does not count.
enum Skipped {
    Line(LineError),
    Limit(LineError),
}

impl From<LineError> for Skipped {
    fn from(wrong: LineError) -> Skipped {
        Skipped::Line(wrong)
    }
}

fn limit(most: usize, what: &str) -> Skipped {
    Skipped::Limit(LineError::too_many(most, what))
}

impl Log {
    fn message(&mut self, before: &str, message: &str) -> Result<(), Skipped> {
        if message.starts_with("Channel ") || message.starts_with("Ring ") {
            // The subsystem GRAPH writes the neighbours of a rank, as `Ring 00 : 4 -> 5 -> 6`.
            if message.matches("->").count() > 1 {
                return Ok(());
            }
            if message.contains("->") {
                let ConnectionLine { channel, connection, gpus, device } = connection(message)?;
                let member = self.member(before)?;
                let comm = self.connect(member, connection, gpus)?;
                self.finds_nics |= message.contains("via NET/Socket/");
                if let Some(device) = device {
                    self.use_nic(ChannelEnd { comm, member, channel, connection }, device);
                }
                return Ok(());
            }
            let Some((channel, ranks)) = ring(message) else { return Ok(()) };
            let member = self.member(before)?;
            return self.ring(member, channel, ranks);
        }
        if message.contains("opCount ") {
            let (address, ranks, own, call, bytes) = call(message)?;
            let member = self.member(before)?;
            return self.call(member, address, ranks, own, call, bytes);
        }
        if message.starts_with("NET/") {
            let (host, pid, _) = process(before)?;
            let (process, _) = self.process(&(host.into_owned(), pid))?;
            self.name_devices(process, message);
            return Ok(());
        }
        self.finds_nics |= message.contains("NCCL_IB_SUBNET_AWARE_ROUTING set by environment to 1");
        if let Some((_, id)) = message.split_once("NCCL_HOSTID set by environment to ") {
            let (host, pid, _) = process(before)?;
            let id: String = id.trim_end_matches('.').chars().take(MAX_NAME).collect();
            if !id.is_empty() {
                let key = (host.into_owned(), pid);
                let (mut process, file) = self.process(&key)?;
                if file != self.file && self.host_ids.get(&process).is_some_and(|known| *known != id) {
                    process = self.add_process(key)?;
                }
                self.host_ids.insert(process, id);
            }
            return Ok(());
        }
        let is_init = message.contains("- Init START") || message.contains("- Init COMPLETE");
        let is_layout = message.starts_with("comm 0x") && message.contains(" nNodes ");
        if is_init && message.contains("comm 0x") || is_layout {
            let init = init(message)?;
            let mut member = self.member(before)?;
            if self.is_other_process(member, &init) {
                let Member { host, pid, process, .. } = &self.members[member];
                let (key, id) = ((host.clone(), *pid), self.host_ids.get(process).cloned());
                let devices = self.devices.get(process).cloned();
                let process = self.add_process(key)?;
                self.host_ids.extend(id.map(|id| (process, id)));
                self.devices.extend(devices.map(|devices| (process, devices)));
                member = self.member(before)?;
            }
            return self.start(member, &init);
        }
        Ok(())
    }

    /// Byte of a text at which the process of the next message begins, as in `via P2P/IPChost:7:9 [1] `, where two processes wrote at
    /// once. The host must be known.
    fn next_process(&self, before: &str, text: &str) -> Option<usize> {
        let own = process(before).ok();
        let start = text.trim_end().strip_suffix(']')?.rsplit_once('[')?.0.trim_end();
        let word = start.rsplit(char::is_whitespace).next()?;
        let host = word.rsplitn(3, ':').nth(2)?;
        let is_known = |name: &str| {
            self.host_names.contains(name) || own.as_ref().is_some_and(|(host, ..)| host == name)
        };
        let mut starts = host.char_indices().map(|(at, _)| at).filter(|at| host.len() - at <= MAX_NAME);
        Some(start.len() - word.len() + starts.find(|&at| is_known(&host[at..]))?)
    }

    /// The process that wrote a line, from the text before its message.
    fn member(&mut self, before: &str) -> Result<usize, Skipped> {
        let (host, pid, device) = process(before)?;
        let key = (host.into_owned(), pid);
        let (process, _) = self.process(&key)?;
        if let Some(&known) = self.member_of.get(&(process, device)) {
            return Ok(known);
        }
        if self.members.len() >= MAX_RANKS as usize {
            return Err(limit(MAX_RANKS as usize, "processes"));
        }
        self.member_of.insert((process, device), self.members.len());
        self.members.push(Member { host: key.0, pid, process, device, comms: Vec::new() });
        Ok(self.members.len() - 1)
    }

    /// A process by host and number, and the file that it is first in.
    fn process(&mut self, key: &(String, u64)) -> Result<(usize, usize), Skipped> {
        match self.processes.get(key) {
            Some(&known) => Ok(known),
            None => Ok((self.add_process(key.clone())?, self.file)),
        }
    }

    /// Adds a process. Lines with this host and number are its own from now on.
    fn add_process(&mut self, key: (String, u64)) -> Result<usize, Skipped> {
        if self.process_count >= MAX_RANKS as usize {
            return Err(limit(MAX_RANKS as usize, "processes"));
        }
        self.process_count += 1;
        self.host_names.insert(key.0.clone());
        self.processes.insert(key, (self.process_count - 1, self.file));
        Ok(self.process_count - 1)
    }

    /// `true` if a start is not of the member's process: containers may have equal host names and numbers of processes, but the log of
    /// another file starts another rank of the same communicator.
    fn is_other_process(&self, member: usize, init: &Init) -> bool {
        let Member { host, pid, comms, .. } = &self.members[member];
        let comm = init.id.as_ref().and_then(|id| self.comm_of.get(id));
        let is_here = self.processes.get(&(host.clone(), *pid)).is_some_and(|&(_, file)| file == self.file);
        let has_other_rank = |&comm| comms.iter().any(|&(known, rank)| known == comm && rank != init.rank);
        !is_here && comm.is_some_and(has_other_rank)
    }

    fn start(&mut self, member: usize, init: &Init) -> Result<(), Skipped> {
        if self.addresses.len() >= MAX_RANK_PAIRS {
            return Err(limit(MAX_RANK_PAIRS, "ranks of communicators"));
        }
        let known = self.addresses.get(&(member, init.address)).copied();
        let known = known.filter(|&comm| init.layout.is_some() && self.comms[comm].ranks == init.ranks);
        let index = match known {
            Some(index) => index,
            None => self.comm(member, init)?,
        };
        let comm = &mut self.comms[index];
        if comm.ranks != init.ranks {
            let (ranks, other) = (init.ranks, comm.ranks);
            return Err(LineError::says(format!(
                "the communicator has {ranks} ranks here and {other} in other lines"
            ))
            .into());
        }
        let own = &self.members[member].comms;
        if let Some((_, other)) = own.iter().find(|&&(known, rank)| known == index && rank != init.rank) {
            let rank = init.rank;
            return Err(LineError::says(format!(
                "a process has rank {other} and rank {rank} of one communicator; give a file per process"
            ))
            .into());
        }
        comm.is_mnnvl |= init.is_mnnvl;
        if let Some((nodes, ranks, position)) = init.layout.filter(|_| !init.is_mnnvl) {
            comm.nodes = Some(nodes);
            comm.local.insert(init.rank, (ranks, position));
        }
        if *comm.members.entry(init.rank).or_insert(member) != member {
            let (rank, ranks) = (init.rank, init.ranks);
            return Err(LineError::says(format!(
                "two processes have rank {rank} of {ranks}; give the log of one run"
            ))
            .into());
        }
        self.addresses.insert((member, init.address), index);
        self.starters.insert((self.members[member].process, init.address), member);
        let own = &mut self.members[member].comms;
        own.retain(|&(other, _)| other != index);
        own.push((index, init.rank));
        if self.early.is_empty() {
            return Ok(());
        }
        let fits = |&(of, connection): &(u32, Connection)| {
            of as usize == member && connection.fits(init.rank, init.ranks)
        };
        let found: Vec<_> = checked(self.early.keys()).copied().filter(fits).collect();
        for key in found {
            if let Some(count) = self.early.remove(&key) {
                let sum = self.connections.entry((index as u32, key.1)).or_default();
                *sum = sum.saturating_add(count);
            }
        }
        Ok(())
    }

    /// The communicator that a line starts.
    fn comm(&mut self, member: usize, init: &Init) -> Result<usize, Skipped> {
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
        let has_id = init.id.is_some() || init.parent.is_some();
        if let Some(&known) = self.comm_of.get(&key) {
            let comm = &self.comms[known];
            let is_taken = comm.members.get(&init.rank).is_some_and(|&other| other != member);
            // Without an id, a complete communicator is followed by another one.
            if has_id || !is_taken || comm.members.len() < comm.ranks as usize {
                return Ok(known);
            }
            self.warnings.once(
                "The start of a communicator has no `commId`. Communicators of the same size are told apart by the order of lines",
            );
        }
        self.comm_of.insert(key, self.comms.len());
        self.comms.push(Comm { ranks: init.ranks, ..Comm::default() });
        Ok(self.comms.len() - 1)
    }

    fn connect(
        &mut self,
        member: usize,
        connection: Connection,
        gpus: [Option<&str>; 2],
    ) -> Result<Option<usize>, Skipped> {
        if self.connections.len() + self.early.len() >= MAX_RANK_PAIRS {
            return Err(limit(MAX_RANK_PAIRS, "pairs of ranks"));
        }
        let own = self.members[member].comms.iter().rev();
        let mut fitting = own.filter(|&&(comm, rank)| connection.fits(rank, self.comms[comm].ranks));
        let comm = fitting.next().map(|&(comm, _)| comm);
        let count = match comm {
            Some(comm) => self.connections.entry((comm as u32, connection)).or_default(),
            None => self.early.entry((member as u32, connection)).or_default(),
        };
        *count = count.saturating_add(1);
        for (rank, gpu) in [connection.from, connection.to].into_iter().zip(gpus) {
            if let Some(gpu) = gpu
                && self.gpus.len() < MAX_RANK_PAIRS
                && !self.gpus.contains_key(&(comm, rank))
            {
                self.gpus.insert((comm, rank), gpu.to_owned());
            }
        }
        Ok(comm)
    }

    fn use_nic(&mut self, end: ChannelEnd, device: u32) {
        match self.nic_ends.len() < MAX_NIC_ENDS {
            true => self.nic_ends.push((end, device)),
            false => self.lost_ends += 1,
        }
    }

    /// Keeps the names in `NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE` and `NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1`.
    fn name_devices(&mut self, process: usize, message: &str) {
        if !message.contains("Made virtual device [") && !message.contains(" : Using [") {
            return;
        }
        let devices = self.devices.entry(process).or_default();
        for part in message.split('[').skip(1) {
            let Some((number, rest)) = part.split_once(']') else { continue };
            // Other words in brackets, such as `[RO]`, are no numbers.
            let Ok(number) = number.parse::<u32>() else { continue };
            let rest = rest.trim_start().trim_start_matches("name=");
            let word = rest.split([' ', ';', '/']).next().unwrap_or_default();
            let (name, port) = word.split_once(':').unwrap_or((word, "1"));
            // The second port of an adapter is another NIC. Sockets have an address there.
            let name = if port == "2" && message.starts_with("NET/IB") { word } else { name };
            if number < MAX_DEVICES && (1..=MAX_NAME).contains(&name.len()) {
                devices.insert(number, name.split('+').map(str::to_owned).collect());
            }
        }
    }

    /// The NICs of both ends of every connection. `hosts` are the nodes of ranks of the import.
    fn hops(&mut self, numbers: &Numbers, hosts: &[String]) -> Hops {
        let (mut senders, mut receivers) = (Vec::new(), BTreeMap::<_, Vec<(usize, NicEnd)>>::new());
        for (end, device) in checked(std::mem::take(&mut self.nic_ends)) {
            let ChannelEnd { comm, member, channel, connection } = end;
            let Connection { from, to, is_sender, .. } = connection;
            let Member { process, comms, .. } = &self.members[member];
            let fits = |&&(comm, rank): &&(usize, u32)| connection.fits(rank, self.comms[comm].ranks);
            let comm = comm.or_else(|| comms.iter().find(fits).map(|&(comm, _)| comm));
            let (Some(comm), Some(is_sender)) = (comm, is_sender) else { continue };
            let named = self.devices.get(process).and_then(|devices| devices.get(&device));
            let nics = named.cloned().unwrap_or_else(|| vec![format!("device {device}")]);
            let end = NicEnd { node: hosts[numbers.of_member[member] as usize].clone(), nics };
            match is_sender {
                true => senders.push(((member, channel, from, to), comm, end)),
                false => receivers.entry((member, channel, from, to)).or_default().push((comm, end)),
            }
        }
        senders.sort_unstable();
        receivers.values_mut().for_each(|ends| ends.sort_unstable());
        let mut counts: BTreeMap<[NicEnd; 2], u64> = BTreeMap::new();
        // The communicator of a line is a guess, so the ends that are left are joined by any that both processes are in.
        for is_exact in [true, false] {
            senders.retain(|&((member, channel, from, to), own, ref sender)| {
                let is_candidate =
                    |&&(comm, rank): &&(usize, u32)| rank == from && (comm == own || !is_exact);
                let found = self.members[member].comms.iter().filter(is_candidate).find_map(|&(comm, _)| {
                    let receiver = *self.comms[comm].members.get(&to)?;
                    let ends = receivers.get_mut(&(receiver, channel, from, to))?;
                    let at = ends.iter().position(|&(other, _)| other == comm || !is_exact)?;
                    Some(ends.remove(at).1)
                });
                let is_left = found.is_none();
                if let Some(receiver) = found.filter(|receiver| receiver.node != sender.node) {
                    *counts.entry([sender.clone(), receiver]).or_default() += 1;
                }
                is_left
            });
        }
        let left = senders.len() + receivers.values().map(Vec::len).sum::<usize>();
        let halves = self.lost_ends + left as u64;
        let list = counts.into_iter().map(|([from, to], channels)| Hop { from, to, channels }).collect();
        Hops { list, halves, finds_nics: self.finds_nics }
    }

    /// Keeps a ring of the communicator that the process started last.
    fn ring(&mut self, member: usize, channel: u32, ranks: Vec<u32>) -> Result<(), Skipped> {
        self.ring_ranks += ranks.len();
        if self.ring_ranks > MAX_RANK_PAIRS {
            return Err(limit(MAX_RANK_PAIRS, "ranks of rings"));
        }
        let highest = ranks.iter().max().copied().unwrap_or(0);
        let mut own = self.members[member].comms.iter().rev();
        let comm = own.find(|&&(comm, _)| highest < self.comms[comm].ranks).map(|&(comm, _)| comm);
        self.rings.insert((comm, member, channel), ranks);
        Ok(())
    }

    fn call(
        &mut self,
        member: usize,
        address: u64,
        ranks: u32,
        own: Option<u32>,
        (call, other): (Call, u32),
        bytes: f64,
    ) -> Result<(), Skipped> {
        if self.calls.len() >= MAX_RANK_PAIRS {
            return Err(limit(MAX_RANK_PAIRS, "groups and pairs"));
        }
        self.has_calls = true;
        // Processes in containers may have the same number, and the same addresses.
        let is_own = self.addresses.contains_key(&(member, address));
        let starter = self.starters.get(&(self.members[member].process, address)).filter(|_| !is_own);
        let member = starter.copied().unwrap_or(member);
        let comm = match (self.addresses.get(&(member, address)), own) {
            (Some(&known), _) if self.comms[known].ranks == ranks => Some(known),
            // The call has the rank, which the start is missing for.
            (_, Some(rank)) => {
                let init =
                    Init { address, rank, ranks, id: None, parent: None, layout: None, is_mnnvl: false };
                self.start(member, &init)?;
                self.addresses.get(&(member, address)).copied()
            }
            _ => None,
        };
        let (is_started, comm) = (comm.is_some(), comm.map_or(ranks, |comm| comm as u32));
        let key = CallKey { is_started, comm, member: member as u32, call, other };
        *self.calls.entry(key).or_default() += bytes;
        Ok(())
    }

    /// Members in the order of hosts and GPUs.
    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_cached_key(|&index| {
            let member = &self.members[index];
            (natural(&member.host), member.device, member.pid)
        });
        order
    }

    /// Makes one communicator of the processes that use one of so many ranks without a start.
    fn join_calls(&mut self, order: &[usize]) {
        let mut users: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for key in self.calls.keys().filter(|key| !key.is_started) {
            users.entry(key.comm).or_default().insert(key.member as usize);
        }
        for (ranks, users) in users {
            let whole = self.comms.iter().position(|comm| {
                comm.ranks == ranks && users.iter().all(|user| comm.members.values().any(|m| m == user))
            });
            let index = match whole {
                Some(index) => index,
                None if users.len() == ranks as usize => {
                    let members = order.iter().copied().filter(|member| users.contains(member));
                    let members = (0..ranks).zip(members).collect();
                    self.comms.push(Comm { ranks, members, ..Comm::default() });
                    self.warnings.add(
                        FaultPlace::File,
                        format!("The start of a communicator of {} is not in the log. Ranks follow the order of hosts and GPUs. NCCL_DEBUG_SUBSYS=INIT,COLL writes it.", count_of(ranks.into(), "rank")),
                    );
                    let index = self.comms.len() - 1;
                    for (&rank, &member) in &self.comms[index].members {
                        self.members[member].comms.push((index, rank));
                    }
                    index
                }
                None => {
                    self.warnings.add(
                        FaultPlace::File,
                        format!("The start of a communicator of {} is not in the log, and {} of its processes are. Its calls are left out. NCCL_DEBUG_SUBSYS=INIT,COLL writes it.", count_of(ranks.into(), "rank"), users.len()),
                    );
                    continue;
                }
            };
            let is_own = |key: &&CallKey| !key.is_started && key.comm == ranks;
            let of: Vec<_> = self.calls.keys().filter(is_own).copied().collect();
            for key in of {
                if let Some(bytes) = self.calls.remove(&key) {
                    let key = CallKey { is_started: true, comm: index as u32, ..key };
                    *self.calls.entry(key).or_default() += bytes;
                }
            }
        }
    }

    /// Makes one communicator of the connections and rings that have no start.
    fn join_early(&mut self, order: &[usize]) {
        let rings = self.rings.keys().any(|(comm, ..)| comm.is_none());
        if self.early.is_empty() && !rings {
            return;
        }
        // Lines of a process vote for its rank: a line with a direction has it, another one has it at either end.
        let mut votes: HashMap<usize, BTreeMap<u32, f64>> = HashMap::new();
        let mut ranks = 0;
        for (&(member, connection), &count) in &self.early {
            let (member, count) = (member as usize, f64::from(count));
            if !self.members[member].comms.is_empty() {
                continue;
            }
            ranks = ranks.max(connection.from.max(connection.to) + 1);
            let own = votes.entry(member).or_default();
            match connection.is_sender {
                Some(true) => *own.entry(connection.from).or_default() += 4.0 * count,
                Some(false) => *own.entry(connection.to).or_default() += 4.0 * count,
                None => {
                    *own.entry(connection.from).or_default() += 2.0 * count;
                    *own.entry(connection.to).or_default() += count;
                }
            }
        }
        for ((comm, member, _), ring) in &self.rings {
            if comm.is_none() {
                ranks = ranks.max(ring.iter().max().map_or(0, |last| last + 1));
                // Rank 0 writes the rings.
                votes.entry(*member).or_default().entry(0).or_insert(1.0);
            }
        }
        if ranks == 0 || ranks > MAX_RANKS {
            self.warn_early(self.early.len());
            return;
        }
        // The rest of a communicator whose other processes have their start.
        let largest = (0..self.comms.len()).max_by_key(|&index| {
            let comm = &self.comms[index];
            (comm.ranks, comm.members.len(), std::cmp::Reverse(index))
        });
        let index = match largest.filter(|&index| self.comms[index].ranks >= ranks) {
            Some(index) => index,
            None => {
                self.comms.push(Comm { ranks, ..Comm::default() });
                self.comms.len() - 1
            }
        };
        for &member in order {
            let Some(own) = votes.get(&member) else { continue };
            let best = own.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
            let Some((&rank, _)) = best else { continue };
            let comm = &mut self.comms[index];
            if *comm.members.entry(rank).or_insert(member) == member {
                self.members[member].comms.push((index, rank));
            }
        }
        let mut left_out = 0;
        for ((member, connection), count) in std::mem::take(&mut self.early) {
            let own = self.members[member as usize].comms.iter().find(|&&(comm, _)| comm == index);
            match own.filter(|(_, rank)| connection.fits(*rank, self.comms[index].ranks)) {
                Some((_, rank)) => {
                    let is_sender = Some(connection.is_sender.unwrap_or(*rank == connection.from));
                    let key = (index as u32, Connection { is_sender, ..connection });
                    let sum = self.connections.entry(key).or_default();
                    *sum = sum.saturating_add(count);
                }
                None => left_out += 1,
            }
        }
        for ((comm, member, channel), ring) in std::mem::take(&mut self.rings) {
            self.rings.insert((comm.or(Some(index)), member, channel), ring);
        }
        let (known, early): (HashMap<_, _>, HashMap<_, _>) =
            std::mem::take(&mut self.gpus).into_iter().partition(|((comm, _), _)| comm.is_some());
        self.gpus = known;
        for ((_, rank), gpu) in early {
            self.gpus.entry((Some(index), rank)).or_insert(gpu);
        }
        self.warn_early(left_out);
        self.warnings.add(
            FaultPlace::File,
            "The start of a communicator is not in the log. Its ranks come from the lines of connections."
                .into(),
        );
    }

    fn warn_early(&mut self, count: usize) {
        if count > 0 {
            let count = count_of(count as u64, "connection");
            let sentence = format!(
                "{count} of a communicator whose start is not in the log left out. Give the log from its start."
            );
            self.warnings.add(FaultPlace::File, sentence);
        }
    }

    /// Nodes of the ranks of a communicator, by name. A rank without a log gets the node that the lines suggest.
    fn nodes(&mut self, index: usize) -> Vec<String> {
        let comm = &self.comms[index];
        let ranks = comm.ranks as usize;
        let mut names: Vec<Option<String>> = vec![None; ranks];
        let mut by_host: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (&rank, &member) in &comm.members {
            let Member { host, process, .. } = &self.members[member];
            match self.host_ids.get(process) {
                Some(id) => names[rank as usize] = Some(id.clone()),
                None => by_host.entry(host).or_default().push(rank),
            }
        }
        let mut near: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut far_hosts = BTreeSet::new();
        let host = |rank| comm.members.get(&rank).map(|&member| &*self.members[member].host);
        for &(_, Connection { from, to, via, .. }) in
            self.connections.keys().filter(|key| key.0 as usize == index)
        {
            match via {
                Via::Node => {
                    near.entry(from).or_default().push(to);
                    near.entry(to).or_default().push(from);
                }
                Via::Net => far_hosts.extend(host(from).filter(|&name| host(to) == Some(name))),
                Via::Unknown => {}
            }
        }
        near.values_mut().for_each(|others| others.sort_unstable());
        let gpu = |rank: u32| self.gpus.get(&(Some(index), rank));
        for (host, mut on_host) in by_host {
            on_host.sort_unstable();
            let too_many = on_host
                .iter()
                .any(|rank| comm.local.get(rank).is_some_and(|&(ranks, _)| (ranks as usize) < on_host.len()));
            let mut gpus = BTreeSet::new();
            let is_repeated = on_host.iter().filter_map(|&rank| gpu(rank)).any(|gpu| !gpus.insert(gpu))
                && comm.nodes.is_none()
                && far_hosts.contains(host);
            if !too_many && !is_repeated {
                on_host.iter().for_each(|&rank| names[rank as usize] = Some(host.to_owned()));
                continue;
            }
            // Ranks with a connection inside a node are on the same one. Otherwise a node ends where positions or GPUs repeat.
            let parts = components(&on_host, &near);
            let shares = on_host
                .iter()
                .filter_map(|rank| comm.local.get(rank))
                .map(|&(ranks, _)| 1.0 / f64::from(ranks));
            let wanted = shares.sum::<f64>().round() as usize;
            let parts = if too_many && parts.len() != wanted {
                let mut parts: Vec<Vec<u32>> = Vec::new();
                let mut last = None;
                for &rank in &on_host {
                    let position = comm.local.get(&rank).map(|&(_, position)| position);
                    match parts.last_mut() {
                        Some(part) if position > last => part.push(rank),
                        _ => parts.push(vec![rank]),
                    }
                    last = position;
                }
                parts
            } else {
                parts
            };
            for (number, part) in parts.iter().enumerate() {
                part.iter().for_each(|&rank| names[rank as usize] = Some(format!("{host}/{number}")));
            }
        }
        let absent: Vec<u32> = (0..comm.ranks).filter(|&rank| !comm.members.contains_key(&rank)).collect();
        if absent.is_empty() {
            return names.into_iter().map(Option::unwrap_or_default).collect();
        }
        // A rank with a connection inside a node to a rank of a known node.
        for &rank in &absent {
            let mut others = near.get(&rank).into_iter().flatten();
            names[rank as usize] = others.find_map(|&other| names[other as usize].clone());
        }
        let first_of = self.blocks(index, &names).unwrap_or_else(|| (0..comm.ranks).collect());
        let mut of_block: HashMap<u32, String> = HashMap::new();
        for (name, first) in names.iter().zip(&first_of) {
            if let Some(name) = name {
                of_block.entry(*first).or_insert_with(|| name.clone());
            }
        }
        for (name, first) in names.iter_mut().zip(first_of) {
            if name.is_none() {
                let new = || format!("node of rank {first}");
                *name = Some(of_block.entry(first).or_insert_with(new).clone());
            }
        }
        let (known, absent) = (comm.members.len(), ranges(&absent));
        self.warnings.add(
            FaultPlace::File,
            format!("The log has {known} of {ranks} ranks. The nodes of ranks {absent} follow from the lines of the others."),
        );
        names.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// First rank on the node of each rank, where ranks are on nodes in order: by `nNodes`, or by the numbers of GPUs. `None` if that
    /// does not fit the known nodes.
    fn blocks(&self, index: usize, names: &[Option<String>]) -> Option<Vec<u32>> {
        let ranks = self.comms[index].ranks;
        let of_size = |each: u32| (0..ranks).map(|rank| rank / each * each).collect::<Vec<u32>>();
        let fits = |first_of: &Vec<u32>| {
            let mut name_of = HashMap::new();
            let mut first_by_name = HashMap::new();
            names.iter().zip(first_of).filter_map(|(name, first)| Some((name.as_ref()?, first))).all(
                |(name, first)| {
                    *name_of.entry(first).or_insert(name) == name
                        && *first_by_name.entry(name).or_insert(first) == first
                },
            )
        };
        let nodes = self.comms[index].nodes.filter(|&nodes| nodes > 0 && ranks.is_multiple_of(nodes));
        let even = nodes.map(|nodes| ranks / nodes).into_iter().chain(self.even_by_gpus(index));
        even.map(of_size).find(fits).or_else(|| self.uneven_by_gpus(index).filter(fits))
    }

    /// GPUs of ranks, as connections name them.
    fn gpus_of(&self, index: usize) -> Vec<(u32, &str)> {
        let gpu = |rank| Some((rank, self.gpus.get(&(Some(index), rank))?.as_str()));
        (0..self.comms[index].ranks).filter_map(gpu).collect()
    }

    /// Numbers of ranks per node with which equal positions on nodes have equal GPUs, the most likely first: no network inside a node,
    /// and as few nodes as that allows.
    fn even_by_gpus(&self, index: usize) -> Vec<u32> {
        let Comm { ranks, is_mnnvl, .. } = self.comms[index];
        let gpus = self.gpus_of(index);
        let numbers: Option<Vec<u32>> = gpus.iter().map(|(_, gpu)| number_of(gpu)).collect();
        let is_numbered = |each: u32| {
            numbers.as_ref().is_some_and(|numbers| {
                gpus.iter().zip(numbers).all(|((rank, _), number)| rank % each == *number)
            })
        };
        let is_regular = |each: u32| {
            let (mut gpu_at, mut place_of) = (HashMap::new(), HashMap::new());
            gpus.iter().all(|&(rank, gpu)| {
                let place = rank % each;
                *gpu_at.entry(place).or_insert(gpu) == gpu && *place_of.entry(gpu).or_insert(place) == place
            })
        };
        // NVLink between nodes takes two.
        let sizes = (1..=ranks).rev().filter(|each| ranks.is_multiple_of(*each));
        let sizes: Vec<u32> = sizes.filter(|&each| each < ranks || !is_mnnvl || ranks == 1).collect();
        let mut fitting: Vec<u32> = checked(&sizes).copied().filter(|&each| is_numbered(each)).collect();
        if fitting.is_empty() {
            fitting = checked(&sizes).copied().filter(|&each| is_regular(each)).collect();
        }
        let has_net = |each: u32| {
            let mut own = checked(self.connections.keys()).filter(|key| key.0 as usize == index);
            own.any(|(_, c)| c.via == Via::Net && c.from / each == c.to / each)
        };
        fitting.sort_by_cached_key(|&each| has_net(each));
        fitting
    }

    /// First rank on the node of each rank by the numbers of GPUs, for nodes of different sizes.
    fn uneven_by_gpus(&self, index: usize) -> Option<Vec<u32>> {
        let gpus = self.gpus_of(index);
        let first = |&(rank, gpu): &(u32, &str)| rank.checked_sub(number_of(gpu)?);
        let firsts: BTreeSet<u32> = gpus.iter().map(first).collect::<Option<_>>()?;
        let of = |rank: u32| firsts.range(..=rank).next_back().copied();
        let first_of: Vec<u32> = (0..self.comms[index].ranks).map(of).collect::<Option<_>>()?;
        gpus.iter().all(|gpu| first(gpu) == of(gpu.0)).then_some(first_of)
    }

    /// Hops of the rings of a communicator with their counts, as the first process wrote them.
    fn ring_hops(&self, index: usize) -> HashMap<(u32, u32), f64> {
        let mut hops = HashMap::new();
        let mut of = self.rings.range((Some(index), 0, 0)..=(Some(index), usize::MAX, u32::MAX)).peekable();
        let writer = of.peek().map(|((_, member, _), _)| *member);
        for ((_, member, _), ring) in of {
            if Some(*member) != writer {
                break;
            }
            let mut hop = |from, to| *hops.entry((from, to)).or_default() += 1.0;
            ring.windows(2).for_each(|pair| hop(pair[0], pair[1]));
            // A long ring is cut off in the log.
            if let [first, .., last] = ring[..]
                && ring.len() == self.comms[index].ranks as usize
            {
                hop(last, first);
            }
        }
        hops
    }
}

/// The number of a GPU, unless it is that of a bus.
fn number_of(gpu: &str) -> Option<u32> {
    gpu.parse().ok().filter(|number| *number < 64)
}

/// Sender, receiver and amount.
type Flow = (u32, u32, f64);

/// Sums of flows, ascending.
fn merged(mut flows: Vec<Flow>) -> Vec<Flow> {
    flows.retain(|&(from, to, amount)| from != to && amount > 0.0);
    flows.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    flows.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if is_same { next.2 } else { 0.0 };
        is_same
    });
    flows
}

/// The larger amount per pair of two lists of sums.
fn larger(mut flows: Vec<Flow>, others: Vec<Flow>) -> Vec<Flow> {
    flows.extend(others);
    flows.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)));
    flows.dedup_by_key(|flow| (flow.0, flow.1));
    flows
}

/// Parts of these ranks that connections join, in order.
fn components(ranks: &[u32], near: &HashMap<u32, Vec<u32>>) -> Vec<Vec<u32>> {
    let mut left: BTreeSet<u32> = ranks.iter().copied().collect();
    let mut parts = Vec::new();
    while let Some(first) = left.pop_first() {
        let (mut part, mut next) = (vec![first], vec![first]);
        while let Some(rank) = next.pop() {
            for &other in near.get(&rank).into_iter().flatten() {
                if left.remove(&other) {
                    part.push(other);
                    next.push(other);
                }
            }
        }
        parts.push(part);
    }
    parts
}

impl Connection {
    /// `true` if the process with that rank of so many writes this connection.
    fn fits(self, rank: u32, ranks: u32) -> bool {
        let is_own = match self.is_sender {
            Some(true) => self.from == rank,
            Some(false) => self.to == rank,
            None => self.from == rank || self.to == rank,
        };
        is_own && self.from.max(self.to) < ranks
    }
}

/// Parses `host:pid:thread [device]`, which launchers put tags before, such as `[1,3]<stdout>:`.
fn process(before: &str) -> Result<(Cow<'_, str>, u64, u32), LineError> {
    let parse = || {
        let (start, device) = before.trim_end().strip_suffix(']')?.rsplit_once('[')?;
        let word = start.trim_end().rsplit(char::is_whitespace).next()?;
        let mut parts = word.rsplitn(3, ':');
        let (_, pid, host) = (parts.next(), parts.next()?, parts.next()?);
        let host = host.rsplit([':', '>', '\u{1b}']).next()?;
        let host = host.rsplit(']').next().filter(|host| (1..=MAX_NAME).contains(&host.len()))?;
        Some((Cow::Borrowed(host), pid.parse().ok()?, device.parse().ok()?))
    };
    parse().ok_or_else(|| LineError::new(format!("{before:?}"), PROCESS))
}

/// The numbers of a channel, as in `Channel 00/02 :` and `Ring 00 :` (with 0), and the text after it.
fn channel(message: &str) -> Option<([u32; 2], &str)> {
    let (_, rest) = message.split_once(' ')?;
    let (channel, rest) = rest.split_once(':')?;
    let mut numbers = channel.trim().split('/').map(|number| number.parse::<u32>());
    let (number, second) = (numbers.next()?.ok()?, numbers.next().unwrap_or(Ok(0)).ok()?);
    numbers.all(|number| number.is_ok()).then_some(([number, second], rest))
}

/// Parses a ring, as in `Channel 00/02 : 0 1 2 3`.
fn ring(message: &str) -> Option<(u32, Vec<u32>)> {
    let ([channel, _], rest) = channel(message)?;
    // A long ring is cut off, and collectors of logs add text behind it.
    let digits =
        |word: &str| word.split(|c: char| !c.is_ascii_digit()).next().and_then(|rank| rank.parse().ok());
    let words = rest.split_whitespace().map_while(digits);
    let ranks: Vec<u32> = words.take_while(|&rank| rank < MAX_RANKS).collect();
    let is_distinct = ranks.iter().collect::<BTreeSet<_>>().len() == ranks.len();
    (ranks.len() > 1 && is_distinct).then_some((channel, ranks))
}

/// A line about a connection, with the names of both GPUs.
struct ConnectionLine<'a> {
    /// Channel, and connection in it.
    channel: [u32; 2],
    connection: Connection,
    gpus: [Option<&'a str>; 2],
    /// Number of the network device.
    device: Option<u32>,
}

/// Parses `Channel 00/0 : 3[3] -> 11[3] [send] via NET/IB/3` and the older `Ring 00 : 3 -> 11 [send] via NET/IB/3`.
fn connection(message: &str) -> Result<ConnectionLine<'_>, LineError> {
    let parse = || {
        let (channel, rest) = channel(message)?;
        let (ends, how) = rest.split_once(" via")?;
        let (from, to) = ends.trim().split_once(" -> ")?;
        let (to, is_sender) = match to.split_once(' ') {
            None => (to, None),
            Some((to, "[send]")) => (to, Some(true)),
            Some((to, "[receive]")) => (to, Some(false)),
            Some(_) => return None,
        };
        let ((from, a), (to, b)) = (end(from)?, end(to)?);
        let via = match how.trim_start() {
            // NVLink may connect nodes (NCCL, `src/transport/p2p.cc`), and a line may be cut after the ends.
            how if how.starts_with("P2P/MNNVL") || how.is_empty() => Via::Unknown,
            how if how.starts_with("NET") || how.starts_with("COLLNET") => Via::Net,
            _ => Via::Node,
        };
        // `NET/IB/3/GDRDMA`, or `NET/IB/3(5)` over the GPU of rank 5.
        let device = how.trim_start().strip_prefix("NET/").and_then(|how| how.split('/').nth(1));
        let device = device.and_then(|word| word.split('(').next()?.trim().parse().ok());
        let connection = Connection { from, to, is_sender, via };
        Some(ConnectionLine { channel, connection, gpus: [a, b], device })
    };
    parse().ok_or_else(|| LineError::new(format!("{message:?}"), CHANNEL))
}

/// A rank and its GPU, by index or by bus, as in `3[4a000]`; old versions write `3`.
fn end(word: &str) -> Option<(u32, Option<&str>)> {
    let (rank, gpu) = match word.strip_suffix(']') {
        Some(word) => word.split_once('[').map(|(rank, gpu)| (rank, Some(gpu)))?,
        None => (word, None),
    };
    let is_gpu = |gpu: &str| (1..=16).contains(&gpu.len()) && gpu.chars().all(|c| c.is_ascii_hexdigit());
    let rank = rank.parse().ok().filter(|&rank| rank < MAX_RANKS)?;
    gpu.is_none_or(is_gpu).then_some((rank, gpu))
}

/// Address, ranks, own rank if it is there, the call with its other end, and bytes.
type CallLine = (u64, u32, Option<u32>, (Call, u32), f64);

/// Parses `AllReduce: opCount 0 … count 262144 datatype 7 op 0 root 0 comm 0x24bce360 [nranks=8] stream (nil)`
/// (NCCL, `src/enqueue.cc`).
fn call(message: &str) -> Result<CallLine, LineError> {
    let parse = || {
        let (name, rest) = message.split_once(':')?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let after = |key: &str| {
            let at = words.iter().position(|word| *word == key)?;
            words.get(at + 1).copied()
        };
        let address = u64::from_str_radix(after("comm")?.strip_prefix("0x")?, 16).ok()?;
        let ranks = words.iter().find_map(|word| word.strip_prefix("[nranks=")?.strip_suffix(']'))?;
        let ranks: u32 = ranks.parse().ok().filter(|ranks| (1..=MAX_RANKS).contains(ranks))?;
        let count: u64 = after("count")?.parse().ok()?;
        let size = match after("datatype")?.parse::<u32>().ok()? {
            0 | 1 | 10 | 11 => 1.0,
            6 | 9 => 2.0,
            2 | 3 | 7 => 4.0,
            4 | 5 | 8 => 8.0,
            _ => return None,
        };
        let root: u32 = after("root")?.parse().ok().filter(|root| *root < ranks)?;
        let own = after("globalrank").and_then(|rank| rank.parse().ok()).filter(|rank| *rank < ranks);
        let (each, all) = (count as f64 * size, count as f64 * size * f64::from(ranks));
        let (call, bytes) = match name.trim().to_ascii_lowercase().as_str() {
            "allreduce" => (Call::Collective(Operation::AllReduce), each),
            "allgather" => (Call::Collective(Operation::AllGather), each),
            "reducescatter" => (Call::Collective(Operation::ReduceScatter), all),
            "broadcast" | "bcast" | "reduce" => (Call::Collective(Operation::Rooted), each),
            "alltoall" => (Call::Collective(Operation::AllToAll), all),
            "gather" => (Call::Gather, each),
            "scatter" => (Call::Scatter, each),
            "send" => (Call::Send, each),
            "recv" => (Call::Receive, each),
            _ => return None,
        };
        let other = if matches!(call, Call::Collective(_)) { 0 } else { root };
        Some((address, ranks, own, (call, other), bytes))
    };
    parse().ok_or_else(|| LineError::new(format!("{message:?}"), CALL))
}

/// A line at the start of a communicator.
struct Init {
    address: u64,
    rank: u32,
    ranks: u32,
    id: Option<String>,
    /// Address of the parent, the number of the split, and its colour.
    parent: Option<(u64, u64, i64)>,
    /// Nodes, ranks on the own node, and position there.
    layout: Option<(u32, u32, u32)>,
    is_mnnvl: bool,
}

fn init(message: &str) -> Result<Init, LineError> {
    let message = message.replace("- Init", " - Init");
    let words: Vec<&str> = message.split_whitespace().collect();
    let after =
        |name: &str| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1).copied());
    let address = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let number = |name: &str| after(name)?.parse::<u32>().ok();
    let parse = || {
        let parent = match after("parent") {
            None => None,
            Some(word) => {
                // Versions from 2.29 on count all children.
                let split = after("splitCount").or_else(|| after("childCount"))?;
                Some((address(word)?, split.parse().ok()?, after("color")?.parse().ok()?))
            }
        };
        let (rank, ranks) = (number("rank")?, number("nranks").or_else(|| number("nRanks"))?);
        let id = after("commId").map(str::to_owned);
        let layout = || {
            let layout = (number("nNodes")?, number("localRanks")?, number("localRank")?);
            Some(layout).filter(|&(nodes, ranks, _)| nodes > 0 && ranks > 0)
        };
        let address = address(after("comm")?)?;
        let is_mnnvl = number("MNNVL") == Some(1);
        Some(Init { address, rank, ranks, id, parent, layout: layout(), is_mnnvl }).filter(|init| {
            rank < ranks && ranks <= MAX_RANKS && init.id.as_ref().is_none_or(|id| id.len() <= MAX_NAME)
        })
    };
    parse().ok_or_else(|| LineError::new(format!("{message:?}"), INIT))
}

impl Reader for Log {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.warnings.file = file.to_owned();
        self.file += 1;
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        self.end_lines().map(|_| ())
    }

    fn finish(mut self: Box<Self>) -> Result<Traffic, LineError> {
        self.warnings.file.clear();
        let order = self.in_order();
        self.join_calls(&order);
        self.join_early(&order);
        let main = (0..self.comms.len()).max_by_key(|&index| {
            let comm = &self.comms[index];
            (comm.ranks, comm.members.len(), std::cmp::Reverse(index))
        });
        let unit = if self.has_calls { Unit::Bytes } else { Unit::Connections };
        let Some(main) = main else {
            return Ok(Traffic { unit, warnings: self.warnings.finish(), ..Traffic::default() });
        };
        let names = self.nodes(main);
        let numbers = Numbers::new(&self, main, &order);
        let mut hosts = vec![String::new(); numbers.count as usize];
        for (member, &number) in self.members.iter().zip(&numbers.of_member) {
            let id = self.host_ids.get(&member.process);
            hosts[number as usize].clone_from(id.unwrap_or(&member.host));
        }
        for (rank, name) in (0..).zip(&names) {
            if let Some(number) = numbers.of(&self, main, rank) {
                hosts[number as usize].clone_from(name);
            }
        }
        let hops = self.hops(&numbers, &hosts);
        let (flows, collectives) = match self.has_calls {
            true => self.sum_calls(&numbers),
            false => (self.sum_connections(&numbers), Vec::new()),
        };
        Ok(Traffic {
            unit,
            ranks: numbers.count,
            flows,
            collectives,
            hosts,
            hops,
            warnings: self.warnings.finish(),
        })
    }
}

/// Ranks of the import.
struct Numbers {
    main: usize,
    of_member: Vec<u32>,
    /// Ranks of the largest communicator that have no log.
    absent: HashMap<u32, u32>,
    count: u32,
}

impl Numbers {
    /// The rank in the largest communicator if that has all processes, otherwise in the order of hosts and GPUs.
    fn new(log: &Log, main: usize, order: &[usize]) -> Numbers {
        let Comm { ranks, members, .. } = &log.comms[main];
        let mut of_member = vec![0; log.members.len()];
        let is_whole = members.len() == log.members.len();
        match is_whole {
            true => members.iter().for_each(|(&rank, &member)| of_member[member] = rank),
            false => order.iter().zip(0..).for_each(|(&member, number)| of_member[member] = number),
        }
        let missing = (0..*ranks).filter(|rank| !members.contains_key(rank));
        let absent: HashMap<u32, u32> = match is_whole {
            true => missing.map(|rank| (rank, rank)).collect(),
            false => missing.zip(log.members.len() as u32..).collect(),
        };
        let count = (log.members.len() + absent.len()) as u32;
        Numbers { main, of_member, absent, count }
    }

    fn of(&self, log: &Log, comm: usize, rank: u32) -> Option<u32> {
        let (own, main) = (&log.comms[comm], &log.comms[self.main]);
        if let Some(&member) = own.members.get(&rank) {
            return Some(self.of_member[member]);
        }
        // A second communicator of as many ranks has the same ones.
        let is_same = || {
            own.ranks == main.ranks
                && own.members.iter().all(|(rank, member)| main.members.get(rank) == Some(member))
        };
        let is_main = comm == self.main || is_same();
        if !is_main {
            return None;
        }
        let known = main.members.get(&rank).map(|&member| self.of_member[member]);
        known.or_else(|| self.absent.get(&rank).copied())
    }
}

impl Log {
    /// Sums of connections and rings.
    fn sum_connections(&mut self, numbers: &Numbers) -> Vec<Flow> {
        let report = |((comm, connection), count): ((u32, Connection), u32)| {
            let Connection { from, to, is_sender, .. } = connection;
            let is_member = self.comms[comm as usize].members.contains_key(&from);
            (comm, from, to, is_sender.unwrap_or(is_member), count)
        };
        let mut reports: Vec<_> = checked(std::mem::take(&mut self.connections)).map(report).collect();
        reports.sort_unstable();
        let (mut flows, mut unknown) = (Vec::with_capacity(reports.len()), BTreeSet::new());
        let mut rest = reports.as_slice();
        for index in 0..self.comms.len() {
            let (mut own, later) = rest.split_at(rest.partition_point(|report| report.0 as usize <= index));
            rest = later;
            let mut hops = self.ring_hops(index);
            let Comm { ranks, members, .. } = &self.comms[index];
            // Every rank of a whole ring sends one hop.
            let senders: BTreeSet<u32> = hops.keys().map(|&(from, _)| from).collect();
            match (members.len() < *ranks as usize && !hops.is_empty(), senders.len() == *ranks as usize) {
                (true, true) => {
                    own = &[];
                    self.warnings.once(
                        "Ranks have no log. The traffic is that of the rings, which the log of rank 0 lists",
                    );
                }
                (true, false) => self.warnings.once(
                    "Ranks have no log, and the rings that the log of rank 0 lists are cut off, so connections are missing",
                ),
                _ => {}
            }
            let sums = own.chunk_by(|a, b| (a.1, a.2) == (b.1, b.2)).map(|pair| {
                let mut ends = [0.0; 2];
                pair.iter().for_each(|report| ends[usize::from(report.3)] += f64::from(report.4));
                (pair[0].1, pair[0].2, ends[0].max(ends[1]))
            });
            for (from, to, count) in checked(sums) {
                let count = hops.remove(&(from, to)).map_or(count, |hops| count.max(hops));
                match (numbers.of(self, index, from), numbers.of(self, index, to)) {
                    (Some(from), Some(to)) => flows.push((from, to, count)),
                    _ => drop(unknown.insert(index)),
                }
            }
            for ((from, to), count) in hops {
                match (numbers.of(self, index, from), numbers.of(self, index, to)) {
                    (Some(from), Some(to)) => flows.push((from, to, count)),
                    _ => drop(unknown.insert(index)),
                }
            }
        }
        drop(reports);
        self.warn_unknown(&unknown);
        merged(flows)
    }

    /// Bytes of messages, and of collectives.
    fn sum_calls(&mut self, numbers: &Numbers) -> (Vec<Flow>, Vec<Collective>) {
        let mut reports: BTreeMap<(usize, Operation), BTreeMap<u32, f64>> = BTreeMap::new();
        let mut unknown = BTreeSet::new();
        let mut ends = [Vec::new(), Vec::new()];
        let calls = std::mem::take(&mut self.calls);
        for (key, bytes) in checked(calls).filter(|(key, _)| key.is_started) {
            let comm = key.comm as usize;
            let own = Some(numbers.of_member[key.member as usize]);
            let other = numbers.of(self, comm, key.other);
            let (from, to, end) = match key.call {
                Call::Collective(operation) => {
                    *reports.entry((comm, operation)).or_default().entry(key.member).or_default() += bytes;
                    continue;
                }
                Call::Send | Call::Gather => (own, other, End::Sender),
                Call::Receive | Call::Scatter => (other, own, End::Receiver),
            };
            match (from, to) {
                (Some(from), Some(to)) => ends[end as usize].push((from, to, bytes)),
                _ => drop(unknown.insert(comm)),
            }
        }
        let [sent, received] = ends.map(merged);
        let flows = larger(sent, received);
        let mut totals: BTreeMap<(Vec<u32>, Operation), f64> = BTreeMap::new();
        let mut comm_members: HashMap<usize, Option<Vec<u32>>> = HashMap::new();
        for ((comm, operation), by_member) in checked(reports) {
            let members = comm_members.entry(comm).or_insert_with(|| {
                (0..self.comms[comm].ranks).map(|rank| numbers.of(self, comm, rank)).collect()
            });
            match members {
                Some(members) => {
                    let mean = by_member.values().sum::<f64>() / by_member.len() as f64;
                    *totals.entry((members.clone(), operation)).or_default() += mean;
                }
                None => drop(unknown.insert(comm)),
            }
        }
        self.warn_unknown(&unknown);
        let collective = |((members, operation), bytes)| Collective { operation, members, bytes };
        let all = totals.into_iter().map(collective);
        (flows, all.filter(|c| c.members.len() > 1 && c.bytes > 0.0).collect())
    }

    fn warn_unknown(&mut self, comms: &BTreeSet<usize>) {
        for &index in comms {
            let Comm { ranks, members, .. } = &self.comms[index];
            let known = members.len();
            self.warnings.add(
                FaultPlace::File,
                format!(
                    "A communicator of {} has the logs of {} only. Traffic with the others is left out. Give the logs of all ranks.",
                    count_of((*ranks).into(), "rank"),
                    grouped(known as u64)
                ),
            );
        }
    }
}

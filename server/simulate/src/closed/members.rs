//! The members of all groups, each with its place in its program, as the source of their frames.

use super::{
    ClosedInput, GroupedInput,
    background::Generators,
    node::{Node, nodes},
    programs::{Op, Program, Slice},
};
use crate::{
    SimulateError,
    core::{Core, Frame, NONE, NewFrame, Source},
};
use work::simulation::{GroupTime, SimulationProgress};

/// A node in a group.
#[derive(Clone, Debug)]
struct Member {
    group: u32,
    node: u32,
    round: u32,
    /// First lane of the member.
    lane: u32,
    received: u64,
}

/// The position of a member in a lane of its program.
#[derive(Clone, Debug, Default)]
struct Lane {
    op: u32,
    /// Frames of the current message that are not queued yet, and its number; `None` between messages.
    unsent: u32,
    message: Option<u32>,
}

struct Group {
    program: Program,
    /// First member; the others follow in rank order.
    first: u32,
    /// Place of its first word in [`Members::phases`], and the words per member and round; 0 without phases.
    bits: usize,
    words: usize,
    /// Members that have not completed all rounds.
    running: u32,
    /// Cycles until it completed.
    cycles: Option<u64>,
}

#[derive(Clone, Debug)]
struct Message {
    frames: u32,
    to: u32,
    round: u32,
    phase: u32,
    bytes: u64,
    next: u32,
}

pub(super) struct Members<'a> {
    closed: ClosedInput<'a>,
    /// Node of each host.
    node_of: Vec<u32>,
    nodes: Vec<Node>,
    groups: Vec<Group>,
    members: Vec<Member>,
    lanes: Vec<Lane>,
    by_node: Vec<u32>,
    messages: Vec<Message>,
    unused: u32,
    /// One bit per member and phase of this round and the next, set when received.
    phases: Vec<u64>,
    /// Number of the length of a frame, by flits of its payload.
    lengths: Vec<u16>,
    /// Messages of all rounds.
    total: f64,
    /// Groups that have not completed.
    running: u32,
    /// Messages received completely, and their bytes.
    delivered: u64,
    pub bytes: u64,
    pub background: Option<Generators<'a>>,
}

impl<'a> Members<'a> {
    /// The members, and the lengths of their frames.
    pub fn new(grouped: &GroupedInput<'a>) -> (Members<'a>, Vec<u32>) {
        let GroupedInput { closed, groups, background } = *grouped;
        let ClosedInput { fabric, settings, collective, message, seed, .. } = closed;
        let mut members = Members {
            closed,
            node_of: vec![NONE; fabric.hosts as usize],
            nodes: nodes(&closed),
            groups: Vec::with_capacity(groups.len()),
            members: Vec::new(),
            lanes: Vec::new(),
            by_node: Vec::new(),
            messages: Vec::new(),
            unused: NONE,
            phases: Vec::new(),
            lengths: vec![0; settings.payload as usize + 1],
            total: 0.0,
            running: groups.len() as u32,
            delivered: 0,
            bytes: 0,
            background: None,
        };
        for (node, place) in (0..).zip(&members.nodes) {
            members.node_of[place.host as usize] = node;
        }
        for nodes in groups {
            members.add(Program::new(collective, nodes.len() as u32, message, settings), nodes);
        }
        members.phases = vec![0; members.groups.last().map_or(0, Group::end)];
        members.sort();
        let lengths = members.set_lengths();
        let first = members.members.len() as u32;
        members.background =
            background.map(|background| Generators::new(background, settings.frame(), seed, first));
        (members, lengths)
    }

    fn add(&mut self, program: Program, nodes: &[u32]) {
        let (group, first) = (self.groups.len() as u32, self.members.len() as u32);
        for &node in nodes {
            let lane = self.lanes.len() as u32;
            self.members.push(Member { group, node, round: 0, lane, received: 0 });
            self.lanes.extend((0..program.lanes()).map(|_| Lane::default()));
        }
        self.total += program.messages() as f64 * f64::from(self.closed.rounds);
        let (bits, words) =
            (self.groups.last().map_or(0, Group::end), program.phases().div_ceil(64) as usize);
        let running = program.nodes;
        self.groups.push(Group { program, first, bits, words, running, cycles: None });
    }

    /// Lists the members of each node.
    fn sort(&mut self) {
        self.by_node = (0..self.members.len() as u32).collect();
        self.by_node.sort_by_key(|&member| self.members[member as usize].node);
        for (place, &member) in (0..).zip(&self.by_node) {
            let own = &mut self.nodes[self.members[member as usize].node as usize].members;
            *own = if own.start == own.end { place..place + 1 } else { own.start..place + 1 };
        }
    }

    /// Numbers the lengths of frames: 0 for a full one, then those of messages' last frames.
    fn set_lengths(&mut self) -> Vec<u32> {
        let ClosedInput { settings, message, .. } = self.closed;
        let mut lengths = vec![settings.frame()];
        let mut programs: Vec<Program> = Vec::new();
        for group in &self.groups {
            if !programs.contains(&group.program) {
                programs.push(group.program);
            }
        }
        for of in programs.iter().flat_map(Program::divisions) {
            // The shortest and the longest part.
            for bytes in [message / u64::from(of), message.div_ceil(u64::from(of))] {
                let flits = super::last_payload(settings, bytes);
                if flits == settings.payload {
                    continue;
                }
                let number = &mut self.lengths[flits as usize];
                if *number == 0 {
                    *number = lengths.len() as u16;
                    lengths.push(settings.header + flits);
                }
            }
        }
        lengths
    }

    pub fn start(&self, core: &mut Core) {
        (0..self.members.len() as u32).for_each(|member| core.wake(member, 0));
        self.background.iter().for_each(|background| background.start(core));
    }

    /// Time of each group.
    pub fn times(&self) -> Vec<GroupTime> {
        let time = |group: &Group| GroupTime {
            first: self.members[group.first as usize].node,
            nodes: group.program.nodes,
            cycles: group.cycles,
        };
        self.groups.iter().map(time).collect()
    }

    /// Runs a member's program until it has to wait.
    fn step(&mut self, core: &mut Core, number: u32) -> Result<(), SimulateError> {
        let rounds = self.closed.rounds;
        while self.members[number as usize].round < rounds {
            let Member { group, node, lane, .. } = self.members[number as usize];
            let lanes = self.groups[group as usize].program.lanes();
            let (turn, mut ended) = ((self.nodes[node as usize].turn % u64::from(lanes)) as u32, 0);
            for at in 0..lanes {
                ended += u32::from(self.run(core, number, (turn + at) % lanes)?);
            }
            if ended < lanes {
                return Ok(());
            }
            self.lanes[lane as usize..(lane + lanes) as usize].fill(Lane::default());
            let (member, group) = (&mut self.members[number as usize], &mut self.groups[group as usize]);
            member.round += 1;
            if member.round == rounds {
                group.running -= 1;
                if group.running == 0 {
                    group.cycles = Some(core.now + 1);
                    self.running -= 1;
                }
            }
        }
        Ok(())
    }

    /// Runs a lane of a member until it has to wait. Returns `true` at its end.
    fn run(&mut self, core: &mut Core, number: u32, lane: u32) -> Result<bool, SimulateError> {
        let Member { group, round, received, lane: first, .. } = self.members[number as usize];
        let Group { program, first: member, .. } = self.groups[group as usize];
        let place = (first + lane) as usize;
        loop {
            match program.op(number - member, lane, self.lanes[place].op) {
                Op::Send { to, phase, part } => {
                    if !self.send(core, (number, place), member + to, (phase, part))? {
                        return Ok(false);
                    }
                }
                Op::Await(count) if received < u64::from(count) * (u64::from(round) + 1) => return Ok(false),
                Op::Await(_) => {}
                Op::AwaitPhase(phase) => {
                    let (word, bit) = self.phase(number, round, phase);
                    if self.phases[word] & bit == 0 {
                        return Ok(false);
                    }
                    self.phases[word] &= !bit;
                }
                Op::End => return Ok(true),
            }
            self.lanes[place].op += 1;
        }
    }

    /// Queues frames of a message while the queues are short. Returns `true` once all are queued.
    fn send(
        &mut self,
        core: &mut Core,
        (number, place): (u32, usize),
        to: u32,
        (phase, part): (u32, Slice),
    ) -> Result<bool, SimulateError> {
        let ClosedInput { settings, message: whole, .. } = self.closed;
        let bytes = part.bytes(whole);
        let message = match self.lanes[place].message {
            Some(message) => message,
            None => {
                // The whole message has a u32 of frames, which was checked.
                let frames = super::frames(settings, bytes) as u32;
                let round = self.members[number as usize].round;
                let message = self.begin(Message { frames, to, round, phase, bytes, next: NONE });
                (self.lanes[place].unsent, self.lanes[place].message) = (frames, Some(message));
                message
            }
        };
        let last = self.lengths[super::last_payload(settings, bytes) as usize];
        let to = self.nodes[self.members[to as usize].node as usize].host;
        let lane = &mut self.lanes[place];
        let node = &mut self.nodes[self.members[number as usize].node as usize];
        while lane.unsent > 0 && node.queued < node.limit {
            lane.unsent -= 1;
            node.queued += 1;
            let length = if lane.unsent == 0 { last } else { 0 };
            let choice = node.chooser.choose(&core.routes, node.host, to);
            core.inject(NewFrame { born: core.now, from: node.host, to, choice, length, tag: message })?;
        }
        let all = lane.unsent == 0;
        if all {
            lane.message = None;
        }
        Ok(all)
    }

    /// `true` if all groups have completed.
    pub fn is_complete(&self) -> bool {
        self.running == 0
    }

    /// Numbers a message.
    fn begin(&mut self, message: Message) -> u32 {
        match self.unused {
            NONE => {
                self.messages.push(message);
                self.messages.len() as u32 - 1
            }
            number => {
                self.unused = std::mem::replace(&mut self.messages[number as usize], message).next;
                number
            }
        }
    }

    /// Word and bit of a received phase. No member is more than one round ahead of a member that waits for it.
    fn phase(&self, number: u32, round: u32, phase: u32) -> (usize, u64) {
        let group = &self.groups[self.members[number as usize].group as usize];
        let row = 2 * (number - group.first) as usize + round as usize % 2;
        (group.bits + row * group.words + phase as usize / 64, 1 << (phase % 64))
    }

    /// Lets all members of a node go on in turn, after one of its frames has left.
    fn resume(&mut self, core: &mut Core, node: u32) -> Result<(), SimulateError> {
        let node = &mut self.nodes[node as usize];
        node.turn += 1;
        let (first, count) = (node.members.start, node.members.len() as u32);
        let turn = (node.turn % u64::from(count)) as u32;
        for at in 0..count {
            let member = self.by_node[(first + (turn + at) % count) as usize];
            self.step(core, member)?;
        }
        Ok(())
    }
}

impl Group {
    /// End of its words in [`Members::phases`].
    fn end(&self) -> usize {
        self.bits + 2 * self.words * self.program.nodes as usize
    }
}

impl Source for Members<'_> {
    const WANTS_RECEIVED: bool = true;

    fn progress(&self, core: &Core) -> Option<SimulationProgress> {
        Some(SimulationProgress {
            share: Some(self.delivered as f64 / self.total),
            loads: Vec::new(),
            cycles: core.now,
            messages: self.delivered,
            rounds: self.members.iter().map(|member| member.round).min().unwrap_or(0),
        })
    }

    fn is_counted(tag: u32) -> bool {
        tag != NONE
    }

    fn is_done(&self) -> bool {
        self.is_complete()
    }

    fn wake(&mut self, core: &mut Core, number: u32) -> Result<(), SimulateError> {
        match (number.checked_sub(self.members.len() as u32), &mut self.background) {
            (Some(node), Some(background)) => background.fill(core, node, &mut self.nodes),
            _ => self.step(core, number),
        }
    }

    fn left(&mut self, core: &mut Core, channel: u32, tag: u32) -> Result<(), SimulateError> {
        let node = self.node_of[core.network.from[channel as usize] as usize];
        if let (NONE, Some(background)) = (tag, &mut self.background) {
            return background.left(core, node, &mut self.nodes);
        }
        self.nodes[node as usize].queued -= 1;
        self.resume(core, node)
    }

    fn received(&mut self, core: &mut Core, frame: &Frame) -> Result<(), SimulateError> {
        if let (NONE, Some(background)) = (frame.tag, &mut self.background) {
            background.receive();
            return Ok(());
        }
        let message = &mut self.messages[frame.tag as usize];
        message.frames -= 1;
        if message.frames > 0 {
            return Ok(());
        }
        let Message { to, round, phase, bytes, .. } = *message;
        message.next = std::mem::replace(&mut self.unused, frame.tag);
        self.delivered += 1;
        self.bytes += bytes;
        let member = &mut self.members[to as usize];
        member.received += 1;
        if self.groups[member.group as usize].words > 0 {
            let (word, bit) = self.phase(to, round, phase);
            self.phases[word] |= bit;
        }
        self.step(core, to)
    }
}

//! Slurm's `topology.conf`, or the output of `scontrol show topology`: switches with their nodes or with other switches, or blocks with
//! their nodes.
//!
//! A block is a switch. Slurm does not know how blocks are joined: they have one switch in common here.
//!
//! Slurm wants one switch above all others. If a comment says that a switch is not a real one, as in the files of this program, it is
//! left out.

use super::{
    LinkSpeed, NetworkFile,
    listed::{FileGraph, Role, Rules},
};
use crate::{cancel::checked, form::says, spec::Faults, text::grouped};

pub(super) const RULES: Rules = Rules::partial("`Nodes=` of a switch or a block");
/// Name of the switch that joins blocks.
const JOINT: &str = "between blocks";
/// Max names of a file, of which short lists have many. Slurm has up to 65,536 nodes.
const MAX_NAMES: usize = 1 << 18;
/// Max bytes of memory that the names take.
pub(super) const MAX_BYTES: u64 = 256 * MAX_NAMES as u64;

/// Reads a `topology.conf`.
///
/// # Errors
/// Every line without a name, or with a list of names that cannot be read.
pub(super) fn read_conf(name: &str, text: &str) -> Result<NetworkFile, Faults> {
    let mut topology = Topology::new(name, text);
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        let at = topology.graph.at(line);
        if let Some(unreal) = line.trim_start().strip_prefix('#') {
            topology.unreal.extend(
                unreal.split_once("is not a real switch").map(|(name, _)| name.trim().trim_matches('`')),
            );
        }
        let mut content = line.split('#').next().unwrap_or_default().trim_end().to_owned();
        while content.ends_with('\\') {
            content.pop();
            let next = lines.next().unwrap_or_default();
            content.push_str(next.split('#').next().unwrap_or_default().trim_end());
        }
        topology.line(&content, at);
    }
    topology.finish()
}

/// A switch or block with what it joins, as lists of names.
#[derive(Default)]
pub(super) struct Part<'t> {
    pub name: &'t str,
    pub is_block: bool,
    pub nodes: Option<&'t str>,
    pub switches: Option<&'t str>,
}

/// The parts of a file.
pub(super) struct Topology<'a> {
    pub graph: FileGraph<'a>,
    names: usize,
    unreal: Vec<&'a str>,
    blocks: Vec<(u32, usize)>,
}

impl<'a> Topology<'a> {
    pub fn new(name: &'a str, text: &'a str) -> Topology<'a> {
        Topology {
            graph: FileGraph::new(name, text, RULES),
            names: 0,
            unreal: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn line(&mut self, content: &str, at: usize) {
        let mut part = Part::default();
        let (mut has_any, mut has_level) = (false, false);
        // Blanks may surround the sign.
        let spaced = content.replace('=', " = ");
        let mut words = spaced.split_whitespace().peekable();
        if words.next_if(|word| word.eq_ignore_ascii_case("include")).is_some() {
            let file = words.next().unwrap_or_default();
            let sentence = format!("includes {file}, which is not read; put the lines of that file here.");
            return self.graph.fault(at, "", says(sentence));
        }
        while let Some(key) = words.next() {
            has_any = true;
            if words.next_if_eq(&"=").is_none() {
                return self.graph.fault(
                    at,
                    key,
                    "`SwitchName=`, `Nodes=`, `Switches=`, `BlockName=` or `BlockSizes=`, with a value",
                );
            }
            // A key without a value is before another one.
            let mut after = words.clone().skip(1);
            let value = words.next_if(|_| after.next() != Some("=")).unwrap_or_default().trim_matches('"');
            match key.to_ascii_lowercase().as_str() {
                "switchname" => part.name = value,
                "blockname" => (part.name, part.is_block) = (value, true),
                "nodes" => part.nodes = Some(value),
                "switches" => part.switches = Some(value),
                // Sizes are for the scheduler; the unit of a speed is anyone's. `scontrol` lists blocks of blocks, too.
                "blocksizes" | "aggregatedblock" => return,
                "blockindex" | "blocksize" => {}
                "level" => has_level = true,
                "linkspeed" => self.graph.warn(at, "has a LinkSpeed, which has no unit and is not read."),
                _ => {
                    let advice =
                        "`SwitchName`, `Nodes`, `Switches`, `LinkSpeed`, `BlockName` or `BlockSizes`";
                    return self.graph.fault(at, key, advice);
                }
            }
        }
        // `scontrol show topology` lists the nodes below each switch.
        if has_level && part.switches.is_some_and(|switches| !switches.is_empty()) {
            part.nodes = None;
        }
        if has_any {
            self.part(&part, at);
        }
    }

    /// Adds a switch or a block.
    pub fn part(&mut self, part: &Part, at: usize) {
        if part.name.is_empty() {
            return self.graph.fault(at, "", "`SwitchName=NAME` or `BlockName=NAME`");
        }
        if self.unreal.contains(&part.name) {
            return;
        }
        let switch = self.named(part.name, Role::Switch, at);
        if part.is_block {
            self.blocks.push((switch, at));
        }
        for (list, role) in [(part.nodes, Role::Host), (part.switches, Role::Switch)] {
            let Some(list) = list else { continue };
            let mut names = Vec::new();
            if let Err(advice) = expand(list, MAX_NAMES.saturating_sub(self.names), &mut names) {
                self.graph.fault(at, list, advice);
                continue;
            }
            self.names += names.len();
            for name in checked(names) {
                let node = self.named(&name, role, at);
                self.graph.link([node, switch], LinkSpeed::Hosts, at);
            }
        }
    }

    fn named(&mut self, name: &str, role: Role, at: usize) -> u32 {
        let node = self.graph.node(name.to_owned().into(), at);
        self.graph.set_role(node, role, at);
        node
    }

    pub fn finish(mut self) -> Result<NetworkFile, Faults> {
        let blocks = std::mem::take(&mut self.blocks);
        if let [(_, at), _, ..] = blocks[..] {
            self.graph.warn(at, "starts a list of blocks; how they are joined is not stated, so one switch joins all blocks here.");
            let joint = self.named(JOINT, Role::Switch, at);
            for (block, at) in blocks {
                self.graph.link([block, joint], LinkSpeed::Hosts, at);
            }
        }
        self.graph.network()
    }
}

/// The names of a list such as `node[01-04,07],rack[0-1]n[1-2]`.
///
/// # Errors
/// What would be accepted; a list with more than `max` names is an error.
pub(super) fn expand(list: &str, max: usize, names: &mut Vec<String>) -> Result<(), String> {
    let (mut depth, mut start) = (0u32, 0);
    let ends = list.char_indices().filter_map(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c == ',' && depth == 0).then_some(at)
    });
    let ends: Vec<usize> = ends.chain([list.len()]).collect();
    for end in ends {
        let item = list[start..end].trim();
        start = end + 1;
        if !item.is_empty() {
            expand_item(item, max, names)?;
        }
    }
    Ok(())
}

const LIST: &str = "names such as node[01-04,07] or a,b";

/// The names of an item of a list.
fn expand_item(item: &str, max: usize, names: &mut Vec<String>) -> Result<(), String> {
    let mut found = vec![String::new()];
    let mut rest = item;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']').ok_or(LIST)?;
        let mut next = Vec::new();
        for range in inside.split(',').map(str::trim) {
            let (low, high) = range.split_once('-').unwrap_or((range, range));
            let [first, last] = [low, high].map(|word| word.trim().parse::<u64>());
            let (Ok(first), Ok(last)) = (first, last) else { return Err(LIST.into()) };
            if first > last {
                return Err(format!("{LIST}, with the lower number first"));
            }
            let many = (last - first).saturating_add(1).saturating_mul(found.len() as u64);
            if many.saturating_add((next.len() + names.len()) as u64) > max as u64 {
                return Err(format!("at most {} names in the file", grouped(max as u64)));
            }
            let width = low.trim().len();
            for name in &found {
                next.extend((first..=last).map(|number| format!("{name}{before}{number:0width$}")));
            }
        }
        (found, rest) = (next, after);
    }
    if rest.contains(']') {
        return Err(LIST.into());
    }
    if names.len() + found.len() > max {
        return Err(format!("at most {} names in the file", grouped(max as u64)));
    }
    found.iter_mut().for_each(|name| name.push_str(rest));
    names.extend(found);
    Ok(())
}

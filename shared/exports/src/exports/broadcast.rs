//! Broadcast and multicast trees (Mattox 2006, section 5.2.2): from one node as a table, and for each node as the list of what it
//! forwards, wherever a broadcast starts.

use super::{
    CSV, DesignPlan, ExportError, FAILED, FileScope, Format, Group, INTERFACE, ROOT, Render, Setting,
    SettingOf, TEXT, WriteResult, design::once, parts::is_word,
};
use crate::analysis::routing::{BroadcastTree, Spread, broadcast};
use std::fmt;

/// Words of nodes and of ranges.
const GROUP: SettingOf<Vec<String>> =
    Setting::new("group", "nodes that receive the multicast; all by default")
        .words(
            "Multicast group",
            "nodes, by number or name, and ranges such as 0-7 node12 20-31, separated with spaces",
        )
        .hint("all nodes")
        .read(|text| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.iter().all(|word| is_word(word)).then_some(words).ok_or(None)
        });

pub(super) const FORMAT: Format = Format::new(Group::Routes, "broadcast", "Broadcast tree of a node", CSV, Render::Text(table))
    .read_by(&["pandas 3.1"])
    .purpose("broadcast tree of a node: forwarding nodes and their switches, receiving nodes and NICs, unreachable nodes")
    .with(&[&ROOT, &GROUP, &FAILED]);

pub(super) const FORWARDING: Format =
    Format::new(Group::Programs, "forwarding", "Broadcast list per node", TEXT, Render::Text(list))
        .purpose("broadcast list per node: the NICs to receive and send on, and the NICs to forward between")
        .per(FileScope::Node)
        .with(&[&ROOT, &GROUP, &FAILED, &INTERFACE]);

impl DesignPlan {
    /// The PE of the setting `root`, which is alive.
    pub(super) fn root(&self) -> Result<u32, ExportError> {
        let root = &self.settings.get(&ROOT);
        let pe = self.pe_of("root", root)?;
        let fault = |why: String| Err(ExportError::setting("root", root, why));
        match self.pes().checked_sub(1) {
            Some(last) if pe > last => fault(format!("there is no node {pe}; nodes are 0 to {last}")),
            Some(_) if self.faults()?.is_dead(pe) => {
                fault(format!("{} has failed; choose a node that works", self.pe_name(pe)))
            }
            Some(_) => Ok(pe),
            None => fault("the machine has no nodes".into()),
        }
    }

    /// The PE of a word of a setting; the machine may lack it.
    pub(super) fn pe_of(&self, setting: &str, word: &str) -> Result<u32, ExportError> {
        self.names.pe_of(word).ok_or_else(|| {
            let why = format!("{word:?} is not a node (such as 0, node7 or {})", self.pe_name(0));
            ExportError::setting(setting, word, why)
        })
    }

    /// The first and the last PE of a word of the setting `group`. Names may have hyphens, too.
    fn range(&self, word: &str) -> Result<(u32, u32), ExportError> {
        let ends =
            |(hyphen, _)| Some((self.names.pe_of(&word[..hyphen])?, self.names.pe_of(&word[hyphen + 1..])?));
        if let Some(pe) = self.names.pe_of(word) {
            return Ok((pe, pe));
        }
        word.match_indices('-').find_map(ends).filter(|(first, last)| first <= last).ok_or_else(|| {
            let why = format!("{word:?} is not a node or a range such as 0-7, the lower node first.");
            ExportError::setting("group", self.settings.list(&GROUP).join(" "), why)
        })
    }

    /// The PEs of the setting `group`, ascending; `None` for all.
    pub(super) fn group(&self) -> Result<Option<Vec<u32>>, ExportError> {
        let ranges =
            self.settings.list(&GROUP).iter().map(|word| self.range(word)).collect::<Result<Vec<_>, _>>()?;
        let last = self.pes().saturating_sub(1);
        if let Some(&(_, pe)) = ranges.iter().find(|&&(_, end)| end > last) {
            let why = format!("there is no node {pe}; nodes are 0 to {last}");
            return Err(ExportError::setting("group", self.settings.list(&GROUP).join(" "), why));
        }
        let mut group: Vec<u32> = ranges.iter().flat_map(|&(first, last)| first..=last).collect();
        group.sort_unstable();
        group.dedup();
        Ok((!group.is_empty()).then_some(group))
    }

    /// The spanning tree of broadcast domains, cut down to root and group where there is a group.
    fn broadcast_tree(&self) -> Result<&BroadcastTree, ExportError> {
        once(&self.computed.broadcast, || {
            let root = self.root()?;
            let whole = broadcast(&self.design, self.faults()?);
            Ok(match self.group()? {
                None => whole,
                Some(group) => whole.pruned(&[group, vec![root]].concat()),
            })
        })
    }
}

fn table(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (tree, root) = (plan.broadcast_tree()?, plan.root()?);
    let ni = |pe, switch| tree.working().ni(pe, switch);
    let Spread { sends, heard } = tree.from(root);
    out.write_str("what,hop,pe,from_switch,from_ni,to_switch,to_ni\n")?;
    for send in &sends {
        let (hop, pe, to) = (send.hop, send.pe, send.to);
        match send.from {
            None => write!(out, "sends,{hop},{pe},,")?,
            Some(from) => write!(out, "forwards,{hop},{pe},{from},{}", ni(pe, from))?,
        }
        writeln!(out, ",{to},{}", ni(pe, to))?;
    }
    for hears in &heard {
        writeln!(out, "hears,{},{},{},{},,", hears.hop, hears.pe, hears.on, ni(hears.pe, hears.on))?;
    }
    let mut hears: Vec<u32> = heard.iter().map(|hears| hears.pe).collect();
    hears.sort_unstable();
    let group = plan.group()?.unwrap_or_else(|| (0..plan.pes()).collect());
    let misses = |pe: &u32| *pe != root && hears.binary_search(pe).is_err();
    for pe in group.into_iter().filter(misses) {
        writeln!(out, "unreachable,,{pe},,,,")?;
    }
    Ok(())
}

fn list(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let tree = plan.broadcast_tree()?;
    let whole = plan.settings.list(&GROUP).is_empty();
    let what = if whole { "Broadcasts" } else { "Multicasts of the group" };
    writeln!(out, "# {what} at {} in {} ({} nodes).", plan.pe_name(pe), plan.title(), plan.pes())?;
    out.write_str(
        "# join: receive them on this NIC only, send own ones on all of these; the switch follows.\n",
    )?;
    out.write_str("# forward: send everything received on the first NIC on over the others.\n")?;
    let switches = tree.switches_of(pe);
    let interface = |switch| plan.interface(tree.working().ni(pe, switch));
    for &switch in switches {
        writeln!(out, "join {} {}", interface(switch), plan.switch_name(switch))?;
    }
    for &from in switches.iter().filter(|_| switches.len() > 1) {
        write!(out, "forward {}", interface(from))?;
        for &to in switches.iter().filter(|&&to| to != from) {
            write!(out, " {}", interface(to))?;
        }
        out.write_str("\n")?;
    }
    if switches.is_empty() {
        let why = if whole { "no other node can be reached" } else { "the group does not need this node" };
        writeln!(out, "# None: {why}.")?;
    }
    Ok(())
}

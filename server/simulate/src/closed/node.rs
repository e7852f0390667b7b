//! Nodes on their hosts, with the limits of their source queues.

use super::ClosedInput;
use crate::{open::placed, paths::Chooser};
use std::ops::Range;

/// Frames of the operation that a host keeps queued per NIC, and as many of the background.
const READY: u32 = 2;

/// A node on its host.
pub(super) struct Node {
    pub host: u32,
    /// Max frames in its source queues.
    pub limit: u32,
    pub chooser: Chooser,
    /// Frames in its source queues, without those of the background.
    pub queued: u32,
    /// Members of the node, as places in [`Members::by_node`](super::members::Members).
    pub members: Range<u32>,
    /// Number of its frames that have left: members and their lanes send in turn.
    pub turn: u64,
}

pub(super) fn nodes(closed: &ClosedInput) -> Vec<Node> {
    let ClosedInput { fabric, settings, nodes, seed, .. } = *closed;
    let mut limits = vec![0; fabric.hosts as usize];
    for end in fabric.links.iter().flat_map(|link| link.ends) {
        if let Some(limit) = limits.get_mut(end as usize) {
            *limit += READY;
        }
    }
    let node = |host: u32| Node {
        host,
        limit: limits[host as usize],
        chooser: Chooser::new(settings.paths, fabric.hosts, host, seed),
        queued: 0,
        members: 0..0,
        turn: 0,
    };
    placed(settings, nodes, fabric.hosts, seed).into_iter().map(node).collect()
}

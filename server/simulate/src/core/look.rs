//! What the search for deadlocks wants to know.

use super::{Core, parts::NONE};

impl Core<'_> {
    /// Every frame that asks: the input it is in, and the buffer it wants room in, none if it goes no further.
    pub fn asking(&self, mut each: impl FnMut(u32, Option<u32>)) {
        for resource in &self.resources {
            let mut number = resource.first;
            while number != NONE {
                let frame = &self.frames[number as usize];
                let end = self.hop_end(number);
                let wants = (end != frame.hops).then(|| self.channel(number, end - 1));
                each(self.input(number), wants);
                number = frame.next;
            }
        }
    }

    /// How many frames of a buffer must be able to leave for it to be stuck, none while it is not full.
    pub fn full(&self, channel: u32) -> Option<u32> {
        let node = &self.network.nodes[self.network.to[channel as usize] as usize];
        let full = node.room > 0 && self.held[channel as usize] == node.room;
        full.then_some(if node.shared { node.room } else { 1 })
    }

    /// Whether senders wait for room.
    pub fn holds(&self) -> bool {
        !self.drops
    }
}

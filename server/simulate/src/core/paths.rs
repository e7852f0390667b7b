//! Memory of frames and of their paths, which are kept only for frames at the front or in the network.

use super::{
    Core,
    parts::{Frame, NONE},
};
use crate::SimulateError;

impl Core<'_> {
    /// Channel by which a frame leaves its source. For a host with one channel the path is found only when the frame is at
    /// the front, so that waiting frames cost next to nothing.
    pub fn first_channel(&mut self, (from, to): (u32, u32), choice: u32) -> Result<u32, SimulateError> {
        if let Some(only) = self.network.only[from as usize] {
            return Ok(only);
        }
        let mut path = std::mem::take(&mut self.path);
        let found = self.routes.path(self.network, (from, to), choice, &mut path);
        self.path = path;
        found.map(|_| self.path[0])
    }

    pub(super) fn new_frame(&mut self, frame: Frame) -> u32 {
        if self.unused == NONE {
            self.frames.push(frame);
            return self.frames.len() as u32 - 1;
        }
        let number = self.unused;
        self.unused = self.frames[number as usize].next;
        self.frames[number as usize] = frame;
        number
    }

    pub(super) fn forget(&mut self, number: u32) {
        let frame = &mut self.frames[number as usize];
        self.slots.push(frame.slot);
        frame.next = self.unused;
        self.unused = number;
    }

    /// Stores a frame's path until the frame is received.
    pub(super) fn keep_path(&mut self, number: u32) -> Result<(), SimulateError> {
        let Frame { from, to, choice, .. } = self.frames[number as usize];
        let mut path = std::mem::take(&mut self.path);
        let leg = self.routes.path(self.network, (from, to), choice, &mut path)?;
        check_length((from, to), &path)?;
        // A part of a path is not longer than the path.
        self.frames[number as usize].leg = leg as u16;
        self.store_path(number, &path);
        self.path = path;
        Ok(())
    }

    /// Stores a path whose length is [checked](check_length).
    pub(super) fn store_path(&mut self, number: u32, path: &[u32]) {
        self.widen(path.len());
        let slot = self.slots.pop().unwrap_or_else(|| {
            let slot = self.paths.len() / self.stride;
            self.paths.resize(self.paths.len() + self.stride, 0);
            slot as u32
        });
        let frame = &mut self.frames[number as usize];
        (frame.slot, frame.hops) = (slot, path.len() as u16);
        let start = slot as usize * self.stride;
        self.paths[start..start + path.len()].copy_from_slice(path);
    }

    /// Widens all slots to hold a path of `hops` channels.
    fn widen(&mut self, hops: usize) {
        if hops <= self.stride {
            return;
        }
        let stride = hops.next_power_of_two();
        let mut paths = Vec::with_capacity(self.paths.len() / self.stride * stride);
        for path in self.paths.chunks(self.stride) {
            paths.extend_from_slice(path);
            paths.resize(paths.len() + stride - self.stride, 0);
        }
        (self.paths, self.stride) = (paths, stride);
    }
}

/// Checks that hops of a path fit their counter.
///
/// # Errors
/// There are too many.
pub(crate) fn check_length((from, to): (u32, u32), path: &[u32]) -> Result<(), SimulateError> {
    u16::try_from(path.len()).map(|_| ()).map_err(|_| SimulateError::Hops(from, to))
}

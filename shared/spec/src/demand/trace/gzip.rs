//! Unpacks gzip (RFC 1952) as its bytes arrive; other files pass unchanged.

use super::LineError;
use crate::{cancel::check, checksum::crc32};
use miniz_oxide::{
    DataFormat, MZFlush, MZStatus,
    inflate::stream::{InflateState, inflate},
};

/// Bytes that are unpacked at a time.
const PIECE: usize = 64 << 10;
/// Max bytes of a header: it has names of files.
const MAX_HEADER: usize = 64 << 10;
/// Bytes after the packed ones: a checksum and the size.
const TRAILER: usize = 8;

/// A file, packed or not.
#[derive(Default)]
pub(super) struct Gzip {
    stage: Stage,
    /// Checksum and number of the bytes that the part has unpacked.
    crc: u32,
    size: u32,
    /// Bytes that do not suffice for the next step.
    partial: Vec<u8>,
    out: Vec<u8>,
    is_packed: bool,
}

#[derive(Default)]
enum Stage {
    /// A header, or the beginning of a file that is not packed.
    #[default]
    Header,
    Packed(Box<InflateState>),
    Trailer,
    Plain,
    /// Zeros or other bytes after the last part.
    Padding,
}

impl Gzip {
    /// Passes on the unpacked bytes. The outer error is that of `take`.
    pub(super) fn feed<E>(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Result<(), LineError>, E> {
        if matches!(self.stage, Stage::Plain) {
            return take(bytes).map(Ok);
        }
        let joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
        let mut rest = joined.as_slice();
        while !rest.is_empty() {
            check();
            match &mut self.stage {
                Stage::Plain => return take(rest).map(Ok),
                Stage::Padding => return Ok(Ok(())),
                Stage::Header if rest.len() >= 2 && !rest.starts_with(&[0x1f, 0x8b]) => {
                    self.stage = if self.is_packed { Stage::Padding } else { Stage::Plain };
                }
                Stage::Header => match header(rest) {
                    Some(length) => {
                        rest = &rest[length..];
                        (self.is_packed, self.crc, self.size) = (true, 0, 0);
                        self.stage = Stage::Packed(InflateState::new_boxed(DataFormat::Raw));
                    }
                    None if rest.len() > MAX_HEADER => {
                        return Ok(Err(LineError::says("is gzip with a damaged header; pack it again")));
                    }
                    None => break,
                },
                Stage::Packed(state) => {
                    self.out.resize(PIECE, 0);
                    let done = inflate(state, rest, &mut self.out, MZFlush::None);
                    let out = &self.out[..done.bytes_written];
                    (self.crc, self.size) = (crc32(self.crc, out), self.size.wrapping_add(out.len() as u32));
                    take(out)?;
                    rest = &rest[done.bytes_consumed..];
                    match done.status {
                        Ok(MZStatus::StreamEnd) => self.stage = Stage::Trailer,
                        Ok(_) if done.bytes_written + done.bytes_consumed > 0 => {}
                        _ => return Ok(Err(LineError::says("is damaged gzip; pack it again"))),
                    }
                }
                Stage::Trailer if rest.len() < TRAILER => break,
                Stage::Trailer => {
                    if rest[..TRAILER] != [self.crc.to_le_bytes(), self.size.to_le_bytes()].concat() {
                        return Ok(Err(LineError::says("is damaged gzip; pack it again")));
                    }
                    rest = &rest[TRAILER..];
                    self.stage = Stage::Header;
                }
            }
        }
        self.partial = rest.to_vec();
        // The last bytes may have more to unpack than one piece.
        while let Stage::Packed(state) = &mut self.stage {
            check();
            let done = inflate(state, &[], &mut self.out, MZFlush::None);
            let out = &self.out[..done.bytes_written];
            (self.crc, self.size) = (crc32(self.crc, out), self.size.wrapping_add(out.len() as u32));
            take(out)?;
            match done.status {
                Ok(MZStatus::StreamEnd) => self.stage = Stage::Trailer,
                Ok(_) if done.bytes_written > 0 => {}
                _ => break,
            }
        }
        Ok(Ok(()))
    }

    /// Passes on what is left. Returns `true` if a packed file is cut off.
    pub(super) fn end<E>(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<bool, E> {
        let partial = std::mem::take(&mut self.partial);
        match self.stage {
            Stage::Header if !self.is_packed && !partial.starts_with(&[0x1f, 0x8b]) => take(&partial)?,
            Stage::Header if !self.is_packed => return Ok(true),
            Stage::Header | Stage::Plain | Stage::Padding => {}
            Stage::Packed(_) | Stage::Trailer => return Ok(true),
        }
        Ok(false)
    }
}

/// Bytes of the header; `None` if it is cut off.
fn header(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    let mut at = 10;
    if flags & 4 != 0 {
        let length = bytes.get(at..at + 2)?;
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += memchr::memchr(0, bytes.get(at..)?)? + 1;
        }
    }
    at += if flags & 2 != 0 { 2 } else { 0 };
    (bytes.len() >= at).then_some(at)
}

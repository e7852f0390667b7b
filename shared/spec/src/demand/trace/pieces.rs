//! Splits the bytes of a file into lines, delimited messages or JSON objects, however they arrive.

use super::{FaultPlace, LineError};
use crate::{cancel::check, text::grouped};
use std::borrow::Cow;

/// Max bytes of a message or an object.
const MAX_PIECE: usize = 16 << 20;
/// Max bytes of a line: a row of the largest matrix has about as many.
const MAX_LINE: usize = 4 << 20;
/// Max values of an object, where an object inside it counts as [`PER_OBJECT`]. A value takes up to 150 bytes of memory.
const MAX_VALUES: usize = 1 << 20;
const PER_OBJECT: usize = 16;
/// Bytes of JSON between two looks at the cancellation.
const STRIDE: usize = 64 << 10;

fn too_long(what: &str, limit: usize) -> LineError {
    let limit = grouped(limit as u64);
    LineError::says(format!("{what} of more than {limit} bytes, which is the limit"))
}

/// The lines of a file.
#[derive(Default)]
pub(super) struct Lines {
    /// The beginning of a line whose end is still to come.
    partial: Vec<u8>,
    /// Lines so far.
    number: u64,
}

/// A reader of text, line by line.
pub(super) trait LineReader {
    /// The lines of the file.
    fn lines(&mut self) -> &mut Lines;

    /// Takes a line, without its end, and its number from 1.
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), LineError>;

    /// Takes the next bytes of the file.
    fn feed_lines(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let mut lines = std::mem::take(self.lines());
        let fed = lines.feed(bytes, |line, number| self.line(line, number));
        *self.lines() = lines;
        fed
    }

    /// Takes a last line without an end. Returns the place after the last end of a line, and `true` if there was such a line.
    fn end_lines(&mut self) -> Result<(FaultPlace, bool), LineError> {
        let mut lines = std::mem::take(self.lines());
        let next = FaultPlace::Line(lines.number + 1);
        Ok((next, lines.end(|line, number| self.line(line, number))?))
    }
}

impl Lines {
    /// Passes on each complete line, without its end, and its number.
    fn feed(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&[u8], u64) -> Result<(), LineError>,
    ) -> Result<(), LineError> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            check();
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            self.number += 1;
            let place = FaultPlace::Line(self.number);
            if self.partial.len() + line.len() > MAX_LINE {
                return Err(too_long("a line", MAX_LINE).at(place));
            }
            let taken = if self.partial.is_empty() {
                take(without_return(line), self.number)
            } else {
                self.partial.extend_from_slice(line);
                let taken = take(without_return(&self.partial), self.number);
                self.partial.clear();
                taken
            };
            taken.map_err(|wrong| wrong.at(place))?;
        }
        if self.partial.len() + bytes.len() > MAX_LINE {
            return Err(too_long("a line", MAX_LINE).at(FaultPlace::Line(self.number + 1)));
        }
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// Passes on a last line without an end, if there is one; `true` if there is.
    fn end(&mut self, take: impl FnOnce(&[u8], u64) -> Result<(), LineError>) -> Result<bool, LineError> {
        if self.partial.is_empty() {
            self.number = 0;
            return Ok(false);
        }
        let (partial, number) = (std::mem::take(&mut self.partial), std::mem::take(&mut self.number) + 1);
        take(without_return(&partial), number).map_err(|wrong| wrong.at(FaultPlace::Line(number)))?;
        Ok(true)
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line as text, in Latin-1 if it is not in UTF-8.
pub(super) fn latin(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => line.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A line as text.
pub(super) fn text(line: &[u8]) -> Result<&str, LineError> {
    std::str::from_utf8(line)
        .map_err(|error| LineError::says(format!("column {} is not UTF-8 text", error.valid_up_to() + 1)))
}

/// Messages of protobuf, each after its length.
#[derive(Default)]
pub(super) struct Messages {
    partial: Vec<u8>,
    /// Bytes of the file before `partial`.
    offset: u64,
}

impl Messages {
    /// Passes on each complete message.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), LineError>,
    ) -> Result<(), LineError> {
        self.partial.extend_from_slice(bytes);
        let mut start = 0;
        loop {
            check();
            let place = FaultPlace::Byte(self.offset + start as u64);
            let rest = &self.partial[start..];
            let Some((length, digits)) = varint(rest).map_err(|wrong| wrong.at(place))? else { break };
            if length > MAX_PIECE as u64 {
                return Err(too_long("a message", MAX_PIECE).at(place));
            }
            let end = digits + length as usize;
            let Some(message) = rest.get(digits..end) else { break };
            take(message).map_err(|wrong| wrong.at(place))?;
            start += end;
        }
        self.partial.drain(..start);
        self.offset += start as u64;
        Ok(())
    }

    /// Checks that the file ends with a message.
    pub(super) fn end(&mut self) -> Result<(), LineError> {
        let left = std::mem::take(&mut self.partial).len();
        let place = FaultPlace::Byte(std::mem::take(&mut self.offset));
        match left {
            0 => Ok(()),
            _ => Err(LineError::says(format!("a message is cut off after {left} bytes")).at(place)),
        }
    }
}

/// A number of protobuf and its bytes; `None` if it is cut off.
pub(super) fn varint(bytes: &[u8]) -> Result<Option<(u64, usize)>, LineError> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f) << (7 * index as u32).min(63);
        if byte < 0x80 {
            return Ok(Some((number, index + 1)));
        }
    }
    match bytes.len() {
        0..10 => Ok(None),
        _ => Err(LineError::says("missing; it must be the length of a message")),
    }
}

/// Max brackets around each other.
const MAX_DEPTH: usize = 64;

/// Objects of JSON inside certain brackets: those of the file itself, or those in the lists of its outer object.
///
/// What surrounds them is kept, with each object replaced by `null`, so that the whole is JSON again.
pub(super) struct Objects {
    /// Opening brackets around the objects to pass on.
    around: &'static [u8],
    open: Vec<u8>,
    is_inside: bool,
    is_text: bool,
    is_escaped: bool,
    object: Vec<u8>,
    rest: Vec<u8>,
    /// Bytes of `rest` up to the last object.
    last: usize,
    /// Values of the object, and of what surrounds the objects.
    values: [usize; 2],
    /// Bytes of the file so far.
    offset: u64,
    /// Byte that the object begins at.
    start: u64,
}

impl Objects {
    /// Objects inside these brackets.
    pub(super) fn inside(around: &'static [u8]) -> Objects {
        Objects {
            around,
            open: Vec::new(),
            is_inside: false,
            is_text: false,
            is_escaped: false,
            object: Vec::new(),
            rest: Vec::new(),
            last: 0,
            values: [0; 2],
            offset: 0,
            start: 0,
        }
    }

    /// Passes on each complete object.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), LineError>,
    ) -> Result<(), LineError> {
        for (at, &byte) in bytes.iter().enumerate() {
            if at % STRIDE == 0 {
                check();
            }
            if byte == b'{' && !self.is_text && !self.is_inside && self.open == self.around {
                (self.is_inside, self.start) = (true, self.offset);
                self.object.clear();
                self.values[0] = 0;
                self.rest.extend_from_slice(b"null");
                self.last = self.rest.len();
            }
            let was_inside = self.is_inside;
            self.step(byte).map_err(|wrong| wrong.at(FaultPlace::Byte(self.offset)))?;
            self.offset += 1;
            let kept = if was_inside { &mut self.object } else { &mut self.rest };
            if kept.len() >= MAX_PIECE {
                return Err(too_long("an object", MAX_PIECE).at(FaultPlace::Byte(self.start)));
            }
            if self.values.iter().any(|&values| values > MAX_VALUES) {
                let limit = grouped(MAX_VALUES as u64);
                let wrong =
                    LineError::says(format!("an object of more than {limit} values, which is the limit"));
                return Err(wrong.at(FaultPlace::Byte(self.start)));
            }
            kept.push(byte);
            if was_inside && !self.is_inside {
                take(&self.object).map_err(|wrong| wrong.at(FaultPlace::Byte(self.start)))?;
            }
        }
        Ok(())
    }

    /// Follows quotes and brackets.
    fn step(&mut self, byte: u8) -> Result<(), LineError> {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_text => self.is_escaped = true,
            b'"' => self.is_text = !self.is_text,
            _ if self.is_text => {}
            b'{' | b'[' if self.open.len() == MAX_DEPTH => {
                return Err(LineError::too_many(MAX_DEPTH - 1, "brackets around each other"));
            }
            b'{' | b'[' => {
                self.values[usize::from(!self.is_inside)] += if byte == b'{' { PER_OBJECT } else { 1 };
                self.open.push(byte);
            }
            b',' => self.values[usize::from(!self.is_inside)] += 1,
            b'}' | b']' => {
                // In ASCII, a bracket closes what is two before it.
                if self.open.pop() != Some(byte - 2) {
                    return Err(LineError::says(format!("`{}` has no opening bracket", char::from(byte))));
                }
                self.is_inside &= self.open != self.around;
            }
            _ => {}
        }
        Ok(())
    }

    /// What surrounds the objects, once the file has ended outside of all brackets.
    pub(super) fn end(self) -> Result<Vec<u8>, LineError> {
        if !self.open.is_empty() || self.is_text {
            let place = FaultPlace::Byte(self.offset);
            return Err(LineError::says("the JSON is cut off").at(place));
        }
        Ok(self.rest)
    }

    /// What surrounds the objects, and `true` if the file is cut off behind the start of an object: then it is what surrounds that.
    pub(super) fn end_or_cut(mut self) -> Result<(Vec<u8>, bool), LineError> {
        if self.open.is_empty() && !self.is_text || self.last == 0 {
            return Ok((self.end()?, false));
        }
        self.rest.truncate(self.last);
        // In ASCII, a bracket closes what is two before it.
        self.rest.extend(self.around.iter().rev().map(|bracket| bracket + 2));
        Ok((self.rest, true))
    }
}

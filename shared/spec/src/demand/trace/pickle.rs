//! Python's pickles of plain values: numbers, texts, lists, tuples and dictionaries, in protocols 2 to 5 (Python's
//! `pickletools`). Opcodes that would build objects are refused, so nothing in a pickle can run.
//!
//! PyTorch's dumps share values between entries. Values are numbers of places in arenas: shared ones are kept once, and neither
//! depth nor circles cost a stack. Values and copies of them take a limited amount of memory per byte of the pickle.

use super::{FaultPlace, LineError};
use crate::{
    cancel::{check, checked},
    text::grouped,
};
use serde_json::Value as Json;

/// A value; lists and tuples are the same.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Real(f64),
    /// Bytes of the pickle.
    Text(u32, u32),
    List(u32),
    Map(u32),
}

/// A pickle that has been read.
pub(super) struct Pickle<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: Vec<Option<Value>>,
    lists: Vec<Vec<Value>>,
    maps: Vec<Vec<(Value, Value)>>,
    /// Bytes of memory that lists and dictionaries take.
    held: usize,
    /// Bytes of memory that values may take.
    most: usize,
    /// Bytes that may still be copied out.
    budget: usize,
}

/// Key of the stack of an entry, which is most of a dump. Nothing needs its list, so it is not kept.
const FRAMES: &[u8] = b"frames";
/// Max bytes of a pickle.
pub(super) const MAX_BYTES: usize = 24 << 20;
/// Max values inside each other of a value that is copied out.
const MAX_DEPTH: usize = 8;
/// Bytes of memory that values may take for each byte of the pickle. Dumps of the flight recorder need up to 9.
const HELD_PER_BYTE: usize = 12;
/// Bytes of memory for each byte of the pickle that may be copied out, and those of one value. Dumps need up to 4.
const COPIED_PER_BYTE: usize = 16;
const COPIED_AT_ONCE: usize = 2;
/// Bytes of memory that a small pickle may take as well.
const SMALL: usize = 8 << 20;
/// Bytes of memory that an empty list or dictionary takes, and a value.
const PER_LIST: usize = 40;
const PER_VALUE: usize = size_of::<Value>();
/// Bytes of memory that a value that is copied out takes, without its text.
const PER_COPY: usize = size_of::<Json>();

impl<'a> Pickle<'a> {
    /// Reads a pickle of up to [`MAX_BYTES`], and returns its value.
    pub(super) fn read(bytes: &'a [u8]) -> Result<(Pickle<'a>, Value), LineError> {
        let mut pickle = Pickle {
            bytes,
            at: 0,
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Vec::new(),
            lists: Vec::new(),
            maps: Vec::new(),
            held: 0,
            most: SMALL + HELD_PER_BYTE * bytes.len(),
            budget: SMALL + COPIED_PER_BYTE * bytes.len(),
        };
        loop {
            check();
            let place = FaultPlace::Byte(pickle.at as u64);
            if pickle.step().map_err(|wrong| wrong.at(place))? {
                let value = pickle.pop().map_err(|wrong| wrong.at(place))?;
                return Ok((pickle, value));
            }
        }
    }

    /// Does one opcode; `true` for the last.
    fn step(&mut self) -> Result<bool, LineError> {
        if self.held + PER_VALUE * (self.stack.len() + self.memo.len()) > self.most {
            let limit = grouped(self.most as u64);
            return Err(LineError::says(format!(
                "the values need more than {limit} bytes of memory, which is the limit; write the dump as JSON"
            )));
        }
        let opcode = self.take(1)?[0];
        let value = match opcode {
            b'.' => return Ok(true),
            // The protocol, and the size of a frame.
            0x80 => return self.take(1).map(|_| false),
            0x95 => return self.take(8).map(|_| false),
            b'(' => {
                self.marks.push(self.stack.len());
                return Ok(false);
            }
            b'N' => Value::None,
            0x88 => Value::Bool(true),
            0x89 => Value::Bool(false),
            b'K' => Value::Int(self.whole(1)? as i64),
            b'M' => Value::Int(self.whole(2)? as i64),
            b'J' => Value::Int(i64::from(self.whole(4)? as u32 as i32)),
            0x8a => {
                let length = self.whole(1)? as usize;
                Value::Int(self.long(length)?)
            }
            b'G' => {
                let bytes = self.take(8)?;
                Value::Real(f64::from_be_bytes(bytes.try_into().unwrap_or_default()))
            }
            0x8c | b'U' | b'C' => self.text(1)?,
            b'X' | b'T' | b'B' => self.text(4)?,
            0x8d | 0x8e => self.text(8)?,
            b']' | b')' => self.list(Vec::new()),
            b'}' => {
                self.held += PER_LIST;
                self.maps.push(Vec::new());
                Value::Map(self.maps.len() as u32 - 1)
            }
            b't' | b'l' => {
                let values = self.marked()?;
                self.list(values)
            }
            0x85..=0x87 => {
                let count = usize::from(opcode - 0x84);
                let start = self.stack.len().checked_sub(count).ok_or_else(short)?;
                let values = self.stack.drain(start..).collect();
                self.list(values)
            }
            b'h' | b'j' => {
                let place = self.whole(if opcode == b'h' { 1 } else { 4 })? as usize;
                let known = self.memo.get(place).copied().flatten();
                known.ok_or_else(|| LineError::says(format!("value {place} is used before it is stored")))?
            }
            _ => return self.change(opcode).map(|()| false),
        };
        self.stack.push(value);
        Ok(false)
    }

    /// Does an opcode that changes values.
    fn change(&mut self, opcode: u8) -> Result<(), LineError> {
        match opcode {
            b'0' => self.pop().map(|_| ()),
            b'a' => {
                let value = self.pop()?;
                self.append(vec![value])
            }
            b'e' => {
                let values = self.marked()?;
                self.append(values)
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.insert(&[key, value])
            }
            b'u' => {
                let values = self.marked()?;
                self.insert(&values)
            }
            b'q' => {
                let place = self.whole(1)? as usize;
                self.remember(place)
            }
            b'r' => {
                let place = self.whole(4)? as usize;
                self.remember(place)
            }
            0x94 => self.remember(self.memo.len()),
            _ => Err(LineError::says(format!(
                "opcode {opcode:#04x} is not accepted; a pickle of the flight recorder has only plain values"
            ))),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], LineError> {
        let (bytes, end) = (self.bytes, self.at.checked_add(count));
        let part = end.and_then(|end| bytes.get(self.at..end));
        let part = part.ok_or_else(|| LineError::says("the pickle is cut off"))?;
        self.at += count;
        Ok(part)
    }

    fn whole(&mut self, count: usize) -> Result<u64, LineError> {
        Ok(self.take(count)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// A number in two's complement.
    fn long(&mut self, count: usize) -> Result<i64, LineError> {
        let bytes = self.take(count)?;
        let is_negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
        if count > 8 {
            return Err(LineError::says(format!("a number of {count} bytes, and the limit is 8")));
        }
        let start = if is_negative { -1 } else { 0 };
        Ok(bytes.iter().rev().fold(start, |number: i64, &byte| number << 8 | i64::from(byte)))
    }

    fn text(&mut self, digits: usize) -> Result<Value, LineError> {
        let length = self.whole(digits)?;
        let start = self.at;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        Ok(Value::Text(start as u32, self.at as u32))
    }

    fn list(&mut self, values: Vec<Value>) -> Value {
        self.held += PER_LIST + PER_VALUE * values.len();
        self.lists.push(values);
        Value::List(self.lists.len() as u32 - 1)
    }

    fn pop(&mut self) -> Result<Value, LineError> {
        self.stack.pop().ok_or_else(short)
    }

    /// The values since the last mark.
    fn marked(&mut self) -> Result<Vec<Value>, LineError> {
        let start = self.marks.pop().filter(|&start| start <= self.stack.len()).ok_or_else(short)?;
        Ok(self.stack.drain(start..).collect())
    }

    fn append(&mut self, values: Vec<Value>) -> Result<(), LineError> {
        match self.stack.last() {
            Some(&Value::List(list)) => {
                self.held += PER_VALUE * values.len();
                self.lists[list as usize].extend(values);
            }
            _ => return Err(short()),
        }
        Ok(())
    }

    fn insert(&mut self, values: &[Value]) -> Result<(), LineError> {
        match self.stack.last() {
            Some(&Value::Map(map)) => {
                self.held += PER_VALUE * values.len();
                self.maps[map as usize].extend(values.chunks_exact(2).map(|pair| (pair[0], pair[1])));
                for pair in values.chunks_exact(2) {
                    if let [Value::Text(start, end), Value::List(list)] = *pair
                        && self.bytes(start, end) == FRAMES
                    {
                        let frames = std::mem::take(&mut self.lists[list as usize]);
                        self.held -= PER_VALUE * frames.len();
                    }
                }
            }
            _ => return Err(short()),
        }
        Ok(())
    }

    fn remember(&mut self, place: usize) -> Result<(), LineError> {
        // Places count up.
        if place > self.bytes.len() {
            return Err(LineError::says(format!("value {place} is stored out of order")));
        }
        self.memo.resize(self.memo.len().max(place + 1), None);
        self.memo[place] = self.stack.last().copied();
        Ok(())
    }

    /// The items of a list.
    pub(super) fn items(&self, list: Value) -> Option<&[Value]> {
        match list {
            Value::List(list) => Some(&self.lists[list as usize]),
            _ => None,
        }
    }

    /// The bytes of a text.
    fn bytes(&self, start: u32, end: u32) -> &'a [u8] {
        &self.bytes[start as usize..end as usize]
    }

    /// The value of a key in a dictionary.
    pub(super) fn get(&self, map: Value, key: &str) -> Option<Value> {
        let Value::Map(map) = map else { return None };
        let is_key = |value: Value| matches!(value, Value::Text(start, end) if self.bytes(start, end) == key.as_bytes());
        // The last one counts, as in Python.
        checked(self.maps[map as usize].iter().rev()).find(|(name, _)| is_key(*name)).map(|(_, value)| *value)
    }

    /// A copy of a value as JSON.
    pub(super) fn json(&mut self, value: Value) -> Result<Json, LineError> {
        let all = self.budget;
        let most = all.min(SMALL + COPIED_AT_ONCE * self.bytes.len());
        self.budget = most;
        let copied = self.copy(value, MAX_DEPTH);
        self.budget = all - (most - self.budget);
        copied
    }

    fn copy(&mut self, value: Value, depth: usize) -> Result<Json, LineError> {
        check();
        let wrong =
            |found: &str| LineError::says(format!("{found}; a flight recorder does not write such a pickle"));
        let deeper = depth.checked_sub(1).ok_or_else(|| wrong("values deep inside each other"))?;
        let letters = if let Value::Text(start, end) = value { (end - start) as usize } else { 0 };
        let left = self.budget.checked_sub(PER_COPY + letters);
        self.budget = left.ok_or_else(|| wrong("values that repeat too often"))?;
        Ok(match value {
            Value::None => Json::Null,
            Value::Bool(value) => value.into(),
            Value::Int(number) => number.into(),
            Value::Real(number) => number.into(),
            Value::Text(start, end) => String::from_utf8_lossy(self.bytes(start, end)).into(),
            Value::List(list) => {
                let list = list as usize;
                let length = self.lists[list].len();
                let copy = |at| self.copy(self.lists[list][at], deeper);
                (0..length).map(copy).collect::<Result<Vec<_>, _>>()?.into()
            }
            Value::Map(map) => {
                let map = map as usize;
                let mut copied = serde_json::Map::new();
                for at in 0..self.maps[map].len() {
                    let (key, value) = self.maps[map][at];
                    let key = match self.copy(key, deeper)? {
                        Json::String(key) => key,
                        other => other.to_string(),
                    };
                    copied.insert(key, self.copy(value, deeper)?);
                }
                copied.into()
            }
        })
    }
}

fn short() -> LineError {
    LineError::says("an opcode has no values; write the pickle with Python")
}

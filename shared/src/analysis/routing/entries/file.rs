//! A PE's table of entries as bytes. All numbers are of 32 bits, the least significant byte first: after the eight bytes
//! `FNNROUTE` come the version, 1, the number of PEs and the PE's own number; then an entry for each PE.

use super::{Entry, MOST_PES};

/// What files begin with.
const MAGIC: [u8; 8] = *b"FNNROUTE";
/// What this version of the layout is called.
const VERSION: u32 = 1;
/// Bytes before the entries.
pub const HEADER_BYTES: usize = 20;

/// A PE's table of entries, as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Whose.
    pub pe: u32,
    /// An entry for each PE of the machine.
    pub entries: Vec<Entry>,
}

/// Why bytes are no table of entries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotATable {
    /// Another kind of file.
    #[error("the file does not begin with FNNROUTE, as tables of routing entries do")]
    Magic,
    /// Another version of the layout.
    #[error("version {0} of the layout; version {VERSION} is read")]
    Version(u32),
    /// More PEs than there can be.
    #[error("{0} PEs; tables have 1 to {MOST_PES}")]
    Pes(u32),
    /// The PE is none of the machine.
    #[error("the table is said to be PE {pe}'s; PEs are 0 to {last}")]
    Pe {
        /// Whose it is said to be.
        pe: u32,
        /// The highest there is.
        last: u32,
    },
    /// Too short or too long.
    #[error("{has} bytes; a table for {pes} PEs has {expected}")]
    Length {
        /// Bytes of the file.
        has: usize,
        /// PEs it is said to be for.
        pes: u32,
        /// Bytes it would have.
        expected: usize,
    },
    /// Shorter than any table.
    #[error("{0} bytes; a table has {HEADER_BYTES} bytes before its entries")]
    Short(usize),
    /// An entry that means nothing.
    #[error("the entry for PE {dest} is {bits:#010x}, which no route is written as")]
    Entry {
        /// The destination.
        dest: u32,
        /// What stands there.
        bits: u32,
    },
    /// An entry through a PE that there is not.
    #[error("the entry for PE {dest} goes through PE {gateway}; PEs are 0 to {last}")]
    Gateway {
        /// The destination.
        dest: u32,
        /// What stands there.
        gateway: u32,
        /// The highest there is.
        last: u32,
    },
}

/// The bytes before the entries of a PE's table.
pub fn header(pes: u32, pe: u32) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    for (place, number) in bytes[8..].chunks_exact_mut(4).zip([VERSION, pes, pe]) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

impl Table {
    /// The whole file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries = self.entries.iter().flat_map(|entry| entry.0.to_le_bytes());
        header(self.entries.len() as u32, self.pe).into_iter().chain(entries).collect()
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// The first thing about it that no table has.
    pub fn read(bytes: &[u8]) -> Result<Table, NotATable> {
        if !bytes.starts_with(&MAGIC[..bytes.len().min(8)]) {
            return Err(NotATable::Magic);
        }
        let Some((header, body)) = bytes.split_at_checked(HEADER_BYTES) else {
            return Err(NotATable::Short(bytes.len()));
        };
        let mut numbers = header[8..].chunks_exact(4).map(number);
        let mut next = || numbers.next().unwrap_or(0);
        let (version, pes, pe) = (next(), next(), next());
        if version != VERSION {
            return Err(NotATable::Version(version));
        }
        if !(1..=MOST_PES).contains(&pes) {
            return Err(NotATable::Pes(pes));
        }
        let expected = HEADER_BYTES + 4 * pes as usize;
        if bytes.len() != expected {
            return Err(NotATable::Length { has: bytes.len(), pes, expected });
        }
        if pe >= pes {
            return Err(NotATable::Pe { pe, last: pes - 1 });
        }
        let entries: Vec<Entry> = body.chunks_exact(4).map(|bytes| Entry(number(bytes))).collect();
        (0..).zip(&entries).try_for_each(|(dest, entry)| entry.sound(dest, pes - 1))?;
        Ok(Table { pe, entries })
    }
}

impl Entry {
    /// Whether an entry of a table means something.
    fn sound(self, dest: u32, last: u32) -> Result<(), NotATable> {
        match self.decode() {
            None => Err(NotATable::Entry { dest, bits: self.0 }),
            Some(super::Hop::Through { gateway, .. }) if gateway > last => {
                Err(NotATable::Gateway { dest, gateway, last })
            }
            Some(_) => Ok(()),
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

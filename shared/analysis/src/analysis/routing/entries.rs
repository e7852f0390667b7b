//! Routing table entries of 32 bits (Mattox 2006, section 5.1.3, figure 5.3): up to five pairs of NIs that take turns, or an
//! intermediary (section 5.1.4).
//!
//! | bits | mode 1, 2, 3: shared switches | mode 0: through an intermediary |
//! | --- | --- | --- |
//! | 0–1 | mode: 1, 2 and 3 are 3, 4 and 5 fields | 0 |
//! | 2–7 | the field that is used next | the only field |
//! | 8 | the second field, from its lowest bit | 1 |
//! | 9–15 | | 0 |
//! | 16–31 | fields of 6 bits up to bit 19, 25 or 31; 0 above | the intermediary's number |
//!
//! A field is a pair of NIs: bits 3–5 are the source's NI, bits 0–2 the NI of the destination or of the intermediary.
//! After use, fields move down by one place and the used one goes to the top. One path fills three fields, two take turns in
//! four, three, four and five have one each. With more than five, the pair's numbers choose five, and where turns begin, so
//! that pairs spread over NIs.
//!
//! Two details are this project's. The figure's numbers of modes are lost. Bit 8 of mode 0, which Mattox 2006 leaves free,
//! is set, so that an entry of 0 is an unreachable PE.

use super::{MultiRoutes, ThroughRoutes};
use crate::design::Path;

/// Max NIs per PE in fields of three bits.
pub const MAX_ENTRY_NIS: u32 = 8;
/// Max PEs in 16 bits.
pub const MAX_ENTRY_PES: u32 = 1 << 16;
const FIELD: u32 = 6;
/// Marks a route through an intermediary.
const THROUGH: u32 = 1 << 8;

/// Reason why a design has no tables of entries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntriesError {
    /// More NIs than a field can name.
    #[error("node {pe} has {has} NICs; 32-bit entries support at most {MAX_ENTRY_NIS}")]
    Nis {
        /// The PE.
        pe: u32,
        /// NIs of the PE.
        has: usize,
    },
    /// More PEs than an entry can name.
    #[error("{0} nodes; 32-bit entries support at most {MAX_ENTRY_PES}")]
    Pes(u32),
}

/// The route to one destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry(pub u32);

/// The NIs of one path over a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NiPair {
    /// NI of the source, 0 to 7.
    pub own: u32,
    /// NI of the destination or of the intermediary, 0 to 7.
    pub other: u32,
}

/// A decoded entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hop {
    /// The destination cannot be reached.
    Unreachable,
    /// Directly to the destination, over these 3, 4 or 5 pairs of NIs in turn, the next one first.
    Direct(Vec<NiPair>),
    /// To an intermediary, which forwards.
    Through {
        /// The intermediary.
        gateway: u32,
        /// NIs on the way to it.
        nis: NiPair,
    },
}

impl Entry {
    /// An entry for a destination that shares switches; turns begin with path `first`. Without a path it is unreachable.
    fn direct(paths: &[Path], first: usize) -> Entry {
        let fields = match paths.len() {
            0 => return Entry(0),
            1 => 3,
            2 => 4,
            more => more.min(5),
        };
        let path = |at: usize| pair(&paths[(first + at) % paths.len()]);
        Entry((0..fields).fold(fields as u32 - 2, |bits, at| bits | path(at) << (2 + FIELD * at as u32)))
    }

    fn through(gateway: u32, path: &Path) -> Entry {
        Entry(gateway << 16 | THROUGH | pair(path) << 2)
    }

    /// Decodes the entry; `None` for bits that no entry has.
    pub fn decode(self) -> Option<Hop> {
        let Entry(bits) = self;
        if bits == 0 {
            return Some(Hop::Unreachable);
        }
        let field = |at: u32| {
            let field = bits >> (2 + FIELD * at);
            NiPair { own: field >> 3 & 7, other: field & 7 }
        };
        if bits & 3 == 0 {
            let marked = bits >> 8 & 0xff == 1;
            return marked.then(|| Hop::Through { gateway: bits >> 16, nis: field(0) });
        }
        let fields = self.fields();
        let rest = u64::from(bits) >> (2 + FIELD * fields);
        (rest == 0).then(|| Hop::Direct((0..fields).map(field).collect()))
    }

    fn fields(self) -> u32 {
        if self.0 & 3 == 0 { 1 } else { (self.0 & 3) + 2 }
    }
}

fn pair(path: &Path) -> u32 {
    path.ni << 3 | path.other_ni
}

/// The tables of all PEs, computed from the paths and the routes through others on request.
#[derive(Clone, Copy, Debug)]
pub struct Entries<'a> {
    routes: &'a MultiRoutes,
    through: &'a ThroughRoutes,
}

/// Prepares the tables of a design; paths and routes through others are of the same design.
///
/// # Errors
/// A PE has more than [`MAX_ENTRY_NIS`] NIs, or there are more than [`MAX_ENTRY_PES`] PEs.
pub fn entries<'a>(routes: &'a MultiRoutes, through: &'a ThroughRoutes) -> Result<Entries<'a>, EntriesError> {
    let whole = routes.working().whole();
    let pes = routes.working().design().pes();
    if pes > MAX_ENTRY_PES {
        return Err(EntriesError::Pes(pes));
    }
    match (0..pes).find(|&pe| whole.of(pe).len() > MAX_ENTRY_NIS as usize) {
        Some(pe) => Err(EntriesError::Nis { pe, has: whole.of(pe).len() }),
        None => Ok(Entries { routes, through }),
    }
}

impl Entries<'_> {
    /// A PE's table: an entry per PE, 0 for itself. Empty for a PE outside the design.
    pub fn table(&self, pe: u32) -> Vec<Entry> {
        let pes = self.routes.working().design().pes();
        if pe >= pes {
            return Vec::new();
        }
        let mut table = vec![Entry(0); pes as usize];
        let neighbours = self.routes.neighbours(pe);
        for neighbour in &neighbours {
            let first = (pe + neighbour.pe) as usize % neighbour.paths.len();
            table[neighbour.pe as usize] = Entry::direct(&neighbour.paths, first);
        }
        for route in self.through.routes_from(pe) {
            let found = neighbours.binary_search_by_key(&route.next, |neighbour| neighbour.pe);
            if let Some(next) = found.ok().map(|at| &neighbours[at]) {
                let path = &next.paths[(pe + route.dest) as usize % next.paths.len()];
                table[route.dest as usize] = Entry::through(route.next, path);
            }
        }
        table
    }
}

const MAGIC: [u8; 8] = *b"FNNROUTE";
const VERSION: u32 = 1;
/// Bytes before the entries.
pub const HEADER_BYTES: usize = 20;

/// A PE's table of entries, as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The PE.
    pub pe: u32,
    /// An entry per PE.
    pub entries: Vec<Entry>,
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
    /// Bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries = self.entries.iter().flat_map(|entry| entry.0.to_le_bytes());
        header(self.entries.len() as u32, self.pe).into_iter().chain(entries).collect()
    }
}

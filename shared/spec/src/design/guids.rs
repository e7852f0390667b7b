//! GUIDs of InfiniBand ports and switches.

use super::{Design, Faults, HardwarePart, Names};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// A GUID: 64 bits, neither none nor all of them set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Guid(pub u64);

impl Guid {
    /// Parses up to 16 hexadecimal digits after `0x`, as `ibstat -p` prints them, or four groups of four, as sysfs does.
    pub fn parse(text: &str) -> Option<Guid> {
        let is_grouped = text.len() == 19 && text.split(':').all(|group| group.len() == 4);
        let digits = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => digits.to_owned(),
            None if is_grouped => text.replace(':', ""),
            None => return None,
        };
        Guid::of_digits(&digits)
    }

    /// Parses up to 16 hexadecimal digits.
    pub fn of_digits(digits: &str) -> Option<Guid> {
        let plain = (1..=16).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = plain.then(|| u64::from_str_radix(digits, 16).ok())??;
        (bits != 0 && bits != u64::MAX).then_some(Guid(bits))
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:016x}", self.0)
    }
}

/// Known GUIDs of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guids {
    of_part: BTreeMap<HardwarePart, Guid>,
    owners: BTreeMap<Guid, HardwarePart>,
}

/// GUIDs as they are given: words for NICs and switches with a GUID each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenGuids(Vec<(String, Guid)>);

impl GivenGuids {
    /// Parses words such as `node7.nic0=0x08c0eb0300f2a3c4 sw3=0x08c0eb0300a1b2c0`. `None` if a word is something else, or if a GUID
    /// occurs twice. [`GivenGuids::of`] finds the parts.
    pub fn parse(text: &str) -> Option<GivenGuids> {
        let mut given = Vec::new();
        let mut known = BTreeSet::new();
        for word in text.split_whitespace() {
            let (part, guid) = word.split_once('=')?;
            let guid = Guid::parse(guid).filter(|guid| known.insert(*guid))?;
            given.push((Some(part.to_owned()).filter(|part| !part.is_empty())?, guid));
        }
        Some(GivenGuids(given))
    }

    /// The GUIDs of the parts of a design, which have their own names or numbers.
    ///
    /// # Errors
    /// A word that is no NIC or switch of the design, or a part that occurs twice.
    pub fn of(&self, design: &Design, names: &Names) -> Result<Guids, String> {
        let (mut guids, mut parts) = (Guids::default(), Faults::default());
        for (word, guid) in &self.0 {
            let part = match names.part(word) {
                Some(part @ HardwarePart::Ni(pe, ni)) => {
                    parts.nis.push((pe, ni));
                    part
                }
                Some(part @ HardwarePart::Switch(switch)) => {
                    parts.switches.push(switch);
                    part
                }
                Some(HardwarePart::Pe(_)) | None => {
                    let found =
                        "is not a NIC (such as node5.nic1) or switch (sw3), nor such a name of the spec";
                    return Err(format!("{word:?} {found}"));
                }
            };
            guids.owners.insert(*guid, part);
            if guids.of_part.insert(part, *guid).is_some() {
                return Err(format!("{word} has two GUIDs; give one"));
            }
        }
        parts.fit(design).map_err(|unknown| unknown.to_string())?;
        Ok(guids)
    }
}

impl Guids {
    /// The GUID of a part, if it is known.
    pub fn of(&self, part: HardwarePart) -> Option<Guid> {
        self.of_part.get(&part).copied()
    }

    /// The part with a GUID, if it is known.
    pub fn owner(&self, guid: Guid) -> Option<HardwarePart> {
        self.owners.get(&guid).copied()
    }

    /// Every part with its GUID.
    pub fn iter(&self) -> impl Iterator<Item = (HardwarePart, Guid)> {
        self.of_part.iter().map(|(&part, &guid)| (part, guid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_are_read_as_tools_print_them() {
        let (design, names) =
            (Design::from_switches(8, vec![(0..8).collect::<Vec<u32>>(); 4]), Names::new(8, 4));
        let read = |text: &str| GivenGuids::parse(text)?.of(&design, &names).ok();
        let guids = read("node7.nic0=0x8c0eb0300f2a3c4\n PE007.ni1=08c0:eb03:00f2:a3c5 sw3=0x1").unwrap();
        assert_eq!(guids.of(HardwarePart::Ni(7, 0)).unwrap().to_string(), "0x08c0eb0300f2a3c4");
        assert_eq!(guids.owner(Guid::parse("0x08c0eb0300f2a3c5").unwrap()), Some(HardwarePart::Ni(7, 1)));
        assert_eq!(guids.of(HardwarePart::Switch(3)), Some(Guid(1)));
        for wrong in [
            "node7=0x1",
            "node7.nic0",
            "node7.nic0=1",
            "node7.nic0=0x0",
            "node7.nic0=0xffffffffffffffff",
            "node7.nic0=08c0:eb03:00f2",
            "node7.nic0=0x1 node7.nic0=0x2",
            "node7.nic0=0x1 node7.nic1=0x1",
            "node8.nic0=0x1",
            "node7.nic4=0x1",
            "sw4=0x1",
            "sw1,sw2=0x1",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}

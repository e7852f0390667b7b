//! What may be chosen for files of such a network, as `name=value`.

use super::FabricFormat;
use crate::{
    exports::{ExportError, Settings, settings, settings::listed},
    fabric::vlan::{MAX_VLANS, Method},
};

/// A thing that may be chosen.
#[derive(Clone, Copy)]
pub struct FabricSetting {
    /// As `--with name=value` takes it.
    pub name: &'static str,
    /// What it decides, in one line.
    pub purpose: &'static str,
    /// What is accepted, in words.
    pub accepted: &'static str,
    /// What holds unless it is chosen; empty for nothing.
    pub default: &'static str,
    set: Set,
}

#[derive(Clone, Copy)]
enum Set {
    Own(fn(&mut FabricSettings, &str) -> Option<()>),
    /// As for wirings.
    Shared(fn(&mut Settings, &str) -> Option<()>),
}

/// What was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FabricSettings {
    /// What wirings have, too: network, networks to avoid, interface, dead parts.
    pub base: Settings,
    /// What switches call their ports, without the number; none for what the format says.
    pub port: Option<String>,
    /// Which set of VLANs; none for dimension order.
    pub method: Option<Method>,
    /// The number of the first VLAN; none for 2, since switches have a VLAN 1 for what has no tag.
    pub first_vlan: Option<u32>,
    /// Most VLANs that a switch has; none for all that there are.
    pub most_vlans: Option<u32>,
    /// What ports of IOS are told before they become trunks; none for nothing.
    pub encapsulation: Option<Encapsulation>,
    /// Sides that a P-Mesh may grow to; none for what it has.
    pub room: Option<Vec<u32>>,
}

/// What ports are told before they become trunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encapsulation {
    /// Nothing: switches that know IEEE 802.1Q alone have no such command.
    #[default]
    None,
    /// To tag by IEEE 802.1Q, for switches that know Cisco's ISL as well.
    Dot1q,
}

const OWN: &[FabricSetting] = &[
    FabricSetting {
        name: "method",
        purpose: "which set of VLANs: every path in dimension order, or minimal paths with about half as many VLANs",
        accepted: "dor or partial-dor",
        default: "dor",
        set: Set::Own(|settings, value| {
            settings.method = Some(Method::ALL.into_iter().find(|method| method.name() == value)?);
            Some(())
        }),
    },
    FabricSetting {
        name: "first-vlan",
        purpose: "the number of the first VLAN; the others follow",
        accepted: "1 to 4094",
        default: "2",
        set: Set::Own(|settings, value| {
            settings.first_vlan = Some(value.parse().ok().filter(|vlan| (1..=MAX_VLANS).contains(vlan))?);
            Some(())
        }),
    },
    FabricSetting {
        name: "most-vlans",
        purpose: "most VLANs that a switch has",
        accepted: "1 to 4094",
        default: "4094",
        set: Set::Own(|settings, value| {
            settings.most_vlans = Some(value.parse().ok().filter(|most| (1..=MAX_VLANS).contains(most))?);
            Some(())
        }),
    },
    FabricSetting {
        name: "port",
        purpose: "what switches call their ports, without the number",
        accepted: "1 to 30 ASCII letters, digits, -, _ or /, beginning with a letter and not ending with a digit",
        default: "swp, and GigabitEthernet1/0/ for ios and ios-undo",
        set: Set::Own(|settings, value| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
            let begins = value.starts_with(|c: char| c.is_ascii_alphabetic());
            let ends = !value.ends_with(|c: char| c.is_ascii_digit());
            settings.port =
                (begins && ends && value.len() <= 30 && value.chars().all(plain)).then(|| value.into());
            settings.port.is_some().then_some(())
        }),
    },
    FabricSetting {
        name: "encapsulation",
        purpose: "which tags ports are told to use before they become trunks, as switches want that know ISL as well",
        accepted: "none or dot1q",
        default: "none",
        set: Set::Own(|settings, value| {
            let all = [("none", Encapsulation::None), ("dot1q", Encapsulation::Dot1q)];
            settings.encapsulation = Some(all.into_iter().find(|(name, _)| *name == value)?.1);
            Some(())
        }),
    },
    FabricSetting {
        name: "room",
        purpose: "sides that a P-Mesh may grow to without new addresses for the hosts that are there",
        accepted: "sides such as 30x30, none smaller than the network's",
        default: "",
        set: Set::Own(|settings, value| {
            let sides: Result<Vec<u32>, _> = value.split('x').map(|side| side.trim().parse()).collect();
            settings.room = Some(sides.ok()?);
            Some(())
        }),
    },
];

/// Settings that wirings have, too.
const SHARED: [&str; 4] = ["network", "avoid", "interface", "dead"];

/// Every setting.
pub fn fabric_settings() -> impl Iterator<Item = FabricSetting> {
    let shared = settings().iter().filter(|setting| SHARED.contains(&setting.name));
    let shared = shared.map(|setting| FabricSetting {
        name: setting.name,
        purpose: setting.purpose,
        accepted: setting.accepted,
        default: setting.default,
        set: Set::Shared(setting.set),
    });
    shared.chain(OWN.iter().copied())
}

impl FabricSetting {
    /// The words that are accepted, where these are a few that can be listed; else none.
    pub fn choices(&self) -> Vec<&'static str> {
        listed(self.accepted, |word| self.set(&mut FabricSettings::default(), word).is_some())
    }

    fn set(&self, settings: &mut FabricSettings, value: &str) -> Option<()> {
        match self.set {
            Set::Own(set) => set(settings, value),
            Set::Shared(set) => set(&mut settings.base, value),
        }
    }
}

impl FabricSettings {
    /// Takes choices for a format, each `name=value`.
    ///
    /// # Errors
    /// A text without `=`, a setting that the format does not heed, one chosen twice, a value that is not accepted.
    pub fn read<'a>(
        format: &FabricFormat,
        choices: impl IntoIterator<Item = &'a str>,
    ) -> Result<FabricSettings, ExportError> {
        let mut chosen = FabricSettings::default();
        let mut seen: Vec<&str> = Vec::new();
        for choice in choices {
            let fault = |why: String| ExportError::Setting { choice: choice.chars().take(80).collect(), why };
            let (name, value) =
                choice.split_once('=').ok_or_else(|| fault("name=value is accepted".into()))?;
            let (name, value) = (name.trim(), value.trim());
            let known = fabric_settings().find(|s| s.name == name && format.settings.contains(&name));
            let setting = known.ok_or_else(|| fault(format!("{} {}", format.name, heeded(format))))?;
            if seen.contains(&name) {
                return Err(fault(format!("{name} is chosen twice")));
            }
            seen.push(name);
            setting
                .set(&mut chosen, value)
                .ok_or_else(|| fault(format!("accepted: {}", setting.accepted)))?;
        }
        Ok(chosen)
    }
}

/// What a format can be told.
fn heeded(format: &FabricFormat) -> String {
    match format.settings {
        [] => "has no settings".into(),
        names => format!("has {}", names.join(", ")),
    }
}

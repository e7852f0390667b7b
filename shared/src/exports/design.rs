//! A design as exports need it: its parts, and everything computed from them, once.

use super::{
    ExportError, Settings, Written,
    address::{AddressPlan, Mac, PeAddresses},
    ways::Beyond,
};
use crate::{
    analysis::routing::{BroadcastTree, MultiRoutes, Routes, Through, basic, link_layer, through},
    demand::Demand,
    design::{Design, Faults, Names, NiTable, Working, check},
    spec::Spec,
};
use std::sync::{Arc, OnceLock};

/// A spec with its wiring. Routes, addresses and uncovered pairs are computed when a format first asks for them.
pub(super) struct DesignPlan {
    pub(super) spec: Arc<Spec>,
    pub(super) spec_text: Arc<str>,
    pub(super) demand: Arc<Demand>,
    pub(super) design: Arc<Design>,
    pub(super) nis: NiTable,
    pub(super) settings: Settings,
    faults: OnceLock<Result<Faults, ExportError>>,
    routes: OnceLock<Result<Routes, ExportError>>,
    multi_routes: OnceLock<Result<MultiRoutes, ExportError>>,
    through: OnceLock<Result<Through, ExportError>>,
    beyond: OnceLock<Result<Beyond, ExportError>>,
    pub(super) broadcast: OnceLock<Result<BroadcastTree, ExportError>>,
    macs: OnceLock<Written>,
    addresses: OnceLock<Result<AddressPlan, ExportError>>,
    pe_addresses: OnceLock<Result<PeAddresses, ExportError>>,
    /// Requested pairs that the checker finds uncovered with what is dead taken out, in both directions, ascending.
    left_out: OnceLock<Vec<(u32, u32)>>,
}

impl DesignPlan {
    pub fn new(
        spec: Arc<Spec>,
        spec_text: Arc<str>,
        demand: Arc<Demand>,
        design: Arc<Design>,
        settings: Settings,
    ) -> DesignPlan {
        DesignPlan {
            spec,
            spec_text,
            demand,
            nis: design.nis(),
            design,
            settings,
            faults: OnceLock::new(),
            routes: OnceLock::new(),
            multi_routes: OnceLock::new(),
            through: OnceLock::new(),
            beyond: OnceLock::new(),
            broadcast: OnceLock::new(),
            macs: OnceLock::new(),
            addresses: OnceLock::new(),
            pe_addresses: OnceLock::new(),
            left_out: OnceLock::new(),
        }
    }

    /// The same with other settings.
    pub fn with(&self, settings: Settings) -> DesignPlan {
        let DesignPlan { spec, spec_text, demand, design, .. } = self;
        DesignPlan::new(spec.clone(), spec_text.clone(), demand.clone(), design.clone(), settings)
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.design.pes()
    }

    /// The host name of a PE: `pe` and its number, zero padded so that names sort.
    pub fn pe_name(&self, pe: u32) -> String {
        Names::of(&self.design).pe(pe)
    }

    /// A switch's name: `sw` and its number, zero padded so that names sort.
    pub fn switch_name(&self, switch: u32) -> String {
        Names::of(&self.design).switch(switch)
    }

    /// The port of a PE on a switch, from 1; 0 if it is not on it.
    pub fn port(&self, switch: u32, pe: u32) -> u32 {
        self.design.members(switch).binary_search(&pe).map_or(0, |at| at as u32 + 1)
    }

    /// Parts of the setting `failed`, all of them in the wiring.
    pub(super) fn faults(&self) -> Result<&Faults, ExportError> {
        let faults = self.faults.get_or_init(|| {
            self.settings.dead.fit(&self.design)?;
            Ok(self.settings.dead.clone())
        });
        faults.as_ref().map_err(Clone::clone)
    }

    /// One path for every connected pair, over what works.
    pub(super) fn routes(&self) -> Result<&Routes, ExportError> {
        self.routes
            .get_or_init(|| Ok(basic(&self.spec, &self.demand, &self.design, self.faults()?)?))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// All paths of every connected pair, over what works.
    pub(super) fn multi_routes(&self) -> Result<&MultiRoutes, ExportError> {
        self.multi_routes
            .get_or_init(|| Ok(link_layer(&self.spec, &self.demand, &self.design, self.faults()?)?))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Routes between pairs that share no switch, over what works.
    pub(super) fn through(&self) -> Result<&Through, ExportError> {
        self.through.get_or_init(|| Ok(through(&self.design, self.faults()?))).as_ref().map_err(Clone::clone)
    }

    /// Routes through others, as far as the setting `through` says.
    pub(super) fn beyond(&self) -> Result<&Beyond, ExportError> {
        self.beyond.get_or_init(|| Beyond::new(self)).as_ref().map_err(Clone::clone)
    }

    /// The permanent MAC address of an NI, where the setting `macs` gives one.
    pub(super) fn permanent_mac(&self, pe: u32, ni: u32) -> Result<Option<Mac>, ExportError> {
        let macs = &self.settings.macs;
        let is_there = |pe: u32, ni: u32| pe < self.pes() && (ni as usize) < self.nis.of(pe).len();
        let fit = self.macs.get_or_init(|| {
            let unknown = macs.keys().find(|&&(pe, ni)| !is_there(pe, ni));
            unknown.map_or(Ok(()), |(pe, ni)| {
                let why = "the wiring has no such NIC; the export `cables` lists all".into();
                Err(ExportError::Setting { choice: format!("macs=pe{pe}.ni{ni}"), why })
            })
        });
        fit.clone().map(|()| macs.get(&(pe, ni)).copied())
    }

    pub(super) fn addresses(&self) -> Result<&AddressPlan, ExportError> {
        self.addresses
            .get_or_init(|| AddressPlan::new(&self.spec, &self.design, &self.settings))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The one address of each PE.
    pub(super) fn pe_addresses(&self) -> Result<&PeAddresses, ExportError> {
        let addresses = self.pe_addresses.get_or_init(|| PeAddresses::new(self.pes(), &self.settings));
        addresses.as_ref().map_err(Clone::clone)
    }

    /// Number of requested pairs.
    pub(super) fn requested(&self) -> usize {
        self.demand.len()
    }

    /// Number of requested pairs that share fewer switches than they want.
    pub(super) fn left_out(&self) -> usize {
        self.left_out_both_ways().len() / 2
    }

    /// The names of the PEs that a PE is to share switches with and does not, or not as many as wanted.
    pub(super) fn left_out_of(&self, pe: u32) -> Vec<String> {
        let all = self.left_out_both_ways();
        let first = all.partition_point(|&(own, _)| own < pe);
        all[first..]
            .iter()
            .take_while(|&&(own, _)| own == pe)
            .map(|&(_, other)| self.pe_name(other))
            .collect()
    }

    fn left_out_both_ways(&self) -> &[(u32, u32)] {
        self.left_out.get_or_init(|| {
            let working = Working::new(&self.design, &self.settings.dead);
            let uncovered = check(&self.spec, &self.demand, working.design()).uncovered;
            let mut both: Vec<_> = uncovered.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
            both.sort_unstable();
            both
        })
    }

    /// The design's name without line breaks of any kind, other control characters or such as turn the direction of text.
    pub(super) fn title(&self) -> String {
        let name: String = self.spec.name.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
        if name.trim().is_empty() { "untitled".into() } else { name.trim().into() }
    }
}

/// `true` if a character is not allowed in a comment or a title. YAML ends lines, and with them comments, at U+2028 and U+2029,
/// too, and reads no text with a byte order mark or a noncharacter inside.
fn is_hidden(c: char) -> bool {
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    let turns_text =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_no_character = matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    c.is_control() || ends_line || turns_text || is_no_character
}

//! What every format needs, prepared once.

use super::{
    ExportError, Format, Render, Settings,
    address::{AddressPlan, Mac, PeAddresses},
    ways::Beyond,
};
use crate::{
    analysis::routing::{BroadcastTree, MultiRoutes, Routes, Through, basic, link_layer, through},
    demand::Demand,
    design::{Design, Names, NiTable, check},
    design::{Faults, Working},
    spec::Spec,
};
use std::{
    fmt, io,
    sync::{Arc, OnceLock},
};

/// A spec with its wiring, ready to be written in any format. Routes, addresses and what the wiring leaves out are
/// computed when a format first asks for them.
pub struct Bundle {
    pub(super) spec: Arc<Spec>,
    pub(super) spec_text: String,
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
    macs: OnceLock<Result<(), ExportError>>,
    addresses: OnceLock<Result<AddressPlan, ExportError>>,
    pe_addresses: OnceLock<Result<PeAddresses, ExportError>>,
    /// Requested pairs that the checker finds uncovered with what is dead taken out, in both directions, ascending.
    left_out: OnceLock<Vec<(u32, u32)>>,
}

impl Bundle {
    /// Takes what all formats are made from. `spec_text` is the spec's TOML text.
    pub fn new(
        spec: Arc<Spec>,
        spec_text: impl Into<String>,
        demand: Arc<Demand>,
        design: Arc<Design>,
    ) -> Bundle {
        let nis = design.nis();
        Bundle {
            spec,
            spec_text: spec_text.into(),
            demand,
            design,
            nis,
            settings: Settings::default(),
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
    #[must_use]
    pub fn with(mut self, settings: Settings) -> Bundle {
        self.settings = settings;
        (self.routes, self.addresses, self.pe_addresses) = Default::default();
        (self.faults, self.multi_routes, self.through, self.left_out) = Default::default();
        (self.beyond, self.broadcast, self.macs) = Default::default();
        self
    }

    /// Number of PEs: files of a format that is one file a PE.
    pub fn pes(&self) -> u32 {
        self.design.pes()
    }

    /// What a file is called, such as `kasy0-pe007.sh`: ASCII letters, digits and `-` before the extension.
    pub fn file_name(&self, format: &Format, pe: Option<u32>) -> String {
        let stem = self.stem();
        let extension = format.extension;
        match pe.filter(|_| format.per_pe) {
            Some(pe) if format.name == extension => format!("{stem}-{}.{extension}", self.pe_name(pe)),
            Some(pe) => format!("{stem}-{}-{}.{extension}", format.name, self.pe_name(pe)),
            None if format.per_pe => format!("{stem}-{}", format.name),
            None if format.name == "spec" || format.name == extension => format!("{stem}.{extension}"),
            None => format!("{stem}-{}.{extension}", format.name),
        }
    }

    /// What all file names begin with: the design's name in ASCII letters, digits and `-`.
    pub fn stem(&self) -> String {
        slug(&self.spec.name)
    }

    /// Writes one file of a format that is text. `pe` is needed by formats that are one file a PE and passed over by the
    /// others.
    ///
    /// # Errors
    /// No such PE, a wiring for another machine than the spec's, no room for addresses, a format that is not text, or a sink
    /// that takes no more.
    pub fn render(
        &self,
        format: &Format,
        pe: Option<u32>,
        out: &mut dyn fmt::Write,
    ) -> Result<(), ExportError> {
        let pe = self.which(format, pe)?;
        match format.render {
            Render::Text(render) => render(self, pe, out),
            Render::Bytes(_) => Err(ExportError::NoText(format.name)),
            Render::Files(_) => Err(ExportError::Several(format.name)),
        }
    }

    /// Writes one file of any format as bytes.
    ///
    /// # Errors
    /// As for [`Bundle::render`], but for formats that are not text.
    pub fn write(
        &self,
        format: &Format,
        pe: Option<u32>,
        out: &mut dyn io::Write,
    ) -> Result<(), ExportError> {
        let pe = self.which(format, pe)?;
        match format.render {
            Render::Text(render) => render(self, pe, &mut Utf8(out)),
            Render::Bytes(render) => render(self, pe, out),
            Render::Files(_) => Err(ExportError::Several(format.name)),
        }
    }

    /// Hands over every file of a format that is several ([`Format::is_several`]), one after another: its path, with `/`
    /// between folders, and what is in it. `pe` is needed as for [`Bundle::render`].
    ///
    /// # Errors
    /// As for [`Bundle::render`], a format that is one file, or what `each` returned.
    pub fn files<E: From<ExportError>>(
        &self,
        format: &Format,
        pe: Option<u32>,
        mut each: impl FnMut(&str, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let pe = self.which(format, pe)?;
        let Render::Files(render) = format.render else {
            return Err(ExportError::Single(format.name).into());
        };
        let mut stopped = None;
        let done = render(self, pe, &mut |path, text| {
            each(path, text.as_bytes()).map_err(|error| {
                stopped = Some(error);
                ExportError::Sink
            })
        });
        stopped.map_or_else(|| Ok(done?), Err)
    }

    /// The PE whose file is meant.
    fn which(&self, format: &Format, pe: Option<u32>) -> Result<Option<u32>, ExportError> {
        if !format.per_pe {
            return Ok(None);
        }
        let pe = pe.ok_or(ExportError::PeMissing(format.name))?;
        let last = self.pes().saturating_sub(1);
        if pe < self.pes() { Ok(Some(pe)) } else { Err(ExportError::NoSuchPe { pe, last }) }
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

    /// What is dead, as the setting `dead` says; every part of it is in the wiring.
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
                let why = "there is no such NI in the wiring; `cables` lists those there are".into();
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

/// Lets text be written to where bytes go.
struct Utf8<'a>(&'a mut dyn io::Write);

impl fmt::Write for Utf8<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_all(text.as_bytes()).map_err(|_| fmt::Error)
    }
}

/// Whether a character cannot stand in a comment or a title. YAML ends lines, and with them comments, at U+2028 and U+2029,
/// too, and reads no text with a byte order mark or a noncharacter inside.
fn is_hidden(c: char) -> bool {
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    let turns_text =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_no_character = matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    c.is_control() || ends_line || turns_text || is_no_character
}

/// A name as a part of a file name.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().take(60) {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "design".into() } else { slug.into() }
}

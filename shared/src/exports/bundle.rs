//! A source of exports with its settings.

#[cfg(feature = "pdf")]
use super::labels;
use super::{
    DESIGNS, DesignPlan, Each, ExportError, Fonts, Format, Formats, PMeshPlan, Render, Settings, VlanPlan,
    Written, design::once, fabrics,
};
use crate::{
    demand::Demand,
    design::{Design, Names},
    fabric::{Grid, Kind, pmesh::PMesh},
    spec::Spec,
};
use std::{
    fmt, io,
    sync::{Arc, OnceLock},
};

/// A design or another network, ready to be written in any of its formats.
pub struct Bundle {
    source: Source,
    formats: Formats,
    stem: String,
    hosts: u32,
    switches: u32,
}

enum Source {
    Design(Box<DesignPlan>),
    Vlan(Network<Grid, VlanPlan>),
    PMesh(Network<PMesh, PMeshPlan>),
}

/// A network that is no design. Its plan is made when a format first asks for it.
struct Network<N, P> {
    kind: String,
    network: N,
    settings: Settings,
    plan: OnceLock<Result<Box<P>, ExportError>>,
}

impl<N, P> Network<N, P> {
    fn new(kind: String, network: N, settings: Settings) -> Network<N, P> {
        Network { kind, network, settings, plan: OnceLock::new() }
    }

    fn with(self, settings: Settings) -> Network<N, P> {
        Network::new(self.kind, self.network, settings)
    }

    fn plan(
        &self,
        make: impl FnOnce(String, &N, Settings) -> Result<P, ExportError>,
    ) -> Result<&P, ExportError> {
        let make = || make(self.kind.clone(), &self.network, self.settings.clone()).map(Box::new);
        Ok(once(&self.plan, make)?)
    }
}

impl Bundle {
    /// A design. `spec_text` is the spec's TOML text.
    pub fn new(
        spec: Arc<Spec>,
        spec_text: impl Into<Arc<str>>,
        demand: Arc<Demand>,
        design: Arc<Design>,
    ) -> Bundle {
        let (stem, hosts, switches) = (slug(&spec.name), design.pes(), design.switch_count());
        let plan = DesignPlan::new(spec, spec_text.into(), demand, design, Settings::default());
        Bundle { source: Source::Design(Box::new(plan)), formats: DESIGNS, stem, hosts, switches }
    }

    /// A network that is no design.
    ///
    /// # Errors
    /// There are no files for its kind.
    pub fn fabric(kind: &dyn Kind) -> Result<Bundle, ExportError> {
        let (formats, text, settings) = (fabrics(kind)?, kind.text(), Settings::default());
        let stem = slug(&text);
        let (source, hosts, switches) = match (kind.grid(), kind.pmesh()) {
            (Some(grid), _) => {
                (Source::Vlan(Network::new(text, grid.clone(), settings)), grid.hosts(), grid.switches())
            }
            (None, Some(mesh)) => {
                (Source::PMesh(Network::new(text, mesh.clone(), settings)), mesh.hosts(), mesh.switches())
            }
            (None, None) => return Err(ExportError::NoFiles { kind: text, forms: String::new() }),
        };
        Ok(Bundle { source, formats, stem, hosts, switches })
    }

    /// The same with other settings.
    #[must_use]
    pub fn with(mut self, settings: Settings) -> Bundle {
        self.source = match self.source {
            Source::Design(plan) => Source::Design(Box::new(plan.with(settings))),
            Source::Vlan(network) => Source::Vlan(network.with(settings)),
            Source::PMesh(network) => Source::PMesh(network.with(settings)),
        };
        self
    }

    /// The same with further fonts, for characters of a design's name in PDF files that the built-in fonts lack.
    #[must_use]
    pub fn with_fonts(mut self, fonts: Fonts) -> Bundle {
        if let Source::Design(plan) = &mut self.source {
            plan.fonts = fonts;
        }
        self
    }

    /// Number of different characters of the design's name that [`LABELS_PDF`](super::LABELS_PDF) shows as codes, because
    /// no font has them.
    #[cfg(feature = "pdf")]
    pub fn missing_characters(&self) -> usize {
        match &self.source {
            Source::Design(plan) => labels::missing_characters(plan),
            _ => 0,
        }
    }

    /// The formats of the source.
    pub fn formats(&self) -> Formats {
        self.formats
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.hosts
    }

    /// Number of files of a format.
    pub fn count(&self, format: &Format) -> u32 {
        match format.each {
            Each::Whole => 1,
            Each::Node => self.hosts,
            Each::Switch => self.switches,
        }
    }

    /// The name of a node or switch: `pe` or `sw` and its number, zero padded so that names sort.
    pub fn name(&self, each: Each, number: u32) -> String {
        let names = Names::new(self.hosts, self.switches);
        if each == Each::Switch { names.switch(number) } else { names.pe(number) }
    }

    /// The name of a file, such as `kasy0-pe007.sh`: ASCII letters, digits and `-` before the extension. Without a number,
    /// the common name of all files of the format.
    pub fn file_name(&self, format: &Format, number: Option<u32>) -> String {
        let (stem, name, extension) = (&self.stem, format.name, format.extension);
        let is_plain = !format.needs_wiring || name == extension;
        match number.filter(|_| format.each != Each::Whole).map(|number| self.name(format.each, number)) {
            Some(part) if is_plain => format!("{stem}-{part}.{extension}"),
            Some(part) => format!("{stem}-{name}-{part}.{extension}"),
            None if format.each != Each::Whole => format!("{stem}-{name}"),
            None if is_plain => format!("{stem}.{extension}"),
            None => format!("{stem}-{name}.{extension}"),
        }
    }

    /// Beginning of all file names: the source's name in ASCII letters, digits and `-`.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Checks that there is a node or switch of that number.
    ///
    /// # Errors
    /// There is none.
    pub fn check_number(&self, each: Each, number: Option<u32>) -> Written {
        let count = if each == Each::Switch { self.switches } else { self.hosts };
        match number.filter(|&number| each != Each::Whole && number >= count) {
            Some(number) => Err(ExportError::NoSuch { each, number, last: count.saturating_sub(1) }),
            None => Ok(()),
        }
    }

    /// Checks that there is a file of that number and that the design has the failed parts. Makes the plan of a network that
    /// is no design.
    ///
    /// # Errors
    /// No such node or switch, a number for a format that is one file, a setting that does not fit, or no room for addresses.
    pub fn check(&self, format: &Format, number: Option<u32>) -> Written {
        self.check_number(format.each, number)?;
        match &self.source {
            _ if number.is_some() && format.each == Each::Whole => Err(ExportError::Whole(format.name)),
            Source::Design(plan) if format.has_setting("failed") => plan.faults().map(drop),
            Source::Design(_) => Ok(()),
            Source::Vlan(network) => network.plan(VlanPlan::new).map(drop),
            Source::PMesh(network) => network.plan(PMeshPlan::new).map(drop),
        }
    }

    /// Writes one file of a format that is text. `number` is that of its node or switch; formats that are one file for
    /// the whole network ignore it.
    ///
    /// # Errors
    /// No such node or switch, a wiring for another machine than the spec's, no room for addresses, a format that is not
    /// text, or a sink that takes no more.
    pub fn render(&self, format: &Format, number: Option<u32>, out: &mut dyn fmt::Write) -> Written {
        let number = self.number(format, number)?;
        match (&format.render, &self.source) {
            (Render::Text(render), Source::Design(plan)) => render(plan, number, out),
            (Render::Vlan(render), Source::Vlan(network)) => {
                render(network.plan(VlanPlan::new)?, number, out)
            }
            (Render::PMesh(render), Source::PMesh(network)) => {
                render(network.plan(PMeshPlan::new)?, number, out)
            }
            (Render::Files(_), _) => Err(ExportError::Several(format.name)),
            _ => Err(ExportError::NoText(format.name)),
        }
    }

    /// Writes one file of any format as bytes.
    ///
    /// # Errors
    /// As for [`Bundle::render`], except for formats that are not text.
    pub fn write(&self, format: &Format, number: Option<u32>, out: &mut dyn io::Write) -> Written {
        match (&format.render, &self.source) {
            (Render::Bytes(render), Source::Design(plan)) => render(plan, self.number(format, number)?, out),
            _ => self.render(format, number, &mut Utf8(out)),
        }
    }

    /// Hands over every file of a format that is several ([`Format::is_several`]), one after another: its path, with `/`
    /// between folders, and its content. `number` is needed as for [`Bundle::render`].
    ///
    /// # Errors
    /// As for [`Bundle::render`], a format that is one file, or an error of `each`.
    pub fn files<E: From<ExportError>>(
        &self,
        format: &Format,
        number: Option<u32>,
        mut each: impl FnMut(&str, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let number = self.number(format, number)?;
        let (Render::Files(render), Source::Design(plan)) = (&format.render, &self.source) else {
            return Err(ExportError::Single(format.name).into());
        };
        let mut stopped = None;
        let done = render(plan, number, &mut |path, text| {
            each(path, text.as_bytes()).map_err(|error| {
                stopped = Some(error);
                ExportError::Sink
            })
        });
        stopped.map_or_else(|| Ok(done?), Err)
    }

    /// The number of the node or switch that a file is for; 0 for the whole network.
    fn number(&self, format: &Format, number: Option<u32>) -> Result<u32, ExportError> {
        if format.each == Each::Whole {
            return Ok(0);
        }
        let number = number.ok_or(ExportError::Missing { format: format.name, each: format.each })?;
        self.check_number(format.each, Some(number)).map(|()| number)
    }
}

/// Lets text be written as bytes.
struct Utf8<'a>(&'a mut dyn io::Write);

impl fmt::Write for Utf8<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_all(text.as_bytes()).map_err(|_| fmt::Error)
    }
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

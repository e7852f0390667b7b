//! A source of exports with its settings.

#[cfg(feature = "server")]
use super::labels;
use super::{
    DESIGNS, DesignPlan, ExportError, FileScope, Fonts, Format, Formats, INTERFACE, MARKET, PMeshPlan,
    Render, Settings, VlanPlan, WriteResult, design::once, fabrics,
};
use crate::{
    demand::Demand,
    design::{Design, Faults, Names},
    fabric::{NetworkKind, Wiring},
    random::fnv1a,
    spec::Spec,
};
use std::{
    fmt::{self, Write as _},
    io,
    sync::{Arc, OnceLock},
};

/// A design or another network, ready to be written in any of its formats.
pub struct Bundle {
    source: Source,
    formats: Formats,
    stem: String,
    /// The stem of files with the settings: it names their failed parts.
    settled_stem: String,
    hosts: u32,
    switches: u32,
}

/// A node or switch that one file is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTarget {
    /// Which of the two; `None` if the formats decide.
    pub each: Option<FileScope>,
    /// Number of the node or switch.
    pub number: u32,
}

impl From<u32> for FileTarget {
    fn from(number: u32) -> FileTarget {
        FileTarget { each: None, number }
    }
}

enum Source {
    Design(Box<DesignPlan>),
    Network(Box<Network>),
}

/// A network that is no design. Its plan, if it has one, is made when a format first asks for it.
struct Network {
    kind: Arc<dyn NetworkKind>,
    settings: Settings,
    vlan: Lazy<VlanPlan>,
    pmesh: Lazy<PMeshPlan>,
}

/// A plan that is made once.
type Lazy<P> = OnceLock<Result<Box<P>, ExportError>>;

impl Network {
    fn new(kind: Arc<dyn NetworkKind>, settings: Settings) -> Network {
        Network { kind, settings, vlan: OnceLock::new(), pmesh: OnceLock::new() }
    }

    /// The plan of a mesh or torus of switches; `None` for other kinds.
    fn vlan(&self) -> Result<Option<&VlanPlan>, ExportError> {
        let Some(grid) = self.kind.grid() else { return Ok(None) };
        let make = || VlanPlan::new(self.kind.text(), grid, self.settings.clone()).map(Box::new);
        Ok(Some(once(&self.vlan, make)?))
    }

    /// The plan of a P-Mesh; `None` for other kinds.
    fn pmesh(&self) -> Result<Option<&PMeshPlan>, ExportError> {
        let Some(mesh) = self.kind.pmesh() else { return Ok(None) };
        let make = || PMeshPlan::new(self.kind.text(), mesh, self.settings.clone()).map(Box::new);
        Ok(Some(once(&self.pmesh, make)?))
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
        let (stem, hosts) = (stem(&spec.name), design.pes());
        let switches = FileScope::Switch.count(&spec, &design);
        let plan = DesignPlan::new(spec, spec_text.into(), demand, design, Settings::default());
        let (source, settled_stem) = (Source::Design(Box::new(plan)), stem.clone());
        Bundle { source, formats: DESIGNS, stem, settled_stem, hosts, switches }
    }

    /// A network that is no design.
    pub fn fabric(kind: Arc<dyn NetworkKind>) -> Bundle {
        let (formats, parts) = (fabrics(&*kind), kind.parts());
        let (stem, hosts, switches) = (stem(&kind.text()), parts.hosts, parts.switch_count() as u32);
        let source = Source::Network(Box::new(Network::new(kind, Settings::default())));
        let settled_stem = stem.clone();
        Bundle { source, formats, stem, settled_stem, hosts, switches }
    }

    /// Sets the settings.
    #[must_use]
    pub fn with(mut self, settings: Settings) -> Bundle {
        self.settled_stem = self.stem_with(&settings);
        self.source = match self.source {
            Source::Design(plan) => Source::Design(Box::new(plan.with(settings))),
            Source::Network(network) => Source::Network(Box::new(Network::new(network.kind, settings))),
        };
        self
    }

    /// Adds fonts, for characters of a design's name that the built-in fonts lack.
    #[must_use]
    pub fn with_fonts(mut self, fonts: Fonts) -> Bundle {
        if let Source::Design(plan) = &mut self.source {
            plan.fonts = fonts;
        }
        self
    }

    /// Number of different characters of the design's name that formats with fonts show as codes, because no font has them.
    #[cfg(feature = "server")]
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
            FileScope::Whole => 1,
            FileScope::Node => self.hosts,
            FileScope::Switch => self.switches,
        }
    }

    /// The numbers of a format's files; direct cables have none.
    pub fn numbers(&self, format: &Format) -> impl Iterator<Item = u32> {
        let each = format.each;
        (0..self.count(format)).filter(move |&number| !self.is_cable(each, number))
    }

    /// `true` if a switch is a direct cable.
    fn is_cable(&self, each: FileScope, number: u32) -> bool {
        match &self.source {
            Source::Design(plan) => {
                each == FileScope::Switch && number < plan.design.switch_count() && plan.is_cable(number)
            }
            Source::Network(_) => false,
        }
    }

    /// The names of its parts.
    pub fn names(&self) -> Names {
        match &self.source {
            Source::Design(plan) => plan.names.clone(),
            Source::Network(_) => Names::new(self.hosts, self.switches),
        }
    }

    /// The host name of a node or switch. A separate uplink switch comes after the last switch.
    pub fn name(&self, each: FileScope, number: u32) -> String {
        match &self.source {
            Source::Design(plan) if each == FileScope::Switch => plan.any_switch_name(number),
            _ if each == FileScope::Switch => self.names().switch(number),
            _ => self.names().pe(number),
        }
    }

    /// The name of a file, such as `kasy0-node007.sh`: letters, digits and `-` before the extension. Without a number,
    /// the common name of all files of the format.
    pub fn file_name(&self, format: &Format, number: Option<u32>) -> String {
        let (stem, name, extension) = (&self.settled_stem, format.name, format.extension);
        let is_plain = !format.needs_wiring || name == extension;
        match number.filter(|_| format.each != FileScope::Whole).map(|number| self.name(format.each, number))
        {
            Some(part) if is_plain => format!("{stem}-{part}.{extension}"),
            Some(part) => format!("{stem}-{name}-{part}.{extension}"),
            None if format.each != FileScope::Whole => format!("{stem}-{name}"),
            None if is_plain => format!("{stem}.{extension}"),
            None => format!("{stem}-{name}.{extension}"),
        }
    }

    /// Beginning of all file names: the source's name in letters and digits of any script and `-`.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns the stem, followed by the failed parts of the settings: `kasy0-failed-sw03`.
    pub fn stem_with(&self, settings: &Settings) -> String {
        let names = match &self.source {
            Source::Design(plan) => {
                Names::of(&plan.spec, &plan.design).with(settings.given(&INTERFACE), None)
            }
            Source::Network(_) => self.names(),
        };
        // Words that name no part are an error before a file is written.
        let faults = Faults::named(settings.failed(), &names).unwrap_or_default();
        format!("{}{}", self.stem, failed_mark(&faults.words(|part| names.word(part))))
    }

    /// Checks that the network has the parts that its settings name.
    ///
    /// # Errors
    /// A name or number of no part.
    pub fn check_parts(&self) -> WriteResult {
        match &self.source {
            Source::Design(plan) => plan.check_parts(),
            Source::Network(network) => network.settings.faults().map(drop),
        }
    }

    /// The number of a node or of a switch, by its own name, as `node7` or `sw3`.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn number_of(&self, each: FileScope, name: &str) -> Result<u32, ExportError> {
        let names = self.names();
        let (node, switch) = (names.pe_of(name), names.switch_of(name));
        let (number, other, count) = match each {
            FileScope::Switch => (switch, node, self.switches),
            _ => (node, switch, self.hosts),
        };
        number.filter(|&number| number < count).ok_or_else(|| {
            let (name, last) = (name.chars().take(64).collect(), count.saturating_sub(1));
            match other {
                Some(_) => ExportError::OtherName { each, name, last },
                None => ExportError::NoName { each, name, last },
            }
        })
    }

    /// The node or switch of a name, as `node7` or `sw3`.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn part_of(&self, name: &str) -> Result<FileTarget, ExportError> {
        let of = |each| Ok(FileTarget { each: Some(each), number: self.number_of(each, name)? });
        of(FileScope::Node)
            .or_else(|_: ExportError| of(FileScope::Switch))
            .map_err(|_| ExportError::NoPart(name.chars().take(64).collect()))
    }

    /// Checks that there is a node or switch of that number.
    ///
    /// # Errors
    /// There is none.
    pub fn check_number(&self, each: FileScope, number: Option<u32>) -> WriteResult {
        let count = if each == FileScope::Switch { self.switches } else { self.hosts };
        match number.filter(|&number| each != FileScope::Whole && number >= count) {
            Some(number) => Err(ExportError::NoSuch { each, number, last: count.saturating_sub(1) }),
            None => match number.filter(|&number| self.is_cable(each, number)) {
                Some(cable) => Err(ExportError::Cable(self.name(each, cable))),
                None => Ok(()),
            },
        }
    }

    /// Checks that there is a file of that number, that the wiring fits the spec and that it has the failed parts. Makes the
    /// plan of a network that is no design.
    ///
    /// # Errors
    /// No such node or switch, a number for a format that is one file, a wiring that breaks the spec for a format that builds
    /// from it, a setting that does not fit, or no room for addresses.
    pub fn check(&self, format: &Format, number: Option<u32>) -> WriteResult {
        if let Source::Design(plan) = &self.source {
            plan.check_for(format)?;
        }
        self.check_number(format.each, number)?;
        match &self.source {
            _ if number.is_some() && format.each == FileScope::Whole => Err(ExportError::Whole(format.name)),
            Source::Design(plan) => {
                if format.has_setting("failed") {
                    plan.faults().map(drop)
                } else {
                    Ok(())
                }
            }
            Source::Network(network) => {
                network.vlan()?;
                network.pmesh().map(drop)
            }
        }
    }

    /// Writes one file of a format that is text. `number` is that of its node or switch; formats that are one file for
    /// the whole network ignore it.
    ///
    /// # Errors
    /// No such node or switch, a wiring for another machine than the spec's, no room for addresses, a format that is not
    /// text, or a sink that takes no more.
    pub fn render(&self, format: &Format, number: Option<u32>, out: &mut dyn fmt::Write) -> WriteResult {
        let number = self.number(format, number)?;
        match (&format.render, &self.source) {
            (Render::Text(render), Source::Design(plan)) => render(plan, number, out),
            (Render::Vlan(render), Source::Network(network)) => match network.vlan()? {
                Some(plan) => render(plan, number, out),
                None => Err(ExportError::NoText(format.name)),
            },
            (Render::PMesh(render), Source::Network(network)) => match network.pmesh()? {
                Some(plan) => render(plan, number, out),
                None => Err(ExportError::NoText(format.name)),
            },
            (Render::Network(render), Source::Network(network)) => {
                render(&*network.kind, &network.settings, out)
            }
            (Render::Network(render), Source::Design(plan)) => {
                let market = plan.settings.given(&MARKET).copied().unwrap_or(plan.spec.market);
                let settings = plan.settings.clone().with(&MARKET, market);
                render(&Wiring::of(&plan.spec, &plan.design), &settings, out)
            }
            (Render::Files(_), _) => Err(ExportError::Several(format.name)),
            _ => Err(ExportError::NoText(format.name)),
        }
    }

    /// Writes one file of any format as bytes.
    ///
    /// # Errors
    /// Errors of [`Bundle::render`], except for formats that are not text.
    pub fn write(&self, format: &Format, number: Option<u32>, out: &mut dyn io::Write) -> WriteResult {
        match (&format.render, &self.source) {
            (Render::Bytes(render), Source::Design(plan)) => render(plan, self.number(format, number)?, out),
            _ => self.render(format, number, &mut Utf8(out)),
        }
    }

    /// Hands over every file of a format that is several ([`Format::is_several`]), one after another: its path, with `/`
    /// between folders, and its content. `number` is needed as for [`Bundle::render`].
    ///
    /// # Errors
    /// Errors of [`Bundle::render`], a format that is one file, or an error of `each`.
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
        if let Source::Design(plan) = &self.source {
            plan.check_for(format)?;
        }
        if format.each == FileScope::Whole {
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

/// Max characters and bytes of names of files. Paths of archives (POSIX ustar) have room for 155 bytes of folders.
const MAX_STEM: usize = 60;

/// A name as the beginning of file names: letters and digits of any script, in lower case, with `-` between words.
pub(super) fn stem(name: &str) -> String {
    // Letters typed as two characters, a base and a mark above or below it, stay whole.
    let is_mark = |c| ('\u{300}'..='\u{36f}').contains(&c);
    let stem = words(name, |c| c.is_alphanumeric() || is_mark(c));
    if stem.is_empty() { "design".into() } else { stem }
}

/// Max characters of the failed parts in a file name.
const MAX_FAILED: usize = 40;

/// The failed parts as the end of a stem; empty without any. If they are too long, it has the first ones and the number of others.
fn failed_mark(failed: &str) -> String {
    let parts: Vec<String> = failed.split_whitespace().map(stem).collect();
    let mut mark = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 && mark.len() + part.len() > MAX_FAILED {
            let _ = write!(mark, "-and-{}-more", parts.len() - at);
            break;
        }
        mark += if at == 0 { "-failed-" } else { "-" };
        mark += part;
    }
    mark
}

/// A name as an identifier in other tools: ASCII letters, digits and `-`. If other letters are left out, the end is a number
/// computed from the name, so that names which differ in these alone have different identifiers.
pub(super) fn slug(name: &str) -> String {
    let mut slug = words(name, |c| c.is_ascii_alphanumeric());
    if slug.is_empty() {
        slug.push_str("design");
    }
    if name.chars().any(|c| !c.is_ascii() && c.is_alphanumeric()) {
        let _ = write!(slug, "-{:06x}", fnv1a(name.as_bytes()) & 0xff_ffff);
    }
    slug
}

/// The kept characters of a name in lower case, and a `-` for those between them.
fn words(name: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut words = String::new();
    for c in name.chars().take(MAX_STEM).flat_map(char::to_lowercase) {
        let next = if is_kept(c) { c } else { '-' };
        let doubled = next == '-' && (words.is_empty() || words.ends_with('-'));
        if !doubled && words.len() + next.len_utf8() <= MAX_STEM {
            words.push(next);
        }
    }
    words.truncate(words.trim_end_matches('-').len());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn file_names_keep_letters_of_any_script() {
        for (name, file) in [
            ("KASY0", "kasy0"),
            ("実験 «Łab» ü", "実験-łab-ü"),
            ("  Cluster/2: ../x  ", "cluster-2-x"),
            ("u\u{308}ber", "u\u{308}ber"),
            ("\u{202e}\u{200b}!?", "design"),
            ("", "design"),
        ] {
            assert_eq!(stem(name), file);
        }
        for letter in ["a", "ü", "実", "𐌰", "ﬃ", "İ"] {
            let long = stem(&letter.repeat(100));
            assert!((57..=60).contains(&long.len()), "{long}");
            assert_eq!(long, stem(&long));
        }
    }

    #[test]
    fn file_names_name_failed_parts() {
        for (failed, mark) in [
            ("", ""),
            ("sw03", "-failed-sw03"),
            ("sw03 node007 node005.nic1", "-failed-sw03-node007-node005-nic1"),
            (
                "sw00 sw01 sw02 sw03 sw04 sw05 sw06 sw07 sw08",
                "-failed-sw00-sw01-sw02-sw03-sw04-sw05-and-3-more",
            ),
        ] {
            assert_eq!(failed_mark(failed), mark);
        }
    }

    #[test]
    fn identifiers_are_ascii_and_differ_where_names_do() {
        assert_eq!(
            (slug("KASY0"), slug("Lab <8> & 'co'"), slug("!?")),
            ("kasy0".into(), "lab-8-co".into(), "design".into())
        );
        let names = ["ü", "ö", "実験 Łab", "実験 lab", "Lab ü", "Lab ä", "Lab"];
        let slugs: BTreeSet<String> = names.iter().map(|name| slug(name)).collect();
        assert_eq!(slugs.len(), names.len(), "{slugs:?}");
        for slug in slugs {
            assert!(slug.starts_with(|c: char| c.is_ascii_lowercase()) && slug.len() <= 70, "{slug}");
            assert!(slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{slug}");
        }
    }
}

//! Files of several formats together, or of all of them, as one folder or archive.
//!
//! Each format takes the settings that it has. Small files are held one at a time. A larger one is rendered twice, first to
//! learn its size, which an archive states first. [`FormatArchive::plan`] learns the sizes of all files before the first is written.

use super::{ArtifactError, begin, file_name, folder, for_each_file, is_archive, write};
use shared::{
    cancel,
    exports::{Bundle, ExportError, FileScope, FileTarget, Format, Formats, LEFT_OUT, Settings},
};
use std::{
    collections::HashMap,
    io,
    time::{Duration, Instant},
};

/// Name for every format.
pub const ALL: &str = "all";
/// Max bytes of a file in memory.
const MAX_HELD: u64 = 4 << 20;
/// Max bytes of a file that was not named.
const MAX_OF_ALL: u64 = 1 << 30;
/// Max estimated bytes of all files of a format that was not named. Tables of 65,536 nodes would take hundreds of GiB.
const MAX_OF_NODES: u64 = 2 << 30;
/// Max pairs that a format walks unless it is named: beyond, a table of them would be larger than [`MAX_OF_ALL`].
const MAX_PAIRS: u64 = 1 << 26;
/// Max bytes of small files that are held until all files are planned.
const MAX_PLANNED: u64 = 16 << 20;
/// Max bytes of a file in an archive.
const MAX: u64 = (8 << 30) - 1;

/// Formats to write together.
pub struct FormatArchive {
    formats: Vec<&'static Format>,
    /// `true` if each was named, so none may be missing.
    named: bool,
    choices: Vec<String>,
    /// The kind and number of the chosen node or switch.
    part: Option<(FileScope, u32)>,
    /// Single files, as planned.
    planned: HashMap<&'static str, FileBuffer>,
}

/// Writes one file.
pub type WriteFile<'a> = dyn FnMut(&mut dyn io::Write) -> Result<(), ArtifactError> + 'a;

/// A skipped format, and why.
pub struct SkippedFormat {
    /// Name of the format.
    pub format: &'static str,
    /// Why, in words.
    pub why: String,
}

impl FormatArchive {
    /// Reads `all`, or names with commas between them; `None` for the name of one format. `choices` are settings, each
    /// `name=value`. `part` chooses one file of formats that have one per node, or of those that have one per switch; a number
    /// alone is a node's if any of the formats has files of nodes.
    ///
    /// # Errors
    /// A name that no format has, a part although no format has files of such parts, a named format with files of the other
    /// kind, or a setting that none of them has or accepts.
    pub fn read(
        formats: Formats,
        names: &str,
        choices: Vec<String>,
        part: Option<FileTarget>,
    ) -> Result<Option<FormatArchive>, ExportError> {
        let named = names != ALL;
        if named && !names.contains(',') {
            return Ok(None);
        }
        let formats: Vec<_> = if named {
            let mut chosen = Vec::new();
            for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                chosen.push(formats.get(name)?.name);
            }
            if chosen.is_empty() {
                formats.get(names)?;
            }
            formats.iter().filter(|format| chosen.contains(&format.name)).collect()
        } else {
            formats.iter().collect()
        };
        let part = part.map(|part| {
            let has_nodes = formats.iter().any(|format| format.each == FileScope::Node);
            let each = part.each.unwrap_or(if has_nodes { FileScope::Node } else { FileScope::Switch });
            (each, part.number)
        });
        if let ([one, ..], Some((chosen, _))) = (formats.as_slice(), part) {
            if formats.iter().all(|format| format.each == FileScope::Whole) {
                return Err(ExportError::Whole(one.name));
            }
            if named {
                formats.iter().try_for_each(|format| is_of(format, chosen))?;
            }
        }
        let several = FormatArchive { formats, named, choices, part, planned: HashMap::new() };
        several.check()?;
        Ok(Some(several))
    }

    /// The formats, in the order of their list.
    pub fn formats(&self) -> impl Iterator<Item = &'static Format> {
        self.formats.iter().copied()
    }

    fn check(&self) -> Result<(), ExportError> {
        let is_known =
            |choice: &&String| self.formats.iter().any(|format| format.has_setting(name_of(choice)));
        let unknown = self.choices.iter().filter(|choice| !is_known(choice)).map(|choice| {
            let why = "none of the formats has this setting; `--format list` lists all".into();
            ExportError::Setting { choice: choice.chars().take(80).collect(), why }
        });
        let refused = self.formats.iter().filter_map(|format| self.settings(format).err());
        ExportError::of_settings(unknown.chain(refused)).map_or(Ok(()), Err)
    }

    fn settings(&self, format: &Format) -> Result<Settings, ExportError> {
        Settings::read(format, self.choices_of(format))
    }

    fn choices_of<'a>(&'a self, format: &Format) -> impl Iterator<Item = &'a str> + Clone {
        self.choices.iter().map(String::as_str).filter(move |choice| format.has_setting(name_of(choice)))
    }

    /// File name of an archive of them.
    pub fn file_name(&self, bundle: &Bundle) -> String {
        let stem = self.stem(bundle);
        match self.part {
            Some((each, number)) => format!("{stem}-{}.tar", bundle.name(each, number)),
            None => format!("{stem}.tar"),
        }
    }

    /// Name of the folder in an archive of them. If some route around failed parts, it names these.
    pub fn stem(&self, bundle: &Bundle) -> String {
        let routed = self.formats.iter().find(|format| format.has_setting("failed"));
        let settings = routed.and_then(|format| self.settings(format).ok());
        settings.map_or_else(|| bundle.stem().to_owned(), |settings| bundle.stem_with(&settings))
    }

    /// Hands over every file: its path, its size in bytes, and its writer. Of all formats, those that cannot be written are
    /// skipped and listed in a last file.
    ///
    /// # Errors
    /// There is no such node or switch, a named format cannot be written, or `each` fails.
    pub fn for_each<E: From<ArtifactError>>(
        &self,
        mut bundle: Bundle,
        mut each: impl FnMut(&str, u64, &mut WriteFile) -> Result<(), E>,
    ) -> Result<Vec<SkippedFormat>, E> {
        let top = self.stem(&bundle);
        let (mut chosen, mut left_out) = (Vec::new(), Vec::new());
        bundle = self.checked(bundle, &mut chosen)?;
        for format in &self.formats {
            bundle = self.settled(bundle, format, &mut chosen)?;
            let mut stopped = None;
            let mut write = |path: &str, size: u64, write: &mut WriteFile| {
                each(&format!("{top}/{path}"), size, write).map_err(|error| {
                    stopped = Some(error);
                    ArtifactError::Export(ExportError::Sink)
                })
            };
            let done = self.format(&bundle, format, &mut write);
            match (stopped, done) {
                (Some(error), _) => return Err(error),
                (None, Err(error)) if self.named => return Err(error.into()),
                (None, Err(error)) => {
                    left_out.push(SkippedFormat { format: format.name, why: error.to_string() })
                }
                (None, Ok(())) => {}
            }
        }
        if !left_out.is_empty() {
            let list: String = left_out.iter().map(|l| format!("{}: {}\n", l.format, l.why)).collect();
            let path = format!("{top}/{LEFT_OUT}");
            each(&path, list.len() as u64, &mut |out| Ok(out.write_all(list.as_bytes())?))?;
        }
        Ok(left_out)
    }

    /// The bundle, if every named format can be written, and all parts that settings name are there.
    fn checked<'a>(&'a self, mut bundle: Bundle, chosen: &mut Vec<&'a str>) -> Result<Bundle, ArtifactError> {
        self.check_part(&bundle)?;
        for format in &self.formats {
            bundle = self.settled(bundle, format, chosen)?;
            bundle.check_parts()?;
            if self.named {
                bundle.check(format, self.number_of(format))?;
            }
        }
        Ok(bundle)
    }

    /// The bundle with a format's settings. Results computed for one format serve the next if their settings, which `chosen`
    /// holds, are equal.
    fn settled<'a>(
        &'a self,
        bundle: Bundle,
        format: &Format,
        chosen: &mut Vec<&'a str>,
    ) -> Result<Bundle, ArtifactError> {
        let own: Vec<&str> = self.choices_of(format).collect();
        if own == *chosen {
            return Ok(bundle);
        }
        *chosen = own;
        Ok(bundle.with(self.settings(format)?))
    }

    /// Checks that the network has the chosen part.
    ///
    /// # Errors
    /// It has no such node or switch.
    pub fn check_part(&self, bundle: &Bundle) -> Result<(), ExportError> {
        self.part.map_or(Ok(()), |(each, number)| bundle.check_number(each, Some(number)))
    }

    /// The chosen number, if the format has one file per node or switch.
    fn number_of(&self, format: &Format) -> Option<u32> {
        self.part.filter(|_| format.each != FileScope::Whole).map(|(_, number)| number)
    }

    /// Learns the sizes of all files: exact ones of single files, estimates for formats with a file per node or switch. Returns their
    /// sum with that of the archive around them. Stops as soon as it exceeds `max`.
    ///
    /// # Errors
    /// There is no such node or switch, a named format cannot be written, or files are not measured within `patience`: the
    /// client waits for the first byte.
    pub fn plan(
        &mut self,
        mut bundle: Bundle,
        max: u64,
        patience: Duration,
    ) -> Result<(Bundle, u64), ArtifactError> {
        let began = Instant::now();
        let (mut planned, mut chosen, mut sum, mut held) = (HashMap::new(), Vec::new(), 1024, 0);
        bundle = self.checked(bundle, &mut chosen)?;
        // The estimates come first, since they are quick.
        let (whole, parts): (Vec<_>, Vec<_>) =
            self.formats.iter().partition(|format| !is_archive(format, self.number_of(format)));
        for format in parts.into_iter().chain(whole) {
            if began.elapsed() > patience {
                return Err(ArtifactError::Unplanned);
            }
            bundle = self.settled(bundle, format, &mut chosen)?;
            match self.size(&bundle, format, max.saturating_sub(sum)) {
                Ok(mut measured) => {
                    let size = measured.size;
                    // A single file that is too large is left out.
                    sum += if size > self.most() { 0 } else { size.next_multiple_of(512) + 1024 };
                    held += measured.held.len() as u64;
                    if held > MAX_PLANNED {
                        held -= measured.held.len() as u64;
                        measured.held = Vec::new();
                    }
                    planned.insert(format.name, measured);
                }
                Err(error) if self.named => return Err(error),
                Err(_) => {}
            }
            if sum > max {
                break;
            }
        }
        self.planned = planned;
        Ok((bundle, sum))
    }

    /// Size of a format's files. Measures a single file up to `room`, and a little more.
    fn size(&self, bundle: &Bundle, format: &Format, room: u64) -> Result<FileBuffer, ArtifactError> {
        if let Some((chosen, _)) = self.part {
            is_of(format, chosen)?;
        }
        let number = self.number_of(format);
        self.may_have(bundle, format, number)?;
        if !is_archive(format, number) {
            return measure(bundle, format, number, self.most().min(room));
        }
        Ok(FileBuffer { held: Vec::new(), size: archive_size(bundle, format, number)?, most: u64::MAX })
    }

    /// Max bytes of a file.
    fn most(&self) -> u64 {
        if self.named { MAX } else { MAX_OF_ALL }
    }

    /// The files of one format.
    fn format(&self, bundle: &Bundle, format: &Format, each: &mut FileSink) -> Result<(), ArtifactError> {
        if let Some((chosen, _)) = self.part {
            is_of(format, chosen)?;
        }
        let number = self.number_of(format);
        let name = file_name(bundle, format, number);
        // A format may have no file, and is refused all the same.
        bundle.check(format, number)?;
        self.may_have(bundle, format, number)?;
        if is_archive(format, number) {
            let inside = folder(&name);
            return for_each_file(bundle, format, number, |path, content| {
                let path = format!("{inside}/{path}");
                each(&path, content.len() as u64, &mut |out| Ok(out.write_all(content)?))
            });
        }
        let most = self.most();
        let now;
        let measured = match self.planned.get(format.name) {
            Some(planned) => planned,
            None => {
                now = measure(bundle, format, number, most)?;
                &now
            }
        };
        if measured.size > most {
            return Err(ArtifactError::TooLarge { most });
        }
        each(&name, measured.size, &mut |out| {
            if measured.held.len() as u64 == measured.size {
                return Ok(out.write_all(&measured.held)?);
            }
            write(bundle, format, number, out)
        })
    }

    /// Checks that a format's files, and the pairs in them, are few enough for a format that was not named.
    fn may_have(&self, bundle: &Bundle, format: &Format, number: Option<u32>) -> Result<(), ArtifactError> {
        if self.named {
            return Ok(());
        }
        let nodes = u64::from(bundle.nodes());
        let pairs = nodes * nodes.saturating_sub(1) / 2;
        if format.walks_all_pairs && pairs > MAX_PAIRS {
            return Err(ArtifactError::Pairs { pairs });
        }
        if format.each == FileScope::Whole || number.is_some() {
            return Ok(());
        }
        let bytes = estimate(bundle, format)?;
        if bytes > MAX_OF_NODES { Err(ArtifactError::TooMuch { bytes }) } else { Ok(()) }
    }

    /// Writes an archive of one folder. Its bytes depend on nothing but the design and the settings.
    ///
    /// # Errors
    /// Errors of [`FormatArchive::for_each`], or `out` takes no more.
    pub fn write(
        &self,
        bundle: Bundle,
        out: &mut dyn io::Write,
    ) -> Result<Vec<SkippedFormat>, ArtifactError> {
        let mut archive = tar::Builder::new(out);
        let left_out = self.for_each(bundle, |path, size, write| {
            let header = begin(&mut archive, path, size)?;
            let out = archive.get_mut();
            out.write_all(header.as_bytes())?;
            write(out)?;
            let padding = (size.next_multiple_of(512) - size) as usize;
            Ok::<_, ArtifactError>(out.write_all(&[0; 512][..padding])?)
        })?;
        archive.finish()?;
        Ok(left_out)
    }
}

/// Checks that a format has no files of the other kind of parts.
fn is_of(format: &Format, chosen: FileScope) -> Result<(), ExportError> {
    if [FileScope::Whole, chosen].contains(&format.each) {
        return Ok(());
    }
    Err(ExportError::OtherPart { format: format.name, each: format.each, chosen })
}

/// Name of a setting in `name=value`.
fn name_of(choice: &str) -> &str {
    choice.split('=').next().unwrap_or_default().trim()
}

/// The bytes of a single file, or a few more than `most` if it is larger.
fn measure(
    bundle: &Bundle,
    format: &Format,
    number: Option<u32>,
    most: u64,
) -> Result<FileBuffer, ArtifactError> {
    let mut measured = FileBuffer { held: Vec::new(), size: 0, most };
    let done = write(bundle, format, number, &mut measured);
    if measured.size <= most {
        done?;
    }
    Ok(measured)
}

/// Estimate of the bytes of a format's archive.
///
/// # Errors
/// A file cannot be made.
pub fn archive_size(bundle: &Bundle, format: &Format, number: Option<u32>) -> Result<u64, ExportError> {
    if number.is_none() && format.each != FileScope::Whole {
        return estimate(bundle, format);
    }
    let mut bytes = 1024;
    bundle.files(format, number, |_, content| {
        bytes += 1024 + (content.len() as u64).next_multiple_of(512);
        Ok::<_, ExportError>(())
    })?;
    Ok(bytes)
}

/// Estimate of the bytes of all files of a format in an archive: the largest of three, times their number.
fn estimate(bundle: &Bundle, format: &Format) -> Result<u64, ExportError> {
    let numbers: Vec<u32> = bundle.numbers(format).collect();
    let last = numbers.len().saturating_sub(1);
    let mut most = 0;
    for &number in [0, last / 2, last].into_iter().filter_map(|at| numbers.get(at)) {
        let mut measured = FileBuffer { held: Vec::new(), size: 0, most: u64::MAX };
        if format.is_several() {
            bundle.files(format, Some(number), |_, content| {
                measured.size += 1024 + (content.len() as u64).next_multiple_of(512);
                Ok::<_, ExportError>(())
            })?;
        } else {
            bundle.write(format, Some(number), &mut measured)?;
            measured.size = 1024 + measured.size.next_multiple_of(512);
        }
        most = most.max(measured.size);
    }
    Ok(most * numbers.len() as u64)
}

type FileSink<'a> = dyn FnMut(&str, u64, &mut WriteFile) -> Result<(), ArtifactError> + 'a;

/// Bytes of a file, held while they are few.
struct FileBuffer {
    held: Vec<u8>,
    size: u64,
    most: u64,
}

impl io::Write for FileBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        cancel::check();
        self.size += bytes.len() as u64;
        if self.size > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if self.size <= MAX_HELD {
            self.held.extend_from_slice(bytes);
        } else {
            self.held = Vec::new();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::Request;
    use shared::{
        exports::{DESIGNS, format, formats},
        resolve::NoFiles,
    };

    /// A machine whose first PEs, so many of them, are on one switch.
    fn bundle(pes: u32, joined: u32) -> Bundle {
        let spec = format!(
            "name = \"Star\"\npes = {pes}\nnis_per_pe = 1\n[[switch]]\nports = 64\n[[pattern]]\nkind = \"matrix\"\npairs = [[0, 1]]\n"
        );
        let request = Request::read(&spec, &mut NoFiles).unwrap();
        let members: Vec<String> = (0..joined).map(|pe| pe.to_string()).collect();
        let design = request.wiring(&format!("0: {}\n", members.join(" "))).unwrap();
        request.bundle(design)
    }

    #[test]
    fn tables_of_all_pes_are_among_all_unless_they_are_too_much() {
        let all = FormatArchive::read(DESIGNS, ALL, Vec::new(), None).unwrap().unwrap();
        let named = FormatArchive::read(DESIGNS, "entries-json,hosts", Vec::new(), None).unwrap().unwrap();
        let (small, large) = (bundle(64, 64), bundle(16_384, 2));
        let [json, hosts, relays] = ["entries-json", "hosts", "relays"].map(|name| format(name).unwrap());
        let told = all.may_have(&large, json, None).unwrap_err().to_string();
        assert!(told.ends_with(" GiB for all nodes; export it alone"), "{told}");
        let told = all.may_have(&large, relays, None).unwrap_err().to_string();
        assert!(told.starts_with("about 134,209,536 pairs"), "{told}");
        for (several, bundle, format, pe) in [
            (&all, &small, json, None),
            (&all, &large, hosts, None),
            (&all, &large, json, Some(7)),
            (&named, &large, json, None),
            (&all, &small, relays, None),
        ] {
            assert!(several.may_have(bundle, format, pe).is_ok(), "{} {pe:?}", format.name);
        }
    }

    #[test]
    fn an_estimate_is_near_what_is_written() {
        let small = bundle(64, 64);
        for format in formats().filter(|format| format.each == FileScope::Node) {
            let mut written = 0;
            let each = |_: &str, content: &[u8]| {
                written += content.len() as u64;
                Ok::<_, ExportError>(())
            };
            match for_each_file(&small, format, None, each) {
                // The spec has no job.
                Err(ExportError::NoJob(_)) => continue,
                done => done.unwrap(),
            }
            let estimated = estimate(&small, format).unwrap();
            // With the headers and the padding of an archive.
            let mut archive = Vec::new();
            write(&small, format, None, &mut archive).unwrap();
            let size = archive.len() as u64;
            assert!((written..=2 * size).contains(&estimated), "{}: {estimated}, {size}", format.name);
        }
    }

    #[test]
    fn a_plan_is_near_what_is_written_and_writes_the_same() {
        for names in [ALL, "entries-json,hosts", "hosts,json"] {
            let read = || FormatArchive::read(DESIGNS, names, Vec::new(), None).unwrap().unwrap();
            let (mut plain, mut planned) = (Vec::new(), Vec::new());
            read().write(bundle(64, 64), &mut plain).unwrap();
            let mut several = read();
            let (same, size) = several.plan(bundle(64, 64), u64::MAX, Duration::MAX).unwrap();
            several.write(same, &mut planned).unwrap();
            assert!(planned == plain, "{names}");
            let written = plain.len() as u64;
            assert!((written / 2..=2 * written).contains(&size), "{names}: {size}, {written}");
            let (_, stopped) = read().plan(bundle(64, 64), written / 4, Duration::MAX).unwrap();
            assert!((written / 4..=size).contains(&stopped), "{names}: {stopped}");
            let late = read().plan(bundle(64, 64), u64::MAX, Duration::ZERO);
            assert!(matches!(late, Err(ArtifactError::Unplanned)), "{names}");
        }
    }
}

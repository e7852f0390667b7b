//! Measured traffic on its way into a spec: files read slice by slice, ranks on nodes, pairs to keep.

use crate::state::words::{count, fixed, grouped, percent};
use shared::{
    demand::trace::{
        Format, Import, KeptPairs, LIST, Nodes, Settings, Threshold, TraceFault, Traffic, TrafficForm,
    },
    form::{Fault, says},
};

/// Bytes that the browser reads at a time.
const SLICE: u64 = 2 << 20;
/// Max points of the curve.
const POINTS: usize = 300;
/// Max names of files in a sentence.
const NAMES: usize = 3;

/// Files to choose, for people. The list of formats comes with its readers, after the first page.
pub const FILES: &str = "Choose or drop files of measured traffic";

/// Returns [`FILES`] with the formats.
pub fn files() -> String {
    let formats: Vec<&str> = LIST.iter().map(|format| format.label).collect();
    format!("{FILES}: {}", formats.join(", "))
}

/// Use of the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A new session.
    Session,
    /// A pattern of the session's spec, by its index; a new one for `None`.
    Pattern(Option<usize>),
}

/// Part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Index of the file.
    pub file: usize,
    /// First byte.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
}

/// Files of one import, while they are read.
pub struct Reading {
    import: Import,
    /// Names and sizes in bytes.
    files: Vec<(String, u64)>,
    /// The file that is read.
    file: usize,
    /// Bytes of it so far.
    at: u64,
    /// Bytes of all files so far.
    done: u64,
}

impl Reading {
    /// Begins to read files, given by names and sizes in bytes, in that format or one to detect.
    pub fn new(format: Option<&'static Format>, files: Vec<(String, u64)>) -> Reading {
        Reading { import: Import::new(format), files, file: 0, at: 0, done: 0 }
    }

    /// The slice to read next; `None` after the last.
    pub fn next(&self) -> Option<Slice> {
        let (_, size) = self.files.get(self.file)?;
        Some(Slice { file: self.file, start: self.at, end: (self.at + SLICE).min(*size) })
    }

    /// Takes the next bytes of the file, which is empty only if they are.
    ///
    /// # Errors
    /// The first fault in them.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), TraceFault> {
        let Some((name, size)) = self.files.get(self.file) else { return Ok(()) };
        if self.at == 0 {
            self.import.begin(name);
        }
        self.import.feed(bytes)?;
        self.at += bytes.len() as u64;
        self.done += bytes.len() as u64;
        if self.at >= *size {
            self.import.end()?;
            (self.file, self.at) = (self.file + 1, 0);
        }
        Ok(())
    }

    /// The traffic of all files.
    ///
    /// # Errors
    /// The files do not fit together, or hold no traffic.
    pub fn finish(self) -> Result<MeasuredTraffic, TraceFault> {
        let label = self.import.format().map_or("", |format| format.label);
        Ok(MeasuredTraffic { label, traffic: self.import.finish()? })
    }

    /// Progress so far.
    pub fn progress(&self) -> Progress {
        Progress {
            done: self.done,
            total: self.files.iter().map(|file| file.1).sum(),
            file: (self.file + 1).min(self.files.len()),
            files: self.files.len(),
        }
    }
}

/// Progress of reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes so far.
    pub done: u64,
    /// Bytes of all files.
    pub total: u64,
    /// Number of the file that is read, from 1.
    pub file: usize,
    /// Number of files.
    pub files: usize,
}

impl Progress {
    /// The progress in words.
    pub fn words(self) -> String {
        let Progress { done, total, file, files } = self;
        let size = format!("Read {} of {} MB", grouped(done >> 20), grouped(total.div_ceil(1 << 20)));
        match files {
            0 | 1 => format!("{size}."),
            _ => format!("{size}, file {} of {}.", grouped(file as u64), grouped(files as u64)),
        }
    }
}

/// Names of files in a sentence.
pub fn listed(names: &[String]) -> String {
    match names.len().saturating_sub(NAMES) {
        0 => names.join(", "),
        more => format!("{} and {} more", names[..NAMES].join(", "), grouped(more as u64)),
    }
}

/// Traffic that was read.
#[derive(Debug, PartialEq)]
pub struct MeasuredTraffic {
    /// The format's name for people.
    pub label: &'static str,
    /// Amounts per pair of ranks.
    pub traffic: Traffic,
}

/// Traffic between nodes, and how much of it the heaviest pairs carry.
#[derive(Debug, PartialEq)]
pub struct PlacedTraffic {
    /// Amounts per pair of nodes.
    pub nodes: Nodes,
    /// Number of heaviest pairs, and their percentage of the traffic.
    pub curve: Vec<(f64, f64)>,
}

impl MeasuredTraffic {
    /// The traffic between nodes.
    ///
    /// # Errors
    /// A fault of the field `nodes` or `ranks_per_node`.
    pub fn place(&self, settings: &Settings) -> Result<PlacedTraffic, Fault> {
        let placed = self.traffic.nodes(&settings.placement, settings.nodes);
        let nodes = placed.map_err(|TraceFault { message, .. }| {
            let field = if settings.nodes.is_some() { "nodes" } else { "ranks_per_node" };
            Fault::new(field, "", says(message))
        })?;
        if nodes.pairs.is_empty() {
            let sentence = format!(
                "with {} on {}, all traffic is inside nodes.",
                count(self.traffic.ranks as u64, "rank"),
                count(nodes.nodes as u64, "node")
            );
            return Err(Fault::new("ranks_per_node", "", says(sentence)));
        }
        let point = |(pairs, share): (usize, f64)| (pairs as f64, share);
        Ok(PlacedTraffic { curve: nodes.curve(POINTS).into_iter().map(point).collect(), nodes })
    }

    /// Number of nodes that the ranks need, if it is not the number typed.
    pub fn other_count(&self, form: &TrafficForm) -> Option<u32> {
        let settings = form.read().ok()?;
        let needed = self.traffic.node_count(&settings.placement).ok()?;
        settings.nodes.filter(|&nodes| nodes != needed).map(|_| needed)
    }

    /// Format, ranks and nodes in words.
    pub fn words(&self, nodes: &Nodes) -> String {
        let Nodes { unit, inside, .. } = nodes;
        let by_names = if nodes.names.is_empty() { "" } else { ", by host names" };
        let inside = match *inside {
            0.0 => String::new(),
            inside => {
                format!(" Traffic inside nodes left out: {} {}.", fixed(inside, 0), unit.words())
            }
        };
        let warnings: String =
            self.traffic.warnings.iter().map(|warning| format!(" Warning: {warning}")).collect();
        format!(
            "{}: {} on {}{by_names}.{inside}{warnings}",
            self.label,
            count(self.traffic.ranks as u64, "rank"),
            count(nodes.nodes as u64, "node")
        )
    }
}

impl PlacedTraffic {
    /// The pairs to keep.
    ///
    /// # Errors
    /// A fault of the field `amount`: no pair is left.
    pub fn keep(&self, threshold: Threshold) -> Result<KeptPairs, Fault> {
        let kept = self.nodes.keep(threshold);
        if let (Threshold::Amount(least), true) = (threshold, kept.pairs.is_empty()) {
            let heaviest = self.nodes.pairs.iter().fold(0.0, |most: f64, pair| most.max(pair.2));
            let expected = format!("at most {}, the traffic of the heaviest pair", fixed(heaviest, 0));
            return Err(Fault::new("amount", least, expected));
        }
        Ok(kept)
    }

    /// Number of pairs kept, and their percentage of the traffic.
    pub fn mark(&self, kept: &KeptPairs) -> (f64, f64) {
        (kept.pairs.len() as f64, 100.0 * self.share(kept))
    }

    /// The pairs kept in words.
    pub fn words(&self, kept: &KeptPairs) -> String {
        format!(
            "Keeps {} of {} with {} of the {}.",
            grouped(kept.pairs.len() as u64),
            count(self.nodes.pairs.len() as u64, "pair"),
            percent(self.share(kept)),
            self.nodes.unit.words()
        )
    }

    fn share(&self, kept: &KeptPairs) -> f64 {
        let total = self.nodes.total();
        (total - kept.dropped_amount) / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        demand::trace::{format, read},
        form::Form,
    };

    /// Reads files as the page does, in pieces of so many bytes.
    fn measure(files: &[(&str, &str)], piece: usize) -> Result<MeasuredTraffic, TraceFault> {
        let sizes = files.iter().map(|(name, text)| ((*name).to_owned(), text.len() as u64)).collect();
        let mut reading = Reading::new(None, sizes);
        while let Some(Slice { file, start, end }) = reading.next() {
            let bytes = &files[file].1.as_bytes()[start as usize..end as usize];
            let mut pieces = bytes.chunks(piece);
            reading.feed(pieces.next().unwrap_or_default())?;
            pieces.try_for_each(|piece| reading.feed(piece))?;
        }
        reading.finish()
    }

    /// Open MPI's file of a rank of three, which sends to the next.
    fn profile(rank: u32) -> String {
        format!("E\t{rank}\t{}\t{} bytes\t1 msgs sent\n", (rank + 1) % 3, 1000 * (rank + 1))
    }

    fn form(texts: &[(&str, &str)]) -> TrafficForm {
        let mut form = TrafficForm::default();
        texts.iter().for_each(|&(key, text)| *form.get_mut(key).unwrap() = text.into());
        form
    }

    fn settings(texts: &[(&str, &str)]) -> Settings {
        form(texts).read().unwrap()
    }

    #[test]
    fn slices_give_what_whole_files_give() {
        let texts: Vec<String> = (0..3).map(profile).collect();
        let files = [("out.0.prof", &*texts[0]), ("out.1.prof", &*texts[1]), ("out.2.prof", &*texts[2])];
        let whole = read(&files.map(|(name, text)| (name, text.as_bytes())), None).unwrap();
        for piece in [1, 7, 1000] {
            assert_eq!(measure(&files, piece).unwrap().traffic, whole);
        }
        let long = "0 1 5\n".repeat(SLICE as usize / 3);
        let measured = measure(&[("long.txt", &long)], 100_000).unwrap();
        assert_eq!(measured.traffic.flows, [(0, 1, 5.0 * (SLICE / 3) as f64)]);
    }

    #[test]
    fn faults_name_file_and_line_and_an_empty_file_is_one() {
        let fault = |files: &[(&str, &str)]| measure(files, 4).unwrap_err().to_string();
        assert_eq!(
            fault(&[("a.csv", "0 1 5\n1 2 x\n")]),
            "a.csv: line 2: weight \"x\" is not a number from 0 to 1e18."
        );
        let warnings = measure(&[("a.csv", "0 1 5\n"), ("b.csv", "")], 4).unwrap().traffic.warnings;
        assert_eq!(warnings[0].to_string(), "b.csv: The file is empty.");
        assert!(fault(&[("empty", "")]).starts_with("empty: is empty."));
        assert!(fault(&[]).starts_with("no file is given"));
    }

    #[test]
    fn progress_counts_bytes_and_files() {
        let mut reading = Reading::new(format("table"), vec![("a".into(), 3 << 20), ("b".into(), 1)]);
        assert_eq!(reading.progress().words(), "Read 0 of 4 MB, file 1 of 2.");
        assert_eq!(reading.next(), Some(Slice { file: 0, start: 0, end: SLICE }));
        reading.feed("0 1 2\n".repeat((3 << 20) / 6 - 1).as_bytes()).unwrap();
        assert_eq!(reading.next(), Some(Slice { file: 0, start: (3 << 20) - 6, end: 3 << 20 }));
        reading.feed(b"0 1 2\n").unwrap();
        assert_eq!(reading.progress().words(), "Read 3 of 4 MB, file 2 of 2.");
        assert_eq!(reading.next(), Some(Slice { file: 1, start: 0, end: 1 }));
        let all = Progress { done: 5 << 30, total: 5 << 30, file: 1, files: 1 };
        assert_eq!(all.words(), "Read 5,120 of 5,120 MB.");
        assert_eq!(listed(&["a".into(), "b".into()]), "a, b");
        assert_eq!(listed(&["a", "b", "c", "d", "e"].map(String::from)), "a, b, c and 2 more");
    }

    #[test]
    fn ranks_must_fit_on_the_nodes() {
        let ring: String = (0..17).map(|rank| format!("{rank} {} 2\n", (rank + 1) % 17)).collect();
        let measured = measure(&[("ring.txt", &ring)], 50).unwrap();
        let fault = measured.place(&settings(&[("nodes", "16")])).unwrap_err();
        let told = "rank 16 of 17 is on node 16; with 16 nodes, the last one is 15. Allow 17 nodes, or more ranks per node.";
        assert_eq!((&*fault.path, &*fault.message), ("nodes", told));
        assert_eq!(measured.other_count(&form(&[("nodes", "16")])), Some(17));
        assert_eq!(measured.other_count(&form(&[("nodes", "17")])), None);
        assert_eq!(measured.other_count(&form(&[])), None);
        let placed = measured.place(&settings(&[("nodes", "16"), ("ranks_per_node", "2")])).unwrap();
        assert_eq!(
            measured.words(&placed.nodes),
            "matrix or list: 17 ranks on 9 nodes. Traffic inside nodes left out: 16 weight."
        );
        let fault = measured.place(&settings(&[("ranks_per_node", "17")])).unwrap_err();
        assert_eq!(
            (&*fault.path, &*fault.message),
            ("ranks_per_node", "with 17 ranks on 1 node, all traffic is inside nodes.")
        );
    }

    #[test]
    fn the_pairs_kept_are_a_point_of_the_curve() {
        let measured = measure(&[("a.txt", "0 1 500\n1 2 300\n2 3 190\n0 3 10\n")], 9).unwrap();
        let placed = measured.place(&settings(&[])).unwrap();
        let curve = [(0.0, 0.0), (1.0, 50.0), (2.0, 80.0), (3.0, 99.0), (4.0, 100.0)];
        assert_eq!(placed.curve, curve);
        for (texts, mark, words) in [
            (&[][..], 4, "Keeps 4 of 4 pairs with 100 % of the weight."),
            (&[("keep", "share")], 3, "Keeps 3 of 4 pairs with 99.00 % of the weight."),
            (&[("keep", "amount"), ("amount", "300")], 2, "Keeps 2 of 4 pairs with 80.00 % of the weight."),
        ] {
            let kept = placed.keep(settings(texts).threshold).unwrap();
            assert_eq!((placed.mark(&kept), &*placed.words(&kept)), (curve[mark], words));
        }
        let fault = placed.keep(settings(&[("keep", "amount"), ("amount", "501")]).threshold).unwrap_err();
        assert_eq!(fault, Fault::new("amount", 501, "at most 500, the traffic of the heaviest pair"));
        let faults = form(&[("keep", "share"), ("share", "0")]).read();
        assert_eq!(faults.unwrap_err().to_string(), "share: must be a number above 0, at most 100, not 0.");
    }
}

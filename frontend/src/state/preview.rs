//! The beginning of an export as the browser shows it: bounded, whatever the size of the file.

use shared::exports::{Bundle, ExportError, Format, LEFT_OUT, Look};
use std::io;

/// Bytes of a text that are shown.
const TEXT: usize = 4 << 10;
/// Bytes of a page after which the line at hand is its last: a line of a page of labels is a sheet.
const PAGE: usize = 24 << 10;
/// Max bytes of a page.
const MAX_OF_PAGE: usize = 1 << 20;
/// Max bytes of a picture.
const PICTURE: usize = 8 << 20;
/// Max files whose names are shown.
const FILES: usize = 12;

/// Preview of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preview {
    /// First lines of the file.
    Text {
        /// Whole lines.
        text: String,
        /// `true` if there is more.
        more: bool,
    },
    /// The beginning of a page.
    Page {
        /// Whole lines, and so whole sheets.
        html: String,
        /// `true` if there is more.
        more: bool,
    },
    /// A picture.
    Picture(Vec<u8>),
    /// Files with the first lines of each.
    Files {
        /// Path and first lines.
        files: Vec<(String, String)>,
        /// `true` if there are more.
        more: bool,
    },
    /// It is not shown, and why.
    Not(String),
}

/// Lines of the list of formats that an archive of all is without, from the end of the archive: the list is its last file.
pub fn left_out(end: &str) -> Vec<String> {
    let list =
        end.rsplit_once(LEFT_OUT).and_then(|(_, rest)| rest.split('\0').find(|part| part.contains('\n')));
    list.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Makes the beginning of a file.
///
/// # Errors
/// The file cannot be made.
pub fn preview(bundle: &Bundle, format: &Format, pe: Option<u32>) -> Result<Preview, ExportError> {
    if format.is_several() {
        return files(bundle, format, pe);
    }
    if let Some(why) = unseen(format) {
        return Ok(Preview::Not(why));
    }
    let mut beginning = Beginning::of(format);
    let made = bundle.write(format, pe, &mut beginning);
    if !beginning.more {
        made?;
    }
    Ok(beginning.shown())
}

/// Reason why a file of this format has no preview; `None` if it has one.
pub fn unseen(format: &Format) -> Option<String> {
    (format.look() == Look::Hidden)
        .then(|| format!("No preview of .{} files; download the file.", format.extension))
}

/// The first files of a format that is several.
fn files(bundle: &Bundle, format: &Format, pe: Option<u32>) -> Result<Preview, ExportError> {
    let (mut files, mut more) = (Vec::new(), false);
    let made = bundle.files(format, pe, |path, content| {
        if files.len() == FILES {
            more = true;
            return Err(ExportError::Sink);
        }
        let shown = &content[..content.len().min(TEXT / 4)];
        let text = String::from_utf8_lossy(shown).into_owned();
        files.push((path.to_owned(), lines(text, shown.len() < content.len())));
        Ok(())
    });
    if !more {
        made?;
    }
    Ok(Preview::Files { files, more })
}

/// A text without the line that breaks off.
fn lines(mut text: String, cut: bool) -> String {
    if let Some(end) = text.rfind('\n').filter(|_| cut) {
        text.truncate(end);
    }
    text
}

/// Takes the beginning of a file and refuses the rest.
pub struct Beginning {
    look: Look,
    bytes: Vec<u8>,
    more: bool,
}

impl Beginning {
    /// Nothing of a file of this format yet.
    pub fn of(format: &Format) -> Beginning {
        Beginning { look: format.look(), bytes: Vec::new(), more: false }
    }

    /// Takes what is shown of these bytes; false if there was more than that.
    pub fn take(&mut self, bytes: &[u8]) -> bool {
        let end = self.room_in(bytes);
        self.bytes.extend_from_slice(&bytes[..end]);
        self.more |= end < bytes.len();
        !self.more
    }

    /// Number of these bytes that still belong to the beginning.
    fn room_in(&self, bytes: &[u8]) -> usize {
        let has = self.bytes.len();
        let most = match self.look {
            Look::Page => MAX_OF_PAGE,
            Look::Picture => PICTURE,
            Look::Text | Look::Files | Look::Hidden => TEXT,
        };
        let end = bytes.len().min(most - has);
        if self.look != Look::Page {
            return end;
        }
        if has >= PAGE && self.bytes.ends_with(b"\n") {
            return 0;
        }
        let first = PAGE.saturating_sub(has + 1).min(end);
        bytes[first..end].iter().position(|&byte| byte == b'\n').map_or(end, |line| first + line + 1)
    }

    /// The preview.
    pub fn shown(self) -> Preview {
        let Beginning { look, bytes, more } = self;
        if look == Look::Picture {
            let large = "The picture is larger than 8 MB; download it.";
            return if more { Preview::Not(large.into()) } else { Preview::Picture(bytes) };
        }
        let text = lines(String::from_utf8_lossy(&bytes).into_owned(), more);
        match look {
            Look::Page => Preview::Page { html: text, more },
            _ => Preview::Text { text, more },
        }
    }
}

impl io::Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.take(bytes) { Ok(bytes.len()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        demand::Demand,
        design::table,
        exports::{FileScope, Settings, format},
        resolve::{self, NoFiles},
    };
    use std::sync::Arc;

    #[test]
    fn an_archive_ends_with_what_it_is_without() {
        let header = "lab/LEFT-OUT.txt\0\0\x30000644\0ustar\x2000\0\0";
        let archive = format!("lab/a.txt\0ustar\0one\ntwo\n\0\0{header}nvue: no\nrankfile: no job\n\0\0\0");
        assert_eq!(left_out(&archive), ["nvue: no", "rankfile: no job"]);
        assert!(left_out("lab/a.txt\0ustar\0one\ntwo\n\0\0").is_empty());
    }

    fn kasy0() -> Bundle {
        let text = include_str!("../../../assets/specs/kasy0.toml");
        let spec = Arc::new(resolve::read(text, &mut NoFiles).unwrap());
        let design = table::parse(include_str!("../../../assets/wirings/kasy0.txt"), spec.pes).unwrap();
        let demand = Arc::new(Demand::build(&spec).unwrap());
        Bundle::new(spec, text, demand, Arc::new(design))
    }

    #[test]
    fn a_text_breaks_off_after_a_line_and_says_so() {
        let Ok(Preview::Text { text, more: true }) = preview(&kasy0(), format("cables").unwrap(), None)
        else {
            panic!("the cable list is a long text")
        };
        let mut whole = String::new();
        kasy0().render(format("cables").unwrap(), None, &mut whole).unwrap();
        assert!(text.len() <= TEXT && text.len() > TEXT / 2 && whole.starts_with(&format!("{text}\n")));
        let short = preview(&kasy0(), format("wiring").unwrap(), None);
        assert!(matches!(short, Ok(Preview::Text { more: false, .. })));
    }

    #[test]
    fn a_page_breaks_off_after_a_whole_sheet_however_it_is_written() {
        let sheets = |choices: &[&str]| {
            let labels = format("labels").unwrap();
            let settings = Settings::read(labels, choices.iter().copied()).unwrap();
            let bundle = kasy0().with(settings);
            let Ok(Preview::Page { html, more }) = preview(&bundle, labels, None) else { panic!("no page") };
            let mut whole = String::new();
            bundle.render(labels, None, &mut whole).unwrap();
            let mut again = Beginning::of(labels);
            whole.as_bytes().chunks(7).all(|bytes| again.take(bytes));
            assert_eq!(again.shown(), Preview::Page { html: html.clone(), more });
            assert!(whole.starts_with(&html) && html.contains("</style>"));
            assert!(!more || html.ends_with("</section>"), "{choices:?}");
            (html.matches("</section>").count(), more)
        };
        assert_eq!(sheets(&[]), (1, true));
        assert_eq!(sheets(&["link=https://studio.example.org/d/0123456789abcdefghjkmnpqrs"]), (1, true));
        assert_eq!(sheets(&["sheet=a4", "of=cable"]), (1, true));
        assert_eq!(sheets(&["of=calibration"]), (1, true));
        assert_eq!(sheets(&["of=calibration", "sheet=tape9"]), (2, false));
    }

    #[test]
    fn pictures_are_whole_archives_name_files_and_other_bytes_are_named() {
        let of = |name: &str, pe| preview(&kasy0(), format(name).unwrap(), pe);
        assert!(matches!(of("svg", None), Ok(Preview::Picture(bytes)) if bytes.starts_with(b"<svg")));
        assert!(matches!(of("networkd", Some(7)), Ok(Preview::Files { files, .. }) if files.len() >= 3));
        assert!(matches!(of("labels-pdf", None), Ok(Preview::Not(why)) if why.contains(".pdf")));
        assert_eq!(
            of("script", Some(128)),
            Err(ExportError::NoSuch { each: FileScope::Node, number: 128, last: 127 })
        );
    }
}

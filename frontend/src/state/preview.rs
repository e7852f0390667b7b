//! The beginning of an export as the browser shows it: bounded, whatever the size of the file.

use shared::exports::{Bundle, ExportError, Format};
use std::io;

/// Bytes of a text that are shown.
const TEXT: usize = 4 << 10;
/// Bytes of a page.
const PAGE: usize = 24 << 10;
/// Most bytes of a picture.
const PICTURE: usize = 8 << 20;
/// Most files whose names are shown.
const FILES: usize = 12;

/// What is shown of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preview {
    /// Its first lines.
    Text {
        /// Whole lines.
        text: String,
        /// Whether there is more.
        more: bool,
    },
    /// The beginning of a page, which may break off anywhere.
    Page(String),
    /// A picture.
    Picture(Vec<u8>),
    /// Files with the first lines of each.
    Files {
        /// Path and first lines.
        files: Vec<(String, String)>,
        /// Whether there are more.
        more: bool,
    },
    /// It is not shown, and why.
    Not(String),
}

/// Makes the beginning of a file.
///
/// # Errors
/// The file cannot be made.
pub fn preview(bundle: &Bundle, format: &Format, pe: Option<u32>) -> Result<Preview, ExportError> {
    if format.is_several() {
        return files(bundle, format, pe);
    }
    let picture = format.media_type.starts_with("image/");
    let page = format.media_type.starts_with("text/html");
    if !picture && !format.is_text() {
        return Ok(Preview::Not(format!(
            "A .{} file is not text; download it to look at it.",
            format.extension
        )));
    }
    let most = if picture {
        PICTURE
    } else if page {
        PAGE
    } else {
        TEXT
    };
    let mut sink = Beginning { bytes: Vec::new(), most, more: false };
    let made = bundle.write(format, pe, &mut sink);
    if !sink.more {
        made?;
    }
    if picture {
        let large = "The picture is larger than 8 MB; download it to look at it.";
        return Ok(if sink.more { Preview::Not(large.into()) } else { Preview::Picture(sink.bytes) });
    }
    let text = String::from_utf8_lossy(&sink.bytes).into_owned();
    Ok(if page {
        Preview::Page(text)
    } else {
        Preview::Text { text: lines(text, sink.more), more: sink.more }
    })
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

/// Takes the beginning and refuses the rest.
struct Beginning {
    bytes: Vec<u8>,
    most: usize,
    more: bool,
}

impl io::Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most - self.bytes.len();
        if room == 0 {
            self.more = true;
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = bytes.len().min(room);
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
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
        exports::format,
        spec::{NoFiles, language, resolve},
    };
    use std::sync::Arc;

    fn kasy0() -> Bundle {
        let text = include_str!("../../../assets/specs/kasy0.toml");
        let spec = Arc::new(resolve(&language::parse(text).unwrap(), &mut NoFiles).unwrap());
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
    fn pictures_are_whole_archives_name_files_and_other_bytes_are_told() {
        let of = |name: &str, pe| preview(&kasy0(), format(name).unwrap(), pe);
        assert!(matches!(of("png", None), Ok(Preview::Picture(bytes)) if bytes.starts_with(b"\x89PNG")));
        assert!(matches!(of("networkd", Some(7)), Ok(Preview::Files { files, .. }) if files.len() >= 3));
        assert!(matches!(of("labels-pdf", None), Ok(Preview::Not(why)) if why.contains(".pdf")));
        assert!(matches!(of("labels", None), Ok(Preview::Page(page)) if page.contains("<style>")));
        assert_eq!(of("script", Some(128)), Err(ExportError::NoSuchPe { pe: 128, last: 127 }));
    }
}

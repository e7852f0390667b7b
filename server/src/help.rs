//! Chapters of the help: one Markdown file per topic, for `crosspoint help TOPIC` and for the studio.

mod reference;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::sync::LazyLock;

/// A chapter.
#[derive(Clone, Copy, Debug)]
pub struct Chapter {
    /// Name on the command line and in the API.
    pub topic: &'static str,
    /// Markdown text.
    pub text: &'static str,
}

macro_rules! chapters {
    ($($topic:literal),* $(,)?) => {
        vec![$(Chapter { topic: $topic, text: reference::filled(include_str!(concat!("help/", $topic, ".md"))).leak() }),*]
    };
}

/// All chapters in reading order.
pub static CHAPTERS: LazyLock<Vec<Chapter>> = LazyLock::new(|| {
    chapters![
        "concepts",
        "first-machine",
        "spec",
        "spec-reference",
        "traffic",
        "job",
        "search",
        "hardware",
        "import",
        "share",
        "library",
        "labels",
        "cabling",
        "verify",
        "hosts",
        "boot",
        "failures",
        "archive",
        "other-tools",
        "compare",
        "estimate",
        "vlan-mesh",
        "simulate",
        "simulate-reference",
        "deploy",
        "deploy-reference",
        "limits",
        "api",
        "references",
        "glossary",
    ]
});

/// Finds a chapter by its topic.
pub fn chapter(topic: &str) -> Option<&'static Chapter> {
    CHAPTERS.iter().find(|chapter| chapter.topic == topic)
}

impl Chapter {
    /// Title, from the first line.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or("").trim_start_matches("# ")
    }

    /// Text as HTML for a page whose own headings end at `h2`. HTML in the text is escaped.
    pub fn html(&self) -> String {
        let events = Parser::new_ext(self.text, Options::ENABLE_TABLES).map(|event| match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                Event::Start(Tag::Heading { level: lowered(level), id, classes, attrs })
            }
            Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lowered(level))),
            event => event,
        });
        let mut page = String::with_capacity(2 * self.text.len());
        html::push_html(&mut page, events);
        page
    }
}

fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        _ => HeadingLevel::H5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chapter_has_a_title_and_short_lines() {
        for chapter in CHAPTERS.iter() {
            assert!(chapter.text.starts_with("# "), "{}", chapter.topic);
            let long = chapter.text.lines().find(|line| line.chars().count() > 160);
            assert_eq!(long, None, "{}", chapter.topic);
            assert!(chapter.html().starts_with("<h3>"), "{}", chapter.topic);
        }
    }

    #[test]
    fn html_in_a_chapter_is_escaped() {
        let page =
            Chapter { topic: "x", text: "# T\n\n<script>x</script>\n\na <b onclick='x'>b</b> | `<i>`" }
                .html();
        assert!(!page.contains("<script") && !page.contains("<b ") && !page.contains("<i>"), "{page}");
    }

    /// Bold words name parts of the studio, which must have them.
    #[test]
    fn the_studio_has_what_the_chapters_name() {
        let sources = code("frontend/src");
        for chapter in CHAPTERS.iter() {
            for label in chapter.text.split("**").skip(1).step_by(2).filter(|label| !label.ends_with('.')) {
                let label = label.replace('\n', " ");
                assert!(sources.contains(&format!("\"{label}\"")), "{}: {label}", chapter.topic);
            }
        }
    }

    #[test]
    fn the_glossary_is_in_alphabetical_order() {
        let glossary = chapter("glossary").unwrap().text;
        let rows = glossary.lines().filter_map(|line| line.strip_prefix("| ")).skip(2);
        let words: Vec<_> = rows.map(|row| row.split(" | ").next().unwrap().to_lowercase()).collect();
        assert!(words.len() > 30 && words.is_sorted(), "{words:#?}");
    }

    #[test]
    fn every_source_is_a_reference() {
        let references = chapter("references").unwrap().text;
        let is_year = |word: &&str| word.parse().is_ok_and(|year: u32| (1900..2100).contains(&year));
        let mut seen = 0;
        for line in code("shared/analysis/src").lines().chain(code("shared/network/src").lines()) {
            // Texts of a line, and the sources in one text.
            let texts = line.split('"').skip(1).step_by(2).filter(|_| !line.trim_start().starts_with("//"));
            for source in texts.flat_map(|text| text.split("; ")) {
                let words: Vec<_> = source.split(' ').map(|word| word.trim_end_matches(',')).collect();
                let Some(year) = words.iter().position(is_year) else { continue };
                if year > 0 && source.starts_with(char::is_uppercase) {
                    let key = words[..=year].join(" ");
                    assert!(references.contains(&format!("* **{key}.**")), "{line}: {key}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 50, "{seen}");
    }

    /// The text of all Rust files of a folder of the repository.
    fn code(folder: &str) -> String {
        let mut text = String::new();
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                match entry.path() {
                    path if path.is_dir() => folders.push(path),
                    path if path.extension().is_some_and(|end| end == "rs") => {
                        text += &std::fs::read_to_string(path).unwrap();
                    }
                    _ => {}
                }
            }
        }
        text
    }
}

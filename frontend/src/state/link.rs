//! The fragment of a link: a spec and settings.

/// Packed parts, separated by `&`: the spec first if there is one, then `key=value`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The packed spec; empty if the path names a saved design.
    pub spec: String,
    /// The parts, by key.
    parts: Vec<(String, String)>,
}

impl Link {
    /// A link to a packed spec, or to the design of the path if that is empty.
    pub fn to(spec: String) -> Link {
        Link { spec, parts: Vec::new() }
    }

    /// Parses a fragment, without its `#`.
    pub fn of(fragment: &str) -> Link {
        let mut link = Link::default();
        for (number, word) in fragment.split('&').enumerate() {
            match word.split_once('=') {
                Some((key, value)) => link.parts.push((key.into(), value.into())),
                None if number == 0 => link.spec = word.into(),
                None => {}
            }
        }
        link
    }

    /// Adds a part, unless it is empty.
    #[must_use]
    pub fn with(mut self, key: &str, value: String) -> Link {
        if !value.is_empty() {
            self.parts.push((key.into(), value));
        }
        self
    }

    /// The part of that key.
    pub fn part(&self, key: &str) -> Option<&str> {
        self.parts.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// The fragment, without its `#`.
    pub fn write(&self) -> String {
        let parts = self.parts.iter().map(|(key, value)| format!("{key}={value}"));
        let spec = Some(self.spec.clone()).filter(|spec| !spec.is_empty());
        spec.into_iter().chain(parts).collect::<Vec<_>>().join("&")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_they_were_written() {
        let spec = Link::to("1abc_-".into());
        let link = spec
            .clone()
            .with("tab", "compare".into())
            .with("prices", "1xyz".into())
            .with("none", String::new());
        assert_eq!(link.write(), "1abc_-&tab=compare&prices=1xyz");
        assert_eq!(Link::of(&link.write()), link);
        assert_eq!((link.part("prices"), link.part("none")), (Some("1xyz"), None));
        assert_eq!(Link::of("1abc_-"), spec);
        let design = Link::default().with("tab", "compare".into());
        assert_eq!((design.write().as_str(), Link::of("tab=compare")), ("tab=compare", design));
        assert_eq!(Link::of(""), Link::default());
    }
}

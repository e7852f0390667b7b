//! Where in the studio one is: the pages and their addresses.

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The gallery, above a session.
    #[default]
    Home,
    /// A session with a run.
    Run(String),
    /// A kept design.
    Design(String),
    /// A session that begins with a spec out of the address.
    Link(String),
    /// No page of ours.
    Unknown,
}

impl Place {
    /// The page at a path and fragment (with or without its `#`).
    pub fn of(path: &str, fragment: &str) -> Place {
        let mut words = path.split('/').filter(|w| !w.is_empty());
        match (words.next(), words.next(), words.next()) {
            (None, ..) => Place::Home,
            (Some("r"), Some(id), None) if is_id(id) => Place::Run(id.into()),
            (Some("d"), Some(id), None) if is_id(id) => Place::Design(id.into()),
            (Some("s"), None, None) => Place::Link(fragment.trim_start_matches('#').into()),
            _ => Place::Unknown,
        }
    }

    /// The address, from the first slash on.
    pub fn address(&self) -> String {
        match self {
            Place::Home | Place::Unknown => "/".into(),
            Place::Run(id) => format!("/r/{id}"),
            Place::Design(id) => format!("/d/{id}"),
            Place::Link(spec) => format!("/s#{spec}"),
        }
    }
}

fn is_id(word: &str) -> bool {
    word.len() <= 64 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_their_pages() {
        let link = Place::Link("1abc_-".into());
        for place in [Place::Home, Place::Run("x7-_Y".into()), Place::Design("q".into()), link] {
            let address = place.address();
            let (path, fragment) = address.split_once('#').unwrap_or((&address, ""));
            assert_eq!(Place::of(path, fragment), place);
        }
    }

    #[test]
    fn what_is_no_page_is_told_apart() {
        for path in ["/x", "/r", "/r/a/b", "/d/..%2f", "/d/a b"] {
            assert_eq!(Place::of(path, ""), Place::Unknown, "{path}");
        }
    }
}

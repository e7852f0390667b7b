//! The theme: light, dark, or the system's.

/// A choice of theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The system's theme.
    #[default]
    System,
    /// Ink on white.
    Light,
    /// Light grey on near black.
    Dark,
}

impl Choice {
    /// The next one on the button.
    pub fn next(self) -> Choice {
        match self {
            Choice::System => Choice::Light,
            Choice::Light => Choice::Dark,
            Choice::Dark => Choice::System,
        }
    }

    /// Returns the name in storage and in the page's `data-theme`.
    pub fn name(self) -> &'static str {
        match self {
            Choice::System => "system",
            Choice::Light => "light",
            Choice::Dark => "dark",
        }
    }

    /// The choice of a name; the system's for any other name.
    pub fn named(name: &str) -> Choice {
        [Choice::Light, Choice::Dark].into_iter().find(|c| c.name() == name).unwrap_or_default()
    }

    /// `true` if the page is dark.
    pub fn is_dark(self, system_is_dark: bool) -> bool {
        match self {
            Choice::System => system_is_dark,
            Choice::Light => false,
            Choice::Dark => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_survives_storage() {
        let mut choice = Choice::System;
        for _ in 0..3 {
            assert_eq!(Choice::named(choice.name()), choice);
            choice = choice.next();
        }
        assert_eq!((choice, Choice::named("mauve")), (Choice::System, Choice::System));
        assert!(Choice::System.is_dark(true) && !Choice::Light.is_dark(true) && Choice::Dark.is_dark(false));
    }
}

//! Searches while people type: how they ended.

/// The end of the last quick search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum QuickEnd {
    /// It found a wiring, or there was none yet.
    #[default]
    Found,
    /// The limit in milliseconds was too short.
    Longer(f64),
    /// The studio has turned quick searches off.
    Off,
}

/// How a quick search found a wiring.
#[derive(Clone, Debug, PartialEq)]
pub struct QuickResult {
    /// In words.
    pub method: String,
    /// Seconds that it took.
    pub seconds: f64,
    /// `true` if the wiring serves every requested pair.
    pub solved: bool,
    /// Limit in seconds.
    pub limit: f64,
}

impl QuickResult {
    /// `true` if a closed form gave the wiring.
    pub fn is_constructed(&self) -> bool {
        self.method.starts_with("by construction")
    }
}

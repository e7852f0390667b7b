//! The search's tunables, one row each: name, default, range, meaning.

/// A tunable as a row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name in [`Options`].
    pub name: &'static str,
    /// Its value unless told otherwise.
    pub default: u32,
    /// The least that makes sense.
    pub low: u32,
    /// The most that makes sense.
    pub high: u32,
    /// What it does.
    pub meaning: &'static str,
}

macro_rules! options {
    ($($name:ident = $default:literal, $low:literal to $high:literal, $meaning:literal;)*) => {
        /// Values of all tunables.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Options {
            $(#[doc = $meaning] pub $name: u32,)*
        }

        impl Default for Options {
            fn default() -> Self {
                Options { $($name: $default,)* }
            }
        }

        /// All tunables.
        pub const ROWS: &[Row] = &[
            $(Row { name: stringify!($name), default: $default, low: $low, high: $high, meaning: $meaning },)*
        ];
    };
}

options! {
    population = 10, 2 to 64, "Wirings in an island's population, where memory allows.";
    keep = 5, 1 to 63, "Best wirings that stay for the next generation (the papers' KEEP).";
    fudge = 1, 0 to 8, "Of those, the last ones exchanged at random with others (FUDGE).";
    cross = 3, 0 to 62, "New wirings a generation by crossover (CROSS); the rest are mutants.";
    dna = 250, 0 to 1000, "Per mille of mutants that are made by the greedy heuristic from new DNA.";
    candidates = 14, 1 to 64, "Occupants of a switch looked at for the one that loses least.";
    hot = 650, 50 to 2000, "Temperature in thousandths at which a repair from scratch begins.";
    warm = 350, 50 to 2000, "The same for a greedy first design, whose structure is to stay.";
    cool = 280, 50 to 2000, "Temperature in thousandths at which a repair ends.";
    steps = 64, 1 to 4096, "Temperatures of one repair.";
    patience = 40, 1 to 10000, "Moves for each NI in a first repair.";
    most_patience = 20000, 1 to 1000000, "Moves for each NI in a repair, at most.";
    epoch = 2000, 1 to 1000000, "Thousand work units between two exchanges with other islands.";
    columns = 8, 1 to 256, "Switches that the greedy heuristic keeps open at once.";
    scaled_patience = 4000, 1 to 100000, "Moves for each NI of a scaled-down problem.";
    concentrated = 2, 1 to 100000, "Million work units for concentrated loads before loads are free.";
}

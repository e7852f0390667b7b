//! The search's tunables: name, default, range, meaning.

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

        impl Options {
            /// Sets a tunable by name; `false` if there is none or the value is out of range.
            pub fn set(&mut self, name: &str, value: u32) -> bool {
                match name {
                    $(stringify!($name) if ($low..=$high).contains(&value) => self.$name = value,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

options! {
    population = 8, 2 to 64, "Wirings in an island's population, where memory allows.";
    keep = 4, 1 to 63, "Best wirings that may become parents (the papers' KEEP).";
    fudge = 1, 0 to 8, "Number of these that are replaced by random others (FUDGE).";
    dna = 250, 0 to 1000, "Per mille of parents with DNA that breed by DNA.";
    candidates = 14, 1 to 64, "Occupants of a switch compared to find the cheapest.";
    team = 8, 1 to 256, "Threads that share an island, at most.";
    hot = 650, 50 to 2000, "First temperature of a repair from scratch, in thousandths.";
    warm = 350, 50 to 2000, "First temperature of a repair that keeps structure, in thousandths.";
    cool = 280, 50 to 2000, "Last temperature of a repair, in thousandths.";
    steps = 64, 1 to 4096, "Temperatures per repair.";
    brief = 40, 1 to 10000, "Moves per NI in the repair of the first construction.";
    idle_rungs = 2, 0 to 1000, "Rungs of the ladder in a row without a lower final cost after which tournaments begin.";
    large = 50, 0 to 1000000, "Thousand NIs above which the ladder never ends and there are no tournaments.";
    entrants = 8, 1 to 64, "Wirings in a tournament.";
    slow = 30000, 1 to 1000000, "Moves per NI in the first slow descent after a tournament; each further one takes twice as many.";
    slow_descent = 1150, 1000 to 5000, "Start of a slow descent, in per mille of the winner's temperature.";
    slow_end = 900, 1 to 1000, "End of a slow descent, in per mille of the winner's temperature.";
    stale = 3, 1 to 1000, "Slow descents without a better winner before the island starts over.";
    heat = 600, 1 to 100000, "Moves per NI in the first heat of a tournament.";
    descent = 1400, 1000 to 5000, "Start of a new entrant's annealing, in per mille of its temperature.";
    descent_end = 850, 1 to 1000, "End of a new entrant's annealing, in per mille of its temperature.";
    swing = 1100, 1000 to 1900, "Start of a later heat, in per mille of its temperature; it ends as far below.";
    near = 3, 0 to 1000, "Uncovered pairs up to which a quenched wiring earns a longer quench.";
    again = 600, 1 to 100000, "Moves per NI in a longer quench.";
    lukewarm = 650, 1 to 1000, "Start of a longer quench, in per mille of the entrant's temperature.";
    quench = 200, 1 to 100000, "Moves per NI in a quench, which judges an entrant.";
    centre = 450, 20 to 5000, "Middle temperature of the first tournament, in thousandths.";
    ratio = 1110, 1000 to 2000, "Ratio of neighbouring entrants' temperatures, in thousandths.";
    patience = 2000, 1 to 100000, "Moves per NI in repairs of scaled-down designs.";
    first_moves = 20, 1 to 1000000, "Limit of moves in such a repair, in millions.";
    epoch = 2000, 1 to 1000000, "Thousand work units between two exchanges with other islands.";
    tick = 100, 1 to 10000, "Milliseconds between two reports.";
    columns = 8, 1 to 256, "Switches that the greedy heuristic keeps open at once.";
    scaled_patience = 4000, 1 to 100000, "Moves per NI of a scaled-down problem.";
    planned = 30000, 1 to 10000000, "Moves per NI with the planned switches before further ones of a model without a count are used.";
    further = 3400, 1 to 10000000, "Moves per NI with each number of further switches, and with the planned ones if some have a count.";
    concentrated = 2, 1 to 100000, "Limit of work with concentrated loads, in millions.";
    concentrated_repairs = 20, 1 to 100000, "The same limit in repairs from scratch, for small instances.";
}

impl Options {
    /// Work limit with concentrated loads, for an instance with `nis` NIs.
    pub fn concentrated_for(&self, nis: u32) -> u64 {
        let repairs = u64::from(self.concentrated_repairs) * self.patience_for(nis) * u64::from(nis);
        repairs.min(u64::from(self.concentrated) * 1_000_000)
    }

    /// Moves per NI in repairs of an instance with `nis` NIs.
    pub fn patience_for(&self, nis: u32) -> u64 {
        let max = u64::from(self.first_moves) * 1_000_000 / u64::from(nis.max(1));
        u64::from(self.patience).min(max).max(1)
    }
}

//! The search's tunables, one row each: name, default, range, meaning.

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
            /// Sets a tunable by name. Whether there is one of that name with this value in its range.
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
    keep = 4, 1 to 63, "Best wirings that may be parents (the papers' KEEP).";
    fudge = 1, 0 to 8, "Of those, the last ones exchanged at random with others (FUDGE).";
    dna = 250, 0 to 1000, "Per mille of parents with DNA that breed by it, through the greedy heuristic.";
    candidates = 14, 1 to 64, "Occupants of a switch looked at for the one that loses least.";
    hot = 650, 50 to 2000, "Temperature in thousandths at which a repair from scratch begins.";
    warm = 350, 50 to 2000, "The same where the structure at hand is to stay, as in the first brief repair.";
    cool = 280, 50 to 2000, "Temperature in thousandths at which a repair ends.";
    cooler = 700, 1 to 1000, "Per mille of these temperatures on every other rung of the ladder.";
    steps = 64, 1 to 4096, "Temperatures of one repair.";
    brief = 40, 1 to 10000, "Moves for each NI on the first rung of the ladder; each next one takes four times as many.";
    thorough = 2560, 1 to 1000000, "Moves for each NI on the last rung before tournaments.";
    large = 50, 0 to 1000000, "Thousand NIs above which there are no tournaments, only the ladder.";
    entrants = 8, 1 to 64, "Wirings in a tournament.";
    slow = 30000, 1 to 1000000, "Moves for each NI in the first slow descent after it; each next one takes twice as many.";
    slow_descent = 1150, 1000 to 5000, "Per mille of the winner's temperature from which a slow descent begins.";
    slow_end = 900, 1 to 1000, "Per mille of it down to which it comes.";
    stale = 3, 1 to 1000, "Slow descents without a better winner after which all begins anew.";
    heat = 600, 1 to 100000, "Moves for each NI in the first heat of the first tournament.";
    descent = 1400, 1000 to 5000, "Per mille of its temperature from which a new wiring comes down in a tournament.";
    descent_end = 850, 1 to 1000, "Per mille of its temperature down to which it comes.";
    swing = 1100, 1000 to 1900, "Per mille of its temperature from which a wiring goes on, to as far below it.";
    near = 3, 0 to 1000, "Pairs that a quenched wiring may lack to be worth a longer quench.";
    again = 600, 1 to 100000, "Moves for each NI of that.";
    lukewarm = 650, 1 to 1000, "Per mille of its temperature at which it begins.";
    quench = 200, 1 to 100000, "Moves for each NI by which an entrant is quenched to be judged.";
    centre = 450, 20 to 5000, "Temperature in thousandths in the middle of the first tournament.";
    ratio = 1110, 1000 to 2000, "Thousandths from one entrant's temperature to the next in the first tournament.";
    patience = 2000, 1 to 100000, "Moves for each NI in repairs of scaled-down designs.";
    first_moves = 20, 1 to 1000000, "Millions of moves in one of those, at max.";
    epoch = 2000, 1 to 1000000, "Thousand work units between two exchanges with other islands.";
    tick = 100, 1 to 10000, "Milliseconds between two reports.";
    columns = 8, 1 to 256, "Switches that the greedy heuristic keeps open at once.";
    scaled_patience = 4000, 1 to 100000, "Moves for each NI of a scaled-down problem.";
    concentrated = 2, 1 to 100000, "Million work units, at max, for concentrated loads before loads are free.";
    concentrated_repairs = 20, 1 to 100000, "The same limit in repairs from scratch: small instances give up sooner.";
}

impl Options {
    /// Work for concentrated loads in an instance with so many NIs.
    pub fn concentrated_for(&self, nis: u32) -> u64 {
        let repairs = u64::from(self.concentrated_repairs) * self.patience_for(nis) * u64::from(nis);
        repairs.min(u64::from(self.concentrated) * 1_000_000)
    }

    /// Moves for each NI in the repairs of an instance with so many NIs.
    pub fn patience_for(&self, nis: u32) -> u64 {
        let max = u64::from(self.first_moves) * 1_000_000 / u64::from(nis.max(1));
        u64::from(self.patience).min(max).max(1)
    }
}

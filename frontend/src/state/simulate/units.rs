//! Units of a simulation: Gb/s and times, or flits and cycles if the speed of links is unknown.

use shared::{
    simulation::time,
    text::{fixed, grouped, rounded},
};

/// The size of a flit and the time of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Units {
    /// Nanoseconds per cycle; 0 if unknown.
    pub cycle_ns: f64,
    /// Bytes per flit.
    pub flit_bytes: u32,
}

impl Units {
    /// Gb/s of a flit per cycle; `None` if the speed of links is unknown.
    pub fn flit(self) -> Option<f64> {
        (self.cycle_ns > 0.0 && self.flit_bytes > 0).then(|| 8.0 * f64::from(self.flit_bytes) / self.cycle_ns)
    }

    /// Flits per cycle as a rate, such as `2.5 Gb/s`.
    pub fn rate(self, flits: f64) -> String {
        match self.flit() {
            Some(flit) => format!("{} Gb/s", digits(flits * flit)),
            None => format!("{} flits per cycle", fixed(flits, 3)),
        }
    }

    /// Cycles as a time, such as `4.9 µs`.
    pub fn time(self, cycles: f64) -> String {
        match self.flit() {
            Some(_) => time(cycles, self.cycle_ns),
            None => format!("{} cycles", grouped(cycles.round() as u64)),
        }
    }

    /// Cycles in microseconds; `None` if the speed of links is unknown.
    pub fn micros(self, cycles: f64) -> Option<f64> {
        self.flit().map(|_| cycles * self.cycle_ns / 1000.0)
    }
}

/// Gb/s in three digits.
pub fn digits(rate: f64) -> String {
    let decimals = if rate > 0.0 { (2.0 - rate.log10().floor()).clamp(0.0, 6.0) } else { 0.0 };
    rounded(rate, decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flit_per_cycle_is_the_speed_of_the_link() {
        // Four bytes at 100 Gb/s.
        let units = Units { cycle_ns: 0.32, flit_bytes: 4 };
        assert_eq!((units.rate(1.0), units.rate(0.2987)), ("100 Gb/s".into(), "29.9 Gb/s".into()));
        assert_eq!(units.rate(0.0), "0 Gb/s");
        assert_eq!((units.time(10_000.0), units.micros(1000.0)), ("3.2 µs".into(), Some(0.32)));
        let unknown = Units::default();
        assert_eq!(
            (unknown.rate(0.5), unknown.time(1234.4)),
            ("0.500 flits per cycle".into(), "1,234 cycles".into())
        );
        assert_eq!((unknown.flit(), unknown.micros(1.0)), (None, None));
    }
}

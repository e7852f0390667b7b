//! The instances of the papers: what was published, and where it was reached (dissertation, chapter 4; LCPC paper).

/// One instance.
pub struct Instance {
    /// What it is called in the table.
    pub name: &'static str,
    /// PEs.
    pub pes: u32,
    /// NIs of each.
    pub nis: u32,
    /// Usable ports of a switch.
    pub ports: u32,
    /// Patterns in short: see [`Instance::toml`].
    pub patterns: &'static [&'static str],
    /// Seconds within which it should be solved on two threads.
    pub limit: f64,
    /// How many seeds to try.
    pub seeds: u64,
}

const fn n1024(name: &'static str, nis: u32, ports: u32, patterns: &'static [&'static str]) -> Instance {
    Instance { name, pes: 1024, nis, ports, patterns, limit: 5.0, seeds: 3 }
}

const BS: &str = "bit-reversal";

/// All instances, small ones first.
pub const INSTANCES: &[Instance] = &[
    Instance { name: "KLAT2", pes: 64, nis: 4, ports: 31, patterns: &[], limit: 1.0, seeds: 3 },
    Instance {
        name: "KASY0",
        pes: 128,
        nis: 3,
        ports: 23,
        patterns: &["hypercube", BS, "ring", "16x8 axis", "8x4x4 axis"],
        limit: 1.0,
        seeds: 3,
    },
    n1024("2D all diagonal", 4, 48, &["2 all diagonal"]),
    n1024("2D all", 4, 8, &["2 all nearest"]),
    n1024("2D single 2^k", 4, 24, &["2 balanced power-of-two"]),
    n1024("3D all", 4, 16, &["3 all nearest"]),
    n1024("3D single 2^k", 4, 16, &["3 balanced power-of-two"]),
    n1024("H + single", 4, 24, H_SINGLE),
    n1024("H + single 2^k", 4, 32, H_SINGLE_POWER),
    n1024("H + all", 4, 32, H_ALL),
    n1024("H + all 2^k", 4, 48, H_ALL_POWER),
    n1024("H + all + BS, 4 NIs", 4, 64, ALL_BS),
    n1024("H + all + BS, 5 NIs", 5, 32, ALL_BS),
    n1024("H + all 2^k + BS, 4 NIs", 4, 80, ALL_POWER_BS),
    n1024("H + all 2^k + BS, 5 NIs", 5, 48, ALL_POWER_BS),
    Instance {
        name: "65536 PEs",
        pes: 65536,
        nis: 5,
        ports: 48,
        patterns: &["hypercube", "64x32x32 nearest"],
        limit: 60.0,
        seeds: 1,
    },
];

const fn reached(name: &'static str, nis: u32, ports: u32, patterns: &'static [&'static str]) -> Instance {
    Instance { name, pes: 1024, nis, ports, patterns, limit: 60.0, seeds: 1 }
}

const fn universal(name: &'static str, pes: u32, nis: u32, ports: u32) -> Instance {
    Instance { name, pes, nis, ports, patterns: &[], limit: 10.0, seeds: 1 }
}

/// The narrowest switches that anybody is known to have reached: the search's measure, not its duty. Run only if asked for.
pub const REACHED: &[Instance] = &[
    universal("reached Universal 64, 4 NIs", 64, 4, 20),
    universal("reached Universal 64, 3 NIs", 64, 3, 28),
    universal("reached Universal 128", 128, 4, 40),
    universal("reached Universal 256", 256, 5, 62),
    universal("reached Universal 576", 576, 4, 178),
    reached("reached 2D all diagonal", 4, 17, &["2 all diagonal"]),
    reached("reached 2D all", 4, 6, &["2 all nearest"]),
    reached("reached 2D single 2^k", 4, 14, &["2 balanced power-of-two"]),
    reached("reached 3D all", 4, 10, &["3 all nearest"]),
    reached("reached 3D single 2^k", 4, 8, &["3 balanced power-of-two"]),
    reached("reached H + single", 4, 14, H_SINGLE),
    reached("reached H + single 2^k", 4, 17, H_SINGLE_POWER),
    reached("reached H + all", 4, 16, H_ALL),
    reached("reached H + all 2^k", 4, 26, H_ALL_POWER),
    reached("reached H + all + BS, 4 NIs", 4, 31, ALL_BS),
    reached("reached H + all + BS, 5 NIs", 5, 15, ALL_BS),
    reached("reached H + all 2^k + BS, 4 NIs", 4, 40, ALL_POWER_BS),
    reached("reached H + all 2^k + BS, 5 NIs", 5, 23, ALL_POWER_BS),
    Instance {
        name: "reached 65536 PEs",
        pes: 65536,
        nis: 5,
        ports: 32,
        patterns: &["hypercube", "64x32x32 nearest"],
        limit: 60.0,
        seeds: 1,
    },
];

const H_SINGLE: &[&str] =
    &["hypercube", "ring", "2 balanced nearest", "3 balanced nearest", "4 balanced nearest"];
const H_SINGLE_POWER: &[&str] =
    &["hypercube", "ring", "2 balanced power-of-two", "3 balanced power-of-two", "4 balanced power-of-two"];
const H_ALL: &[&str] = &["hypercube", "ring", "2 all nearest", "3 all nearest", "4 all nearest"];
const H_ALL_POWER: &[&str] =
    &["hypercube", "ring", "2 all power-of-two", "3 all power-of-two", "4 all power-of-two"];
const ALL_BS: &[&str] =
    &["hypercube", "ring", "2 all nearest", "3 all nearest", "4 all nearest", BS, "perfect-shuffle"];
const ALL_POWER_BS: &[&str] = &[
    "hypercube",
    "ring",
    "2 all power-of-two",
    "3 all power-of-two",
    "4 all power-of-two",
    BS,
    "perfect-shuffle",
];

impl Instance {
    /// The instance as a spec file. A pattern is a kind, `16x8 axis` (a torus of these sizes) or `2 all nearest` (tori of so
    /// many dimensions in all or the balanced factorisations). Without patterns every pair is asked for.
    pub fn toml(&self) -> String {
        let objective = if self.patterns.is_empty() { "universal" } else { "sparse" };
        let mut text = format!(
            "pes = {}\nnis_per_pe = {}\nobjective = \"{objective}\"\n[[switch]]\nports = {}\n",
            self.pes, self.nis, self.ports
        );
        for pattern in self.patterns {
            let words: Vec<&str> = pattern.split(' ').collect();
            text += "[[pattern]]\n";
            text += &match words[..] {
                [dimensions, factorizations, neighbours] => format!(
                    "kind = \"torus\"\ndimensions = {dimensions}\nfactorizations = \"{factorizations}\"\nneighbours = \"{neighbours}\"\n"
                ),
                [dims, neighbours] => {
                    format!(
                        "kind = \"torus\"\ndims = [{}]\nneighbours = \"{neighbours}\"\n",
                        dims.replace('x', ", ")
                    )
                }
                _ => format!("kind = \"{pattern}\"\n"),
            };
        }
        text
    }
}

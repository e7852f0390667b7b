//! The fields of a simulation's form: what they are called, and what is typed into them.

use shared::fabric::ROUTINGS;

const ROUTING_WORDS: [(&str, &str); ROUTINGS.len() + 1] = {
    let mut words = [("", "Default of the network"); ROUTINGS.len() + 1];
    let mut next = 0;
    while next < ROUTINGS.len() {
        words[next + 1] = (ROUTINGS[next].name, ROUTINGS[next].label);
        next += 1;
    }
    words
};

/// A field.
#[derive(Debug)]
pub struct Entry {
    /// Its key, as the form of the server has it.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its unit; empty for none.
    pub unit: &'static str,
    /// What is typed.
    pub input: Input,
}

/// What is typed into a field.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// A whole number up to this one.
    Whole(u64),
    /// A number from 0 to 1.
    Share,
    /// Loads with commas between them.
    Loads,
    /// A text.
    Text,
    /// One of these words, each with what people call it.
    Words(&'static [(&'static str, &'static str)]),
}

const U32: u64 = u32::MAX as u64;

const fn entry_of(key: &'static str, title: &'static str, unit: &'static str, input: Input) -> Entry {
    Entry { key, title, unit, input }
}

/// The fields that always are on screen.
pub const MAIN: &[Entry] = &[
    entry_of("fabric", "Network", "", Input::Text),
    entry_of("traffic", "Traffic", "", Input::Text),
    entry_of("node", "To host", "", Input::Whole(U32)),
    entry_of("share", "Share of the frames", "", Input::Share),
    entry_of("loads", "Offered loads", "flits/cycle", Input::Loads),
    entry_of(
        "saturate",
        "Saturation",
        "",
        Input::Words(&[("false", "Only these loads"), ("true", "Search for the most accepted")]),
    ),
    entry_of("message", "Message", "bytes", Input::Whole(u64::MAX)),
    entry_of("rounds", "Repeated", "times", Input::Whole(U32)),
    entry_of("routing", "Routing", "", Input::Words(&ROUTING_WORDS)),
    entry_of(
        "paths",
        "Which path a frame takes",
        "",
        Input::Words(&[
            ("first", "The first"),
            ("alternate", "One after the other"),
            ("random", "Any, at random"),
            ("random-intermediate", "By way of a random host"),
        ]),
    ),
    entry_of(
        "random_placement",
        "Logical nodes",
        "",
        Input::Words(&[("false", "In order on the hosts"), ("true", "Placed at random")]),
    ),
];

/// Times and rules, which the VLAN paper's defaults serve for.
pub const RULES: &[Entry] = &[
    entry_of("speed", "Speed of hosts' links", "Mb/s", Input::Whole(U32)),
    entry_of("trunk_speed", "Speed of uplinks", "Mb/s", Input::Whole(U32)),
    entry_of("reference_speed", "One flit a cycle is", "Mb/s", Input::Whole(U32)),
    entry_of("seed", "Seed", "", Input::Whole(u64::MAX)),
    entry_of("cycles", "Simulated", "cycles", Input::Whole(u64::MAX)),
    entry_of("ignored", "Ignored at first", "cycles", Input::Whole(u64::MAX)),
    entry_of("header", "Header", "flits", Input::Whole(U32)),
    entry_of("payload", "Payload", "flits", Input::Whole(U32)),
    entry_of("flit_bytes", "A flit", "bytes", Input::Whole(U32)),
    entry_of("link_delay", "Link delay", "cycles", Input::Whole(U32)),
    entry_of("routing_delay", "Routing delay", "cycles", Input::Whole(U32)),
    entry_of("host_delay", "Delay of forwarding hosts", "cycles", Input::Whole(U32)),
    entry_of("credit_delay", "Until room is known", "cycles", Input::Whole(U32)),
    entry_of("buffer", "Buffer of a port", "frames", Input::Whole(U32)),
    entry_of("host_buffer", "Buffer of forwarding hosts", "frames", Input::Whole(U32)),
    entry_of(
        "switching",
        "Switches pass a frame on",
        "",
        Input::Words(&[
            ("cut-through", "Once its head is routed"),
            ("store-and-forward", "Once it is whole"),
        ]),
    ),
    entry_of(
        "queue",
        "Frames that may leave",
        "",
        Input::Words(&[("input", "The oldest of each link"), ("shared", "All of them")]),
    ),
    entry_of(
        "full",
        "At a full buffer",
        "",
        Input::Words(&[("hold", "The sender waits"), ("drop", "Frames are lost")]),
    ),
    entry_of(
        "half_duplex_hosts",
        "Hosts send and receive",
        "",
        Input::Words(&[("false", "At the same time"), ("true", "One at a time")]),
    ),
];

/// The field of a key.
pub fn entry(key: &str) -> Option<&'static Entry> {
    MAIN.iter().chain(RULES).find(|entry| entry.key == key)
}

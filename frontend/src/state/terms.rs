//! Words of the search and the bounds, explained where they stand.

/// A word and its explanation.
const TERMS: [(&str, &str); 17] = [
    (
        "covered",
        "Percentage of requested pairs with the required number of shared switches. For a fractional objective, share of their weight.",
    ),
    ("generation", "Generations of the genetic search so far."),
    ("latest", "Uncovered pairs of the best wiring so far, or the weight that it covers."),
    ("median", "Uncovered pairs of the middle wiring of the population, or the weight that it covers."),
    (
        "diversity",
        "How much the wirings of the population differ: 0 if all are alike, 1 if none share a cable.",
    ),
    ("wirings", "Wirings tried so far."),
    ("wirings/s", "Wirings tried per second."),
    ("moves/s", "Single changes of a wiring tried per second, on all threads."),
    ("fullest switch", "Ports used on the fullest switch, and the proven minimum."),
    ("switches", "Switches in use, and the proven minimum."),
    ("cables", "Cables in use, and the proven minimum."),
    ("switches allowed", "Number of switches that the spec permits. Without a count, stock is unlimited."),
    ("min switch width", "The least number of ports that any wiring needs on its fullest switch."),
    ("min switches", "Proven minimum number of switches."),
    ("min cables", "Proven minimum number of cables."),
    ("price with all NICs cabled", "Switches, NICs and a cable per NIC at the spec's prices."),
    ("price of this design", "Switches, NICs and cables at the spec's prices."),
];

/// The explanation of a word.
pub fn explanation(term: &str) -> Option<&'static str> {
    TERMS.iter().find(|(word, _)| *word == term).map(|(_, text)| *text)
}

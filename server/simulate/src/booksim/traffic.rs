//! Traffic by BookSim 2's names.

use super::BooksimFault;
use shared::simulation::OpenTraffic;

/// The same traffic by its name. Its hot spots get all frames and not a share, so there are none.
///
/// # Errors
/// There is no such traffic, or not among so many nodes.
pub(super) fn named(traffic: OpenTraffic, nodes: u32) -> Result<String, BooksimFault> {
    let fault = |accepted| BooksimFault::Traffic { name: traffic.to_string(), nodes, accepted };
    let bits = |name: &str| match nodes.is_power_of_two() {
        true => Ok(name.to_string()),
        false => Err(fault("a power of 2 of them")),
    };
    match traffic {
        OpenTraffic::Uniform => Ok("uniform".into()),
        OpenTraffic::BitReversal => bits("bitrev"),
        OpenTraffic::Shuffle => bits("shuffle"),
        OpenTraffic::Complement => bits("bitcomp"),
        OpenTraffic::Transpose if nodes.is_power_of_two() && nodes.trailing_zeros().is_multiple_of(2) => {
            Ok("transpose".into())
        }
        OpenTraffic::Transpose => Err(fault("an even power of 2 of them")),
        // The digits of one number to the base of all nodes: the next node, and the first after the last.
        OpenTraffic::Neighbour => Ok(format!("neighbor({{{nodes},1,1}})")),
        _ => Err(fault("uniform, bit-reversal, transpose, shuffle, neighbour or complement")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_of_nodes_are_its_own() {
        assert_eq!(named(OpenTraffic::Neighbour, 12).unwrap(), "neighbor({12,1,1})");
        assert_eq!(named(OpenTraffic::Transpose, 64).unwrap(), "transpose");
        for (traffic, nodes) in [
            (OpenTraffic::Complement, 12),
            (OpenTraffic::Transpose, 36),
            (OpenTraffic::Transpose, 32),
            (OpenTraffic::Shuffle, 6),
            (OpenTraffic::HotSpot { node: 0, share: 0.5 }, 16),
            (OpenTraffic::Opposite, 16),
        ] {
            let told = named(traffic, nodes).unwrap_err().to_string();
            assert!(told.ends_with("was expected"), "{told}");
        }
    }
}

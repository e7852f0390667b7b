//! The two nodes whose routes are shown, and nodes and switches as people type them.

use shared::design::Names;

/// The two nodes, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Start of the route.
    pub from: String,
    /// End of the route.
    pub to: String,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { from: "0".into(), to: "1".into() }
    }
}

/// A node by its own name, as `node7`, or by its number.
///
/// # Errors
/// The accepted nodes.
pub fn pe(text: &str, names: &Names, pes: u32) -> Result<u32, String> {
    numbered("node", names.pe_of(text.trim()), pes)
}

/// A switch by its own name, as `sw3`, or by its number. A separate uplink switch comes after the last switch.
///
/// # Errors
/// The accepted switches.
pub fn switch(text: &str, names: &Names, switches: u32) -> Result<u32, String> {
    numbered("switch", names.switch_of(text.trim()), switches)
}

fn numbered(part: &str, number: Option<u32>, all: u32) -> Result<u32, String> {
    let last = all.saturating_sub(1);
    number
        .filter(|&number| number < all)
        .ok_or_else(|| format!("Expected a {part} from 0 to {last}, or its name."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::resolve::{self, NoFiles};

    #[test]
    fn a_node_is_a_number_or_a_name_of_the_machine() {
        let names = Names::new(8, 3);
        assert_eq!((pe("7", &names, 8), pe(" PE007 ", &names, 8)), (Ok(7), Ok(7)));
        for text in ["8", "", "sw1", "-1", "pe", "99999999999"] {
            assert!(pe(text, &names, 8).is_err_and(|fault| fault.contains("0 to 7")), "{text}");
        }
    }

    #[test]
    fn own_names_come_before_numbers_and_the_uplink_switch_is_the_last() {
        let text = "pes = 4\nnis_per_pe = 1\n[names]\nnodes = \"gpu{number+1}\"\nswitches = \"leaf{number+1}\"\n\
            uplink = \"spine\"\n[[switch]]\nports = 3\n[uplink]\nkind = \"separate\"\n[[pattern]]\nkind = \"ring\"\n";
        let names = Names::sized(&resolve::read(text, &mut NoFiles).unwrap(), 4, 2);
        assert_eq!((pe("gpu4", &names, 4), pe("3", &names, 4)), (Ok(3), Ok(3)));
        assert_eq!((switch("leaf2", &names, 3), switch("Spine", &names, 3)), (Ok(1), Ok(2)));
        assert_eq!((switch("sw1", &names, 3), switch("2", &names, 3)), (Ok(1), Ok(2)));
        for text in ["3", "gpu1", "leaf9", ""] {
            assert!(
                switch(text, &names, 3).is_err_and(|fault| fault.contains("switch from 0 to 2")),
                "{text}"
            );
        }
    }
}

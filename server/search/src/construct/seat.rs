//! Seats NIs that ended up idle because their PE is on every switch with a free port already: another NI moves there and
//! leaves its own port to the idle one. Only where no pair loses a link it needs, so that this can only add paths.

use crate::{
    problem::NONE,
    wiring::{Trade, Wiring},
};

/// Candidates looked at in all, at most.
const MOST_LOOKS: u64 = 1 << 22;

/// Seats as many idle NIs as it can.
pub fn seat_idle(wiring: &mut Wiring) {
    let mut looks = 0;
    for ni in (0..wiring.problem.nis()).filter(|&ni| wiring.switch_of(ni) == NONE).collect::<Vec<u32>>() {
        for switch in 0..wiring.problem.switches() {
            let Some(free) = empty_port(wiring, switch) else { continue };
            looks += u64::from(wiring.problem.nis());
            if looks > MOST_LOOKS {
                return;
            }
            if let Some(other) = stand_in(wiring, ni, switch, free) {
                let (left, port) = (wiring.switch_of(other), wiring.port_of(other));
                wiring.apply(&Trade { ni: other, switch, port: free });
                wiring.apply(&Trade { ni, switch: left, port });
                break;
            }
        }
    }
}

fn empty_port(wiring: &Wiring, switch: u32) -> Option<u32> {
    wiring.problem.ports_of(switch).map(|port| port as u32).find(|&port| wiring.ni_at(port) == NONE)
}

/// An NI that may move to a free port at no loss, and whose switch the idle NI's PE is not on but may be.
fn stand_in(wiring: &Wiring, idle: u32, switch: u32, free: u32) -> Option<u32> {
    let pe = wiring.problem.owner(idle);
    let may = |switch: u32| wiring.problem.rules().is_none_or(|rules| rules.may(pe, switch));
    (0..wiring.problem.nis()).find(|&ni| {
        let from = wiring.switch_of(ni);
        from != NONE
            && !wiring.is_on(pe, from)
            && may(from)
            && !wiring.is_on(wiring.problem.owner(ni), switch)
            && wiring.delta(&Trade { ni, switch, port: free }, 0) <= 0
    })
}

//! Cabling in the browser: the plan, the ticks of the server, and own ticks that wait for a connection.

use super::words::{fixed, grouped};
use serde::{Deserialize, Serialize};
use shared::{
    api::{CableId, CableState, CablingChange, CablingView, MAX_TICKS, Tick, TickSource, Ticks},
    exports::{CablingPlan, NodeCable},
};

/// Max own ticks that are kept after the server has them.
const MAX_SENT: usize = 500;
/// Max own ticks that can be undone.
const MAX_UNDO: usize = 100;

/// A page of the companion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Id of the saved design.
    pub design: String,
    /// The node; `None` for the overview.
    pub node: Option<u32>,
}

impl Spot {
    /// The page of a path, if it is one of the companion.
    pub fn of(path: &str) -> Option<Spot> {
        let words: Vec<&str> = path.split('/').filter(|word| !word.is_empty()).collect();
        let (design, node) = match words[..] {
            ["d", design, "cabling"] => (design, None),
            ["d", design, "node", node] => (design, Some(node.parse().ok()?)),
            _ => return None,
        };
        Some(Spot { design: design.into(), node })
    }

    /// Its address.
    pub fn address(&self) -> String {
        match self.node {
            Some(node) => format!("/d/{}/node/{node}", self.design),
            None => format!("/d/{}/cabling", self.design),
        }
    }
}

/// Own ticks, as the browser stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Own {
    /// Those that the server does not have yet, oldest first.
    pub waiting: Vec<Tick>,
    /// The latest ones that it has, for a reload without a connection.
    sent: Vec<Tick>,
}

impl Own {
    /// Parses what [`Own::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> Own {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes them as JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The ticks of the next request.
    pub fn batch(&self) -> Vec<Tick> {
        self.waiting.iter().take(MAX_TICKS).cloned().collect()
    }

    /// Forgets the ticks of a request that was answered.
    pub fn forget(&mut self, batch: &[Tick]) {
        self.waiting.retain(|tick| !batch.contains(tick));
    }
}

/// State of the companion.
pub struct Cabling {
    /// The design.
    pub plan: CablingPlan,
    /// Own ticks.
    pub own: Own,
    /// `true` once the server has reported.
    pub is_known: bool,
    /// `true` if cabling has started.
    pub is_started: bool,
    /// `true` if this browser may tick.
    pub is_allowed: bool,
    server: Ticks,
    revision: u64,
    /// Own changes of this page: cable, state and note before.
    undo: Vec<(CableId, CableState, String)>,
}

/// Cables of a group of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Name of the group; empty for all cables.
    pub name: String,
    /// All cables.
    pub cables: u64,
    /// Cables that are plugged in, verified ones included.
    pub plugged: u64,
    /// Verified cables.
    pub verified: u64,
    /// Wrong cables.
    pub wrong: u64,
    /// The first node with a cable that is not plugged in.
    pub next: Option<u32>,
}

impl Progress {
    /// The number of plugged cables, such as `12 of 48`.
    pub fn words(&self) -> String {
        format!("{} of {}", grouped(self.plugged), grouped(self.cables))
    }
}

impl Cabling {
    /// State before the first report.
    pub fn new(plan: CablingPlan, own: Own) -> Cabling {
        let mut server = Ticks::default();
        own.sent.iter().for_each(|tick| _ = server.merge(tick.clone()));
        Cabling {
            plan,
            own,
            is_known: false,
            is_started: false,
            is_allowed: false,
            server,
            revision: 0,
            undo: Vec::new(),
        }
    }

    /// Takes over a complete report of the server.
    pub fn take(&mut self, view: CablingView) {
        (self.is_known, self.is_started, self.is_allowed) = (true, view.started.is_some(), view.allowed);
        self.revision = view.revision;
        view.ticks.into_iter().for_each(|tick| _ = self.server.merge(tick));
    }

    /// Takes over an event. Returns `false` if changes are missing, and only a complete report has them.
    pub fn follow(&mut self, change: CablingChange) -> bool {
        let is_complete = change.revision <= self.revision + change.ticks.len() as u64;
        change.ticks.into_iter().for_each(|tick| _ = self.server.merge(tick));
        if is_complete {
            self.revision = change.revision;
        }
        is_complete
    }

    /// Takes over the answer to a batch of own ticks.
    pub fn answered(&mut self, batch: &[Tick], newest: Vec<Tick>) {
        self.own.forget(batch);
        self.own.sent.extend(newest.iter().cloned());
        let old = self.own.sent.len().saturating_sub(MAX_SENT);
        self.own.sent.drain(..old);
        newest.into_iter().for_each(|tick| _ = self.server.merge(tick));
    }

    /// The newest tick of a cable, own waiting ones included.
    pub fn newest(&self, cable: CableId) -> Option<&Tick> {
        let own = self.own.waiting.iter().filter(|tick| tick.cable() == cable);
        own.fold(self.server.get(cable), |known, tick| match known {
            Some(known) if !tick.is_newer_than(known) => Some(known),
            _ => Some(tick),
        })
    }

    /// State of a cable.
    pub fn state(&self, cable: CableId) -> CableState {
        self.newest(cable).map_or(CableState::Unplugged, |tick| tick.state)
    }

    /// Sets the state of a cable. The tick is newer than all known ones of the cable, also if this phone's clock is slow.
    pub fn set(&mut self, cable: CableId, state: CableState, who: &str, now: u64) {
        let before = self.newest(cable);
        let undo = (cable, self.state(cable), before.map(|tick| tick.note.clone()).unwrap_or_default());
        self.undo.push(undo);
        let old = self.undo.len().saturating_sub(MAX_UNDO);
        self.undo.drain(..old);
        self.push(cable, state, String::new(), who, now);
    }

    /// The node whose last change can be undone.
    pub fn undoable(&self) -> Option<CableId> {
        self.undo.last().map(|(cable, ..)| *cable)
    }

    /// Takes back the last change of this page, and returns its cable.
    pub fn undo(&mut self, who: &str, now: u64) -> Option<CableId> {
        let (cable, state, note) = self.undo.pop()?;
        self.push(cable, state, note, who, now);
        Some(cable)
    }

    fn push(&mut self, cable: CableId, state: CableState, note: String, who: &str, now: u64) {
        let at = self.newest(cable).map_or(now, |known| now.max(known.at + 1));
        let CableId { node, nic, switch } = cable;
        let (source, who) = (TickSource::Person, who.to_owned());
        self.own.waiting.push(Tick { node, nic, switch, state, source, who, at, note });
    }

    /// The newest tick of each cable.
    fn merged(&self) -> Ticks {
        let mut all = self.server.clone();
        self.own.waiting.iter().for_each(|tick| _ = all.merge(tick.clone()));
        all
    }

    /// Progress of all cables, then of each group of nodes.
    pub fn progress(&self) -> Vec<Progress> {
        let ticks = self.merged();
        let groups = self.plan.groups();
        let mut all = vec![Progress::default()];
        all.extend(groups.iter().map(|group| Progress {
            name: group.name.clone(),
            cables: group.cables,
            ..Progress::default()
        }));
        all[0].cables = groups.iter().map(|group| group.cables).sum();
        for tick in ticks.iter().filter(|tick| tick.node < self.plan.nodes()) {
            for at in [0, 1 + self.plan.group_of(tick.node)] {
                let group = &mut all[at];
                group.plugged += u64::from(matches!(tick.state, CableState::Plugged | CableState::Verified));
                group.verified += u64::from(tick.state == CableState::Verified);
                group.wrong += u64::from(tick.state == CableState::Wrong);
            }
        }
        for (at, group) in groups.iter().enumerate() {
            let is_open = |&node: &u32| {
                let mut cables = (0..).zip(self.plan.switches(node));
                cables
                    .any(|(nic, &switch)| ticks.state(CableId { node, nic, switch }) == CableState::Unplugged)
            };
            all[1 + at].next = group.nodes.clone().find(is_open);
        }
        all[0].next = all.iter().find_map(|group| group.next);
        all
    }

    /// The latest ticks, newest first.
    pub fn recent(&self, max: usize) -> Vec<Tick> {
        let mut ticks: Vec<Tick> = self.merged().iter().cloned().collect();
        ticks.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.cable().cmp(&b.cable())));
        ticks.truncate(max);
        ticks
    }

    /// The wrong cables, by node.
    pub fn wrong(&self) -> Vec<Tick> {
        self.merged().iter().filter(|tick| tick.state == CableState::Wrong).cloned().collect()
    }

    /// A cable in words, such as `pe007 NIC 1 to sw03`.
    pub fn cable_words(&self, tick: &Tick) -> String {
        let names = self.plan.names();
        format!("{} NIC {} to {}", names.pe(tick.node), tick.nic, names.switch(tick.switch))
    }
}

/// State in a word.
pub fn state_word(state: CableState) -> &'static str {
    match state {
        CableState::Unplugged => "Unplugged",
        CableState::Plugged => "Plugged",
        CableState::Verified => "Verified",
        CableState::Wrong => "Wrong",
    }
}

/// Colour, place and length of a cable, such as `blue · A04-41:05 · 2.6 m`.
pub fn details(cable: &NodeCable) -> String {
    let metres = cable.metres.map(|metres| format!("{} m", fixed(metres, 1)));
    let parts = [Some(cable.colour.clone()), cable.place.clone(), metres];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        design::table,
        resolve::{self, NoFiles},
    };

    fn cabling() -> Cabling {
        let text = "pes = 20\nnis_per_pe = 1\n[[switch]]\nports = 24\n[[pattern]]\nkind = \"ring\"\n";
        let spec = resolve::read(text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
        let all: Vec<String> = (0..20).map(|pe| pe.to_string()).collect();
        let design = table::parse(&format!("0: {}\n", all.join(" ")), 20).unwrap();
        Cabling::new(CablingPlan::new(spec, design), Own::default())
    }

    fn cable(node: u32) -> CableId {
        CableId { node, nic: 0, switch: 0 }
    }

    fn tick(node: u32, at: u64, state: CableState) -> Tick {
        let source = TickSource::Person;
        Tick { node, nic: 0, switch: 0, state, source, who: "Bob".into(), at, note: String::new() }
    }

    fn change(revision: u64, ticks: Vec<Tick>) -> CablingChange {
        CablingChange { revision, ticks }
    }

    #[test]
    fn addresses_lead_back_to_their_pages() {
        for (path, node) in [("/d/x7/node/17", Some(17)), ("/d/x7/cabling", None)] {
            let spot = Spot { design: "x7".into(), node };
            assert_eq!((Spot::of(path), spot.address().as_str()), (Some(spot.clone()), path));
        }
        for path in ["/", "/d/x7", "/d/x7/node", "/d/x7/node/a", "/d/x7/node/-1", "/d/x7/cabling/a", "/r/a"] {
            assert_eq!(Spot::of(path), None, "{path}");
        }
    }

    #[test]
    fn a_tick_without_a_connection_waits_and_loses_to_a_newer_one() {
        let mut cabling = cabling();
        cabling.set(cable(3), CableState::Plugged, "Ann", 100);
        cabling.set(cable(4), CableState::Plugged, "Ann", 100);
        assert_eq!(cabling.state(cable(3)), CableState::Plugged);
        let stored = Own::read(&cabling.own.write());
        assert_eq!((stored.waiting.len(), &stored), (2, &cabling.own));
        assert!(cabling.follow(change(1, vec![tick(3, 200, CableState::Wrong)])));
        assert_eq!(
            (cabling.state(cable(3)), cabling.state(cable(4))),
            (CableState::Wrong, CableState::Plugged)
        );
        let batch = cabling.own.batch();
        cabling.answered(&batch, vec![tick(3, 200, CableState::Wrong), batch[1].clone()]);
        assert!(cabling.own.waiting.is_empty());
        let reloaded = Cabling::new(cabling.plan.clone(), Own::read(&cabling.own.write()));
        assert_eq!(reloaded.state(cable(4)), CableState::Plugged, "without a report");
        assert_eq!(
            (cabling.state(cable(3)), cabling.state(cable(4))),
            (CableState::Wrong, CableState::Plugged)
        );
        assert_eq!(Own::read("{"), Own::default());
    }

    #[test]
    fn a_slow_clock_does_not_lose_and_a_fast_one_gives_in() {
        let mut cabling = cabling();
        cabling.follow(change(1, vec![tick(3, 900, CableState::Plugged)]));
        cabling.set(cable(3), CableState::Unplugged, "Ann", 100);
        assert_eq!((cabling.state(cable(3)), cabling.own.waiting[0].at), (CableState::Unplugged, 901));
        cabling.set(cable(4), CableState::Plugged, "Ann", 9_000_000);
        let batch = cabling.own.batch();
        // The server replaces a later time than its own.
        cabling.answered(&batch, vec![batch[0].clone(), tick(4, 1000, CableState::Plugged)]);
        cabling.follow(change(4, vec![tick(4, 1001, CableState::Wrong)]));
        assert_eq!(cabling.state(cable(4)), CableState::Wrong);
    }

    #[test]
    fn undo_goes_back_step_by_step() {
        let mut cabling = cabling();
        let wrong = Tick { note: "Swap".into(), ..tick(3, 50, CableState::Wrong) };
        cabling.follow(change(1, vec![wrong]));
        cabling.set(cable(3), CableState::Plugged, "Ann", 100);
        cabling.set(cable(4), CableState::Plugged, "Ann", 100);
        assert_eq!((cabling.undo("Ann", 100), cabling.undo("Ann", 100)), (Some(cable(4)), Some(cable(3))));
        assert_eq!(cabling.state(cable(4)), CableState::Unplugged);
        let back = cabling.newest(cable(3)).unwrap();
        assert_eq!((back.state, back.note.as_str(), back.at), (CableState::Wrong, "Swap", 101));
        assert_eq!((cabling.undo("Ann", 100), cabling.undoable()), (None, None));
    }

    #[test]
    fn a_gap_between_events_is_noticed() {
        let mut cabling = cabling();
        let view = CablingView { revision: 7, started: Some("now".into()), ..CablingView::default() };
        cabling.take(view.clone());
        assert!(cabling.follow(change(8, vec![tick(1, 5, CableState::Plugged)])));
        assert!(!cabling.follow(change(11, vec![tick(2, 5, CableState::Plugged)])));
        assert!(
            !cabling.follow(change(12, vec![tick(3, 5, CableState::Plugged)])),
            "until a complete report"
        );
        // A server that starts again counts from 0.
        cabling.take(CablingView { revision: 0, ..view });
        assert!(cabling.follow(change(1, vec![tick(4, 5, CableState::Plugged)])));
    }

    #[test]
    fn progress_counts_groups_and_finds_the_next_node() {
        let mut cabling = cabling();
        let ticks = vec![
            tick(0, 5, CableState::Plugged),
            tick(1, 6, CableState::Verified),
            tick(2, 7, CableState::Wrong),
            tick(16, 8, CableState::Plugged),
            tick(17, 9, CableState::Unplugged),
        ];
        cabling.follow(change(5, ticks));
        let [all, first, second] = &cabling.progress()[..] else { panic!("three") };
        assert_eq!((all.words().as_str(), all.verified, all.wrong, all.next), ("3 of 20", 1, 1, Some(3)));
        assert_eq!((first.name.as_str(), first.words().as_str()), ("pe000–pe015", "2 of 16"));
        assert_eq!((second.words().as_str(), second.wrong, second.next), ("1 of 4", 0, Some(17)));
        assert_eq!(cabling.recent(2).iter().map(|tick| tick.node).collect::<Vec<_>>(), [17, 16]);
        assert_eq!(cabling.cable_words(&cabling.wrong()[0]), "pe002 NIC 0 to sw00");
        assert_eq!(details(&cabling.plan.cables(0)[0]), "blue");
    }
}

//! Cabling in the browser: the plan, the ticks of the server, and own ticks that wait for a connection.

use super::words::grouped;
use serde::{Deserialize, Serialize};
use shared::{
    api::{CableId, CableState, CablingChange, CablingView, MAX_TICKS, MergedTicks, Tick, TickSource, Ticks},
    exports::CablingPlan,
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

    /// Returns the address of the page.
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
pub struct OwnTicks {
    /// Ticks that the server does not have yet, oldest first.
    pub waiting: Vec<Tick>,
    /// The latest ones that it has, for a reload without a connection.
    sent: Vec<Tick>,
    /// Ticks that the server rejected, until the person has read that or sets the cable again.
    pub rejected: Vec<Tick>,
}

impl OwnTicks {
    /// Parses what [`OwnTicks::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> OwnTicks {
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
    pub own: OwnTicks,
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
    pub fn new(plan: CablingPlan, own: OwnTicks) -> Cabling {
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

    /// Takes over the answer to a batch of own ticks. Own ticks that were made since then have seen those of the batch.
    pub fn answered(&mut self, batch: &[Tick], answer: MergedTicks) {
        let MergedTicks { ticks: newest, rejected, .. } = answer;
        self.own.forget(batch);
        for tick in &newest {
            let is_own = !rejected.iter().any(|rejected| rejected.cable() == tick.cable());
            let since = self.own.waiting.iter_mut().filter(|own| is_own && own.cable() == tick.cable());
            since.for_each(|own| own.seen = own.seen.max(tick.at));
        }
        for tick in rejected {
            self.own.rejected.retain(|known| known.cable() != tick.cable());
            self.own.rejected.push(tick);
        }
        self.own.sent.extend(newest.iter().cloned());
        let old = self.own.sent.len().saturating_sub(MAX_SENT);
        self.own.sent.drain(..old);
        newest.into_iter().for_each(|tick| _ = self.server.merge(tick));
    }

    /// What happened to the rejected ticks, a sentence or two for each.
    pub fn rejected_words(&self) -> Vec<String> {
        let words = |tick: &Tick| {
            let newest = self.server.get(tick.cable());
            let newest = newest.map(|known| format!("{} by {}", state_word(known.state), known.who));
            format!(
                "{} stays {}. Your tick {} was older, and was rejected. Check the cable.",
                self.cable_words(tick),
                newest.unwrap_or_default(),
                state_word(tick.state)
            )
        };
        self.own.rejected.iter().map(words).collect()
    }

    /// The last own tick of each cable that waits, unless the server has a tick that this phone had not seen then. The phone
    /// cannot compare their clocks.
    fn pending(&self, cable: Option<CableId>) -> impl Iterator<Item = &Tick> {
        let waiting =
            self.own.waiting.iter().filter(move |own| cable.is_none_or(|cable| own.cable() == cable));
        waiting.filter(|own| self.server.get(own.cable()).is_none_or(|known| known.at <= own.seen))
    }

    /// The newest tick of a cable, own waiting ones included.
    pub fn newest(&self, cable: CableId) -> Option<&Tick> {
        self.pending(Some(cable)).last().or_else(|| self.server.get(cable))
    }

    /// State of a cable.
    pub fn state(&self, cable: CableId) -> CableState {
        self.newest(cable).map_or(CableState::Unplugged, |tick| tick.state)
    }

    /// Sets the state of a cable, by this phone's clock, of which only differences count.
    pub fn set(&mut self, cable: CableId, state: CableState, who: &str, now: u64) {
        self.own.rejected.retain(|tick| tick.cable() != cable);
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
        let seen = self.server.get(cable).map_or(0, |known| known.at);
        let CableId { node, nic, switch } = cable;
        let (source, who) = (TickSource::Person, who.to_owned());
        self.own.waiting.push(Tick { node, nic, switch, state, source, who, at: now, seen, note });
    }

    /// The newest tick of each cable.
    fn merged(&self) -> Ticks {
        let mut all = self.server.clone();
        for tick in self.pending(None) {
            let after = all.get(tick.cable()).map_or(0, |known| known.at + 1);
            all.merge(Tick { at: tick.at.max(after), ..tick.clone() });
        }
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

    /// A cable in words, such as `node007 NIC 1 to sw03`.
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
        Cabling::new(CablingPlan::new(spec, design), OwnTicks::default())
    }

    fn cable(node: u32) -> CableId {
        CableId { node, nic: 0, switch: 0 }
    }

    fn tick(node: u32, at: u64, state: CableState) -> Tick {
        let source = TickSource::Person;
        Tick { node, nic: 0, switch: 0, state, source, who: "Bob".into(), at, seen: 0, note: String::new() }
    }

    fn answer(ticks: Vec<Tick>, rejected: Vec<Tick>) -> MergedTicks {
        MergedTicks { revision: 0, ticks, rejected }
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
        let stored = OwnTicks::read(&cabling.own.write());
        assert_eq!((stored.waiting.len(), &stored), (2, &cabling.own));
        assert!(cabling.follow(change(1, vec![tick(3, 200, CableState::Wrong)])));
        assert_eq!(
            (cabling.state(cable(3)), cabling.state(cable(4))),
            (CableState::Wrong, CableState::Plugged)
        );
        let batch = cabling.own.batch();
        let newest = vec![tick(3, 200, CableState::Wrong), batch[1].clone()];
        cabling.answered(&batch, answer(newest, vec![batch[0].clone()]));
        assert!(cabling.own.waiting.is_empty());
        let reloaded = Cabling::new(cabling.plan.clone(), OwnTicks::read(&cabling.own.write()));
        assert_eq!(reloaded.state(cable(4)), CableState::Plugged, "without a report");
        assert_eq!(
            (cabling.state(cable(3)), cabling.state(cable(4))),
            (CableState::Wrong, CableState::Plugged)
        );
        assert_eq!(OwnTicks::read("{"), OwnTicks::default());
    }

    #[test]
    fn the_clock_of_the_phone_does_not_decide() {
        let mut cabling = cabling();
        cabling.follow(change(1, vec![tick(3, 900, CableState::Plugged)]));
        // A slow clock.
        cabling.set(cable(3), CableState::Unplugged, "Ann", 100);
        cabling.set(cable(3), CableState::Wrong, "Ann", 100);
        assert_eq!(cabling.state(cable(3)), CableState::Wrong);
        assert_eq!(cabling.progress()[0].wrong, 1);
        let seen = |cabling: &Cabling| cabling.own.waiting.iter().map(|t| (t.at, t.seen)).collect::<Vec<_>>();
        assert_eq!(seen(&cabling), [(100, 900), (100, 900)]);
        // A fast clock does not hide what the server reports.
        cabling.set(cable(4), CableState::Plugged, "Ann", 9_000_000);
        cabling.follow(change(2, vec![tick(4, 1001, CableState::Wrong)]));
        assert_eq!(cabling.state(cable(4)), CableState::Wrong);
    }

    #[test]
    fn a_tick_that_follows_an_own_one_has_seen_it() {
        let mut cabling = cabling();
        cabling.set(cable(3), CableState::Plugged, "Ann", 100);
        let batch = cabling.own.batch();
        cabling.set(cable(3), CableState::Unplugged, "Ann", 200);
        let dated = Tick { at: 5000, ..batch[0].clone() };
        cabling.answered(&batch, answer(vec![dated], vec![]));
        assert_eq!((cabling.own.waiting.len(), cabling.own.waiting[0].seen), (1, 5000));
        assert_eq!(cabling.state(cable(3)), CableState::Unplugged);
    }

    #[test]
    fn a_rejected_tick_is_told_until_the_cable_is_set_again() {
        let mut cabling = cabling();
        cabling.set(cable(3), CableState::Wrong, "Ann", 100);
        let batch = cabling.own.batch();
        cabling.answered(&batch, answer(vec![tick(3, 900, CableState::Plugged)], batch.clone()));
        let words = "node003 NIC 0 to sw00 stays Plugged by Bob. Your tick Wrong was older, and was rejected. Check the cable.";
        assert_eq!(cabling.rejected_words(), [words]);
        let mut reloaded = Cabling::new(cabling.plan.clone(), OwnTicks::read(&cabling.own.write()));
        assert_eq!(reloaded.rejected_words(), [words]);
        reloaded.set(cable(3), CableState::Wrong, "Ann", 100);
        assert!(reloaded.rejected_words().is_empty());
        assert_eq!(reloaded.own.waiting[0].seen, 900);
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
        assert_eq!((back.state, back.note.as_str(), back.at), (CableState::Wrong, "Swap", 100));
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
        assert_eq!((first.name.as_str(), first.words().as_str()), ("node000–node015", "2 of 16"));
        assert_eq!((second.words().as_str(), second.wrong, second.next), ("1 of 4", 0, Some(17)));
        assert_eq!(cabling.recent(2).iter().map(|tick| tick.node).collect::<Vec<_>>(), [17, 16]);
        assert_eq!(cabling.cable_words(&cabling.wrong()[0]), "node002 NIC 0 to sw00");
        assert_eq!(cabling.plan.cables(0)[0].details(), "blue");
    }
}

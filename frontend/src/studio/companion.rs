//! The companion of a cabling: its signals, and everything that keeps them up to date with and without a connection.

use crate::{
    api::{self, Answer, CablingEvent, Events},
    browser, rights,
    state::{
        cabling::{Cabling, OwnTicks, Spot},
        link::Link,
        words::problem_words,
    },
};
use futures::future::join;
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{CableId, CableState, CablingView, DesignView, MAX_WHO, SendTicks},
    design::table,
    exports::CablingPlan,
    resolve::{self, NoFiles},
};

/// Storage key of the technician's name.
const NAME: &str = "crosspoint.name";
/// Milliseconds between two tries to connect and to send.
const PAUSE: u32 = 5000;
/// The part of a join link with the key.
const KEY: &str = "key";

/// All signals.
#[derive(Clone, Copy)]
pub struct Companion {
    /// The page.
    pub spot: RwSignal<Spot>,
    /// Plan and ticks; `None` until the design is loaded.
    pub cabling: RwSignal<Option<Cabling>>,
    /// Problem of the last request.
    pub problem: RwSignal<Option<String>>,
    /// `true` while the event stream is open.
    pub is_connected: RwSignal<bool>,
    /// Name of the technician.
    pub who: RwSignal<String>,
    /// The cabling key.
    pub key: RwSignal<Option<String>>,
    /// The secret that may replace the key; on the overview of a browser that has one.
    pub edit: RwSignal<Option<String>>,
    is_sending: StoredValue<bool>,
    events: StoredValue<Option<Events>, LocalStorage>,
}

/// Storage key of the cabling key of a design.
fn key_name(design: &str) -> String {
    format!("crosspoint.cabling.{design}")
}

/// Storage key of the own ticks of a design.
fn own_name(design: &str) -> String {
    format!("crosspoint.ticks.{design}")
}

/// Starts cabling of a saved design, unless it has started, and opens its page.
///
/// # Errors
/// The problem, such as that this browser may not change the design.
pub async fn start(design: &str) -> Answer<()> {
    if api::cabling(design, None).await?.started.is_none() {
        let secret = edit_secret(design).await?;
        let fresh = api::cabling_key(design, "", secret.as_deref()).await?;
        browser::store(&key_name(design), &fresh.key);
    }
    browser::load(&Spot { design: design.into(), node: None }.address());
    Ok(())
}

/// The secret of this browser that may change a design, if it has one.
async fn edit_secret(design: &str) -> Answer<Option<String>> {
    for secret in rights::edit_secrets() {
        if api::cabling(design, Some(&secret)).await?.may_edit {
            return Ok(Some(secret));
        }
    }
    Ok(None)
}

impl Companion {
    /// Opens a page of the companion. A join link leaves its key in this browser.
    pub fn new(spot: Spot) -> Companion {
        let joined = Link::of(browser::address().1.trim_start_matches('#')).part(KEY).map(str::to_owned);
        if let Some(key) = &joined {
            browser::store(&key_name(&spot.design), key);
            browser::replace_address(&spot.address());
        }
        let key = joined.or_else(|| browser::stored(&key_name(&spot.design)));
        let companion = Companion {
            spot: RwSignal::new(spot),
            cabling: RwSignal::new(None),
            problem: RwSignal::new(None),
            is_connected: RwSignal::new(false),
            who: RwSignal::new(browser::stored(NAME).unwrap_or_default()),
            key: RwSignal::new(key),
            edit: RwSignal::new(None),
            is_sending: StoredValue::new(false),
            events: StoredValue::new_local(None),
        };
        let back = window_event_listener(leptos::ev::popstate, move |_| {
            if let Some(spot) = Spot::of(&browser::address().0) {
                companion.spot.set(spot);
            }
        });
        on_cleanup(move || back.remove());
        spawn_local(companion.run());
        companion
    }

    /// The companion of the surrounding page.
    pub fn here() -> Companion {
        expect_context()
    }

    /// Id of the design.
    pub fn design(self) -> String {
        self.spot.with_untracked(|spot| spot.design.clone())
    }

    /// The link that gives the right to tick, if this browser has it.
    pub fn join_link(self) -> Option<String> {
        let spot = Spot { design: self.design(), node: None };
        self.key.get().map(|key| browser::absolute(&format!("{}#{KEY}={key}", spot.address())))
    }

    /// `true` if this browser may tick, also while it has no name.
    pub fn is_allowed(self) -> bool {
        self.cabling.with(|cabling| cabling.as_ref().is_some_and(|cabling| cabling.is_allowed))
    }

    /// `true` if ticks can be made.
    pub fn may_tick(self) -> bool {
        self.is_allowed() && !self.who.with(String::is_empty)
    }

    /// Remembers the technician's name.
    pub fn set_who(self, who: &str) {
        let who: String = who.trim().chars().take(MAX_WHO).collect();
        browser::store(NAME, &who);
        self.who.set(who);
    }

    /// Goes to a node.
    pub fn go(self, node: u32) {
        self.spot.update(|spot| spot.node = Some(node));
        browser::push_address(&self.spot.with_untracked(Spot::address));
        browser::scroll_to_top();
    }

    /// Sets the state of a cable.
    pub fn set(self, cable: CableId, state: CableState) {
        let who = self.who.get_untracked();
        self.change(|cabling| cabling.set(cable, state, &who, browser::now()));
        spawn_local(self.send());
    }

    /// Takes back the last change, and shows its node.
    pub fn undo(self) {
        let who = self.who.get_untracked();
        let mut undone = None;
        self.change(|cabling| undone = cabling.undo(&who, browser::now()));
        if let Some(cable) = undone
            && self.spot.with_untracked(|spot| spot.node != Some(cable.node))
        {
            self.go(cable.node);
        }
        spawn_local(self.send());
    }

    /// Hides what was said about rejected ticks.
    pub fn dismiss(self) {
        self.change(|cabling| cabling.own.rejected.clear());
    }

    /// Starts cabling.
    pub fn start(self) {
        spawn_local(async move {
            if let Err(problem) = start(&self.design()).await {
                self.problem.set(Some(problem_words(&problem)));
            }
        });
    }

    /// Makes a new join link. The earlier one ends.
    pub fn renew(self) {
        let edit = self.edit.get_untracked();
        spawn_local(async move {
            match api::cabling_key(&self.design(), "/key", edit.as_deref()).await {
                Ok(fresh) => {
                    browser::store(&key_name(&self.design()), &fresh.key);
                    self.key.set(Some(fresh.key));
                    self.refresh().await;
                }
                Err(problem) => self.problem.set(Some(problem_words(&problem))),
            }
        });
    }

    /// Loads the design, then stays connected and sends what waits.
    async fn run(self) {
        while self.cabling.with_untracked(Option::is_none) {
            let id = self.design();
            // Both at once, so that the page is drawn once, and soon where the connection is weak.
            match join(api::design(&id), self.report()).await {
                (Ok(design), report) => self.open(&design, report).await,
                (Err(problem), _) if problem.status == 404 => {
                    let text = "The server has no such design. Check that the link is complete.";
                    return self.problem.set(Some(text.into()));
                }
                (Err(problem), _) if problem.status == 410 => {
                    return self.problem.set(Some(problem_words(&problem)));
                }
                (Err(problem), _) => self.problem.set(Some(problem_words(&problem))),
            }
            if self.cabling.with_untracked(Option::is_none) {
                browser::sleep(PAUSE).await;
            }
        }
        loop {
            if !self.is_connected.get_untracked() {
                self.refresh().await;
            }
            self.connect();
            self.send().await;
            browser::sleep(PAUSE).await;
        }
    }

    async fn open(self, design: &DesignView, report: Option<CablingView>) {
        let spec = resolve::read(&design.spec, &mut NoFiles).ok();
        let wiring = spec.and_then(|spec| Some((table::parse(&design.table, spec.pes).ok()?, spec)));
        let Some((wiring, spec)) = wiring else {
            return self.problem.set(Some("This design cannot be read.".into()));
        };
        // A wiring of megabytes: each step gets a task of its own.
        browser::breathe().await;
        let plan = CablingPlan::new(spec, wiring);
        browser::breathe().await;
        let own = browser::stored(&own_name(&design.id)).unwrap_or_default();
        self.problem.set(None);
        let mut cabling = Cabling::new(plan, OwnTicks::read(&own));
        if let Some(report) = report {
            cabling.take(report);
        }
        self.cabling.set(Some(cabling));
    }

    /// Opens the event stream, unless it is open or the browser opens it again by itself.
    fn connect(self) {
        let is_open = self.events.with_value(|events| events.as_ref().is_some_and(|e| !e.is_closed()));
        if is_open {
            return;
        }
        let act = move |event| match event {
            CablingEvent::Opened => {
                self.is_connected.set(true);
                spawn_local(async move {
                    self.refresh().await;
                    self.send().await;
                    if self.spot.with_untracked(|spot| spot.node.is_none()) {
                        self.edit.set(edit_secret(&self.design()).await.ok().flatten());
                    }
                });
            }
            CablingEvent::Disconnected => self.is_connected.set(false),
            CablingEvent::Changed(change) => {
                let mut is_complete = true;
                self.change(|cabling| is_complete = cabling.follow(change));
                if !is_complete {
                    spawn_local(self.refresh());
                }
            }
        };
        self.events.set_value(api::cabling_events(&self.design(), &act));
    }

    /// Fetches all ticks.
    async fn refresh(self) {
        if let Some(report) = self.report().await {
            self.change(|cabling| cabling.take(report));
        }
    }

    /// The server's report; `None` without an answer.
    async fn report(self) -> Option<CablingView> {
        let key = self.key.get_untracked();
        let mut view = api::cabling(&self.design(), key.as_deref()).await.ok()?;
        // Without a connection, the answer is an old one, perhaps to a request without the key.
        view.allowed |= key.is_some() && !self.is_connected.get_untracked();
        Some(view)
    }

    /// Sends what waits, one batch after the other.
    async fn send(self) {
        let Some(key) = self.key.get_untracked().filter(|_| !self.is_sending.get_value()) else { return };
        self.is_sending.set_value(true);
        loop {
            let batch = self.cabling.with_untracked(|cabling| cabling.as_ref().map(|c| c.own.batch()));
            let Some(batch) = batch.filter(|batch| !batch.is_empty()) else { break };
            let send = SendTicks { ticks: batch.clone(), sent: browser::now() };
            match api::send_ticks(&self.design(), &key, &send).await {
                Ok(answer) => {
                    self.problem.set(None);
                    self.change(|cabling| cabling.answered(&batch, answer));
                }
                // The server would reject the batch again.
                Err(problem) if problem.status == 422 => {
                    self.problem.set(Some(problem_words(&problem)));
                    self.change(|cabling| cabling.own.forget(&batch));
                }
                Err(problem) => {
                    // Without a connection there is no status, and ticks wait.
                    let words = (problem.status != 0).then(|| problem_words(&problem));
                    self.problem.set(words);
                    if problem.status == 403 {
                        // The key was replaced.
                        self.refresh().await;
                    }
                    break;
                }
            }
        }
        self.is_sending.set_value(false);
    }

    /// Changes the state. Ticks that wait are shared with other tabs of this browser.
    fn change(self, act: impl FnOnce(&mut Cabling)) {
        let name = own_name(&self.design());
        self.cabling.update(|cabling| {
            let Some(cabling) = cabling else { return };
            if let Some(stored) = browser::stored(&name) {
                cabling.own = OwnTicks::read(&stored);
            }
            let before = cabling.own.clone();
            act(cabling);
            if cabling.own != before {
                browser::store(&name, &cabling.own.write());
            }
        });
    }
}

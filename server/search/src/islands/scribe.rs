//! Turns wirings into designs on a thread of its own.

use super::Translate;
use crate::{ledger::Score, wiring::Genome};
use shared::design::Design;
use std::{
    sync::mpsc::{Receiver, Sender, channel},
    thread::Scope,
    time::Instant,
};

/// After a better wiring has been turned into a design, this many times as long passes before the next.
const REST: u32 = 4;

/// A wiring on its way out: how good it is, and the switch of every NI or the design.
pub type Sheet<T> = (Score, T);

/// The watcher's side of it.
pub struct Scribe {
    inbox: Sender<Sheet<Genome>>,
    outbox: Receiver<Sheet<Design>>,
    busy_since: Option<Instant>,
    rests_until: Option<Instant>,
}

impl Scribe {
    /// Begins a thread that ends when this is dropped.
    pub fn begin<'scope>(scope: &'scope Scope<'scope, '_>, translate: Translate<'scope>) -> Self {
        let (inbox, wirings) = channel();
        let (designs, outbox) = channel();
        scope.spawn(move || write(translate, &wirings, &designs));
        Scribe { inbox, outbox, busy_since: None, rests_until: None }
    }

    /// A design that has been finished.
    pub fn finished(&mut self) -> Option<Sheet<Design>> {
        let sheet = self.outbox.try_recv().ok()?;
        if let Some(began) = self.busy_since.take() {
            self.rests_until = Some(Instant::now() + began.elapsed() * REST);
        }
        Some(sheet)
    }

    /// Whether it would begin at once with another.
    pub fn is_free(&self) -> bool {
        self.busy_since.is_none() && self.rests_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Gives it a wiring.
    pub fn start(&mut self, sheet: Sheet<Genome>) {
        self.busy_since = self.inbox.send(sheet).is_ok().then(Instant::now);
    }
}

fn write(translate: Translate, inbox: &Receiver<Sheet<Genome>>, outbox: &Sender<Sheet<Design>>) {
    for (score, genome) in inbox {
        if outbox.send((score, translate(&genome))).is_err() {
            return;
        }
    }
}

//! Actions in parts that load after the first module.

use super::{
    Limits, ShownWiring, Studio, ValidSpec, WiringVerdict, improve, judge,
    searches::{self, RunFollower},
    settings::{self, SettingsStore},
    simulations::Simulator,
};
use crate::{
    components::{PartCall, parts},
    state::{failed::Damage, improve::Aim, place::Place},
    work::Turn,
};
use leptos::task::spawn_local;
use shared::{
    api::StartWork,
    demand::Demand,
    design::Faults,
    spec::{Spec, link},
};
use std::{pin::Pin, sync::Arc};

/// The result of work that may pause; `None` if it was outdated meanwhile.
type PausableFuture<T> = Pin<Box<dyn Future<Output = Option<T>>>>;

parts! {
    results {
        /// What a spec can have at best.
        limits(spec: Arc<Spec>, demand: Arc<Demand>) -> Limits { judge::limits(&spec, &demand) }
        /// Checks a wiring against the spec on screen.
        verdict(turn: Turn, asked: ValidSpec, held: ShownWiring) -> PausableFuture<WiringVerdict> { Box::pin(judge::judge(turn, asked, held)) }
        /// Compares a wiring with and without failed parts.
        damage(asked: ValidSpec, judged: WiringVerdict, faults: Faults) -> Damage { judge::damage(&asked, judged, faults) }
        /// Searches while people type.
        quick(studio: Studio, turn: Turn, request: StartWork) -> PausableFuture<Option<ShownWiring>> {
            Box::pin(searches::quick(studio, turn, request))
        }
        /// Starts an improvement of the design on screen.
        improve(studio: Studio, aim: Aim) -> () { improve::start(studio, aim) }
        /// Ends it.
        stop_improving(studio: Studio) -> () { improve::stop(studio) }
        /// Starts the search.
        start_search(follower: RunFollower, studio: Studio) -> () { follower.start(studio) }
        /// Stops the search on screen.
        stop_search(follower: RunFollower, studio: Studio) -> () { follower.stop(studio) }
        /// Continues the search on screen.
        continue_search(follower: RunFollower, studio: Studio) -> () { follower.extend(studio) }
        /// Saves the wiring on screen on the server, and returns the design's id.
        save_design(studio: Studio) -> Pin<Box<dyn Future<Output = Option<String>>>> { Box::pin(studio.save_design()) }
        /// Restores the settings beside the spec.
        restore_settings(studio: Studio, simulator: Simulator, stored: SettingsStore, identity: String) -> () {
            settings::restore(studio, simulator, stored, &identity);
        }
        /// Stores the settings beside the spec.
        store_settings(studio: Studio, stored: SettingsStore, identity: String) -> () {
            settings::store(studio, stored, identity);
        }
        /// The address of the spec on screen, with the settings beside it.
        spec_address(studio: Studio) -> String {
            Place::Link(studio.link(link::encode(&studio.session.text_now())).write()).at(studio.view.room())
        }
        /// The settings on screen, for a link to a saved design.
        packed_settings(studio: Studio) -> String { studio.link(String::new()).write() }
    }
    files {
        /// Downloads the report of the design on screen.
        get_report(studio: Studio) -> () { improve::report(studio) }
    }
}

const MISSING: &str = "A part of the studio cannot be loaded. If this message comes again, reload the page.";

impl Studio {
    /// Calls a function of a part. If the part cannot load, shows an error and returns `None`.
    pub async fn ask<T>(self, late: PartCall<T>) -> Option<T> {
        let answer = late.call().await;
        if answer.is_err() {
            self.view.show_error(MISSING, Vec::new());
        }
        answer.ok()
    }

    /// Runs an action of a part: at once if the part has loaded, else when it has.
    pub fn act(self, action: impl Fn() -> PartCall<()> + Clone + Send + Sync + 'static) {
        if action().now().is_none() {
            spawn_local(async move {
                if action().call().await.is_err() {
                    self.view.show_error_with(MISSING.into(), Vec::new(), "Retry".into(), move || {
                        self.act(action.clone())
                    });
                }
            });
        }
    }
}

//! The parts of a link beside a spec or a design: prices, networks, simulations.

use super::Studio;
use crate::state::{
    compare::Prices,
    link::Link,
    place::Room,
    simulate::{Curves, SimulateForm, pack, unpack},
};
use leptos::prelude::*;
use shared::spec::link::{decode, encode};

/// The page, in links of earlier versions.
const TAB: &str = "tab";
const PRICES: &str = "prices";
const NETWORKS: &str = "networks";
/// The listed simulations, and the form's as the last one.
const SIMULATIONS: &str = "simulate";

impl Studio {
    /// A link to a packed spec, or to the design of the path if that is empty, with the settings on screen.
    pub fn link(self, spec: String) -> Link {
        let packed = |text: String| if text.is_empty() { text } else { encode(&text) };
        Link::to(spec)
            .with(PRICES, packed(self.session.prices.with_untracked(Prices::text)))
            .with(NETWORKS, packed(self.session.networks.get_untracked()))
            .with(SIMULATIONS, packed(self.simulations()))
    }

    /// The simulations on the list and the one in the form; empty if there are none.
    fn simulations(self) -> String {
        let curves = self.result.curves;
        let listed =
            curves.with_untracked(|c| c.all().iter().map(|curve| curve.form.clone()).collect::<Vec<_>>());
        let form = self.session.simulate.with_untracked(|form| form.texts().clone());
        if listed.is_empty() && form == *SimulateForm::default().texts() {
            return String::new();
        }
        pack(&listed.into_iter().chain([form]).collect::<Vec<_>>())
    }

    /// Takes over the settings of a link.
    pub(super) fn apply_link(self, link: &Link) {
        let part = |key| link.part(key).map(|packed| decode(packed).ok());
        let unreadable = |what: &str| {
            self.view.show_error(format!("The {what} in this link cannot be read."), Vec::new());
        };
        if let Some(room) = link.part(TAB).and_then(Room::named) {
            self.view.show(room);
        }
        match part(PRICES) {
            Some(Some(text)) => self.session.prices.set(Prices::of(&text)),
            Some(None) => unreadable("prices"),
            None => {}
        }
        match part(NETWORKS) {
            Some(Some(text)) => self.session.networks.set(text),
            Some(None) => unreadable("networks"),
            None => {}
        }
        match part(SIMULATIONS).map(|text| unpack(&text?)) {
            Some(Some(mut forms)) => {
                self.session.simulate.set(forms.pop().map(SimulateForm::of).unwrap_or_default());
                self.result.curves.set(Curves::listed(forms));
            }
            Some(None) => unreadable("simulations"),
            None => {}
        }
    }
}

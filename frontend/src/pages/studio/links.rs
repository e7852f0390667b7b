//! What links carry besides a spec or a design.

use super::{Studio, Tab};
use crate::state::{
    compare::Prices,
    link::Link,
    simulate::{Curves, SimulateForm, pack, unpack},
};
use leptos::prelude::*;

/// In a link: the open tab, prices, networks to compare with besides, and simulations, the form's own last.
const TAB: &str = "tab";
const PRICES: &str = "prices";
const NETWORKS: &str = "networks";
const SIMULATIONS: &str = "simulate";
/// The tabs that a link names.
const LINKED: [(Tab, &str); 2] = [(Tab::Compare, "compare"), (Tab::Simulate, "simulate")];

impl Studio {
    /// What a link to the spec or the design carries besides: the tab where it matters, prices, and simulations.
    pub fn link(self, spec: String) -> Link {
        let tab =
            LINKED.iter().find(|(tab, _)| *tab == self.tab.get_untracked()).map_or("", |(_, name)| name);
        let packed = |text: String| if text.is_empty() { text } else { shared::spec::link::encode(&text) };
        let prices = self.prices.with_untracked(Prices::text);
        Link::to(spec)
            .with(TAB, tab.into())
            .with(PRICES, packed(prices))
            .with(NETWORKS, packed(self.besides.get_untracked()))
            .with(SIMULATIONS, packed(self.simulations()))
    }

    /// The simulations that are listed and the one in the form, as a link carries them; empty where nobody asked for any.
    fn simulations(self) -> String {
        let listed = self
            .curves
            .with_untracked(|curves| curves.all().iter().map(|curve| curve.form.clone()).collect::<Vec<_>>());
        // One with faults cannot be packed; a form with nothing typed stands for it.
        let form = self.simulate.with_untracked(SimulateForm::read).unwrap_or_default();
        if listed.is_empty() && SimulateForm::of(&form) == SimulateForm::default() {
            return String::new();
        }
        pack(&listed.into_iter().chain([form]).collect::<Vec<_>>())
    }

    /// Looks at what a link carries besides the spec.
    pub fn look(self, link: &Link) {
        if let Some((tab, _)) = LINKED.iter().find(|(_, name)| link.part(TAB) == Some(name)) {
            self.tab.set(*tab);
        }
        match link.part(PRICES).map(shared::spec::link::decode) {
            Some(Ok(text)) => self.prices.set(Prices::of(&text)),
            Some(Err(_)) => {
                self.complain("The prices in this link cannot be read. Here are others.", Vec::new())
            }
            None => {}
        }
        match link.part(NETWORKS).map(shared::spec::link::decode) {
            Some(Ok(text)) => self.besides.set(text),
            Some(Err(_)) => self.complain("The networks in this link cannot be read.", Vec::new()),
            None => {}
        }
        let Some(packed) = link.part(SIMULATIONS) else { return };
        match shared::spec::link::decode(packed).ok().and_then(|text| unpack(&text)) {
            Some(mut forms) => {
                self.simulate.set(forms.pop().as_ref().map(SimulateForm::of).unwrap_or_default());
                self.curves.set(Curves::listed(forms));
            }
            None => self.complain("The simulations in this link cannot be read.", Vec::new()),
        }
    }
}

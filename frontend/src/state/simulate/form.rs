//! A simulation as typed, and the messages beside its fields.

use shared::{
    compare::Market,
    form::{Described, Fault, Faults, FieldKind, Form, message},
    simulation::{SimulationForm, SimulationRequest, Traffic},
    text::speed,
};

/// Default traffic of the page: a design is there for its demand.
const DEMAND: &str = "demand";

/// Fields with speeds of links.
const SPEEDS: [&str; 3] = ["speed", "trunk_speed", "reference_speed"];

/// The form.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulateForm {
    /// Texts of the fields.
    texts: SimulationForm,
    /// `true` if somebody chose the speed of links.
    own_speed: bool,
    /// `true` if the network is typed instead of chosen.
    pub typed_network: bool,
    /// Faults that the server found, until something is changed.
    refused: Vec<Fault>,
}

impl Default for SimulateForm {
    fn default() -> Self {
        let texts = SimulationForm { traffic: DEMAND.into(), ..SimulationForm::default() };
        SimulateForm { texts, own_speed: false, typed_network: false, refused: Vec::new() }
    }
}

impl SimulateForm {
    /// The form with these texts.
    pub fn of(texts: SimulationForm) -> SimulateForm {
        let own_speed = SPEEDS.iter().any(|key| texts.get(key).is_some_and(|text| !text.is_empty()));
        let mut form = SimulateForm { texts, own_speed, ..SimulateForm::default() };
        if form.texts.traffic.is_empty() {
            // The page's default is another traffic.
            SimulationForm::field("traffic").default.clone_into(&mut form.texts.traffic);
        }
        form
    }

    /// The texts of the fields.
    pub fn texts(&self) -> &SimulationForm {
        &self.texts
    }

    /// The text of a field.
    pub fn text(&self, key: &str) -> &str {
        self.texts.get(key).unwrap_or_default()
    }

    /// Types into a field.
    pub fn set(&mut self, key: &str, text: String) {
        self.refused.clear();
        self.own_speed |= SPEEDS.contains(&key);
        let whole = matches!(SimulationForm::field(key).kind, FieldKind::Whole { .. });
        if let Some(place) = self.texts.get_mut(key) {
            *place = if whole { text.replace(',', "") } else { text };
        }
    }

    /// Takes the speeds of the market whose prices the comparison has, unless somebody chose others.
    pub fn follow(&mut self, market: &Market) {
        if !self.own_speed {
            self.texts.speed = market.speed.to_string();
            self.texts.trunk_speed = market.trunk_speed.to_string();
        }
    }

    /// Types in current switches with the speeds and latencies of a market.
    pub fn set_current_switches(&mut self, market: &Market) {
        self.refused.clear();
        self.own_speed = true;
        let traffic = self.texts.traffic.clone();
        self.texts.set_current_switches(market);
        self.texts.clear_defaults();
        // The page's default is another traffic.
        self.texts.traffic = traffic;
    }

    /// The time of a cycle and the delays, in words; empty if a field has a fault.
    pub fn delays(&self) -> String {
        let Ok(form) = self.read() else { return String::new() };
        let settings = &form.settings;
        let fastest = form.speed.max(form.trunk_speed.unwrap_or(form.speed));
        let cycle = settings.cycle_ns(settings.reference_speed.unwrap_or(fastest));
        settings.delays(cycle) + "."
    }

    /// A load in Gb/s, in words; empty if a field has a fault.
    pub fn load_unit(&self) -> String {
        let Ok(form) = self.read() else { return String::new() };
        let fastest = form.speed.max(form.trunk_speed.unwrap_or(form.speed));
        let reference = form.settings.reference_speed.unwrap_or(fastest);
        format!(
            "A load of 1 is {} per host: the speed of the fastest link, under Times and rules.",
            speed(reference)
        )
    }

    /// Limits of the model that the settings touch; empty if there are none, or a field has a fault.
    pub fn warnings(&self) -> String {
        self.read().map_or(String::new(), |form| form.settings.warnings().join(" "))
    }

    /// Takes the faults that the server found.
    pub fn refuse(&mut self, faults: Vec<Fault>) {
        self.refused = faults;
    }

    /// `true` if hosts wait for each other, instead of sending at a load.
    pub fn is_timed(&self) -> bool {
        matches!(Traffic::parse(&self.texts.traffic()), Ok(Traffic::Closed(_)))
    }

    /// Fields that hold the parameters of the chosen traffic.
    pub fn traffic_fields(&self) -> &'static [&'static str] {
        self.texts.traffic_fields()
    }

    /// `true` if there is background traffic.
    pub fn has_background(&self) -> bool {
        !self.texts.background.trim().is_empty()
    }

    /// Message beside a field.
    pub fn fault(&self, key: &str) -> Option<String> {
        let refused = || self.refused.iter().map(|f| Fault { path: self.field_of(f).into(), ..f.clone() });
        let faults = self.read().map_or_else(|Faults(faults)| faults, |_| refused().collect());
        message(&faults, key)
    }

    /// Faults that the server found in no field.
    pub fn refusal(&self) -> Option<String> {
        let others =
            self.refused.iter().filter(|fault| SimulationForm::SCHEMA.field(self.field_of(fault)).is_none());
        let lines: Vec<String> = others.map(ToString::to_string).collect();
        (!lines.is_empty()).then(|| lines.join(" "))
    }

    /// The key of the field that a fault of the server belongs to.
    fn field_of<'a>(&self, fault: &'a Fault) -> &'a str {
        match fault.path.split(['[', '.']).next().unwrap_or_default() {
            // The meaning of a name depends on the network; its parameters stand beside the traffic.
            "traffic" => self.traffic_fields().first().copied().unwrap_or("traffic"),
            field => field,
        }
    }

    /// The simulation. Hidden fields keep their texts, which do not count.
    ///
    /// # Errors
    /// Every field that is not accepted.
    pub fn read(&self) -> Result<SimulationRequest, Faults> {
        self.texts.clone().without_unused().read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{api::FormTexts, simulation::TRAFFICS};

    fn typed_in(texts: &[(&str, &str)]) -> SimulateForm {
        let mut form = SimulateForm::default();
        texts.iter().for_each(|(key, text)| form.set(key, (*text).into()));
        form
    }

    /// The form after a way to the server and back.
    fn again(form: &SimulateForm) -> SimulateForm {
        SimulateForm::of(FormTexts::of(&[form.texts()]).form())
    }

    #[test]
    fn nothing_typed_is_the_demand_over_the_wiring() {
        let usual = SimulationRequest { traffic: "demand".into(), ..SimulationRequest::default() };
        assert_eq!(SimulateForm::default().read(), Ok(usual));
        assert_eq!(SimulateForm::of(SimulateForm::default().texts), SimulateForm::default());
        assert_eq!(SimulateForm::of(SimulationForm::default()).read(), Ok(SimulationRequest::default()));
    }

    #[test]
    fn every_word_and_every_traffic_is_accepted() {
        for field in SimulationForm::SCHEMA.fields {
            for choice in field.kind.choices() {
                assert!(
                    typed_in(&[(field.key, choice.word)]).read().is_ok(),
                    "{}: {}",
                    field.key,
                    choice.word
                );
            }
        }
        for traffic in TRAFFICS.iter().filter(|traffic| traffic.name != "pattern") {
            assert!(typed_in(&[("traffic", traffic.name)]).read().is_ok(), "{}", traffic.name);
        }
    }

    #[test]
    fn what_is_typed_comes_back() {
        let texts = [
            ("fabric", "torus:4x4"),
            ("traffic", "hot-spot"),
            ("node", "3"),
            ("share", "0.25"),
            ("loads", "0.1, 0.5"),
            ("saturate", "true"),
            ("cycles", "5,000"),
            ("ignored", "100"),
            ("full", "drop"),
            ("trunk_speed", "10000"),
            ("seed", "18446744073709551615"),
        ];
        let form = typed_in(&texts);
        let asked = form.read().unwrap();
        assert_eq!((asked.traffic.as_str(), asked.loads.as_slice()), ("hot-spot:3,0.25", &[0.1, 0.5][..]));
        assert_eq!((asked.settings.cycles, asked.trunk_speed, asked.seed), (5000, Some(10_000), u64::MAX));
        assert_eq!(again(&form), form);
    }

    #[test]
    fn groups_and_background_belong_to_timed_operations() {
        let texts = [
            ("traffic", "all-reduce-hierarchical"),
            ("subgroup", "4"),
            ("groups", "16x2"),
            ("background", "hot-spot:3,0.5"),
            ("background_load", "0.25"),
        ];
        let form = typed_in(&texts);
        assert!(form.is_timed() && form.has_background() && form.traffic_fields() == ["subgroup"]);
        let asked = form.read().unwrap();
        assert_eq!((asked.traffic.as_str(), asked.groups.as_str()), ("all-reduce-hierarchical:4", "16x2"));
        assert_eq!((asked.background.as_deref(), asked.background_load), (Some("hot-spot:3,0.5"), 0.25));
        assert_eq!(again(&form), form);

        let mut open = typed_in(&texts);
        open.set("traffic", "uniform".into());
        open.set("groups", "nonsense".into());
        let uniform = SimulationRequest { traffic: "uniform".into(), ..SimulationRequest::default() };
        assert_eq!(open.read(), Ok(uniform), "fields that are not on screen");
        for (key, text, expected) in [
            ("groups", "1", "8x16"),
            ("background", "exchange", "an offered load"),
            ("background", "unifrom", "Did you mean `uniform`?"),
            ("background_load", "0", "from 0"),
            ("subgroup", "1", "from 2 to"),
        ] {
            let mut wrong = typed_in(&texts);
            wrong.set(key, text.into());
            assert!(
                wrong.fault(key).is_some_and(|said| said.contains(expected)),
                "{key}: {:?}",
                wrong.fault(key)
            );
        }
        let mut refused = typed_in(&texts);
        refused.refuse(vec![Fault::new("traffic", "all-reduce-hierarchical:4", "others")]);
        assert!(refused.fault("subgroup").is_some() && refused.refusal().is_none());
    }

    #[test]
    fn faults_stand_beside_their_fields() {
        let wrong = [
            ("cycles", "many", "a whole number from 1 to"),
            ("buffer", "0", "a whole number from 1"),
            ("header", "4294967296", "a whole number from 0 to 65,536"),
            ("loads", "0.1;0.2", "numbers above 0"),
            ("loads", "-1", "numbers above 0"),
            ("fabric", "tree", "tree:"),
            ("fabric", "ring:9", "`mesh`"),
            ("traffic", "lots", "one of demand"),
            ("speed", "0", "from 1 to"),
            ("ignored", "100000", "below the 100,000 cycles"),
        ];
        for (key, text, expected) in wrong {
            let form = typed_in(&[(key, text), ("seed", "x")]);
            let said = form.fault(key).unwrap_or_default();
            assert!(said.contains(expected), "{key} {text}: {said}");
            assert!(form.fault("seed").is_some() && form.fault("payload").is_none());
        }
        let share = typed_in(&[("traffic", "hot-spot"), ("share", "2")]);
        assert!(share.fault("share").is_some_and(|said| said.contains("from 0 to 1")));
        let node = typed_in(&[("traffic", "hot-spot"), ("node", "-1")]);
        assert!(node.fault("node").is_some_and(|said| said.contains("a whole number")));
        assert_eq!((node.fault("share"), node.fault("traffic")), (None, None));
        assert!(typed_in(&[("node", "-1")]).read().is_ok(), "a field that is not on screen");
        let rounds = typed_in(&[("traffic", "exchange"), ("rounds", "0")]);
        assert!(rounds.is_timed() && rounds.fault("rounds").is_some());
    }

    #[test]
    fn links_have_the_speed_of_the_market_unless_somebody_chose_another() {
        let market = |name| shared::compare::market::preset(name).unwrap().market();
        let mut form = SimulateForm::default();
        form.follow(&market("100g"));
        assert_eq!(form.read().map(|asked| (asked.speed, asked.trunk_speed)), Ok((100_000, Some(100_000))));
        form.set("speed", "25000".into());
        form.follow(&market("100g"));
        assert_eq!(form.text("speed"), "25000");
        let mut opened = SimulateForm::of(form.texts().clone());
        opened.follow(&market("100g"));
        assert_eq!(opened, form, "a simulation from a link keeps its speed");
    }

    #[test]
    fn current_switches_fill_the_form_and_show_their_times() {
        let market = shared::compare::market::preset("100g").unwrap().market();
        let mut form = typed_in(&[("buffer", "1"), ("fabric", "torus:4x4"), ("traffic", "uniform")]);
        assert!(form.warnings().contains("one frame"));
        assert!(
            form.delays().contains("32 ns per cycle; delays: link 160 ns, routing 320 ns, forwarding 4.0 µs")
        );
        form.set_current_switches(&market);
        let asked = form.read().unwrap();
        assert_eq!(
            (asked.speed, asked.settings.routing_delay, asked.settings.link_delay),
            (100_000, 117, 29)
        );
        assert_eq!(
            (form.text("shared_buffer"), form.text("fabric"), form.text("alpha")),
            ("4096", "torus:4x4", "")
        );
        assert!(form.delays().contains("routing 599 ns"), "{}", form.delays());
        assert!(form.load_unit().starts_with("A load of 1 is 100 Gb/s"), "{}", form.load_unit());
        assert_eq!(form.text("traffic"), "uniform");
        // Frames wait for each other in the shared memory; buffers of one frame are gone.
        assert!(form.warnings().contains("Memory shared"), "{}", form.warnings());
        assert!(!form.warnings().contains("one frame"), "{}", form.warnings());
    }

    #[test]
    fn what_the_server_refuses_stays_until_something_changes() {
        let mut form = SimulateForm::default();
        form.refuse(vec![
            Fault::new("loads[1]", 3, "at most 1"),
            Fault::new("time", "about 9,000 s", "at most 3600 s"),
        ]);
        assert_eq!(form.fault("loads").as_deref(), Some("Must be at most 1, not 3."));
        assert!(form.refusal().is_some_and(|said| said.contains("about 9,000 s")));
        assert_eq!(form.fault("seed"), None);
        form.set("seed", "2".into());
        assert_eq!((form.fault("loads"), form.refusal()), (None, None));
    }
}

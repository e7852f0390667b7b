//! A simulation: request, form as typed, report.

use super::{
    ClosedResult, GROUP_FORMS, GroupRule, Point, Queue, Saturation, Settings, SimulationProgress, Traffic,
};
use crate::{
    fabric::{ROUTINGS, kinds},
    form::{Choice, Described, Fault, Faults, Field, FieldKind, Form, FormReader, Reader, form, says, set},
    search::SEED,
    text::grouped,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A simulation to run. Every field has a default.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationRequest {
    /// Network in its text form, such as `mesh:8x8`; the wiring if not given.
    pub fabric: Option<String>,
    /// Routing, by default that of the network.
    pub routing: Option<String>,
    /// Traffic, such as `uniform` or `hot-spot:0,0.1`.
    pub traffic: String,
    /// Offered loads in flits per cycle and sending host; by default ten up to the max of a host.
    pub loads: Vec<f64>,
    /// `true` to search for the max accepted traffic.
    pub saturate: bool,
    /// Bytes of each message of a collective operation; for all-reduces, reduce-scatter and all-gather the bytes of the buffer.
    pub message: u64,
    /// Repetitions of a collective operation.
    pub rounds: u32,
    /// Groups that run a collective operation at the same time: `all`, `8`, `8x16`, or a dimension of the spec's job.
    pub groups: String,
    /// Traffic at a load beside a collective operation, such as `uniform`; from all hosts, until the operation ends.
    pub background: Option<String>,
    /// Offered load of the background, in flits per cycle and sending host.
    pub background_load: f64,
    /// Speed of hosts' links, in Mb/s.
    pub speed: u32,
    /// Speed of uplinks and of links inside a domain, in Mb/s; by default that of the hosts' links.
    pub trunk_speed: Option<u32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Times and rules.
    pub settings: Settings,
}

impl Default for SimulationRequest {
    fn default() -> Self {
        SimulationForm::default().read().expect("defaults")
    }
}

const SPEED: Field = Field::whole("Speed", 1, u32::MAX as u64).unit("Mb/s");
const DELAY: Field = Field::whole("Delay", 0, 1 << 20).unit("cycles");
const BUFFER: Field = Field::whole("Buffer", 1, 1 << 20).unit("frames");
const FRAME: Field = Field::whole("Frame", 1, 1 << 16).unit("flits");
const FLAG: Field = Field::new("Flag", FieldKind::Flag).or("false");

/// Traffic whose parameters are fields of their own.
const SPLIT: [(&str, &[&str]); 2] =
    [("hot-spot", &["node", "share"]), ("all-reduce-hierarchical", &["subgroup"])];

/// Fields that only traffic at an offered load uses.
const OF_LOADS: [&str; 4] = ["loads", "saturate", "cycles", "ignored"];
/// Fields that only collective operations use.
const OF_OPERATIONS: [&str; 5] = ["message", "rounds", "groups", "background", "background_load"];

form! {
    /// A simulation as typed.
    pub struct SimulationForm {
        /// The network to simulate.
        fabric: Field::new("Network", FieldKind::Syntax("a network such as mesh:8x8")).hint("this design"),
        /// Traffic between hosts.
        traffic: Field::new("Traffic", FieldKind::Syntax("the name of a traffic")).or("uniform"),
        /// Host that receives the hot-spot traffic.
        node: Field::whole("Destination host", 0, u32::MAX as u64).or("0"),
        /// Share of all frames that go to this host.
        share: Field::number("Share of frames", 0.0, 1.0).or("0.1"),
        /// Consecutive members of a subgroup in a hierarchical all-reduce.
        subgroup: Field::whole("Subgroup size", 2, u32::MAX as u64).unit("nodes").or("8"),
        /// Offered loads per sending host, separated by commas.
        loads: Field::new("Offered loads", FieldKind::Syntax("numbers above 0, separated by commas, such as 0.1, 0.5"))
            .unit("× link speed").hint("ten up to the max"),
        /// Search for the load at which accepted traffic stops growing.
        saturate: Field { label: "Saturation search", ..FLAG },
        /// Size of each message of a collective operation. For all-reduces, reduce-scatter and all-gather: size of a node's whole buffer.
        message: Field::whole("Message size", 1, u64::MAX).unit("bytes").or("65536"),
        /// Repetitions of a collective operation.
        rounds: Field::whole("Rounds", 1, u32::MAX as u64).or("10"),
        /// Groups that run a collective operation at the same time: all, 8, 8x16 (8 nodes, 16 apart), or a dimension of the job.
        groups: Field::new("Groups", FieldKind::Syntax(GROUP_FORMS)).or("all"),
        /// Traffic at an offered load from all hosts, until the collective operation ends.
        background: Field::new("Background traffic", FieldKind::Syntax("traffic at an offered load, such as uniform"))
            .hint("none"),
        /// Offered load of the background traffic per sending host.
        background_load: Field::number("Background load", 1e-6, 1e6).unit("× link speed").or("0.1"),
        /// Paths that frames take through the network.
        routing: Field::new("Routing", FieldKind::Listed(routings)).hint("Default of the network"),
        /// Path that a frame takes if its pair has several.
        paths: Field::new("Path selection", FieldKind::Choice(&[
            Choice::new("first", "First path"),
            Choice::new("alternate", "Alternating paths"),
            Choice::new("random", "Random path"),
            Choice::new("random-intermediate", "Via a random host"),
        ])).or("first"),
        /// Place logical nodes on the hosts at random instead of in order.
        random_placement: Field { label: "Random placement", ..FLAG },
        /// Speed of a host's links.
        speed: Field { label: "Host link speed", ..SPEED.or("1000") },
        /// Speed of trunks: uplinks, and links inside a domain.
        trunk_speed: Field { label: "Trunk speed", ..SPEED.hint("as host links") },
        /// Speed that carries one flit per cycle.
        reference_speed: Field { label: "Reference speed", ..SPEED.hint("fastest link") },
        /// Start of randomness. The same seed gives the same results.
        seed: SEED,
        /// Cycles simulated at each offered load.
        cycles: Field::whole("Simulated cycles", 1, 1_000_000_000_000).or("100000"),
        /// Warm-up cycles to ignore.
        ignored: Field::whole("Ignored cycles", 0, 1_000_000_000_000).or("10000"),
        /// Flits in the header of a frame.
        header: Field { label: "Header", kind: FieldKind::Whole { min: 0, max: 1 << 16 }, ..FRAME.or("6") },
        /// Flits in the payload of a full frame.
        payload: Field { label: "Payload", ..FRAME.or("128") },
        /// Bytes of a flit.
        flit_bytes: Field { label: "Flit size", unit: "bytes", ..FRAME.or("4") },
        /// Time of a flit from one end of a link to the other.
        link_delay: Field { label: "Link delay", kind: FieldKind::Whole { min: 1, max: 1 << 20 }, ..DELAY.or("5") },
        /// Time of a switch to route a frame and set its crossbar.
        routing_delay: Field { label: "Routing delay", ..DELAY.or("10") },
        /// Time of a host to route a frame that it forwards: 40 µs at 100 Mb/s and 4-byte flits (Nitzberg et al. 1999).
        host_delay: Field { label: "Forwarding delay", kind: FieldKind::Whole { min: 0, max: 1 << 24 }, ..DELAY.or("125") },
        /// Delay of a flow-control credit.
        credit_delay: Field { label: "Credit delay", ..DELAY.or("5") },
        /// Virtual channels per link. With two or more, and buffers per link, dimension order on tori cannot deadlock.
        virtual_channels: Field::whole("Virtual channels", 1, 8).or("1"),
        /// Input buffer per link and virtual channel.
        buffer: Field { label: "Switch buffer", ..BUFFER.or("4") },
        /// Buffer of a forwarding host at each incoming link, per virtual channel.
        host_buffer: Field { label: "Host buffer", ..BUFFER.or("64") },
        /// Time at which a switch passes a frame on.
        switching: Field::new("Switching", FieldKind::Choice(&[
            Choice::new("cut-through", "Cut-through: once the head is routed"),
            Choice::new("store-and-forward", "Store and forward: once the frame is complete"),
        ])).or("cut-through"),
        /// Waiting frames that a switch can send.
        queue: Field::new("Switch queue", FieldKind::Choice(&[
            Choice::new("input", "Input queue: the oldest frame of each link"),
            Choice::new("shared", "Shared memory: all frames"),
        ])).or("input"),
        /// Memory that all links of a switch share, with a shared-memory queue.
        shared_buffer: Field { label: "Shared memory", ..BUFFER.hint("a buffer per link") },
        /// Frames that a port can hold in a shared memory, relative to the free part.
        alpha: Field::number("Alpha", 0.01, 64.0).or("1"),
        /// Treatment of a frame at a full buffer.
        full: Field::new("Full buffer", FieldKind::Choice(&[
            Choice::new("hold", "Hold the sender"),
            Choice::new("drop", "Drop the frame"),
        ])).or("hold"),
        /// Hosts send or receive on a link, not both at the same time.
        half_duplex_hosts: Field { label: "Half-duplex hosts", ..FLAG },
    }
}

fn routings() -> Vec<Choice> {
    ROUTINGS.iter().map(|routing| Choice::new(routing.name, routing.label)).collect()
}

impl SimulationForm {
    /// Fields that hold the parameters of the chosen traffic.
    pub fn traffic_fields(&self) -> &'static [&'static str] {
        split(self.traffic.trim())
    }

    /// The traffic with its parameters.
    pub fn traffic(&self) -> String {
        let or = |key: &&str| match self.get(key).unwrap_or_default().trim() {
            "" => Self::field(key).default.to_owned(),
            text => text.to_owned(),
        };
        match self.traffic_fields() {
            [] => or(&"traffic"),
            keys => format!("{}:{}", self.traffic.trim(), keys.iter().map(or).collect::<Vec<_>>().join(",")),
        }
    }

    /// Given fields that the chosen traffic does not use, each with the reason.
    pub fn unused(&self) -> Vec<(&'static str, String)> {
        let load: &[_] = if self.background.trim().is_empty() { &["background_load"] } else { &[] };
        let unused = match Traffic::parse(&self.traffic()) {
            Ok(Traffic::Open(_)) => {
                vec![(&OF_OPERATIONS[..], "without a collective operation such as all-to-all".into())]
            }
            Ok(operation) => vec![
                (&OF_LOADS[..], format!("with {operation}, a collective operation")),
                (load, "without background traffic".into()),
            ],
            Err(_) => Vec::new(),
        };
        let is_given = |key: &&&str| self.get(key).is_some_and(|text| !["", "false"].contains(&text.trim()));
        let given = |(keys, why): (&[&'static str], String)| {
            keys.iter().filter(is_given).map(move |key| (*key, why.clone())).collect::<Vec<_>>()
        };
        unused.into_iter().flat_map(given).collect()
    }

    /// Removes fields that the traffic does not use.
    #[must_use]
    pub fn without_unused(mut self) -> SimulationForm {
        for (key, _) in self.unused() {
            set(&mut self, key, String::new());
        }
        self
    }

    /// The simulation.
    ///
    /// # Errors
    /// Every field that is not accepted, or not used.
    pub fn read(&self) -> Result<SimulationRequest, Faults> {
        let mut reader = Reader::default();
        for (key, why) in self.unused() {
            reader.form(self, "").unwanted::<()>(key, format!("has no effect {why}"));
        }
        let form = self.clone().without_unused();
        let mut fields = reader.form(&form, "");
        let fabric = fields.given("fabric", |fields, key| {
            let text = fields.typed(key);
            kinds::parse(text)
                .map_or_else(|fault| fields.fault(key, says(fault.message)), |_| Some(text.to_owned()))
        });
        let routing = fields.given("routing", FormReader::text);
        let traffic = self.read_traffic(&mut fields);
        let loads = fields.given("loads", read_loads);
        let saturate = fields.flag("saturate");
        let (message, rounds) = (fields.whole("message"), fields.whole("rounds"));
        let beside = read_beside(&mut fields);
        let (speed, trunk_speed) = (fields.whole("speed"), fields.given("trunk_speed", FormReader::whole));
        let seed = fields.whole("seed");
        let settings = read_settings(&mut fields);
        let form = || {
            let (groups, background, background_load) = beside?;
            Some(SimulationRequest {
                fabric: fabric?,
                routing: routing?,
                traffic: traffic?,
                loads: loads?.unwrap_or_default(),
                saturate: saturate?,
                message: message?,
                rounds: rounds?,
                groups,
                background,
                background_load,
                speed: speed?,
                trunk_speed: trunk_speed?,
                seed: seed?,
                settings: settings?,
            })
        };
        let form = form();
        reader.finish(form)
    }

    fn read_traffic(&self, fields: &mut FormReader) -> Option<String> {
        let read = |key: &&str| match Self::field(key).kind {
            FieldKind::Whole { .. } => fields.whole::<u32>(key).is_some(),
            _ => fields.number(key).is_some(),
        };
        if self.traffic_fields().iter().map(read).filter(|is_read| !is_read).count() > 0 {
            return None;
        }
        let traffic = self.traffic();
        match Traffic::parse(&traffic) {
            Ok(_) => Some(traffic),
            Err(fault) => fields.fault("traffic", fault.advice),
        }
    }
}

/// Keys of the fields with the parameters of a traffic.
fn split(traffic: &str) -> &'static [&'static str] {
    SPLIT.iter().find(|(name, _)| *name == traffic).map_or(&[], |(_, keys)| keys)
}

/// Groups of a collective operation, the traffic beside it, and its load.
fn read_beside(fields: &mut FormReader) -> Option<(String, Option<String>, f64)> {
    let groups = fields.text("groups").and_then(|text| match GroupRule::parse(&text) {
        Some(_) => Some(text),
        None => fields.fault("groups", GROUP_FORMS),
    });
    let background = fields.given("background", |fields, key| {
        let text = fields.typed(key);
        match Traffic::parse(text) {
            Ok(Traffic::Open(_)) => Some(text.to_owned()),
            Ok(Traffic::Closed(_)) => fields.fault(key, SimulationForm::field(key).kind.expected()),
            Err(fault) => fields.fault(key, fault.advice),
        }
    });
    let load = fields.number("background_load");
    Some((groups?, background?, load?))
}

fn read_loads(fields: &mut FormReader, key: &str) -> Option<Vec<f64>> {
    let load = |part: &str| part.trim().parse::<f64>().ok().filter(|load| load.is_finite() && *load > 0.0);
    let loads: Option<Vec<f64>> = fields.typed(key).trim_end_matches(',').split(',').map(load).collect();
    loads.or_else(|| fields.fault(key, SimulationForm::field(key).kind.expected()))
}

/// The value of the word that is chosen, by its name in JSON.
fn chosen<T: DeserializeOwned>(fields: &mut FormReader, key: &str) -> Option<T> {
    let word = fields.text(key)?;
    Some(serde_json::from_value(word.into()).expect("a value for each word of the field"))
}

fn read_settings(fields: &mut FormReader) -> Option<Settings> {
    let [header, payload, flit_bytes] = ["header", "payload", "flit_bytes"].map(|key| fields.whole(key));
    let [link_delay, routing_delay, host_delay, credit_delay] =
        ["link_delay", "routing_delay", "host_delay", "credit_delay"].map(|key| fields.whole(key));
    let [virtual_channels, buffer, host_buffer] =
        ["virtual_channels", "buffer", "host_buffer"].map(|key| fields.whole(key));
    let (switching, queue) = (chosen(fields, "switching"), chosen(fields, "queue"));
    let shared_buffer = fields.given("shared_buffer", FormReader::whole);
    let alpha = fields.number("alpha");
    if queue == Some(Queue::Input) && fields.is_given("shared_buffer") {
        return fields.fault("shared_buffer", says("needs `queue = shared`; set it, or remove this."));
    }
    let (full, paths) = (chosen(fields, "full"), chosen(fields, "paths"));
    let [half_duplex_hosts, random_placement] =
        ["half_duplex_hosts", "random_placement"].map(|key| fields.flag(key));
    let reference_speed = fields.given("reference_speed", FormReader::whole);
    let (cycles, ignored) = (fields.whole("cycles"), fields.whole("ignored"));
    if let (Some(cycles), Some(ignored)) = (cycles, ignored)
        && ignored >= cycles
    {
        if !fields.is_given("ignored") {
            let [default, cycles] = [ignored, cycles].map(grouped);
            let sentence =
                format!("its default, {default}, is not below the {cycles} cycles; set a smaller number.");
            return fields.fault_of("ignored", ignored, says(sentence));
        }
        let expected = format!("a whole number below the {} cycles", grouped(cycles));
        return fields.fault_of("ignored", ignored, expected);
    }
    Some(Settings {
        header: header?,
        payload: payload?,
        flit_bytes: flit_bytes?,
        link_delay: link_delay?,
        routing_delay: routing_delay?,
        host_delay: host_delay?,
        credit_delay: credit_delay?,
        virtual_channels: virtual_channels?,
        buffer: buffer?,
        host_buffer: host_buffer?,
        switching: switching?,
        queue: queue?,
        shared_buffer: shared_buffer?,
        alpha: alpha?,
        full: full?,
        half_duplex_hosts: half_duplex_hosts?,
        reference_speed: reference_speed?,
        cycles: cycles?,
        ignored: ignored?,
        paths: paths?,
        random_placement: random_placement?,
    })
}

impl Default for Settings {
    fn default() -> Self {
        SimulationRequest::default().settings
    }
}

impl Settings {
    /// Checks every number.
    ///
    /// # Errors
    /// Every number outside its range.
    pub fn check(&self) -> Result<(), Faults> {
        let whole = [
            ("header", Some(self.header.into())),
            ("payload", Some(self.payload.into())),
            ("flit_bytes", Some(self.flit_bytes.into())),
            ("link_delay", Some(self.link_delay.into())),
            ("routing_delay", Some(self.routing_delay.into())),
            ("host_delay", Some(self.host_delay.into())),
            ("credit_delay", Some(self.credit_delay.into())),
            ("virtual_channels", Some(self.virtual_channels.into())),
            ("buffer", Some(self.buffer.into())),
            ("host_buffer", Some(self.host_buffer.into())),
            ("shared_buffer", self.shared_buffer.map(u64::from)),
            ("reference_speed", self.reference_speed.map(u64::from)),
            ("cycles", Some(self.cycles)),
            ("ignored", Some(self.ignored)),
        ];
        let beyond = |(key, value): (&str, Option<u64>)| {
            let kind = SimulationForm::field(key).kind;
            let value = value.filter(|value| !kind.has(*value as f64))?;
            Some(Fault::new(key, value, kind.expected()))
        };
        let mut faults: Vec<Fault> = whole.into_iter().filter_map(beyond).collect();
        let alpha = SimulationForm::field("alpha").kind;
        if !alpha.has(self.alpha) {
            faults.push(Fault::new("alpha", self.alpha, alpha.expected()));
        }
        if self.queue == Queue::Input && self.shared_buffer.is_some() {
            faults.push(Fault::new(
                "shared_buffer",
                "given",
                says("needs `queue = shared`; set it, or remove this."),
            ));
        }
        if self.ignored >= self.cycles {
            let expected = format!("a whole number below the {} cycles", grouped(self.cycles));
            faults.push(Fault::new("ignored", self.ignored, expected));
        }
        Faults::of(faults).map_or(Ok(()), Err)
    }
}

/// Results of a simulation, so far or in the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimulationReport {
    /// The network, in its text form; `design` is a wiring.
    pub fabric: String,
    /// The routing.
    pub routing: String,
    /// The traffic.
    pub traffic: String,
    /// Hosts of the network.
    pub hosts: u32,
    /// Nodes that send.
    pub senders: u32,
    /// Seed.
    pub seed: u64,
    /// Nanoseconds per cycle: the time of a flit at the reference speed.
    #[serde(default)]
    pub cycle_ns: f64,
    /// Limits of the model that the settings touch.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Simulated loads, ordered by offered load.
    pub points: Vec<Point>,
    /// Max accepted traffic, if it was searched for and found.
    pub saturation: Option<Saturation>,
    /// A collective operation.
    pub collective: Option<ClosedResult>,
    /// `true` if it was stopped before all results were complete.
    pub cancelled: bool,
    /// Progress, updated a few times per second; none before the start and after the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<SimulationProgress>,
}

//! A market as written: every field is the text that was typed, empty where nothing was.

use super::{Goods, Market};
use crate::{
    compare::model::Model,
    spec::{Fault, Faults, MAX_ENTRIES, MAX_NAME, MAX_PORTS},
};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// A field of a market.
pub struct Field {
    /// Its name in the file.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// The least number that is accepted, the most, and whether only whole ones are.
    limits: (f64, f64, bool),
    /// What stands where nothing was typed; none: the field stays without a value.
    default: Option<f64>,
}

const fn field(
    [key, title, unit]: [&'static str; 3],
    limits: (f64, f64, bool),
    default: Option<f64>,
) -> Field {
    Field { key, title, unit, limits, default }
}

const PRICE: (f64, f64, bool) = (0.0, 1e9, false);
const SPEED: (f64, f64, bool) = (1.0, 10_000_000.0, true);
const PORTS: (f64, f64, bool) = (0.0, MAX_PORTS as f64, true);
const SOME: (f64, f64, bool) = (1.0, MAX_PORTS as f64, true);
const MICROSECONDS: (f64, f64, bool) = (0.0, 1e9, false);
const MEGABYTES: (f64, f64, bool) = (0.0, 1e9, false);

/// The fields of a market, but for its name and the boxes.
pub const FIELDS: &[Field] = &[
    field(["speed", "Speed of hosts' links", "Mb/s"], SPEED, Some(1000.0)),
    field(["trunk_speed", "Speed of trunks", "Mb/s"], SPEED, Some(1000.0)),
    field(["ni", "NI", "price"], PRICE, None),
    field(["trunk_ni", "NI of the trunks' speed", "price"], PRICE, None),
    field(["cable", "Cable", "price"], PRICE, None),
    field(["hub_port", "Hub port", "price"], PRICE, None),
    field(["hub_ports", "Most ports of a hub", ""], PORTS, Some(0.0)),
    field(["port", "Switch port, without boxes", "price"], PRICE, None),
    field(["ports", "Most ports of a switch, without boxes", ""], PORTS, Some(0.0)),
    field(["trunk_port", "Switch port of the trunks' speed, without boxes", "price"], PRICE, None),
    field(["trunk_ports", "Most trunks of a switch, without boxes", ""], PORTS, Some(0.0)),
    field(["leaf", "Hosts on a tree's leaf", ""], SOME, Some(24.0)),
    field(["uplinks", "Uplinks of a tree's leaf", ""], SOME, Some(2.0)),
    field(["backplane", "Backplane of a switch without trunks", "Mb/s"], SPEED, None),
    field(["latency", "Latency, hosts joined directly", "us"], MICROSECONDS, Some(Model::WHITNEY.latency)),
    field(
        ["bandwidth", "Bandwidth, hosts joined directly", "MB/s"],
        MEGABYTES,
        Some(Model::WHITNEY.bandwidth),
    ),
    field(["switch_latency", "A switch adds", "us"], MICROSECONDS, Some(Model::WHITNEY.switch_latency)),
    field(["switch_bandwidth", "A switch takes", "MB/s"], MEGABYTES, Some(Model::WHITNEY.switch_bandwidth)),
    field(["host_latency", "A forwarding host adds", "us"], MICROSECONDS, Some(Model::WHITNEY.host_latency)),
    field(
        ["host_bandwidth", "A forwarding host takes", "MB/s"],
        MEGABYTES,
        Some(Model::WHITNEY.host_bandwidth),
    ),
];

/// The fields of a box.
pub const GOODS_FIELDS: &[Field] = &[
    field(["ports", "Ports", ""], PORTS, Some(0.0)),
    field(["trunks", "Trunks", ""], PORTS, Some(0.0)),
    field(["switches", "Switches in it", ""], SOME, Some(1.0)),
    field(["price", "Price", ""], PRICE, None),
];

/// A market as typed: field keys and their text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarketForm {
    /// What people call it.
    pub name: String,
    /// Texts of [`FIELDS`], those that are empty left out.
    pub fields: BTreeMap<String, String>,
    /// Boxes.
    pub boxes: Vec<GoodsForm>,
}

/// A box as typed: texts of [`GOODS_FIELDS`], those that are empty left out.
pub type GoodsForm = BTreeMap<String, String>;

impl MarketForm {
    /// Reads a TOML file: the keys of [`FIELDS`], `name`, and a table `[[box]]` for each box.
    ///
    /// # Errors
    /// Syntax, keys that do not exist, and what no form can hold. Numbers are judged by [`MarketForm::resolve`].
    pub fn parse(text: &str) -> Result<MarketForm, Faults> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            Fault::new(format!("line {line}"), error.message(), "the TOML of a market")
        })?;
        let mut form = MarketForm::default();
        let mut faults = Vec::new();
        for (key, value) in &table {
            match (key.as_str(), value) {
                ("name", Value::String(name)) => form.name = name.clone(),
                ("box", Value::Array(boxes)) => {
                    for (number, sold) in boxes.iter().enumerate() {
                        let path = format!("box[{number}]");
                        match sold {
                            Value::Table(sold) => {
                                form.boxes.push(texts(sold, GOODS_FIELDS, &format!("{path}."), &mut faults))
                            }
                            other => faults.push(Fault::new(path, other, "a table")),
                        }
                    }
                }
                ("name" | "box", other) => {
                    faults.push(Fault::new(key, other, "text for `name`, tables for `box`"))
                }
                _ => {}
            }
        }
        let rest: Table = table.into_iter().filter(|(key, _)| key != "name" && key != "box").collect();
        form.fields = texts(&rest, FIELDS, "", &mut faults);
        Faults::of(faults).map_or(Ok(form), Err)
    }

    /// The TOML file that reads as this form; numbers that are none stand in quotes.
    pub fn write(&self) -> String {
        let mut text = format!("name = {}\n", Value::String(self.name.clone()));
        text += &written(&self.fields, FIELDS);
        for sold in &self.boxes {
            text += "\n[[box]]\n";
            text += &written(sold, GOODS_FIELDS);
        }
        text
    }

    /// What is for sale.
    ///
    /// # Errors
    /// Every field that is no number or out of its range, by its key.
    pub fn resolve(&self) -> Result<Market, Faults> {
        let mut reader = Reader { faults: Vec::new() };
        if self.name.chars().count() > MAX_NAME {
            reader.faults.push(Fault::new("name", &self.name, format!("at most {MAX_NAME} characters")));
        }
        if self.boxes.len() > MAX_ENTRIES {
            reader.faults.push(Fault::new("box", self.boxes.len(), format!("at most {MAX_ENTRIES} boxes")));
        }
        let boxes = self
            .boxes
            .iter()
            .enumerate()
            .map(|(n, sold)| reader.goods(sold, &format!("box[{n}].")))
            .collect();
        let market = reader.market(self, boxes);
        Faults::of(reader.faults).map_or(Ok(market), Err)
    }

    /// The form that resolves to a market.
    pub fn of(market: &Market) -> MarketForm {
        let Market {
            name, speed, trunk_speed, ni, trunk_ni, cable, hub_port, hub_ports, port, ports, ..
        } = market;
        let Market { trunk_port, trunk_ports, leaf, uplinks, backplane, boxes, model, .. } = market;
        let whole = |number: &u32| Some(f64::from(*number));
        let values = [
            whole(speed),
            whole(trunk_speed),
            *ni,
            *trunk_ni,
            *cable,
            *hub_port,
            whole(hub_ports),
            *port,
            whole(ports),
            *trunk_port,
            whole(trunk_ports),
            whole(leaf),
            whole(uplinks),
            backplane.map(f64::from),
            Some(model.latency),
            Some(model.bandwidth),
            Some(model.switch_latency),
            Some(model.switch_bandwidth),
            Some(model.host_latency),
            Some(model.host_bandwidth),
        ];
        let goods = |sold: &Goods| {
            filled(
                GOODS_FIELDS,
                &[whole(&sold.ports), whole(&sold.trunks), whole(&sold.switches), sold.price],
            )
        };
        MarketForm {
            name: name.clone(),
            fields: filled(FIELDS, &values),
            boxes: boxes.iter().map(goods).collect(),
        }
    }
}

fn filled(fields: &[Field], values: &[Option<f64>]) -> BTreeMap<String, String> {
    let some = fields
        .iter()
        .zip(values)
        .filter_map(|(field, value)| Some((field.key.into(), value.as_ref()?.to_string())));
    some.collect()
}

fn texts(table: &Table, fields: &[Field], path: &str, faults: &mut Vec<Fault>) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for (key, value) in table {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            other => {
                faults.push(Fault::new(format!("{path}{key}"), other, "a number"));
                continue;
            }
        };
        if fields.iter().any(|field| field.key == key) {
            texts.insert(key.clone(), text);
        } else {
            let keys: Vec<_> = fields.iter().map(|field| field.key).collect();
            faults.push(Fault::new(format!("{path}{key}"), key, format!("one of {}", keys.join(", "))));
        }
    }
    texts
}

fn written(texts: &BTreeMap<String, String>, fields: &[Field]) -> String {
    let mut text = String::new();
    for field in fields {
        let Some(value) = texts.get(field.key).filter(|value| !value.is_empty()) else { continue };
        let number =
            value.parse::<f64>().is_ok_and(f64::is_finite) && format!("x = {value}").parse::<Table>().is_ok();
        let value = if number { value.clone() } else { Value::String(value.clone()).to_string() };
        text += &format!("{} = {value}\n", field.key);
    }
    text
}

struct Reader {
    faults: Vec<Fault>,
}

impl Reader {
    fn number(
        &mut self,
        texts: &BTreeMap<String, String>,
        fields: &[Field],
        path: &str,
        key: &str,
    ) -> Option<f64> {
        let field = fields.iter().find(|field| field.key == key)?;
        let text = texts.get(key).map_or("", |text| text.trim());
        if text.is_empty() {
            return field.default;
        }
        let (least, most, whole) = field.limits;
        let number = text.parse::<f64>().ok();
        let good =
            number.filter(|number| (least..=most).contains(number) && (!whole || number.fract() == 0.0));
        if good.is_none() {
            let kind = if whole { "a whole number" } else { "a number" };
            let expected = format!("{kind} from {least} to {most}");
            self.faults.push(Fault::new(format!("{path}{key}"), text, expected));
        }
        good.or(field.default)
    }

    fn goods(&mut self, texts: &GoodsForm, path: &str) -> Goods {
        let mut number = |key| self.number(texts, GOODS_FIELDS, path, key);
        let price = number("price");
        let mut whole = |key| number(key).unwrap_or(0.0) as u32;
        let sold =
            Goods { ports: whole("ports"), trunks: whole("trunks"), switches: whole("switches"), price };
        if sold.ports == 0 && sold.trunks == 0 {
            self.faults.push(Fault::new(format!("{path}ports"), "", "ports or trunks, at least one"));
        }
        sold
    }

    fn market(&mut self, form: &MarketForm, boxes: Vec<Goods>) -> Market {
        let read = |field: &Field| (field.key, self.number(&form.fields, FIELDS, "", field.key));
        let values: BTreeMap<_, _> = FIELDS.iter().map(read).collect();
        let value = |key| values[key].unwrap_or(0.0);
        let whole = |key| value(key) as u32;
        Market {
            name: form.name.clone(),
            speed: whole("speed"),
            trunk_speed: whole("trunk_speed"),
            ni: values["ni"],
            trunk_ni: values["trunk_ni"],
            cable: values["cable"],
            hub_port: values["hub_port"],
            hub_ports: whole("hub_ports"),
            port: values["port"],
            ports: whole("ports"),
            trunk_port: values["trunk_port"],
            trunk_ports: whole("trunk_ports"),
            leaf: whole("leaf"),
            uplinks: whole("uplinks"),
            backplane: values["backplane"].map(|speed| speed as u32),
            boxes,
            model: Model {
                latency: value("latency"),
                bandwidth: value("bandwidth"),
                switch_latency: value("switch_latency"),
                switch_bandwidth: value("switch_bandwidth"),
                host_latency: value("host_latency"),
                host_bandwidth: value("host_bandwidth"),
            },
        }
    }
}

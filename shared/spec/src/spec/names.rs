//! Names of nodes, switches, racks, NICs and ports, as templates such as `gpu{rack}-{slot:02}`.
//!
//! A template is text with placeholders: `{number}`, `{number+1}`, `{number:03}`, `{port*4-4}`, `{index/2+1}`, `{number%8}`. After
//! the value's name come `*`, `/` or `%` with a number, then `+` or `-` with a number, then `:0` and the width. A template
//! without placeholders is a prefix; the number follows, zero padded so that names sort.

use super::{NamesForm, Spec};
use crate::{
    form::{Advice, Described, Form, FormReader, Notation, Record, record, says, set},
    sorted::{by_key, key},
};
use std::{fmt::Write as _, sync::LazyLock};

/// Max characters of a host name (RFC 1123).
pub const MAX_HOST_NAME: usize = 63;
/// Max characters of an interface name in Linux.
pub const MAX_INTERFACE: usize = 15;
/// Max characters of a port's or a rack's name.
pub const MAX_PART_NAME: usize = 30;
/// Max characters of a template.
const MAX_TEMPLATE: usize = 200;
/// Max number in a placeholder.
const MAX_OPERAND: u32 = 1 << 20;
/// Max width of a number.
const MAX_WIDTH: usize = 10;

/// A value that placeholders name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Number of a node or a switch, from 0.
    Number,
    /// Name of its rack.
    Rack,
    /// Place in its rack, from 1 at the bottom: first nodes, then switches.
    Slot,
    /// Plane of a switch under `rail`, from 0.
    Plane,
    /// Letters of a row of racks, such as `A`.
    Row,
    /// Place of a rack in its row, from 1.
    Place,
    /// Number of a NIC, from 0.
    Nic,
    /// Number of a port, from 1.
    Port,
    /// Number of a port, from 0.
    Index,
}

impl Variable {
    /// Name in a template.
    fn word(self) -> &'static str {
        match self {
            Variable::Number => "number",
            Variable::Rack => "rack",
            Variable::Slot => "slot",
            Variable::Plane => "plane",
            Variable::Row => "row",
            Variable::Place => "place",
            Variable::Nic => "nic",
            Variable::Port => "port",
            Variable::Index => "index",
        }
    }

    /// Returns the smallest value; `None` for text.
    fn least(self) -> Option<u64> {
        match self {
            Variable::Rack | Variable::Row => None,
            Variable::Slot | Variable::Place | Variable::Port => Some(1),
            Variable::Number | Variable::Plane | Variable::Nic | Variable::Index => Some(0),
        }
    }

    /// Values of a node's name.
    pub const NODE: &[Variable] = &[Variable::Number, Variable::Rack, Variable::Slot];
    /// Values of a switch's name.
    pub const SWITCH: &[Variable] = &[Variable::Number, Variable::Rack, Variable::Slot, Variable::Plane];
    /// Values of a spare node's name.
    pub const SPARE: &[Variable] = &[Variable::Number];
    /// Values of a rack's name.
    pub const RACK: &[Variable] = &[Variable::Row, Variable::Place, Variable::Number];
    /// Values of a NIC's name.
    pub const NIC: &[Variable] = &[Variable::Nic];
    /// Values of a port's name.
    pub const PORT: &[Variable] = &[Variable::Port, Variable::Index];
}

/// A value of a part.
pub enum Value<'a> {
    /// A number.
    Whole(u64),
    /// A text.
    Text(&'a str),
}

/// Multiplies, divides or takes the remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Times(u32),
    By(u32),
    Rest(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value {
        of: Variable,
        step: Option<Step>,
        plus: i64,
        /// Min digits; `None` for as many as the highest number has.
        width: Option<usize>,
    },
}

/// Text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    written: String,
    pieces: Vec<Piece>,
}

impl Template {
    /// A template whose text is `prefix` and whose number, of the first of `variables`, follows.
    fn bare(prefix: &str, variables: &[Variable]) -> Template {
        let number = Piece::Value { of: variables[0], step: None, plus: 0, width: None };
        Template { written: prefix.into(), pieces: vec![Piece::Text(prefix.into()), number] }
    }

    /// Parses a template that may use these values; the first is the one that follows a prefix.
    ///
    /// # Errors
    /// What to do instead.
    pub fn parse(text: &str, variables: &[Variable]) -> Result<Template, Advice> {
        if text.is_empty() || text.len() > MAX_TEMPLATE || !text.is_ascii() {
            return Err(format!("a template of 1 to {MAX_TEMPLATE} ASCII characters").into());
        }
        if !text.contains(['{', '}']) {
            return match text.ends_with(|c: char| c.is_ascii_digit()) {
                true => Err(format!(
                    "a prefix that does not end with a digit, since a number follows, or a template such as {text}-{{{}}}",
                    variables[0].word()
                )
                .into()),
                false => Ok(Template::bare(text, variables)),
            };
        }
        let (mut pieces, mut rest) = (Vec::new(), text);
        while !rest.is_empty() {
            let end = rest.find(['{', '}']).unwrap_or(rest.len());
            let (literal, tail) = rest.split_at(end);
            if !literal.is_empty() {
                pieces.push(Piece::Text(literal.into()));
            }
            rest = tail;
            if let Some(inside) = rest.strip_prefix('{') {
                let (inside, tail) = inside
                    .split_once('}')
                    .ok_or_else(|| says(format!("`}}` is missing after `{{{}`.", shortened(inside))))?;
                pieces.push(placeholder(inside, variables)?);
                rest = tail;
            } else if !rest.is_empty() {
                return Err(says("`{` is missing before `}`."));
            }
        }
        Ok(Template { written: text.into(), pieces })
    }

    /// The name of a single part.
    ///
    /// # Errors
    /// What to do instead.
    pub fn single(text: &str) -> Result<Template, Advice> {
        if text.is_empty() || text.len() > MAX_TEMPLATE || !text.is_ascii() || text.contains(['{', '}']) {
            return Err("a name of ASCII letters, digits and hyphens".into());
        }
        Ok(Template { written: text.into(), pieces: vec![Piece::Text(text.into())] })
    }

    /// Returns the text as written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The prefix, if the number follows with as many digits as are needed.
    pub fn prefix(&self) -> Option<&str> {
        match &self.pieces[..] {
            [Piece::Text(prefix), Piece::Value { width: None, .. }] => Some(prefix),
            _ => None,
        }
    }

    /// The name of a part. Numbers without a width of their own get `width` digits.
    pub fn name<'a>(&self, width: usize, value: impl Fn(Variable) -> Value<'a>) -> String {
        let mut name = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => name.push_str(text),
                Piece::Value { of, step, plus, width: own } => match value(*of) {
                    Value::Text(text) => name.push_str(text),
                    Value::Whole(whole) => {
                        let number = stepped(*step, whole).saturating_add_signed(*plus);
                        let width = own.unwrap_or(width);
                        // A String takes everything.
                        let _ = write!(name, "{number:0width$}");
                    }
                },
            }
        }
        name
    }

    /// `true` if it names a value.
    pub fn uses(&self, variable: Variable) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Value { of, .. } if *of == variable))
    }

    /// `true` if parts with different numbers, or on different places of racks, have different names.
    pub fn tells_apart(&self) -> bool {
        let has = |variable: Variable, fits: &dyn Fn(&Option<Step>) -> bool| {
            let one = |piece: &Piece| matches!(piece, Piece::Value { of, step, .. } if *of == variable && fits(step));
            self.pieces.iter().any(one)
        };
        let plain = |step: &Option<Step>| matches!(step, None | Some(Step::Times(_)));
        let divided = self.pieces.iter().any(|piece| match piece {
            Piece::Value { of: Variable::Number, step: Some(Step::By(by)), .. } => {
                has(Variable::Number, &|step| *step == Some(Step::Rest(*by)))
            }
            _ => false,
        });
        let whole = has(Variable::Number, &plain)
            || has(Variable::Rack, &plain) && has(Variable::Slot, &plain)
            || divided;
        whole && self.is_separated()
    }

    /// `true` if text that is no digit stands between any two values, so that their digits never run together.
    fn is_separated(&self) -> bool {
        let mut apart = true;
        self.pieces.iter().all(|piece| match piece {
            Piece::Text(text) => {
                apart |= text.contains(|c: char| !c.is_ascii_digit());
                true
            }
            Piece::Value { .. } => std::mem::replace(&mut apart, false),
        })
    }

    /// `true` if some name of this template could be one of another, in any case.
    pub fn may_meet(&self, other: &Template) -> bool {
        let (a, b) = (self.elements(), other.elements());
        // Pairs of places in both that some common beginning leads to.
        let mut seen = vec![false; (a.len() + 1) * (b.len() + 1)];
        let mut open = vec![(0, 0)];
        while let Some((i, j)) = open.pop() {
            if std::mem::replace(&mut seen[i * (b.len() + 1) + j], true) {
                continue;
            }
            if (i, j) == (a.len(), b.len()) {
                return true;
            }
            let (Some(one), Some(two)) = (a.get(i), b.get(j)) else { continue };
            if one.meets(*two) {
                open.push((i + 1, j + 1));
                open.extend(one.repeats().then_some((i, j + 1)));
                open.extend(two.repeats().then_some((i + 1, j)));
            }
        }
        false
    }

    fn elements(&self) -> Vec<Element> {
        let mut elements = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => {
                    elements.extend(text.chars().map(|c| Element::One(c.to_ascii_lowercase())));
                }
                Piece::Value { of: Variable::Rack | Variable::Row, .. } => elements.push(Element::Any),
                Piece::Value { .. } => elements.push(Element::Digits),
            }
        }
        elements
    }

    /// Characters of the longest name, at most: ten digits for each number.
    fn longest(&self, rack: usize) -> usize {
        let length = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Value { of: Variable::Rack | Variable::Row, .. } => rack,
            Piece::Value { width, .. } => width.unwrap_or(1).max(7),
        };
        self.pieces.iter().map(length).sum()
    }

    /// Checks names of hosts: letters, digits and hyphens, beginning with a letter (RFC 952, RFC 1123).
    ///
    /// # Errors
    /// What to do instead.
    pub fn check_host(&self, rack: usize) -> Result<(), Advice> {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Value { .. } => None,
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if let Some(wrong) = self.pieces.iter().filter_map(text).find(|text| !text.chars().all(plain)) {
            return Err(says(format!("{wrong:?} has other characters than letters, digits and hyphens.")));
        }
        let starts = match &self.pieces[0] {
            Piece::Text(text) => text.starts_with(|c: char| c.is_ascii_alphabetic()),
            Piece::Value { of, .. } => matches!(of, Variable::Rack | Variable::Row),
        };
        if !starts || self.pieces.last().and_then(text).is_some_and(|text| text.ends_with('-')) {
            return Err("names that start with a letter and do not end with a hyphen".into());
        }
        let longest = self.longest(rack);
        if longest > MAX_HOST_NAME {
            return Err(says(format!(
                "gives names of up to {longest} characters; a host name has at most {MAX_HOST_NAME}."
            )));
        }
        Ok(())
    }
}

/// Characters of names.
#[derive(Clone, Copy)]
enum Element {
    /// This one.
    One(char),
    /// One or more digits.
    Digits,
    /// One or more of any.
    Any,
}

impl Element {
    fn repeats(self) -> bool {
        !matches!(self, Element::One(_))
    }

    /// `true` if a character is in both.
    fn meets(self, other: Element) -> bool {
        match (self, other) {
            (Element::One(a), Element::One(b)) => a == b,
            (Element::One(c), Element::Digits) | (Element::Digits, Element::One(c)) => c.is_ascii_digit(),
            _ => true,
        }
    }
}

fn stepped(step: Option<Step>, whole: u64) -> u64 {
    match step {
        None => whole,
        Some(Step::Times(by)) => whole.saturating_mul(by.into()),
        Some(Step::By(by)) => whole / u64::from(by),
        Some(Step::Rest(by)) => whole % u64::from(by),
    }
}

/// A text as errors show it.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(20).map_or(text, |(end, _)| &text[..end])
}

/// Parses the inside of a placeholder, such as `port*4-4` or `number:03`.
fn placeholder(inside: &str, variables: &[Variable]) -> Result<Piece, Advice> {
    let syntax = || {
        says(format!(
            "{{{1}}} is no placeholder; write for example {{{0}}}, {{{0}+1}}, {{{0}*4}} or {{{0}:02}}.",
            variables[0].word(),
            shortened(inside)
        ))
    };
    let (value, width) = match inside.split_once(':') {
        None => (inside, None),
        Some((value, width)) => (value, Some(width.strip_prefix('0').ok_or_else(syntax)?)),
    };
    let end = value.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(value.len());
    let (word, mut rest) = value.split_at(end);
    let of = variables.iter().copied().find(|variable| variable.word() == word).ok_or_else(|| {
        let known: Vec<String> =
            variables.iter().map(|variable| format!("{{{}}}", variable.word())).collect();
        says(format!("{{{}}} is no placeholder; use {}.", shortened(inside), known.join(", ")))
    })?;
    let step = match number_after(&mut rest, &['*', '/', '%']).ok_or_else(syntax)? {
        None => None,
        Some((_, 0)) => return Err(syntax()),
        Some(('*', by)) => Some(Step::Times(by)),
        Some(('/', by)) => Some(Step::By(by)),
        Some((_, by)) => Some(Step::Rest(by)),
    };
    let plus = match number_after(&mut rest, &['+', '-']).ok_or_else(syntax)? {
        None => 0,
        Some(('-', by)) => -i64::from(by),
        Some((_, by)) => by.into(),
    };
    let width = match width.map(str::parse::<usize>) {
        None => Some(1),
        Some(Ok(width)) if (1..=MAX_WIDTH).contains(&width) => Some(width),
        Some(_) => {
            return Err(says(format!(
                "{{{}}} has no width of 1 to {MAX_WIDTH} after `:0`.",
                shortened(inside)
            )));
        }
    };
    let is_whole = rest.is_empty();
    match of.least() {
        None if is_whole && step.is_none() && plus == 0 && !inside.contains(':') => {}
        None => {
            return Err(says(format!(
                "{{{}}} must be {{{word}}} alone, since it is text.",
                shortened(inside)
            )));
        }
        Some(least) if is_whole => {
            let least = if matches!(step, Some(Step::Rest(_))) { 0 } else { stepped(step, least) };
            if i64::try_from(least).unwrap_or(i64::MAX) + plus < 0 {
                return Err(says(format!("{{{}}} can be negative; add a larger number.", shortened(inside))));
            }
        }
        Some(_) => return Err(syntax()),
    }
    Ok(Piece::Value { of, step, plus, width })
}

/// The operator, if one of these comes next, and the number after it. `None` if it is followed by no number.
fn number_after(rest: &mut &str, operators: &[char]) -> Option<Option<(char, u32)>> {
    let Some(operator) = rest.chars().next().filter(|c| operators.contains(c)) else { return Some(None) };
    let digits = &rest[1..];
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number = digits[..end].parse().ok().filter(|&number| number <= MAX_OPERAND)?;
    *rest = &digits[end..];
    Some(Some((operator, number)))
}

/// Default prefix of node names.
pub const NODE_PREFIX: &str = "node";
/// Default prefix of switch names.
pub const SWITCH_PREFIX: &str = "sw";

/// Names that Linux uses itself, for settings of all interfaces.
const RESERVED: [&str; 2] = ["all", "default"];
/// The loopback interface. Jobs on a single machine use it as their NIC.
pub const LOOPBACK: &str = "lo";

/// Names of NICs in the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interfaces {
    /// A template.
    Template(Template),
    /// Each NIC's name.
    List(Vec<String>),
}

impl Interfaces {
    /// Parses a prefix, a template, or a list of names separated with spaces. `=` before a name, as NCCL takes it, keeps it from being
    /// a prefix. So does a digit at its end.
    ///
    /// # Errors
    /// What to do instead.
    pub fn parse(text: &str) -> Result<Interfaces, Advice> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let words: Vec<&str> = text.split_whitespace().collect();
        let names: Vec<&str> = words.iter().map(|word| word.strip_prefix('=').unwrap_or(word)).collect();
        let found = match names[..] {
            // The name of a single NIC, such as enp26s0.
            [one] if words[0] != one || is_whole(one) => Interfaces::List(vec![one.to_owned()]),
            [one] => Interfaces::Template(Template::parse(one, Variable::NIC)?),
            [] => return Err("a name, a template or a list of names".into()),
            _ => Interfaces::List(names.iter().map(|name| (*name).to_owned()).collect()),
        };
        let shown: Vec<String> = match &found {
            Interfaces::List(names) => names.clone(),
            Interfaces::Template(_) => (0..super::MAX_NIS).map(|ni| found.of(ni)).collect(),
        };
        for (at, name) in shown.iter().enumerate() {
            let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
            if !starts || name.len() > MAX_INTERFACE || !name.chars().all(plain) {
                return Err(says(format!(
                    "NIC {at} would be {name}; a name has 1 to {MAX_INTERFACE} ASCII letters, digits, -, _ or . and starts with a letter."
                )));
            }
            if RESERVED.contains(&name.as_str()) {
                return Err(says(format!(
                    "NIC {at} would be {name}; Linux uses the names {} itself.",
                    RESERVED.join(", ")
                )));
            }
            if let Some(first) = shown[..at].iter().position(|other| other == name) {
                return Err(says(format!(
                    "NICs {first} and {at} would both be {name}; give each NIC a name of its own."
                )));
            }
        }
        Ok(found)
    }

    /// Returns the text as written.
    pub fn written(&self) -> String {
        match self {
            Interfaces::Template(template) => template.written().into(),
            Interfaces::List(names) => match &names[..] {
                [one] if !is_whole(one) => format!("={one}"),
                _ => names.join(" "),
            },
        }
    }

    /// The name of a NIC. A NIC beyond a list has the first free name `nic` and its number.
    pub fn of(&self, ni: u32) -> String {
        match self {
            Interfaces::Template(template) => template.name(1, |_| Value::Whole(ni.into())),
            Interfaces::List(names) => names.get(ni as usize).cloned().unwrap_or_else(|| format!("nic{ni}")),
        }
    }

    /// Number of names; `None` if there are names for all NICs.
    pub fn count(&self) -> Option<usize> {
        match self {
            Interfaces::Template(_) => None,
            Interfaces::List(names) => Some(names.len()),
        }
    }
}

/// `true` if a word is the name of a NIC, which no number can follow.
fn is_whole(word: &str) -> bool {
    word == LOOPBACK || !word.contains(['{', '}']) && word.ends_with(|c: char| c.is_ascii_digit())
}

/// Names of ports on switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortNames(Template);

impl Default for PortNames {
    fn default() -> PortNames {
        PortNames(Template::bare("swp", Variable::PORT))
    }
}

impl PortNames {
    /// Parses a prefix or a template.
    ///
    /// # Errors
    /// What to do instead.
    pub fn parse(text: &str) -> Result<PortNames, Advice> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_/.:".contains(c);
        let ports = PortNames(Template::parse(text, Variable::PORT)?);
        let mut seen = std::collections::HashMap::new();
        for port in 1..=super::MAX_PORTS {
            let name = ports.of(port);
            let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
            if !starts || name.len() > MAX_PART_NAME || !name.chars().all(plain) {
                return Err(says(format!(
                    "port {port} would be {name}; a name has 1 to {MAX_PART_NAME} ASCII letters, digits, -, _, /, : or . and \
                     starts with a letter or digit."
                )));
            }
            if let Some(first) = seen.insert(name.clone(), port) {
                return Err(says(format!(
                    "ports {first} and {port} would both be {name}; give each port a name of its own."
                )));
            }
        }
        Ok(ports)
    }

    /// Returns the text as written.
    pub fn written(&self) -> &str {
        self.0.written()
    }

    /// The name of a port, from 1.
    pub fn of(&self, port: u32) -> String {
        self.0.name(1, |variable| match variable {
            Variable::Index => Value::Whole(u64::from(port).saturating_sub(1)),
            _ => Value::Whole(port.into()),
        })
    }
}

const NODE: Names = Names(|text| Template::parse(text, Variable::NODE));
const SWITCH: Names = Names(|text| Template::parse(text, Variable::SWITCH));
const RACK: Names = Names(|text| Template::parse(text, Variable::RACK));
const UPLINK: Names = Names(Template::single);
const SPARE: Names = Names(|text| Template::parse(text, Variable::SPARE));

/// Names of parts that are hosts or racks, by the function that parses them.
struct Names(fn(&str) -> Result<Template, Advice>);

impl Notation<Template> for Names {
    fn read(&self, fields: &mut FormReader, key: &str) -> Option<Template> {
        parsed(fields, key, self.0)
    }

    fn write(&self, template: &Template) -> String {
        template.written().into()
    }
}

impl Record for Interfaces {
    fn read(fields: &mut FormReader, key: &str) -> Option<Interfaces> {
        parsed(fields, key, Interfaces::parse)
    }

    fn write(&self, form: &mut dyn Form, key: &str) {
        set(form, key, self.written());
    }
}

impl Record for PortNames {
    fn read(fields: &mut FormReader, key: &str) -> Option<PortNames> {
        parsed(fields, key, PortNames::parse)
    }

    fn write(&self, form: &mut dyn Form, key: &str) {
        set(form, key, self.written().into());
    }
}

fn parsed<T>(fields: &mut FormReader, key: &str, parse: impl Fn(&str) -> Result<T, Advice>) -> Option<T> {
    let text = fields.text(key)?;
    parse(&text).map_err(|advice| fields.fault::<()>(key, advice)).ok()
}

record! {
    /// Names of all parts of a machine.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NameScheme {
        /// Host names of nodes.
        pub nodes in NODE: Template,
        /// Host names of switches.
        pub switches in SWITCH: Template,
        /// Names of racks.
        pub racks in RACK: Template,
        /// Host name of a separate uplink switch.
        pub uplink in UPLINK: Template,
        /// Host names of spare nodes.
        pub spares in SPARE: Template,
        /// Interfaces of a node.
        pub interface: Interfaces,
        /// Ports of a switch; `None` for the default, which depends on the format.
        pub port: Option<PortNames>,
    }
}

impl Default for NameScheme {
    /// The names of an empty table.
    fn default() -> NameScheme {
        static USUAL: LazyLock<NameScheme> = LazyLock::new(|| NamesForm::default().record());
        USUAL.clone()
    }
}

/// A rack, with the numbers that nodes and switches begin with in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRack {
    /// Name, such as `A03`.
    pub name: String,
    /// Number of the first node.
    pub first_pe: u64,
    /// Number of the first switch.
    pub first_switch: u64,
    /// Number of its nodes.
    pub pes: u64,
    /// Number of its switches.
    pub switches: u64,
}

/// Names the racks of a spec, in its order: rows by `y`, and in a row places by `x`. Of racks on the same spot the earlier
/// comes first.
pub fn racks(spec: &Spec) -> Vec<NamedRack> {
    let order: Vec<usize> = by_key((0..spec.racks.len()).collect(), |&rack| {
        let rack = &spec.racks[rack];
        [key(rack.y), key(rack.x)]
    });
    let rows: Vec<&[usize]> = order.chunk_by(|&a, &b| spec.racks[a].y == spec.racks[b].y).collect();
    let mut names = vec![String::new(); spec.racks.len()];
    for (row, members) in rows.into_iter().enumerate() {
        let letters = letters(row);
        for (at, &rack) in members.iter().enumerate() {
            names[rack] = spec.names.racks.name(1, |variable| match variable {
                Variable::Row => Value::Text(&letters),
                Variable::Place => Value::Whole(at as u64 + 1),
                _ => Value::Whole(rack as u64),
            });
        }
    }
    let (mut first_pe, mut first_switch) = (0, 0);
    let named = spec.racks.iter().zip(names).map(|(rack, name)| {
        let (pes, switches) = (u64::from(rack.pes), u64::from(rack.switches));
        let named = NamedRack { name, first_pe, first_switch, pes, switches };
        (first_pe, first_switch) = (first_pe + pes, first_switch + switches);
        named
    });
    named.collect()
}

/// A, B, ... Z, AA, AB, ...
fn letters(row: usize) -> String {
    let mut name = String::new();
    let mut rest = row + 1;
    while rest > 0 {
        rest -= 1;
        name.insert(0, char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str, number: u64, rack: &str, slot: u64) -> String {
        let template = Template::parse(text, Variable::NODE).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        template.name(3, |variable| match variable {
            Variable::Rack => Value::Text(rack),
            Variable::Slot => Value::Whole(slot),
            _ => Value::Whole(number),
        })
    }

    #[test]
    fn templates_name_parts() {
        assert_eq!(node("node", 7, "A03", 2), "node007");
        assert_eq!(node("gpu{rack}-{slot:02}", 7, "A03", 2), "gpuA03-02");
        assert_eq!(node("n{number}", 7, "A03", 2), "n7");
        assert_eq!(node("r{number/32+1}-n{number%32+1:02}", 40, "A03", 2), "r2-n09");
        let port = |text: &str| [1, 2, 5].map(|port| PortNames::parse(text).unwrap().of(port));
        assert_eq!(port("Ethernet{port*4-4}"), ["Ethernet0", "Ethernet4", "Ethernet16"]);
        assert_eq!(port("et-0/0/{index}"), ["et-0/0/0", "et-0/0/1", "et-0/0/4"]);
        assert_eq!(port("swp{index/2+1}s{index%2}"), ["swp1s0", "swp1s1", "swp3s0"]);
        let list = Interfaces::parse("enp26s0np0 enp60s0np0").unwrap();
        assert_eq!(list.of(1), "enp60s0np0");
        for (text, first, written) in [
            ("lo", "lo", "lo"),
            ("=lo", "lo", "lo"),
            ("=fabric", "fabric", "=fabric"),
            ("=enp26s0", "enp26s0", "enp26s0"),
            ("fabric", "fabric0", "fabric"),
            ("lan =wan", "lan", "lan wan"),
            ("lo eth0", "lo", "lo eth0"),
        ] {
            let names = Interfaces::parse(text).unwrap();
            assert_eq!((names.of(0).as_str(), names.written().as_str()), (first, written), "{text}");
            assert_eq!(Interfaces::parse(&names.written()).unwrap(), names, "{text}");
        }
    }

    #[test]
    fn broken_templates_name_the_fault() {
        for (text, expected) in [
            ("", "1 to 200"),
            ("node1", "does not end with a digit"),
            ("node{number", "`}` is missing after `{number`"),
            ("pe}", "`{` is missing"),
            ("node{nic}", "{nic} is no placeholder; use {number}, {rack}, {slot}"),
            ("node{number:3}", "for example {number}"),
            ("node{number:011}", "width of 1 to 10"),
            ("node{number-1}", "can be negative"),
            ("node{number/0}", "for example"),
            ("node{number*}", "for example"),
            ("node{number+1+1}", "for example"),
            ("node{rack:02}", "since it is text"),
        ] {
            let why = Template::parse(text, Variable::NODE).unwrap_err().about(text);
            assert!(why.contains(expected), "{text}: {why}");
        }
        for (text, expected) in
            [("Ethernet{index/2}", "ports 1 and 2 would both be Ethernet0"), ("port {port}", "ASCII letters")]
        {
            let why = PortNames::parse(text).unwrap_err().about(text);
            assert!(why.contains(expected), "{text}: {why}");
        }
        for (text, expected) in [
            ("eth0 eth0", "NICs 0 and 1 would both be eth0"),
            ("averylonginterface", "has 1 to 15"),
            ("e{nic/2}", "NICs 0 and 1"),
            ("lo =lo", "NICs 0 and 1 would both be lo"),
            ("=", "NIC 0 would be ; a name has 1 to 15"),
            ("=default", "Linux uses the names all, default itself"),
            ("=e{nic}", "NIC 0 would be e{nic}; a name has 1 to 15"),
        ] {
            let why = Interfaces::parse(text).unwrap_err().about(text);
            assert!(why.contains(expected), "{text}: {why}");
        }
    }

    #[test]
    fn names_of_different_parts_differ_or_the_template_is_known_not_to_tell_them_apart() {
        let template = |text: &str| Template::parse(text, Variable::NODE).unwrap();
        for (text, apart) in [
            ("pe", true),
            ("gpu{rack}-{slot}", true),
            ("gpu{rack}{slot}", false),
            ("gpu{slot}", false),
            ("n{number}{slot}", false),
            ("n{number}1{slot}", false),
            ("n{number/4}-{number%4}", true),
            ("n{number/4}-{number%3}", false),
            ("n{number*2+1}", true),
        ] {
            let template = template(text);
            assert_eq!(template.tells_apart(), apart, "{text}");
            if !apart {
                continue;
            }
            let names: std::collections::BTreeSet<String> = (0..2000u64)
                .map(|number| {
                    let rack = format!("{}{}", letters(number as usize / 300), number / 100);
                    template.name(3, |variable| match variable {
                        Variable::Rack => Value::Text(&rack),
                        Variable::Slot => Value::Whole(number % 100 + 1),
                        _ => Value::Whole(number),
                    })
                })
                .collect();
            assert_eq!(names.len(), 2000, "{text}");
        }
    }

    #[test]
    fn templates_that_share_a_name_meet() {
        let meets = |a: &str, b: &str| {
            let parse = |text: &str| Template::parse(text, Variable::NODE).unwrap();
            let found = parse(a).may_meet(&parse(b));
            assert_eq!(found, parse(b).may_meet(&parse(a)), "{a} {b}");
            found
        };
        for (a, b) in [
            ("pe", "pe"),
            ("n{number}", "N{slot}"),
            ("n1{number}", "n{number}"),
            ("{rack}-{slot}", "{rack}-{number}"),
        ] {
            assert!(meets(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("pe", "sw"),
            ("{rack}-gpu{slot}", "{rack}-leaf{slot}"),
            ("n{number}", "n{number}-sw"),
            ("n{number}a", "n{number}b"),
        ] {
            assert!(!meets(a, b), "{a} {b}");
        }
    }

    #[test]
    fn rows_go_on_after_z() {
        assert_eq!([0, 25, 26, 701, 702].map(letters), ["A", "Z", "AA", "ZZ", "AAA"]);
    }
}

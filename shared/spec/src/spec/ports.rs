//! Switches of a spec and the ports that NIs may use.
//!
//! Switches are numbered model by model. A model with a count has that many. The stock of a model without a count is
//! unlimited: it has as many as give every NI a port, and a wiring may use further ones, which are numbered after all
//! others ([`Spec::grown`]). Only racks and the ports of the uplink switch limit their number. Of several models without a
//! count, a wiring uses the one with the most usable ports, whose switches can replace those of the others.
//!
//! Each switch reserves its model's `reserve`, or its own reservation, and at least a port for each of its uplinks. A folded
//! uplink switch reserves these ports of each other switch, and one for each spare (Dietz and Mattox 2000, section 2).
//!
//! A model of two ports, both for NIs, is a cable: its switches join two PEs each ([`Spec::cables`]).
//!
//! Under `rail`, equal blocks of switches in a row are the planes, one for each NI of the PE with the most. A model without
//! a count then has as many switches in each plane as hold all PEs, and no further ones.

use super::{MAX_PORTS, MAX_SWITCHES, Objective, Spec, SwitchModel, Uplink};
use std::borrow::Cow;

/// A switch whose reserved ports differ from its model's.
struct Exception {
    switch: u64,
    model: usize,
    kept: u32,
}

/// The switches that join all others, and the cables to them.
///
/// Under `rail` with separate uplink switches, those of a plane are a set that joins the switches of that plane; else there is one set.
/// Each switch has equally many cables to each uplink switch of its set, so that two cables join any two switches on the
/// same uplink switches. There
/// are as few uplink switches as their ports allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spine {
    /// The uplink switch, if it is one of the wiring's switches.
    pub folded: Option<u32>,
    /// Sets of uplink switches.
    pub sets: u32,
    /// Uplink switches in each set.
    pub each: u32,
    /// Cables from each switch.
    pub links: u32,
    /// Switches that a set joins.
    per_set: u32,
}

impl Spine {
    /// Number of uplink switches.
    pub fn switches(&self) -> u32 {
        self.sets * self.each
    }

    /// Cables from a switch to each of its uplink switches.
    pub fn parallel(&self) -> u32 {
        self.links / self.each
    }

    /// The set that joins a switch. A switch with a higher number than the spec has belongs to the last set.
    pub fn set_of(&self, switch: u32) -> u32 {
        (switch / self.per_set).min(self.sets - 1)
    }

    /// Applies to switches with other numbers, `switches` in all: `number` gives the number of a folded uplink switch.
    pub fn numbered(self, switches: u32, number: impl Fn(u32) -> u32) -> Spine {
        Spine { folded: self.folded.map(number), per_set: (switches / self.sets).max(1), ..self }
    }

    /// `true` if two different switches reach each other over an uplink switch, or one of them is that.
    pub fn joins(&self, a: u32, b: u32) -> bool {
        a != b && self.set_of(a) == self.set_of(b)
    }

    /// `true` if any switch of one node and any of another reach each other so.
    pub fn joins_any(&self, own: &[u32], others: &[u32]) -> bool {
        own.iter().any(|&own| others.iter().any(|&other| self.joins(own, other)))
    }

    /// Switches whose uplinks carry a transfer: the first with 0 (upwards), the second with 1 (downwards). A
    /// folded uplink switch has none of its own.
    pub fn ends(&self, switches: [u32; 2]) -> impl Iterator<Item = (usize, u32)> + use<> {
        let folded = self.folded;
        switches.into_iter().enumerate().filter(move |&(_, switch)| folded != Some(switch))
    }

    /// The uplink switch, from 0, of each cable of a switch, in the order of its ports.
    pub fn targets(&self, switch: u32) -> impl Iterator<Item = u32> + use<> {
        let (first, parallel) = (self.set_of(switch) * self.each, self.parallel());
        (0..self.links).map(move |link| first + link / parallel)
    }
}

/// Room on an uplink switch.
pub struct UplinkRoom {
    /// Switches that each uplink switch joins.
    pub others: u64,
    /// How many switches it has ports for beside the spares, if each has as few cables to it as may be.
    pub most: u64,
    /// Number and ports of the switch if it is folded.
    pub folded: Option<(u32, u32)>,
}

impl Spec {
    /// NIs of every PE, in PE order.
    pub fn nis_per_pe(&self) -> impl Iterator<Item = u32> + '_ {
        self.pe_groups.iter().flat_map(|group| std::iter::repeat_n(group.nis, group.count as usize))
    }

    /// Switches of each model; a model without a count has as many as the NIs need, and [`Spec::further`] ones.
    pub fn switch_counts(&self) -> Vec<u32> {
        let mut counts = self.counts();
        if let Some(model) = self.unlimited() {
            counts[model] += u64::from(self.further);
        }
        counts.into_iter().map(|count| u32::try_from(count).unwrap_or(u32::MAX)).collect()
    }

    /// Switches of all models.
    pub fn switch_budget(&self) -> u32 {
        u32::try_from(self.all_switches()).unwrap_or(u32::MAX)
    }

    /// Index of the model without a count that wirings use: the one with the most usable ports, of equals the first.
    pub fn open_model(&self) -> Option<usize> {
        let open = (0..self.switches.len()).rev().filter(|&model| self.switches[model].count.is_none());
        open.max_by_key(|&model| self.usable_by_model(&self.switches[model]))
    }

    /// Index of the model whose stock is unlimited. `None` if every model has a count, if switches without a count have no
    /// usable port, and under `rail`.
    pub fn unlimited(&self) -> Option<usize> {
        let open = self.open_model()?;
        (!self.rail && self.usable_by_model(&self.switches[open]) > 0).then_some(open)
    }

    /// Max switches of a wiring. `None` if there is no limit.
    pub fn switch_limit(&self) -> Option<u32> {
        let limited = self.unlimited().is_none() || self.uplink.is_some() || self.racks_hold_switches();
        limited.then(|| self.max_switches())
    }

    /// [`Spec::switch_limit`], or else the most that any spec can have.
    pub fn max_switches(&self) -> u32 {
        let budget = self.switch_budget();
        if self.unlimited().is_none() {
            return budget;
        }
        let mut most = u64::from(MAX_SWITCHES);
        if self.racks_hold_switches() {
            most = self.racks.iter().map(|rack| u64::from(rack.switches)).sum::<u64>().min(most);
        }
        if let Some(uplink) = &self.uplink {
            let UplinkRoom { others, most: joined, .. } = self.uplink_room(uplink);
            most = most.min(u64::from(budget) + joined.saturating_sub(others));
        }
        budget.max(u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// The spec with at least this many switches, as far as [`Spec::max_switches`] allows.
    pub fn grown(&self, switches: u32) -> Cow<'_, Spec> {
        let budget = self.switch_budget();
        match switches.min(self.max_switches()).saturating_sub(budget) {
            0 => Cow::Borrowed(self),
            more => Cow::Owned(Spec { further: self.further + more, ..self.clone() }),
        }
    }

    /// Index of the model of switch number `switch`. `None` past [`Spec::max_switches`].
    pub fn model_index(&self, switch: u32) -> Option<usize> {
        let planned = locate(&ends(&self.counts()), switch.into());
        planned.or_else(|| self.unlimited().filter(|_| switch < self.max_switches()))
    }

    /// The model of switch number `switch`. `None` past [`Spec::max_switches`].
    pub fn model_of(&self, switch: u32) -> Option<&SwitchModel> {
        self.model_index(switch).map(|model| &self.switches[model])
    }

    /// Index of the model of every switch, in switch order.
    pub fn models(&self) -> impl Iterator<Item = usize> + use<> {
        let further = self.unlimited().map(|model| std::iter::repeat_n(model, self.further as usize));
        let planned = (0..).zip(self.counts());
        let planned = planned.flat_map(|(model, count)| std::iter::repeat_n(model, count as usize));
        planned.chain(further.into_iter().flatten())
    }

    /// Ports of every switch, reserved ones included, in switch order.
    pub fn all_ports(&self) -> impl Iterator<Item = u32> + '_ {
        self.models().map(|model| self.switches[model].ports)
    }

    /// `true` if a model's switches are direct cables: each has two ports, both for NIs.
    pub fn is_cable(&self, model: &SwitchModel) -> bool {
        (model.ports, self.usable_by_model(model)) == (2, 2)
    }

    /// `true` for each switch that is a direct cable between two PEs, in switch order; empty if no model is a cable.
    pub fn cables(&self) -> Vec<bool> {
        if !self.switches.iter().any(|model| self.is_cable(model)) {
            return Vec::new();
        }
        self.models().map(|model| self.is_cable(&self.switches[model])).collect()
    }

    /// `true` if all switches are direct cables.
    pub fn has_only_cables(&self) -> bool {
        !self.switches.is_empty() && self.switches.iter().all(|model| self.is_cable(model))
    }

    /// The noun for the spec's switches.
    pub fn switch_noun(&self) -> &'static str {
        if self.has_only_cables() { "cable" } else { "switch" }
    }

    /// `true` if racks limit the switches. Direct cables take no place in a rack.
    pub fn racks_hold_switches(&self) -> bool {
        !self.racks.is_empty() && !self.has_only_cables()
    }

    /// Number of planes under `rail`: NIs of the PE with the most.
    pub fn planes(&self) -> u32 {
        self.pe_groups.iter().map(|group| group.nis).max().unwrap_or(0)
    }

    /// Switches of each plane under `rail`. `None` without.
    pub fn switches_per_plane(&self) -> Option<u32> {
        self.rail.then(|| (self.switch_budget() / self.planes().max(1)).max(1))
    }

    /// The plane of a switch under `rail`: NI i of a PE connects only to switches of plane i. `None` without.
    pub fn plane_of(&self, switch: u32) -> Option<u32> {
        self.switches_per_plane().map(|each| switch / each)
    }

    /// Number of PEs that have an NI for a plane.
    pub fn pes_on_plane(&self, plane: u32) -> u32 {
        self.pe_groups.iter().filter(|group| group.nis > plane).map(|group| group.count).sum()
    }

    /// Usable ports of every switch, in switch order.
    pub fn usable_ports(&self) -> Vec<u32> {
        let usable: Vec<u32> = self.switches.iter().map(|model| self.usable_by_model(model)).collect();
        let mut ports: Vec<u32> = self.models().map(|model| usable[model]).collect();
        for Exception { switch, model, kept } in self.exceptions(&self.counts(), self.further) {
            ports[switch as usize] = self.switches[model].ports.saturating_sub(kept);
        }
        ports
    }

    /// Ports of a switch that NIs may use. `None` past [`Spec::max_switches`].
    pub fn usable_of(&self, switch: u32) -> Option<u32> {
        Some(self.model_of(switch)?.ports.saturating_sub(self.ports_kept(switch)?))
    }

    /// Reserved ports of a switch. `None` past [`Spec::max_switches`].
    pub fn ports_kept(&self, switch: u32) -> Option<u32> {
        let model = self.model_index(switch)?;
        let exceptions = self.exceptions(&self.counts(), self.further);
        let exception = exceptions.iter().find(|e| e.switch == u64::from(switch));
        Some(exception.map_or_else(|| self.kept_by_model(&self.switches[model]), |e| e.kept))
    }

    /// The switch that is the folded uplink switch: the last of the widest model. `None` without one.
    pub fn uplink_switch(&self) -> Option<u32> {
        let counts = self.counts();
        self.folded(&counts).and_then(|(switch, _)| u32::try_from(switch).ok())
    }

    /// Number of switches that join others and are none of the wiring's switches.
    pub fn separate_uplinks(&self) -> u32 {
        self.spine().filter(|spine| spine.folded.is_none()).map_or(0, |spine| spine.switches())
    }

    /// The uplink switches and their cables; `None` without an uplink.
    pub fn spine(&self) -> Option<Spine> {
        let uplink = self.uplink.as_ref()?;
        let folded = self.uplink_switch();
        let (sets, links) = if folded.is_none() && self.rail {
            (self.planes().max(1), uplink.links)
        } else {
            (1, uplink.links)
        };
        let per_set = (self.switch_budget() / sets).max(1);
        let ports = uplink.ports.unwrap_or(MAX_PORTS);
        let fits = |each: &u32| {
            let cables = u64::from(per_set) * u64::from(links / each) + u64::from(uplink.spares);
            links.is_multiple_of(*each) && cables <= u64::from(ports)
        };
        let each = if folded.is_some() { 1 } else { (1..links).find(fits).unwrap_or(links) };
        Some(Spine { folded, sets, each, links, per_set })
    }

    /// The uplink switches and their cables in words; `None` without an uplink.
    pub fn uplink_text(&self) -> Option<String> {
        let (uplink, spine) = (self.uplink?, self.spine()?);
        let several =
            |number: u32, one: &str, more: &str| format!("{number} {}", if number == 1 { one } else { more });
        let cables = several(spine.links, "cable", "cables");
        let mut text = if spine.folded.is_some() {
            format!("one of the widest switches, {cables} from each other switch")
        } else {
            let per_plane =
                if spine.sets > 1 { format!(" ({} per plane)", spine.each) } else { String::new() };
            let switches = several(spine.switches(), "uplink switch", "uplink switches");
            format!("{switches}{per_plane}, {cables} from each switch")
        };
        if spine.each > 1 {
            text += &format!(
                ", {} to each uplink switch{}",
                spine.parallel(),
                if spine.sets > 1 { " of its plane" } else { "" }
            );
        }
        if uplink.spares > 0 {
            text += &format!(", {}", several(uplink.spares, "hot spare", "hot spares"));
        }
        Some(text)
    }

    /// Switches to connect to an uplink switch, and how many it has ports for.
    pub fn uplink_room(&self, uplink: &Uplink) -> UplinkRoom {
        let all = self.all_switches();
        if let Some(switch) = self.uplink_switch() {
            // It keeps a port for a PE.
            let ports = self.model_of(switch).map_or(0, |model| model.ports);
            let free = u64::from(ports).saturating_sub(1 + u64::from(uplink.spares));
            return UplinkRoom {
                others: all - 1,
                most: free / u64::from(uplink.links),
                folded: Some((switch, ports)),
            };
        }
        let others = if self.rail { all / u64::from(self.planes().max(1)) } else { all };
        let ports = uplink.ports.unwrap_or(MAX_PORTS);
        UplinkRoom { others, most: u64::from(ports).saturating_sub(uplink.spares.into()), folded: None }
    }

    /// `true` if every switch and spare has its ports on the uplink switches, if there are any.
    pub fn fits_uplink(&self) -> bool {
        self.uplink.is_none_or(|uplink| {
            let UplinkRoom { others, most, folded } = self.uplink_room(&uplink);
            let ports = folded.map_or(uplink.ports.unwrap_or(MAX_PORTS), |(_, ports)| ports - 1);
            others <= most && uplink.spares <= ports
        })
    }

    /// Usable widths, widest first, each with the max number of switches that have it; a width may come more than once.
    pub fn widths(&self) -> Vec<(u32, u64)> {
        let counts = self.counts();
        let exceptions = self.exceptions(&counts, self.further);
        let room = u64::from(self.max_switches()).saturating_sub(counts.iter().sum());
        let unlimited = self.unlimited();
        let mut widths: Vec<(u32, u64)> = Vec::with_capacity(counts.len() + exceptions.len());
        for (model, (m, &count)) in self.switches.iter().zip(&counts).enumerate() {
            let others = exceptions.iter().filter(|e| e.model == model).count() as u64;
            let more = if unlimited == Some(model) { room } else { 0 };
            widths.push((self.usable_by_model(m), count - others + more));
        }
        widths.extend(exceptions.iter().map(|e| (self.switches[e.model].ports.saturating_sub(e.kept), 1)));
        widths.retain(|&(_, count)| count > 0);
        widths.sort_unstable_by(|a, b| b.cmp(a));
        widths
    }

    fn all_switches(&self) -> u64 {
        let further = self.unlimited().map_or(0, |_| self.further.into());
        self.counts().iter().sum::<u64>() + further
    }

    /// The model of the switch in stock with the most usable ports, and these ports.
    pub fn widest(&self) -> (usize, u32) {
        let mut best = (0, 0);
        let every = self.models().zip(self.usable_ports());
        let unlimited = self.unlimited().filter(|_| self.max_switches() > self.switch_budget());
        let more = unlimited.map(|model| (model, self.usable_by_model(&self.switches[model])));
        for (model, usable) in every.chain(more) {
            // Of equally wide ones the first counts.
            if usable > best.1 || (usable == best.1 && model < best.0) {
                best = (model, usable);
            }
        }
        best
    }

    /// Switches of each model, without further ones. A model without a count grows until every NI has a port: each switch may
    /// cost the folded uplink switch a port, or have its own reservation. A search for time uses at least as many switches
    /// as a node has NIs.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.switches.iter().map(|m| m.count.unwrap_or(0).into()).collect();
        if let ([model], true) = (&self.switches[..], self.rail)
            && model.count.is_none()
        {
            return vec![self.rail_count(model)];
        }
        if let Some(open) = self.open_model() {
            let (nis, gain) = (self.total_nis(), u64::from(self.usable_by_model(&self.switches[open])));
            let short = |counts: &[u64]| nis.saturating_sub(self.all_usable(counts));
            // Switches without a usable port are no help, however many.
            while gain > 0 && short(&counts) > 0 {
                counts[open] += short(&counts).div_ceil(gain);
            }
            // A node is on a switch once. More cables make no pair served, but its traffic faster.
            if gain > 0 && self.objective == Objective::Time {
                let nics = u64::from(self.nis_per_pe().max().unwrap_or(0));
                counts[open] += nics.saturating_sub(counts.iter().sum());
            }
        }
        counts
    }

    /// Switches of the only model under `rail`, if it has no count: as many in each plane as hold all PEs.
    fn rail_count(&self, model: &SwitchModel) -> u64 {
        let (planes, gain) = (u64::from(self.planes()), i64::from(self.usable_by_model(model)));
        if gain == 0 {
            return 0;
        }
        let mut each = u64::from(self.pes).div_ceil(gain as u64);
        loop {
            let mut room = vec![each as i64 * gain; planes as usize];
            for exception in self.exceptions(&[planes * each], 0) {
                let usable = i64::from(model.ports.saturating_sub(exception.kept));
                room[(exception.switch / each) as usize] += usable - gain;
            }
            let short = (0..).zip(room).map(|(plane, room)| i64::from(self.pes_on_plane(plane)) - room).max();
            match short.filter(|&short| short > 0) {
                Some(short) => each += (short as u64).div_ceil(gain as u64),
                None => return planes * each,
            }
        }
    }

    fn all_usable(&self, counts: &[u64]) -> u64 {
        let all: u64 = self
            .switches
            .iter()
            .zip(counts)
            .map(|(m, count)| count * u64::from(self.usable_by_model(m)))
            .sum();
        let exceptions = self.exceptions(counts, 0);
        let (gained, lost) = exceptions.iter().fold((0u64, 0u64), |(gained, lost), e| {
            let model = &self.switches[e.model];
            (
                gained + u64::from(model.ports.saturating_sub(e.kept)),
                lost + u64::from(self.usable_by_model(model)),
            )
        });
        (all + gained).saturating_sub(lost)
    }

    /// Usable ports of a model's switches without a reservation of their own.
    pub fn usable_by_model(&self, model: &SwitchModel) -> u32 {
        model.ports.saturating_sub(self.kept_by_model(model))
    }

    fn kept_by_model(&self, model: &SwitchModel) -> u32 {
        model.reserve.max(self.ports_up())
    }

    /// Ports of a switch for its cables to uplink switches.
    fn ports_up(&self) -> u32 {
        self.uplink.map_or(0, |uplink| uplink.links)
    }

    /// Switches whose reserved ports differ from their model's; each once, the folded uplink switch last. It keeps ports for
    /// each of the `further` switches, too.
    fn exceptions(&self, counts: &[u64], further: u32) -> Vec<Exception> {
        if self.kept.is_empty() && self.uplink.is_none_or(|uplink| !uplink.folded) {
            return Vec::new();
        }
        let ends = ends(counts);
        let folded = self.folded(counts);
        let least = self.ports_up();
        let kept = self.kept.iter().filter(|k| folded.is_none_or(|(s, _)| s != u64::from(k.switch)));
        let mut exceptions: Vec<Exception> = kept
            .filter_map(|k| {
                let model = locate(&ends, k.switch.into())?;
                Some(Exception { switch: k.switch.into(), model, kept: k.ports.max(least) })
            })
            .collect();
        if let Some((switch, model)) = folded {
            let spares = u64::from(self.uplink.map_or(0, |uplink| uplink.spares));
            let others = counts.iter().sum::<u64>() + u64::from(further) - 1;
            let joined = others * u64::from(least) + spares;
            let own = self.kept.iter().find(|k| u64::from(k.switch) == switch);
            let own = own.map_or(self.switches[model].reserve, |k| k.ports);
            exceptions.push(Exception {
                switch,
                model,
                kept: u32::try_from(joined).unwrap_or(u32::MAX).max(own),
            });
        }
        exceptions
    }

    /// The folded uplink switch and its model. Of models with equally many ports the last counts.
    fn folded(&self, counts: &[u64]) -> Option<(u64, usize)> {
        let present = (0..counts.len()).filter(|&m| counts[m] > 0);
        let widest = self.uplink.filter(|u| u.folded).and(present.max_by_key(|&m| self.switches[m].ports))?;
        Some((counts[..=widest].iter().sum::<u64>() - 1, widest))
    }
}

fn ends(counts: &[u64]) -> Vec<u64> {
    let sum = |end: &mut u64, &count: &u64| {
        *end += count;
        Some(*end)
    };
    counts.iter().scan(0, sum).collect()
}

fn locate(ends: &[u64], switch: u64) -> Option<usize> {
    Some(ends.partition_point(|&end| end <= switch)).filter(|&model| model < ends.len())
}

//! Switches of a spec and the ports that NIs may use.
//!
//! Switches are numbered model by model. Each reserves its model's `reserve`, or its own reservation, and with an
//! uplink at least one port. A folded uplink switch reserves a port for each other switch and each spare (LCPC paper,
//! section 2).
//!
//! Under `rail`, equal blocks of switches in a row are the planes, one for each NI of the PE with the most.

use super::{MAX_PORTS, Spec, SwitchModel};

/// A switch whose reserved ports differ from its model's.
struct Exception {
    switch: u64,
    model: usize,
    kept: u32,
}

impl Spec {
    /// NIs of every PE, in PE order.
    pub fn nis_per_pe(&self) -> impl Iterator<Item = u32> + '_ {
        self.pe_groups.iter().flat_map(|group| std::iter::repeat_n(group.nis, group.count as usize))
    }

    /// Max switches of each model; a model without a count gets as many as the NIs need.
    pub fn switch_counts(&self) -> Vec<u32> {
        self.counts().into_iter().map(|count| u32::try_from(count).unwrap_or(u32::MAX)).collect()
    }

    /// Max switches in all.
    pub fn switch_budget(&self) -> u32 {
        u32::try_from(self.counts().iter().sum::<u64>()).unwrap_or(u32::MAX)
    }

    /// The model of switch number `switch`. `None` past the budget.
    pub fn model_of(&self, switch: u32) -> Option<&SwitchModel> {
        locate(&ends(&self.counts()), switch.into()).map(|model| &self.switches[model])
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

    /// Usable ports of every switch that may be used, in switch order.
    pub fn usable_ports(&self) -> Vec<u32> {
        let counts = self.counts();
        let models = self.switches.iter().zip(&counts);
        let mut ports: Vec<u32> = models
            .flat_map(|(m, &count)| std::iter::repeat_n(self.usable_by_model(m), count as usize))
            .collect();
        for Exception { switch, model, kept } in self.exceptions(&counts) {
            ports[switch as usize] = self.switches[model].ports.saturating_sub(kept);
        }
        ports
    }

    /// Ports of a switch that NIs may use. `None` past the budget.
    pub fn usable_of(&self, switch: u32) -> Option<u32> {
        Some(self.model_of(switch)?.ports.saturating_sub(self.ports_kept(switch)?))
    }

    /// Reserved ports of a switch. `None` past the budget.
    pub fn ports_kept(&self, switch: u32) -> Option<u32> {
        let counts = self.counts();
        let model = locate(&ends(&counts), switch.into())?;
        let exceptions = self.exceptions(&counts);
        let exception = exceptions.iter().find(|e| e.switch == u64::from(switch));
        Some(exception.map_or_else(|| self.kept_by_model(&self.switches[model]), |e| e.kept))
    }

    /// The switch that is the folded uplink switch: the last of the widest model. `None` without one.
    pub fn uplink_switch(&self) -> Option<u32> {
        let counts = self.counts();
        self.folded(&counts).and_then(|(switch, _)| u32::try_from(switch).ok())
    }

    /// `true` if the uplink switch is none of the wiring's switches.
    pub fn has_separate_uplink(&self) -> bool {
        self.uplink.is_some() && self.uplink_switch().is_none()
    }

    /// Switches to connect to the uplink switch, max connections there, and the number and ports of the switch if it is folded,
    /// which keeps a port for a PE.
    pub(crate) fn uplink_room(&self) -> (u64, u32, Option<(u32, u32)>) {
        let all: u64 = self.counts().iter().sum();
        let folded = self.uplink_switch().and_then(|switch| Some((switch, self.model_of(switch)?.ports)));
        folded.map_or((all, MAX_PORTS, None), |(switch, ports)| (all - 1, ports - 1, Some((switch, ports))))
    }

    /// `true` if every switch and spare has a port on the uplink switch, if there is one.
    pub(crate) fn fits_uplink(&self) -> bool {
        let (others, most, _) = self.uplink_room();
        self.uplink.is_none_or(|uplink| others + u64::from(uplink.spares) <= most.into())
    }

    /// Usable widths, widest first, each with a number of switches that have it; a width may come more than once.
    pub(crate) fn widths(&self) -> Vec<(u32, u64)> {
        let counts = self.counts();
        let exceptions = self.exceptions(&counts);
        let mut widths: Vec<(u32, u64)> = Vec::with_capacity(counts.len() + exceptions.len());
        for (model, (m, &count)) in self.switches.iter().zip(&counts).enumerate() {
            let others = exceptions.iter().filter(|e| e.model == model).count() as u64;
            widths.push((self.usable_by_model(m), count - others));
        }
        widths.extend(exceptions.iter().map(|e| (self.switches[e.model].ports.saturating_sub(e.kept), 1)));
        widths.retain(|&(_, count)| count > 0);
        widths.sort_unstable_by(|a, b| b.cmp(a));
        widths
    }

    /// Switches of each model. A model without a count grows until the ports suffice: each switch may cost the folded
    /// uplink switch a port, or have its own reservation.
    pub(crate) fn counts(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.switches.iter().map(|m| m.count.unwrap_or(0).into()).collect();
        if let ([model], true) = (&self.switches[..], self.rail)
            && model.count.is_none()
        {
            return vec![self.rail_count(model)];
        }
        if let Some(open) = self.switches.iter().position(|m| m.count.is_none()) {
            let (nis, gain) = (self.total_nis(), u64::from(self.usable_by_model(&self.switches[open])));
            let short = |counts: &[u64]| nis.saturating_sub(self.all_usable(counts));
            // Switches without a usable port are no help, however many.
            while gain > 0 && short(&counts) > 0 {
                counts[open] += short(&counts).div_ceil(gain);
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
            for exception in self.exceptions(&[planes * each]) {
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
        let exceptions = self.exceptions(counts);
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
    pub(crate) fn usable_by_model(&self, model: &SwitchModel) -> u32 {
        model.ports.saturating_sub(self.kept_by_model(model))
    }

    fn kept_by_model(&self, model: &SwitchModel) -> u32 {
        model.reserve.max(u32::from(self.uplink.is_some()))
    }

    /// Switches whose reserved ports differ from their model's; each once, the folded uplink switch last.
    fn exceptions(&self, counts: &[u64]) -> Vec<Exception> {
        if self.kept.is_empty() && self.uplink.is_none_or(|uplink| !uplink.folded) {
            return Vec::new();
        }
        let ends = ends(counts);
        let folded = self.folded(counts);
        let least = u32::from(self.uplink.is_some());
        let kept = self.kept.iter().filter(|k| folded.is_none_or(|(s, _)| s != u64::from(k.switch)));
        let mut exceptions: Vec<Exception> = kept
            .filter_map(|k| {
                let model = locate(&ends, k.switch.into())?;
                Some(Exception { switch: k.switch.into(), model, kept: k.ports.max(least) })
            })
            .collect();
        if let Some((switch, model)) = folded {
            let spares = u64::from(self.uplink.map_or(0, |uplink| uplink.spares));
            let joined = counts.iter().sum::<u64>() - 1 + spares;
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

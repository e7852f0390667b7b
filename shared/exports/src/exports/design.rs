//! A design as exports need it: its parts, and everything computed from them, once.

use super::{
    ExportError, Fonts, Format, Group, INTERFACE, PALETTE, PORT, ROOT, Settings, WriteResult,
    address::{AddressPlan, Mac, PeAddresses, mac},
    colours::Colour,
    parts::{GUIDS, HARDWARE_PATHS, HCA, MACS},
    plugs::Cable,
    uplinks::{Ports, ports, with_uplink_switch},
    ways::RelayRoutes,
};
use crate::{
    analysis::{
        library::{Devices, Route, SwitchRule},
        orders::RankOrder,
        routing::{BroadcastTree, MultiRoutes, Routes, ThroughRoutes, basic, link_layer, through},
    },
    demand::{Adjacency, Demand},
    design::{
        Breach, Design, Faults, Guids, HardwarePart, IncrementalCheck, Names, NiTable, WorkingDesign, check,
        plugged, table,
    },
    random::fnv1a,
    spec::{
        Spec,
        names::{Interfaces, LOOPBACK},
    },
    text::is_hidden,
};
use ipnet::Ipv4Net;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

/// A spec with its wiring, and what is computed from them.
pub(super) struct DesignPlan {
    pub(super) spec: Arc<Spec>,
    pub(super) spec_text: Arc<str>,
    pub(super) demand: Arc<Demand>,
    pub(super) design: Arc<Design>,
    pub(super) nis: NiTable,
    pub(super) names: Names,
    pub(super) settings: Settings,
    /// Further fonts of PDF files.
    pub(super) fonts: Fonts,
    pub(super) computed: ComputedParts,
}

/// Computed when a format first asks for it.
type Lazy<T> = OnceLock<Result<T, ExportError>>;

#[derive(Default)]
pub(super) struct ComputedParts {
    faults: Lazy<Faults>,
    routes: Lazy<Routes>,
    multi_routes: Lazy<MultiRoutes>,
    through: Lazy<ThroughRoutes>,
    beyond: Lazy<RelayRoutes>,
    pub(super) ranks: Lazy<RankOrder>,
    nccl_devices: OnceLock<Devices>,
    partners: OnceLock<Adjacency>,
    pub(super) broadcast: Lazy<BroadcastTree>,
    macs: Lazy<BTreeMap<(u32, u32), Mac>>,
    guids: Lazy<Guids>,
    addresses: Lazy<AddressPlan>,
    pe_addresses: Lazy<PeAddresses>,
    /// Networks that the uplink switches of each set join.
    pub(super) set_networks: Lazy<Vec<Vec<Ipv4Net>>>,
    /// Requested pairs that are uncovered without the failed parts, in both directions, ascending.
    left_out: OnceLock<Vec<(u32, u32)>>,
    rails: OnceLock<Rails>,
    /// Broken limits of the spec.
    breaches: OnceLock<Vec<Breach>>,
}

/// The value, which is computed once.
pub(super) fn once<T>(
    lazy: &Lazy<T>,
    compute: impl FnOnce() -> Result<T, ExportError>,
) -> Result<&T, ExportError> {
    lazy.get_or_init(compute).as_ref().map_err(Clone::clone)
}

/// How far NICs of the same number meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rails {
    /// All NICs of a switch have the same number, and a node reaches the same nodes over each NIC.
    Full,
    /// All NICs of a switch have the same number, and a node reaches other nodes over another NIC.
    Split,
    /// Some switch has NICs of different numbers.
    None,
}

impl DesignPlan {
    pub fn new(
        spec: Arc<Spec>,
        spec_text: Arc<str>,
        demand: Arc<Demand>,
        design: Arc<Design>,
        settings: Settings,
    ) -> DesignPlan {
        let spec = match spec.grown(design.used_switches()) {
            Cow::Borrowed(_) => spec,
            Cow::Owned(grown) => Arc::new(grown),
        };
        let design = match plugged(&spec, &design) {
            Cow::Borrowed(_) => design,
            Cow::Owned(plugged) => Arc::new(plugged),
        };
        let design = with_uplink_switch(&spec, design);
        let (nis, fonts, computed) = (design.nis(), Fonts::default(), ComputedParts::default());
        let names = Names::of(&spec, &design).with(settings.given(&INTERFACE), settings.given(&PORT));
        DesignPlan { spec, spec_text, demand, design, nis, names, settings, fonts, computed }
    }

    /// Sets the settings.
    pub fn with(&self, settings: Settings) -> DesignPlan {
        let DesignPlan { spec, spec_text, demand, design, .. } = self;
        let plan = DesignPlan::new(spec.clone(), spec_text.clone(), demand.clone(), design.clone(), settings);
        DesignPlan { fonts: self.fonts.clone(), ..plan }
    }

    /// Number of PEs.
    pub fn pes(&self) -> u32 {
        self.design.pes()
    }

    /// The host name of a PE.
    pub fn pe_name(&self, pe: u32) -> String {
        self.names.pe(pe)
    }

    /// A switch's host name.
    pub fn switch_name(&self, switch: u32) -> String {
        self.names.switch(switch)
    }

    /// The port of a PE on a switch, from 1; 0 if it is not on it.
    pub fn port(&self, switch: u32, pe: u32) -> u32 {
        self.design.members(switch).binary_search(&pe).map_or(0, |at| at as u32 + 1)
    }

    /// NIs of the PE that has the most.
    pub fn most_nis(&self) -> usize {
        (0..self.pes()).map(|pe| self.nis.of(pe).len()).max().unwrap_or(0)
    }

    /// The ports of every switch, in order.
    pub fn ports(&self) -> impl Iterator<Item = Ports> + '_ {
        ports(&self.spec, &self.design)
    }

    /// The colour of a switch's cables.
    pub fn colour(&self, switch: u32) -> Colour {
        self.settings.get(&PALETTE).of(switch)
    }

    /// How far NICs of the same number meet.
    pub fn rails(&self) -> Rails {
        *self.computed.rails.get_or_init(|| {
            let mut number = vec![None; self.design.switch_count() as usize];
            let mut is_full = true;
            for Cable { pe, ni, switch, .. } in self.plugs() {
                if *number[switch as usize].get_or_insert(ni) != ni {
                    return Rails::None;
                }
                let first = self.nis.of(pe)[0];
                is_full &= self.design.members(first) == self.design.members(switch);
            }
            if is_full { Rails::Full } else { Rails::Split }
        })
    }

    /// Name of an NI in the operating system.
    pub fn interface(&self, ni: u32) -> String {
        self.names.interface(ni)
    }

    /// Name of a port on its switch.
    pub fn port_name(&self, port: u32) -> String {
        self.names.port(port)
    }

    /// Checks that a format can be written of the wiring and the settings.
    pub(super) fn check_for(&self, format: &Format) -> Result<(), ExportError> {
        let breaches = if format.of_any_wiring { &[] } else { self.breaches() };
        match format.refusal(&self.spec, breaches) {
            Some(refused) => Err(refused),
            None => self.check_lists().and_then(|()| self.check_loopback(format)),
        }
    }

    /// Checks that no format sets up the loopback interface as a NIC. Jobs on a single machine use it.
    fn check_loopback(&self, format: &Format) -> Result<(), ExportError> {
        let sets_up = matches!(format.group, Group::Nodes | Group::Rdma | Group::Boot);
        let loopback = (0..self.most_nis() as u32).find(|&ni| self.interface(ni) == LOOPBACK);
        match loopback.filter(|_| sets_up && format.has_setting("interface")) {
            Some(ni) => {
                let why = format!(
                    "NIC {ni} would be {LOOPBACK}, which Linux sets up itself; give the name of a NIC"
                );
                Err(ExportError::setting("interface", LOOPBACK, why))
            }
            None => Ok(()),
        }
    }

    /// The limits of the spec that the wiring breaks.
    fn breaches(&self) -> &[Breach] {
        let check = || IncrementalCheck::new(&self.spec, &self.demand, &self.design).finish().breaches;
        self.computed.breaches.get_or_init(check)
    }

    /// Checks that lists of names in the settings have one for each NIC of a node, and no list more than nodes can have.
    fn check_lists(&self) -> Result<(), ExportError> {
        let paths = self.settings.list(&HARDWARE_PATHS);
        let written = |names: &Interfaces| (names.count(), names.written());
        let lists = [
            ("interface", self.settings.given(&INTERFACE).map_or((None, String::new()), written)),
            ("hca", written(&self.settings.get(&HCA))),
            ("paths", (Some(paths.len()).filter(|&count| count > 0), paths.join(" "))),
        ];
        if lists.iter().all(|(_, (count, _))| count.is_none()) {
            return Ok(());
        }
        let used = self.most_nis();
        let most = self.spec.pe_groups.iter().map(|group| group.nis as usize).fold(used, usize::max);
        for (setting, (count, value)) in lists {
            // NICs without a path are found by name.
            let least = if setting == "paths" { 1 } else { used };
            let Some(count) = count.filter(|count| !(least..=most).contains(count)) else { continue };
            let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let mut why = format!("has {count} of {expected} values, one per NIC of a node");
            if count == 1 && setting != "paths" {
                // Without a digit at its end it would be a prefix.
                why += &format!("; or give a template such as {value}_{{nic}}");
            }
            return Err(ExportError::setting(setting, &value, why));
        }
        Ok(())
    }

    /// Checks that the wiring has the parts that the settings name.
    pub(super) fn check_parts(&self) -> Result<(), ExportError> {
        self.faults()?;
        self.macs()?;
        self.group()?;
        self.pe_of("root", &self.settings.get(&ROOT)).map(drop)
    }

    /// Parts of the setting `failed`, all of them in the wiring.
    pub(super) fn faults(&self) -> Result<&Faults, ExportError> {
        let dead = self.settings.failed();
        let read = || Faults::parse(dead, &self.design, &self.names);
        once(&self.computed.faults, || read().map_err(|why| ExportError::setting("failed", dead, why)))
    }

    /// The failed parts by the names that the setting takes.
    pub(super) fn failed(&self) -> Result<String, ExportError> {
        Ok(self.faults()?.words(|part| self.names.word(part)))
    }

    /// One path for every connected pair, over what works.
    pub(super) fn routes(&self) -> Result<&Routes, ExportError> {
        once(&self.computed.routes, || Ok(basic(&self.spec, &self.demand, &self.design, self.faults()?)?))
    }

    /// All paths of every connected pair, over what works.
    pub(super) fn multi_routes(&self) -> Result<&MultiRoutes, ExportError> {
        let compute = || Ok(link_layer(&self.spec, &self.demand, &self.design, self.faults()?)?);
        once(&self.computed.multi_routes, compute)
    }

    /// Devices that NCCL makes of the NICs of a node, whatever the library of the jobs is. Without a job, each NIC is a device if
    /// all pairs connect that way.
    pub(super) fn nccl_devices(&self) -> Devices {
        *self.computed.nccl_devices.get_or_init(|| match (&self.spec.jobs[..], self.rails()) {
            ([], Rails::Full) => Devices::Nics,
            ([], _) => Devices::Pairs,
            (jobs, _) => SwitchRule::of(self.spec.spine(), jobs, &self.nis).devices(),
        })
    }

    /// Number of a node's partners in requested pairs, and the partners that NCCL does not connect it to on all devices, ascending.
    pub(super) fn nccl_partners(&self, pe: u32) -> Result<(usize, Vec<u32>), ExportError> {
        let working = self.multi_routes()?.working();
        let partners = self.computed.partners.get_or_init(|| self.demand.adjacency()).of(pe);
        let failed = |&node: &u32| {
            let fails = move |switch: &u32| !working.live().of(node).contains(switch);
            self.nis.of(node).iter().copied().filter(fails).map(move |switch| (node, switch))
        };
        let failed = partners.iter().chain([&pe]).flat_map(failed);
        let rule = SwitchRule::nccl(self.spec.spine(), &self.nis, self.nccl_devices()).without(failed);
        let is_apart =
            |&other: &u32| ![rule.route(pe, other), rule.route(other, pe)].iter().all(Route::is_complete);
        Ok((partners.len(), partners.iter().copied().filter(is_apart).collect()))
    }

    /// Routes between pairs that share no switch, over what works.
    pub(super) fn through(&self) -> Result<&ThroughRoutes, ExportError> {
        once(&self.computed.through, || Ok(through(&self.design, self.faults()?)))
    }

    /// Routes through others, as far as the setting `through` says.
    pub(super) fn beyond(&self) -> Result<&RelayRoutes, ExportError> {
        once(&self.computed.beyond, || RelayRoutes::new(self))
    }

    /// The permanent MAC address of an NI, where the setting `macs` gives one.
    pub(super) fn permanent_mac(&self, pe: u32, ni: u32) -> Result<Option<Mac>, ExportError> {
        Ok(self.macs()?.get(&(pe, ni)).copied())
    }

    fn macs(&self) -> Result<&BTreeMap<(u32, u32), Mac>, ExportError> {
        once(&self.computed.macs, || self.read_macs())
    }

    fn read_macs(&self) -> Result<BTreeMap<(u32, u32), Mac>, ExportError> {
        let mut macs = BTreeMap::new();
        for (word, mac) in self.settings.list(&MACS) {
            let fault = |why: &str| ExportError::setting("macs", word, why);
            let nic = match self.names.part(word) {
                Some(HardwarePart::Ni(pe, ni))
                    if pe < self.pes() && (ni as usize) < self.nis.of(pe).len() =>
                {
                    (pe, ni)
                }
                Some(HardwarePart::Ni(..)) => {
                    return Err(fault("the wiring has no such NIC; the export `cables` lists all"));
                }
                _ => return Err(fault("this is not a NIC (such as node7.nic0)")),
            };
            if macs.insert(nic, *mac).is_some() {
                return Err(fault("this NIC has two addresses; give one"));
            }
        }
        self.are_distinct(&macs)?;
        Ok(macs)
    }

    /// Refuses a given address that is the computed one of a NIC without one.
    fn are_distinct(&self, macs: &BTreeMap<(u32, u32), Mac>) -> WriteResult {
        let given: BTreeMap<Mac, (u32, u32)> = macs.iter().map(|(&nic, &mac)| (mac, nic)).collect();
        let nics = (0..self.pes()).flat_map(|pe| (0..self.nis.of(pe).len() as u32).map(move |ni| (pe, ni)));
        for nic in nics.filter(|nic| !macs.contains_key(nic)) {
            if let Some(&other) = given.get(&mac(nic.0, nic.1)) {
                let [nic, other] = [nic, other].map(|(pe, ni)| self.names.word(HardwarePart::Ni(pe, ni)));
                let why = format!("this is the computed address of {nic}; give that NIC its own, too");
                return Err(ExportError::setting("macs", &other, why));
            }
        }
        Ok(())
    }

    /// The GUIDs of parts, where the setting `guids` gives them.
    pub(super) fn guids(&self) -> Result<&Guids, ExportError> {
        once(&self.computed.guids, || {
            let fault = |why| ExportError::Setting { choice: "guids".into(), why };
            let given = self.settings.given(&GUIDS).cloned().unwrap_or_default();
            given.of(&self.design, &self.names).map_err(fault)
        })
    }

    pub(super) fn addresses(&self) -> Result<&AddressPlan, ExportError> {
        let compute = || AddressPlan::new(&self.spec, &self.design, &self.settings);
        once(&self.computed.addresses, compute)
    }

    /// The one address of each PE.
    pub(super) fn pe_addresses(&self) -> Result<&PeAddresses, ExportError> {
        once(&self.computed.pe_addresses, || {
            if self.spec.uplink.is_none() {
                return PeAddresses::new(self.pes(), &self.settings);
            }
            PeAddresses::on_switches(self.addresses()?, (&self.design, &self.nis), &self.settings)
                .map_err(|pe| ExportError::NoCable(self.pe_name(pe)))
        })
    }

    /// Number of requested pairs.
    pub(super) fn requested(&self) -> usize {
        self.demand.len()
    }

    /// Number of requested pairs that share fewer switches than they want.
    pub(super) fn left_out(&self) -> usize {
        self.left_out_both_ways().len() / 2
    }

    /// The names of the PEs that a PE is to share switches with and does not, or not as many as wanted.
    pub(super) fn left_out_of(&self, pe: u32) -> Vec<String> {
        let all = self.left_out_both_ways();
        let first = all.partition_point(|&(own, _)| own < pe);
        let own = all[first..].iter().take_while(|&&(own, _)| own == pe);
        own.map(|&(_, other)| self.pe_name(other)).collect()
    }

    fn left_out_both_ways(&self) -> &[(u32, u32)] {
        self.computed.left_out.get_or_init(|| {
            let none = Faults::default();
            let working = WorkingDesign::new(&self.design, self.faults().unwrap_or(&none));
            let uncovered = check(&self.spec, &self.demand, working.design()).uncovered;
            let mut both: Vec<_> = uncovered.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
            both.sort_unstable();
            both
        })
    }

    /// Eight hexadecimal digits that differ between wirings.
    pub(super) fn revision(&self) -> String {
        let hash = fnv1a(table::write(&self.design).as_bytes());
        format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
    }

    /// The design's name without line breaks of any kind, other control characters or such as turn the direction of text.
    pub(super) fn title(&self) -> String {
        let name: String = self.spec.name.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
        if name.trim().is_empty() { "untitled".into() } else { name.trim().into() }
    }
}

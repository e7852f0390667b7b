//! What files of systemd-networkd say of neighbours and routes.

use crate::{
    design::Path,
    exports::{
        DesignPlan, ExportError,
        address::{PeAddresses, mac},
        ways::Ways,
    },
};
use std::{
    fmt::{self, Write},
    net::Ipv4Addr,
};

/// Writes sections for one PE.
pub(in crate::exports) struct Sections<'a> {
    plan: &'a DesignPlan,
    pe: u32,
    ways: &'a Ways,
    addresses: &'a PeAddresses,
    /// The PE's own address.
    pub own: Ipv4Addr,
}

impl<'a> Sections<'a> {
    pub fn new(plan: &'a DesignPlan, pe: u32, ways: &'a Ways) -> Result<Sections<'a>, ExportError> {
        let addresses = plan.pe_addresses()?;
        Ok(Sections { plan, pe, ways, addresses, own: addresses.of(pe) })
    }

    /// What an NI is called.
    pub fn interface(&self, ni: u32) -> String {
        format!("{}{ni}", self.plan.settings.interface)
    }

    /// What stands at the head of a file.
    pub fn title(&self) -> String {
        let (host, title) = (self.plan.pe_name(self.pe), self.plan.title());
        format!("# Network of {host} in {title}. Addresses: {}.\n", self.addresses.describe())
    }

    /// What stands at the head of an NI's file.
    pub fn about(&self, ni: u32, switch: u32) -> String {
        let (switch_name, port) = (self.plan.switch_name(switch), self.plan.port(switch, self.pe));
        format!(
            "# NI {ni} of {} in {}: to {switch_name} port {port}.\n",
            self.plan.pe_name(self.pe),
            self.plan.title()
        )
    }

    /// The neighbours of an NI.
    pub fn neighbours(&self, ni: u32, out: &mut String) -> fmt::Result {
        for neighbour in &self.ways.neighbours {
            for path in neighbour.paths.iter().filter(|path| path.ni == ni) {
                let (address, mac) = (self.addresses.of(neighbour.pe), mac(neighbour.pe, path.other_ni));
                write!(out, "\n[Neighbor]\nAddress={address}\nLinkLayerAddress={mac}\n")?;
            }
        }
        Ok(())
    }

    /// The routes to neighbours of an NI, each with its metric: 0 for the only one to a neighbour, else from 1.
    pub fn link_routes(&self, ni: u32) -> impl Iterator<Item = (Ipv4Addr, usize)> {
        let routes = self.ways.neighbours.iter().filter_map(move |neighbour| {
            let at = neighbour.paths.iter().position(|path| path.ni == ni)?;
            Some((neighbour.pe, if neighbour.paths.len() == 1 { 0 } else { at + 1 }))
        });
        routes.map(|(pe, metric)| (self.addresses.of(pe), metric))
    }

    /// Routes through the only path to the next PE, where that is this NI's: destination and next PE.
    pub fn gateway_routes(&self, ni: u32) -> impl Iterator<Item = (Ipv4Addr, Ipv4Addr)> {
        let only = move |next| matches!(self.ways.paths(next), [path] if path.ni == ni);
        let routes = self.ways.through.iter().filter(move |&&(_, next)| only(next));
        routes.map(|&(dest, next)| (self.addresses.of(dest), self.addresses.of(next)))
    }

    /// The routes that lead over one NI alone.
    pub fn own_routes(&self, ni: u32, out: &mut String) -> fmt::Result {
        for (to, metric) in self.link_routes(ni) {
            write!(out, "\n[Route]\nDestination={to}/32\nScope=link\nPreferredSource={}\n", self.own)?;
            if metric > 0 {
                writeln!(out, "Metric={metric}")?;
            }
        }
        for (to, next) in self.gateway_routes(ni) {
            let own = self.own;
            write!(
                out,
                "\n[Route]\nDestination={to}/32\nGateway={next}\nGatewayOnLink=yes\nPreferredSource={own}\n"
            )?;
        }
        Ok(())
    }

    /// The routes that lead over several NIs.
    pub fn shared_routes(&self, out: &mut String) -> fmt::Result {
        let neighbours = self.ways.neighbours.iter().map(|n| (n.pe, n.pe, &n.paths[..]));
        let through = self.ways.through.iter().map(|&(dest, next)| (dest, next, self.ways.paths(next)));
        neighbours
            .chain(through)
            .filter(|route| route.2.len() > 1)
            .try_for_each(|route| self.shared_route(route, out))
    }

    fn shared_route(&self, (dest, next, paths): (u32, u32, &[Path]), out: &mut String) -> fmt::Result {
        let (to, next) = (self.addresses.of(dest), self.addresses.of(next));
        write!(out, "\n[Route]\nDestination={to}/32\nPreferredSource={}\n", self.own)?;
        paths.iter().try_for_each(|path| writeln!(out, "MultiPathRoute={next}@{}", self.interface(path.ni)))
    }
}

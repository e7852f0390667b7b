//! Planes: a network several times, with a NIC of every host on each. Planes are not connected to each other.

use super::{
    Fabric, Link, RingChannel, Routing,
    kind::{Cut, Hops, NetworkKind, Parts, Speeds, SplitNetwork, SwitchParts},
    parameters::{Numbers, Parameter, split},
};
use crate::{random::mix_pair, spec::Fault};

const MAX_PLANES: u32 = 64;

/// Planes of one network.
#[derive(Debug)]
pub(super) struct Planes {
    count: u32,
    plane: Box<dyn NetworkKind>,
}

impl Planes {
    /// The number of planes and the text of each.
    pub fn split(text: &str) -> Result<(u32, &str), String> {
        let (count, plane) = split(text, 1);
        let [count] = Numbers::read(count, [Parameter::new("planes", 2, MAX_PLANES)])?;
        match plane.split(':').next().map(str::trim) {
            Some("" | "planes") | None => {
                Err("a network after the comma that is not of planes itself".into())
            }
            Some(_) => Ok((count, plane)),
        }
    }

    pub fn new(count: u32, plane: Box<dyn NetworkKind>) -> Planes {
        Planes { count, plane }
    }

    /// Repeats `plane` once per NIC. Returns it unchanged if it uses several NICs or has no switches.
    pub fn of(plane: Box<dyn NetworkKind>, nics: u32) -> Box<dyn NetworkKind> {
        let Parts { hosts, nis, trunk_nis, switches, .. } = plane.parts();
        match nics > 1 && nis == u64::from(hosts) && trunk_nis == 0 && !switches.is_empty() {
            true => Box::new(Planes { count: nics, plane }),
            false => plane,
        }
    }

    fn together(&self, fabric: &Fabric) -> Fabric {
        let (hosts, switches) = (fabric.hosts, fabric.switches.len() as u32);
        let of = |plane: u32| {
            let node = move |node: u32| if node < hosts { node } else { node + plane * switches };
            fabric.links.iter().map(move |link| Link { ends: link.ends.map(node), ..*link })
        };
        Fabric {
            hosts,
            switches: fabric.switches.repeat(self.count as usize),
            links: (0..self.count).flat_map(of).collect(),
        }
    }
}

impl NetworkKind for Planes {
    fn warnings(&self) -> &[Fault] {
        self.plane.warnings()
    }

    fn text(&self) -> String {
        format!("planes:{},{}", self.count, self.plane.text())
    }

    fn name(&self) -> String {
        let (count, plane) = (self.count, self.plane.name());
        match plane.starts_with("one ") {
            true => format!("{count} rails, {plane} each"),
            false => format!("{plane}, {count} planes"),
        }
    }

    fn parts(&self) -> Parts {
        let Parts { hosts, nis, trunk_nis, switches, cables, between } = self.plane.parts();
        let count = u64::from(self.count);
        let all = |part: &SwitchParts| SwitchParts { count: part.count * self.count, ..*part };
        Parts {
            hosts,
            nis: nis * count,
            trunk_nis: trunk_nis * count,
            switches: switches.iter().map(all).collect(),
            cables: cables * count,
            between: between * count,
        }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        self.together(&self.plane.fabric(speeds))
    }

    fn routing(&self) -> Option<Box<dyn Routing>> {
        let plane = self.plane.routing()?;
        Some(Box::new(PlanesRouting {
            planes: self.count,
            channels: 2 * self.plane.parts().cables as u32,
            plane,
        }))
    }

    fn planes(&self) -> Option<(u32, &dyn NetworkKind)> {
        Some((self.count, &*self.plane))
    }

    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        self.plane.hops(from, to)
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        self.plane.extremes()
    }

    /// Every plane has the same best halves.
    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        let Cut { least_links, links, least_speed, speed } = self.plane.cut(speeds)?;
        let [least_links, links, least_speed, speed] =
            [least_links, links, least_speed, speed].map(|one| one * u64::from(self.count));
        Some(Cut { least_links, links, least_speed, speed })
    }

    fn passed(&self, speeds: Speeds, backplane: u32) -> Option<[u64; 2]> {
        self.plane.passed(speeds, backplane).map(|bounds| bounds.map(|bound| bound * u64::from(self.count)))
    }

    fn alike(&self) -> bool {
        self.plane.alike()
    }

    fn apart(&self, speeds: Speeds) -> Option<SplitNetwork> {
        let apart = self.plane.apart(speeds)?;
        // Hosts that lose a plane reach all others on the next one.
        Some(SplitNetwork { fabric: self.together(&apart.fabric), switch_loss: 0 })
    }
}

/// The paths of one plane, on every plane. The hash of a pair chooses the plane of its first path.
struct PlanesRouting {
    planes: u32,
    /// Channels of a plane.
    channels: u32,
    plane: Box<dyn Routing>,
}

impl Routing for PlanesRouting {
    fn choices(&self, from: u32, to: u32) -> u32 {
        self.planes * self.plane.choices(from, to)
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        let first = channels.len();
        self.plane.path(from, to, choice / self.planes, channels);
        // The lower half of the hash may choose ways on the plane.
        let first_plane = (mix_pair(from, to) >> 32) as u32 % self.planes;
        let offset = (first_plane + choice % self.planes) % self.planes * self.channels;
        channels[first..].iter_mut().for_each(|channel| *channel += offset);
    }

    fn rings(&self) -> Vec<RingChannel> {
        let rings = self.plane.rings();
        let plane = |plane| {
            let on = move |ring: &RingChannel| RingChannel {
                channel: ring.channel + plane * self.channels,
                ..*ring
            };
            rings.iter().map(on)
        };
        (0..self.planes).flat_map(plane).collect()
    }
}

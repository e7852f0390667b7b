//! Times and rules of a simulation on the command line.

use clap::{Args, ValueEnum};
use shared::simulation::{Full, Paths, Queue, Settings, Switching};

/// Times and rules.
#[derive(Args)]
#[command(next_help_heading = "Times and rules")]
pub struct Rules {
    /// Cycles simulated with traffic at an offered load
    #[arg(long, value_name = "N", default_value_t = Settings::default().cycles)]
    cycles: u64,
    /// Cycles at the beginning that no figure counts
    #[arg(long, value_name = "N", default_value_t = Settings::default().ignored)]
    ignored: u64,
    /// Flits of a frame's header
    #[arg(long, value_name = "FLITS", default_value_t = Settings::default().header)]
    header: u32,
    /// Flits of a full frame's payload
    #[arg(long, value_name = "FLITS", default_value_t = Settings::default().payload)]
    payload: u32,
    /// Bytes of a flit
    #[arg(long, value_name = "BYTES", default_value_t = Settings::default().flit_bytes)]
    flit_bytes: u32,
    /// Cycles from one end of a link to the other
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().link_delay)]
    link_delay: u32,
    /// Cycles a switch needs to route a frame
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().routing_delay)]
    routing_delay: u32,
    /// Cycles a host needs to forward a frame
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().host_delay)]
    host_delay: u32,
    /// Cycles until a sender knows of room at the other end
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().credit_delay)]
    credit_delay: u32,
    /// Frames that a switch has room for at each incoming link
    #[arg(long, value_name = "FRAMES", default_value_t = Settings::default().buffer)]
    buffer: u32,
    /// The same of a host that forwards
    #[arg(long, value_name = "FRAMES", default_value_t = Settings::default().host_buffer)]
    host_buffer: u32,
    /// When a switch passes a frame on
    #[arg(long, value_enum, default_value_t = SwitchingName::CutThrough)]
    switching: SwitchingName,
    /// Which frames may leave: the oldest of each incoming link, or all
    #[arg(long, value_enum, default_value_t = QueueName::Input)]
    queue: QueueName,
    /// What becomes of frames that meet a full buffer
    #[arg(long, value_enum, default_value_t = FullName::Hold)]
    full: FullName,
    /// Hosts send or receive at any one time
    #[arg(long)]
    half_duplex_hosts: bool,
    /// Speed that carries a flit a cycle, in Mb/s [default: the fastest link's]
    #[arg(long, value_name = "MBPS")]
    reference_speed: Option<u32>,
    /// Which of a pair's paths a frame takes
    #[arg(long, value_enum, default_value_t = PathsName::First)]
    paths: PathsName,
    /// Place logical nodes on hosts at random
    #[arg(long)]
    random_placement: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SwitchingName {
    CutThrough,
    StoreAndForward,
}

#[derive(Clone, Copy, ValueEnum)]
enum QueueName {
    Input,
    Shared,
}

#[derive(Clone, Copy, ValueEnum)]
enum FullName {
    /// The sender waits
    Hold,
    /// They are lost
    Drop,
}

#[derive(Clone, Copy, ValueEnum)]
enum PathsName {
    First,
    /// One after the other
    Alternate,
    Random,
    /// By way of a random host
    RandomIntermediate,
}

impl Rules {
    /// The same as the simulator knows it.
    pub fn settings(&self) -> Settings {
        Settings {
            header: self.header,
            payload: self.payload,
            flit_bytes: self.flit_bytes,
            link_delay: self.link_delay,
            routing_delay: self.routing_delay,
            host_delay: self.host_delay,
            credit_delay: self.credit_delay,
            buffer: self.buffer,
            host_buffer: self.host_buffer,
            switching: match self.switching {
                SwitchingName::CutThrough => Switching::CutThrough,
                SwitchingName::StoreAndForward => Switching::StoreAndForward,
            },
            queue: match self.queue {
                QueueName::Input => Queue::Input,
                QueueName::Shared => Queue::Shared,
            },
            full: match self.full {
                FullName::Hold => Full::Hold,
                FullName::Drop => Full::Drop,
            },
            half_duplex_hosts: self.half_duplex_hosts,
            reference_speed: self.reference_speed,
            cycles: self.cycles,
            ignored: self.ignored,
            paths: match self.paths {
                PathsName::First => Paths::First,
                PathsName::Alternate => Paths::Alternate,
                PathsName::Random => Paths::Random,
                PathsName::RandomIntermediate => Paths::RandomIntermediate,
            },
            random_placement: self.random_placement,
        }
    }
}

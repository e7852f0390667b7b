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
    /// Cycles at the start excluded from all figures
    #[arg(long, value_name = "N", default_value_t = Settings::default().ignored)]
    ignored: u64,
    /// Header flits per frame
    #[arg(long, value_name = "FLITS", default_value_t = Settings::default().header)]
    header: u32,
    /// Payload flits per full frame
    #[arg(long, value_name = "FLITS", default_value_t = Settings::default().payload)]
    payload: u32,
    /// Bytes per flit
    #[arg(long, value_name = "BYTES", default_value_t = Settings::default().flit_bytes)]
    flit_bytes: u32,
    /// Cycles per link
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().link_delay)]
    link_delay: u32,
    /// Cycles per routing decision of a switch
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().routing_delay)]
    routing_delay: u32,
    /// Cycles per frame forwarded by a host
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().host_delay)]
    host_delay: u32,
    /// Cycles until a sender learns of free room at the other end
    #[arg(long, value_name = "CYCLES", default_value_t = Settings::default().credit_delay)]
    credit_delay: u32,
    /// Frames buffered per incoming link of a switch
    #[arg(long, value_name = "FRAMES", default_value_t = Settings::default().buffer)]
    buffer: u32,
    /// Frames buffered per incoming link of a forwarding host
    #[arg(long, value_name = "FRAMES", default_value_t = Settings::default().host_buffer)]
    host_buffer: u32,
    /// When a switch forwards a frame
    #[arg(long, value_enum, default_value_t = SwitchingName::CutThrough)]
    switching: SwitchingName,
    /// Frames that may leave: the oldest per incoming link, or all
    #[arg(long, value_enum, default_value_t = QueueName::Input)]
    queue: QueueName,
    /// Frames at a full buffer
    #[arg(long, value_enum, default_value_t = FullName::Hold)]
    full: FullName,
    /// Hosts send or receive, not both at once
    #[arg(long)]
    half_duplex_hosts: bool,
    /// Speed of one flit per cycle, in Mb/s [default: the fastest link's]
    #[arg(long, value_name = "MBPS")]
    reference_speed: Option<u32>,
    /// Choice between several paths of a pair
    #[arg(long, value_enum, default_value_t = PathsName::First)]
    paths: PathsName,
    /// Place logical nodes on random hosts
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
    /// They are dropped
    Drop,
}

#[derive(Clone, Copy, ValueEnum)]
enum PathsName {
    First,
    /// In turn
    Alternate,
    Random,
    /// Through a random host
    RandomIntermediate,
}

impl Rules {
    /// The settings of the simulator.
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

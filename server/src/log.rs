//! Log lines of the running studio, on standard error.
//!
//! Only events of this crate are logged, since those of libraries may quote requests. Events name routes and short hashes:
//! an id works as a link, so ids, specs and wirings never reach a log line.

use shared::random::fnv1a;
use std::{
    io::{self, IsTerminal},
    panic,
};
use tracing::{Level, error};
use tracing_subscriber::{
    Layer, Registry,
    filter::Targets,
    fmt::{self, format::FmtSpan},
    layer::SubscriberExt,
};

/// Format of log lines.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Format {
    /// Text for people
    Text,
    /// One JSON object per line
    Json,
}

/// Starts logging for this process: requests from level `debug` on, the durations of all spans at `trace`.
pub fn start(format: Format, level: Level) {
    let spans = if level == Level::TRACE { FmtSpan::CLOSE } else { FmtSpan::NONE };
    let lines = fmt::layer().with_writer(io::stderr).with_span_events(spans);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match format {
        Format::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    };
    let own = Targets::new().with_target(env!("CARGO_PKG_NAME"), level);
    // A test process may have a subscriber already.
    let _ =
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines.with_filter(own)));
    // The message of a panic may quote its input.
    panic::set_hook(Box::new(|info| {
        error!(at = info.location().map(ToString::to_string), "panic");
    }));
}

/// Short hash of an id, which tells searches apart in a log.
pub fn short(id: &str) -> String {
    format!("{:08x}", fnv1a(id.as_bytes()) as u32)
}

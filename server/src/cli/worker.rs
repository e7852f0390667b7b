//! `crosspoint worker`, and the flags of NATS.

use super::{
    Answer, cores, default_memory,
    flags::{MEMORY, log_level, parser, whole},
    signals::Signals,
};
use crate::{
    cluster::{
        Address,
        worker::{Limits, work},
    },
    log::{self, Format},
};
use anyhow::{Context, Result};
use clap::Args;
use shared::search::THREADS;
use std::path::PathBuf;

/// Flags of a NATS server.
#[derive(Args)]
pub struct Nats {
    /// NATS server with JetStream, such as nats://10.0.0.1:4222 or, with TLS, tls://me@nats.example; separate several with commas. Use
    /// CROSSPOINT_NATS to hide a password from other users of the machine
    #[arg(long, value_name = "URL", env = "CROSSPOINT_NATS", hide_env_values = true)]
    nats: Option<String>,
    /// Prefix of subjects and streams in NATS. Give each studio on a NATS server its own
    #[arg(long, value_name = "NAME", default_value = "crosspoint", value_parser = parser(prefix), requires = "nats")]
    nats_prefix: String,
    /// File with the password of the user in --nats
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_password_file: Option<PathBuf>,
    /// Credentials file of a NATS user, instead of a user and password in the address
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_credentials: Option<PathBuf>,
    /// File with CA certificates (PEM) for TLS
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_authority: Option<PathBuf>,
    /// Allow a NATS server on another machine without credentials; anyone who can reach it can submit tasks
    #[arg(long, requires = "nats")]
    nats_open: bool,
}

impl Nats {
    /// The server, if one is given.
    pub fn address(&self) -> Option<Address> {
        Some(Address {
            url: self.nats.clone()?,
            prefix: self.nats_prefix.clone(),
            password: self.nats_password_file.clone(),
            credentials: self.nats_credentials.clone(),
            authority: self.nats_authority.clone(),
            open: self.nats_open,
        })
    }
}

/// Name that NATS accepts in subjects and for streams.
fn prefix(text: &str) -> Result<String, String> {
    let fits = (1..=32).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if fits { Ok(text.into()) } else { Err("1 to 32 letters, digits, - or _".into()) }
}

/// Run searches for a studio on another machine
///
/// A worker takes parts of searches and simulations from a NATS server and returns their results. The studio needs the same --nats and the same
/// version. Ctrl-C stops the worker; other workers or the studio finish its parts.
#[derive(Args)]
#[command(mut_arg("nats", |arg| arg.required(true)))]
pub struct Worker {
    #[command(flatten)]
    nats: Nats,
    /// Parts to run at once [default: the cores of this machine]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(THREADS))]
    threads: Option<u32>,
    /// Max memory for searches and simulations in MiB [default: half of the machine's]
    #[arg(long, value_name = "MIB", value_parser = whole::<u64>(MEMORY))]
    memory: Option<u64>,
    /// Log level: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = parser(log_level))]
    log: tracing::Level,
    /// Format of the log lines on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    log_format: Format,
}

impl Worker {
    pub fn run(self) -> Result<Answer> {
        log::start(self.log_format, self.log);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.context("the worker cannot start its threads")?;
        let worked = runtime.block_on(self.work());
        runtime.shutdown_background();
        worked.map(|()| Answer::Yes)
    }

    async fn work(self) -> Result<()> {
        let address = self.nats.address().context("--nats is required")?;
        let mut signals = Signals::listen().context("cannot listen for signals")?;
        let limits = Limits {
            threads: self.threads.unwrap_or_else(cores),
            memory: self.memory.unwrap_or_else(default_memory) << 20,
        };
        Ok(work(&address, limits, async move { signals.next().await }).await?)
    }
}

//! The program `lab-peer` on every PE: it answers questions, asks them, and carries flows.
//!
//! Questions and answers are UDP datagrams of two sizes, so that a switch port's counters of packets and bytes tell how
//! many of each came in. Flows are TCP connections to the port of the same number.

use super::Lab;
use anyhow::{Context, Result, ensure};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::Ipv4Addr,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

/// The port that peers answer on.
pub const PORT: u16 = 7077;
/// Bytes of a question.
pub const QUESTION: usize = 100;
/// Bytes of an answer.
pub const ANSWER: usize = 1000;
/// Bytes of Ethernet, IP and UDP headers around either of them.
pub const HEADERS: u64 = 14 + 20 + 8;

/// A peer on every PE of a lab; they end with this value.
pub struct Peers(Vec<Peer>);

struct Peer {
    child: Child,
    orders: ChildStdin,
    reports: BufReader<ChildStdout>,
}

impl Peers {
    /// Starts them; each answers once this returns.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn on(lab: &Lab, program: &Path) -> Result<Peers> {
        Peers::of((0..lab.pes()).map(|pe| lab.enter(pe, program)))
    }

    /// Starts one by each command.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn of(commands: impl Iterator<Item = Command>) -> Result<Peers> {
        let start = |(pe, command)| Peer::start(command).with_context(|| format!("a peer on PE {pe}"));
        commands.enumerate().map(start).collect::<Result<_>>().map(Peers)
    }

    /// Each PE queries the addresses of its list, all at once. Returns those without an answer in time, in the same order.
    ///
    /// # Errors
    /// If a peer has ended.
    pub fn ask(&mut self, lists: &[Vec<Ipv4Addr>], patience: Duration) -> Result<Vec<Vec<Ipv4Addr>>> {
        ensure!(lists.len() == self.0.len(), "{} lists for {} peers", lists.len(), self.0.len());
        for (peer, list) in self.0.iter_mut().zip(lists) {
            let words: Vec<_> = list.iter().map(ToString::to_string).collect();
            peer.order(&format!("ask {} {}", patience.as_millis(), words.join(" ")))?;
        }
        let unanswered = |peer: &mut Peer| {
            let words = peer.report("unanswered")?;
            words.iter().map(|word| Ok(word.parse()?)).collect()
        };
        self.0.iter_mut().map(unanswered).collect()
    }

    /// Throughput of parallel flows from one PE to an address of another, in bits per second: counted at the receiver for
    /// `window`, after `warm`.
    ///
    /// # Errors
    /// If a peer has ended, or no flow can be opened.
    pub fn rate(
        &mut self,
        (from, to): (u32, u32),
        address: Ipv4Addr,
        flows: u32,
        (warm, window): (Duration, Duration),
    ) -> Result<f64> {
        self.peer(to)?.order(&format!("receive {} {}", warm.as_millis(), window.as_millis()))?;
        self.peer(from)?.order(&format!("send {address} {flows}"))?;
        let received = self.peer(to)?.report("received")?;
        let [bytes, microseconds] = &received[..] else { anyhow::bail!("PE {to} reports {received:?}") };
        let opened = self.peer(from)?.report("sent")?;
        ensure!(opened == [flows.to_string()], "{opened:?} of {flows} flows from PE {from} were opened");
        Ok(bytes.parse::<f64>()? * 8e6 / microseconds.parse::<f64>()?)
    }

    fn peer(&mut self, pe: u32) -> Result<&mut Peer> {
        self.0.get_mut(pe as usize).with_context(|| format!("no peer on PE {pe}"))
    }
}

impl Peer {
    fn start(mut command: Command) -> Result<Peer> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let orders = child.stdin.take().context("a pipe")?;
        let reports = BufReader::new(child.stdout.take().context("a pipe")?);
        let mut peer = Peer { child, orders, reports };
        peer.report("ready")?;
        Ok(peer)
    }

    fn order(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.orders, "{line}")?)
    }

    /// The words of a report after the one that it begins with.
    fn report(&mut self, begins: &str) -> Result<Vec<String>> {
        let mut line = String::new();
        self.reports.read_line(&mut line)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        ensure!(words.next().as_deref() == Some(begins), "expected a line {begins:?}, and {line:?} came");
        Ok(words.collect())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

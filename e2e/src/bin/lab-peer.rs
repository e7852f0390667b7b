//! The program on each PE of a lab: it answers queries and follows orders from standard input.
//!
//! | order | report |
//! | --- | --- |
//! | `ask MILLISECONDS ADDRESS…` | `unanswered ADDRESS…`, once all have answered or the time is over |
//! | `send ADDRESS FLOWS` | `sent FLOWS`, once the receiver has closed all flows that could be opened |
//! | `receive MILLISECONDS MILLISECONDS` | `received BYTES MICROSECONDS`: after the first time, during the second |

use anyhow::{Context, Result, bail};
use e2e::lab::{ANSWER, PORT, QUESTION};
use std::{
    collections::BTreeSet,
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

fn main() -> Result<()> {
    let answering = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, PORT))?;
    thread::spawn(move || answer(&answering));
    let sink = Sink::open()?;
    report("ready")?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let told = match words[..] {
            ["ask", patience, ref addresses @ ..] => ask(milliseconds(patience)?, addresses)?,
            ["send", address, flows] => send(address.parse()?, flows.parse()?),
            ["receive", warm, window] => sink.receive(milliseconds(warm)?, milliseconds(window)?),
            _ => bail!("there is no order {line:?}"),
        };
        report(&told)?;
    }
    Ok(())
}

fn report(line: &str) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

fn milliseconds(word: &str) -> Result<Duration> {
    Ok(Duration::from_millis(word.parse().with_context(|| format!("{word:?} milliseconds"))?))
}

/// Answers every question, to where it came from.
fn answer(socket: &UdpSocket) {
    let mut buffer = [0; ANSWER];
    loop {
        if let Ok((QUESTION, from)) = socket.recv_from(&mut buffer) {
            // Without a way back, the sender reports it.
            let _ = socket.send_to(&[0; ANSWER], from);
        }
    }
}

/// Asks from a port of its own each time, so that paths that are chosen by ports vary.
fn ask(patience: Duration, addresses: &[&str]) -> Result<String> {
    let mut open: BTreeSet<Ipv4Addr> = addresses
        .iter()
        .map(|word| word.parse().with_context(|| (*word).to_owned()))
        .collect::<Result<_>>()?;
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    for &address in &open {
        // An address without a route counts as unanswered.
        let _ = socket.send_to(&[0; QUESTION], (address, PORT));
    }
    let until = Instant::now() + patience;
    let mut buffer = [0; ANSWER];
    while let Some(left) =
        until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero() && !open.is_empty())
    {
        socket.set_read_timeout(Some(left))?;
        match socket.recv_from(&mut buffer) {
            Ok((ANSWER, from)) => {
                open.retain(|&address| address != from.ip());
            }
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(open.iter().fold("unanswered".to_owned(), |text, address| format!("{text} {address}")))
}

/// Max duration of a flow, unless the receiver ends it.
const LONGEST: Duration = Duration::from_secs(60);

fn send(address: Ipv4Addr, flows: u32) -> String {
    let flow = move || {
        let mut stream = TcpStream::connect_timeout(&(address, PORT).into(), Duration::from_secs(10))?;
        stream.set_write_timeout(Some(LONGEST))?;
        let began = Instant::now();
        // The receiver ends a flow by closing it.
        while began.elapsed() < LONGEST && stream.write_all(&[0; 8192]).is_ok() {}
        std::io::Result::Ok(())
    };
    let threads: Vec<_> = (0..flows).map(|_| thread::spawn(flow)).collect();
    let opened = threads.into_iter().filter_map(|thread| thread.join().ok()?.ok()).count();
    format!("sent {opened}")
}

/// Takes in all flows.
struct Sink {
    open: Arc<Mutex<Vec<TcpStream>>>,
    bytes: Arc<AtomicU64>,
}

impl Sink {
    fn open() -> Result<Sink> {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT))?;
        let sink = Sink { open: Arc::default(), bytes: Arc::default() };
        let (open, bytes) = (sink.open.clone(), sink.bytes.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Ok(other) = stream.try_clone() {
                    open.lock().unwrap_or_else(PoisonError::into_inner).push(other);
                }
                let bytes = bytes.clone();
                thread::spawn(move || drain(stream, &bytes));
            }
        });
        Ok(sink)
    }

    /// Counts for a time, and then closes all flows.
    fn receive(&self, warm: Duration, window: Duration) -> String {
        thread::sleep(warm);
        let (began, before) = (Instant::now(), self.bytes.load(Ordering::Relaxed));
        thread::sleep(window);
        let (bytes, time) = (self.bytes.load(Ordering::Relaxed) - before, began.elapsed());
        for stream in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // One that is closed already needs nothing.
            let _ = stream.shutdown(Shutdown::Both);
        }
        format!("received {bytes} {}", time.as_micros())
    }
}

fn drain(mut stream: TcpStream, bytes: &AtomicU64) {
    let mut buffer = [0; 65536];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        bytes.fetch_add(count as u64, Ordering::Relaxed);
    }
}

//! A NATS server with JetStream, and workers.

use crate::studio::program;
use anyhow::{Context, Result, bail, ensure};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A NATS server on this machine; it ends with this value.
pub struct Nats {
    child: Child,
    /// Address, such as `127.0.0.1:4222`.
    pub address: String,
    folder: TempDir,
}

impl Nats {
    /// Starts one with JetStream on a free port of an address of this machine.
    ///
    /// # Errors
    /// It is not installed, or does not answer.
    pub fn start(host: &str) -> Result<Nats> {
        Nats::with(host, "", "")
    }

    /// Starts one with limits: lines of its configuration, and of that of JetStream.
    ///
    /// # Errors
    /// As [`Nats::start`].
    pub fn with(host: &str, limits: &str, store: &str) -> Result<Nats> {
        Nats::configured(host, |folder| {
            format!("{limits}\njetstream {{ store_dir: {:?}\n{store} }}\n", folder.join("store"))
        })
    }

    /// Starts one without JetStream.
    ///
    /// # Errors
    /// As [`Nats::start`].
    pub fn without_jetstream(host: &str) -> Result<Nats> {
        Nats::configured(host, |_| String::new())
    }

    fn configured(host: &str, configuration: impl Fn(&Path) -> String) -> Result<Nats> {
        // Free for a moment at least: the server cannot report a port that it chose itself.
        let port = TcpListener::bind((host, 0))?.local_addr()?.port();
        let folder = TempDir::with_prefix("crosspoint-nats-")?;
        std::fs::write(folder.path().join("nats.conf"), configuration(folder.path()))?;
        let child = serve(host, port, folder.path())?;
        let nats = Nats { child, address: format!("{host}:{port}"), folder };
        nats.wait()?;
        Ok(nats)
    }

    /// Returns the address as a URL.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    fn wait(&self) -> Result<()> {
        for _ in 0..200 {
            if self.connect().is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("nats-server does not answer at {}", self.address)
    }

    /// Returns the address with a login.
    pub fn url_as(&self, login: &str) -> String {
        format!("nats://{login}@{}", self.address)
    }

    /// A connection that speaks NATS' own protocol.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn connect(&self) -> Result<Talk> {
        let stream = TcpStream::connect(&self.address)?;
        let mut talk = Talk { reader: BufReader::new(stream) };
        let greeting = talk.line()?;
        ensure!(greeting.starts_with("INFO"), "{greeting}");
        talk.say(b"CONNECT {\"verbose\":false}\r\n")?;
        Ok(talk)
    }

    /// Kills it.
    pub fn kill(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Kills it, and starts it again on the same port and folder.
    ///
    /// # Errors
    /// It does not answer.
    pub fn restart(&mut self) -> Result<()> {
        self.kill();
        let (host, port) = self.address.rsplit_once(':').context("a port")?;
        self.child = serve(host, port.parse()?, self.folder.path())?;
        self.wait()
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

fn serve(host: &str, port: u16, folder: &Path) -> Result<Child> {
    let mut server = Command::new(nats_server());
    server.arg("-c").arg(folder.join("nats.conf")).args(["-a", host, "-p", &port.to_string()]);
    let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    server.context("starting nats-server; e2e/setup.sh installs it")
}

/// Debian installs it outside a user's path.
fn nats_server() -> PathBuf {
    let debian = Path::new("/usr/sbin/nats-server");
    if debian.exists() { debian.into() } else { "nats-server".into() }
}

/// A plain connection to a NATS server.
pub struct Talk {
    reader: BufReader<TcpStream>,
}

impl Talk {
    /// Sends bytes.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn say(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.reader.get_mut().write_all(bytes)?)
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn publish(&mut self, subject: &str, payload: &[u8]) -> Result<()> {
        self.say(format!("PUB {subject} {}\r\n", payload.len()).as_bytes())?;
        self.say(payload)?;
        self.say(b"\r\n")
    }

    /// Asks a subject.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn request(&mut self, subject: &str, payload: &str) -> Result<Vec<u8>> {
        let length = payload.len();
        let message = format!("PUB {subject} answers {length}\r\n{payload}\r\n");
        self.say(format!("SUB answers 9\r\nUNSUB 9 1\r\n{message}").as_bytes())?;
        Ok(self.message()?.1)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.reader.read_line(&mut line)? > 0, "the server closed the connection");
        Ok(line.trim_end().to_owned())
    }

    /// The next message of a subscription: where to reply, and its bytes.
    ///
    /// # Errors
    /// The connection is closed.
    pub fn message(&mut self) -> Result<(String, Vec<u8>)> {
        loop {
            let line = self.line()?;
            if line == "PING" {
                self.say(b"PONG\r\n")?;
            }
            let parts: Vec<&str> = line.split(' ').collect();
            let received = match parts[..] {
                ["MSG", _, _, length] => Some(("", length)),
                ["MSG", _, _, reply, length] => Some((reply, length)),
                _ => None,
            };
            if let Some((reply, length)) = received {
                let mut payload = vec![0; length.parse::<usize>()? + 2];
                self.reader.read_exact(&mut payload)?;
                payload.truncate(payload.len() - 2);
                return Ok((reply.into(), payload));
            }
        }
    }
}

/// A worker process; it is killed with this value.
pub struct Worker {
    child: Child,
}

impl Worker {
    /// Starts one.
    ///
    /// # Errors
    /// The program was not built.
    pub fn start(url: &str, flags: &[&str]) -> Result<Worker> {
        Worker::within(&[], url, flags)
    }

    /// Starts one through another program, such as `ip netns exec NAME`.
    ///
    /// # Errors
    /// One of them cannot be started.
    pub fn within(outer: &[&str], url: &str, flags: &[&str]) -> Result<Worker> {
        let program = program()?;
        let mut command = match outer {
            [] => Command::new(&program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(&program);
                command
            }
        };
        command.args(["worker", "--nats", url]).args(flags);
        if std::env::var_os("E2E_VERBOSE").is_none() {
            command.stderr(Stdio::null());
        }
        Ok(Worker { child: command.stdout(Stdio::null()).spawn().context("starting a worker")? })
    }

    /// Runs one until it ends by itself.
    ///
    /// # Errors
    /// The program was not built.
    pub fn run(url: &str, flags: &[&str]) -> Result<Output> {
        let output = Command::new(program()?).args(["worker", "--nats", url]).args(flags).output();
        output.context("starting a worker")
    }

    /// Sends it a signal, such as `-KILL` or `-STOP`.
    ///
    /// # Errors
    /// It is gone.
    pub fn signal(&self, signal: &str) -> Result<()> {
        let sent = Command::new("kill").arg(signal).arg(self.child.id().to_string()).status();
        ensure!(sent.context("starting kill")?.success(), "the worker gets no signal");
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Address of a relay to a server that delays all bytes in both directions.
///
/// # Errors
/// No free port.
pub fn delayed(server: &str, delay: Duration) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let (address, server) = (listener.local_addr()?.to_string(), server.to_owned());
    std::thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            let Ok(far) = TcpStream::connect(&server) else { continue };
            for stream in [&near, &far] {
                let _ = stream.set_nodelay(true);
            }
            if let (Ok(near_too), Ok(far_too)) = (near.try_clone(), far.try_clone()) {
                relay(near, far_too, delay);
                relay(far, near_too, delay);
            }
        }
    });
    Ok(address)
}

/// Passes bytes on, each after the delay.
fn relay(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>)>();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            if sender.send((Instant::now() + delay, buffer[..read].to_vec())).is_err() {
                return;
            }
        }
    });
    std::thread::spawn(move || {
        for (at, bytes) in receiver {
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                return;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}

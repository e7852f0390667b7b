//! The program, serving on its own port and folder.

use crate::target_dir;
use anyhow::{Context, Result, bail, ensure};
use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    time::Duration,
};
use tempfile::TempDir;

/// The built program: `$CROSSPOINT_BIN`, or the one of the tests' own profile.
///
/// # Errors
/// If it was not built.
pub fn program() -> Result<PathBuf> {
    let path = std::env::var_os("CROSSPOINT_BIN")
        .map_or_else(|| target_dir().join("debug/crosspoint"), PathBuf::from);
    ensure!(path.exists(), "there is no {}; `cargo build --package server` leaves it there", path.display());
    Ok(path)
}

/// Runs the program once, as from a shell.
///
/// # Errors
/// If it cannot be started.
pub fn crosspoint<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> Result<Output> {
    Command::new(program()?).args(arguments).output().context("starting crosspoint")
}

/// A running studio; it ends with this value.
pub struct Studio {
    child: Child,
    url: String,
    data: PathBuf,
    flags: Vec<String>,
    _temporary: Option<TempDir>,
}

impl Studio {
    /// Starts one on a free port and an empty folder, with more flags of `crosspoint serve`.
    ///
    /// # Errors
    /// If it does not print an address within 20 seconds.
    pub fn start(flags: &[&str]) -> Result<Studio> {
        let temporary = TempDir::with_prefix("crosspoint-e2e-")?;
        let mut studio = Studio::on(temporary.path(), flags)?;
        studio._temporary = Some(temporary);
        Ok(studio)
    }

    /// Starts one on a free port and this folder.
    ///
    /// # Errors
    /// If it does not print an address within 20 seconds.
    pub fn on(data: &Path, flags: &[&str]) -> Result<Studio> {
        let flags: Vec<String> = flags.iter().map(|&flag| flag.into()).collect();
        let (child, url) = serve("127.0.0.1:0", data, &flags)?;
        Ok(Studio { child, url, data: data.into(), flags, _temporary: None })
    }

    /// Process number.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, and starts it again on the same folder; its port changes.
    ///
    /// # Errors
    /// If it does not start again.
    pub fn restart(&mut self) -> Result<()> {
        self.stop();
        (self.child, self.url) = serve("127.0.0.1:0", &self.data, &self.flags)?;
        Ok(())
    }

    /// Ends it by SIGTERM: it saves its state and notifies its clients.
    ///
    /// # Errors
    /// If it gets no signal, or does not end well.
    pub fn terminate(&mut self) -> Result<()> {
        let signalled = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status();
        ensure!(signalled.context("starting kill")?.success(), "the studio gets no signal");
        let ended = self.child.wait().context("waiting for the studio's end")?;
        ensure!(ended.success(), "the studio ended with {ended}");
        Ok(())
    }

    /// Starts it again after that, on the same folder and the same port: open pages find it again.
    ///
    /// # Errors
    /// If it does not start again.
    pub fn start_again(&mut self) -> Result<()> {
        let listen = self.url.trim_start_matches("http://");
        (self.child, self.url) = serve(listen, &self.data, &self.flags)?;
        Ok(())
    }

    /// The address of a path such as `/`.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Kills it, as a crash does.
    pub fn stop(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.stop();
    }
}

fn serve(listen_at: &str, data: &Path, flags: &[String]) -> Result<(Child, String)> {
    let mut child = Command::new(program()?)
        .args(["serve", "--listen", listen_at, "--data"])
        .arg(data)
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("starting the studio")?;
    let (found, address) = mpsc::channel();
    if let Some(out) = child.stdout.take() {
        listen(out, found.clone());
    }
    if let Some(out) = child.stderr.take() {
        listen(out, found);
    }
    match address.recv_timeout(Duration::from_secs(20)) {
        Ok(url) => Ok((child, url)),
        Err(error) => {
            // An error means that it has ended already.
            let _ = child.kill();
            bail!("the studio printed no address: {error}");
        }
    }
}

/// Reads a stream to its end, so that the studio never waits for a reader, and reports the first address in it.
fn listen(stream: impl Read + Send + 'static, found: mpsc::Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if let Some(url) = address_in(&line) {
                // After the first address, there is no receiver.
                let _ = found.send(url);
            } else if std::env::var_os("E2E_VERBOSE").is_some() {
                eprintln!("studio: {line}");
            }
        }
    });
}

/// The first `http://host:port` of a line.
pub fn address_in(line: &str) -> Option<String> {
    let from = line.find("http://")?;
    let rest = &line[from..];
    let host = &rest["http://".len()..];
    let end = host.find(|c: char| !c.is_ascii_alphanumeric() && !".:-[]".contains(c)).unwrap_or(host.len());
    Some(rest["http://".len()..][..end].trim_end_matches('.')).map(|host| format!("http://{host}"))
}

//! Plain HTTP requests from clients with addresses of their own.

use crate::studio::Studio;
use anyhow::{Context, Result};
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

/// The right to stop what these clients start.
const EDIT: &str = "x-crosspoint-edit: one-token-for-all-tests";

/// An answer: status and body.
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Body.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Errors
    /// It is none.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.body).with_context(|| format!("{}: {}", self.status, self.body))
    }
}

/// Connects as client number `client`, with an address of its own on the loopback interface.
///
/// # Errors
/// No connection.
pub async fn connect(studio: &Studio, client: u8) -> Result<TcpStream> {
    let address: SocketAddr = studio.at("").trim_start_matches("http://").parse()?;
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(Ipv4Addr::new(127, 0, 1, client).into(), 0))?;
    Ok(socket.connect(address).await?)
}

/// Sends a request whose answer ends with the connection.
///
/// # Errors
/// No connection.
pub async fn send(studio: &Studio, client: u8, method: &str, path: &str, body: &str) -> Result<TcpStream> {
    let mut stream = connect(studio, client).await?;
    let host = studio.at("").trim_start_matches("http://").to_owned();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n{EDIT}\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    Ok(stream)
}

/// A search that nobody solves.
pub const HARD: &str = "pes = 64\nnis_per_pe = 6\nobjective = \"universal\"\n[[switch]]\nports = 13\n";

/// Starts a search; its id.
///
/// # Errors
/// No connection, or a refusal.
pub async fn start_search(studio: &Studio, body: &Value) -> Result<String> {
    let started = ask(studio, 1, "POST", "/api/runs", &body.to_string()).await?.json()?;
    Ok(started["id"].as_str().with_context(|| format!("a run: {started}"))?.to_owned())
}

/// Sends a request and reads the answer.
///
/// # Errors
/// No connection, or no answer.
pub async fn ask(studio: &Studio, client: u8, method: &str, path: &str, body: &str) -> Result<Answer> {
    let mut stream = send(studio, client, method, path, body).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    Ok(Answer { status: status.with_context(|| format!("no answer: {answer:?}"))?, body: body.into() })
}

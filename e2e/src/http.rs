//! Plain HTTP requests from clients with addresses of their own.

use crate::studio::Studio;
use anyhow::{Context, Result};
use serde_json::{Value, json};
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
    send_with(studio, client, &format!("{method} {path}"), "", body).await
}

/// Sends a request that waits for the end of its work, as the page does.
///
/// # Errors
/// No connection.
pub async fn send_and_wait(studio: &Studio, client: u8, path: &str, body: &str) -> Result<TcpStream> {
    send_with(studio, client, &format!("POST {path}"), "Prefer: wait=20\r\n", body).await
}

async fn send_with(
    studio: &Studio,
    client: u8,
    request: &str,
    headers: &str,
    body: &str,
) -> Result<TcpStream> {
    let mut stream = connect(studio, client).await?;
    let host = studio.at("").trim_start_matches("http://").to_owned();
    let length = body.len();
    let head = format!(
        "{request} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n{EDIT}\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    Ok(stream)
}

/// A search that nobody solves.
pub const HARD: &str = "pes = 64\nnis_per_pe = 6\nobjective = \"universal\"\n[[switch]]\nports = 13\n";

/// Request to start a search.
#[must_use]
pub fn search(spec: &str, form: Value) -> Value {
    json!({ "kind": "search", "spec": spec, "form": form })
}

/// Starts work; its id.
///
/// # Errors
/// No connection, or a refusal.
pub async fn start(studio: &Studio, body: &Value) -> Result<String> {
    let started = ask(studio, 1, "POST", "/api/work", &body.to_string()).await?.json()?;
    Ok(started["id"].as_str().with_context(|| format!("an id: {started}"))?.to_owned())
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

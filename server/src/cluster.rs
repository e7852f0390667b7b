//! Searches, simulations and estimates on other machines, through NATS JetStream.
//!
//! | module | contents |
//! | --- | --- |
//! | [`studio`] | the studio's side: tasks out, results in |
//! | [`worker`] | the worker's side: tasks in, results out |
//!
//! A task is one [`Epoch`](search::epoch::Epoch) of an island, one load of a simulation, or one network of an estimate. The same task gives the same result, so a task that ran twice
//! does no harm. Tasks wait in a work queue with explicit acknowledgement; a worker that dies leaves its task to another.
//! Specs and large states go through an object store. News and results are plain messages to the studio.

pub mod studio;
pub mod worker;

use async_nats::{
    Client, ConnectOptions,
    jetstream::{
        self, Context,
        consumer::{AckPolicy, PullConsumer, pull},
        object_store::{self, ObjectMetadata, ObjectStore},
        stream::{self, DiscardPolicy, RetentionPolicy, Stream},
    },
};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{path::PathBuf, time::Duration};
use tokio::io::AsyncReadExt;

/// Time after which a task whose worker is silent goes to another.
const ACK_WAIT: Duration = Duration::from_secs(6);
/// Time between two signs of life of a worker and of a task.
const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// Max deliveries of a task. A task that was delivered this many times without being finished leaves the queue.
const MAX_DELIVERIES: i64 = 10;
/// Name of the consumer that all workers share.
const CONSUMER: &str = "workers";
/// Time after which forgotten objects are removed.
const MAX_AGE: Duration = Duration::from_secs(86_400);
/// Part of a message that headers may take.
const HEADROOM: usize = 4096;
/// Max bytes of a chunk of an object.
const MAX_CHUNK: usize = 128 << 10;
/// Time limit of one answer of the server.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// A NATS server and how to log in.
#[derive(Clone, Debug)]
pub struct Address {
    /// Such as `nats://10.0.0.1:4222`, possibly with a user and password or a token; several with commas between them.
    pub url: String,
    /// Start of all subjects and names of streams.
    pub prefix: String,
    /// File with the password of the address's user.
    pub password: Option<PathBuf>,
    /// File of a user's JWT and key.
    pub credentials: Option<PathBuf>,
    /// File with the certificates of authorities.
    pub authority: Option<PathBuf>,
    /// Accepts a server that is neither on this machine nor needs credentials.
    pub open: bool,
}

/// A NATS server that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// Wrong address.
    #[error("--nats: {0:?} is not an address such as nats://10.0.0.1:4222.")]
    Address(String),
    /// Logins that differ.
    #[error("--nats: several servers need the same user and password")]
    Logins,
    /// A public server for everybody.
    #[error(
        "--nats {0}: a remote NATS server needs credentials. Give --nats-credentials, or a user and password in the address, or --nats-open if its network is private."
    )]
    Open(String),
    /// A password without its user.
    #[error(
        "--nats-password-file: the address of --nats needs the user of this password and no password of its own, such as nats://me@10.0.0.1:4222"
    )]
    User,
    /// The password cannot be read.
    #[error("--nats-password-file: cannot read {0}: {1}")]
    Password(PathBuf, std::io::Error),
    /// The file of the password has no text.
    #[error("--nats-password-file: {0} is empty; write the password into it")]
    NoPassword(PathBuf),
    /// The credentials cannot be read.
    #[error("--nats-credentials: cannot read {0}: {1}")]
    Credentials(PathBuf, std::io::Error),
    /// Another studio has this prefix.
    #[error("--nats-prefix: another studio uses {0:?} on this NATS server. Give each studio its own")]
    Taken(String),
    /// The certificates cannot be read.
    #[error("--nats-authority: cannot read {0}: {1}")]
    Authority(PathBuf, std::io::Error),
    /// No connection.
    #[error("cannot connect to NATS at {0}: {1}")]
    Connect(String, String),
    /// The server has no JetStream, or refused.
    #[error("NATS {0}: {1}. Start nats-server with JetStream (nats-server -js)")]
    JetStream(&'static str, String),
}

/// Connection to a NATS server, with the names that studio and workers share.
#[derive(Clone)]
pub struct Bus {
    client: Client,
    context: Context,
    prefix: String,
}

impl Address {
    fn hosts(&self) -> Result<Vec<async_nats::ServerAddr>, BusError> {
        // Without users and passwords.
        let shown = || match self.url.rsplit_once('@') {
            Some((_, host)) => host.to_owned(),
            None => self.url.clone(),
        };
        let wrong = |_| BusError::Address(shown());
        let hosts: Vec<async_nats::ServerAddr> =
            self.url.split(',').map(|url| url.trim().parse().map_err(wrong)).collect::<Result<_, _>>()?;
        if hosts.iter().any(|host| host.host().is_empty()) {
            return Err(BusError::Address(shown()));
        }
        Ok(hosts)
    }

    /// User and password of the address, or its token.
    fn login(hosts: &[async_nats::ServerAddr]) -> Result<Option<(String, Option<String>)>, BusError> {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let mut logins = hosts.iter().map(|host| {
            let user = host.username().filter(|user| !user.is_empty()).map(decoded)?;
            Some((user, host.password().map(decoded)))
        });
        let first = logins.next().flatten();
        if logins.all(|login| login == first) { Ok(first) } else { Err(BusError::Logins) }
    }

    /// The login of the address, with the password of the file if one is given.
    async fn login_with_file(
        &self,
        hosts: &[async_nats::ServerAddr],
    ) -> Result<Option<(String, Option<String>)>, BusError> {
        let login = Address::login(hosts)?;
        let Some(path) = &self.password else { return Ok(login) };
        let Some((user, None)) = login else { return Err(BusError::User) };
        let unreadable = |error| BusError::Password(path.clone(), error);
        let text = tokio::fs::read_to_string(path).await.map_err(unreadable)?;
        match text.trim() {
            "" => Err(BusError::NoPassword(path.clone())),
            password => Ok(Some((user, Some(password.into())))),
        }
    }

    /// Errors: a server for everybody that is not on this machine.
    fn check(&self, hosts: &[async_nats::ServerAddr]) -> Result<(), BusError> {
        let is_local = |host: &str| {
            host == "localhost"
                || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        };
        let has_login = |host: &async_nats::ServerAddr| host.has_user_pass() || host.username().is_some();
        let safe = self.open || self.credentials.is_some();
        match hosts.iter().find(|host| !(safe || has_login(host) || is_local(host.host()))) {
            Some(host) => Err(BusError::Open(shown(host))),
            None => Ok(()),
        }
    }
}

/// A server without its user and password.
fn shown(host: &async_nats::ServerAddr) -> String {
    format!("{}:{}", host.host(), host.port())
}

/// Reason of a failed connection, and what may help.
fn reason(error: &async_nats::ConnectError) -> String {
    use async_nats::ConnectErrorKind::{Authentication, AuthorizationViolation, Io, Tls};
    let text = error.to_string();
    let hint = match error.kind() {
        Authentication | AuthorizationViolation => {
            return "the login was rejected. Give a user and password in the address, or --nats-password-file or --nats-credentials"
                .into();
        }
        Io if text.contains("corrupt message") => {
            ". The server may speak no TLS: give a nats:// address and no --nats-authority"
        }
        Io | Tls if text.contains("certificate") => {
            ". Check --nats-authority, and that the certificate has the name in the address"
        }
        _ => "",
    };
    text + hint
}

impl Bus {
    /// Connects, and reconnects whenever the connection is lost.
    ///
    /// # Errors
    /// The address is wrong or a server for everybody, or nobody answers.
    pub async fn connect(address: &Address, name: &str) -> Result<Bus, BusError> {
        let hosts = address.hosts()?;
        address.check(&hosts)?;
        let all: Vec<String> = hosts.iter().map(shown).collect();
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(ANSWER_WITHIN)
            .request_timeout(Some(ANSWER_WITHIN))
            .ping_interval(Duration::from_secs(2))
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| Duration::from_millis(100 * attempts.min(20) as u64));
        match address.login_with_file(&hosts).await? {
            Some((user, Some(password))) => options = options.user_and_password(user, password),
            Some((token, None)) => options = options.token(token),
            None => {}
        }
        if let Some(path) = &address.credentials {
            let unreadable = |error| BusError::Credentials(path.clone(), error);
            let text = tokio::fs::read_to_string(path).await.map_err(unreadable)?;
            options = options.credentials(&text).map_err(unreadable)?;
        }
        if let Some(path) = &address.authority {
            tokio::fs::File::open(path).await.map_err(|error| BusError::Authority(path.clone(), error))?;
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        let client = options.connect(hosts).await;
        let client = client.map_err(|error| BusError::Connect(all.join(", "), reason(&error)))?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ANSWER_WITHIN);
        Ok(Bus { client, context, prefix: address.prefix.clone() })
    }

    /// `true` while the connection stands.
    fn is_connected(&self) -> bool {
        self.client.connection_state() == async_nats::connection::State::Connected
    }

    /// A name that nobody else has.
    fn unique(&self) -> String {
        self.client.new_inbox().replace('.', "-")
    }

    fn subject(&self, rest: &str) -> String {
        format!("{}.{rest}", self.prefix)
    }

    fn queue_name(&self) -> String {
        format!("{}-tasks", self.prefix)
    }

    /// The queue of tasks, if the server answers. Whether it is there shows at its first use.
    async fn known_queue(&self) -> Option<Stream<()>> {
        self.context.get_stream_no_info(self.queue_name()).await.ok()
    }

    /// The queue of tasks, made if it is missing.
    async fn queue(&self) -> Result<Stream, BusError> {
        let failed =
            |error: &dyn std::fmt::Display| BusError::JetStream("has no task queue", error.to_string());
        let config = stream::Config {
            name: self.queue_name(),
            subjects: vec![self.subject("tasks")],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            ..stream::Config::default()
        };
        let queue = self.context.get_or_create_stream(config).await.map_err(|error| failed(&error))?;
        let consumer = pull::Config {
            durable_name: Some(CONSUMER.into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_deliver: MAX_DELIVERIES,
            max_ack_pending: -1,
            ..pull::Config::default()
        };
        queue.get_or_create_consumer(CONSUMER, consumer).await.map_err(|error| failed(&error))?;
        Ok(queue)
    }

    /// The consumer of tasks, which the studio has made.
    async fn consumer(&self) -> Option<PullConsumer> {
        self.known_queue().await?.get_consumer(CONSUMER).await.ok()
    }

    /// The store of searches and large states, made if it is missing.
    async fn objects(&self) -> Result<ObjectStore, BusError> {
        let bucket = format!("{}-objects", self.prefix);
        if let Ok(store) = self.context.get_object_store(&bucket).await {
            return Ok(store);
        }
        let config = object_store::Config { bucket, max_age: MAX_AGE, ..object_store::Config::default() };
        let made = self.context.create_object_store(config).await;
        made.map_err(|error| BusError::JetStream("has no object store", error.to_string()))
    }

    /// Packs bytes for a message: those that are too long for it go to the object store.
    async fn pack(&self, bytes: Vec<u8>) -> Result<Payload, BusError> {
        // Several parts and their frame share a message.
        if bytes.len() <= self.client.max_payload().saturating_sub(HEADROOM) / 2 {
            return Ok(Payload::Inline(bytes));
        }
        // Each has a name of its own, since it is removed by the one who reads it.
        let name = format!("{}-{}", hash(&bytes), self.unique());
        self.put(&name, &bytes).await?;
        Ok(Payload::Stored(name))
    }

    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BusError> {
        // A chunk is a message.
        let chunk = self.client.max_payload().saturating_sub(HEADROOM).clamp(1, MAX_CHUNK);
        let object =
            ObjectMetadata { name: name.into(), chunk_size: Some(chunk), ..ObjectMetadata::default() };
        let stored = self.objects().await?.put(object, &mut &*bytes).await;
        stored.map(drop).map_err(|error| BusError::JetStream("keeps no objects", error.to_string()))
    }

    async fn unpack(&self, packed: Payload) -> Result<Vec<u8>, BusError> {
        match packed {
            Payload::Inline(bytes) => Ok(bytes),
            Payload::Stored(name) => self.get(&name).await,
        }
    }

    async fn get(&self, name: &str) -> Result<Vec<u8>, BusError> {
        let lost =
            |error: &dyn std::fmt::Display| BusError::JetStream("has lost an object", error.to_string());
        let store = self.objects().await?;
        let mut object = store.get(name).await.map_err(|error| lost(&error))?;
        let mut bytes = Vec::new();
        object.read_to_end(&mut bytes).await.map_err(|error| lost(&error))?;
        // The store's own digest guards each object; this guards the name.
        if name.starts_with(&hash(&bytes)) { Ok(bytes) } else { Err(lost(&"its bytes have another hash")) }
    }

    /// Removes an object that nobody needs any more.
    async fn forget(&self, packed: &Payload) {
        if let Payload::Stored(name) = packed
            && let Ok(store) = self.objects().await
        {
            // Retention is removed by age.
            let _ = store.delete(name).await;
        }
    }

    /// Sends a message to the studio with this id, or to any; its reply, if there is one in time.
    async fn ask(&self, studio: &str, message: &StudioMessage) -> Option<Reply> {
        let answer =
            self.client.request(self.subject(&format!("studio.{studio}")), write(message).into()).await;
        read(&answer.ok()?.payload)
    }
}

/// Name of an object.
fn hash(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A message as bytes.
pub fn write(message: &impl Serialize) -> Vec<u8> {
    // Numbers, texts and lists only: this cannot fail.
    postcard::to_stdvec(message).unwrap_or_default()
}

/// The message of these bytes; `None` if another version wrote them.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// Bytes in a message, or the name of an object that has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Payload {
    Inline(Vec<u8>),
    Stored(String),
}

/// A task in the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Task {
    /// Version of the studio.
    version: String,
    /// Id of the studio.
    studio: String,
    /// Number of the task.
    number: u64,
    /// What to do.
    work: Work,
}

/// Work of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Work {
    /// An epoch of an island.
    Epoch {
        /// Object of the search.
        search: String,
        /// The epoch.
        epoch: Payload,
    },
    /// A unit of other work: a load of a simulation, a network of an estimate.
    Unit {
        /// Object of the work.
        work: String,
        /// The unit.
        unit: Vec<u8>,
    },
}

impl Work {
    /// Object that several tasks share.
    fn object(&self) -> &str {
        match self {
            Work::Epoch { search, .. } => search,
            Work::Unit { work, .. } => work,
        }
    }
}

/// A search, as an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SearchObject {
    /// The spec as TOML.
    spec: String,
    seed: u64,
    islands: u32,
    /// Fingerprint that the worker must find, too.
    fingerprint: u64,
}

/// From a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum StudioMessage {
    /// A sign of life.
    Hello {
        /// Version of the worker. Must stay the first field: other versions read it.
        version: String,
        /// Id of the worker.
        id: String,
        /// Epochs it runs at once.
        threads: u32,
    },
    /// A task is being worked on; asks whether it is still wanted.
    Working(u64),
    /// News of a task: those of an epoch, or the share of a load that is done.
    News(u64, Vec<u8>),
    /// Result of a task.
    End(u64, Payload),
    /// A task that this worker cannot do, and why.
    Refused(u64, String),
}

/// Answer of the studio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Reply {
    /// Version of the studio.
    Version(String),
    /// The task is wanted, or its result was taken.
    Yes,
    /// Nobody wants the task any more.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Address {
        let (url, prefix) = (url.into(), "c".into());
        Address { url, prefix, password: None, credentials: None, authority: None, open: false }
    }

    #[test]
    fn a_public_server_needs_credentials() {
        let checked = |address: &Address| address.hosts().and_then(|hosts| address.check(&hosts));
        for url in ["nats://127.0.0.1:4222", "localhost", "nats://[::1]:4222", "nats://me:secret@10.0.0.1"] {
            assert!(checked(&address(url)).is_ok(), "{url}");
        }
        for url in ["nats://10.0.0.1:4222", "nats.example", "127.0.0.1,10.0.0.1"] {
            assert!(matches!(checked(&address(url)), Err(BusError::Open(_))), "{url}");
        }
        let allowed = Address { open: true, ..address("nats://10.0.0.1:4222") };
        assert!(checked(&allowed).is_ok());
        assert!(matches!(address("nats://:x:y").hosts(), Err(BusError::Address(_))));
        let refused = checked(&address("nats://10.0.0.1:4222")).unwrap_err().to_string();
        assert!(refused.contains("10.0.0.1:4222") && refused.contains("--nats-credentials"), "{refused}");
        let wrong = address("nats://me:secret@10.0.0.1:99999").hosts().unwrap_err().to_string();
        assert!(wrong.contains("10.0.0.1:99999") && !wrong.contains("secret"), "{wrong}");
    }

    #[test]
    fn an_address_may_have_a_login() {
        let login = |url: &str| Address::login(&address(url).hosts().unwrap());
        assert_eq!(login("nats://10.0.0.1").unwrap(), None);
        let user = login("nats://me:a%40b@10.0.0.1,nats://me:a%40b@10.0.0.2").unwrap();
        assert_eq!(user, Some(("me".into(), Some("a@b".into()))));
        assert_eq!(login("nats://token@10.0.0.1").unwrap(), Some(("token".into(), None)));
        assert!(matches!(login("nats://me:a@10.0.0.1,nats://me:b@10.0.0.2"), Err(BusError::Logins)));
    }

    #[tokio::test]
    async fn a_password_comes_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        let login = async |url: &str| {
            let address = Address { password: Some(file.clone()), ..address(url) };
            address.login_with_file(&address.hosts().unwrap()).await
        };
        let missing = login("nats://me@10.0.0.1").await.unwrap_err().to_string();
        assert!(missing.contains("cannot read") && missing.contains("--nats-password-file"), "{missing}");
        std::fs::write(&file, "\n").unwrap();
        assert!(matches!(login("nats://me@10.0.0.1").await, Err(BusError::NoPassword(_))));
        std::fs::write(&file, "a b\n").unwrap();
        assert_eq!(login("nats://me@10.0.0.1").await.unwrap(), Some(("me".into(), Some("a b".into()))));
        for url in ["nats://10.0.0.1", "nats://me:secret@10.0.0.1"] {
            let error = login(url).await.unwrap_err();
            assert!(matches!(error, BusError::User) && !error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn other_versions_can_read_a_hello() {
        let hello = StudioMessage::Hello { version: "0.1.0+abc".into(), id: "w".into(), threads: 3 };
        // The kind of the message, then the length of the version and the version.
        assert_eq!(&write(&hello)[..11], b"\x00\x090.1.0+abc");
        assert_eq!(read(&write(&hello)), Some(hello));
        assert_eq!(read::<Reply>(&write(&Reply::Version("x".into()))), Some(Reply::Version("x".into())));
    }
}

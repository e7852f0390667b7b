//! Exports. An archive is sent while it is rendered, once its size is known to fit; a single file when it is complete.

use super::{
    ApiError, App,
    error::{ExportTooLarge, too_large_export},
    error::{NO_ANSWER, SLOW_EXPORT},
    extract::{Body, Names, Params},
    guard::EXPORT_POLICY,
};
use crate::{
    artifact::{self, ArtifactError, FormatArchive},
    lock,
    prepare::{Request, TextError},
    tasks::{self, CancelOnDrop, Claim, Lane, TaskError},
};
use axum::{
    Json,
    body::Body as Content,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use shared::{
    api::{ExportRequest, ExportView, Problem},
    cancel,
    exports::{Bundle, DESIGNS, FileTarget, Formats, Settings},
    resolve::NoFiles,
};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    os::unix::fs::FileExt,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::timeout,
};
use tokio_stream::wrappers::ReceiverStream;
use utoipa::IntoParams;

/// Bytes per chunk.
const CHUNK: usize = 64 << 10;
/// Max bytes read at a time.
const MAX_CHUNK: u64 = 256 << 10;
/// Bytes up to which an export is sent in one piece.
const HELD: u64 = 1 << 20;
/// Bytes by which a claim of temporary files grows.
const DISK_STEP: u64 = 16 << 20;
/// Estimated bytes of memory of a rendering, besides the demand.
const RENDERING: u64 = 32 << 20;
/// Estimated bytes of memory of a rendering per node.
const RENDERING_PER_NODE: u64 = 1 << 10;
/// A client that reads nothing for this long has gone.
const STALLED: Duration = Duration::from_secs(60);

/// A file of a format that has one per node or switch, and its settings.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct FileQuery {
    /// The node, also as `pe`, or the switch of formats with one file per switch; without it, all files as a tar archive. Of
    /// several formats of both kinds, the node.
    #[serde(alias = "pe")]
    pub node: Option<u32>,
    /// Settings of the format as `name=value`, separated by `;`. Write a `;` in a value twice.
    pub with: Option<String>,
}

impl FileQuery {
    /// The settings, each `name=value`.
    pub(super) fn choices(&self) -> Vec<String> {
        self.with.as_deref().map(choices).unwrap_or_default()
    }
}

/// All export formats of designs.
#[utoipa::path(get, path = "/api/exports", tag = "exports", responses((status = 200, body = [ExportView])))]
pub async fn list() -> Json<Vec<ExportView>> {
    Json(ExportView::all(DESIGNS))
}

/// An export of a design that is not saved. The command line gives the same bytes. Several formats (separate with
/// commas) or `all` give a tar archive. `all` skips formats that don't apply to this design; `LEFT-OUT.txt` lists them and
/// why.
#[utoipa::path(post, path = "/api/exports/{format}", tag = "exports", params(("format" = String, Path), FileQuery),
    request_body = ExportRequest, responses(
    (status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream"),
    (status = 422, description = "The spec or the table has errors, or the wiring does not fit the format",
     body = Problem, content_type = "application/problem+json"),
))]
pub async fn export(
    State(app): State<App>,
    Names(name): Names<String>,
    Params(which): Params<FileQuery>,
    Body(body): Body<ExportRequest>,
) -> Result<Response, ApiError> {
    design(&app, &name, which, body).await
}

/// Renders exports of a design.
pub(super) async fn design(
    app: &App,
    name: &str,
    which: FileQuery,
    asked: ExportRequest,
) -> Result<Response, ApiError> {
    let fonts = app.config.fonts.clone();
    let make = move || {
        let request = Request::read(&asked.spec, &mut NoFiles)?;
        let design = request.wiring(&asked.table)?;
        let claims =
            (request.claim(), tasks::claim(RENDERING + RENDERING_PER_NODE * u64::from(request.spec.pes))?);
        Ok::<_, TextError>((request.bundle(design).with_fonts(fonts), claims))
    };
    download(app, DESIGNS, name, (which, asked.with), make).await
}

/// Renders exports into a temporary file and sends it. What `make` returns beside the bundle lives as long.
pub(super) async fn download<C, E: Into<ApiError>>(
    app: &App,
    formats: Formats,
    name: &str,
    (which, with): (FileQuery, Vec<String>),
    make: impl FnOnce() -> Result<(Bundle, C), E> + Send + 'static,
) -> Result<Response, ApiError> {
    let mut choices = which.choices();
    choices.extend(with);
    let choices = artifact::with_today(formats, name, choices);
    let (number, patience) = (which.node, app.config.patience / 2);
    if let Some(mut several) =
        FormatArchive::read(formats, name, choices.clone(), number.map(FileTarget::from))?
    {
        let render = move |head: &Head, out: &mut dyn Write| {
            let (bundle, _claims) = make().map_err(Into::<ApiError>::into)?;
            head.name(several.file_name(&bundle), "application/x-tar");
            let (bundle, bytes) = several.plan(bundle, head.max(), patience)?;
            head.reserve(bytes)?;
            Ok(several.write(bundle, out).map(drop)?)
        };
        return stream(app, render).await;
    }
    let format = formats.get(name)?;
    let settings = Settings::read(format, choices.iter().map(String::as_str))?;
    let render = move |head: &Head, out: &mut dyn Write| {
        let (bundle, _claims) = make().map_err(Into::into)?;
        let bundle = bundle.with(settings);
        bundle.check(format, number)?;
        head.name(artifact::file_name(&bundle, format, number), artifact::media_type(format, number));
        if artifact::is_archive(format, number) {
            head.reserve(artifact::archive_size(&bundle, format, number)?)?;
        }
        Ok(artifact::write(&bundle, format, number, out)?)
    };
    stream(app, render).await
}

/// Settings with `;` between them, which a `;;` in a value stands for.
fn choices(with: &str) -> Vec<String> {
    // No setting has a NUL, which stands for a `;` in the meantime.
    let parts = with.replace(";;", "\0");
    let parts = parts.split(';').filter(|choice| !choice.trim().is_empty());
    parts.map(|choice| choice.replace('\0', ";")).collect()
}

fn respond((file, media): (String, &str), size: Option<u64>, content: Content) -> Response {
    let shown = if media.starts_with("text/html") { "inline" } else { "attachment" };
    let headers = [
        (header::CONTENT_TYPE, media.to_owned()),
        (header::CONTENT_DISPOSITION, disposition(shown, &file)),
        (header::CONTENT_SECURITY_POLICY, EXPORT_POLICY.to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    let mut response = (headers, content).into_response();
    size.map(|size| response.headers_mut().insert(header::CONTENT_LENGTH, size.into()));
    response
}

/// Value of the header, by RFC 6266: a name with letters of other scripts goes beside one of ASCII, for clients that know no
/// other.
fn disposition(shown: &str, file: &str) -> String {
    let plain: String = file.chars().map(|c| if c.is_ascii() { c } else { '_' }).collect();
    let mut value = format!("{shown}; filename=\"{plain}\"");
    if plain != file {
        value += &format!("; filename*=UTF-8''{}", utf8_percent_encode(file, BESIDES_NAMES));
    }
    value
}

/// Characters that are percent-encoded: all but those which names of files have.
const BESIDES_NAMES: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// What is known of an export before its first byte.
struct Head {
    /// File name and media type.
    name: OnceLock<(String, &'static str)>,
    /// Temporary disk space.
    claim: Mutex<Claim>,
    /// Max bytes of an export.
    max: u64,
    /// `true` once the space for the whole export is claimed.
    is_reserved: AtomicBool,
}

impl Head {
    fn name(&self, file: String, media: &'static str) {
        let _ = self.name.set((file, media));
    }

    /// Max bytes of an export.
    fn max(&self) -> u64 {
        self.max
    }

    /// Claims the space for the whole export of about so many bytes. It may then be sent while it is rendered.
    ///
    /// # Errors
    /// It can never fit, or others keep the space for too long.
    fn reserve(&self, bytes: u64) -> Result<(), ApiError> {
        if bytes > self.max {
            return Err(too_large_export(bytes, self.max));
        }
        // A little more, since the files of nodes may differ, if there is as much.
        let most = (bytes + bytes / 8).min(self.max);
        lock(&self.claim).grow(most)?;
        self.is_reserved.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Runs a rendering as a task. Until its space is reserved, an export is sent when it is complete; an error is then a proper
/// response. After that it is sent while it grows; an error then breaks the connection, so that the client sees a failure.
///
/// Rendering never waits for the client, so a slow one keeps no thread.
async fn stream(
    app: &App,
    render: impl FnOnce(&Head, &mut dyn Write) -> Result<(), ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let permit = app.tasks.permit(App::caller(), Lane::Ordinary).await?;
    let disk = &app.tasks.disk;
    let head = Arc::new(Head {
        name: OnceLock::new(),
        claim: Mutex::new(disk.empty_claim(App::client())),
        max: disk.max_claim(),
        is_reserved: AtomicBool::new(false),
    });
    let file =
        tempfile::tempfile().map_err(|error| ApiError::Storage(format!("No temporary file: {error}.")))?;
    let file = Arc::new(file);
    let (written, mut progress) = watch::channel(0);
    let spool = Spool { file: file.clone(), written, head: head.clone() };
    let named = head.clone();
    let (end, guard) = app.tasks.start(permit, move || {
        let mut out = BufWriter::with_capacity(CHUNK, spool);
        let rendered = render(&named, &mut out);
        let flushed = rendered.and_then(|()| out.flush().map_err(|error| ArtifactError::Io(error).into()));
        // What is buffered is useless without the rest.
        let (spool, _) = out.into_parts();
        lock(&named.claim).shrink(*spool.written.borrow());
        flushed
    });
    // Progress closes at the end of a rendering, a moment before its result is there.
    let is_sent = |&written: &u64| written >= HELD && head.is_reserved.load(Ordering::Relaxed);
    let first_byte = timeout(app.config.patience * 5 / 6, progress.wait_for(is_sent)).await;
    let Ok(grows) = first_byte.map(|grows| grows.is_ok()) else {
        // Without a name it still waits for others.
        let waits = || ApiError::Busy(NO_ANSWER.into());
        return Err(head.name.get().map_or_else(waits, |_| ApiError::Memory(SLOW_EXPORT.into())));
    };
    let name = || head.name.get().cloned().unwrap_or_default();
    let (mut end, mut size) = (end, None);
    if !grows {
        end.await.unwrap_or(Err(TaskError::Cancelled))??;
        let whole = *progress.borrow();
        if whole <= HELD {
            let content = app.block(move || read(&file, 0, whole as usize)).await?;
            return Ok(respond(name(), None, content.into()));
        }
        let (done, ended) = oneshot::channel();
        // The receiver is there.
        let _ = done.send(Ok(Ok(())));
        (end, size) = (ended, Some(whole));
    }
    let (sender, receiver) = mpsc::channel(2);
    let response = respond(name(), size, Content::from_stream(ReceiverStream::new(receiver)));
    tokio::spawn(pump(file, progress, end, (guard, head), sender));
    Ok(response)
}

/// Sends a file while it grows, until it is complete, the rendering fails or the client stops reading.
async fn pump(
    file: Arc<File>,
    mut progress: watch::Receiver<u64>,
    end: oneshot::Receiver<Result<Result<(), ApiError>, TaskError>>,
    _kept: (CancelOnDrop, Arc<Head>),
    sender: mpsc::Sender<Result<Vec<u8>, io::Error>>,
) {
    let mut sent = 0;
    loop {
        let written = *progress.borrow_and_update();
        while sent < written {
            let (file, size) = (file.clone(), (written - sent).min(MAX_CHUNK) as usize);
            let chunk = tokio::task::spawn_blocking(move || read(&file, sent, size)).await;
            let chunk = chunk.unwrap_or_else(|_| Err(ApiError::Internal("a read panicked".into())));
            let chunk = chunk.map_err(|error| io::Error::other(error.to_string()));
            sent += size as u64;
            if sender.send_timeout(chunk, STALLED).await.is_err() {
                return;
            }
        }
        let closed = tokio::select! {
            changed = progress.changed() => changed.is_err(),
            () = sender.closed() => return,
        };
        if closed && *progress.borrow() == sent {
            break;
        }
    }
    let failed = match end.await {
        Ok(Ok(Ok(()))) => return,
        Ok(Ok(Err(error))) => error,
        Ok(Err(stopped)) => stopped.into(),
        Err(_) => TaskError::Cancelled.into(),
    };
    tracing::warn!("an export was interrupted: {failed}");
    let _ = sender.send_timeout(Err(io::Error::other("the export failed")), STALLED).await;
}

/// Reads a part of a temporary file.
fn read(file: &File, at: u64, size: usize) -> Result<Vec<u8>, ApiError> {
    let mut bytes = vec![0; size];
    let read = file.read_exact_at(&mut bytes, at);
    read.map_err(|error| ApiError::Internal(format!("cannot read a temporary file: {error}")))?;
    Ok(bytes)
}

/// Writes to a temporary file and reports its size.
struct Spool {
    file: Arc<File>,
    written: watch::Sender<u64>,
    head: Arc<Head>,
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        cancel::check();
        let end = *self.written.borrow() + bytes.len() as u64;
        let mut claim = lock(&self.head.claim);
        if end > claim.bytes() {
            let step = DISK_STEP.min(self.head.max.saturating_sub(claim.bytes())).max(bytes.len() as u64);
            if claim.bytes() + step > self.head.max {
                return Err(io::Error::other(ExportTooLarge(self.head.max)));
            }
            claim.grow(step).map_err(io::Error::other)?;
        }
        drop(claim);
        (&*self.file).write_all(bytes)?;
        self.written.send_replace(end);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::Config,
        store::Store,
        tasks::{Limits, Tasks},
        work::{Timing, Works},
    };
    use axum::http::StatusCode;

    fn app(limits: Limits) -> App {
        let (store, tasks) = (Arc::new(Store::temporary().unwrap()), Tasks::new(limits));
        let works = Works::new(store.clone(), &tasks, 1, Timing::default(), None).unwrap();
        App::new(store, works, tasks, Config::default())
    }

    /// Waits until no task runs and no temporary file is left.
    async fn settled(app: &App) {
        while app.tasks.counts() != (0, 0) || app.tasks.disk.used() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    async fn whole(response: Response) -> Result<Vec<u8>, axum::Error> {
        axum::body::to_bytes(response.into_body(), usize::MAX).await.map(Vec::from)
    }

    /// Names the file, and reserves these bytes unless there are none.
    fn name(head: &Head, reserved: u64) -> Result<(), ApiError> {
        head.name("file".into(), "text/plain");
        if reserved > 0 { head.reserve(reserved) } else { Ok(()) }
    }

    /// Writes numbered kibibytes.
    fn write(out: &mut dyn Write, kibibytes: u32) -> Result<(), ApiError> {
        let written = (0..kibibytes).try_for_each(|number| out.write_all(&[number as u8; 1 << 10]));
        written.map_err(|error| ArtifactError::Io(error).into())
    }

    #[tokio::test]
    async fn every_byte_arrives_once_and_in_order() {
        let app = app(Limits::of(1));
        for (kibibytes, reserved) in [(0, 0), (1, 0), (1023, 9), (1024, 0), (5000, 0), (5000, 6 << 20)] {
            let render = move |head: &Head, out: &mut dyn Write| {
                name(head, reserved)?;
                write(out, kibibytes)
            };
            let response = stream(&app, render).await.unwrap();
            let is_known = response.headers().contains_key("content-length");
            assert_eq!(is_known, kibibytes > 1024 && reserved == 0, "{kibibytes}");
            assert_eq!(response.headers()["content-disposition"], "attachment; filename=\"file\"");
            let expected: Vec<u8> = (0..kibibytes).flat_map(|number| [number as u8; 1 << 10]).collect();
            assert!(whole(response).await.unwrap() == expected, "{kibibytes}");
            settled(&app).await;
        }
    }

    #[tokio::test]
    async fn a_panic_is_never_a_clean_end() {
        let app = app(Limits::of(1));
        for (kibibytes, reserved, status) in
            [(0, 0, 500), (10, 0, 500), (3000, 0, 500), (10, 4 << 20, 500), (3000, 4 << 20, 200)]
        {
            let render = move |head: &Head, out: &mut dyn Write| {
                name(head, reserved)?;
                write(out, kibibytes)?;
                panic!("for this test")
            };
            let response = stream(&app, render).await.unwrap_or_else(IntoResponse::into_response);
            assert_eq!(response.status(), StatusCode::from_u16(status).unwrap(), "{kibibytes}");
            assert_eq!(whole(response).await.is_err(), status == 200, "{kibibytes}");
            settled(&app).await;
        }
    }

    #[tokio::test]
    async fn a_client_that_leaves_stops_the_rendering() {
        let app = app(Limits::of(1));
        let endless = |head: &Head, out: &mut dyn Write| {
            name(head, 1 << 30)?;
            write(out, u32::MAX)
        };
        let response = stream(&app, endless).await.unwrap();
        drop(response);
        settled(&app).await;
        let limited = tokio::time::timeout(
            Duration::from_millis(20),
            stream(&app, |_, _| {
                loop {
                    cancel::check();
                }
            }),
        );
        assert!(limited.await.is_err());
        settled(&app).await;
    }

    #[tokio::test]
    async fn a_file_larger_than_the_limit_has_no_first_byte() {
        let app = app(Limits { disk: 20 << 20, ..Limits::of(1) });
        for reserved in [0, 11 << 20] {
            let render = move |head: &Head, out: &mut dyn Write| {
                name(head, reserved)?;
                write(out, 30 << 10)
            };
            let refused = stream(&app, render).await.unwrap_err();
            let figures = "has at least 11 MiB; the studio makes exports of up to 10 MiB";
            assert!(refused.to_string().contains(figures), "{refused}");
            assert_eq!(refused.problem().status, 422);
            settled(&app).await;
        }
        // Only a wrong estimate breaks off later.
        let render = |head: &Head, out: &mut dyn Write| {
            name(head, 5 << 20)?;
            write(out, 30 << 10)
        };
        let response = stream(&app, render).await.unwrap();
        assert!(whole(response).await.is_err());
        settled(&app).await;
    }

    #[test]
    fn a_semicolon_parts_choices_and_two_are_one_in_a_value() {
        assert_eq!(choices("dead=sw3 node7;through=none; "), ["dead=sw3 node7", "through=none"]);
        assert_eq!(choices("site=a;;b;palette=papers"), ["site=a;b", "palette=papers"]);
    }
}

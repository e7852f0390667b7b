//! Exports, streamed as they are rendered.

use super::{
    ApiError, App,
    extract::{Body, Names, Params},
    guard::EXPORT_POLICY,
};
use crate::{
    artifact::{self, ArtifactError, Several},
    prepare::{Request, TextError},
};
use axum::{
    Json,
    body::Body as Content,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use shared::{
    api::{ExportRequest, ExportView, Problem},
    exports::{Bundle, DESIGNS, Each, Formats, Settings},
    resolve::NoFiles,
};
use std::{
    io::{self, BufWriter, Write},
    time::Duration,
};
use tokio::{runtime::Handle, sync::mpsc};
use tokio_stream::{StreamExt, once, wrappers::ReceiverStream};
use utoipa::IntoParams;

/// Bytes per chunk.
const CHUNK: usize = 64 << 10;
/// A client that reads nothing for this long has gone.
const STALLED: Duration = Duration::from_secs(60);

/// A file of a format that has one per node or switch, and its settings.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// The node or switch, also as `pe`; without it, all files as a tar archive.
    #[serde(alias = "pe")]
    pub node: Option<u32>,
    /// Settings of the format as `name=value`, separated by `;`. Write a `;` in a value twice.
    pub with: Option<String>,
}

/// Every export format of designs.
#[utoipa::path(get, path = "/api/exports", tag = "exports", responses((status = 200, body = [ExportView])))]
pub async fn list() -> Json<Vec<ExportView>> {
    Json(ExportView::all(DESIGNS))
}

/// An export of a design that is not saved. The bytes are those of the command line. Several formats, separated by
/// commas, or `all` give a tar archive. `all` skips formats that don't apply to this design; `LEFT-OUT.txt` lists them and
/// why.
#[utoipa::path(post, path = "/api/exports/{format}", tag = "exports", params(("format" = String, Path), Which),
    request_body = ExportRequest, responses(
    (status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream"),
    (status = 422, description = "The spec or the table has faults, or the wiring does not fit the format",
     body = Problem, content_type = "application/problem+json"),
))]
pub async fn export(
    State(app): State<App>,
    Names(name): Names<String>,
    Params(which): Params<Which>,
    Body(body): Body<ExportRequest>,
) -> Result<Response, ApiError> {
    design(&app, &name, which, body).await
}

/// Renders exports of a design and sends them as they come.
pub(super) async fn design(
    app: &App,
    name: &str,
    which: Which,
    asked: ExportRequest,
) -> Result<Response, ApiError> {
    let make = move || {
        let request = Request::read(&asked.spec, &mut NoFiles)?;
        let design = request.wiring(&asked.table)?;
        Ok::<_, TextError>(request.bundle(design))
    };
    download(app, DESIGNS, name, (which, asked.with), make).await
}

/// Renders exports and sends them as they come.
pub(super) async fn download<E: Into<ApiError>>(
    app: &App,
    formats: Formats,
    name: &str,
    (which, with): (Which, Vec<String>),
    make: impl FnOnce() -> Result<Bundle, E> + Send + 'static,
) -> Result<Response, ApiError> {
    let mut choices = which.with.as_deref().map(choices).unwrap_or_default();
    choices.extend(with);
    let number = which.node;
    if let Some(several) = Several::read(formats, name, choices.clone(), number)? {
        let bundle = app.compute(move || make().map_err(Into::<ApiError>::into)).await?;
        bundle.check_number(Each::Node, number)?;
        let (file, media) = (several.file_name(&bundle), "application/x-tar");
        let content = stream(move |out| several.write(bundle, out).map(drop)).await?;
        return Ok(respond(&file, media, content));
    }
    let format = formats.get(name)?;
    let settings = Settings::read(format, choices.iter().map(String::as_str))?;
    let checked = move || {
        let bundle = make().map_err(Into::into)?.with(settings);
        bundle.check(format, number)?;
        Ok::<_, ApiError>(bundle)
    };
    let bundle = app.compute(checked).await?;
    let (file, media) = (artifact::file_name(&bundle, format, number), artifact::media_type(format, number));
    let content = stream(move |out| artifact::write(&bundle, format, number, out)).await?;
    Ok(respond(&file, media, content))
}

/// Settings with `;` between them, which a `;;` in a value stands for.
fn choices(with: &str) -> Vec<String> {
    // No setting has a NUL, which stands for a `;` in the meantime.
    let parts = with.replace(";;", "\0");
    let parts = parts.split(';').filter(|choice| !choice.trim().is_empty());
    parts.map(|choice| choice.replace('\0', ";")).collect()
}

fn respond(file: &str, media: &str, content: Content) -> Response {
    let shown = if media.starts_with("text/html") { "inline" } else { "attachment" };
    let headers = [
        (header::CONTENT_TYPE, media.to_owned()),
        (header::CONTENT_DISPOSITION, format!("{shown}; filename=\"{file}\"")),
        (header::CONTENT_SECURITY_POLICY, EXPORT_POLICY.to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, content).into_response()
}

/// Errors before the first bytes become a proper response; later ones break the connection.
async fn stream(
    write: impl FnOnce(&mut dyn Write) -> Result<(), ArtifactError> + Send + 'static,
) -> Result<Content, ApiError> {
    let (sender, mut receiver) = mpsc::channel(4);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let pipe = Pipe { sender: sender.clone(), runtime: runtime.clone() };
        let mut out = BufWriter::with_capacity(CHUNK, pipe);
        let written = write(&mut out);
        let flushed = written.and_then(|()| Ok(out.flush()?));
        if let Err(error) = flushed {
            // The client may be gone; the buffered bytes are useless without the rest.
            drop(out.into_parts());
            let _ = runtime.block_on(sender.send_timeout(Err(error), STALLED));
        }
    });
    match receiver.recv().await {
        Some(Err(error)) => Err(error.into()),
        None => Ok(Content::empty()),
        Some(Ok(first)) => {
            let rest = ReceiverStream::new(receiver);
            Ok(Content::from_stream(once(Ok(first)).chain(rest)))
        }
    }
}

/// A writer whose other end is a response.
struct Pipe {
    sender: mpsc::Sender<Result<Vec<u8>, ArtifactError>>,
    runtime: Handle,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.runtime.block_on(self.sender.send_timeout(Ok(bytes.to_vec()), STALLED));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::choices;

    #[test]
    fn a_semicolon_parts_choices_and_two_are_one_in_a_value() {
        assert_eq!(choices("dead=sw3 pe7;through=none; "), ["dead=sw3 pe7", "through=none"]);
        assert_eq!(choices("qr=a;;b;palette=papers"), ["qr=a;b", "palette=papers"]);
    }
}

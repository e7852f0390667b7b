//! HTTP: one function per call, and the event streams of work and cablings.

use crate::{
    browser, rights,
    state::connection::{Event, Line, Report},
};
use gloo_net::http::{Request, RequestBuilder, Response};
use js_sys::Promise;
use serde::{Serialize, de::DeserializeOwned};
use shared::api::{
    AddItem, CablingChange, CablingKey, CablingView, ContinueWork, DemandView, DesignView, DifferenceView,
    EDIT_HEADER, EditLink, ExportRequest, FailuresRequest, FailuresView, GalleryEntry, HelpChapter,
    HelpTopic, LibraryView, MergedTicks, OperatorView, PartView, Problem, QuickView, RemoveItem, ReplayView,
    RoutesRequest, RoutesView, SaveDesign, SearchReport, SendTicks, SetNote, SpecText, StartWork,
    StartWorkspace, StopWork, WatchersView, WorkView, WorkspaceView,
};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Blob, EventSource, MessageEvent, ReadableStreamDefaultReader};

/// Preference of a request that may wait: a second for the end of the work. Longer work is followed.
const WAIT: &str = "wait=1";

/// An answer, or the problem that the server reported.
pub type Answer<T> = Result<T, Problem>;

/// A file to save.
pub struct Download {
    pub name: String,
    pub blob: Blob,
}

/// The example specs.
pub async fn gallery() -> Answer<Vec<GalleryEntry>> {
    get("/api/gallery").await
}

/// Topics of the help.
pub async fn help_topics() -> Answer<Vec<HelpTopic>> {
    get("/api/help").await
}

/// A chapter of the help.
pub async fn help_chapter(topic: &str) -> Answer<HelpChapter> {
    get(&format!("/api/help/{topic}")).await
}

/// Starts work. This browser may stop it. With `wait`, waits a moment for its end; that signal ends the waiting, and computations.
pub async fn start<R: Report>(request: &StartWork, wait: Option<&AbortSignal>) -> Answer<WorkView<R>> {
    let token = rights::token();
    let post = with_token(Request::post("/api/work"), token.as_deref()).abort_signal(wait);
    let post = if wait.is_some() { post.header("Prefer", WAIT) } else { post };
    let view: WorkView<R> = read(send_json(post, request).await?).await?;
    if token.is_some() && (wait.is_none() || !view.state.is_over()) {
        rights::add_started(&view.id);
    }
    Ok(view)
}

/// Address of the picture of a saved design, or of a search's wiring.
pub fn preview_address(id: &str, of_search: bool) -> String {
    format!("/api/{}/{id}/preview.png", if of_search { "work" } else { "designs" })
}

/// Work with its report, or the part of it that `T` has.
pub async fn work<T: DeserializeOwned>(id: &str) -> Answer<T> {
    get(&format!("/api/work/{id}")).await
}

/// Stops work that this browser started, or whose edit link it holds.
pub async fn stop(id: &str) -> Answer<()> {
    let post = Request::post(&format!("/api/work/{id}/stop"));
    send(with_token(post, rights::token_for(id).as_deref()).build()).await.map(|_| ())
}

thread_local! {
    /// Computations that are stopped when the page is left; `None` before the first.
    static AT_LEAVE: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Stops a computation when the page is left, until the guard is dropped.
pub struct StopAtLeave(String);

impl StopAtLeave {
    /// Guards the computation of this id.
    pub fn new(id: &str) -> StopAtLeave {
        AT_LEAVE.with_borrow_mut(|ids| {
            if ids.is_none() {
                browser::on_leave(|| {
                    AT_LEAVE.with_borrow(|ids| ids.iter().flatten().for_each(|id| stop_at_leave(id)));
                });
            }
            ids.get_or_insert_default().push(id.into());
        });
        StopAtLeave(id.into())
    }
}

impl Drop for StopAtLeave {
    fn drop(&mut self) {
        AT_LEAVE.with_borrow_mut(|ids| ids.iter_mut().for_each(|ids| ids.retain(|id| *id != self.0)));
    }
}

fn stop_at_leave(id: &str) {
    let token = rights::token_for(id).unwrap_or_default();
    browser::post_at_leave(&format!("/api/work/{id}/stop"), (EDIT_HEADER, &token));
}

/// Continues a search that this browser started, or whose edit link it holds.
pub async fn continue_search(id: &str, request: &ContinueWork) -> Answer<WorkView<SearchReport>> {
    post_with(&format!("/api/work/{id}/continue"), rights::token_for(id).as_deref(), request).await
}

/// All work of the studio, for its operator. The token may be empty on the studio's machine. Returns `None` if `stop` ended it.
pub async fn operator(token: &str, stop: &AbortSignal) -> Answer<Option<OperatorView>> {
    let ask = async || {
        let get = Request::get("/api/operator").abort_signal(Some(stop));
        read(send(with_token(get, Some(token)).build()).await?).await
    };
    unless_stopped(stop, ask().await)
}

/// Stops work as the operator.
pub async fn stop_listed(token: &str, id: String) -> Answer<()> {
    change("/api/operator/stop", Some(token), &StopWork { id }).await
}

/// A request with an edit token, unless it is empty.
fn with_token(request: RequestBuilder, token: Option<&str>) -> RequestBuilder {
    match token {
        Some(token) if !token.is_empty() => request.header(EDIT_HEADER, token),
        _ => request,
    }
}

/// The table of the best wiring of a search so far; `None` if there is none yet.
pub async fn search_table(id: &str) -> Answer<Option<String>> {
    let response = Request::get(&format!("/api/work/{id}/table")).send().await.map_err(offline)?;
    if matches!(response.status(), 204 | 404) {
        return Ok(None);
    }
    let bytes = bytes_of(&checked(response).await?).await?;
    let text = String::from_utf8(bytes).map_err(|error| problem(UNREADABLE, &error.to_string()))?;
    Ok((!text.trim().is_empty()).then_some(text))
}

/// The wirings that a search found on its way.
pub async fn search_replay(id: &str) -> Answer<ReplayView> {
    get(&format!("/api/work/{id}/replay")).await
}

/// The best wiring of a cell or offer of a hardware search so far.
pub async fn part(id: &str, number: usize) -> Answer<PartView> {
    get(&format!("/api/work/{id}/parts/{number}")).await
}

/// Counts of a spec's pairs, and the bounds on its hardware. Returns `None` if `stop` ended it.
pub async fn demand(request: &SpecText, stop: &AbortSignal) -> Answer<Option<DemandView>> {
    compute("/api/demand", request, stop).await
}

/// The wiring that a search of milliseconds finds. Returns `None` if `stop` ended it.
pub async fn quick(request: &StartWork, stop: &AbortSignal) -> Answer<Option<QuickView>> {
    compute("/api/quick", request, stop).await
}

/// The routes of two nodes. Returns `None` if `stop` ended it.
pub async fn routes(request: &RoutesRequest, stop: &AbortSignal) -> Answer<Option<RoutesView>> {
    compute("/api/routes", request, stop).await
}

/// The effect of failed parts. Returns `None` if `stop` ended it.
pub async fn failures(request: &FailuresRequest, stop: &AbortSignal) -> Answer<Option<FailuresView>> {
    compute("/api/failures", request, stop).await
}

/// Posts what the server computes and does not keep. Returns `None` if `stop` ended it.
async fn compute<T: DeserializeOwned>(
    address: &str,
    request: &impl Serialize,
    stop: &AbortSignal,
) -> Answer<Option<T>> {
    let ask = async || read(send_json(Request::post(address).abort_signal(Some(stop)), request).await?).await;
    unless_stopped(stop, ask().await)
}

/// Saves a design.
pub async fn save_design(design: &SaveDesign) -> Answer<DesignView> {
    post_with("/api/designs", rights::token().as_deref(), design).await
}

/// The designs and runs of this browser.
pub async fn library() -> Answer<LibraryView> {
    get_with("/api/library", rights::token().as_deref()).await
}

/// Changes the note of a design or run.
pub async fn set_note(id: &str, note: String, token: Option<&str>) -> Answer<()> {
    change(&format!("/api/library/{id}/note"), token, &SetNote { note }).await
}

/// Deletes a design or run.
pub async fn delete_item(id: &str, token: Option<&str>) -> Answer<()> {
    change(&format!("/api/library/{id}/delete"), token, &()).await
}

/// Creates a workspace with this edit secret.
pub async fn start_workspace(name: String, secret: &str) -> Answer<WorkspaceView> {
    post_with("/api/workspaces", Some(secret), &StartWorkspace { name }).await
}

/// A workspace, with its edit secret if this browser has that.
pub async fn workspace(id: &str) -> Answer<WorkspaceView> {
    get_with(&format!("/api/workspaces/{id}"), rights::secret(id).as_deref()).await
}

/// Renames a workspace.
pub async fn rename_workspace(id: &str, name: String) -> Answer<()> {
    let path = format!("/api/workspaces/{id}/name");
    change(&path, rights::secret(id).as_deref(), &StartWorkspace { name }).await
}

/// Deletes a workspace. Its designs and runs stay.
pub async fn delete_workspace(id: &str) -> Answer<()> {
    change(&format!("/api/workspaces/{id}/delete"), rights::secret(id).as_deref(), &()).await
}

/// Adds a design or run to a workspace. If it is of this browser, editors of the workspace may change it.
pub async fn add_to_workspace(workspace: &str, item: String) -> Answer<()> {
    let edit = rights::token().unwrap_or_default();
    let path = format!("/api/workspaces/{workspace}/items");
    change(&path, rights::secret(workspace).as_deref(), &AddItem { item, edit }).await
}

/// Takes a design or run out of a workspace.
pub async fn remove_from_workspace(workspace: &str, item: String) -> Answer<()> {
    let path = format!("/api/workspaces/{workspace}/remove");
    change(&path, rights::secret(workspace).as_deref(), &RemoveItem { item }).await
}

/// The secret of the edit link of a search that this browser started. It is made once.
pub async fn edit_link(id: &str) -> Answer<String> {
    if let Some(secret) = rights::secret(id) {
        return Ok(secret);
    }
    let post = with_token(Request::post(&format!("/api/work/{id}/edit-link")), rights::token().as_deref());
    let link: EditLink = read(send(post.build()).await?).await?;
    rights::keep_secret(id, &link.edit);
    Ok(link.edit)
}

/// Two designs or runs side by side. Returns `None` if `stop` ended it.
pub async fn difference(a: &str, b: &str, stop: &AbortSignal) -> Answer<Option<DifferenceView>> {
    let ask = async || {
        let request = Request::get(&format!("/api/differences/{a}/{b}")).abort_signal(Some(stop));
        read(send(request.build()).await?).await
    };
    unless_stopped(stop, ask().await)
}

/// Address of the difference map of two designs.
pub fn difference_map_address(a: &str, b: &str) -> String {
    format!("/api/differences/{a}/{b}/map.png")
}

/// Address of the work list from a design to another: `csv` or `txt`.
pub fn recabling_address(a: &str, b: &str, ending: &str) -> String {
    format!("/api/differences/{a}/{b}/recabling.{ending}")
}

async fn get_with<T: DeserializeOwned>(address: &str, token: Option<&str>) -> Answer<T> {
    read(send(with_token(Request::get(address), token).build()).await?).await
}

/// Posts with a token.
async fn post_with<T: DeserializeOwned>(
    address: &str,
    token: Option<&str>,
    body: &impl Serialize,
) -> Answer<T> {
    read(send_json(with_token(Request::post(address), token), body).await?).await
}

/// Sends a change with a token. The answer has no body.
async fn change(address: &str, token: Option<&str>, body: &impl Serialize) -> Answer<()> {
    send_json(with_token(Request::post(address), token), body).await.map(|_| ())
}

/// A saved design.
pub async fn design(id: &str) -> Answer<DesignView> {
    get(&format!("/api/designs/{id}")).await
}

/// Cabling of a saved design, and the rights that a cabling key or edit token gives.
pub async fn cabling(design: &str, token: Option<&str>) -> Answer<CablingView> {
    get_with(&format!("/api/designs/{design}/cabling"), token).await
}

/// A fresh cabling key: with `more` empty, it starts cabling; with `/key`, it replaces the key.
pub async fn cabling_key(design: &str, more: &str, token: Option<&str>) -> Answer<CablingKey> {
    let post = Request::post(&format!("/api/designs/{design}/cabling{more}"));
    read(send(with_token(post, token).build()).await?).await
}

/// Sends ticks.
pub async fn send_ticks(design: &str, key: &str, ticks: &SendTicks) -> Answer<MergedTicks> {
    post_with(&format!("/api/designs/{design}/cabling/ticks"), Some(key), ticks).await
}

/// An event of a cabling.
pub enum CablingEvent {
    Opened,
    Disconnected,
    Changed(CablingChange),
}

/// The event stream of a cabling.
pub fn cabling_events(design: &str, act: &(impl Fn(CablingEvent) + Clone + 'static)) -> Option<Events> {
    let source = EventSource::new(&format!("/api/designs/{design}/cabling/events")).ok()?;
    let mut events = Events { source, closures: Vec::new() };
    events.listen("open", act, |_| Some(CablingEvent::Opened));
    events.listen("error", act, |_| Some(CablingEvent::Disconnected));
    events.listen("ticks", act, |data| serde_json::from_str(data).ok().map(CablingEvent::Changed));
    Some(events)
}

/// Address of an export of a saved design.
pub fn export_address(design: &str, format: &str, choices: &[String]) -> String {
    let with: Vec<String> = choices.iter().map(|choice| choice.replace(';', ";;")).collect();
    let query = if with.is_empty() {
        String::new()
    } else {
        format!("?with={}", browser::in_address(&with.join(";")))
    };
    format!("/api/designs/{design}/exports/{format}{query}")
}

/// Downloads an export of a design that is not saved. `progress` takes the number of bytes so far. Returns `None` if `stop` ended it.
pub async fn export(
    format: &str,
    pe: Option<u32>,
    what: &ExportRequest,
    stop: &AbortSignal,
    progress: impl Fn(u64),
) -> Answer<Option<Download>> {
    let fetch = async || {
        let response = ask_for_export(format, pe, what, stop).await?;
        let disposition = response.headers().get("content-disposition").unwrap_or_default();
        let after = |mark: &str| disposition.split(mark).nth(1).and_then(|rest| rest.split(';').next());
        // RFC 6266: where both are, the first has letters that are not ASCII.
        let encoded = after("filename*=UTF-8''").and_then(|name| js_sys::decode_uri_component(name).ok());
        let plain = || after("filename=").map(|name| name.trim_matches('"').to_owned());
        let name = encoded.map(String::from).or_else(plain).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format.to_owned());
        let blob = blob_of(&response, progress).await?;
        Ok(Download { name, blob })
    };
    unless_stopped(stop, fetch().await)
}

/// Downloads the beginning of such an export in pieces, until `take` returns `false`. Returns `None` if `stop` ended it.
pub async fn beginning(
    format: &str,
    pe: Option<u32>,
    what: &ExportRequest,
    stop: &AbortSignal,
    mut take: impl FnMut(&[u8]) -> bool,
) -> Answer<Option<()>> {
    let mut read = async || {
        let response = ask_for_export(format, pe, what, stop).await?;
        each_piece(&response, |piece| take(&piece.to_vec())).await
    };
    unless_stopped(stop, read().await)
}

/// The answer to a request that `stop` aborts; `None` if it did.
fn unless_stopped<T>(stop: &AbortSignal, answer: Answer<T>) -> Answer<Option<T>> {
    match answer {
        Err(_) if stop.aborted() => Ok(None),
        answer => answer.map(Some),
    }
}

async fn ask_for_export(
    format: &str,
    pe: Option<u32>,
    what: &ExportRequest,
    stop: &AbortSignal,
) -> Answer<Response> {
    let of_pe = pe.map(|pe| format!("?pe={pe}")).unwrap_or_default();
    let address = format!("/api/exports/{format}{of_pe}");
    send_json(Request::post(&address).abort_signal(Some(stop)), what).await
}

/// Collects a body in pieces, outside WebAssembly's memory: archives may have hundreds of megabytes.
async fn blob_of(response: &Response, progress: impl Fn(u64)) -> Answer<Blob> {
    let (parts, mut bytes) = (js_sys::Array::new(), 0);
    each_piece(response, |piece| {
        bytes += u64::from(piece.length());
        parts.push(&piece);
        progress(bytes);
        true
    })
    .await?;
    Blob::new_with_u8_array_sequence(&parts)
        .map_err(|_| problem("The file cannot be saved", "it does not fit in memory."))
}

/// Passes on a body in pieces until `take` returns `false`, and cancels the rest.
async fn each_piece(response: &Response, mut take: impl FnMut(js_sys::Uint8Array) -> bool) -> Answer<()> {
    let lost = |_| problem("The download was interrupted", "try again.");
    let Some(body) = response.body() else { return Ok(()) };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    loop {
        let piece = JsFuture::from(reader.read()).await.map_err(lost)?;
        let field = |name: &str| js_sys::Reflect::get(&piece, &name.into()).map_err(lost);
        if field("done")?.is_truthy() {
            return Ok(());
        }
        if !take(field("value")?.unchecked_into()) {
            // An error means that the body has ended already.
            let _ = reader.cancel();
            return Ok(());
        }
    }
}

/// An open event stream; closed when dropped.
pub struct Events {
    source: EventSource,
    closures: Vec<Closure<dyn FnMut(MessageEvent)>>,
}

impl Drop for Events {
    fn drop(&mut self) {
        self.source.close();
    }
}

impl Events {
    /// Passes on the events of a name, as far as they can be parsed.
    pub fn listen<A: 'static>(
        &mut self,
        event: &str,
        act: &(impl Fn(A) + Clone + 'static),
        read: fn(&str) -> Option<A>,
    ) {
        let act = act.clone();
        let closure = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data().as_string().unwrap_or_default();
            if let Some(action) = read(&data) {
                act(action);
            }
        });
        let _ = self.source.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
        self.closures.push(closure);
    }

    /// `true` if the browser has given up reconnecting.
    pub fn is_closed(&self) -> bool {
        self.source.ready_state() == EventSource::CLOSED
    }
}

/// Passes on the events of work until `act`, which returns the state of the connection, has no use for more, the browser gives up
/// the stream, or `stop` aborts it. Returns the last state of the connection.
pub async fn listen<R: Report>(
    id: &str,
    stop: &AbortSignal,
    act: impl Fn(Event<R>) -> Option<Line> + Clone + 'static,
) -> Option<Line> {
    let source = EventSource::new(&format!("/api/work/{id}/events")).ok()?;
    let mut events = Events { source: source.clone(), closures: Vec::new() };
    let mut end = None;
    let ended = Promise::new(&mut |resolve, _| end = Some(resolve));
    let end = end?;
    let _ = stop.add_event_listener_with_callback("abort", &end);
    let last = Rc::new(Cell::new(Some(Line::Connecting)));
    let act = {
        let last = last.clone();
        move |event| {
            last.set(act(event));
            let is_live = !matches!(last.get(), None | Some(Line::Closed | Line::Gone));
            // Not inside the stream's own callback, which would be freed while it runs.
            if !is_live || source.ready_state() == EventSource::CLOSED {
                let _ = end.call0(&JsValue::NULL);
            }
        }
    };
    events.listen("open", &act, |_| Some(Event::Opened));
    events.listen("error", &act, |_| Some(Event::Disconnected));
    events.listen("work", &act, |data| serde_json::from_str(data).ok().map(Event::Reported));
    events.listen("progress", &act, |data| serde_json::from_str(data).ok().map(Event::Changed));
    events.listen("watchers", &act, |data| {
        serde_json::from_str::<WatchersView>(data).ok().map(|view| Event::Watchers(view.count))
    });
    let _ = JsFuture::from(ended).await;
    last.get()
}

async fn get<T: DeserializeOwned>(address: &str) -> Answer<T> {
    get_with(address, None).await
}

/// Sends a body as JSON. A blob is not copied into a text and back: a wiring table may have megabytes.
async fn send_json(request: RequestBuilder, body: &impl Serialize) -> Answer<Response> {
    // The page draws first what caused this.
    browser::breathe().await;
    let json = serde_json::to_vec(body).map_err(|error| problem(UNSENT, &error.to_string()))?;
    let blob = browser::blob(&json, "application/json")
        .ok_or_else(|| problem(UNSENT, "it does not fit in memory."))?;
    send(request.body(blob)).await
}

/// Parses an answer. What follows a large one gets a task of its own, so that the page can draw and take input in between.
async fn read<T: DeserializeOwned>(response: Response) -> Answer<T> {
    let bytes = bytes_of(&response).await?;
    let value = serde_json::from_slice(&bytes).map_err(|error| problem(UNREADABLE, &error.to_string()))?;
    if bytes.len() >= LARGE {
        browser::breathe().await;
    }
    Ok(value)
}

/// The bytes of an answer. The browser copies them many times faster than a text.
async fn bytes_of(response: &Response) -> Answer<Vec<u8>> {
    response.binary().await.map_err(offline)
}

async fn send(request: Result<Request, gloo_net::Error>) -> Answer<Response> {
    checked(request.map_err(offline)?.send().await.map_err(offline)?).await
}

/// The response if it is a success, else its problem.
async fn checked(response: Response) -> Answer<Response> {
    if response.ok() {
        return Ok(response);
    }
    let status = response.status();
    let fallback = Problem {
        title: "The server rejected the request".into(),
        status,
        detail: format!("status {status}."),
        ..Problem::default()
    };
    Err(response.json::<Problem>().await.unwrap_or(fallback))
}

fn offline(error: gloo_net::Error) -> Problem {
    match error {
        // Browsers give no useful reason.
        gloo_net::Error::JsError(_) => {
            problem(UNREACHABLE, "your work stays in this browser. Try again later.")
        }
        other => problem(UNREACHABLE, &other.to_string()),
    }
}

const UNREACHABLE: &str = "The server cannot be reached";
const UNREADABLE: &str = "The answer of the server cannot be read";
const UNSENT: &str = "The request cannot be sent";
/// Bytes of an answer that takes milliseconds to parse.
const LARGE: usize = 1 << 18;

fn problem(title: &str, detail: &str) -> Problem {
    Problem { title: title.into(), detail: detail.into(), ..Problem::default() }
}

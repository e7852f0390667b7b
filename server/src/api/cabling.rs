//! Cabling of saved designs: who may tick off cables, their ticks, and the audits of nodes.

use super::{
    ApiError, App, designs,
    extract::{Body, Names},
    rights::{EditHeader, Rights},
};
use crate::{
    edit::TokenHash,
    lock,
    prepare::{TextError, read_spec},
    store::{MergeResult, Store, StoreError, StoredCabling, StoredDesign, new_id},
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use shared::{
    analysis::audit::{Audit, FarEnd, MisplacedCable, MisplacedPlug, audit},
    api::{
        CableState, CablingChange, CablingKey, CablingView, MAX_TICK_NOTE, MAX_TICKS, MAX_WHO, MergedTicks,
        Problem, ReportAudit, SendTicks, Tick, TickSource, Ticks,
    },
    design::{self, Design, Node, table},
    form::{Layout, check_visible},
    resolve::NoFiles,
    spec::{Fault, Faults, Spec, names::Interfaces},
    text::{grouped, is_hidden},
};
use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, SystemTime},
};
use tokio::sync::watch;

/// Latest changes of an event.
const MAX_LATEST: usize = 64;
/// Max characters of a neighbour's name in a note.
const MAX_NEIGHBOUR: usize = 100;
/// Max bytes of a node's LLDP neighbours.
const MAX_NEIGHBOURS: usize = 256 << 10;

/// Bytes of a stored tick besides its texts.
const TICK_BYTES: usize = 64;

/// The latest changes of the cablings that are being watched, by design.
#[derive(Default)]
pub struct Cablings(Mutex<HashMap<String, watch::Sender<Latest>>>);

/// The latest changes of a cabling.
#[derive(Clone, Default)]
pub struct Latest {
    /// The changes.
    pub change: CablingChange,
    /// `true` if the studio stops.
    pub is_last: bool,
}

impl Cablings {
    /// Follows the changes of a cabling.
    pub fn watch(&self, design: &str) -> watch::Receiver<Latest> {
        lock(&self.0).entry(design.to_owned()).or_default().subscribe()
    }

    /// Ends all event streams.
    pub fn shut_down(&self) {
        for changes in lock(&self.0).values() {
            changes.send_modify(|latest| latest.is_last = true);
        }
    }

    /// Number of changes since somebody watches.
    fn revision(&self, design: &str) -> u64 {
        lock(&self.0).get(design).map_or(0, |changes| changes.borrow().change.revision)
    }

    /// Publishes changes, and forgets the cablings that nobody watches.
    fn publish(&self, design: &str, changed: Vec<Tick>) {
        let mut all = lock(&self.0);
        all.retain(|_, changes| changes.receiver_count() > 0);
        let Some(changes) = all.get(design).filter(|_| !changed.is_empty()) else { return };
        changes.send_modify(|Latest { change, .. }| {
            change.revision += changed.len() as u64;
            change.ticks.extend(changed);
            let old = change.ticks.len().saturating_sub(MAX_LATEST);
            change.ticks.drain(..old);
        });
    }
}

/// Cabling of a saved design, with the newest tick of each cable.
#[utoipa::path(get, path = "/api/designs/{id}/cabling", tag = "cabling", params(("id" = String, Path), EditHeader), responses(
    (status = 200, body = CablingView),
))]
pub async fn get(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let design = designs::stored(&app, id).await?.id;
    let cabling = started(&app, &design).await?;
    Ok(no_store(Json(view(&app, &rights, cabling, design).await?)))
}

/// Starts cabling with a fresh key. Clients with the key can tick off cables.
#[utoipa::path(post, path = "/api/designs/{id}/cabling", tag = "cabling", params(("id" = String, Path), EditHeader), responses(
    (status = 201, body = CablingKey),
    (status = 403, description = "The request may not change the design", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "Cabling has started", body = Problem, content_type = "application/problem+json"),
))]
pub async fn start(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let has_started = "Cabling of this design has started. A new key lets more phones tick, and makes the earlier key invalid.";
    fresh_key(&app, &rights, id, Store::start_cabling, has_started).await
}

/// Replaces the key of a cabling. The earlier key becomes invalid. Ticks stay.
#[utoipa::path(post, path = "/api/designs/{id}/cabling/key", tag = "cabling", params(("id" = String, Path), EditHeader), responses(
    (status = 201, body = CablingKey),
    (status = 403, description = "The request may not change the design", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "Cabling has not started", body = Problem, content_type = "application/problem+json"),
))]
pub async fn replace_key(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let has_not = "Cabling of this design has not started. Start it first.";
    fresh_key(&app, &rights, id, Store::replace_cabling_key, has_not).await
}

/// Makes a key for the cabling of a design and saves its hash. `conflict` says why the store does not take it.
async fn fresh_key(
    app: &App,
    rights: &Rights,
    id: String,
    save: fn(&Store, &str, TokenHash) -> Result<bool, StoreError>,
    conflict: &str,
) -> Result<Response, ApiError> {
    let design = designs::stored(app, id).await?.id;
    rights.edit_item(app, &design).await?;
    let key = new_id()?;
    let hash = TokenHash::of(&key);
    if !app.saved(0, move |store| save(store, &design, hash)).await? {
        return Err(ApiError::Conflict(conflict.into()));
    }
    Ok(no_store((StatusCode::CREATED, Json(CablingKey { key }))))
}

/// Merges ticks, the newest per cable. The studio dates a tick by its own clock and by the tick's age on arrival, but later than the tick
/// that the client had seen. A tick is rejected if its cable has a newer tick that the client had not seen. Sending a batch twice is safe.
#[utoipa::path(post, path = "/api/designs/{id}/cabling/ticks", tag = "cabling", params(("id" = String, Path), EditHeader),
    request_body = SendTicks, responses((status = 200, body = MergedTicks)))]
pub async fn tick(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(SendTicks { ticks, sent }): Body<SendTicks>,
) -> Result<Response, ApiError> {
    let design = writable(&app, &rights, id).await?;
    if ticks.len() > MAX_TICKS {
        let (found, max) = (grouped(ticks.len() as u64), grouped(MAX_TICKS as u64));
        return Err(Fault::new("ticks", format!("{found} ticks"), format!("up to {max} per request")).into());
    }
    let now = now();
    let source = TickSource::Person;
    let dated = |tick: Tick| Tick { source, at: now.saturating_sub(sent.saturating_sub(tick.at)), ..tick };
    let ticks: Vec<Tick> = ticks.into_iter().map(dated).collect();
    let id = design.id.clone();
    let ticks = app.compute_now(move || checked(&design, ticks)).await?;
    Ok(no_store(Json(merge(&app, id, ticks).await?)))
}

/// Compares the LLDP neighbours of a node with the design. Its cables become verified or wrong.
#[utoipa::path(post, path = "/api/designs/{id}/cabling/audit", tag = "cabling", params(("id" = String, Path), EditHeader),
    request_body = ReportAudit, responses((status = 200, body = CablingChange)))]
pub async fn report(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(report): Body<ReportAudit>,
) -> Result<Response, ApiError> {
    let design = writable(&app, &rights, id).await?;
    let id = design.id.clone();
    let known = app.stored(move |store| store.ticks(&id)).await?;
    let id = design.id.clone();
    let ticks = app.compute_now(move || audited(&design, &report, known)).await?;
    let MergedTicks { revision, ticks, .. } = merge(&app, id, ticks).await?;
    Ok(no_store(Json(CablingChange { revision, ticks })))
}

/// A design whose cabling the request may change.
async fn writable(app: &App, rights: &Rights, id: String) -> Result<StoredDesign, ApiError> {
    let design = designs::stored(app, id).await?;
    let why = match started(app, &design.id).await? {
        Some(cabling) if rights.has_key(cabling.key) => return Ok(design),
        Some(_) if rights.given().is_some() => {
            "This join link has been replaced, or is incomplete. Ask the person who started cabling for the current join link, and open it once on this phone."
        }
        Some(_) => "This link is view-only. Open the join link of this cabling once, then tick off cables.",
        None => {
            "Cabling of this design has not started. Its owner can start it on the page of the saved design."
        }
    };
    Err(ApiError::Edit(why.into()))
}

async fn started(app: &App, design: &str) -> Result<Option<StoredCabling>, ApiError> {
    let id = design.to_owned();
    app.stored(move |store| store.cabling(&id)).await
}

async fn view(
    app: &App,
    rights: &Rights,
    cabling: Option<StoredCabling>,
    design: String,
) -> Result<CablingView, ApiError> {
    // Before the ticks: changes in between are sent again.
    let revision = app.cablings.revision(&design);
    let may_edit = rights.may_edit_item(app, &design).await?;
    let ticks = app.stored(move |store| store.ticks(&design)).await?;
    let allowed = cabling.as_ref().is_some_and(|cabling| rights.has_key(cabling.key));
    Ok(CablingView { started: cabling.map(|cabling| cabling.started), allowed, may_edit, revision, ticks })
}

async fn merge(app: &App, design: String, ticks: Vec<Tick>) -> Result<MergedTicks, ApiError> {
    let id = design.clone();
    let bytes = ticks.iter().map(|tick| TICK_BYTES + tick.who.len() + tick.note.len()).sum();
    let MergeResult { changed, newest, rejected } = app
        .saved(bytes, move |store: &_| -> Result<_, StoreError> { store.merge_ticks(&id, &ticks) })
        .await?;
    app.cablings.publish(&design, changed);
    Ok(MergedTicks { revision: app.cablings.revision(&design), ticks: newest, rejected })
}

fn no_store(response: impl IntoResponse) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], response).into_response()
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.as_ref().map_or(0, Duration::as_millis) as u64
}

fn wiring(design: &StoredDesign) -> Result<(Spec, Design), TextError> {
    let spec = read_spec(&design.spec, &mut NoFiles)?;
    let wiring = table::parse(&design.table, spec.pes).map_err(TextError::Table)?;
    Ok((spec, wiring))
}

/// The ticks, if all are of the design and signed.
fn checked(design: &StoredDesign, ticks: Vec<Tick>) -> Result<Vec<Tick>, TextError> {
    let nis = {
        let (_, wiring) = wiring(design)?;
        (wiring.pes(), wiring.nis())
    };
    let mut faults = Vec::new();
    for (number, tick) in ticks.iter().enumerate() {
        let at = |field: &str| format!("ticks[{number}]{field}");
        let switch =
            (tick.node < nis.0).then(|| nis.1.of(tick.node).get(tick.nic as usize).copied()).flatten();
        if switch != Some(tick.switch) {
            let found = format!("node {}, NIC {}, switch {}", tick.node, tick.nic, tick.switch);
            faults.push(Fault::new(at(""), found, "a cable of the design"));
        }
        let [who, note] = [&tick.who, &tick.note].map(|text| text.chars().count());
        if !(1..=MAX_WHO).contains(&who) || tick.who.trim().is_empty() {
            let expected = format!("a name of 1 to {MAX_WHO} characters");
            faults.push(Fault::new(at(".who"), format!("{who} characters"), expected));
        }
        if note > MAX_TICK_NOTE {
            let expected = format!("up to {MAX_TICK_NOTE} characters");
            faults.push(Fault::new(at(".note"), format!("{note} characters"), expected));
        }
        let texts = [(".who", &tick.who, Layout::Line), (".note", &tick.note, Layout::Lines)];
        faults.extend(
            texts.iter().filter_map(|(field, text, layout)| check_visible(&at(field), text, *layout).err()),
        );
    }
    if faults.is_empty() { Ok(ticks) } else { Err(Faults(faults).into()) }
}

/// A node's cables as its LLDP neighbours show them. Cables that nobody has plugged in yet may be missing.
fn audited(stored: &StoredDesign, report: &ReportAudit, known: Vec<Tick>) -> Result<Vec<Tick>, TextError> {
    let (spec, design) = wiring(stored)?;
    let interfaces = Interfaces::parse(&report.interface).map_err(|expected| {
        let found = report.interface.chars().take(40).collect::<String>();
        Faults(vec![Fault::new("interface", found, expected)])
    })?;
    let names = design::Names::of(&spec, &design).with(Some(&interfaces), None);
    let Some(Node::Pe(node)) = names.find(&report.host) else {
        let expected = format!("a node of the design, such as {}", names.pe(0));
        let found = report.host.chars().take(40).collect::<String>();
        return Err(Faults(vec![Fault::new("host", found, expected)]).into());
    };
    if report.neighbours.len() > MAX_NEIGHBOURS {
        let found = format!("{} bytes", grouped(report.neighbours.len() as u64));
        let expected = format!("up to {} bytes", grouped(MAX_NEIGHBOURS as u64));
        return Err(Faults(vec![Fault::new("neighbours", found, expected)]).into());
    }
    let text = format!("{}\n{}", names.pe(node), report.neighbours);
    let audit = audit(&design, &names, &[], &text).map_err(TextError::Table)?;
    let mut before = Ticks::default();
    known.into_iter().for_each(|tick| _ = before.merge(tick));
    let (at, nis) = (now(), design.nis());
    let ticks = (0..).zip(nis.of(node)).filter_map(|(nic, &switch)| {
        let (state, source, who) = (CableState::Verified, TickSource::Audit, names.pe(node));
        // LLDP sees the cable itself, whatever people have ticked.
        let tick = Tick { node, nic, switch, state, source, who, at, seen: u64::MAX, note: String::new() };
        let (state, note) = judged(&audit, (&design, &names), &tick, before.state(tick.cable()))?;
        Some(Tick { state, note, ..tick })
    });
    Ok(ticks.collect())
}

/// State of a cable with a note; `None` if the audit says nothing new about it.
fn judged(
    audit: &Audit,
    (design, names): (&Design, &design::Names),
    tick: &Tick,
    before: CableState,
) -> Option<(CableState, String)> {
    let is_it = |pe: u32, ni: u32| (pe, ni) == (tick.node, tick.nic);
    if let Some(wrong) = audit.wrong.iter().find(|wrong| is_it(wrong.cable.pe, wrong.cable.ni)) {
        return Some((CableState::Wrong, mend(wrong, design, names)));
    }
    let nic = (tick.node, tick.nic);
    if let Some(note) = audit.misplugged.iter().find_map(|wrong| mend_plug(wrong, nic, names)) {
        return Some((CableState::Wrong, note));
    }
    let missing = audit.missing.iter().find(|m| is_it(m.cable.pe, m.cable.ni)).map(|m| m.neighbour());
    let direct = || audit.missing_direct.iter().find(|m| m.ends.contains(&nic)).map(|m| m.neighbour());
    if let Some(neighbour) = missing.or_else(direct) {
        if let Some(neighbour) = neighbour {
            // The name comes from the other device.
            let shown: String = neighbour.chars().filter(|c| !is_hidden(*c)).take(MAX_NEIGHBOUR).collect();
            let note = format!("This cable leads to {shown}, which is not in the design.");
            return Some((CableState::Wrong, note));
        }
        let was_plugged = before != CableState::Unplugged;
        return was_plugged.then(|| (CableState::Wrong, "LLDP sees no neighbour on this NIC.".into()));
    }
    let mut unclear = audit.ambiguous.iter().filter_map(|one| one.cable.as_ref()).chain(audit.unheard.iter());
    let is_unclear = unclear.any(|cable| is_it(cable.pe, cable.ni))
        || audit.unheard_direct.iter().any(|cable| cable.ends.contains(&nic))
        || names.is_cable(tick.switch) && design.members(tick.switch).len() < 2;
    (!is_unclear).then(|| (CableState::Verified, String::new()))
}

/// Where the plug of a NIC is, and the plug to swap it with if there is one; `None` if it is another NIC's.
fn mend_plug(wrong: &MisplacedPlug, nic: (u32, u32), names: &design::Names) -> Option<String> {
    let name = |(pe, ni): (u32, u32)| format!("{} NIC {ni}", names.pe(pe));
    let is_at = |at: &FarEnd| format!("This NIC is {}.", at.place("cabled to", names));
    let Some((other, end)) = &wrong.swapped_with else {
        return (wrong.nic == nic).then(|| is_at(&wrong.at));
    };
    let plugs = [(wrong.nic, &wrong.at, *other), (*other, end, wrong.nic)];
    plugs.into_iter().find_map(|(plug, at, other)| {
        if plug == nic {
            return Some(format!("Swap with {}. {}", name(other), is_at(at)));
        }
        let is_far = matches!(at, FarEnd::Nic { pe, ni, .. } if (*pe, *ni) == (nic.0, Some(nic.1)));
        is_far.then(|| format!("Swap {} with {}. This NIC is cabled to the first.", name(plug), name(other)))
    })
}

/// Where a wrong cable is, and the cable to swap it with if there is one.
fn mend(wrong: &MisplacedCable, design: &Design, names: &design::Names) -> String {
    let switch = names.switch(wrong.switch);
    let place = wrong.port.map_or_else(|| switch.clone(), |port| format!("{switch} port {port}"));
    let nis = design.nis();
    let owner = || {
        let pe = *design.members(wrong.switch).get(wrong.port?.checked_sub(1)? as usize)?;
        let ni = nis.of(pe).iter().position(|&switch| switch == wrong.switch)?;
        Some((pe, ni as u32))
    };
    let other = wrong.swapped_with.or_else(owner);
    let swap = other.map(|(pe, ni)| format!("Swap with {} NIC {ni}. ", names.pe(pe)));
    format!("{}This cable is on {place}.", swap.unwrap_or_default())
}

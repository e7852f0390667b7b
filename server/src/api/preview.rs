//! Pages of designs and searches as other programs see them: status, title, description and picture of a link.

use super::{ApiError, App, designs, extract::Names, guard, paint};
use crate::{
    lock,
    prepare::{Request, TextError, read_spec},
    store::{Card, StoredDesign},
    tasks::{self, Owner},
    web,
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use plotters::{
    backend::BitMapBackend,
    drawing::IntoDrawingArea,
    element::{Rectangle, Text},
    style::{Color, FontStyle, FontTransform, IntoFont, RGBColor, TextStyle, register_font},
};
use shared::{
    analysis::{
        leftout::weight_served,
        map::{MapIndex, Theme, Triangle, Window, colour},
    },
    api::WorkKind,
    design::{check, table},
    exports::{CablingPlan, write_png},
    resolve::NoFiles,
    spec::{Objective, Spec},
    text::{count, grouped},
};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, OnceLock},
};

/// Width and height of a picture, as link previews expect them.
const SIZE: (u32, u32) = (1200, 630);
/// Left and upper edge of the map, and its width.
const MAP: (i32, i32, u32) = (47, 47, 536);
/// Left edge of the words.
const WORDS: i32 = 640;
/// Max pictures that are kept.
const MAX_KEPT: usize = 64;
/// Caching of a picture. Its address is a secret link: no shared cache keeps it.
const KEPT: &str = "private, max-age=300";
/// Memory of a picture while it is drawn, in bytes.
const DRAWING: u64 = 8 << 20;

const PAPER: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(22, 26, 30);
const SOFT: RGBColor = RGBColor(90, 98, 106);
const LINE: RGBColor = RGBColor(190, 198, 206);
const GOOD: RGBColor = RGBColor(20, 110, 60);
const BAD: RGBColor = RGBColor(176, 32, 32);

/// Pictures of saved designs, which never change, and of ended searches. The latest used come last.
#[derive(Default)]
pub struct Pictures(Mutex<VecDeque<Picture>>);

struct Picture {
    design: String,
    /// The client that had it drawn.
    owner: Owner,
    file: Arc<Vec<u8>>,
}

impl Pictures {
    fn find(&self, id: &str) -> Option<Arc<Vec<u8>>> {
        let mut kept = lock(&self.0);
        let at = kept.iter().position(|known| known.design == id)?;
        let found = kept.remove(at)?;
        let picture = found.file.clone();
        kept.push_back(found);
        Some(picture)
    }

    /// Drops the picture of a design or search.
    pub fn forget(&self, id: &str) {
        lock(&self.0).retain(|known| known.design != id);
    }

    /// Keeps a picture. At the limit, it replaces the one that was not used for longest of the client with the most.
    fn keep(&self, design: String, owner: Owner, file: Arc<Vec<u8>>) {
        let mut kept = lock(&self.0);
        kept.retain(|known| known.design != design);
        kept.push_back(Picture { design, owner, file });
        if kept.len() > MAX_KEPT {
            let of = |owner: &Owner| kept.iter().filter(|other| other.owner == *owner).count();
            // The first of several with as many.
            let replaced = (0..kept.len()).rev().max_by_key(|&at| of(&kept[at].owner));
            replaced.map(|at| kept.remove(at));
        }
    }
}

/// The page of a saved design: title, description and picture for programs that show links, and name and figures for people.
pub async fn design_page(
    State(app): State<App>,
    Names(id): Names<String>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    linked(app, id, headers, uri, |mut about, design, card| {
        if let Ok(spec) = read_spec(&design.spec, &mut NoFiles) {
            let wiring = table::parse(&design.table, spec.pes).ok();
            let known = wiring.map(|wiring| paint::figures(&wiring, card)).unwrap_or_default();
            let figures = [vec![format!("{}.", hardware(&spec))], known].concat();
            about.first = paint::design(&name(&spec), &figures, Some(&picture_path(&design.id)));
        }
        Some(about)
    })
    .await
}

/// The page of a saved design that `complete` makes of its words; `None` if there is no such page.
async fn linked(
    app: App,
    id: String,
    headers: HeaderMap,
    uri: Uri,
    complete: impl FnOnce(web::LinkPreview, &StoredDesign, Option<&Card>) -> Option<web::LinkPreview>
    + Send
    + 'static,
) -> Result<Response, ApiError> {
    let found =
        app.stored(move |store| Ok((store.design(&id)?, store.deletion_of(&id)?, store.card(&id)?))).await?;
    let (design, card) = match found {
        (Some(design), _, card) => (design, card),
        (None, Some(_), _) => return Ok(web::page(StatusCode::GONE, &headers)),
        (None, None, _) => return Ok(web::page(StatusCode::NOT_FOUND, &headers)),
    };
    let origin = guard::origin(&app.config, &headers, &uri).unwrap_or_default();
    let work = move || Ok::<_, ApiError>(complete(about(&design, &origin), &design, card.as_ref()));
    Ok(match app.compute_now(work).await? {
        Some(about) => web::page_about(&about),
        None => web::page(StatusCode::NOT_FOUND, &headers),
    })
}

/// The page of a node of a saved design, for those who plug in its cables.
pub async fn node_page(
    State(app): State<App>,
    Names((id, node)): Names<(String, String)>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    linked(app, id, headers, uri, move |mut about, design, _| {
        let spec = read_spec(&design.spec, &mut NoFiles).ok()?;
        let node = node.parse().ok().filter(|node| *node < spec.pes)?;
        let plan = CablingPlan::new(spec.clone(), table::parse(&design.table, spec.pes).ok()?);
        about.title = format!("{} – {}", plan.names().pe(node), about.title);
        about.first = paint::node(design, &plan, node);
        Some(about)
    })
    .await
}

/// The page of work, with the name and the hardware of a search.
pub async fn work_page(
    State(app): State<App>,
    Names(id): Names<String>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let (works, owned) = (app.works.clone(), id.clone());
    let found = app.block(move || Ok::<_, ApiError>(works.view(&owned)?)).await?;
    let Some(view) = found else { return Ok(web::page(StatusCode::NOT_FOUND, &headers)) };
    let spec = view.asked.spec.filter(|_| view.asked.kind == WorkKind::Search).unwrap_or_default();
    let spec = app.compute_now(move || Ok::<_, ApiError>(read_spec(&spec, &mut NoFiles).ok())).await?;
    let Some(spec) = spec else { return Ok(web::page(StatusCode::OK, &headers)) };
    let origin = guard::origin(&app.config, &headers, &uri).unwrap_or_default();
    let description = format!("A search for the wiring of {}.", hardware(&spec));
    Ok(web::page_about(&web::LinkPreview {
        title: format!("{} – Crosspoint", name(&spec)),
        address: format!("{origin}/r/{id}"),
        picture: None,
        first: paint::design(&name(&spec), std::slice::from_ref(&description), None),
        description,
    }))
}

/// The page of a workspace.
pub async fn workspace_page(
    State(app): State<App>,
    Names(id): Names<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let is_known = app.stored(move |store| Ok(store.workspace_token(&id)?.is_some())).await?;
    Ok(web::page(if is_known { StatusCode::OK } else { StatusCode::NOT_FOUND }, &headers))
}

/// The page of two designs or runs side by side.
pub async fn difference_page(
    State(app): State<App>,
    Names((a, b)): Names<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let are_known = move |store: &crate::store::Store| {
        Ok(store.item_token(&a)?.is_some() && store.item_token(&b)?.is_some())
    };
    let status = if app.stored(are_known).await? { StatusCode::OK } else { StatusCode::NOT_FOUND };
    Ok(web::page(status, &headers))
}

/// Title and description of a design's link, and the address of its picture.
fn about(design: &StoredDesign, origin: &str) -> web::LinkPreview {
    let path = format!("/d/{}", design.id);
    let picture = format!("{origin}{}", picture_path(&design.id));
    let (title, description) = match read_spec(&design.spec, &mut NoFiles) {
        Ok(spec) => (name(&spec), format!("A cluster network wiring: {}.", hardware(&spec))),
        // A spec of an earlier version.
        Err(_) => ("Saved design".to_owned(), "A cluster network wiring.".to_owned()),
    };
    web::LinkPreview {
        title: format!("{title} – Crosspoint"),
        description,
        address: format!("{origin}{path}"),
        picture: Some(picture),
        first: String::new(),
    }
}

fn picture_path(design: &str) -> String {
    format!("/api/designs/{design}/preview.png")
}

fn name(spec: &Spec) -> String {
    if spec.name.is_empty() { "Untitled design".into() } else { spec.name.clone() }
}

/// Such as `128 nodes, 3 NICs each, 17 switches`.
fn hardware(spec: &Spec) -> String {
    let nis = match spec.pe_groups.as_slice() {
        [all] if all.nis == 1 => "1 NIC each".to_owned(),
        [all] => format!("{} NICs each", all.nis),
        groups => {
            let most = groups.iter().map(|group| group.nis).max().unwrap_or(0);
            format!("up to {most} NICs each")
        }
    };
    let most = spec
        .switch_limit()
        .map_or(String::new(), |most| format!(", up to {}", count(most.into(), spec.switch_noun())));
    format!("{} nodes, {nis}{most}", grouped(spec.pes.into()))
}

/// Picture of a saved design's map with its main figures, for link previews: PNG, 1200 by 630 pixels.
#[utoipa::path(get, path = "/api/designs/{id}/preview.png", tag = "designs", params(("id" = String, Path)), responses(
    (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/png"),
))]
pub async fn picture(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    // A deleted design has no picture, also if one was drawn while it was being deleted.
    let design = designs::stored(&app, id.clone()).await?;
    let picture = match app.pictures.find(&id) {
        Some(picture) => picture,
        None => {
            let picture = Arc::new(app.compute(move || draw(&design.spec, &design.table)).await?);
            app.pictures.keep(id, App::client(), picture.clone());
            picture
        }
    };
    Ok(sent(&picture, KEPT))
}

/// Picture of the best wiring of a search so far, in the format of a saved design's picture.
#[utoipa::path(get, path = "/api/work/{id}/preview.png", tag = "work", params(("id" = String, Path)), responses(
    (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/png"),
))]
pub async fn search_picture(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let (works, of) = (app.works.clone(), id.clone());
    let find = move || {
        let view = works.view(&of)?.ok_or_else(ApiError::no_work)?;
        let table = works.table(&of)?.ok_or_else(|| ApiError::not_found("wiring of this search yet"))?;
        Ok::<_, ApiError>((view, table))
    };
    let (view, table) = app.compute_now(find).await?;
    let is_over = view.state.is_over();
    if let Some(picture) = app.pictures.find(&id).filter(|_| is_over) {
        return Ok(sent(&picture, KEPT));
    }
    let picture = Arc::new(app.compute(move || draw(view.asked.spec(), &table)).await?);
    if is_over {
        app.pictures.keep(id, App::client(), picture.clone());
    }
    Ok(sent(&picture, if is_over { KEPT } else { "no-store" }))
}

fn sent(picture: &[u8], caching: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, caching)];
    (headers, picture.to_vec()).into_response()
}

/// Draws the picture of a wiring.
fn draw(spec: &str, table: &str) -> Result<Vec<u8>, TextError> {
    let _claim = tasks::claim(DRAWING)?;
    let request = Request::read(spec, &mut NoFiles)?;
    let wiring = request.wiring(table)?;
    let verdict = check(&request.spec, &request.demand, &wiring);
    let index = MapIndex::of(&request.spec, &request.demand, Some(&wiring));
    let covered = verdict.requested - verdict.uncovered.len() as u64;
    let requested = grouped(verdict.requested);
    let (state, standing) = match verdict.holds() {
        true => (GOOD, format!("All {requested} requested pairs share a {}", request.spec.switch_noun())),
        false if request.spec.objective == Objective::Fractional => {
            (INK, format!("{:.1} % of the weight covered", 100.0 * weight_served(&verdict)))
        }
        false => (BAD, format!("{} of {requested} requested pairs covered", grouped(covered))),
    };
    let mut lines = vec![
        count(request.spec.pes.into(), "node"),
        count(wiring.switch_count().into(), request.spec.switch_noun()),
    ];
    if !request.spec.has_only_cables() {
        lines.push(count(wiring.cables() as u64, "cable"));
    }
    Ok(paint(&index, &name(&request.spec), &lines, (state, &standing)))
}

/// A square picture of a map.
pub(super) fn map_picture(index: &MapIndex, side: u32) -> Vec<u8> {
    let tile = index.tile(Window::all(index.pes()), side);
    let mut pixels = Vec::with_capacity((side * side * 3) as usize);
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        let (row, column) = (y * tile.pixels / side, x * tile.pixels / side);
        let half = if row > column { Triangle::Requested } else { Triangle::Delivered };
        let cell = &tile.cells[(row * tile.pixels + column) as usize];
        let [r, g, b, a] = colour(cell, tile.places(column, row, index.pes()), Theme::Light, half);
        pixels.extend(
            [r, g, b].map(|c| ((u32::from(c) * u32::from(a) + 255 * (255 - u32::from(a))) / 255) as u8),
        );
    }
    let mut file = Vec::new();
    // Writing to memory does not fail.
    let _ = write_png(&pixels, (side as usize, side as usize), &mut file);
    file
}

fn paint(index: &MapIndex, name: &str, lines: &[String], (state, standing): (RGBColor, &str)) -> Vec<u8> {
    let mut pixels = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
    // The only error of a picture in memory is text without a font, and the font is part of the program.
    let _ = paint_on(&mut pixels, index, name, lines, (state, standing));
    encode(&pixels)
}

type Fault = Box<dyn std::error::Error>;

fn paint_on(
    pixels: &mut [u8],
    index: &MapIndex,
    name: &str,
    lines: &[String],
    (state, standing): (RGBColor, &str),
) -> Result<(), Fault> {
    fonts();
    let area = BitMapBackend::with_buffer(pixels, SIZE).into_drawing_area();
    area.fill(&PAPER)?;
    let (left, top, side) = MAP;
    let tile = index.tile(Window::all(index.pes()), side);
    let at = |cell: u32| (u64::from(cell) * u64::from(side) / u64::from(tile.pixels)) as i32;
    for (number, cell) in (0..).zip(&tile.cells) {
        let (column, row) = (number % tile.pixels, number / tile.pixels);
        let half = if row > column { Triangle::Requested } else { Triangle::Delivered };
        let places = tile.places(column, row, index.pes());
        let [r, g, b, a] = colour(cell, places, Theme::Light, half);
        let corners = [(left + at(column), top + at(row)), (left + at(column + 1), top + at(row + 1))];
        let paint = RGBColor(r, g, b).mix(f64::from(a) / 255.0);
        area.draw(&Rectangle::new(corners, paint.filled()))?;
    }
    let frame = [(left - 1, top - 1), (left + side as i32, top + side as i32)];
    area.draw(&Rectangle::new(frame, LINE))?;
    let write = |text: &str, size: i32, bold: bool, colour: RGBColor, y: i32| {
        let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = ("sans-serif", size, style).into_font().transform(FontTransform::None);
        area.draw(&Text::new(text.to_owned(), (WORDS, y), TextStyle::from(font).color(&colour)))
    };
    let mut y = 60;
    for line in folded(name, 19, 3) {
        write(&line, 56, true, INK, y)?;
        y += 66;
    }
    y += 18;
    for line in lines {
        write(line, 36, false, SOFT, y)?;
        y += 48;
    }
    y += 18;
    for line in folded(standing, 30, 3) {
        write(&line, 36, true, state, y)?;
        y += 46;
    }
    write("Crosspoint", 30, false, SOFT, 546)?;
    area.present()?;
    Ok(())
}

/// Words in lines of about so many letters. The last line is shortened.
fn folded(text: &str, width: usize, lines: usize) -> Vec<String> {
    let mut folded = vec![String::new()];
    for word in text.split_whitespace() {
        let full = folded
            .last()
            .is_some_and(|line| !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width);
        if full && folded.len() < lines {
            folded.push(String::new());
        }
        if let Some(line) = folded.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    folded.into_iter().map(|line| cut(line, width)).collect()
}

/// A line of at most so many letters.
fn cut(line: String, width: usize) -> String {
    match line.char_indices().nth(width) {
        Some(_) => line.chars().take(width - 1).chain(['…']).collect(),
        None => line,
    }
}

/// Makes the fonts known, once.
fn fonts() {
    static KNOWN: OnceLock<()> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let fonts: [(FontStyle, &[u8]); 2] = [
            (FontStyle::Normal, include_bytes!("../../../assets/fonts/LiberationSans-Regular.ttf")),
            (FontStyle::Bold, include_bytes!("../../../assets/fonts/LiberationSans-Bold.ttf")),
        ];
        for (style, bytes) in fonts {
            // It fails for bytes that are no font.
            let _ = register_font("sans-serif", style, bytes);
        }
    });
}

fn encode(pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    // Writing to memory does not fail.
    let _ = write_png(pixels, (SIZE.0 as usize, SIZE.1 as usize), &mut file);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_with_many_pictures_replaces_its_own() {
        let pictures = Pictures::default();
        let keep = |id: &str, owner: &str| pictures.keep(id.into(), Owner(owner.into()), Arc::default());
        keep("first", "modest");
        for number in 0..3 * MAX_KEPT {
            keep(&number.to_string(), "greedy");
        }
        assert!(pictures.find("first").is_some() && pictures.find("0").is_none());
        assert!(pictures.find(&(3 * MAX_KEPT - 1).to_string()).is_some());
        assert_eq!(lock(&pictures.0).len(), MAX_KEPT);
    }

    #[test]
    fn words_fold_between_words_and_the_last_line_is_shortened() {
        assert_eq!(
            folded("All 1,536 requested pairs share a switch", 20, 3),
            ["All 1,536 requested", "pairs share a switch"]
        );
        let long = folded("a name that goes on and on and on", 10, 2);
        assert_eq!((long.len(), long[0].as_str()), (2, "a name"));
        assert!(long[1].chars().count() <= 10, "{long:?}");
        assert_eq!(folded("", 10, 2), [""]);
    }

    #[test]
    fn the_latest_used_pictures_stay() {
        let pictures = Pictures::default();
        for number in 0..=MAX_KEPT {
            pictures.keep(number.to_string(), Owner::default(), Arc::default());
            assert!(pictures.find("0").is_some());
        }
        assert!(pictures.find("1").is_none() && pictures.find("2").is_some());
    }
}

//! Steps of several stories.

use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, DownloadedFile, Tab},
    visit::Visit,
};

/// Opens the start page.
pub async fn start_page(tab: &Tab) -> Result<()> {
    tab.link("Crosspoint").await?.click().await?;
    tab.until("the start page", "document.querySelectorAll('#gallery .cards li').length > 0").await
}

/// Checks the looks of the page in these colours and widths. The names of pictures begin with `start`.
pub async fn looks_well(visit: &Visit, start: &str, screens: &[(&str, u32)]) -> Result<()> {
    let tab = &visit.tab;
    for &(scheme, width) in screens {
        tab.prefers(scheme).await?;
        tab.resize(width, 900).await?;
        looks::all_is_well(tab).await?;
        looks::fits_the_width(tab).await?;
        visit.picture(&format!("{start}{scheme}-{width}")).await?;
    }
    tab.resize(DESKTOP.width, DESKTOP.height).await
}

/// Brings a panel of the Design page on a narrow screen; a wide one has them all.
pub async fn panel(tab: &Tab, name: &str) -> Result<()> {
    tab.until("the panels", "document.querySelector('.panels') !== null").await?;
    let id = format!("pane-{}", name.to_lowercase());
    let button = format!("document.getElementById({id:?})");
    tab.evaluate(&format!("{button}?.checkVisibility() && {button}.click()")).await.map(drop)
}

/// Picks a spec of the gallery on the start page.
pub async fn pick(tab: &Tab, name: &str) -> Result<()> {
    start_page(tab).await?;
    // A recent design may have the same name.
    let card = format!(
        "[...document.querySelectorAll('#gallery .card[id^=gallery-]')].find(card => card.innerText.includes({name:?}))?.id ?? ''"
    );
    tab.until(&format!("the card of {name}"), &format!("({card}) !== ''")).await?;
    let id = tab.evaluate(&card).await?;
    tab.click(&format!("#{}", id.as_str().unwrap_or_default())).await?;
    let named = format!("document.getElementById('session-name')?.textContent.includes({name:?})");
    tab.until(&format!("{name} is open"), &named).await
}

/// Starts a search that is not solved soon: 1,024 nodes with very narrow switches.
pub async fn start_something_hard(tab: &Tab) -> Result<()> {
    start_something_hard_with(tab, &[]).await
}

/// Starts a hard search with values of other fields, such as the time limit, which belongs to a design.
pub async fn start_something_hard_with(tab: &Tab, fields: &[(&str, &str)]) -> Result<()> {
    pick(tab, "Hypercube and all tori").await?;
    panel(tab, "Spec").await?;
    for (label, value) in [&[("Ports", "12")][..], fields].concat() {
        tab.field(label).await?.fill(value).await?;
    }
    panel(tab, "Search").await?;
    tab.until("it may be tried", "document.getElementById('start')?.disabled === false").await?;
    tab.button("Start").await?.click().await
}

/// Starts the search and waits until it is solved and checked.
pub async fn solve(tab: &Tab) -> Result<()> {
    panel(tab, "Search").await?;
    tab.button("Start").await?.click().await?;
    tab.until("the search ends", "document.getElementById('run-state')?.textContent === 'Solved'").await?;
    tab.until(
        "the checker agrees",
        "document.getElementById('standing')?.textContent.includes('Checked: all')",
    )
    .await
}

/// Checks that the page shows a search of another browser: a sentence instead of the button with this id. The shortcut does
/// nothing.
pub async fn cannot_stop(tab: &Tab, button: &str) -> Result<()> {
    tab.shows("Only the browser that started this search can stop it.").await?;
    tab.press("s").await?;
    let start = button.replace("stop", "start");
    let shown = tab
        .evaluate(&format!("[{button:?}, {start:?}].some(id => document.getElementById(id) !== null)"))
        .await?;
    ensure!(shown == false, "there is a button to start or stop");
    Ok(())
}

/// Goes to the page of the session's hardware.
pub async fn hardware(tab: &Tab) -> Result<()> {
    tab.link("Hardware").await?.click().await?;
    tab.until("its form", "document.getElementById('board-start') !== null").await
}

/// The text of an element that the page names by an id.
pub async fn text_of(tab: &Tab, id: &str) -> Result<String> {
    let text = tab.evaluate(&format!("document.getElementById({id:?})?.textContent ?? ''")).await?;
    Ok(text.as_str().unwrap_or_default().trim().to_owned())
}

/// Views of the design, on its first page.
const VIEWS: [&str; 6] = ["Map", "Cables", "Racks", "Wiring", "Figures", "Routes"];

/// Opens a page of the design, or one of its views.
pub async fn open(tab: &Tab, name: &str) -> Result<()> {
    let is_view = VIEWS.contains(&name);
    let page = if is_view { "Design" } else { name };
    tab.link(page).await?.click().await?;
    if is_view {
        panel(tab, "View").await?;
        tab.button(name).await?.click().await?;
    }
    Ok(())
}

/// The text of the whole wiring table on screen.
pub async fn wiring(tab: &Tab) -> Result<Vec<String>> {
    open(tab, "Wiring").await?;
    tab.until("the wiring table", "document.querySelectorAll('#wiring-table tbody tr').length > 0").await?;
    lines(tab, "#wiring-table tbody tr").await
}

/// The text of all figures on screen.
pub async fn figures(tab: &Tab) -> Result<Vec<String>> {
    open(tab, "Figures").await?;
    tab.until("the figures", "document.querySelectorAll('.scene table tbody tr').length > 5").await?;
    lines(tab, ".scene table tbody tr").await
}

async fn lines(tab: &Tab, selector: &str) -> Result<Vec<String>> {
    let script = format!(
        "[...document.querySelectorAll({selector:?})].map(e => e.innerText.replace(/\\s+/g, ' ').trim())"
    );
    let lines = tab.evaluate(&script).await?;
    let lines: Vec<String> = serde_json::from_value(lines)?;
    ensure!(!lines.is_empty(), "nothing at {selector}");
    Ok(lines)
}

/// Opens a format on the Export page.
pub async fn unfold(tab: &Tab, format: &str) -> Result<()> {
    open(tab, "Export").await?;
    let line = format!("document.getElementById('show-{format}')");
    tab.until("the list of formats", &format!("{line} !== null")).await?;
    tab.evaluate(&format!("{line}.ariaExpanded === 'true' || {line}.click()")).await?;
    tab.until("it is open", &format!("document.getElementById('look-{format}') !== null")).await
}

/// Downloads a format from the Export page by its button's id.
pub async fn download(tab: &Tab, button: &str, file: &str) -> Result<DownloadedFile> {
    let format = button.trim_start_matches("export-").trim_start_matches("one-");
    unfold(tab, format).await?;
    tab.download(file, async || tab.click(&format!("#{button}")).await).await
}

/// Number of dark, green and red pixels in each triangle of the map: lower (requested), upper (delivered).
pub async fn map_colours(tab: &Tab) -> Result<[[u64; 3]; 2]> {
    open(tab, "Map").await?;
    tab.until("the map", "document.getElementById('map')?.width > 300").await?;
    tab.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))").await?;
    let counts = tab
        .evaluate(
            "(() => {
                const map = document.getElementById('map');
                const [w, h] = [map.width, map.height];
                const p = map.getContext('2d').getImageData(0, 0, w, h).data;
                const counts = [[0, 0, 0], [0, 0, 0]];
                for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
                    const [r, g, b, a] = p.subarray(4 * (y * w + x));
                    if (a < 128) continue;
                    const side = counts[y > x ? 0 : 1];
                    if (r < 80 && g < 80 && b < 80) side[0]++;
                    else if (g > r + 25 && g > b + 10) side[1]++;
                    else if (r > g + 80 && r > b + 80) side[2]++;
                }
                return counts;
            })()",
        )
        .await?;
    Ok(serde_json::from_value(counts)?)
}

/// The wiring of KASY0 that its builders published, as a file: `switch: pe pe pe`.
pub fn kasy0_wiring() -> Result<String> {
    Ok(std::fs::read_to_string(e2e::root().join("assets/wirings/kasy0.txt"))?)
}

/// Opens KASY0 with the wiring that its builders published.
pub async fn kasy0(tab: &Tab) -> Result<()> {
    pick(tab, "KASY0").await?;
    open(tab, "Wiring").await?;
    tab.until("the import", "document.getElementById('import') !== null").await?;
    tab.click("#import > summary").await?;
    tab.field("One line per switch").await?.fill(&kasy0_wiring()?).await?;
    tab.button("Use this table").await?.click().await?;
    tab.shows("Checked: all 1,536 requested pairs covered").await
}

/// Waits for the message right below a field.
pub async fn complaint(tab: &Tab, label: &str) -> Result<String> {
    let field = tab.field(label).await?;
    let message = "function () { const p = document.getElementById(this.getAttribute('aria-describedby')); \
        return p && !p.hidden && p.getBoundingClientRect().top - this.getBoundingClientRect().bottom < 40 && p.innerText }";
    for _ in 0..100 {
        if let Some(words) = field.call(message, &[]).await?.as_str() {
            return Ok(words.to_owned());
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    anyhow::bail!("nothing is said beside “{label}”")
}

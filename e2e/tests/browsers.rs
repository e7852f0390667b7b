//! The main path in Firefox and WebKit: from an example to a solved design, its cables, labels and files.

use anyhow::{Context, Result, ensure};
use e2e::{studio::Studio, to_look_at, webdriver::Window};

#[test]
fn firefox_goes_the_main_path() {
    main_path("firefox", Window::firefox());
}

#[test]
fn webkit_goes_the_main_path() {
    main_path("webkit", Window::webkit());
}

fn main_path(name: &str, window: Result<Window>) {
    let outcome = window.and_then(|mut window| {
        let told = story(name, &mut window);
        if told.is_err() {
            look(&format!("{name}-failed"), &mut window)?;
        }
        told
    });
    if let Err(error) = outcome {
        panic!("{name}: {error:#}");
    }
}

/// Leaves a picture, `target/e2e/NAME.png`.
fn look(name: &str, window: &mut Window) -> Result<()> {
    std::fs::write(to_look_at(&format!("{name}.png"))?, window.picture()?).context("saving a picture")
}

fn story(name: &str, window: &mut Window) -> Result<()> {
    let studio = Studio::start(&[])?;
    window.goto(&studio.at("/"))?;
    window.until("the studio", "document.getElementById('boot') === null")?;
    window.click("#gallery-kasy0")?;
    window.click("#start")?;
    window.until("a wiring", "document.getElementById('run-state')?.textContent === 'Solved'")?;
    window.until(
        "the checker",
        "document.getElementById('standing')?.textContent.includes('Checked: all 1,536')",
    )?;
    look(&format!("{name}-map"), window)?;

    window.click("#scene-cables")?;
    window.until("numbers on the patches", HAS_NUMBERS)?;
    look(&format!("{name}-cables"), window)?;

    window.click("#to-labels")?;
    window.until(
        "the labels",
        "(document.querySelector('#look-labels .sheet-of-labels')?.shadowRoot?.querySelectorAll('svg').length ?? 0) > 0",
    )?;
    look(&format!("{name}-labels"), window)?;

    window.click("#to-export")?;
    window.click("#show-wiring")?;
    window
        .until("the file", "document.getElementById('look-wiring')?.textContent.includes('0:') === true")?;
    look(&format!("{name}-export"), window)?;

    let errors = window.evaluate("document.querySelectorAll('.notice.bad').length")?;
    ensure!(errors == 0, "{errors} errors on the page");
    Ok(())
}

/// True if the first column of patches has more than plain rows: only numbers differ from left to right.
const HAS_NUMBERS: &str = "(() => {
    const canvas = document.getElementById('cables');
    if (!canvas || canvas.width < 300) return false;
    const ratio = canvas.width / canvas.clientWidth;
    // Names of nodes take 44 pixels; a patch is 15 wide.
    const [x, width] = [Math.ceil(46 * ratio), Math.floor(11 * ratio)];
    const { data } = canvas.getContext('2d').getImageData(x, 0, width, canvas.height);
    const differs = (row) => {
        const at = (column) => [0, 1, 2].map(i => data[4 * (row * width + column) + i]);
        const first = at(0);
        return Array.from({ length: width }, (_, column) => at(column)).some(p => p.some((v, i) => Math.abs(v - first[i]) > 60));
    };
    return Array.from({ length: canvas.height }, (_, row) => row).filter(differs).length > canvas.height / 4;
})()";

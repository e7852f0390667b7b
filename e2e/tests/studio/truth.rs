//! Every figure belongs to the spec and wiring on screen, or says that it does not.

use crate::steps::{
    hardware, map_colours, open, pick, solve, start_page, start_something_hard, start_something_hard_with,
    text_of,
};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};

/// Waits until the page says, or no longer says, that results are outdated.
async fn outdated(tab: &Tab, why: Option<&str>) -> Result<()> {
    let expected = why.map_or("null".to_owned(), |why| format!("{why:?}"));
    let script = format!("document.getElementById('main').getAttribute('data-outdated') === {expected}");
    tab.until(&format!("outdated: {why:?}"), &script).await?;
    let notes = tab.evaluate("document.querySelectorAll('.outdated-note').length").await?;
    ensure!((notes.as_u64() > Some(0)) == why.is_some(), "{notes} notes");
    Ok(())
}

/// The counter with this name.
async fn counter(tab: &Tab, name: &str) -> Result<String> {
    let script = format!(
        "[...document.querySelectorAll('.counters div')].find(d => d.querySelector('dt').textContent === {name:?})?.querySelector('dd').textContent"
    );
    Ok(tab.evaluate(&script).await?.as_str().unwrap_or_default().to_owned())
}

#[test]
fn an_unknown_value_is_a_dash_and_all_values_are_of_one_wiring() {
    visit("truth-search", DESKTOP, async |visit| {
        let tab = &visit.tab;
        start_something_hard_with(tab, &[("Time limit", "600")]).await?;
        tab.until("it searches", "document.getElementById('run-state')?.textContent === 'Searching'").await?;
        // The second search waits for the threads of the first.
        let other = visit.colleague().await?;
        let home = tab.address().await.split("/r/").next().unwrap_or_default().to_owned();
        let second = other.open(&home).await?;
        start_something_hard(&second).await?;
        second
            .until("it waits", "document.getElementById('run-state')?.textContent.startsWith('Queued')")
            .await?;
        ensure!(text_of(&second, "uncovered").await? == "–", "a figure of a queued search");
        ensure!(text_of(&second, "covered").await? == "–");
        for name in ["latest", "median", "diversity", "moves/s"] {
            let value = counter(&second, name).await?;
            ensure!(value == "–", "{name} of a queued search is {value}");
        }
        ensure!(text_of(&second, "headline-which").await? == "No wiring yet");
        second.button("Stop").await?.click().await?;
        second.until("it stops", "document.getElementById('run-state')?.textContent === 'Stopped'").await?;
        ensure!(text_of(&second, "uncovered").await? == "–", "a figure of a search that never ran");

        tab.until(
            "a wiring",
            "document.getElementById('headline-which')?.textContent.startsWith('Best so far')",
        )
        .await?;
        let one = "(() => {
            const digits = id => (document.getElementById(id)?.textContent ?? '').replace(/,/g, '');
            const [headline, list, verdict] = ['uncovered', 'remaining', 'standing'].map(digits);
            const earlier = list.startsWith('Uncovered pairs of the wiring on the map') && verdict.includes('an earlier wiring');
            return (earlier || list.startsWith(headline + ' uncovered')) && verdict.includes(headline + ' of ');
        })()";
        for _ in 0..20 {
            tab.until("headline, list and verdict agree", one).await?;
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        tab.button("Stop").await?.click().await?;
        tab.until("it stops", "document.getElementById('run-state')?.textContent === 'Stopped'").await?;
        tab.until("they agree", one).await?;
        visit.picture("stopped").await?;
        second.has_no_troubles()?;
        other.close().await
    });
}

#[test]
fn what_is_outdated_says_so() {
    visit("truth-outdated", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        outdated(tab, None).await?;
        let price = async || text_of(tab, "price").await;
        let before = price().await?;
        tab.field("NICs per node").await?.fill("x").await?;
        outdated(tab, Some("faults")).await?;
        ensure!(text_of(tab, "run-state").await? == "Outdated", "the status contradicts the banner");
        ensure!(
            text_of(tab, "headline-which").await? == "Of the last valid spec",
            "the headline is of no spec"
        );
        visit.picture("faults").await?;
        tab.field("NICs per node").await?.fill("2").await?;
        outdated(tab, Some("wiring")).await?;
        ensure!(text_of(tab, "run-state").await? == "Outdated", "the status contradicts the banner");
        ensure!(!text_of(tab, "bounds-why").await?.is_empty());
        let labels = tab.evaluate("document.querySelector('.bounds').textContent").await?;
        ensure!(
            !labels.as_str().unwrap_or_default().contains("price of this design"),
            "a price of two specs"
        );
        // Two NICs of three: rules are broken, so it would not serve.
        tab.shows("Not valid for the current spec").await?;
        tab.shows("Use it anyway").await?;
        visit.picture("wiring").await?;
        open(tab, "Figures").await?;
        tab.until("the figures", "document.querySelectorAll('#figures-table tbody tr').length > 5").await?;

        tab.evaluate("document.getElementById('share').open = true").await?;
        tab.shows("without your later changes.").await?;
        visit.picture("share").await?;
        tab.button("Save the wiring with the spec on screen").await?.click().await?;
        tab.until("a link", "document.getElementById('share-link')?.value.includes('/d/')").await?;
        outdated(tab, None).await?;
        let link = tab.evaluate("document.getElementById('share-link').value").await?;
        let other = visit.colleague().await?;
        let theirs = other.open(link.as_str().unwrap_or_default()).await?;
        theirs.shows("Saved design").await?;
        theirs
            .until(
                "its spec",
                "document.getElementById('spec-text')?.textContent.includes('nics_per_node = 2')",
            )
            .await?;
        theirs.shows("rules are broken in").await?;

        // Undo brings back the wiring of the spec that it restores.
        tab.button("Undo").await?.click().await?;
        outdated(tab, None).await?;
        tab.shows("Checked: all 1,536").await?;
        ensure!(price().await? == before, "another price");
        tab.field("NICs per node").await?.fill("4").await?;
        outdated(tab, Some("wiring")).await?;
        tab.button("Use it for this spec").await?.click().await?;
        outdated(tab, None).await?;
        tab.button("Undo").await?.click().await?;
        outdated(tab, None).await?;
        ensure!(price().await? == before, "another price");
        theirs.has_no_troubles()?;
        other.close().await
    });
}

#[test]
fn headline_counters_chart_and_verdict_show_one_count() {
    visit("truth-count", DESKTOP, async |visit| {
        let tab = &visit.tab;
        start_something_hard(tab).await?;
        let begun = "document.getElementById('headline-which')?.textContent.startsWith('Best so far') \
            && document.getElementById('standing')?.textContent.startsWith('So far')";
        tab.until("a wiring", begun).await?;
        let counts = "(() => {
            const text = id => document.getElementById(id)?.textContent ?? '';
            const dt = [...document.querySelectorAll('.counters div')].find(d => d.querySelector('dt').textContent === 'latest');
            const chart = document.querySelector('#search .chart')?.getAttribute('aria-label') ?? '';
            return [text('uncovered'), dt?.querySelector('dd').textContent, /leaves ([0-9,]+), the/.exec(chart)?.[1],
                /So far: ([0-9,]+) of/.exec(text('standing'))?.[1]];
        })()";
        for _ in 0..40 {
            let found = tab.evaluate(counts).await?;
            let [headline, latest, chart, verdict]: [Option<String>; 4] = serde_json::from_value(found)?;
            ensure!(headline.is_some() && headline == latest, "headline {headline:?}, latest {latest:?}");
            ensure!(
                headline == chart && headline == verdict,
                "headline {headline:?}, chart {chart:?}, verdict {verdict:?}"
            );
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        visit.picture("searching").await
    });
}

#[test]
fn a_fractional_search_shows_weight_everywhere() {
    visit("truth-weight", DESKTOP, async |visit| {
        let tab = &visit.tab;
        tab.button("TOML").await?.click().await?;
        let pair = |a: u32, b: u32| format!("{a} {b} {}\n", if a / 4 == b / 4 { 100 } else { 1 });
        let pairs: String = (0..16).flat_map(|a| (a + 1..16).map(move |b| pair(a, b))).collect();
        let spec = format!(
            "name = \"Weights\"\npes = 16\nnis_per_pe = 1\nobjective = \"fractional\"\n[[switch]]\nports = 4\ncount = 4\n\
             [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n{pairs}\"\"\"\n"
        );
        tab.field("Spec as TOML").await?.fill(&spec).await?;
        tab.until("the spec is read", "document.getElementById('session-name').textContent === 'Weights'")
            .await?;
        tab.button("Form").await?.click().await?;
        tab.field("Time limit").await?.fill("2").await?;
        tab.button("Start").await?.click().await?;
        tab.until("it ends", "document.getElementById('run-state')?.textContent === 'Limit reached'").await?;
        tab.until(
            "the verdict",
            "document.getElementById('standing')?.textContent.includes('96.15 % of the weight')",
        )
        .await?;
        ensure!(text_of(tab, "headline-weight").await? == "96.15 % of the weight covered");
        ensure!(text_of(tab, "uncovered").await? == "96", "the number of pairs is there as well");
        for name in ["covered", "latest"] {
            let value = counter(tab, name).await?;
            ensure!(value == "96.15 %", "{name} is {value}");
        }
        let chart =
            tab.evaluate("document.querySelector('#search .chart').getAttribute('aria-label')").await?;
        let chart = chart.as_str().unwrap_or_default().to_owned();
        ensure!(chart.starts_with("Covered weight over time") && chart.contains("covers 96.15 %"), "{chart}");
        tab.shows("(3.85 % of the weight)").await?;
        let [_, [_, _, red]] = map_colours(tab).await?;
        ensure!(red == 0, "{red} red dots, though only light pairs are uncovered");
        for (scheme, width, height) in
            [("dark", 1440, 900), ("light", 1440, 900), ("light", 390, 844), ("dark", 390, 844)]
        {
            tab.prefers(scheme).await?;
            tab.resize(width, height).await?;
            visit.picture(&format!("{scheme}-{width}")).await?;
        }
        tab.resize(1440, 900).await?;
        tab.evaluate("document.getElementById('share').open = true").await?;
        tab.button("Save design and get link").await?.click().await?;
        tab.until("a link", "document.getElementById('share-link').value.includes('/d/')").await?;
        tab.link("Library").await?.click().await?;
        let both = "[...document.querySelectorAll('#library-items tbody tr')].filter(row => \
            row.textContent.includes('96.15 % of the weight')).length === 2";
        tab.until("design and run by weight", both).await
    });
}

#[test]
fn a_name_or_a_price_makes_nothing_outdated() {
    visit("truth-name", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let before = text_of(tab, "price").await?;
        tab.field("Name").await?.fill("Mine").await?;
        tab.field("Price").await?.fill("96").await?;
        tab.until("another price", &format!("document.getElementById('price')?.textContent !== {before:?}"))
            .await?;
        outdated(tab, None).await?;
        ensure!(text_of(tab, "run-state").await? == "Solved");
        ensure!(text_of(tab, "standing").await?.contains("Checked: all 1,536"));
        ensure!(tab.evaluate("document.getElementById('next') !== null").await? == true, "no next steps");
        for (scheme, width, height) in [("dark", 1440, 900), ("light", 1440, 900), ("light", 390, 844)] {
            tab.prefers(scheme).await?;
            tab.resize(width, height).await?;
            visit.picture(&format!("{scheme}-{width}")).await?;
        }
        tab.resize(1440, 900).await?;
        // The price is part of what is saved.
        tab.evaluate("document.getElementById('share').open = true").await?;
        tab.button("Save design and get link").await?.click().await?;
        tab.until("a link", "document.getElementById('share-link').value.includes('/d/')").await?;
        let link = tab.evaluate("document.getElementById('share-link').value").await?;
        tab.goto(link.as_str().unwrap_or_default()).await?;
        tab.until("its spec", "document.getElementById('spec-text')?.textContent.includes('price = 96')")
            .await
    });
}

#[test]
fn settings_of_a_search_stay_with_their_design() {
    visit("truth-settings", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        let default = tab.field("Limit").await?.value().await?;
        for (field, value) in [("Seed", "77"), ("Limit", "123")] {
            tab.field(field).await?.fill(value).await?;
        }
        tab.until("they are stored", "sessionStorage.getItem('crosspoint.aside')?.includes('\"123\"')")
            .await?;
        pick(tab, "KLAT2").await?;
        tab.until("another seed", "document.getElementById('search-seed')?.value !== '77'").await?;
        let limit = tab.field("Limit").await?.value().await?;
        ensure!(limit == default, "the limit of another design is {limit}");
        pick(tab, "KASY0").await?;
        tab.until("its own seed", "document.getElementById('search-seed')?.value === '77'").await?;
        let limit = tab.field("Limit").await?.value().await?;
        ensure!(limit == "123", "its own limit is {limit}");
        hardware(tab).await?;
        tab.button("Add a switch model").await?.click().await?;
        tab.until("a model without a limit", "document.getElementById('spec-switch-1-count')?.value === ''")
            .await
    });
}

#[test]
fn a_reload_keeps_the_search_form() {
    visit("truth-form", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.field("Name").await?.fill("Mine").await?;
        for (field, value) in [("Threads", "1"), ("Seed", "77"), ("Limit", "123")] {
            tab.field(field).await?.fill(value).await?;
        }
        tab.reload().await?;
        tab.until("the session", "document.getElementById('session-name')?.textContent === 'Mine'").await?;
        for (field, value) in [("threads", "1"), ("seed", "77"), ("budget-seconds", "123")] {
            let script = format!("document.getElementById('search-{field}').value === '{value}'");
            tab.until(&format!("{field} is {value} after a reload"), &script).await?;
        }
        Ok(())
    });
}

#[test]
fn a_matrix_of_another_size_offers_to_set_the_nodes() {
    visit("truth-matrix", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        let dir = tempfile::tempdir()?;
        let matrix = dir.path().join("traffic.csv");
        let row = |row: usize| (0..96).map(move |at| if at == (row + 1) % 96 { "5" } else { "0" });
        let text: Vec<String> = (0..96).map(|at| row(at).collect::<Vec<_>>().join(",")).collect();
        std::fs::write(&matrix, text.join("\n"))?;
        tab.find("button", "Open measured traffic").await?.attach(&matrix).await?;
        tab.shows("Keeps 96 of 96 pairs").await?;
        visit.picture("offer").await?;
        tab.button("Set nodes to 96").await?.click().await?;
        tab.until("96 nodes here", "document.getElementById('traffic-nodes').value === '96'").await?;
        tab.until("they can be used", "document.getElementById('traffic-use').disabled === false").await?;
        tab.button("Use in this spec").await?.click().await?;
        tab.until("96 nodes", "document.getElementById('spec-nodes').value === '96'").await?;
        tab.button("Undo").await?.click().await?;
        tab.until("128 nodes", "document.getElementById('spec-nodes').value === '128'").await
    });
}

#[test]
fn form_edits_keep_comments_and_order() {
    visit("truth-toml", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.button("TOML").await?.click().await?;
        let text = "# the machine room's\npes = 16 # sixteen\nname = 'Mine'\nnis_per_pe = 2\n\n# bought in May\n[[switch]]\nports = 8\n\n[[pattern]]\nkind = 'ring' # halo\n";
        tab.field("Spec as TOML").await?.fill(text).await?;
        tab.button("Form").await?.click().await?;
        tab.field("Ports").await?.fill("9").await?;
        tab.button("TOML").await?.click().await?;
        let found = tab.field("Spec as TOML").await?.value().await?;
        let text = text.replace("ports = 8", "ports = 9");
        let wanted = text.replace("\npes = ", "\nnodes = ").replace("nis_per_pe", "nics_per_node");
        ensure!(found == wanted, "{found}");
        Ok(())
    });
}

#[test]
fn nothing_hides_under_the_header_or_beyond_a_narrow_screen() {
    visit("truth-narrow", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        open(tab, "Export").await?;
        tab.until(
            "the page is below the header",
            "document.getElementById('page').getBoundingClientRect().top >= \
                document.querySelector('header.bar').getBoundingClientRect().bottom",
        )
        .await?;
        tab.resize(320, 640).await?;
        for page in ["Wiring", "Figures", "Routes", "Labels", "Compare", "Simulate", "Export"] {
            open(tab, page).await?;
            let widest = "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > 321 \
                && !e.closest('.scroll, .sr, .rooms, .switcher, .cards, canvas, iframe, details:not([open])') && e.offsetParent).map(e => \
                e.tagName + '.' + e.className).slice(0, 5).join(' ')";
            let width = tab.evaluate("document.documentElement.scrollWidth").await?;
            let widest = tab.evaluate(widest).await?;
            ensure!(width.as_u64() <= Some(320), "{page} is {width} px wide: {widest}");
        }
        visit.picture("narrow").await
    });
}

#[test]
fn a_click_on_the_map_leads_to_the_routes_of_a_pair() {
    visit("truth-map", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        tab.focus("#map").await?;
        for key in ["ArrowRight", "ArrowRight", "ArrowDown"] {
            tab.press(key).await?;
        }
        tab.until("a pair", "document.getElementById('pinned-routes') !== null").await?;
        let pair = text_of(tab, "pinned-routes").await?;
        tab.click("#pinned-routes").await?;
        tab.until("its routes", "document.querySelector('.scene.of-routes') !== null").await?;
        let ends = "['from', 'to'].map(end => document.getElementById('route-' + end)?.value).join('–')";
        tab.until("the pair", &format!("{pair:?} === 'Routes of ' + ({ends})")).await
    });
}

#[test]
fn a_solved_design_leads_on() {
    visit("truth-next", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        ensure!(tab.evaluate("document.getElementById('next') === null").await? == true, "before a search");
        solve(tab).await?;
        visit.picture("solved").await?;
        tab.button("Try next seed").await?.click().await?;
        tab.until("seed 2", "document.querySelector('.budget')?.textContent.includes('seed 2')").await?;
        tab.until("it is solved", "document.getElementById('run-state')?.textContent === 'Solved'").await?;
        // The button searches by itself.
        tab.button("Cheaper hardware").await?.click().await?;
        tab.until("the hardware page", "(document.getElementById('board-state')?.textContent ?? '') !== ''")
            .await
    });
}

#[test]
fn a_stopped_search_continues_and_a_construction_shows_itself() {
    visit("truth-continue", DESKTOP, async |visit| {
        let tab = &visit.tab;
        start_something_hard(tab).await?;
        tab.until(
            "a wiring",
            "document.getElementById('headline-which')?.textContent.startsWith('Best so far')",
        )
        .await?;
        tab.button("Stop").await?.click().await?;
        tab.until("it stops", "document.getElementById('run-state')?.textContent === 'Stopped'").await?;
        let left = |text: String| text.replace(',', "").parse::<u64>();
        let before = left(text_of(tab, "uncovered").await?)?;
        let address = tab.address().await;
        tab.button("Continue").await?.click().await?;
        tab.until("it goes on", "document.getElementById('run-state')?.textContent === 'Searching'").await?;
        ensure!(tab.address().await == address, "another search");
        ensure!(left(text_of(tab, "uncovered").await?)? <= before, "it lost the best wiring");
        ensure!(tab.evaluate("document.getElementById('continue') === null").await? == true);
        // A word of the counters explains itself.
        tab.click("#search-details summary").await?;
        tab.focus(".counters .term").await?;
        let about = "getComputedStyle(document.querySelector('.counters .term'), '::after').content";
        let about = tab.evaluate(about).await?;
        ensure!(about.as_str().is_some_and(|text| text.contains("Percentage of requested pairs")), "{about}");
        tab.button("Stop").await?.click().await?;
        tab.until("it stops", "document.getElementById('run-state')?.textContent === 'Stopped'").await?;

        tab.goto(address.split("/r/").next().unwrap_or_default()).await?;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        tab.until("a picture instead of counters", "document.getElementById('construction') !== null && document.querySelector('.counters') === null")
            .await?;
        visit.picture("construction").await
    });
}

#[test]
fn the_tour_can_be_left_and_taken_again() {
    visit("truth-tour", DESKTOP, async |visit| {
        let tab = &visit.tab;
        start_page(tab).await?;
        tab.button("Take the tour").await?.click().await?;
        for step in 1..=5 {
            let title =
                format!("document.getElementById('tour-title')?.textContent.startsWith('{step} of 5')");
            tab.until(&format!("step {step}"), &title).await?;
            ensure!(
                tab.evaluate("document.querySelectorAll('.toured').length").await? == 1,
                "nothing is pointed at"
            );
            visit.picture(&format!("step{step}")).await?;
            tab.click("#tour-next").await?;
        }
        let gone = "document.getElementById('tour') === null && document.querySelector('.toured') === null";
        tab.until("it is over", gone).await?;
        // It has pressed Start.
        tab.shows("Checked: all 1,536 requested pairs covered").await?;
        ensure!(tab.address().await.contains("/r/"), "no search");
        visit.picture("design").await?;
        tab.press("?").await?;
        tab.button("Tour of the page").await?.click().await?;
        tab.until("it is open again", "document.getElementById('tour') !== null").await?;
        tab.press("Escape").await?;
        tab.until("it is left", gone).await
    });
}

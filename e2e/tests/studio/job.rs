//! A training job: its degrees, its bytes, its ranks, and the search for its pairs.

use crate::steps::{complaint, solve, start_page, text_of};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, PHONE, Screen, Tab},
    visit::visit,
};

async fn door(tab: &Tab) -> Result<()> {
    start_page(tab).await?;
    tab.button("Describe a training job").await?.click().await?;
    tab.until("its product", "document.getElementById('job-product')?.textContent.endsWith('512 ranks')")
        .await
}

/// Number of different colours in the picture of ranks, without transparent pixels.
const COLOURS: &str = "(() => {
    const map = document.getElementById('ranks');
    const p = map.getContext('2d').getImageData(0, 0, map.width, map.height).data;
    const seen = new Map();
    for (let i = 0; i < p.length; i += 4) if (p[i + 3] === 255) {
        const key = p[i] << 16 | p[i + 1] << 8 | p[i + 2];
        seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    return [...seen.values()].filter(count => count > 20).length;
})()";

#[test]
fn a_job_from_the_door_to_a_wiring() {
    visit("job", DESKTOP, async |visit| {
        let tab = &visit.tab;
        door(tab).await?;
        ensure!(text_of(tab, "job-product").await? == "8 × 1 × 16 × 4 = 512 of 512 ranks", "another product");
        tab.field("Tensor (tp)").await?.fill("3").await?;
        let message = complaint(tab, "Tensor (tp)").await?;
        ensure!(message.contains("tp = 2 or 4"), "{message}");
        ensure!(text_of(tab, "job-product").await?.contains("does not divide 512 ranks"), "it fits");
        visit.picture("fault").await?;
        tab.button("tp = 4").await?.click().await?;
        tab.until("it is mended", "document.getElementById('spec-job-tp').value === '4' && document.getElementById('spec-job-tp-fault').hidden").await?;
        tab.field("Tensor (tp)").await?.fill("8").await?;
        tab.until("the fault is gone", "document.getElementById('spec-job-tp-fault').hidden").await?;

        // Tensor parallelism stays inside nodes; 64 pairs carry 8 rings of 2 x 15/16 of 13e9 / 32 gradients of 4 bytes.
        tab.until("bytes", "document.getElementById('share-dp')?.innerText.includes('1.56 TB')").await?;
        let tensor = text_of(tab, "share-tp").await?;
        ensure!(tensor.contains("13.4 GB") && tensor.contains("inside nodes"), "{tensor}");
        ensure!(
            tensor.contains("4 all-reduces per layer × 8 micro-batches × 10 layers per stage"),
            "{tensor}"
        );
        ensure!(tensor.contains("= 13,421,772,800"), "{tensor}");
        tab.until(
            "both patterns",
            "document.getElementById('spec-pattern').innerText.includes('ring of 16')",
        )
        .await?;

        let before = tab.evaluate(COLOURS).await?;
        ensure!(before == 1, "{before} colours");
        tab.evaluate("document.getElementById('ranks').scrollIntoView({block: 'center'})").await?;
        let (x, y) = tab.find("application", "Picture of 512 ranks").await?.middle().await?;
        tab.mouse("mouseMoved", (x, y), 0.0).await?;
        tab.until("a rank", "document.getElementById('rank-words').textContent.startsWith('Rank ')").await?;
        tab.field("Rank").await?.fill("137").await?;
        let words = "Rank 137 (node 17, GPU 1). Tensor: 136–143; data: 129, 137, 145, … 249 (16); pipeline: 9, 137, 265, … 393 (4)";
        tab.until("its groups", &format!("document.getElementById('rank-words').textContent === {words:?}"))
            .await?;
        tab.until("three groups and the rank light up", &format!("{COLOURS} >= 4")).await?;
        visit.picture("ranks").await?;
        tab.focus("#ranks").await?;
        tab.press("ArrowRight").await?;
        tab.until("the next", "document.getElementById('rank-words').textContent.startsWith('Rank 138 ')")
            .await?;
        solve(tab).await?;
        visit.picture("solved").await
    });
}

#[test]
fn a_collective_and_a_model_come_and_go() {
    visit("job-parts", DESKTOP, async |visit| {
        let tab = &visit.tab;
        door(tab).await?;
        tab.evaluate("[...document.querySelectorAll('#drawer summary')].find(e => e.textContent === 'Collectives').click()")
            .await?;
        tab.until("rows", "document.getElementById('spec-collective-dp-algorithm') !== null").await?;
        let choose = async |id: &str, word: &str| {
            let script = format!(
                "(() => {{ const e = document.getElementById({id:?}); e.value = {word:?}; \
                 e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
            );
            tab.evaluate(&script).await.map(drop)
        };
        choose("spec-collective-dp-algorithm", "tree").await?;
        tab.until("a tree", "document.getElementById('share-dp')?.innerText.includes('all-reduce, tree')")
            .await?;
        tab.until("its pattern", "document.getElementById('spec-pattern').innerText.includes('tree of 16')")
            .await?;
        tab.button("Reset data").await?.click().await?;
        tab.until("a ring", "document.getElementById('share-dp')?.innerText.includes('all-reduce, ring')")
            .await?;
        tab.button("Remove the model").await?.click().await?;
        tab.until("no bytes", "document.getElementById('share-dp')?.innerText.includes('64 pairs')").await?;
        tab.button("Add a model").await?.click().await?;
        tab.until("bytes", "/GB|TB/.test(document.getElementById('job-network')?.innerText)").await?;
        tab.button("Remove the training job").await?.click().await?;
        tab.shows("Add patterns, measured traffic or a training job").await
    });
}

#[test]
fn a_job_starts_from_a_preset_in_a_panel_of_its_own() {
    visit("job-presets", DESKTOP, async |visit| {
        let tab = &visit.tab;
        door(tab).await?;
        let line = "document.querySelector('#open-job .summary').textContent";
        tab.until("its line", &format!("{line} === '13 B parameters · TP 8 · CP 1 · PP 4 · DP 16'")).await?;
        let fields = async || text_of(tab, "drawer").await;
        ensure!(!fields().await?.contains("Experts per token"), "a dense model has fields of experts");
        for (preset, words) in [
            ("Llama 3 405B", "Llama 3 405B · TP 8 · CP 1 · PP 16 · DP 128"),
            ("DeepSeek-V3", "DeepSeek-V3 · TP 1 · CP 1 · EP 64 · PP 16 · DP 128"),
        ] {
            tab.button(preset).await?.click().await?;
            tab.until(preset, &format!("{line} === {words:?}")).await?;
            ensure!(text_of(tab, "spec-faults").await?.is_empty(), "{preset} has faults");
        }
        ensure!(fields().await?.contains("Experts per token"), "a mixture of experts has none");
        tab.until("its ranks", "document.getElementById('ranks')?.ariaLabel === 'Picture of 2,048 ranks'")
            .await?;
        for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
            tab.resize(width, height).await?;
            looks::fits_the_width(tab).await?;
            looks::all_is_well(tab).await?;
            visit.picture(&width.to_string()).await?;
        }
        tab.resize(1440, 900).await?;
        // Start stays in sight, and the picture is beside the fields.
        let beside = "(box => box('ranks').left > box('spec-model').right && box('start').left >= box('drawer').right)(id => document.getElementById(id).getBoundingClientRect())";
        ensure!(
            tab.evaluate(beside).await? == true,
            "the panel covers the search, or the picture is below the fields"
        );
        tab.press("Escape").await?;
        tab.until(
            "the focus returns",
            "document.getElementById('drawer') === null && document.activeElement.id === 'open-job'",
        )
        .await?;
        tab.press("Enter").await?;
        tab.until("it opens by a key", "document.activeElement.id === 'drawer'").await?;
        // Only keys from here on: the first model, then one's own.
        tab.press("Tab").await?;
        tab.press("Tab").await?;
        tab.press("Enter").await?;
        tab.until("Mixtral", &format!("{line}.startsWith('Mixtral 8x7B · TP 2')")).await
    });
}

#[test]
fn a_large_job_is_drawn_without_long_tasks() {
    visit("job-large", DESKTOP, async |visit| {
        let tab = &visit.tab;
        door(tab).await?;
        tab.field("Nodes").await?.fill("16384").await?;
        tab.field("Global batch").await?.fill("4096").await?;
        tab.until("its ranks", "document.getElementById('ranks').ariaLabel === 'Picture of 131,072 ranks'")
            .await?;
        tab.until("its bytes", "/TB|PB/.test(document.getElementById('job-network')?.innerText)").await?;
        tab.evaluate(
            "window.long = []; new PerformanceObserver(list => window.long.push(...list.getEntries().map(e => e.duration)))
                .observe({entryTypes: ['longtask']})",
        )
        .await?;
        for rank in ["77", "77777", "131071"] {
            tab.field("Rank").await?.fill(rank).await?;
            let words = format!(
                "document.getElementById('rank-words').textContent.replace(',', '').startsWith('Rank {rank} ')"
            );
            tab.until("its groups", &words).await?;
        }
        visit.picture("seen").await?;
        let long = tab.evaluate("window.long").await?;
        println!("long tasks in ms: {long}");
        Ok(())
    });
}

fn look(name: &'static str, screen: Screen, scheme: &'static str) {
    visit(name, screen, async |visit| {
        let tab = &visit.tab;
        tab.prefers(scheme).await?;
        door(tab).await?;
        tab.until("bytes", "document.getElementById('share-dp')?.innerText.includes('1.56 TB')").await?;
        tab.evaluate("document.querySelectorAll('#drawer details').forEach(e => e.open = true)").await?;
        tab.field("Rank").await?.fill("137").await?;
        looks::all_is_well(tab).await?;
        looks::fits_the_width(tab).await?;
        for (part, moment) in
            [("drawer", "degrees"), ("spec-model", "model"), ("job-shares", "bytes"), ("job-ranks", "ranks")]
        {
            tab.evaluate(&format!("document.getElementById({part:?}).scrollIntoView()")).await?;
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            visit.picture(moment).await?;
        }
        Ok(())
    });
}

#[test]
fn it_looks_well_in_the_light() {
    look("job-light", DESKTOP, "light");
}

#[test]
fn it_looks_well_on_a_dark_phone() {
    look("job-phone-dark", PHONE, "dark");
}

//! Two people plug in the cables of a design, with phones, partly without a connection.

use crate::steps::{panel, text_of};
use anyhow::{Result, ensure};
use e2e::{
    browser::Browser,
    looks,
    studio::crosspoint,
    tab::{PHONE, Tab},
    visit::{Visit, visit},
};
use serde_json::json;

const SPEC: &str = include_str!("../../../assets/specs/kasy0.toml");
const WIRING: &str = include_str!("../../../assets/wirings/kasy0.txt");

/// Saves KASY0, starts its cabling as Ann, and returns its address and the join link.
async fn start(visit: &Visit) -> Result<(String, String)> {
    let tab = &visit.tab;
    let id = save(tab).await?;
    let design = visit.studio.at(&format!("/d/{}", id.as_str().unwrap_or_default()));
    tab.goto(&design).await?;
    panel(tab, "Search").await?;
    tab.button("Start cabling").await?.click().await?;
    tab.until("the overview", "location.pathname.endsWith('/cabling')").await?;
    tab.goto(&format!("{design}/cabling")).await?;
    sign(tab, "Ann").await?;
    tab.until("a join link", "document.getElementById('join-link')?.value.includes('#key=')").await?;
    ensure!(!tab.address().await.contains("key"), "a key in the address");
    let link = tab.evaluate("document.getElementById('join-link').value").await?;
    Ok((design, link.as_str().unwrap_or_default().to_owned()))
}

/// Saves KASY0 as this browser. Returns its id.
async fn save(tab: &Tab) -> Result<serde_json::Value> {
    let body = json!({ "spec": SPEC, "table": WIRING }).to_string();
    let script = format!(
        "localStorage.setItem('crosspoint.edit', 'the-token-of-this-browser'),
        fetch('/api/designs', {{ method: 'POST', body: {}, headers: {{
            'content-type': 'application/json', 'x-crosspoint-edit': 'the-token-of-this-browser' }} }})
            .then(answer => answer.json()).then(design => design.id)",
        json!(body)
    );
    tab.evaluate(&script).await
}

/// Enters a name on a phone that may tick.
async fn sign(tab: &Tab, name: &str) -> Result<()> {
    tab.field("Your name").await?.fill(name).await?;
    tab.button("Start").await?.click().await?;
    tab.until("the name", &format!("document.getElementById('who')?.textContent === '{name}'")).await
}

/// Waits for the words under a cable of the node on screen.
async fn said(tab: &Tab, nic: u32, words: &str) -> Result<()> {
    let script = format!("document.querySelector('#cable-{nic} .said')?.textContent.trim() === '{words}'");
    tab.until(&format!("NIC {nic}: {words}"), &script).await
}

async fn press(tab: &Tab, id: &str) -> Result<()> {
    tab.until(id, &format!("document.getElementById('{id}')?.disabled === false")).await?;
    tab.click(&format!("#{id}")).await
}

async fn connected(tab: &Tab) -> Result<()> {
    tab.until("a connection", "document.getElementById('connection')?.textContent === 'Connected'").await
}

/// A colleague's phone that joins.
async fn join(visit: &Visit, link: &str) -> Result<(Browser, Tab)> {
    let browser = visit.colleague().await?;
    let tab = browser.open(link).await?;
    sign(&tab, "Bob").await?;
    ensure!(!tab.address().await.contains("key"), "a key in the address");
    Ok((browser, tab))
}

#[test]
fn two_phones_see_each_others_ticks() {
    visit("cabling", PHONE, async |visit| {
        let (design, link) = start(visit).await?;
        let tab = &visit.tab;
        let (browser, theirs) = join(visit, &link).await?;
        let node = format!("{design}/node/17");
        tab.goto(&node).await?;
        theirs.goto(&node).await?;
        connected(&theirs).await?;
        press(tab, "cable-0").await?;
        said(tab, 0, "Plugged by Ann").await?;
        said(&theirs, 0, "Plugged by Ann").await?;
        press(&theirs, "cable-1").await?;
        said(tab, 1, "Plugged by Bob").await?;
        theirs.find("button", "NIC 2 is wrong").await?.click().await?;
        said(tab, 2, "Wrong by Bob").await?;
        for scheme in ["light", "dark"] {
            tab.prefers(scheme).await?;
            looks::all_is_well(tab).await?;
            visit.picture(&format!("node-{scheme}")).await?;
        }
        press(&theirs, "undo-tick").await?;
        said(tab, 2, "Unplugged by Bob").await?;

        let top = "document.getElementById('main').scrollTop";
        tab.resize(390, 320).await?;
        tab.evaluate("document.getElementById('main').scrollTop = 9").await?;
        ensure!(tab.evaluate(top).await? != 0, "nothing to scroll");
        tab.button("Next node").await?.click().await?;
        tab.until("the next node", "document.getElementById('node-name')?.textContent === 'node018'").await?;
        tab.until("its top", &format!("{top} === 0")).await?;
        ensure!(tab.address().await.ends_with("/node/18"), "another address");
        said(tab, 0, "Unplugged").await?;
        press(tab, "undo-tick").await?;
        tab.until("the node of the tick", "document.getElementById('node-name')?.textContent === 'node017'")
            .await?;
        said(&theirs, 0, "Unplugged by Ann").await?;
        theirs.has_no_troubles()?;
        browser.close().await
    });
}

#[test]
fn a_tick_without_a_connection_is_merged_later() {
    visit("cabling-offline", PHONE, async |visit| {
        let (design, link) = start(visit).await?;
        let (browser, theirs) = join(visit, &link).await?;
        visit.tab.goto(&format!("{design}/node/17")).await?;
        press(&visit.tab, "cable-0").await?;
        said(&visit.tab, 0, "Plugged by Ann").await?;
        theirs.goto(&format!("{design}/node/17")).await?;
        said(&theirs, 0, "Plugged by Ann").await?;
        for end in ["/d/", "/cabling", ".wasm"] {
            let stored = format!(
                "caches.open('crosspoint-cabling-1').then(cache => cache.keys())
                    .then(keys => keys.some(key => new URL(key.url).pathname.endsWith('{end}')))"
            );
            theirs.until(&format!("{end} is stored"), &stored).await?;
        }

        visit.studio.stop();
        theirs
            .until("no connection", "document.getElementById('connection')?.textContent === 'No connection'")
            .await?;
        // A label of another node is scanned.
        theirs.goto(&format!("{design}/node/18")).await?;
        press(&theirs, "cable-0").await?;
        said(&theirs, 0, "Plugged by Bob").await?;
        theirs.shows("1 tick kept on this phone").await?;
        std::fs::write(e2e::to_look_at("cabling-offline-phone.png")?, theirs.picture().await?)?;
        theirs.goto(&format!("{design}/node/18")).await?;
        said(&theirs, 0, "Plugged by Bob").await?;
        theirs.forgive_any(&["ERR_"])?;

        visit.studio.start_again()?;
        connected(&theirs).await?;
        visit.tab.forgive_any(&["ERR_"])?;
        visit.tab.goto(&format!("{design}/node/18")).await?;
        said(&visit.tab, 0, "Plugged by Bob").await?;
        browser.close().await
    });
}

#[test]
fn without_the_key_a_page_is_to_look_at_only() {
    visit("cabling-view", PHONE, async |visit| {
        let (design, _) = start(visit).await?;
        let browser = visit.colleague().await?;
        let theirs = browser.open(&format!("{design}/node/17")).await?;
        theirs.shows("View only.").await?;
        let buttons = theirs.evaluate(
            "document.querySelectorAll('.cable-tick:not(:disabled), .cable-wrong:not([hidden])').length",
        );
        ensure!(buttons.await? == 0, "a button that ticks");
        // Without the page's help, the server refuses too.
        let forged = "fetch(location.pathname.replace('/d/', '/api/designs/').replace('node/17', 'cabling/ticks'), {
            method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ticks: [], sent: 0 }) })
            .then(answer => answer.status)";
        ensure!(theirs.evaluate(forged).await? == 403, "the server takes ticks without the key");
        theirs.forgive("403").await?;
        looks::all_is_well(&theirs).await?;
        theirs.goto(&format!("{design}/cabling")).await?;
        theirs.shows("Open").await?;
        ensure!(
            theirs.evaluate("document.getElementById('join-link') === null").await? == true,
            "a join link"
        );
        theirs.has_no_troubles()?;
        browser.close().await
    });
}

#[test]
fn a_replaced_join_link_ends_and_ticks_wait_for_the_new_one() {
    visit("cabling-renewed", PHONE, async |visit| {
        let (design, link) = start(visit).await?;
        let (browser, theirs) = join(visit, &link).await?;
        theirs.goto(&format!("{design}/node/17")).await?;
        connected(&theirs).await?;
        let tab = &visit.tab;
        tab.evaluate("document.getElementById('join').open = true").await?;
        tab.until("the right to replace it", "document.getElementById('renew-key') !== null").await?;
        tab.click("#renew-key").await?;
        let other = format!("document.getElementById('join-link')?.value !== {}", json!(link));
        tab.until("another link", &other).await?;
        visit.picture("renewed").await?;
        let link = tab.evaluate("document.getElementById('join-link').value").await?;
        press(&theirs, "cable-0").await?;
        theirs.shows("The join link of this phone has been replaced").await?;
        theirs.forgive_any(&["403"])?;
        theirs.goto(link.as_str().unwrap_or_default()).await?;
        theirs.until("the new key is kept", "document.getElementById('who') && !location.hash").await?;
        theirs.goto(&format!("{design}/node/17")).await?;
        said(&theirs, 0, "Plugged by Bob").await?;
        tab.goto(&format!("{design}/node/17")).await?;
        said(tab, 0, "Plugged by Bob").await?;
        browser.close().await
    });
}

#[test]
fn a_phone_forgets_a_deleted_design() {
    visit("cabling-deleted", PHONE, async |visit| {
        let (design, link) = start(visit).await?;
        let (browser, theirs) = join(visit, &link).await?;
        theirs.goto(&format!("{design}/node/17")).await?;
        let stored = |count: &str| {
            format!(
                "caches.open('crosspoint-cabling-1').then(cache => cache.keys())
                    .then(keys => keys.filter(key => key.url.includes('/api/designs/')).length {count})"
            )
        };
        theirs.until("a stored design", &stored("=== 2")).await?;
        let delete = "fetch(location.pathname.replace(/\\/d\\/([^/]+).*/, '/api/library/$1/delete'), {
            method: 'POST', body: '{}', headers: { 'content-type': 'application/json', 'x-crosspoint-edit': 'the-token-of-this-browser' } })
            .then(answer => answer.status)";
        ensure!(visit.tab.evaluate(delete).await? == 204, "the design is not deleted");
        theirs.goto(&format!("{design}/node/17")).await?;
        theirs.until("nothing stored", &stored("=== 0")).await?;
        theirs.shows("This design was deleted on").await?;
        // The page answers 404, and its data 410.
        theirs.forgive_any(&["status of 4"])?;
        visit.tab.forgive_any(&["410"])?;
        browser.close().await
    });
}

#[test]
fn the_supervisor_sees_progress_and_what_is_wrong() {
    visit("cabling-overview", PHONE, async |visit| {
        let (design, _) = start(visit).await?;
        let tab = &visit.tab;
        tab.goto(&format!("{design}/node/0")).await?;
        press(tab, "cable-0").await?;
        tab.find("button", "NIC 1 is wrong").await?.click().await?;
        said(tab, 1, "Wrong by Ann").await?;
        connected(tab).await?;
        tab.goto(&format!("{design}/cabling")).await?;
        tab.until(
            "progress",
            "document.querySelector('#cabling-racks tbody td')?.textContent === '1 of 48'
                && document.querySelector('#cabling-total .number')?.textContent === '1 of 384'",
        )
        .await?;
        let wrong = text_of(tab, "cabling-wrong").await?;
        ensure!(wrong.starts_with("node000 NIC 1 to sw") && wrong.contains("Ann"), "{wrong}");
        ensure!(
            tab.evaluate("document.querySelectorAll('#cabling-latest li').length").await? == 2,
            "other ticks"
        );
        tab.until("the join link", "document.getElementById('join') !== null").await?;
        tab.evaluate("document.getElementById('join').open = true").await?;
        for scheme in ["light", "dark"] {
            tab.prefers(scheme).await?;
            looks::all_is_well(tab).await?;
            visit.picture(scheme).await?;
        }
        tab.resize(320, 640).await?;
        looks::fits_the_width(tab).await?;
        tab.goto(&format!("{design}/node/0")).await?;
        said(tab, 1, "Wrong by Ann").await?;
        looks::fits_the_width(tab).await?;
        visit.picture("narrow").await
    });
}

/// A directory with the audit script of KASY0, and an `lldpctl` that writes this.
fn audit_script(neighbours: &str) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("spec.toml"), SPEC)?;
    std::fs::write(at("wiring.txt"), WIRING)?;
    let export = [&at("spec.toml"), &at("wiring.txt"), "--format", "audit", "-o", &at("audit.sh")];
    let out = crosspoint(["export"].into_iter().chain(export))?;
    ensure!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    std::fs::write(at("lldpctl"), format!("#!/bin/sh\ncat <<'END'\n{neighbours}END\n"))?;
    std::fs::set_permissions(at("lldpctl"), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(folder)
}

#[test]
fn the_audit_script_verifies_cables_on_the_page() {
    visit("cabling-audit", PHONE, async |visit| {
        let (design, link) = start(visit).await?;
        let tab = &visit.tab;
        tab.goto(&format!("{design}/node/17")).await?;
        connected(tab).await?;
        // Node 17 belongs on switches 5, 12 and 13.
        let neighbour = |ni: u32, switch: u32, port: u32| {
            format!(
                "lldp.eth{ni}.chassis.name=sw{switch:02}\nlldp.eth{ni}.chassis.descr=a \"switch\" \\\\ 1\tU\n\
                 lldp.eth{ni}.port.ifname=swp{port}\n"
            )
        };
        let seen = neighbour(0, 5, 3) + &neighbour(1, 13, 5) + &neighbour(2, 12, 2);
        let folder = audit_script(&seen)?;
        let path = format!("{}:{}", folder.path().display(), std::env::var("PATH")?);
        let run = |link: &str| {
            std::process::Command::new("sh")
                .arg(folder.path().join("audit.sh"))
                .args(["--lldp", "--host", "node017", "--report", link])
                .env("PATH", &path)
                .output()
        };
        let out = run(&link)?;
        let words = String::from_utf8_lossy(&out.stdout);
        ensure!(words.ends_with("node017: reported to the cabling page\n"), "{words}{out:?}");
        ensure!(out.status.code() == Some(1), "two cables are swapped: {out:?}");
        said(tab, 0, "Verified by node017").await?;
        said(tab, 1, "Wrong Swap with node017 NIC 2. This cable is on sw13 port 5.").await?;
        visit.picture("seen").await?;
        let out = run(&format!("{design}/cabling#key=another-key-of-a-technician"))?;
        ensure!(out.status.code() == Some(2), "a wrong key: {out:?}");
        Ok(())
    });
}

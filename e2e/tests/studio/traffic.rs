//! Measured traffic: files are read where they are, and become the pairs of a spec.

use crate::steps::{pick, start_page, text_of};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    studio::crosspoint,
    tab::{DESKTOP, PHONE, Screen, Tab},
    target_dir,
    visit::visit,
};
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

/// Ranks of the run.
const RANKS: u32 = 17;

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Open MPI's file of each rank: rank r sends to the next, and less to the fourth next.
fn profiles(folder: &Path) -> Result<Vec<PathBuf>> {
    let line = |rank: u32, away: u32, bytes: u32| {
        format!("E\t{rank}\t{}\t{bytes} bytes\t1 msgs sent\n", (rank + away) % RANKS)
    };
    let text = |rank| line(rank, 1, 100_000 + rank) + &line(rank, 4, 100 + 5 * rank);
    (0..RANKS).map(|rank| write(folder, &format!("out.{rank}.prof"), &text(rank))).collect()
}

/// NCCL's log of four ranks on two hosts, in a ring.
fn nccl() -> String {
    let who = |rank: u32| format!("gpu-{}:10{rank}:20{rank} [{}]", rank / 2, rank % 2);
    let start = |rank| {
        let init = format!("comm 0xa{rank} rank {rank} nranks 4 cudaDev 0 nvmlDev 0 busId 1 commId 0x7");
        format!("{} NCCL INFO ncclCommInitRank {init} - Init START\n", who(rank))
    };
    let send = |rank: u32| {
        let next = (rank + 1) % 4;
        let (gpu, other) = (rank % 2, next % 2);
        format!(
            "{} NCCL INFO Channel 00/0 : {rank}[{gpu}] -> {next}[{other}] [send] via NET/IB/0\n",
            who(rank)
        )
    };
    (0..4).map(start).chain((0..4).map(send)).collect()
}

async fn attach(tab: &Tab, paths: &[PathBuf]) -> Result<()> {
    start_page(tab).await?;
    tab.find("button", "Start from measured traffic").await?.attach_all(paths).await
}

/// Opens the pairs as a new session, once they are computed.
async fn take(tab: &Tab) -> Result<()> {
    tab.until("they can be used", "document.getElementById('traffic-use')?.disabled === false").await?;
    tab.button("Open as a new session").await?.click().await
}

/// Checks that the session is the spec that the command line prints.
async fn equals_the_command_line(tab: &Tab, files: &[PathBuf], options: &[&str]) -> Result<()> {
    let options = ["--spec"].iter().chain(options).map(std::ffi::OsString::from);
    let ran = crosspoint(["import".into()].into_iter().chain(files.iter().map(Into::into)).chain(options))?;
    ensure!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    tab.button("TOML").await?.click().await?;
    let (page, line) = (tab.field("Spec as TOML").await?.value().await?, String::from_utf8(ran.stdout)?);
    ensure!(page.trim() == line.trim(), "page:\n{page}\ncommand line:\n{line}");
    tab.button("Form").await?.click().await
}

#[test]
fn files_of_all_ranks_become_the_session_that_the_command_line_prints() {
    visit("traffic-ranks", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let dir = tempfile::tempdir()?;
        let files = profiles(dir.path())?;
        attach(tab, &files).await?;
        tab.shows("Open MPI monitoring: 17 ranks on 17 nodes.").await?;
        tab.shows("Keeps 34 of 34 pairs with 100 % of the bytes.").await?;
        tab.field("Nodes").await?.fill("16").await?;
        tab.shows("Rank 16 of 17 is on node 16; with 16 nodes, the last one is 15").await?;
        ensure!(!tab.button("Open as a new session").await?.is_enabled().await?, "17 ranks for 16 nodes");
        visit.picture("fault").await?;
        tab.field("Ranks per node").await?.fill("2").await?;
        tab.shows("17 ranks on 9 nodes.").await?;
        tab.find("combobox", "Keep").await?.choose("Pairs with at least").await?;
        tab.field("Min traffic per pair").await?.fill("1000000").await?;
        tab.shows("the traffic of the heaviest pair").await?;
        tab.find("combobox", "Keep").await?.choose("Fewest pairs").await?;
        tab.field("Share of the traffic").await?.fill("99").await?;
        tab.shows("Keeps 9 of 20 pairs").await?;
        visit.picture("share").await?;
        take(tab).await?;
        tab.until("its nodes", "document.getElementById('spec-nodes')?.value === '16'").await?;
        tab.until("its pairs", "document.getElementById('total-pairs')?.textContent.startsWith('9 ')")
            .await?;
        equals_the_command_line(tab, &files, &["--nodes", "16", "--ranks-per-node", "2", "--share", "99"])
            .await
    });
}

#[test]
fn a_matrix_of_the_aggregate_and_a_log_are_dropped() {
    visit("traffic-drop", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let dir = tempfile::tempdir()?;
        // As Open MPI's profile2mat writes it.
        let row = |from: u32| (0..8).map(move |to| if to == (from + 3) % 8 { "4096" } else { "0" });
        let rows: Vec<String> = (0..8).map(|from| row(from).collect::<Vec<_>>().join(" ")).collect();
        let matrix = [write(dir.path(), "out_size_all.mat", &rows.join("\n"))?];
        start_page(tab).await?;
        tab.find("button", "Start from measured traffic").await?.drop(&matrix).await?;
        tab.shows("matrix or list: 8 ranks on 8 nodes.").await?;
        take(tab).await?;
        tab.until("its nodes", "document.getElementById('spec-nodes')?.value === '8'").await?;
        equals_the_command_line(tab, &matrix, &[]).await?;

        let log = [write(dir.path(), "nccl.log", &nccl())?];
        start_page(tab).await?;
        tab.find("button", "Start from measured traffic").await?.drop(&log).await?;
        tab.shows("4 ranks on 2 nodes, by host names.").await?;
        tab.shows("Keeps 1 of 1 pair with 100 % of the connections.").await?;
        take(tab).await?;
        tab.until("its nodes", "document.getElementById('spec-nodes')?.value === '2'").await?;
        equals_the_command_line(tab, &log, &[]).await
    });
}

#[test]
fn a_truncated_log_has_a_warning_at_its_line() {
    visit("traffic-truncated", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let dir = tempfile::tempdir()?;
        let log = nccl();
        let cut = write(dir.path(), "cut.log", &log[..log.len() - 15])?;
        attach(tab, &[cut]).await?;
        tab.shows("cut.log: line 8: must be a connection, such as").await?;
        let words = write(dir.path(), "notes.csv", "hello;world\n1;2\n")?;
        tab.find("button", "Choose other files").await?.attach(&words).await?;
        tab.shows("a first line may name the columns").await?;
        ensure!(
            tab.evaluate("document.getElementById('traffic-use') === null").await? == true,
            "words are a matrix"
        );
        let cut = write(dir.path(), "cut.log", &log[..log.len() - 15])?;
        tab.find("button", "Choose other files").await?.attach(&cut).await?;
        tab.shows("cut.log: line 8: must be a connection, such as").await?;
        tab.shows("[send] via NET/IB/3`, not").await?;
        visit.picture("refused").await?;
        // 16 MB of other output hide the first line of NCCL from detection.
        let noise = "step 1 of 9\n".repeat(1_400_000);
        let late = write(dir.path(), "late.log", &(noise + &log))?;
        tab.find("button", "Choose other files").await?.attach(&late).await?;
        tab.shows("late.log: unknown format").await?;
        tab.find("combobox", "Format").await?.choose("nccl").await?;
        tab.shows("4 ranks on 2 nodes, by host names.").await
    });
}

/// A log of at least so many bytes.
fn long_log(folder: &Path, bytes: usize) -> Result<PathBuf> {
    let path = folder.join("long.log");
    let mut file = std::fs::File::create(&path)?;
    file.write_all(nccl().as_bytes())?;
    let line =
        "gpu-0:100:200 [0] NCCL INFO AllReduce: opCount 1a sendbuff 0x7f recvbuff 0x7f count 4096\nstep\n";
    let lines = line.repeat(10_000);
    (0..bytes.div_ceil(lines.len())).try_for_each(|_| file.write_all(lines.as_bytes()))?;
    Ok(path)
}

#[test]
fn a_large_log_shows_progress_and_can_be_cancelled() {
    visit("traffic-cancel", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let dir = tempfile::tempdir_in(target_dir())?;
        let log = long_log(dir.path(), 300 << 20)?;
        tab.evaluate(
            "window.slices = 0;
            const slice = Blob.prototype.slice;
            Blob.prototype.slice = function (...range) { window.slices += 1; return slice.apply(this, range) };",
        )
        .await?;
        attach(tab, &[log]).await?;
        let bar = "document.getElementById('traffic-progress')";
        tab.until("progress", &format!("{bar}?.value > 0 && {bar}.value < {bar}.max")).await?;
        visit.picture("reading").await?;
        tab.click("#traffic-cancel").await?;
        tab.until("it is closed", "document.getElementById('traffic') === null").await?;
        let read = tab.evaluate("window.slices").await?.as_u64().unwrap_or_default();
        ensure!((1..149).contains(&read), "{read} slices");
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let later = tab.evaluate("window.slices").await?;
        ensure!(later == read, "{read} slices, then {later}");
        start_page(tab).await?;
        tab.find("button", "Start from measured traffic").await.map(drop)
    });
}

fn look(name: &'static str, screen: Screen, scheme: &'static str) {
    visit(name, screen, async |visit| {
        let tab = &visit.tab;
        tab.prefers(scheme).await?;
        let dir = tempfile::tempdir()?;
        attach(tab, &profiles(dir.path())?).await?;
        tab.find("combobox", "Keep").await?.choose("Fewest pairs").await?;
        tab.shows("Keeps 17 of 34 pairs").await?;
        looks::all_is_well(tab).await?;
        looks::fits_the_width(tab).await?;
        visit.picture("form").await?;
        tab.evaluate("document.getElementById('traffic-use').scrollIntoView()").await?;
        visit.picture("curve").await?;
        let cut = write(dir.path(), "cut.csv", "0 1 5\n1 2 five\n")?;
        tab.find("button", "Choose other files").await?.attach(&cut).await?;
        tab.shows("cut.csv: line 2: weight").await?;
        looks::all_is_well(tab).await?;
        visit.picture("refused").await
    });
}

#[test]
fn it_looks_well_in_the_light() {
    look("traffic-light", DESKTOP, "light");
}

#[test]
fn it_looks_well_in_the_dark() {
    look("traffic-dark", DESKTOP, "dark");
}

#[test]
fn it_looks_well_on_a_phone() {
    look("traffic-phone", PHONE, "light");
}

#[test]
fn it_looks_well_on_a_dark_phone() {
    look("traffic-phone-dark", PHONE, "dark");
}

#[test]
fn a_file_of_another_kind_leaves_the_spec_as_it_was() {
    visit("other-kind", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let folder = tempfile::tempdir()?;
        pick(tab, "KASY0").await?;
        for (name, content, found) in [
            (
                "logo.png",
                "\u{89}PNG\r\n\u{1a}\n\0\0\0\rIHDR",
                "logo.png is a binary file. Choose a spec in TOML",
            ),
            ("notes.csv", "hello;world\n1;2\n", "notes.csv is not a spec. Choose a spec in TOML"),
        ] {
            let path = write(folder.path(), name, content)?;
            tab.find("button", "Open a spec file").await?.attach(&path).await?;
            tab.shows(found).await?;
            ensure!(text_of(tab, "session-name").await? == "KASY0", "{name} has replaced the spec");
            ensure!(text_of(tab, "spec-faults").await?.is_empty(), "{name} has faults");
        }
        let large = write(folder.path(), "large.toml", &"# no spec\n".repeat(500_000))?;
        tab.find("button", "Open a spec file").await?.attach(&large).await?;
        tab.shows("large.toml is too large").await?;
        ensure!(text_of(tab, "session-name").await? == "KASY0", "a large file has replaced the spec");
        visit.picture("fault").await?;
        let path = write(
            folder.path(),
            "small.toml",
            "name = \"Small\"\npes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\n",
        )?;
        tab.find("button", "Open a spec file").await?.attach(&path).await?;
        tab.until("the name", "document.getElementById('session-name').textContent.trim() === 'Small'")
            .await?;
        ensure!(
            tab.evaluate("document.querySelector('.notice') === null").await? == true,
            "the fault of the file before"
        );
        Ok(())
    });
}

//! Builds the studio's web bundle into `frontend/dist`, which the server's binary contains.
//!
//! | module | does |
//! | --- | --- |
//! | [`toolchain`] | finds a compiler for WebAssembly and builds with it |
//! | [`split`] | splits the module into parts that the studio loads later |
//! | [`page`] | writes page, boot script, service worker, manifest, styles and icons |
//! | [`compress`] | writes the `.br` and `.gz` siblings |
//! | [`inputs`] | computes the fingerprint of the inputs, to skip a build without changes |
//!
//! Browsers may cache everything under `dist/assets/HASH/` forever: HASH covers all of it. They must revalidate the rest.

mod compress;
mod inputs;
mod page;
mod split;
mod toolchain;

use anyhow::{Context, Result};
use clap::Parser;
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};
use toolchain::Toolchain;

/// Builds the studio's web bundle into frontend/dist.
#[derive(Parser)]
struct Options {
    /// Build faster, but larger: no link-time optimisation, light compression.
    #[arg(long)]
    dev: bool,
    /// Build even without changes.
    #[arg(long)]
    force: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("web bundle: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).context("no workspace root")?;
    let dist = root.join("frontend/dist");
    let toolchain = Toolchain::find(root)?;
    let mark = toolchain.target_dir.join("bundle.fingerprint");
    let fingerprint = inputs::fingerprint(root, &[&toolchain.name, profile(options.dev)])?;
    let unchanged = fs::read_to_string(&mark).is_ok_and(|old| old == fingerprint);
    if unchanged && !options.force && dist.join("index.html").exists() {
        println!("web bundle: unchanged");
        return Ok(());
    }
    let started = Instant::now();
    let wasm = toolchain.build(root, profile(options.dev))?;
    bundle(root, &wasm, &dist, options.dev)?;
    fs::write(&mark, fingerprint)?;
    println!("web bundle: {} in {:.0?}", summary(&dist)?, started.elapsed());
    Ok(())
}

fn profile(dev: bool) -> &'static str {
    if dev { "web-dev" } else { "web" }
}

/// Builds the new bundle beside the old one and swaps them, so that an interrupted build leaves the old one.
fn bundle(root: &Path, wasm: &Path, dist: &Path, dev: bool) -> Result<()> {
    let fresh = dist.with_extension("new");
    remove(&fresh)?;
    let code = fresh.join("assets/code");
    fs::create_dir_all(&code)?;
    let first = split::split(wasm, &code, dev)?;
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(first)
        .out_name("app")
        .web(true)?
        .typescript(false)
        .keep_debug(dev)
        .keep_lld_exports(true)
        .demangle(false)
        .remove_name_section(!dev)
        .remove_producers_section(true)
        .generate(&code)
        .context("wasm-bindgen")?;
    page::write(root, &fresh)?;
    compress::tree(&fresh, if dev { compress::Effort::Light } else { compress::Effort::Full })?;
    remove(dist)?;
    fs::rename(&fresh, dist).context("putting the new bundle in place")
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", dir.display()))
        }
        _ => Ok(()),
    }
}

/// Sizes of the downloads: of a first visit, and of the parts that load later.
fn summary(dist: &Path) -> Result<String> {
    let (mut first, mut later) = (0, 0);
    for file in files_under(dist)? {
        if file.extension().is_some_and(|e| e == "br") {
            let bytes = if split::is_part(&file) { &mut later } else { &mut first };
            *bytes += fs::metadata(&file)?.len();
        }
    }
    Ok(format!("{} kB after brotli, and {} kB that load later,", first / 1000, later / 1000))
}

/// Every file under a folder, sorted by path.
fn files_under(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_under(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

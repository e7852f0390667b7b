//! Which compiler reaches WebAssembly on this machine, and the build with it.
//!
//! The set-up script decides (and installs what is missing); this file only follows. Each way has its own target
//! folder: artefacts of one standard library confuse a compiler with another into misleading errors.

use anyhow::{Context, Result, ensure};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that reaches WebAssembly.
pub enum Toolchain {
    /// rustup's, the same that builds the server.
    Rustup {
        /// Where its artefacts go.
        target_dir: PathBuf,
    },
    /// Debian's packages.
    Debian {
        /// Where its artefacts go.
        target_dir: PathBuf,
    },
}

impl Toolchain {
    /// Asks the set-up script, which installs what is missing.
    ///
    /// # Errors
    /// If neither way works on this machine.
    pub fn find(root: &Path) -> Result<Toolchain> {
        let script = root.join("frontend/setup/wasm.sh");
        let answer = cleaned(Command::new("sh").arg(&script))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("running {}", script.display()))?;
        ensure!(answer.status.success(), "no compiler for WebAssembly");
        let way = String::from_utf8(answer.stdout)?;
        let target_dir = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let target_dir = root.join(target_dir).join("web").join(way.trim());
        Ok(match way.trim() {
            "debian" => Toolchain::Debian { target_dir },
            _ => Toolchain::Rustup { target_dir },
        })
    }

    /// Its name in messages and fingerprints.
    pub fn name(&self) -> &'static str {
        match self {
            Toolchain::Rustup { .. } => "rustup",
            Toolchain::Debian { .. } => "debian",
        }
    }

    /// Where its artefacts go.
    pub fn target_dir(&self) -> &Path {
        match self {
            Toolchain::Rustup { target_dir } | Toolchain::Debian { target_dir } => target_dir,
        }
    }

    /// Compiles the front end and returns the module's path.
    ///
    /// # Errors
    /// If it does not compile.
    pub fn build(&self, root: &Path, profile: &str) -> Result<PathBuf> {
        let mut cargo = self.cargo();
        cargo
            .current_dir(root)
            .args(["build", "--locked", "--package", "frontend", "--target", TARGET, "--profile", profile])
            .arg("--target-dir")
            .arg(self.target_dir());
        let status = cargo.status().context("starting cargo")?;
        ensure!(status.success(), "the front end does not compile");
        let wasm = self.target_dir().join(TARGET).join(profile).join("frontend.wasm");
        ensure!(wasm.exists(), "the build left no {}", wasm.display());
        Ok(wasm)
    }

    fn cargo(&self) -> Command {
        match self {
            Toolchain::Rustup { .. } => {
                let mut cargo = Command::new("cargo");
                cleaned(&mut cargo);
                cargo
            }
            Toolchain::Debian { .. } => {
                let mut cargo = Command::new("/usr/bin/cargo");
                cleaned(&mut cargo).env_remove("RUSTUP_TOOLCHAIN").env("RUSTC", "/usr/bin/rustc");
                cargo
            }
        }
    }
}

/// Takes away what the outer cargo set for this program, which would make the inner one rebuild everything.
fn cleaned(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "CARGO" {
            command.env_remove(&name);
        }
    }
    command
}

//! Finds a compiler for WebAssembly and builds with it.
//!
//! The set-up script decides, and installs missing parts. Each way has its own target folder: artefacts of one standard library
//! cause misleading errors with another.

use anyhow::{Context, Result, ensure};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler for WebAssembly.
pub struct Toolchain {
    /// `rustup` (the compiler that builds the server) or `debian` (Debian's packages).
    pub name: String,
    /// The folder of its artefacts.
    pub target_dir: PathBuf,
}

impl Toolchain {
    /// Runs the set-up script, which installs missing parts.
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
        let name = String::from_utf8(answer.stdout)?.trim().to_owned();
        let target_dir = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let target_dir = root.join(target_dir).join("web").join(&name);
        Ok(Toolchain { name, target_dir })
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
            .arg(&self.target_dir);
        let status = cargo.status().context("starting cargo")?;
        ensure!(status.success(), "the front end does not compile");
        let wasm = self.target_dir.join(TARGET).join(profile).join("frontend.wasm");
        ensure!(wasm.exists(), "the build left no {}", wasm.display());
        Ok(wasm)
    }

    fn cargo(&self) -> Command {
        let debian = self.name == "debian";
        let mut cargo = Command::new(if debian { "/usr/bin/cargo" } else { "cargo" });
        // Views of the same type for all components make the module a fifth smaller. The splitter needs relocations.
        let mut flags = "--cfg erase_components -Clink-args=--emit-relocs".to_owned();
        if debian {
            let sysroot = self.target_dir.with_file_name("sysroot");
            cargo.env_remove("RUSTUP_TOOLCHAIN").env("RUSTC", "/usr/bin/rustc");
            flags += &format!(" --sysroot {}", sysroot.display());
        }
        cargo.env("RUSTFLAGS", flags);
        cleaned(&mut cargo);
        cargo
    }
}

/// Removes the variables that the outer cargo set for this program: they would make the inner one rebuild everything.
fn cleaned(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "CARGO" {
            command.env_remove(&name);
        }
    }
    command
}

//! ShellCheck reads every exported script.

use crate::{FABRICS, all_files, fabric, small};
use anyhow::ensure;
use e2e::{
    readers::{DESIGN, missing, read_by, run, tool},
    story,
};
use std::{fs, path::PathBuf};

#[test]
fn shellcheck_has_no_warning_of_any_script() {
    story("ShellCheck", missing(&["ShellCheck"]), |dir| {
        let all = dir.join("all");
        small(dir)?.export_to(&all, "all", &["failed=sw4 node5"])?;
        let (mesh, pmesh) = (FABRICS[0], FABRICS[1]);
        for (kind, format) in [(mesh, "script"), (mesh, "bridge"), (pmesh, "script")] {
            fs::rename(fabric(dir, kind, format)?, all.join(format!("{kind} {format}")))?;
        }
        let mut scripts: Vec<PathBuf> = all_files(&all)?;
        // Commands in comments, which `sed` takes out for a shell.
        for file in scripts.iter().filter(|file| file.to_string_lossy().contains("-dnsmasq/")) {
            let text = fs::read_to_string(file)?;
            let commands: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("# run: ")).collect();
            fs::write(file.with_extension("sh"), commands.join("\n") + "\n")?;
        }
        scripts = all_files(&all)?;
        scripts.retain(|file| file.extension().is_some_and(|end| end == "sh"));
        // Those of other nodes and switches differ in numbers alone.
        let of_first = |file: &PathBuf| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let numbered = name.rsplit_once("node").or_else(|| name.rsplit_once("sw"));
            numbered
                .and_then(|(_, number)| number.parse::<u32>().ok())
                .is_none_or(|number| number == 0 || number == 4)
        };
        scripts.retain(of_first);
        let kinds = [
            "-script-",
            "-multipath-",
            "-preload-",
            "-audit",
            "-maas",
            "-linux-switch-",
            "-bridge-",
            "pmesh-2x3x2-script-",
        ];
        for form in kinds {
            let named = scripts.iter().filter(|file| file.to_string_lossy().contains(form));
            ensure!(named.count() > 0, "no script {form}: {scripts:?}");
        }
        run(tool("shellcheck").args(["-s", "sh", "-S", "warning", "-f", "gcc"]).args(&scripts))?;
        read_by("ShellCheck", DESIGN, &["script", "multipath", "preload", "audit", "maas", "linux-switch"])?;
        read_by("ShellCheck", mesh, &["script", "bridge"])?;
        read_by("ShellCheck", pmesh, &["script"])
    });
}

//! systemd reads the units of studio and worker, and finds little that they may do.

use anyhow::ensure;
use e2e::{
    readers::{missing, run, tool},
    root, story,
};
use std::fs;

/// Max exposure by `systemd-analyze security` in tenths, on a scale up to 10.
const MAX_EXPOSURE: &str = "29";

#[test]
fn the_units_of_studio_and_worker_are_hardened() {
    story("systemd-analyze", missing(&["systemd"]), |_| {
        let mut units = 0;
        for file in fs::read_dir(root().join("server/deploy"))? {
            let file = file?.path();
            if file.extension().is_some_and(|end| end == "service") {
                let threshold = format!("--threshold={MAX_EXPOSURE}");
                run(tool("systemd-analyze").args(["security", "--offline=true", &threshold]).arg(&file))?;
                units += 1;
            }
        }
        ensure!(units == 2, "{units} units");
        Ok(())
    });
}

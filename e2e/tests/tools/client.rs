//! A client generated from the description of the HTTP API runs the main job.

use crate::{SPEC, python};
use anyhow::ensure;
use e2e::{
    readers::{missing, run, tool},
    story,
    studio::Studio,
};
use std::fs;

/// Pictures are files to a client. Formatting of the client is left out.
const CONFIG: &str = "content_type_overrides:\n  image/png: application/octet-stream\npost_hooks: []\n";

#[test]
fn a_generated_client_starts_follows_and_exports() {
    let programs = ["openapi-spec-validator", "openapi-python-client"];
    story("a generated client", missing(&programs), |dir| {
        let studio = Studio::start(&[])?;
        let (description, config, client) =
            (dir.join("openapi.json"), dir.join("config.yaml"), dir.join("client"));
        run(tool("curl").args(["-sf", "-o"]).arg(&description).arg(studio.at("/api/openapi.json")))?;
        run(tool("openapi-spec-validator").arg(&description))?;
        fs::write(&config, CONFIG)?;
        run(tool("openapi-python-client")
            .args(["generate", "--fail-on-warning", "--meta", "none", "--path"])
            .arg(&description)
            .arg("--config")
            .arg(&config)
            .arg("--output-path")
            .arg(&client))?;
        let spec = dir.join("search.toml");
        fs::write(&spec, SPEC)?;
        let main_job = python("client.py").arg(&client).arg(studio.at("")).arg(&spec).output()?;
        let said = String::from_utf8_lossy(&main_job.stderr);
        ensure!(main_job.status.success(), "{said}");
        let cables = String::from_utf8(main_job.stdout)?;
        ensure!(cables.starts_with("pe,ni,switch,port,") && cables.lines().count() > 8, "{cables}");
        Ok(())
    });
}

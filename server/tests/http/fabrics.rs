use crate::studio::Studio;
use shared::{
    api::{ExportView, FabricKindView},
    exports::FileScope,
};
use std::process::Command;

/// Output of the command line.
fn by_command_line(kind: &str, format: &str, rest: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosspoint"));
    command.args(["fabric", kind, "--format", format]).args(rest);
    command.arg("-o").arg(folder.path().join("out.tar"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(folder.path().join("out.tar")).unwrap()
}

async fn kinds() -> Vec<FabricKindView> {
    Studio::new().get("/api/fabrics").await.json()
}

async fn formats(kind: &str) -> Vec<ExportView> {
    kinds().await.into_iter().find(|own| own.name == kind).unwrap().formats
}

#[tokio::test]
async fn kinds_are_told_with_their_form_parameters_and_files() {
    let kinds = kinds().await;
    assert_eq!(kinds.len(), shared::fabric::kinds::KINDS.len());
    let torus = kinds.iter().find(|kind| kind.name == "torus").unwrap();
    assert_eq!(torus.form, "torus:SIDES[,HOSTS PER SWITCH]");
    let names: Vec<_> = torus.parameters.iter().map(|p| (p.name.as_str(), p.optional)).collect();
    assert_eq!(names, [("SIDES", false), ("HOSTS PER SWITCH", true)]);
    assert!(!torus.explanation.is_empty() && torus.source.contains("Otsuka et al. 2005"), "{torus:?}");
    let bridge = torus.formats.iter().find(|format| format.name == "bridge").unwrap();
    assert_eq!(bridge.each, FileScope::Switch);
    let method = bridge.settings.iter().find(|setting| setting.name == "method").unwrap();
    assert_eq!(method.choices, ["dor", "partial-dor"]);
    let hub = kinds.iter().find(|kind| kind.name == "hub").unwrap();
    let names: Vec<_> = hub.formats.iter().map(|format| &*format.name).collect();
    assert_eq!(names, ["links", "graphml", "astra-sim", "simai"]);
}

#[tokio::test]
async fn every_file_is_the_same_bytes_as_the_command_lines() {
    let studio = Studio::new();
    for (name, kind, path) in [
        ("mesh", "mesh:3x2,2", "mesh:3x2,2"),
        ("torus", "torus:3x4", "torus%3A3x4"),
        ("pmesh", "pmesh:4x3,2x1", "pmesh%3a4x3%2C2x1"),
        ("tree", "tree:8,4,2", "tree:8,4,2"),
    ] {
        for format in formats(name).await {
            let nodes = if format.each == FileScope::Whole { vec![None] } else { vec![None, Some("5")] };
            for node in nodes {
                let query = node.map_or(String::new(), |node| format!("?node={node}"));
                let got = studio.get(&format!("/api/fabrics/{path}/exports/{}{query}", format.name)).await;
                assert!(got.status.is_success(), "{kind} {}: {}", format.name, got.text());
                let rest = node.map_or(vec![], |node| vec!["--node", node]);
                let expected = by_command_line(kind, &format.name, &rest);
                assert!(!expected.is_empty());
                assert!(got.body == expected, "{kind} {} {node:?}: not the command line's", format.name);
                let archive = format.each != FileScope::Whole && node.is_none();
                let media = if archive { "application/x-tar" } else { &format.media_type };
                assert_eq!(got.header("content-type"), media);
                let file = format!("filename=\"{name}-");
                let disposition = got.header("content-disposition");
                assert!(disposition.contains(&file), "{disposition}");
                assert_eq!(disposition.ends_with(".tar\""), archive, "{disposition}");
            }
        }
    }
}

#[tokio::test]
async fn settings_are_heeded_as_on_the_command_line() {
    let query =
        "with=method=partial-dor;first-vlan=100;network=172.16.0.0/12;avoid=172.16.0.0/24%20172.16.1.0/24";
    let got = Studio::new().get(&format!("/api/fabrics/torus:4x4/exports/script?node=3&{query}")).await;
    let with = [
        "--node",
        "3",
        "--with",
        "method=partial-dor",
        "--with",
        "first-vlan=100",
        "--with",
        "network=172.16.0.0/12",
        "--with",
        "avoid=172.16.0.0/24 172.16.1.0/24",
    ];
    assert!(got.status.is_success(), "{}", got.text());
    assert!(got.body == by_command_line("torus:4x4", "script", &with));
    assert!(got.text().contains("VLANS='10"), "{}", got.text());
}

#[tokio::test]
async fn what_cannot_be_written_is_a_problem_that_says_what_can() {
    let studio = Studio::new();
    for (path, status, kind, told) in [
        ("mash:4x4/exports/script", 422, "spec", "mesh:SIDES"),
        ("mesh:4x1/exports/script", 422, "spec", "sides of at least 2, not 1 (dimension 2)"),
        ("mesh:99999x99999/exports/script", 422, "spec", "at most 1,048,576 positions"),
        ("hub:8/exports/script", 404, "not-found", "Formats are `links`, `graphml`"),
        ("file:net.txt/exports/links", 422, "spec", "networks from files work in `compare`"),
        ("mesh:64x64/exports/paths", 422, "export", "4096 switches; exports support up to 1024"),
        ("mesh:2x512/exports/ios?node=0", 422, "export", "(max 32,000,000); choose sides"),
        (
            "pmesh:4x4/exports/routes?with=dead=sw9",
            422,
            "export",
            "there is no switch 9; switches are 0 to 7",
        ),
        ("mesh:4x4/exports/ios?with=first-vlan=1", 422, "export", "IOS reserves VLAN 1"),
        ("mesh:4x4/exports/nonsense", 404, "not-found", "`script`, `bridge`, `ios`"),
        ("mesh:4x4/exports/script?node=16", 404, "not-found", "there is no node 16; nodes are 0 to 15"),
        ("mesh:4x4/exports/vlans?node=1", 422, "export", "single file for the whole network"),
        ("mesh:4x4/exports/vlans?with=method=best", 422, "export", "must be one of `dor`, `partial-dor`"),
        ("mesh:4x4/exports/vlans?with=method=dor;method=dor", 422, "export", "method: is given twice"),
        (
            "mesh:4x4/exports/vlans?with=room=8x8",
            422,
            "export",
            "vlans has no such setting; its settings are `method`, `first-vlan`, `most-vlans`.",
        ),
        ("torus:8x8/exports/vlans?with=most-vlans=9", 422, "export", "8x8 by dor needs 16 VLANs"),
        (
            "mesh:4x4/exports/vlans?method=dor",
            400,
            "request",
            "method: Unknown field `method`. The fields are `node`, `pe`, `with`.",
        ),
        (
            "mesh:4x4/exports/script?node=one",
            400,
            "request",
            "node: must be a whole number from 0, not `one`.",
        ),
    ] {
        let problem = studio.get(&format!("/api/fabrics/{path}")).await.problem(status, kind);
        let all = format!("{} {:?}", problem.detail, problem.faults);
        assert!(all.contains(told), "{path}: {all}");
    }
    let problem = studio.get("/api/fabrics/mesh:4x1/exports/script").await.problem(422, "spec");
    assert_eq!((&*problem.faults[0].path, &*problem.faults[0].value), ("fabric", "mesh:4x1"));
}

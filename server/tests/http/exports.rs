use crate::studio::{KASY0, KASY0_WIRING, SMALL, SMALL_WIRING, Studio};
use serde_json::json;
use server::{
    api::Config,
    store::Store,
    tasks::{Limits, Tasks},
    work::Timing,
};
use shared::{
    api::{DesignView, ExportView},
    exports::FileScope,
};
use std::{io::Read, path::Path, process::Command};

/// Output of the command line.
fn by_command_line(format: &str, pe: Option<u32>, with: &[String]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("spec.toml"), KASY0).unwrap();
    std::fs::write(path("wiring.txt"), KASY0_WIRING).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosspoint"));
    command.arg("export").args([path("spec.toml"), path("wiring.txt")]).args(["--format", format]);
    command.arg("-o").arg(path("out.tar"));
    if let Some(pe) = pe {
        command.args(["--pe", &pe.to_string()]);
    }
    command.args(with.iter().flat_map(|choice| ["--with", choice]));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(path("out.tar")).unwrap()
}

#[tokio::test]
async fn every_format_is_the_same_bytes_from_both_routes_and_the_command_line() {
    let studio = Studio::new();
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let design: DesignView = studio.post("/api/designs", &body).await.json();
    let formats: Vec<ExportView> = studio.get("/api/exports").await.json();
    for name in ["wiring", "spec", "cables", "labels", "hosts", "script"] {
        assert!(formats.iter().any(|format| format.name == name), "{name}");
    }
    // This design has no uplinks, no racks and no job, and without settings NetBox gets no addresses.
    let particular = ["frr-switch", "netbox-racks", "netbox-prefixes", "netbox-addresses"];
    for format in formats.into_iter().filter(|format| !particular.contains(&&*format.name)) {
        let known = shared::exports::format(&format.name).unwrap();
        if known.needs == Some(shared::exports::Need::Job) {
            continue;
        }
        // A saved design knows its link.
        let has_link = known.has_setting("link");
        let link = format!("link=http://localhost:8080/d/{}", design.id);
        let with: Vec<String> = has_link.then_some(link).into_iter().collect();
        let body = json!({ "spec": KASY0, "table": KASY0_WIRING, "with": with });
        let pes = match known.each {
            FileScope::Whole => vec![None],
            FileScope::Node => vec![None, Some(0), Some(127)],
            FileScope::Switch => vec![None, Some(0)],
        };
        assert_eq!(format.per_pe, known.each == FileScope::Node);
        for pe in pes {
            let query = pe.map_or(String::new(), |pe| format!("?pe={pe}"));
            let kept =
                studio.get(&format!("/api/designs/{}/exports/{}{query}", design.id, format.name)).await;
            let posted = studio.post(&format!("/api/exports/{}{query}", format.name), &body).await;
            assert!(kept.status.is_success(), "{} {}", format.name, kept.text());
            assert!(kept.body == posted.body, "{} {pe:?}: two routes, two files", format.name);
            assert!(!kept.body.is_empty());
            assert!(
                kept.body == by_command_line(&format.name, pe, &with),
                "{} {pe:?}: not the command line's",
                format.name
            );
            let archive =
                known.each != FileScope::Whole && pe.is_none() || format.media_type == "application/x-tar";
            let media = if archive { "application/x-tar" } else { &format.media_type };
            assert_eq!(kept.header("content-type"), media);
            let disposition = kept.header("content-disposition").to_owned();
            assert!(disposition.contains("filename=\"kasy0"), "{disposition}");
            assert_eq!(disposition.contains(".tar"), archive, "{disposition}");
        }
    }
}

#[tokio::test]
async fn an_archive_holds_each_pes_file_in_one_folder_without_times_or_owners() {
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let answer = Studio::new().post("/api/exports/hosts", &body).await;
    let mut archive = tar::Archive::new(answer.body.as_ref());
    let mut names = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let header = entry.header();
        assert_eq!((header.mtime().unwrap(), header.uid().unwrap(), header.mode().unwrap()), (0, 0, 0o644));
        let path = entry.path().unwrap().into_owned();
        assert_eq!(path.parent(), Some(Path::new("kasy0-hosts")));
        let mut content = String::new();
        entry.read_to_string(&mut content).unwrap();
        assert!(!content.is_empty());
        names.push(path);
    }
    assert_eq!(names.len(), 128);
    assert!(names.is_sorted());
}

#[tokio::test]
async fn names_with_letters_of_other_scripts_are_encoded() {
    let body = json!({ "spec": SMALL.replace("Small", "実験 Ü"), "table": SMALL_WIRING });
    let answer = Studio::new().post("/api/exports/cables", &body).await;
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"__-_-cables.csv\"; filename*=UTF-8''%E5%AE%9F%E9%A8%93-%C3%BC-cables.csv"
    );
}

#[tokio::test]
async fn labels_open_in_the_browser_and_may_run_nothing() {
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let answer = Studio::new().post("/api/exports/labels", &body).await;
    assert!(answer.header("content-disposition").starts_with("inline"));
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("style-src 'unsafe-inline'") && !policy.contains("script-src"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn labels_of_a_saved_design_know_its_link_and_the_date() {
    let studio = Studio::new();
    let body = json!({ "spec": SMALL, "table": SMALL_WIRING });
    let design: DesignView = studio.post("/api/designs", &body).await.json();
    let labels = async |query: &str| {
        studio.get(&format!("/api/designs/{}/exports/labels{query}", design.id)).await.text().to_owned()
    };
    let link = format!("http://localhost:8080/d/{}", design.id);
    let (page, day) = (labels("").await, &design.created[..10]);
    assert!(page.contains(&format!(" · {link}</text>")) && page.contains("class=\"qr\""), "{page}");
    assert!(page.contains(&day[..8]), "{day}: {page}");
    let page = labels("?with=link=https://example.org/d/x;date=2026-11-22;qr=none").await;
    assert!(
        page.contains(">2026-11-22 · wiring ") && page.contains(" · https://example.org/d/x</text>"),
        "{page}"
    );
    assert!(!page.contains("class=\"qr\"") && !page.contains("no QR codes"), "{page}");
    let posted = studio.post("/api/exports/labels", &body).await;
    assert!(posted.text().contains("no QR codes: this design has no link yet"), "{}", posted.text());
}

#[tokio::test]
async fn what_cannot_be_exported_says_why() {
    let studio = Studio::new();
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let problem = studio.post("/api/exports/nonsense", &body).await.problem(404, "not-found");
    assert!(problem.detail.contains("labels"), "{}", problem.detail);
    let problem = studio.post("/api/exports/hosts?pe=128", &body).await.problem(404, "not-found");
    assert!(problem.detail.contains("127"), "{}", problem.detail);
    let problem = studio.post("/api/exports/hosts?pe=some", &body).await.problem(400, "request");
    assert_eq!(problem.detail, "pe: must be a whole number from 0, not `some`.");
    assert_eq!(problem.faults[0].to_string(), problem.detail);
    let problem = studio.post("/api/exports/labels?node=999", &body).await.problem(422, "export");
    assert_eq!(
        problem.detail,
        "`labels` is a single file for the whole network; leave out the node or switch"
    );
    let problem = studio.post("/api/exports/hosts?pes=3", &body).await.problem(400, "request");
    assert!(problem.detail.contains("Unknown field `pes`. Did you mean `pe`?"), "{}", problem.detail);
    studio
        .post("/api/exports/wiring", &json!({ "spec": SMALL, "table": "0: 9" }))
        .await
        .problem(422, "table");
}

#[tokio::test]
async fn an_export_that_is_too_large_says_so_before_its_first_byte() {
    let limits = Limits { disk: 4 << 20, ..Limits::of(2) };
    let studio =
        Studio::of(Store::temporary().unwrap(), Config::default(), Timing::default(), Tasks::new(limits));
    let members: Vec<String> = (0..512).map(|node| node.to_string()).collect();
    let spec = SMALL.replace("pes = 4", "pes = 512").replace("ports = 4", "ports = 512");
    let body = json!({ "spec": spec, "table": format!("0: {}\n", members.join(" ")) });
    let saved: DesignView = studio.post("/api/designs", &body).await.json();
    // Tables of all nodes for each node, and one file of all pairs.
    let answers = [
        studio.post("/api/exports/all", &body).await,
        studio.post("/api/exports/entries-json", &body).await,
        studio.post("/api/exports/hosts,entries-json", &body).await,
        studio.post("/api/exports/paths", &body).await,
        studio.get(&format!("/api/designs/{}/exports/all", saved.id)).await,
    ];
    for answer in answers {
        let problem = answer.problem(422, "memory");
        assert!(problem.detail.starts_with("This export has at least "), "{}", problem.detail);
        assert!(
            problem
                .detail
                .contains("exports of up to 2 MiB (half of its flag --temporary). Choose fewer formats"),
            "{}",
            problem.detail
        );
    }
    for small in ["wiring", "wiring,spec", "entries-json?node=3"] {
        assert_eq!(studio.post(&format!("/api/exports/{small}"), &body).await.status, 200, "{small}");
    }
    assert_eq!(studio.tasks.disk.used(), 0);
}

#[tokio::test]
async fn pdf_labels_take_the_fonts_of_the_studio() {
    let font = include_bytes!("../../../shared/tests/fonts/east-asian.otf").to_vec();
    let config = Config { fonts: [font].into(), ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    let body = json!({ "spec": SMALL.replace("Small", "東京"), "table": SMALL_WIRING });
    let answer = studio.post("/api/exports/labels-pdf", &body).await;
    assert!(String::from_utf8_lossy(&answer.body).contains("+CrosspointTest"));
}

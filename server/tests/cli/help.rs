//! The chapters of the help: what they say must work.

use crate::{
    import::{NCCL, profile},
    program::{folder, kasy0, kasy0_wiring, run},
    serve::Studio,
};
use server::help::CHAPTERS;
use std::{path::Path, process::Command};

/// Commands that search, serve, wait for data or need a store: only their flags are checked.
const PARSED_ONLY: [&str; 9] =
    ["search", "hardware", "serve", "worker", "backup", "prune", "--lldp", "--ib", "--nccl"];

#[test]
fn every_command_of_the_chapters_works() {
    let spec = std::fs::read(kasy0()).unwrap();
    let wiring = std::fs::read(kasy0_wiring()).unwrap();
    let job = std::fs::read(kasy0().with_file_name("mixtral64.toml")).unwrap();
    let ranks: String = (0..18).map(|rank| format!("{rank} {}\n", rank / 6)).collect();
    let folder = folder(&[
        ("spec.toml", &spec),
        ("job.toml", &job),
        ("wiring.txt", &wiring),
        ("old.txt", &wiring),
        ("new.txt", &wiring),
        ("macs.txt", b"node7.nic0=00:1b:21:3c:4d:5e\n"),
        ("guids.txt", b"node7.nic0=0x08c0eb0300f2a3c4\n"),
        ("out.0.prof", profile(0).as_bytes()),
        ("out.1.prof", profile(1).as_bytes()),
        ("out.2.prof", profile(2).as_bytes()),
        ("nccl.log", NCCL.as_bytes()),
        ("traffic.csv", b"0,8,5000\n1,9,200\n9,17,3\n"),
        ("ranks.txt", ranks.as_bytes()),
        ("ring.txt", b"0: 0 1\n1: 1 2\n2: 2 3\n3: 0 3\n"),
    ]);
    let specs = folder.path().join("assets/specs");
    std::fs::create_dir_all(&specs).unwrap();
    for spec in std::fs::read_dir(kasy0().parent().unwrap()).unwrap().map(Result::unwrap) {
        std::fs::copy(spec.path(), specs.join(spec.file_name())).unwrap();
    }
    let searched =
        run(folder.path(), &["search".into(), "job.toml".into(), "-o".into(), String::from("job.txt")]);
    assert_eq!(searched.code, 0, "{}", searched.err);
    let subnets = ["export", "spec.toml", "wiring.txt", "--format", "ibnetdiscover", "-o", "ib"];
    let exported = run(folder.path(), &subnets.map(String::from));
    assert_eq!(exported.code, 0, "{}", exported.err);
    let subnets = std::fs::read_dir(folder.path().join("ib")).unwrap();
    let subnets: Vec<String> =
        subnets.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    std::fs::write(folder.path().join("ibnetdiscover.txt"), subnets.concat()).unwrap();
    for chapter in CHAPTERS.iter() {
        if chapter.topic == "concepts" {
            prints_what_it_shows(folder.path(), chapter.text);
            continue;
        }
        let commands = commands(chapter.text);
        let without = ["share", "library", "deploy", "api", "references", "glossary", "spec"];
        let expected = !without.contains(&chapter.topic) && !chapter.topic.ends_with("-reference");
        assert!(!expected || !commands.is_empty(), "{}", chapter.topic);
        for command in commands {
            works(folder.path(), chapter.topic, &command);
        }
    }
}

fn works(folder: &Path, topic: &str, command: &str) {
    let (command, rest) = split(command);
    let mut words = words(&command);
    if words.iter().any(|word| PARSED_ONLY.contains(&word.as_str())) {
        words.push("--help".into());
    } else if words[0] == "simulate" && !words.iter().any(|word| word == "--message" || word == "--groups") {
        words.extend(["--cycles".into(), "12000".into()]);
    }
    let ran = run(folder, &words);
    // NCCL need not connect all pairs of the wiring.
    let is_answer = ran.code == 1 && ran.err.is_empty() && words.iter().any(|word| word == "--library");
    assert!(ran.code == 0 || is_answer, "{topic}: {command}: {}", ran.err);
    if rest.starts_with("jq -r .market > ") {
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let file = rest.trim_start_matches("jq -r .market > ");
        std::fs::write(folder.join(file), answer["market"].as_str().unwrap()).unwrap();
    }
}

/// Writes the file of a chapter and runs its commands. Each line below a command is a line that it prints, whatever its spaces; `…`
/// stands for the rest.
fn prints_what_it_shows(folder: &Path, text: &str) {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, file) = text.split_once("    # eight.toml\n").unwrap();
    let file = file.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    let file: String = file.map(|line| format!("{}\n", line.trim())).collect();
    std::fs::write(folder.join("eight.toml"), file).unwrap();
    let (mut printed, mut shown) = (Vec::<String>::new(), 0);
    for line in text.lines().filter_map(|line| line.strip_prefix("    ")) {
        if let Some(command) = line.strip_prefix("crosspoint ") {
            let ran = run(folder, &words(command));
            assert_eq!(ran.code, 0, "{command}: {}", ran.err);
            printed = ran.out.lines().chain(ran.err.lines()).map(plain).collect();
        } else if !printed.is_empty() {
            let line = plain(line);
            let is_printed = |said: &String| match line.strip_suffix(" …") {
                Some(start) => said.starts_with(start),
                None => *said == line,
            };
            assert!(printed.iter().any(is_printed), "{line}: {printed:#?}");
            shown += 1;
        }
    }
    assert!(shown > 10, "{shown}");
}

/// Commands in indented blocks, without `crosspoint`.
fn commands(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("    crosspoint "));
    lines.map(str::to_owned).collect()
}

/// A command without its comment, and the command after a `|`.
fn split(line: &str) -> (String, String) {
    let command = line.split(" #").next().unwrap().trim();
    let (command, rest) = command.split_once(" | ").unwrap_or((command, ""));
    (command.to_owned(), rest.trim().to_owned())
}

/// Words as a shell reads them: quotes keep spaces.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in command.chars() {
        match letter {
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            letter if quote == Some(letter) => quote = None,
            ' ' if quote.is_none() => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn the_specs_of_the_chapters_are_specs() {
    let blocks = |text: &str| -> Vec<String> {
        let mut blocks = vec![String::new()];
        for line in text.lines() {
            match line.strip_prefix("    ") {
                Some(line) => *blocks.last_mut().unwrap() += &format!("{line}\n"),
                None if line.is_empty() => *blocks.last_mut().unwrap() += "\n",
                None => blocks.push(String::new()),
            }
        }
        blocks
    };
    let base = "nodes = 64\nobjective = \"sparse\"\nnics_per_node = 4\n[[switch]]\nports = 32\n";
    let mut seen = 0;
    for chapter in CHAPTERS.iter() {
        let of_spec = |block: &&String| block.lines().any(|line| line.starts_with('['));
        for block in blocks(chapter.text).iter().filter(of_spec) {
            let of_job =
                ["[[collective]]", "[assumptions]", "[model]"].iter().any(|part| block.contains(part));
            let spec = match (block.contains("nics_per_node = "), block.contains("[[node_group]]")) {
                (true, _) => block.clone(),
                (_, true) => base.replace("nics_per_node = 4\n", "") + block,
                _ => {
                    base.replace(
                        "nodes = 64",
                        if block.contains("[[rack]]") { "nodes = 32" } else { "nodes = 64" },
                    ) + if of_job { "[job]\n" } else { "" }
                        + block
                }
            };
            let spec = spec + "\n[[pattern]]\nkind = \"ring\"\n";
            let folder = folder(&[
                ("spec.toml", spec.as_bytes()),
                ("traffic.csv", b"0 1 2\n"),
                ("old.txt", b"0: 0 1 2\n"),
            ]);
            let ran = run(folder.path(), &["demand", "spec.toml"]);
            assert_eq!(ran.code, 0, "{}: {spec}\n{}", chapter.topic, ran.err);
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}

/// The coverage of planes wired alike, of rails and of free wiring, as the help says.
#[test]
fn the_figures_of_rails_are_those_of_the_command() {
    let chapter = CHAPTERS.iter().find(|chapter| chapter.topic == "spec").unwrap().text;
    let (before, after) = chapter.split_once("    rail = true\n").unwrap();
    let start = before.rfind("    nodes = 64").unwrap();
    let block = format!("{}    rail = true\n{after}", &before[start..]);
    let lines = block.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    let spec: String =
        lines.filter(|line| !line.contains("crosspoint ")).map(|line| format!("{}\n", line.trim())).collect();
    let command = commands(chapter).into_iter().find(|command| command.contains("rails.toml")).unwrap();
    let changes = [("nics_per_node = 4", "nics_per_node = 1"), ("", ""), ("rail = true", "rail = false")];
    for (from, to) in changes {
        let folder = folder(&[("rails.toml", spec.replace(from, to).as_bytes())]);
        let ran = run(folder.path(), &words(&command));
        let said =
            ran.out.lines().chain(ran.err.lines()).find_map(|line| line.split_once("traffic weight: "));
        let (_, served) = said.unwrap_or_else(|| panic!("{}{}", ran.out, ran.err));
        let row = if to.is_empty() {
            "| `rails.toml` |".to_owned()
        } else {
            format!("| `rails.toml` with `{to}` |")
        };
        let row = chapter.lines().find(|line| line.starts_with(&row)).unwrap();
        assert!(row.ends_with(&format!("| {served} |")), "{row}: {served}");
    }
}

/// All commands of the chapter on the API, as one script for a studio.
#[test]
fn the_commands_of_the_api_chapter_work() {
    const ADDRESS: &str = "http://127.0.0.1:8080";
    let chapter = CHAPTERS.iter().find(|chapter| chapter.topic == "api").unwrap().text;
    let script: String = chapter
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(script.contains(ADDRESS) && script.matches("curl ").count() > 10, "{script}");
    let (data, here) = (folder(&[]), folder(&[]));
    std::fs::copy(kasy0(), here.path().join("spec.toml")).unwrap();
    std::fs::copy(kasy0_wiring(), here.path().join("wiring.txt")).unwrap();
    let studio = Studio::start(data.path());
    let script = script.replace(ADDRESS, &format!("http://{}", studio.address));
    let mut bash = Command::new("bash");
    let ran = bash.args(["-euo", "pipefail", "-c", &script]).current_dir(here.path()).output();
    let ran = ran.expect("bash, with curl and jq");
    let [out, err] = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(ran.status.success(), "{script}\n{out}{err}");
    assert!(out.contains("\n\"solved\"\n"), "{out}");
    assert_eq!(run(here.path(), &["check", "spec.toml", "found.txt"]).code, 0);
    for (file, part) in [("cables.csv", "sw00"), ("labels.html", "<svg"), ("vlans.csv", "vlan,tree")] {
        let text = std::fs::read_to_string(here.path().join(file)).unwrap();
        assert!(text.contains(part), "{file}: {text:.500}");
    }
}

#[test]
fn help_finds_topics_and_commands() {
    let folder = folder(&[]);
    let help = |words: &[&str]| run(folder.path(), &[&["help"], words].concat());
    let all = help(&[]);
    assert!(
        all.out
            .contains("Topics (crosspoint help TOPIC, or help --topic TOPIC where a command has the name):")
            && all.out.contains("Usage: crosspoint <COMMAND>")
    );
    for chapter in CHAPTERS.iter() {
        assert!(
            all.out.contains(&format!("  {:<18} {}", chapter.topic, chapter.title())),
            "{}",
            chapter.topic
        );
        assert_eq!(help(&["--topic", chapter.topic]).out, chapter.text);
    }
    assert!(help(&["labels"]).out.starts_with("# Print labels"));
    let search = help(&["search"]).out;
    assert!(search.starts_with(&run(folder.path(), &["search", "--help"]).out), "{search}");
    assert!(search.ends_with("\nTopic: crosspoint help --topic search\n"), "{search}");
    let wrong = help(&["lables"]);
    assert_eq!((wrong.code, wrong.out.as_str()), (2, ""));
    assert!(wrong.err.contains("Did you mean `labels`?"), "{}", wrong.err);
}

//! The language of spec files and links: what is read, what is refused, and that nothing is lost.

use proptest::prelude::*;
use shared::{
    form::{Described, OneOrMore, toml},
    resolve,
    spec::{
        CollectiveForm, JobForm, KeepForm, MAX_SPEC_BYTES, ModelForm, NamesForm, PatternForm, PeGroupForm,
        PlacementForm, RackForm, SpecForm, StartForm, SwitchForm, UplinkForm, assumptions::EstimateForm,
        link,
    },
};

fn faults(text: &str) -> String {
    resolve::parse(text).err().map_or_else(String::new, |faults| faults.to_string())
}

#[test]
fn a_catalogue_may_have_several_models_without_a_count() {
    use shared::resolve::{NoFiles, resolve, resolve_catalogue};
    let text =
        "pes = 4\nnis_per_pe = 1\nobjective = 'universal'\n[[switch]]\nports = 4\n[[switch]]\nports = 8\n";
    let form = resolve::parse_catalogue(text).unwrap();
    let counts: Vec<_> =
        resolve_catalogue(&form, &mut NoFiles).unwrap().switches.iter().map(|m| m.count).collect();
    assert_eq!(counts, [None, None]);
    // A wiring uses the widest of them.
    let spec = resolve(&form, &mut NoFiles).unwrap();
    assert_eq!((spec.unlimited(), spec.switch_counts()), (Some(1), vec![0, 1]));
}

#[test]
fn a_spec_is_written_as_a_person_would() {
    let form = SpecForm {
        name: "A \"lab\"".into(),
        pes: "128".into(),
        nis_per_pe: "many".into(),
        switch: vec![SwitchForm { ports: "24".into(), price: "95.0".into(), ..SwitchForm::default() }],
        pattern: vec![
            PatternForm::of([("kind", "torus"), ("dims", "16x8")]),
            PatternForm::of([("kind", "matrix"), ("pairs", "0 1\n2 3 0.5")]),
        ],
        ..SpecForm::default()
    };
    let text = "name = 'A \"lab\"'\nnodes = 128\nnics_per_node = \"many\"\n\n[[switch]]\nports = 24\nprice = 95.0\n\n[[pattern]]\nkind = \"torus\"\ndims = [16, 8]\n\n[[pattern]]\nkind = \"matrix\"\npairs = [[0, 1], [2, 3, 0.5]]\n";
    assert_eq!(toml::write(&form), text);
    assert_eq!(resolve::parse(text).unwrap(), form);
}

#[test]
fn a_changed_form_keeps_comments_order_and_spelling() {
    let text = "# room 5\nnodes = 1_024 # all\nname = 'A'\n\n# new\n[[switch]]\nports = 24\n\n# old\n[[switch]]\nports = 48\ncount = 2\n\n[[pattern]]\nkind = 'ring' # halo\n";
    let changed = |change: fn(&mut SpecForm)| {
        let mut form = resolve::parse(text).unwrap();
        change(&mut form);
        toml::rewrite(text, &form)
    };
    assert_eq!(changed(|_| ()), text);
    assert_eq!(changed(|form| form.name = "B".into()), text.replace("'A'", "\"B\""));
    assert_eq!(changed(|form| form.pes = "9".into()), text.replace("1_024", "9"));
    assert_eq!(changed(|form| form.name.clear()), text.replace("name = 'A'\n", ""));
    let first = text.replace("# new\n[[switch]]\nports = 24\n\n", "");
    assert_eq!(changed(|form| _ = form.switch.remove(0)), first);
    let second = text.replace("# old\n[[switch]]\nports = 48\ncount = 2\n\n", "");
    assert_eq!(changed(|form| _ = form.switch.remove(1)), second);
    let more = changed(|form| form.pattern.push(PatternForm::of([("kind", "mesh")])));
    assert_eq!(more, format!("{text}\n[[pattern]]\nkind = \"mesh\"\n"));
    let key = changed(|form| form.nis_per_pe = "2".into());
    assert_eq!(key, text.replace("name = 'A'\n", "name = 'A'\nnics_per_node = 2\n"));
}

#[test]
fn a_faulty_text_is_written_anew() {
    let form = SpecForm { pes: "8".into(), ..SpecForm::default() };
    assert_eq!(toml::rewrite("# lost\npes = = 3\n", &form), "nodes = 8\n");
}

#[test]
fn long_lists_of_pairs_take_several_lines() {
    let pairs: Vec<String> = (0..20).map(|a| format!("{a} {}", a + 1)).collect();
    let pattern = PatternForm::of([("pairs", &pairs.join("\n"))]);
    let form = SpecForm { pattern: vec![pattern], ..SpecForm::default() };
    let text = toml::write(&form);
    assert_eq!(text.lines().count(), 6);
    assert_eq!(resolve::parse(&text).unwrap(), form);
    let pairs = "0 1\n".repeat(100_000);
    let form = SpecForm { pattern: vec![PatternForm::of([("pairs", &pairs)])], ..SpecForm::default() };
    let text = toml::write(&form);
    assert_eq!(resolve::parse(&text).unwrap(), form);
}

#[test]
fn unknown_keys_are_all_told_with_what_may_be_meant() {
    let text = "Pes = 3\ncolour = 'red'\n[[switch]]\nport = 8\n[[pattern]]\nkind = 'torus'\ndim = [2, 2]\n";
    assert_eq!(
        faults(text),
        "Unknown key `Pes`. Did you mean `nodes`? (line 1)\nUnknown key `colour`. The keys are `name`, `nodes`, `nics_per_node`, `rail`, `objective`, `forwarding`, `market`, `nic_price`, `cable_price`, `metre_price`, `cable_slack`, `node_group`, `switch`, `keep`, `uplink`, `rack`, `names`, `placement`, `pattern`, `job`, `model`, `assumptions`, `collective`, `start`. (line 2)\nswitch[0].port: Unknown key `port`. Did you mean `ports`? (line 4)\npattern[0].dim: Unknown key `dim`. Did you mean `dims`? (line 7)\nnics_per_node: missing; it must be a whole number from 1 to 64."
    );
}

/// An unknown key or a list in the wrong place hides no fault of a value, and makes none up.
#[test]
fn faults_of_values_are_told_with_those_of_keys() {
    let told = |text: &str| {
        let faults = resolve::parse(text).unwrap_err().0;
        faults.iter().map(|fault| fault.path.clone()).collect::<Vec<_>>().join(" ")
    };
    let text = "pes = -3\nnis_per_pe = 99\ncolour = 1\n[[switch]]\nports = 1\nprise = 2\n[[pattern]]\nkind = 'rng'\n";
    assert_eq!(told(text), "colour switch[0].prise nodes nics_per_node switch[0].ports pattern[0].kind");
    assert_eq!(
        told("pes = [4]\nnis_per_pe = 99\nswitch = [1]\n[pattern]\n"),
        "nodes switch[0] pattern nics_per_node"
    );
    assert_eq!(
        told("pes = 4\npe_group = 3\nnis = 2\n[[switch]]\nports = 8\n[[pattern]]\nkind = 'ring'\n"),
        "node_group nis"
    );
    let file = "pes = 4\nnis_per_pe = 2\ncolour = 1\n[[switch]]\nports = 8\n[[pattern]]\nkind = 'matrix'\nfile = 'm.csv'\n";
    assert_eq!(told(file), "colour");
}

#[test]
fn common_slips_are_told_with_what_to_write() {
    let machine = "nodes = 8\nnics_per_node = 2\nobjective = \"universal\"\n[[switch]]\nports = 6\n";
    let below = "[[switch]]\nports = 6\nnodes = 8\nnics_per_node = 2\nobjective = \"universal\"\n";
    let belongs = |key: &str, line| {
        format!(
            "switch[0].{key}: `{key}` belongs at the top of the file; move the line above [[switch]]. (line {line})"
        )
    };
    let all = [("nodes", 3), ("nics_per_node", 4), ("objective", 5)].map(|(key, line)| belongs(key, line));
    assert_eq!(faults(below), all.join("\n"));
    assert_eq!(
        faults(&machine.replace(" =", ":")),
        "line 1, column 8: `nodes: 8` is not TOML: write `nodes = 8`.\n\
         line 2, column 16: `nics_per_node: 2` is not TOML: write `nics_per_node = 2`.\n\
         line 3, column 12: `objective: \"universal\"` is not TOML: write `objective = \"universal\"`.\n\
         line 5, column 8: `ports: 6` is not TOML: write `ports = 6`."
    );
    assert_eq!(
        faults(&machine.replace('"', "")),
        "line 3, column 13: `objective = universal` is not TOML: text needs quotes; write `objective = \"universal\"`."
    );
    let header = faults(&machine.replace("]]", "]"));
    assert!(
        header.starts_with("line 4, column 10: `[[switch]` is not TOML: ") && !header.contains('\n'),
        "{header}"
    );
    let line = |written: &str, told: &str| {
        let found = faults(&format!("{written}\n{machine}"));
        assert!(found.starts_with("line 1, ") && found.contains(told) && !found.contains('\n'), "{found}");
    };
    line("name = “Ours”", "it has typographic quotes; write plain ones, \"");
    line("nic_price = 1,5", "write a decimal point, `nic_price = 1.5`");
    let twice = faults(&format!("{machine}[job]\n[[job]]\nshare = 0.7\n"));
    assert!(twice.contains("`[job]` is given, too; write two brackets for each"), "{twice}");
    let lines = faults(&format!("{machine}[[pattern]]\nkind = \"matrix\"\npairs = '0 1\n1 2'\n"));
    assert!(lines.contains("Text of several lines needs three, `pairs = \"\"\"`"), "{lines}");
    let model = faults(&format!("{machine}model = \"QM9700\"\n"));
    assert!(model.contains("Unknown key `model`. The keys are `ports`"), "{model}");
    // What follows from an unknown key is no fault of its own.
    assert_eq!(
        faults(&format!("{machine}[[rack]]\nsize = 8\n")),
        "rack[0].size: Unknown key `size`. The keys are `nodes`, `switches`, `x`, `y`. (line 7)"
    );
    let older = "pes = 8\nnis_per_pe = 65\nni_price = -3\nobjective = 'universal'\n[[switch]]\nports = 6\n";
    let mut found =
        resolve::parse(older).and_then(|form| resolve::resolve(&form, &mut resolve::NoFiles)).unwrap_err();
    toml::locate(older, SpecForm::SCHEMA, &mut found.0);
    assert_eq!(found.0.iter().map(|fault| &*fault.path).collect::<Vec<_>>(), ["nis_per_pe", "ni_price"]);
}

#[test]
fn lists_and_tables_where_one_value_belongs() {
    let text = "pes = [1]\nname = { a = 1 }\nswitch = 7\npattern = [1, { dims = [[1]], kind = ['ring'] }]\n\
                [pe_group]\ncount = 2\n";
    assert_eq!(
        faults(text),
        "nodes: must be one number, not [1]. (line 1)\nname: must be text in quotes, not { a = 1 }. (line 2)\nswitch: must be tables with two brackets, [[switch]], not 7. (line 3)\npattern[0]: must be a table, [[pattern]], not 1. (line 4)\npattern[1].dims: must be a list of sizes such as [16, 8], not [[1]]. (line 4)\npattern[1].kind: must be text in quotes, not ['ring']. (line 4)\nnode_group: must be tables with two brackets, [[node_group]], not [pe_group]. (line 5)"
    );
}

#[test]
fn broken_syntax_is_told_line_by_line_with_the_rest() {
    let text = "name = \"x\nnis_per_pe = 3\n[[switch]\nports = 8\n[[pattern]]\nkidn = 'ring'\npes = = 4\n";
    let told = faults(text);
    for part in ["line 1, column ", "line 3, column ", "line 7, column ", "pattern[0].kidn: "] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
    assert!(
        faults("pes = 1\npes = 2\n").starts_with("line 2, column 1: `pes = 2` is not TOML: duplicate key.")
    );
}

#[test]
fn hostile_texts_end_in_a_fault() {
    for text in [
        "pes = ".to_string() + &"[".repeat(200_000),
        "pes = ".to_string() + &"{a=".repeat(100_000),
        "a.".repeat(100_000) + "a = 1",
        format!("[{}]", "a.".repeat(50_000) + "a"),
        "[[pattern]]\n".repeat(100_000),
        "x = 1\n".repeat(50_000),
        "\u{0}\u{feff}\r\r\n\u{1b}".repeat(1000),
        "pes = \"".to_string() + &"é".repeat(100_000),
    ] {
        let faults = resolve::parse(&text).unwrap_err();
        assert!(faults.0.len() <= 101);
        assert!(faults.0.iter().all(|fault| fault.to_string().len() < 2000));
        assert!(!faults.0.iter().any(|fault| fault.to_string().contains(char::is_control)));
    }
    let many = format!("[[pattern]]\npairs = [{}]", "[0, 1], ".repeat(500_000));
    assert!(faults(&many).starts_with(
        "spec: has about 1,500,010 values, a key or a table counted as 4; the limit is 400,000. "
    ));
    assert_eq!(resolve::parse(&"=\n".repeat(200_000)).unwrap_err().0.len(), 1);
    let huge = "#".repeat(MAX_SPEC_BYTES + 1);
    assert_eq!(faults(&huge), "spec: has 4,194,305 bytes; the limit is 4,194,304.");
}

#[test]
fn broken_links_end_in_a_fault() {
    let link = link::encode("name = \"é\"\n");
    assert!(link.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
    assert_eq!(link::decode(&link).unwrap(), "name = \"é\"\n");
    for broken in ["", "1", "2abc", "1!!", "1AAAA", &link[..link.len() - 3], &link[1..]] {
        assert!(link::decode(broken).is_err(), "{broken}");
    }
    let bomb = link::encode(&" ".repeat(MAX_SPEC_BYTES + 1));
    assert!(bomb.len() < 20_000);
    assert!(
        link::decode(&bomb).unwrap_err().to_string().ends_with("its spec is larger than 4,194,304 bytes.")
    );
    assert_eq!(link::decode(&link::encode(&" ".repeat(MAX_SPEC_BYTES))).unwrap().len(), MAX_SPEC_BYTES);
}

/// Texts such as people, and attackers, put into fields.
fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        2 => "[0-9]{1,3}",
        2 => "-?[0-9]{1,3}\\.[0-9]{1,3}",
        1 => "-?[0-9]{1,2}",
        1 => "true|false",
        1 => "[0-9](-[0-9])?(, [0-9](-[0-9])?){0,3}",
        1 => "([0-9]:( [0-9]){0,4}\n){1,4}",
        1 => "[0-9]{1,2}(x[0-9]{1,2}){0,3}",
        1 => "([0-9] [0-9]( [0-9]\\.5)?\n){0,12}[0-9] [0-9]",
        1 => "[-+0-9eE_.xn a\n]{0,8}",
        1 => "[\"'\\\\#=\\[\\]\r\n\t ]{0,8}",
        1 => any::<String>(),
    ]
}

/// A form of one table, its fields in the order of its keys.
macro_rules! table {
    ($form:ident, $uniform:ident: $($key:ident)*) => {
        prop::array::$uniform(field()).prop_map(|[$($key),*]| $form { $($key),* })
    };
}

fn form() -> impl Strategy<Value = SpecForm> {
    let few = 0..3;
    let hardware = (
        prop::collection::vec(table!(PeGroupForm, uniform2: count nis), few.clone()),
        prop::collection::vec(table!(SwitchForm, uniform4: ports reserve price count), few.clone()),
        prop::collection::vec(table!(KeepForm, uniform2: switch ports), few.clone()),
        prop::option::of(table!(UplinkForm, uniform5: kind links ports spares price)),
        prop::collection::vec(table!(RackForm, uniform4: pes switches x y), few.clone()),
        prop::option::of(table!(NamesForm, uniform7: nodes switches racks uplink spares interface port)),
        prop::collection::vec(table!(PlacementForm, uniform3: pes switches kind), few.clone()),
        prop::option::of(table!(StartForm, uniform4: moves renumber file table)),
    );
    let keys = || PatternForm::SCHEMA.fields.iter().map(|field| field.key);
    let pattern = prop::collection::vec(field(), keys().count()).prop_map(move |texts| {
        let mut form = PatternForm::default();
        keys().zip(texts).for_each(|(key, text)| form[key] = text);
        form
    });
    let top = table!(
        Top,
        uniform11: name pes nis_per_pe rail objective forwarding market ni_price cable_price metre_price cable_slack
    );
    let job = (
        prop::collection::vec(
            table!(
                JobForm,
                uniform12: share ranks_per_pe tp cp ep dp pp order virtual_stages library ranks rank_file
            ),
            few.clone(),
        ),
        prop::collection::vec(
            table!(
                ModelForm,
                uniform16: job parameters active_parameters layers expert_layers hidden kv_hidden sequence micro_batch global_batch
                    experts top_k max_expert_nodes bytes_per_element gradient_bytes zero
            ),
            few.clone(),
        ),
        prop::option::of(table!(
            EstimateForm,
            uniform9: teraflops failures rate attention recomputation expert_overlap dispatch_bytes scatter host_cable
        )),
        prop::collection::vec(
            table!(CollectiveForm, uniform5: job along operation algorithm bytes),
            few.clone(),
        ),
    );
    (top, hardware, prop::collection::vec(pattern, few), job).prop_map(|(top, hardware, pattern, job)| {
        let (job, model, assumptions, collective) = job;
        let (pe_group, switch, keep, uplink, rack, names, placement, start) = hardware;
        let Top {
            name,
            pes,
            nis_per_pe,
            rail,
            objective,
            forwarding,
            market,
            ni_price,
            cable_price,
            metre_price,
            cable_slack,
        } = top;
        SpecForm {
            name,
            pes,
            nis_per_pe,
            rail,
            objective,
            forwarding,
            market,
            ni_price,
            cable_price,
            metre_price,
            cable_slack,
            pe_group,
            switch,
            keep,
            uplink,
            rack,
            names,
            placement,
            pattern,
            job: OneOrMore(job),
            model: OneOrMore(model),
            assumptions,
            collective,
            start,
        }
    })
}

/// The single values of a spec.
#[derive(Debug)]
struct Top {
    name: String,
    pes: String,
    nis_per_pe: String,
    rail: String,
    objective: String,
    forwarding: String,
    market: String,
    ni_price: String,
    cable_price: String,
    metre_price: String,
    cable_slack: String,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_form_survives_the_file(form in form()) {
        let text = toml::write(&form);
        let read = resolve::parse(&text);
        prop_assert!(read.is_ok(), "{}\n{}", read.unwrap_err(), text);
        prop_assert_eq!(read.unwrap(), form, "{}", text);
    }

    #[test]
    fn every_form_comes_out_of_any_rewritten_file(before in form(), after in form()) {
        let text = toml::rewrite(&toml::write(&before), &after);
        let read = resolve::parse(&text);
        prop_assert!(read.is_ok(), "{}\n{}", read.unwrap_err(), text);
        prop_assert_eq!(read.unwrap(), after, "{}", text);
    }

    #[test]
    fn no_text_makes_reading_panic(text in any::<String>()) {
        let _ = resolve::parse(&text);
        let _ = link::decode(&text);
    }

    #[test]
    fn no_near_toml_makes_reading_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "pes", "pattern", "dims", "pairs", "kind", "[[", "]]", "[", "]", "{", "}", "=", "=", ".", ",", "\n", "\n",
                "1", "-2.5", "\"", "'", "\"\"\"", "'''", "\\u12", "#", "é", "\r", "inf", "0x", "1979-05-27", "true", " ",
            ]),
            0..60,
        )
    ) {
        let _ = resolve::parse(&words.concat());
    }

    #[test]
    fn every_text_survives_a_link(text in any::<String>()) {
        prop_assert_eq!(link::decode(&link::encode(&text)).unwrap(), text);
    }
}

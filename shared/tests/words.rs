//! Older words of specs beside the present ones, and what an error says: where, what, how to mend it.

use shared::{
    design::table,
    form::{Described, Faults, Form, LineFault, Place, of_lines, toml},
    resolve::{self, NoFiles, resolve},
    spec::{Spec, SpecForm},
};

const OLD: &str = "\
pes = 8 # all
nis_per_pe = 3
ni_price = 20

[[switch]]
ports = 8
count = 6

# two rows
[[rack]]
pes = 8 # the first
switches = 6

[[placement]]
pes = \"0-1\"
switches = \"0, 1\"

[[job]]
ranks_per_pe = 1
pp = 2
";

const GROUPS: &str = "\
pes = 8
[[pe_group]]
count = 8 # all
nis = 3

[[switch]]
ports = 8
count = 6

[[pattern]]
kind = \"ring\"
";

fn new_words(text: &str) -> String {
    text.replace("nis_per_pe", "nics_per_node")
        .replace("ni_price", "nic_price")
        .replace("pe_group", "node_group")
        .replace("ranks_per_pe", "ranks_per_node")
        .replace("pes =", "nodes =")
        .replace("nis =", "nics =")
}

fn read(text: &str) -> Spec {
    resolve::read(text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"))
}

fn faults(text: &str) -> Faults {
    resolve::read(text, &mut NoFiles).unwrap_err()
}

#[test]
fn older_words_mean_the_same() {
    let new = new_words(OLD);
    for (text, word) in [
        (OLD, "pes"),
        (OLD, "nis_per_pe"),
        (OLD, "ranks_per_pe"),
        (OLD, "ni_price"),
        (GROUPS, "pe_group"),
        (GROUPS, "nis"),
    ] {
        assert!(text.contains(word) && !new_words(text).contains(word), "{word}");
    }
    assert_eq!(resolve::parse(OLD).unwrap(), resolve::parse(&new).unwrap());
    assert_eq!(read(OLD), read(&new));
    assert_ne!(read(OLD), read(&new.replace("nic_price = 20", "nic_price = 21")));
    assert_eq!(read(GROUPS), read(&new_words(GROUPS)));
}

#[test]
fn a_field_in_both_words_is_an_error() {
    let text = OLD.replace("nis_per_pe = 3\n", "nis_per_pe = 3\nnics_per_node = 3\n");
    assert_eq!(
        faults(&text).to_string(),
        "nis_per_pe: is an older word for `nics_per_node`, which is given, too; remove one of them. (line 2)"
    );
    let text = format!("{GROUPS}\n[[node_group]]\ncount = 8\nnics = 2\n");
    assert_eq!(
        faults(&text).to_string(),
        "pe_group: is an older word for `node_group`, which is given, too; remove one of them. (line 2)"
    );
    let text = GROUPS.replace("nis = 3", "nis = 3\nnics = 5");
    assert_eq!(
        faults(&text).to_string(),
        "node_group[0].nis: is an older word for `nics`, which is given, too; remove one of them. (line 4)"
    );
}

#[test]
fn rewriting_renames_keys_and_keeps_comments() {
    let mut form = resolve::parse(OLD).unwrap();
    assert_eq!(toml::rewrite(OLD, &form), new_words(OLD));
    form.pes = "9".into();
    assert_eq!(toml::rewrite(OLD, &form), new_words(OLD).replacen("nodes = 8", "nodes = 9", 1));
    let form = resolve::parse(GROUPS).unwrap();
    assert_eq!(toml::rewrite(GROUPS, &form), new_words(GROUPS));
}

#[test]
fn faults_have_their_line_and_column() {
    let text = "name = \"é\"\nnodes = 0\n  nics_per_node = 65\n[[switch]]\nports = 4\nreserve = { a = 1 }\n\
        [[pattern]]\nkind = \"ring\"\n";
    let all = |text: &str| -> Vec<(String, Option<Place>)> {
        let mut faults = faults(text).0;
        toml::locate(text, SpecForm::SCHEMA, &mut faults);
        faults.into_iter().map(|fault| (fault.path, fault.place)).collect()
    };
    let place = |line, column| Some(Place { line, column });
    let expected =
        [("nodes", place(2, 1)), ("nics_per_node", place(3, 3)), ("switch[0].reserve", place(6, 11))];
    assert_eq!(all(text), expected.map(|(path, place)| (path.to_owned(), place)));
    // Older words, a missing key, an unknown key, and a character of two bytes before the place.
    let text = "pes = 0\nnis_per_pe = 2\n[[switch]]\ncount = 3\n[[pattern]]\nkind = \"ring\"\n";
    let expected = [("pes", place(1, 1)), ("switch[0].ports", place(3, 1))];
    assert_eq!(all(text), expected.map(|(path, place)| (path.to_owned(), place)));
    let text = "nodes = 4\nnics_per_node = 2\nswitch = [{ ports = 8, name = \"é\", porst = 1 }]\n[[pattern]]\nkind = \"ring\"\n";
    assert_eq!(
        all(text),
        [("switch[0].name".to_owned(), place(3, 24)), ("switch[0].porst".to_owned(), place(3, 36))]
    );
    assert_eq!(
        faults(text).0[1].to_string(),
        "switch[0].porst: Unknown key `porst`. Did you mean `ports`? (line 3)"
    );
}

#[test]
fn mends_mend() {
    let machine = "nodes = 60\nnics_per_node = 2\n[[switch]]\nports = 8\ncount = 90\n[[pattern]]\n";
    let wrong = [
        ("kind = \"torus\"\ndims = [7, 7]\n", "pattern[0].dims"),
        ("kind = \"hypercube\"\n", "pattern[0].kind"),
        ("kind = \"ring\"\ndims = [6, 10]\n", "pattern[0].dims"),
        ("kind = \"ring\"\nlinks = 3\n", "pattern[0].links"),
    ];
    for (pattern, path) in wrong {
        let text = format!("{machine}{pattern}");
        let all = faults(&text);
        let [fault] = &all.0[..] else { panic!("{all}") };
        assert_eq!(fault.path, path, "{all}");
        assert!(!fault.mends.is_empty(), "{all}");
        for mend in &fault.mends {
            let mut form = resolve::parse(&text).unwrap();
            *form.text_at_mut(&mend.path).expect("a field") = mend.text.clone();
            if let Err(left) = resolve(&form, &mut NoFiles) {
                panic!("{mend:?}: {left}");
            }
        }
    }
}

#[test]
fn a_page_in_place_of_a_wiring_table_is_one_error() {
    let page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>404: Not Found</title></head>\n<body>\n\
        <p style=\"margin: 0\">0: this page is gone.</p>\n</body>\n</html>\n";
    let sentence = "is not a wiring table, whose lines are `switch: node node node`.";
    let [fault] = &table::parse(page, 8).unwrap_err()[..] else { panic!("one error") };
    assert_eq!((fault.line, &*fault.message), (1, sentence));
    // A table with an error in a line is still a table.
    assert_eq!(table::parse("0: 1 2\n1: <b>\n2: 3 x\n", 8).unwrap_err().len(), 2);
}

#[test]
fn many_errors_of_one_kind_are_counted() {
    let switches = "[[switch]]\nports = 1\n".repeat(25);
    let text = format!("nodes = 4\nnics_per_node = 65\n{switches}[[pattern]]\nkind = \"ring\"\n");
    let all = faults(&text);
    assert_eq!(all.0.iter().filter(|fault| fault.path.ends_with(".ports")).count(), 25);
    let text = all.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.iter().filter(|line| line.starts_with("switch[")).count(), 10);
    let last = lines.iter().position(|line| line.starts_with("switch[9].ports: ")).expect("the tenth");
    assert_eq!(lines[last + 1], "and 15 more");
    assert_eq!(lines.iter().filter(|line| line.starts_with("nics_per_node: ")).count(), 1);
    assert_eq!(lines.len(), 12, "{text}");
    let of = |count| (1..=count).map(|line| LineFault::new(line, "x", "a number")).collect::<Vec<_>>();
    assert!(of_lines(&of(25)).ends_with("\nline 10: must be a number, not `x`.\nand 15 more"));
    assert!(of_lines(&of(10)).ends_with("\nline 10: must be a number, not `x`."));
}

#[test]
fn an_unknown_word_steers_no_terminal() {
    let told = faults("nodes = 8\nnics_per_node = 2\nobjective = \"sparse\\u001B\"\n").to_string();
    assert!(told.contains("Did you mean `sparse`?") && !told.contains('\u{1b}'), "{told:?}");
}

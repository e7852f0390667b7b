//! Labels: that what is drawn is on its label, that PDF files hold together, and what is refused.

use crate::common::{
    pdf::{contents, fonts, objects, shown},
    sparse, spec, wiring,
};
use shared::{
    design::Design,
    exports::{self, Bundle, ExportError, Settings, format},
};
use std::{collections::BTreeSet, sync::Arc};

/// 12 PEs with 3 NIs each on as many switches, the last of which is used.
fn machine(switches: u32, racks: &str) -> Bundle {
    let text = format!(
        "name = \"A machine with a rather long name, for a label\"\npes = 12\nnis_per_pe = 3\nobjective = \"sparse\"\n\
         [[switch]]\nports = 12\ncount = {switches}\n[[pattern]]\nkind = \"ring\"\n{racks}"
    );
    let (spec, demand) = spec(&text);
    let on = |switch: u32| {
        (0..12).filter(move |pe| (0..3).any(|ni| (switches - 1 + pe * ni) % switches == switch))
    };
    let design = Design::from_switches(12, (0..switches).map(|switch| on(switch).collect::<Vec<_>>()));
    Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(design))
}

const RACKS: &str = "[[rack]]\npes = 6\n[[rack]]\npes = 6\n[[rack]]\npes = 0\nswitches = 300\n";

fn with(bundle: Bundle, name: &str, choices: &[&str]) -> Result<Bundle, ExportError> {
    Ok(bundle.with(Settings::read(format(name)?, choices.iter().copied())?))
}

fn html(bundle: Bundle, choices: &[&str]) -> Result<String, ExportError> {
    let mut text = String::new();
    with(bundle, "labels", choices)?.render(format("labels")?, None, &mut text)?;
    Ok(text)
}

fn pdf(bundle: Bundle, choices: &[&str]) -> Result<Vec<u8>, ExportError> {
    let mut bytes = Vec::new();
    with(bundle, "labels-pdf", choices)?.write(format("labels-pdf")?, None, &mut bytes)?;
    Ok(bytes)
}

fn zpl(bundle: Bundle, choices: &[&str]) -> Result<String, ExportError> {
    let mut bytes = Vec::new();
    with(bundle, "labels-zpl", choices)?.write(format("labels-zpl")?, None, &mut bytes)?;
    Ok(String::from_utf8(bytes).unwrap())
}

/// Page, columns and rows, label, step, and margins.
type Sheet = (&'static str, [f64; 2], [u32; 2], [f64; 2], [f64; 2], [f64; 2]);

/// Sizes printed on Avery's packets, in millimetres.
const SHEETS: [Sheet; 6] = [
    ("l7159", [210.0, 297.0], [3, 8], [63.5, 33.9], [66.0, 33.9], [7.25, 12.9]),
    ("l7160", [210.0, 297.0], [3, 7], [63.5, 38.1], [66.04, 38.1], [7.21, 15.15]),
    ("l7651", [210.0, 297.0], [5, 13], [38.1, 21.2], [40.6, 21.2], [4.75, 10.7]),
    ("5160", [215.9, 279.4], [3, 10], [66.675, 25.4], [69.85, 25.4], [4.7625, 12.7]),
    ("5163", [215.9, 279.4], [2, 5], [101.6, 50.8], [106.3625, 50.8], [3.96875, 12.7]),
    ("5167", [215.9, 279.4], [4, 20], [44.45, 12.7], [52.3875, 12.7], [7.14375, 12.7]),
];

/// The number after `name="`.
fn attribute(element: &str, name: &str) -> f64 {
    let (_, after) =
        element.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name}: {element}"));
    after.split_once('"').unwrap().0.parse().unwrap()
}

/// Pages, each as the elements of its picture.
fn pages(html: &str) -> Vec<Vec<&str>> {
    let pictures = html.split("<section class=\"sheet\">").skip(1);
    pictures.map(|picture| picture.split('<').filter(|element| !element.starts_with('/')).collect()).collect()
}

/// Left, top, right and bottom of a text or a rectangle.
fn extent(element: &str) -> Option<[f64; 4]> {
    let (x, y) = (attribute(element, "x"), attribute(element, "y"));
    if element.starts_with("rect") {
        return Some([x, y, x + attribute(element, "width"), y + attribute(element, "height")]);
    }
    let size = attribute(element, "font-size");
    Some([x, y - 0.72 * size, x + attribute(element, "textLength"), y + 0.22 * size])
}

#[test]
fn everything_is_on_its_label() {
    let named = format!("{RACKS}[names]\nswitches = \"leaf-{{rack}}-{{slot}}\"\n");
    for (name, page, [columns, rows], label, step, first) in SHEETS {
        for (of, switches, racks) in [
            ("pe", 4, ""),
            ("cable", 64, ""),
            ("cable", 4, RACKS),
            ("flag", 4, ""),
            ("pe", 300, ""),
            ("pe", 5, &named),
        ] {
            for palette in ["papers", "colour-blind"] {
                let choices = [format!("sheet={name}"), format!("of={of}"), format!("palette={palette}")];
                let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
                let text = match html(machine(switches, racks), &choices) {
                    Ok(text) => text,
                    // What does not fit is refused, as the least labels and the longest text may.
                    Err(error) => {
                        assert!(label[1] < 22.0 && error.to_string().contains("these sheets fit"), "{error}");
                        continue;
                    }
                };
                assert!(text.contains(&format!("@page {{ size: {}mm {}mm; margin: 0; }}", page[0], page[1])));
                for elements in pages(&text) {
                    let drawn = elements.iter().filter(|e| e.starts_with("text ") || e.starts_with("rect "));
                    // What is above and below the labels are notes.
                    let end = page[1] - first[1];
                    let on_labels = |at: &[f64; 4]| at[3] > first[1] && at[1] < end;
                    let extents = drawn.map(|e| (e, extent(e).unwrap())).filter(|(_, at)| on_labels(at));
                    for (element, [left, top, right, bottom]) in extents {
                        let (column, row) = ((left - first[0]) / step[0], (top - first[1]) / step[1]);
                        let (column, row) = (column.floor(), row.floor());
                        let (x, y) = (first[0] + column * step[0], first[1] + row * step[1]);
                        let inside = right <= x + label[0] + 0.02 && bottom <= y + label[1] + 0.02;
                        let there =
                            column >= 0.0 && column < columns.into() && row >= 0.0 && row < rows.into();
                        assert!(inside && there, "{name} {of} {switches}: {element}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_pe_and_both_ends_of_every_cable_have_a_label() {
    for sheet in ["paper", "a4", "letter", "5163", "tape9", "tape12", "tape24"] {
        let text = html(machine(5, ""), &[&format!("sheet={sheet}"), "of=cable"]).unwrap();
        let cables = machine(5, "");
        let mut csv = String::new();
        cables.render(format("cables").unwrap(), None, &mut csv).unwrap();
        for line in csv.lines().skip(1) {
            let field: Vec<&str> = line.split(',').collect();
            for (near, far) in [(field[7], field[8]), (field[8], field[7])] {
                let at = text.find(&format!(">{near}</text>")).unwrap_or_else(|| panic!("{sheet}: {near}"));
                assert!(text[at..].contains(&format!(">to {far}</text>")), "{sheet}: {near}");
            }
        }
    }
    let text = html(machine(5, ""), &["sheet=a4"]).unwrap();
    assert!((0..12).all(|pe| text.contains(&format!(">node{pe:03}</text>"))));
}

/// Texts of each page of HTML.
fn texts(html: &str) -> Vec<Vec<String>> {
    let read = |text: &&str| Some(text.strip_prefix("text ")?.split_once('>')?.1.replace("&#39;", "'"));
    pages(html).iter().map(|page| page.iter().filter_map(read).collect()).collect()
}

#[test]
fn html_and_pdf_have_the_same_sheets() {
    for sheet in ["paper", "5163", "tape24"] {
        for of in ["pe", "cable", "flag", "calibration"] {
            let link = if sheet == "tape24" || (sheet, of) == ("5163", "flag") { "qr=none" } else { LINK };
            let choices = [&format!("sheet={sheet}"), &format!("of={of}"), link, "date=2026-11-22"];
            let page = html(machine(64, ""), &choices).unwrap();
            assert_eq!(texts(&page), shown(&pdf(machine(64, ""), &choices).unwrap()), "{choices:?}");
        }
    }
}

#[test]
fn each_sheet_has_number_date_revision_and_link() {
    let said = |choices: &[&str]| texts(&html(machine(64, ""), choices).unwrap());
    let sheets = said(&["of=cable", LINK, "date=2026-11-22"]);
    for (number, sheet) in (1..).zip(&sheets) {
        let sheet = sheet.join("\n");
        assert!(sheet.contains(&format!("sheet {number} of {} ", sheets.len())), "{sheet}");
        assert!(
            sheet.contains("\n2026-11-22 · wiring ") && sheet.contains(" · https://studio.example.org/d/"),
            "{sheet}"
        );
    }
    let revision = |text: &str| text.split_once("wiring ").unwrap().1[..8].to_owned();
    let [one, other] = [64, 63].map(|switches| html(machine(switches, ""), &[]).unwrap());
    assert_ne!(revision(&one), revision(&other));
    let mut list = String::new();
    machine(64, "").render(format("worklist-text").unwrap(), None, &mut list).unwrap();
    assert!(list.contains(&format!("\nWiring {}. ", revision(&one))), "{list}");
    for sheet in ["tape12", "tape24"] {
        let strips = said(&[&format!("sheet={sheet}"), "qr=none", LINK, "date=2026-11-22"]).concat().concat();
        assert!(
            ["2026-11-22", "wiring", "https://studio.example.org/d/"].iter().all(|w| strips.contains(w)),
            "{strips}"
        );
    }
}

#[test]
fn sheets_name_the_ports_of_the_work_list() {
    let reserved = |reserve: u32| {
        let text = format!(
            "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 6\nreserve = {reserve}\n[[pattern]]\nkind = \"ring\"\n"
        );
        let (spec, demand) = spec(&text);
        Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(wiring("0: 0 1 2 3\n", 4)))
    };
    let mut list = String::new();
    reserved(2).render(format("worklist-text").unwrap(), None, &mut list).unwrap();
    for port in 1..=4 {
        assert!(list.contains(&format!("sw00 port {port} ")), "{list}");
    }
    assert!(!list.contains("port 5"), "{list}");
    let text = html(reserved(2), &["of=cable"]).unwrap();
    assert!((1..=4).all(|port| text.contains(&format!(">sw00:{port:02}</text>"))), "{text}");
    assert!(text.contains("leave the last ports of each switch empty (reserved)"), "{text}");
    let text = html(reserved(0), &[]).unwrap();
    assert!(
        !text.contains("stay free") && text.contains("the work list names the port of each cable"),
        "{text}"
    );
}

#[test]
fn cables_stand_with_rack_and_unit_where_they_are_known() {
    let text = html(machine(5, RACKS), &["sheet=l7160", "of=cable"]).unwrap();
    assert!(text.contains(">A01-001:NIC0</text>") && text.contains(">to A03-005:01</text>"), "{text}");
    assert!(text.contains(">node000 NIC0 / sw04 port 1</text>"), "{text}");
}

/// Texts of a page with their extents.
fn placed<'a>(page: &[&'a str]) -> Vec<(&'a str, [f64; 4])> {
    let text =
        |element: &&'a str| Some((element.strip_prefix("text ")?.split_once('>')?.1, extent(element)?));
    page.iter().filter_map(text).collect()
}

/// Horizontal places of the ticks of a page: upright lines of a millimetre.
fn ticks(page: &[&str]) -> Vec<f64> {
    let tick = |element: &&str| {
        let (_, path) = element.split_once(" d=\"M")?;
        let ends: Vec<f64> =
            path.split('"').next()?.split(['L', ' ']).filter_map(|n| n.parse().ok()).collect();
        let upright =
            ends.len() == 4 && ends[0] == ends[2] && ((ends[3] - ends[1]).abs() - 1.0).abs() < 0.002;
        upright.then(|| ends[0])
    };
    page.iter().filter_map(tick).collect()
}

#[test]
fn both_halves_of_a_flag_have_the_same_text_with_the_cable_between_them() {
    for (sheet, diameter) in [("tape9", "11"), ("tape12", "6"), ("tape24", "3.5"), ("5163", "6")] {
        let choices =
            [format!("sheet={sheet}"), format!("diameter={diameter}"), "of=flag".into(), "qr=none".into()];
        let text = html(machine(5, RACKS), &choices.each_ref().map(String::as_str)).unwrap();
        let around = std::f64::consts::PI * diameter.parse::<f64>().unwrap();
        assert!(text.contains(&format!("Flags for cables of {diameter} mm: ")), "{text}");
        let mut flags = 0;
        for page in pages(&text) {
            let is_patch = |e: &&&str| e.starts_with("rect ") && !e.contains("\"none\"");
            let patches: Vec<f64> = page.iter().filter(is_patch).map(|e| attribute(e, "x")).collect();
            // Notes are on strips of their own, or above and below the labels of a sheet.
            let labels = if sheet == "5163" { 12.7..266.7 } else { 0.0..24.0 };
            let is_on_label = |at: &[f64; 4]| labels.contains(&at[1]) && labels.contains(&at[3]);
            let texts: Vec<_> = placed(&page).into_iter().filter(|(_, at)| is_on_label(at)).collect();
            if patches.is_empty() {
                continue;
            }
            let ticks = ticks(&page);
            let each = texts.len() / patches.len();
            assert!(each >= 3 && texts.len() == each * patches.len(), "{sheet}: {texts:?}");
            for (at, end) in texts.chunks(2 * each).enumerate() {
                let (left, right) = end.split_at(each);
                let [here, there] = [patches[2 * at], patches[2 * at + 1]];
                for ((one, from), (other, to)) in left.iter().zip(right) {
                    assert!(one == other && from[1] == to[1] && from[3] == to[3], "{sheet}: {one} {other}");
                    assert!((to[0] - from[0] - (there - here)).abs() < 0.003, "{sheet}: {one}");
                }
                let last = left.iter().map(|text| text.1[2]).fold(0.0, f64::max);
                assert!(there - last > around, "{sheet}: blank from {last} to {there}");
                let middle = ticks[2 * at];
                assert!(ticks[2 * at + 1] == middle && last < middle && middle < there, "{sheet}: {ticks:?}");
                flags += 1;
            }
        }
        let mut csv = String::new();
        machine(5, RACKS).render(format("cables").unwrap(), None, &mut csv).unwrap();
        assert_eq!(flags, 2 * (csv.lines().count() - 1), "{sheet}");
    }
    let error = html(machine(5, RACKS), &["of=flag", "sheet=l7651"]).unwrap_err().to_string();
    let why = "the text does not fit both halves of a flag, with 18.8 mm between them for the cable, on Avery L7651";
    assert!(
        error.contains(why) && error.contains("these sheets fit: ") && error.contains("tape12"),
        "{error}"
    );
}

#[test]
fn switches_with_names_of_their_own_are_named_instead_of_numbered() {
    let racks = format!("{RACKS}[names]\nswitches = \"leaf-{{rack}}-{{slot}}\"\n");
    for sheet in ["paper", "l7160", "tape24"] {
        let sheet = format!("sheet={sheet}");
        let nodes = texts(&html(machine(5, &racks), &[&sheet]).unwrap()).concat();
        let cables = texts(&html(machine(5, &racks), &[&sheet, "of=cable"]).unwrap()).concat();
        for text in [&nodes, &cables] {
            assert!((0..5).all(|switch| !text.contains(&switch.to_string())), "{sheet}: {text:?}");
        }
        assert!(
            (0..5).all(|switch| nodes.contains(&format!("leaf-A03-{}", switch + 1))),
            "{sheet}: {nodes:?}"
        );
        assert!(cables.join(" ").contains("node000 NIC0 / leaf-A03-5 port 1"), "{sheet}: {cables:?}");
    }
    let legend = "Its other end goes to the switch of that";
    for (names, sign, last) in [(&*racks, "name", "leaf-A03-101"), (RACKS, "number", "100")] {
        let text = html(machine(300, names), &["sheet=letter"]).unwrap();
        assert!(text.contains(&format!("{legend} {sign}.</p>")), "{text}");
        let note =
            format!("from switch {last} on, a broad bar marks all, and only the {sign} tells them apart");
        assert!(text.contains(&note), "{text}");
        let page = texts(&html(machine(5, names), &["of=calibration"]).unwrap()).concat();
        assert!(page.join(" ").contains(&format!("use the switch {sign} on the label.")), "{page:?}");
        let patches: Vec<&String> =
            page.iter().filter(|text| ["4", "5", "leaf-A03-5"].contains(&&***text)).collect();
        // The patches of the fifth and the sixth colour; the machine has five switches.
        assert_eq!(patches, if sign == "name" { vec!["leaf-A03-5"] } else { vec!["4", "5"] });
        let strip = texts(&html(machine(5, names), &["of=calibration", "sheet=tape12"]).unwrap()).concat();
        let fifth = if sign == "name" { ["leaf-A03-5 white", "black"] } else { ["4 white", "5 black"] };
        assert!(fifth.iter().all(|text| strip.contains(&text.to_string())), "{strip:?}");
        let mut list = String::new();
        machine(5, names).render(format("worklist").unwrap(), None, &mut list).unwrap();
        let number = if sign == "name" { "\u{a0}" } else { "4" };
        assert!(list.contains(&format!("<span class=\"patch c4\">{number}</span> white")), "{list}");
    }
}

#[test]
fn pdf_pages_are_as_large_as_the_paper_and_all_there() {
    let points = |mm: f64| mm * 72.0 / 25.4;
    for (sheet, page) in [("paper", [210.0, 279.0]), ("a4", [210.0, 297.0]), ("l7651", [210.0, 297.0])] {
        let file = pdf(machine(5, ""), &[&format!("sheet={sheet}"), "of=cable"]).unwrap();
        let texts: Vec<String> =
            objects(&file).iter().map(|o| String::from_utf8_lossy(o).into_owned()).collect();
        let boxes: Vec<&String> = texts.iter().filter(|text| text.contains("/MediaBox")).collect();
        for text in &boxes {
            let (_, size) = text.split_once("/MediaBox [").unwrap();
            let size: Vec<f64> =
                size.split(']').next().unwrap().split_whitespace().map(|n| n.parse().unwrap()).collect();
            let off = (size[2] - points(page[0])).abs().max((size[3] - points(page[1])).abs());
            assert!(size[0] == 0.0 && size[1] == 0.0 && off < 0.01, "{sheet}: {size:?}");
        }
        let drawn = contents(&file);
        assert_eq!(drawn.len(), boxes.len());
        let far: BTreeSet<String> =
            shown(&file).into_iter().flatten().filter(|text| text.starts_with("to ")).collect();
        let mut csv = String::new();
        machine(5, "").render(format("cables").unwrap(), None, &mut csv).unwrap();
        assert_eq!(far.len(), 2 * (csv.lines().count() - 1), "{sheet}: {far:?}");
        assert!(texts[0].contains("/PrintScaling /None"), "{}", texts[0]);
    }
}

#[test]
fn many_pages_hang_on_a_tree() {
    let (spec, demand) = sparse(2000, 2, 1000, 4, &[(0, 1)]);
    let design = Design::from_switches(2000, [(0..1000).collect(), (1000..2000).collect::<Vec<u32>>()]);
    let bundle = Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(design));
    let file = pdf(bundle, &["sheet=tape12"]).unwrap();
    let texts: Vec<String> = objects(&file).iter().map(|o| String::from_utf8_lossy(o).into_owned()).collect();
    let root = &texts[2];
    // The first strip says what the labels belong to.
    assert!(root.contains("/Count 2001") && root.contains("/Kids ["), "{root}");
    let branches =
        texts.iter().filter(|text| text.contains("/Type /Pages") && text.contains("/Parent 3 0 R")).count();
    assert_eq!(branches, 2001usize.div_ceil(256));
}

/// A font with 東 and 京 alone, drawn for this test, with outlines of PostScript.
const EAST_ASIAN: &[u8] = include_bytes!("fonts/east-asian.otf");

#[test]
fn names_are_in_their_own_script() {
    let named = |name: &str, fonts: &[&[u8]]| {
        let (mut spec, demand) = spec(
            "nodes = 2\nnics_per_node = 1\n[names]\nnodes = \"pe\"\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"ring\"\n",
        );
        spec.name = name.into();
        let bundle = Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(wiring("0: 0 1\n", 2)));
        bundle.with_fonts(fonts.iter().map(|font| font.to_vec()).collect())
    };
    let drawn = |name: &str, fonts: &[&[u8]]| {
        let file = pdf(named(name, fonts), &["sheet=a4"]).unwrap();
        assert!(file == pdf(named(name, fonts), &["sheet=a4"]).unwrap(), "not the same twice");
        (shown(&file).concat().join("\n"), file)
    };
    for name in ["Αθήνα", "Москва", "Łódź – 2 × €5…"] {
        let (text, file) = drawn(name, &[]);
        assert!(text.starts_with(name) && !text.contains("U+"), "{text}");
        let names: Vec<String> = fonts(&file).into_values().map(|font| font.0).collect();
        let embedded =
            |font: &String, name: &str| font.len() == 8 + name.len() && font.ends_with(&format!("+{name}"));
        assert!(
            embedded(&names[0], "LiberationSans") && embedded(&names[1], "LiberationSans-Bold"),
            "{names:?}"
        );
    }
    let (text, _) = drawn("東京 Łab", &[]);
    assert!(
        text.starts_with("[U+6771][U+4EAC] Łab") && text.contains("have no font; --font FILE adds one"),
        "{text}"
    );
    exports::check_font(EAST_ASIAN).unwrap();
    let (text, file) = drawn("東京 Łab", &[EAST_ASIAN]);
    assert!(text.starts_with("東京 Łab") && !text.contains("U+"), "{text}");
    assert!(fonts(&file)["F2"].0.ends_with("+CrosspointTest"));
    let (text, _) = drawn("東京 Հայ", &[EAST_ASIAN]);
    assert!(text.starts_with("東京 [U+0540][U+0561][U+0575]") && text.contains("--font"), "{text}");
    let text = html(named("東京 Łab", &[]), &["sheet=a4"]).unwrap();
    assert!(text.contains("東京 Łab</text>") && !text.contains("U+"), "{text}");
}

#[test]
fn the_beginning_of_a_long_name_is_on_each_label() {
    let named = |name: &str| {
        let mut text =
            "nodes = 2\nnics_per_node = 1\n[names]\nnodes = \"pe\"\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"ring\"\n".to_owned();
        text.insert_str(0, &format!("name = \"{name}\"\n"));
        let (spec, demand) = spec(&text);
        Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(wiring("0: 0 1\n", 2)))
    };
    let on_labels = |text: &str, beginning: &str| {
        let page = text.split("<svg").nth(1).unwrap();
        page.matches(&format!("fill=\"#777777\">{beginning}")).count()
    };
    // A wide letter counts as two.
    for (name, beginning) in
        [("集群 东京 測試", "集群 东京"), ("集群 东京 測試 集群 东京 測試 集群", "集群 东京")]
    {
        let text = html(named(name), &["sheet=l7651"]).unwrap();
        assert_eq!(on_labels(&text, beginning), 2, "{text}");
    }
    let text = html(named("集群 东京 測試 集群"), &["sheet=tape12"]).unwrap();
    assert_eq!(text.matches(">集群 东京…</text>").count(), 2, "{text}");
    // Codes are whole, and a name of fewer than seven is left out.
    let shown = shown(&pdf(named("集群 东京 測試 集群 东京 測試 集群"), &["sheet=l7651"]).unwrap()).concat();
    assert!(shown[1..].iter().all(|text| !text.contains("[U+")), "{shown:?}");
    assert!(
        shown[0].starts_with("[U+96C6]") && shown[0].contains("6 characters shown as [U+…]"),
        "{shown:?}"
    );
    assert!(
        shown[0].replace("[U+…]", "").split("[U+").skip(1).all(|code| code[..5].ends_with(']')),
        "{shown:?}"
    );
    let bundle = named("东京").missing_characters();
    assert_eq!((bundle, named("Łódź").missing_characters()), (2, 0));
}

#[test]
fn colours_that_come_again_are_told_and_marked() {
    let text = html(machine(300, ""), &["sheet=letter"]).unwrap();
    assert!(
        text.contains("300 switches share 20 colours")
            && text.contains("from switch 100 on, a broad bar marks all, and only the number")
    );
    let text = html(machine(64, ""), &["sheet=tape12", "palette=colour-blind"]).unwrap();
    assert!(text.contains("64 switches share 8 colours") && text.contains("#0072b2"), "{text}");
    assert!(!html(machine(8, ""), &["sheet=a4", "palette=colour-blind"]).unwrap().contains("share"));
    let text = html(machine(9, ""), &["palette=colour-blind"]).unwrap();
    assert!(text.contains("9 switches share 8 colours") && !text.contains("transparent cable"), "{text}");
    let text = html(machine(13, ""), &[]).unwrap();
    assert!(text.contains("two triangles mark transparent cables"), "{text}");
}

const LINK: &str = "link=https://studio.example.org/d/0123456789abcdefghjkmnpqrs";

/// Runs of dark modules of each QR code: module, then column, row and length of each run.
type Code = (f64, Vec<[f64; 3]>);

fn codes_of_html(html: &str) -> Vec<Code> {
    let number = |text: &str| text.parse::<f64>().unwrap();
    let read = |code: &str| {
        let scale = number(code.split_once("scale(").unwrap().1.split(')').next().unwrap());
        let path = code.split_once(" d=\"").unwrap().1.split('"').next().unwrap();
        let (mut runs, mut at) = (Vec::new(), (0.0, 0.0));
        let mut words = path.replace('M', "\nM ").replace('m', "\nm ").replace('h', "\nh ");
        words.remove(0);
        for line in words.lines() {
            let numbers: Vec<f64> = line[2..].split(' ').map(number).collect();
            match (&line[..1], numbers.as_slice()) {
                ("M", &[x, y]) => at = (x, y),
                ("m", &[x, _]) => at.0 += x,
                ("h", &[long]) => {
                    runs.push([at.0, at.1 - 0.5, long]);
                    at.0 += long;
                }
                _ => panic!("{line}"),
            }
        }
        (scale, runs)
    };
    html.split("<path class=\"qr\"").skip(1).map(read).collect()
}

fn codes_of_pdf(file: &[u8]) -> Vec<Code> {
    let numbers = |line: &str| line.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<f64>>();
    let mut codes = Vec::new();
    for page in contents(file) {
        for code in page.split("q\n").skip(1) {
            let (matrix, drawn) = code.split_once("\nQ").unwrap().0.split_once(" cm\n").unwrap();
            let runs = drawn.lines().filter(|line| line.ends_with(" re")).map(numbers);
            codes.push((numbers(matrix)[0], runs.map(|run| [run[0], run[1], run[2]]).collect()));
        }
    }
    codes
}

/// The text of a code as a printer of 300 dots per inch prints it, with the quiet zone.
fn scanned((module, runs): &Code) -> String {
    let dots = module / 25.4 * 300.0;
    let side = runs.iter().map(|[x, _, long]| x + long).fold(0.0, f64::max) as usize + 8;
    let mut dark = vec![false; side * side];
    for [x, y, long] in runs {
        let start = (*y as usize + 4) * side + *x as usize + 4;
        dark[start..start + *long as usize].fill(true);
    }
    let whole = (side as f64 * dots).floor() as usize;
    let place = |dot: usize| ((dot as f64 + 0.5) / dots) as usize;
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(whole, whole, |x, y| {
        if dark[place(y) * side + place(x)] { 0 } else { 255 }
    });
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1, "{dots} dots per module");
    grids[0].decode().unwrap().1
}

#[test]
fn qr_codes_lead_to_the_nodes_of_the_design() {
    let link = LINK.strip_prefix("link=").unwrap();
    let mut cables = String::new();
    machine(5, "").render(format("cables").unwrap(), None, &mut cables).unwrap();
    for choices in [&["sheet=paper"][..], &["sheet=l7160"], &["sheet=l7651"], &["of=cable"]] {
        let choices = [choices, &[LINK]].concat();
        let of_html = codes_of_html(&html(machine(5, ""), &choices).unwrap());
        let of_pdf = codes_of_pdf(&pdf(machine(5, ""), &choices).unwrap());
        assert_eq!(of_pdf.len(), of_html.len(), "{choices:?}");
        for (at, (page, file)) in of_html.iter().zip(&of_pdf).enumerate() {
            assert_eq!(page.1, file.1, "{choices:?}: {at}");
            assert!((page.0 - file.0).abs() < 1e-4, "{choices:?}: {at}");
            assert!(page.0 >= 4.0 * 25.4 / 300.0, "{choices:?}: {}", page.0);
        }
        let read: Vec<String> = of_html.iter().step_by(4).map(scanned).collect();
        let labels: Vec<u32> = match choices.contains(&"of=cable") {
            true => cables
                .lines()
                .skip(1)
                .flat_map(|l| [l.split(',').next().unwrap().parse().unwrap(); 2])
                .collect(),
            false => (0..12).collect(),
        };
        assert_eq!(of_html.len(), labels.len(), "{choices:?}");
        let expected: Vec<String> =
            labels.iter().step_by(4).map(|node| format!("{link}/node/{node}")).collect();
        assert_eq!(read, expected, "{choices:?}");
    }
    for (choices, said) in [(&[][..], true), (&["qr=none"], false), (&["qr=none", LINK], false)] {
        let page = html(machine(5, ""), choices).unwrap();
        assert!(codes_of_html(&page).is_empty(), "{choices:?}");
        assert_eq!(page.contains("no QR codes: this design has no link yet"), said, "{choices:?}");
    }
}

#[test]
fn a_qr_code_that_could_not_be_read_is_refused_with_what_would_do() {
    let error = html(machine(5, ""), &["sheet=5167", LINK]).unwrap_err().to_string();
    assert!(error.starts_with("sheet=5167: the QR code, 33 × 33 modules"), "{error}");
    assert!(error.contains("Choose qr=none or another sheet"), "{error}");
    let (_, would) = error.split_once("these sheets fit: ").unwrap();
    let would: Vec<&str> = would.split(", ").collect();
    assert!(would.contains(&"l7160") && would.contains(&"a4") && !would.contains(&"5167"), "{error}");
    for sheet in would {
        let codes = codes_of_html(&html(machine(5, ""), &[&format!("sheet={sheet}"), LINK]).unwrap());
        assert_eq!(codes.len(), 12, "{sheet}");
    }
}

#[test]
fn wrong_choices_say_what_is_accepted() {
    for (choice, accepted) in [
        ("sheet=a5", "`paper`, `a4`, `letter`, `l7159`"),
        ("palette=red", "must be one of `papers`, `colour-blind`, not `red`."),
        ("of=rack", "must be one of `node`, `cable`, `flag`, `calibration`"),
        ("diameter=0.5", "must be a number from 1 to 50, not "),
        ("diameter=6mm", "must be a number from 1 to 50, not "),
        ("link=crosspoint", "an address such as https://studio.example.org/d/ID"),
        ("link=https://studio/d/a b", "must be an address such as "),
        ("date=22.11.2026", "a date such as 2026-11-22"),
        ("date=2026-13-01", "a date such as 2026-11-22"),
        ("date=2026-02-30", "a date such as 2026-11-22"),
        ("date=1900-02-29", "a date such as 2026-11-22"),
        (
            "colour=red",
            "labels has no such setting; its settings are `sheet`, `of`, `diameter`, `palette`, `qr`, `link`, `date`.",
        ),
    ] {
        let error = html(machine(5, ""), &[choice]).unwrap_err().to_string();
        let name = choice.split('=').next().unwrap();
        assert!(error.starts_with(&format!("{name}: ")) && error.contains(accepted), "{error}");
    }
}

#[test]
fn calibration_has_rulers_of_100_mm_outlines_and_every_colour() {
    for (sheet, outlines) in [("l7160", 21), ("5167", 80)] {
        let text = html(machine(5, ""), &["of=calibration", &format!("sheet={sheet}")]).unwrap();
        let pages = pages(&text);
        assert_eq!(pages.len(), 2);
        assert_eq!(pages[0].iter().filter(|e| e.contains("stroke=\"#777777\"")).count(), outlines, "{sheet}");
        let long = |element: &&&str| {
            let Some((_, path)) = element.split_once(" d=\"M") else { return false };
            let ends: Vec<f64> =
                path.split('"').next().unwrap().split(['L', ' ']).filter_map(|n| n.parse().ok()).collect();
            ends.len() == 4 && ((ends[0] - ends[2]).hypot(ends[1] - ends[3]) - 100.0).abs() < 1e-6
        };
        assert_eq!(pages[0].iter().filter(long).count(), 2, "{sheet}");
        assert!(
            ["blue", "transparent clear", "brown"].iter().any(|hue| text.contains(&format!(">{hue}</text>")))
        );
    }
    let text = html(machine(5, ""), &["of=calibration", "sheet=tape12", "palette=colour-blind"]).unwrap();
    assert!(text.contains(">7 vermilion</text>") && text.contains("grey is what can be printed"), "{text}");
}

/// Rows of dots of each label, `true` for black, as the guide of ZPL reads graphic fields, with the width that the printer is told.
fn printed(zpl: &str) -> Vec<(usize, Vec<Vec<bool>>)> {
    let label = |label: &str| {
        let number = |command: &str| -> usize {
            let rest = label.split_once(command).unwrap_or_else(|| panic!("{command}: {label}")).1;
            rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
        };
        let (_, field) = label.split_once("^FO0,0^GFA,").unwrap();
        let parts: Vec<&str> = field.split_once("^FS\n^XZ\n").unwrap().0.splitn(4, ',').collect();
        let [bytes, total, each] = [0, 1, 2].map(|at| parts[at].parse::<usize>().unwrap());
        assert!(
            bytes == total && total == each * number("^LL") && each == number("^PW").div_ceil(8),
            "{field}"
        );
        let (mut rows, mut row, mut times) = (Vec::new(), Vec::new(), 0);
        for c in parts[3].chars() {
            match c {
                'G'..='Y' => times += c as usize - 'F' as usize,
                'g'..='z' => times += 20 * (c as usize - 'f' as usize),
                ',' => row.resize(8 * each, false),
                ':' => row = Vec::clone(rows.last().unwrap()),
                _ => {
                    let digit = c.to_digit(16).unwrap_or_else(|| panic!("{c:?}"));
                    let dots = [8, 4, 2, 1].map(|bit| digit & bit != 0);
                    row.extend(std::iter::repeat_n(dots, times.max(1)).flatten());
                    times = 0;
                }
            }
            if row.len() == 8 * each {
                rows.push(std::mem::take(&mut row));
            }
        }
        assert!(row.is_empty() && rows.len() == number("^LL"), "{} rows", rows.len());
        (number("^PW"), rows)
    };
    zpl.split_inclusive("^XZ\n").map(label).collect()
}

#[test]
fn label_printers_get_the_dots_of_each_label() {
    for (dpi, dots) in [("203", 8.0), ("300", 300.0 / 25.4)] {
        for (roll, size) in [("76x25", [3.0, 1.0]), ("102x51", [4.0, 2.0])] {
            for (of, count) in [("pe", 12), ("cable", 2 * cables(&machine(5, "")))] {
                let choices =
                    [&*format!("dpi={dpi}"), &format!("roll={roll}"), &format!("of={of}"), "qr=none"];
                let labels = printed(&zpl(machine(5, ""), &choices).unwrap());
                // The first says which wiring the labels belong to.
                assert_eq!(labels.len(), 1 + count, "{choices:?}");
                for (width, rows) in labels {
                    let [wide, high] = size.map(|inches: f64| (inches * 25.4 * dots).round() as usize);
                    assert_eq!((width, rows.len()), (wide, high), "{choices:?}");
                    let dots = |row: &[bool]| row.iter().filter(|dot| **dot).count();
                    let black: usize = rows.iter().map(|row| dots(row)).sum();
                    // In black only: letters and thin edges, never a filled patch.
                    assert!(black > wide && black < wide * high / 6, "{choices:?}: {black}");
                    assert!(rows.iter().all(|row| dots(&row[wide..]) == 0), "{choices:?}");
                }
            }
        }
    }
}

/// Number of cables of a design.
fn cables(bundle: &Bundle) -> usize {
    let mut csv = String::new();
    bundle.render(format("cables").unwrap(), None, &mut csv).unwrap();
    csv.lines().count() - 1
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[test]
fn codes_of_label_printers_have_modules_of_whole_dots() {
    let link = "link=https://studio.example.org/d/AbCd";
    for choices in [&["roll=76x25"][..], &["roll=strip25", "dpi=300"], &["roll=102x51", "of=flag", "dpi=300"]]
    {
        let labels = printed(&zpl(machine(5, ""), &[choices, &[link]].concat()).unwrap());
        let mut read = BTreeSet::new();
        let with_codes = labels.iter().filter(|(_, rows)| rows.iter().any(|row| row.contains(&true))).skip(1);
        for (_, rows) in with_codes {
            let (wide, high) = (rows[0].len(), rows.len());
            let mut image =
                rqrr::PreparedImage::prepare_from_greyscale(
                    wide,
                    high,
                    |x, y| if rows[y][x] { 0 } else { 255 },
                );
            for grid in image.detect_grids() {
                let [across, down] = [grid.bounds.map(|corner| corner.x), grid.bounds.map(|corner| corner.y)]
                    .map(|places| {
                        *places.iter().min().unwrap() as usize..*places.iter().max().unwrap() as usize + 1
                    });
                // The longest module that divides every run of black dots.
                let module = rows[down].iter().fold(0, |module, row| {
                    let runs = row[across.clone()].chunk_by(|one, next| one == next).filter(|run| run[0]);
                    runs.fold(module, |module, run| common_divisor(module, run.len()))
                });
                assert!((4..=6).contains(&module), "{choices:?}: {module} dots");
                read.insert(grid.decode().unwrap().1);
            }
        }
        let nodes: BTreeSet<String> = (0..12).map(|node| format!("{}/node/{node}", &link[5..])).collect();
        assert_eq!(read, nodes, "{choices:?}");
    }
}

#[test]
fn label_printers_refuse_with_rolls_that_fit() {
    for (choices, said) in [
        (&["of=flag"][..], "on labels of 2 × 1 inch (51 × 25 mm) with letters of 1.6 mm"),
        (&["of=flag"], "; these rolls fit: 76x25, 76x51, 102x51, 102x76, 102x152, strip25"),
        (&["of=flag", "roll=76x25", LINK], "Choose qr=none or another roll; these rolls fit: strip25"),
        (
            &["of=calibration"],
            "of=calibration: label printers find the edge of a label themselves. Choose of=node",
        ),
        (&["roll=4x6"], "roll: must be one of `51x25`, `57x32`"),
        (&["dpi=200"], "dpi: must be one of `203`, `300`, not 200."),
        (
            &["sheet=a4"],
            "labels-zpl has no such setting; its settings are `roll`, `dpi`, `of`, `diameter`, `palette`, `qr`, `link`, `date`.",
        ),
    ] {
        let error =
            zpl(machine(5, RACKS), choices).err().unwrap_or_else(|| panic!("{choices:?} fit")).to_string();
        assert!(error.contains(said), "{choices:?}: {error}");
    }
    let strip = printed(&zpl(machine(5, ""), &["of=calibration", "roll=strip25"]).unwrap());
    // Along the strip, the ruler of 100 mm and more.
    assert!(strip[0].0 == 203 && strip[0].1.len() > 1000, "{}", strip[0].1.len());
}

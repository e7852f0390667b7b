//! Labels: that what is drawn is on its label, that PDF files hold together, and what is refused.

mod common;

use common::{sparse, spec, wiring};
use shared::{
    design::Design,
    exports::{Bundle, ExportError, Settings, format},
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
    for (name, page, [columns, rows], label, step, first) in SHEETS {
        for (of, switches, racks) in [("pe", 4, ""), ("cable", 64, ""), ("cable", 4, RACKS), ("pe", 300, "")]
        {
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
                    // What is above the labels are notes.
                    let extents = drawn.map(|e| (e, extent(e).unwrap())).filter(|(_, at)| at[3] > first[1]);
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
    // Chosen: letters for one a PE; the page of the default has no pictures of sheets.
    let text = html(machine(5, ""), &["sheet=a4"]).unwrap();
    assert!((0..12).all(|pe| text.contains(&format!(">pe{pe:03}</text>"))));
    assert!(!html(machine(5, ""), &[]).unwrap().contains("class=\"sheet\""));
}

#[test]
fn cables_stand_with_rack_and_unit_where_they_are_known() {
    let text = html(machine(5, RACKS), &["sheet=l7160", "of=cable"]).unwrap();
    assert!(text.contains(">A01-001:NI0</text>") && text.contains(">to A03-005:01</text>"), "{text}");
    assert!(text.contains(">pe000 NI0 / sw04 port 1</text>"), "{text}");
}

/// Objects of a PDF file by number: each is where the table says.
fn objects(file: &[u8]) -> Vec<&[u8]> {
    let find = |from: usize, what: &[u8]| {
        file[from..].windows(what.len()).position(|w| w == what).map(|at| from + at).unwrap()
    };
    let tail = String::from_utf8_lossy(&file[file.len() - 60..]).into_owned();
    let start: usize = tail.split_once("startxref\n").unwrap().1.lines().next().unwrap().parse().unwrap();
    let table = String::from_utf8_lossy(&file[start..]).into_owned();
    let entries = table.lines().skip(3).take_while(|line| line.contains(" 00000 n"));
    let offsets: Vec<usize> = entries.map(|line| line[..10].parse().unwrap()).collect();
    assert!(table.starts_with(&format!("xref\n0 {}\n0000000000 65535 f", offsets.len() + 1)));
    let one = |(number, &at): (usize, &usize)| {
        assert!(file[at..].starts_with(format!("{number} 0 obj").as_bytes()), "object {number}");
        &file[at..find(at, b"endobj")]
    };
    (1..).zip(&offsets).map(one).collect()
}

/// The texts of a page: in brackets, or as hexadecimal numbers where there are other letters than those of ASCII.
fn shown(page: &str) -> Vec<String> {
    let lines = page.lines().filter_map(|line| line.strip_suffix(" Tj"));
    let hexadecimal = |digits: &str| {
        let byte = |at: usize| char::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
        (0..digits.len()).step_by(2).map(byte).collect::<String>()
    };
    let decoded = lines.map(|text| match text.strip_prefix('<') {
        Some(digits) => hexadecimal(digits.trim_end_matches('>')),
        None => text[1..text.len() - 1].to_owned(),
    });
    decoded.collect()
}

/// Drawing commands of the pages, unpacked.
fn contents(file: &[u8]) -> Vec<String> {
    let unpack = |object: &[u8]| {
        let at = object.windows(7).position(|w| w == b"stream\n")? + 7;
        let packed = object[..at].windows(11).any(|w| w == b"FlateDecode");
        let bytes = packed.then(|| miniz_oxide::inflate::decompress_to_vec_zlib(&object[at..]).unwrap())?;
        Some(bytes.into_iter().map(char::from).collect())
    };
    objects(file).into_iter().filter_map(unpack).collect()
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
            drawn.iter().flat_map(|page| shown(page)).filter(|text| text.starts_with("to ")).collect();
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
    assert!(root.contains("/Count 2000") && root.contains("/Kids ["), "{root}");
    let branches =
        texts.iter().filter(|text| text.contains("/Type /Pages") && text.contains("/Parent 3 0 R")).count();
    assert_eq!(branches, 2000usize.div_ceil(256));
}

#[test]
fn what_latin_letters_cannot_say_is_said_by_number_in_pdf_and_printed_in_html() {
    let named = || {
        let (mut spec, demand) =
            spec("pes = 2\nnis_per_pe = 1\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"ring\"\n");
        spec.name = "東京 Łab".into();
        Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(wiring("0: 0 1\n", 2)))
    };
    let drawn = shown(&contents(&pdf(named(), &["sheet=a4"]).unwrap()).concat()).join("\n");
    assert!(drawn.contains("[U+6771][U+4EAC] [U+0141]ab") && drawn.contains("Unicode numbers"), "{drawn}");
    let text = html(named(), &["sheet=a4"]).unwrap();
    assert!(text.contains("東京 Łab</text>") && !text.contains("Unicode numbers"), "{text}");
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
    // The page of the default heeds the palette too.
    let text = html(machine(9, ""), &["palette=colour-blind"]).unwrap();
    assert!(
        text.contains("#0072b2") && text.contains("×2 marks") && !text.contains("transparent cable"),
        "{text}"
    );
}

#[test]
fn a_qr_code_that_could_not_be_read_is_refused_with_what_would_do() {
    let link = "qr=https://crosspoint.example.org/designs/0123456789abcdef";
    let error = html(machine(5, ""), &["sheet=5167", link]).unwrap_err().to_string();
    assert!(error.starts_with("\"sheet=5167\": the QR code, 33 × 33 modules"), "{error}");
    let (_, would) = error.split_once("these sheets fit: ").unwrap();
    let would: Vec<&str> = would.split(", ").collect();
    assert!(would.contains(&"l7160") && would.contains(&"a4") && !would.contains(&"5167"), "{error}");
    for sheet in would {
        let text = html(machine(5, ""), &[&format!("sheet={sheet}"), link]).unwrap();
        let codes: Vec<&str> = text.split("<path transform=").skip(1).collect();
        assert_eq!(codes.len(), 12, "{sheet}");
        let (_, scale) = codes[0].split_once("scale(").unwrap();
        let module: f64 = scale.split(')').next().unwrap().parse().unwrap();
        assert!(module >= 4.0 * 25.4 / 300.0, "{sheet}: {module}");
        let file = pdf(machine(5, ""), &[&format!("sheet={sheet}"), link]).unwrap();
        let drawn: usize = contents(&file).iter().map(|page| page.matches("/Q Do").count()).sum();
        assert_eq!(drawn, 12, "{sheet}");
    }
    let long = format!("qr={}", "x".repeat(301));
    assert!(
        html(machine(5, ""), &[&long]).unwrap_err().to_string().contains("expected at most 300 characters")
    );
}

#[test]
fn wrong_choices_say_what_is_accepted() {
    for (choice, accepted) in [
        ("sheet=a5", "`paper`, `a4`, `letter`, `l7159`"),
        ("palette=red", "expected one of `papers`, `colour-blind`"),
        ("of=rack", "expected one of `pe`, `cable`, `calibration`"),
        ("colour=red", "labels has only the settings sheet, palette, qr, of"),
    ] {
        let error = html(machine(5, ""), &[choice]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{choice:?}: ")) && error.contains(accepted), "{error}");
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

//! Reads PDF files as this program writes them.

use std::collections::BTreeMap;

/// Objects of a PDF file by number: each is where the table says.
pub fn objects(file: &[u8]) -> Vec<&[u8]> {
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

/// Drawing commands of the pages, unpacked.
pub fn contents(file: &[u8]) -> Vec<String> {
    let unpack = |object: &[u8]| {
        let at = object.windows(7).position(|w| w == b"stream\n")? + 7;
        let head = String::from_utf8_lossy(&object[..at]);
        let is_page = head.contains("/FlateDecode")
            && !head.contains("/Length1")
            && !head.contains("/Image")
            && !head.contains("/CIDFontType0C");
        let bytes = is_page.then(|| miniz_oxide::inflate::decompress_to_vec_zlib(&object[at..]).unwrap())?;
        Some(bytes.into_iter().map(char::from).collect())
    };
    objects(file).into_iter().filter_map(unpack).collect()
}

/// Fonts by their names in pages: each an embedded font's name and, as readers of the file copy text, the characters of its
/// glyphs.
pub fn fonts(file: &[u8]) -> BTreeMap<String, (String, BTreeMap<u16, char>)> {
    let objects: Vec<_> = objects(file).into_iter().map(String::from_utf8_lossy).collect();
    let word = |object: &str, key: &str| {
        let (_, after) = object.split_once(&format!("/{key} ")).unwrap_or_else(|| panic!("{key}: {object}"));
        after.split_whitespace().next().unwrap().to_owned()
    };
    let linked = |object: &str, key: &str| {
        let number: usize = word(object, key).trim_start_matches('[').parse().unwrap();
        objects[number - 1].clone()
    };
    let names = (0..9).map(|at| format!("F{at}")).filter(|name| objects[2].contains(&format!("/{name} ")));
    let read = |name: String| {
        let font = linked(&objects[2], &name);
        let about = linked(&linked(&font, "DescendantFonts"), "FontDescriptor");
        assert!(about.contains("/FontFile"), "{about}");
        let map = linked(&font, "ToUnicode");
        let pairs =
            map.lines().filter_map(|line| line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <"));
        let hexadecimal = |digits| u16::from_str_radix(digits, 16).unwrap();
        let characters = pairs.filter(|pair| *pair != ("0000", "FFFF"));
        let characters = characters
            .map(|(glyph, c)| (hexadecimal(glyph), char::from_u32(hexadecimal(c).into()).unwrap()))
            .collect();
        (name, (word(&about, "FontName"), characters))
    };
    names.map(read).collect()
}

/// The texts of each page.
pub fn shown(file: &[u8]) -> Vec<Vec<String>> {
    let fonts = fonts(file);
    let texts = |page: &String| {
        let (mut texts, mut text, mut font) = (Vec::new(), String::new(), &fonts["F0"].1);
        for line in page.lines() {
            if let Some(chosen) = line.strip_suffix(" Tf") {
                font = &fonts[&chosen[1..3]].1;
            } else if let Some(written) = line.strip_suffix(" Tj") {
                let glyphs = codes(written);
                text.extend(glyphs.chunks(2).map(|code| font[&u16::from_be_bytes([code[0], code[1]])]));
            } else if line == "ET" {
                texts.push(std::mem::take(&mut text));
            }
        }
        texts
    };
    contents(file).iter().map(texts).collect()
}

/// The bytes of a string: in brackets with escapes, or as hexadecimal numbers.
fn codes(written: &str) -> Vec<u8> {
    let inside = &written[1..written.len() - 1];
    if written.starts_with('<') {
        let byte = |at| u8::from_str_radix(&inside[at..at + 2], 16).unwrap();
        return (0..inside.len()).step_by(2).map(byte).collect();
    }
    let (mut bytes, mut rest) = (Vec::new(), inside);
    while let Some(c) = rest.chars().next() {
        rest = &rest[1..];
        if c != '\\' {
            bytes.push(c as u8);
            continue;
        }
        let escape = rest.as_bytes()[0];
        let octal = escape.is_ascii_digit();
        bytes.push(match escape {
            _ if octal => u8::from_str_radix(&rest[..3], 8).unwrap(),
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            other => other,
        });
        rest = &rest[if octal { 3 } else { 1 }..];
    }
    bytes
}

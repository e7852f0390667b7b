//! Text widths in Helvetica, which every PDF reader has, and in fonts of the same metrics (Arial, Liberation Sans, Nimbus Sans).
//! Widths are Adobe's for the 14 standard fonts, in thousandths of the font size; characters are those of WinAnsi encoding (PDF
//! 1.7, annex D).

/// Widths of `' '..='~'`.
const REGULAR: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
const BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278,
    556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584,
    556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556,
    333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];

/// WinAnsi's 0x80 to 0x9f; a space where it has nothing.
const MIDDLE: [char; 32] = [
    '€', ' ', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', ' ', 'Ž', ' ', ' ', '‘', '’', '“', '”',
    '•', '–', '—', '˜', '™', 'š', '›', 'œ', ' ', 'ž', 'Ÿ',
];

/// Width of a text, in font sizes. What the font lacks counts as square.
pub fn width(text: &str, bold: bool) -> f64 {
    text.chars().map(|c| f64::from(thousandths(c, bold))).sum::<f64>() / 1000.0
}

/// A text in WinAnsi, with what that lacks as `?`; see [`printable`].
pub fn encode(text: &str) -> Vec<u8> {
    text.chars().map(|c| code(c).unwrap_or(b'?')).collect()
}

/// `true` if the font has every character.
pub fn has(text: &str) -> bool {
    text.chars().all(|c| code(c).is_some())
}

/// A text with its characters that the font lacks by number, as in `[U+6771]`: unlovely, and no lie.
pub fn printable(text: &str) -> String {
    let one = |c: char| if code(c).is_some() { c.to_string() } else { format!("[U+{:04X}]", u32::from(c)) };
    text.chars().map(one).collect()
}

fn code(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '\u{a0}'..='ÿ' => Some(u32::from(c) as u8),
        _ => MIDDLE.iter().position(|&m| m == c).map(|at| 0x80 + at as u8),
    }
}

fn thousandths(c: char, bold: bool) -> u16 {
    let of = |regular: u16, heavy: u16| if bold { heavy } else { regular };
    let as_wide_as = |base: char| thousandths(base, bold);
    match c {
        ' '..='~' => (if bold { BOLD } else { REGULAR })[c as usize - 32],
        'À'..='Å' => as_wide_as('A'),
        'Ç' => as_wide_as('C'),
        'È'..='Ë' => as_wide_as('E'),
        'Ì'..='Ï' | 'ì'..='ï' | '·' | '\u{a0}' => 278,
        'Ñ' | 'Ð' => 722,
        'Ò'..='Ö' | 'Ø' => 778,
        'Ù'..='Ü' => 722,
        'Ý' | 'Þ' | 'Š' | 'Ÿ' => 667,
        'à'..='å' => as_wide_as('a'),
        'ç' => as_wide_as('c'),
        'è'..='ë' => as_wide_as('e'),
        'ñ' | 'ð' | 'ò'..='ö' | 'ù'..='ü' | 'þ' | 'µ' => of(556, 611),
        'ý' | 'ÿ' | 'š' => of(500, 556),
        'ß' | 'ø' | 'Ž' | '¿' => 611,
        '×' | '÷' | '±' | '¬' => 584,
        'æ' => 889,
        'œ' => 944,
        '¼'..='¾' => 834,
        '©' | '®' => 737,
        '¢'..='¥' | '§' | '«' | '»' | '€' | 'ƒ' | '†' | '‡' | '–' => 556,
        '¶' => of(537, 556),
        'ž' => 500,
        '°' => 400,
        'ª' | 'º' => 370,
        '•' => 350,
        '¡' | '¨' | '\u{ad}' | '¯' | '²'..='´' | '¸' | '¹' | 'ˆ' | '˜' | '‹' | '›' => 333,
        '“' | '”' | '„' => of(333, 500),
        '‘' | '’' | '‚' => of(222, 278),
        '¦' => of(260, 280),
        _ => 1000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_metrics() {
        // Sums of the AFM files' WX: K 667, A 667, S 667, Y 667, 0 556; in bold 722, 722, 667, 667, 556.
        assert!((width("KASY0", false) - 3.224).abs() < 1e-9);
        assert!((width("KASY0", true) - 3.334).abs() < 1e-9);
        assert!((width("é", true) - width("e", true)).abs() < 1e-9);
        assert!((width("東", false) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_the_font_lacks_is_told_apart() {
        assert!(has("Zürich – 2 × €5…") && !has("Łódź"));
        assert_eq!(printable("Łódź"), "[U+0141]ód[U+017A]");
        assert_eq!(encode("a×…"), [b'a', 0xd7, 0x85]);
    }
}

//! Text widths, in HTML those of Helvetica and of fonts with the same metrics (Arial, Liberation Sans, Nimbus Sans): Adobe's for the
//! 14 standard fonts, for the characters of WinAnsi encoding (PDF 1.7, annex D).

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

/// Fonts that a text is measured and printed in.
pub trait Letters {
    /// Width of a character, in thousandths of the font size. `None` if no font has it.
    fn advance(&self, c: char, bold: bool) -> Option<f64>;

    /// A text as it is printed, and the number of different characters that a code replaces for want of a font.
    fn printable(&self, text: &str) -> (String, usize);

    /// Width of a text, in font sizes. A missing character counts as square.
    fn width(&self, text: &str, bold: bool) -> f64 {
        text.chars().map(|c| self.advance(c, bold).unwrap_or(1000.0)).sum::<f64>() / 1000.0
    }
}

/// The letters of HTML. Browsers take characters that it lacks from other fonts.
pub struct Helvetica;

impl Letters for Helvetica {
    fn advance(&self, c: char, bold: bool) -> Option<f64> {
        thousandths(c, bold).map(f64::from)
    }

    fn printable(&self, text: &str) -> (String, usize) {
        (text.into(), 0)
    }
}

fn thousandths(c: char, bold: bool) -> Option<u16> {
    let of = |regular: u16, heavy: u16| if bold { heavy } else { regular };
    let as_wide_as = |base: u8| of(REGULAR[usize::from(base) - 32], BOLD[usize::from(base) - 32]);
    let width = match c {
        ' '..='~' => as_wide_as(c as u8),
        'À'..='Å' => as_wide_as(b'A'),
        'Ç' => as_wide_as(b'C'),
        'È'..='Ë' => as_wide_as(b'E'),
        'Ì'..='Ï' | 'ì'..='ï' | '\u{a0}' => 278,
        // 278 in Helvetica; wider in the other fonts.
        '·' => 333,
        'Ñ' | 'Ð' => 722,
        'Ò'..='Ö' | 'Ø' => 778,
        'Ù'..='Ü' => 722,
        'Ý' | 'Þ' | 'Š' | 'Ÿ' => 667,
        'à'..='å' => as_wide_as(b'a'),
        'ç' => as_wide_as(b'c'),
        'è'..='ë' => as_wide_as(b'e'),
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
        'Æ' | 'Œ' | '…' | '‰' | '—' | '™' => 1000,
        _ => return None,
    };
    Some(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_metrics() {
        // Sums of the AFM files' WX: K 667, A 667, S 667, Y 667, 0 556; in bold 722, 722, 667, 667, 556.
        let width = |text, bold| Helvetica.width(text, bold);
        assert!((width("KASY0", false) - 3.224).abs() < 1e-9);
        assert!((width("KASY0", true) - 3.334).abs() < 1e-9);
        assert!((width("é", true) - width("e", true)).abs() < 1e-9);
        assert!((width("東", false) - 1.0).abs() < 1e-9);
        assert!("Zürich – 2 × €5…".chars().all(|c| Helvetica.advance(c, false).is_some()));
        assert_eq!(Helvetica.advance('Ł', false), None);
    }
}

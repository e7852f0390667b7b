//! The labels of both ends of a cable: near and far end in the style of TIA-606, the cable's colour as a word and as a patch, and,
//! if identifiers are rack positions, the names of both ends.

use super::{
    super::{DesignPlan, identifiers::Identifiers, plugs, uplinks::UplinkCable},
    draw::{Area, CAP, Drawing, Font},
    pe::{BAR, bars, is_marked, swatch},
    print_job::{PrintJob, Texts},
};

/// The near end, the far end and the switch's number are so many times as high as small letters.
const NEAR: f64 = 1.35;
const FAR: f64 = 1.1;
const NUMBER: f64 = 1.8;
/// From line to line, in letters.
const LINE: f64 = 1.2;
/// The least width of the patch, where space is tight, and on tape.
const SWATCH: f64 = 6.0;
const TIGHT_SWATCH: f64 = 4.5;
const TAPE_SWATCH: f64 = 3.0;
/// Between patch and text.
const GAP: f64 = 1.0;

/// A cable's two ends.
#[derive(Clone)]
pub struct Cable {
    /// The PE, whose page a QR code opens; `None` for a cable to the uplink switch.
    pub of: Option<u32>,
    pub pe: End,
    pub switch: End,
    pub to: u32,
}

/// One end of a cable.
#[derive(Clone)]
pub struct End {
    /// In the style of TIA-606.
    pub identifier: String,
    /// With the names of device and port.
    pub name: String,
}

impl Cable {
    /// The cable of a PE's NI to a switch or another PE's NI.
    pub fn of(plan: &DesignPlan, identifiers: &Identifiers, cable: plugs::Cable) -> Cable {
        let ends = plan.ends(identifiers, cable);
        let [pe, switch] = ends.map(|end| End { identifier: end.identifier, name: end.label });
        Cable { of: Some(cable.pe), pe, switch, to: cable.switch }
    }

    /// Cables to uplink switches.
    pub fn uplinks(plan: &DesignPlan, identifiers: &Identifiers) -> Vec<Cable> {
        let Some(uplink) = plan.uplink() else { return Vec::new() };
        let cable = |&cable: &UplinkCable| {
            let ends = uplink.ends(&plan.names, identifiers, cable);
            let [pe, switch] = ends.map(|end| End { identifier: end.identifier, name: end.label });
            Cable { of: None, pe, switch, to: uplink.switch_of(cable).number }
        };
        uplink.cables.iter().map(cable).collect()
    }
}

/// The line of the far end.
pub fn to(identifier: &str) -> String {
    format!("to {identifier}")
}

/// The names of both ends, for one line or two.
pub fn names(near: &End, far: &End) -> [String; 2] {
    [format!("{} /", near.name), far.name.clone()]
}

/// Lines of a label on a sheet with so many lines of names, in small letters.
fn lines(texts: &Texts, rows: u32) -> f64 {
    NEAR + FAR + 1.0 + if texts.names > 0.0 { rows.into() } else { 0.0 }
}

fn patch(texts: &Texts, unit: f64, rows: u32) -> f64 {
    let least = if rows == 1 { SWATCH } else { TIGHT_SWATCH };
    least.max(texts.number * NUMBER * unit + 1.2) + f64::from(texts.bars) * BAR.0
}

/// `true` if a label fits with small letters of a size and one line of names, or two and a narrow patch.
pub fn fits(texts: &Texts, unit: f64, rows: u32, room: (f64, f64)) -> bool {
    let names = if rows == 1 { texts.names } else { texts.name };
    let widest = (texts.near * NEAR).max(texts.far * FAR).max(texts.colour).max(names) * unit;
    patch(texts, unit, rows) + GAP + widest <= room.0 && lines(texts, rows) * LINE * unit <= room.1
}

/// The size of small letters on tape, where colour and names share a line unless the tape is wide.
pub fn tape_unit(texts: &Texts, printable: f64) -> f64 {
    let apart = printable / (lines(texts, 1) * LINE);
    if apart >= WIDE { apart } else { printable / ((NEAR + FAR + 1.0) * LINE) }
}

/// The size of small letters on tape at which colour and names have lines of their own.
const WIDE: f64 = 2.8;

/// Length of a label on tape, without margins.
pub fn long(texts: &Texts, unit: f64) -> f64 {
    let colour = texts.number + 1.0 + texts.colour;
    let last =
        if texts.names == 0.0 || unit >= WIDE { colour.max(texts.names) } else { colour + 1.0 + texts.names };
    let widest = (texts.near * NEAR).max(texts.far * FAR).max(last) * unit;
    TAPE_SWATCH + f64::from(texts.bars) * BAR.0 + GAP + widest
}

/// Draws the label of one end.
pub fn draw(job: &PrintJob, drawing: &mut Drawing, area: Area, cable: &Cable, (near, far): (&End, &End)) {
    let (unit, tape) = (job.layout.unit, job.layout.tape);
    let colour = job.colour(cable.to);
    let wide = if tape {
        TAPE_SWATCH + f64::from(bars(&colour)) * BAR.0
    } else {
        patch(&job.texts, unit, job.layout.rows)
    };
    let with_names = job.texts.names > 0.0;
    let own_lines = !tape || unit >= WIDE;
    let all = lines(&job.texts, job.layout.rows);
    let high = if tape { area.h } else { all * LINE * unit };
    let top = area.y + (area.h - high) / 2.0;
    let at = Area { w: wide, y: top, h: high, ..area };
    // Identifiers have the names of switches that have no numbers.
    let numbered = !job.plan.names.has_named_switches();
    // A box in black would be taken for a white cable.
    if !job.black || numbered && !tape || is_marked(&colour) {
        swatch(drawing, at, &colour);
    }
    let bare = wide - f64::from(bars(&colour)) * BAR.0;
    let mut middle = top + high / 2.0;
    if !tape && numbered {
        let font = job.bold(NUMBER * unit).ink(colour.text());
        let number = cable.to.to_string();
        let line = middle + font.size * CAP / 2.0;
        drawing.text((at.x + (bare - font.width(&number)) / 2.0, line), font, number);
        middle = line + 1.2 * unit;
    }
    if colour.transparent {
        let mark = (0.6 * unit).min((bare - 1.0) / 2.1);
        drawing.triangles((at.x + (bare - 2.1 * mark) / 2.0, middle - mark), mark, colour.text());
    }
    let left = at.x + wide + GAP;
    let used = if own_lines { all } else { NEAR + FAR + 1.0 } * LINE * unit;
    let mut below = top + (high - used) / 2.0;
    let mut line = |font: Font, text: String| {
        drawing.text((left, below + font.size * (LINE - 0.2 + CAP) / 2.0 + 0.1 * font.size), font, text);
        below += font.size * LINE;
    };
    line(job.bold(NEAR * unit), near.identifier.clone());
    line(job.regular(FAR * unit), to(&far.identifier));
    let small = job.regular(unit);
    let said = if tape && numbered { format!("{} {}", cable.to, colour.name()) } else { colour.name() };
    match (with_names, own_lines) {
        (true, false) => line(small, format!("{said}, {}", names(near, far).join(" "))),
        (true, true) => {
            line(small, said);
            match job.layout.rows {
                2 => names(near, far).into_iter().for_each(|name| line(small, name)),
                _ => line(small, names(near, far).join(" ")),
            }
        }
        (false, _) => line(small, said),
    }
}

//! The size of labels and letters: decided once, the same for all labels of a machine, before the first is drawn.

use super::{
    super::{DesignPlan, ExportError, PALETTE, colours::Palette, identifiers::Identifiers},
    LINK, LabelKind, OF, QR, SHEET, cable, calibration,
    draw::Area,
    font::Letters,
    pe,
    print_job::{LEAST, Layout, PAD, PrintJob, Texts, hue, more, notes, origin, place, wrap},
    qr::Codes,
    sheet::{Arrangement, Grid, SHEETS, Sheet},
};
#[cfg(feature = "server")]
use super::{ROLL, sheet::ROLLS};

/// The size of letters for which labels on plain paper are made: 5.7 points.
const COMFORT: f64 = 2.0;
/// The largest.
const MOST: f64 = 3.0;
/// Steps in which letters shrink.
const STEP: f64 = 0.05;
/// The largest module of a QR code.
const LARGEST_MODULE: f64 = 0.5;
/// The least side of a module in dots (Denso Wave).
const LEAST_DOTS: f64 = 4.0;
/// Margins of plain paper. Most printers leave 5 mm blank; top and bottom have two lines of text.
const MARGIN: f64 = 8.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 12.0;

/// Reason why labels do not fit.
enum Misfit {
    Text,
    Qr { module: f64 },
}

/// A sheet to print on, and those that could be chosen instead.
struct Stock {
    sheet: &'static Sheet,
    all: &'static [Sheet],
    /// The setting that chooses.
    setting: &'static str,
    /// Dots per millimetre of a label printer, which has no colours.
    dots: Option<f64>,
}

impl Stock {
    /// The least side of a QR code's module that can be read.
    fn least_module(&self, sheet: &Sheet) -> f64 {
        self.dots.map_or_else(|| sheet.least_module(), |dots| LEAST_DOTS / dots)
    }
}

impl<'a> PrintJob<'a> {
    /// Decides on sizes for a sheet or tape.
    ///
    /// # Errors
    /// Text or QR code do not fit the sheet; the error says which would do.
    pub fn of(plan: &'a DesignPlan, letters: &'a dyn Letters) -> Result<PrintJob<'a>, ExportError> {
        let sheet = plan.settings.get(&SHEET);
        PrintJob::on(plan, letters, &Stock { sheet, all: SHEETS, setting: "sheet", dots: None })
    }

    /// Decides on sizes for a label printer with that many dots per millimetre.
    ///
    /// # Errors
    /// Errors of [`PrintJob::of`]; a calibration page is for tape only.
    #[cfg(feature = "server")]
    pub fn for_roll(
        plan: &'a DesignPlan,
        letters: &'a dyn Letters,
        dots: f64,
    ) -> Result<PrintJob<'a>, ExportError> {
        let sheet = plan.settings.get(&ROLL);
        if plan.settings.get(&OF) == LabelKind::Calibration && matches!(sheet.kind, Arrangement::Roll { .. })
        {
            let why = "label printers find the edge of a label themselves. Choose of=node, cable or flag, or roll=strip25";
            return Err(ExportError::Setting { choice: "of=calibration".into(), why: why.into() });
        }
        PrintJob::on(plan, letters, &Stock { sheet, all: ROLLS, setting: "roll", dots: Some(dots) })
    }

    fn on(
        plan: &'a DesignPlan,
        letters: &'a dyn Letters,
        stock: &Stock,
    ) -> Result<PrintJob<'a>, ExportError> {
        let settings = &plan.settings;
        let (sheet, of, palette) = (stock.sheet, settings.get(&OF), settings.get(&PALETTE));
        // The calibration page has no codes, and must not be refused for them.
        let link = settings.given(&LINK).filter(|_| settings.get(&QR) && of != LabelKind::Calibration);
        let codes = link.map(|link| Codes::of(link, plan.pes())).transpose()?;
        let identifiers = Identifiers::of(plan);
        let texts = Texts::of(plan, letters, &identifiers, palette, of);
        let wanted = LabelBatch { stock, texts: &texts, of, wrap: wrap(plan), codes: codes.as_ref() };
        let layout = wanted.layout(sheet).map_err(|misfit| wanted.refusal(&misfit))?;
        let (title, missing) = letters.printable(&plan.title());
        let notes = notes(plan, palette, missing);
        let (origin, more) = (origin(plan), more(plan, of));
        let mut job = PrintJob {
            plan,
            letters,
            identifiers,
            palette,
            of,
            sheet,
            black: stock.dots.is_some(),
            codes,
            title,
            origin,
            notes,
            more,
            texts,
            layout,
        };
        if job.layout.tape && of == LabelKind::Calibration {
            job.layout.page.0 = calibration::long(&job);
        }
        Ok(job)
    }
}

impl Texts {
    /// Makes room for the labels of a cable.
    fn widen_by(&mut self, cable: &cable::Cable, racks: bool, letters: &dyn Letters) {
        let widen =
            |widest: &mut f64, text: &str, bold: bool| *widest = widest.max(letters.width(text, bold));
        for end in [&cable.pe, &cable.switch] {
            widen(&mut self.near, &end.identifier, true);
            widen(&mut self.far, &cable::to(&end.identifier), false);
        }
        if racks {
            let near = cable::names(&cable.pe, &cable.switch);
            let [far, _] = cable::names(&cable.switch, &cable.pe);
            widen(&mut self.names, &near.join(" "), false);
            // The second line has a name without the stroke.
            widen(&mut self.name, &near[0], false);
            widen(&mut self.name, &far, false);
        }
    }

    fn of(
        plan: &DesignPlan,
        letters: &dyn Letters,
        identifiers: &Identifiers,
        palette: Palette,
        of: LabelKind,
    ) -> Texts {
        let separate = plan.spec.uplink.is_some_and(|uplink| !uplink.folded);
        let switches = plan.design.switch_count() + u32::from(separate && of.is_of_ends());
        let mut texts = Texts::default();
        let widen =
            |widest: &mut f64, text: &str, bold: bool| *widest = widest.max(letters.width(text, bold));
        for switch in 0..switches {
            let colour = palette.of(switch);
            texts.bars = texts.bars.max(pe::bars(&colour));
            widen(&mut texts.hue, &hue(&colour), false);
            widen(&mut texts.colour, &colour.name(), false);
        }
        let marks =
            (0..plan.design.switch_count()).filter(|_| !of.is_of_ends() && plan.names.has_named_switches());
        marks.for_each(|switch| widen(&mut texts.number, &plan.names.switch(switch), true));
        widen(&mut texts.number, &switches.saturating_sub(1).to_string(), true);
        texts.raised = if plan.names.has_named_switches() { pe::SWITCH } else { pe::NUMBER };
        let racks = identifiers.pe_place(0).is_some();
        for pe in 0..plan.pes() {
            let nis = plan.nis.of(pe);
            texts.nis = texts.nis.max(nis.len() as u32);
            widen(&mut texts.pe, &plan.pe_name(pe), true);
            if racks {
                widen(&mut texts.place, place(identifiers, pe).as_str(), false);
            }
            if !of.is_of_ends() {
                continue;
            }
            for cable in (0..nis.len() as u32).filter_map(|ni| plan.cable(pe, ni)) {
                texts.widen_by(&cable::Cable::of(plan, identifiers, cable), racks, letters);
            }
        }
        let uplinks = if of.is_of_ends() { cable::Cable::uplinks(plan, identifiers) } else { Vec::new() };
        for cable in &uplinks {
            texts.widen_by(cable, racks, letters);
        }
        widen(&mut texts.ni, &format!("NIC{}", texts.nis.saturating_sub(1)), false);
        texts
    }
}

/// Labels to lay out on a sheet.
struct LabelBatch<'a> {
    stock: &'a Stock,
    texts: &'a Texts,
    of: LabelKind,
    /// Length of a flag round its cable.
    wrap: f64,
    codes: Option<&'a Codes>,
}

impl LabelBatch<'_> {
    /// The layout of a sheet.
    fn layout(&self, sheet: &Sheet) -> Result<Layout, Misfit> {
        match sheet.kind {
            Arrangement::Cut { page, grid } => self.fit(sheet, (page, grid), LEAST),
            Arrangement::Plain { page } => {
                let (w, h) = (page.0 - 2.0 * MARGIN, page.1 - TOP - BOTTOM);
                let area = Area { x: MARGIN, y: TOP, w, h };
                let densest = |least| self.densest(sheet, (page, area), least);
                // A whole page for one label says best what is missing.
                let whole = || self.fit(sheet, (page, Grid::filling(area, 1, 1)), LEAST);
                [COMFORT, LEAST].into_iter().find_map(densest).map_or_else(whole, Ok)
            }
            Arrangement::Roll { size } => {
                let whole = Area { x: 0.0, y: 0.0, w: size.0, h: size.1 };
                let layout = self.fit(sheet, (size, Grid::filling(whole, 1, 1)), LEAST)?;
                Ok(Layout { alone: true, ..layout })
            }
            Arrangement::Tape { width, printable } => self.strip(sheet, width, printable),
        }
    }

    /// Max labels on a plain page with letters of at least that size.
    fn densest(&self, sheet: &Sheet, (page, area): ((f64, f64), Area), least: f64) -> Option<Layout> {
        let mut best: Option<Layout> = None;
        for columns in 1..=8 {
            // The first that fits of ever fewer rows is the best of its columns.
            let fitting = (1..=30)
                .rev()
                .find_map(|rows| self.fit(sheet, (page, Grid::filling(area, columns, rows)), least).ok());
            let labels = |layout: &Layout| match self.of {
                LabelKind::Cable | LabelKind::Flag => layout.grid.columns * layout.grid.rows / 2,
                _ => layout.grid.columns * layout.grid.rows,
            };
            if let Some(fitting) =
                fitting.filter(|l| best.as_ref().is_none_or(|best| labels(l) > labels(best)))
            {
                best = Some(fitting);
            }
        }
        best.map(|layout| Layout { outlined: true, ..layout })
    }

    /// The largest letters with which everything fits labels of a size.
    fn fit(&self, sheet: &Sheet, (page, grid): ((f64, f64), Grid), least: f64) -> Result<Layout, Misfit> {
        let side = if self.of == LabelKind::Flag { (grid.size.0 - self.wrap) / 2.0 } else { grid.size.0 };
        let (w, h) = (side - 2.0 * PAD, grid.size.1 - 2.0 * PAD);
        if w <= 0.0 {
            return Err(Misfit::Text);
        }
        let module = |codes: &Codes| LARGEST_MODULE.min(h / codes.whole()).min(0.45 * w / codes.whole());
        let qr = self.code(sheet, module)?;
        let room = (w - qr.1, h);
        let steps = ((MOST - least) / STEP).round() as u32;
        let units = (0..=steps).map(|step| MOST - f64::from(step) * STEP);
        let found = match self.of {
            LabelKind::Pe | LabelKind::Calibration => {
                units.clone().find_map(|unit| Some((unit, pe::rows(self.texts, unit, room)?)))
            }
            // Names take two lines, and the patch is narrow, only where one line does not fit.
            LabelKind::Cable | LabelKind::Flag => (1..=2).find_map(|rows| {
                let unit = units.clone().find(|&unit| cable::fits(self.texts, unit, rows, room))?;
                Some((unit, rows))
            }),
        };
        let (unit, rows) = found.ok_or(Misfit::Text)?;
        Ok(Layout { page, grid, unit, qr, rows, outlined: false, alone: false, tape: false })
    }

    /// Labels on tape: as high as can be printed, as long as they must be.
    fn strip(&self, sheet: &Sheet, width: f64, printable: f64) -> Result<Layout, Misfit> {
        let cable = self.of.is_of_ends();
        let (rows, unit) = if cable {
            (1, cable::tape_unit(self.texts, printable))
        } else {
            pe::tape_rows(self.texts, printable)
        };
        let unit = unit.min(MOST);
        if unit < LEAST {
            return Err(Misfit::Text);
        }
        // The edge of the tape that cannot be printed on is a part of the quiet zone.
        let most = LARGEST_MODULE.max(self.stock.least_module(sheet));
        let module = |codes: &Codes| most.min(printable / codes.side as f64).min(width / codes.whole());
        let qr = self.code(sheet, module)?;
        let text = if cable { cable::long(self.texts, unit) } else { pe::long(self.texts, unit, rows) };
        let side = 2.0 * PAD + qr.1 + text;
        let long = if self.of == LabelKind::Flag { 2.0 * side + self.wrap } else { side };
        let columns = if cable { 2 } else { 1 };
        let area = Area { x: 0.0, y: (width - printable) / 2.0, w: long * f64::from(columns), h: printable };
        let grid = Grid::filling(area, columns, 1);
        Ok(Layout { page: (area.w, width), grid, unit, qr, rows, outlined: false, alone: true, tape: true })
    }

    /// Side of a QR code's module, and of the code with its quiet zone; 0 without.
    fn code(&self, sheet: &Sheet, module: impl Fn(&Codes) -> f64) -> Result<(f64, f64), Misfit> {
        let Some(codes) = self.codes else { return Ok((0.0, 0.0)) };
        let module = module(codes);
        if module < self.stock.least_module(sheet) {
            Err(Misfit::Qr { module })
        } else {
            Ok((module, module * codes.whole()))
        }
    }

    /// Says what does not fit, and on which sheets it would.
    fn refusal(&self, misfit: &Misfit) -> ExportError {
        let Stock { sheet, all, setting, .. } = self.stock;
        let would: Vec<&str> =
            all.iter().filter(|other| self.layout(other).is_ok()).map(|other| other.name).collect();
        let would = match would.as_slice() {
            [] => format!("no {setting} is large enough"),
            names => format!("these {setting}s fit: {}", names.join(", ")),
        };
        let what = match (misfit, self.codes) {
            (Misfit::Qr { module }, Some(codes)) => format!(
                "the QR code, {side} × {side} modules, would have modules of {module:.2} mm on {}. Scanners need {:.2} mm. Choose \
                 qr=none or another {setting}",
                sheet.what,
                self.stock.least_module(sheet),
                side = codes.side,
            ),
            _ if self.of == LabelKind::Flag => format!(
                "the text does not fit both halves of a flag, with {:.1} mm between them for the cable, on {} with letters of \
                 {LEAST} mm, the smallest legible ones",
                self.wrap, sheet.what
            ),
            _ => format!(
                "the text does not fit {} with letters of {LEAST} mm, the smallest legible ones",
                sheet.what
            ),
        };
        ExportError::Setting { choice: format!("{setting}={}", sheet.name), why: format!("{what}; {would}") }
    }
}

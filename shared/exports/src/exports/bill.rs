//! The bill of materials: switches, NICs and cables to buy, by rack, with spare parts and the lengths that cables are sold in.
//!
//! The sum of a part's quantities is what to buy. Counts and prices are those of [`cost`](crate::analysis::cost), except that cables
//! are as long as they are sold.

#[cfg(not(feature = "server"))]
use super::on_server as workbook;
use super::{
    CSV, DesignPlan, Field, FileType, Format, Group, Render, Setting, SettingOf, WriteResult, escape::field,
    identifiers::Identifiers,
};
use crate::{design::RackPlace, text::number};
use std::{collections::BTreeMap, fmt};

const SPARE_SHARE: SettingOf<u64> =
    Setting::new("spare-share", "spare parts to buy, in percent of each part")
        .field(Field::whole("Spare parts", 0, 100).unit("%"))
        .or("5")
        .parsed();

/// Cable lengths that are sold, in centimetres.
const LENGTHS: SettingOf<Vec<u64>> = Setting::new("lengths", "cable lengths that are sold, in metres")
    .words("Cable lengths", "lengths such as 0.5 1 2.5 in metres, up to 10000, separated with spaces")
    .or("0.5 1 1.5 2 2.5 3 4 5 7 10 15 20 25 30 40 50 70 100")
    .read(|text| lengths(text).ok_or(None));

/// Lengths in metres as centimetres; at least one.
fn lengths(text: &str) -> Option<Vec<u64>> {
    let length = |word: &str| {
        let plain = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let metres: f64 = word.parse().ok().filter(|_| plain)?;
        let centimetres = (metres * 100.0).round();
        ((1.0..=1e6).contains(&centimetres)).then_some(centimetres as u64)
    };
    let lengths: Option<Vec<u64>> = text.split_whitespace().map(length).collect();
    lengths.filter(|lengths| !lengths.is_empty())
}

pub(super) const BILL: Format = Format::new(Group::Purchasing, "bill", "Bill of materials, CSV", CSV, Render::Text(render))
    .read_by(&["pandas 3.1"])
    .purpose("bill of materials: switches, NICs and cables by rack, with spares, cable lengths that are sold, and prices")
    .with(SETTINGS);

pub(super) const WORKBOOK: Format =
    Format::new(Group::Purchasing, "bill-xlsx", "Bill of materials, Excel", XLSX, Render::Bytes(workbook))
        .read_by(&["LibreOffice 7.4"])
        .recommended()
        .purpose("workbook: what to buy, with prices that you can fill in, and what goes into each rack")
        .on_server()
        .with(SETTINGS);

const SETTINGS: &[&Setting] = &[&SPARE_SHARE, &LENGTHS];
pub(super) const XLSX: FileType =
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx");

/// A part as it is ordered; sorted as it is listed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum BillPart {
    Switch {
        ports: u32,
    },
    Uplink {
        ports: u32,
    },
    Nic,
    /// In centimetres; `None` if racks do not give the length.
    Cable(Option<u64>),
    /// A cable between two nodes, of a model of the spec.
    Direct(usize, Option<u64>),
}

type Parts = BTreeMap<(BillPart, String), u64>;

impl BillPart {
    fn words(&self, lengths: &[u64]) -> (&'static str, String) {
        let is_sold = |length: &u64| lengths.contains(length);
        match self {
            BillPart::Switch { ports } => ("switch", format!("{ports} ports")),
            BillPart::Uplink { ports } => ("uplink switch", format!("{ports} ports")),
            BillPart::Nic => ("NIC", String::new()),
            BillPart::Cable(length) | BillPart::Direct(_, length) => {
                let name = if matches!(self, BillPart::Cable(_)) { "cable" } else { "direct cable" };
                let Some(length) = length else { return (name, "length unknown".into()) };
                let longer = if is_sold(length) { "" } else { " (longer than any length sold)" };
                (name, format!("{} m{longer}", number(*length as f64 / 100.0)))
            }
        }
    }
}

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let parts = parts(plan);
    out.write_str("part,kind,rack,quantity,unit_price,price\n")?;
    for ((part, rack), &count) in &parts {
        row(plan, part, rack, count, out)?;
    }
    for (part, _, spare) in totals(plan, &parts) {
        if spare > 0 {
            row(plan, part, "spare", spare, out)?;
        }
    }
    Ok(())
}

/// Numbers of each part in all racks, and of spare ones.
fn totals<'a>(plan: &DesignPlan, parts: &'a Parts) -> impl Iterator<Item = (&'a BillPart, u64, u64)> {
    let mut totals: BTreeMap<&BillPart, u64> = BTreeMap::new();
    for ((part, _), &count) in parts {
        *totals.entry(part).or_default() += count;
    }
    let share = plan.settings.get(&SPARE_SHARE);
    totals.into_iter().map(move |(part, count)| (part, count, (count * share).div_ceil(100)))
}

fn row(plan: &DesignPlan, part: &BillPart, rack: &str, count: u64, out: &mut dyn fmt::Write) -> fmt::Result {
    let (name, kind) = part.words(&plan.settings.get(&LENGTHS));
    write!(out, "{name},{},{},{count},", field(&kind), field(rack))?;
    match price(plan, part) {
        Some(price) => writeln!(out, "{},{}", number(price), number(price * count as f64)),
        None => out.write_str(",\n"),
    }
}

#[cfg(feature = "server")]
fn workbook(plan: &DesignPlan, _: u32, out: &mut dyn std::io::Write) -> WriteResult {
    write_workbook(workbook_of(plan), out)
}

/// An empty workbook with a fixed date: the same design gives the same file.
#[cfg(feature = "server")]
pub(super) fn new_workbook(
    properties: rust_xlsxwriter::DocProperties,
) -> Result<rust_xlsxwriter::Workbook, rust_xlsxwriter::XlsxError> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let made = rust_xlsxwriter::ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(&properties.set_creation_datetime(&made));
    Ok(book)
}

/// Writes a workbook.
#[cfg(feature = "server")]
pub(super) fn write_workbook(
    made: Result<rust_xlsxwriter::Workbook, rust_xlsxwriter::XlsxError>,
    out: &mut dyn std::io::Write,
) -> WriteResult {
    let bytes = made.and_then(|mut book| book.save_to_buffer()).map_err(std::io::Error::other)?;
    Ok(out.write_all(&bytes)?)
}

/// Two sheets: what to buy, and what goes into each rack. Formulas have their results, for programs that do not compute.
#[cfg(feature = "server")]
fn workbook_of(plan: &DesignPlan) -> Result<rust_xlsxwriter::Workbook, rust_xlsxwriter::XlsxError> {
    use rust_xlsxwriter::{DocProperties, Format, Formula};
    let mut book = new_workbook(DocProperties::new().set_title(plan.title()))?;
    let bold = Format::new().set_bold();
    // A price that is not known is an empty cell, not zero.
    let money = Format::new().set_num_format("#,##0.00;-#,##0.00;");
    let bold_money = money.clone().set_bold();
    let parts = parts(plan);

    let sheet = book.add_worksheet().set_name("To buy")?;
    let heads = ["part", "kind", "in racks", "spare", "quantity", "unit price", "price"];
    sheet.write_row_with_format(0, 0, heads, &bold)?.set_freeze_panes(1, 0)?;
    let (mut sum, mut all_known, mut row) = (0.0, true, 0);
    for (part, count, spare) in totals(plan, &parts) {
        row += 1;
        let (name, kind) = part.words(&plan.settings.get(&LENGTHS));
        sheet.write(row, 0, name)?.write(row, 1, kind)?.write(row, 2, count)?.write(row, 3, spare)?;
        let here = row + 1;
        let quantity = Formula::new(format!("=C{here}+D{here}")).set_result((count + spare).to_string());
        sheet.write(row, 4, quantity)?;
        let unit = price(plan, part);
        let whole = unit.unwrap_or(0.0) * (count + spare) as f64;
        match unit {
            Some(unit) => sheet.write_with_format(row, 5, unit, &money)?,
            None => sheet.write_blank(row, 5, &money)?,
        };
        sum += whole;
        all_known &= unit.is_some();
        let formula = Formula::new(format!("=E{here}*F{here}")).set_result(whole.to_string());
        sheet.write_with_format(row, 6, formula, &money)?;
    }
    let last = row + 1;
    let (known, whole) = ("sum of the known prices", "sum");
    let formula = format!("=IF(COUNT(F2:F{last})<ROWS(F2:F{last}),\"{known}\",\"{whole}\")");
    let formula = Formula::new(formula).set_result(if all_known { whole } else { known });
    sheet.write_with_format(last, 0, formula, &bold)?;
    let formula = Formula::new(format!("=SUM(G2:G{last})")).set_result(sum.to_string());
    sheet.write_with_format(last, 6, formula, &bold_money)?;
    sheet.autofit().set_print_fit_to_pages(1, 0);

    let racks: std::collections::BTreeSet<&String> = parts.keys().map(|(_, rack)| rack).collect();
    let sheet = book.add_worksheet().set_name("By rack")?;
    sheet.write_row_with_format(0, 0, ["rack", "part", "kind", "quantity"], &bold)?.set_freeze_panes(1, 0)?;
    let of_racks = racks.iter().flat_map(|rack| parts.iter().filter(move |((_, of), _)| of == *rack));
    for (row, ((part, rack), &count)) in (1..).zip(of_racks) {
        let (name, kind) = part.words(&plan.settings.get(&LENGTHS));
        sheet.write(row, 0, rack)?.write(row, 1, name)?.write(row, 2, kind)?.write(row, 3, count)?;
    }
    sheet.autofit().set_print_fit_to_pages(1, 0);
    Ok(book)
}

/// Price of one; `None` if the spec has none.
fn price(plan: &DesignPlan, part: &BillPart) -> Option<f64> {
    let spec = &plan.spec;
    match part {
        BillPart::Switch { ports } => spec.switches.iter().find(|model| model.ports == *ports)?.price,
        BillPart::Uplink { .. } => spec.uplink?.price,
        BillPart::Nic => spec.ni_price,
        BillPart::Cable(length) | BillPart::Direct(_, length) => {
            let own = match part {
                BillPart::Direct(model, _) => spec.switches[*model].price,
                _ => None,
            };
            let each = own.or(spec.cable_price);
            match (spec.metre_price, length) {
                (None, _) => each,
                (Some(metre), Some(length)) => Some(each.unwrap_or(0.0) + metre * *length as f64 / 100.0),
                (Some(_), None) => None,
            }
        }
    }
}

/// Numbers of each part in each rack; without racks, the rack is empty. A cable is in the rack of its node.
fn parts(plan: &DesignPlan) -> Parts {
    let identifiers = Identifiers::of(plan);
    let rack = |place: Option<RackPlace>| place.map_or_else(String::new, |place| place.rack);
    let mut parts = Parts::new();
    let mut add = |part: BillPart, rack: String, count: u64| *parts.entry((part, rack)).or_default() += count;
    let lengths = plan.settings.get(&LENGTHS);
    let sold = |metres: Option<f64>| metres.map(|metres| sold(&lengths, metres));
    for (switch, model) in (0..).zip(plan.spec.models()) {
        let bought = &plan.spec.switches[model];
        if !plan.spec.is_cable(bought) {
            let part = BillPart::Switch { ports: bought.ports };
            add(part, rack(identifiers.switch_place(switch)), 1);
        }
    }
    for (pe, nis) in (0..).zip(plan.spec.nis_per_pe()) {
        add(BillPart::Nic, rack(identifiers.pe_place(pe)), nis.into());
    }
    for cable in plan.cables() {
        let length = sold(plan.length(&identifiers, cable));
        let model = cable.direct.and_then(|_| plan.spec.model_index(cable.switch));
        let part = model.map_or(BillPart::Cable(length), |model| BillPart::Direct(model, length));
        add(part, rack(identifiers.pe_place(cable.pe)), 1);
    }
    if let Some(uplink) = plan.uplink() {
        for switch in uplink.switches.iter().filter(|_| uplink.folded.is_none()) {
            add(BillPart::Uplink { ports: switch.ports }, String::new(), 1);
        }
        let spares = uplink.spares().count() as u64;
        if spares > 0 {
            add(BillPart::Nic, String::new(), spares);
        }
        for &cable in &uplink.cables {
            add(BillPart::Cable(sold(uplink.length(&identifiers, cable))), String::new(), 1);
        }
    }
    parts
}

/// The shortest length that is sold and suffices, in centimetres; beyond the longest, full metres.
fn sold(lengths: &[u64], metres: f64) -> u64 {
    let needed = (metres * 100.0 - 1e-6).ceil().max(0.0) as u64;
    lengths.iter().copied().filter(|&length| length >= needed).min().unwrap_or(needed.div_ceil(100) * 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cables_are_as_long_as_they_are_sold() {
        let lengths = [50, 100, 300];
        assert_eq!([0.2, 0.5, 1.01, 3.0, 3.2].map(|metres| sold(&lengths, metres)), [50, 50, 300, 300, 400]);
    }
}

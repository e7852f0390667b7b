//! Routing tables to read and to compute with: the basic routes (LCPC paper, section 3.2), and all paths that pairs have
//! (dissertation, section 5.1.3).

use super::{Bundle, ExportError, Format, Render};
use crate::design::Path;
use std::fmt;

pub(super) const ROUTES: Format = Format {
    name: "routes",
    purpose: "the basic routes: for each PE every other that it has a path to, with the NIs and the switch of the path",
    media_type: "text/csv; charset=utf-8",
    extension: "csv",
    per_pe: false,
    settings: &["dead"],
    render: Render::Text(routes),
};

pub(super) const PATHS: Format = Format {
    name: "paths",
    purpose: "all paths: for each pair every switch that it shares, with the NIs of both, to use several at once",
    media_type: "text/csv; charset=utf-8",
    extension: "csv",
    per_pe: false,
    settings: &["dead"],
    render: Render::Text(paths),
};

fn routes(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let routes = bundle.routes()?;
    out.write_str("pe,to,ni,to_ni,switch,requested\n")?;
    for pe in 0..bundle.pes() {
        for (to, Path { switch, ni, other_ni }) in routes.paths(pe) {
            writeln!(out, "{pe},{to},{ni},{other_ni},{switch},{}", requested(bundle, pe, to))?;
        }
    }
    Ok(())
}

/// A line a pair, lower PE first. The lists of a line go together: place by place, a switch and the two NIs on it.
fn paths(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    let routes = bundle.multi_routes()?;
    out.write_str("a,b,paths,switches,a_nis,b_nis,requested\n")?;
    for a in 0..bundle.pes() {
        for near in routes.neighbours(a).iter().filter(|near| near.pe > a) {
            write!(out, "{a},{},{}", near.pe, near.paths.len())?;
            for number in [|p: &Path| p.switch, |p: &Path| p.ni, |p: &Path| p.other_ni] {
                list(&near.paths, number, out)?;
            }
            writeln!(out, ",{}", requested(bundle, a, near.pe))?;
        }
    }
    Ok(())
}

fn list(paths: &[Path], number: fn(&Path) -> u32, out: &mut dyn fmt::Write) -> fmt::Result {
    for (i, path) in paths.iter().enumerate() {
        write!(out, "{}{}", if i == 0 { ',' } else { ' ' }, number(path))?;
    }
    Ok(())
}

fn requested(bundle: &Bundle, a: u32, b: u32) -> &'static str {
    if bundle.demand.index_of(a, b).is_some() { "yes" } else { "no" }
}

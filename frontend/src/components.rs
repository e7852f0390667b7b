//! Widgets that know no page: what they show and what they do comes from outside.

mod axis;
mod chart;
mod curves;
mod dialog;
mod fault_links;
mod field;
mod icon;
mod ink;
mod map_canvas;
mod picture;
mod scatter;
mod sheet;
mod start_stop;
mod swatch;
mod tried;

pub use chart::Chart;
pub use curves::{CurveLine, CurvePlot};
pub use dialog::Dialog;
pub use fault_links::FaultLinks;
pub use field::{Choice, Field, field_id};
pub use icon::Icon;
pub use map_canvas::MapCanvas;
pub use picture::PictureCanvas;
pub use scatter::{Mark, Scatter};
pub use sheet::Sheet;
pub use start_stop::StartStop;
pub use swatch::Swatch;
pub use tried::TriedChart;

/// `true` or `false`, as attributes take it.
pub fn pressed(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

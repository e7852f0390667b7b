//! Widgets that know no page and no signals of the studio.

mod axis;
mod chart;
mod controls;
mod curves;
mod field;
mod ink;
mod map_canvas;
mod picture;
mod scatter;
mod sheet;
mod tried;

pub use chart::Chart;
pub use controls::{Dialog, FaultLinks, Icon, StartStop, Swatch, pressed};
pub use curves::{CurveLine, CurvePlot};
pub use field::{Choice, Field, FieldView, FormField, field_id};
pub use map_canvas::MapCanvas;
pub use picture::PictureCanvas;
pub use scatter::{Mark, Scatter};
pub use sheet::Sheet;
pub use tried::TriedChart;

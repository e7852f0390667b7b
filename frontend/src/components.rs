//! Widgets that know no page and no signals of the studio.

mod controls;
mod field;
mod map_canvas;
mod picture;
mod plots;
mod sheet;

pub use controls::{Dialog, Icon, StartStop, Swatch, pressed};
pub use field::{Choice, FaultLinks, Field, FieldView, FormField, field_id};
pub use map_canvas::MapCanvas;
pub use picture::PictureCanvas;
pub use plots::{Chart, CurveLine, CurvePlot, Mark, Scatter, TriedChart};
pub use sheet::Sheet;

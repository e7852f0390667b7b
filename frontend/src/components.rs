//! Widgets that know no page and no signals of the studio.

mod cables;
mod canvas;
mod controls;
mod field;
mod plots;
mod pointer;

pub use cables::{CablesCanvas, Drawing};
pub use canvas::{MapCanvas, PictureCanvas};
pub use controls::{Dialog, FilePicker, Icon, Sheet, StartStop, Swatch, Term, pressed};
pub use field::{Choice, FaultLinks, Field, FieldView, FormField, field_id};
pub use plots::{Chart, CurveLine, Mark, Plot, TriedChart};

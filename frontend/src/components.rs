//! Widgets that know no page and no signals of the studio.

mod cables;
mod canvas;
mod columns;
mod controls;
mod field;
mod part;
mod plots;
mod pointer;
mod ranks;
mod standing;
mod turn;

pub use cables::{CablesCanvas, Drawing};
pub use canvas::{MapCanvas, PictureCanvas};
pub use columns::{Bar, Bars, ColumnChoice, ColumnHead, Legend, LegendLine};
pub use controls::{
    Dialog, FilePicker, FilesPicker, Fold, Icon, Sheet, Soon, StartStop, Swatch, Term, cited, line_colour,
    pressed,
};
pub use field::{Choice, FaultLinks, Field, FieldView, FormField, ItemForm, Mends, field_id};
pub(crate) use part::parts;
pub use part::{Part, PartCall};
pub use plots::{Chart, CurveLine, Mark, Plot, ShareCurve, TriedChart};
pub use pointer::part_at;
pub use ranks::RanksCanvas;
pub use standing::{Progress, Standing};
pub use turn::{InTurn, ready};

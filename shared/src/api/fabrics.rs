//! Kinds of networks, and their export formats.

use super::ExportView;
use crate::{
    exports::fabrics,
    fabric::{KindEntry, kinds::parse},
};
use serde::{Deserialize, Serialize};

/// A kind of network: `GET /api/fabrics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FabricKindView {
    /// Word before the colon of its text form.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Text form, such as `mesh:SIDES[,HOSTS PER SWITCH]`.
    pub form: String,
    /// Parameters, in the order of the text form.
    pub parameters: Vec<ParameterView>,
    /// An example that is accepted.
    pub example: String,
    /// One line.
    pub explanation: String,
    /// Paper and section, or who defines it.
    pub source: String,
    /// Export formats of the network.
    pub formats: Vec<ExportView>,
}

/// A parameter of a kind of network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ParameterView {
    /// Name, as in the text form, such as `HOSTS PER SWITCH`.
    pub name: String,
    /// `true` if it is optional.
    pub optional: bool,
}

impl From<&KindEntry> for FabricKindView {
    fn from(kind: &KindEntry) -> FabricKindView {
        let formats = parse(kind.example).ok().map(|kind| fabrics(&*kind));
        FabricKindView {
            name: kind.name.into(),
            title: kind.title.into(),
            form: kind.form.into(),
            parameters: parameters(kind.form),
            example: kind.example.into(),
            explanation: kind.explanation.into(),
            source: kind.source.into(),
            formats: formats.map(ExportView::all).unwrap_or_default(),
        }
    }
}

/// The parameters of a text form: those in brackets may be left out.
fn parameters(form: &str) -> Vec<ParameterView> {
    let (_, all) = form.split_once(':').unwrap_or_default();
    let mut optional = false;
    let each = all.split(',').filter(|part| !part.is_empty()).map(|part| {
        let name = part.trim_end_matches(['[', ']']).into();
        let parameter = ParameterView { name, optional };
        optional |= part.ends_with('[');
        parameter
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::kinds::KINDS;

    #[test]
    fn parameters_are_those_of_the_text_form() {
        let told = |name: &str| {
            let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
            let told = FabricKindView::from(kind).parameters;
            told.into_iter().map(|p| (p.name, p.optional)).collect::<Vec<_>>()
        };
        let own = |list: &[(&str, bool)]| {
            list.iter().map(|(name, optional)| ((*name).to_owned(), *optional)).collect::<Vec<_>>()
        };
        assert_eq!(told("direct"), own(&[]));
        assert_eq!(told("mesh"), own(&[("SIDES", false), ("HOSTS PER SWITCH", true)]));
        let tree = [("HOSTS", false), ("LEAF", false), ("UPLINKS", true), ("ROOTS", true)];
        assert_eq!(told("tree"), own(&tree));
    }

    #[test]
    fn few_accepted_words_are_choices() {
        let mesh = KINDS.iter().find(|kind| kind.name == "mesh").unwrap();
        let formats = FabricKindView::from(mesh).formats;
        let script = formats.iter().find(|format| format.name == "script").unwrap();
        let choices = |name: &str| &script.settings.iter().find(|own| own.name == name).unwrap().choices;
        assert_eq!(*choices("method"), ["dor", "partial-dor"]);
        assert!(choices("network").is_empty());
    }
}

//! One pattern: its kind, the fields that belong to the kind, and whether it admits the number of PEs.

use super::MatrixFiles;
use crate::{
    form::{Described, Field, FormReader, Record, known},
    spec::{
        Objective, Parameters, Pattern, PatternForm, PatternKind,
        patterns::{self, Entry, Inputs},
    },
    text::{did_you_mean, listed},
};

/// Values that the rules of a pattern depend on.
pub(super) struct Rules {
    pub(super) pes: Option<u32>,
    pub(super) nis: Option<u32>,
    pub(super) objective: Option<Objective>,
}

impl Rules {
    pub(super) fn resolve(
        &self,
        form: &PatternForm,
        fields: &mut FormReader,
        files: &mut dyn MatrixFiles,
    ) -> Option<Pattern> {
        let own = Pattern::read(fields, "");
        let links: Option<u32> = known(form, "links");
        if let (Some(links), Some(nis)) = (links, self.nis)
            && links > nis
        {
            let expected = format!("at most {nis}, the NICs of a node: each shared switch takes one");
            fields.fault::<()>("links", expected);
        }
        let extra = known(form, "extra").and_then(|extra| self.extra(links, extra, fields));
        let entry = listed_kind(fields)?;
        refuse_strangers(entry, fields);
        let kind = self.kind(entry, fields, files)?;
        if let Some(Err(refusal)) = self.pes.map(|pes| patterns::admit(&kind, pes)) {
            let refusal = refusal.at(fields.path("").trim_end_matches('.'));
            fields.reader().faults.push(refusal);
            return None;
        }
        extra?;
        Some(Pattern { kind, ..own? })
    }

    /// Checks extra links: with the required ones, they are at most the NIs of a PE.
    fn extra(&self, links: Option<u32>, extra: u32, fields: &mut FormReader) -> Option<()> {
        if extra > 0 && matches!(self.objective, Some(Objective::Fractional | Objective::Time)) {
            let expected = "no value: the fractional objective uses `links` and `weight`";
            return fields.fault("extra", expected);
        }
        if let (Some(links), Some(nis)) = (links, self.nis)
            && links <= nis
            && links + extra > nis
        {
            let expected = match nis - links {
                0 => format!("no value: the `links` use all {nis} NICs of a node"),
                rest => {
                    format!("at most {rest}: `links` ({links}) and `extra` share the {nis} NICs of a node")
                }
            };
            return fields.fault("extra", expected);
        }
        Some(())
    }

    fn kind(
        &self,
        entry: &'static Entry,
        fields: &mut FormReader,
        files: &mut dyn MatrixFiles,
    ) -> Option<PatternKind> {
        let mut inputs = Inputs { pes: self.pes, file: &mut |path| files.read(path) };
        let parameters = match entry.fields() {
            Some(own) => (own.read)(fields, &mut inputs)?,
            None => Parameters::None,
        };
        Some(PatternKind { name: entry.name, parameters })
    }
}

fn listed_kind(fields: &mut FormReader) -> Option<&'static Entry> {
    let written = fields.typed("kind");
    patterns::entry(written).or_else(|| {
        let names = || patterns::LIST.iter().map(|entry| entry.name);
        fields.fault("kind", format!("one of {}{}", listed(names()), did_you_mean(written, names())))
    })
}

fn refuse_strangers(entry: &Entry, fields: &mut FormReader) {
    let is_own = |key: &str| entry.fields().is_some_and(|own| own.keys().any(|known| known == key));
    let is_common = |key: &str| key == "kind" || patterns::COMMON.iter().any(|field| field.key == key);
    for Field { key, .. } in PatternForm::SCHEMA.fields {
        if fields.is_given(key) && !is_common(key) && !is_own(key) {
            fields.fault::<()>(key, format!("no value: `{}` takes no `{key}`", entry.name));
        }
    }
}

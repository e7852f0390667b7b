//! One pattern: its kind, the fields that belong to the kind, and whether it admits the number of PEs.

use super::MatrixFiles;
use crate::{
    form::{Described, Fault, Field, FormReader, Record, known, says, unknown},
    spec::{
        Objective, Parameters, Pattern, PatternForm, PatternKind,
        patterns::{self, Entry, Inputs},
    },
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
            let (path, found) = (fields.path("links"), fields.typed("links"));
            let sentence =
                format!("must be at most {nis}, the NICs of a node: each shared switch takes one.");
            let fault = Fault::new(&path, found, says(sentence)).mended(&path, nis);
            fields.reader().faults.push(fault);
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
            let objective = self.objective.map_or("this", Objective::name);
            return fields.unwanted("extra", format!("the {objective} objective uses `links` and `weight`"));
        }
        if let (Some(links), Some(nis)) = (links, self.nis)
            && links <= nis
            && links + extra > nis
        {
            return match nis - links {
                0 => fields.unwanted("extra", format!("`links` already uses all {nis} NICs of a node")),
                rest => {
                    let share = format!("`links` ({links}) and `extra` share the {nis} NICs of a node");
                    fields.fault("extra", says(format!("must be at most {rest}: {share}.")))
                }
            };
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
        fields.fault("kind", unknown(written, names()))
    })
}

fn refuse_strangers(entry: &Entry, fields: &mut FormReader) {
    let is_own = |key: &str| entry.fields().is_some_and(|own| own.keys().any(|known| known == key));
    let is_common = |key: &str| key == "kind" || patterns::COMMON.iter().any(|field| field.key == key);
    for Field { key, .. } in PatternForm::SCHEMA.fields {
        if fields.is_given(key) && !is_common(key) && !is_own(key) {
            fields.unwanted::<()>(key, format!("`{}` has no `{key}`", entry.name));
        }
    }
}

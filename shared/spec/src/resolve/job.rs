//! A training job: its degrees against the ranks of the nodes, its model, and its collectives.

use super::MatrixFiles;
use crate::{
    demand::job::{self, usual},
    form::{Described, Fault, Form, FormReader, Reader, Record, known, plain_digits, says},
    spec::{
        CollectiveForm, JobForm, Spec, SpecForm,
        assumptions::EstimateSettings,
        job::{Collective, Dimension, Job, MAX_JOBS, MAX_RANKS, Model, Operation},
    },
    text::{count, grouped, listed, number, rounded, shorten},
};
use std::{ops::Range, sync::Arc};

/// Difference from a whole number of nodes that a share may have.
const WHOLE: f64 = 1e-6;

/// The jobs, in order. `None` after a fault.
pub(super) fn jobs(
    form: &SpecForm,
    pes: Option<u32>,
    files: &mut dyn MatrixFiles,
    reader: &mut Reader,
) -> Option<Vec<Job>> {
    if form.job.is_empty() {
        let stray = [
            ("model", "[model]", !form.model.is_empty()),
            ("assumptions", "[assumptions]", form.assumptions.is_some()),
            ("collective", "[[collective]]", !form.collective.is_empty()),
        ];
        let stray: Vec<_> = stray.into_iter().filter(|(.., given)| *given).collect();
        for (table, found, _) in &stray {
            let sentence = format!("`{found}` needs a `[job]`; add a job, or remove `{found}`.");
            reader.fault::<()>(*table, found, says(sentence));
        }
        return stray.is_empty().then(Vec::new);
    }
    if form.job.len() > MAX_JOBS {
        return reader.fault("job", form.job.len(), format!("at most {MAX_JOBS} jobs"));
    }
    let spans = spans(form, pes, reader);
    let models = owners(form, "model", reader);
    let collectives = owners(form, "collective", reader);
    let mut all = Vec::new();
    for at in 0..form.job.len() {
        let span = spans.as_ref().map(|spans| spans[at].clone());
        let of = |owners: &Option<Vec<usize>>| -> Option<Vec<usize>> {
            let owners = owners.as_ref()?.iter().enumerate();
            Some(owners.filter(|(_, owner)| **owner == at).map(|(entry, _)| entry).collect())
        };
        let written = WrittenJob { form, at, models: of(&models), collectives: of(&collectives) };
        all.push(job(&written, span, files, reader));
    }
    let all: Vec<Job> = all.into_iter().collect::<Option<_>>()?;
    let library = all[0].library;
    if let Some(at) = all.iter().position(|job| job.library != library) {
        let expected = format!("{}, as job 0 has: all jobs use the same library", library.name());
        return reader.fault(form_path("job", at, "library"), all[at].library.name(), expected);
    }
    Some(all)
}

/// Path of a field of a table's entry.
fn form_path(table: &str, at: usize, key: &str) -> String {
    format!("{}.{key}", SpecForm::SCHEMA.entry(table, at))
}

/// A job as written.
struct WrittenJob<'a> {
    form: &'a SpecForm,
    /// Number of the job.
    at: usize,
    /// Numbers of its tables; `None` after a fault.
    models: Option<Vec<usize>>,
    collectives: Option<Vec<usize>>,
}

/// The job of each entry of a table with a key `job`, at most one model for each.
fn owners(form: &SpecForm, table: &str, reader: &mut Reader) -> Option<Vec<usize>> {
    let rows = form.rows(table)?;
    let mut owners: Vec<Option<usize>> = Vec::new();
    for at in 0..rows.count() {
        let row = rows.row(Some(at))?;
        let mut fields = reader.form(row, form_path(table, at, ""));
        let owner = fields.within("job", 0, form.job.len() as u64 - 1).whole("job");
        if let Some(job) = owner.filter(|_| table == "model" && owners.contains(&owner)) {
            let sentence = format!("job {job} has a model already; give each job one model.");
            fields.fault_of::<()>("job", job, says(sentence));
        }
        owners.push(owner);
    }
    owners.into_iter().collect()
}

/// The nodes of each job: as many as its share, after those of the jobs before it.
fn spans(form: &SpecForm, pes: Option<u32>, reader: &mut Reader) -> Option<Vec<Range<u32>>> {
    let jobs = form.job.len();
    let mut counts: Vec<Option<Option<u32>>> = Vec::new();
    for (at, written) in form.job.iter().enumerate() {
        let mut fields = reader.form(written, form_path("job", at, ""));
        let is_listed = fields.is_given("ranks") || fields.is_given("rank_file");
        if jobs > 1 && is_listed {
            let key = if fields.is_given("ranks") { "ranks" } else { "rank_file" };
            fields.unwanted::<()>(key, "with several jobs, ranks fill their nodes in order");
        }
        let share = fields.given("share", FormReader::number);
        if jobs == 1 && is_listed && share != Some(None) {
            fields.unwanted::<()>("share", "the nodes of the ranks are listed");
        }
        let count = match (share, pes) {
            (Some(None), _) => Some(None),
            (Some(Some(share)), Some(pes)) => nodes_of(share, pes, &mut fields).map(Some),
            _ => None,
        };
        if count == Some(None) && counts.contains(&Some(None)) {
            fields.fault::<()>("share", says("missing; only one job can leave out its share of the nodes."));
        }
        counts.push(count);
    }
    let pes = pes?;
    let counts: Vec<Option<u32>> = counts.into_iter().collect::<Option<_>>()?;
    let given: u64 = counts.iter().flatten().map(|&count| u64::from(count)).sum();
    if given > u64::from(pes) {
        let last = counts.iter().rposition(Option::is_some).unwrap_or(0);
        let sentence = format!(
            "the shares of all jobs add up to {} nodes, and there are {}; make some smaller.",
            grouped(given),
            grouped(pes.into())
        );
        return reader.fault(form_path("job", last, "share"), "", says(sentence));
    }
    let rest = pes - given as u32;
    if let Some(at) = counts.iter().position(Option::is_none).filter(|_| rest == 0) {
        let sentence = says("the other jobs leave no node for this one; make their shares smaller.");
        return reader.fault(form_path("job", at, "share"), "", sentence);
    }
    let mut next = 0;
    let span = |count: Option<u32>| {
        let first = next;
        next += count.unwrap_or(rest);
        first..next
    };
    Some(counts.into_iter().map(span).collect())
}

/// The nodes of a share, a whole number.
fn nodes_of(share: f64, pes: u32, fields: &mut FormReader) -> Option<u32> {
    let nodes = share * f64::from(pes);
    if (nodes - nodes.round()).abs() <= WHOLE && nodes.round() >= 1.0 {
        return Some(nodes.round() as u32);
    }
    let near = [nodes.floor(), nodes.ceil()].into_iter().filter(|&near| near >= 1.0);
    let near: Vec<String> = near
        .map(|near| {
            let nodes = if near == 1.0 { "node" } else { "nodes" };
            format!("{} ({} {nodes})", number(near / f64::from(pes)), grouped(near as u64))
        })
        .collect();
    let found = format!("{} x {} nodes = {} nodes", number(share), grouped(pes.into()), rounded(nodes, 3));
    fields.fault_of("share", found, format!("a whole number of nodes, such as {}", or(&near)))
}

/// A job on nodes that follow each other, or on those that it lists.
fn job(
    written: &WrittenJob,
    span: Option<Range<u32>>,
    files: &mut dyn MatrixFiles,
    reader: &mut Reader,
) -> Option<Job> {
    let faults = reader.faults.len();
    let (form, prefix) = (&written.form.job[written.at], form_path("job", written.at, ""));
    let own: Option<Job> = reader.sound(form, &prefix);
    let mut fields = reader.form(form, &*prefix);
    let pes = span.as_ref().map(|span| span.len() as u32);
    let listed = match written.form.job.len() {
        1 => nodes(&mut fields, pes, known(form, "ranks_per_node"), files),
        _ => Some(None),
    };
    let dp: Option<Option<u32>> = known(form, "dp");
    let order = own.as_ref().and_then(|job| order(job, dp.flatten(), &mut fields));
    let model = written.models.as_ref().and_then(|models| match models.first() {
        None => Some(None),
        Some(&at) => model(written.form, at, reader),
    });
    let (own, listed, pes, span) = (own?, listed?, pes?, span?);
    // The product of the degrees needs all of them.
    let is_known = |key: &&str| known::<u32>(form, key).is_some();
    let (dp, ranks_per_pe) = (dp?, own.ranks_per_pe);
    ["tp", "cp", "ep", "pp", "ranks_per_node"].iter().all(is_known).then_some(())?;
    let ranks = match &listed {
        Some(nodes) => nodes.len() as u32,
        None => pes.checked_mul(ranks_per_pe).filter(|&ranks| ranks <= MAX_RANKS).or_else(|| {
            let found = grouped(u64::from(pes) * u64::from(ranks_per_pe));
            let expected = format!("at most {} ranks on all nodes", grouped(MAX_RANKS.into()));
            reader.fault(format!("{prefix}ranks_per_node"), found, expected)
        })?,
    };
    let dp = data_degree(&own, dp, ranks, pes, &mut reader.form(form, &*prefix))?;
    let after = |first: u32| (0..ranks).map(|rank| first + rank / ranks_per_pe).collect();
    let nodes = listed.or_else(|| (span.start > 0).then(|| after(span.start)));
    let mut job = Job { dp, order: order?, nodes, model: model?, ..own };
    expert_degree(&job, &mut reader.form(form, &*prefix));
    stages(&job, &mut reader.form(form, &*prefix));
    batch(&job, written, reader);
    let sound = reader.faults.len() == faults;
    job.collectives = collectives(written, &job, reader).filter(|_| sound)?;
    bytes(&job, written, reader)?;
    Some(job)
}

/// Writes jobs with their models and collectives, and the assumptions.
pub(super) fn write(spec: &Spec, form: &mut SpecForm) {
    let jobs = || (0..).zip(&spec.jobs);
    form.job = spec.jobs.iter().map(|job| write_job(job, spec)).collect();
    form.model = jobs().filter_map(|(at, job)| Some(of_job(at, job.model.as_ref()?))).collect();
    form.collective =
        jobs().flat_map(|(at, job)| job.collectives.iter().map(move |of| of_job(at, of))).collect();
    form.assumptions = (spec.assumptions != EstimateSettings::default()).then(|| spec.assumptions.form());
}

fn write_job(job: &Job, spec: &Spec) -> JobForm {
    let mut form = JobForm::short_of(job);
    let is_only = spec.jobs.len() == 1;
    if !is_only || job.nodes.is_none() && job.node_count() != spec.pes {
        form.put("share", f64::from(job.node_count()) / f64::from(spec.pes));
    }
    if let Some(nodes) = job.nodes.as_ref().filter(|_| is_only) {
        form.ranks =
            (0..).zip(nodes.iter()).map(|(rank, node): (u32, _)| format!("{rank} {node}\n")).collect();
    }
    form
}

/// The entry of a table with a key `job`.
fn of_job<F: Described>(job: u32, record: &impl Record) -> F {
    let mut form = F::short_of(record);
    form.put("job", job);
    form
}

impl WrittenJob<'_> {
    /// Number of the model's table.
    fn model(&self) -> Option<usize> {
        self.models.as_ref()?.first().copied()
    }
}

/// The degrees whose product is the number of ranks, or divides it if `dp` is not given.
fn degrees(job: &Job, dp: Option<u32>) -> Vec<(&'static str, u64)> {
    let all = [("tp", Some(job.tp)), ("cp", Some(job.cp)), ("dp", dp), ("pp", Some(job.pp))];
    all.into_iter().filter_map(|(key, degree)| Some((key, u64::from(degree?)))).collect()
}

/// The data-parallel degree. A product that does not fit is a fault of a degree that can be changed alone.
fn data_degree(job: &Job, dp: Option<u32>, ranks: u32, pes: u32, fields: &mut FormReader) -> Option<u32> {
    let (ranks, ranks_per_pe, named) = (u64::from(ranks), job.ranks_per_pe, degrees(job, dp));
    let product = named.iter().fold(1u64, |product, (_, degree)| product.saturating_mul(*degree));
    match dp {
        Some(dp) if product == ranks => return Some(dp),
        None if ranks.is_multiple_of(product) => return Some((ranks / product) as u32),
        _ => {}
    }
    // A degree is off if the others leave it a whole number of ranks.
    let fitting = |&(key, degree): &(&'static str, u64)| {
        let others = product / degree;
        let rest = ranks.is_multiple_of(others).then(|| ranks / others)?;
        match dp {
            Some(_) => Some((key, vec![rest])),
            // Any divisor of the rest will do; data parallelism takes what is left.
            None => Some((key, nearest_divisors(rest, degree))),
        }
    };
    let fits: Vec<(&str, Vec<u64>)> = named.iter().filter_map(fitting).collect();
    let in_order = u64::from(pes) * u64::from(ranks_per_pe) == ranks;
    let machine = match in_order {
        true => {
            format!("{} nodes x {ranks_per_pe} ranks = {} ranks", grouped(pes.into()), grouped(ranks))
        }
        false => format!("the {} ranks that `ranks` lists", grouped(ranks)),
    };
    let mut near = Vec::new();
    let relation = if dp.is_some() { "be" } else { "divide" };
    let expected = match fits.is_empty() {
        false => {
            let ways: Vec<String> =
                fits.iter().map(|(key, numbers)| format!("{key} = {}", either(numbers))).collect();
            format!("{machine} need {}", or(&ways))
        }
        true if !in_order => format!("their product must {relation} {machine}"),
        true => {
            near = nearest_multiples(product, ranks, ranks_per_pe.into());
            let fit = near.iter().map(|&nodes| grouped(nodes)).collect::<Vec<_>>().join(" or ");
            format!("their product must {relation} the number of ranks, {machine}; these fit {fit} nodes")
        }
    };
    let written = named.iter().map(|(_, degree)| degree.to_string()).collect::<Vec<_>>().join(" x ");
    let names = named.iter().map(|(key, _)| *key).collect::<Vec<_>>().join(" x ");
    let is_free = fits.is_empty() || fits.iter().any(|(key, _)| *key == "dp");
    let key = if is_free { "dp" } else { fits[0].0 };
    let found = format!("{names} = {written} = {}", grouped(product));
    let sentence = says(format!("{found}, but {expected}."));
    let fault = Fault::new(fields.path(key), found, sentence);
    let degrees = fits.iter().flat_map(|(key, numbers)| numbers.iter().map(move |number| (*key, number)));
    let fault = degrees.fold(fault, |fault, (key, number)| fault.mended(fields.path(key), number));
    let fault = near.iter().fold(fault, |fault, nodes| fault.mended("nodes", nodes));
    fields.reader().faults.push(fault);
    None
}

/// The divisors of `number` that are nearest to `wanted`, below and above.
fn nearest_divisors(number: u64, wanted: u64) -> Vec<u64> {
    let divides = |divisor: &u64| number.is_multiple_of(*divisor);
    let below = (1..=wanted.min(number)).rev().find(divides);
    let above = (wanted..=number).find(divides);
    let mut found: Vec<u64> = below.into_iter().chain(above).collect();
    found.dedup();
    found
}

/// Numbers of nodes near the present one that the product of the degrees fits.
fn nearest_multiples(product: u64, ranks: u64, ranks_per_pe: u64) -> Vec<u64> {
    let step = product / gcd(product, ranks_per_pe);
    let below = ranks / ranks_per_pe / step * step;
    [below, below + step].into_iter().filter(|&nodes| nodes > 0).collect()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Numbers such as "2 or 4".
fn either(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" or ")
}

fn or(choices: &[String]) -> String {
    match choices {
        [first, .., last] if choices.len() > 2 => {
            format!("{first}, {} or {last}", choices[1..choices.len() - 1].join(", "))
        }
        choices => choices.join(" or "),
    }
}

/// The dimensions in the order of ranks; those of degree 1 may be left out.
fn order(job: &Job, dp: Option<u32>, fields: &mut FormReader) -> Option<Vec<Dimension>> {
    let is_used = |dimension: &Dimension| match dimension {
        Dimension::Tp => job.tp > 1,
        Dimension::Cp => job.cp > 1,
        Dimension::Ep => job.ep > 1,
        Dimension::Pp => job.pp > 1,
        Dimension::Dp | Dimension::Edp => dp != Some(1),
    };
    let mut order = job.order.clone();
    let missing = Dimension::ORDER.into_iter().filter(|dimension| !order.contains(dimension));
    let missing: Vec<Dimension> = missing.collect();
    if let Some(missing) = missing.iter().find(|dimension| is_used(dimension)) {
        return fields
            .fault("order", says(format!("lacks {}, whose degree is above 1; add it.", missing.name())));
    }
    order.extend(missing);
    Some(order)
}

/// Expert parallelism divides context and data parallelism, and leaves the pipeline's stages as they are.
fn expert_degree(job: &Job, fields: &mut FormReader) {
    if !(job.cp * job.dp).is_multiple_of(job.ep) {
        let expected = format!(
            "a divisor of cp x dp = {}, such as {}",
            job.cp * job.dp,
            either(&nearest_divisors((job.cp * job.dp).into(), job.ep.into()))
        );
        return fields.fault("ep", expected).unwrap_or_default();
    }
    let stride = |absent: Dimension| -> u32 {
        let before = job.order.iter().take_while(|dimension| **dimension != Dimension::Pp);
        let sizes = before.filter(|dimension| **dimension != absent).map(|dimension| match dimension {
            Dimension::Dp if absent == Dimension::Cp => job.degree(Dimension::Edp),
            Dimension::Dp => job.dp,
            dimension => job.degree(*dimension),
        });
        sizes.product()
    };
    if job.ep > 1 && job.pp > 1 && stride(Dimension::Ep) != stride(Dimension::Cp) {
        fields.fault::<()>("order", says("put cp, ep and dp on the same side of pp."));
    }
}

/// Every stage has a layer, and every rank of a group of experts as many experts.
fn stages(job: &Job, fields: &mut FormReader) {
    let Some(model) = &job.model else { return };
    if job.pp > model.layers {
        fields.fault::<()>("pp", format!("at most {}, the number of layers", model.layers));
    } else if job.pp > 1 && job.pp.saturating_mul(job.virtual_stages) > model.layers {
        let most = model.layers / job.pp;
        let (layers, stages) = (model.layers, most * job.pp);
        let sentence = format!("must be at most {most}: {layers} layers make {stages} stages.");
        fields.fault::<()>("virtual_stages", says(sentence));
    }
    if model.experts > 0 && !model.experts.is_multiple_of(job.ep) {
        let near = either(&nearest_divisors(model.experts.into(), job.ep.into()));
        fields.fault::<()>("ep", format!("a divisor of the {} experts, such as {near}", model.experts));
    }
}

/// Micro-batches must add up to the batch.
fn batch(job: &Job, written: &WrittenJob, reader: &mut Reader) {
    let (Some(model), Some(at)) = (&job.model, written.model()) else { return };
    let together = u64::from(model.micro_batch) * u64::from(job.dp);
    if u64::from(model.global_batch).is_multiple_of(together) {
        return;
    }
    let below = u64::from(model.global_batch) / together * together;
    let near: Vec<String> =
        [below, below + together].into_iter().filter(|&n| n > 0).map(|n| n.to_string()).collect();
    let expected = format!(
        "a multiple of micro_batch x dp = {} x {} = {together}, such as {}",
        model.micro_batch,
        job.dp,
        or(&near)
    );
    reader.form(&written.form.model[at], form_path("model", at, "")).fault::<()>("global_batch", expected);
}

fn model(form: &SpecForm, at: usize, reader: &mut Reader) -> Option<Option<Model>> {
    let mut fields = reader.form(&form.model[at], form_path("model", at, ""));
    let model = Model::read(&mut fields, "")?;
    let faults = fields.reader().faults.len();
    if model.experts > 0 && model.top_k > model.experts {
        fields.fault::<()>("top_k", format!("at most {}, the number of experts", model.experts));
    }
    if model.active_parameters > model.parameters {
        fields.fault::<()>("active_parameters", "at most the number of parameters");
    }
    if model.experts > model.top_k && !fields.is_given("active_parameters") {
        fields
            .fault::<()>("active_parameters", says("missing: the number of parameters that one token uses."));
    }
    if model.experts > model.top_k && model.dense_parameters() < 0.0 {
        let least = model.parameters * f64::from(model.top_k) / f64::from(model.experts);
        let expected = format!("at least parameters x top_k / experts = {least:e}");
        fields.fault::<()>("active_parameters", expected);
    }
    if model.kv_hidden > model.hidden {
        fields.fault::<()>("kv_hidden", format!("at most {}, the hidden size", model.hidden));
    }
    if model.expert_layers > model.layers {
        fields.fault::<()>("expert_layers", format!("at most {}, the number of layers", model.layers));
    }
    (fields.reader().faults.len() == faults).then_some(Some(model))
}

fn collectives(written: &WrittenJob, job: &Job, reader: &mut Reader) -> Option<Vec<Collective>> {
    let mut found: Vec<Option<Collective>> = Vec::new();
    for &index in written.collectives.as_ref()? {
        let (form, path) = (&written.form.collective[index], form_path("collective", index, ""));
        let collective = collective(job, form, &path, reader);
        if let Some(new) = collective
            && found.iter().flatten().any(|earlier| earlier.along == new.along)
        {
            let sentence =
                format!("another [[collective]] is already along {}; remove one.", new.along.name());
            reader.form(form, path).fault::<()>("along", says(sentence));
        }
        found.push(collective);
    }
    found.into_iter().collect()
}

fn collective(job: &Job, form: &CollectiveForm, path: &str, reader: &mut Reader) -> Option<Collective> {
    // Empty fields have the usual values of the dimension, or any that have no fault.
    let usual = usual(job, known(form, "along").unwrap_or(Dimension::Dp));
    let mut form = form.clone();
    if form.operation.trim().is_empty() {
        usual.operation.write(&mut form, "operation");
    }
    if form.algorithm.trim().is_empty() {
        let operation: Operation = known(&form, "operation").unwrap_or(usual.operation);
        let is_usual = operation.accepts(usual.algorithm);
        let algorithm = if is_usual { usual.algorithm } else { operation.algorithms()[0] };
        algorithm.write(&mut form, "algorithm");
    }
    let mut fields = reader.form(&form, path);
    let collective = Collective::read(&mut fields, "")?;
    let Collective { along, operation, algorithm, bytes } = collective;
    if !operation.accepts(algorithm) {
        let names = operation.algorithms().iter().map(|algorithm| algorithm.name());
        return fields.fault("algorithm", format!("one of {} for {}", listed(names), operation.name()));
    }
    if !algorithm.fits(job.degree(along) as usize) {
        let sentence = format!(
            "`{}` needs groups of a power of two; {} has groups of {}. Choose another algorithm.",
            algorithm.name(),
            along.name(),
            job.degree(along)
        );
        return fields.fault("algorithm", says(sentence));
    }
    let reduces = matches!(operation, Operation::AllReduce | Operation::GatherScatter);
    let is_data = matches!(along, Dimension::Dp | Dimension::Edp);
    let from_model = operation == usual.operation || is_data && reduces;
    if job.model.is_some() && bytes.is_none() && !from_model {
        let usual = usual.operation.name();
        let sentence = format!("missing: the model gives the bytes of {usual} along {} only.", along.name());
        return fields.fault("bytes", says(sentence));
    }
    Some(collective)
}

/// Either all dimensions have bytes or none: weights of 1 and of bytes do not mix.
fn bytes(job: &Job, written: &WrittenJob, reader: &mut Reader) -> Option<()> {
    let mut shares = job::shares(job);
    // Inside a node nothing is weighed.
    shares.retain(|share| job::groups(job, share.collective).has_pairs());
    if job.ep > 1 && job.model.as_ref().is_some_and(|model| model.experts == 0) {
        let path = form_path("model", written.model().unwrap_or(0), "experts");
        return reader.fault(path, "", format!("the number of experts, since ep = {}", job.ep));
    }
    let without = shares.iter().find(|share| share.collective.bytes.is_none());
    match without {
        Some(share) if shares.iter().any(|share| share.collective.bytes.is_some()) => {
            let name = share.collective.along.name();
            let sentence = format!(
                "some collectives have bytes, and {name} has none; give bytes for {name}, a [model], or no bytes at all."
            );
            reader.fault("collective", "", says(sentence))
        }
        _ => Some(()),
    }
}

/// The node of each rank; `Some(None)` if ranks fill the nodes in order.
fn nodes(
    fields: &mut FormReader,
    pes: Option<u32>,
    ranks_per_pe: Option<u32>,
    files: &mut dyn MatrixFiles,
) -> Option<Option<Arc<[u32]>>> {
    let (key, text) = match (fields.typed("ranks"), fields.typed("rank_file")) {
        ("", "") => return Some(None),
        (ranks, "") => ("ranks", ranks.to_owned()),
        ("", file) => match files.read(file) {
            Ok(text) => ("rank_file", text),
            Err(sentence) => {
                return fields.fault("rank_file", says(sentence.replace("`pairs`", "`ranks`")));
            }
        },
        _ => return fields.besides("rank_file", "ranks"),
    };
    let (pes, ranks_per_pe) = (pes?, ranks_per_pe?);
    match read_nodes(&text, pes, ranks_per_pe) {
        Ok(nodes) => Some(Some(nodes.into())),
        Err(sentence) => fields.fault_of(key, "", says(sentence)),
    }
}

/// The node of each rank. Errors: a sentence about the first wrong line.
fn read_nodes(text: &str, pes: u32, ranks_per_pe: u32) -> Result<Vec<u32>, String> {
    let mut entries: Vec<(u32, u32)> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let words: Vec<&str> = content.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).collect();
        let entry = match words[..] {
            [rank, node] => plain_digits(rank).zip(plain_digits(node)),
            _ => None,
        };
        let entry = entry.filter(|&(rank, node): &(u32, u32)| rank < MAX_RANKS && node < pes);
        let Some(entry) = entry else {
            let content = shorten(content, 40, 40);
            return Err(format!(
                "line {line}: must be `rank node`, with nodes from 0 to {}, not {content}.",
                pes - 1
            ));
        };
        entries.push(entry);
    }
    entries.sort_unstable();
    if let Some((expected, &(rank, _))) = (0..).zip(&entries).find(|(expected, (rank, _))| expected != rank) {
        let what = match rank < expected {
            true => format!("lists rank {rank} twice"),
            false => format!("lacks rank {expected}"),
        };
        return Err(format!("{what}; list every rank from 0 on once."));
    }
    let mut used = vec![0; pes as usize];
    for &(rank, node) in &entries {
        used[node as usize] += 1;
        if used[node as usize] > ranks_per_pe {
            let most = count(ranks_per_pe as u64, "rank");
            return Err(format!("rank {rank} does not fit on node {node}, which has room for {most}."));
        }
    }
    Ok(entries.into_iter().map(|(_, node)| node).collect())
}

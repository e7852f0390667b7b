//! Several jobs on one machine: shares of the nodes, their tables, and the time of each.

use shared::{
    demand::Demand,
    design::{Design, table},
    estimate::timing::Timing,
    form::toml,
    resolve::{self, NoFiles, form_of},
    spec::{Spec, SpecForm},
};

/// Four nodes with two NICs each.
const MACHINE: &str = "nodes = 4\nnics_per_node = 2\nobjective = \"time\"\n[[switch]]\nports = 4\n";
/// Two jobs of four ranks on two nodes each, the second with twice the bytes.
const TWO: &str = "[[job]]\nshare = 0.5\nranks_per_pe = 2\nlibrary = \"any\"\n[[job]]\nranks_per_pe = 2\nlibrary = \"any\"\n\
                   [[collective]]\nalong = \"dp\"\nbytes = 8e9\n[[collective]]\njob = 1\nalong = \"dp\"\nbytes = 16e9\n";

fn read(text: &str) -> Result<Spec, Vec<String>> {
    resolve::read(text, &mut NoFiles).map_err(|faults| faults.0.iter().map(ToString::to_string).collect())
}

fn valid(text: &str) -> Spec {
    read(text).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn wiring(text: &str, nodes: u32) -> Design {
    table::parse(text, nodes).expect(text)
}

/// Seconds of each job's step on a wiring.
fn each(spec: &Spec, design: &Design) -> Vec<f64> {
    let timing = Timing::of(spec).expect("bytes");
    let lanes = timing.lanes_on(design).expect("connected");
    timing.each(lanes).iter().map(|job| job.step).collect()
}

#[test]
fn jobs_have_nodes_one_after_another() {
    let spec = valid(&format!("{MACHINE}{TWO}"));
    let spans: Vec<_> = spec.jobs.iter().map(|job| job.span()).collect();
    assert_eq!(spans, [0..2, 2..4]);
    let bytes: Vec<_> = spec.jobs.iter().map(|job| job.collectives[0].bytes).collect();
    assert_eq!(bytes, [Some(8e9), Some(16e9)]);
    // Each job's ring is within its nodes.
    assert_eq!(Demand::build(&spec).unwrap().pairs().collect::<Vec<_>>(), [(0, 1), (2, 3)]);
    assert_eq!((spec.own_patterns().len(), spec.patterns.len()), (0, 2));
    // A single job on a part of the nodes; the others are idle.
    let half = valid(&format!(
        "{MACHINE}[job]\nshare = 0.5\nranks_per_pe = 2\n[[collective]]\nalong = \"dp\"\nbytes = 1\n"
    ));
    assert_eq!((half.jobs[0].span(), half.jobs[0].ranks()), (0..2, 4));
}

#[test]
fn normal_form_has_a_table_per_job() {
    for text in [
        format!("{MACHINE}{TWO}"),
        format!(
            "{MACHINE}[[job]]\nranks_per_pe = 1\n[[model]]\nparameters = 1e9\nlayers = 2\nhidden = 64\nsequence = 64\nglobal_batch = 8\n"
        ),
        format!(
            "{MACHINE}[job]\nshare = 0.75\nranks_per_pe = 2\n[[collective]]\nalong = \"dp\"\nbytes = 1\n"
        ),
    ] {
        let spec = valid(&text);
        let written = toml::write(&form_of(&spec));
        assert_eq!(valid(&written), spec, "{written}");
        // `[[job]]` with one entry is written as `[job]`.
        assert_eq!(written.contains("[[job]]"), spec.jobs.len() > 1, "{written}");
        assert_eq!(written.contains("share"), text.contains("share"), "{written}");
    }
}

#[test]
fn an_edit_keeps_comments_and_order_of_jobs() {
    let text = format!(
        "{MACHINE}# the large one\n[[job]]\nlibrary = \"any\" # as usual\nshare = 0.5\n\n# the small one\n[[job]]\nlibrary = \"any\"\ntp = 8\n"
    );
    let mut form: SpecForm = toml::parse(&text, "", |_| Vec::new()).unwrap();
    form.job[1].tp = "4".into();
    assert_eq!(toml::rewrite(&text, &form), text.replace("tp = 8", "tp = 4"));
    form.job.pop();
    let one = toml::rewrite(&text, &form);
    assert_eq!(one, text.split("\n# the small").next().unwrap());
    // One table becomes several.
    let single = format!("{MACHINE}[job] # mine\ntp = 8\n");
    let mut form: SpecForm = toml::parse(&single, "", |_| Vec::new()).unwrap();
    let first = form.job[0].clone();
    form.job.push(first);
    assert_eq!(
        toml::rewrite(&single, &form),
        format!("{MACHINE}[[job]] # mine\ntp = 8\n\n[[job]]\ntp = 8\n")
    );
}

#[test]
fn faults_name_the_table_of_the_job() {
    let model = "parameters = 1e9\nlayers = 2\nhidden = 64\nsequence = 64\nglobal_batch = 8\n";
    let cases: Vec<(String, &str)> = vec![
        (
            "[[job]]\nshare = 0.3\n[[job]]".into(),
            "job.share: must be a whole number of nodes, such as 0.25 (1 node) or 0.5 (2 nodes), not 0.3 x 4 nodes = 1.2 nodes.",
        ),
        (
            "[[job]]\nshare = 0.75\n[[job]]\nshare = 0.5".into(),
            "job[1].share: the shares of all jobs add up to 5 nodes, and there are 4; make some smaller.",
        ),
        (
            "[[job]]\nshare = 1\n[[job]]".into(),
            "job[1].share: the other jobs leave no node for this one; make their shares smaller.",
        ),
        (
            "[[job]]\n[[job]]".into(),
            "job[1].share: missing; only one job can leave out its share of the nodes.",
        ),
        ("[[job]]\nshare = 0.5\n[[job]]\ntp = 3".into(), "job[1].tp: tp x cp x pp = 3 x 1 x 1 = 3, but "),
        (
            "[[job]]\nshare = 0.5\n[[job]]\ntp = \"x\"".into(),
            "job[1].tp: must be a whole number from 1 to 1,048,576, not `x`.",
        ),
        (
            "[[job]]\nshare = 0.5\n[[job]]\nlibrary = \"mpi\"".into(),
            "job[1].library: must be nccl, as job 0 has, not `mpi`: all jobs use the same library.",
        ),
        (
            "[[job]]\nshare = 0.5\n[[job]]\nranks = \"0 0\"".into(),
            "job[1].ranks: with several jobs, ranks fill their nodes in order; remove it.",
        ),
        (
            "[job]\nshare = 0.5\nranks = \"0 0\"".into(),
            "job.share: the nodes of the ranks are listed; remove it.",
        ),
        (format!("[job]\n[model]\njob = 1\n{model}"), "model.job: must be 0, the only one, not 1."),
        (
            format!("[[job]]\nshare = 0.5\n[[job]]\n[[model]]\n{model}[[model]]\n{model}"),
            "model[1].job: job 0 has a model already; give each job one model.",
        ),
        (
            format!(
                "[[job]]\nshare = 0.5\n[[job]]\n[[model]]\n{model}[[model]]\njob = 1\n{}",
                model.replace("64", "0")
            ),
            "model[1].hidden: must be a whole number from 1 to 1,073,741,824, not 0.",
        ),
        (
            "[[job]]\nshare = 0.5\n[[job]]\n[[collective]]\njob = 2\nalong = \"dp\"".into(),
            "collective[0].job: must be a whole number from 0 to 1, not 2.",
        ),
        ("[[job]]\n".repeat(9), "job: must be at most 8 jobs, not 9."),
        (
            "[[job]]\nshare = 0.5\n[[job]]\nwidth = 3".into(),
            "job[1].width: Unknown key `width`. The keys are ",
        ),
    ];
    for (tables, expected) in cases {
        let faults = read(&format!("{MACHINE}{tables}\n")).expect_err(&tables);
        assert!(faults.iter().any(|fault| fault.starts_with(expected)), "{tables}: {faults:?}");
    }
}

#[test]
fn every_job_needs_bytes_for_a_search_for_time() {
    let faults = read(&format!("{MACHINE}{}", TWO.replace("bytes = 16e9\n", ""))).expect_err("no bytes");
    assert!(
        faults[0].starts_with("objective: needs the bytes of `dp` of job 1; give a [[model]] or "),
        "{faults:?}"
    );
}

/// Two nodes exchange 8 GB in a ring of four ranks, two on each node: 2 x 3/4 of the bytes, over both NICs.
#[test]
fn equal_jobs_take_as_long_as_one_on_half_the_machine() {
    let half = valid(&format!(
        "{}[job]\nranks_per_pe = 2\nlibrary = \"any\"\n[[collective]]\nalong = \"dp\"\nbytes = 8e9\n",
        MACHINE.replace("nodes = 4", "nodes = 2")
    ));
    let alone = each(&half, &wiring("0: 0 1\n1: 0 1\n", 2))[0];
    let two = valid(&format!("{MACHINE}{TWO}"));
    let design = wiring("0: 0 1\n1: 0 1\n2: 2 3\n3: 2 3\n", 4);
    let found = each(&two, &design);
    assert_eq!(found[0], alone);
    let timing = Timing::of(&two).unwrap();
    let transfer = 1.5 * 8e9 / 2.0 / timing.rate;
    assert!((found[0] - transfer - 2.0 * timing.latency).abs() < 1e-9, "{found:?} {transfer}");
    assert!((found[1] - found[0] - transfer).abs() < 1e-9, "{found:?} {transfer}");
    // The mean over nodes, which no wiring beats.
    let mean = timing.on(&design).unwrap();
    assert!((mean.step - (found[0] + found[1]) / 2.0).abs() < 1e-12);
    assert!((timing.bound(&two).step - mean.step).abs() < 1e-9);
    // A job counts by its nodes: three of four.
    let three = valid(&format!("{MACHINE}{}", TWO.replace("share = 0.5", "share = 0.75")));
    assert_eq!(Timing::of(&three).unwrap().mean([4.0, 8.0]), 5.0);
}

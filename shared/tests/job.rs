//! Training jobs: groups of ranks, bytes and pairs, against definitions, published layouts and sums by hand.

use proptest::prelude::*;
use shared::{
    demand::{
        Demand,
        collective::exchange,
        job::{Practice, copies_per_node, groups, shares},
    },
    estimate::{
        Attention, EstimateForm, EstimateSettings,
        timing::{self, Timing},
    },
    form::toml,
    resolve::{self, NoFiles, form_of},
    simulation::GroupRule,
    spec::{
        Spec,
        job::{Algorithm, Collective, DEFAULT_LIBRARY, Dimension, Job, Library, Operation},
    },
};
use std::collections::BTreeMap;

fn spec(pes: u32, tables: &str) -> String {
    format!("pes = {pes}\nnis_per_pe = 8\n[[switch]]\nports = 64\n{tables}")
}

fn valid(pes: u32, tables: &str) -> Spec {
    resolve::read(&spec(pes, tables), &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"))
}

fn faults(pes: u32, tables: &str) -> String {
    resolve::read(&spec(pes, tables), &mut NoFiles).expect_err("a fault").to_string()
}

fn job(pes: u32, tables: &str) -> Job {
    valid(pes, tables).jobs.remove(0)
}

fn collective(job: &Job, along: Dimension) -> Collective {
    shares(job).into_iter().map(|share| share.collective).find(|found| found.along == along).expect("a share")
}

/// The groups along a dimension, ascending.
fn ranks(job: &Job, along: Dimension) -> Vec<Vec<u32>> {
    let groups = groups(job, collective(job, along));
    let mut all: Vec<Vec<u32>> = (0..job.ranks()).map(|rank| groups.group_of(rank)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The bytes of each pair of members, both directions together.
fn exchanged(
    operation: Operation,
    algorithm: Algorithm,
    members: &[u32],
    bytes: f64,
) -> BTreeMap<(u32, u32), f64> {
    let mut pairs = BTreeMap::new();
    exchange(operation, algorithm, members, bytes, 1.0, |a, b, bytes| {
        *pairs.entry((a.min(b), a.max(b))).or_insert(0.0) += bytes;
    });
    pairs
}

/// The example in the documentation of Megatron's `initialize_model_parallel`.
#[test]
fn sixteen_ranks_are_grouped_as_by_megatron() {
    let job = job(2, "[job]\ntp = 2\npp = 4\n");
    assert_eq!(job.dp, 2);
    let pairs: Vec<Vec<u32>> = (0..8).map(|pair| vec![2 * pair, 2 * pair + 1]).collect();
    assert_eq!(ranks(&job, Dimension::Tp), pairs);
    let stages: Vec<Vec<u32>> = (0..4).map(|first| (0..4).map(|stage| first + 4 * stage).collect()).collect();
    assert_eq!(ranks(&job, Dimension::Pp), stages);
    let replicas = [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9, 11], [12, 14], [13, 15]];
    assert_eq!(ranks(&job, Dimension::Dp), replicas);
}

/// "The Llama 3 herd of models", figure 5: the order is tensor, context, pipeline, data.
#[test]
fn sixteen_ranks_are_grouped_as_in_llama_3() {
    let job = job(2, "[job]\ntp = 2\ncp = 2\npp = 2\ndp = 2\norder = 'tp-cp-pp-dp'\n");
    assert_eq!(ranks(&job, Dimension::Tp)[0], [0, 1]);
    assert_eq!(ranks(&job, Dimension::Cp)[0], [0, 2]);
    assert_eq!(ranks(&job, Dimension::Pp)[0], [0, 4]);
    // Gradients are reduced over context and data parallelism.
    assert_eq!(ranks(&job, Dimension::Dp)[0], [0, 2, 8, 10]);
}

/// DeepSeek-V3: 64-way expert parallelism spans 8 nodes.
#[test]
fn experts_lie_inside_context_and_data_parallelism() {
    let deepseek = resolve::read(include_str!("../../assets/specs/deepseek-v3.toml"), &mut NoFiles).unwrap();
    let job = deepseek.jobs[0].clone();
    assert_eq!(ranks(&job, Dimension::Ep)[1], (64..128).collect::<Vec<u32>>());
    assert_eq!(ranks(&job, Dimension::Edp)[0], [0, 64]);
    assert_eq!(ranks(&job, Dimension::Pp)[0], (0..16).map(|stage| 128 * stage).collect::<Vec<u32>>());

    // Megatron folds context into data parallelism before it splits off the experts.
    let folded = self::job(2, "[job]\ntp = 2\ncp = 2\nep = 4\n");
    assert_eq!((folded.dp, folded.degree(Dimension::Edp)), (4, 2));
    assert_eq!(ranks(&folded, Dimension::Ep)[0], [0, 2, 4, 6]);
    assert_eq!(ranks(&folded, Dimension::Edp)[0], [0, 8]);
}

#[test]
fn volumes_are_those_computed_by_hand() {
    let llama = resolve::read(include_str!("../../assets/specs/llama405b.toml"), &mut NoFiles).unwrap();
    let job = llama.jobs[0].clone();
    let bytes = |along| collective(&job, along).bytes.unwrap();
    let layers = 126.0 / 16.0;
    // 2,048 sequences over 128 replicas are 16 micro-batches.
    assert_eq!(bytes(Dimension::Tp), 4.0 * 16.0 * layers * 8192.0 * 16384.0 * 2.0);
    assert_eq!(bytes(Dimension::Pp), 16.0 * (8192.0 / 8.0) * 16384.0 * 2.0);
    // 4 bytes of a gradient are scattered, 2 of a parameter gathered.
    assert_eq!(bytes(Dimension::Dp), 405e9 / 8.0 / 16.0 * (4.0 + 2.0));
    assert_eq!(job.model.as_ref().unwrap().expert_parameters(), 0.0);

    let tables = "[job]\nranks_per_pe = 4\nep = 8\ndp = 64\n[model]\nparameters = 46.7e9\nactive_parameters = 12.9e9\nlayers = 32\nhidden = 4096
        sequence = 4096\nglobal_batch = 128\nexperts = 8\ntop_k = 2\n";
    let mixtral = self::job(16, tables);
    let model = mixtral.model.as_ref().unwrap();
    // 32 layers of 8 experts of 3 matrices of 4,096 x 14,336 are 45.1e9 parameters.
    assert!((model.expert_parameters() / (32.0 * 8.0 * 3.0 * 4096.0 * 14336.0) - 1.0).abs() < 0.001);
    let tokens = 4.0 * 2.0 * 32.0 * 4096.0 * 2.0 * 4096.0 * 2.0;
    assert_eq!(collective(&mixtral, Dimension::Ep).bytes, Some(tokens));
    // On two nodes a token has 2 experts: both on its own node with chance 3/7, so that it needs 11/7 nodes.
    assert!((copies_per_node(&mixtral, model) - 11.0 / 7.0).abs() < 1e-12);
}

/// Narayanan et al. 2021, section 2.2: p ranks of v stages each have v p - 1 boundaries between stages.
#[test]
fn interleaved_stages_have_a_boundary_less_than_stages() {
    for (nodes, stages) in [(4, 2), (4, 3), (2, 2)] {
        let tables = format!(
            "[job]\nranks_per_pe = 1\npp = {nodes}\nvirtual_stages = {stages}\n[[collective]]\nalong = \"pp\"\nbytes = {}\n",
            100 * stages
        );
        let job = job(nodes, &tables);
        let groups = groups(&job, collective(&job, Dimension::Pp));
        let (_, sum) = groups.on_network().unwrap();
        // 100 bytes per boundary and direction.
        assert_eq!(sum, 200.0 * f64::from(nodes * stages - 1), "{nodes} nodes, {stages} stages");
        if nodes > 2 {
            let closing =
                groups.pairs().into_iter().find(|pair| (pair.0, pair.1) == (0, nodes - 1)).unwrap().2;
            assert_eq!(closing, 200.0 * f64::from(stages - 1));
        }
    }
}

#[test]
fn models_fit_the_degrees() {
    let model = |more: &str| {
        format!(
            "[model]\nparameters = 1e9\nactive_parameters = 5e8\nhidden = 1024\nsequence = 64\nmicro_batch = 1\n\
             global_batch = 64\n{more}"
        )
    };
    let of = |job: &str, more: &str| faults(16, &format!("[job]\n{job}{}", model(more)));
    let text = of("ep = 16\n", "layers = 8\nexperts = 8\ntop_k = 2\n");
    assert!(text.contains("job.ep: must be a divisor of the 8 experts, such as 8, not 16."), "{text}");
    let text = of("pp = 16\n", "layers = 8\n");
    assert!(text.contains("job.pp: must be at most 8, the number of layers, not 16."), "{text}");
    let text = of("pp = 4\nvirtual_stages = 3\n", "layers = 10\n");
    assert!(text.contains("job.virtual_stages: must be at most 2: 10 layers make 8 stages."), "{text}");
    let text = of("pp = 4\n", "layers = 8\nkv_hidden = 2048\n");
    assert!(text.contains("model.kv_hidden: must be at most 1024, the hidden size, not 2048."), "{text}");
}

#[test]
fn pairs_weigh_their_bytes() {
    // 16 ranks on 4 nodes of 4: pairs of replicas, 8 apart, are 2 nodes apart.
    let tables = "[job]\nranks_per_pe = 4\ntp = 4\npp = 2\n[[collective]]\nalong = 'dp'\nbytes = 100\n[[collective]]\nalong = 'pp'\nbytes = 10\n";
    let spec = valid(4, tables);
    let demand = Demand::build(&spec).unwrap();
    assert_eq!(demand.pairs().collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 3), (2, 3)]);
    // Two members of a ring have its two links, each with 2 (n-1)/n S = S bytes; four ranks of a node do the same.
    assert_eq!(demand.weight(0), 4.0 * 2.0 * 100.0);
    assert_eq!(demand.weight(1), 4.0 * 2.0 * 10.0);
    assert_eq!(spec.patterns.len(), 2, "tensor parallelism stays inside the nodes");
    assert!(spec.own_patterns().is_empty());
}

#[test]
fn every_preset_is_what_its_source_says() {
    let ranks = |text: &str| {
        let spec = resolve::read(text, &mut NoFiles).unwrap();
        let job = spec.jobs[0].clone();
        (spec.pes, [job.tp, job.cp, job.ep, job.dp, job.pp])
    };
    assert_eq!(ranks(include_str!("../../assets/specs/llama405b.toml")), (2048, [8, 1, 1, 128, 16]));
    assert_eq!(ranks(include_str!("../../assets/specs/llama405b-long.toml")), (2048, [8, 16, 1, 8, 16]));
    assert_eq!(ranks(include_str!("../../assets/specs/deepseek-v3.toml")), (256, [1, 1, 64, 128, 16]));
    assert_eq!(ranks(include_str!("../../assets/specs/gpt3-175b.toml")), (192, [8, 1, 1, 16, 12]));
}

#[test]
fn both_trees_span_all_nodes() {
    for count in 2..70u32 {
        let members: Vec<u32> = (0..count).collect();
        let pairs = exchanged(Operation::AllReduce, Algorithm::Tree, &members, 1.0);
        let sum: f64 = pairs.values().sum();
        assert_eq!(sum, 2.0 * f64::from(count - 1), "{count} nodes");
        // A double binary tree has at most three links per node and tree.
        for node in 0..count {
            let links = pairs
                .iter()
                .filter(|((a, b), _)| *a == node || *b == node)
                .map(|(_, bytes)| bytes)
                .sum::<f64>();
            assert!((1.0..=6.0).contains(&links), "node {node} of {count}: {links}");
        }
        let mut reached = vec![false; count as usize];
        reached[0] = true;
        for _ in 0..count {
            for (a, b) in pairs.keys() {
                let both = reached[*a as usize] || reached[*b as usize];
                (reached[*a as usize], reached[*b as usize]) = (both, both);
            }
        }
        assert!(reached.into_iter().all(|reached| reached), "{count} nodes");
    }
}

/// Bandwidth-optimal algorithms put the same bytes on the network.
#[test]
fn an_all_reduce_moves_the_same_bytes_by_every_algorithm() {
    let members: Vec<u32> = (0..16).collect();
    for algorithm in [Algorithm::Ring, Algorithm::RecursiveDoubling, Algorithm::AllPairs, Algorithm::Rail] {
        let sum: f64 = exchanged(Operation::AllReduce, algorithm, &members, 160.0).values().sum();
        assert!((sum - 16.0 * 2.0 * 15.0 / 16.0 * 160.0).abs() < 1e-9, "{algorithm:?}: {sum}");
    }
}

#[test]
fn a_group_counts_only_its_nodes() {
    // Members 0, 1 on node 5 and 2, 3 on node 9: half of each member's data leaves the node.
    let nodes = [5, 5, 9, 9];
    let pairs = exchanged(Operation::AllToAll, Algorithm::AllPairs, &nodes, 4.0);
    assert_eq!(pairs, BTreeMap::from([((5, 9), 2.0 * 2.0 * 2.0 * 4.0 / 4.0)]));
    let ring = exchanged(Operation::AllReduce, Algorithm::Ring, &nodes, 4.0);
    assert_eq!(ring, BTreeMap::from([((5, 9), 2.0 * 2.0 * 3.0 / 4.0 * 4.0)]));
    assert!(exchanged(Operation::AllReduce, Algorithm::Ring, &[7, 7], 4.0).is_empty());
}

#[test]
fn ranks_are_placed_by_a_list() {
    let list: String = (0..16).map(|rank| format!("{rank} {}\n", rank % 2)).collect();
    let tables = format!("[job]\ntp = 2\npp = 4\nranks = '''\n{list}'''\n");
    let spec = valid(2, &tables);
    let again = resolve::resolve(&form_of(&spec), &mut NoFiles).unwrap();
    assert_eq!(again, spec);
    // Neighbours are now on different nodes; stages, 4 apart, are not.
    assert_eq!(spec.patterns.len(), 1);
    let twice = faults(2, "[job]\nranks = '''\n0 0\n0 1\n'''\n");
    assert!(twice.contains("job.ranks: lists rank 0 twice; list every rank from 0 on once."), "{twice}");
    let full: String = (0..17).map(|rank| format!("{rank} 0\n")).collect();
    let full = faults(2, &format!("[job]\nranks = '''\n{full}'''\n"));
    assert!(full.contains("rank 8 does not fit on node 0, which has room for 8 ranks."), "{full}");
    let odd = faults(2, "[job]\nranks = '''\n0 0\n1 two\n'''\n");
    assert!(
        odd.contains("job.ranks: line 2: must be `rank node`, with nodes from 0 to 1, not 1 two."),
        "{odd}"
    );
}

#[test]
fn a_wrong_degree_is_named_with_those_that_fit() {
    let cases = [
        (
            "tp = 8\npp = 16\ndp = 100",
            "job.dp: tp x cp x dp x pp = 8 x 1 x 100 x 16 = 12,800, but 2,048 nodes x 8 ranks = 16,384 ranks need dp = 128.",
        ),
        (
            "tp = 7\npp = 16",
            "job.tp: tp x cp x pp = 7 x 1 x 16 = 112, but 2,048 nodes x 8 ranks = 16,384 ranks need tp = 4 or 8.",
        ),
        ("tp = 7\npp = 16\ndp = 100", "16,384 ranks; these fit 1,400 or 2,800 nodes."),
        ("tp = 8\npp = 16\nep = 48", "job.ep: must be a divisor of cp x dp = 128, such as 32 or 64, not 48."),
        (
            "tp = 8\norder = 'tp-dp-dp'",
            "job.order: must be each of tp, cp, ep, dp and pp at most once, such as tp-cp-ep-dp-pp, not `tp-dp-dp`.",
        ),
        ("tp = 8\npp = 4\norder = 'tp-dp'", "job.order: lacks pp, whose degree is above 1; add it."),
        ("tp = 8\ncp = 2\nep = 2\npp = 2\norder = 'tp-cp-pp-ep-dp'", "job.order"),
        ("tp = 0", "job.tp: must be a whole number from 1 to 1,048,576, not 0."),
        ("ranks_per_pe = 65", "job.ranks_per_node: must be a whole number from 1 to 64, not 65."),
    ];
    for (written, expected) in cases {
        let found = faults(2048, &format!("[job]\n{written}\n"));
        assert!(found.contains(expected), "{written}: {found}");
    }
}

#[test]
fn a_wrong_model_or_collective_is_named() {
    let model = "parameters = 1e9\nlayers = 16\nhidden = 1024\nsequence = 1024\n";
    let cases = [
        (
            "[model]\nparameters = 1".to_string(),
            "model: `[model]` needs a `[job]`; add a job, or remove `[model]`.",
        ),
        (
            format!("[job]\ntp = 8\n[model]\n{model}global_batch = 102\n"),
            "a multiple of micro_batch x dp = 1 x 4 = 4",
        ),
        (
            format!("[job]\nep = 2\n[model]\n{model}global_batch = 64\n"),
            "model.experts: missing; it must be the number of experts, since ep = 2.",
        ),
        (
            format!("[job]\nep = 2\n[model]\n{model}global_batch = 64\nexperts = 8\ntop_k = 2\n"),
            "model.active_parameters: missing: the number of parameters that one token uses.",
        ),
        (
            format!("[job]\nep = 2\n[model]\n{model}global_batch = 64\nexperts = 8\ntop_k = 9\n"),
            "model.top_k: must be at most 8, the number of experts, not 9.",
        ),
        ("[job]\ntp = 8\n[[collective]]\nalong = 'dp'\nalgorithm = 'neighbours'".into(), "for all-reduce"),
        ("[job]\ntp = 8\npp = 2\n[[collective]]\nalong = 'dp'\nbytes = 5".into(), "or no bytes at all"),
        (
            "[job]\npp = 2\n[[collective]]\nalong = 'pp'\n[[collective]]\nalong = 'pp'\n".into(),
            "collective[1].along: another [[collective]] is already along pp; remove one.",
        ),
    ];
    for (tables, expected) in cases {
        let found = faults(4, &tables);
        assert!(found.contains(expected), "{tables}: {found}");
    }
    let inside = faults(1, "[job]\ntp = 8\n");
    assert!(
        inside.contains("job: every group is inside one node; add a group that spans nodes, or a pattern."),
        "{inside}"
    );
}

const MODEL: &str = "[job]\ntp = 8\n[model]\nparameters = 1e9\nlayers = 16\nhidden = 1024\nsequence = 1024\nglobal_batch = 64\n";

#[test]
fn assumptions_are_part_of_a_spec() {
    let plain = valid(4, MODEL);
    assert_eq!(plain.assumptions, EstimateSettings::default());
    assert_eq!(form_of(&plain).assumptions, None);
    let table = "[assumptions]\nteraflops = 0.3\nfailures = 0\nrate = 'net'\nattention = 'causal'\nrecomputation = 'on'\n\
        expert_overlap = 0.7\ndispatch_bytes = 1\nscatter = 'step'\nhost_cable = 12.5\n";
    let spec = valid(4, &format!("{MODEL}{table}"));
    let all = EstimateSettings {
        teraflops: 0.3,
        is_net: true,
        attention: Attention::Causal,
        recomputes: true,
        expert_overlap: 0.7,
        practice: Practice { dispatch_bytes: Some(1.0), scatters_once: true },
        host_cable: Some(12.5),
        failures: 0,
    };
    assert_eq!(spec.assumptions, all);
    let written = toml::write(&form_of(&spec));
    assert_eq!(resolve::read(&written, &mut NoFiles).expect("a spec"), spec, "{written}");
    // Values that are not given are defaults, and defaults are not written.
    let usual = valid(4, &format!("{MODEL}[assumptions]\nteraflops = 400\nrate = 'gross'\n"));
    assert_eq!((&usual, form_of(&usual).assumptions), (&plain, None));
}

#[test]
fn a_wrong_assumption_is_named() {
    let cases = [
        (
            "[assumptions]\nrate = 'net'\n",
            "assumptions: `[assumptions]` needs a `[job]`; add a job, or remove `[assumptions]`.",
        ),
        ("teraflops = 0", "assumptions.teraflops: must be a number from 0.001 to 1,000,000, not 0."),
        ("rate = 'nett'", "assumptions.rate: Unknown `nett`. Did you mean `net`?"),
        ("expert_overlap = 2", "assumptions.expert_overlap: must be a number from 0 to 1, not 2."),
        ("recomputation = true", "assumptions.recomputation: must be one of `on`, `off`, not `true`."),
        ("mfu = 0.4", "assumptions.mfu: Unknown key `mfu`. The keys are `teraflops`, `failures`, "),
    ];
    for (written, expected) in cases {
        let found = match written.starts_with('[') {
            true => faults(4, written),
            false => faults(4, &format!("{MODEL}[assumptions]\n{written}\n")),
        };
        assert!(found.contains(expected), "{written}: {found}");
    }
}

#[test]
fn the_time_of_a_step_counts_with_the_assumptions_of_the_spec() {
    let step = |table: &str| timing::bound(&valid(4, &format!("{MODEL}{table}"))).expect("a bound").step;
    let base = |table: &str| Timing::of(&valid(4, &format!("{MODEL}{table}"))).expect("a time").base();
    let slow = "[assumptions]\nteraflops = 100\n";
    assert!((base(slow) / base("") - 4.0).abs() < 1e-12);
    assert!(step(slow) > step(""), "slower GPUs, a later step");
    // A field of an estimate has the spec's value unless it has its own.
    let spec = valid(4, &format!("{MODEL}{slow}rate = 'net'\n"));
    let form = EstimateForm { rate: "gross".into(), failures: " ".into(), ..EstimateForm::default() };
    let expected = EstimateSettings { teraflops: 100.0, ..EstimateSettings::default() };
    assert_eq!(form.read(&spec.assumptions), Ok(expected));
}

#[test]
fn axes_of_a_lattice_have_weights_of_their_own() {
    let spec = valid(8, "[[pattern]]\nkind = 'torus'\ndims = '4x2'\naxis_weights = '3, 0.5'\nweight = 2\n");
    let demand = Demand::build(&spec).unwrap();
    let weight = |a, b| demand.weight(demand.index_of(a, b).expect("a pair"));
    // The first dimension runs fastest.
    assert_eq!((weight(0, 1), weight(0, 3), weight(0, 4)), (6.0, 6.0, 1.0));
    let found = faults(8, "[[pattern]]\nkind = 'torus'\ndims = '4x2'\naxis_weights = '3'\n");
    assert!(
        found.contains(
            "axis_weights: must be 2 weights from 1e-9 to 1e9, one per dimension, such as 1, 1, not 3."
        ),
        "{found}"
    );
}

#[test]
fn a_pattern_of_groups_has_the_pairs_of_its_rows() {
    let pairs = |written: &str| {
        let spec = valid(8, &format!("[[pattern]]\nkind = 'groups'\ndims = '4x2'\n{written}"));
        Demand::build(&spec).unwrap().pairs().collect::<Vec<_>>()
    };
    assert_eq!(pairs("along = '1'"), [(0, 1), (0, 3), (1, 2), (2, 3), (4, 5), (4, 7), (5, 6), (6, 7)]);
    assert_eq!(pairs("along = '2'"), [(0, 4), (1, 5), (2, 6), (3, 7)]);
    assert_eq!(pairs("along = '1, 2'\nwithin = 'all-pairs'").len(), 28);
    assert_eq!(pairs("along = '1'\nwithin = 'neighbours'").len(), 6);
    let found =
        faults(6, "[[pattern]]\nkind = 'groups'\ndims = '3x2'\nalong = '1'\nwithin = 'recursive-doubling'\n");
    assert!(
        found.contains("within: `recursive-doubling` needs groups of a power of two; these have 3 members. "),
        "{found}"
    );
    let found = faults(8, "[[pattern]]\nkind = 'groups'\ndims = '3x2'\nalong = '1'\n");
    assert!(found.contains("3x2 = 6"), "{found}");
}

/// A small job, and the ranks per node.
fn any_job() -> impl Strategy<Value = (u32, String)> {
    let degree = || prop::sample::select(vec![1u32, 2, 3, 4]);
    let algorithm = prop::sample::select(vec!["ring", "tree", "all-pairs", "rail"]);
    (degree(), degree(), degree(), degree(), prop::sample::select(vec![1u32, 2, 4]), algorithm).prop_filter_map(
        "ranks fill whole nodes",
        |(tp, cp, dp, pp, per_node, algorithm)| {
            let ranks = tp * cp * dp * pp;
            let tables = format!(
                "[job]\nranks_per_pe = {per_node}\ntp = {tp}\ncp = {cp}\ndp = {dp}\npp = {pp}\norder = 'cp-tp-pp-dp'\n
                [[collective]]\nalong = 'dp'\nalgorithm = '{algorithm}'\n"
            );
            (ranks.is_multiple_of(per_node) && ranks / per_node > 1).then(|| (ranks / per_node, tables))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Every pair of a job is one that some group's algorithm uses, found here rank by rank.
    #[test]
    fn pairs_are_those_of_the_groups((pes, tables) in any_job()) {
        let Ok(spec) = resolve::read(&spec(pes, &tables), &mut NoFiles) else { return Ok(()) };
        let job = spec.jobs[0].clone();
        let mut expected = std::collections::BTreeSet::new();
        for share in shares(&job) {
            let groups = groups(&job, share.collective);
            for rank in 0..job.ranks() {
                let members: Vec<u32> = groups.group_of(rank).iter().map(|rank| job.node_of(*rank)).collect();
                prop_assert_eq!(members.len() as u32, share.members);
                prop_assert!(share.collective.algorithm.fits(members.len()));
                expected.extend(exchanged(share.collective.operation, share.collective.algorithm, &members, 1.0).into_keys());
            }
        }
        let demand = Demand::build(&spec).unwrap();
        prop_assert_eq!(demand.pairs().collect::<std::collections::BTreeSet<_>>(), expected);
        let again = resolve::resolve(&form_of(&spec), &mut NoFiles);
        prop_assert_eq!(again.unwrap(), spec);
    }
}

/// The groups of nodes that a simulation runs.
#[test]
fn groups_of_nodes_count_each_node_once() {
    let of = |pes: u32, tables: &str, text: &str| {
        let job = job(pes, &format!("[job]\nranks_per_pe = 2\n{tables}"));
        GroupRule::parse(text).unwrap().groups(pes, std::slice::from_ref(&job))
    };
    let dense = "tp = 2\ndp = 4\npp = 2";
    assert_eq!(of(8, dense, "dp").unwrap(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(of(8, dense, "pp").unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert!(of(8, dense, "tp").unwrap_err().contains("inside a node"));
    assert!(of(8, dense, "cp").unwrap_err().contains("cp has one"));
    // Two ranks of a group on each node, and groups that begin in the middle of a node.
    assert_eq!(of(8, "dp = 8\npp = 2", "dp").unwrap(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(of(6, "dp = 3\npp = 4", "dp").unwrap(), [[0, 1], [1, 2], [3, 4], [4, 5]]);
}

#[test]
fn a_job_names_its_library() {
    assert_eq!(job(4, "[job]\n").library, DEFAULT_LIBRARY);
    for library in Library::ALL {
        let spec = valid(4, &format!("[job]\nlibrary = '{}'\n", library.name()));
        let form = form_of(&spec).job[0].clone();
        let written = if library == DEFAULT_LIBRARY { "" } else { library.name() };
        assert_eq!((spec.jobs[0].library, &*form.library), (library, written));
    }
    let text = faults(4, "[job]\nlibrary = 'gloo'\n");
    assert!(text.contains("job.library: must be one of `nccl`, `mpi`, `any`, not `gloo`."), "{text}");
}

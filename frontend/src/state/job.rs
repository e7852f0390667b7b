//! A training job on screen: its degrees while they are typed, its bytes in words, and the picture of its ranks.

use super::words::{capital, count, fixed, grouped, weight};
use shared::{
    demand::job::{Share, Term, groups, shares},
    form::{Described, Form, plain_digits},
    spec::{
        JobForm, ModelForm, Spec, SpecForm,
        job::{Dimension, Groups, Job},
    },
};

/// A small job to begin with: 64 nodes with 8 GPUs and 8 NICs each.
pub const EXAMPLE: &str = "name = \"Training job\"\nnodes = 64\nnics_per_node = 8\nobjective = \"sparse\"\n\n\
    [[switch]]\nports = 32\n\n\
    [job]\nranks_per_node = 8\ntp = 8\npp = 4\n\n\
    [model]\nparameters = 13e9\nlayers = 40\nhidden = 5120\nsequence = 4096\nglobal_batch = 128\n";

/// A model to begin with, with a layout of its job.
#[derive(Debug)]
pub struct Preset {
    /// Name of the model.
    pub name: &'static str,
    /// Parameters, layers and hidden size, by which it is recognised.
    shape: [f64; 3],
    /// A spec with the job and its model. The first line says what it is.
    pub text: &'static str,
}

/// All of them, small models first.
pub const PRESETS: [Preset; 5] = [
    Preset {
        name: "Mixtral 8x7B",
        shape: [46.7e9, 32.0, 4096.0],
        text: include_str!("../../../assets/specs/mixtral64.toml"),
    },
    Preset {
        name: "Llama 3 70B",
        shape: [70e9, 80.0, 8192.0],
        text: include_str!("../../../assets/presets/llama70b.toml"),
    },
    Preset {
        name: "GPT-3 175B",
        shape: [174.6e9, 96.0, 12288.0],
        text: include_str!("../../../assets/specs/gpt3-175b.toml"),
    },
    Preset {
        name: "Llama 3 405B",
        shape: [405e9, 126.0, 16384.0],
        text: include_str!("../../../assets/specs/llama405b.toml"),
    },
    Preset {
        name: "DeepSeek-V3",
        shape: [671e9, 61.0, 7168.0],
        text: include_str!("../../../assets/specs/deepseek-v3.toml"),
    },
];

impl Preset {
    /// What it is, in a sentence.
    pub fn about(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}

/// Name of a model, if it is one of [`PRESETS`].
pub fn model_name(model: &ModelForm) -> Option<&'static str> {
    let shape = [&model.parameters, &model.layers, &model.hidden].map(|text| text.trim().parse::<f64>().ok());
    PRESETS.iter().find(|preset| shape == preset.shape.map(Some)).map(|preset| preset.name)
}

/// Keys of the fields that only models with experts have.
pub const EXPERT_FIELDS: [&str; 4] = ["active_parameters", "expert_layers", "top_k", "max_expert_nodes"];

/// `true` if a model has experts, or a field of theirs is given.
pub fn has_experts(model: &ModelForm) -> bool {
    let is_given = |key: &&str| model.get(key).is_some_and(|text| !text.trim().is_empty());
    !["", "0"].contains(&model.experts.trim()) || EXPERT_FIELDS.iter().any(is_given)
}

/// The training job in a line: `Llama 3 405B · TP 8 · CP 1 · PP 16 · DP 128`.
pub fn summary(form: &SpecForm, spec: Option<&Spec>) -> String {
    let job = match &form.job[..] {
        [] => return "None".into(),
        [only] => only,
        several => return count(several.len() as u64, "job"),
    };
    let known = spec.and_then(|spec| spec.jobs.first());
    let typed = |key: &str| {
        let text = job.get(key).unwrap_or_default().trim();
        if text.is_empty() { JobForm::field(key).default } else { text }.to_owned()
    };
    let model = form.model.first().map(|model| {
        let parameters = model.parameters.trim().parse::<f64>();
        let size =
            || parameters.map_or_else(|_| "Model".into(), |n| format!("{} B parameters", weight(n / 1e9)));
        model_name(model).map_or_else(size, str::to_owned)
    });
    let degree = |(name, key): (&str, &str)| format!("{name} {}", typed(key));
    let mut parts: Vec<String> = model.into_iter().collect();
    parts.extend([("TP", "tp"), ("CP", "cp")].map(degree));
    parts.extend((typed("ep") != "1").then(|| degree(("EP", "ep"))));
    parts.push(degree(("PP", "pp")));
    let dp = known.map_or_else(|| typed("dp"), |job| job.dp.to_string());
    parts.push(format!("DP {}", if dp.is_empty() { "–" } else { &dp }));
    parts.join(" · ")
}

/// Height limit of the picture of ranks, in pixels.
const MAX_HEIGHT: f64 = 560.0;
/// Sizes of a rank there, in pixels.
const CELLS: [u32; 8] = [16, 12, 8, 6, 4, 3, 2, 1];
/// Members of a group that are named.
const NAMED: usize = 3;

/// The number of the job that a model or a collective names.
pub fn job_of(text: &str) -> usize {
    text.trim().parse().unwrap_or(0)
}

/// Nodes of a job as typed: its share, or what the others leave. `None` if a number is missing.
fn nodes(form: &SpecForm, number: usize) -> Option<u64> {
    let pes = plain_digits::<u64>(form.pes.trim())?;
    let of = |job: &JobForm| Some((job.share.trim().parse::<f64>().ok()? * pes as f64).round() as u64);
    match form.job.get(number)?.share.trim() {
        "" => pes.checked_sub(form.job.iter().filter_map(of).sum()),
        _ => of(&form.job[number]),
    }
}

/// The product of a job's degrees as typed: `8 × 1 × 128 × 16 = 16,384 of 16,384 ranks`. `None` if a number is missing.
pub fn product(form: &SpecForm, number: usize) -> Option<String> {
    let job = form.job.get(number)?;
    let nodes = nodes(form, number);
    let number = |key: &str| {
        let (field, text) = (JobForm::field(key), job.get(key)?.trim());
        field.read_whole(if text.is_empty() { field.default } else { text }).ok()
    };
    let ranks = match job.ranks.trim() {
        "" => nodes?.checked_mul(number("ranks_per_node")?)?,
        list => {
            list.lines().filter(|line| !line.split('#').next().unwrap_or("").trim().is_empty()).count() as u64
        }
    };
    let (tp, cp, pp) = (number("tp")?, number("cp")?, number("pp")?);
    let others = tp.checked_mul(cp)?.checked_mul(pp)?;
    let dp = match job.dp.trim() {
        "" if ranks.is_multiple_of(others) => ranks / others,
        "" => {
            let (ranks, others) = (grouped(ranks), grouped(others));
            return Some(format!("{tp} × {cp} × {pp} = {others}, which does not divide {ranks} ranks"));
        }
        _ => number("dp")?,
    };
    let product = grouped(others.checked_mul(dp)?);
    Some(format!("{tp} × {cp} × {dp} × {pp} = {product} of {} ranks", grouped(ranks)))
}

/// Path of a field of a collective with its dimension for its number, as in `collective.dp.bytes`: the form has a row per
/// dimension. `None` for other fields.
pub fn place_in_form(form: &SpecForm, path: &str) -> Option<String> {
    let (number, key) = path.strip_prefix("collective[")?.split_once("].")?;
    let along = form.collective.get(number.parse::<usize>().ok()?)?.along.trim();
    let is_known = Dimension::ALL.iter().any(|dimension| dimension.name() == along);
    (is_known && key != "along").then(|| format!("collective.{along}.{key}"))
}

/// The formula of a dimension's bytes, with every factor: a line per product.
pub fn formula(share: &Share) -> Vec<String> {
    let line = |term: &Term| {
        let factors: Vec<String> = term
            .factors
            .iter()
            .filter(|(name, factor)| (*name, *factor) != ("times", 1.0))
            .map(|(name, factor)| format!("{} {name}", weight(*factor)))
            .collect();
        format!("{}: {} = {}", capital(term.about), factors.join(" × "), fixed(term.bytes(), 0))
    };
    share.terms.iter().map(line).collect()
}

/// The communication of a dimension: its share of the bytes, and its groups.
#[derive(Clone, Debug, PartialEq)]
pub struct DimensionTraffic {
    /// Collective, group size and bytes of each rank.
    pub share: Share,
    /// The groups.
    pub groups: Groups,
}

impl DimensionTraffic {
    /// All dimensions of a job that communicate.
    pub fn all(job: &Job) -> Vec<DimensionTraffic> {
        let along = |share: Share| DimensionTraffic { groups: groups(job, share.collective), share };
        shares(job).into_iter().map(along).collect()
    }

    /// The dimension.
    pub fn dimension(&self) -> Dimension {
        self.share.collective.along
    }

    /// Number of the dimension's colour, from 1 on.
    pub fn colour(&self) -> u32 {
        let at = Dimension::ALL.iter().position(|&dimension| dimension == self.dimension());
        at.unwrap_or_default() as u32 + 1
    }

    /// Pairs of nodes, and the sum of their bytes per step; `None` if all groups are inside nodes.
    pub fn on_network(&self) -> Option<(u64, f64)> {
        self.groups.on_network()
    }
}

/// The ranks of a job on their nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// Number of ranks.
    pub count: u32,
    /// Ranks of each node.
    pub per_node: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// The place of each rank, node by node; empty if ranks fill the nodes in order.
    slots: Vec<u32>,
    /// The rank at each place; empty if ranks fill the nodes in order.
    ranks: Vec<Option<u32>>,
}

impl Ranks {
    /// The ranks of a job on so many nodes.
    pub fn of(job: &Job, nodes: u32) -> Ranks {
        let (count, per_node) = (job.ranks(), job.ranks_per_pe);
        let mut ranks = Ranks { count, per_node, nodes, slots: Vec::new(), ranks: Vec::new() };
        if let Some(places) = &job.nodes {
            let mut used = vec![0; nodes as usize];
            ranks.ranks = vec![None; nodes as usize * per_node as usize];
            for (rank, &node) in (0..).zip(places.iter()) {
                let slot = node * per_node + used[node as usize];
                used[node as usize] += 1;
                ranks.slots.push(slot);
                ranks.ranks[slot as usize] = Some(rank);
            }
        }
        ranks
    }

    /// The place of a rank: nodes in order, and in each its GPUs in order.
    pub fn slot_of(&self, rank: u32) -> u32 {
        self.slots.get(rank as usize).copied().unwrap_or(rank)
    }

    /// The rank at a place, if there is one.
    pub fn at(&self, slot: u32) -> Option<u32> {
        match self.ranks.is_empty() {
            true => (slot < self.count).then_some(slot),
            false => self.ranks.get(slot as usize).copied().flatten(),
        }
    }

    /// A rank with its groups in words.
    pub fn words(&self, rank: u32, along: &[DimensionTraffic]) -> String {
        let slot = self.slot_of(rank);
        let groups = along.iter().map(|one| {
            let label = one.dimension().label().to_lowercase();
            format!("{label}: {}", members(&one.groups.group_of(rank)))
        });
        let place = format!("node {}, GPU {}", grouped((slot / self.per_node).into()), slot % self.per_node);
        format!(
            "Rank {} ({place}). {}",
            grouped(rank.into()),
            capital(&groups.collect::<Vec<_>>().join("; "))
        )
    }
}

/// The members of a group: all if they are consecutive, else the first.
fn members(ranks: &[u32]) -> String {
    match ranks {
        [first, .., last] if (last - first) as usize + 1 == ranks.len() => format!("{first}–{last}"),
        ranks => {
            let named: Vec<String> = ranks.iter().take(NAMED).map(u32::to_string).collect();
            let rest =
                if ranks.len() > NAMED { format!(", … {}", ranks[ranks.len() - 1]) } else { String::new() };
            format!("{}{rest} ({})", named.join(", "), ranks.len())
        }
    }
}

/// The places of ranks in a picture: nodes in rows, the ranks of a node side by side. Lengths in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    per_node: u32,
    /// Nodes in a row.
    pub columns: u32,
    /// Rows of nodes.
    pub rows: u32,
    /// Nodes that are drawn; the rest does not fit.
    pub nodes: u32,
    /// Size of a rank.
    pub cell: f64,
    /// Distance between nodes.
    pub gap: f64,
}

impl Grid {
    /// The largest cells that fit a width; the first nodes if even the smallest do not.
    pub fn fit(ranks: &Ranks, width: f64) -> Grid {
        let grid = |cell: u32| {
            let (cell, gap) = (f64::from(cell), f64::from((cell / 2).clamp(1, 4)));
            let columns = ((width + gap) / (f64::from(ranks.per_node) * cell + gap)).floor().max(1.0) as u32;
            let rows = ranks.nodes.div_ceil(columns);
            Grid { per_node: ranks.per_node, columns, rows, nodes: ranks.nodes, cell, gap }
        };
        let fits = |grid: &Grid| grid.height() <= MAX_HEIGHT && grid.width() <= width;
        let smallest = grid(CELLS[CELLS.len() - 1]);
        CELLS.into_iter().map(grid).find(fits).unwrap_or_else(|| {
            let rows = smallest.rows.min((MAX_HEIGHT / smallest.pitch()) as u32);
            Grid { rows, nodes: ranks.nodes.min(rows * smallest.columns), ..smallest }
        })
    }

    /// Height of a row with the distance to the next. The rows of the smallest cells touch.
    fn pitch(&self) -> f64 {
        self.cell + if self.cell > 2.0 { self.gap } else { 0.0 }
    }

    fn width(&self) -> f64 {
        f64::from(self.columns) * (f64::from(self.per_node) * self.cell + self.gap) - self.gap
    }

    /// Height of the picture.
    pub fn height(&self) -> f64 {
        f64::from(self.rows) * self.pitch()
    }

    /// The upper left corner of a node; `None` if it is not drawn.
    pub fn node(&self, node: u32) -> Option<(f64, f64)> {
        let across = f64::from(self.per_node) * self.cell + self.gap;
        let place = (f64::from(node % self.columns) * across, f64::from(node / self.columns) * self.pitch());
        (node < self.nodes).then_some(place)
    }

    /// The upper left corner of a place; `None` if it is not drawn.
    pub fn place(&self, slot: u32) -> Option<(f64, f64)> {
        let (x, y) = self.node(slot / self.per_node)?;
        Some((x + f64::from(slot % self.per_node) * self.cell, y))
    }

    /// The place under a point.
    pub fn slot_at(&self, x: f64, y: f64) -> Option<u32> {
        let across = f64::from(self.per_node) * self.cell + self.gap;
        let (column, row) = ((x / across).floor(), (y / self.pitch()).floor());
        let inside = x >= 0.0 && y >= 0.0 && column < f64::from(self.columns) && row < f64::from(self.rows);
        let node = inside.then_some(row as u32 * self.columns + column as u32)?;
        let gpu = ((x - column * across) / self.cell) as u32;
        (node < self.nodes && gpu < self.per_node).then_some(node * self.per_node + gpu)
    }

    /// The place that an arrow key leads to; `None` for other keys.
    pub fn step(&self, slot: u32, key: &str) -> Option<u32> {
        let row = self.columns * self.per_node;
        let moved = match key {
            "ArrowLeft" => slot.checked_sub(1),
            "ArrowRight" => Some(slot + 1),
            "ArrowUp" => slot.checked_sub(row),
            "ArrowDown" => Some(slot + row),
            _ => return None,
        };
        Some(moved.unwrap_or(slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::draft::{Action, Draft, read_spec};
    use shared::{demand::Demand, spec::Spec, text::bytes};

    fn job(text: &str) -> (Spec, Job) {
        let spec = read_spec(text).unwrap();
        let job = spec.jobs[0].clone();
        (spec, job)
    }

    #[test]
    fn presets_are_whole_and_named() {
        for preset in &PRESETS {
            let mut draft = Draft::open(EXAMPLE);
            draft.update(Action::Preset(preset.text));
            let spec = draft.resolve().unwrap_or_else(|faults| panic!("{}: {faults}", preset.name));
            let form = &draft.document().form;
            assert_eq!(model_name(&form.model[0]), Some(preset.name));
            assert!(summary(form, Some(&spec)).starts_with(preset.name));
            assert!(preset.about().contains("GPU"), "{}", preset.about());
            draft.update(Action::Undo);
            assert_eq!(draft.document().text, EXAMPLE);
        }
    }

    #[test]
    fn a_job_is_summed_up_in_a_line() {
        let words = |draft: &Draft| summary(&draft.document().form, draft.resolve().ok().as_ref());
        let mut draft = Draft::open(EXAMPLE);
        assert_eq!(words(&draft), "13 B parameters · TP 8 · CP 1 · PP 4 · DP 16");
        draft.update(Action::Preset(PRESETS[3].text));
        assert_eq!(words(&draft), "Llama 3 405B · TP 8 · CP 1 · PP 16 · DP 128");
        draft.update(Action::Preset(PRESETS[4].text));
        assert_eq!(words(&draft), "DeepSeek-V3 · TP 1 · CP 1 · EP 64 · PP 16 · DP 128");
        draft.update(Action::OwnJob);
        assert_eq!(words(&draft), "7 B parameters · TP 8 · CP 1 · PP 1 · DP 256");
        draft.update(Action::Set { path: "job.tp".into(), text: "3".into() });
        assert_eq!(words(&draft), "7 B parameters · TP 3 · CP 1 · PP 1 · DP –");
        draft.update(Action::Job(false));
        assert_eq!(words(&draft), "None");
    }

    #[test]
    fn only_models_with_experts_have_their_fields() {
        let of = |at: usize| shared::resolve::parse(PRESETS[at].text).unwrap().model[0].clone();
        assert_eq!([0, 1, 4].map(|at| has_experts(&of(at))), [true, false, true]);
        let typed = ModelForm { top_k: "2".into(), ..of(1) };
        assert!(has_experts(&typed));
    }

    #[test]
    fn fields_of_collectives_are_found_by_dimension() {
        let text =
            format!("{EXAMPLE}\n[[collective]]\nalong = 'dp'\nbytes = -1\n[[collective]]\nalong = 'up'\n");
        let mut draft = Draft::default();
        draft.update(Action::Text(text));
        let place = |path| place_in_form(&draft.document().form, path);
        assert_eq!(place("collective[0].bytes").as_deref(), Some("collective.dp.bytes"));
        let others =
            ["collective[0].along", "collective[1].bytes", "collective[2].bytes", "collective", "nodes"];
        assert_eq!(others.map(place), [const { None }; 5]);
    }

    #[test]
    fn the_example_has_bytes_that_can_be_checked_by_hand() {
        let (spec, job) = job(EXAMPLE);
        assert_eq!((job.tp, job.cp, job.dp, job.pp), (8, 1, 16, 4));
        let along = DimensionTraffic::all(&job);
        let tensor = &along[0];
        let expected = "Activations and their gradients: 4 all-reduces per layer × 8 micro-batches × 10 layers per stage × \
                        4,096 tokens × 5,120 hidden size × 2 bytes = 13,421,772,800";
        assert_eq!(formula(&tensor.share), [expected]);
        assert_eq!(
            (bytes(tensor.share.collective.bytes.unwrap()), tensor.on_network()),
            ("13.4 GB".into(), None)
        );
        // Rings of 16 nodes: each of 4 stages has 16 pairs, each with those of 8 rings, 2 x 15/16 of 13e9 / 8 / 4 x 4 bytes.
        let data = along.iter().find(|one| one.dimension() == Dimension::Dp).unwrap();
        let (pairs, sum) = data.on_network().unwrap();
        assert_eq!((pairs, sum), (64, 64.0 * 8.0 * 1.875 * 13e9 / 8.0 / 4.0 * 4.0));
        assert!(Demand::build(&spec).unwrap().len() > 64);
    }

    #[test]
    fn the_product_follows_the_typing() {
        let mut session = Draft::open(EXAMPLE);
        let mut after = |path: &str, text: &str| {
            session.update(Action::Set { path: path.into(), text: text.into() });
            product(&session.document().form, 0)
        };
        assert_eq!(after("job.tp", "8").unwrap(), "8 × 1 × 16 × 4 = 512 of 512 ranks");
        assert_eq!(after("job.tp", "3").unwrap(), "3 × 1 × 4 = 12, which does not divide 512 ranks");
        assert_eq!(after("job.dp", "12").unwrap(), "3 × 1 × 12 × 4 = 144 of 512 ranks");
        assert_eq!(after("job.dp", "many"), None);
        assert_eq!(after("job.dp", "99999999999999999999"), None);
    }

    #[test]
    fn a_rank_names_its_groups() {
        let (spec, job) = job(EXAMPLE);
        let ranks = Ranks::of(&job, spec.pes);
        let expected = "Rank 137 (node 17, GPU 1). Tensor: 136–143; data: 129, 137, 145, … 249 (16); \
                        pipeline: 9, 137, 265, … 393 (4)";
        assert_eq!(ranks.words(137, &DimensionTraffic::all(&job)), expected);
    }

    #[test]
    fn ranks_are_on_the_nodes_of_their_file() {
        let text = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[job]\nranks_per_pe = 2\n\
                    ranks = \"\"\"\n0 3\n1 1\n2 3\n3 0\n\"\"\"\n";
        let (spec, job) = job(text);
        let ranks = Ranks::of(&job, spec.pes);
        assert_eq!([0, 1, 2, 3].map(|rank| ranks.slot_of(rank)), [6, 2, 7, 0]);
        assert_eq!([0, 1, 2, 6, 7].map(|slot| ranks.at(slot)), [Some(3), None, Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn places_and_ranks_are_each_others_inverse() {
        for (nodes, per_node, width) in
            [(64, 8, 300.0), (2048, 8, 300.0), (16_384, 8, 330.0), (4, 64, 300.0), (1 << 20, 1, 300.0)]
        {
            let ranks =
                Ranks { count: nodes * per_node, per_node, nodes, slots: Vec::new(), ranks: Vec::new() };
            let grid = Grid::fit(&ranks, width);
            assert!(grid.height() <= MAX_HEIGHT && grid.width() <= width, "{grid:?}");
            for slot in [0, 1, per_node, grid.nodes * per_node / 2, grid.nodes * per_node - 1] {
                let (x, y) = grid.place(slot).unwrap();
                assert_eq!(grid.slot_at(x + grid.cell / 2.0, y + grid.cell / 2.0), Some(slot), "{grid:?}");
            }
            assert_eq!(grid.place(grid.nodes * per_node), None);
            assert_eq!(grid.nodes < nodes, nodes == 1 << 20, "{grid:?}");
        }
    }
}

//! Boards: which rows and columns, the spec and price of a cell, frontier and cheapest.

use shared::{
    analysis::cost::{CableCounts, Price},
    analysis::figures,
    api::StartWork,
    demand::Demand,
    design::table,
    hardware::{
        Board, BoardForm, Cell, CellState, HardwareRequest, MAX_CELLS, build_spec, catalogue, cell_spec,
        cell_text, crowded, mixable, nis_range, unsuited,
    },
    resolve::{self, NoFiles},
    search::Budget,
    spec::{Objective, Spec, Uplink},
};

const SPEC: &str = "pes = 10\nnis_per_pe = 1\nobjective = \"sparse\"\nni_price = 2\ncable_price = 1\n\
    [[switch]]\nports = 8\nreserve = 1\nprice = 30\ncount = 3\n\
    [[switch]]\nports = 16\nprice = 100\n[[pattern]]\nkind = \"ring\"\n";

fn spec(text: &str) -> Spec {
    resolve::read(text, &mut NoFiles).unwrap()
}

fn columns(ports: &str) -> Vec<(u32, u32, Option<f64>, Option<u32>)> {
    let models = catalogue(&spec(SPEC), ports).unwrap();
    models.iter().map(|m| (m.ports, m.reserve, m.price, m.count)).collect()
}

fn request(ports: &str, nis: (u32, u32)) -> HardwareRequest {
    let spec = spec(SPEC);
    HardwareRequest {
        catalogue: catalogue(&spec, ports).unwrap(),
        demand: Demand::build(&spec).unwrap().into(),
        spec: spec.into(),
        nis_from: nis.0,
        nis_to: nis.1,
        cell: Budget::Effort(1),
        total: Budget::Effort(1),
        seed: 1,
        threads: 1,
    }
}

#[test]
fn the_specs_own_models_are_columns_widest_first() {
    assert_eq!(columns(""), [(16, 0, Some(100.0), None), (8, 1, Some(30.0), Some(3))]);
    let twice = SPEC.replace("ports = 16\nprice = 100", "ports = 8\nreserve = 1\nprice = 30\ncount = 4");
    let models = catalogue(&spec(&twice), "").unwrap();
    assert_eq!(models.iter().map(|m| m.count).collect::<Vec<_>>(), [Some(7)]);
}

#[test]
fn widths_take_the_price_of_the_narrowest_model_that_is_as_wide() {
    assert_eq!(
        columns(" 8 -9, 24,9"),
        [(24, 0, None, None), (9, 0, Some(100.0), None), (8, 1, Some(30.0), None)]
    );
}

#[test]
fn every_part_that_is_no_width_is_told() {
    let faults = catalogue(&spec(SPEC), "1, 2-4097, 9-8,, 1e3, +4, 12").unwrap_err().0;
    let values: Vec<&str> = faults.iter().map(|fault| fault.value.as_str()).collect();
    assert_eq!(values, ["1, 2-4097, 9-8, 1e3, +4", "1, 2-4097, 9-8,, 1e3, +4, 12"]);
    for gaps in ["8,,9", "8,", ", 9"] {
        let faults = catalogue(&spec(SPEC), gaps).unwrap_err().0;
        assert_eq!(faults[0].to_string(), format!("ports: has an empty entry between commas: {gaps:?}."));
        assert_eq!(faults.len(), 1);
    }
    let says = |fault: &shared::form::Fault| {
        fault.message.contains("6-12, 16, 24") || fault.message.contains("empty entry")
    };
    assert!(faults.iter().all(|fault| fault.path == "ports" && says(fault)), "{faults:?}");
    let reserved = SPEC.replace("reserve = 1", "reserve = 7");
    let faults = catalogue(&spec(&reserved), "7-8").unwrap_err().0;
    assert_eq!((faults[0].value.as_str(), faults.len()), ("7", 1));
}

#[test]
fn numbers_of_nis_are_a_range_or_one_number() {
    assert_eq!((nis_range("2-8"), nis_range(" 3 ")), (Ok((2, 8)), Ok((3, 3))));
    for text in ["", "0", "8-2", "1-65", "2-3-4", "2–8"] {
        assert_eq!(nis_range(text).unwrap_err().path, "nis", "{text}");
    }
}

#[test]
fn a_cells_spec_reads_back_from_its_text() {
    let ask = request("", (3, 3));
    for model in &ask.catalogue {
        let cell = cell_spec(&ask.spec, 3, model);
        assert_eq!(spec(&cell_text(&cell)), cell);
        let all = 30u32.div_ceil(model.usable());
        assert_eq!(
            (cell.total_nis(), cell.switch_budget()),
            (30, model.count.map_or(all, |stock| stock.min(all)))
        );
    }
}

#[test]
fn switches_and_nis_are_bought_whole_and_cables_where_they_are() {
    let mut spec = build_spec(&cell_spec(&spec(SPEC), 3, &catalogue(&spec(SPEC), "16").unwrap()[0]), 2);
    let paid = |spec: &Spec, cables, joined| {
        Price::of(spec, &CableCounts { cables, direct: 0, joined, metres: None }).total
    };
    assert_eq!(paid(&spec, 25, 0), Some(200.0 + 60.0 + 25.0));
    // One more switch, whose cables come from the two others; a spare has an interface and a cable.
    spec.uplink = Some(Uplink { folded: false, links: 1, ports: None, spares: 1, price: Some(7.0) });
    assert_eq!(paid(&spec, 25, 2), Some(200.0 + 62.0 + 28.0 + 7.0));
    spec.uplink = Some(Uplink { folded: true, links: 1, ports: None, spares: 0, price: None });
    assert_eq!(CableCounts::whole(&spec), CableCounts { cables: 30, direct: 0, joined: 1, metres: None });
    assert_eq!(paid(&spec, 25, 1), Some(200.0 + 60.0 + 26.0));
    (spec.switches[0].price, spec.ni_price, spec.cable_price) = (None, None, None);
    let unpriced = Price::of(&spec, &CableCounts::whole(&spec));
    assert_eq!((unpriced.total, unpriced.unpriced.len()), (None, 3));
}

#[test]
fn a_cell_is_billed_as_the_figures_of_its_wiring_are() {
    let ask = request("16", (3, 3));
    let mut cell = Board::blank(&ask).cells[0].clone();
    // Of four switches that would give each NI a port, and thirty NIs, these are cabled.
    let design = table::parse("0: 0 1 2 3 4 5\n1: 5 6 7 8 9 0\n", 10).unwrap();
    let figures_of = |cell: &Cell| {
        let spec = cell.spec(&ask.spec, &ask.catalogue);
        let bill = Price::of(&spec, &CableCounts::of(&spec, &design)).total;
        let figures = figures(&spec, &ask.demand, &design);
        assert_eq!((figures.cost, figures.cables), (bill, 12));
        figures.cost
    };
    assert_eq!((cell.switches, figures_of(&cell)), (2, Some(200.0 + 60.0 + 12.0)));
    (cell.state, cell.switches) = (CellState::Solved, 3);
    assert_eq!(figures_of(&cell), Some(300.0 + 60.0 + 12.0), "what is handed out is paid, cabled or not");
}

#[test]
fn a_model_without_a_price_is_not_cheap() {
    let board = Board::blank(&request("24, 16, 8", (2, 2)));
    let costs: Vec<_> = board
        .cells
        .iter()
        .map(|cell| (cell.ports, cell.usable, cell.switches, cell.cost, cell.known_cost))
        .collect();
    let own = [
        (24, 24, 1, None, Some(60.0)),
        (16, 16, 2, Some(260.0), None),
        (8, 7, 3, Some(150.0), None),
        (0, 0, 0, None, None),
    ];
    assert_eq!(costs, own, "the last column mixes models");
    let wide =
        "ports: no model of the spec with 24 ports or more has a price, so this width is not ranked by cost.";
    assert_eq!(board.unranked, [wide]);
    let board = Board::blank(&request("24, 32", (2, 2)));
    assert!(board.cells.iter().all(|cell| cell.cost.is_none()), "no price for either");
}

#[test]
fn no_price_is_not_zero() {
    let unpriced = |line: &str| {
        let mut ask = request("", (2, 2));
        ask.spec = spec(&SPEC.replace(line, "")).into();
        ask.catalogue = catalogue(&ask.spec, "").unwrap();
        let mut board = Board::blank(&ask);
        board.cells.iter_mut().for_each(|cell| cell.state = CellState::Solved);
        board.rank();
        board
    };
    for (line, field) in [("ni_price = 2\n", "nic_price"), ("cable_price = 1\n", "cable_price")] {
        let board = unpriced(line);
        assert!(board.cells.iter().all(|cell| cell.cost.is_none() && cell.known_cost.is_some()));
        assert_eq!(board.unranked, [format!("{field}: give a price to rank by cost.")]);
        assert_eq!((board.cheapest, board.best()), (None, Some((0, "fewest switches found so far"))));
    }
    let board = unpriced("price = 30\n");
    assert_eq!(board.unranked, ["switch[0].price: give a price to rank by cost."]);
    assert_eq!(board.best(), Some((0, "cheapest found so far")), "of the models with a price");
}

#[test]
fn cheapest_is_said_only_at_the_lower_bound() {
    let mut board = Board::blank(&request("16", (2, 2)));
    board.cells[0].state = CellState::Solved;
    board.rank();
    assert_eq!(board.best(), Some((0, "cheapest found so far")));
    board.least_cost = Some(259.0);
    assert!(!board.is_proven());
    board.least_cost = Some(260.0);
    assert_eq!(board.best(), Some((0, "cheapest")));
}

#[test]
fn only_models_that_no_other_replaces_are_mixed() {
    let mixed = |text: &str, ports: &str| mixable(&spec(text), &catalogue(&spec(text), ports).unwrap());
    assert_eq!(mixed(SPEC, ""), [0, 1]);
    assert!(mixed(SPEC, "9, 12, 16").is_empty(), "one price for all widths, so 16 ports are the best buy");
    assert!(mixed(&SPEC.replace("cable_price = 1\n", ""), "").is_empty(), "costs are unknown");
}

#[test]
fn all_switches_must_find_the_uplink_switch() {
    let mut cell = cell_spec(&spec(SPEC), 6, &catalogue(&spec(SPEC), "4").unwrap()[0]);
    assert_eq!(crowded(&cell), None);
    cell.uplink = Some(Uplink { folded: true, links: 1, ports: None, spares: 0, price: None });
    assert!(crowded(&cell).unwrap().contains("which has room for 3"));
    assert!(resolve::read(&cell_text(&cell), &mut NoFiles).is_err());
    cell.uplink = Some(Uplink { folded: false, links: 1, ports: None, spares: 2, price: None });
    assert_eq!(crowded(&cell), None);
}

#[test]
fn the_frontier_is_what_nothing_solved_beats() {
    let mut board = Board::blank(&request("4-7", (1, 4)));
    // Rows of 7, 6, 5 and 4 ports; # is solved.
    let solved = ["....", "#.#.", "####", "####"].concat();
    for (cell, mark) in board.cells.iter_mut().zip(solved.chars()) {
        cell.state = if mark == '#' { CellState::Solved } else { CellState::Failed };
        cell.cost = Some(100.0 - f64::from(cell.nis.min(3)));
    }
    board.rank();
    assert_eq!(board.frontier, [6, 11], "2 NICs with 5 ports, 3 NICs with 4");
    assert_eq!(board.cheapest, Some(11), "of equals the one with fewer NICs, then narrower");
    assert_eq!(
        (board.index(1, 0), board.index(4, 3), board.index(5, 0), board.index(1, 4)),
        (Some(0), Some(15), None, None)
    );
}

#[test]
fn what_is_beyond_a_limit_is_told_by_field() {
    let paths = |change: fn(&mut HardwareRequest)| {
        let mut ask = request("4-7", (1, 4));
        change(&mut ask);
        ask.faults().into_iter().map(|fault| fault.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(|_| {}), Vec::<String>::new());
    assert_eq!(paths(|ask| (ask.nis_from, ask.nis_to) = (5, 4)), ["nis_to"]);
    assert_eq!(paths(|ask| ask.catalogue.clear()), ["ports"]);
    assert_eq!(paths(|ask| ask.catalogue = vec![ask.catalogue[0]; MAX_CELLS]), ["ports"]);
    assert_eq!(paths(|ask| ask.total = Budget::Seconds(-1.0)), ["total.seconds"]);
    assert_eq!(paths(|ask| ask.demand = Demand::from_pairs(3, []).into()), ["spec"]);
    let huge = |ask: &mut HardwareRequest| {
        let spec = Spec { pes: 1 << 20, ..(*ask.spec).clone() };
        (ask.demand, ask.spec, ask.nis_to) = (Demand::from_pairs(spec.pes, []).into(), spec.into(), 64);
    };
    assert_eq!(paths(huge), ["nis_to"]);
}

#[test]
fn what_means_nothing_on_a_board_is_refused() {
    let mut asked = spec(SPEC);
    assert_eq!(unsuited(&asked), []);
    asked.objective = Objective::Fractional;
    asked.kept = vec![shared::spec::ReservedPorts { switch: 0, ports: 2 }];
    let (half, groups) = (asked.pes / 2, &mut asked.pe_groups);
    *groups = [(half, 2), (half, 3)].map(|(count, nis)| shared::spec::PeGroup { count, nis }).to_vec();
    let paths: Vec<_> = unsuited(&asked).into_iter().map(|fault| fault.path).collect();
    assert_eq!(paths, ["objective", "node_group", "keep"]);
    asked.pe_groups.iter_mut().for_each(|group| group.nis = 3);
    assert!(unsuited(&asked).iter().all(|fault| fault.path != "node_group"), "all have as many");
}

#[test]
fn a_request_needs_little_more_than_a_spec() {
    let start: StartWork =
        serde_json::from_str("{\"kind\": \"hardware\", \"form\": {\"nis_from\": 2, \"nis_to\": 3}}").unwrap();
    let settings = start.form.form::<BoardForm>().read().unwrap();
    assert_eq!(
        (settings.nis_from, settings.nis_to, settings.ports.as_str(), settings.threads),
        (2, 3, "", None)
    );
    assert_eq!((settings.cell, settings.total), (Budget::Seconds(5.0), Budget::Seconds(300.0)));
}

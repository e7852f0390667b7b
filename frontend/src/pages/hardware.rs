//! The hardware search: the NIC counts and switch models that cover the spec, and the cheapest of them; or the cheapest network for
//! the spec's job.

use crate::{
    browser,
    components::{FaultLinks, FieldView, FormField, StartStop, TriedChart},
    state::{
        board::{
            self, CellView, StateLabel, Step, WatchedBoard, drawn, facts, faults as faults_of, money, opens,
            ranking, shown,
        },
        chart::{PreparedChart, tried},
        draft, offers,
        words::{budget, clock, count, grouped},
    },
    studio::{Studio, ValidSpec, change, follow::is_of_others, searches::BoardFollower},
};
use leptos::prelude::*;
use shared::{
    api::WorkState,
    form::{Described, Fault},
    hardware::{Attempt, Board, BoardForm, Cell, CellState, Frontier as Networks, OFFER_COLUMNS},
    resolve::{self, NoFiles},
    spec::SpecForm,
};
use std::sync::Arc;

/// The settings, and the results once there are some.
#[component]
pub fn Hardware() -> impl IntoView {
    let studio = Studio::here();
    let has_board = Memo::new(move |_| studio.result.board.with(Option::is_some));
    let is_timed =
        Memo::new(move |_| studio.result.of_board(|b| b.board().networks.is_some()).unwrap_or_default());
    view! {
            <section class="panel boards" id="hardware" aria-labelledby="hardware-title">
                <div class="heading">
                    <h2 id="hardware-title">"Hardware search"</h2>
                    <p class="run-state" id="board-state" role="status">
                        {move || studio.result.of_board(WatchedBoard::state_words)}
                    </p>
                </div>
                <p class="hint about-board">
                    "Tries every NIC count with every switch model, and looks for the smallest and the cheapest hardware that covers the \
                     spec. In each row, all nodes have the same NIC count, whatever the spec says. A model’s count is its stock; \
                     without a count, stock is unlimited. The search continues until nothing can be cheaper, or until you stop it. The \
                     other goal compares wirings with trees, tori and other networks by price and by the time of the job’s step."
                </p>
                <Settings/>
                {move || has_board.get().then(|| view! {
                    <Progress/>
                    <Changed/>
                    {move || match is_timed.get() {
                        true => view! { <Offers/> }.into_any(),
                        false => view! { <BoardTable/><Outcomes/> }.into_any(),
                    }}
                })}
            </section>
    }
}

/// Time, cells by state, and the attempt in progress.
#[component]
fn Progress() -> impl IntoView {
    let studio = Studio::here();
    let budget = move || {
        studio.result.of_board(|b| b.settings().map(|s| budget(s.total, s.seed, s.threads))).flatten()
    };
    let known = move || {
        studio.result.of_board(|b| match &b.board().networks {
            Some(networks) => offers::counts(networks),
            None => tally(&b.board().cells),
        })
    };
    let ranks = move || studio.result.of_board(|b| ranking(b.board())).unwrap_or_default();
    let trying = move || studio.result.of_board(|b| b.board().trying.clone());
    let message = move || studio.result.of_board(|b| b.view.message.clone()).unwrap_or_default();
    let failed = move || studio.result.of_board(|b| b.view.state == WorkState::Failed).unwrap_or_default();
    view! {
        <p class="board-clock">
            <span class="clock" id="board-elapsed">{move || studio.result.of_board(|b| clock(b.board().elapsed))}</span>
            <span class="budget">{budget}</span>
            <span class="tally" id="board-tally">{known}</span>
        </p>
        <div class="hint" id="board-ranking">
            {move || ranks().into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
        </div>
        <p class="trying" id="board-trying">{trying}</p>
        <p class="run-message" id="board-message" class:fault=failed hidden=move || message().is_empty()>{message}</p>
    }
}

/// Number of cells in each state.
fn tally(cells: &[Cell]) -> String {
    let of = |wanted: fn(CellState) -> bool| cells.iter().filter(|c| wanted(c.state)).count() as u64;
    let parts = [
        (of(CellState::is_solved), "solved"),
        (of(|s| s == CellState::Failed), "failed"),
        (of(|s| s == CellState::Refuted), "ruled out"),
        (of(|s| s == CellState::Stock), "out of stock"),
        (of(|s| matches!(s, CellState::Unknown | CellState::Trying)), "open"),
    ];
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(*n)));
    format!("{}: {}", count(cells.len() as u64, "cell"), parts.collect::<Vec<_>>().join(", "))
}

/// A notice if the results are for another spec than the one on screen.
#[component]
fn Changed() -> impl IntoView {
    let studio = Studio::here();
    let asked = Memo::new(move |_| studio.result.of_board(|b| b.view.asked.spec().to_owned()));
    let spec = Memo::new(move |_| Some(Arc::new(resolve::read_catalogue(&asked.get()?, &mut NoFiles).ok()?)));
    // Compared by content, not by text.
    let other = Memo::new(move |_| {
        let own = studio.result.resolved.get().ok();
        asked.get().filter(|_| own != spec.get())
    });
    view! {
        {move || other.get().map(|text| view! {
            <p class="changed" id="board-changed">"Computed for a different spec. "
                <button type="button" class="link" on:click=move |_| studio.edit(draft::Action::Replace(text.clone()))>"Use that spec"</button>
            </p>
        })}
    }
}

/// The settings, start and stop.
#[component]
fn Settings() -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let faults = Memo::new(move |_| {
        let asked = studio.result.asked.get();
        let asked = asked.as_ref().map(|ValidSpec { spec, demand, .. }| (spec, demand));
        studio.session.board_form.with(|form| faults_of(form, asked))
    });
    let reason = Memo::new(move |_| blocked(studio, faults));
    let live = Memo::new(move |_| studio.result.of_board(|b| !b.is_over()).unwrap_or_default());
    let of_others = is_of_others(move || studio.result.of_board(|b| b.view.id.clone()));
    let stopping = move || studio.result.of_board(|b| !b.connection.can_stop()).unwrap_or_default();
    let own = Signal::derive(move || own_models(studio));
    let by_effort = Memo::new(move |_| studio.session.board_form.with(|form| form.total_unit == "effort"));
    let of_time = Memo::new(move |_| studio.session.board_form.with(|form| form.goal == "time"));
    let form = studio.session.board_form;
    let unit = Signal::derive(move || form.with(|form| form.total_unit.clone()));
    // Both limits are counted in the same unit here.
    let set_unit =
        move |unit: String| form.update(|form| (form.cell_unit, form.total_unit) = (unit.clone(), unit));
    let field = move |key| view! { <FormField form=form name="board" key=key faults=faults/> };
    view! {
        <fieldset class="board-settings" disabled=studio.view.viewing aria-label="Settings">
            <FormField form=form name="board" key="goal" faults=faults class="widths"/>
            {["nis_from", "nis_to"].map(field)}
            {move || of_time.get().then(|| ["market", "within"].map(field))}
            <FormField form=form name="board" key="ports" faults=faults placeholder=own class="widths"/>
            {move || match by_effort.get() {
                true => ["cell.effort", "total.effort"],
                false => ["cell.seconds", "total.seconds"],
            }.map(field)}
            <FieldView field=BoardForm::field("cell.unit") id="board-unit" value=unit fault=Signal::derive(|| None::<String>)
                on_input=set_unit/>
            {["seed", "threads"].map(field)}
        </fieldset>
        <div class="controls" hidden=move || studio.view.viewing.get() && !live.get()>
            <StartStop ids=("board-start", "board-stop") live=live of_others=of_others blocked=Signal::derive(move || !reason.with(Vec::is_empty)) reason="board-reason"
                stopping=Signal::derive(stopping) on_start=move || follower.start(studio) on_stop=move || follower.stop(studio)/>
            <div class="fault" id="board-reason" aria-live="polite" hidden=move || live.get() || reason.with(Vec::is_empty)>
                {move || reason.get().into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
                <FaultLinks fields=Signal::derive(move || studio.fields_at_fault())/>
            </div>
        </div>
    }
}

/// Reasons why no search can start; empty if it can.
fn blocked(studio: Studio, faults: Memo<Vec<Fault>>) -> Vec<String> {
    if !studio.result.faults().is_empty() {
        return vec!["Fix the spec first.".into()];
    }
    let of_form = |fault: &&Fault| BoardForm::SCHEMA.field(&fault.path).is_some();
    faults.with(|faults| {
        // The others are about the spec.
        let mut lines: Vec<String> = faults
            .iter()
            .filter(|fault| !of_form(fault))
            .map(|fault| fault.labelled(SpecForm::SCHEMA).to_string())
            .collect();
        if faults.iter().any(|fault| of_form(&fault)) {
            lines.push("Fix the fields above.".into());
        }
        lines
    })
}

/// The widths of the spec's models.
fn own_models(studio: Studio) -> String {
    studio.result.resolved.with(|r| match r {
        Ok(spec) => {
            let mut widths: Vec<u32> = spec.switches.iter().map(|m| m.ports).collect();
            widths.sort_unstable();
            widths.dedup();
            let shown: Vec<String> = widths.iter().take(6).map(u32::to_string).collect();
            let more = if widths.len() > shown.len() { ", …" } else { "" };
            format!("the spec’s: {}{more}", shown.join(", "))
        }
        Err(_) => String::new(),
    })
}

/// The answer, the plot and the table of a search for the cheapest network.
#[component]
fn Offers() -> impl IntoView {
    let studio = Studio::here();
    let of = move |words: fn(&Networks) -> String| {
        studio.result.of_board(|b| b.board().networks.as_ref().map(words)).flatten().unwrap_or_default()
    };
    let plot = Memo::new(move |_| {
        studio.result.of_board(|b| b.board().networks.as_ref().and_then(offers::plot)).flatten()
    });
    let rows = Memo::new(move |_| {
        studio
            .result
            .of_board(|b| b.board().networks.as_ref().map(offers::rows))
            .flatten()
            .unwrap_or_default()
    });
    let others = Memo::new(move |_| {
        studio
            .result
            .of_board(|b| b.board().networks.as_ref().map(offers::unranked))
            .flatten()
            .unwrap_or_default()
    });
    view! {
        <section class="offers" aria-labelledby="offers-title">
            <h3 id="offers-title">"Cheapest network"</h3>
            <p class="answer" id="board-answer" aria-live="polite">{move || of(|networks| networks.answer.clone())}</p>
            {move || plot.get().map(|plot| view! { <OfferPlot plot=plot/> })}
            {move || (!rows.with(Vec::is_empty)).then(|| view! { <OfferTable rows=rows/> })}
            {move || (!others.with(Vec::is_empty)).then(|| view! {
                <details class="attempts" id="offers-others">
                    <summary>{move || count(others.with(Vec::len) as u64, "line") + " on networks that are not ranked"}</summary>
                    <ul>{move || others.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
                </details>
            })}
        </section>
    }
}

/// Price against time, a point per network. Points are buttons; the table has the same networks.
#[component]
fn OfferPlot(plot: offers::Plot) -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let [left, right, top, bottom] = offers::area();
    let (width, height) = offers::SIZE;
    let point = move |point: offers::Point| {
        let offers::Point { index, number, at: (x, y), class, is_labelled, words } = point;
        let label = words.clone();
        let pressed = move |event: web_sys::KeyboardEvent| {
            if matches!(event.key().as_str(), "Enter" | " ") {
                event.prevent_default();
                open_offer(studio, follower, index);
            }
        };
        view! {
            <g class=class role="button" tabindex="0" aria-label=label on:keydown=pressed
                on:click=move |_| open_offer(studio, follower, index)>
                <title>{words}</title>
                {match class.contains("design") {
                    true => view! { <circle cx=x cy=y r="7"/> }.into_any(),
                    false => view! { <rect x=x - 6.0 y=y - 6.0 width="12" height="12"/> }.into_any(),
                }}
                {is_labelled.then(|| view! { <text x=x + 10.0 y=y - 8.0>{number}</text> })}
            </g>
        }
    };
    view! {
        <div class="offer-plot scroll">
            <svg viewBox=format!("0 0 {width} {height}") role="group" aria-label=format!("{}. The table below has the same networks.", plot.scales)>
                {plot.prices.into_iter().map(|(x, label)| view! {
                    <line class="mark" x1=x x2=x y1=top y2=bottom/>
                    <text x=x y=bottom + 20.0 text-anchor="middle">{label}</text>
                }).collect_view()}
                {plot.times.into_iter().map(|(y, label)| view! {
                    <line class="mark" x1=left x2=right y1=y y2=y/>
                    <text x=left - 8.0 y=y + 4.0 text-anchor="end">{label}</text>
                }).collect_view()}
                <text x=right y=height - 8.0 text-anchor="end">"Price"</text>
                <text x="8" y=top + 4.0>"Step"</text>
                <path class="steps" d=plot.steps/>
                {plot.points.into_iter().map(point).collect_view()}
            </svg>
        </div>
        <p class="hint legend"><span>"● wiring"</span>" "<span>"■ other network"</span>" "<span>"line: no cheaper network is as fast"</span></p>
    }
}

/// Opens the design of an offer, or compares its network.
fn open_offer(studio: Studio, follower: BoardFollower, index: usize) {
    let network = studio.result.board.with_untracked(|b| {
        let offer = b.as_ref()?.board().networks.as_ref()?.offers.get(index)?;
        (!offer.is_design()).then(|| offer.text.clone())
    });
    match network {
        Some(text) => follower.open_network(studio, &text),
        None => follower.open_cell(studio, index),
    }
}

/// All ranked networks.
#[component]
fn OfferTable(rows: Memo<Vec<offers::Row>>) -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Networks by price and time">
        <table class="data" id="offers-table">
            <thead><tr>
                <th scope="col" class="number">"No."</th><th scope="col">"Network"</th>
                {OFFER_COLUMNS.iter().map(|column| view! { <th scope="col" class="number">{column.title}</th> }).collect_view()}
                <th scope="col">"Order of nodes"</th><th scope="col">"Rank"</th><th scope="col"><span class="sr">"Open"</span></th>
            </tr></thead>
            <tbody>{move || rows.get().into_iter().map(|row| {
                let offers::Row { index, number, name, code, figures, order, place, opens } = row;
                view! {
                    <tr class:chosen=place == "answer">
                        <td class="number">{number}</td><td title=(!code.is_empty()).then_some(code)>{name}</td>
                        {figures.into_iter().map(|figure| view! { <td class="number">{figure}</td> }).collect_view()}
                        <td>{order}</td><td>{place}</td>
                        <td class="open"><button type="button" class="link" aria-label=opens on:click=move |_| open_offer(studio, follower, index)>"Open"</button></td>
                    </tr>
                }
            }).collect_view()}</tbody>
        </table>
        </div>
    }
}

/// States in the legend.
const LEGEND: [CellState; 6] = [
    CellState::Solved,
    CellState::Implied,
    CellState::Trying,
    CellState::Failed,
    CellState::Refuted,
    CellState::Stock,
];
/// Marks of solved cells in the legend.
const MARKS: [StateLabel; 2] = [
    StateLabel {
        class: "solved frontier",
        word: "solved",
        meaning: "frontier: no other solved cell has both as few NICs and as few ports",
    },
    StateLabel {
        class: "cheapest",
        word: "cheapest",
        meaning: "cheapest solved cell; “so far” unless a bound or a full search proves it",
    },
];

/// The table with its legend and the details of one cell.
#[component]
fn BoardTable() -> impl IntoView {
    let studio = Studio::here();
    let shape = Memo::new(move |_| {
        let of = |b: &Board| (b.nis_from, b.ports.clone(), b.cells.len());
        studio.result.of_board(|b| of(b.board())).unwrap_or_default()
    });
    view! {
        <div class="board-and-facts">
        <div class="scroll board-scroll">
        {move || {
            let (from, ports, cells) = shape.get();
            let columns = ports.len().max(1);
            view! {
                <table class="board" id="board" role="grid" aria-label="Results: NICs per node by ports per switch">
                    <thead><tr>
                        <th scope="col"><span class="axis">"NICs \\ ports"</span></th>
                        {ports.iter().map(|&width| view! {
                            <th scope="col">{if width == 0 { "mixed".into() } else { width.to_string() }}</th>
                        }).collect_view()}
                    </tr></thead>
                    <tbody>{(0..cells.div_ceil(columns)).map(|row| view! {
                        <tr>
                            <th scope="row">{from + row as u32}</th>
                            {(row * columns..((row + 1) * columns).min(cells)).map(|index| view! { <td><Place index=index/></td> }).collect_view()}
                        </tr>
                    }).collect_view()}</tbody>
                </table>
            }
        }}
        </div>
        <Facts/>
        </div>
        <ul class="board-legend" aria-label="Legend">
            {LEGEND.map(shown).into_iter().chain(MARKS).map(|StateLabel { class, word, meaning }| view! {
                <li><span class=format!("key-cell {class}")>{word}</span>" "{meaning}</li>
            }).collect_view()}
        </ul>
    }
}

/// One cell. Arrow keys go to the next one; the Tab key goes to the current one.
#[component]
fn Place(index: usize) -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let cell = Memo::new(move |_| {
        studio.result.of_board(|b| (drawn(b.board(), index), b.at == index)).unwrap_or_default()
    });
    let act = move |action| change(studio.result.board, |board| board.update(action));
    let step = move |event: web_sys::KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowLeft" => Step::Left,
            "ArrowRight" => Step::Right,
            "ArrowUp" => Step::Up,
            "ArrowDown" => Step::Down,
            "Home" => Step::First,
            "End" => Step::Last,
            _ => return,
        };
        event.prevent_default();
        act(board::Action::Go(step));
        let at = studio.result.board.with_untracked(|b| b.as_ref().map_or(0, |b| b.at));
        if let Some(button) = browser::element(&format!("cell-{at}")) {
            let _ = button.focus();
        }
    };
    let open = move |_| {
        act(board::Action::At(index));
        if cell.with_untracked(|(drawn, _)| drawn.opens) {
            follower.open_cell(studio, index);
        }
    };
    view! {
        <button type="button" id=format!("cell-{index}") class=move || cell.with(|(drawn, _)| class(drawn))
            tabindex=move || if cell.with(|(_, here)| *here) { "0" } else { "-1" }
            on:click=open on:keydown=step
            on:focus=move |_| act(board::Action::At(index))
            on:mouseenter=move |_| act(board::Action::Over(Some(index)))
            on:mouseleave=move |_| act(board::Action::Over(None))>
            <span class="sr">{move || cell.with(|(drawn, _)| format!("{}: ", drawn.place))}</span>
            <span class="word">{move || cell.with(|(drawn, _)| drawn.word)}</span>
            <span class="sr">" "</span>
            <span class="cost">{move || cell.with(|(drawn, _)| drawn.cost.clone())}</span>
            <span class="sr">{move || cell.with(|(drawn, _)| drawn.details.clone())}</span>
        </button>
    }
}

fn class(drawn: &CellView) -> String {
    let state = shown(drawn.state).class;
    let frontier = if drawn.frontier { " frontier" } else { "" };
    let cheapest = if drawn.cheapest { " cheapest" } else { "" };
    let opens = if drawn.opens { " opens" } else { "" };
    format!("cell {state}{frontier}{cheapest}{opens}")
}

/// Details of the cell under the pointer or the keyboard's focus.
#[component]
fn Facts() -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let shown = Memo::new(move |_| {
        studio.result.board.with(|b| {
            let b = b.as_ref()?;
            let (index, cell) = b.shown()?;
            Some((index, facts(b.board(), cell), opens(cell), cell.state.is_solved()))
        })
    });
    view! {
        <div class="cell-facts" id="cell-facts">
            {move || match shown.get() {
                None => view! {
                    <p class="hint">"Point at a cell or use the arrow keys to see its details. Click a solved cell to open its design."</p>
                }.into_any(),
                Some((index, (place, facts), opens, solved)) => view! {
                    <h3>{place}</h3>
                    <dl>{facts.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}</dl>
                    {opens.then(|| view! {
                        <button type="button" id="cell-open" on:click=move |_| follower.open_cell(studio, index)>
                            {if solved { "Open design" } else { "Open best wiring" }}
                        </button>
                    })}
                }.into_any(),
            }}
        </div>
    }
}

const LISTED: usize = 200;

#[component]
fn Outcomes() -> impl IntoView {
    let studio = Studio::here();
    let chart = Memo::new(move |_| studio.result.of_board(|b| tried(b.board())).flatten());
    let has = Memo::new(move |_| chart.with(Option::is_some));
    view! {
        <div class="outcomes">
            <Frontier/>
            <section class="tried" aria-labelledby="tried-title">
                <h3 id="tried-title">"Attempts over time"</h3>
                {move || if has.get() {
                    view! {
                        <TriedChart tried=chart dark=studio.view.dark/>
                        <Legend chart=chart/>
                    }.into_any()
                } else {
                    view! { <p class="empty">"No attempts yet."</p> }.into_any()
                }}
            </section>
        </div>
        <Attempts/>
    }
}

#[component]
fn Legend(chart: Memo<Option<PreparedChart>>) -> impl IntoView {
    let priced = move || chart.with(|c| c.as_ref().is_some_and(|c| c.priced));
    view! {
        <p class="hint legend">
            <span><span class="sign solved">"●"</span>" solved"</span>
            <span><span class="sign failed">"×"</span>" failed"</span>
            <span><span class="sign refuted">"□"</span>" ruled out"</span>
            <span><span class="line best"></span>{move || if priced() { " cheapest solved" } else { " fewest ports solved" }}</span>
            <span>{move || if priced() { "vertical: cost" } else { "vertical: ports of all switches, since prices are missing" }}</span>
        </p>
    }
}

/// Columns of the best hardware.
const FIGURES: [&str; 5] = ["NICs", "Ports", "Switches", "Cables", "Cost"];

/// A row: index of the cell, figures, reason for listing, note.
type Row = (usize, [String; 5], String, String);

/// The widths of a cell's switches in a column that says *Ports*.
fn widths(board: &Board, cell: &Cell) -> String {
    if cell.is_mix() { cell.widths(&board.ports).replace(" ports", "") } else { cell.ports.to_string() }
}

fn rows(board: &Board) -> Vec<Row> {
    let mut listed = board.frontier.clone();
    let best = board.best();
    listed.extend(best.map(|(index, _)| index));
    listed.sort_unstable();
    listed.dedup();
    let row = |index: usize| {
        let cell = board.cells.get(index)?;
        let figures = [
            cell.nis.to_string(),
            widths(board, cell),
            grouped(cell.switches.into()),
            grouped(cell.cables),
            match (cell.cost, cell.known_cost) {
                (Some(cost), _) => money(cost),
                (None, Some(known)) => format!("at least {}", money(known)),
                (None, None) => "–".into(),
            },
        ];
        let mark = match (best.filter(|(best, _)| *best == index), board.frontier.contains(&index)) {
            (Some((_, words)), true) => format!("{words}, frontier"),
            (Some((_, words)), false) => words.into(),
            (None, _) => "frontier".into(),
        };
        Some((index, figures, mark, cell.note.clone()))
    };
    listed.into_iter().filter_map(row).collect()
}

/// The frontier and the best cell.
#[component]
fn Frontier() -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let rows = Memo::new(move |_| studio.result.of_board(|b| rows(b.board())).unwrap_or_default());
    let over = Memo::new(move |_| studio.result.of_board(|b| b.is_over()).unwrap_or_default());
    view! {
        <section class="frontier" aria-labelledby="frontier-title">
            <h3 id="frontier-title">"Best hardware"</h3>
            {move || if rows.with(Vec::is_empty) {
                let words = if over.get() {
                    "No cell was solved. Try more time per cell, more NICs or wider switches."
                } else {
                    "No cell solved yet."
                };
                view! { <p class="empty">{words}</p> }.into_any()
            } else {
                view! {
                    <div class="scroll" tabindex="0" role="region" aria-label="Table of the best hardware">
                    <table class="data" id="frontier-table">
                        <thead><tr>
                            {FIGURES.map(|name| view! { <th scope="col" class="number">{name}</th> }).collect_view()}
                            <th scope="col">"Reason"</th>
                            <th scope="col">"Method"</th><th scope="col"><span class="sr">"Design"</span></th>
                        </tr></thead>
                        <tbody>{move || rows.get().into_iter().map(|(index, figures, mark, note)| {
                            let name = format!("Open design: {} NICs, {} ports", figures[0], figures[1]);
                            view! {
                                <tr>
                                    {FIGURES.into_iter().zip(figures).map(|(name, figure)| view! { <td class="number" data-name=name>{figure}</td> }).collect_view()}
                                    <td class="why">{mark}</td><td class="note">{note}</td>
                                    <td class="open"><button type="button" class="link" aria-label=name on:click=move |_| follower.open_cell(studio, index)>"Open"</button></td>
                                </tr>
                            }
                        }).collect_view()}</tbody>
                    </table>
                    </div>
                }.into_any()
            }}
        </section>
    }
}

/// Every attempt, newest first.
#[component]
fn Attempts() -> impl IntoView {
    let studio = Studio::here();
    let total = Memo::new(move |_| studio.result.of_board(|b| b.board().attempts.len()).unwrap_or_default());
    let open = RwSignal::new(false);
    let lines = move || {
        total.track();
        let of = |b: &Board| b.attempts.iter().rev().take(LISTED).map(|a| line(b, a)).collect::<Vec<_>>();
        studio.result.board.with_untracked(|b| b.as_ref().map(|b| of(b.board()))).unwrap_or_default()
    };
    let toggled =
        move |event: web_sys::Event| open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open());
    view! {
        <details class="attempts" id="attempts" hidden=move || total.get() == 0 on:toggle=toggled>
            <summary>{move || count(total.get() as u64, "attempt")}</summary>
            {move || open.get().then(|| view! {
                <div class="scroll" tabindex="0" role="region" aria-label="Attempts">
                <table class="data" id="attempts-table">
                    <thead><tr>
                        <th scope="col" class="number">"After"</th><th scope="col" class="number">"NICs"</th>
                        <th scope="col" class="number">"Ports"</th><th scope="col" class="number">"Switches"</th>
                        <th scope="col" class="number">"Cost"</th>
                        <th scope="col">"Outcome"</th><th scope="col" class="number">"Uncovered pairs"</th>
                    </tr></thead>
                    <tbody>{move || lines().into_iter().map(|[after, nis, ports, switches, cost, outcome, left]| view! {
                        <tr>
                            <td class="number">{after}</td><td class="number">{nis}</td><td class="number">{ports}</td>
                            <td class="number">{switches}</td><td class="number">{cost}</td><td>{outcome}</td><td class="number">{left}</td>
                        </tr>
                    }).collect_view()}</tbody>
                </table>
                </div>
                {move || (total.get() > LISTED).then(|| view! { <p class="hint">{format!("Showing the last {LISTED}.")}</p> })}
            })}
        </details>
    }
}

fn line(board: &Board, attempt: &Attempt) -> [String; 7] {
    let cell = board.index(attempt.nis, attempt.model).and_then(|index| board.cells.get(index));
    let outcome = match attempt.state {
        CellState::Solved | CellState::Implied => "solved",
        CellState::Refuted => "ruled out",
        CellState::Stock => "out of stock",
        CellState::Failed | CellState::Unknown | CellState::Trying => "failed",
    };
    [
        clock(attempt.elapsed),
        attempt.nis.to_string(),
        cell.map(|c| if c.is_mix() { "mixed".into() } else { c.ports.to_string() }).unwrap_or_default(),
        grouped(attempt.switches.into()),
        attempt.cost.map_or_else(|| "–".into(), money),
        outcome.into(),
        grouped(attempt.uncovered),
    ]
}

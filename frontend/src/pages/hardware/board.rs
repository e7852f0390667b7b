//! The results of a hardware search: a row per NIC count, a column per switch width, state and cost in each cell.

use crate::{
    browser,
    state::board::{Action, Drawn, Step, drawn, facts, opens},
    studio::{Studio, boards::BoardFollower},
};
use leptos::prelude::*;
use shared::hardware::{Board, CellState};

/// Class, word and meaning of each entry of the legend.
const LEGEND: [(&str, &str, &str); 8] = [
    ("solved", "solved", "a wiring was found"),
    ("implied", "implied", "the wiring of another solved cell fits"),
    ("trying", "trying", "in progress"),
    ("failed", "failed", "no wiring found, but not proven impossible"),
    ("refuted", "ruled out", "proven impossible"),
    ("stock", "out of stock", "needs more switches than the stock has"),
    ("solved frontier", "solved", "frontier: fewer NICs need wider switches, narrower switches more NICs"),
    ("cheapest", "cheapest", "cheapest solved cell"),
];

/// The table with its legend and the details of one cell.
#[component]
pub fn BoardTable() -> impl IntoView {
    let studio = Studio::here();
    let shape = Memo::new(move |_| {
        let of = |b: &Board| (b.nis_from, b.ports.clone(), b.cells.len());
        studio.result.board.with(|b| b.as_ref().map(|b| of(&b.view.board))).unwrap_or_default()
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
                        {ports.iter().map(|width| view! { <th scope="col">{*width}</th> }).collect_view()}
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
            {LEGEND.map(|(class, word, meaning)| view! {
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
        studio
            .result
            .board
            .with(|b| b.as_ref().map(|b| (drawn(&b.view.board, index), b.at == index)).unwrap_or_default())
    });
    let act = move |action| studio.result.act_on_board(action);
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
        act(Action::Go(step));
        let at = studio.result.board.with_untracked(|b| b.as_ref().map_or(0, |b| b.at));
        if let Some(button) = browser::element(&format!("cell-{at}")) {
            let _ = button.focus();
        }
    };
    let open = move |_| {
        act(Action::At(index));
        if cell.with_untracked(|(drawn, _)| drawn.opens) {
            follower.open_cell(studio, index);
        }
    };
    view! {
        <button type="button" id=format!("cell-{index}") class=move || cell.with(|(drawn, _)| class(drawn))
            tabindex=move || if cell.with(|(_, here)| *here) { "0" } else { "-1" }
            on:click=open on:keydown=step
            on:focus=move |_| act(Action::At(index))
            on:mouseenter=move |_| act(Action::Over(Some(index)))
            on:mouseleave=move |_| act(Action::Over(None))>
            <span class="sr">{move || cell.with(|(drawn, _)| format!("{}: ", drawn.place))}</span>
            <span class="word">{move || cell.with(|(drawn, _)| drawn.word)}</span>
            <span class="sr">" "</span>
            <span class="cost">{move || cell.with(|(drawn, _)| drawn.cost.clone())}</span>
            <span class="sr">{move || cell.with(|(drawn, _)| drawn.details.clone())}</span>
        </button>
    }
}

fn class(drawn: &Drawn) -> String {
    let state = match drawn.state {
        CellState::Unknown => "unknown",
        CellState::Trying => "trying",
        CellState::Solved => "solved",
        CellState::Implied => "implied",
        CellState::Failed => "failed",
        CellState::Refuted => "refuted",
        CellState::Stock => "stock",
    };
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
            Some((index, facts(&b.view.board, cell), opens(cell), cell.state.is_solved()))
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

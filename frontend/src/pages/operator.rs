//! The operator's page: all work of the studio with a stop for each, and the studio's budgets.

use crate::{
    api::{self, Answer},
    browser,
    state::{
        operator::{amount, kind, memory, share, state, used},
        words::{clock, problem_words},
    },
    studio::Studio,
    work::{Turn, Work, keep_current},
};
use leptos::prelude::*;
use shared::api::{BudgetView, ListedWork, OperatorView};

/// Storage key, per tab, of the operator's token.
const TOKEN: &str = "crosspoint.operator";
/// Milliseconds between an answer and the next request.
const PACE: u32 = 2000;

/// The page's signals.
#[derive(Clone, Copy)]
struct Watch {
    token: RwSignal<String>,
    /// Number of answers since the last request without a pause.
    round: RwSignal<u32>,
    /// The last list; `None` without the right to see it.
    view: RwSignal<Option<OperatorView>>,
    /// The problem of the last request.
    problem: RwSignal<Option<String>>,
    /// The token that the server refused, empty for none; `None` if it was accepted.
    refused: RwSignal<Option<String>>,
}

impl Watch {
    fn new() -> Watch {
        Watch {
            token: RwSignal::new(browser::stored_for_tab(TOKEN).unwrap_or_default()),
            round: RwSignal::new(0),
            view: RwSignal::new(None),
            problem: RwSignal::new(None),
            refused: RwSignal::new(None),
        }
    }

    /// Asks for the list, after a pause unless it is the first time.
    async fn ask(turn: Turn, round: u32, token: String) -> Option<Answer<OperatorView>> {
        if round > 0 {
            turn.wait(PACE).await?;
        }
        let stop = turn.abort_signal()?;
        api::operator(&token, &stop).await.transpose()
    }

    fn take(self, answer: Answer<OperatorView>) {
        let refused = answer.as_ref().is_err_and(|problem| problem.status == 403);
        self.problem.set(answer.as_ref().err().map(problem_words));
        self.refused.set(refused.then(|| self.token.get_untracked()));
        match answer {
            Ok(view) => self.view.set(Some(view)),
            Err(_) if refused => self.view.set(None),
            // The last list stays, marked as old.
            Err(_) => {}
        }
        if !refused {
            self.round.update(|round| *round += 1);
        }
    }

    /// Takes another token and asks at once.
    fn set_token(self, token: &str) {
        match token {
            "" => browser::forget_for_tab(TOKEN),
            token => browser::store_for_tab(TOKEN, token),
        }
        self.token.set(token.into());
        self.round.set(0);
    }

    /// The work of a row, while it is on the list.
    fn work(self, id: &str) -> Option<ListedWork> {
        self.view.with(|view| view.as_ref()?.work.iter().find(|work| work.id == id).cloned())
    }
}

/// The whole page.
#[component]
pub fn Operator() -> impl IntoView {
    let watch = Watch::new();
    keep_current(
        move |turn| Some(Watch::ask(turn, watch.round.get(), watch.token.get())),
        move |answer| watch.take(answer),
    );
    let is_refused = Memo::new(move |_| watch.refused.with(Option::is_some));
    let has_view = Memo::new(move |_| watch.view.with(Option::is_some));
    view! {
        <section class="operator" id="operator" aria-labelledby="operator-title">
            <div class="heading">
                <h2 id="operator-title">"All work of this studio"</h2>
                <p class="hint" hidden=move || !has_view.get()>"Updated every 2 s. Ids and clients are short hashes, as in the log."</p>
            </div>
            {move || is_refused.get().then(|| view! { <Token watch=watch/> })}
            <p class="fault" id="operator-problem" role="status" hidden=move || is_refused.get() || watch.problem.with(Option::is_none)>
                {move || watch.problem.get()}
                {move || has_view.get().then_some(" The list below is old.")}
            </p>
            {move || has_view.get().then(|| view! {
                <div class:stale=move || watch.problem.with(Option::is_some)>
                    <Jobs watch=watch/>
                    <Budgets watch=watch/>
                </div>
            })}
        </section>
    }
}

/// Asks for the operator's token.
#[component]
fn Token(watch: Watch) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let wrong = Memo::new(move |_| {
        let token = watch.token.get();
        !token.is_empty() && watch.refused.with(|refused| refused.as_ref() == Some(&token))
    });
    view! {
        <form class="operator-token" on:submit=move |event| {
            event.prevent_default();
            watch.set_token(typed.get_untracked().trim());
        }>
            <p>"This page is for the operator. Open it on the studio’s machine, or enter the token of "
                <code>"crosspoint serve --admin-token-file"</code>"."</p>
            <div class="field">
                <label for="operator-token">"Operator’s token"</label>
                <span class="entry">
                    <input id="operator-token" type="password" autocomplete="off" spellcheck="false"
                        aria-describedby="operator-wrong" prop:value=typed on:input=move |event| typed.set(event_target_value(&event))/>
                    <button type="submit" class="primary">"Open"</button>
                </span>
            </div>
            <p class="fault" id="operator-wrong" role="alert">{move || wrong.get().then_some("The studio does not accept this token.")}</p>
        </form>
    }
}

/// The table of all work.
#[component]
fn Jobs(watch: Watch) -> impl IntoView {
    let ids = Memo::new(move |_| {
        let all = |view: &Option<OperatorView>| {
            view.iter().flat_map(|view| &view.work).map(|work| work.id.clone()).collect::<Vec<_>>()
        };
        watch.view.with(all)
    });
    let stopping = Work::new();
    view! {
        <p class="empty" id="operator-empty" hidden=move || !ids.with(Vec::is_empty)>"No work at the moment."</p>
        <table class="data operator-jobs" id="operator-jobs" hidden=move || ids.with(Vec::is_empty)>
            <thead><tr>
                <th scope="col">"Work"</th><th scope="col">"Id"</th><th scope="col">"Client"</th><th scope="col">"State"</th>
                <th scope="col" class="number">"Time"</th><th scope="col" class="number">"Limit used"</th>
                <th scope="col" class="number">"Threads"</th><th scope="col" class="number">"Memory"</th>
                <th scope="col"><span class="unseen">"Stop"</span></th>
            </tr></thead>
            <tbody>
                // Rows stay while their figures change, so that the focus stays on a button.
                <For each=move || ids.get() key=Clone::clone children=move |id| view! { <Row watch=watch stopping=stopping id=id/> }/>
            </tbody>
        </table>
    }
}

#[component]
fn Row(watch: Watch, stopping: Work, id: String) -> impl IntoView {
    let studio = Studio::here();
    let work = {
        let id = id.clone();
        Memo::new(move |_| watch.work(&id))
    };
    let figure = move |read: fn(&ListedWork) -> String| move || work.with(|work| work.as_ref().map(read));
    let label = format!("Stop {} {id}", untrack(figure(kind)).unwrap_or_default().to_lowercase());
    let hash = id.clone();
    let stop = move |_| {
        let (id, token) = (id.clone(), watch.token.get_untracked());
        stopping.run(
            move |_| Some(async move { Some(api::stop_listed(&token, id).await) }),
            move |answer| {
                // Work that has just ended needs no stop.
                if let Err(problem) = answer
                    && problem.status != 404
                {
                    studio.view.show_problem(problem);
                }
                watch.round.set(0);
            },
        );
    };
    view! {
        <tr>
            <th scope="row">{figure(kind)}" "<code>{figure(|work| work.route.clone())}</code></th>
            <td data-label="Id"><code>{hash}</code></td>
            <td data-label="Client"><code>{figure(|work| work.owner.clone())}</code></td>
            <td data-label="State">{figure(state)}</td>
            <td data-label="Time" class="number">{figure(|work| clock(work.seconds))}</td>
            <td data-label="Limit used" class="number">{figure(share)}</td>
            <td data-label="Threads" class="number">{figure(|work| work.threads.to_string())}</td>
            <td data-label="Memory" class="number">{figure(memory)}</td>
            <td class="act"><button type="button" aria-label=label on:click=stop>"Stop"</button></td>
        </tr>
    }
}

/// The table of budgets.
#[component]
fn Budgets(watch: Watch) -> impl IntoView {
    let budgets =
        move || watch.view.with(|view| view.as_ref().map(|view| view.budgets.clone())).unwrap_or_default();
    let row = |budget: BudgetView| {
        let max = budget.max.map_or_else(|| "–".into(), |max| amount(&budget, max));
        view! {
            <tr>
                <th scope="row">{budget.label.clone()}</th>
                <td class="number">{amount(&budget, budget.used)}</td>
                <td class="number">{max}</td>
                <td class="number">{used(&budget).unwrap_or_else(|| "–".into())}</td>
            </tr>
        }
    };
    view! {
        <h3>"Budgets"</h3>
        <table class="data operator-budgets" id="operator-budgets">
            <thead><tr>
                <th scope="col">"Budget"</th><th scope="col" class="number">"In use"</th>
                <th scope="col" class="number">"Limit"</th><th scope="col" class="number">"Share"</th>
            </tr></thead>
            <tbody>{move || budgets().into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

//! The search panel: start, stop, chart, counters.

use crate::{
    browser,
    components::{
        Chart, FaultLinks, Fold, FormField, Icon, Mends, Part, PartCall, PictureCanvas, StartStop, Term,
        parts,
    },
    state::{
        draft::Action,
        improve::Aim,
        mends::is_unasked,
        picture,
        place::{Room, Side},
        quick::{QuickEnd, QuickResult},
        run::Run,
        terms::explanation,
        words::{budget, clock, count, fixed, grouped, percent, short},
    },
    studio::{
        OutdatedReason, Studio, ValidSpec, change,
        follow::is_of_others,
        late,
        navigate::Navigator,
        replay::Replayer,
        searches::{BoardFollower, RunFollower},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    analysis::bounds::Refusal,
    api::{Sample, WorkState},
    estimate::{duration, timing::has_traffic},
    form::{Described, Mend},
    search::{Progress as Report, SearchForm, SearchSettings, Weights},
    spec::{Fault, Objective, SpecForm},
};
use std::sync::Arc;

/// The panel on the right of a session.
#[component]
pub fn SearchPanel(children: Children) -> impl IntoView {
    let studio = Studio::here();
    let viewing = studio.view.viewing;
    let has_run = Memo::new(move |_| studio.result.run.with(Option::is_some));
    let has_wiring = Memo::new(move |_| has_run.get() || studio.result.held.with(Option::is_some));
    let has_search = Memo::new(move |_| has_run.get() || quickly(studio).is_some());
    let solved = Memo::new(move |_| {
        let holds = studio.result.of_judged(|j| j.verdict.holds()).unwrap_or_default();
        holds
            && studio.result.outdated().is_none()
            && !studio.result.is_searching()
            && !studio.result.is_replaying()
    });
    view! {
        <section class="panel search" id="search" aria-labelledby="search-title">
            <div class="pinned">
                <div class="heading">
                    <h2 id="search-title">"Search"</h2>
                    <p class="run-state" id="run-state" role="status">{move || state(studio)}</p>
                    <Fold words="Hide the search" right=true on_fold=move || studio.view.fold(Side::Right)/>
                </div>
                <Controls/>
                {move || has_wiring.get().then(|| view! { <Part of=headline/> })}
            </div>
            {move || (!viewing.get()).then(|| view! { <Settings/><WhileTyping/> })}
            <Watchers/>
            <Refused/>
            {move || has_search.get().then(|| view! { <Part of=progress/> })}
            {move || (solved.get() && !viewing.get()).then(|| view! { <Part of=next_steps/> })}
            {children()}
        </section>
    }
}

parts! {
    results {
        /// The main figure of the search.
        headline() -> AnyView { view! { <Headline/> }.into_any() }
        /// The proof that no wiring can exist.
        refused() -> AnyView { view! { <Proof/> }.into_any() }
        /// The progress of the search.
        progress() -> AnyView { view! { <Progress/> }.into_any() }
        /// What to do with a solved design.
        next_steps() -> AnyView { view! { <NextSteps/> }.into_any() }
    }
}

/// The quick search that found the wiring on screen, unless a search is on screen.
fn quickly(studio: Studio) -> Option<Arc<QuickResult>> {
    let found = studio.result.of_held(|held| held.found.clone()).flatten()?;
    (studio.result.run.with(Option::is_none) && studio.result.outdated().is_none()).then_some(found)
}

/// The state of the search on screen, else of the quick search.
fn state(studio: Studio) -> Option<String> {
    let outdated = studio.result.is_run_outdated();
    let of_run = studio.result.of_run(|run| run.state_words_for(outdated));
    of_run.or_else(|| match (quickly(studio), studio.result.quick.ended.get()) {
        (Some(found), _) if found.solved => Some("Solved".into()),
        (Some(found), _) => Some(format!("Best of {} ms", fixed(1000.0 * found.limit, 0))),
        (None, QuickEnd::Longer(limit)) => Some(format!("Takes more than {} ms", fixed(limit, 0))),
        (None, _) => None,
    })
}

/// The switch of quick searches.
#[component]
fn WhileTyping() -> impl IntoView {
    let quick = Studio::here().result.quick;
    view! {
        <label class="check" title="Searches for a wiring after each change of the spec, for up to 100 ms">
            <input type="checkbox" id="quick" prop:checked=move || quick.is_on() prop:disabled=move || quick.ended.get() == QuickEnd::Off
                on:change=move |event| quick.switch(event_target_checked(&event))/>
            {move || if quick.ended.get() == QuickEnd::Off { "Search while typing (turned off in this studio)" } else { "Search while typing" }}
        </label>
    }
}

#[component]
fn Progress() -> impl IntoView {
    let studio = Studio::here();
    let history =
        Memo::new(move |_| studio.result.of_run(|r| r.view.report.history.clone()).unwrap_or_default());
    // With one wiring and no generation there is nothing to count.
    let constructed = Memo::new(move |_| {
        let solved = |r: &Run| {
            r.view.state == WorkState::Solved
                && r.progress().generation == 0
                && r.progress().revision <= 1
                && !r.replays
        };
        let quickly = || quickly(studio).is_some_and(|found| found.is_constructed());
        studio.result.of_run(solved).unwrap_or_else(quickly)
    });
    let has_run = Memo::new(move |_| studio.result.run.with(Option::is_some));
    view! {
        <Replay/>
        {move || match (constructed.get(), has_run.get()) {
            (true, _) => view! { <Construction/> }.into_any(),
            (false, true) => view! {
                <Chart history=history dark=studio.view.dark/>
                <Legend history=history/>
            }
            .into_any(),
            (false, false) => ().into_any(),
        }}
        <details class="source" id="search-details">
            <summary>"Search details"</summary>
            <p class="trying" id="trying">{move || method(studio)}</p>
            {move || (has_run.get() && !constructed.get()).then(|| view! { <Counters/> })}
        </details>
    }
}

/// What the search tries, or how it found its wiring.
fn method(studio: Studio) -> Option<String> {
    let of_run = studio.result.of_run(|run| match run.is_over() && !run.replays {
        true => run.view.report.method.clone(),
        false => run.progress().trying.clone(),
    });
    of_run.or_else(|| quickly(studio).map(|found| found.method.clone()))
}

/// Plays an ended search back.
#[component]
fn Replay() -> impl IntoView {
    let studio = Studio::here();
    let replayer = Replayer::new(studio);
    let is_open = Memo::new(move |_| replayer.is_open());
    let can_open = Memo::new(move |_| {
        let has_wiring = studio.result.of_held(|held| held.revision.is_some()).unwrap_or_default();
        let has_more = |run: &Run| run.is_over() && run.progress().revision > 1;
        has_wiring && studio.result.of_run(has_more).unwrap_or_default() && studio.result.outdated().is_none()
    });
    let escape = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" {
            replayer.leave(studio);
        }
    });
    on_cleanup(move || escape.remove());
    move || {
        match (is_open.get(), can_open.get()) {
        (true, _) => view! { <ReplayBar replayer=replayer/> }.into_any(),
        (false, true) => view! {
            <p class="replay-open"><button type="button" id="replay" title="Plays the search back in about 10 seconds"
                on:click=move |_| replayer.open(studio)>"Replay"</button></p>
        }
        .into_any(),
        (false, false) => ().into_any(),
    }
    }
}

/// Play and pause, a slider over the frames, and the time on screen.
#[component]
fn ReplayBar(replayer: Replayer) -> impl IntoView {
    let studio = Studio::here();
    let words = Memo::new(move |_| replayer.words(studio));
    let on_input = move |event| {
        if let Ok(at) = event_target_value(&event).parse() {
            replayer.pause();
            replayer.show(studio, at);
        }
    };
    view! {
        <div class="replay" role="group" aria-label="Replay">
            <button type="button" id="replay-play" on:click=move |_| replayer.toggle(studio)>
                {move || if replayer.is_playing() { "Pause" } else { "Play" }}
            </button>
            <input type="range" id="replay-at" min="0" max=move || replayer.last() step="1" aria-label="Time of the search"
                aria-valuetext=words prop:value=move || replayer.at().to_string() on:input=on_input/>
            <button type="button" class="plain" id="replay-close" aria-label="Close the replay" title="Close (Escape)"
                on:click=move |_| replayer.leave(studio)><Icon name="close"/></button>
            <p class="hint" id="replay-now">{words}</p>
        </div>
    }
}

/// The wiring that a construction found: its switches against its nodes.
#[component]
fn Construction() -> impl IntoView {
    let studio = Studio::here();
    let drawn = Memo::new(move |_| studio.result.of_judged(|judged| picture::of_wiring(&judged.design)));
    view! {
        <figure class="construction" id="construction">
            <PictureCanvas picture=Signal::derive(move || drawn.get()) dark=studio.view.dark label="Nodes across, switches down"/>
            <figcaption class="hint">"Nodes across, switches down. The first wiring was complete, so the search has no statistics."</figcaption>
        </figure>
    }
}

#[component]
fn Legend(history: Memo<Vec<Sample>>) -> impl IntoView {
    let last = |read: fn(&Sample) -> u64| move || history.with(|h| h.last().map_or(0, read));
    let (islands, restarts) = (last(|s| s.islands.len() as u64), last(|s| s.restarts));
    let by_weight = move || history.with(|h| h.last().is_some_and(|last| last.weight.is_some()));
    let by_time = move || history.with(|h| h.last().is_some_and(|last| last.time.is_some()));
    view! {
        <p class="hint legend" id="chart-legend">
            <span class="entry"><span class="line best"></span>"best"</span>
            {move || (!by_time()).then(|| view! { <span class="entry"><span class="line median"></span>"median"</span> })}
            {move || by_time().then(|| view! { <span class="entry">"time of a step"</span> })}
            {move || by_weight().then(|| view! { <span class="entry">"of the weight covered"</span> })}
            {move || (islands() > 1 && !by_time()).then(|| view! {
                <span class="entry"><span class="line island"></span>{count(islands(), "island")}</span>
            })}
            {move || (restarts() > 0).then(|| view! {
                <span class="entry"><span class="tick"></span>{count(restarts(), "restart")}</span>
            })}
        </p>
    }
}

/// Reason of a spec that asks for nothing yet.
const UNASKED: &str = "Add a pattern first.";

/// Reason why the search cannot start; `None` if it can.
fn blocked_reason(studio: Studio) -> Option<&'static str> {
    match &studio.result.faults()[..] {
        [] => {}
        // Somebody has only begun.
        [only] if is_unasked(only) => return Some(UNASKED),
        _ => return Some("Fix the spec first."),
    }
    if studio.session.search.with(|form| form.read().is_err()) {
        return Some("Fix the fields below.");
    }
    if studio.result.of_asked(|a| a.refusal().is_some()).unwrap_or_default() {
        return Some("No wiring can exist. See the proof below.");
    }
    None
}

/// `true` if the search on screen ended with something left to search for, and its spec is that on screen.
fn can_continue(studio: Studio) -> bool {
    let ended = [WorkState::Exhausted, WorkState::Cancelled];
    studio.result.of_run(|run| ended.contains(&run.view.state) && !run.replays).unwrap_or_default()
        && studio.result.outdated().is_none()
}

#[component]
fn Controls() -> impl IntoView {
    let studio = Studio::here();
    let follower = RunFollower::here();
    let reason = Memo::new(move |_| blocked_reason(studio));
    let live = Memo::new(move |_| studio.result.is_searching());
    let of_others = is_of_others(move || studio.result.of_run(|r| r.view.id.clone()));
    let stopping = move || studio.result.of_run(|r| !r.connection.can_stop()).unwrap_or_default();
    let is_blocked = move || !live.get() && reason.get().is_some();
    let elapsed = |r: &Run| match r.progress().elapsed {
        short if r.is_over() => short_clock(short),
        elapsed => clock(elapsed),
    };
    let elapsed = move || {
        let found = || quickly(studio).map(|found| short_clock(found.seconds));
        studio.result.of_run(elapsed).or_else(found)
    };
    let of = move |read: fn(&Run) -> String| move || studio.result.of_run(read);
    view! {
        <div class="controls">
            {move || (live.get() || !studio.view.viewing.get()).then(|| view! {
                <StartStop ids=("start", "stop") live=live of_others=of_others blocked=Signal::derive(move || reason.get().is_some()) reason="start-reason"
                    stopping=Signal::derive(stopping) on_start=move || studio.act(move || late::start_search(follower, studio)) on_stop=move || studio.act(move || late::stop_search(follower, studio))/>
            })}
            {move || (can_continue(studio) && !studio.view.viewing.get()).then(|| view! {
                <button type="button" id="continue" title="Search longer, by the limit below"
                    on:click=move |_| studio.act(move || late::continue_search(follower, studio))>"Continue"</button>
            })}
            <span class="clock" id="elapsed" hidden=is_blocked>{elapsed}</span>
            <span class="budget" hidden=is_blocked>{of(settings)}</span>
            <div class=move || if reason.get() == Some(UNASKED) { "hint reason" } else { "fault reason" } id="start-reason" hidden=move || !is_blocked()>
                {move || reason.get()}
                <FaultLinks fields=Signal::derive(move || studio.fields_at_fault())/>
            </div>
        </div>
    }
}

/// The time of an ended search. A clock would show 00:00 for most.
fn short_clock(elapsed: f64) -> String {
    match elapsed {
        short if short < 1.0 => format!("{} ms", fixed(1000.0 * short, 0)),
        short if short < 10.0 => format!("{} s", fixed(short, 1)),
        elapsed => clock(elapsed),
    }
}

/// Limit, seed and threads.
fn settings(run: &Run) -> String {
    let words = |settings: SearchSettings| budget(settings.budget, settings.seed, Some(run.view.threads));
    run.settings().map(words).unwrap_or_default()
}

#[component]
fn Settings() -> impl IntoView {
    let form = Studio::here().session.search;
    let faults =
        Memo::new(move |_| form.with(|form| form.read()).err().map_or_else(Vec::new, |faults| faults.0));
    let by_effort = Memo::new(move |_| form.with(|form| form.unit == "effort"));
    let shown = move |key: &'static str| {
        let field = move || view! { <FormField form=form name="search" key=key faults=faults/> };
        // The limit in the other unit is not in use.
        match key {
            "budget.seconds" => (move || (!by_effort.get()).then(field)).into_any(),
            "budget.effort" => (move || by_effort.get().then(field)).into_any(),
            _ => field().into_any(),
        }
    };
    view! { <div class="row settings">{SearchForm::SCHEMA.fields.iter().map(|field| shown(field.key)).collect_view()}</div> }
}

/// Number of watchers, and a button for a notification at the end.
#[component]
fn Watchers() -> impl IntoView {
    let studio = Studio::here();
    let watching = Memo::new(move |_| studio.result.of_run(Run::watchers_words).flatten());
    let live = Memo::new(move |_| studio.result.is_searching());
    let notifies = Memo::new(move |_| studio.result.of_run(|run| run.notifies).unwrap_or_default());
    let of_others = is_of_others(move || studio.result.of_run(|r| r.view.id.clone()));
    let can_notify = browser::has_notifications();
    let notify = move |_| {
        let id = studio.result.run.with_untracked(|run| run.as_ref().map(|run| run.view.id.clone()));
        spawn_local(async move {
            match browser::ask_for_notifications().await {
                true => change(studio.result.run, |run| run.notifies |= Some(&run.view.id) == id.as_ref()),
                false => studio
                    .view
                    .show_error("The browser does not allow notifications of this page.", Vec::new()),
            }
        });
    };
    view! {
        <p class="hint watchers" role="status">
            <span id="watchers">{move || watching.get()}</span>
            {move || match (live.get() && of_others.get() && can_notify, notifies.get()) {
                (false, _) => ().into_any(),
                (true, true) => "You get a notification at the end.".into_any(),
                (true, false) => view! { <button type="button" id="notify-me" class="link" on:click=notify>"Notify me"</button> }.into_any(),
            }}
        </p>
    }
}

/// The proof that no wiring can exist.
#[component]
fn Refused() -> impl IntoView {
    let studio = Studio::here();
    let is_refused = Memo::new(move |_| refusal(studio).is_some());
    move || is_refused.get().then(|| view! { <Part of=refused/> })
}

/// Proof that the spec on screen has no wiring.
fn refusal(studio: Studio) -> Option<Refusal> {
    let valid = studio.result.resolved.with(Result::is_ok);
    studio.result.of_asked(|a| a.refusal().cloned()).flatten().filter(|_| valid)
}

#[component]
fn Proof() -> impl IntoView {
    let studio = Studio::here();
    let refusal = Memo::new(move |_| refusal(studio));
    let line = move |fault: &Fault| {
        let mends: Vec<Mend> = studio
            .session
            .draft
            .with_untracked(|draft| fault.mends.iter().map(|mend| draft.lasting(mend.clone())).collect());
        let words = fault.labelled(SpecForm::SCHEMA).to_string();
        view! {
            <li>{words.clone()}<Mends label=words mends=mends on_mend=move |mend| studio.edit(Action::Mend(vec![mend]))/></li>
        }
    };
    view! {
        {move || refusal.get().map(|refusal| view! {
            <div class="refusal" id="refusal" role="status">
                <h3>"No wiring can exist"</h3>
                {refusal.proof.lines().map(|line| view! { <p>{line.to_owned()}</p> }).collect_view()}
                <p>"Values that meet this bound:"</p>
                <ul>{refusal.faults.iter().map(line).collect_view()}</ul>
            </div>
        })}
    }
}

/// What people do next with a design that serves all pairs.
#[component]
fn NextSteps() -> impl IntoView {
    let studio = Studio::here();
    let (navigator, follower) = (Navigator::here(), RunFollower::here());
    let show = move |room: Room| {
        navigator.enter(room);
        browser::focus(&room.id());
    };
    let improve = move |aim: Aim| studio.act(move || late::improve(studio, aim));
    let trying = Memo::new(move |_| studio.result.improving.trying.get());
    // Rails have equally many switches on every plane.
    let has_rails = move || studio.result.of_asked(|asked| asked.spec.rail).unwrap_or_default();
    // One model, and a wiring with more switches than proven necessary.
    let fewer = Memo::new(move |_| {
        let used = studio.result.of_held(|held| held.design.used_switches())?;
        let bound = studio.result.of_asked(|asked| {
            let least = asked.limits().map_or(1, |limits| limits.bounds.switches.switches);
            (asked.spec.switches.len() == 1).then_some(least)
        });
        (used > bound.flatten()? && !has_rails()).then_some(used)
    });
    // A training job whose bytes are known, in a search for another objective.
    let can_be_faster = move || {
        let of_job = |asked: &ValidSpec| {
            asked.spec.objective != Objective::Time && !asked.spec.jobs.is_empty() && has_traffic(&asked.spec)
        };
        studio.result.of_asked(of_job).unwrap_or_default()
    };
    let boards = BoardFollower::here();
    let cheaper = move |_| {
        navigator.go(navigator.hardware());
        if studio.result.board.with_untracked(Option::is_none) {
            boards.start(studio);
        }
    };
    let next_seed = move |_| {
        studio.session.search.update(|form| {
            let seed = form.seed.trim().parse::<u64>().unwrap_or(1);
            form.seed = seed.wrapping_add(1).to_string();
        });
        studio.act(move || late::start_search(follower, studio));
    };
    // The pairs of a training job have one link.
    let can_survive = move || {
        let of_patterns =
            |asked: &ValidSpec| asked.spec.objective != Objective::Universal && asked.spec.jobs.is_empty();
        studio.result.of_asked(of_patterns).unwrap_or_default()
    };
    view! {
        <div class="next" id="next">
            <div class="title">
                {move || match trying.get() {
                    None => view! { <h3>"Next"</h3> }.into_any(),
                    Some(words) => view! {
                        <p class="improving" role="status"><span id="improving" title=words.clone()>{words.clone()}" …"</span>
                            <button type="button" id="improve-stop" title="Keeps the best design found so far" on:click=move |_| studio.act(move || late::stop_improving(studio))>"Stop"</button></p>
                    }.into_any(),
                }}
            </div>
            <div class="actions" inert=move || trying.with(Option::is_some)>
                <button type="button" id="next-labels" on:click=move |_| show(Room::Labels)>"Print labels"</button>
                <button type="button" id="next-report" title="The design on paper, as PDF" on:click=move |_| studio.act(move || late::get_report(studio))>"Get report"</button>
                <button type="button" id="next-files" on:click=move |_| show(Room::Export)>"Get files"</button>
                {move || fewer.get().is_some().then(|| view! {
                    <button type="button" id="next-fewer" title="Searches with fewer switches, down to the proven minimum or until the time limit" on:click=move |_| improve(Aim::Fewer)>"Fewer switches"</button>
                })}
                {move || (!has_rails()).then(|| view! {
                    <button type="button" id="next-cheaper" title="Searches with fewer NICs and other switches, on the Hardware page" on:click=cheaper>"Cheaper hardware"</button>
                })}
                {move || can_survive().then(|| view! {
                    <button type="button" id="next-survive" on:click=move |_| improve(Aim::Survive)
                        title="Searches for a wiring in which each requested pair shares a second switch, with as few additional \
                            switches as possible">
                        "Survive a switch failure"</button>
                })}
                {move || can_be_faster().then(|| view! {
                    <button type="button" id="next-faster" title="Searches for the shortest training step on the same hardware" on:click=move |_| improve(Aim::Faster)>"Faster"</button>
                })}
                <button type="button" id="next-seed" title="Searches again from the next seed" on:click=next_seed>"Try next seed"</button>
            </div>
        </div>
    }
}

/// A word of the counters with its explanation.
fn term(word: &'static str) -> impl IntoView {
    let view = Studio::here().view;
    view! { <Term word=word about=explanation(word) on_open=move || view.explain(word)/> }
}

/// Shown instead of an unknown value.
const UNKNOWN: &str = "–";

/// The wiring that headline, map and list of pairs describe.
fn which(studio: Studio) -> String {
    let Some(coverage) = studio.result.coverage() else { return "No wiring yet".into() };
    if studio.result.outdated() == Some(OutdatedReason::Faults) {
        return "Of the last valid spec".into();
    }
    let best = if studio.result.is_searching() { "Best so far" } else { "Best found" };
    match studio.result.of_judged(|j| j.revision).flatten() {
        Some(revision) if studio.result.is_replaying() => {
            format!("Replay, improvement {}", grouped(revision))
        }
        Some(revision) if !coverage.is_ahead => format!("{best}, improvement {}", grouped(revision)),
        _ if coverage.is_ahead => format!("{best}; the map shows an earlier wiring"),
        _ => best.into(),
    }
}

/// Uncovered pairs of the search's best wiring, or its covered weight for a fractional objective, and the search's state.
#[component]
fn Headline() -> impl IntoView {
    let studio = Studio::here();
    let coverage = Memo::new(move |_| studio.result.coverage());
    let uncovered = move || coverage.get().map_or_else(|| UNKNOWN.into(), |c| grouped(c.uncovered));
    // The number of pairs on screen is not that of an earlier spec.
    let requested = move || {
        let pairs = studio.result.of_asked(|asked| asked.demand.len() as u64);
        pairs.filter(|_| !studio.result.is_run_outdated()).map(|pairs| format!("of {} ", grouped(pairs)))
    };
    let weight = Memo::new(move |_| coverage.get().and_then(|coverage| coverage.weight));
    let which = move || which(studio);
    let time = Memo::new(move |_| {
        let of_run = studio.result.of_run(|run| run.progress().time).flatten();
        of_run.or_else(|| studio.result.of_judged(|judged| judged.time).flatten())
    });
    // The reason of a failure, the fate of the search after the server has stopped, or the workers that it leaves to others.
    let message = move || studio.result.of_run(|r| r.view.message.clone()).unwrap_or_default();
    let failed = move || studio.result.of_run(|r| r.view.state == WorkState::Failed).unwrap_or_default();
    let with_failed = move || {
        let damage = studio.result.damage.get()?;
        let verdict = studio.result.of_judged(|j| j.verdict.clone())?;
        let left = match weight.get() {
            Some(_) => {
                let share = studio.result.of_asked(|asked| damage.weight_served(&asked.demand, &verdict))?;
                format!("{} of the weight covered", percent(share))
            }
            None => format!("{} uncovered", grouped(damage.uncovered(&verdict.uncovered))),
        };
        Some(format!("With {} failed: {left}", damage.parts))
    };
    view! {
        <p class="headline">
            // Weight or time matters more than the number of pairs, if the objective is that.
            {move || match (weight.get(), time.get()) {
                (_, Some(time)) => view! {
                    <span id="headline-time">"step "<strong>{duration(time.best)}</strong>{format!(", at least {}", duration(time.bound))}</span>
                    <span class="hint"><span id="uncovered">{uncovered}</span>" "{requested}"uncovered"</span>
                }.into_any(),
                (Some(share), None) => view! {
                    <span id="headline-weight"><strong>{percent(share)}</strong>" of the weight covered"</span>
                    <span class="hint"><span id="uncovered">{uncovered}</span>" "{requested}"uncovered"</span>
                }.into_any(),
                (None, None) => view! { <strong id="uncovered">{uncovered}</strong>" "{requested}"uncovered" }.into_any(),
            }}
            <span class="if-failed" id="headline-failed">{with_failed}</span>
            <span class="hint" id="headline-which">{which}</span>
        </p>
        <p class="run-message" id="run-message" class:fault=failed hidden=move || message().is_empty()>{message}</p>
    }
}

/// A share of the weight for a fractional objective, else a count.
fn share_or_count(report: &Report, read: fn(&Weights) -> f64, count: u64) -> String {
    report.weight.as_ref().map_or_else(|| grouped(count), |weight| percent(read(weight)))
}

/// Counters of a genetic search.
#[component]
fn Counters() -> impl IntoView {
    let studio = Studio::here();
    // Unknown until the search has found a wiring, or done some work.
    let of_best = move |read: fn(&Run) -> String| {
        move || studio.result.of_run(|r| if r.progress().revision > 0 { read(r) } else { UNKNOWN.into() })
    };
    let of_work = move |read: fn(&Run) -> String| {
        move || studio.result.of_run(|r| if r.progress().elapsed > 0.0 { read(r) } else { UNKNOWN.into() })
    };
    let covered = of_best(|r| percent(r.progress().weight.as_ref().map_or(r.progress().covered, |w| w.best)));
    view! {
        <dl class="counters">
            <div><dt>{term("covered")}</dt><dd id="covered">{covered}</dd></div>
            <div><dt>{term("generation")}</dt><dd id="generation">{of_work(|r| grouped(r.progress().generation))}</dd></div>
            <div><dt>{term("latest")}</dt><dd>{of_best(|r| share_or_count(r.progress(), |w| w.best, r.progress().best))}</dd></div>
            <div><dt>{term("median")}</dt><dd>{of_best(|r| share_or_count(r.progress(), |w| w.median, r.progress().median))}</dd></div>
            <div><dt>{term("diversity")}</dt><dd>{of_best(|r| fixed(r.progress().diversity, 2))}</dd></div>
            <div><dt>{term("wirings")}</dt><dd>{of_work(|r| short(r.progress().individuals as f64))}</dd></div>
            <div><dt>{term("wirings/s")}</dt><dd>{of_work(|r| short(r.progress().individuals_per_second))}</dd></div>
            <div><dt>{term("moves/s")}</dt><dd>{of_work(|r| short(r.progress().moves_per_second))}</dd></div>
        </dl>
    }
}

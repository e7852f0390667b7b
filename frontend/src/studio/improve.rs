//! Improvements of the design on screen: searches in steps down to the bound, as one step of the spec that can be undone.

use super::{ShownWiring, Studio, ValidSpec};
use crate::{
    api, browser,
    state::{
        draft::Action,
        improve::{Aim, Descent, Figures, difference},
        quick::QuickResult,
        words::{count, problem_words},
    },
    work::Turn,
};
use leptos::prelude::*;
use shared::{
    analysis::cost::cost,
    api::{ExportRequest, FormTexts, QuickView, SearchReport, StartWork, WorkKind, WorkState},
    estimate::timing::Timing,
    exports::formats,
    form::Form,
    search::{Budget, SearchForm, SearchSettings, StepTime},
    spec::Spec,
};

/// Path of the number of switches of the only model.
const COUNT: &str = "switch[0].count";
/// Path of the number of NICs of each node.
const NICS: &str = "nics_per_node";
/// Max NICs per node to add.
const MORE_NICS: u32 = 3;

/// Starts an improvement.
pub fn start(studio: Studio, aim: Aim) {
    let (asked, held) = (studio.result.asked.get_untracked(), studio.result.held.get_untracked());
    let Some((asked, held)) = asked.zip(held) else { return };
    let improving = studio.result.improving;
    improving.best.set_value(None);
    improving.start.set_value(Some((studio.session.text_now(), figures(&asked.spec, &held), aim)));
    improving.trying.set(Some("Starting".into()));
    studio.view.notice.set(None);
    improving.work.run(
        move |turn| {
            Some(async move {
                match aim {
                    Aim::Fewer => fewer(turn, studio, &asked, &held).await,
                    Aim::Survive => survive(turn, studio).await,
                    Aim::Faster => faster(turn, studio).await,
                }
            })
        },
        move |outcome: Result<(), String>| finish(studio, outcome, ""),
    );
}

/// Ends an improvement; what it has found so far counts.
pub fn stop(studio: Studio) {
    studio.result.improving.work.cancel();
    finish(studio, Ok(()), "Stopped. ");
}

/// Downloads the report of the design on screen.
pub fn report(studio: Studio) {
    let Some(held) = studio.result.held.get_untracked() else { return };
    let improving = studio.result.improving;
    improving.start.set_value(None);
    improving.trying.set(Some("Writing the report".into()));
    studio.view.notice.set(None);
    let formats: Vec<_> = formats().filter(|format| format.name == "report").collect();
    let with = untrack(|| studio.choices()).of_any(&formats);
    let what = ExportRequest { spec: held.spec_text.to_string(), table: held.table.to_string(), with };
    improving.work.run(
        move |turn| {
            Some(async move { Some(api::export("report", None, &what, &turn.abort_signal()?, |_| ()).await) })
        },
        move |answer| {
            improving.trying.set(None);
            match answer {
                Ok(Some(file)) => browser::download(&file.name, &file.blob),
                Ok(None) => {}
                Err(problem) => studio.view.show_problem(problem),
            }
        },
    );
}

/// Shows the best design found, and offers the former one. The words of the message follow `start`.
fn finish(studio: Studio, outcome: Result<(), String>, start: &str) {
    let improving = studio.result.improving;
    improving.trying.set(None);
    if improving.start.with_value(Option::is_none) {
        return;
    }
    let (Some(best), Some((text, before, aim))) = (improving.best.get_value(), improving.start.get_value())
    else {
        let words =
            outcome.err().unwrap_or_else(|| "No better design found. Your design is unchanged.".into());
        return studio.view.notify(start.to_owned() + &words);
    };
    // The person has gone on with another spec.
    if studio.session.text_now() != text {
        return;
    }
    let words = difference(before, figures(&best.spec, &best));
    let words = match (words, aim) {
        (Some(words), Aim::Survive) => format!("{start}Survives the failure of any one switch: {words}"),
        (Some(words), _) => start.to_owned() + &words,
        (None, Aim::Survive) => "Survives the failure of any one switch, on the same hardware".into(),
        (None, _) => {
            return studio.view.notify(format!("{start}No better design found. Your design is unchanged."));
        }
    };
    studio.edit(Action::Replace(best.spec_text.to_string()));
    studio.take_wiring(best);
    studio
        .view
        .offer(words, "Back to the former design".into(), move || studio.edit(Action::Replace(text.clone())));
}

fn figures(spec: &Spec, held: &ShownWiring) -> Figures {
    let step = Timing::of(spec).and_then(|timing| timing.on(&held.design)).map(|seconds| seconds.step);
    let price = cost(spec, &held.design).0.complete();
    Figures {
        nics: spec.pe_groups.iter().map(|group| group.nis).max().unwrap_or_default(),
        switches: held.design.used_switches(),
        limit: spec.switch_limit(),
        bare: spec.total_nis().saturating_sub(held.design.cables() as u64),
        price,
        step,
    }
}

/// The text of the spec on screen after an action.
fn text_after(studio: Studio, actions: impl IntoIterator<Item = Action>) -> String {
    let mut draft = studio.session.draft.get_untracked();
    actions.into_iter().for_each(|action| draft.update(action));
    draft.document().text.clone()
}

fn set(path: &str, value: impl ToString) -> Action {
    Action::Set { path: path.into(), text: value.to_string() }
}

fn with_count(count: &str) -> Action {
    set(COUNT, count)
}

/// Descends to the least number of switches.
async fn fewer(
    turn: Turn,
    studio: Studio,
    asked: &ValidSpec,
    held: &ShownWiring,
) -> Option<Result<(), String>> {
    let bound = asked.limits().map_or(1, |limits| limits.bounds.switches.switches);
    descend(turn, studio, Descent::from(held.design.used_switches(), bound), &[]).await?;
    Some(Ok(()))
}

async fn descend(turn: Turn, studio: Studio, mut descent: Descent, first: &[Action]) -> Option<()> {
    let improving = studio.result.improving;
    let mut seconds = seconds(studio);
    while let Some((number, is_long)) = descent.next() {
        improving.trying.set(Some(format!("Trying {}", count(number.into(), "switch"))));
        let text = text_after(studio, first.iter().cloned().chain([set(COUNT, number)]));
        let began = browser::now();
        let found = match is_long {
            true => long(turn, studio, text, seconds).await?.ok().flatten(),
            false => short(turn, studio, text).await?,
        };
        // All long tries together have the time limit of one search.
        if is_long {
            seconds = (seconds - (browser::now() - began) as f64 / 1000.0).max(0.1);
        }
        descent.tried(found.as_ref().map(|held| held.design.used_switches()));
        if found.is_some() {
            improving.best.set_value(found);
        }
    }
    Some(())
}

/// Gives each requested pair a second shared switch: on the hardware of the spec, else with more switches, else with more NICs.
async fn survive(turn: Turn, studio: Studio) -> Option<Result<(), String>> {
    let improving = studio.result.improving;
    let nics =
        studio.session.draft.with_untracked(|draft| draft.document().form.text_at(NICS).map(str::to_owned));
    let nics = nics.and_then(|nics| nics.trim().parse::<u32>().ok());
    let more = nics.into_iter().flat_map(|nics| (1..=MORE_NICS).map(move |more| nics + more));
    let more = more.map(|nics| vec![Action::Survive, with_count(""), set(NICS, nics)]);
    let tries = [vec![Action::Survive], vec![Action::Survive, with_count("")]].into_iter().chain(more);
    improving.trying.set(Some("Trying a second shared switch for each pair".into()));
    for actions in tries {
        if let Some(found) = short(turn, studio, text_after(studio, actions.clone())).await? {
            let descent = Descent::from(found.design.used_switches(), 1).short();
            improving.best.set_value(Some(found));
            // Without long tries: a bound is not known for this spec.
            descend(turn, studio, descent, &actions).await?;
            return Some(Ok(()));
        }
    }
    let unlimited = text_after(studio, [Action::Survive, with_count("")]);
    let words = match long(turn, studio, unlimited, seconds(studio)).await? {
        Ok(Some(found)) => {
            improving.best.set_value(Some(found));
            return Some(Ok(()));
        }
        Ok(None) => "No design found within the time limit.".into(),
        Err(why) => why,
    };
    Some(Err(format!("Not every pair can share a second switch. {words}")))
}

/// Searches for the least time of a step on the same hardware.
async fn faster(turn: Turn, studio: Studio) -> Option<Result<(), String>> {
    studio.result.improving.trying.set(Some("Searching for a shorter step".into()));
    let text = text_after(studio, [set("objective", "time")]);
    match long(turn, studio, text, seconds(studio)).await? {
        Ok(found) => {
            studio.result.improving.best.set_value(found);
            Some(Ok(()))
        }
        Err(why) => Some(Err(why)),
    }
}

/// Time limit of a search, in seconds.
fn seconds(studio: Studio) -> f64 {
    let own = studio.session.search.with_untracked(|form| form.read());
    let limit = |settings: SearchSettings| match settings.budget {
        Budget::Seconds(seconds) => Some(seconds),
        Budget::Effort(_) => None,
    };
    // An effort has no time: then it is the default.
    [own, SearchForm::default().read()].into_iter().flatten().find_map(limit).unwrap_or_default()
}

fn request(text: String, form: &SearchForm) -> StartWork {
    StartWork {
        kind: WorkKind::Search,
        spec: Some(text),
        form: FormTexts::of(&[form]),
        ..StartWork::default()
    }
}

/// A solved wiring from a search of milliseconds.
async fn short(turn: Turn, studio: Studio, text: String) -> Option<Option<ShownWiring>> {
    let form = studio.session.search.get_untracked();
    let view = match api::quick(&request(text.clone(), &form), &turn.abort_signal()?).await {
        Ok(view) => view?,
        Err(_) => return turn.is_current().then_some(None),
    };
    let QuickView { table: Some(table), method, seconds, solved: true, limit } = view else {
        return Some(None);
    };
    let found = QuickResult { method, seconds, solved: true, limit };
    let held = ShownWiring::found(&text, &table, "search".into(), found).await;
    turn.is_current().then_some(held)
}

/// A solved wiring from a search of up to `seconds`; an error if no wiring can exist, or if the server refuses the search.
async fn long(
    turn: Turn,
    studio: Studio,
    text: String,
    seconds: f64,
) -> Option<Result<Option<ShownWiring>, String>> {
    let trying = studio.result.improving.trying;
    let form = studio.session.search.get_untracked().within(Budget::Seconds(seconds));
    let words = trying.get_untracked().unwrap_or_default();
    let act = move |report: &SearchReport| {
        let best = match report.progress.time {
            Some(time) => Some(StepTime::words(&time)),
            None => {
                (report.progress.revision > 0).then(|| format!("{} uncovered so far", report.progress.best))
            }
        };
        if let Some(best) = best {
            trying.set(Some(format!("{words}: {best}")));
        }
    };
    let trial = StartWork { trial: true, ..request(text.clone(), &form) };
    let view = match studio.finish::<SearchReport>(turn, trial, act).await? {
        Ok(view) => view,
        Err(problem) => return Some(Err(problem_words(&problem))),
    };
    if view.state != WorkState::Solved {
        return Some(Ok(None));
    }
    let table = api::search_table(&view.id).await;
    turn.is_current().then_some(())?;
    let SearchReport { method, progress, .. } = view.report;
    let found = QuickResult { method, seconds: progress.elapsed, solved: true, limit: seconds };
    Some(match table {
        Ok(Some(table)) => Ok(ShownWiring::found(&text, &table, "search".into(), found).await),
        Ok(None) => Ok(None),
        Err(problem) => Err(problem_words(&problem)),
    })
}

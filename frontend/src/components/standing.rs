//! Progress of work on the server, with a button to stop it.

use crate::work::Work;
use leptos::prelude::*;
use shared::api::Stage;

/// Progress of work.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Progress {
    #[default]
    Done,
    /// In its stage, if that is known.
    Going(Option<Stage>),
    /// Started by another browser, which alone can stop it.
    OfOthers,
    Stopped,
    Failed(String),
}

/// Progress in words, a button to stop, and the fault of failed work.
#[component]
pub fn Standing(
    /// Start of ids.
    id: &'static str,
    /// Words while the work goes on.
    going: &'static str,
    /// Words before the number of a stage, if there are several.
    stage: &'static str,
    progress: RwSignal<Progress>,
    work: Work,
    /// Words for the result.
    #[prop(into)]
    done: Signal<String>,
) -> impl IntoView {
    let is_going = Memo::new(move |_| progress.with(|p| matches!(p, Progress::Going(_))));
    let words = move || match progress.get() {
        Progress::Stopped => "Stopped. Showing the previous results.".to_owned(),
        Progress::Going(Some(Stage { trying, number, of })) if of > 1 => {
            format!("{stage} {number} of {of}: {trying}")
        }
        Progress::Going(_) => going.to_owned(),
        Progress::OfOthers => format!("{going} Another browser started this; only that browser can stop it."),
        Progress::Failed(_) => String::new(),
        Progress::Done => done.get(),
    };
    let failed =
        move || progress.with(|p| if let Progress::Failed(why) = p { Some(why.clone()) } else { None });
    let stop = move |_| {
        work.cancel();
        progress.set(Progress::Stopped);
    };
    view! {
        <div class="tools work-standing">
            <p class="hint" role="status" id=format!("{id}-standing")>{words}</p>
            {move || is_going.get().then(|| view! {
                <button type="button" id=format!("{id}-stop") on:click=stop>"Stop"</button>
            })}
            <p class="fault" role="alert" hidden=move || failed().is_none()>{failed}</p>
        </div>
    }
}

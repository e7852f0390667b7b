//! Work on the server with one result: started, followed if it takes long, stopped when nobody wants it any more.

use super::{Studio, session::OpenedWork};
use crate::{
    api, rights,
    state::{
        connection::{Connection, Report},
        words::{problem_faults, problem_words},
    },
    work::{Turn, follow},
};
use leptos::prelude::*;
use shared::{
    api::{ComputedReport, Problem, Stage, StartWork, WorkView},
    form::Described,
};
use std::{cell::RefCell, rc::Rc};

/// Max faults that a page shows.
const MAX_FAULTS: usize = 5;

impl Studio {
    /// `true` if the session was opened from this work, and its result is not on screen yet.
    pub fn has_opened(self, request: &StartWork) -> bool {
        self.session.opened.with_value(|opened| opened.as_ref().is_some_and(|o| o.asked == *request))
    }

    /// `true` if that work is of another browser, which alone can stop it.
    pub fn has_opened_of_others(self, request: &StartWork) -> bool {
        let of_others = |o: &OpenedWork| o.asked == *request && !rights::may_stop(&o.id);
        self.session.opened.with_value(|opened| opened.as_ref().is_some_and(of_others))
    }

    /// The form of the opened work.
    pub fn opened_form<F: Described>(self) -> F {
        let form = |opened: &Option<OpenedWork>| opened.as_ref().map(|opened| opened.asked.form.form());
        self.session.opened.with_value(form).unwrap_or_default()
    }

    /// The result of work, or of the opened work if that is the same; `None` if the turn is over by then. `act` takes each stage.
    pub async fn compute<T>(
        self,
        turn: Turn,
        request: StartWork,
        act: impl Fn(Option<Stage>) + Clone + 'static,
    ) -> Option<api::Answer<T>>
    where
        ComputedReport<T>: Report,
    {
        let act = move |report: &ComputedReport<T>| act(report.stage.clone());
        let view = match self.finish::<ComputedReport<T>>(turn, request, act).await? {
            Ok(view) => view,
            Err(problem) => return Some(Err(problem)),
        };
        let detail = if view.message.is_empty() { "Stopped.".into() } else { view.message };
        let failed = || view.problem.unwrap_or_else(|| Problem { detail, ..Problem::default() });
        Some(view.report.result.ok_or_else(failed))
    }

    /// Work at its end, or the opened work if that is the same; `None` if the turn is over by then. `act` takes each report.
    pub async fn finish<R: Report>(
        self,
        turn: Turn,
        request: StartWork,
        act: impl Fn(&R) + Clone + 'static,
    ) -> Option<api::Answer<WorkView<R>>> {
        let opened = self.session.opened.get_value().filter(|opened| opened.asked == request);
        let answer = match opened {
            Some(opened) => api::work(&opened.id).await,
            // A trial always comes back with its id, so that it can be stopped.
            None if request.trial => api::start(&request, None).await,
            None => api::start(&request, Some(&turn.abort_signal()?)).await,
        };
        let mut view: WorkView<R> = match answer {
            Ok(view) => view,
            Err(problem) => return turn.is_current().then_some(Err(problem)),
        };
        if !view.state.is_over() {
            let id = view.id.clone();
            let _leave = rights::may_stop(&id).then(|| api::StopAtLeave::new(&id));
            let followed = Rc::new(RefCell::new((Connection::to(view.state), view)));
            let change = {
                let followed = followed.clone();
                move |event| {
                    let (connection, view) = &mut *followed.borrow_mut();
                    connection.apply(view, event);
                    act(&view.report);
                    Some(connection.line)
                }
            };
            let lost = follow(turn, id.clone(), change).await;
            if !turn.is_current() {
                // Nobody wants it any more. It may have ended: the answer does not matter.
                if rights::may_stop(&id) {
                    let _ = api::stop(&id).await;
                }
                self.session.opened.set_value(None);
            }
            if let Err(problem) = lost {
                return Some(Err(problem));
            }
            view = followed.borrow().1.clone();
        }
        turn.is_current().then_some(Ok(view))
    }
}

/// The first faults of a refused request in words. A file may have one per line.
pub fn refused(problem: &Problem) -> String {
    let faults = problem_faults(problem);
    if faults.is_empty() {
        return problem_words(problem);
    }
    let more = faults.len().saturating_sub(MAX_FAULTS);
    let more = (more > 0).then(|| format!("{more} more errors"));
    let first = faults.into_iter().take(MAX_FAULTS).chain(more);
    first.map(|fault| format!("{fault}.")).collect::<Vec<_>>().join(" ")
}

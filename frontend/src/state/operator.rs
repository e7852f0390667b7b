//! The operator's list, in words.

use super::{
    connection::place_words,
    words::{grouped, percent},
};
use shared::{
    api::{BudgetView, JobKind, JobView},
    text::mebibytes,
};

/// The kind of work.
pub fn kind(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Run => "Search",
        JobKind::Board => "Hardware search",
        JobKind::Simulation => "Simulation",
        JobKind::Task => "Task",
    }
}

/// The state: running, or the place in the queue.
pub fn state(job: &JobView) -> String {
    match (job.running, job.kind) {
        (true, _) => "Running".into(),
        (false, JobKind::Task) => "Waiting".into(),
        (false, _) => place_words(job.queue),
    }
}

/// The share of the limit that is used.
pub fn share(job: &JobView) -> String {
    job.share.map_or_else(|| "–".into(), percent)
}

/// Claimed memory.
pub fn memory(job: &JobView) -> String {
    if job.memory == 0 { "–".into() } else { mebibytes(job.memory) }
}

/// An amount of a budget.
pub fn amount(budget: &BudgetView, amount: u64) -> String {
    if budget.bytes { mebibytes(amount) } else { grouped(amount) }
}

/// The used share of a budget with a limit.
pub fn used(budget: &BudgetView) -> Option<String> {
    let max = budget.max.filter(|max| *max > 0)?;
    Some(percent(budget.used as f64 / max as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::api::QueueView;

    fn job(kind: JobKind, running: bool) -> JobView {
        JobView {
            kind,
            id: "1".into(),
            owner: "2".into(),
            running,
            seconds: 1.0,
            route: String::new(),
            threads: 1,
            share: None,
            queue: None,
            memory: 0,
        }
    }

    #[test]
    fn unknown_figures_are_dashes() {
        let task = job(JobKind::Task, false);
        assert_eq!((state(&task), share(&task), memory(&task)), ("Waiting".into(), "–".into(), "–".into()));
        let queue = Some(QueueView { ahead: 2, seconds: Some(40.0) });
        let run = JobView { queue, share: Some(0.5), memory: 3 << 19, ..job(JobKind::Run, false) };
        assert_eq!(state(&run), "Queued, 2 ahead, about 40 s");
        assert_eq!((share(&run), memory(&run)), ("50.00 %".into(), "1.5 MiB".into()));
    }

    #[test]
    fn amounts_have_units_and_small_ones_are_not_nothing() {
        let budget =
            |bytes, used, max| BudgetView { name: String::new(), label: String::new(), used, max, bytes };
        let memory = budget(true, 1 << 30, Some(4 << 30));
        assert_eq!(
            (amount(&memory, memory.used), used(&memory)),
            ("1,024 MiB".into(), Some("25.00 %".into()))
        );
        assert_eq!((amount(&memory, 0), amount(&memory, 1)), ("0 MiB".into(), "0.1 MiB".into()));
        let streams = budget(false, 3, Some(2000));
        assert_eq!((amount(&streams, 2000), used(&budget(true, 9, None))), ("2,000".into(), None));
    }
}

//! The operator's list, in words.

use super::{
    connection::place_words,
    words::{capital, grouped, percent},
};
use shared::{
    api::{BudgetView, ListedWork},
    text::mebibytes,
};

/// The kind of work.
pub fn kind(work: &ListedWork) -> String {
    work.kind.map_or_else(|| "Task".into(), |kind| capital(kind.noun()))
}

/// The state: running, or the place in the queue.
pub fn state(work: &ListedWork) -> String {
    match (work.running, work.kind) {
        (true, _) => "Running".into(),
        (false, None) => "Waiting".into(),
        (false, Some(_)) => place_words(work.queue),
    }
}

/// The share of the limit that is used.
pub fn share(work: &ListedWork) -> String {
    work.share.map_or_else(|| "–".into(), percent)
}

/// Claimed memory.
pub fn memory(work: &ListedWork) -> String {
    if work.memory == 0 { "–".into() } else { mebibytes(work.memory) }
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
    use shared::api::{QueueView, WorkKind};

    fn work(kind: Option<WorkKind>) -> ListedWork {
        ListedWork {
            kind,
            id: "1".into(),
            owner: "2".into(),
            running: false,
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
        let task = work(None);
        assert_eq!((state(&task), share(&task), memory(&task)), ("Waiting".into(), "–".into(), "–".into()));
        let queue = Some(QueueView { ahead: 2, seconds: Some(40.0) });
        let run = ListedWork { queue, share: Some(0.5), memory: 3 << 19, ..work(Some(WorkKind::Hardware)) };
        assert_eq!((kind(&task), kind(&run)), ("Task".into(), "Hardware search".into()));
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

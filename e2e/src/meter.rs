//! Long tasks of a page: how long its main thread does not take input.

use crate::tab::Tab;
use anyhow::Result;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Milliseconds without a long task after which a step is over.
const QUIET: u32 = 800;
/// A step that is not over by then is cut.
const CUT: Duration = Duration::from_secs(40);

/// Collects what the browser reports as long: tasks, and frames with the name of what they ran.
const OBSERVE: &str = "(() => {
    if (window.longTasks) return;
    window.longTasks = [];
    const watch = type => new PerformanceObserver(list => longTasks.push(...list.getEntries().map(entry => {
        const longest = [...(entry.scripts ?? [])].sort((a, b) => b.duration - a.duration)[0];
        const by = longest ? `${longest.invoker} ${Math.round(longest.duration)}` : '';
        return {is_task: type === 'longtask', end: entry.startTime + entry.duration, ms: entry.duration, by};
    }))).observe({type, buffered: true});
    for (const type of ['longtask', 'long-animation-frame']) {
        if (PerformanceObserver.supportedEntryTypes.includes(type)) watch(type);
    }
})()";

/// True if the page has worked off everything: nothing long has ended lately, and nothing says that it is busy.
const IS_QUIET: &str = "performance.now() - Math.max(0, ...longTasks.map(task => task.end)) > QUIET
    && document.querySelector('[aria-busy=true], #busy:not([hidden])') === null";

/// Long tasks of one step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The step in words.
    pub name: String,
    /// Number of tasks over 50 ms.
    pub tasks: usize,
    /// The longest of them in milliseconds; 0 if there is none.
    pub longest: f64,
    /// The script of the longest frame, and its milliseconds.
    pub by: String,
}

#[derive(Deserialize)]
struct Entry {
    is_task: bool,
    ms: f64,
    by: String,
}

/// Watches a tab, step by step.
pub struct Meter<'a> {
    /// The tab.
    pub tab: &'a Tab,
    /// The steps so far.
    pub steps: Vec<Step>,
}

impl<'a> Meter<'a> {
    /// Watches this page of a tab and those that follow.
    ///
    /// # Errors
    /// If the page does not take the script.
    pub async fn new(tab: &'a Tab) -> Result<Meter<'a>> {
        tab.run_first(OBSERVE).await?;
        tab.evaluate(OBSERVE).await?;
        Ok(Meter { tab, steps: Vec::new() })
    }

    /// Acts on the page, waits until the page is quiet, and counts its long tasks.
    ///
    /// # Errors
    /// As `act`.
    pub async fn step(&mut self, name: &str, act: impl AsyncFnOnce(&Tab) -> Result<()>) -> Result<()> {
        self.tab.evaluate("longTasks.length = 0").await?;
        act(self.tab).await?;
        tokio::time::sleep(Duration::from_millis(QUIET.into())).await;
        let (began, is_quiet) = (Instant::now(), IS_QUIET.replace("QUIET", &QUIET.to_string()));
        while began.elapsed() < CUT && self.tab.evaluate(&is_quiet).await? != true {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let entries: Vec<Entry> = serde_json::from_value(self.tab.evaluate("longTasks").await?)?;
        let longest = |is_task| {
            let own = entries.iter().filter(move |entry| entry.is_task == is_task);
            own.max_by(|a, b| a.ms.total_cmp(&b.ms))
        };
        self.steps.push(Step {
            name: name.to_owned(),
            tasks: entries.iter().filter(|entry| entry.is_task).count(),
            longest: longest(true).map_or(0.0, |entry| entry.ms),
            by: longest(false).map_or_else(String::new, |entry| entry.by.clone()),
        });
        Ok(())
    }
}

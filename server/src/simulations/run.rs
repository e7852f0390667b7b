//! Runs a simulation on worker threads and reports results and progress on the calling thread.

use super::{Points, Simulation, Workload};
use crate::lock;
use shared::{
    simulation::{LoadProgress, Point, Saturation, SimulationProgress, SimulationReport},
    text::fixed,
};
use simulate::{
    Observer, OpenInput, SimulateError, collective_in_groups, reference_speed, saturate, simulate,
};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    time::Duration,
};

/// Time between two reports of progress.
const PACE: Duration = Duration::from_millis(100);
/// Min frames of a figure. Of fewer, the slowest is the 99th percentile, and the error of a mean is above a tenth of the spread.
const MIN_FRAMES: u64 = 100;
/// Max loads at once on other machines.
const MAX_ELSEWHERE: usize = 32;

type ReportSink<'a> = &'a mut dyn FnMut(&SimulationReport);

impl Simulation {
    /// Runs on up to `threads` threads, and loads `elsewhere` as far as they can, without the loads of `known` points. Calls `each` with the report after each result and about ten times per second.
    ///
    /// # Errors
    /// A pair has no path, or a load is invalid.
    pub fn run(
        &self,
        threads: usize,
        elsewhere: Option<&dyn Points>,
        known: Vec<Point>,
        cancel: &AtomicBool,
        each: ReportSink,
    ) -> Result<SimulationReport, SimulateError> {
        let mut report = SimulationReport {
            points: known,
            fabric: self.name.clone(),
            routing: self.routing_name.clone(),
            traffic: self.form.traffic.clone(),
            hosts: self.fabric.hosts,
            seed: self.form.seed,
            cycle_ns: self.form.settings.cycle_ns(reference_speed(&self.fabric, &self.form.settings)),
            warnings: self.warnings(),
            ..SimulationReport::default()
        };
        match &self.what {
            Workload::Closed(operation) => {
                report.senders = operation.senders();
                let closed = self.closed(operation);
                let places = [LoadObserver::new(cancel)];
                let work = |place: &LoadObserver, news: &Sender<_>| {
                    _ = news.send(collective_in_groups(&closed, place))
                };
                let mut done = None;
                conduct(&places, work, |news| {
                    done = done.take().or(news);
                    report.progress = lock(&places[0].progress).clone();
                    each(&report);
                });
                report.collective = done.transpose()?;
            }
            Workload::Open { traffic, loads, .. } => {
                report.senders = traffic.senders();
                let open = self.open(traffic);
                curve(&open, loads, (threads, elsewhere), cancel, &mut report, each)?;
                if self.form.saturate && !cancel.load(Ordering::Relaxed) {
                    search(&open, cancel, &mut report, each)?;
                }
            }
        }
        report.warnings.extend(few_frames(&report.points));
        report.cancelled = cancel.load(Ordering::Relaxed);
        report.progress = None;
        each(&report);
        Ok(report)
    }

    /// Simulates one load until `cancel`, and calls `report` about ten times per second. `None` for traffic without loads.
    ///
    /// # Errors
    /// A pair has no path, or the load is invalid.
    pub fn point(
        &self,
        load: f64,
        cancel: &AtomicBool,
        report: &(dyn Fn(&LoadProgress) + Sync),
    ) -> Result<Option<Point>, SimulateError> {
        let Workload::Open { traffic, .. } = &self.what else { return Ok(None) };
        let (open, places) = (self.open(traffic), [LoadObserver::new(cancel)]);
        let work = |place: &LoadObserver, news: &Sender<_>| _ = news.send(simulate(&open, load, place));
        let mut done = None;
        conduct(&places, work, |news| {
            done = done.take().or(news);
            running(&places).first().into_iter().for_each(report);
        });
        done.transpose()
    }
}

/// Simulates loads on several threads. The points do not depend on the number of threads.
fn curve(
    open: &OpenInput,
    loads: &[f64],
    (threads, elsewhere): (usize, Option<&dyn Points>),
    cancel: &AtomicBool,
    report: &mut SimulationReport,
    each: ReportSink,
) -> Result<(), SimulateError> {
    let known = |load: &&f64| report.points.iter().any(|point| point.offered == **load);
    let mut done: f64 = loads.iter().filter(known).sum();
    let all: f64 = loads.iter().sum();
    let loads: Vec<f64> = loads.iter().filter(|load| !known(load)).copied().collect();
    if loads.is_empty() {
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let places = elsewhere.map_or(threads, |_| MAX_ELSEWHERE).clamp(1, loads.len());
    let places: Vec<LoadObserver> = (0..places).map(|_| LoadObserver::new(cancel)).collect();
    let work = |place: &LoadObserver, news: &Sender<Result<Point, SimulateError>>| {
        while let Some(&load) = loads.get(next.fetch_add(1, Ordering::Relaxed)) {
            let watch = &mut |news: Option<LoadProgress>| {
                news.into_iter().for_each(|load| {
                    place.report(SimulationProgress { loads: vec![load], ..Default::default() });
                });
                !place.is_cancelled()
            };
            let here = &mut || simulate(open, load, place);
            let point = match elsewhere {
                Some(points) => points.run(load, here, watch),
                None => Some(here()),
            };
            *lock(&place.progress) = None;
            // A cancelled point is incomplete.
            let point = point.filter(|_| !place.is_cancelled());
            if point.is_none_or(|point| news.send(point).is_err()) {
                break;
            }
        }
    };
    let (mut share, mut failed) = (0.0f64, None);
    conduct(&places, work, |news| {
        match news {
            Some(Ok(point)) => {
                done += point.offered;
                add(report, point);
            }
            Some(Err(error)) => {
                next.store(loads.len(), Ordering::Relaxed);
                failed = Some(error);
                return;
            }
            None => {}
        }
        let running = running(&places);
        let simulated = done + running.iter().map(|load| load.offered * load.share).sum::<f64>();
        // Between its end and its report, a load is in neither sum.
        share = share.max((simulated / all).min(1.0));
        report.progress =
            Some(SimulationProgress { share: Some(share), loads: running, ..Default::default() });
        each(report);
    });
    failed.map_or(Ok(()), Err)
}

/// Searches for the saturation load.
fn search(
    open: &OpenInput,
    cancel: &AtomicBool,
    report: &mut SimulationReport,
    each: ReportSink,
) -> Result<(), SimulateError> {
    enum RunMessage {
        Point(Point),
        End(Result<Saturation, SimulateError>),
    }
    let places = [LoadObserver::new(cancel)];
    let work = |place: &LoadObserver, news: &Sender<RunMessage>| {
        let found = saturate(open, place, &mut |point| _ = news.send(RunMessage::Point(point.clone())));
        _ = news.send(RunMessage::End(found));
    };
    let mut end = None;
    conduct(&places, work, |news| {
        match news {
            Some(RunMessage::Point(point)) => add(report, point),
            Some(RunMessage::End(found)) => end = Some(found),
            None => {}
        }
        report.progress = Some(SimulationProgress { loads: running(&places), ..Default::default() });
        each(report);
    });
    let found = end.transpose()?;
    report.saturation = found.filter(|_| !cancel.load(Ordering::Relaxed));
    Ok(())
}

/// Warning about loads whose figures rest on fewer than [`MIN_FRAMES`].
fn few_frames(points: &[Point]) -> Option<String> {
    let whole = points.iter().filter(|point| point.deadlock.is_none());
    let least = whole.min_by_key(|point| point.latency.frames)?;
    (least.latency.frames < MIN_FRAMES).then(|| {
        format!(
            "Only {} frames counted at an offered load of {}. Below {MIN_FRAMES}, the 99 % latency is the latency of the slowest frame, \
            and means are uncertain by 10 % or more. Simulate more cycles.",
            least.latency.frames,
            fixed(least.offered, 4)
        )
    })
}

fn add(report: &mut SimulationReport, point: Point) {
    let at = report.points.partition_point(|known| known.offered < point.offered);
    if report.points.get(at).is_none_or(|known| known.offered != point.offered) {
        report.points.insert(at, point);
    }
}

/// Runs `work` on a thread per place. Reports each message that it sends, and `None` after each [`PACE`] without one.
fn conduct<T: Send>(
    places: &[LoadObserver],
    work: impl Fn(&LoadObserver, &Sender<T>) + Sync,
    mut report: impl FnMut(Option<T>),
) {
    let (sender, news) = mpsc::channel();
    std::thread::scope(|scope| {
        for place in places {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || work(place, &sender));
        }
        drop(sender);
        loop {
            match news.recv_timeout(PACE) {
                Ok(news) => report(Some(news)),
                Err(RecvTimeoutError::Timeout) => report(None),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
}

/// Progress of one worker thread.
struct LoadObserver<'a> {
    cancel: &'a AtomicBool,
    progress: Mutex<Option<SimulationProgress>>,
}

impl<'a> LoadObserver<'a> {
    fn new(cancel: &'a AtomicBool) -> Self {
        LoadObserver { cancel, progress: Mutex::new(None) }
    }
}

impl Observer for LoadObserver<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    fn report(&self, progress: SimulationProgress) {
        *lock(&self.progress) = Some(progress);
    }
}

/// Running loads in order.
fn running(places: &[LoadObserver]) -> Vec<LoadProgress> {
    let progress = places.iter().filter_map(|place| lock(&place.progress).clone());
    let mut loads: Vec<LoadProgress> = progress.flat_map(|progress| progress.loads).collect();
    loads.sort_by(|a, b| a.offered.total_cmp(&b.offered));
    loads
}

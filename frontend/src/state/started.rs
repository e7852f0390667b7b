//! The jobs that this browser started: it has the right to stop them.

/// Max number of jobs; beyond that, the oldest are forgotten. More than a server queues for one client.
const MAX: usize = 1024;

/// Ids of jobs, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartedJobs(Vec<String>);

impl StartedJobs {
    /// Reads what [`StartedJobs::write`] wrote.
    pub fn read(text: &str) -> StartedJobs {
        StartedJobs(text.split_whitespace().map(str::to_owned).collect())
    }

    /// The ids as one text.
    pub fn write(&self) -> String {
        self.0.join(" ")
    }

    /// Adds a job.
    pub fn add(&mut self, id: &str) {
        self.0.push(id.to_owned());
        let extra = self.0.len().saturating_sub(MAX);
        self.0.drain(..extra);
    }

    /// `true` if this browser started the job.
    pub fn has(&self, id: &str) -> bool {
        self.0.iter().any(|known| known == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_jobs_are_remembered() {
        let mut started = StartedJobs::read("");
        assert!(!started.has(""));
        (0..=MAX).for_each(|number| started.add(&number.to_string()));
        let read = StartedJobs::read(&started.write());
        assert_eq!(read, started);
        assert!(!read.has("0") && read.has("1") && read.has(&MAX.to_string()));
    }
}

-- Checkpoints of runs that are unfinished or interrupted; without a state the search starts again.
CREATE TABLE checkpoint_of_run (
    run     TEXT PRIMARY KEY NOT NULL REFERENCES run (id),
    -- Seconds of search.
    elapsed REAL NOT NULL DEFAULT 0,
    -- Number of attempts to resume from here.
    tries   INTEGER NOT NULL DEFAULT 0,
    -- NULL before the first checkpoint.
    state   BLOB
) STRICT;
INSERT INTO checkpoint_of_run SELECT run, elapsed, tries, state FROM checkpoint;
INSERT INTO checkpoint_of_run (run)
    SELECT id FROM run WHERE state IN ('queued', 'running') AND id NOT IN (SELECT run FROM checkpoint);
DROP TABLE checkpoint;
ALTER TABLE checkpoint_of_run RENAME TO checkpoint;

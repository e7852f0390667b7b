-- A row for each run that is not over, or was interrupted: without a state its search begins anew.
CREATE TABLE checkpoint_of_run (
    run     TEXT PRIMARY KEY NOT NULL REFERENCES run (id),
    -- Seconds the search had taken.
    elapsed REAL NOT NULL DEFAULT 0,
    -- How often the search has gone on from here.
    tries   INTEGER NOT NULL DEFAULT 0,
    -- None before the first.
    state   BLOB
) STRICT;
INSERT INTO checkpoint_of_run SELECT run, elapsed, tries, state FROM checkpoint;
INSERT INTO checkpoint_of_run (run)
    SELECT id FROM run WHERE state IN ('queued', 'running') AND id NOT IN (SELECT run FROM checkpoint);
DROP TABLE checkpoint;
ALTER TABLE checkpoint_of_run RENAME TO checkpoint;

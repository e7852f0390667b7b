-- Checkpoints of runs, in a table of their own since the rows of runs are read often.
CREATE TABLE checkpoint (
    run     TEXT PRIMARY KEY NOT NULL REFERENCES run (id),
    -- Seconds of search.
    elapsed REAL NOT NULL,
    -- Number of attempts to resume from here.
    tries   INTEGER NOT NULL DEFAULT 0,
    state   BLOB NOT NULL
) STRICT;

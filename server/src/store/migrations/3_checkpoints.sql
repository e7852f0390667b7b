-- Where a run goes on after the studio was stopped. Apart from the runs, whose rows are read often.
CREATE TABLE checkpoint (
    run     TEXT PRIMARY KEY NOT NULL REFERENCES run (id),
    -- Seconds the search had taken.
    elapsed REAL NOT NULL,
    -- How often the search has gone on from here.
    tries   INTEGER NOT NULL DEFAULT 0,
    state   BLOB NOT NULL
) STRICT;

-- Wirings of a run on its way, which its replay shows.
CREATE TABLE frame (
    run      TEXT NOT NULL REFERENCES run (id),
    -- Number of better wirings until then, this one included.
    revision INTEGER NOT NULL,
    -- Seconds of search.
    elapsed  REAL NOT NULL,
    progress TEXT NOT NULL,
    wiring   TEXT NOT NULL,
    PRIMARY KEY (run, revision)
) STRICT;

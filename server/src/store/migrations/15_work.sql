-- Work of every kind: searches, hardware searches, simulations, computations. Structures are stored as JSON.
CREATE TABLE work (
    id       TEXT PRIMARY KEY NOT NULL,
    kind     TEXT NOT NULL,
    state    TEXT NOT NULL,
    -- The request: kind, spec, wiring, form as typed, files.
    asked    TEXT NOT NULL,
    threads  INTEGER NOT NULL,
    -- Expected seconds, if known.
    foreseen REAL,
    report   TEXT NOT NULL,
    -- Best wiring of a search.
    wiring   TEXT,
    message  TEXT NOT NULL DEFAULT '',
    -- Details of a failure.
    problem  TEXT,
    note     TEXT NOT NULL DEFAULT '',
    created  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    -- Time at which it ended, by which old work is removed; NULL while it is queued or running.
    ended    TEXT,
    version  TEXT NOT NULL,
    -- Client that started it: a salted hash, empty for searches of earlier versions.
    owner    TEXT NOT NULL DEFAULT '',
    -- SHA-256 of the edit token; NULL for searches of earlier versions.
    edit     BLOB,
    -- SHA-256 of the secret in the edit link; NULL without such a link.
    link     BLOB
) STRICT;
CREATE INDEX work_by_state ON work (state);
CREATE INDEX work_by_edit ON work (edit);

CREATE TRIGGER work_ends AFTER UPDATE OF state ON work WHEN NEW.state != OLD.state
BEGIN
    UPDATE work SET ended = iif(NEW.state IN ('queued', 'running'), NULL, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        WHERE id = NEW.id;
END;

-- Parts of work with a wiring: frames of a search's replay, cells of a hardware search.
CREATE TABLE part (
    work    TEXT NOT NULL REFERENCES work (id),
    -- Number of better wirings until a frame, this one included; number of a cell.
    number  INTEGER NOT NULL,
    -- Seconds of search at a frame; 0 for a cell.
    elapsed REAL NOT NULL,
    -- Progress at a frame; uncovered pairs of a cell.
    note    TEXT NOT NULL,
    wiring  TEXT NOT NULL,
    PRIMARY KEY (work, number)
) STRICT;

-- Checkpoints of work that is unfinished, interrupted, or may be continued.
CREATE TABLE work_checkpoint (
    work    TEXT PRIMARY KEY NOT NULL REFERENCES work (id),
    -- Seconds of search.
    elapsed REAL NOT NULL DEFAULT 0,
    -- Number of attempts to start or resume from here.
    tries   INTEGER NOT NULL DEFAULT 0,
    -- NULL before the first checkpoint: the work starts again.
    state   BLOB
) STRICT;

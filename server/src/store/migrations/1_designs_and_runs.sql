-- Saved designs. A design has a permanent link, so it never changes and is never deleted.
CREATE TABLE design (
    id      TEXT PRIMARY KEY NOT NULL,
    spec    TEXT NOT NULL,
    wiring  TEXT NOT NULL,
    origin  TEXT NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    version TEXT NOT NULL
) STRICT;

CREATE TRIGGER design_never_changes BEFORE UPDATE ON design
BEGIN SELECT RAISE(ABORT, 'a saved design never changes'); END;

CREATE TRIGGER design_never_goes_away BEFORE DELETE ON design
BEGIN SELECT RAISE(ABORT, 'a saved design is never deleted'); END;

-- INSERT OR REPLACE deletes without the trigger above, unless recursive triggers are on.
CREATE TRIGGER design_is_never_replaced BEFORE INSERT ON design
WHEN EXISTS (SELECT 1 FROM design WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a saved design is never replaced'); END;

-- Runs. Structures are stored as JSON.
CREATE TABLE run (
    id       TEXT PRIMARY KEY NOT NULL,
    state    TEXT NOT NULL,
    spec     TEXT NOT NULL,
    budget   TEXT NOT NULL,
    seed     TEXT NOT NULL,
    threads  INTEGER NOT NULL,
    progress TEXT NOT NULL DEFAULT '',
    history  TEXT NOT NULL DEFAULT '[]',
    wiring   TEXT,
    method   TEXT NOT NULL DEFAULT '',
    message  TEXT NOT NULL DEFAULT '',
    created  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    version  TEXT NOT NULL
) STRICT;

CREATE INDEX run_by_state ON run (state);

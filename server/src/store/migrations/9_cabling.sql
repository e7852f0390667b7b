-- Cabling of saved designs: SHA-256 of the key that may tick, and the newest tick of each cable.
CREATE TABLE cabling (
    design  TEXT PRIMARY KEY NOT NULL REFERENCES design (id),
    key     BLOB NOT NULL,
    started TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) STRICT;

CREATE TABLE tick (
    design  TEXT NOT NULL REFERENCES cabling (design),
    node    INTEGER NOT NULL,
    nic     INTEGER NOT NULL,
    switch  INTEGER NOT NULL,
    state   TEXT NOT NULL,
    source  TEXT NOT NULL,
    who     TEXT NOT NULL,
    at      INTEGER NOT NULL,
    note    TEXT NOT NULL,
    PRIMARY KEY (design, node, nic, switch)
) STRICT, WITHOUT ROWID;

-- What the library says of a saved design. Only the note changes. Designs of earlier versions have no card.
CREATE TABLE card (
    design     TEXT PRIMARY KEY NOT NULL REFERENCES design (id),
    -- SHA-256 of the edit token of the browser that saved it.
    edit       BLOB,
    note       TEXT NOT NULL DEFAULT '',
    name       TEXT NOT NULL,
    nodes      INTEGER NOT NULL,
    requested  INTEGER NOT NULL,
    uncovered  INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 1,
    -- The design or run that it is based on, as JSON with its id.
    based_on   TEXT
) STRICT;
CREATE INDEX card_by_edit ON card (edit);

-- Deleted designs, so that their links say so. A design is deleted with its row here, and never by accident.
CREATE TABLE deleted_design (
    id      TEXT PRIMARY KEY NOT NULL,
    deleted TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) STRICT;
DROP TRIGGER design_never_goes_away;
CREATE TRIGGER design_goes_away_when_deleted BEFORE DELETE ON design
WHEN NOT EXISTS (SELECT 1 FROM deleted_design WHERE id = OLD.id)
BEGIN SELECT RAISE(ABORT, 'a saved design is only deleted by its owner'); END;

ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT '';
-- SHA-256 of the secret in the edit link of a search; NULL without such a link.
ALTER TABLE run ADD COLUMN link BLOB;
ALTER TABLE board ADD COLUMN link BLOB;
CREATE INDEX run_by_edit ON run (edit);

-- Lists of designs and runs under a link. Items outlive what they name, and are not shown then.
CREATE TABLE workspace (
    id      TEXT PRIMARY KEY NOT NULL,
    name    TEXT NOT NULL,
    -- SHA-256 of the secret in its edit link.
    edit    BLOB NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) STRICT;
CREATE TABLE workspace_item (
    workspace TEXT NOT NULL REFERENCES workspace (id),
    item      TEXT NOT NULL,
    -- 1 if it was added by who saved it, which gives editors of the workspace the same rights.
    shared    INTEGER NOT NULL,
    PRIMARY KEY (workspace, item)
) STRICT;
CREATE INDEX workspace_item_by_item ON workspace_item (item);

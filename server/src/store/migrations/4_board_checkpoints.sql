-- Checkpoints of hardware searches that are unfinished or interrupted.
CREATE TABLE board_checkpoint (
    board TEXT PRIMARY KEY NOT NULL REFERENCES board (id),
    -- Number of attempts to start or resume from here.
    tries INTEGER NOT NULL DEFAULT 0,
    -- NULL before the first checkpoint: the search starts again.
    state BLOB
) STRICT;

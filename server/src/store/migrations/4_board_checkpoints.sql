-- Where a board goes on after the studio was stopped: a row for each board that is not over, or was interrupted.
CREATE TABLE board_checkpoint (
    board TEXT PRIMARY KEY NOT NULL REFERENCES board (id),
    -- How often the search has begun or gone on from here.
    tries INTEGER NOT NULL DEFAULT 0,
    -- None before the first: the search begins anew.
    state BLOB
) STRICT;

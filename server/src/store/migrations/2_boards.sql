-- Hardware searches. Structures are stored as JSON.
CREATE TABLE board (
    id      TEXT PRIMARY KEY NOT NULL,
    state   TEXT NOT NULL,
    asked   TEXT NOT NULL,
    board   TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    version TEXT NOT NULL
) STRICT;

CREATE INDEX board_by_state ON board (state);

-- The best wiring of a cell. Its spec follows from that of the board.
CREATE TABLE board_cell (
    board     TEXT NOT NULL REFERENCES board (id),
    cell      INTEGER NOT NULL,
    wiring    TEXT NOT NULL,
    uncovered INTEGER NOT NULL,
    PRIMARY KEY (board, cell)
) STRICT;

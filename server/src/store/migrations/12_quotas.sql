-- Bytes that each client has saved on a day. Other days are removed.
CREATE TABLE quota (
    -- Pseudonym of the client.
    owner TEXT NOT NULL,
    -- Days since 1970, in UTC.
    day   INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (owner, day)
) STRICT;

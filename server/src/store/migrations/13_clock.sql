-- The clock at a studio's last look at it, in seconds since 1970. At first, the newest time in the store.
CREATE TABLE clock (
    seen INTEGER NOT NULL
) STRICT;
INSERT INTO clock (seen) SELECT coalesce(unixepoch(max(at)), unixepoch()) FROM (
    SELECT max(created) AS at FROM design
    UNION ALL SELECT max(coalesce(ended, created)) FROM run
    UNION ALL SELECT max(coalesce(ended, created)) FROM board
);

-- Gaps between two looks, by which ended searches do not age.
CREATE TABLE gap (
    since INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;

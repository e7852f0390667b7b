-- Client that started a search: a salted hash, empty for searches of earlier versions.
ALTER TABLE run ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE board ADD COLUMN owner TEXT NOT NULL DEFAULT '';

-- One row of random bytes, so that hashes of clients differ between stores.
CREATE TABLE salt (bytes BLOB NOT NULL) STRICT;
INSERT INTO salt VALUES (randomblob(16));

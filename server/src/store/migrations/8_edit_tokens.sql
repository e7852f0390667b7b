-- SHA-256 of the edit token of a search; NULL for searches of earlier versions.
ALTER TABLE run ADD COLUMN edit BLOB;
ALTER TABLE board ADD COLUMN edit BLOB;

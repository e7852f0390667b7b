-- Time at which a search ended, by which old ones are removed; NULL while it is queued or running.
ALTER TABLE run ADD COLUMN ended TEXT;
ALTER TABLE board ADD COLUMN ended TEXT;
UPDATE run SET ended = created WHERE state NOT IN ('queued', 'running');
UPDATE board SET ended = created WHERE state NOT IN ('queued', 'running');

CREATE TRIGGER run_ends AFTER UPDATE OF state ON run WHEN NEW.state != OLD.state
BEGIN
    UPDATE run SET ended = iif(NEW.state IN ('queued', 'running'), NULL, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        WHERE id = NEW.id;
END;

CREATE TRIGGER board_ends AFTER UPDATE OF state ON board WHEN NEW.state != OLD.state
BEGIN
    UPDATE board SET ended = iif(NEW.state IN ('queued', 'running'), NULL, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        WHERE id = NEW.id;
END;

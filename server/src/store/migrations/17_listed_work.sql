-- Hardware, price and objective of a search's wiring as JSON, for the library.
ALTER TABLE work ADD COLUMN hardware TEXT;
-- 1 for a step of something larger, which the library does not list.
ALTER TABLE work ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;

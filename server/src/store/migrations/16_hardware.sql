-- Hardware, price and objective of a design as JSON, for the library.
ALTER TABLE card ADD COLUMN hardware TEXT;

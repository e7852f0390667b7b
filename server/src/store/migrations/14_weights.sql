-- Share of the requested weight that a design covers, for a fractional objective.
ALTER TABLE card ADD COLUMN weight REAL;

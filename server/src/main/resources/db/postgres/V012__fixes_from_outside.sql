-- Columns and tables that the first trial from outside asked for.

-- The number that callers of Svix's API may give an endpoint; it has no effect.
ALTER TABLE endpoints ADD COLUMN shown_version integer NOT NULL DEFAULT 1;

-- Columns and tables that the first trial from outside asked for.

-- The number that callers of Svix's API may give an endpoint; it has no effect.
ALTER TABLE endpoints ADD COLUMN shown_version integer NOT NULL DEFAULT 1;

-- The file that an item belongs to: '' from before files had names, NULL once the file let it go because others need it.
-- What was let go is known for ever, so that a file that was applied once can be applied again.
ALTER TABLE configuration_items ADD COLUMN owner text DEFAULT '';

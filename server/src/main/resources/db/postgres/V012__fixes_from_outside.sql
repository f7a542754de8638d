-- Columns and tables that the first trial from outside asked for.

-- The number that callers of Svix's API may give an endpoint; it has no effect.
ALTER TABLE endpoints ADD COLUMN shown_version integer NOT NULL DEFAULT 1;

-- The file that an item belongs to: '' from before files had names, NULL once the file let it go because others need it.
-- What was let go is known for ever, so that a file that was applied once can be applied again.
ALTER TABLE configuration_items ADD COLUMN owner text DEFAULT '';

-- Places in an ordered lane go by (order_at, lane_seq): the time of acceptance or the later one that the sender asked
-- for, then the number. Rows that had a place before this migration have no order_at and come first. It counts only
-- while lane_seq is set.
ALTER TABLE deliveries ADD COLUMN order_at bigint;
-- The latest time of acceptance, or order_at of what was sent: no later place is before it.
ALTER TABLE lanes ADD COLUMN last_order_at bigint NOT NULL DEFAULT 0;
-- deliveries_order stays for instances of the version before, which may still run.
CREATE INDEX deliveries_place ON deliveries (lane_id, order_at NULLS FIRST, lane_seq) WHERE lane_seq IS NOT NULL;

-- A person asked for what is tried from now on: a retry or a redrive, which keeps its schedule.
ALTER TABLE deliveries ADD COLUMN by_hand boolean NOT NULL DEFAULT false;

-- The one endpoint that a route is for; NULL: all of the application's.
ALTER TABLE agent_routes ADD COLUMN endpoint_id uuid;
-- The endpoint is the route's own: created, changed and deleted with it.
ALTER TABLE agent_routes ADD COLUMN own_endpoint boolean NOT NULL DEFAULT false;
DROP INDEX agent_routes_key;
-- Both databases take NULLs for different, so the application's id stands for "all endpoints".
CREATE UNIQUE INDEX agent_routes_key ON agent_routes (application_id, source, pattern, coalesce(endpoint_id, application_id))
  WHERE deleted_at IS NULL;
-- Whether an application has or had routes.
CREATE INDEX agent_routes_application ON agent_routes (application_id);

-- The last run of retention, in its one row, so that a missed one is made up and any instance can ask for one.
CREATE TABLE prune_runs (
  id               integer PRIMARY KEY CHECK (id = 1),
  asked_at         integer NOT NULL DEFAULT 0,
  began_at         integer NOT NULL,
  -- When its instance last wrote: another begins a run anew that is silent for long.
  seen_at          integer NOT NULL,
  ended_at         integer,
  applications     integer NOT NULL DEFAULT 0,
  messages         integer NOT NULL DEFAULT 0,
  deliveries       integer NOT NULL DEFAULT 0,
  attempts         integer NOT NULL DEFAULT 0,
  payloads         integer NOT NULL DEFAULT 0,
  idempotency_keys integer NOT NULL DEFAULT 0,
  secrets          integer NOT NULL DEFAULT 0
);

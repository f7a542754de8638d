-- The last run of retention, in its one row, so that a missed one is made up and any instance can ask for one.
CREATE TABLE prune_runs (
  id               integer PRIMARY KEY CHECK (id = 1),
  asked_at         bigint NOT NULL DEFAULT 0,
  began_at         bigint NOT NULL,
  -- When its instance last wrote: another begins a run anew that is silent for long.
  seen_at          bigint NOT NULL,
  ended_at         bigint,
  applications     bigint NOT NULL DEFAULT 0,
  messages         bigint NOT NULL DEFAULT 0,
  deliveries       bigint NOT NULL DEFAULT 0,
  attempts         bigint NOT NULL DEFAULT 0,
  payloads         bigint NOT NULL DEFAULT 0,
  idempotency_keys bigint NOT NULL DEFAULT 0,
  secrets          bigint NOT NULL DEFAULT 0
);

-- Counters, background tasks, portal tokens and operational webhooks.

-- What one instance counted on one lane in one minute, appended and never changed (engine rule 36). The zero lane holds
-- what concerns the application itself. within_N and beyond count tries by their latency in milliseconds.
-- part: an instance writes a minute in several parts when it is asked to, or stops, before the minute is over.
CREATE TABLE counters (
  application_id uuid NOT NULL,
  lane_id        uuid NOT NULL,
  minute         bigint NOT NULL,
  instance_id    uuid NOT NULL,
  part           bigint NOT NULL,
  accepted       bigint NOT NULL DEFAULT 0,
  delivered      bigint NOT NULL DEFAULT 0,
  failed         bigint NOT NULL DEFAULT 0,
  dead_letter    bigint NOT NULL DEFAULT 0,
  canceled       bigint NOT NULL DEFAULT 0,
  latency_ms     bigint NOT NULL DEFAULT 0,
  within_5       bigint NOT NULL DEFAULT 0,
  within_10      bigint NOT NULL DEFAULT 0,
  within_25      bigint NOT NULL DEFAULT 0,
  within_50      bigint NOT NULL DEFAULT 0,
  within_100     bigint NOT NULL DEFAULT 0,
  within_250     bigint NOT NULL DEFAULT 0,
  within_500     bigint NOT NULL DEFAULT 0,
  within_1000    bigint NOT NULL DEFAULT 0,
  within_2500    bigint NOT NULL DEFAULT 0,
  within_5000    bigint NOT NULL DEFAULT 0,
  within_10000   bigint NOT NULL DEFAULT 0,
  within_15000   bigint NOT NULL DEFAULT 0,
  within_30000   bigint NOT NULL DEFAULT 0,
  within_60000   bigint NOT NULL DEFAULT 0,
  beyond         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (application_id, lane_id, minute, instance_id, part)
);
CREATE INDEX counters_age ON counters (minute);

-- Minutes that are past their time, summed up by the pruner.
CREATE TABLE counter_hours (
  application_id uuid NOT NULL,
  lane_id        uuid NOT NULL,
  hour           bigint NOT NULL,
  accepted       bigint NOT NULL DEFAULT 0,
  delivered      bigint NOT NULL DEFAULT 0,
  failed         bigint NOT NULL DEFAULT 0,
  dead_letter    bigint NOT NULL DEFAULT 0,
  canceled       bigint NOT NULL DEFAULT 0,
  latency_ms     bigint NOT NULL DEFAULT 0,
  within_5       bigint NOT NULL DEFAULT 0,
  within_10      bigint NOT NULL DEFAULT 0,
  within_25      bigint NOT NULL DEFAULT 0,
  within_50      bigint NOT NULL DEFAULT 0,
  within_100     bigint NOT NULL DEFAULT 0,
  within_250     bigint NOT NULL DEFAULT 0,
  within_500     bigint NOT NULL DEFAULT 0,
  within_1000    bigint NOT NULL DEFAULT 0,
  within_2500    bigint NOT NULL DEFAULT 0,
  within_5000    bigint NOT NULL DEFAULT 0,
  within_10000   bigint NOT NULL DEFAULT 0,
  within_15000   bigint NOT NULL DEFAULT 0,
  within_30000   bigint NOT NULL DEFAULT 0,
  within_60000   bigint NOT NULL DEFAULT 0,
  beyond         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (application_id, lane_id, hour)
);
CREATE INDEX counter_hours_age ON counter_hours (hour);

-- Work that goes on in the background. Each step writes its progress in the transaction that does it, so whoever takes the
-- task over goes on exactly where the last committed step ended.
CREATE TABLE tasks (
  id             uuid PRIMARY KEY,
  environment_id text   COLLATE "C" NOT NULL,
  application_id uuid,
  kind           text NOT NULL,
  status         smallint NOT NULL CHECK (status IN (0, 1, 2)),
  input          text NOT NULL DEFAULT '{}',
  progress       text NOT NULL DEFAULT '{}',
  leased_by      uuid,
  lease_version  int NOT NULL DEFAULT 0,
  lease_until    bigint NOT NULL DEFAULT 0,
  created_at     bigint NOT NULL,
  updated_at     bigint NOT NULL
);
CREATE INDEX tasks_list ON tasks (environment_id, id);
CREATE INDEX tasks_running ON tasks (lease_until, id) WHERE status = 0;

-- A portal's token is an API key of one application that expires; what it may do is narrower than a role.
ALTER TABLE api_keys ADD COLUMN capabilities text;
ALTER TABLE api_keys ADD COLUMN session_id text;
-- The flags whose event types a portal may see, with commas between.
ALTER TABLE api_keys ADD COLUMN feature_flags text;
CREATE INDEX api_keys_application ON api_keys (application_id, id) WHERE application_id IS NOT NULL;
-- Keys that people made, without the many tokens of portals.
CREATE INDEX api_keys_list ON api_keys (environment_id, id) WHERE capabilities IS NULL;

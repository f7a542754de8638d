-- Times are epoch milliseconds bound from the injected clock, so that both dialects share their statements.
-- No foreign keys on hot tables (they cost 39 % of the write rate); the crash suite shows that orphans are impossible.

CREATE TABLE environments (
  id         text COLLATE "C" PRIMARY KEY,
  name       text   NOT NULL,
  settings   text   NOT NULL DEFAULT '{}',
  version    int    NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE data_keys (
  id             uuid   PRIMARY KEY,
  environment_id text   COLLATE "C" NOT NULL,
  master_key_id  text   NOT NULL,
  wrapped        bytea  NOT NULL,
  created_at     bigint NOT NULL
);
CREATE INDEX data_keys_environment ON data_keys (environment_id, id);

CREATE TABLE api_keys (
  id             uuid     PRIMARY KEY,
  environment_id text     COLLATE "C" NOT NULL,
  application_id uuid,
  name           text     NOT NULL,
  prefix         text     NOT NULL,
  hash           bytea    NOT NULL UNIQUE,
  role           smallint NOT NULL CHECK (role IN (0, 1)),
  created_at     bigint   NOT NULL,
  expires_at     bigint,
  last_used_at   bigint,
  revoked_at     bigint
);
CREATE INDEX api_keys_environment ON api_keys (environment_id, id);

CREATE TABLE applications (
  id              uuid    PRIMARY KEY,
  environment_id  text    COLLATE "C" NOT NULL,
  uid             text    COLLATE "C",
  name            text    NOT NULL,
  metadata        text    NOT NULL DEFAULT '{}',
  throttle_rate   int,
  active          boolean NOT NULL DEFAULT true,
  settings        text    NOT NULL DEFAULT '{}',
  -- Bumped by every change that decides who gets a message; the accept statement checks it (docs/adr/0003).
  routing_version int     NOT NULL DEFAULT 0,
  created_at      bigint  NOT NULL,
  updated_at      bigint  NOT NULL,
  deleted_at      bigint
);
CREATE UNIQUE INDEX applications_uid ON applications (environment_id, uid) WHERE deleted_at IS NULL AND uid IS NOT NULL;
CREATE INDEX applications_list ON applications (environment_id, id) WHERE deleted_at IS NULL;

-- An application's throttle, apart from its row so that pacing never rewrites it.
CREATE TABLE application_throttles (
  application_id uuid   PRIMARY KEY,
  tat            bigint NOT NULL
);

CREATE TABLE event_types (
  id             uuid    PRIMARY KEY,
  environment_id text    COLLATE "C" NOT NULL,
  application_id uuid    NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  name           text    COLLATE "C" NOT NULL,
  description    text    NOT NULL DEFAULT '',
  archived       boolean NOT NULL DEFAULT false,
  deprecated     boolean NOT NULL DEFAULT false,
  feature_flag   text,
  schemas        text,
  settings       text    NOT NULL DEFAULT '{}',
  created_at     bigint  NOT NULL,
  updated_at     bigint  NOT NULL
);
CREATE UNIQUE INDEX event_types_name ON event_types (environment_id, application_id, name);

CREATE TABLE endpoints (
  id                     uuid    PRIMARY KEY,
  application_id         uuid    NOT NULL,
  uid                    text    COLLATE "C",
  url                    text    NOT NULL,
  method                 text    NOT NULL DEFAULT 'POST',
  description            text    NOT NULL DEFAULT '',
  metadata               text    NOT NULL DEFAULT '{}',
  disabled               boolean NOT NULL DEFAULT false,
  disabled_reason        text,
  disabled_at            bigint,
  throttle_rate          int,
  timeout_ms             int,
  max_in_flight          int,
  initial_delay_ms       int,
  on_dead_letter         smallint NOT NULL DEFAULT 0 CHECK (on_dead_letter IN (0, 1)),
  signature_scheme       text,
  retry_policy           text,
  filter                 text,
  transform              text,
  use_application_secret boolean NOT NULL DEFAULT false,
  headers                bytea,
  version                int     NOT NULL DEFAULT 1,
  created_at             bigint  NOT NULL,
  updated_at             bigint  NOT NULL,
  deleted_at             bigint
);
CREATE UNIQUE INDEX endpoints_uid ON endpoints (application_id, uid) WHERE deleted_at IS NULL AND uid IS NOT NULL;
CREATE INDEX endpoints_list ON endpoints (application_id, id) WHERE deleted_at IS NULL;

-- No rows = all event types.
CREATE TABLE subscriptions (
  application_id uuid NOT NULL,
  endpoint_id    uuid NOT NULL,
  pattern        text COLLATE "C" NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, pattern)
);

-- No rows = all channels.
CREATE TABLE endpoint_channels (
  application_id uuid NOT NULL,
  endpoint_id    uuid NOT NULL,
  channel        text COLLATE "C" NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, channel)
);

-- Signing keys, sealed. The owner is an endpoint, or the application for its default secret.
CREATE TABLE signing_secrets (
  id             uuid   PRIMARY KEY,
  application_id uuid   NOT NULL,
  owner_id       uuid   NOT NULL,
  sealed         bytea  NOT NULL,
  created_at     bigint NOT NULL,
  expires_at     bigint
);
CREATE INDEX signing_secrets_owner ON signing_secrets (application_id, owner_id, id);
CREATE INDEX signing_secrets_expiry ON signing_secrets (expires_at) WHERE expires_at IS NOT NULL;

-- An exit's own queue head: circuit, pace, order. The id is the endpoint's.
CREATE TABLE lanes (
  id               uuid     PRIMARY KEY,
  application_id   uuid     NOT NULL,
  paused           boolean  NOT NULL DEFAULT false,
  ordered          boolean  NOT NULL DEFAULT false,
  circuit          smallint NOT NULL DEFAULT 0 CHECK (circuit IN (0, 1, 2)),
  failures         int      NOT NULL DEFAULT 0,
  first_failure_at bigint   NOT NULL DEFAULT 0,
  open_until       bigint   NOT NULL DEFAULT 0,
  open_count       int      NOT NULL DEFAULT 0,
  probe            uuid,
  slow_until       bigint   NOT NULL DEFAULT 0,
  reduced_cap      int      NOT NULL DEFAULT 0,
  in_flight        uuid,
  next_seq         bigint   NOT NULL DEFAULT 1,
  throttle_tat     bigint   NOT NULL DEFAULT 0,
  failing_since    bigint,
  last_failure_at  bigint,
  failure_spread   boolean  NOT NULL DEFAULT false,
  last_success_at  bigint
);
CREATE INDEX lanes_application ON lanes (application_id);
-- Lanes that a success changes; read at every heartbeat.
CREATE INDEX lanes_noisy ON lanes (id) WHERE circuit <> 0 OR failures > 0 OR reduced_cap > 0 OR failing_since > 0;

CREATE TABLE messages (
  application_id uuid   NOT NULL,
  id             uuid   NOT NULL,
  event_type     text   COLLATE "C" NOT NULL,
  event_id       text   COLLATE "C",
  channels       text,
  tags           text,
  content_type   text,
  headers        text,
  payload        bytea,
  expires_at     bigint,
  PRIMARY KEY (application_id, id)
);
CREATE UNIQUE INDEX messages_event_id ON messages (application_id, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX messages_expiry ON messages (expires_at, id) WHERE expires_at IS NOT NULL;

-- One message on its way to one exit; the row is the queue item.
-- The id is made of the message's time and a hash over (message, lane, trigger batch): the primary key is also the
-- unique key over those three, and all deliveries of a message stand side by side (docs/adr/0004).
-- next_attempt_at is null while leased or terminal, lease_until is null unless claimed (what is born leased has its lease in births), dead_at is null unless dead_letter:
-- so the happy path never touches the due and dead-letter indexes.
CREATE TABLE deliveries (
  application_id  uuid     NOT NULL,
  id              uuid     NOT NULL,
  message_id      uuid     NOT NULL,
  lane_id         uuid     NOT NULL,
  status          smallint NOT NULL CHECK (status BETWEEN 0 AND 5),
  manual          boolean  NOT NULL DEFAULT false,
  attempts        int      NOT NULL DEFAULT 0,
  schedule_from   int      NOT NULL DEFAULT 0,
  rescues         smallint NOT NULL DEFAULT 0,
  lease_version   int      NOT NULL DEFAULT 0,
  leased_by       uuid,
  lease_until     bigint,
  next_attempt_at bigint,
  lane_seq        bigint,
  created_at      bigint   NOT NULL,
  finished_at     bigint,
  dead_at         bigint,
  reason          text,
  body            bytea,
  route_id        uuid,
  session_id      text,
  PRIMARY KEY (application_id, id)
-- Each row is updated once, in its page.
) WITH (fillfactor = 50);
CREATE INDEX deliveries_due ON deliveries (lane_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX deliveries_order ON deliveries (lane_id, lane_seq) WHERE lane_seq IS NOT NULL;
CREATE INDEX deliveries_dead ON deliveries (application_id, dead_at, id) WHERE dead_at IS NOT NULL;

-- The leases of the deliveries that one commit brought already leased: one row for all of them (pairs of application and
-- delivery, 32 bytes each), so that the happy path leaves the index of leases alone and its update changes no index.
CREATE TABLE births (
  instance_id uuid NOT NULL,
  id          uuid NOT NULL,
  lease_until bigint NOT NULL,
  children    bytea NOT NULL,
  PRIMARY KEY (instance_id, id)
);
CREATE INDEX births_ended ON births (lease_until);
ALTER TABLE births ALTER COLUMN children SET STORAGE EXTERNAL;
ALTER TABLE births SET (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 1);

-- One try of one delivery; never updated. Attempt number = the lease version that it was sent under.
CREATE TABLE attempts (
  application_id uuid     NOT NULL,
  message_id     uuid     NOT NULL,
  delivery_id    uuid     NOT NULL,
  number         int      NOT NULL,
  id             uuid     NOT NULL,
  lane_id        uuid     NOT NULL,
  manual         boolean  NOT NULL,
  outcome        smallint NOT NULL CHECK (outcome BETWEEN 0 AND 9),
  status_code    smallint,
  latency_ms     int      NOT NULL,
  sent_at        bigint   NOT NULL,
  url            text     NOT NULL,
  signature      text,
  sent_headers   text,
  response       bytea,
  error          text,
  PRIMARY KEY (application_id, message_id, delivery_id, number)
);
CREATE INDEX attempts_lane ON attempts (application_id, lane_id, id);
CREATE INDEX attempts_failed ON attempts (application_id, lane_id, id) WHERE outcome <> 0;

-- Keys are 128 bits of SHA-256 over (environment, route, application, key).
CREATE TABLE idempotency (
  application_id uuid   NOT NULL,
  key            uuid   NOT NULL,
  body           uuid   NOT NULL,
  message_id     uuid   NOT NULL,
  expires_at     bigint NOT NULL,
  PRIMARY KEY (application_id, key)
);
-- Pruned page by page from the first one on, so that no index on the expiry is needed.

CREATE TABLE instances (
  id         uuid   PRIMARY KEY,
  heartbeat  bigint NOT NULL,
  host       text   NOT NULL,
  version    text   NOT NULL,
  role       text   NOT NULL,
  started_at bigint NOT NULL,
  seen_at    bigint NOT NULL
);

ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE lanes SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE instances SET (fillfactor = 50);

-- Times are epoch milliseconds bound from the injected clock, so that both dialects share their statements.
-- Differs from PostgreSQL's where noted: leading keys are time-ordered wherever possible, because each commit rewrites every
-- page that it touches and a key that starts with the application scatters the writes.

CREATE TABLE environments (
  id         text PRIMARY KEY,
  name       text   NOT NULL,
  settings   text   NOT NULL DEFAULT '{}',
  version    integer    NOT NULL DEFAULT 0,
  created_at integer NOT NULL,
  updated_at integer NOT NULL
) WITHOUT ROWID;

CREATE TABLE data_keys (
  id             blob   PRIMARY KEY,
  environment_id text   NOT NULL,
  master_key_id  text   NOT NULL,
  wrapped        blob  NOT NULL,
  created_at     integer NOT NULL
);
CREATE INDEX data_keys_environment ON data_keys (environment_id, id);

CREATE TABLE api_keys (
  id             blob     PRIMARY KEY,
  environment_id text     NOT NULL,
  application_id blob,
  name           text     NOT NULL,
  prefix         text     NOT NULL,
  hash           blob    NOT NULL UNIQUE,
  role           integer NOT NULL CHECK (role IN (0, 1)),
  created_at     integer   NOT NULL,
  expires_at     integer,
  last_used_at   integer,
  revoked_at     integer
);
CREATE INDEX api_keys_environment ON api_keys (environment_id, id);

CREATE TABLE applications (
  id              blob    PRIMARY KEY,
  environment_id  text    NOT NULL,
  uid             text   ,
  name            text    NOT NULL,
  metadata        text    NOT NULL DEFAULT '{}',
  throttle_rate   integer,
  active          boolean NOT NULL DEFAULT true,
  settings        text    NOT NULL DEFAULT '{}',
  -- Bumped by every change that decides who gets a message; the accept statement checks it (docs/adr/0003).
  routing_version integer     NOT NULL DEFAULT 0,
  created_at      integer  NOT NULL,
  updated_at      integer  NOT NULL,
  deleted_at      integer
);
CREATE UNIQUE INDEX applications_uid ON applications (environment_id, uid) WHERE deleted_at IS NULL AND uid IS NOT NULL;
CREATE INDEX applications_list ON applications (environment_id, id) WHERE deleted_at IS NULL;

-- An application's throttle, apart from its row so that pacing never rewrites it.
CREATE TABLE application_throttles (
  application_id blob   PRIMARY KEY,
  tat            integer NOT NULL
) WITHOUT ROWID;

CREATE TABLE event_types (
  id             blob    PRIMARY KEY,
  environment_id text    NOT NULL,
  application_id blob    NOT NULL DEFAULT x'00000000000000000000000000000000',
  name           text    NOT NULL,
  description    text    NOT NULL DEFAULT '',
  archived       boolean NOT NULL DEFAULT false,
  deprecated     boolean NOT NULL DEFAULT false,
  feature_flag   text,
  schemas        text,
  settings       text    NOT NULL DEFAULT '{}',
  created_at     integer  NOT NULL,
  updated_at     integer  NOT NULL
);
CREATE UNIQUE INDEX event_types_name ON event_types (environment_id, application_id, name);

CREATE TABLE endpoints (
  id                     blob    PRIMARY KEY,
  application_id         blob    NOT NULL,
  uid                    text   ,
  url                    text    NOT NULL,
  method                 text    NOT NULL DEFAULT 'POST',
  description            text    NOT NULL DEFAULT '',
  metadata               text    NOT NULL DEFAULT '{}',
  disabled               boolean NOT NULL DEFAULT false,
  disabled_reason        text,
  disabled_at            integer,
  throttle_rate          integer,
  timeout_ms             integer,
  max_in_flight          integer,
  initial_delay_ms       integer,
  on_dead_letter         integer NOT NULL DEFAULT 0 CHECK (on_dead_letter IN (0, 1)),
  signature_scheme       text,
  retry_policy           text,
  filter                 text,
  transform              text,
  use_application_secret boolean NOT NULL DEFAULT false,
  headers                blob,
  version                integer     NOT NULL DEFAULT 1,
  created_at             integer  NOT NULL,
  updated_at             integer  NOT NULL,
  deleted_at             integer
);
CREATE UNIQUE INDEX endpoints_uid ON endpoints (application_id, uid) WHERE deleted_at IS NULL AND uid IS NOT NULL;
CREATE INDEX endpoints_list ON endpoints (application_id, id) WHERE deleted_at IS NULL;

-- No rows = all event types.
CREATE TABLE subscriptions (
  application_id blob NOT NULL,
  endpoint_id    blob NOT NULL,
  pattern        text NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, pattern)
) WITHOUT ROWID;

-- No rows = all channels.
CREATE TABLE endpoint_channels (
  application_id blob NOT NULL,
  endpoint_id    blob NOT NULL,
  channel        text NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, channel)
) WITHOUT ROWID;

-- Signing keys, sealed. The owner is an endpoint, or the application for its default secret.
CREATE TABLE signing_secrets (
  id             blob   PRIMARY KEY,
  application_id blob   NOT NULL,
  owner_id       blob   NOT NULL,
  sealed         blob  NOT NULL,
  created_at     integer NOT NULL,
  expires_at     integer
);
CREATE INDEX signing_secrets_owner ON signing_secrets (application_id, owner_id, id);
CREATE INDEX signing_secrets_expiry ON signing_secrets (expires_at) WHERE expires_at IS NOT NULL;

-- An exit's own queue head: circuit, pace, order. The id is the endpoint's.
CREATE TABLE lanes (
  id               blob     PRIMARY KEY,
  application_id   blob     NOT NULL,
  paused           boolean  NOT NULL DEFAULT false,
  ordered          boolean  NOT NULL DEFAULT false,
  circuit          integer NOT NULL DEFAULT 0 CHECK (circuit IN (0, 1, 2)),
  failures         integer      NOT NULL DEFAULT 0,
  first_failure_at integer   NOT NULL DEFAULT 0,
  open_until       integer   NOT NULL DEFAULT 0,
  open_count       integer      NOT NULL DEFAULT 0,
  probe            blob,
  slow_until       integer   NOT NULL DEFAULT 0,
  reduced_cap      integer      NOT NULL DEFAULT 0,
  in_flight        blob,
  next_seq         integer   NOT NULL DEFAULT 1,
  throttle_tat     integer   NOT NULL DEFAULT 0,
  failing_since    integer,
  last_failure_at  integer,
  failure_spread   boolean  NOT NULL DEFAULT false,
  last_success_at  integer
) WITHOUT ROWID;
CREATE INDEX lanes_application ON lanes (application_id);
-- Lanes that a success changes; read at every heartbeat.
CREATE INDEX lanes_noisy ON lanes (id) WHERE circuit <> 0 OR failures > 0 OR reduced_cap > 0 OR failing_since > 0;

CREATE TABLE messages (
  application_id blob   NOT NULL,
  id             blob   NOT NULL,
  event_type     text   NOT NULL,
  event_id       text  ,
  channels       text,
  tags           text,
  content_type   text,
  headers        text,
  payload        blob,
  expires_at     integer,
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
  application_id  blob     NOT NULL,
  id              blob     NOT NULL,
  message_id      blob     NOT NULL,
  lane_id         blob     NOT NULL,
  status          integer NOT NULL CHECK (status BETWEEN 0 AND 5),
  manual          boolean  NOT NULL DEFAULT false,
  attempts        integer      NOT NULL DEFAULT 0,
  schedule_from   integer      NOT NULL DEFAULT 0,
  rescues         integer NOT NULL DEFAULT 0,
  lease_version   integer      NOT NULL DEFAULT 0,
  leased_by       blob,
  lease_until     integer,
  next_attempt_at integer,
  lane_seq        integer,
  created_at      integer   NOT NULL,
  finished_at     integer,
  dead_at         integer,
  reason          text,
  body            blob,
  route_id        blob,
  session_id      text,
  PRIMARY KEY (id)
) WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (lane_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX deliveries_order ON deliveries (lane_id, lane_seq) WHERE lane_seq IS NOT NULL;
CREATE INDEX deliveries_dead ON deliveries (application_id, dead_at, id) WHERE dead_at IS NOT NULL;

-- The leases of the deliveries that one commit brought already leased: one row for all of them (pairs of application and
-- delivery, 32 bytes each), so that the happy path leaves the index of leases alone and its update changes no index.
CREATE TABLE births (
  instance_id blob NOT NULL,
  id          blob NOT NULL,
  lease_until integer NOT NULL,
  children    blob NOT NULL,
  PRIMARY KEY (instance_id, id)
);
CREATE INDEX births_ended ON births (lease_until);

-- One try of one delivery; never updated. Attempt number = the lease version that it was sent under.
CREATE TABLE attempts (
  application_id blob     NOT NULL,
  message_id     blob     NOT NULL,
  delivery_id    blob     NOT NULL,
  number         integer      NOT NULL,
  id             blob     NOT NULL,
  lane_id        blob     NOT NULL,
  manual         boolean  NOT NULL,
  outcome        integer NOT NULL CHECK (outcome BETWEEN 0 AND 9),
  status_code    integer,
  latency_ms     integer      NOT NULL,
  sent_at        integer   NOT NULL,
  url            text     NOT NULL,
  signature      text,
  sent_headers   text,
  response       blob,
  error          text,
  PRIMARY KEY (message_id, delivery_id, number)
) WITHOUT ROWID;
CREATE INDEX attempts_lane ON attempts (application_id, lane_id, id);
CREATE INDEX attempts_failed ON attempts (application_id, lane_id, id) WHERE outcome <> 0;

-- Keys are 128 bits of SHA-256 over (environment, route, application, key).
CREATE TABLE idempotency (
  application_id blob   NOT NULL,
  key            blob   NOT NULL,
  body           blob   NOT NULL,
  message_id     blob   NOT NULL,
  expires_at     integer NOT NULL,
  PRIMARY KEY (application_id, key)
);
-- Rows are pruned from the oldest rowid on, so that no index on the expiry is needed.

CREATE TABLE instances (
  id         blob   PRIMARY KEY,
  heartbeat  integer NOT NULL,
  host       text   NOT NULL,
  version    text   NOT NULL,
  role       text   NOT NULL,
  started_at integer NOT NULL,
  seen_at    integer NOT NULL
) WITHOUT ROWID;

-- Sources, rejected requests, cron, live history.

-- An inbound door. The name is the uid of its application. The form is what its owner chose, as JSON.
CREATE TABLE sources (
  id              uuid   PRIMARY KEY,
  environment_id  text   COLLATE "C" NOT NULL,
  name            text   COLLATE "C" NOT NULL,
  application_id  uuid   NOT NULL,
  form            text   NOT NULL,
  token           bytea,
  token_hash      bytea,
  old_token_hash  bytea,
  old_token_until bigint,
  version         int    NOT NULL DEFAULT 1,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL
);
CREATE UNIQUE INDEX sources_name ON sources (environment_id, name);
CREATE INDEX sources_list ON sources (environment_id, id);

-- Sealed; several are live during a rotation.
CREATE TABLE source_secrets (
  id         uuid   PRIMARY KEY,
  source_id  uuid   NOT NULL,
  sealed     bytea  NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint
);
CREATE INDEX source_secrets_source ON source_secrets (source_id, id);

-- One row, counted up by every change of a source, so that an instance sees cheaply whether its memory is current.
CREATE TABLE source_changes (
  id      int    PRIMARY KEY,
  version bigint NOT NULL
);
INSERT INTO source_changes (id, version) VALUES (1, 0);

-- Requests that a source refused; ids are time-ordered, so the oldest go by key.
CREATE TABLE rejected_requests (
  id             uuid   PRIMARY KEY,
  environment_id text   COLLATE "C" NOT NULL,
  source_id      uuid   NOT NULL,
  application_id uuid   NOT NULL,
  status         int    NOT NULL,
  reason         text   NOT NULL,
  detail         text   NOT NULL,
  method         text   NOT NULL,
  address        text   NOT NULL,
  headers        text   NOT NULL,
  body           bytea,
  body_bytes     bigint NOT NULL
);
CREATE INDEX rejected_requests_source ON rejected_requests (source_id, id);

-- The last tick of a cron source that became a message.
CREATE TABLE cron_ticks (
  source_id uuid   PRIMARY KEY,
  schedule  text NOT NULL,
  last_tick bigint NOT NULL
);

-- What the live feed told, for clients that come back; ids are time-ordered.
CREATE TABLE live_events (
  id             uuid PRIMARY KEY,
  environment_id text COLLATE "C" NOT NULL,
  application_id uuid NOT NULL,
  session_id     text,
  kind           text NOT NULL,
  data           text NOT NULL
);

-- One row: until when status changes are written down, because somebody watches or may come back.
CREATE TABLE live_use (
  id    int PRIMARY KEY,
  until bigint NOT NULL
);
INSERT INTO live_use (id, until) VALUES (1, 0);

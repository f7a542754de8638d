-- Sources, rejected requests, cron, live history.

-- An inbound door. The name is the uid of its application. The form is what its owner chose, as JSON.
CREATE TABLE sources (
  id              blob   PRIMARY KEY,
  environment_id  text   NOT NULL,
  name            text   NOT NULL,
  application_id  blob   NOT NULL,
  form            text   NOT NULL,
  token           blob,
  token_hash      blob,
  old_token_hash  blob,
  old_token_until integer,
  version         integer    NOT NULL DEFAULT 1,
  created_at      integer NOT NULL,
  updated_at      integer NOT NULL
);
CREATE UNIQUE INDEX sources_name ON sources (environment_id, name);
CREATE INDEX sources_list ON sources (environment_id, id);

-- Sealed; several are live during a rotation.
CREATE TABLE source_secrets (
  id         blob   PRIMARY KEY,
  source_id  blob   NOT NULL,
  sealed     blob  NOT NULL,
  created_at integer NOT NULL,
  expires_at integer
);
CREATE INDEX source_secrets_source ON source_secrets (source_id, id);

-- One row, counted up by every change of a source, so that an instance sees cheaply whether its memory is current.
CREATE TABLE source_changes (
  id      integer    PRIMARY KEY,
  version integer NOT NULL
);
INSERT INTO source_changes (id, version) VALUES (1, 0);

-- Requests that a source refused; ids are time-ordered, so the oldest go by key.
CREATE TABLE rejected_requests (
  id             blob   PRIMARY KEY,
  environment_id text   NOT NULL,
  source_id      blob   NOT NULL,
  application_id blob   NOT NULL,
  status         integer    NOT NULL,
  reason         text   NOT NULL,
  detail         text   NOT NULL,
  method         text   NOT NULL,
  address        text   NOT NULL,
  headers        text   NOT NULL,
  body           blob,
  body_bytes     integer NOT NULL
);
CREATE INDEX rejected_requests_source ON rejected_requests (source_id, id);

-- The last tick of a cron source that became a message.
CREATE TABLE cron_ticks (
  source_id blob   PRIMARY KEY,
  schedule  text NOT NULL,
  last_tick integer NOT NULL
);

-- What the live feed told, for clients that come back; ids are time-ordered.
CREATE TABLE live_events (
  id             blob PRIMARY KEY,
  environment_id text NOT NULL,
  application_id blob NOT NULL,
  session_id     text,
  kind           text NOT NULL,
  data           text NOT NULL
);

-- One row: until when status changes are written down, because somebody watches or may come back.
CREATE TABLE live_use (
  id    integer PRIMARY KEY,
  until integer NOT NULL
);
INSERT INTO live_use (id, until) VALUES (1, 0);

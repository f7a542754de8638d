-- Agent routes and pull queues.

-- What a transform chose besides the body: method, path, headers, content type. Fixed with the body at the first try.
ALTER TABLE deliveries ADD COLUMN shape text;
-- Why an expression failed, in words.
ALTER TABLE deliveries ADD COLUMN detail text;
-- A queue's own dead letters, apart from its application's.
CREATE INDEX deliveries_dead_lane ON deliveries (lane_id, dead_at, id) WHERE dead_at IS NOT NULL;
CREATE INDEX deliveries_session ON deliveries (application_id, session_id, id) WHERE session_id IS NOT NULL;

-- (source, event type or prefix) to what an agent is told. A deleted one stays for the deliveries that name it.
CREATE TABLE agent_routes (
  id                 blob    PRIMARY KEY,
  application_id     blob    NOT NULL,
  source             text    NOT NULL,
  pattern            text    NOT NULL,
  agent_intent       text    NOT NULL,
  target_session     text,
  session_expression text,
  session_header     text,
  annotations        text    NOT NULL DEFAULT '{}',
  profile            integer NOT NULL DEFAULT 0 CHECK (profile IN (0, 1)),
  created_at         integer NOT NULL,
  updated_at         integer NOT NULL,
  deleted_at         integer
) WITHOUT ROWID;
CREATE UNIQUE INDEX agent_routes_key ON agent_routes (application_id, source, pattern) WHERE deleted_at IS NULL;

-- An exit that is asked instead of called. Its lane and its subscriptions have the queue's id. A delivery that is handed out is
-- `sending` with the end of its visibility in next_attempt_at and no lease_until: it is due again by itself, whoever dies.
CREATE TABLE queues (
  id                    blob    PRIMARY KEY,
  application_id        blob    NOT NULL,
  name                  text    NOT NULL,
  description           text    NOT NULL DEFAULT '',
  filter                text,
  visibility_timeout_ms integer NOT NULL,
  max_attempts          integer NOT NULL,
  key_hash              blob    NOT NULL UNIQUE,
  version               integer NOT NULL DEFAULT 1,
  created_at            integer NOT NULL,
  updated_at            integer NOT NULL,
  deleted_at            integer
) WITHOUT ROWID;
CREATE UNIQUE INDEX queues_name ON queues (application_id, name) WHERE deleted_at IS NULL;

-- How far a consumer of the polling calls has read a queue's messages.
CREATE TABLE queue_consumers (
  queue_id   blob    NOT NULL,
  consumer   text    NOT NULL,
  position   blob    NOT NULL,
  updated_at integer NOT NULL,
  PRIMARY KEY (queue_id, consumer)
) WITHOUT ROWID;

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
  id                 uuid     PRIMARY KEY,
  application_id     uuid     NOT NULL,
  source             text     COLLATE "C" NOT NULL,
  pattern            text     COLLATE "C" NOT NULL,
  agent_intent       text     NOT NULL,
  target_session     text,
  session_expression text,
  session_header     text,
  annotations        text     NOT NULL DEFAULT '{}',
  profile            smallint NOT NULL DEFAULT 0 CHECK (profile IN (0, 1)),
  created_at         bigint   NOT NULL,
  updated_at         bigint   NOT NULL,
  deleted_at         bigint
);
CREATE UNIQUE INDEX agent_routes_key ON agent_routes (application_id, source, pattern) WHERE deleted_at IS NULL;

-- An exit that is asked instead of called. Its lane and its subscriptions have the queue's id. A delivery that is handed out is
-- `sending` with the end of its visibility in next_attempt_at and no lease_until: it is due again by itself, whoever dies.
CREATE TABLE queues (
  id                    uuid   PRIMARY KEY,
  application_id        uuid   NOT NULL,
  name                  text   COLLATE "C" NOT NULL,
  description           text   NOT NULL DEFAULT '',
  filter                text,
  visibility_timeout_ms int    NOT NULL,
  max_attempts          int    NOT NULL,
  key_hash              bytea  NOT NULL UNIQUE,
  version               int    NOT NULL DEFAULT 1,
  created_at            bigint NOT NULL,
  updated_at            bigint NOT NULL,
  deleted_at            bigint
);
CREATE UNIQUE INDEX queues_name ON queues (application_id, name) WHERE deleted_at IS NULL;

-- How far a consumer of the polling calls has read a queue's messages.
CREATE TABLE queue_consumers (
  queue_id   uuid   NOT NULL,
  consumer   text   COLLATE "C" NOT NULL,
  position   uuid   NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (queue_id, consumer)
);

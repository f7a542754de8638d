-- Agent routes and pull queues.

-- What a transform chose besides the body: method, path, headers, content type. Fixed with the body at the first try.
ALTER TABLE deliveries ADD COLUMN shape text;
-- Why an expression failed, in words.
ALTER TABLE deliveries ADD COLUMN detail text;
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

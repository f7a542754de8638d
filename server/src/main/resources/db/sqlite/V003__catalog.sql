-- 0 off, 1 warn, 2 enforce: what becomes of a message that does not fit its type's newest schema.
ALTER TABLE event_types ADD COLUMN schema_check integer NOT NULL DEFAULT 0 CHECK (schema_check BETWEEN 0 AND 2);
CREATE INDEX event_types_checked ON event_types (environment_id) WHERE schema_check > 0;

-- Answers to calls that carried an idempotency key, other than sends. The key is 128 bits of SHA-256 over
-- (environment, application of the caller's key, method and path, key). 0 running, 1 written, 2 answered.
CREATE TABLE call_answers (
  key            blob    PRIMARY KEY,
  body           blob    NOT NULL,
  owner          blob    NOT NULL,
  state          integer NOT NULL CHECK (state BETWEEN 0 AND 2),
  status         integer,
  sealed         blob,
  environment_id text    NOT NULL,
  started_at     integer NOT NULL,
  expires_at     integer NOT NULL
) WITHOUT ROWID;
CREATE INDEX call_answers_expiry ON call_answers (expires_at);

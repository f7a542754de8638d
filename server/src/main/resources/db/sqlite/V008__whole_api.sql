-- What the rest of the API keeps.

-- The time that a sender asked for; null means at once. Written beside the insert, so that other messages pay nothing for it.
ALTER TABLE messages ADD COLUMN deliver_at integer;

-- A service that acts for an application's people. Its key is an API key with a portal's rights; its text is sealed, because it can be read again.
CREATE TABLE integrations (
  id             blob PRIMARY KEY,
  application_id blob NOT NULL,
  name           text NOT NULL,
  feature_flags  text NOT NULL DEFAULT '',
  key_id         blob NOT NULL,
  sealed         blob NOT NULL,
  created_at     integer NOT NULL,
  updated_at     integer NOT NULL
) WITHOUT ROWID;
CREATE INDEX integrations_list ON integrations (application_id, id);

-- Tokens that open the polling calls of one queue, the newest first in use. Sealed for the same reason.
CREATE TABLE queue_tokens (
  id         blob PRIMARY KEY,
  queue_id   blob NOT NULL,
  hash       blob NOT NULL UNIQUE,
  sealed     blob NOT NULL,
  created_at integer NOT NULL,
  expires_at integer
) WITHOUT ROWID;
CREATE INDEX queue_tokens_list ON queue_tokens (queue_id, id);

-- What a consumer that commits by number was given and has not committed yet.
CREATE TABLE queue_offsets (
  queue_id blob NOT NULL,
  consumer text NOT NULL,
  number   integer NOT NULL,
  position blob NOT NULL,
  PRIMARY KEY (queue_id, consumer, number)
) WITHOUT ROWID;
ALTER TABLE queue_consumers ADD COLUMN lease_until integer NOT NULL DEFAULT 0;
ALTER TABLE queue_consumers ADD COLUMN next_number integer NOT NULL DEFAULT 1;

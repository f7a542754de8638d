-- What the rest of the API keeps.

-- The time that a sender asked for; null means at once. Written beside the insert, so that other messages pay nothing for it.
ALTER TABLE messages ADD COLUMN deliver_at bigint;

-- A service that acts for an application's people. Its key is an API key with a portal's rights; its text is sealed, because it can be read again.
CREATE TABLE integrations (
  id             uuid PRIMARY KEY,
  application_id uuid NOT NULL,
  name           text NOT NULL,
  feature_flags  text NOT NULL DEFAULT '',
  key_id         uuid NOT NULL,
  sealed         bytea NOT NULL,
  created_at     bigint NOT NULL,
  updated_at     bigint NOT NULL
);
CREATE INDEX integrations_list ON integrations (application_id, id);

-- Tokens that open the polling calls of one queue, the newest first in use. Sealed for the same reason.
CREATE TABLE queue_tokens (
  id         uuid PRIMARY KEY,
  queue_id   uuid NOT NULL,
  hash       bytea NOT NULL UNIQUE,
  sealed     bytea NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint
);
CREATE INDEX queue_tokens_list ON queue_tokens (queue_id, id);

-- What a consumer that commits by number was given and has not committed yet.
CREATE TABLE queue_offsets (
  queue_id uuid NOT NULL,
  consumer text COLLATE "C" NOT NULL,
  number   bigint NOT NULL,
  position uuid NOT NULL,
  PRIMARY KEY (queue_id, consumer, number)
);
ALTER TABLE queue_consumers ADD COLUMN lease_until bigint NOT NULL DEFAULT 0;
ALTER TABLE queue_consumers ADD COLUMN next_number bigint NOT NULL DEFAULT 1;

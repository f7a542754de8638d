-- Who ended what. The id says when; rows are never changed.
CREATE TABLE audit (
  id             blob PRIMARY KEY,
  environment_id text NOT NULL,
  application_id blob,
  actor_kind     text NOT NULL,
  key_id         blob,
  action         text NOT NULL,
  object_kind    text NOT NULL,
  object_id      text NOT NULL
) WITHOUT ROWID;
CREATE INDEX audit_list ON audit (environment_id, id);
CREATE INDEX audit_object ON audit (environment_id, object_id, id);

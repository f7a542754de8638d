-- Who ended what. The id says when; rows are never changed.
CREATE TABLE audit (
  id             uuid PRIMARY KEY,
  environment_id text COLLATE "C" NOT NULL,
  application_id uuid,
  actor_kind     text NOT NULL,
  key_id         uuid,
  action         text NOT NULL,
  object_kind    text NOT NULL,
  object_id      text NOT NULL
);
CREATE INDEX audit_list ON audit (environment_id, id);
CREATE INDEX audit_object ON audit (environment_id, object_id, id);

-- What a configuration file owns. One file per environment; its row is locked while it is applied.

CREATE TABLE configuration_files (
  environment_id text    PRIMARY KEY,
  version        integer NOT NULL,
  -- Who applied it last: start, signal or call.
  applied_by     text    NOT NULL,
  applied_at     integer NOT NULL
) WITHOUT ROWID;

-- Everything that came from the file. What is not here was made by the API and is left alone.
CREATE TABLE configuration_items (
  environment_id text    NOT NULL,
  kind           text    NOT NULL,
  name           text    NOT NULL,
  -- Of the resource at that time: one of the same name that was made later is another.
  resource_id    blob    NOT NULL,
  created_at     integer NOT NULL,
  PRIMARY KEY (environment_id, kind, name)
) WITHOUT ROWID;

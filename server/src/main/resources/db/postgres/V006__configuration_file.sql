-- What a configuration file owns. One file per environment; its row is locked while it is applied.

CREATE TABLE configuration_files (
  environment_id text   COLLATE "C" PRIMARY KEY,
  version        bigint NOT NULL,
  -- Who applied it last: start, signal or call.
  applied_by     text   NOT NULL,
  applied_at     bigint NOT NULL
);

-- Everything that came from the file. What is not here was made by the API and is left alone.
CREATE TABLE configuration_items (
  environment_id text   COLLATE "C" NOT NULL,
  kind           text   COLLATE "C" NOT NULL,
  name           text   COLLATE "C" NOT NULL,
  -- Of the resource at that time: one of the same name that was made later is another.
  resource_id    uuid   NOT NULL,
  created_at     bigint NOT NULL,
  PRIMARY KEY (environment_id, kind, name)
);

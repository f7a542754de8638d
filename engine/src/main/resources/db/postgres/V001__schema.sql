-- The schema on PostgreSQL. The file for SQLite, db/sqlite/V001__schema.sql, has the same tables
-- and columns. Until the first release a schema change edits both files; a database of another
-- build is refused at start (docs/adr/0005).
--
-- Times are epoch milliseconds from the injected clock, never from the database: both dialects can
-- share their statements. Ids are 16 bytes that begin with their time of creation, so an index on
-- an id is also an index on the age of a row. "Sealed" columns are encrypted with a key of
-- data_keys. There are no foreign keys on the hot tables, because they cost 39 % of the write rate;
-- the crash suite checks that there are no orphans. Text that is a key or is sorted has COLLATE
-- "C": it compares bytes, as SQLite does.

-- Environments, applications and keys

CREATE TABLE environments (
  id         text   COLLATE "C" PRIMARY KEY,
  name       text   NOT NULL,
  settings   text   NOT NULL DEFAULT '{}',
  -- Incremented by every change of the settings or of an event type, for the caches of other
  -- instances.
  version    int    NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- The keys that seal secrets, each encrypted with the master key, which is not in the database.
CREATE TABLE data_keys (
  id             uuid   PRIMARY KEY,
  environment_id text   COLLATE "C" NOT NULL,
  -- NULL: a key of the environment, for what has none of its application.
  application_id uuid,
  master_key_id  text   NOT NULL,
  wrapped        bytea  NOT NULL,
  created_at     bigint NOT NULL
);
-- The data keys of an environment, oldest first.
CREATE INDEX data_keys_environment ON data_keys (environment_id, id) WHERE application_id IS NULL;
-- The data keys of an application, oldest first.
CREATE INDEX data_keys_application ON data_keys (application_id, id) WHERE application_id IS NOT NULL;

-- API keys and portal tokens. A portal token is a key of one application with an expiry and a list
-- of capabilities.
CREATE TABLE api_keys (
  id             uuid     PRIMARY KEY,
  environment_id text     COLLATE "C" NOT NULL,
  -- NULL: the key is valid for the whole environment.
  application_id uuid,
  name           text     NOT NULL,
  prefix         text     NOT NULL,
  hash           bytea    NOT NULL UNIQUE,
  -- 0 full, 1 read-only.
  role           smallint NOT NULL CHECK (role IN (0, 1)),
  -- What a portal token may do, separated by commas; NULL for an API key.
  capabilities   text,
  session_id     text,
  -- The feature flags of the event types that a portal may see, separated by commas.
  feature_flags  text,
  created_at     bigint   NOT NULL,
  expires_at     bigint,
  last_used_at   bigint,
  revoked_at     bigint
);
-- Whether an environment has a usable key.
CREATE INDEX api_keys_environment ON api_keys (environment_id, id);
-- The list of API keys, without the portal tokens, of which there are many more.
CREATE INDEX api_keys_list ON api_keys (environment_id, id) WHERE capabilities IS NULL;
-- The keys and tokens of an application, to revoke them.
CREATE INDEX api_keys_application ON api_keys (application_id, id) WHERE application_id IS NOT NULL;

CREATE TABLE applications (
  id              uuid    PRIMARY KEY,
  environment_id  text    COLLATE "C" NOT NULL,
  uid             text    COLLATE "C",
  name            text    NOT NULL,
  metadata        text    NOT NULL DEFAULT '{}',
  throttle_rate   int,
  active          boolean NOT NULL DEFAULT true,
  settings        text    NOT NULL DEFAULT '{}',
  -- The event TTL of its source; NULL: the application has no source, or the source has no event TTL.
  event_ttl_ms    int,
  -- Incremented by every change that affects which endpoints get a message; the accept statement
  -- checks it (docs/adr/0003).
  routing_version int     NOT NULL DEFAULT 0,
  created_at      bigint  NOT NULL,
  updated_at      bigint  NOT NULL,
  deleted_at      bigint
);
-- Whether any application has an event TTL; without one, nothing looks for expired deliveries.
CREATE INDEX applications_event_ttl ON applications (event_ttl_ms) WHERE event_ttl_ms IS NOT NULL;
-- An application by its uid, unique among those that are not deleted.
CREATE UNIQUE INDEX applications_uid ON applications (environment_id, uid) WHERE deleted_at IS NULL AND uid IS NOT NULL;
-- The list of applications.
CREATE INDEX applications_list ON applications (environment_id, id) WHERE deleted_at IS NULL;

-- The theoretical arrival time of an application's throttle (GCRA). Not in applications, so that
-- throttling does not rewrite that row.
CREATE TABLE application_throttles (
  application_id uuid   PRIMARY KEY,
  tat            bigint NOT NULL
);

CREATE TABLE event_types (
  id             uuid     PRIMARY KEY,
  environment_id text     COLLATE "C" NOT NULL,
  -- All zero: the type belongs to the environment. Otherwise it belongs to one application and
  -- hides the environment's type of that name.
  application_id uuid     NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  name           text     COLLATE "C" NOT NULL,
  description    text     NOT NULL DEFAULT '',
  archived       boolean  NOT NULL DEFAULT false,
  deprecated     boolean  NOT NULL DEFAULT false,
  feature_flag   text,
  -- JSON Schemas by version.
  schemas        text,
  -- What happens to a message that does not match the newest schema: 0 off, 1 warn, 2 enforce.
  schema_check   smallint NOT NULL DEFAULT 0 CHECK (schema_check BETWEEN 0 AND 2),
  -- How long idempotency keys of its messages are kept; null: as the application says.
  idempotency_window_ms int,
  settings       text     NOT NULL DEFAULT '{}',
  created_at     bigint   NOT NULL,
  updated_at     bigint   NOT NULL
);
-- A type by its name, and the list of types.
CREATE UNIQUE INDEX event_types_name ON event_types (environment_id, application_id, name);
-- Whether any event type of an environment has a rule for its messages; without one, accepting a
-- message does not look at its type.
CREATE INDEX event_types_checked ON event_types (environment_id) WHERE schema_check > 0 OR idempotency_window_ms IS NOT NULL;

-- Endpoints

CREATE TABLE endpoints (
  id                     uuid     PRIMARY KEY,
  application_id         uuid     NOT NULL,
  uid                    text     COLLATE "C",
  url                    text     NOT NULL,
  method                 text     NOT NULL DEFAULT 'POST',
  description            text     NOT NULL DEFAULT '',
  metadata               text     NOT NULL DEFAULT '{}',
  disabled               boolean  NOT NULL DEFAULT false,
  disabled_reason        text,
  disabled_at            bigint,
  throttle_rate          int,
  -- Tokens that the throttle keeps for a burst; NULL: a tenth of a second's, at least one.
  throttle_burst         int,
  -- What throttle_rate counts for: 0 a second, 1 a minute.
  throttle_period        smallint NOT NULL DEFAULT 0,
  -- Networks that the addresses of the host must be in, separated by commas; NULL: any.
  allowed_ips            text,
  timeout_ms             int,
  max_in_flight          int,
  initial_delay_ms       int,
  -- How long deliveries wait for their first attempt; NULL: as long as the source or the server says.
  event_ttl_ms           int,
  -- In an ordered lane, after a dead letter: 0 continue with the next delivery, 1 pause the lane.
  on_dead_letter         smallint NOT NULL DEFAULT 0 CHECK (on_dead_letter IN (0, 1)),
  signature_scheme       text,
  retry_policy           text,
  filter                 text,
  -- The expression whose value an endpoint gets once; NULL: none.
  dedupe                 text,
  transform              text,
  -- Whether the transform is applied; its text is kept while it is not.
  transform_enabled      boolean  NOT NULL DEFAULT true,
  -- After an error of the transform: 0 the delivery fails, 1 the message is sent without it.
  on_transform_error     smallint NOT NULL DEFAULT 0 CHECK (on_transform_error IN (0, 1)),
  use_application_secret boolean  NOT NULL DEFAULT false,
  -- Custom headers, sealed, because they may contain credentials.
  headers                bytea,
  -- The message's own headers that are sent to the endpoint: lower-case names separated by commas,
  -- "*" at the end of a prefix; NULL: none.
  forward_headers        text,
  -- Incremented by every change, for the caches of other instances.
  version                int      NOT NULL DEFAULT 1,
  -- The version that callers of the Svix API may set; it has no effect.
  shown_version          int      NOT NULL DEFAULT 1,
  created_at             bigint   NOT NULL,
  updated_at             bigint   NOT NULL,
  deleted_at             bigint
);
-- Whether any endpoint has an event TTL.
CREATE INDEX endpoints_event_ttl ON endpoints (event_ttl_ms) WHERE event_ttl_ms IS NOT NULL;
-- An endpoint by its uid, unique among those that are not deleted.
CREATE UNIQUE INDEX endpoints_uid ON endpoints (application_id, uid) WHERE deleted_at IS NULL AND uid IS NOT NULL;
-- The list of endpoints, and the endpoints that a message may go to.
CREATE INDEX endpoints_list ON endpoints (application_id, id) WHERE deleted_at IS NULL;

-- The event types or prefixes of an endpoint or a queue. No rows: all event types.
CREATE TABLE subscriptions (
  application_id uuid NOT NULL,
  endpoint_id    uuid NOT NULL,
  pattern        text COLLATE "C" NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, pattern)
);

-- The channels of an endpoint. No rows: all channels.
CREATE TABLE endpoint_channels (
  application_id uuid NOT NULL,
  endpoint_id    uuid NOT NULL,
  channel        text COLLATE "C" NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, channel)
);

-- Signing keys, sealed. The owner is an endpoint, or the application for its default secret. A
-- rotated key has an expiry.
CREATE TABLE signing_secrets (
  id             uuid   PRIMARY KEY,
  application_id uuid   NOT NULL,
  owner_id       uuid   NOT NULL,
  sealed         bytea  NOT NULL,
  created_at     bigint NOT NULL,
  expires_at     bigint
);
-- The keys of an owner, newest first.
CREATE INDEX signing_secrets_owner ON signing_secrets (application_id, owner_id, id);
-- Expired keys, for retention.
CREATE INDEX signing_secrets_expiry ON signing_secrets (expires_at) WHERE expires_at IS NOT NULL;

-- The state of an endpoint's or a queue's deliveries: pause, order, circuit breaker, rate. The id
-- is that of the endpoint or queue. A successful delivery writes the row only if it changes.
CREATE TABLE lanes (
  id               uuid     PRIMARY KEY,
  application_id   uuid     NOT NULL,
  paused           boolean  NOT NULL DEFAULT false,
  ordered          boolean  NOT NULL DEFAULT false,
  -- 0 closed, 1 open, 2 half-open.
  circuit          smallint NOT NULL DEFAULT 0 CHECK (circuit IN (0, 1, 2)),
  failures         int      NOT NULL DEFAULT 0,
  first_failure_at bigint   NOT NULL DEFAULT 0,
  open_until       bigint   NOT NULL DEFAULT 0,
  open_count       int      NOT NULL DEFAULT 0,
  -- The delivery that probes a half-open circuit.
  probe            uuid,
  -- Successes since the circuit opened, if more than one closes it.
  successes        int      NOT NULL DEFAULT 0,
  slow_until       bigint   NOT NULL DEFAULT 0,
  -- The lowered limit of concurrent attempts; 0: not lowered.
  reduced_cap      int      NOT NULL DEFAULT 0,
  -- The delivery that an ordered lane is sending.
  in_flight        uuid,
  -- The next lane_seq of an ordered lane.
  next_seq         bigint   NOT NULL DEFAULT 1,
  -- The latest acceptance time, or order_at of what was sent: no new delivery is placed before it.
  last_order_at    bigint   NOT NULL DEFAULT 0,
  throttle_tat     bigint   NOT NULL DEFAULT 0,
  failing_since    bigint,
  last_failure_at  bigint,
  failure_spread   boolean  NOT NULL DEFAULT false,
  last_success_at  bigint
-- Lanes are updated often and have few rows: room for the new version in the same page, and an
-- early vacuum.
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
-- The lanes of an application, for its counts and statistics.
CREATE INDEX lanes_application ON lanes (application_id);
-- The lanes whose state a success would change: every instance reads them at each heartbeat, and
-- lists find the unhealthy endpoints of an application.
CREATE INDEX lanes_noisy ON lanes (application_id, id) WHERE circuit <> 0 OR failures > 0 OR reduced_cap > 0 OR failing_since > 0;

-- Messages, deliveries and attempts

-- An accepted event, stored once for all its deliveries. The time of acceptance is in the id.
-- Messages and attempts have a partition for each UTC day, attempts that of their message. They are
-- created by storage.postgres.DayPartitions (docs/adr/0032).
CREATE TABLE messages (
  application_id uuid NOT NULL,
  id             uuid NOT NULL,
  event_type     text COLLATE "C" NOT NULL,
  event_id       text COLLATE "C",
  channels       text,
  tags           text,
  content_type   text,
  headers        text,
  -- NULL once it has expired or was expunged.
  payload        bytea,
  -- The time that the sender asked for; NULL: at once. Set by an update after the insert, so that
  -- other messages do not pay for it.
  deliver_at     bigint,
  -- To how many retries the retry schedule is cut; NULL: it is not. Set as deliver_at is.
  max_retries    smallint,
  -- 16 bytes for each delivery that has no row of its own: the lane, from which its id follows.
  -- NULL: none.
  targets        bytea,
  -- Of these, the lanes whose delivery a caller canceled while it was being sent: the end of its lease
  -- reads it. NULL: none.
  canceled       bytea,
  -- When the payload expires.
  expires_at     bigint,
  PRIMARY KEY (application_id, id)
) PARTITION BY RANGE (id);
-- Payloads that have expired, for retention.
CREATE INDEX messages_expiry ON messages (expires_at, id) WHERE expires_at IS NOT NULL;

-- The event ids of messages, for those that have one: an event id is accepted once per application.
-- Not an index of messages, so that those can be partitioned by their id. Deleted with the message.
CREATE TABLE event_ids (
  application_id uuid NOT NULL,
  event_id       text COLLATE "C" NOT NULL,
  message_id     uuid NOT NULL,
  PRIMARY KEY (application_id, event_id)
);

-- One message for one endpoint or queue; the row is the queue item. A delivery that is leased when
-- its message is inserted has a row only if its first attempt is not a success, or if something is
-- fixed before it, such as the result of a transform (docs/adr/0022). The id consists of the
-- message's time and a hash of (message, lane, trigger batch). So the primary key is also the
-- unique key of these three, and all deliveries of a message are next to each other
-- (docs/adr/0004). next_attempt_at is NULL while leased or terminal, dead_at is NULL unless it is a
-- dead letter.
CREATE TABLE deliveries (
  application_id  uuid     NOT NULL,
  id              uuid     NOT NULL,
  message_id      uuid     NOT NULL,
  lane_id         uuid     NOT NULL,
  -- 0 pending, 1 sending, 2 delivered, 3 failed, 4 dead_letter, 5 canceled.
  status          smallint NOT NULL CHECK (status BETWEEN 0 AND 5),
  -- One attempt that is never rescheduled.
  manual          boolean  NOT NULL DEFAULT false,
  -- A retry or redrive was requested: the following attempts are recorded as manual and keep their
  -- schedule.
  by_hand         boolean  NOT NULL DEFAULT false,
  attempts        int      NOT NULL DEFAULT 0,
  schedule_from   int      NOT NULL DEFAULT 0,
  rescues         smallint NOT NULL DEFAULT 0,
  -- The fencing token of the lease; an attempt gets it as its number.
  lease_version   int      NOT NULL DEFAULT 0,
  leased_by       uuid,
  lease_until     bigint,
  next_attempt_at bigint,
  -- The place in an ordered lane is (order_at, lane_seq). order_at is the time of acceptance, or
  -- the later time that the sender asked for; it has a meaning only while lane_seq is set.
  order_at        bigint,
  lane_seq        bigint,
  created_at      bigint   NOT NULL,
  finished_at     bigint,
  dead_at         bigint,
  reason          text,
  -- The error message of an expression that failed.
  detail          text,
  -- The result of a transform or an agent route, fixed before the first attempt: the body, and
  -- method, path, headers and content type.
  body            bytea,
  shape           text,
  route_id        uuid,
  session_id      text,
  -- A request of a workflow step: its run, the row of the history that is its input, and the run's
  -- epoch when it was scheduled. It has no message; message_id is the id of the request. The row is
  -- deleted when the request ends (docs/adr/0037).
  run_id          uuid,
  run_seq         int,
  run_epoch       int,
  CHECK ((run_id IS NULL) = (run_seq IS NULL) AND (run_id IS NULL) = (run_epoch IS NULL)),
  PRIMARY KEY (application_id, id)
-- Most rows are updated once; half of the page is left free for the new version, so that the update
-- needs no index entry (HOT).
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
-- The due deliveries of a lane, for the claim; and the lanes that have any, for the sweep.
CREATE INDEX deliveries_due ON deliveries (application_id, lane_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
-- The leases that have expired, for the rescue; and the leases of an instance, to reconcile them.
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
-- The next delivery of an ordered lane. NULLS FIRST as in the query, because it is the default of
-- SQLite.
CREATE INDEX deliveries_place ON deliveries (application_id, lane_id, order_at NULLS FIRST, lane_seq) WHERE lane_seq IS NOT NULL;
-- The dead letters of an application, by time.
CREATE INDEX deliveries_dead ON deliveries (application_id, dead_at, id) WHERE dead_at IS NOT NULL;
-- The dead letters of an endpoint or a queue, by time.
CREATE INDEX deliveries_dead_lane ON deliveries (application_id, lane_id, dead_at, id) WHERE dead_at IS NOT NULL;
-- The deliveries of an agent session, in one application; and the applications that have any.
CREATE INDEX deliveries_session ON deliveries (session_id, application_id, id) WHERE session_id IS NOT NULL;
-- The list over all applications of an environment: waiting deliveries (0) and dead letters (1), and
-- the applications that have any. A delivery that succeeds at the first attempt is never in it. The
-- condition is an expression that only this list has: the planner must not use the index for the
-- claim, which would read all of it.
CREATE INDEX deliveries_open ON deliveries ((CASE WHEN dead_at IS NULL THEN 0 ELSE 1 END), application_id, id)
  WHERE coalesce(next_attempt_at, dead_at) IS NOT NULL;

-- The leases that one commit took on deliveries without a row: one row for all of them
-- (docs/adr/0022). It is deleted when each of them has an attempt with number 1; until then their
-- messages are not pruned.
CREATE TABLE lease_batches (
  instance_id uuid   NOT NULL,
  id          uuid   NOT NULL,
  lease_until bigint NOT NULL,
  -- 48 bytes for each delivery: application, message and lane, from which its id follows.
  items       bytea  NOT NULL,
  PRIMARY KEY (instance_id, id)
-- Rows live for milliseconds: vacuumed by their number, not by the size of the table, which is
-- nearly empty. Up to 168 deliveries fit into a row; more go to TOAST, with an index of its own.
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 1);
-- Ids do not compress; do not spend CPU on it.
ALTER TABLE lease_batches ALTER COLUMN items SET STORAGE EXTERNAL;
-- The batches whose leases have expired, for the rescue.
CREATE INDEX lease_batches_ended ON lease_batches (lease_until);

-- One attempt of one delivery, written once after the attempt. The number is the lease version that
-- it was sent under. The attempts of a message are those in the range of its deliveries' ids, which
-- begin with its time.
CREATE TABLE attempts (
  application_id uuid     NOT NULL,
  message_id     uuid     NOT NULL,
  delivery_id    uuid     NOT NULL,
  number         int      NOT NULL,
  id             uuid     NOT NULL,
  lane_id        uuid     NOT NULL,
  manual         boolean  NOT NULL,
  -- 0 success, 1 HTTP status, 2 timeout, 3 network, 4 TLS, 5 blocked address, 6 unknown, 7 returned
  -- by a queue consumer, 8 void: the lease ended untried; it is in no list and no count. 9 is
  -- reserved.
  outcome        smallint NOT NULL CHECK (outcome BETWEEN 0 AND 9),
  status_code    smallint,
  latency_ms     int      NOT NULL,
  sent_at        bigint   NOT NULL,
  -- When the next attempt of the delivery was due; NULL for the last one. With it the attempt after
  -- shows when it was scheduled, which the delivery no longer knows (docs/adr/0019).
  next_attempt_at bigint,
  url            text     NOT NULL,
  signature      text,
  sent_headers   text,
  response       bytea,
  error          text,
  PRIMARY KEY (application_id, delivery_id, number)
) PARTITION BY RANGE (delivery_id);
-- The attempts of an endpoint, newest first.
CREATE INDEX attempts_lane ON attempts (application_id, lane_id, id) WHERE outcome <> 8;
-- The failed attempts of an endpoint, of which there are few among many.
CREATE INDEX attempts_failed ON attempts (application_id, lane_id, id) WHERE outcome <> 0 AND outcome <> 8;

-- Idempotency keys of sends: 128 bits of SHA-256 of (environment, route, application, key), in
-- generations (docs/adr/0030). Keys are inserted into the table of the current generation only and
-- looked up in all. The next generation gets the next table; the table of an old one is truncated
-- once all its keys have expired, so the index that is written stays small, and nothing is deleted
-- or vacuumed.
CREATE TABLE idempotency_0 (
  application_id uuid   NOT NULL,
  key            uuid   NOT NULL,
  body           uuid   NOT NULL,
  message_id     uuid   NOT NULL,
  expires_at     bigint NOT NULL,
  -- Of a batch call: the ids of its messages, in their order; message_id is the first.
  batch          bytea,
  PRIMARY KEY (application_id, key)
) WITH (autovacuum_enabled = false);
CREATE TABLE idempotency_1 (
  application_id uuid   NOT NULL,
  key            uuid   NOT NULL,
  body           uuid   NOT NULL,
  message_id     uuid   NOT NULL,
  expires_at     bigint NOT NULL,
  batch          bytea,
  PRIMARY KEY (application_id, key)
) WITH (autovacuum_enabled = false);
CREATE TABLE idempotency_2 (
  application_id uuid   NOT NULL,
  key            uuid   NOT NULL,
  body           uuid   NOT NULL,
  message_id     uuid   NOT NULL,
  expires_at     bigint NOT NULL,
  batch          bytea,
  PRIMARY KEY (application_id, key)
) WITH (autovacuum_enabled = false);
CREATE TABLE idempotency_3 (
  application_id uuid   NOT NULL,
  key            uuid   NOT NULL,
  body           uuid   NOT NULL,
  message_id     uuid   NOT NULL,
  expires_at     bigint NOT NULL,
  batch          bytea,
  PRIMARY KEY (application_id, key)
) WITH (autovacuum_enabled = false);
-- A second row for each key that expires later than its generation is dropped. Retention reads the
-- table page by page from the beginning, so that no index on expires_at is needed.
CREATE TABLE idempotency_long (
  application_id uuid   NOT NULL,
  key            uuid   NOT NULL,
  body           uuid   NOT NULL,
  message_id     uuid   NOT NULL,
  expires_at     bigint NOT NULL,
  batch          bytea,
  PRIMARY KEY (application_id, key)
);
-- All keys, for look-ups.
CREATE VIEW idempotency AS
            SELECT application_id, key, body, message_id, expires_at, batch FROM idempotency_0
  UNION ALL SELECT application_id, key, body, message_id, expires_at, batch FROM idempotency_1
  UNION ALL SELECT application_id, key, body, message_id, expires_at, batch FROM idempotency_2
  UNION ALL SELECT application_id, key, body, message_id, expires_at, batch FROM idempotency_3
  UNION ALL SELECT application_id, key, body, message_id, expires_at, batch FROM idempotency_long;

-- What is in the table idempotency_(slot). Written by the first accept, then by each rotation.
CREATE TABLE key_generations (
  slot       int      PRIMARY KEY CHECK (slot BETWEEN 0 AND 3),
  number     bigint   NOT NULL,
  -- 0 empty, 1 current, 2 closed: no longer inserted into.
  state      smallint NOT NULL CHECK (state BETWEEN 0 AND 2),
  -- When its keys have expired and the table can be emptied.
  drop_after bigint   NOT NULL
);

-- Responses to calls other than sends that had an idempotency key. The key is 128 bits of SHA-256
-- of (environment, application of the caller's API key, method and path, idempotency key).
CREATE TABLE call_answers (
  key            uuid     PRIMARY KEY,
  body           uuid     NOT NULL,
  owner          uuid     NOT NULL,
  -- 0 running, 1 committed, 2 answered.
  state          smallint NOT NULL CHECK (state BETWEEN 0 AND 2),
  status         int,
  sealed         bytea,
  environment_id text     COLLATE "C" NOT NULL,
  started_at     bigint   NOT NULL,
  expires_at     bigint   NOT NULL
);
-- Expired keys, for retention.
CREATE INDEX call_answers_expiry ON call_answers (expires_at);

-- Agent routes, queues and integrations

-- What an agent is told for a source and an event type or prefix. A deleted route stays while
-- deliveries refer to it.
CREATE TABLE agent_routes (
  id                 uuid     PRIMARY KEY,
  application_id     uuid     NOT NULL,
  source             text     COLLATE "C" NOT NULL,
  pattern            text     COLLATE "C" NOT NULL,
  -- The only endpoint that the route is for; NULL: all endpoints of the application.
  endpoint_id        uuid,
  -- The endpoint belongs to the route: it is created, changed and deleted with it.
  own_endpoint       boolean  NOT NULL DEFAULT false,
  agent_intent       text     NOT NULL,
  target_session     text,
  session_expression text,
  session_header     text,
  annotations        text     NOT NULL DEFAULT '{}',
  -- 0 standard, 1 agent.
  profile            smallint NOT NULL DEFAULT 0 CHECK (profile IN (0, 1)),
  created_at         bigint   NOT NULL,
  updated_at         bigint   NOT NULL,
  deleted_at         bigint
);
-- One route for each source, pattern and endpoint. NULLs are distinct in both databases, so the
-- application's id stands for "all".
CREATE UNIQUE INDEX agent_routes_key ON agent_routes (application_id, source, pattern, coalesce(endpoint_id, application_id))
  WHERE deleted_at IS NULL;
-- Whether an application has or had routes: only then are its deliveries looked at for one.
CREATE INDEX agent_routes_application ON agent_routes (application_id);

-- A queue that consumers pull from. Its lane and its subscriptions have the queue's id. A delivery
-- that a consumer holds is `sending`, with the end of its visibility timeout in next_attempt_at and
-- no lease_until, so it becomes due again without a rescue.
CREATE TABLE queues (
  id                    uuid   PRIMARY KEY,
  application_id        uuid   NOT NULL,
  name                  text   COLLATE "C" NOT NULL,
  description           text   NOT NULL DEFAULT '',
  filter                text,
  dedupe                text,
  visibility_timeout_ms int    NOT NULL,
  max_attempts          int    NOT NULL,
  event_ttl_ms          int,
  key_hash              bytea  NOT NULL UNIQUE,
  version               int    NOT NULL DEFAULT 1,
  created_at            bigint NOT NULL,
  updated_at            bigint NOT NULL,
  deleted_at            bigint
);
-- Whether any queue has an event TTL.
CREATE INDEX queues_event_ttl ON queues (event_ttl_ms) WHERE event_ttl_ms IS NOT NULL;
-- A queue by its name, unique among those that are not deleted; and the queues that a message may
-- go to.
CREATE UNIQUE INDEX queues_name ON queues (application_id, name) WHERE deleted_at IS NULL;

-- How far a consumer of the polling calls has read a queue.
CREATE TABLE queue_consumers (
  queue_id    uuid   NOT NULL,
  consumer    text   COLLATE "C" NOT NULL,
  position    uuid   NOT NULL,
  -- Until when its last batch is leased.
  lease_until bigint NOT NULL DEFAULT 0,
  next_number bigint NOT NULL DEFAULT 1,
  updated_at  bigint NOT NULL,
  PRIMARY KEY (queue_id, consumer)
);

-- The messages that a consumer received by number and has not committed.
CREATE TABLE queue_offsets (
  queue_id uuid   NOT NULL,
  consumer text   COLLATE "C" NOT NULL,
  number   bigint NOT NULL,
  position uuid   NOT NULL,
  PRIMARY KEY (queue_id, consumer, number)
);

-- Tokens for the polling calls of one queue. The text is sealed, because a call can read it again.
CREATE TABLE queue_tokens (
  id         uuid   PRIMARY KEY,
  queue_id   uuid   NOT NULL,
  hash       bytea  NOT NULL UNIQUE,
  sealed     bytea  NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint
);
-- The newest token of a queue.
CREATE INDEX queue_tokens_list ON queue_tokens (queue_id, id);

-- A service that acts for the users of an application. Its key is a row of api_keys with all
-- capabilities of a portal; the text is sealed here, because a call can read it again.
CREATE TABLE integrations (
  id             uuid   PRIMARY KEY,
  application_id uuid   NOT NULL,
  name           text   NOT NULL,
  feature_flags  text   NOT NULL DEFAULT '',
  key_id         uuid   NOT NULL,
  sealed         bytea  NOT NULL,
  created_at     bigint NOT NULL,
  updated_at     bigint NOT NULL
);
-- The integrations of an application.
CREATE INDEX integrations_list ON integrations (application_id, id);

-- Sources

-- An inbound source. The name is also the uid of its application. The form is the source's
-- configuration as JSON.
CREATE TABLE sources (
  id              uuid   PRIMARY KEY,
  environment_id  text   COLLATE "C" NOT NULL,
  name            text   COLLATE "C" NOT NULL,
  application_id  uuid   NOT NULL,
  form            text   NOT NULL,
  -- The token of the secret URL, sealed, and its hash; during a rotation also the hash of the old
  -- one.
  token           bytea,
  token_hash      bytea,
  old_token_hash  bytea,
  old_token_until bigint,
  version         int    NOT NULL DEFAULT 1,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL
);
-- A source by its name.
CREATE UNIQUE INDEX sources_name ON sources (environment_id, name);
-- The list of sources.
CREATE INDEX sources_list ON sources (environment_id, id);

-- The secrets that a source verifies with, sealed. Several are valid during a rotation.
CREATE TABLE source_secrets (
  id         uuid   PRIMARY KEY,
  source_id  uuid   NOT NULL,
  event_types text  COLLATE "C" NOT NULL, -- an event type or prefix; empty: those that have no other
  sealed     bytea  NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint
);
-- The secrets of a source, newest first.
CREATE INDEX source_secrets_source ON source_secrets (source_id, id);

-- One row, incremented by every change of a source: an instance reads it to see whether its cache
-- of sources is current.
CREATE TABLE source_changes (
  id      int    PRIMARY KEY,
  version bigint NOT NULL
);
INSERT INTO source_changes (id, version) VALUES (1, 0);

-- Requests that a source rejected. Retention deletes the oldest by primary key.
CREATE TABLE rejected_requests (
  id             uuid   PRIMARY KEY,
  environment_id text   COLLATE "C" NOT NULL,
  source_id      uuid   NOT NULL,
  application_id uuid   NOT NULL,
  status         int    NOT NULL,
  reason         text   NOT NULL,
  detail         text   NOT NULL,
  method         text   NOT NULL,
  address        text   NOT NULL,
  headers        text   NOT NULL,
  body           bytea,
  body_bytes     bigint NOT NULL
);
-- The rejected requests of a source, newest first.
CREATE INDEX rejected_requests_source ON rejected_requests (source_id, id);
-- The rejected requests of all sources of an environment, newest first.
CREATE INDEX rejected_requests_environment ON rejected_requests (environment_id, id);

-- The last tick of a cron source that became a message.
CREATE TABLE cron_ticks (
  source_id uuid   PRIMARY KEY,
  schedule  text   NOT NULL,
  last_tick bigint NOT NULL
);

-- Workflows

-- A workflow. Its application is in an environment that callers cannot name. Deleting it only stops
-- its triggers: version numbers go on if it is created again.
CREATE TABLE workflows (
  id             uuid   PRIMARY KEY,
  environment_id text   COLLATE "C" NOT NULL,
  name           text   COLLATE "C" NOT NULL,
  application_id uuid   NOT NULL,
  -- The number of the current version: new runs start with it.
  version        int    NOT NULL,
  created_at     bigint NOT NULL,
  updated_at     bigint NOT NULL,
  deleted_at     bigint
);
-- A workflow by its name, deleted or not.
CREATE UNIQUE INDEX workflows_name ON workflows (environment_id, name);
-- The list of workflows, and those that a cycle of children could go through.
CREATE INDEX workflows_list ON workflows (environment_id, id) WHERE deleted_at IS NULL;

-- The versions of a workflow; immutable. One is kept until its last run is pruned.
CREATE TABLE workflow_versions (
  id          uuid   PRIMARY KEY,
  workflow_id uuid   NOT NULL,
  number      int    NOT NULL,
  -- 128 bits of SHA-256 of the canonical definition: unchanged content makes no version.
  hash        uuid   NOT NULL,
  definition  text   NOT NULL,
  created_at  bigint NOT NULL
);
-- A version by its number; the versions of a workflow, newest first.
CREATE UNIQUE INDEX workflow_versions_number ON workflow_versions (workflow_id, number);

-- Secrets that headers refer to by name, sealed. They are not part of a version: a new value is used
-- by the next attempt of every run.
CREATE TABLE workflow_secrets (
  workflow_id uuid   NOT NULL,
  name        text   COLLATE "C" NOT NULL,
  sealed      bytea  NOT NULL,
  updated_at  bigint NOT NULL,
  PRIMARY KEY (workflow_id, name)
);

-- Which messages start a workflow: those of an application (a source has one) with a type in the
-- subscriptions of this id.
CREATE TABLE workflow_triggers (
  id                      uuid PRIMARY KEY,
  application_id          uuid NOT NULL,
  workflow_id             uuid NOT NULL,
  workflow_application_id uuid NOT NULL
);
-- The triggers of an application, when its routing is loaded.
CREATE INDEX workflow_triggers_application ON workflow_triggers (application_id, id);
-- The triggers of a workflow, to replace them.
CREATE UNIQUE INDEX workflow_triggers_workflow ON workflow_triggers (workflow_id, application_id);

-- The next tick of a workflow that is started by cron.
CREATE TABLE workflow_cron (
  workflow_id uuid   PRIMARY KEY,
  schedule    text   NOT NULL,
  last_tick   bigint NOT NULL
);

-- The lane of a step, the same for all versions of its workflow; its row in lanes has the same id.
CREATE TABLE step_lanes (
  id              uuid     PRIMARY KEY,
  application_id  uuid     NOT NULL,
  step            text     COLLATE "C" NOT NULL,
  throttle_rate   int,
  throttle_burst  int,
  throttle_period smallint NOT NULL DEFAULT 0,
  max_in_flight   int,
  version         int      NOT NULL DEFAULT 1,
  updated_at      bigint   NOT NULL
);
-- The lane of a step by its name.
CREATE UNIQUE INDEX step_lanes_step ON step_lanes (application_id, step);

-- One execution of a workflow. A row without version_id was accepted and is not started yet.
CREATE TABLE workflow_runs (
  application_id uuid     NOT NULL,
  id             uuid     NOT NULL,
  workflow_id    uuid     NOT NULL,
  version_id     uuid,
  -- 0 running, 1 waiting, 2 paused, 3 completed, 4 failed, 5 timed_out, 6 canceled.
  status         smallint NOT NULL CHECK (status BETWEEN 0 AND 6),
  -- What the run will end as, while it compensates and runs finally: 3 to 6; NULL: it does not end.
  ending         smallint CHECK (ending BETWEEN 3 AND 6),
  -- Incremented by each transition, which is committed only if it is still the one it was decided with.
  revision       int      NOT NULL DEFAULT 0,
  -- Incremented by cancel and redrive: requests and timers of an older one are refused.
  epoch          int      NOT NULL DEFAULT 0,
  -- The fold of the history, as JSON.
  state          text     NOT NULL DEFAULT '',
  -- The earliest time at which something is to be done; NULL: nothing but an event.
  due_at         bigint,
  start_key      text     COLLATE "C",
  -- 128 bits of SHA-256 of the canonical input, to compare a repeated start.
  input_hash     uuid,
  -- 0 call, 1 message, 2 cron, 3 another run.
  cause          smallint NOT NULL CHECK (cause BETWEEN 0 AND 3),
  parent_id      uuid,
  -- How many messages of send steps, each starting a run, led to this one.
  causation      smallint NOT NULL DEFAULT 0,
  -- What started it, as JSON: the message, the tick, or the parent with its application, step and deadline.
  origin         text     NOT NULL DEFAULT '{}',
  -- Until it is started: then it is in the history.
  input          bytea,
  reason         text,
  ended_at       bigint,
  -- Whether retention has deleted its history.
  emptied        boolean  NOT NULL DEFAULT false,
  PRIMARY KEY (application_id, id)
-- Updated by each transition: room for the new version in the same page, and an early vacuum.
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
-- Runs with something to do, by workflow and time: one query for all timers and starts.
CREATE INDEX workflow_runs_due ON workflow_runs (application_id, due_at, id) WHERE due_at IS NOT NULL;
-- A run by its key: a key starts one run while the run is kept.
CREATE UNIQUE INDEX workflow_runs_key ON workflow_runs (application_id, start_key) WHERE start_key IS NOT NULL;
-- The runs of a workflow with a status other than completed, newest first. (All runs: the primary key.)
CREATE INDEX workflow_runs_status ON workflow_runs (application_id, status, id) WHERE status <> 3;
-- The children of a run.
CREATE INDEX workflow_runs_parent ON workflow_runs (parent_id, id) WHERE parent_id IS NOT NULL;
-- Whether a run that cron started still runs.
CREATE INDEX workflow_runs_cron ON workflow_runs (application_id, id) WHERE cause = 2 AND ended_at IS NULL;
-- Ended runs by the time of their end, for retention: first those with a history.
CREATE INDEX workflow_runs_ended ON workflow_runs (emptied, ended_at, id) WHERE ended_at IS NOT NULL;
-- Whether a version has runs.
CREATE INDEX workflow_runs_version ON workflow_runs (version_id) WHERE version_id IS NOT NULL;

-- What happened in a run, in the order of the commits; never changed.
CREATE TABLE workflow_history (
  application_id uuid     NOT NULL,
  run_id         uuid     NOT NULL,
  seq            int      NOT NULL,
  -- HistoryKind, such as 10 step_scheduled; the list is in docs/reference/run-states.md.
  kind           smallint NOT NULL CHECK (kind BETWEEN 0 AND 19),
  at             bigint   NOT NULL,
  -- The status of the run after this row.
  run_status     smallint NOT NULL CHECK (run_status BETWEEN 0 AND 6),
  -- 0 the run; a branch, an item or a handler has a number of its own.
  scope          int      NOT NULL DEFAULT 0,
  -- The number of the step in its version; NULL: the row is about the run.
  step           smallint,
  -- The row with which this instance of the step began; NULL: this one.
  began          int,
  visit          int,
  -- The step with which the scope goes on; NULL: it ends, or goes on with this one.
  next           smallint,
  -- The request of an HTTP step or a notification, from which its delivery and attempts follow.
  call_id        uuid,
  -- The row ends a branch or item of the step that began in that row, with this number or index.
  joins          int,
  item           int,
  -- The handler that compensates this row.
  undo           smallint,
  -- Input, result or error, by kind; and the data of the scope afterwards, if that is another value.
  value          bytea,
  data           bytea,
  -- The row whose data is the input, if the row has no value.
  input_seq      int,
  info           text,
  -- In the first row of a transition: a commit whose answer was lost is found by it.
  commit_id      uuid,
  PRIMARY KEY (application_id, run_id, seq)
);
-- The results of the branches or items of a step, in order, for its join.
CREATE INDEX workflow_history_joins ON workflow_history (application_id, run_id, joins, item) WHERE joins IS NOT NULL;
-- What is to be compensated, latest first.
CREATE INDEX workflow_history_undo ON workflow_history (application_id, run_id, seq) WHERE undo IS NOT NULL;

-- The open callbacks. The token is HMAC(data key, application, run, step instance) and is not stored.
CREATE TABLE workflow_callbacks (
  token_hash     bytea  PRIMARY KEY,
  application_id uuid   NOT NULL,
  run_id         uuid   NOT NULL,
  seq            int    NOT NULL,
  data_key       uuid   NOT NULL,
  expires_at     bigint NOT NULL
);
-- The callback of a step instance: its notification reads the key at each send, its end deletes the row.
CREATE UNIQUE INDEX workflow_callbacks_step ON workflow_callbacks (application_id, run_id, seq);

-- Messages between a run and its parent or children: no transaction changes two runs.
CREATE TABLE workflow_inbox (
  id             uuid     PRIMARY KEY,
  application_id uuid     NOT NULL,
  run_id         uuid     NOT NULL,
  -- 0 a child has ended, 1 the parent was canceled.
  kind           smallint NOT NULL CHECK (kind IN (0, 1)),
  seq            int      NOT NULL,
  info           text     NOT NULL,
  value          bytea
);
-- What waits for a run.
CREATE INDEX workflow_inbox_run ON workflow_inbox (application_id, run_id, id);

-- Instances and background work

-- The running processes. The heartbeat is a counter, so that no two clocks are compared; the times
-- are for display only.
CREATE TABLE instances (
  id         uuid   PRIMARY KEY,
  heartbeat  bigint NOT NULL,
  host       text   NOT NULL,
  version    text   NOT NULL,
  role       text   NOT NULL,
  started_at bigint NOT NULL,
  seen_at    bigint NOT NULL,
  -- The instance will commit no message with an id up to this one; NULL until it has written one.
  horizon    uuid
-- Every heartbeat updates the row in its page.
) WITH (fillfactor = 50);

-- Background tasks. Each step saves its progress in its own transaction, so that another instance
-- continues after the last committed step.
CREATE TABLE tasks (
  id             uuid     PRIMARY KEY,
  environment_id text     COLLATE "C" NOT NULL,
  application_id uuid,
  kind           text     NOT NULL,
  -- 0 running, 1 finished, 2 failed.
  status         smallint NOT NULL CHECK (status IN (0, 1, 2)),
  input          text     NOT NULL DEFAULT '{}',
  progress       text     NOT NULL DEFAULT '{}',
  leased_by      uuid,
  lease_version  int      NOT NULL DEFAULT 0,
  lease_until    bigint   NOT NULL DEFAULT 0,
  created_at     bigint   NOT NULL,
  updated_at     bigint   NOT NULL
);
-- The list of tasks.
CREATE INDEX tasks_list ON tasks (environment_id, id);
-- The running tasks whose lease has expired.
CREATE INDEX tasks_running ON tasks (lease_until, id) WHERE status = 0;

-- One row: the last run of retention. It shows a missed run, and any instance can request one here.
CREATE TABLE prune_runs (
  id               int    PRIMARY KEY CHECK (id = 1),
  asked_at         bigint NOT NULL DEFAULT 0,
  began_at         bigint NOT NULL,
  -- When the running instance last wrote; after a long silence another instance starts the run
  -- again.
  seen_at          bigint NOT NULL,
  ended_at         bigint,
  applications     bigint NOT NULL DEFAULT 0,
  messages         bigint NOT NULL DEFAULT 0,
  deliveries       bigint NOT NULL DEFAULT 0,
  attempts         bigint NOT NULL DEFAULT 0,
  payloads         bigint NOT NULL DEFAULT 0,
  idempotency_keys bigint NOT NULL DEFAULT 0,
  secrets          bigint NOT NULL DEFAULT 0
);

-- Statistics

-- What one instance counted for one lane in one minute; inserted, never updated. The zero lane
-- counts for the application itself. within_N and beyond count attempts by their latency in
-- milliseconds. An instance writes a minute in several parts when a call or a stop needs the
-- numbers before the minute is over.
CREATE TABLE counters (
  application_id uuid   NOT NULL,
  lane_id        uuid   NOT NULL,
  minute         bigint NOT NULL,
  instance_id    uuid   NOT NULL,
  part           bigint NOT NULL,
  accepted       bigint NOT NULL DEFAULT 0,
  delivered      bigint NOT NULL DEFAULT 0,
  failed         bigint NOT NULL DEFAULT 0,
  dead_letter    bigint NOT NULL DEFAULT 0,
  canceled       bigint NOT NULL DEFAULT 0,
  latency_ms     bigint NOT NULL DEFAULT 0,
  within_5       bigint NOT NULL DEFAULT 0,
  within_10      bigint NOT NULL DEFAULT 0,
  within_25      bigint NOT NULL DEFAULT 0,
  within_50      bigint NOT NULL DEFAULT 0,
  within_100     bigint NOT NULL DEFAULT 0,
  within_250     bigint NOT NULL DEFAULT 0,
  within_500     bigint NOT NULL DEFAULT 0,
  within_1000    bigint NOT NULL DEFAULT 0,
  within_2500    bigint NOT NULL DEFAULT 0,
  within_5000    bigint NOT NULL DEFAULT 0,
  within_10000   bigint NOT NULL DEFAULT 0,
  within_15000   bigint NOT NULL DEFAULT 0,
  within_30000   bigint NOT NULL DEFAULT 0,
  within_60000   bigint NOT NULL DEFAULT 0,
  beyond         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (application_id, lane_id, minute, instance_id, part)
);
-- The oldest minutes, to sum them up.
CREATE INDEX counters_age ON counters (minute);

-- The sums of counters per hour, over all instances; the minutes are deleted when they are summed
-- up.
CREATE TABLE counter_hours (
  application_id uuid   NOT NULL,
  lane_id        uuid   NOT NULL,
  hour           bigint NOT NULL,
  accepted       bigint NOT NULL DEFAULT 0,
  delivered      bigint NOT NULL DEFAULT 0,
  failed         bigint NOT NULL DEFAULT 0,
  dead_letter    bigint NOT NULL DEFAULT 0,
  canceled       bigint NOT NULL DEFAULT 0,
  latency_ms     bigint NOT NULL DEFAULT 0,
  within_5       bigint NOT NULL DEFAULT 0,
  within_10      bigint NOT NULL DEFAULT 0,
  within_25      bigint NOT NULL DEFAULT 0,
  within_50      bigint NOT NULL DEFAULT 0,
  within_100     bigint NOT NULL DEFAULT 0,
  within_250     bigint NOT NULL DEFAULT 0,
  within_500     bigint NOT NULL DEFAULT 0,
  within_1000    bigint NOT NULL DEFAULT 0,
  within_2500    bigint NOT NULL DEFAULT 0,
  within_5000    bigint NOT NULL DEFAULT 0,
  within_10000   bigint NOT NULL DEFAULT 0,
  within_15000   bigint NOT NULL DEFAULT 0,
  within_30000   bigint NOT NULL DEFAULT 0,
  within_60000   bigint NOT NULL DEFAULT 0,
  beyond         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (application_id, lane_id, hour)
);
-- The oldest hours, to delete them.
CREATE INDEX counter_hours_age ON counter_hours (hour);

-- Live feed and audit

-- The events of the live feed, for clients that reconnect. Retention deletes the oldest by primary
-- key.
CREATE TABLE live_events (
  id             uuid PRIMARY KEY,
  environment_id text COLLATE "C" NOT NULL,
  application_id uuid NOT NULL,
  session_id     text,
  kind           text NOT NULL,
  data           text NOT NULL
);

-- One row: status changes are written to live_events until this time, because a client is connected
-- or may reconnect.
CREATE TABLE live_use (
  id    int    PRIMARY KEY,
  until bigint NOT NULL
);
INSERT INTO live_use (id, until) VALUES (1, 0);

-- Which caller did what. The time is in the id; rows are never changed.
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
-- The audit log of an environment, newest first.
CREATE INDEX audit_list ON audit (environment_id, id);
-- The entries of one object.
CREATE INDEX audit_object ON audit (environment_id, object_id, id);

-- Configuration file

-- One row for each environment that a file was applied to; locked while one is applied.
CREATE TABLE configuration_files (
  environment_id text   COLLATE "C" PRIMARY KEY,
  version        bigint NOT NULL,
  -- What applied it last: start, signal or call.
  applied_by     text   NOT NULL,
  applied_at     bigint NOT NULL
);

-- The resources that came from a file. Resources without a row were created by the API and are not
-- changed by a file.
CREATE TABLE configuration_items (
  environment_id text   COLLATE "C" NOT NULL,
  kind           text   COLLATE "C" NOT NULL,
  name           text   COLLATE "C" NOT NULL,
  -- The resource's id when the file was applied: a later one with the same name is another
  -- resource.
  resource_id    uuid   NOT NULL,
  -- The file that the item belongs to; '' if no file is known, then any file may take it over; NULL
  -- once the file released it because other resources need it. Released items stay, so that the
  -- file can be applied again.
  owner          text   DEFAULT '',
  created_at     bigint NOT NULL,
  PRIMARY KEY (environment_id, kind, name)
);

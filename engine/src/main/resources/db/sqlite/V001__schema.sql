-- The schema on SQLite. The file for PostgreSQL, db/postgres/V001__schema.sql, has the same tables
-- and columns. Until the first release a schema change edits both files; a database of another
-- build is refused at start (docs/adr/0005).
--
-- Times are epoch milliseconds from the injected clock, never from the database: both dialects can
-- share their statements. Ids are 16 bytes that begin with their time of creation, so an index on
-- an id is also an index on the age of a row. "Sealed" columns are encrypted with a key of
-- data_keys. Primary keys begin with a time-ordered id where they can: each commit writes every
-- page that it touches, and a key that begins with the application would spread the writes over
-- many pages. PostgreSQL's keys of deliveries and attempts begin with it.

-- Environments, applications and keys

CREATE TABLE environments (
  id         text    PRIMARY KEY,
  name       text    NOT NULL,
  settings   text    NOT NULL DEFAULT '{}',
  -- Incremented by every change of the settings or of an event type, for the caches of other
  -- instances.
  version    integer NOT NULL DEFAULT 0,
  created_at integer NOT NULL,
  updated_at integer NOT NULL
) WITHOUT ROWID;

-- The keys that seal secrets, each encrypted with the master key, which is not in the database.
CREATE TABLE data_keys (
  id             blob    PRIMARY KEY,
  environment_id text    NOT NULL,
  -- NULL: a key of the environment, for what has none of its application.
  application_id blob,
  master_key_id  text    NOT NULL,
  wrapped        blob    NOT NULL,
  created_at     integer NOT NULL
);
-- The data keys of an environment, oldest first.
CREATE INDEX data_keys_environment ON data_keys (environment_id, id) WHERE application_id IS NULL;
-- The data keys of an application, oldest first.
CREATE INDEX data_keys_application ON data_keys (application_id, id) WHERE application_id IS NOT NULL;

-- API keys and portal tokens. A portal token is a key of one application with an expiry and a list
-- of capabilities.
CREATE TABLE api_keys (
  id             blob    PRIMARY KEY,
  environment_id text    NOT NULL,
  -- NULL: the key is valid for the whole environment.
  application_id blob,
  name           text    NOT NULL,
  prefix         text    NOT NULL,
  hash           blob    NOT NULL UNIQUE,
  -- 0 full, 1 read-only.
  role           integer NOT NULL CHECK (role IN (0, 1)),
  -- What a portal token may do, separated by commas; NULL for an API key.
  capabilities   text,
  session_id     text,
  -- The feature flags of the event types that a portal may see, separated by commas.
  feature_flags  text,
  created_at     integer NOT NULL,
  expires_at     integer,
  last_used_at   integer,
  revoked_at     integer
);
-- Whether an environment has a usable key.
CREATE INDEX api_keys_environment ON api_keys (environment_id, id);
-- The list of API keys, without the portal tokens, of which there are many more.
CREATE INDEX api_keys_list ON api_keys (environment_id, id) WHERE capabilities IS NULL;
-- The keys and tokens of an application, to revoke them.
CREATE INDEX api_keys_application ON api_keys (application_id, id) WHERE application_id IS NOT NULL;

CREATE TABLE applications (
  id              blob    PRIMARY KEY,
  environment_id  text    NOT NULL,
  uid             text,
  name            text    NOT NULL,
  metadata        text    NOT NULL DEFAULT '{}',
  throttle_rate   integer,
  active          boolean NOT NULL DEFAULT true,
  settings        text    NOT NULL DEFAULT '{}',
  -- The event TTL of its source; NULL: the application has no source, or the source has no event TTL.
  event_ttl_ms    integer,
  -- Incremented by every change that affects which endpoints get a message; the accept statement
  -- checks it (docs/adr/0003).
  routing_version integer NOT NULL DEFAULT 0,
  created_at      integer NOT NULL,
  updated_at      integer NOT NULL,
  deleted_at      integer
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
  application_id blob    PRIMARY KEY,
  tat            integer NOT NULL
) WITHOUT ROWID;

CREATE TABLE event_types (
  id             blob    PRIMARY KEY,
  environment_id text    NOT NULL,
  -- All zero: the type belongs to the environment. Otherwise it belongs to one application and
  -- hides the environment's type of that name.
  application_id blob    NOT NULL DEFAULT x'00000000000000000000000000000000',
  name           text    NOT NULL,
  description    text    NOT NULL DEFAULT '',
  archived       boolean NOT NULL DEFAULT false,
  deprecated     boolean NOT NULL DEFAULT false,
  feature_flag   text,
  -- JSON Schemas by version.
  schemas        text,
  -- What happens to a message that does not match the newest schema: 0 off, 1 warn, 2 enforce.
  schema_check   integer NOT NULL DEFAULT 0 CHECK (schema_check BETWEEN 0 AND 2),
  -- How long idempotency keys of its messages are kept; null: as the application says.
  idempotency_window_ms INTEGER,
  settings       text    NOT NULL DEFAULT '{}',
  created_at     integer NOT NULL,
  updated_at     integer NOT NULL
);
-- A type by its name, and the list of types.
CREATE UNIQUE INDEX event_types_name ON event_types (environment_id, application_id, name);
-- Whether any event type of an environment has a rule for its messages; without one, accepting a
-- message does not look at its type.
CREATE INDEX event_types_checked ON event_types (environment_id) WHERE schema_check > 0 OR idempotency_window_ms IS NOT NULL;

-- Endpoints

CREATE TABLE endpoints (
  id                     blob    PRIMARY KEY,
  application_id         blob    NOT NULL,
  uid                    text,
  url                    text    NOT NULL,
  method                 text    NOT NULL DEFAULT 'POST',
  description            text    NOT NULL DEFAULT '',
  metadata               text    NOT NULL DEFAULT '{}',
  disabled               boolean NOT NULL DEFAULT false,
  disabled_reason        text,
  disabled_at            integer,
  throttle_rate          integer,
  -- Tokens that the throttle keeps for a burst; NULL: a tenth of a second's, at least one.
  throttle_burst         integer,
  -- What throttle_rate counts for: 0 a second, 1 a minute.
  throttle_period        integer NOT NULL DEFAULT 0,
  -- Networks that the addresses of the host must be in, separated by commas; NULL: any.
  allowed_ips            text,
  timeout_ms             integer,
  max_in_flight          integer,
  initial_delay_ms       integer,
  -- How long deliveries wait for their first attempt; NULL: as long as the source or the server says.
  event_ttl_ms           integer,
  -- In an ordered lane, after a dead letter: 0 continue with the next delivery, 1 pause the lane.
  on_dead_letter         integer NOT NULL DEFAULT 0 CHECK (on_dead_letter IN (0, 1)),
  signature_scheme       text,
  retry_policy           text,
  filter                 text,
  -- The expression whose value an endpoint gets once; NULL: none.
  dedupe                 text,
  transform              text,
  -- Whether the transform is applied; its text is kept while it is not.
  transform_enabled      boolean NOT NULL DEFAULT true,
  -- After an error of the transform: 0 the delivery fails, 1 the message is sent without it.
  on_transform_error     integer NOT NULL DEFAULT 0 CHECK (on_transform_error IN (0, 1)),
  use_application_secret boolean NOT NULL DEFAULT false,
  -- Custom headers, sealed, because they may contain credentials.
  headers                blob,
  -- The message's own headers that are sent to the endpoint: lower-case names separated by commas,
  -- "*" at the end of a prefix; NULL: none.
  forward_headers        text,
  -- Incremented by every change, for the caches of other instances.
  version                integer NOT NULL DEFAULT 1,
  -- The version that callers of the Svix API may set; it has no effect.
  shown_version          integer NOT NULL DEFAULT 1,
  created_at             integer NOT NULL,
  updated_at             integer NOT NULL,
  deleted_at             integer
);
-- Whether any endpoint has an event TTL.
CREATE INDEX endpoints_event_ttl ON endpoints (event_ttl_ms) WHERE event_ttl_ms IS NOT NULL;
-- An endpoint by its uid, unique among those that are not deleted.
CREATE UNIQUE INDEX endpoints_uid ON endpoints (application_id, uid) WHERE deleted_at IS NULL AND uid IS NOT NULL;
-- The list of endpoints, and the endpoints that a message may go to.
CREATE INDEX endpoints_list ON endpoints (application_id, id) WHERE deleted_at IS NULL;

-- The event types or prefixes of an endpoint or a queue. No rows: all event types.
CREATE TABLE subscriptions (
  application_id blob NOT NULL,
  endpoint_id    blob NOT NULL,
  pattern        text NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, pattern)
) WITHOUT ROWID;

-- The channels of an endpoint. No rows: all channels.
CREATE TABLE endpoint_channels (
  application_id blob NOT NULL,
  endpoint_id    blob NOT NULL,
  channel        text NOT NULL,
  PRIMARY KEY (application_id, endpoint_id, channel)
) WITHOUT ROWID;

-- Signing keys, sealed. The owner is an endpoint, or the application for its default secret. A
-- rotated key has an expiry.
CREATE TABLE signing_secrets (
  id             blob    PRIMARY KEY,
  application_id blob    NOT NULL,
  owner_id       blob    NOT NULL,
  sealed         blob    NOT NULL,
  created_at     integer NOT NULL,
  expires_at     integer
);
-- The keys of an owner, newest first.
CREATE INDEX signing_secrets_owner ON signing_secrets (application_id, owner_id, id);
-- Expired keys, for retention.
CREATE INDEX signing_secrets_expiry ON signing_secrets (expires_at) WHERE expires_at IS NOT NULL;

-- The state of an endpoint's or a queue's deliveries: pause, order, circuit breaker, rate. The id
-- is that of the endpoint or queue. A successful delivery writes the row only if it changes.
CREATE TABLE lanes (
  id               blob    PRIMARY KEY,
  application_id   blob    NOT NULL,
  paused           boolean NOT NULL DEFAULT false,
  ordered          boolean NOT NULL DEFAULT false,
  -- 0 closed, 1 open, 2 half-open.
  circuit          integer NOT NULL DEFAULT 0 CHECK (circuit IN (0, 1, 2)),
  failures         integer NOT NULL DEFAULT 0,
  first_failure_at integer NOT NULL DEFAULT 0,
  open_until       integer NOT NULL DEFAULT 0,
  open_count       integer NOT NULL DEFAULT 0,
  -- The delivery that probes a half-open circuit.
  probe            blob,
  -- Successes since the circuit opened, if more than one closes it.
  successes        integer  NOT NULL DEFAULT 0,
  slow_until       integer NOT NULL DEFAULT 0,
  -- The lowered limit of concurrent attempts; 0: not lowered.
  reduced_cap      integer NOT NULL DEFAULT 0,
  -- The delivery that an ordered lane is sending.
  in_flight        blob,
  -- The next lane_seq of an ordered lane.
  next_seq         integer NOT NULL DEFAULT 1,
  -- The latest acceptance time, or order_at of what was sent: no new delivery is placed before it.
  last_order_at    integer NOT NULL DEFAULT 0,
  throttle_tat     integer NOT NULL DEFAULT 0,
  failing_since    integer,
  last_failure_at  integer,
  failure_spread   boolean NOT NULL DEFAULT false,
  last_success_at  integer
) WITHOUT ROWID;
-- The lanes of an application, for its counts and statistics.
CREATE INDEX lanes_application ON lanes (application_id);
-- The lanes whose state a success would change: every instance reads them at each heartbeat, and
-- lists find the unhealthy endpoints of an application.
CREATE INDEX lanes_noisy ON lanes (application_id, id) WHERE circuit <> 0 OR failures > 0 OR reduced_cap > 0 OR failing_since > 0;

-- Messages, deliveries and attempts

-- An accepted event, stored once for all its deliveries. The time of acceptance is in the id.
CREATE TABLE messages (
  application_id blob NOT NULL,
  id             blob NOT NULL,
  event_type     text NOT NULL,
  event_id       text,
  channels       text,
  tags           text,
  content_type   text,
  headers        text,
  -- NULL once it has expired or was expunged.
  payload        blob,
  -- The time that the sender asked for; NULL: at once. Set by an update after the insert, so that
  -- other messages do not pay for it.
  deliver_at     integer,
  -- To how many retries the retry schedule is cut; NULL: it is not. Set as deliver_at is.
  max_retries    integer,
  -- 16 bytes for each delivery that has no row of its own: the lane, from which its id follows.
  -- NULL: none.
  targets        blob,
  -- Of these, the lanes whose delivery a caller canceled while it was being sent: the end of its lease
  -- reads it. NULL: none.
  canceled       blob,
  -- When the payload expires.
  expires_at     integer,
  PRIMARY KEY (application_id, id)
);
-- Payloads that have expired, for retention.
CREATE INDEX messages_expiry ON messages (expires_at, id) WHERE expires_at IS NOT NULL;

-- The event ids of messages, for those that have one: an event id is accepted once per application.
-- Not an index of messages, so that those can be partitioned by their id. Deleted with the message.
CREATE TABLE event_ids (
  application_id blob NOT NULL,
  event_id       text NOT NULL,
  message_id     blob NOT NULL,
  PRIMARY KEY (application_id, event_id)
) WITHOUT ROWID;

-- One message for one endpoint or queue; the row is the queue item. A delivery that is leased when
-- its message is inserted has a row only if its first attempt is not a success, or if something is
-- fixed before it, such as the result of a transform (docs/adr/0022). The id consists of the
-- message's time and a hash of (message, lane, trigger batch). So the primary key is also the
-- unique key of these three, and all deliveries of a message are next to each other
-- (docs/adr/0004). next_attempt_at is NULL while leased or terminal, dead_at is NULL unless it is a
-- dead letter.
CREATE TABLE deliveries (
  application_id  blob    NOT NULL,
  id              blob    NOT NULL,
  message_id      blob    NOT NULL,
  lane_id         blob    NOT NULL,
  -- 0 pending, 1 sending, 2 delivered, 3 failed, 4 dead_letter, 5 canceled.
  status          integer NOT NULL CHECK (status BETWEEN 0 AND 5),
  -- One attempt that is never rescheduled.
  manual          boolean NOT NULL DEFAULT false,
  -- A retry or redrive was requested: the following attempts are recorded as manual and keep their
  -- schedule.
  by_hand         boolean NOT NULL DEFAULT false,
  attempts        integer NOT NULL DEFAULT 0,
  schedule_from   integer NOT NULL DEFAULT 0,
  rescues         integer NOT NULL DEFAULT 0,
  -- The fencing token of the lease; an attempt gets it as its number.
  lease_version   integer NOT NULL DEFAULT 0,
  leased_by       blob,
  lease_until     integer,
  next_attempt_at integer,
  -- The place in an ordered lane is (order_at, lane_seq). order_at is the time of acceptance, or
  -- the later time that the sender asked for; it has a meaning only while lane_seq is set.
  order_at        integer,
  lane_seq        integer,
  created_at      integer NOT NULL,
  finished_at     integer,
  dead_at         integer,
  reason          text,
  -- The error message of an expression that failed.
  detail          text,
  -- The result of a transform or an agent route, fixed before the first attempt: the body, and
  -- method, path, headers and content type.
  body            blob,
  shape           text,
  route_id        blob,
  session_id      text,
  -- A request of a workflow step: its run, the row of the history that is its input, and the run's
  -- epoch when it was scheduled. It has no message; message_id is the id of the request. The row is
  -- deleted when the request ends (docs/adr/0037).
  run_id          blob,
  run_seq         integer,
  run_epoch       integer,
  CHECK ((run_id IS NULL) = (run_seq IS NULL) AND (run_id IS NULL) = (run_epoch IS NULL)),
  PRIMARY KEY (id)
) WITHOUT ROWID;
-- The due deliveries of a lane, for the claim; and the lanes that have any, for the sweep.
CREATE INDEX deliveries_due ON deliveries (application_id, lane_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
-- The leases that have expired, for the rescue; and the leases of an instance, to reconcile them.
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
-- The next delivery of an ordered lane.
CREATE INDEX deliveries_place ON deliveries (application_id, lane_id, order_at, lane_seq) WHERE lane_seq IS NOT NULL;
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
  instance_id blob    NOT NULL,
  id          blob    NOT NULL,
  lease_until integer NOT NULL,
  -- 48 bytes for each delivery: application, message and lane, from which its id follows.
  items       blob    NOT NULL,
  PRIMARY KEY (instance_id, id)
);
-- The batches whose leases have expired, for the rescue.
CREATE INDEX lease_batches_ended ON lease_batches (lease_until);

-- One attempt of one delivery, written once after the attempt. The number is the lease version that
-- it was sent under. The attempts of a message are those in the range of its deliveries' ids, which
-- begin with its time.
CREATE TABLE attempts (
  application_id blob    NOT NULL,
  message_id     blob    NOT NULL,
  delivery_id    blob    NOT NULL,
  number         integer NOT NULL,
  id             blob    NOT NULL,
  lane_id        blob    NOT NULL,
  manual         boolean NOT NULL,
  -- 0 success, 1 HTTP status, 2 timeout, 3 network, 4 TLS, 5 blocked address, 6 unknown, 7 returned
  -- by a queue consumer, 8 void: the lease ended untried; it is in no list and no count. 9 is
  -- reserved.
  outcome        integer NOT NULL CHECK (outcome BETWEEN 0 AND 9),
  status_code    integer,
  latency_ms     integer NOT NULL,
  sent_at        integer NOT NULL,
  -- When the next attempt of the delivery was due; NULL for the last one. With it the attempt after
  -- shows when it was scheduled, which the delivery no longer knows (docs/adr/0019).
  next_attempt_at integer,
  url            text    NOT NULL,
  signature      text,
  sent_headers   text,
  response       blob,
  error          text,
  PRIMARY KEY (delivery_id, number)
) WITHOUT ROWID;
-- The attempts of an endpoint, newest first.
CREATE INDEX attempts_lane ON attempts (application_id, lane_id, id) WHERE outcome <> 8;
-- The failed attempts of an endpoint, of which there are few among many.
CREATE INDEX attempts_failed ON attempts (application_id, lane_id, id) WHERE outcome <> 0 AND outcome <> 8;

-- Idempotency keys of sends: 128 bits of SHA-256 of (environment, route, application, key), in
-- generations (docs/adr/0030). Keys are inserted into the table of the current generation only and
-- looked up in all. The next generation gets the next table; the table of an old one is emptied in
-- the order of its keys once all have expired, so the tree that is written stays small.
CREATE TABLE idempotency_0 (
  application_id blob    NOT NULL,
  key            blob    NOT NULL,
  body           blob    NOT NULL,
  message_id     blob    NOT NULL,
  expires_at     integer NOT NULL,
  -- Of a batch call: the ids of its messages, in their order; message_id is the first.
  batch          blob,
  PRIMARY KEY (application_id, key)
) WITHOUT ROWID;
CREATE TABLE idempotency_1 (
  application_id blob    NOT NULL,
  key            blob    NOT NULL,
  body           blob    NOT NULL,
  message_id     blob    NOT NULL,
  expires_at     integer NOT NULL,
  batch          blob,
  PRIMARY KEY (application_id, key)
) WITHOUT ROWID;
CREATE TABLE idempotency_2 (
  application_id blob    NOT NULL,
  key            blob    NOT NULL,
  body           blob    NOT NULL,
  message_id     blob    NOT NULL,
  expires_at     integer NOT NULL,
  batch          blob,
  PRIMARY KEY (application_id, key)
) WITHOUT ROWID;
CREATE TABLE idempotency_3 (
  application_id blob    NOT NULL,
  key            blob    NOT NULL,
  body           blob    NOT NULL,
  message_id     blob    NOT NULL,
  expires_at     integer NOT NULL,
  batch          blob,
  PRIMARY KEY (application_id, key)
) WITHOUT ROWID;
-- A second row for each key that expires later than its generation is dropped. Retention reads the
-- table page by page from the beginning, so that no index on expires_at is needed.
CREATE TABLE idempotency_long (
  application_id blob    NOT NULL,
  key            blob    NOT NULL,
  body           blob    NOT NULL,
  message_id     blob    NOT NULL,
  expires_at     integer NOT NULL,
  batch          blob,
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
  slot       integer PRIMARY KEY CHECK (slot BETWEEN 0 AND 3),
  number     integer NOT NULL,
  -- 0 empty, 1 current, 2 closed: no longer inserted into.
  state      integer NOT NULL CHECK (state BETWEEN 0 AND 2),
  -- When its keys have expired and the table can be emptied.
  drop_after integer NOT NULL
);

-- Responses to calls other than sends that had an idempotency key. The key is 128 bits of SHA-256
-- of (environment, application of the caller's API key, method and path, idempotency key).
CREATE TABLE call_answers (
  key            blob    PRIMARY KEY,
  body           blob    NOT NULL,
  owner          blob    NOT NULL,
  -- 0 running, 1 committed, 2 answered.
  state          integer NOT NULL CHECK (state BETWEEN 0 AND 2),
  status         integer,
  sealed         blob,
  environment_id text    NOT NULL,
  started_at     integer NOT NULL,
  expires_at     integer NOT NULL
) WITHOUT ROWID;
-- Expired keys, for retention.
CREATE INDEX call_answers_expiry ON call_answers (expires_at);

-- Agent routes, queues and integrations

-- What an agent is told for a source and an event type or prefix. A deleted route stays while
-- deliveries refer to it.
CREATE TABLE agent_routes (
  id                 blob    PRIMARY KEY,
  application_id     blob    NOT NULL,
  source             text    NOT NULL,
  pattern            text    NOT NULL,
  -- The only endpoint that the route is for; NULL: all endpoints of the application.
  endpoint_id        blob,
  -- The endpoint belongs to the route: it is created, changed and deleted with it.
  own_endpoint       boolean NOT NULL DEFAULT false,
  agent_intent       text    NOT NULL,
  target_session     text,
  session_expression text,
  session_header     text,
  annotations        text    NOT NULL DEFAULT '{}',
  -- 0 standard, 1 agent.
  profile            integer NOT NULL DEFAULT 0 CHECK (profile IN (0, 1)),
  created_at         integer NOT NULL,
  updated_at         integer NOT NULL,
  deleted_at         integer
) WITHOUT ROWID;
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
  id                    blob    PRIMARY KEY,
  application_id        blob    NOT NULL,
  name                  text    NOT NULL,
  description           text    NOT NULL DEFAULT '',
  filter                text,
  dedupe                text,
  visibility_timeout_ms integer NOT NULL,
  max_attempts          integer NOT NULL,
  event_ttl_ms          integer,
  key_hash              blob    NOT NULL UNIQUE,
  version               integer NOT NULL DEFAULT 1,
  created_at            integer NOT NULL,
  updated_at            integer NOT NULL,
  deleted_at            integer
) WITHOUT ROWID;
-- Whether any queue has an event TTL.
CREATE INDEX queues_event_ttl ON queues (event_ttl_ms) WHERE event_ttl_ms IS NOT NULL;
-- A queue by its name, unique among those that are not deleted; and the queues that a message may
-- go to.
CREATE UNIQUE INDEX queues_name ON queues (application_id, name) WHERE deleted_at IS NULL;

-- How far a consumer of the polling calls has read a queue.
CREATE TABLE queue_consumers (
  queue_id    blob    NOT NULL,
  consumer    text    NOT NULL,
  position    blob    NOT NULL,
  -- Until when its last batch is leased.
  lease_until integer NOT NULL DEFAULT 0,
  next_number integer NOT NULL DEFAULT 1,
  updated_at  integer NOT NULL,
  PRIMARY KEY (queue_id, consumer)
) WITHOUT ROWID;

-- The messages that a consumer received by number and has not committed.
CREATE TABLE queue_offsets (
  queue_id blob    NOT NULL,
  consumer text    NOT NULL,
  number   integer NOT NULL,
  position blob    NOT NULL,
  PRIMARY KEY (queue_id, consumer, number)
) WITHOUT ROWID;

-- Tokens for the polling calls of one queue. The text is sealed, because a call can read it again.
CREATE TABLE queue_tokens (
  id         blob    PRIMARY KEY,
  queue_id   blob    NOT NULL,
  hash       blob    NOT NULL UNIQUE,
  sealed     blob    NOT NULL,
  created_at integer NOT NULL,
  expires_at integer
) WITHOUT ROWID;
-- The newest token of a queue.
CREATE INDEX queue_tokens_list ON queue_tokens (queue_id, id);

-- A service that acts for the users of an application. Its key is a row of api_keys with all
-- capabilities of a portal; the text is sealed here, because a call can read it again.
CREATE TABLE integrations (
  id             blob    PRIMARY KEY,
  application_id blob    NOT NULL,
  name           text    NOT NULL,
  feature_flags  text    NOT NULL DEFAULT '',
  key_id         blob    NOT NULL,
  sealed         blob    NOT NULL,
  created_at     integer NOT NULL,
  updated_at     integer NOT NULL
) WITHOUT ROWID;
-- The integrations of an application.
CREATE INDEX integrations_list ON integrations (application_id, id);

-- Sources

-- An inbound source. The name is also the uid of its application. The form is the source's
-- configuration as JSON.
CREATE TABLE sources (
  id              blob    PRIMARY KEY,
  environment_id  text    NOT NULL,
  name            text    NOT NULL,
  application_id  blob    NOT NULL,
  form            text    NOT NULL,
  -- The token of the secret URL, sealed, and its hash; during a rotation also the hash of the old
  -- one.
  token           blob,
  token_hash      blob,
  old_token_hash  blob,
  old_token_until integer,
  version         integer NOT NULL DEFAULT 1,
  created_at      integer NOT NULL,
  updated_at      integer NOT NULL
);
-- A source by its name.
CREATE UNIQUE INDEX sources_name ON sources (environment_id, name);
-- The list of sources.
CREATE INDEX sources_list ON sources (environment_id, id);

-- The secrets that a source verifies with, sealed. Several are valid during a rotation.
CREATE TABLE source_secrets (
  id         blob    PRIMARY KEY,
  source_id  blob    NOT NULL,
  event_types text   NOT NULL, -- an event type or prefix; empty: those that have no other
  sealed     blob    NOT NULL,
  created_at integer NOT NULL,
  expires_at integer
);
-- The secrets of a source, newest first.
CREATE INDEX source_secrets_source ON source_secrets (source_id, id);

-- One row, incremented by every change of a source: an instance reads it to see whether its cache
-- of sources is current.
CREATE TABLE source_changes (
  id      integer PRIMARY KEY,
  version integer NOT NULL
);
INSERT INTO source_changes (id, version) VALUES (1, 0);

-- Requests that a source rejected. Retention deletes the oldest by primary key.
CREATE TABLE rejected_requests (
  id             blob    PRIMARY KEY,
  environment_id text    NOT NULL,
  source_id      blob    NOT NULL,
  application_id blob    NOT NULL,
  status         integer NOT NULL,
  reason         text    NOT NULL,
  detail         text    NOT NULL,
  method         text    NOT NULL,
  address        text    NOT NULL,
  headers        text    NOT NULL,
  body           blob,
  body_bytes     integer NOT NULL
);
-- The rejected requests of a source, newest first.
CREATE INDEX rejected_requests_source ON rejected_requests (source_id, id);
-- The rejected requests of all sources of an environment, newest first.
CREATE INDEX rejected_requests_environment ON rejected_requests (environment_id, id);

-- The last tick of a cron source that became a message.
CREATE TABLE cron_ticks (
  source_id blob    PRIMARY KEY,
  schedule  text    NOT NULL,
  last_tick integer NOT NULL
);

-- Workflows

-- A workflow. Its application is in an environment that callers cannot name. Deleting it only stops
-- its triggers: version numbers go on if it is created again.
CREATE TABLE workflows (
  id             blob PRIMARY KEY,
  environment_id text NOT NULL,
  name           text NOT NULL,
  application_id blob NOT NULL,
  -- The number of the current version: new runs start with it.
  version        integer NOT NULL,
  created_at     integer NOT NULL,
  updated_at     integer NOT NULL,
  deleted_at     integer
);
-- A workflow by its name, deleted or not.
CREATE UNIQUE INDEX workflows_name ON workflows (environment_id, name);
-- The list of workflows, and those that a cycle of children could go through.
CREATE INDEX workflows_list ON workflows (environment_id, id) WHERE deleted_at IS NULL;

-- The versions of a workflow; immutable. One is kept until its last run is pruned.
CREATE TABLE workflow_versions (
  id          blob PRIMARY KEY,
  workflow_id blob NOT NULL,
  number      integer NOT NULL,
  -- 128 bits of SHA-256 of the canonical definition: unchanged content makes no version.
  hash        blob NOT NULL,
  definition  text NOT NULL,
  created_at  integer NOT NULL
);
-- A version by its number; the versions of a workflow, newest first.
CREATE UNIQUE INDEX workflow_versions_number ON workflow_versions (workflow_id, number);

-- Secrets that headers refer to by name, sealed. They are not part of a version: a new value is used
-- by the next attempt of every run.
CREATE TABLE workflow_secrets (
  workflow_id blob NOT NULL,
  name        text NOT NULL,
  sealed      blob NOT NULL,
  updated_at  integer NOT NULL,
  PRIMARY KEY (workflow_id, name)
) WITHOUT ROWID;

-- Which messages start a workflow: those of an application (a source has one) with a type in the
-- subscriptions of this id.
CREATE TABLE workflow_triggers (
  id                      blob PRIMARY KEY,
  application_id          blob NOT NULL,
  workflow_id             blob NOT NULL,
  workflow_application_id blob NOT NULL
);
-- The triggers of an application, when its routing is loaded.
CREATE INDEX workflow_triggers_application ON workflow_triggers (application_id, id);
-- The triggers of a workflow, to replace them.
CREATE UNIQUE INDEX workflow_triggers_workflow ON workflow_triggers (workflow_id, application_id);

-- The next tick of a workflow that is started by cron.
CREATE TABLE workflow_cron (
  workflow_id blob PRIMARY KEY,
  schedule    text NOT NULL,
  last_tick   integer NOT NULL
) WITHOUT ROWID;

-- The lane of a step, the same for all versions of its workflow; its row in lanes has the same id.
CREATE TABLE step_lanes (
  id              blob PRIMARY KEY,
  application_id  blob NOT NULL,
  step            text NOT NULL,
  throttle_rate   integer,
  throttle_burst  integer,
  throttle_period integer NOT NULL DEFAULT 0,
  max_in_flight   integer,
  version         integer NOT NULL DEFAULT 1,
  updated_at      integer NOT NULL
);
-- The lane of a step by its name.
CREATE UNIQUE INDEX step_lanes_step ON step_lanes (application_id, step);

-- One execution of a workflow. A row without version_id was accepted and is not started yet.
CREATE TABLE workflow_runs (
  application_id blob NOT NULL,
  id             blob NOT NULL,
  workflow_id    blob NOT NULL,
  version_id     blob,
  -- 0 running, 1 waiting, 2 paused, 3 completed, 4 failed, 5 timed_out, 6 canceled.
  status         integer NOT NULL CHECK (status BETWEEN 0 AND 6),
  -- What the run will end as, while it compensates and runs finally: 3 to 6; NULL: it does not end.
  ending         integer CHECK (ending BETWEEN 3 AND 6),
  -- Incremented by each transition, which is committed only if it is still the one it was decided with.
  revision       integer NOT NULL DEFAULT 0,
  -- Incremented by cancel and redrive: requests and timers of an older one are refused.
  epoch          integer NOT NULL DEFAULT 0,
  -- The fold of the history, as JSON.
  state          text NOT NULL DEFAULT '',
  -- The earliest time at which something is to be done; NULL: nothing but an event.
  due_at         integer,
  start_key      text,
  -- 128 bits of SHA-256 of the canonical input, to compare a repeated start.
  input_hash     blob,
  -- 0 call, 1 message, 2 cron, 3 another run.
  cause          integer NOT NULL CHECK (cause BETWEEN 0 AND 3),
  parent_id      blob,
  -- How many messages of send steps, each starting a run, led to this one.
  causation      integer NOT NULL DEFAULT 0,
  -- What started it, as JSON: the message, the tick, or the parent with its application, step and deadline.
  origin         text NOT NULL DEFAULT '{}',
  -- Until it is started: then it is in the history.
  input          blob,
  reason         text,
  ended_at       integer,
  -- Whether retention has deleted its history.
  emptied        boolean NOT NULL DEFAULT false,
  PRIMARY KEY (id)
);
-- Runs with something to do, by workflow and time: one query for all timers and starts.
CREATE INDEX workflow_runs_due ON workflow_runs (application_id, due_at, id) WHERE due_at IS NOT NULL;
-- A run by its key: a key starts one run while the run is kept.
CREATE UNIQUE INDEX workflow_runs_key ON workflow_runs (application_id, start_key) WHERE start_key IS NOT NULL;
-- The runs of a workflow, newest first. (On PostgreSQL, the primary key.)
CREATE INDEX workflow_runs_list ON workflow_runs (application_id, id);
-- The runs of a workflow with a status other than completed, newest first.
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
  application_id blob NOT NULL,
  run_id         blob NOT NULL,
  seq            integer NOT NULL,
  -- HistoryKind, such as 10 step_scheduled; the list is in docs/reference/run-states.md.
  kind           integer NOT NULL CHECK (kind BETWEEN 0 AND 19),
  at             integer NOT NULL,
  -- The status of the run after this row.
  run_status     integer NOT NULL CHECK (run_status BETWEEN 0 AND 6),
  -- 0 the run; a branch, an item or a handler has a number of its own.
  scope          integer NOT NULL DEFAULT 0,
  -- The number of the step in its version; NULL: the row is about the run.
  step           integer,
  -- The row with which this instance of the step began; NULL: this one.
  began          integer,
  visit          integer,
  -- The step with which the scope goes on; NULL: it ends, or goes on with this one.
  next           integer,
  -- The request of an HTTP step or a notification, from which its delivery and attempts follow.
  call_id        blob,
  -- The row ends a branch or item of the step that began in that row, with this number or index.
  joins          integer,
  item           integer,
  -- The handler that compensates this row.
  undo           integer,
  -- Input, result or error, by kind; and the data of the scope afterwards, if that is another value.
  value          blob,
  data           blob,
  -- The row whose data is the input, if the row has no value.
  input_seq      integer,
  info           text,
  -- In the first row of a transition: a commit whose answer was lost is found by it.
  commit_id      blob,
  PRIMARY KEY (run_id, seq)
);
-- The results of the branches or items of a step, in order, for its join.
CREATE INDEX workflow_history_joins ON workflow_history (run_id, joins, item) WHERE joins IS NOT NULL;
-- What is to be compensated, latest first.
CREATE INDEX workflow_history_undo ON workflow_history (run_id, seq) WHERE undo IS NOT NULL;

-- The open callbacks. The token is HMAC(data key, application, run, step instance) and is not stored.
CREATE TABLE workflow_callbacks (
  token_hash     blob PRIMARY KEY,
  application_id blob NOT NULL,
  run_id         blob NOT NULL,
  seq            integer NOT NULL,
  data_key       blob NOT NULL,
  expires_at     integer NOT NULL
) WITHOUT ROWID;
-- The callback of a step instance: its notification reads the key at each send, its end deletes the row.
CREATE UNIQUE INDEX workflow_callbacks_step ON workflow_callbacks (run_id, seq);

-- Messages between a run and its parent or children: no transaction changes two runs.
CREATE TABLE workflow_inbox (
  id             blob PRIMARY KEY,
  application_id blob NOT NULL,
  run_id         blob NOT NULL,
  -- 0 a child has ended, 1 the parent was canceled.
  kind           integer NOT NULL CHECK (kind IN (0, 1)),
  seq            integer NOT NULL,
  info           text NOT NULL,
  value          blob
);
-- What waits for a run.
CREATE INDEX workflow_inbox_run ON workflow_inbox (run_id, id);

-- Instances and background work

-- The running processes. The heartbeat is a counter, so that no two clocks are compared; the times
-- are for display only.
CREATE TABLE instances (
  id         blob    PRIMARY KEY,
  heartbeat  integer NOT NULL,
  host       text    NOT NULL,
  version    text    NOT NULL,
  role       text    NOT NULL,
  started_at integer NOT NULL,
  seen_at    integer NOT NULL,
  -- The instance will commit no message with an id up to this one; NULL until it has written one.
  horizon    blob
) WITHOUT ROWID;

-- Background tasks. Each step saves its progress in its own transaction, so that another instance
-- continues after the last committed step.
CREATE TABLE tasks (
  id             blob    PRIMARY KEY,
  environment_id text    NOT NULL,
  application_id blob,
  kind           text    NOT NULL,
  -- 0 running, 1 finished, 2 failed.
  status         integer NOT NULL CHECK (status IN (0, 1, 2)),
  input          text    NOT NULL DEFAULT '{}',
  progress       text    NOT NULL DEFAULT '{}',
  leased_by      blob,
  lease_version  integer NOT NULL DEFAULT 0,
  lease_until    integer NOT NULL DEFAULT 0,
  created_at     integer NOT NULL,
  updated_at     integer NOT NULL
);
-- The list of tasks.
CREATE INDEX tasks_list ON tasks (environment_id, id);
-- The running tasks whose lease has expired.
CREATE INDEX tasks_running ON tasks (lease_until, id) WHERE status = 0;

-- One row: the last run of retention. It shows a missed run, and any instance can request one here.
CREATE TABLE prune_runs (
  id               integer PRIMARY KEY CHECK (id = 1),
  asked_at         integer NOT NULL DEFAULT 0,
  began_at         integer NOT NULL,
  -- When the running instance last wrote; after a long silence another instance starts the run
  -- again.
  seen_at          integer NOT NULL,
  ended_at         integer,
  applications     integer NOT NULL DEFAULT 0,
  messages         integer NOT NULL DEFAULT 0,
  deliveries       integer NOT NULL DEFAULT 0,
  attempts         integer NOT NULL DEFAULT 0,
  payloads         integer NOT NULL DEFAULT 0,
  idempotency_keys integer NOT NULL DEFAULT 0,
  secrets          integer NOT NULL DEFAULT 0
);

-- Statistics

-- What one instance counted for one lane in one minute; inserted, never updated. The zero lane
-- counts for the application itself. within_N and beyond count attempts by their latency in
-- milliseconds. An instance writes a minute in several parts when a call or a stop needs the
-- numbers before the minute is over.
CREATE TABLE counters (
  application_id blob    NOT NULL,
  lane_id        blob    NOT NULL,
  minute         integer NOT NULL,
  instance_id    blob    NOT NULL,
  part           integer NOT NULL,
  accepted       integer NOT NULL DEFAULT 0,
  delivered      integer NOT NULL DEFAULT 0,
  failed         integer NOT NULL DEFAULT 0,
  dead_letter    integer NOT NULL DEFAULT 0,
  canceled       integer NOT NULL DEFAULT 0,
  latency_ms     integer NOT NULL DEFAULT 0,
  within_5       integer NOT NULL DEFAULT 0,
  within_10      integer NOT NULL DEFAULT 0,
  within_25      integer NOT NULL DEFAULT 0,
  within_50      integer NOT NULL DEFAULT 0,
  within_100     integer NOT NULL DEFAULT 0,
  within_250     integer NOT NULL DEFAULT 0,
  within_500     integer NOT NULL DEFAULT 0,
  within_1000    integer NOT NULL DEFAULT 0,
  within_2500    integer NOT NULL DEFAULT 0,
  within_5000    integer NOT NULL DEFAULT 0,
  within_10000   integer NOT NULL DEFAULT 0,
  within_15000   integer NOT NULL DEFAULT 0,
  within_30000   integer NOT NULL DEFAULT 0,
  within_60000   integer NOT NULL DEFAULT 0,
  beyond         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (application_id, lane_id, minute, instance_id, part)
) WITHOUT ROWID;
-- The oldest minutes, to sum them up.
CREATE INDEX counters_age ON counters (minute);

-- The sums of counters per hour, over all instances; the minutes are deleted when they are summed
-- up.
CREATE TABLE counter_hours (
  application_id blob    NOT NULL,
  lane_id        blob    NOT NULL,
  hour           integer NOT NULL,
  accepted       integer NOT NULL DEFAULT 0,
  delivered      integer NOT NULL DEFAULT 0,
  failed         integer NOT NULL DEFAULT 0,
  dead_letter    integer NOT NULL DEFAULT 0,
  canceled       integer NOT NULL DEFAULT 0,
  latency_ms     integer NOT NULL DEFAULT 0,
  within_5       integer NOT NULL DEFAULT 0,
  within_10      integer NOT NULL DEFAULT 0,
  within_25      integer NOT NULL DEFAULT 0,
  within_50      integer NOT NULL DEFAULT 0,
  within_100     integer NOT NULL DEFAULT 0,
  within_250     integer NOT NULL DEFAULT 0,
  within_500     integer NOT NULL DEFAULT 0,
  within_1000    integer NOT NULL DEFAULT 0,
  within_2500    integer NOT NULL DEFAULT 0,
  within_5000    integer NOT NULL DEFAULT 0,
  within_10000   integer NOT NULL DEFAULT 0,
  within_15000   integer NOT NULL DEFAULT 0,
  within_30000   integer NOT NULL DEFAULT 0,
  within_60000   integer NOT NULL DEFAULT 0,
  beyond         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (application_id, lane_id, hour)
) WITHOUT ROWID;
-- The oldest hours, to delete them.
CREATE INDEX counter_hours_age ON counter_hours (hour);

-- Live feed and audit

-- The events of the live feed, for clients that reconnect. Retention deletes the oldest by primary
-- key.
CREATE TABLE live_events (
  id             blob PRIMARY KEY,
  environment_id text NOT NULL,
  application_id blob NOT NULL,
  session_id     text,
  kind           text NOT NULL,
  data           text NOT NULL
);

-- One row: status changes are written to live_events until this time, because a client is connected
-- or may reconnect.
CREATE TABLE live_use (
  id    integer PRIMARY KEY,
  until integer NOT NULL
);
INSERT INTO live_use (id, until) VALUES (1, 0);

-- Which caller did what. The time is in the id; rows are never changed.
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
-- The audit log of an environment, newest first.
CREATE INDEX audit_list ON audit (environment_id, id);
-- The entries of one object.
CREATE INDEX audit_object ON audit (environment_id, object_id, id);

-- Configuration file

-- One row for each environment that a file was applied to; locked while one is applied.
CREATE TABLE configuration_files (
  environment_id text    PRIMARY KEY,
  version        integer NOT NULL,
  -- What applied it last: start, signal or call.
  applied_by     text    NOT NULL,
  applied_at     integer NOT NULL
) WITHOUT ROWID;

-- The resources that came from a file. Resources without a row were created by the API and are not
-- changed by a file.
CREATE TABLE configuration_items (
  environment_id text    NOT NULL,
  kind           text    NOT NULL,
  name           text    NOT NULL,
  -- The resource's id when the file was applied: a later one with the same name is another
  -- resource.
  resource_id    blob    NOT NULL,
  -- The file that the item belongs to; '' if no file is known, then any file may take it over; NULL
  -- once the file released it because other resources need it. Released items stay, so that the
  -- file can be applied again.
  owner          text    DEFAULT '',
  created_at     integer NOT NULL,
  PRIMARY KEY (environment_id, kind, name)
) WITHOUT ROWID;

package dev.postrider.eventtype;

import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.json.Json;
import dev.postrider.storage.Database;
import dev.postrider.time.TimeSource;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The retry schedules of event types, those of an application before those of the environment. Read
 * only after failures, and cached for a short time.
 */
public final class EventTypePolicies {
  /** The name of the schedule in the stored settings. */
  static final String RETRY_POLICY = "retryPolicy";

  static final int MAX_ENTRIES = 20_000;
  static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Key(String environmentId, ApplicationId applicationId, String name) {}

  private record Known(@Nullable String policy, long loadedNanos) {}

  private final Database database;
  private final TimeSource time;
  private final ConcurrentHashMap<Key, Known> entries = new ConcurrentHashMap<>();

  public EventTypePolicies(Database database, TimeSource time) {
    this.database = database;
    this.time = time;
  }

  /** The text of the schedule, or null if the type has none. */
  public @Nullable String retryPolicy(
      String environmentId, ApplicationId applicationId, String name) {
    Key key = new Key(environmentId, applicationId, name);
    Known known = entries.get(key);
    if (known == null || time.nanos() - known.loadedNanos() > MAX_AGE_NANOS) {
      if (entries.size() >= MAX_ENTRIES) {
        entries.clear();
      }
      known = new Known(load(key), time.nanos());
      entries.put(key, known);
    }
    return known.policy();
  }

  private @Nullable String load(Key key) {
    List<String> settings =
        database.read(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT settings FROM event_types
                         WHERE environment_id = :environment AND application_id IN (:application, :everyone) AND name = :name
                         ORDER BY application_id DESC
                        """)
                    .bind("environment", key.environmentId())
                    .bind("application", key.applicationId())
                    .bind("everyone", Id.ZERO)
                    .bind("name", key.name())
                    .mapTo(String.class)
                    .list());
    for (String one : settings) {
      String policy = Json.texts(one).get(RETRY_POLICY);
      if (policy != null) {
        return policy;
      }
    }
    return null;
  }
}

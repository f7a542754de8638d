package dev.postrider.task;

import dev.postrider.crypto.MasterKeyUnavailable;
import dev.postrider.id.ApplicationId;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.ApplicationStore;
import dev.postrider.tenant.OperationalWebhooks;
import dev.postrider.tenant.datakey.ResealStore;
import dev.postrider.tenant.datakey.ResealStore.Place;
import dev.postrider.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Seals the secrets of an application, or of all applications of an environment, with their own
 * data keys. It begins after a while: a request that has sealed a secret with the key of the
 * environment has committed it then.
 */
final class ResealWork implements TaskWork {
  static final Duration BEGINS_AFTER = Duration.ofSeconds(10);
  private static final String RESEALED = "resealed";

  private final ApplicationStore applications;
  private final ResealStore reseals;
  private final TimeSource time;

  ResealWork(ApplicationStore applications, ResealStore reseals, TimeSource time) {
    this.applications = applications;
    this.reseals = reseals;
    this.time = time;
  }

  @Override
  public Step next(Task task) {
    if (time.nowMs() < task.id().value().epochMs() + BEGINS_AFTER.toMillis()) {
      return _ -> task.progress();
    }
    Cursor cursor = Cursor.parse(task.progress().cursor());
    Application application = application(task, cursor);
    if (application == null) {
      return end(task, cursor);
    }
    Cursor here = cursor.in(application.id().value());
    try {
      ResealStore.Page page = reseals.next(application, here.place());
      Place next = page.next();
      boolean last = next == null && task.applicationId() != null;
      Cursor reached = next == null ? here.after() : here.at(next);
      return handle ->
          progress(task, reached, ResealStore.write(handle, page.replacements()), last);
    } catch (MasterKeyUnavailable _) {
      return _ -> task.progress(); // tried again soon
    }
  }

  /** After the last application of an environment: its operational webhooks, or the end. */
  private static Step end(Task task, Cursor cursor) {
    return _ ->
        task.applicationId() != null || cursor.operational()
            ? progress(task, cursor, 0, true)
            : progress(task, new Cursor(true, Id.ZERO, Place.FIRST, false), 0, false);
  }

  /** The one that the cursor is in, or the next one; null if there is none. */
  private @Nullable Application application(Task task, Cursor cursor) {
    ApplicationId own = task.applicationId();
    if (own != null || cursor.within()) {
      Id id = own == null ? cursor.application() : own.value();
      String environment = cursor.operational() ? operational(task) : task.environmentId();
      Application found = applications.find(environment, id.text(IdKind.APPLICATION));
      if (found != null || own != null) {
        return found;
      }
    }
    List<Application> following =
        applications
            .list(
                cursor.operational() ? operational(task) : task.environmentId(),
                new Keyset<>(1, cursor.application(), false, true))
            .items();
    return following.isEmpty() ? null : following.getFirst();
  }

  private static String operational(Task task) {
    return OperationalWebhooks.environment(task.environmentId());
  }

  private static Task.Progress progress(Task task, Cursor reached, int resealed, boolean done) {
    ObjectNode data = task.progress().data().deepCopy();
    data.put(RESEALED, data.path(RESEALED).asInt(0) + resealed);
    return new Task.Progress(reached.text(), data, done);
  }

  /**
   * Where the next step begins.
   *
   * @param operational in the application of the operational webhooks, which comes last
   * @param place in that application
   * @param within whether something of that application is left
   */
  private record Cursor(boolean operational, Id application, Place place, boolean within) {
    Cursor in(Id other) {
      return within && other.equals(application)
          ? this
          : new Cursor(operational, other, Place.FIRST, true);
    }

    Cursor at(Place next) {
      return new Cursor(operational, application, next, true);
    }

    Cursor after() {
      return new Cursor(operational, application, Place.FIRST, false);
    }

    String text() {
      return String.join(
          ":",
          operational ? "operational" : "",
          application.text(IdKind.APPLICATION),
          within ? String.valueOf(place.column()) : "",
          place.row().text(IdKind.APPLICATION));
    }

    static Cursor parse(@Nullable String text) {
      if (text == null) {
        return new Cursor(false, Id.ZERO, Place.FIRST, false);
      }
      String[] parts = text.split(":", -1);
      boolean within = !parts[2].isEmpty();
      return new Cursor(
          !parts[0].isEmpty(),
          id(parts[1]),
          within ? new Place(Integer.parseInt(parts[2]), id(parts[3])) : Place.FIRST,
          within);
    }

    private static Id id(String text) {
      Id id = Id.parse(IdKind.APPLICATION, text);
      return id == null ? Id.ZERO : id;
    }
  }
}

package dev.postrider.audit;

import dev.postrider.id.ApiKeyId;
import org.jspecify.annotations.Nullable;

/**
 * The caller or process that performs an audited action.
 *
 * @param keyId the API key of the request; null if there is none
 */
public record Actor(Kind kind, @Nullable ApiKeyId keyId) {
  /** How the actor was authenticated. */
  public enum Kind {
    API_KEY("api_key"),
    PORTAL("portal"),
    JWT("jwt"),
    COMMAND_LINE("command_line"),
    SERVER("server");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** The server itself, without a request. */
  public static final Actor SERVER = new Actor(Kind.SERVER, null);

  private static final ScopedValue<Actor> CURRENT = ScopedValue.newInstance();

  /** The actor of this thread. */
  public static Actor current() {
    return CURRENT.orElse(SERVER);
  }

  /** A block of code, run on behalf of an actor, that may throw any exception. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  /** Runs the work in the name of this actor. */
  public void run(Work work) throws Exception {
    ScopedValue.where(CURRENT, this)
        .call(
            () -> {
              work.run();
              return this;
            });
  }
}

package dev.postrider.inbound.source;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an owner decides about a source.
 *
 * @param name also the uid of the application that gets the messages
 * @param verify the name of a verification scheme
 * @param options of the scheme
 * @param eventType how a request is named: {@code provider}, {@code header:NAME}, {@code
 *     field:a.b}, {@code fixed:NAME}, or an expression
 * @param dedupe how a repeat is recognised: {@code provider}, {@code none}, {@code header:NAME},
 *     {@code field:a.b}, or an expression
 * @param dedupeWindow how long a repeat is recognised; null means as long as idempotency keys
 * @param schema a JSON Schema that bodies must satisfy
 * @param allowedIps addresses and networks that may send; none = all
 * @param maxBodyBytes null means the server's limit
 * @param allowUnsigned takes requests without a signature, and marks them; wrong ones are refused
 * @param allowGet takes GET requests too: their query becomes the body, as a form
 * @param cron makes it a clock instead of a door
 */
public record SourceForm(
    String name,
    String verify,
    Map<String, String> options,
    boolean enabled,
    String eventType,
    String dedupe,
    @Nullable Duration dedupeWindow,
    @Nullable String schema,
    List<String> allowedIps,
    @Nullable Integer maxBodyBytes,
    Expects expects,
    boolean allowUnsigned,
    boolean allowGet,
    Reply reply,
    @Nullable CronForm cron,
    String description,
    Map<String, String> metadata) {

  public static final String PROVIDER = "provider";
  public static final String NONE = "none";

  /** Which bodies must be JSON. */
  public enum Expects {
    /** Those that say so by their content type. */
    AUTO,
    /** All. */
    JSON,
    /** None. */
    ANY
  }

  /**
   * What an accepted request is answered with.
   *
   * @param body null means a JSON object with the message's id
   */
  public record Reply(int status, @Nullable String body, Map<String, String> headers) {
    public static final Reply DEFAULT = new Reply(200, null, Map.of());

    public Reply {
      headers = Map.copyOf(headers);
    }
  }

  /** What happens to ticks that nobody fired, because no instance ran. */
  public enum Missed {
    /** They are gone. */
    SKIP,
    /** The last of them fires, late. */
    ONCE,
    /** All fire, late, up to a limit. */
    ALL
  }

  /**
   * A schedule.
   *
   * @param schedule five fields, or six with seconds first
   * @param timezone an IANA name
   * @param payload what each tick carries; null means the source and the time
   * @param contentType of the payload; null means JSON if it is that, else plain text
   */
  public record CronForm(
      String schedule,
      String timezone,
      Missed missed,
      @Nullable String payload,
      @Nullable String contentType) {
    public CronForm(String schedule, String timezone, Missed missed) {
      this(schedule, timezone, missed, null, null);
    }
  }

  public SourceForm {
    options = Map.copyOf(options);
    allowedIps = List.copyOf(allowedIps);
    metadata = Map.copyOf(metadata);
  }

  public SourceForm withMetadata(Map<String, String> other) {
    return with(enabled, other);
  }

  SourceForm disabled() {
    return with(false, metadata);
  }

  private SourceForm with(boolean on, Map<String, String> otherMetadata) {
    return new SourceForm(
        name,
        verify,
        options,
        on,
        eventType,
        dedupe,
        dedupeWindow,
        schema,
        allowedIps,
        maxBodyBytes,
        expects,
        allowUnsigned,
        allowGet,
        reply,
        cron,
        description,
        otherMetadata);
  }

  /** All defaults but the scheme. */
  public static SourceForm of(String name, String verify) {
    return new SourceForm(
        name,
        verify,
        Map.of(),
        true,
        PROVIDER,
        PROVIDER,
        null,
        null,
        List.of(),
        null,
        Expects.AUTO,
        false,
        false,
        Reply.DEFAULT,
        null,
        "",
        Map.of());
  }
}

package dev.postrider.inbound.source;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a source.
 *
 * @param name also the uid of the application that gets the messages
 * @param verify the name of a verification scheme
 * @param options of the scheme
 * @param cron makes it fire by a schedule instead of by requests
 */
public record SourceForm(
    String name,
    String verify,
    Map<String, String> options,
    boolean enabled,
    Rules rules,
    Requests requests,
    Reply reply,
    @Nullable CronForm cron,
    String description,
    Map<String, String> metadata) {

  public static final String PROVIDER = "provider";
  public static final String NONE = "none";

  /**
   * How requests become messages: event type, deduplication and schema.
   *
   * @param eventType how the event type is determined: {@code provider}, {@code header:NAME},
   *     {@code field:a.b}, {@code fixed:NAME}, or an expression
   * @param dedupe how duplicates are detected: {@code provider}, {@code none}, {@code header:NAME},
   *     {@code field:a.b}, or an expression
   * @param dedupeWindow how long duplicates are detected; null means as long as idempotency keys
   *     are kept
   * @param schema a JSON Schema that bodies must satisfy
   */
  public record Rules(
      String eventType, String dedupe, @Nullable Duration dedupeWindow, @Nullable String schema) {
    public static final Rules DEFAULT = new Rules(PROVIDER, PROVIDER, null, null);
  }

  /**
   * Which requests a source accepts.
   *
   * @param allowedIps addresses and networks that may send; empty means all
   * @param maxBodyBytes null means the server's limit
   * @param allowUnsigned accept requests without a signature and mark them; invalid signatures are
   *     still rejected
   * @param allowGet accept GET requests too; their query becomes the body, as a form
   */
  public record Requests(
      List<String> allowedIps,
      @Nullable Integer maxBodyBytes,
      Expects expects,
      boolean allowUnsigned,
      boolean allowGet) {
    public static final Requests DEFAULT =
        new Requests(List.of(), null, Expects.AUTO, false, false);

    public Requests {
      allowedIps = List.copyOf(allowedIps);
    }
  }

  /** Which bodies must be JSON. */
  public enum Expects {
    /** Those with a JSON content type. */
    AUTO,
    /** All. */
    JSON,
    /** None. */
    ANY
  }

  /**
   * The response to an accepted request.
   *
   * @param body null means a JSON object with the id of the message
   */
  public record Reply(int status, @Nullable String body, Map<String, String> headers) {
    public static final Reply DEFAULT = new Reply(200, null, Map.of());

    public Reply {
      headers = Map.copyOf(headers);
    }
  }

  /** What happens to ticks that were missed while no instance was running. */
  public enum Missed {
    /** They are skipped. */
    SKIP,
    /** The last of them fires, late. */
    ONCE,
    /** All fire, late, up to a limit. */
    ALL
  }

  /**
   * The schedule and payload of a cron source.
   *
   * @param schedule five fields, or six with seconds first
   * @param timezone an IANA name
   * @param payload payload of each tick; null means the source and the time
   * @param contentType of the payload; null means JSON if the payload is JSON, else plain text
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
    metadata = Map.copyOf(metadata);
  }

  public SourceForm withMetadata(Map<String, String> other) {
    return with(enabled, other);
  }

  public SourceForm withEnabled(boolean on) {
    return with(on, metadata);
  }

  private SourceForm with(boolean on, Map<String, String> otherMetadata) {
    return new SourceForm(
        name, verify, options, on, rules, requests, reply, cron, description, otherMetadata);
  }

  /** All defaults but the scheme. */
  public static SourceForm of(String name, String verify) {
    return new SourceForm(
        name,
        verify,
        Map.of(),
        true,
        Rules.DEFAULT,
        Requests.DEFAULT,
        Reply.DEFAULT,
        null,
        "",
        Map.of());
  }
}

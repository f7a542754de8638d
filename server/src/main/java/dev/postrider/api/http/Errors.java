package dev.postrider.api.http;

import dev.postrider.api.form.JsonOut;
import dev.postrider.crypto.MasterKeyUnavailable;
import dev.postrider.evaluation.EvaluationBusy;
import dev.postrider.json.BadJson;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.storage.DatabaseUnavailable;
import dev.postrider.storage.SqlFaults;
import dev.postrider.storage.StorageException;
import dev.postrider.tenant.LimitReached;
import dev.postrider.tenant.TooManySecrets;
import dev.postrider.tenant.UidTaken;
import io.helidon.http.RequestException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts exceptions to error responses. */
public final class Errors {
  private static final System.Logger LOG = System.getLogger(Errors.class.getName());
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** The code of requests that are wrong as bytes. */
  public static final String NOT_HTTP = "bad_request";

  private Errors() {}

  /**
   * An error response.
   *
   * @param closes the request was not read completely, so the connection cannot be reused
   */
  @SuppressWarnings("ArrayRecordComponent") // sent once
  public record Answer(int status, byte[] body, @Nullable Duration retryAfter, boolean closes) {}

  public static Answer answer(Throwable thrown, String requestId) {
    return switch (thrown) {
      case ApiError error -> of(error);
      case InvalidFields invalid -> unprocessable(null, invalid.problems());
      case BadJson bad -> of(new ApiError(400, "invalid_json", String.valueOf(bad.getMessage())));
      case UidTaken taken -> of(ApiError.conflict(String.valueOf(taken.getMessage())));
      case EvaluationBusy busy ->
          of(ApiError.unavailable(String.valueOf(busy.getMessage()), Duration.ofSeconds(1)));
      case TooManySecrets many ->
          of(new ApiError(400, "too_many_secrets", String.valueOf(many.getMessage())));
      case LimitReached limit ->
          unprocessable(
              Problem.LIMIT,
              List.of(
                  new Problem(List.of("body"), String.valueOf(limit.getMessage()), Problem.LIMIT)));
      case DatabaseUnavailable outage -> unavailable(outage, requestId);
      case MasterKeyUnavailable outage -> unavailable(outage, requestId);
      case StorageException storage when SqlFaults.of(storage) == SqlFaults.BAD_DATA ->
          unprocessable(
              null,
              List.of(
                  new Problem(List.of("body"), "the database rejected a value", Problem.VALUE)));
      case RequestException refused -> transport(refused);
      case IOException broken -> broken(broken);
      case UncheckedIOException broken -> broken(broken);
      default -> bug(thrown, requestId);
    };
  }

  private static Answer of(ApiError error) {
    byte[] body =
        JsonOut.bytes(
            out -> out.object(o -> o.text("code", error.code()).text("detail", error.detail())));
    boolean closes = error.status() == 413 || error.code().equals(ApiError.TOO_MANY_BODIES);
    return new Answer(error.status(), body, error.retryAfter(), closes);
  }

  private static Answer unprocessable(@Nullable String code, List<Problem> problems) {
    byte[] body =
        JsonOut.bytes(
            out ->
                out.object(
                    o -> {
                      if (code != null) {
                        o.text("code", code);
                      }
                      problems(o, "detail", problems);
                    }));
    return new Answer(422, body, null, false);
  }

  public static void problems(JsonOut out, String name, List<Problem> problems) {
    out.array(
        name,
        problems,
        (p, problem) ->
            p.texts("loc", problem.loc()).text("msg", problem.msg()).text("type", problem.type()));
  }

  private static Answer unavailable(RuntimeException outage, String requestId) {
    LOG.log(Level.DEBUG, () -> requestId + ": " + outage.getMessage());
    return of(
        ApiError.unavailable("the server is temporarily unavailable; try again", RETRY_AFTER));
  }

  /** The client stopped sending; it may be gone. */
  private static Answer broken(Exception broken) {
    LOG.log(Level.DEBUG, "the connection of a request was closed early", broken);
    Answer answer = of(new ApiError(400, "bad_request", "the request was not received completely"));
    return new Answer(answer.status(), answer.body(), null, true);
  }

  /** The web server rejected the request while its body was read. */
  private static Answer transport(RequestException refused) {
    int status = refused.status().code() >= 500 ? 400 : refused.status().code();
    String problem = refused.safeMessage() ? refused.getMessage() : null;
    Answer answer = of(new ApiError(status, NOT_HTTP, notHttp(problem)));
    return new Answer(answer.status(), answer.body(), null, true);
  }

  public static String notHttp(@Nullable String problem) {
    return "the server does not accept this HTTP request" + (problem == null ? "" : ": " + problem);
  }

  private static Answer bug(Throwable thrown, String requestId) {
    LOG.log(Level.ERROR, "request " + requestId + " failed", thrown);
    return of(
        new ApiError(500, "internal_error", "internal error; the request id is " + requestId));
  }
}

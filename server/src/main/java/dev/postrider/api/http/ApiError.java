package dev.postrider.api.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown to return an error response, {@code {code, detail}}. */
public final class ApiError extends RuntimeException {
  /** Said while the body is still being read, so the connection cannot be used again. */
  static final String TOO_MANY_BODIES = "too_many_bodies";

  private final int status;
  private final String code;
  private final @Nullable Duration retryAfter;

  ApiError(int status, String code, String detail, @Nullable Duration retryAfter) {
    super(detail, null, false, false);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  public ApiError(int status, String code, String detail) {
    this(status, code, detail, null);
  }

  public static ApiError notFound(String what) {
    return new ApiError(404, "not_found", what + " not found");
  }

  public static ApiError conflict(String detail) {
    return new ApiError(409, "conflict", detail);
  }

  /** The same request is in progress; it may be repeated soon. */
  static ApiError busy(String detail) {
    return new ApiError(409, "conflict", detail, Duration.ofSeconds(1));
  }

  public static ApiError unauthenticated() {
    return new ApiError(
        401,
        "authentication_failed",
        "send a valid API key in the header Authorization: Bearer <key>");
  }

  static ApiError jwtSecret() {
    return new ApiError(
        401,
        "authentication_failed",
        "this is the JWT secret of the server, not a token; send a JWT signed with it (HS256,"
            + " with sub and exp), such as one created by svix-server jwt generate");
  }

  public static ApiError forbidden(String detail) {
    return new ApiError(403, "insufficient access", detail);
  }

  public static ApiError notImplemented(String detail) {
    return new ApiError(501, "not_implemented", detail);
  }

  static ApiError tooLarge(long limit) {
    return new ApiError(413, "payload_too_large", "the body may have at most " + limit + " bytes");
  }

  /** The body was read; only the application's own limit refuses it. */
  public static ApiError payloadTooLarge(int limit) {
    return new ApiError(
        413,
        "payload_too_large",
        "the payload may have at most " + limit + " bytes, which is the limit of the application");
  }

  public static ApiError tooMany(String detail, Duration retryAfter) {
    return new ApiError(429, "too_many_requests", detail, retryAfter);
  }

  /** For what is usually over within a second. */
  public static ApiError unavailable(String detail) {
    return unavailable(detail, Duration.ofSeconds(1));
  }

  public static ApiError unavailable(String detail, Duration retryAfter) {
    return new ApiError(503, "unavailable", detail, retryAfter);
  }

  /** The same error, of a part of the request. */
  public ApiError in(String part) {
    return new ApiError(status, code, part + ": " + getMessage(), retryAfter);
  }

  public int status() {
    return status;
  }

  String code() {
    return code;
  }

  String detail() {
    return String.valueOf(getMessage());
  }

  @Nullable Duration retryAfter() {
    return retryAfter;
  }
}

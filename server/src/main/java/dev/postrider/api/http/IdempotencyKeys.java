package dev.postrider.api.http;

import dev.postrider.api.form.Limits;
import dev.postrider.id.Id;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.message.NewMessage.IdempotencyKey;
import dev.postrider.tenant.key.ApiKey;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Computes the stored form of an idempotency key: 128 bits of a hash over the key and its scope,
 * and 128 bits over the body.
 */
public final class IdempotencyKeys {
  static final HeaderName HEADER = HeaderNames.create("idempotency-key");

  private static final byte[] SEND = "message.create".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] BATCH = "message.batch".getBytes(StandardCharsets.US_ASCII);

  private IdempotencyKeys() {}

  /** The key of a send; what is stored of it stands with the application's id. */
  public static @Nullable IdempotencyKey forSend(Call call, byte[] body) {
    Scoped scoped = scoped(call, SEND, "", body);
    return scoped == null ? null : new IdempotencyKey(scoped.key(), scoped.body());
  }

  /** The key of an event, within its path. */
  public static @Nullable IdempotencyKey forEvent(Call call, byte[] body) {
    Scoped scoped = scoped(call, path(call), "", body);
    return scoped == null ? null : new IdempotencyKey(scoped.key(), scoped.body());
  }

  /** The hash of an idempotency key with its scope, and the hash of the request body. */
  record Scoped(Id key, Id body) {}

  /**
   * The key of any other request, within its environment, the application and the capabilities of
   * the caller's API key and the path; null if there is none. A response may contain a secret, so a
   * token with fewer capabilities does not get the response to another.
   */
  static @Nullable Scoped forCall(Call call) throws IOException {
    String key = call.header(HEADER);
    if (key == null) {
      return null;
    }
    refuseUnlessPlain(key);
    MessageDigest sha256 = sha256();
    byte[] route = path(call);
    Id scoped = scoped(sha256, call, route, reach(call.key()), key);
    part(sha256, call.rawQuery().getBytes(StandardCharsets.UTF_8));
    return new Scoped(scoped, first16(sha256.digest(call.body())));
  }

  private static String reach(ApiKey key) {
    String application = key.applicationId() == null ? "" : key.applicationId().toString();
    return key.capabilities() == null
        ? application
        : application + new TreeSet<>(key.capabilities());
  }

  /** The key of a batch as a whole; null if the caller gave none. */
  public static @Nullable IdempotencyKey forBatch(Call call, String application, byte[] body) {
    Scoped scoped = scoped(call, BATCH, application, body);
    return scoped == null ? null : new IdempotencyKey(scoped.key(), scoped.body());
  }

  private static byte[] path(Call call) {
    return ("POST " + call.rawPath()).getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable Scoped scoped(Call call, byte[] route, String reach, byte[] body) {
    String key = call.header(HEADER);
    if (key == null) {
      return null;
    }
    refuseUnlessPlain(key);
    MessageDigest sha256 = sha256();
    Id scoped = scoped(sha256, call, route, reach, key);
    return new Scoped(scoped, first16(sha256.digest(body)));
  }

  private static Id scoped(
      MessageDigest sha256, Call call, byte[] route, String application, String key) {
    part(sha256, call.environmentId().getBytes(StandardCharsets.UTF_8));
    part(sha256, route);
    part(sha256, application.getBytes(StandardCharsets.UTF_8));
    part(sha256, key.getBytes(StandardCharsets.UTF_8));
    return first16(sha256.digest());
  }

  private static void refuseUnlessPlain(String key) {
    boolean plain = !key.isEmpty() && key.length() <= Limits.IDEMPOTENCY_KEY;
    for (int i = 0; plain && i < key.length(); i++) {
      plain = key.charAt(i) >= ' ' && key.charAt(i) <= '~';
    }
    if (!plain) {
      throw new InvalidFields(
          new Problem(
              List.of("header", HEADER.lowerCase()),
              "must have 1 to " + Limits.IDEMPOTENCY_KEY + " visible ASCII characters",
              Problem.VALUE));
    }
  }

  /** With its length, so that no two different lists of parts look the same. */
  private static void part(MessageDigest sha256, byte[] bytes) {
    sha256.update((byte) (bytes.length >>> 8));
    sha256.update((byte) bytes.length);
    sha256.update(bytes);
  }

  private static Id first16(byte[] hash) {
    return Id.ofBytes(Arrays.copyOf(hash, 16));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}

package dev.postrider.tenant.key;

import dev.postrider.id.ApiKeyId;
import dev.postrider.id.Id;
import dev.postrider.tenant.Environment;
import dev.postrider.time.TimeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Short-lived tokens for processes that can read the master key file, which is the command line of
 * the server's own user. Nothing is stored for them: the file is the signing secret, and a process
 * that has it can decrypt everything anyway.
 */
public final class LocalTokens {
  public static final String PREFIX = "local_";
  static final Duration LIFE = Duration.ofMinutes(5);

  private static final Pattern FORM = Pattern.compile(PREFIX + "(\\d{1,12})_([0-9a-f]{64})");
  private static final int MAX_FILE_BYTES = 1024;

  private final Path file;
  private final TimeSource time;

  public LocalTokens(Path file, TimeSource time) {
    this.file = file;
    this.time = time;
  }

  /** A token that is valid for five minutes. */
  public String make() throws IOException {
    long ends = time.nowMs() / 1000 + LIFE.toSeconds();
    return PREFIX + ends + "_" + HexFormat.of().formatHex(signature(ends));
  }

  /** The key of the token; null if it is not a valid token of ours. */
  @Nullable ApiKey authenticate(String token) {
    Matcher parts = FORM.matcher(token);
    if (!parts.matches()) {
      return null;
    }
    long ends = Long.parseLong(parts.group(1));
    long now = time.nowMs() / 1000;
    // A token with a longer lifetime was not issued by us, whatever its signature.
    if (ends <= now || ends > now + 2 * LIFE.toSeconds()) {
      return null;
    }
    try {
      byte[] given = HexFormat.of().parseHex(parts.group(2));
      return MessageDigest.isEqual(signature(ends), given) ? key() : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static ApiKey key() {
    return new ApiKey(
        new ApiKeyId(Id.ZERO),
        Environment.DEFAULT_ID,
        null,
        ApiKey.COMMAND_LINE,
        "",
        ApiKey.Role.FULL,
        Instant.EPOCH,
        null,
        null,
        null,
        null,
        null);
  }

  private byte[] signature(long ends) throws IOException {
    byte[] secret = Files.readAllBytes(file);
    if (secret.length == 0 || secret.length > MAX_FILE_BYTES) {
      throw new IOException(file + " does not contain a master key");
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return mac.doFinal(
          ("postrider local token until " + ends).getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime does not support HMAC-SHA256", e);
    }
  }
}

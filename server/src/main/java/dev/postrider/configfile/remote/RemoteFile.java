package dev.postrider.configfile.remote;

import dev.postrider.config.FileConfig;
import dev.postrider.config.FileLocation;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.HttpResult;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.options.Secret;
import dev.postrider.time.TimeSource;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A configuration file at a URL, with its overlay next to it. */
public final class RemoteFile implements AutoCloseable {
  private static final int VERSION_BYTES = 6;
  private static final Pattern S3_ERROR = Pattern.compile("<Code>([A-Za-z]{1,64})</Code>");

  private final FileLocation.Remote location;
  private final FileLocation.@Nullable Remote overlay;
  private final @Nullable String environment;
  private final @Nullable Secret token;
  private final S3Request s3;
  private final FileClient client;
  private final TimeSource time;

  /**
   * One file as fetched.
   *
   * @param etag null if the server gave none
   */
  record Part(ConfigurationText.Part text, @Nullable String etag) {}

  /**
   * A version of the file.
   *
   * @param version a hash of the content
   */
  record Fetched(Part file, @Nullable Part overlay, ConfigurationText text, String version) {}

  /** The file that the configuration names, which has to be remote. */
  public RemoteFile(FileConfig config, FileLocation.Remote location, TimeSource time) {
    FileConfig.Fetching remote = config.remote();
    this.location = location;
    this.environment = config.overlay().orElse(null);
    this.overlay = environment == null ? null : overlay(location, environment);
    this.token = remote.token().orElse(null);
    this.s3 = new S3Request(remote.s3());
    this.client = new FileClient(remote, time);
    this.time = time;
  }

  private static FileLocation.Remote overlay(FileLocation.Remote file, String environment) {
    String path = file.uri().getRawPath();
    int name = path.lastIndexOf('/') + 1;
    String query = file.uri().getRawQuery();
    return new FileLocation.Remote(
        URI.create(
            file.uri().getScheme()
                + "://"
                + file.uri().getRawAuthority()
                + path.substring(0, name)
                + ConfigurationText.overlayName(path.substring(name), environment)
                + (query == null ? "" : "?" + query)));
  }

  void start() {
    client.start();
  }

  @Override
  public void close() {
    client.close();
  }

  /** The URL as it may be shown. */
  public FileLocation.Remote location() {
    return location;
  }

  @Nullable String environment() {
    return environment;
  }

  /**
   * Fetches what has changed.
   *
   * @param before the version that is known; null for none
   * @return {@code before} itself if nothing has changed
   */
  Fetched fetch(@Nullable Fetched before) throws FetchFailed {
    Part file = fetch(location, before == null ? null : before.file());
    Part over = overlay == null ? null : fetch(overlay, before == null ? null : before.overlay());
    if (before != null && before.file().equals(file) && same(before.overlay(), over)) {
      return before;
    }
    ConfigurationText.Part overText = over == null ? null : over.text();
    ConfigurationText text = new ConfigurationText(file.text(), overText, environment, null);
    return new Fetched(file, over, text, version(text));
  }

  private static boolean same(@Nullable Part one, @Nullable Part other) {
    return one == null ? other == null : one.equals(other);
  }

  private Part fetch(FileLocation.Remote from, @Nullable Part before) throws FetchFailed {
    try {
      return fetched(from, before);
    } catch (FetchFailed e) {
      throw e.of(from);
    }
  }

  private Part fetched(FileLocation.Remote from, @Nullable Part before) throws FetchFailed {
    Target target = client.target(from.isS3() ? s3.url(from) : from.uri().toString());
    HeaderList headers = new HeaderList();
    if (from.isS3()) {
      s3.headers(target, time.now()).forEach(headers::add);
    } else if (token != null) {
      headers.add("Authorization", "Bearer " + token.reveal());
    }
    String etag = before == null ? null : before.etag();
    if (etag != null) {
      headers.addIfSendable("If-None-Match", etag);
    }
    HttpResult.Answered answer = client.get(target, headers);
    if (answer.status() == 304 && before != null) {
      return before;
    }
    if (answer.status() != 200) {
      throw new FetchFailed(refusal(answer));
    }
    if (answer.truncated()) {
      throw new FetchFailed(
          "the response has more than %d bytes, or no length".formatted(FileClient.MAX_BYTES));
    }
    return new Part(
        new ConfigurationText.Part(from.toString(), text(answer.body())), answer.control());
  }

  private static String refusal(HttpResult.Answered answer) {
    String status = "responded with status " + answer.status();
    Matcher code = S3_ERROR.matcher(new String(answer.body(), StandardCharsets.UTF_8));
    String reason = code.find() ? " (" + code.group(1) + ")" : "";
    return status
        + reason
        + switch (answer.status()) {
          case 301, 302, 303, 307, 308 -> "; redirects are not followed, use the final URL";
          case 401, 403 -> "; check the credentials (postrider help config lists the settings)";
          case 404 -> "; check the URL, and --env (POSTRIDER_ENV) if it is that of an overlay";
          default -> "";
        };
  }

  private static String text(byte[] body) throws FetchFailed {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException _) {
      throw new FetchFailed("is not UTF-8 text; save it as UTF-8");
    }
  }

  /** The same for the same content, whatever the ETags are. */
  static String version(ConfigurationText text) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(text.file().text().getBytes(StandardCharsets.UTF_8));
      ConfigurationText.Part overlay = text.overlay();
      if (overlay != null) {
        sha256.update((byte) 0);
        sha256.update(overlay.text().getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(sha256.digest(), 0, VERSION_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not support SHA-256", e);
    }
  }
}

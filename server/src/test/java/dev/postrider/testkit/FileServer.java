package dev.postrider.testkit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files on loopback with ETags, as a web server or an S3-compatible store has them. The store is
 * reached below {@code /bucket} and checks the signature of each request.
 */
public final class FileServer implements AutoCloseable {
  public static final String REGION = "eu-central-1";
  private static final String BUCKET = "/bucket/";

  private final Receiver receiver = new Receiver();
  private final Map<String, String> files = new ConcurrentHashMap<>();
  private volatile Receiver.Answer instead = Receiver.Answer.of(0);

  public FileServer() {
    receiver.behave(this::answer);
  }

  public String url(String path) {
    return receiver.url(path);
  }

  public String endpoint() {
    String url = receiver.url("/");
    return url.substring(0, url.length() - 1);
  }

  public void put(String path, String text) {
    files.put(path, text);
  }

  /** All requests get this answer; one with status 0 gives the files again. */
  public void instead(Receiver.Answer answer) {
    instead = answer;
  }

  public List<Receiver.Request> requests() {
    return receiver.requests();
  }

  private Receiver.Answer answer(Receiver.Request request) throws GeneralSecurityException {
    if (instead.status() != 0) {
      return instead;
    }
    if (request.path().startsWith(BUCKET) && !isSigned(request)) {
      return new Receiver.Answer(
          403, Map.of(), "<Error><Code>SignatureDoesNotMatch</Code></Error>");
    }
    String text = files.get(request.path());
    if (text == null) {
      return Receiver.Answer.of(404);
    }
    String etag =
        "\"" + KmsStandIn.sha256(text.getBytes(StandardCharsets.UTF_8)).substring(0, 8) + "\"";
    return request.header("if-none-match").equals(etag)
        ? new Receiver.Answer(304, Map.of("ETag", etag), "")
        : new Receiver.Answer(200, Map.of("ETag", etag), text);
  }

  private static boolean isSigned(Receiver.Request request) throws GeneralSecurityException {
    return request.header("x-amz-content-sha256").equals(KmsStandIn.sha256(request.body()))
        && request
            .header("authorization")
            .equals(
                KmsStandIn.expectedAuthorization(
                    request, "host;x-amz-content-sha256;x-amz-date", REGION, "s3"));
  }

  @Override
  public void close() {
    receiver.close();
  }
}

package dev.postrider.bench.load;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a request to one application, with the positions of the idempotency key and of the
 * timestamps, which are replaced for each request.
 */
public final class RequestTemplate {
  /** Where the stamp of {@link #payload} begins. */
  public static final int STAMP_AT = "{\"t\":\"".length();

  private static final int COUNTER_DIGITS = 12;
  private static final String FILL = "postrider benchmark payload; ";

  private final byte[] bytes;
  private final int keyAt;
  private final int[] stampsAt;
  private final @Nullable RequestSignature signature;

  private RequestTemplate(
      byte[] bytes, int keyAt, int[] stampsAt, @Nullable RequestSignature signature) {
    this.bytes = bytes;
    this.keyAt = keyAt;
    this.stampsAt = stampsAt;
    this.signature = signature;
  }

  public static RequestTemplate of(LoadPlan plan, String application, String server) {
    return plan.secret().isEmpty()
        ? toApi(plan, application, server)
        : toSource(plan, application, server);
  }

  private static RequestTemplate toApi(LoadPlan plan, String application, String server) {
    String message =
        "{\"eventType\":\""
            + plan.eventType()
            + "\",\"payload\":"
            + payload(plan.payloadBytes())
            + "}";
    String body =
        plan.batch() == 1
            ? message
            : "{\"messages\":["
                + String.join(",", Collections.nCopies(plan.batch(), message))
                + "]}";
    String path = "/api/v1/app/" + application + "/msg" + (plan.batch() == 1 ? "" : "/batch");
    String head =
        head(path, server, body)
            + "Authorization: Bearer "
            + plan.token()
            + "\r\nidempotency-key: "
            + plan.keyPrefix();
    String text = head + "0".repeat(COUNTER_DIGITS) + "\r\n\r\n" + body;
    return new RequestTemplate(
        text.getBytes(StandardCharsets.US_ASCII), head.length(), stamps(text), null);
  }

  /** As GitHub sends it: the body is the payload, signed again for each stamp. */
  private static RequestTemplate toSource(LoadPlan plan, String source, String server) {
    String body = payload(plan.payloadBytes());
    String signed =
        head("/in/" + source, server, body)
            + "X-GitHub-Event: push\r\nX-Hub-Signature-256: sha256=";
    String head =
        signed
            + "0".repeat(RequestSignature.HEX_DIGITS)
            + "\r\nX-GitHub-Delivery: "
            + plan.keyPrefix();
    String text = head + "0".repeat(COUNTER_DIGITS) + "\r\n\r\n" + body;
    return new RequestTemplate(
        text.getBytes(StandardCharsets.US_ASCII),
        head.length(),
        stamps(text),
        RequestSignature.of(plan.secret(), signed.length(), text.length() - body.length()));
  }

  private static String head(String path, String server, String body) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: "
        + server
        + "\r\nContent-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n";
  }

  private static int[] stamps(String text) {
    String marker = "\"t\":\"";
    List<Integer> stamps = new ArrayList<>();
    for (int i = text.indexOf(marker); i >= 0; i = text.indexOf(marker, i + 1)) {
      stamps.add(i + marker.length());
    }
    return stamps.stream().mapToInt(Integer::intValue).toArray();
  }

  /** A JSON object of exactly {@code size} bytes with a stamp at its start. */
  public static String payload(int size) {
    String start = "{\"t\":\"" + "0".repeat(Stamp.DIGITS) + "\",\"fill\":\"";
    int fill = size - start.length() - 2;
    if (fill < 0) {
      throw new IllegalArgumentException(
          "--payload must be at least " + (start.length() + 2) + " bytes");
    }
    return start + FILL.repeat(fill / FILL.length() + 1).substring(0, fill) + "\"}";
  }

  /** The request with this number and send time. Valid until the next call. */
  byte[] patched(long number, long stamp) {
    Stamp.write(bytes, keyAt, COUNTER_DIGITS, number);
    for (int at : stampsAt) {
      Stamp.write(bytes, at, Stamp.DIGITS, stamp);
    }
    if (signature != null) {
      signature.write(bytes);
    }
    return bytes;
  }
}

package dev.postrider.cli.remote;

import java.util.List;

/** Thrown when the server rejected the request; the message contains the reason and the fix. */
public final class CallRefused extends RuntimeException {
  /**
   * One error of the response.
   *
   * @param where the field; empty if the error is about the whole request
   */
  public record Detail(String where, String text) {}

  private final int status;
  private final transient List<Detail> details;

  public CallRefused(int status, String fix, List<Detail> details) {
    super(text(fix, details));
    this.status = status;
    this.details = List.copyOf(details);
  }

  private static String text(String fix, List<Detail> details) {
    StringBuilder text = new StringBuilder(fix);
    for (Detail detail : details) {
      text.append(text.charAt(text.length() - 1) == ' ' ? "" : " ");
      text.append(detail.where().isEmpty() ? "" : detail.where() + ": ").append(detail.text());
      text.append(detail.text().endsWith(".") ? "" : ".");
    }
    return text.toString();
  }

  public int status() {
    return status;
  }

  public List<Detail> details() {
    return details;
  }
}

package dev.postrider.inbound.request;

import org.jspecify.annotations.Nullable;

/** Extracts a text from a request: a header, a field, or the result of an expression. */
@FunctionalInterface
public interface Extractor {

  /** Null if the request has none; never throws because of the content of a request. */
  @Nullable String extract(InboundRequest request);

  /** The text of the other where this one finds none. */
  default Extractor or(Extractor other) {
    return request -> {
      String found = extract(request);
      return found == null ? other.extract(request) : found;
    };
  }

  /** This text, followed by the separator and the text of the other if there is one. */
  default Extractor then(String separator, Extractor other) {
    return request -> {
      String found = extract(request);
      String more = found == null ? null : other.extract(request);
      return more == null ? found : found + separator + more;
    };
  }

  /**
   * For requests that share this text: the text and a hash of the body. Retries send the same
   * bytes.
   */
  default Extractor withBodyHash() {
    return request -> {
      String found = extract(request);
      return found == null ? null : found + " " + Sha256.text(request.body());
    };
  }

  /** The header's first value. */
  static Extractor header(String name) {
    return request -> blankToNull(request.headers().first(name));
  }

  /** A field of a JSON body by its path; {@code 0} is the first element of a list. */
  static Extractor field(String... path) {
    return request -> blankToNull(JsonBody.text(request.body(), path));
  }

  /** The same, or a field of a form: its name is the whole path. */
  static Extractor fieldOrForm(String... path) {
    Extractor json = field(path);
    String name = String.join(".", path);
    return request -> {
      FormFields form = FormFields.of(request);
      String found = form == null ? null : blankToNull(form.first(name));
      return found == null ? json.extract(request) : found;
    };
  }

  static Extractor fixed(String text) {
    return _ -> text;
  }

  private static @Nullable String blankToNull(@Nullable String text) {
    return text == null || text.isBlank() ? null : text.strip();
  }
}

package dev.postrider.inbound;

/** CloudEvents over HTTP: attributes as {@code ce-} headers, or the whole event as JSON. */
final class CloudEvents {
  private static final String STRUCTURED = "application/cloudevents+json";

  private CloudEvents() {}

  static Extractor structured(String attribute) {
    Extractor field = Extractor.field(attribute);
    return request -> request.mediaType().equals(STRUCTURED) ? field.extract(request) : null;
  }

  /** Unique per event by the specification: source and id together. */
  static Extractor identity() {
    Extractor binary = Extractor.header("ce-source").then("#", Extractor.header("ce-id"));
    Extractor structured = structured("source").then("#", structured("id"));
    return request -> {
      if (request.header("ce-id") != null) {
        return binary.extract(request);
      }
      return structured("id").extract(request) == null ? null : structured.extract(request);
    };
  }
}

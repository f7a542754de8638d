package dev.postrider.api.http.connection;

import io.helidon.http.Headers;
import io.helidon.http.encoding.ContentDecoder;
import io.helidon.http.encoding.ContentEncoder;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.encoding.ContentEncodingContextConfig;

/**
 * Passes bodies unchanged, compressed or not: signatures cover the received bytes, and each handler
 * rejects encodings with its own error. Responses are compressed before they get here.
 */
public final class PlainBodies implements ContentEncodingContext {
  private final ContentEncodingContextConfig config =
      ContentEncodingContextConfig.builder()
          .contentEncodingsDiscoverServices(false)
          .buildPrototype();

  @Override
  public ContentEncodingContextConfig prototype() {
    return config;
  }

  @Override
  public boolean contentEncodingEnabled() {
    return false;
  }

  @Override
  public boolean contentDecodingEnabled() {
    return true;
  }

  @Override
  public boolean contentEncodingSupported(String encodingId) {
    return false;
  }

  @Override
  public boolean contentDecodingSupported(String encodingId) {
    return true;
  }

  @Override
  public ContentEncoder encoder(String encodingId) {
    return ContentEncoder.NO_OP;
  }

  @Override
  public ContentDecoder decoder(String encodingId) {
    return ContentDecoder.NO_OP;
  }

  @Override
  public ContentEncoder encoder(Headers headers) {
    return ContentEncoder.NO_OP;
  }
}

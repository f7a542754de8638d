package dev.postrider.inbound;

import dev.postrider.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The response of the gateway.
 *
 * @param closes the request was not read completely, so the connection cannot be reused
 */
@SuppressWarnings("ArrayRecordComponent") // sent once
public record InboundResponse(
    int status, Map<String, String> headers, byte[] body, boolean closes) {

  static InboundResponse error(int status, String code, String detail) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("code", code);
    fields.put("detail", detail);
    return new InboundResponse(
        status,
        Map.of("Content-Type", "application/json"),
        Json.write(fields).getBytes(StandardCharsets.UTF_8),
        false);
  }

  InboundResponse with(String header, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(header, value);
    return new InboundResponse(status, all, body, closes);
  }

  InboundResponse closing() {
    return new InboundResponse(status, headers, body, true);
  }
}

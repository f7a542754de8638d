package dev.postrider.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.testkit.OnEachDatabase;
import dev.postrider.testkit.api.CallsBehaviour;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compressed responses. */
@Timeout(120)
@OnEachDatabase
final class CompressionTest extends CallsBehaviour {
  private static final String LIST = "/api/v1/app";

  /** A list that is long enough. */
  @BeforeEach
  void fill() {
    String metadata = "\"metadata\":{\"text\":\"" + "x".repeat(3_000) + "\"}";
    expect(201, "POST", LIST, "{\"name\":\"Acme\",\"uid\":\"acme\"," + metadata + "}");
  }

  private HttpResponse<byte[]> call(String method, String path, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api.server.port() + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + api.token);
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return api.client.send(request.build(), BodyHandlers.ofByteArray());
  }

  private static boolean isPacked(HttpResponse<byte[]> answer) {
    return answer.headers().firstValue("content-encoding").orElse("").equals("gzip");
  }

  private static boolean varies(HttpResponse<byte[]> answer) {
    return answer.headers().firstValue("vary").orElse("").equalsIgnoreCase("accept-encoding");
  }

  private static String unpacked(HttpResponse<byte[]> answer) throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aLongListIsCompressedForThoseWhoAcceptIt() throws Exception {
    HttpResponse<byte[]> plain = call("GET", LIST, "");
    HttpResponse<byte[]> packed = call("GET", LIST, "", "Accept-Encoding", "gzip");
    assertThat(isPacked(plain)).isFalse();
    assertThat(isPacked(packed)).isTrue();
    assertThat(varies(plain) && varies(packed)).as("a cache keeps them apart").isTrue();
    assertThat(unpacked(packed)).isEqualTo(new String(plain.body(), StandardCharsets.UTF_8));
    assertThat(packed.body().length).isLessThan(plain.body().length / 4);
    assertThat(packed.headers().firstValueAsLong("content-length").orElse(0))
        .isEqualTo(packed.body().length);
    HttpResponse<byte[]> head = call("HEAD", LIST, "", "Accept-Encoding", "gzip");
    assertThat(isPacked(head)).isTrue();
    assertThat(head.body()).isEmpty();
    assertThat(isPacked(call("GET", "/openapi.json", "", "Accept-Encoding", "br, gzip"))).isTrue();
    assertThat(isPacked(call("GET", "/docs/page.js", "", "Accept-Encoding", "gzip"))).isTrue();
  }

  @Test
  void shortResponsesErrorsAndChangesAreNot() throws Exception {
    HttpResponse<byte[]> small = call("GET", "/api/v1/event-type", "", "Accept-Encoding", "gzip");
    assertThat(isPacked(small)).isFalse();
    String body = "{\"name\":\"B\",\"metadata\":{\"text\":\"" + "x".repeat(3_000) + "\"}}";
    HttpResponse<byte[]> created = call("POST", LIST, body, "Accept-Encoding", "gzip");
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.body().length).isGreaterThan(Compression.MIN_BYTES);
    assertThat(isPacked(created)).isFalse();
  }

  @Test
  void whenTooManyAreCompressedAtOnceAResponseIsSentAsItIs() {
    byte[] body = "x".repeat(Compression.MIN_BYTES).getBytes(StandardCharsets.UTF_8);
    assertThat(new Compression(0).packedIfFree(body)).isNull();
    Compression one = new Compression(1);
    assertThat(one.packedIfFree(body)).isNotNull();
    assertThat(one.packedIfFree(body)).as("the place is free again").isNotNull();
  }

  @Test
  void theWeightsOfTheHeaderCount() {
    for (String header :
        List.of(
            "gzip", "GZIP", "br, gzip;q=0.5", "gzip;q=1.0", "*", "br;q=1, *;q=0.1", "gzip;q=1")) {
      assertThat(Compression.acceptsGzip(header)).as(header).isTrue();
    }
    for (String header :
        List.of(
            "",
            ",,;;=",
            "br",
            "x-gzip",
            "identity",
            "gzip;q=0",
            "gzip;q=0.000",
            "gzip;q=",
            "gzip;q=-1",
            "gzip;q=9",
            "gzip;q=0.00001",
            "*;q=0",
            "*, gzip;q=0",
            "gzip\t;q=0",
            "gzip;".repeat(1_000) + "q=0")) {
      assertThat(Compression.acceptsGzip(header)).as(header).isFalse();
    }
  }
}

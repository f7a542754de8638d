package dev.postrider.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HttpScanTest {
  private final HttpScan scan = new HttpScan();

  private boolean scan(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return scan.scan(bytes, 0, bytes.length);
  }

  @Test
  void findsTheEndByLength() {
    String message = "HTTP/1.1 202 Accepted\r\nX: y\r\nContent-LENGTH: 4\r\n\r\nbody";

    assertThat(scan(message + "more")).isTrue();
    assertThat(scan.end()).isEqualTo(message.length());
    assertThat(scan.bodyStart()).isEqualTo(message.length() - 4);
    assertThat(scan(message.substring(0, message.length() - 1))).isFalse();
    assertThat(scan("HTTP/1.1 202 Accepted\r\nContent-")).isFalse();
  }

  @Test
  void findsTheEndOfChunksAndOfABodylessAnswer() {
    String chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab0\r\n0\r\n\r\n";

    assertThat(scan(chunked)).isTrue();
    assertThat(scan.end()).isEqualTo(chunked.length());
    assertThat(scan(chunked.substring(0, chunked.length() - 2))).isFalse();
    assertThat(scan("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")).isTrue();
    assertThat(scan.closes()).isTrue();
  }

  @Test
  void stampsSurviveTheWay() {
    byte[] payload = RequestTemplate.payload(500).getBytes(StandardCharsets.US_ASCII);
    Stamp.write(payload, RequestTemplate.STAMP_AT, Stamp.DIGITS, 123_456_789_012L);

    assertThat(payload).hasSize(500);
    assertThat(Stamp.read(payload, 0, payload.length)).isEqualTo(123_456_789_012L);
    assertThat(Stamp.read("{\"other\":1}".getBytes(StandardCharsets.US_ASCII), 0, 11)).isZero();
  }
}

package dev.postrider.crypto.kms;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The worked examples of AWS's own documentation and test suite. */
class AwsSignatureTest {
  private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  private static final AwsCredentials WHO = new AwsCredentials("AKIDEXAMPLE", SECRET, null);
  private static final Instant THEN = Instant.parse("2015-08-30T12:36:00Z");

  @Test
  void theKeyOfADayRegionAndService() throws Exception {
    assertThat(
            HexFormat.of().formatHex(new AwsSignature("us-east-1", "iam").key(SECRET, "20150830")))
        .isEqualTo("c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
  }

  @Test
  void theListUsersExample() throws Exception {
    SortedMap<String, String> signed =
        new AwsSignature("us-east-1", "iam")
            .signed(
                new AwsSignature.Request(
                    "GET",
                    "/",
                    "Action=ListUsers&Version=2010-05-08",
                    new TreeMap<>(
                        Map.of(
                            "content-type",
                            "application/x-www-form-urlencoded; charset=utf-8",
                            "host",
                            "iam.amazonaws.com")),
                    new byte[0]),
                WHO,
                THEN);
    assertThat(signed.get("x-amz-date")).isEqualTo("20150830T123600Z");
    assertThat(signed.get("authorization"))
        .isEqualTo(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
  }

  @Test
  void postVanillaOfTheTestSuite() throws Exception {
    SortedMap<String, String> signed =
        new AwsSignature("us-east-1", "service")
            .signed(
                new AwsSignature.Request(
                    "POST",
                    "/",
                    "",
                    new TreeMap<>(Map.of("host", "example.amazonaws.com")),
                    new byte[0]),
                WHO,
                THEN);
    assertThat(signed.get("authorization"))
        .endsWith("Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  }
}

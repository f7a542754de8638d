package dev.postrider.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.testkit.KmsStandIn;
import dev.postrider.testkit.ManualTime;
import dev.postrider.testkit.Receiver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each key management service wraps and unwraps, refuses what is wrong, and may be away. */
class KmsMasterKeyTest {
  private static final byte[] DATA_KEY =
      "a data key of 32 bytes, or nearly".getBytes(StandardCharsets.UTF_8);
  private static final byte[] CONTEXT = {1, 2, 3};

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private KmsStandIn kms;

  /** How each is named and reached. */
  enum Service {
    AWS("aws-kms://" + KmsStandIn.ARN),
    GCP("gcp-kms://" + KmsStandIn.GCP_KEY),
    VAULT("vault://transit/postrider");

    private final String uri;

    Service(String uri) {
      this.uri = uri;
    }
  }

  @BeforeEach
  void open() throws Exception {
    kms = new KmsStandIn();
  }

  @AfterEach
  void close() {
    kms.close();
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("AWS_ENDPOINT_URL_KMS", kms.url());
    environment.put("AWS_ACCESS_KEY_ID", KmsStandIn.ACCESS_KEY);
    environment.put("AWS_SECRET_ACCESS_KEY", KmsStandIn.SECRET_KEY);
    environment.put("GCE_METADATA_HOST", kms.host());
    environment.put("CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS", kms.url() + "/");
    environment.put("VAULT_ADDR", kms.url());
    environment.put("VAULT_TOKEN", KmsStandIn.TOKEN);
    return environment;
  }

  private MasterKey key(Service service, Map<String, String> environment) {
    return KmsMasterKey.of(service.uri, environment, time);
  }

  @ParameterizedTest
  @EnumSource
  void wrapsAndUnwraps(Service service) {
    byte[] wrapped = key(service, environment()).wrap(DATA_KEY, CONTEXT);

    assertThat(new String(wrapped, StandardCharsets.ISO_8859_1)).doesNotContain("data key");
    assertThat(key(service, environment()).unwrap(wrapped, CONTEXT)).isEqualTo(DATA_KEY);
  }

  @ParameterizedTest
  @EnumSource
  void aWrongContextIsFinal(Service service) {
    MasterKey key = key(service, environment());
    byte[] wrapped = key.wrap(DATA_KEY, CONTEXT);

    assertThatThrownBy(() -> key.unwrap(wrapped, new byte[] {9}))
        .isInstanceOf(SecretUnreadable.class);
  }

  @ParameterizedTest
  @EnumSource
  void anAbsentServiceIsWaitedFor(Service service) {
    MasterKey key = key(service, environment());
    byte[] wrapped = key.wrap(DATA_KEY, CONTEXT);

    kms.away(true);
    assertThatThrownBy(() -> key.unwrap(wrapped, CONTEXT)).isInstanceOf(MasterKeyUnavailable.class);
    kms.away(false);
    assertThat(key.unwrap(wrapped, CONTEXT)).isEqualTo(DATA_KEY);
    kms.close();
    assertThatThrownBy(() -> key.unwrap(wrapped, CONTEXT)).isInstanceOf(MasterKeyUnavailable.class);
  }

  /** Someone takes a permission away: that heals too, and does not end a delivery. */
  @ParameterizedTest
  @EnumSource
  void aMissingPermissionIsWaitedFor(Service service) {
    Map<String, String> stranger = environment();
    stranger.put("AWS_SECRET_ACCESS_KEY", "another");
    stranger.put("VAULT_TOKEN", "another");
    byte[] wrapped = key(service, environment()).wrap(DATA_KEY, CONTEXT);
    if (service == Service.GCP) {
      kms.receiver().behave(request -> Receiver.Answer.of(403));
    }

    assertThatThrownBy(() -> key(service, stranger).unwrap(wrapped, CONTEXT))
        .isInstanceOf(MasterKeyUnavailable.class);
  }

  @ParameterizedTest
  @EnumSource
  void errorsContainNoSecret(Service service) {
    MasterKey key = key(service, environment());
    kms.close();

    assertThat(key.toString()).doesNotContain(KmsStandIn.TOKEN, KmsStandIn.SECRET_KEY);
    assertThatThrownBy(() -> key.wrap(DATA_KEY, CONTEXT))
        .hasMessageNotContainingAny(KmsStandIn.TOKEN, KmsStandIn.SECRET_KEY)
        .rootCause()
        .hasMessageNotContainingAny(KmsStandIn.TOKEN, KmsStandIn.SECRET_KEY);
  }

  @Test
  void aContainersRoleSignsAndIsAskedForOnce() {
    Map<String, String> environment = environment();
    environment.remove("AWS_ACCESS_KEY_ID");
    environment.remove("AWS_SECRET_ACCESS_KEY");
    environment.put("AWS_CONTAINER_CREDENTIALS_FULL_URI", kms.url() + "/credentials");
    MasterKey key = key(Service.AWS, environment);

    assertThat(key.unwrap(key.wrap(DATA_KEY, CONTEXT), CONTEXT)).isEqualTo(DATA_KEY);
    assertThat(kms.tokens()).isEqualTo(1);
  }

  @Test
  void googlesTokenIsKeptUntilItEnds() {
    MasterKey key = key(Service.GCP, environment());
    byte[] wrapped = key.wrap(DATA_KEY, CONTEXT);
    key.unwrap(wrapped, CONTEXT);
    assertThat(kms.tokens()).isEqualTo(1);

    time.advance(Duration.ofHours(1));
    key.unwrap(wrapped, CONTEXT);
    assertThat(kms.tokens()).isEqualTo(2);
  }

  @Test
  void vaultsTokenFileIsReadAtEachCall() throws Exception {
    Path file = folder.resolve("token");
    Files.writeString(file, "expired\n");
    Map<String, String> environment = environment();
    environment.put("VAULT_TOKEN_FILE", file.toString());
    MasterKey key = key(Service.VAULT, environment);
    assertThatThrownBy(() -> key.wrap(DATA_KEY, CONTEXT)).isInstanceOf(MasterKeyUnavailable.class);

    Files.writeString(file, KmsStandIn.TOKEN + "\n");
    assertThat(key.unwrap(key.wrap(DATA_KEY, CONTEXT), CONTEXT)).isEqualTo(DATA_KEY);
  }
}

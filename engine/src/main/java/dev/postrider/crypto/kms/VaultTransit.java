package dev.postrider.crypto.kms;

import com.google.crypto.tink.Aead;
import dev.postrider.json.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import tools.jackson.databind.node.ObjectNode;

/** A key of a transit engine of Vault: {@code vault://MOUNT/KEY}, of the type aes256-gcm96. */
public final class VaultTransit implements Aead {
  public static final String SCHEME = "vault://";

  /** Vault's own default. */
  private static final String DEFAULT_ADDRESS = "https://127.0.0.1:8200";

  private static final Pattern NAME = Pattern.compile("([A-Za-z0-9_/-]+)/([A-Za-z0-9_.-]+)");

  private final String mount;
  private final String key;
  private final Map<String, String> environment;
  private final JsonCall http;

  private VaultTransit(String mount, String key, Map<String, String> environment, JsonCall http) {
    this.mount = mount;
    this.key = key;
    this.environment = environment;
    this.http = http;
  }

  /**
   * @param environment {@code VAULT_ADDR}, {@code VAULT_NAMESPACE}, and {@code VAULT_TOKEN} or
   *     {@code VAULT_TOKEN_FILE}, which is read at each call, since an agent renews it
   */
  public static VaultTransit of(String uri, Map<String, String> environment) {
    Matcher parts = NAME.matcher(uri.substring(SCHEME.length()));
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "master key " + uri + ": must be vault://MOUNT/KEY, such as vault://transit/postrider");
    }
    return new VaultTransit(parts.group(1), parts.group(2), environment, JsonCall.create());
  }

  @Override
  public byte[] encrypt(byte[] plaintext, byte[] context) throws GeneralSecurityException {
    JsonCall.Answer answer =
        call("encrypt", "plaintext", Base64.getEncoder().encodeToString(plaintext), context);
    if (!answer.ok()) {
      throw answer.refusal();
    }
    return answer.text("data", "ciphertext").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] decrypt(byte[] ciphertext, byte[] context) throws GeneralSecurityException {
    String text = new String(ciphertext, StandardCharsets.UTF_8);
    JsonCall.Answer answer = call("decrypt", "ciphertext", text, context);
    if (answer.status() == 400) {
      throw new AEADBadTagException("Vault: " + answer.refusal().getMessage());
    }
    if (!answer.ok()) {
      throw answer.refusal();
    }
    return answer.bytes("data", "plaintext");
  }

  private JsonCall.Answer call(String operation, String field, String value, byte[] context)
      throws GeneralSecurityException {
    ObjectNode request = Json.MAPPER.createObjectNode();
    request.put(field, value);
    request.put("associated_data", Base64.getEncoder().encodeToString(context));
    String address = environment.getOrDefault("VAULT_ADDR", DEFAULT_ADDRESS);
    URI uri =
        URI.create(address.replaceFirst("/+$", "") + "/v1/" + mount + "/" + operation + "/" + key);
    return http.post(
        new ServiceAddress(uri, true), headers(), Json.MAPPER.writeValueAsBytes(request));
  }

  private Map<String, String> headers() throws GeneralSecurityException {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/json");
    headers.put("X-Vault-Request", "true");
    headers.put("X-Vault-Token", token());
    String namespace = environment.get("VAULT_NAMESPACE");
    if (namespace != null) {
      headers.put("X-Vault-Namespace", namespace);
    }
    return headers;
  }

  private String token() throws GeneralSecurityException {
    String file = environment.get("VAULT_TOKEN_FILE");
    String token = environment.get("VAULT_TOKEN");
    if (file != null) {
      try {
        return Files.readString(Path.of(file)).strip();
      } catch (IOException e) {
        throw new GeneralSecurityException("cannot read VAULT_TOKEN_FILE " + file, e);
      }
    }
    if (token == null) {
      throw new GeneralSecurityException(
          "no Vault token: set VAULT_TOKEN, or set VAULT_TOKEN_FILE to a file that contains one");
    }
    return token;
  }
}

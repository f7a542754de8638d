package dev.postrider.crypto.kms;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Credentials for calls to AWS, or to a service with the same signature. */
public record AwsCredentials(String accessKey, String secretKey, @Nullable String sessionToken) {
  @Override
  public String toString() {
    return "AwsCredentials[" + accessKey + "]";
  }

  /**
   * The source of credentials: the variables {@code AWS_ACCESS_KEY_ID} and so on, or the URL that
   * ECS and EKS give a container, which returns short-lived ones.
   */
  public static final class Source {
    private static final String CONTAINER_HOST = "http://169.254.170.2";

    /** Refreshed this long before they expire. */
    private static final Duration EARLY = Duration.ofMinutes(5);

    private final Map<String, String> environment;
    private final JsonCall http;
    private @Nullable AwsCredentials fetched;
    private Instant fetchedUntil = Instant.MIN;

    Source(Map<String, String> environment, JsonCall http) {
      this.environment = environment;
      this.http = http;
    }

    public static Source of(Map<String, String> environment) {
      return new Source(environment, JsonCall.create());
    }

    public synchronized AwsCredentials get(Instant now) throws GeneralSecurityException {
      String accessKey = environment.get("AWS_ACCESS_KEY_ID");
      String secretKey = environment.get("AWS_SECRET_ACCESS_KEY");
      if (accessKey != null && secretKey != null) {
        return new AwsCredentials(accessKey, secretKey, environment.get("AWS_SESSION_TOKEN"));
      }
      AwsCredentials known = fetched;
      if (known != null && now.isBefore(fetchedUntil)) {
        return known;
      }
      JsonCall.Answer answer = http.get(containerAddress(), authorization());
      if (!answer.ok()) {
        throw answer.refusal();
      }
      AwsCredentials fresh =
          new AwsCredentials(
              answer.text("AccessKeyId"), answer.text("SecretAccessKey"), answer.text("Token"));
      fetched = fresh;
      fetchedUntil = end(answer.text("Expiration")).minus(EARLY);
      return fresh;
    }

    private ServiceAddress containerAddress() throws GeneralSecurityException {
      String full = environment.get("AWS_CONTAINER_CREDENTIALS_FULL_URI");
      String relative = environment.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
      if (full == null && relative == null) {
        throw new GeneralSecurityException(
            "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the container a role");
      }
      return full != null
          ? new ServiceAddress(URI.create(full), true)
          : new ServiceAddress(URI.create(CONTAINER_HOST + relative), false);
    }

    private Map<String, String> authorization() throws GeneralSecurityException {
      String file = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
      String token = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN");
      if (file != null) {
        try {
          token = Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
          throw new GeneralSecurityException(
              "cannot read AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE " + file, e);
        }
      }
      return token == null ? Map.of() : Map.of("Authorization", token);
    }

    private static Instant end(String text) throws GeneralSecurityException {
      try {
        return Instant.parse(text);
      } catch (DateTimeParseException e) {
        throw new GeneralSecurityException(
            "the AWS credentials have no expiration time that can be parsed", e);
      }
    }
  }
}

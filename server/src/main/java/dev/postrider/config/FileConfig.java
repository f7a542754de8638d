package dev.postrider.config;

import dev.postrider.options.EgressProxyOptions;
import dev.postrider.options.Secret;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings that locate the configuration file and its overlay.
 *
 * @param location absent: no file; the command line names {@code ./postrider.yaml} if there is one
 * @param overlay name of the overlay, such as {@code staging}
 * @param variables environment variables that {@code ${…}} in the file may use
 * @param remote how a file that is not on this machine is fetched
 */
public record FileConfig(
    Optional<FileLocation> location,
    Optional<String> overlay,
    Map<String, String> variables,
    Fetching remote) {
  public static final Path DEFAULT = Path.of("postrider.yaml");

  public FileConfig {
    variables = Map.copyOf(variables);
  }

  static FileConfig from(Values values, Map<String, String> environment) {
    return new FileConfig(
        values.get(ServerSettings.CONFIG),
        values.get(ServerSettings.ENV),
        environment,
        Fetching.from(values, environment));
  }

  /**
   * Without what the file itself sets.
   *
   * @throws ConfigException with every problem that was found
   */
  public static FileConfig of(Map<String, String> environment, Map<String, String> flags) {
    return from(Values.resolve(environment, flags, Map.of()), environment);
  }

  /**
   * Parses the value of {@code --config}.
   *
   * @throws ConfigException if it is not valid
   */
  public static FileLocation location(String text) {
    return ServerSettings.CONFIG.parse(text).orElseThrow();
  }

  public FileConfig withVariables(Map<String, String> others) {
    return new FileConfig(location, overlay, others, remote);
  }

  /** The variables are not a setting; only the other fields are compared. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FileConfig that
        && location.equals(that.location)
        && overlay.equals(that.overlay)
        && remote.equals(that.remote);
  }

  @Override
  public int hashCode() {
    return Objects.hash(location, overlay, remote);
  }

  /** Without the variables, some of which are secrets. */
  @Override
  public String toString() {
    return "FileConfig[" + location + ", " + overlay + "]";
  }

  /**
   * How a configuration file is fetched. It does not depend on what the file itself sets.
   *
   * @param pollInterval absent: only at start and on a signal
   * @param allowTargets networks that are not public and may be connected to
   * @param token sent as a bearer token
   * @param folder the data folder, for the copy of the last version that was applied
   */
  public record Fetching(
      Optional<Duration> pollInterval,
      List<String> allowTargets,
      Optional<Secret> token,
      S3 s3,
      Optional<EgressProxyOptions> proxy,
      List<String> noProxy,
      Path folder) {
    private static final List<String> LOOPBACK = List.of("127.0.0.0/8", "::1/128");

    public Fetching {
      allowTargets = List.copyOf(allowTargets);
      noProxy = List.copyOf(noProxy);
    }

    /**
     * The store of an {@code s3://} file.
     *
     * @param endpoint absent: AWS
     * @param credentials as the variables that the tools of AWS use
     */
    public record S3(Optional<URI> endpoint, String region, Map<String, Secret> credentials) {
      private static final String ACCESS_KEY = "AWS_ACCESS_KEY_ID";
      private static final String SECRET_KEY = "AWS_SECRET_ACCESS_KEY";
      private static final String DEFAULT_REGION = "us-east-1";

      public S3 {
        credentials = Map.copyOf(credentials);
      }

      static S3 from(Values values, Map<String, Secret> aws) {
        Optional<Secret> id = values.get(ServerSettings.CONFIG_S3_ACCESS_KEY);
        Optional<Secret> secret = values.get(ServerSettings.CONFIG_S3_SECRET_KEY);
        if (id.isPresent() != secret.isPresent()) {
          throw new ConfigException(
              "Only one of "
                  + ServerSettings.CONFIG_S3_ACCESS_KEY.variable()
                  + " and "
                  + ServerSettings.CONFIG_S3_SECRET_KEY.variable()
                  + " is set: set both, or neither.");
        }
        String region =
            values
                .get(ServerSettings.CONFIG_S3_REGION)
                .or(() -> text(aws, "AWS_REGION"))
                .or(() -> text(aws, "AWS_DEFAULT_REGION"))
                .orElse(DEFAULT_REGION);
        return new S3(
            values.get(ServerSettings.CONFIG_S3_ENDPOINT),
            region,
            id.isPresent() && secret.isPresent()
                ? Map.of(ACCESS_KEY, id.get(), SECRET_KEY, secret.get())
                : aws);
      }

      private static Optional<String> text(Map<String, Secret> aws, String name) {
        return Optional.ofNullable(aws.get(name)).map(Secret::reveal);
      }
    }

    static Fetching from(Values values, Map<String, String> environment) {
      List<String> allowed = new ArrayList<>(LOOPBACK);
      allowed.addAll(values.get(ServerSettings.ALLOW_TARGETS));
      allowed.addAll(values.get(ServerSettings.CONFIG_ALLOW_TARGETS));
      return new Fetching(
          values.get(ServerSettings.CONFIG_POLL_INTERVAL),
          allowed,
          values.get(ServerSettings.CONFIG_TOKEN),
          S3.from(values, SecurityConfig.secrets(environment, List.of("AWS_"))),
          values.get(EngineSettings.EGRESS_PROXY),
          values.get(EngineSettings.EGRESS_NO_PROXY),
          values.get(ServerSettings.DATA_DIR));
    }
  }
}

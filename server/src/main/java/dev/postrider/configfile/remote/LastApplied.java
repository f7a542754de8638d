package dev.postrider.configfile.remote;

import dev.postrider.config.FileConfig;
import dev.postrider.config.FileLocation;
import dev.postrider.configfile.ConfigurationText;
import dev.postrider.json.Json;
import dev.postrider.storage.DataFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The copy of the last version of a remote file that was applied, in the data folder. Its variables
 * are not replaced. Only the owner of the folder can read it.
 */
public final class LastApplied {
  static final String FILE_NAME = "last-configuration.json";

  private final Path file;
  private final String location;
  private final @Nullable String environment;

  public LastApplied(FileConfig config, FileLocation.Remote location) {
    this.file = config.remote().folder().resolve(FILE_NAME);
    this.location = location.toString();
    this.environment = config.overlay().orElse(null);
  }

  /** A version, and when it was applied. */
  public record Copy(ConfigurationText text, String version, long appliedAtMs) {}

  /** The copy of the same file with the same overlay, if there is one that can be read. */
  public Optional<Copy> read() {
    try {
      if (Files.notExists(file)) {
        return Optional.empty();
      }
      JsonNode json = Json.MAPPER.readTree(Files.readAllBytes(file));
      if (!json.path("location").asString("").equals(location)
          || !json.path("environment")
              .asString("")
              .equals(environment == null ? "" : environment)) {
        return Optional.empty();
      }
      ConfigurationText text =
          new ConfigurationText(
              part(json.path("file")),
              environment == null ? null : part(json.path("overlay")),
              environment,
              null);
      return Optional.of(new Copy(text, RemoteFile.version(text), json.path("appliedAt").asLong()));
    } catch (IOException | JacksonException e) {
      return Optional.empty();
    }
  }

  private static ConfigurationText.Part part(JsonNode json) {
    return new ConfigurationText.Part(
        json.path("name").stringValue(), json.path("text").stringValue());
  }

  /** Replaces the copy in one step. */
  void write(ConfigurationText text, long nowMs) throws IOException {
    ObjectNode json = Json.MAPPER.createObjectNode();
    json.put("location", location);
    json.put("environment", environment == null ? "" : environment);
    json.put("appliedAt", nowMs);
    put(json.putObject("file"), text.file());
    ConfigurationText.Part overlay = text.overlay();
    if (overlay != null) {
      put(json.putObject("overlay"), overlay);
    }
    DataFolder.replace(file, json.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void put(ObjectNode json, ConfigurationText.Part part) {
    json.put("name", part.name()).put("text", part.text());
  }
}

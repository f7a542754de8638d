package dev.postrider.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The location of the configuration file: on this machine, at a URL, or in an S3-compatible store.
 */
public sealed interface FileLocation {
  String FORM = "a YAML file, or an https://, http:// or s3:// URL of one";

  /** A file of this machine. */
  record Local(Path path) implements FileLocation {
    @Override
    public String fileName() {
      return String.valueOf(path.getFileName());
    }

    @Override
    public String toString() {
      return path.toString();
    }
  }

  /**
   * A file that is fetched.
   *
   * @param uri {@code https}, {@code http} or {@code s3}; its path ends with the name of the file
   */
  record Remote(URI uri) implements FileLocation {
    @Override
    public String fileName() {
      String path = uri.getPath();
      return path.substring(path.lastIndexOf('/') + 1);
    }

    public boolean isS3() {
      return "s3".equals(uri.getScheme());
    }

    /** Without the query, which may contain a secret. */
    @Override
    public String toString() {
      return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
    }
  }

  /** The name without folders: the owner of what the file creates. */
  String fileName();

  /**
   * Parses a path or a URL.
   *
   * @throws IllegalArgumentException with the problem and the fix
   */
  static FileLocation parse(String text) {
    if (text.contains("://")) {
      return remote(text);
    }
    try {
      return new Local(Path.of(text));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("must be " + FORM + ".", e);
    }
  }

  private static Remote remote(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("is not a valid URL: percent-encode special characters.");
    }
    String scheme = uri.getScheme();
    switch (scheme) {
      case "http", "https", "s3" -> {}
      case "gs" ->
          throw new IllegalArgumentException(
              "cannot use gs://: use s3:// with"
                  + " POSTRIDER_CONFIG_S3_ENDPOINT=https://storage.googleapis.com and an HMAC"
                  + " key.");
      default ->
          throw new IllegalArgumentException(
              "cannot use %s://: use https://, http:// or s3://.".formatted(scheme));
    }
    String path = uri.getPath();
    if (uri.getRawAuthority() == null
        || path == null
        || path.length() < 2
        || path.endsWith("/")
        || uri.getRawFragment() != null
        || (scheme.equals("s3") && uri.getRawQuery() != null)) {
      throw new IllegalArgumentException(
          "must end with the name of a file, such as https://config.example.com/postrider.yaml or"
              + " s3://bucket/postrider.yaml.");
    }
    if (uri.getRawAuthority().contains("@")) {
      throw new IllegalArgumentException(
          "contains a user or password: remove it, and set POSTRIDER_CONFIG_TOKEN instead.");
    }
    return new Remote(uri);
  }
}

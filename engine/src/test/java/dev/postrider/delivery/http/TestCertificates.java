package dev.postrider.delivery.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate authority of the test's own, made with the JDK's keytool, and certificates from it.
 */
final class TestCertificates {
  private static final String PASSWORD = "changeit";

  private final Path folder;

  TestCertificates(Path folder) throws Exception {
    this.folder = folder;
    keytool(
        "-genkeypair",
        "-alias",
        "ca",
        "-keyalg",
        "EC",
        "-keystore",
        file("ca.p12"),
        "-dname",
        "CN=Test CA",
        "-ext",
        "bc:c",
        "-validity",
        "30");
    keytool("-exportcert", "-alias", "ca", "-keystore", file("ca.p12"), "-file", file("ca.crt"));
    keytool(
        "-importcert",
        "-noprompt",
        "-alias",
        "ca",
        "-keystore",
        file("trust.p12"),
        "-file",
        file("ca.crt"));
  }

  /** Trusts the test's authority and nothing else. */
  SSLContext client() throws GeneralSecurityException, IOException {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(load("trust.p12"));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /**
   * A server certificate from the authority, valid for the names, from the day given (like -40d)
   * on.
   */
  SSLContext issued(String names, String start, int days) throws Exception {
    String store = "server" + Integer.toHexString((names + start + days).hashCode()) + ".p12";
    keytool(
        "-genkeypair",
        "-alias",
        "server",
        "-keyalg",
        "EC",
        "-keystore",
        file(store),
        "-dname",
        "CN=server",
        "-validity",
        "30");
    keytool("-certreq", "-alias", "server", "-keystore", file(store), "-file", file("server.csr"));
    keytool(
        "-gencert",
        "-alias",
        "ca",
        "-keystore",
        file("ca.p12"),
        "-infile",
        file("server.csr"),
        "-outfile",
        file("server.crt"),
        "-ext",
        "san=" + names,
        "-startdate",
        start,
        "-validity",
        Integer.toString(days));
    keytool(
        "-importcert",
        "-noprompt",
        "-alias",
        "ca",
        "-keystore",
        file(store),
        "-file",
        file("ca.crt"));
    keytool(
        "-importcert",
        "-noprompt",
        "-alias",
        "server",
        "-keystore",
        file(store),
        "-file",
        file("server.crt"));
    return server(store);
  }

  SSLContext selfSigned(String names) throws Exception {
    keytool(
        "-genkeypair",
        "-alias",
        "server",
        "-keyalg",
        "EC",
        "-keystore",
        file("self.p12"),
        "-dname",
        "CN=self",
        "-ext",
        "san=" + names,
        "-validity",
        "30");
    return server("self.p12");
  }

  private SSLContext server(String store) throws GeneralSecurityException, IOException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(load(store), PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private KeyStore load(String store) throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve(store))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private static void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of(arguments));
    boolean hasStore = List.of(arguments).contains("-keystore");
    if (hasStore) {
      command.addAll(List.of("-storepass", PASSWORD));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError("keytool failed: " + output);
    }
  }
}

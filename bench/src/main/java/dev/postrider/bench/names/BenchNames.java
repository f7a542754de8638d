package dev.postrider.bench.names;

import java.net.InetAddress;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A host name resolver for the JDK. {@code sink-3.test} resolves to address 3 of the sink. The
 * lookup of {@code hung-3.test} hangs while the gate file exists and fails afterwards. Other names
 * are resolved by the system.
 */
public final class BenchNames extends InetAddressResolverProvider {
  private static final String GATE = "postrider.bench.gate";
  private static final String SINK = "sink-";
  private static final String HUNG = "hung-";
  private static final String DOMAIN = ".test";
  private static final long POLL_NANOS = 50_000_000;

  public static String sink(int index) {
    return SINK + index + DOMAIN;
  }

  public static String hung(int index) {
    return HUNG + index + DOMAIN;
  }

  /** The JVM flags of a process that resolves these names. */
  public static List<String> flags(Path gate) {
    return List.of("-Xbootclasspath/a:" + classes(), "-D" + GATE + "=" + gate);
  }

  private static Path classes() {
    try {
      return Path.of(BenchNames.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the location of the benchmark's classes is not a path", e);
    }
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    return new Resolver(configuration.builtinResolver(), Path.of(System.getProperty(GATE, "none")));
  }

  @Override
  public String name() {
    return "postrider-bench";
  }

  private record Resolver(InetAddressResolver system, Path gate) implements InetAddressResolver {
    @Override
    public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
        throws UnknownHostException {
      if (host.startsWith(SINK) && host.endsWith(DOMAIN)) {
        int index =
            Integer.parseInt(host.substring(SINK.length(), host.length() - DOMAIN.length()));
        return Stream.of(
            InetAddress.getByAddress(host, new byte[] {127, 0, 0, (byte) (index + 1)}));
      }
      if (host.startsWith(HUNG) && host.endsWith(DOMAIN)) {
        while (Files.exists(gate)) {
          LockSupport.parkNanos(POLL_NANOS);
        }
        throw new UnknownHostException(host);
      }
      return system.lookupByName(host, policy);
    }

    @Override
    public String lookupByAddress(byte[] address) throws UnknownHostException {
      return system.lookupByAddress(address);
    }
  }
}

package dev.postrider.delivery.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.BlockedAddress;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.NameResolver;
import dev.postrider.delivery.http.address.Target;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.limit.Share;
import dev.postrider.net.Cidr;
import dev.postrider.time.SystemTime;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {
  private static final TargetRules ANY_SCHEME = new TargetRules(false, List.of());

  /** What a resolver under an attacker's control would say. */
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("localhost", "127.0.0.1"),
          Map.entry("ip6-localhost", "::1"),
          Map.entry("hooks.localhost", "127.0.0.1"),
          Map.entry("metadata.google.internal", "169.254.169.254"),
          Map.entry("127.0.0.1.nip.io", "127.0.0.1"),
          Map.entry("10.0.0.1.nip.io", "10.0.0.1"),
          Map.entry("localtest.me", "127.0.0.1"),
          Map.entry("spoofed.burpcollaborator.net", "127.0.0.1"),
          Map.entry("six.example.com", "::1"),
          Map.entry("mapped.example.com", "::ffff:10.0.0.1"),
          Map.entry("zero.example.com", "0.0.0.0"),
          Map.entry("wide.example.com", "255.255.255.255"),
          Map.entry("example.com", "93.184.215.14"),
          Map.entry("xn--bcher-kva.example", "93.184.215.14"));

  private final List<NameLookup> lookups = new ArrayList<>();

  @AfterEach
  void stop() {
    lookups.forEach(NameLookup::close);
  }

  @Test
  void doesNotRevealWhatAnInternalNameResolvesTo() {
    assertThatThrownBy(() -> check("http://metadata.google.internal/hook"))
        .isInstanceOf(BadTarget.class)
        .hasMessageContaining("metadata.google.internal")
        .hasMessageNotContainingAny("169.254", "link")
        .hasMessageContaining("allowTargets");
    assertThatThrownBy(() -> check("http://10.0.0.1/hook"))
        .as("the caller's own words")
        .hasMessageContaining("10.0.0.1/32");
    assertThat(
            Failures.detail(
                new ConnectException(
                    "Connect to http://db.internal:80 [db.internal/10.0.0.7,"
                        + " db.internal/fd00:0:0:0:0:0:0:7] failed: Connection refused")))
        .isEqualTo("Connect to http://db.internal:80 failed: Connection refused");
  }

  @ParameterizedTest
  @MethodSource("refusedHosts")
  void refusesEverySpellingOfAnInnerAddress(String host) {
    assertThatThrownBy(() -> check("http://" + host + "/hook"))
        .isInstanceOf(BadTarget.class)
        .message()
        .isNotBlank();
  }

  @Test
  void theCorpusHasAHundredSpellings() {
    assertThat(refusedHosts().distinct()).hasSizeGreaterThanOrEqualTo(100);
  }

  static Stream<String> refusedHosts() {
    return Stream.of(
            // Other spellings of 127.0.0.1, 169.254.169.254 and friends.
            "127.1 127.0.1 0177.0.0.1 0177.0.0.01 0x7f.0.0.1 0x7f.1 0x7f000001 0X7F000001",
            "2130706433 017700000001 00000177.0.0.1 127.0.0.01 127.000.000.001 127.0.0.1.",
            "0 0. 0x0 00 0.0 0.0.0 127.0.0.0x1 127.0x0.1 127.65535 127.0.256 4294967295",
            "2852039166 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376 169.254.43518",
            "169.16689662 0xa9.254.0251.254 3232235521 0xc0a80001 0300.0250.0.1 10.1 012.0.0.1",
            "167772161 0x0a000001 256.256.256.256 1.2.3.4.5 127.0.0.1.1 1.2.3.256 999999999999",
            "１２７.０.０.１ 127。0。0。1 ①②⑦.⓪.⓪.① 127．0．0．1 ⓛⓞⓒⓐⓛⓗⓞⓢⓣ 0x7f。1",
            "%31%32%37.0.0.1 127%2e0%2e0%2e1 127.0.0.1%00 127.0.0.1%0d%0a 127..0.1 .127.0.0.1",
            // Plain addresses of every network that is not public.
            "127.0.0.1 127.255.255.254 127.0.0.1:22 10.0.0.0 10.255.255.255 172.16.0.1",
            "172.31.255.255 192.168.0.1 192.168.255.255 169.254.169.254 169.254.170.2 169.254.0.1",
            "100.64.0.1 100.127.255.255 100.100.100.200 0.0.0.0 0.1.2.3 192.0.0.192 192.0.2.1",
            "198.51.100.7 203.0.113.9 198.18.0.1 198.19.255.255 192.88.99.1 224.0.0.1",
            "239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16",
            // IPv6, and IPv4 inside IPv6.
            "[::] [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::0001]:80 [::ffff:127.0.0.1]",
            "[::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::FFFF:a9fe:a9fe] [::ffff:10.0.0.1]",
            "[::127.0.0.1] [::7f00:1] [::8.8.8.8] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]",
            "[64:ff9b::a00:1] [64:ff9b::169.254.169.254] [64:ff9b:1::1] [64:ff9b:1::8.8.8.8]",
            "[2002:7f00:1::] [2002:a00:1::1] [2002:c0a8:1::] [2002:808:808::1]",
            "[2001:0:7f00:1::] [2001:0:808:808:0:0:80ff:fffe] [2001::1] [2001:10::1] [2001:2::1]",
            "[fe80::1] [fe80::1%25eth0] [fe80::1%eth0] [fec0::1] [fc00::1] [fd00::1]",
            "[fd00:ec2::254] [ff02::1] [ff0e::1] [100::1] [2001:db8::1] [3fff::1] [4000::1]",
            "[::1 ::1 [127.0.0.1] [::1]x [] [::1%25] [:::1] [1::2::3] [12345::]",
            // User info, names that lead inside, and names that are none.
            "example.com@127.0.0.1 127.0.0.1@example.com user:pass@example.com"
                + " example.com:80@[::1]",
            "localhost LOCALHOST localhost. ip6-localhost hooks.localhost metadata.google.internal",
            "127.0.0.1.nip.io 10.0.0.1.nip.io localtest.me spoofed.burpcollaborator.net",
            "six.example.com mapped.example.com zero.example.com wide.example.com",
            "example..com -example.com ex!ample.com example.com.. . example.com:0"
                + " example.com:65536",
            "example.com:x example.com\\@127.0.0.1 127.0.0.1\\.example.com")
        .flatMap(line -> Stream.of(line.split(" ")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8.8.8.8",
        "1.1.1.1:8443",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.1",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "[2606:4700:4700::1111]",
        "[2a00:1450:4001:82a::200e]:443",
        "[2001:4860:4860::8888]",
        "[2001:200::1]",
        "[64:ff9b::8.8.8.8]",
        "[::ffff:8.8.8.8]",
        "example.com",
        "EXAMPLE.com.",
        "bücher.example",
        "unknown-for-now.example.org"
      })
  void allowsThePublicInternet(String host) {
    assertThatCode(() -> check("http://" + host + "/hook")).doesNotThrowAnyException();
  }

  @Test
  void oneRefusedAddressAmongGoodOnesRefusesTheHost() {
    AddressGuard guard = guard(List.of(), _ -> addresses("8.8.8.8", "10.1.2.3", "1.1.1.1"));

    assertThatThrownBy(() -> guard.resolve("mixed.example.com"))
        .isInstanceOf(BlockedAddress.class)
        .hasMessageContainingAll("mixed.example.com", "allowTargets");
  }

  @Test
  void theAllowListExemptsNetworksHoweverTheyAreWritten() {
    AddressGuard guard =
        guard(List.of(Cidr.parse("10.1.0.0/16"), Cidr.parse("fd00::/8")), SenderRig::testNames);

    assertThat(refusal(guard, "10.1.2.3")).isNull();
    assertThat(refusal(guard, "::ffff:10.1.2.3")).isNull();
    assertThat(refusal(guard, "64:ff9b::10.1.2.3")).isNull();
    assertThat(refusal(guard, "fd12::1")).isNull();
    assertThat(refusal(guard, "10.2.0.1")).isEqualTo("private");
    assertThat(refusal(guard, "fc12::1")).isEqualTo("unique local");
  }

  /** Both look like an IPv4-compatible address, and are none. */
  @Test
  void theLoopbackOfIpv6CanBeAllowed() {
    AddressGuard guard = guard(List.of(Cidr.parse("::1")), SenderRig::testNames);

    assertThat(refusal(guard, "::1")).isNull();
    assertThat(refusal(guard, "::")).isEqualTo("unspecified");
    assertThat(refusal(guard(List.of(), SenderRig::testNames), "::1")).isEqualTo("loopback");
  }

  @Test
  void anAllowedTunnelIsStillJudgedByTheAddressInIt() {
    AddressGuard guard =
        guard(List.of(Cidr.parse("2002::/16"), Cidr.parse("2001::/32")), SenderRig::testNames);

    assertThat(refusal(guard, "2002:808:808::1")).isNull();
    assertThat(refusal(guard, "2002:7f00:1::1")).contains("loopback");
    assertThat(refusal(guard, "2001:0:808:808:0:0:f7f7:f7f7")).isNull();
    assertThat(refusal(guard, "2001:0:808:808:0:0:80ff:fffe")).contains("loopback");
    assertThat(refusal(guard, "2001:0:a00:1:0:0:f7f7:f7f7")).contains("private");
  }

  @Test
  void aNameThatTurnsInwardsAfterItWasAcceptedIsRefusedAtTheConnection() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    NameResolver rebinding =
        _ -> asked.incrementAndGet() == 1 ? addresses("93.184.215.14") : addresses("127.0.0.1");
    SystemTime time = new SystemTime();
    NameLookup.Limits noMemory =
        new NameLookup.Limits(
            2, new Share(1), 8, Duration.ofSeconds(2), Duration.ZERO, Duration.ZERO, 10);
    try (ScriptedServer inner = ScriptedServer.answering("HTTP/1.1 204 No\r\n\r\n");
        NameLookup lookup = new NameLookup(rebinding, time, noMemory)) {
      lookup.start();
      AddressGuard guard = new AddressGuard(List.of(), lookup);
      Target target = Target.parse("http://rebind.example:" + inner.port() + "/", ANY_SCHEME);
      guard.vet(target);
      try (HttpSender sender = new HttpSender(SenderSettings.defaults(4), guard, lookup, time)) {
        sender.start();
        HttpResult outcome =
            sender.send(target, "POST", new HeaderList(), new byte[0], SenderRig.LONG);

        assertThat(outcome).isInstanceOf(HttpResult.Blocked.class);
        assertThat(outcome.outcomeClass()).isEqualTo(OutcomeClass.BLOCKED);
        assertThat(((HttpResult.Blocked) outcome).detail())
            .contains("rebind.example")
            .doesNotContain("127.0.0.1");
        assertThat(inner.connections()).isZero();
        assertThat(sender.leasedConnections()).isZero();
      }
    }
  }

  @Test
  void anAddressWrittenInTheUrlIsVettedAtTheConnectionToo() throws Exception {
    try (ScriptedServer inner = ScriptedServer.answering("HTTP/1.1 204 No\r\n\r\n");
        SenderRig strict =
            new SenderRig(SenderSettings.defaults(4), SenderRig::testNames, List.of())) {
      assertThat(strict.post(inner.url())).isInstanceOf(HttpResult.Blocked.class);
      assertThat(inner.connections()).isZero();
    }
  }

  private void check(String url) throws BadTarget {
    Target target = Target.parse(url, ANY_SCHEME);
    guard(
            List.of(),
            host -> {
              String address = NAMES.get(host);
              if (address == null) {
                throw new UnknownHostException(host);
              }
              return new InetAddress[] {ipv6Kept(host, address)};
            })
        .vet(target);
  }

  private AddressGuard guard(List<Cidr> allowed, NameResolver names) {
    NameLookup lookup = new NameLookup(names, new SystemTime(), NameLookup.Limits.defaults());
    lookups.add(lookup);
    lookup.start();
    return new AddressGuard(allowed, lookup);
  }

  private static @Nullable String refusal(AddressGuard guard, String address) {
    return guard.refusal(InetAddress.ofLiteral(address));
  }

  private static InetAddress ipv6Kept(String host, String address) throws UnknownHostException {
    return InetAddress.getByAddress(host, InetAddress.ofLiteral(address).getAddress());
  }

  private static InetAddress[] addresses(String... literals) {
    return Stream.of(literals).map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
  }
}

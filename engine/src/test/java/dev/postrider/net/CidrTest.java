package dev.postrider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.0.0.0/9, 10.128.0.1, false",
    "0.0.0.0/0, 255.1.1.1, true",
    "0.0.0.0/0, ::1, false",
    "192.168.1.7, 192.168.1.7, true",
    "192.168.1.7, 192.168.1.6, false",
    "192.168.1.4/30, 192.168.1.7, true",
    "192.168.1.7/32, 192.168.1.7, true",
    "127.0.0.1, 127.0.0.1, true",
    "128.0.0.0/1, 200.0.0.1, true",
    "fd00::/8, fdff::1, true",
    "fd00::/8, fc00::1, false",
    "fe80::/10, febf::1, true",
    "2001:db8::8000:0:0:0/65, 2001:db8:0:0:8000::1, true",
    "2001:db8::8000:0:0:0/65, 2001:db8::1, false",
    "2001:db8::1/128, 2001:DB8::1, true",
    "::1/128, ::1, true",
    "::1, ::1, true",
    "::/0, 2001::1, true",
    "::ffff:10.0.0.1, 10.0.0.1, true",
    "::ffff:a00:1, 10.0.0.1, true"
  })
  void aNetworkContainsItsAddresses(String network, String address, boolean contains) {
    assertThat(Cidr.parse(network).contains(InetAddress.ofLiteral(address))).isEqualTo(contains);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10",
        "localhost",
        "host",
        "a.b.c.d/8",
        "127.1",
        "010.1",
        "010.0.0.0/8",
        "0x7f.0.0.1",
        "2130706433",
        "256.0.0.1",
        "1.2.3.4.5",
        "1.2.3.",
        "10.0.0.0/",
        "10.0.0.0/x",
        "10.0.0.0/33",
        "10.0.0.0/08",
        "10.0.0.0/+8",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "10.0.0.1/8",
        "10.1.2.3/8",
        "192.168.1.5/30",
        "::/129",
        "fd00::/129",
        "fd00::1/8",
        "fe80::1%eth0",
        "fe80::1%eth0/64",
        "[::1]",
        ":",
        "1::2::3",
        "00001::",
        "::00001",
        "::ffff:010.0.0.1",
        "::ffff:10.1",
        "::ffff:10.0.0.0/8",
        "::ffff:10.0.0.0/104",
        " 10.0.0.0/8",
        "10.0.0.0/8 ",
        "١٠.0.0.0/8"
      })
  void otherSpellingsAreRefused(String text) {
    assertThatThrownBy(() -> Cidr.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"" + text + "\" ");
  }

  @Test
  void theMessageSaysWhatToWrite() {
    assertThatThrownBy(() -> Cidr.parse("localhost"))
        .hasMessage(
            "\"localhost\" must be an IP address or CIDR (10.0.0.0/8, 127.0.0.1, fd00::/8).");
    assertThatThrownBy(() -> Cidr.parse("10.0.0.1/8"))
        .hasMessage(
            "\"10.0.0.1/8\" has address bits after its first 8: write the first address of the"
                + " range, or drop the /8 to mean one address.");
    assertThatThrownBy(() -> Cidr.parse("::ffff:10.0.0.0/104"))
        .hasMessage(
            "\"::ffff:10.0.0.0/104\" is an IPv4 network in IPv6 form: write it like 10.0.0.0/8.");
  }

  /** The JDK turns mapped addresses into IPv4 ones, but raw bytes reach the address guard too. */
  @Test
  void aMappedAddressIsTheIpv4AddressInIt() {
    byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 1, 2, 3};

    assertThat(Cidr.parse("10.0.0.0/8").contains(mapped)).isTrue();
    assertThat(Cidr.parse("11.0.0.0/8").contains(mapped)).isFalse();
    assertThat(Cidr.parse("::/0").contains(mapped)).isFalse();
    mapped[11] = 0;
    assertThat(Cidr.parse("10.0.0.0/8").contains(mapped)).isFalse();
    assertThat(Cidr.parse("::/0").contains(mapped)).isTrue();
  }

  @Test
  void aTextThatIsNotAnAddressIsInNoNetwork() {
    List<Cidr> networks = List.of(Cidr.parse("fd00::/8"), Cidr.parse("0.0.0.0/0"));

    assertThat(Cidr.anyContains(networks, "fd12::1")).isTrue();
    assertThat(Cidr.anyContains(networks, "10.1.2.3")).isTrue();
    assertThat(Cidr.anyContains(networks, "fc12::1")).isFalse();
    assertThat(Cidr.anyContains(networks, "10.1")).isFalse();
    assertThat(Cidr.anyContains(networks, "host.example")).isFalse();
    assertThat(Cidr.anyContains(List.of(), "10.1.2.3")).isFalse();
  }

  /** Against arithmetic on whole numbers, which has no masks to get wrong. */
  @Test
  void agreesWithArithmetic() throws UnknownHostException {
    Random random = new Random(20261118);
    for (int round = 0; round < 20_000; round++) {
      int bytes = random.nextBoolean() ? 4 : 16;
      int bits = bytes * 8;
      int prefix = random.nextInt(bits + 1);
      BigInteger base =
          new BigInteger(bits, random).shiftRight(bits - prefix).shiftLeft(bits - prefix);
      BigInteger size = BigInteger.ONE.shiftLeft(bits - prefix);
      if (bytes == 16 && IpAddress.isMapped(bytes(base, bytes))) {
        continue;
      }
      Cidr network = Cidr.parse(literal(base, bytes) + "/" + prefix);

      BigInteger last = base.add(size).subtract(BigInteger.ONE);
      assertThat(network.contains(bytes(base, bytes))).isTrue();
      assertThat(network.contains(bytes(last, bytes)))
          .isEqualTo(bytes == 4 || !IpAddress.isMapped(bytes(last, bytes)));
      if (last.bitLength() < bits || !last.add(BigInteger.ONE).testBit(bits)) {
        assertThat(network.contains(bytes(last.add(BigInteger.ONE), bytes))).isFalse();
      }
      if (base.signum() > 0) {
        assertThat(network.contains(bytes(base.subtract(BigInteger.ONE), bytes))).isFalse();
      }
    }
  }

  /** Whatever the text: either refused with a message that quotes it, or plain and unambiguous. */
  @Test
  void randomTextsAreRefusedOrPlain() {
    Random random = new Random(8);
    String alphabet = "0123456789abcfx.:/%[] -";
    int accepted = 0;
    for (int round = 0; round < 200_000; round++) {
      StringBuilder text = new StringBuilder(round % 2 == 0 ? "10.0.0.0/8" : "fd00::1:0/112");
      for (int edits = random.nextInt(4); edits >= 0; edits--) {
        int at = random.nextInt(text.length());
        char c = alphabet.charAt(random.nextInt(alphabet.length()));
        switch (random.nextInt(3)) {
          case 0 -> text.setCharAt(at, c);
          case 1 -> text.insert(at, c);
          default -> text.deleteCharAt(at);
        }
        if (text.isEmpty()) {
          text.append(c);
        }
      }
      if (isAccepted(text.toString())) {
        accepted++;
        assertThat(text.toString())
            .matches(
                "((0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){3}"
                    + "|[0-9a-f:]*:[0-9a-f:]*((0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){3})?)"
                    + "(/(0|[1-9][0-9]{0,2}))?");
      }
    }
    assertThat(accepted).isGreaterThan(1_000);
  }

  private static boolean isAccepted(String text) {
    try {
      Cidr.parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("\"" + text + "\" ");
      return false;
    }
  }

  private static String literal(BigInteger address, int bytes) throws UnknownHostException {
    return InetAddress.getByAddress(bytes(address, bytes)).getHostAddress();
  }

  private static byte[] bytes(BigInteger address, int bytes) {
    byte[] raw = address.toByteArray();
    byte[] padded = new byte[bytes];
    int length = Math.min(raw.length, bytes);
    System.arraycopy(raw, raw.length - length, padded, bytes - length, length);
    return padded;
  }
}

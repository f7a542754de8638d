package dev.postrider.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "10.0.0.0/8",
        "0.0.0.0/0",
        "192.168.1.4/30",
        "192.168.1.7/32",
        "::1",
        "::/0",
        "fd00::/8",
        "2001:db8::1/128",
        "fe80::/10"
      })
  void addressesAndRanges(String text) {
    assertThatCode(() -> AddressRange.check(text)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "127.1",
        "010.0.0.0/8",
        "0x7f.0.0.1",
        "2130706433",
        "256.0.0.1",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/08",
        "10.0.0.0/-1",
        "10.0.0.1/8",
        "192.168.1.5/30",
        "fd00::/129",
        "fd00::1/8",
        "fe80::1%eth0",
        "[::1]",
        ":",
        "1::2::3"
      })
  void otherSpellingsAreRefused(String text) {
    assertThatThrownBy(() -> AddressRange.check(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\"");
  }
}

package dev.postrider.api.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.delivery.http.address.AddressGuard;
import dev.postrider.delivery.http.address.BadTarget;
import dev.postrider.delivery.http.address.NameLookup;
import dev.postrider.delivery.http.address.NameResolver;
import dev.postrider.delivery.http.address.TargetRules;
import dev.postrider.id.Id;
import dev.postrider.limit.Share;
import dev.postrider.time.SystemTime;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class UrlCheckTest {
  private static final Id ONE = new Id(1, 1);
  private static final Id OTHER = new Id(1, 2);

  /** Four threads, of which an owner alone gets two. */
  private static final NameLookup.Limits LIMITS =
      new NameLookup.Limits(
          4,
          new Share(0.5),
          10,
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          100);

  private final CountDownLatch asked = new CountDownLatch(2);
  private final CountDownLatch hung = new CountDownLatch(1);

  @AfterEach
  void unhang() {
    hung.countDown();
  }

  @Test
  void namesThatHangDelayTheirOwnApplicationOnly() throws Exception {
    NameResolver names =
        host ->
            host.startsWith("hung")
                ? hang()
                : new InetAddress[] {InetAddress.ofLiteral("10.0.0.1")};
    try (NameLookup lookup = new NameLookup(names, new SystemTime(), LIMITS)) {
      lookup.start();
      UrlCheck check =
          UrlCheck.vetting(new TargetRules(true, List.of()), new AddressGuard(List.of(), lookup));
      for (int i = 0; i < 2; i++) {
        String url = "https://hung" + i + ".example/";
        Thread.ofVirtual().start(() -> check.problem(ONE, url));
      }
      asked.await();
      // A name that is not looked up in time passes; this one is, and is refused.
      assertThatThrownBy(() -> check.canonical(OTHER, "https://inside.example/"))
          .isInstanceOf(BadTarget.class);
      assertThat(check.canonical(ONE, "https://Other.example")).isEqualTo("https://other.example/");
    }
  }

  private InetAddress[] hang() throws UnknownHostException {
    asked.countDown();
    while (true) {
      try {
        hung.await();
        throw new UnknownHostException("hung");
      } catch (InterruptedException _) {
        // Goes on hanging, like the system's resolver.
      }
    }
  }
}

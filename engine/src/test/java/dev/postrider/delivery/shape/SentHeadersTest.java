package dev.postrider.delivery.shape;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.delivery.Attempt;
import dev.postrider.delivery.Attempt.Timing;
import dev.postrider.delivery.http.HeaderList;
import dev.postrider.delivery.http.OutcomeClass;
import dev.postrider.id.Id;
import dev.postrider.options.DeliveryOptions;
import dev.postrider.options.DeliveryOptions.SignatureHeaders;
import dev.postrider.signature.SignatureScheme;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is recorded of the headers of an attempt, and shown again. */
class SentHeadersTest {
  private static final HeaderList SENT = new HeaderList().add("User-Agent", "any");

  private static String recorded(
      SignatureHeaders spelling, String userAgent, @Nullable String custom) {
    return new SentHeaders(userAgent)
        .recorded(new SignatureScheme.Standard(spelling), custom, null, SENT);
  }

  @ParameterizedTest
  @EnumSource
  void theUsualHeadersAreOneLetter(SignatureHeaders spelling) {
    String usual = recorded(spelling, DeliveryOptions.DEFAULT_USER_AGENT, null);
    assertThat(usual).hasSize(1);
    assertThat(shown(usual)).isEqualTo(shown(inFull(spelling, "Postrider")));
    assertThat(shown(usual)).contains("Postrider");
  }

  @ParameterizedTest
  @EnumSource
  void othersAreRecordedInFull(SignatureHeaders spelling) {
    assertThat(recorded(spelling, "Mine", null)).isEqualTo(inFull(spelling, "Mine"));
    assertThat(recorded(spelling, DeliveryOptions.DEFAULT_USER_AGENT, "{\"X-A\":\"***\"}"))
        .startsWith("{\":\":")
        .endsWith(",\"X-A\":\"***\"}");
  }

  private static String shown(String recorded) {
    Id id = new Id(1, 1);
    Attempt attempt =
        new Attempt(
            id,
            new Attempt.Of(id, id, id),
            1,
            false,
            OutcomeClass.SUCCESS,
            200,
            new Timing(null, 1_000, 1, null),
            "https://example.com/",
            recorded,
            null,
            null);
    return String.valueOf(
        SentHeaders.shown(new SentHeaders.Facts(attempt, "v1,abc", null, "a.b", null)));
  }

  private static String inFull(SignatureHeaders spelling, String userAgent) {
    return "{\":\":\"%s\",\"User-Agent\":\"%s\"}"
        .formatted(spelling.name().toLowerCase(Locale.ROOT), userAgent);
  }
}

package dev.postrider.inbound.source;

import dev.postrider.field.Field;
import dev.postrider.field.FieldValues;
import dev.postrider.field.HasFields;
import dev.postrider.inbound.verify.provider.SnsOptions;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a source.
 *
 * @param values the values of the {@link SourceFields}
 */
public record SourceForm(FieldValues values) implements HasFields {
  public static final String PROVIDER = "provider";
  public static final String NONE = "none";

  /** The warning about a source with a stand-in. */
  public static final String SKIPS_VERIFICATION =
      "skip_verify: requests are not verified, and everyone who knows the URL can send; use it only"
          + " with a local stand-in for SNS";

  /** Which bodies must be JSON. */
  public enum Expects {
    /** Those with a JSON content type. */
    AUTO,
    /** All. */
    JSON,
    /** None. */
    ANY;

    private static final List<Expects> EACH = List.of(values());
    static final List<String> WORDS = EACH.stream().map(Expects::word).toList();

    public static Expects of(String word) {
      return EACH.get(WORDS.indexOf(word));
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What happens to ticks that were missed while no instance was running. */
  public enum Missed {
    /** They are skipped. */
    SKIP,
    /** The last of them fires, late. */
    ONCE,
    /** All fire, late, up to a limit. */
    ALL;

    private static final List<Missed> EACH = List.of(values());
    static final List<String> WORDS = EACH.stream().map(Missed::word).toList();

    public static Missed of(String word) {
      return EACH.get(WORDS.indexOf(word));
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A cron source verifies nothing, so it need not name a scheme. */
  public SourceForm {
    if (values.get(SourceFields.CRON) != null && values.get(SourceFields.VERIFY).isEmpty()) {
      values = values.with(SourceFields.VERIFY, NONE);
    }
  }

  /** All defaults but the scheme. */
  public static SourceForm of(String name, String verify) {
    return new SourceForm(FieldValues.NONE)
        .with(SourceFields.NAME, name)
        .with(SourceFields.VERIFY, verify);
  }

  /** The same with another value; null sets the default. */
  public <T> SourceForm with(Field<T> field, @Nullable T value) {
    return new SourceForm(values.with(field, value));
  }

  /** Also the uid of the application that gets the messages. */
  public String name() {
    return get(SourceFields.NAME);
  }

  /** The name of its verification scheme. */
  public String verify() {
    return get(SourceFields.VERIFY);
  }

  /** Whether a stand-in for a provider sends, whose requests are not verified. */
  public boolean skipsVerification() {
    return SnsOptions.skipsVerification(verify(), get(SourceFields.OPTIONS));
  }

  /** Whether it fires by a schedule instead of by requests. */
  public boolean isCron() {
    return get(SourceFields.CRON) != null;
  }
}

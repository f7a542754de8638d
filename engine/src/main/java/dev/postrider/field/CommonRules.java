package dev.postrider.field;

import dev.postrider.json.TextRule;

/** Rules and limits that fields of endpoints, queues and other objects share. */
public final class CommonRules {
  public static final int MAX_NAME = 256;
  public static final int MAX_DESCRIPTION = 500;
  public static final int MAX_EXPRESSION = 16 * 1024;
  public static final int MAX_EVENT_TYPES = 500;

  public static final int MIN_IDEMPOTENCY_WINDOW_MS = 60_000;

  /** 14 days. */
  public static final int MAX_IDEMPOTENCY_WINDOW_MS = 14 * 24 * 3_600_000;

  public static final int MIN_EVENT_TTL_MS = 1_000;

  /** 14 days. */
  public static final int MAX_EVENT_TTL_MS = 14 * 24 * 3_600_000;

  /** An event type, or a prefix of event types with a dot and a star. */
  public static final int MAX_SUBSCRIPTION = MAX_NAME + 2;

  /** A uid, the name of a queue or source, or an event type. */
  public static final TextRule NAME_RULE =
      TextRule.matching(MAX_NAME, "[a-zA-Z0-9\\-_.]", "of the characters a-z A-Z 0-9 - _ .");

  public static final TextRule DESCRIPTION_RULE = TextRule.upTo(MAX_DESCRIPTION);

  private CommonRules() {}
}

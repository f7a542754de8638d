package dev.postrider.api;

import dev.postrider.endpoint.HeaderRules;
import dev.postrider.json.TextRule;
import java.time.Duration;
import java.util.List;

/** How much a request may hold, each limit by name. */
final class Limits {
  static final int NAME = 255;
  static final int DESCRIPTION = 500;
  static final int URL = 2_048;
  static final int UID = 256;
  static final int METADATA_BYTES = 4_096;
  static final int METADATA_ENTRIES = 64;
  static final int ENDPOINT_EVENT_TYPES = 500;
  static final int ENDPOINT_CHANNELS = 10;
  static final int MESSAGE_CHANNELS = 10;
  static final int CHANNEL = 128;
  static final int MESSAGE_TAGS = 5;
  static final int TAG = 128;
  static final int EVENT_TYPE = 256;

  /** A name, or a prefix with a dot and a star. */
  static final int SUBSCRIPTION = EVENT_TYPE + 2;

  static final int EVENT_TYPES_IN_QUERY = 100;
  static final int SCHEMAS = 256 * 1024;
  static final int EXAMPLE_INDEX = 1_000;
  static final int FEATURE_FLAGS = 10;
  static final int OPENAPI_DOCUMENT = 1024 * 1024;
  static final int IMPORTED_EVENT_TYPES = 1_000;
  static final int SECRET = 200;
  static final int SOURCE_SECRET = 16 * 1024;
  static final int ROUTE_WORDS = 256;
  static final int ROUTE_ANNOTATIONS = 64;
  static final int ROUTE_ANNOTATION = 4_096;
  static final int BULK_EXPUNGE = 1_000;
  static final int IDEMPOTENCY_KEY = 256;
  static final int SCHEME = 2_000;
  static final int EXPRESSION = 16_384;
  static final List<String> METHODS = List.of("POST", "PUT", "PATCH", "DELETE", "GET");
  static final int THROTTLE = 65_535;
  static final int ENDPOINT_VERSION = 65_535;
  static final int TIMEOUT_MIN_MS = 1_000;
  static final int TIMEOUT_MAX_MS = 60_000;
  static final int IN_FLIGHT = 10_000;
  static final int INITIAL_DELAY_MS = 86_400_000;
  static final int MAX_ENDPOINTS = 10_000;
  static final int RESPONSE_SHOWN_IN_LISTS = 512;
  static final int COUNTED_ATTEMPTS = 10_000;
  static final Duration DELIVER_AHEAD = Duration.ofDays(30);
  static final Duration RECOVER_BACK = Duration.ofDays(90);
  static final Duration STATS_WINDOW = Duration.ofDays(90);
  static final int REQUESTS_PER_SECOND = 1_000_000;
  static final int PAYLOAD_BYTES = 64 * 1024 * 1024;
  static final int KEPT_HOURS = 10 * 366 * 24;
  static final int RETENTION_DAYS = 90;
  static final int RETENTION_HOURS = RETENTION_DAYS * 24;

  static final String NAME_FORM = "of the characters a-z A-Z 0-9 - _ .";
  static final TextRule UID_RULE = TextRule.matching(UID, "[a-zA-Z0-9\\-_.]", NAME_FORM);
  static final TextRule NAME_RULE = TextRule.line(1, NAME);
  static final TextRule DESCRIPTION_RULE = TextRule.upTo(DESCRIPTION);
  static final TextRule URL_RULE = TextRule.of(1, URL);
  static final TextRule EVENT_TYPE_RULE =
      TextRule.matching(EVENT_TYPE, "[a-zA-Z0-9\\-_.]", NAME_FORM);
  static final TextRule CHANNEL_RULE =
      TextRule.matching(CHANNEL, "[a-zA-Z0-9\\-_.:+]", "of the characters a-z A-Z 0-9 - _ . : +");
  static final TextRule TAG_RULE =
      TextRule.matching(
          TAG, "[a-zA-Z0-9\\-_./\\\\#]", "of the characters a-z A-Z 0-9 - _ . / \\ #");
  static final TextRule METADATA_KEY = TextRule.of(1, 256);
  static final TextRule METADATA_VALUE = TextRule.upTo(METADATA_BYTES);
  static final TextRule HEADER_NAME = TextRule.of(1, HeaderRules.MAX_NAME_LENGTH);
  static final TextRule HEADER_VALUE = TextRule.upTo(HeaderRules.MAX_VALUE_LENGTH);

  private Limits() {}

  /** So many applications are asked whether anyone takes a broadcast. */
  static final int BROADCAST_LOOKED_AT = 500;
}

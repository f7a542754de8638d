package dev.postrider.api.form;

import dev.postrider.endpoint.EndpointFields;
import dev.postrider.eventtype.EventTypeFields;
import dev.postrider.field.CommonRules;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.json.TextRule;
import java.time.Duration;

/** The limits of API requests, such as maximum lengths and counts. */
public final class Limits {
  public static final int NAME = 255;
  public static final int DESCRIPTION = CommonRules.MAX_DESCRIPTION;
  public static final int URL = EndpointFields.MAX_URL;
  public static final int UID = CommonRules.MAX_NAME;
  public static final int METADATA_BYTES = EndpointFields.MAX_METADATA_BYTES;
  public static final int METADATA_ENTRIES = EndpointFields.MAX_METADATA;
  public static final int METADATA_DEPTH = EndpointFields.MAX_METADATA_DEPTH;
  public static final int ENDPOINT_EVENT_TYPES = CommonRules.MAX_EVENT_TYPES;
  public static final int ENDPOINT_CHANNELS = EndpointFields.MAX_CHANNELS;
  public static final int MESSAGE_CHANNELS = 10;
  public static final int CHANNEL = EndpointFields.MAX_CHANNEL;
  public static final int MESSAGE_TAGS = 5;
  public static final int TAG = 128;
  public static final int EVENT_TYPE = 256;
  public static final int MESSAGE_HEADER_NAME = 128;
  public static final int MESSAGE_HEADER_VALUE = 8_192;

  /** A name, or a prefix with a dot and a star. */
  public static final int SUBSCRIPTION = CommonRules.MAX_SUBSCRIPTION;

  public static final int EVENT_TYPES_IN_QUERY = 100;
  public static final int SCHEMAS = EventTypeFields.MAX_SCHEMAS;
  public static final int EXAMPLE_INDEX = 1_000;
  public static final int FEATURE_FLAGS = EventTypeFields.MAX_FEATURE_FLAGS;
  public static final int OPENAPI_DOCUMENT = 1024 * 1024;
  public static final int IMPORTED_EVENT_TYPES = 1_000;
  public static final int SECRET = EndpointFields.MAX_SECRET;
  public static final int SOURCE_SECRET = SourceFields.MAX_SECRET;
  public static final int ROUTE_WORDS = 256;
  public static final int ROUTE_ANNOTATIONS = 64;
  public static final int ROUTE_ANNOTATION = 4_096;
  public static final int REPLAYED = 100_000;
  public static final int REPLAYED_BY_DEFAULT = 1_000;
  public static final int REPLAYED_ENDPOINTS = 100;
  public static final int BULK_EXPUNGE = 1_000;
  public static final int IDEMPOTENCY_KEY = 256;
  public static final int SCHEME = EndpointFields.MAX_SIGNATURE;
  public static final int EXPRESSION = CommonRules.MAX_EXPRESSION;
  public static final int THROTTLE = EndpointFields.MAX_THROTTLE_RATE;
  public static final int ENDPOINT_VERSION = EndpointFields.MAX_VERSION;
  public static final int TIMEOUT_MIN_MS = EndpointFields.MIN_TIMEOUT_MS;
  public static final int TIMEOUT_MAX_MS = EndpointFields.MAX_TIMEOUT_MS;
  public static final int IN_FLIGHT = EndpointFields.MAX_IN_FLIGHT_LIMIT;
  public static final int INITIAL_DELAY_MS = EndpointFields.MAX_INITIAL_DELAY_MS;
  public static final int MAX_ENDPOINTS = 10_000;
  public static final int RESPONSE_SHOWN_IN_LISTS = 512;
  public static final int COUNTED_ATTEMPTS = 10_000;
  public static final Duration DELIVER_AHEAD = Duration.ofDays(30);
  public static final Duration RECOVER_BACK = Duration.ofDays(90);
  public static final Duration STATS_WINDOW = Duration.ofDays(90);
  public static final int REQUESTS_PER_SECOND = 1_000_000;
  public static final int PAYLOAD_BYTES = 64 * 1024 * 1024;
  public static final int KEPT_HOURS = 10 * 366 * 24;
  public static final int RETENTION_DAYS = 90;
  public static final int RETENTION_HOURS = RETENTION_DAYS * 24;

  public static final String NAME_FORM = "of the characters a-z A-Z 0-9 - _ .";
  public static final TextRule UID_RULE = CommonRules.NAME_RULE;
  public static final TextRule NAME_RULE = TextRule.line(1, NAME);
  public static final TextRule DESCRIPTION_RULE = TextRule.upTo(DESCRIPTION);
  public static final TextRule URL_RULE = TextRule.of(1, URL);
  public static final TextRule EVENT_TYPE_RULE =
      TextRule.matching(EVENT_TYPE, "[a-zA-Z0-9\\-_.]", NAME_FORM);
  public static final TextRule CHANNEL_RULE = EndpointFields.CHANNEL_RULE;
  public static final TextRule TAG_RULE =
      TextRule.matching(
          TAG, "[a-zA-Z0-9\\-_./\\\\#]", "of the characters a-z A-Z 0-9 - _ . / \\ #");
  public static final TextRule METADATA_KEY = TextRule.of(1, 256);
  public static final TextRule METADATA_VALUE = TextRule.upTo(METADATA_BYTES);

  private Limits() {}

  /** Maximum number of applications that are checked for a receiver of a broadcast. */
  public static final int BROADCAST_LOOKED_AT = 500;
}

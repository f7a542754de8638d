package dev.postrider.options;

/**
 * The names of options in messages of the engine. A program that sets the options from its own
 * settings gives the names of these settings, so that messages tell its users which setting to
 * change.
 */
public interface OptionNames {
  /** The names in these records. */
  OptionNames OF_LIBRARY =
      option ->
          switch (option) {
            case ALLOW_TARGETS -> "allowTargets";
            case REQUIRE_HTTPS -> "requireHttps";
            case EGRESS_PROXY -> "egressProxy";
            case MASTER_KEY, MASTER_KEY_FILE -> "masterKey";
            case PREVIOUS_MASTER_KEY -> "previousMasterKey";
            case DATABASE_URL -> "jdbcUrl";
            case API_DATABASE_URL -> "apiPool";
            case DATABASE_SCHEMA -> "schema";
            case DATA_FOLDER -> "path";
          };

  /** The options that messages refer to. */
  enum Option {
    ALLOW_TARGETS,
    REQUIRE_HTTPS,
    EGRESS_PROXY,
    MASTER_KEY,
    MASTER_KEY_FILE,
    PREVIOUS_MASTER_KEY,
    DATABASE_URL,
    API_DATABASE_URL,
    DATABASE_SCHEMA,
    DATA_FOLDER
  }

  String of(Option option);
}

package dev.postrider.field;

import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one field. A {@link DefaultField} always has a value; the value of an {@link
 * OptionalField} may be absent.
 *
 * @param <T> the values in Java
 */
public abstract sealed class Field<T> permits DefaultField, OptionalField {
  private final Builder<T> definition;

  Field(Builder<T> definition) {
    this.definition = definition;
  }

  /** A field under this name in the API. */
  public static <T> Builder<T> field(String name, FieldType<T> type) {
    return new Builder<>(name, type);
  }

  /** The name in the API, such as {@code throttleRate}. */
  public String name() {
    return definition.name;
  }

  /** Another name in the API, which is still accepted and written; null if there is none. */
  public @Nullable String olderName() {
    return definition.olderName;
  }

  public FieldType<T> type() {
    return definition.type;
  }

  /** A sentence without its full stop. */
  public String description() {
    return definition.description;
  }

  /** Whether a POST or PUT has to name it. */
  public boolean required() {
    return definition.required;
  }

  public boolean deprecated() {
    return definition.deprecated;
  }

  /** Whether a PUT that does not name the field sets it to its default, as it does with Svix. */
  public boolean resetByPut() {
    return definition.resetByPut;
  }

  /** Whether a POST or PUT refuses an empty list; absent or null means none there. */
  public boolean notEmpty() {
    return definition.notEmpty;
  }

  /** Whether null in a PATCH leaves the field as it is. */
  public boolean nullKeeps() {
    return definition.nullKeeps;
  }

  /** Whether null sets the default, in a PATCH too. */
  public boolean nullResets() {
    return definition.nullResets;
  }

  /** The name in the configuration file; null if the file does not have the field. */
  public @Nullable String fileName() {
    return definition.fileName;
  }

  public boolean requiredInFile() {
    return definition.requiredInFile;
  }

  /** As it would be written in the file. */
  public String fileExample() {
    return definition.fileExample;
  }

  /** The column in the table of what it is a field of; null if it is stored otherwise. */
  public @Nullable String column() {
    return definition.column;
  }

  /** The value of one where nothing was set; null if there is none. */
  abstract @Nullable T absent();

  /** The value in the spelling that is stored; null if it is the one where nothing was set. */
  @Nullable T stored(@Nullable T value) {
    T canonical = value == null ? null : definition.canonical.apply(value);
    return Objects.equals(canonical, absent()) ? null : canonical;
  }

  @Override
  public String toString() {
    return name();
  }

  /** Builds the declaration of a field. */
  public static final class Builder<T> {
    private final String name;
    private final FieldType<T> type;
    private @Nullable String olderName;
    private String description = "";
    private boolean required;
    private boolean deprecated;
    private boolean resetByPut;
    private boolean notEmpty;
    private boolean nullKeeps;
    private boolean nullResets;
    private boolean requiredInFile;
    private @Nullable String fileName;
    private String fileExample = "";
    private @Nullable String column;
    private UnaryOperator<T> canonical = value -> value;

    private Builder(String name, FieldType<T> type) {
      this.name = name;
      this.type = type;
    }

    /** Also accepted and written under this name. */
    public Builder<T> olderName(String text) {
      olderName = text;
      return this;
    }

    /**
     * @param text a sentence without its full stop
     */
    public Builder<T> describe(String text) {
      description = text;
      return this;
    }

    public Builder<T> required() {
      required = true;
      return this;
    }

    public Builder<T> deprecated() {
      deprecated = true;
      return this;
    }

    public Builder<T> resetByPut() {
      resetByPut = true;
      return this;
    }

    public Builder<T> notEmpty() {
      notEmpty = true;
      return this;
    }

    public Builder<T> nullKeeps() {
      nullKeeps = true;
      return this;
    }

    public Builder<T> nullResets() {
      nullResets = true;
      return this;
    }

    public Builder<T> requiredInFile() {
      requiredInFile = true;
      return this;
    }

    /**
     * @param key its name in the configuration file
     * @param example as it would be written there
     */
    public Builder<T> inFile(String key, String example) {
      fileName = key;
      fileExample = example;
      return this;
    }

    public Builder<T> column(String text) {
      column = text;
      return this;
    }

    /** Brings every value to one spelling, so that equal ones compare as equal. */
    public Builder<T> canonical(UnaryOperator<T> spelling) {
      canonical = spelling;
      return this;
    }

    /** A field that has this value where nothing was set. */
    public DefaultField<T> byDefault(T value) {
      return new DefaultField<>(this, value);
    }

    /** A field that may be absent. */
    public OptionalField<T> optional() {
      return new OptionalField<>(this);
    }
  }
}

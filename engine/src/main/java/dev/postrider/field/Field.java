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

  /**
   * Another name, under which one item of a list or map is given by itself.
   *
   * @param example as it would be written in the file
   * @param description a sentence without its full stop
   */
  public record Single(String name, String example, String description, boolean deprecated) {}

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

  /** The name in the API under which one item can be given; null if there is none. */
  public @Nullable Single single() {
    return definition.single;
  }

  public FieldType<T> type() {
    return definition.type;
  }

  /** See {@link FieldType.WriteOnly}. */
  public boolean isWriteOnly() {
    return definition.type instanceof FieldType.WriteOnly;
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

  /**
   * What changes the field of an existing object, such as {@code use POST …/secret/rotate}; null if
   * a PATCH does.
   */
  public @Nullable String changedBy() {
    return definition.changedBy;
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

  /** The name in the file under which one item can be given; null if there is none. */
  public @Nullable Single singleInFile() {
    return definition.singleInFile;
  }

  public boolean requiredInFile() {
    return definition.requiredInFile;
  }

  /** Whether the API controls the field of an object of the file if the file does not set it. */
  public boolean leftToApi() {
    return definition.leftToApi;
  }

  /** The description of the key in the file, without its full stop. */
  public String fileDescription() {
    return definition.fileDescription.isEmpty() ? description() : definition.fileDescription;
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
    private @Nullable Single single;
    private @Nullable Single singleInFile;
    private @Nullable String changedBy;
    private String description = "";
    private String fileDescription = "";
    private boolean required;
    private boolean deprecated;
    private boolean resetByPut;
    private boolean notEmpty;
    private boolean nullKeeps;
    private boolean nullResets;
    private boolean requiredInFile;
    private boolean leftToApi;
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

    /** One item can also be given by itself. */
    public Builder<T> single(Single other) {
      single = other;
      return this;
    }

    /**
     * @param text how to change it later, such as {@code use POST …/secret/rotate}; a PATCH cannot
     */
    public Builder<T> changedBy(String text) {
      changedBy = text;
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

    /** One item can also be given by itself in the file. */
    public Builder<T> singleInFile(Single other) {
      singleInFile = other;
      return this;
    }

    /**
     * @param text describes the key in the file, where that differs from the field of the API
     */
    public Builder<T> describeInFile(String text) {
      fileDescription = text;
      return this;
    }

    /** The API controls it where the file does not set it. */
    public Builder<T> leftToApi() {
      leftToApi = true;
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

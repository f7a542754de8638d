/**
 * The fields of endpoints, sources and other objects that callers configure, each declared once. A
 * {@link dev.postrider.field.Field} has its names in the API, in the configuration file and in the
 * table, its {@link dev.postrider.field.FieldType}, its default and its description. The values of
 * one object are a {@link dev.postrider.field.FieldValues}.
 *
 * <p>Code that handles all fields alike is a loop over a {@link dev.postrider.field.FieldSet} and
 * one {@code switch} over the types: reading and writing JSON, reading the file, the plan's
 * differences, the JSON Schemas, the columns. So a new field needs no line there.
 */
@NullMarked
package dev.postrider.field;

import org.jspecify.annotations.NullMarked;

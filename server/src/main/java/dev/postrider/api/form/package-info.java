/**
 * Reads requests and writes responses, for all API areas. {@link dev.postrider.api.form.FieldInput}
 * and {@link dev.postrider.api.form.FieldOutput} handle declared fields: adding one changes nothing
 * here. {@code Limits} has the limits of requests, which the OpenAPI document names; {@code Pages}
 * writes lists; {@code JsonOut} writes tokens, without a tree.
 */
@NullMarked
package dev.postrider.api.form;

import org.jspecify.annotations.NullMarked;

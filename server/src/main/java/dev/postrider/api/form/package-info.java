/**
 * Reads requests and writes responses, for all API areas: limits, forms, declared fields, pages,
 * JSON.
 */
@NullMarked
package dev.postrider.api.form;

import org.jspecify.annotations.NullMarked;

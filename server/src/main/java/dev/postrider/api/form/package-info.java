/**
 * How requests are read and responses written, for all areas: limits, forms, declared fields,
 * pages, JSON.
 */
@NullMarked
package dev.postrider.api.form;

import org.jspecify.annotations.NullMarked;

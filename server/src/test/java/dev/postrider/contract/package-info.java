/** The running server held against its own OpenAPI document, on both databases. */
@NullMarked
package dev.postrider.contract;

import org.jspecify.annotations.NullMarked;

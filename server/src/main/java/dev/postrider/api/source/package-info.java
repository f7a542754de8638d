/** The URLs of sources ({@code /in}), sources themselves, and the ingest calls of Svix. */
@NullMarked
package dev.postrider.api.source;

import org.jspecify.annotations.NullMarked;

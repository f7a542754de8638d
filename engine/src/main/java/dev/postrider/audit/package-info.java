/**
 * Who ended what. A row is written in the transaction of the deed itself, so that neither is there
 * without the other, and is never changed; rows go when they are past their retention.
 *
 * <p>Who acts is known where a call comes in and needed where a store writes. It travels beside the
 * call as a scoped value; a store looks at it before its transaction, which may run on another
 * thread.
 */
@NullMarked
package dev.postrider.audit;

import org.jspecify.annotations.NullMarked;

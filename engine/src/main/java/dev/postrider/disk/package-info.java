/**
 * Files of the data folder. Other users cannot read them, and they belong to the owner of the
 * folder: a command that root runs must not leave files that the user of the server cannot open.
 */
@NullMarked
package dev.postrider.disk;

import org.jspecify.annotations.NullMarked;

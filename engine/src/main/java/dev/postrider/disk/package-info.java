/**
 * Files of the data folder. They are closed to others, and they belong to whoever owns the folder:
 * a command that root runs beside the server's user must leave nothing that this user cannot open.
 */
@NullMarked
package dev.postrider.disk;

import org.jspecify.annotations.NullMarked;

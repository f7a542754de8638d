/**
 * Rules about IP addresses and networks that several packages need. There is one parser, so that an
 * address means the same in a setting, in a source, in an endpoint's URL and in a forwarded header.
 */
@NullMarked
package dev.postrider.net;

import org.jspecify.annotations.NullMarked;

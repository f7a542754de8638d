/**
 * Rules about IP addresses, networks and header names that several packages need. There is one
 * parser, so that an address means the same in a setting, in a source, in an endpoint's URL and in
 * a forwarded header; and one list of header names that may carry a secret.
 */
@NullMarked
package dev.postrider.net;

import org.jspecify.annotations.NullMarked;

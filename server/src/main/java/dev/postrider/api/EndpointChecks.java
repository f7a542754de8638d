package dev.postrider.api;

import dev.postrider.expression.Expressions;

/** What an endpoint's values are checked with before they are stored. */
record EndpointChecks(UrlCheck urls, Expressions expressions) {}

package dev.postrider.alert;

import java.util.Map;

/**
 * An alert: an event that operators are notified of.
 *
 * @param subject the endpoint or source that it is about
 * @param leftOut how many alerts about the same subject were suppressed since the last one
 * @param facts ids and other details, by name
 */
record Alert(
    AlertKind kind,
    String application,
    String subject,
    String text,
    int leftOut,
    long atMs,
    Map<String, String> facts) {}

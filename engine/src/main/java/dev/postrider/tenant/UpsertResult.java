package dev.postrider.tenant;

/**
 * The result of a create or an upsert.
 *
 * @param created false if it already existed
 */
public record UpsertResult<T>(T value, boolean created) {}

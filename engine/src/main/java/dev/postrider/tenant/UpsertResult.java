package dev.postrider.tenant;

/**
 * What a create or an upsert left in the database.
 *
 * @param created false if it was there already
 */
public record UpsertResult<T>(T value, boolean created) {}

package dev.postrider.storage;

import java.util.Set;

/**
 * The content of a backup.
 *
 * @param masterKeys the ids of the master keys of its secrets; the keys are not in it
 */
public record BackupContents(
    long bytes, int schemaVersion, long messages, long deliveries, Set<String> masterKeys) {}

package dev.postrider.engine.services;

import dev.postrider.crypto.Keyring;
import dev.postrider.id.Ids;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.CommitWatermark;
import dev.postrider.storage.Database;
import dev.postrider.time.SystemTime;

/** The database, and the objects that every store needs, such as the clock. */
public record StorageServices(
    Database database,
    Keyring keyring,
    Ids ids,
    SystemTime time,
    SigningKeyGenerator signingKeys,
    CommitWatermark watermark) {}

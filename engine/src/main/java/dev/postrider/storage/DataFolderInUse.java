package dev.postrider.storage;

/** Another process uses the data folder, such as a running server. */
public final class DataFolderInUse extends StorageException {
  public DataFolderInUse(String message) {
    super(message, null);
  }
}

package dev.postrider.crypto;

/** The fake keeps the contract too. */
class InMemoryDataKeyStoreTest extends DataKeyStoreContract {
  @Override
  protected DataKeyStore store() {
    return new InMemoryDataKeyStore();
  }
}

package dev.postrider.crypto;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.subtle.AesGcmJce;
import java.security.GeneralSecurityException;
import java.util.concurrent.atomic.AtomicInteger;

/** A KMS key that can be taken away. */
final class FakeKms implements Aead {
  private final Aead real;
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean away;

  FakeKms() throws GeneralSecurityException {
    real = new AesGcmJce(new byte[32]);
  }

  void away(boolean now) {
    away = now;
  }

  int calls() {
    return calls.get();
  }

  @Override
  public byte[] encrypt(byte[] plaintext, byte[] associatedData) throws GeneralSecurityException {
    answerOrThrow();
    return real.encrypt(plaintext, associatedData);
  }

  @Override
  public byte[] decrypt(byte[] ciphertext, byte[] associatedData) throws GeneralSecurityException {
    answerOrThrow();
    return real.decrypt(ciphertext, associatedData);
  }

  private void answerOrThrow() throws GeneralSecurityException {
    calls.incrementAndGet();
    if (away) {
      throw new GeneralSecurityException(
          "decryption failed", new java.io.IOException("connect timed out"));
    }
  }
}

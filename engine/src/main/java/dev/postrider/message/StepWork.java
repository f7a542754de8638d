package dev.postrider.message;

/** What the owner of the steps does with their requests. Set before the engine starts. */
public interface StepWork {
  /**
   * An attempt has ended. Called on the thread of the attempt, so it only queues. Each answer is
   * settled later, with {@link StepCalls#settle}; its lease and its place are held until then.
   */
  void answered(StepAnswer answer);

  /**
   * The bytes that are sent: those that are stored, with what may not be stored.
   *
   * @param stored as {@link NewStepCall#body}
   */
  byte[] filled(StepCall call, byte[] stored);

  /**
   * The value of a computed header that is sent, with secrets in place of their names.
   *
   * @param value as in {@link StepShape#headers}, with <code>{{</code> in it
   */
  String header(StepCall call, String value);
}

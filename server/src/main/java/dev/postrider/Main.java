package dev.postrider;

/** Arguments → config → App; nothing else. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.out.println("postrider");
  }
}

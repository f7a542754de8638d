package dev.postrider.simulation;

import dev.postrider.id.Id;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads the engine's classes again, with some of their calls redirected to {@link Hooks} and, on
 * request, with a bug. Everything between those calls is what ships.
 */
final class SimulationLoader extends ClassLoader {
  private static final String ENGINE = "dev.postrider.";
  private static final String SIMULATION = "dev.postrider.simulation.";
  private static final ClassDesc HOOKS = ClassDesc.of("dev.postrider.simulation.Hooks");

  private static final ClassDesc ID = ClassDesc.of("dev.postrider.id.Id");

  /** Owner, name and descriptor of a call → the hook's name. Static calls keep their descriptor. */
  private static final Map<String, String> REDIRECTED = new HashMap<>();

  private static final String LOCKS = "java/util/concurrent/locks/";

  static {
    REDIRECTED.put(LOCKS + "LockSupport.parkNanos(J)V", "parkNanos");
    REDIRECTED.put(LOCKS + "LockSupport.parkNanos(Ljava/lang/Object;J)V", "parkNanos");
    REDIRECTED.put(LOCKS + "LockSupport.park(Ljava/lang/Object;)V", "park");
    REDIRECTED.put(LOCKS + "LockSupport.unpark(Ljava/lang/Thread;)V", "unpark");
    REDIRECTED.put(LOCKS + "ReentrantLock.lock()V", "lock");
    REDIRECTED.put(LOCKS + "ReentrantLock.tryLock()Z", "tryLock");
    REDIRECTED.put(LOCKS + "ReentrantLock.unlock()V", "unlock");
    REDIRECTED.put(LOCKS + "Condition.awaitNanos(J)J", "awaitNanos");
    REDIRECTED.put(LOCKS + "Condition.signalAll()V", "signalAll");
    REDIRECTED.put("java/util/concurrent/CompletableFuture.join()Ljava/lang/Object;", "join");
    REDIRECTED.put("java/lang/Thread.currentThread()Ljava/lang/Thread;", "currentThread");
    REDIRECTED.put("java/lang/Thread.interrupted()Z", "interrupted");
    REDIRECTED.put("java/lang/Thread.start()V", "start");
    REDIRECTED.put("java/lang/Thread.join(J)V", "join");
    REDIRECTED.put(
        "java/lang/Thread$Builder$OfPlatform.unstarted(Ljava/lang/Runnable;)Ljava/lang/Thread;",
        "unstarted");
    REDIRECTED.put(
        "java/lang/Thread$Builder$OfVirtual.start(Ljava/lang/Runnable;)Ljava/lang/Thread;",
        "startVirtual");
    REDIRECTED.put("java/lang/System.nanoTime()J", "nanoTime");
    REDIRECTED.put("java/lang/System.currentTimeMillis()J", "currentTimeMillis");
    REDIRECTED.put(
        "java/lang/System.getLogger(Ljava/lang/String;)Ljava/lang/System$Logger;", "logger");
    REDIRECTED.put("java/util/concurrent/ThreadLocalRandom.nextLong()J", "nextLong");
    REDIRECTED.put("java/util/random/RandomGenerator.nextLong()J", "nextLong");
    REDIRECTED.put("java/util/random/RandomGenerator.nextDouble()D", "nextDouble");
    String http = "dev/postrider/delivery/http/";
    REDIRECTED.put(
        http
            + "HttpSender.send(L%1$saddress/Target;Ljava/lang/String;L%1$sHeaderList;[BLjava/time/Duration;)L%1$sHttpResult;"
                .formatted(http),
        "send");
    REDIRECTED.put(http + "HttpSender.start()V", "nothing");
    REDIRECTED.put(http + "HttpSender.close()V", "nothing");
    REDIRECTED.put(http + "address/NameLookup.start()V", "nothing");
    REDIRECTED.put(http + "address/NameLookup.close()V", "nothing");
  }

  private static final String DIALECT =
      "dev/postrider/storage/Database.dialect()Ldev/postrider/storage/Dialect;";

  private final @Nullable Bug bug;
  private boolean bugPlaced;

  SimulationLoader(@Nullable Bug bug) {
    super(SimulationLoader.class.getClassLoader());
    this.bug = bug;
  }

  /** Whether the bug was found a place; without it a mutation test would prove nothing. */
  boolean bugPlaced() {
    return bugPlaced;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(ENGINE)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : findClass(name);
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] shipped = in.readAllBytes();
      byte[] code = name.startsWith(SIMULATION) ? shipped : rewrite(name, shipped);
      return defineClass(name, code, 0, code.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] rewrite(String name, byte[] shipped) {
    ClassFile files = ClassFile.of();
    ClassModel model = files.parse(shipped);
    Bug here = bug != null && bug.className().equals(name) ? bug : null;
    return files.transformClass(
        model,
        (builder, element) -> {
          if (!(element instanceof MethodModel method)) {
            builder.with(element);
            return;
          }
          if (here != null && here.replaces(method)) {
            bugPlaced = true;
            builder.transformMethod(
                method,
                (methodBuilder, part) -> {
                  if (part instanceof CodeModel) {
                    methodBuilder.withCode(here::body);
                  } else {
                    methodBuilder.with(part);
                  }
                });
            return;
          }
          boolean start =
              name.equals("dev.postrider.engine.wiring.EngineRuntime")
                  && method.methodName().stringValue().equals("start");
          CodeTransform redirect = (code, part) -> redirect(code, part, start, here);
          builder.transformMethod(
              method, java.lang.classfile.MethodTransform.transformingCode(redirect));
        });
  }

  private void redirect(CodeBuilder code, CodeElement part, boolean start, @Nullable Bug here) {
    if (part instanceof InvokeInstruction call) {
      String key =
          call.owner().asInternalName()
              + "."
              + call.name().stringValue()
              + call.type().stringValue();
      String hook = start && key.equals(DIALECT) ? "dialectAtStart" : REDIRECTED.get(key);
      if (hook != null) {
        code.invokestatic(HOOKS, hook, hookType(call));
        return;
      }
    }
    if (here != null
        && part instanceof ConstantInstruction.LoadConstantInstruction load
        && load.constantValue() instanceof String text) {
      String changed = here.text(text);
      if (!changed.equals(text)) {
        bugPlaced = true;
        code.ldc(changed);
        return;
      }
    }
    code.with(part);
  }

  private static MethodTypeDesc hookType(InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    return call.opcode() == java.lang.classfile.Opcode.INVOKESTATIC
        ? type
        : type.insertParameterTypes(0, call.owner().asSymbol());
  }

  /**
   * A bug that the simulation should find: a method that does nothing, or a text that says
   * something else.
   */
  record Bug(
      String name,
      String className,
      @Nullable String method,
      @Nullable Object answer,
      Map<String, String> texts) {

    /**
     * The method answers that, whatever it is asked; {@code Void.class} for nothing. Any id means
     * {@link Id#ZERO}, and any set the empty one.
     */
    static Bug answers(String name, String className, String method, @Nullable Object answer) {
      return new Bug(name, ENGINE + className, method, answer, Map.of());
    }

    /** These texts, or parts of them, are replaced. */
    static Bug says(String name, String className, Map<String, String> texts) {
      return new Bug(name, ENGINE + className, null, null, texts);
    }

    boolean replaces(MethodModel candidate) {
      return candidate.methodName().stringValue().equals(method) && candidate.code().isPresent();
    }

    String text(String constant) {
      String changed = constant;
      for (Map.Entry<String, String> text : texts.entrySet()) {
        changed = changed.replace(text.getKey(), text.getValue());
      }
      return changed;
    }

    void body(CodeBuilder code) {
      switch (answer) {
        case null -> {
          code.aconst_null();
          code.areturn();
        }
        case Boolean yes -> {
          code.loadConstant(yes ? 1 : 0);
          code.ireturn();
        }
        case Integer number -> {
          code.loadConstant(number);
          code.ireturn();
        }
        case Long number -> {
          code.loadConstant(number);
          code.lreturn();
        }
        case Id _ -> {
          code.getstatic(ID, "ZERO", ID);
          code.areturn();
        }
        case Set<?> _ -> {
          ClassDesc set = ClassDesc.of("java.util.Set");
          code.invokestatic(set, "of", MethodTypeDesc.of(set), true);
          code.areturn();
        }
        case Class<?> _ -> code.return_();
        default -> throw new IllegalArgumentException("no such answer: " + answer);
      }
    }
  }
}

package dev.postrider.api.message;

import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Errors;
import dev.postrider.api.http.IdempotencyKeys;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.id.IdKind;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.message.AcceptResult;
import dev.postrider.message.Acceptor;
import dev.postrider.message.BatchResult;
import dev.postrider.message.MessageBatch;
import dev.postrider.message.NewMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The API call that sends several messages in one request. They are accepted in one commit, all or
 * none, under one idempotency key; an error names the message that was refused.
 */
final class MessageBatches {
  private static final String MESSAGES = "messages";

  private final ApplicationLookup applications;
  private final MessageSends sends;
  private final Acceptor acceptor;

  MessageBatches(ApplicationLookup applications, MessageSends sends, Acceptor acceptor) {
    this.applications = applications;
    this.sends = sends;
    this.acceptor = acceptor;
  }

  void create(Call call) throws IOException {
    if (acceptor.isFull()) {
      throw ApiError.unavailable("the accept queue is full");
    }
    String application = ApplicationLookup.idText(applications.inPath(call));
    byte[] body = call.body();
    List<byte[]> items = BatchBody.parse(body);
    List<NewMessage> messages = new ArrayList<>(items.size());
    List<Problem> problems = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      try {
        MessageBody message = MessageBody.parse(items.get(i));
        message.refuseUnknown();
        messages.add(sends.message(call, application, message, null));
      } catch (InvalidFields e) {
        problems.addAll(ofItem(i, e.problems()));
      }
    }
    if (!problems.isEmpty()) {
      throw new InvalidFields(problems);
    }
    MessageBatch batch =
        new MessageBatch(messages, IdempotencyKeys.forBatch(call, application, body));
    switch (acceptor.acceptBatch(batch)) {
      case BatchResult.Accepted accepted -> answer(call, accepted);
      case BatchResult.Refused(int item, AcceptResult why) -> throw refusal(item, why);
    }
  }

  private static RuntimeException refusal(int item, AcceptResult why) {
    RuntimeException refusal = MessageSends.refusal(why);
    if (item == BatchResult.Refused.WHOLE) {
      return refusal;
    }
    return switch (refusal) {
      case InvalidFields invalid -> new InvalidFields(ofItem(item, invalid.problems()));
      case ApiError error -> error.in(MESSAGES + "[" + item + "]");
      default -> refusal;
    };
  }

  /** The problems of a message, with its place in the batch. */
  private static List<Problem> ofItem(int item, List<Problem> problems) {
    return problems.stream()
        .map(problem -> new Problem(within(item, problem.loc()), problem.msg(), problem.type()))
        .toList();
  }

  private static List<String> within(int item, List<String> loc) {
    return Stream.concat(
            Stream.of(loc.getFirst(), MESSAGES, Integer.toString(item)), loc.stream().skip(1))
        .toList();
  }

  private static void answer(Call call, BatchResult.Accepted accepted) {
    call.json(
        202,
        out ->
            out.object(
                o ->
                    o.array(
                        "data",
                        places(accepted),
                        (item, place) -> {
                          item.text("id", accepted.ids().get(place).value().text(IdKind.MESSAGE));
                          List<Problem> warnings = accepted.warnings().get(place);
                          if (!warnings.isEmpty()) {
                            Errors.problems(item, "warnings", warnings);
                          }
                        })));
  }

  private static List<Integer> places(BatchResult.Accepted accepted) {
    List<Integer> places = new ArrayList<>(accepted.ids().size());
    for (int i = 0; i < accepted.ids().size(); i++) {
      places.add(i);
    }
    return places;
  }
}

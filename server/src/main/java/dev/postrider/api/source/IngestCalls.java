package dev.postrider.api.source;

import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.tenant.ApplicationLookup;
import dev.postrider.field.FieldValues;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.inbound.RejectedRequest;
import dev.postrider.inbound.RejectedRequestStore;
import dev.postrider.inbound.source.SecretChange;
import dev.postrider.inbound.source.Source;
import dev.postrider.inbound.source.SourceFields;
import dev.postrider.inbound.source.SourceForm;
import dev.postrider.inbound.source.SourceToken;
import dev.postrider.inbound.store.SourceStore;
import dev.postrider.json.Fields;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.UpsertResult;
import dev.postrider.tenant.key.ApiKey;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The API calls of Svix Ingest, which manage the same sources. A source created with them has a
 * secret URL.
 */
final class IngestCalls {
  private static final Duration OLD_URL = Duration.ofHours(24);

  private final ApplicationLookup applications;
  private final SourceStore store;
  private final RejectedRequestStore rejected;
  private final Optional<URI> publicUrl;
  private final SecureRandom random;

  IngestCalls(ApplicationLookup applications, SourceServices sources, SecureRandom random) {
    this.applications = applications;
    this.store = sources.sources();
    this.rejected = sources.rejected();
    this.publicUrl = sources.publicUrl();
    this.random = random;
  }

  private Source inPath(Call call) {
    Source found = store.find(call.environmentId(), call.path("source"));
    if (found == null) {
      throw ApiError.notFound("source");
    }
    return found;
  }

  void list(Call call) {
    Keyset<Id> keyset = call.query().page(text -> Id.parse(IdKind.SOURCE, text));
    Keyset.Page<Source> page = store.list(call.environmentId(), keyset);
    call.json(
        200, Pages.page(page, SourceCalls::idText, (out, source) -> write(call, out, source)));
  }

  void create(Call call) throws IOException {
    Fields fields = call.fields();
    IngestForm form = IngestForm.read(fields, null);
    fields.check();
    Source made =
        store.create(call.environmentId(), form.source(), SecretChange.of(form.secrets()));
    answerCreated(call, withToken(made));
  }

  private Source withToken(Source source) {
    return source.hasToken() || source.form().isCron() ? source : renewed(source, Duration.ZERO);
  }

  private Source renewed(Source source, Duration overlap) {
    store.setToken(source, SourceToken.generate(random), overlap);
    Source after = store.find(source.environmentId(), SourceCalls.idText(source));
    if (after == null) {
      throw ApiError.notFound("source");
    }
    return after;
  }

  void get(Call call) {
    answer(call, 200, inPath(call));
  }

  void put(Call call) throws IOException {
    Fields fields = call.fields();
    String path = call.path("source");
    String name = path.startsWith(IdKind.SOURCE.prefix()) ? inPath(call).form().name() : path;
    IngestForm form = IngestForm.read(fields, name);
    fields.check();
    UpsertResult<Source> saved =
        store.upsert(call.environmentId(), form.source(), SecretChange.of(form.secrets()));
    Source source = withToken(saved.value());
    if (saved.created()) {
      answerCreated(call, source);
    } else {
      answer(call, 200, source);
    }
  }

  void patch(Call call) throws IOException {
    Fields fields = call.fields();
    Source before = inPath(call);
    IngestForm.Patch patch = IngestForm.patch(fields);
    fields.check();
    Source after =
        store.update(
            call.environmentId(), SourceCalls.idText(before), patch::apply, SecretChange.NONE);
    if (after == null) {
      throw ApiError.notFound("source");
    }
    answer(call, 200, after);
  }

  void delete(Call call) {
    if (!store.delete(call.environmentId(), call.path("source"))) {
      throw ApiError.notFound("source");
    }
    call.noContent();
  }

  void rotateToken(Call call) {
    Source source = renewed(inPath(call), OLD_URL);
    call.json(200, out -> out.object(o -> o.textOrNull("ingestUrl", url(call, source))));
  }

  /** The application of the source in the path: the owner of its endpoints. */
  Application application(Call call) {
    return ownerOf(inPath(call));
  }

  private void answer(Call call, int status, Source source) {
    call.json(status, out -> out.object(o -> write(call, o, source)));
  }

  private void answerCreated(Call call, Source source) {
    call.json(201, out -> out.object(o -> write(o, source, url(call, source))));
  }

  /** Without a URL that is a secret, if it is not shown again. */
  private void write(Call call, JsonOut out, Source source) {
    boolean hidden = source.hasToken() && ownerOf(source).hidesSecrets();
    write(out, source, hidden ? null : url(call, source));
  }

  private Application ownerOf(Source source) {
    return applications.named(
        source.environmentId(), source.applicationId().text(IdKind.APPLICATION));
  }

  private static void write(JsonOut out, Source source, @Nullable String url) {
    SourceForm form = source.form();
    Map<String, String> metadata = new TreeMap<>(form.get(SourceFields.METADATA));
    String type = metadata.remove(IngestForm.TYPE);
    String title = metadata.remove(IngestForm.TITLE);
    out.text("id", SourceCalls.idText(source))
        .text("uid", form.name())
        .text("name", title == null ? form.name() : title)
        .textOrNull("ingestUrl", form.isCron() ? null : url)
        .text("type", type == null ? IngestForm.typeOf(form) : type);
    FieldValues cron = form.get(SourceFields.CRON);
    if (cron == null) {
      out.object("config", _ -> {});
    } else {
      out.object(
          "config",
          o ->
              o.text("schedule", cron.get(SourceFields.SCHEDULE))
                  .text("payload", Objects.requireNonNullElse(cron.get(SourceFields.PAYLOAD), ""))
                  .textOrNull("contentType", cron.get(SourceFields.CONTENT_TYPE)));
    }
    out.textsByName("metadata", metadata)
        .time("createdAt", source.createdAtMs())
        .time("updatedAt", source.updatedAtMs());
  }

  /** Null for a read-only key if the URL contains a token. */
  private @Nullable String url(Call call, Source source) {
    if (source.hasToken() && call.key().role() == ApiKey.Role.READ_ONLY) {
      return null;
    }
    String token = source.hasToken() ? store.token(source) : source.key();
    if (token == null) {
      return null;
    }
    String host = call.header(HeaderNames.HOST);
    String base =
        publicUrl
            .map(URI::toString)
            .orElse(
                (call.request().isSecure() ? "https://" : "http://")
                    + (host == null ? "localhost" : host));
    return (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + "/in/" + token;
  }

  /** Rejected requests, as errors. */
  void logs(Call call) {
    Keyset<Id> keyset = call.query().pageNewestFirst(text -> Id.parse(IdKind.REJECTED, text));
    Source source = inPath(call);
    call.json(
        200,
        Pages.searched(
            rejected.list(RejectedRequestStore.Filter.of(source), keyset),
            keyset.backward(),
            IdKind.REJECTED,
            item -> item.id().text(IdKind.REJECTED),
            (out, item) -> log(out, item, source)));
  }

  private static void log(JsonOut out, RejectedRequest item, Source source) {
    byte[] body = item.body();
    out.text("id", item.id().text(IdKind.REJECTED))
        .text("source_id", SourceCalls.idText(source))
        .number("status_code", item.refusal().status())
        .text("error_text", item.refusal().reason() + ": " + item.refusal().detail())
        .textsByName("headers", item.headers())
        .text("payload", body == null ? "" : new String(body, StandardCharsets.UTF_8))
        .time("created_at", item.id().epochMs())
        .time("updated_at", item.id().epochMs());
  }
}

package dev.postrider.api.endpoint;

import static dev.postrider.api.http.RouteAttribute.LENIENT_BODY;
import static dev.postrider.api.http.RouteAttribute.RETURNS_SECRET;

import dev.postrider.api.form.FieldOutput;
import dev.postrider.api.form.JsonOut;
import dev.postrider.api.form.Pages;
import dev.postrider.api.http.ApiError;
import dev.postrider.api.http.Call;
import dev.postrider.api.http.Router;
import dev.postrider.api.http.Scope;
import dev.postrider.api.tenant.HiddenSecrets;
import dev.postrider.endpoint.Endpoint;
import dev.postrider.endpoint.EndpointFields;
import dev.postrider.endpoint.EndpointHealth;
import dev.postrider.endpoint.EndpointSecrets;
import dev.postrider.endpoint.EndpointSpec;
import dev.postrider.endpoint.EndpointStore;
import dev.postrider.endpoint.EndpointStore.NewEndpoint;
import dev.postrider.endpoint.HeaderRules;
import dev.postrider.field.Field;
import dev.postrider.id.Id;
import dev.postrider.id.IdKind;
import dev.postrider.json.Fields;
import dev.postrider.json.InvalidFields;
import dev.postrider.json.Problem;
import dev.postrider.signature.Ed25519Key;
import dev.postrider.signature.HmacKey;
import dev.postrider.signature.SignatureScheme;
import dev.postrider.signature.SigningKey;
import dev.postrider.signature.SigningKeyGenerator;
import dev.postrider.storage.Keyset;
import dev.postrider.tenant.Application;
import dev.postrider.tenant.Grant;
import dev.postrider.tenant.UpsertResult;
import dev.postrider.tenant.key.ApiKey;
import dev.postrider.tenant.key.Capability;
import io.helidon.http.HeaderNames;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The API calls for endpoints, with their headers and secrets. */
public final class EndpointCalls {
  private static final String READS_SECRET = "svix-libs/2.";
  private static final List<Field<?>> SHAPING =
      List.of(
          EndpointFields.FILTER,
          EndpointFields.TRANSFORM,
          EndpointFields.TRANSFORM_ENABLED,
          EndpointFields.SEND_ORIGINAL_ON_TRANSFORM_ERROR);

  private final EndpointOwner owner;
  private final EndpointLookup lookup;
  private final EndpointStore store;
  private final EndpointSecrets secrets;
  private final EndpointChecks checks;
  private final SigningKeyGenerator generator;

  public EndpointCalls(EndpointOwner owner, EndpointDependencies services) {
    this.owner = owner;
    this.lookup = services.lookup();
    this.store = services.store();
    this.secrets = services.secrets();
    this.checks = services.checks();
    this.generator = services.signingKeys();
  }

  /**
   * The calls that the endpoints of applications, operational webhooks and sources have in common.
   *
   * @param list the path of the list
   */
  public void register(Router routes, String list, Scope scope) {
    String one = list + "/{endpoint}";
    routes.get(list, scope, this::list);
    routes.post(list, scope, this::create, LENIENT_BODY);
    routes.get(one, scope, this::get);
    routes.put(one, scope, this::put, LENIENT_BODY);
    routes.delete(one, scope, this::delete);
    routes.get(one + "/headers", scope, this::headers);
    routes.put(one + "/headers", scope, this::putHeaders, LENIENT_BODY);
    routes.get(one + "/secret", scope, this::secret, RETURNS_SECRET);
  }

  private void list(Call call) {
    Keyset<Id> keyset = call.query().pageNewestFirst(text -> Id.parse(IdKind.ENDPOINT, text));
    String health = call.query().oneOfTexts("health", EndpointHealth.TEXTS);
    Application application = owner.inPath(call);
    Keyset.Page<Endpoint> page =
        store.list(application.id(), keyset, health == null ? null : EndpointHealth.of(health));
    call.json(
        200,
        Pages.page(
            page,
            EndpointCalls::idText,
            (out, endpoint) -> write(out, AlertUrls.shown(call, application, endpoint))));
  }

  /** Fields that decide what is sent need a capability of their own. */
  private static Fields endpointFields(Call call) throws IOException {
    Fields fields = call.fields();
    Set<Capability> capabilities = call.key().capabilities();
    boolean shapes = SHAPING.stream().anyMatch(field -> fields.has(field.name()));
    if (shapes
        && capabilities != null
        && !capabilities.contains(Capability.MANAGE_TRANSFORMATIONS)) {
      throw ApiError.forbidden(
          "this token does not have the capability " + Capability.MANAGE_TRANSFORMATIONS.text());
    }
    return fields;
  }

  private void create(Call call) throws IOException {
    Application application = owner.inPath(call);
    Fields fields = endpointFields(call);
    EndpointForm form = EndpointForm.whole(fields, null, checks, application);
    EndpointSpec spec = subscribed(fields, application, form.fresh());
    Grant grant = grant(call, fields, application, spec);
    requireUsableSecret(fields, application, spec);
    SigningKey key = form.key(generator);
    Endpoint created = store.create(application, new NewEndpoint(spec, key, form.headers()), grant);
    if (created == null) {
      throw ApiError.notFound("application");
    }
    answerCreated(call, application, created, key);
  }

  /** The application's own choice for endpoints that are created without event types. */
  private static EndpointSpec subscribed(
      Fields fields, Application application, EndpointSpec spec) {
    List<String> byDefault = application.spec().settings().defaultSubscription();
    boolean chosen = fields.has("eventTypes") || fields.has("filterTypes");
    return chosen || byDefault.isEmpty()
        ? spec
        : spec.with(EndpointFields.SUBSCRIPTIONS, byDefault);
  }

  /**
   * A credential of the application must stay within the grant of the application. A credential of
   * the environment raises the grant.
   *
   * @param given the endpoint in the request
   * @return the new grant of the application when the endpoint is stored
   */
  private static Grant grant(
      Call call, Fields fields, Application application, EndpointSpec given) {
    Grant needed = given.neededGrant();
    if (call.key().applicationId() == null) {
      return needed;
    }
    Grant grant = application.spec().settings().grant();
    if (!Objects.equals(grant.inFlight(needed.maxInFlight()), needed.maxInFlight())) {
      fields.problem("maxInFlight", beyond("at most " + grant.mostInFlight()));
    }
    if (!Objects.equals(grant.timeout(needed.timeoutMs()), needed.timeoutMs())) {
      fields.problem("timeoutMs", beyond("at most " + grant.longestTimeoutMs()));
    }
    if (needed.fifo() && !grant.fifo()) {
      fields.problem("ordering", beyond("none"));
    }
    fields.check();
    return Grant.DEFAULT;
  }

  private static String beyond(String limit) {
    return "must be "
        + limit
        + ", the limit of the application; an API key of the environment can raise it";
  }

  private static boolean choosesSignature(Fields fields) {
    return fields.has("signatureScheme") || fields.has("useApplicationSecret");
  }

  /**
   * The application has a secret if the endpoint uses it, and the scheme of the endpoint can sign
   * with it.
   */
  private void requireUsableSecret(Fields fields, Application application, EndpointSpec spec) {
    if (!spec.get(EndpointFields.USE_APPLICATION_SECRET)) {
      return;
    }
    SigningKey key = secrets.ensureApplicationKey(application, generator);
    if (!SignatureScheme.of(spec.get(EndpointFields.SIGNATURE_SCHEME)).canSignWith(key)) {
      fields.problem(
          "signatureScheme",
          "sha256 signs with a shared secret, but the secret of the application is an Ed25519 key;"
              + " set useApplicationSecret to false, or rotate the secret of the application to a"
              + " key that starts with whsec_");
      fields.check();
    }
  }

  /** With a key that its scheme cannot sign with, all deliveries of an endpoint would fail. */
  private void requireUsableKey(
      Fields fields, Application application, Endpoint endpoint, EndpointSpec after) {
    if (after.get(EndpointFields.USE_APPLICATION_SECRET)) {
      requireUsableSecret(fields, application, after);
      return;
    }
    SigningKey key = secrets.own(application, endpoint);
    if (key != null
        && !SignatureScheme.of(after.get(EndpointFields.SIGNATURE_SCHEME)).canSignWith(key)) {
      fields.problem(
          "signatureScheme",
          "sha256 signs with a shared secret, but the key of the endpoint is an Ed25519 key;"
              + " rotate it to a key that starts with whsec_ first");
      fields.check();
    }
  }

  /**
   * The secret that endpoints with {@code useApplicationSecret} sign with; created at the first
   * read by a caller with write access.
   */
  void applicationSecret(Call call) {
    Application application = owner.inPath(call);
    SigningKey known = secrets.applicationKey(application);
    if (known != null) {
      HiddenSecrets.refuseIfHidden(application);
    }
    if (known == null && !mayMakeSecrets(call.key())) {
      throw ApiError.notFound("secret");
    }
    show(call, known == null ? secrets.ensureApplicationKey(application, generator) : known);
  }

  private static boolean mayMakeSecrets(ApiKey key) {
    return key.role() == ApiKey.Role.FULL
        && (key.capabilities() == null
            || key.capabilities().contains(Capability.MANAGE_ENDPOINT_SECRET));
  }

  void rotateApplicationSecret(Call call) throws IOException {
    Application application = owner.inPath(call);
    Fields fields = call.fieldsIfAny();
    SigningKey current = secrets.applicationKey(application);
    SigningKey key =
        EndpointForm.rotatedKey(fields, SignatureScheme.byDefault(), current, generator);
    Duration overlap = overlap(fields);
    fields.check();
    secrets.ensureApplicationKey(application, generator);
    if (!secrets.rotateApplication(application, key, overlap)) {
      throw ApiError.notFound("application");
    }
    answerRotated(call, application, key);
  }

  private static Duration overlap(Fields fields) {
    Long grace = fields.number("gracePeriodSeconds", 0, EndpointSecrets.MAX_OVERLAP.toSeconds());
    return grace == null ? EndpointSecrets.DEFAULT_OVERLAP : Duration.ofSeconds(grace);
  }

  private void get(Call call) {
    Application application = owner.inPath(call);
    answer(call, 200, AlertUrls.shown(call, application, lookup.inPath(call, application)));
  }

  private void put(Call call) throws IOException {
    Application application = owner.inPath(call);
    String name = call.path("endpoint");
    Fields fields = endpointFields(call);
    EndpointForm form = EndpointForm.whole(fields, name, checks, application);
    EndpointSpec fresh = subscribed(fields, application, form.fresh());
    Grant grant = grant(call, fields, application, fresh);
    if (choosesSignature(fields)) {
      Endpoint known = store.find(application.id(), name);
      if (known == null) {
        requireUsableSecret(fields, application, fresh);
      } else {
        requireUsableKey(fields, application, known, form.change().apply(known.spec()));
      }
    }
    SigningKey key = form.key(generator);
    UpsertResult<Endpoint> saved =
        store.upsert(
            application, name, new NewEndpoint(fresh, key, form.headers()), form.change(), grant);
    if (saved == null) {
      throw ApiError.notFound("endpoint");
    }
    if (saved.created()) {
      answerCreated(call, application, saved.value(), key);
    } else {
      answer(call, 200, AlertUrls.shown(call, application, saved.value()));
    }
  }

  void patch(Call call) throws IOException {
    Application application = owner.inPath(call);
    Fields fields = endpointFields(call);
    EndpointForm form = EndpointForm.part(fields, checks, application);
    Grant grant = grant(call, fields, application, form.fresh());
    if (choosesSignature(fields)) {
      Endpoint known = lookup.inPath(call, application);
      requireUsableKey(fields, application, known, form.change().apply(known.spec()));
    }
    answer(
        call,
        200,
        AlertUrls.shown(
            call,
            application,
            EndpointLookup.present(
                store.update(application.id(), call.path("endpoint"), form.change(), grant))));
  }

  private void delete(Call call) {
    if (!store.delete(owner.inPath(call).id(), call.path("endpoint"))) {
      throw ApiError.notFound("endpoint");
    }
    call.noContent();
  }

  /** Values that are secret are named but not shown. */
  private void headers(Call call) {
    Application application = owner.inPath(call);
    Map<String, String> shown =
        new TreeMap<>(secrets.headers(application, lookup.inPath(call, application)));
    List<String> sensitive = new ArrayList<>();
    shown.keySet().stream().filter(HeaderRules::sensitive).forEach(sensitive::add);
    sensitive.forEach(shown::remove);
    call.json(
        200, out -> out.object(o -> o.textsByName("headers", shown).texts("sensitive", sensitive)));
  }

  private void putHeaders(Call call) throws IOException {
    Application application = owner.inPath(call);
    Endpoint endpoint = lookup.inPath(call, application);
    Fields fields = call.fields();
    requireHeaders(fields);
    Map<String, String> headers = EndpointForm.headers(fields);
    fields.check();
    finish(call, secrets.putHeaders(application, endpoint, headers));
  }

  void patchHeaders(Call call) throws IOException {
    Application application = owner.inPath(call);
    Endpoint endpoint = lookup.inPath(call, application);
    Fields fields = call.fields();
    if (!fields.has("deleteHeaders")) {
      requireHeaders(fields);
    }
    Map<String, Optional<String>> changes = EndpointForm.headerChanges(fields);
    fields.check();
    finish(call, secrets.patchHeaders(application, endpoint, changes));
  }

  private static void requireHeaders(Fields fields) {
    if (!fields.has("headers")) {
      throw new InvalidFields(
          new Problem(List.of("body", "headers"), "is required", Problem.MISSING));
    }
  }

  private static void finish(Call call, boolean done) {
    if (!done) {
      throw ApiError.notFound("endpoint");
    }
    call.noContent();
  }

  /**
   * The key that a receiver verifies with: the secret itself, or the public half of an asymmetric
   * one.
   */
  private void secret(Call call) {
    Application application = owner.inPath(call);
    SigningKey key = secrets.current(application, lookup.inPath(call, application));
    if (key == null) {
      throw ApiError.notFound("secret");
    }
    HiddenSecrets.refuseIfHidden(application);
    show(call, key);
  }

  private static void show(Call call, SigningKey key) {
    call.json(200, out -> out.object(o -> o.text("key", shown(key))));
  }

  private static String shown(SigningKey key) {
    return switch (key) {
      case HmacKey hmac -> hmac.text();
      case Ed25519Key ed25519 -> ed25519.publicKey().text();
    };
  }

  private static boolean mayReadSecrets(Call call) {
    Set<Capability> capabilities = call.key().capabilities();
    return capabilities == null || capabilities.contains(Capability.VIEW_ENDPOINT_SECRET);
  }

  /** Without a body as from Svix, unless the new secret could not be read later. */
  private static void answerRotated(Call call, Application application, SigningKey key) {
    if (application.hidesSecrets() && mayReadSecrets(call)) {
      show(call, key);
    } else {
      call.noContent();
    }
  }

  /** With the secret that cannot be read later; one of the application is not that of a new one. */
  private static void answerCreated(
      Call call, Application application, Endpoint created, SigningKey key) {
    boolean shows =
        application.hidesSecrets()
            && mayReadSecrets(call)
            && !created.spec().get(EndpointFields.USE_APPLICATION_SECRET);
    call.json(
        201,
        out ->
            out.object(
                o -> {
                  write(o, created);
                  if (shows) {
                    o.text("secret", shown(key));
                  }
                }));
  }

  /**
   * The same for clients of the second generation of Svix, which read the new secret from the
   * response. Other clients get no body, as from self-hosted Svix.
   */
  void rotateAndShow(Call call) throws IOException {
    String client = call.header(HeaderNames.USER_AGENT);
    if (client == null || !client.startsWith(READS_SECRET) || !mayReadSecrets(call)) {
      rotate(call);
      return;
    }
    Application application = owner.inPath(call);
    SigningKey key = rotated(call, application);
    show(call, key);
  }

  public void rotate(Call call) throws IOException {
    Application application = owner.inPath(call);
    answerRotated(call, application, rotated(call, application));
  }

  private SigningKey rotated(Call call, Application application) throws IOException {
    Endpoint endpoint = lookup.inPath(call, application);
    Fields fields = call.fieldsIfAny();
    SigningKey current = secrets.current(application, endpoint);
    SigningKey key =
        EndpointForm.rotatedKey(
            fields,
            SignatureScheme.of(endpoint.spec().get(EndpointFields.SIGNATURE_SCHEME)),
            current,
            generator);
    Duration overlap = overlap(fields);
    fields.check();
    if (!secrets.rotate(application, endpoint, key, overlap)) {
      throw ApiError.notFound("endpoint");
    }
    return key;
  }

  private static void answer(Call call, int status, Endpoint endpoint) {
    call.json(status, out -> out.object(o -> write(o, endpoint)));
  }

  public static String idText(Endpoint endpoint) {
    return endpoint.id().text();
  }

  public static void write(JsonOut out, Endpoint endpoint) {
    out.text("id", idText(endpoint));
    FieldOutput.write(out, EndpointFields.ALL, endpoint.spec().values());
    out.textOrNull("disabledReason", endpoint.disabledReason())
        .timeOrNull("disabledAt", endpoint.disabledAt())
        .time("createdAt", endpoint.createdAt())
        .time("updatedAt", endpoint.updatedAt());
  }
}

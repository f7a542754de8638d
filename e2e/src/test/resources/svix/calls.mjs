// Calls every method of the official JavaScript client; one line of JSON for each. Those that the server has are called with
// what they need, all others with whatever: they must answer 501.
import { Svix } from 'svix';

const [url, token, target, attempt, task, since] = process.argv.slice(2);
const svix = new Svix(token, { serverUrl: url });
const moment = new Date(since);
let made;

const calls = {
  'application.create': () => svix.application.create({ name: 'J', uid: 'js' }),
  'application.getOrCreate': () => svix.application.getOrCreate({ name: 'J', uid: 'js' }),
  'application.get': () => svix.application.get('js'),
  'application.list': () => svix.application.list(),
  'application.upsert': () => svix.application.upsert('js', { name: 'K' }),
  'application.patch': () => svix.application.patch('js', { name: 'L' }),
  'application.delete': () => svix.application.delete('js'),
  'endpoint.create': () => svix.endpoint.create('acme', { url: target, uid: 'js', headers: { 'X-A': '1' } }),
  'endpoint.get': () => svix.endpoint.get('acme', 'js'),
  'endpoint.list': () => svix.endpoint.list('acme'),
  'endpoint.upsert': () => svix.endpoint.upsert('acme', 'js', { url: target, uid: 'js' }),
  'endpoint.patch': () => svix.endpoint.patch('acme', 'js', { description: 'd' }),
  'endpoint.getSecret': () => svix.endpoint.getSecret('acme', 'js'),
  'endpoint.rotateSecret': () => svix.endpoint.rotateSecret('acme', 'js', {}),
  'endpoint.getHeaders': () => svix.endpoint.getHeaders('acme', 'js'),
  'endpoint.setHeaders': () => svix.endpoint.setHeaders('acme', 'js', { headers: { 'X-A': '1' } }),
  'endpoint.patchHeaders': () => svix.endpoint.patchHeaders('acme', 'js', { headers: { 'X-B': '1' } }),
  'endpoint.getStats': () => svix.endpoint.getStats('acme', 'js'),
  'endpoint.recover': () => svix.endpoint.recover('acme', 'js', { since: moment }),
  'endpoint.replayMissing': () => svix.endpoint.replayMissing('acme', 'js', { since: moment }),
  'endpoint.bulkReplay': () => svix.endpoint.bulkReplay('acme', 'js', { since: moment }),
  'endpoint.sendExample': () => svix.endpoint.sendExample('acme', 'js', { eventType: 'a.b' }),
  'endpoint.transformation.patch': () => svix.endpoint.transformation.patch('acme', 'js', { code: '{"a": payload.x}', enabled: true }),
  'endpoint.transformation.get': () => svix.endpoint.transformation.get('acme', 'js'),
  'endpoint.transformationPartialUpdate': () => svix.endpoint.transformationPartialUpdate('acme', 'js', { code: '{"b": payload.x}', enabled: true }),
  'endpoint.delete': () => svix.endpoint.delete('acme', 'js'),
  'message.create': () => svix.message.create('acme', { eventType: 'a.b', payload: { from: 'js' }, eventId: 'js1' }),
  'message.list': () => svix.message.list('acme'),
  'message.get': () => svix.message.get('acme', 'js1'),
  'message.precheck': () => svix.message.precheck('acme', { eventType: 'a.b' }),
  'messageAttempt.listByEndpoint': () => svix.messageAttempt.listByEndpoint('acme', 'main'),
  'messageAttempt.listByMsg': () => svix.messageAttempt.listByMsg('acme', 'ev1'),
  'messageAttempt.listAttemptedMessages': () => svix.messageAttempt.listAttemptedMessages('acme', 'main'),
  'messageAttempt.listAttemptedDestinations': () => svix.messageAttempt.listAttemptedDestinations('acme', 'ev1'),
  'messageAttempt.get': () => svix.messageAttempt.get('acme', 'ev1', attempt),
  'messageAttempt.resend': () => svix.messageAttempt.resend('acme', 'ev1', 'main'),
  'messageAttempt.expungeContent': () => svix.messageAttempt.expungeContent('acme', 'ev1', attempt),
  'message.expungeContent': () => svix.message.expungeContent('acme', 'ev1'),
  'message.bulkExpungeContent': () => svix.message.bulkExpungeContent('acme', { ids: ['js1'] }),
  'message.expungeAllContents': () => svix.message.expungeAllContents('other'),
  'message.poller.poll': () => svix.message.poller.poll('acme', 'pulled'),
  'message.poller.consumerPoll': () => svix.message.poller.consumerPoll('acme', 'pulled', 'js'),
  'message.poller.consumerSeek': () => svix.message.poller.consumerSeek('acme', 'pulled', 'js', { after: moment }),
  'integration.create': async () => { made = await svix.integration.create('acme', { name: 'J' }); },
  'integration.list': () => svix.integration.list('acme'),
  'integration.get': () => svix.integration.get('acme', made.id),
  'integration.update': () => svix.integration.update('acme', made.id, { name: 'K' }),
  'integration.rotateKey': () => svix.integration.rotateKey('acme', made.id),
  'integration.delete': () => svix.integration.delete('acme', made.id),
  'ingest.source.create': () => svix.ingest.source.create({ name: 'Js', uid: 'js', type: 'generic-webhook' }),
  'ingest.source.get': () => svix.ingest.source.get('js'),
  'ingest.source.list': () => svix.ingest.source.list(),
  'ingest.source.upsert': () => svix.ingest.source.upsert('js', { name: 'Js', uid: 'js', type: 'generic-webhook' }),
  'ingest.source.rotateToken': () => svix.ingest.source.rotateToken('js'),
  'ingest.endpoint.create': () => svix.ingest.endpoint.create('js', { url: target, uid: 'e' }),
  'ingest.endpoint.get': () => svix.ingest.endpoint.get('js', 'e'),
  'ingest.endpoint.list': () => svix.ingest.endpoint.list('js'),
  'ingest.endpoint.upsert': () => svix.ingest.endpoint.upsert('js', 'e', { url: target, uid: 'e' }),
  'ingest.endpoint.getSecret': () => svix.ingest.endpoint.getSecret('js', 'e'),
  'ingest.endpoint.rotateSecret': () => svix.ingest.endpoint.rotateSecret('js', 'e', {}),
  'ingest.endpoint.getHeaders': () => svix.ingest.endpoint.getHeaders('js', 'e'),
  'ingest.endpoint.setHeaders': () => svix.ingest.endpoint.setHeaders('js', 'e', { headers: { 'X-A': '1' } }),
  'ingest.endpoint.transformation.patch': () => svix.ingest.endpoint.transformation.patch('js', 'e', { code: '{"a": payload.x}', enabled: true }),
  'ingest.endpoint.transformation.get': () => svix.ingest.endpoint.transformation.get('js', 'e'),
  'ingest.endpoint.delete': () => svix.ingest.endpoint.delete('js', 'e'),
  'ingest.source.delete': () => svix.ingest.source.delete('js'),
  'health.get': () => svix.health.get(),
  'authentication.logout': async () => { const { token: own } = await svix.authentication.appPortalAccess('acme', {}); await new Svix(own, { serverUrl: url }).authentication.logout(); },
  'eventType.create': () => svix.eventType.create({ name: 'js.type', description: 'd' }),
  'eventType.get': () => svix.eventType.get('js.type'),
  'eventType.list': () => svix.eventType.list(),
  'eventType.upsert': () => svix.eventType.upsert('js.type', { description: 'e' }),
  'eventType.patch': () => svix.eventType.patch('js.type', { description: 'f' }),
  'eventType.importOpenapi': () => svix.eventType.importOpenapi({ specRaw: 'openapi: 3.1.0\nwebhooks: {imported: {post: {}}}' }),
  'eventType.delete': () => svix.eventType.delete('js.type'),
  'authentication.appPortalAccess': () => svix.authentication.appPortalAccess('acme', {}),
  'authentication.expireAll': () => svix.authentication.expireAll('acme', {}),
  'backgroundTask.list': () => svix.backgroundTask.list(),
  'backgroundTask.get': () => svix.backgroundTask.get(task),
  'statistics.aggregateAppStats': () => svix.statistics.aggregateAppStats({ since: moment, until: new Date(moment.getTime() + 60000) }),
  'statistics.aggregateEventTypes': () => svix.statistics.aggregateEventTypes(),
  'operationalWebhook.endpoint.create': () => svix.operationalWebhook.endpoint.create({ url: target, uid: 'js' }),
  'operationalWebhook.endpoint.get': () => svix.operationalWebhook.endpoint.get('js'),
  'operationalWebhook.endpoint.list': () => svix.operationalWebhook.endpoint.list(),
  'operationalWebhook.endpoint.upsert': () => svix.operationalWebhook.endpoint.upsert('js', { url: target, uid: 'js' }),
  'operationalWebhook.endpoint.getSecret': () => svix.operationalWebhook.endpoint.getSecret('js'),
  'operationalWebhook.endpoint.rotateSecret': () => svix.operationalWebhook.endpoint.rotateSecret('js', {}),
  'operationalWebhook.endpoint.getHeaders': () => svix.operationalWebhook.endpoint.getHeaders('js'),
  'operationalWebhook.endpoint.setHeaders': () => svix.operationalWebhook.endpoint.setHeaders('js', { headers: { 'X-A': '1' } }),
  'operationalWebhook.endpoint.delete': () => svix.operationalWebhook.endpoint.delete('js'),
};

/** The names of all methods, those of the client's parts with a dot. */
function methods(part, prefix) {
  const names = [];
  const type = Object.getPrototypeOf(part);
  for (const name of Object.getOwnPropertyNames(type)) {
    const property = Object.getOwnPropertyDescriptor(type, name);
    if (property.get) {
      names.push(...methods(part[name], `${prefix}${name}.`));
    } else if (name !== 'constructor') {
      names.push(prefix + name);
    }
  }
  return names;
}

// A name that is also a body with the list that the client itself walks through.
const something = Object.assign(new String('acme'), { events: [] });

async function outcome(call) {
  try {
    await call();
    return 'yes';
  } catch (error) {
    return error.code === 501 ? '501' : `${error.code ?? ''} ${JSON.stringify(error.body ?? String(error))}`;
  }
}

for (const [name, call] of Object.entries(calls)) {
  console.log(JSON.stringify({ name, works: await outcome(call) }));
}
for (const name of methods(svix, '')) {
  if (!(name in calls)) {
    const way = name.split('.');
    const last = way.pop();
    const part = way.reduce((at, step) => at[step], svix);
    const anything = Array.from({ length: part[last].length }, () => something);
    console.log(JSON.stringify({ name, works: await outcome(() => part[last](...anything)) }));
  }
}

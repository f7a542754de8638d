// Calls what the server has by the official JavaScript client; one line of JSON for each call.
import { Svix } from 'svix';

const [url, token, target, attempt, task, since] = process.argv.slice(2);
const svix = new Svix(token, { serverUrl: url });
const moment = new Date(since);

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
  'message.expungeAllContents': () => svix.message.expungeAllContents('other'),
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
  'operationalWebhook.endpoint.delete': () => svix.operationalWebhook.endpoint.delete('js'),
};

for (const [name, call] of Object.entries(calls)) {
  let result;
  try {
    await call();
    result = { name, works: true };
  } catch (error) {
    result = { name, works: false, why: `${error.code ?? ''} ${JSON.stringify(error.body ?? String(error))}` };
  }
  console.log(JSON.stringify(result));
}

import { createSign } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { staticCredentials } from '../../../src/cluster/credentials/credentials.js';
import { settingsOf } from '../../support/exporter.js';
import { send } from '../../support/http-get.js';
import type { Json } from '../../support/manifests/documents.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { startApp } from '../../support/started-app.js';
import { createAll, namespace, node, pod } from './cluster-objects.js';
import { extraGrantsOf } from './extra-grants.js';
import { Mirror, MountedAccount } from './mirror.js';
import { applyShipped, serviceAccount } from './shipped.js';

/** The API server accepts a token for a minute after it has expired. */
const leewaySeconds = 60;

/** The same token with another time of expiry, signed with the server's own key. */
function expiringIn(server: RealApiServer, token: string, seconds: number): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Json;
  const exp = Math.floor(Date.now() / 1000) + seconds;
  const changed = Buffer.from(JSON.stringify({ ...claims, exp })).toString('base64url');
  const key = readFileSync(server.file('accounts.key'), 'utf8');
  const signature = createSign('RSA-SHA256').update(`${header}.${changed}`).sign(key, 'base64url');
  return `${header}.${changed}.${signature}`;
}

describe.skipIf(!hasRealApiServer())('access to a real API server (needs api-server and kubectl)', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await RealApiServer.start();
    applyShipped(server, ['kubernetes-authorization']);
    await createAll(server, 'namespaces', [namespace('shop'), namespace('monitoring')]);
    await createAll(server, 'nodes', [node('node-0')]);
    await createAll(server, 'pods', [pod('cart', 'node-0')]);
    for (const name of ['prometheus-k8s', 'other']) {
      const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
      await server.request('/api/v1/namespaces/monitoring/serviceaccounts', { method: 'POST', body });
    }
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it('access consists of what every service account may do and what the roles grant, and nothing else', async () => {
    const { namespace, name } = serviceAccount;
    expect(await extraGrantsOf(server, namespace, name)).toEqual([
      'create authentication.k8s.io/tokenreviews',
      'create authorization.k8s.io/subjectaccessreviews',
      'get /nodes/stats',
      'list /nodes',
      'list /pods',
      'watch /nodes',
      'watch /pods',
    ]);
  });

  it('access ends with the role binding: what is known stays, and the rule is named', async () => {
    await using mirror = await Mirror.start(server);
    await mirror.pause();
    server.kubectl(['delete', 'clusterrolebinding', 'ephemeral-storage-exporter']);
    const account = new MountedAccount(server, 'unbound');
    await account.mount();
    await using denied = await Mirror.of(server, account);
    // The authorizer learns of the deletion from a watch.
    await denied.until(() => denied.countOf('pods list forbidden') > 0 && denied.countOf('nodes list forbidden') > 0);
    const message = denied.store.lists.unsynced().find(({ name }) => name === 'pods')?.message;
    expect(message).toContain('cannot list resource "pods" in API group "" at the cluster scope');
    expect(message).toContain('grant it with the RBAC rule {apiGroups: [""], resources: ["pods"], verbs: ["list"]}');
    mirror.resume();
    await mirror.until(() => mirror.countOf('pods watch forbidden') > 0);
    expect(Array.from(mirror.store.pods(), ({ name }) => name)).toEqual(['cart']);
    applyShipped(server, ['kubernetes-authorization']);
    await denied.equalsKubectl();
  });

  it('access goes on when an expired token is replaced in its file', async () => {
    const account = new MountedAccount(server, 'expiring');
    const { namespace, name } = serviceAccount;
    const whole = await server.serviceAccountToken(namespace, name);
    await account.mount(expiringIn(server, whole, 3 - leewaySeconds));
    await using mirror = await Mirror.of(server, account);
    await mirror.until(() => mirror.store.lists.isComplete);
    await expect
      .poll(async () => (await server.call('/api/v1/nodes', { token: account.token })).status, { timeout: 30_000 })
      .toBe(401);
    // A watch outlives its token; the next request does not.
    await mirror.pause();
    mirror.resume();
    await mirror.until(() => mirror.countOf('pods watch unauthorized') > 0);
    await createAll(server, 'pods', [pod('after-expiry', 'node-0')]);
    expect(mirror.store.findPod('shop', 'after-expiry')).toBeUndefined();
    await account.mount();
    await mirror.equalsKubectl();
    expect(mirror.countOf('pods list success')).toBe(1);
  });

  it('a token that is replaced before it expires is never refused', async () => {
    const account = new MountedAccount(server, 'rotated');
    await account.mount();
    await using mirror = await Mirror.of(server, account);
    await mirror.until(() => mirror.store.lists.isComplete);
    const before = account.token;
    await account.mount();
    expect(account.token).not.toBe(before);
    await mirror.clock.advance(60_000);
    await mirror.pause();
    mirror.resume();
    await createAll(server, 'pods', [pod('after-rotation', 'node-0')]);
    await mirror.equalsKubectl();
    expect(mirror.happened.filter((what) => what.includes('unauthorized'))).toEqual([]);
  });

  it('access of readers is reviewed with the shipped role, for tokens with the audience of the API server', async () => {
    const token = await server.serviceAccountToken(serviceAccount.namespace, serviceAccount.name);
    const log: string[] = [];
    await using app = await startApp({
      config: settingsOf(`web: {authorization: kubernetes}`),
      credentials: staticCredentials({ server: new URL(server.url), ca: server.caPem, token }),
      logger: recordingLogger(log),
    });
    const scrape = async (reader?: string): Promise<number> => {
      const headers = reader === undefined ? {} : { authorization: `Bearer ${reader}` };
      return (await send({ port: app.ports[0] ?? 0, path: '/metrics', headers })).status;
    };
    const tokenOf = (name: string, wanted?: readonly string[]) =>
      server.serviceAccountToken('monitoring', name, wanted);
    expect(await scrape()).toBe(401);
    expect(await scrape('x')).toBe(401);
    expect(await scrape(await tokenOf('prometheus-k8s', ['another.example']))).toBe(401);
    expect(await scrape(await tokenOf('other'))).toBe(403);
    expect(log.join('')).toContain('system:serviceaccount:monitoring:other');
    expect(await scrape(await tokenOf('prometheus-k8s'))).toBe(200);
  });
});

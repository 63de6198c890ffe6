// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { Credentials } from '../../src/cluster/credentials/credentials.js';
import { loadCredentials } from '../../src/cluster/credentials/load-credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { directTransport } from '../../src/cluster/kubelet/direct-transport.js';
import { httpProxy, LoopbackServer, textOf } from '../http/loopback-server.js';
import { aNode } from '../support/builders.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { temporaryFolder } from '../support/programs.js';
import { never } from '../support/signals.js';

const apiHost = 'api.cluster.test';
const clock = new ManualClock();

/** Of a kubeconfig without a proxy. */
async function credentialsFor(
  server: string,
  ca: string,
  environment: Readonly<Record<string, string>>,
): Promise<Credentials> {
  await using folder = await temporaryFolder();
  const kubeconfigPath = join(folder.path, 'config');
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const named = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 't' } }],
  };
  await writeFile(kubeconfigPath, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...named }));
  return await loadCredentials({ kubeconfigPath, environment, homeDir: folder.path, clock });
}

async function pairFor(authority: TestAuthority): Promise<KeyPair> {
  return authority.issueServer({ dnsNames: [apiHost] });
}

it.each(['HTTPS_PROXY', 'https_proxy'])('requests to the API server go through the proxy of $%s', async (variable) => {
  const authority = await TestAuthority.create();
  await using server = await LoopbackServer.listenTls(await pairFor(authority));
  const tunnels: string[] = [];
  await using proxy = await httpProxy(tunnels);
  const url = `https://${apiHost}:${server.port}`;
  const credentials = await credentialsFor(url, authority.certificate, { [variable]: proxy.url.host });
  using api = new ApiClient({ credentials, clock, version: '0' });
  expect(await textOf(api.open({ path: '/api' }, never))).toBe('{}');
  expect(tunnels).toEqual([`${apiHost}:${server.port}`]);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer t');
});

it('kubelets are reached without a proxy', async () => {
  const authority = await TestAuthority.create();
  await using kubelet = await LoopbackServer.listenTls(await authority.issueServer());
  const tunnels: string[] = [];
  await using proxy = await httpProxy(tunnels);
  const environment = { HTTPS_PROXY: proxy.url.href };
  const credentials = await credentialsFor(`https://${apiHost}`, authority.certificate, environment);
  expect(credentials.proxyUrl?.host).toBe(proxy.url.host);
  using transport = directTransport({
    addressTypes: ['InternalIP'],
    port: kubelet.port,
    credentials,
    clock,
    version: '0',
    maxKeptConnections: 1,
    isApiServerAway: () => false,
  });
  const node = aNode({ name: 'n1', addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] });
  expect(await textOf(transport.locate(node, '/stats/summary').open(never))).toBe('{}');
  expect(tunnels).toEqual([]);
});

// @module-tag sockets

import { expect, it } from 'vitest';

import type { Credentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { directTransport } from '../../src/cluster/kubelet/direct-transport.js';
import { httpProxy, LoopbackServer, textOf } from '../http/loopback-server.js';
import { aNode } from '../support/builders.js';
import { TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';
import { base64, CredentialFolder, kubeconfig } from './credential-folder.js';

const apiHost = 'api.cluster.test';
const clock = new ManualClock();

/** Of a kubeconfig without a proxy. */
async function credentialsFor(
  server: string,
  ca: string,
  environment: Readonly<Record<string, string>>,
): Promise<Credentials> {
  await using folder = await CredentialFolder.create();
  const cluster = { server, 'certificate-authority-data': base64(ca) };
  return await folder.load({
    kubeconfigPath: await folder.writeKubeconfig('config', kubeconfig({ token: 't' }, cluster)),
    environment,
  });
}

it('requests to the API server go through the proxy of the environment', async () => {
  const authority = await TestAuthority.create();
  await using server = await LoopbackServer.listenTls(await authority.issueServer({ dnsNames: [apiHost] }));
  const tunnels: string[] = [];
  await using proxy = await httpProxy(tunnels);
  const url = `https://${apiHost}:${server.port}`;
  const credentials = await credentialsFor(url, authority.certificate, { HTTPS_PROXY: proxy.url.host });
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

// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';

import { beforeAll, describe, expect, test } from 'vitest';

import { kubeletCredentials } from '../../src/cluster/credentials/kubelet-credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { directTransport } from '../../src/cluster/kubelet/direct-transport.js';
import { CredentialFolder } from '../credentials/credential-folder.js';
import { aNode } from '../support/builders.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { untilEnd } from '../support/fixtures.js';
import { never } from '../support/signals.js';
import { failureOf, LoopbackServer, textOf } from './loopback-server.js';

interface Issuer {
  readonly ca: string;
  readonly pair: KeyPair;
}

let before: Issuer;
let after: Issuer;

beforeAll(async () => {
  [before, after] = (await Promise.all(
    ['before', 'after'].map(async (name) => {
      const authority = await TestAuthority.create(name);
      return { ca: authority.certificate, pair: await authority.issueServer() };
    }),
  )) as [Issuer, Issuer];
});

/** A server whose certificate can be replaced, and a pod's service account with the CA. */
async function start() {
  const folder = await CredentialFolder.create();
  await folder.write('serviceaccount/token', 'token-1');
  const caFile = await folder.write('serviceaccount/ca.crt', before.ca);
  const tlsServer = createServer(before.pair);
  const server = await LoopbackServer.listen(tlsServer, 'https');
  const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(server.port) };
  return {
    clock: folder.clock,
    credentials: await folder.load({ environment }),
    caFile,
    server,
    /** The server restarts with another certificate. */
    replaceCertificate: ({ pair }: Issuer) => {
      tlsServer.setSecureContext(pair);
      tlsServer.closeAllConnections();
    },
    replaceCa: ({ ca }: Issuer) => writeFile(caFile, ca),
    async [Symbol.asyncDispose](): Promise<void> {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const it = test.extend('started', ({ onTestFinished }) => untilEnd(onTestFinished, start()));

type Started = Awaited<ReturnType<typeof start>>;

interface Reader extends Disposable {
  read(): Promise<string>;
}

function apiReader({ credentials, clock }: Started): Reader {
  const client = new ApiClient({ credentials, clock, version: '0' });
  return {
    read: () => textOf(client.open({ path: '/api/v1/pods' }, never)),
    [Symbol.dispose]: () => {
      client[Symbol.dispose]();
    },
  };
}

/** The CA is that of the API server, or one of its own. */
function kubeletReader({ credentials, clock, server }: Started, caFile?: string): Reader {
  const tls = { caFile, certFile: undefined, keyFile: undefined, serverName: undefined, insecureSkipVerify: false };
  const transport = directTransport({
    addressTypes: ['InternalIP'],
    port: undefined,
    credentials: kubeletCredentials({ api: credentials, bearerTokenFile: undefined, tls, clock }),
    clock,
    version: '0',
    isApiServerAway: () => false,
  });
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const node = aNode({ name: 'node-1', addresses, kubeletPort: server.port });
  return {
    read: () => textOf(transport.locate(node, '/stats/summary').open(never)),
    [Symbol.dispose]: () => {
      transport[Symbol.dispose]();
    },
  };
}

describe.each<[string, (started: Started) => Reader]>([
  ['the API server', apiReader],
  ['a kubelet with the CA of the API server', kubeletReader],
  ['a kubelet with a CA of its own', (started) => kubeletReader(started, started.caFile)],
])('a replaced CA of %s', (_case, readerOf) => {
  it('a replaced CA is read at once when the verification fails: no request is lost', async ({ started }) => {
    using reader = readerOf(started);
    await reader.read();
    await started.clock.advance(1_000);
    started.replaceCertificate(after);
    await started.replaceCa(after);
    expect(await reader.read()).toBe('{}');
    expect(started.server.requests).toHaveLength(2);
  });

  it('a replaced CA that comes after the certificate is read with the next request', async ({ started }) => {
    using reader = readerOf(started);
    await reader.read();
    started.replaceCertificate(after);
    expect(await failureOf(reader.read())).toMatchObject({ reason: 'tls' });
    await started.replaceCa(after);
    await started.clock.advance(1_000);
    expect(await reader.read()).toBe('{}');
  });

  it('a replaced CA that is half written leaves the one that works in use', async ({ started }) => {
    using reader = readerOf(started);
    await reader.read();
    started.replaceCertificate(after);
    await writeFile(started.caFile, after.ca.slice(0, 100));
    expect(await failureOf(reader.read())).toMatchObject({ reason: 'tls' });
    started.replaceCertificate(before);
    expect(await reader.read()).toBe('{}');
  });
});

it('many failed verifications within a second read the files once', async ({ started }) => {
  using reader = apiReader(started);
  await reader.read();
  started.replaceCertificate(after);
  await Promise.all(Array.from({ length: 20 }, () => failureOf(reader.read())));
  await started.replaceCa(after);
  expect(await failureOf(reader.read())).toMatchObject({ reason: 'tls' });
  await started.clock.advance(1_000);
  expect(await reader.read()).toBe('{}');
});

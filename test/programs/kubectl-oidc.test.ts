// @module-tag sockets

/** A kubeconfig with `auth-provider: oidc` that kubectl and the exporter share. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { loadCredentials } from '../../src/credentials/load-credentials.js';
import { issuerTransport } from '../../src/http/issuer-transport.js';
import { LoopbackServer } from '../http/loopback-server.js';
import { TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';
import { idTokenOf, SimulatedIssuer } from '../support/simulated-issuer.js';

const run = promisify(execFile);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe.skipIf(!isInstalled('kubectl'))('kubectl and the exporter', () => {
  it.each(['client: s3cret', undefined])('refresh the tokens of oidc in turn, client secret: %j', async (secret) => {
    await using folder = await temporaryFolder();
    const authority = await TestAuthority.create();
    const clock = new ManualClock({ nowMs: Math.floor(Date.now() / 1000) * 1000 });
    await using issuer = await SimulatedIssuer.listen(authority, clock);
    await using server = await LoopbackServer.listenTls(await authority.issueServer());
    issuer.rotates = true;
    issuer.acceptsHeader = secret !== undefined;
    issuer.lifetimeMs = 5_000; // kubectl refreshes 10 s before
    const laterClock = new ManualClock({ nowMs: clock.nowMs() + 10_000 });
    const path = join(folder.path, 'config');
    const ca = base64(authority.certificate);
    const config = {
      'idp-issuer-url': issuer.issuerUrl,
      'idp-certificate-authority-data': ca,
      'client-id': 'kubernetes',
      ...(secret === undefined ? {} : { 'client-secret': secret }),
      'id-token': idTokenOf({ exp: clock.nowMs() / 1000 - 60 }),
      'refresh-token': issuer.refreshToken,
    };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: server.url.href, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { 'auth-provider': { name: 'oidc', config } } }],
    };
    await writeFile(path, JSON.stringify(kubeconfig));
    const kubectl = async (): Promise<string | undefined> => {
      await run('kubectl', ['--kubeconfig', path, 'get', '--raw', '/api'], {
        env: { PATH: process.env['PATH'], HOME: folder.path },
      });
      return server.requests.at(-1)?.headers.authorization;
    };
    const exporter = async (): Promise<string | string[] | undefined> => {
      const credentials = await loadCredentials({
        kubeconfigPath: path,
        environment: {},
        homeDir: folder.path,
        clock: laterClock,
        issuers: issuerTransport({ clock: laterClock, version: '0' }),
        warn: (message) => {
          throw new Error(message);
        },
      });
      return (await credentials.material()).headers['authorization'];
    };

    const tokenAfter = (): string => `Bearer ${issuer.idToken(issuer.tokenRequests.length)}`;
    expect(await kubectl()).toBe(tokenAfter());
    expect(await exporter()).toBe(tokenAfter());
    issuer.lifetimeMs = 3_600_000;
    expect(await kubectl()).toBe(tokenAfter());
    const requestCount = issuer.tokenRequests.length;
    expect(await exporter()).toBe(await kubectl());
    expect(issuer.tokenRequests).toHaveLength(requestCount);
    expect(await readFile(path, 'utf8')).toContain(issuer.refreshToken);

    // Without the attempts of kubectl that only find out where the client belongs.
    const accepted = issuer.tokenRequests.filter(
      ({ authorization: header }) => issuer.acceptsHeader === (header !== undefined),
    );
    const requests = accepted.map(({ authorization, form }) =>
      JSON.stringify([authorization, { ...form, refresh_token: '' }]),
    );
    expect(requests.length).toBeGreaterThanOrEqual(3);
    expect(new Set(requests)).toEqual(new Set(requests.slice(0, 1)));
  });
});

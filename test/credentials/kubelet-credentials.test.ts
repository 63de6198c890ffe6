import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Credentials } from '../../src/cluster/credentials/credentials.js';
import { kubeletCredentials } from '../../src/cluster/credentials/kubelet-credentials.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { ManualClock } from '../support/manual-clock.js';
import { CredentialFolder } from './credential-folder.js';

type KubeletTls = Parameters<typeof kubeletCredentials>[0]['tls'];

const noFiles: KubeletTls = {
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  serverName: undefined,
  insecureSkipVerify: false,
};
const apiPair = { cert: 'client certificate for the API server', key: 'its key' };

let folder: CredentialFolder;
let authority: TestAuthority;
let pair: KeyPair;
let otherPair: KeyPair;

beforeAll(async () => {
  folder = await CredentialFolder.create();
  authority = await TestAuthority.create();
  [pair, otherPair] = await Promise.all([authority.issueClient('one'), authority.issueClient('other')]);
});

afterAll(() => folder[Symbol.asyncDispose]());

const fileOf = (name: string, text: string): Promise<string> => folder.write(name, text);

const apiMaterial = {
  headers: { authorization: 'Bearer api-token' },
  tls: { ca: 'cluster CA', ...apiPair, serverName: 'api.example', rejectUnauthorized: false },
};

function setUp(settings: { bearerTokenFile?: string; tls?: Partial<KubeletTls> } = {}) {
  const clock = new ManualClock();
  let invalidations = 0;
  const api: Credentials = {
    server: new URL('https://api.example'),
    proxyUrl: undefined,
    namespace: undefined,
    description: 'test',
    material: () => Promise.resolve(apiMaterial),
    invalidate: () => invalidations++,
    reread: () => Promise.resolve(apiMaterial),
  };
  const credentials = kubeletCredentials({
    api,
    bearerTokenFile: settings.bearerTokenFile,
    tls: { ...noFiles, ...settings.tls },
    clock,
  });
  return { clock, credentials, invalidations: () => invalidations };
}

it('credentials for kubelets without settings are those of the API server, its own TLS settings aside', async () => {
  const { credentials, invalidations } = setUp();
  expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer api-token' });
  expect((await credentials.material()).tls).toEqual({ ca: 'cluster CA', ...apiPair, rejectUnauthorized: true });
  credentials.invalidate();
  expect(invalidations()).toBe(1);
});

describe('settings for the kubelets', () => {
  it("a client certificate for kubelets replaces the API server's token and client certificate", async () => {
    const certFile = await fileOf('tls.crt', pair.cert);
    const { credentials } = setUp({ tls: { certFile, keyFile: await fileOf('tls.key', pair.key) } });
    expect((await credentials.material()).headers).toEqual({});
    expect((await credentials.material()).tls).toEqual({
      ca: 'cluster CA',
      cert: pair.cert.trim(),
      key: pair.key.trim(),
      rejectUnauthorized: true,
    });
  });

  it("a CA file, a server name and disabled verification keep the API server's token and certificate", async () => {
    const caFile = await fileOf('ca.crt', authority.certificate);
    const { credentials } = setUp({ tls: { caFile, serverName: '{node}.nodes', insecureSkipVerify: true } });
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer api-token' });
    expect((await credentials.material()).tls).toEqual({
      ca: authority.certificate.trim(),
      ...apiPair,
      serverName: '{node}.nodes',
      rejectUnauthorized: false,
    });
  });
});

it('a token file for kubelets is read again after 60 s', async () => {
  const bearerTokenFile = await fileOf('rotated', 'first');
  const { clock, credentials } = setUp({ bearerTokenFile });
  await credentials.material();
  await fileOf('rotated', 'second');
  await clock.advance(59_999);
  expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer first' });
  await clock.advance(1);
  expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer second' });
});

it('a token file for kubelets is read again after a 401', async () => {
  const { credentials } = setUp({ bearerTokenFile: await fileOf('refused', 'first') });
  await credentials.material();
  await fileOf('refused', 'second');
  credentials.invalidate();
  expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer second' });
});

it('the last good pair for kubelets is kept while certificate and key do not match', async () => {
  const certFile = await fileOf('half.crt', pair.cert);
  const keyFile = await fileOf('half.key', pair.key);
  const { clock, credentials } = setUp({ tls: { certFile, keyFile } });
  await credentials.material();
  await fileOf('half.crt', otherPair.cert);
  await clock.advance(60_000);
  expect((await credentials.material()).tls.cert).toBe(pair.cert.trim());
  await fileOf('half.key', otherPair.key);
  await clock.advance(60_000);
  expect((await credentials.material()).tls).toMatchObject({
    cert: otherPair.cert.trim(),
    key: otherPair.key.trim(),
  });
});

const faults: [string, () => Promise<Parameters<typeof setUp>[0]>, string][] = [
  ['a missing token', () => Promise.resolve({ bearerTokenFile: '/missing/token' }), '/missing/token cannot be read'],
  ['an empty token', async () => ({ bearerTokenFile: await fileOf('empty', ' \n') }), 'is empty'],
  [
    'a CA that is not a certificate',
    async () => ({ tls: { caFile: await fileOf('bad.crt', 'nonsense') } }),
    'is not a certificate in PEM form',
  ],
  [
    'a key of another certificate',
    async () => ({
      tls: { certFile: await fileOf('a.crt', pair.cert), keyFile: await fileOf('b.key', otherPair.key) },
    }),
    'is not the key of kubelet.tls.certFile',
  ],
];

it.each(faults)('the error of unusable credentials names %s', async (_name, settings, message) => {
  const { credentials } = setUp(await settings());
  await expect(credentials.material()).rejects.toMatchObject({
    reason: 'unauthorized',
    message: expect.stringContaining(message) as string,
  });
});

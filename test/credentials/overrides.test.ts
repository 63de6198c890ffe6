import { describe, expect, it } from 'vitest';

import type { CredentialOverrides } from '../../src/cluster/credentials/credentials.js';
import { loadCredentials } from '../../src/cluster/credentials/load-credentials.js';
import { ManualClock } from '../support/manual-clock.js';
import { CredentialFolder, fault } from './credential-folder.js';

const contexts = {
  contexts: [
    { name: 'dev', context: { cluster: 'east', user: 'ann', namespace: 'shop' } },
    { name: 'prod', context: { cluster: 'west', user: 'bob' } },
    { name: 'broken', context: { cluster: 'gone', user: 'ann' } },
  ],
  clusters: [
    { name: 'east', cluster: { server: 'https://east:6443', 'tls-server-name': 'kubernetes' } },
    { name: 'west', cluster: { server: 'https://west:6443' } },
  ],
  users: [
    { name: 'ann', user: { token: 'a', as: 'eve', 'as-uid': '5', 'as-groups': ['g1'] } },
    { name: 'bob', user: { token: 'b' } },
  ],
};

async function load(
  overrides: CredentialOverrides,
  { currentContext = 'dev' }: { readonly currentContext?: string | undefined } = {},
) {
  await using folder = await CredentialFolder.create();
  const kubeconfigPath = await folder.writeKubeconfig('config', { ...contexts, 'current-context': currentContext });
  const credentials = await folder.load({ kubeconfigPath, overrides });
  const { headers, tls } = await credentials.material();
  const { server, namespace } = credentials;
  const description = credentials.description.replace(folder.path, '');
  return { server: server.href, namespace, headers, serverName: tls.serverName, description };
}

const eve = { 'impersonate-user': 'eve', 'impersonate-uid': '5', 'impersonate-group': ['g1'] };
const ann = { authorization: 'Bearer a', ...eve };

describe('flags of kubectl', () => {
  it.each<[CredentialOverrides, Partial<Awaited<ReturnType<typeof load>>>]>([
    [{}, { server: 'https://east:6443/', namespace: 'shop', serverName: 'kubernetes', headers: ann }],
    [{ cluster: 'west' }, { server: 'https://west:6443/', namespace: 'shop', serverName: undefined, headers: ann }],
    [{ user: 'bob' }, { server: 'https://east:6443/', namespace: 'shop', headers: { authorization: 'Bearer b' } }],
    [
      { context: 'prod', cluster: 'east' },
      { server: 'https://east:6443/', namespace: undefined },
    ],
    [
      { context: 'prod', user: 'ann' },
      { server: 'https://west:6443/', headers: ann },
    ],
    [
      { context: 'broken', cluster: 'west' },
      { server: 'https://west:6443/', headers: ann },
    ],
    [{ server: 'https://other:1/base' }, { server: 'https://other:1/base', serverName: undefined, headers: ann }],
    [
      { context: 'broken', server: 'https://other' },
      { server: 'https://other/', headers: ann },
    ],
    [{ server: 'http://127.0.0.1:8001' }, { server: 'http://127.0.0.1:8001/', headers: eve }],
    [{ server: '127.0.0.1:8001' }, { server: 'http://127.0.0.1:8001/', headers: eve }],
    [{ as: 'joe' }, { headers: { ...ann, 'impersonate-user': 'joe' } }],
    [{ asUid: '7' }, { headers: { ...ann, 'impersonate-uid': '7' } }],
    [{ asGroup: ['a,b', 'c'] }, { headers: { ...ann, 'impersonate-group': ['a,b', 'c'] } }],
    [
      { user: 'bob', as: 'joe', asGroup: ['g'] },
      { headers: { authorization: 'Bearer b', 'impersonate-user': 'joe', 'impersonate-group': ['g'] } },
    ],
  ])('as with kubectl, %j replaces parts of the context', async (overrides, expected) => {
    const loaded = await load(overrides);
    expect(loaded).toEqual({ ...loaded, ...expected });
  });

  it('a cluster or a server needs no current context', async () => {
    const none = { currentContext: '' };
    expect(await load({ cluster: 'west', user: 'bob' }, none)).toMatchObject({
      server: 'https://west:6443/',
      headers: { authorization: 'Bearer b' },
      description: 'kubeconfig /config, --cluster west, --user bob',
    });
    expect((await load({ server: 'https://other' }, none)).headers).toEqual({});
    expect(await fault(load({ user: 'bob' }, none))).toContain('neither current-context nor --context is set');
  });

  it.each<[CredentialOverrides, string]>([
    [{ context: 'dve' }, 'there is no context "dve"; choose one of dev, prod, broken'],
    [{ cluster: 'north' }, 'there is no cluster "north"; choose one of east, west'],
    [{ user: 'joe' }, 'there is no user "joe"; choose one of ann, bob'],
    [{ user: 'joe', server: 'http://h' }, 'there is no user "joe"; choose one of ann, bob'],
    [{ context: 'broken' }, 'context "broken" refers to cluster "gone", which does not exist'],
    [{ server: 'ftp://h' }, '--server ftp://h: server "ftp:" must begin with http:, https:'],
    [{ user: 'bob', asGroup: ['g'] }, 'require as (--as), the name of the user to impersonate'],
    [{ user: 'bob', asUid: '7' }, 'require as (--as), the name of the user to impersonate'],
  ])('the override %j is refused in a line that names what there is', async (overrides, message) => {
    const text = await fault(load(overrides));
    expect(text).toContain(message);
    expect(text.split('\n')).toHaveLength(1);
  });
});

describe('overrides without a kubeconfig', () => {
  const options = { environment: {}, homeDir: '/nonexistent', clock: new ManualClock() };

  it('without a kubeconfig, a server is asked without credentials, and with the impersonation', async () => {
    const credentials = await loadCredentials({ ...options, overrides: { server: 'https://h:1', as: 'joe' } });
    expect(credentials).toMatchObject({ server: new URL('https://h:1'), description: '--server https://h:1' });
    expect((await credentials.material()).headers).toEqual({ 'impersonate-user': 'joe' });
  });

  it.each(['context', 'cluster', 'user'])('--%s needs a kubeconfig', async (flag) => {
    const loading = loadCredentials({ ...options, overrides: { [flag]: 'x', server: 'https://h' } });
    expect(await fault(loading)).toBe(`--${flag} x is set, but there is no kubeconfig`);
  });
});

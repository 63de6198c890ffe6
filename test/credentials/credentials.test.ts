import { execFile } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';

import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { ApiClient } from '../../src/cluster/http/api-client.js';
import { LoopbackServer, textOf } from '../http/loopback-server.js';
import { type KeyPair, TestAuthority } from '../support/certificates.js';
import { untilEnd } from '../support/fixtures.js';
import { never } from '../support/signals.js';
import { base64, CredentialFolder, fault, kubeconfig } from './credential-folder.js';

let authority: TestAuthority;
let clientPair: KeyPair;
beforeAll(async () => {
  authority = await TestAuthority.create();
  clientPair = await authority.issueClient('exporter');
});

const it = test.extend('folder', ({ onTestFinished }) => untilEnd(onTestFinished, CredentialFolder.create()));

const user = (settings: object): object => kubeconfig(settings);
const cluster = (settings: object): object => kubeconfig({}, settings);

/** Loads a kubeconfig with this user and cluster. */
async function loadUser(folder: CredentialFolder, user: object, cluster: object = {}) {
  return folder.load({ kubeconfigPath: await folder.writeKubeconfig('config', kubeconfig(user, cluster)) });
}

it('static credentials never change', async () => {
  const credentials = staticCredentials({ server: new URL('https://h:1/p'), ca: 'CA', token: 't' });
  expect(credentials.server.href).toBe('https://h:1/p');
  expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer t' });
  expect((await credentials.material()).tls).toEqual({ ca: 'CA', rejectUnauthorized: true });
  expect((await staticCredentials({ server: new URL('http://h') }).material()).headers).toEqual({});
});

describe('loadCredentials', () => {
  const named = (name: string) => ({
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server: `https://${name}` } }],
    users: [{ name, user: { token: name } }],
  });
  const inCluster = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

  it('prefers the kubeconfig of the flag, then $KUBECONFIG, the home folder, and the service account', async ({
    folder,
  }) => {
    await folder.write('serviceaccount/token', 't');
    await folder.write('serviceaccount/ca.crt', authority.certificate);
    const kubeconfigPath = await folder.writeKubeconfig('given', named('given'));
    const listed = await folder.writeKubeconfig('listed', named('listed'));
    const home = await folder.writeKubeconfig('.kube/config', named('home'));
    const environment = { ...inCluster, KUBECONFIG: listed };
    expect((await folder.load({ kubeconfigPath, environment })).server.host).toBe('given');
    expect((await folder.load({ environment })).server.host).toBe('listed');
    expect((await folder.load({ environment: { ...inCluster, KUBECONFIG: '' } })).server.host).toBe('home');
    await rm(home);
    expect((await folder.load({ environment: inCluster })).server.host).toBe('10.96.0.1');
  });

  it('lists the places it tried when there are no credentials', async ({ folder }) => {
    const message = await fault(folder.load());
    expect(message).toContain('--kubeconfig and $KUBECONFIG are not set');
    expect(message).toContain(`${join(folder.path, '.kube', 'config')} does not exist`);
    expect(message).toContain('KUBERNETES_SERVICE_HOST');
    expect(message).toMatch(/\(not running in a cluster\); set --kubeconfig FILE$/);
  });

  it('merges the files of $KUBECONFIG, the first definition of a name first, and ignores missing ones', async ({
    folder,
  }) => {
    const first = await folder.writeKubeconfig('a/first', {
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: { tokenFile: 'token' } }],
    });
    const second = await folder.writeKubeconfig('b/second', {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'other', user: 'other' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://second' } }],
      users: [{ name: 'u', user: { token: 'second' } }],
    });
    await folder.write('a/token', 'first\n');
    const missing = join(folder.path, 'missing');
    const credentials = await folder.load({
      environment: { KUBECONFIG: ['', missing, first, second].join(delimiter) },
    });
    expect(credentials.server.host).toBe('second');
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer first' });
    expect(await fault(folder.load({ environment: { KUBECONFIG: missing } }))).toBe(
      `$KUBECONFIG is ${missing}, but no such file exists; fix it or unset it`,
    );
  });
});

describe('credentials in a cluster', () => {
  const environment = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

  async function mount(folder: CredentialFolder): Promise<void> {
    await folder.write('serviceaccount/token', 'one\n');
    await folder.write('serviceaccount/ca.crt', `${authority.certificate}\n`);
    await folder.write('serviceaccount/namespace', 'monitoring\n');
  }

  it('in a cluster, credentials are the trimmed token, CA and namespace of the service account', async ({ folder }) => {
    await mount(folder);
    const credentials = await folder.load({ environment: { ...environment, HTTPS_PROXY: 'http://proxy:3128' } });
    expect(credentials).toMatchObject({ namespace: 'monitoring', proxyUrl: undefined });
    expect(credentials.server.href).toBe('https://10.96.0.1/');
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer one' });
    expect((await credentials.material()).tls).toEqual({ ca: authority.certificate.trim(), rejectUnauthorized: true });
  });

  it('a server in a cluster may have an IPv6 host, another port and no namespace', async ({ folder }) => {
    await mount(folder);
    await rm(join(folder.path, 'serviceaccount/namespace'));
    const credentials = await folder.load({
      environment: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' },
    });
    expect(credentials.server.href).toBe('https://[fd00::1]:6443/');
    expect(credentials.namespace).toBeUndefined();
  });

  it('credentials of a service account outlive their file, unless the server refused them', async ({ folder }) => {
    await mount(folder);
    const credentials = await folder.load({ environment });
    await credentials.material();
    await rm(join(folder.path, 'serviceaccount/token'));
    await folder.clock.advance(60_000);
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer one' });
    await folder.write('serviceaccount/token', ' \n');
    await folder.clock.advance(60_000);
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer one' });
    credentials.invalidate();
    await expect(credentials.material()).rejects.toMatchObject({
      name: 'RequestError',
      reason: 'unauthorized',
      message: expect.stringContaining('cannot read the credentials: service account token') as string,
    });
  });

  it('credentials of a service account are read again 5 s after a reading failed', async ({ folder }) => {
    await mount(folder);
    const credentials = await folder.load({ environment });
    await rm(join(folder.path, 'serviceaccount/token'));
    await expect(credentials.material()).rejects.toThrow('cannot be read');
    await folder.write('serviceaccount/token', 'two');
    await folder.clock.advance(4999);
    await expect(credentials.material()).rejects.toThrow('cannot be read');
    await folder.clock.advance(1);
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer two' });
    expect(folder.clock.sleeperCount).toBe(0);
  });

  it.for([
    ['token', undefined, 'service account token'],
    ['token', '\n', 'is empty'],
    ['ca.crt', undefined, 'CA of the API server'],
    ['ca.crt', 'garbage', 'is not a certificate in PEM form'],
  ] as const)('in a cluster, a faulty %s with content %j has a hint', async ([name, content, problem], { folder }) => {
    await mount(folder);
    await rm(join(folder.path, 'serviceaccount', name));
    if (content !== undefined) await folder.write(join('serviceaccount', name), content);
    const message = await fault(folder.load({ environment }));
    expect(message).toContain(problem);
    expect(message).toContain(join(folder.path, 'serviceaccount', name));
    expect(message).toContain('automountServiceAccountToken: true');
  });
});

describe('credentials of a kubeconfig', () => {
  it('credentials of a kubeconfig may be inline, with server and namespace', async ({ folder }) => {
    const credentials = await loadUser(
      folder,
      {
        token: 'secret',
        'client-certificate-data': base64(clientPair.cert),
        'client-key-data': base64(clientPair.key),
      },
      { 'certificate-authority-data': base64(authority.certificate), 'tls-server-name': 'kubernetes' },
    );
    expect(credentials).toMatchObject({ namespace: 'shop', proxyUrl: undefined });
    expect(credentials.server.href).toBe('https://192.0.2.1:6443/base');
    expect(credentials.description).toBe(`kubeconfig ${join(folder.path, 'config')}, context dev`);
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer secret' });
    expect((await credentials.material()).tls).toEqual({
      ca: authority.certificate,
      cert: clientPair.cert,
      key: clientPair.key,
      serverName: 'kubernetes',
      rejectUnauthorized: true,
    });
  });

  it('files relative to a kubeconfig are read, and again after 60 s', async ({ folder }) => {
    await folder.write('pki/ca.crt', authority.certificate);
    await folder.write('pki/client.crt', clientPair.cert);
    await folder.write('pki/client.key', clientPair.key);
    await folder.write('token', 'one\n');
    const credentials = await loadUser(
      folder,
      { tokenFile: 'token', 'client-certificate': 'pki/client.crt', 'client-key': 'pki/client.key' },
      { 'certificate-authority': 'pki/ca.crt' },
    );
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer one' });
    expect((await credentials.material()).tls).toEqual({
      ca: authority.certificate,
      cert: clientPair.cert,
      key: clientPair.key,
      rejectUnauthorized: true,
    });
    await folder.write('token', 'two\n');
    await folder.write('pki/client.crt', 'renewed');
    await folder.clock.advance(60_000);
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer two' });
    expect((await credentials.material()).tls.cert).toBe('renewed');
  });

  it.for<[string, object, object]>([
    ['no header', {}, {}],
    ['a token without surrounding white space', { token: ' secret\n' }, { authorization: 'Bearer secret' }],
    ['a user name and a password', { username: 'ann', password: 'pw' }, { authorization: `Basic ${base64('ann:pw')}` }],
    ['a user name without a password', { username: 'ann' }, { authorization: `Basic ${base64('ann:')}` }],
    ['an impersonated user', { token: 't', as: 'bob' }, { authorization: 'Bearer t', 'impersonate-user': 'bob' }],
    [
      'an impersonated user with UID, groups and extra',
      { as: 'bob', 'as-uid': '7', 'as-groups': ['a,b', 'c'], 'as-user-extra': { 'Acme.com/Scope ä': ['x', 'é'] } },
      {
        'impersonate-user': 'bob',
        'impersonate-uid': '7',
        'impersonate-group': ['a,b', 'c'],
        'impersonate-extra-acme.com%2Fscope%20%C3%A4': ['x', 'Ã©'],
      },
    ],
    ['no impersonation of an empty name', { as: '' }, {}],
  ])('a kubeconfig sends %s', async ([, user, headers], { folder }) => {
    expect((await (await loadUser(folder, user)).material()).headers).toEqual(headers);
  });

  it('a kubeconfig sends one header for each impersonated group', async ({ folder }) => {
    await using server = await LoopbackServer.listen();
    const user = { token: 't', as: 'bob', 'as-groups': ['a', 'b'] };
    const credentials = await loadUser(folder, user, { server: server.url.href });
    using api = new ApiClient({ credentials, clock: folder.clock, version: '0' });
    await textOf(api.open({ path: '/api' }, never));
    const { rawHeaders = [] } = server.requests[0] ?? {};
    const groups = rawHeaders.filter((_value, index) => rawHeaders[index - 1] === 'impersonate-group');
    expect(groups).toEqual(['a', 'b']);
  });

  it.for([
    ['gzip', {}],
    ['identity', { 'disable-compression': true }],
  ] as const)('a kubeconfig lets the API server send lists as %s with %o', async ([encoding, cluster], { folder }) => {
    await using server = await LoopbackServer.listen();
    const credentials = await loadUser(folder, {}, { server: server.url.href, ...cluster });
    using api = new ApiClient({ credentials, clock: folder.clock, version: '0' });
    await textOf(api.open({ path: '/api', acceptsGzip: true }, never));
    expect(server.requests[0]?.headers['accept-encoding']).toBe(encoding);
  });

  it('a kubeconfig is used with the context of --context, which may have no user', async ({ folder }) => {
    const ca = { 'certificate-authority-data': base64(authority.certificate) };
    const kubeconfigPath = await folder.writeKubeconfig('config', kubeconfig({ token: 't' }, ca));
    const credentials = await folder.load({ kubeconfigPath, overrides: { context: 'bare' } });
    expect(credentials.namespace).toBeUndefined();
    expect((await credentials.material()).headers).toEqual({});
    expect((await credentials.material()).tls).toEqual({ ca: authority.certificate, rejectUnauthorized: true });
  });

  it('a kubeconfig in UTF-16 is read, as Windows PowerShell writes it', async ({ folder }) => {
    const kubeconfigPath = await folder.writeKubeconfig('config', kubeconfig({ token: 't' }));
    await writeFile(kubeconfigPath, Buffer.from(`\uFEFF${await readFile(kubeconfigPath, 'utf8')}`, 'utf16le'));
    const credentials = await folder.load({ kubeconfigPath });
    expect((await credentials.material()).headers).toEqual({ authorization: 'Bearer t' });
  });

  it('a kubeconfig disables verification only when the cluster sets insecure-skip-tls-verify', async ({ folder }) => {
    const credentials = await loadUser(folder, {}, { 'insecure-skip-tls-verify': true });
    expect((await credentials.material()).tls).toEqual({ rejectUnauthorized: false });
  });

  it.for(['http://proxy:3128', 'https://user:pw@proxy', 'socks5://proxy:1080'])(
    'a kubeconfig uses the proxy %s',
    async (url, { folder }) => {
      const credentials = await loadUser(folder, {}, { 'proxy-url': url });
      expect(credentials.proxyUrl?.href.replace(/\/$/, '')).toBe(url);
      expect((await credentials.material()).headers).toEqual({});
    },
  );

  it('a kubeconfig uses the proxy of the environment when the cluster names none', async ({ folder }) => {
    const environment = { HTTPS_PROXY: 'http://user:secret@proxy:3128' };
    const kubeconfigPath = await folder.writeKubeconfig('config', kubeconfig({}));
    const credentials = await folder.load({ kubeconfigPath, environment });
    expect(credentials.proxyUrl?.href).toBe('http://user:secret@proxy:3128/');
    expect(credentials.description).toBe(`kubeconfig ${kubeconfigPath}, context dev, through the proxy proxy:3128`);
    const excluding = { ...environment, NO_PROXY: '192.0.2.0/24' };
    expect((await folder.load({ kubeconfigPath, environment: excluding })).proxyUrl).toBeUndefined();
    const own = await folder.writeKubeconfig('own', kubeconfig({}, { 'proxy-url': 'http://own:1' }));
    expect((await folder.load({ kubeconfigPath: own, environment: excluding })).proxyUrl?.href).toBe('http://own:1/');
  });

  const caData = 'certificate-authority-data';
  const current = (context: string) => ({ ...kubeconfig({}), 'current-context': context });
  const proxy = (url: string) => cluster({ 'proxy-url': url });

  it.for<[string, object | string, string]>([
    ['no context is current', { contexts: [] }, 'neither current-context nor --context is set; it has no contexts'],
    ['the current context does not exist', current('x'), 'there is no context "x"; choose one of dev, bare'],
    ['no context is chosen', current(''), 'choose one of dev, bare'],
    ['the cluster does not exist', { ...kubeconfig({}), clusters: [] }, 'refers to cluster "c1", which does not exist'],
    ['the user does not exist', { ...kubeconfig({}), users: [] }, 'refers to user "u1", which does not exist'],
    ['it is empty', '', 'is not valid: it is empty or not a YAML object'],
    ['it is not YAML', 'a: [', 'is not valid:'],
    ['a cluster has no server', cluster({ server: '' }), 'clusters[0].cluster.server is missing'],
    ['the server is not a URL', cluster({ server: 'a b' }), 'server "http://a b" must begin with http:, https:'],
    ['the server is not an HTTP URL', cluster({ server: 'ftp://h' }), 'server "ftp:" must begin with'],
    ['a password ends the host of the proxy', proxy('http://u:secret/x@h'), 'proxy-url "http://…@h" must begin with'],
    ['the proxy is unknown', proxy('ftp://u:secret@h'), 'proxy-url "ftp:" must begin with'],
    ['the CA is missing', cluster({ 'certificate-authority': 'nope.crt' }), 'certificate-authority'],
    ['the CA is not a certificate', cluster({ [caData]: base64('x') }), `${caData} is not`],
    ['the client key is not a key', user({ 'client-key-data': base64('x') }), 'client-key-data is not a private key'],
    ['the client key is missing', user({ 'client-key': 'nope.key' }), 'nope.key cannot be read'],
    ['the token file is missing', user({ tokenFile: 'nope.token' }), 'nope.token cannot be read'],
    ['groups are impersonated without a user', user({ 'as-groups': ['g'] }), 'as-user-extra require as'],
    ['a provider is to be asked', user({ 'auth-provider': { name: 'oidc' } }), 'auth-provider "oidc" is not supported'],
    ['the plugin has no command', user({ exec: { apiVersion: 'v1' } }), 'command is missing'],
    ['the plugin requires a prompt', user({ exec: { command: 'x', interactiveMode: 'Always' } }), 'use IfAvailable'],
  ])('a kubeconfig is refused when %s', async ([, content, problem], { folder }) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const kubeconfigPath = await folder.write('config', text);
    const message = await fault(folder.load({ kubeconfigPath }));
    expect(message).toContain(problem);
    expect(message).not.toContain('secret');
  });

  const withToken = (value: string): string => `users:\n- name: u1\n  user:\n    token: ${value}\n`;
  it.for([
    ['an error behind a token', `${withToken('the-secret')}   bad: [\n`, /at line \d+, column \d+$/],
    ['an error in a token', withToken('"the-secret'), /at line \d+, column \d+$/],
    ['a duplicate key', 'users:\n- name: u1\n  user: {token: the-secret}\n  user: {}\n', /is not valid: \S/],
    ['an alias', withToken('*the-secret'), /a value that begins with \* is an alias: put it in quotation marks/],
    ['a tag', withToken('!the-secret'), /a value that begins with ! is a tag: put it in quotation marks/],
    [
      'a tag of a value',
      withToken('!the-secret! ""'),
      /a value that begins with ! is a tag: put it in quotation marks at line 4, column 12$/,
    ],
    ['a block', withToken('|the-secret'), /Block scalar header includes extra characters at line 4, column 13$/],
  ] as const)('a kubeconfig with %s is refused without quoting a token', async ([, text, problem], { folder }) => {
    const message = await fault(folder.load({ kubeconfigPath: await folder.write('config', text) }));
    expect(message).toMatch(problem);
    expect(message).not.toContain('secret');
  });

  it('a kubeconfig is refused, if at all, without any part of a password', async ({ folder }) => {
    const kubeconfigPath = join(folder.path, 'config');
    const secret = 'Zq7_9xKw.vQ3z5';
    const mark = fc.constantFrom(...'*!&%|>@`"\'[]{}?-:,#\\~= '.split(''), '!!', '!<', '"\\u', '<<: ', 'a: ', '\n');
    const marks = fc.array(mark, { maxLength: 4 }).map((parts) => parts.join(''));
    const texts = fc.tuple(marks, marks, marks).map(([before, inside, after]) => {
      const value = `${before}${secret.slice(0, 7)}${inside}${secret.slice(7)}${after}`;
      return `${withToken(value)}    username: u\n`;
    });
    const parts = Array.from({ length: secret.length - 2 }, (_, index) => secret.slice(index, index + 3));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        await folder.write('config', text);
        const message = (await fault(folder.load({ kubeconfigPath }))).replaceAll(kubeconfigPath, '');
        expect(parts.filter((part) => message.includes(part))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('a kubeconfig is refused when the file or the context does not exist', async ({ folder }) => {
    const missing = join(folder.path, 'missing');
    expect(await fault(folder.load({ kubeconfigPath: missing }))).toContain(
      `kubeconfig ${missing} cannot be read: ENOENT`,
    );
    const kubeconfigPath = await folder.writeKubeconfig('config', kubeconfig({}));
    expect(await fault(folder.load({ kubeconfigPath, overrides: { context: 'prod' } }))).toContain(
      'there is no context "prod"; choose one of dev, bare',
    );
  });
});

/** Runs `script` in a separate process in which loading client-node fails. */
async function runWithoutClientNode(script: string): Promise<string> {
  const hooks = `export function resolve(specifier, context, next) {
      if (specifier === '@kubernetes/client-node') throw new Error('client-node was imported');
      return next(specifier, context);
    }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [
    '--import',
    'tsx',
    '--import',
    dataUrl(register),
    '--input-type=module',
    '-e',
    script,
  ]);
  return stdout.trim();
}

const dataUrl = (script: string): string => `data:text/javascript,${encodeURIComponent(script)}`;

it('client-node is loaded for a kubeconfig and not for a service account', async ({ folder }) => {
  await folder.write('serviceaccount/token', 'one');
  await folder.write('serviceaccount/ca.crt', authority.certificate);
  await folder.writeKubeconfig('.kube/config', kubeconfig({}));
  const load = (homeDir: string): string => `
      import { systemClock } from ${JSON.stringify(new URL('../../src/lib/base/clock.ts', import.meta.url).href)};
      import { loadCredentials } from ${JSON.stringify(new URL('../../src/cluster/credentials/load-credentials.ts', import.meta.url).href)};
      const loaded = await loadCredentials({
        environment: { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' },
        homeDir: ${JSON.stringify(homeDir)},
        inClusterDir: ${JSON.stringify(join(folder.path, 'serviceaccount'))},
        clock: systemClock,
      }).catch((error) => ({ description: error.message }));
      console.log(loaded.description);`;
  const [inCluster, withKubeconfig] = await Promise.all([
    runWithoutClientNode(load(join(folder.path, 'nobody'))),
    runWithoutClientNode(load(folder.path)),
  ]);
  expect(inCluster).toBe(`service account in ${join(folder.path, 'serviceaccount')}`);
  expect(withKubeconfig).toBe('client-node was imported');
});

describe('credentials of an exec plugin', () => {
  /** A plugin in a script beside the kubeconfig; each run appends its process id to `runs`. */
  async function plugin(folder: CredentialFolder, body: string, settings: object = {}, cluster: object = {}) {
    const script = await folder.write(
      'plugin.mjs',
      `#!${process.execPath}
      import { appendFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(join(folder.path, 'runs'))}, process.pid + '\\n');
      const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const reply = (status) => console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential', status }));
      ${body}`,
    );
    await chmod(script, 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.mjs', ...settings };
    return loadUser(folder, { exec }, cluster);
  }

  /** The process ids of the runs so far. */
  async function runs(folder: CredentialFolder): Promise<number[]> {
    const text = await readFile(join(folder.path, 'runs'), 'utf8').catch(() => '');
    return text.split('\n').slice(0, -1).map(Number);
  }

  it('an exec plugin is run once for all waiters, until its credentials are refused', async ({ folder }) => {
    const credentials = await plugin(folder, `reply({ token: 'from-plugin' });`);
    const [first, second] = await Promise.all([credentials.material(), credentials.material(), credentials.material()]);
    expect(first.headers).toEqual({ authorization: 'Bearer from-plugin' });
    expect(second).toEqual(first);
    await folder.clock.advance(3_600_000);
    await credentials.material();
    expect(await runs(folder)).toHaveLength(1);
    credentials.invalidate();
    const readings = [credentials.material(), credentials.material()];
    credentials.invalidate();
    await Promise.all([...readings, credentials.material()]);
    expect(await runs(folder)).toHaveLength(2);
  });

  it.for([
    ['is not set', 0],
    ['is set back by an hour', -3_600_000],
    ['is set forward by a day', 86_400_000],
  ] as const)('an exec plugin runs before its credentials expire when the clock %s', async ([, jumpMs], { folder }) => {
    const expiry = new Date(folder.clock.nowMs() + 600_000).toISOString();
    const credentials = await plugin(folder, `reply({ token: 't', expirationTimestamp: '${expiry}' });`);
    await credentials.material();
    folder.clock.jumpWallTime(jumpMs);
    await folder.clock.advance(539_999);
    await credentials.material();
    expect(await runs(folder)).toHaveLength(1);
    await folder.clock.advance(60_000);
    await credentials.material();
    expect(await runs(folder)).toHaveLength(2);
  });

  it('an exec plugin may provide a client certificate', async ({ folder }) => {
    const pair = { clientCertificateData: clientPair.cert, clientKeyData: clientPair.key };
    const credentials = await plugin(folder, `reply(${JSON.stringify(pair)});`);
    expect((await credentials.material()).tls).toEqual({
      cert: clientPair.cert,
      key: clientPair.key,
      rejectUnauthorized: true,
    });
    expect((await credentials.material()).headers).toEqual({});
  });

  it('an exec plugin receives arguments, environment and cluster, and no input', async ({ folder }) => {
    const credentials = await plugin(
      folder,
      `let input = '';
      for await (const chunk of process.stdin) input += chunk;
      const { apiVersion, kind, spec } = info;
      const received = [...process.argv.slice(2), process.env.STAGE, apiVersion, kind, spec.interactive, spec.cluster.server];
      reply({ token: received.join(' ') + input });`,
      { args: ['--for', 'me'], env: [{ name: 'STAGE', value: 'test' }], provideClusterInfo: true },
    );
    expect((await credentials.material()).headers).toEqual({
      authorization:
        'Bearer --for me test client.authentication.k8s.io/v1 ExecCredential false https://192.0.2.1:6443/base',
    });
  });

  it('an exec plugin receives the CA of a file and its own settings of the cluster', async ({ folder }) => {
    await folder.write('ca.crt', authority.certificate);
    const cluster = {
      'certificate-authority': 'ca.crt',
      extensions: [
        { name: 'other', extension: { audience: 'no' } },
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'yes' } },
      ],
    };
    const body = `reply({ token: info.spec.cluster.config.audience + info.spec.cluster['certificate-authority-data'] });`;
    const credentials = await plugin(folder, body, { provideClusterInfo: true }, cluster);
    expect((await credentials.material()).headers).toEqual({
      authorization: `Bearer yes${base64(authority.certificate)}`,
    });
  });

  it.for([
    [
      'fails',
      `console.log('secret'); console.error('no\\n session'); process.exit(3);`,
      'exit code 3: no session; run login',
    ],
    ['prints no JSON', `console.log('secret');`, 'its output is not JSON'],
    ['prints no credential', `reply({ secret: 1 });`, 'neither a token nor a client certificate'],
    ['prints a certificate without a key', `reply({ clientCertificateData: 'secret' });`, 'neither a token nor'],
    ['prints too much', `console.log('secret'.repeat(1e6));`, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'],
  ] as const)('an exec plugin that %s fails without quoting its output', async ([, body, problem], { folder }) => {
    const credentials = await plugin(folder, body, { installHint: 'run login' });
    const error: unknown = await credentials.material().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'RequestError', reason: 'unauthorized' });
    const messages = [];
    for (let cause = error; cause instanceof Error; cause = cause.cause) messages.push(cause.message);
    expect(messages[0]).toContain(problem);
    expect(messages.join()).not.toContain('secret');
  });

  it('an exec plugin that is not installed makes its credentials fail with the install hint', async ({ folder }) => {
    const credentials = await loadUser(folder, {
      exec: { command: 'no-such-plugin-anywhere', installHint: 'install it' },
    });
    await expect(credentials.material()).rejects.toThrow(
      'exec plugin no-such-plugin-anywhere failed: ENOENT; install it',
    );
  });

  it('an exec plugin is killed after 30 s, and its credentials fail', async ({ folder }) => {
    const credentials = await plugin(
      folder,
      `import { createServer } from 'node:net';
      createServer().listen(0);`,
    );
    const failed = credentials.material().catch((reason: unknown) => reason);
    while ((await runs(folder)).length === 0) await nextTurn();
    const [pid = 0] = await runs(folder);
    expect(isAlive(pid)).toBe(true);
    await folder.clock.advance(30_000);
    expect(await failed).toMatchObject({
      reason: 'unauthorized',
      message: expect.stringContaining('not complete after 30 s') as string,
    });
    expect(folder.clock.sleeperCount).toBe(0);
    while (isAlive(pid)) await nextTurn();
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

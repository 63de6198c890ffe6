// @module-tag sockets

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { addExporter } from '../../sim/model/exporter-pod.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import { runArguments } from '../../src/commands/command-line.js';
import { parseRequestTimeout } from '../../src/commands/setting-flags.js';
import { failureOf, LoopbackServer, replyPartly, replyWith, textOf } from '../http/loopback-server.js';
import { TestAuthority } from '../support/certificates.js';
import { aCommandContext, commandRequests } from '../support/command-context.js';
import { ManualClock } from '../support/manual-clock.js';
import { temporaryFolder } from '../support/programs.js';
import { never } from '../support/signals.js';

/** A server that accepts requests and does not answer, with a client of a command. */
async function startSilent(timeoutMs?: number) {
  const server = await LoopbackServer.listen();
  server.answer = () => undefined;
  const clock = new ManualClock();
  const lines: string[] = [];
  const requests = commandRequests(clock, { timeoutMs, writeError: (line) => lines.push(line) });
  const client = requests.client(staticCredentials({ server: server.url }));
  /** Resolves when the server has the request. */
  const open = async (path: string, query: Readonly<Record<string, string>> = {}) => {
    const count = server.requests.length;
    const failure = failureOf(textOf(client.open({ path, query }, never)));
    await expect.poll(() => server.requests.length).toBe(count + 1);
    return { failure };
  };
  return {
    ...{ server, clock, lines, requests, client, open },
    [Symbol.asyncDispose]: async () => {
      client[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

it('after 2 s without a response, one line says what is waited for, and from whom', async () => {
  await using silent = await startSilent();
  for (const path of ['/api/v1/nodes', '/api/v1/pods', '/a', '/b']) await silent.open(path);
  await silent.clock.advance(1999);
  expect(silent.lines).toEqual([]);
  await silent.clock.advance(10_000);
  const { origin } = silent.server.url;
  expect(silent.lines).toEqual([`Waiting for ${origin}: no complete response to GET /api/v1/nodes for 2 s.\n`]);
  await silent.open('/late');
  await silent.clock.advance(10_000);
  expect(silent.lines).toHaveLength(1);
});

it('nothing is said of a request that has its response, or once the command shows something', async () => {
  await using silent = await startSilent();
  silent.server.answer = replyWith({});
  await textOf(silent.client.open({ path: '/api/v1/nodes' }, never));
  expect(silent.clock.sleeperCount).toBe(0);
  silent.server.answer = () => undefined;
  silent.requests.quiet();
  await silent.open('/api/v1/nodes');
  await silent.clock.advance(10_000);
  expect(silent.lines).toEqual([]);
});

describe('an exec plugin of a command', () => {
  /** Runs `top` with a plugin that is a script of sh; each run appends a line to a file. */
  async function runTop(body: string, flags = '') {
    const folder = await temporaryFolder();
    const [script, runs] = [path.join(folder.path, 'plugin'), path.join(folder.path, 'runs')];
    await writeFile(script, `#!/bin/sh\necho run >> '${runs}'\n${body}\n`, { mode: 0o755 });
    const config = {
      clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: script } } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(path.join(folder.path, 'config'), JSON.stringify(config));
    const clock = new ManualClock();
    const { context, error } = aCommandContext({ clock });
    const args = ['top', '--kubeconfig', path.join(folder.path, 'config'), ...flags.split(' ').filter(Boolean)];
    const status = runArguments(args, context);
    return {
      ...{ clock, error, status },
      runCount: async () => (await readFile(runs, 'utf8').catch(() => '')).split('\n').length - 1,
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  }

  it('an exec plugin shows its user how to log in, and fails once', async () => {
    const body = `printf 'To sign in, open https://login.example\\n\\033[2J' >&2; exit 3`;
    await using command = await runTop(body);
    expect(await command.status).toBe(1);
    expect(command.error()).toMatch(
      /^To sign in, open https:\/\/login\.example\n\\u001b\[2J.*cannot read the credentials: exec plugin \S+ failed: exit code 3\n$/,
    );
    expect(await command.runCount()).toBe(1);
  });

  it('an exec plugin that hangs is waited for as long as a request', async () => {
    await using command = await runTop('exec sleep 600', '--request-timeout=4');
    await expect.poll(command.runCount).toBe(1);
    await command.clock.advance(4_000);
    expect(await command.status).toBe(1);
    expect(command.error()).toMatch(/cannot read the credentials: not complete after 4 s\n$/);
    expect(await command.runCount()).toBe(1);
  });
});

const firstRequest = 'GET /api/v1/namespaces/ephemeral-storage-exporter/services/ephemeral-storage-exporter';

it('a server that does not answer the search for an exporter is given up after 30 s', async () => {
  await using silent = await startSilent();
  const clock = new ManualClock();
  const { context, error } = aCommandContext({ clock });
  const running = runArguments(['top', '-s', silent.server.url.origin], context);
  await expect.poll(() => silent.server.requests.length).toBe(1);
  await clock.advance(30_000);
  expect(await running).toBe(1);
  expect(error().split('\n').slice(1)).toEqual([
    `${firstRequest}: no response from ${silent.server.url.host} within 30 s`,
    '',
  ]);
});

it('a token that the API server refuses is reported once', async () => {
  await using silent = await startSilent();
  silent.server.answer = replyWith({ status: 401, body: '{"kind":"Status","message":"Unauthorized"}' });
  const { context, error } = aCommandContext({ clock: new ManualClock() });
  expect(await runArguments(['top', '-s', silent.server.url.origin], context)).toBe(1);
  expect(error()).toMatch(
    new RegExp(String.raw`^${firstRequest}: the API server answered 401: Unauthorized; [^\n]*\n$`),
  );
});

it('a certificate of the API server that is not trusted is named with the setting of the kubeconfig', async () => {
  const { cert, key } = await (await TestAuthority.create()).issueServer();
  await using server = await LoopbackServer.listenTls({ cert, key });
  const { context, error } = aCommandContext({ clock: new ManualClock() });
  expect(await runArguments(['top', '-s', server.url.origin], context)).toBe(1);
  expect(error()).toMatch(
    /TLS verification failed: .*; set certificate-authority of the cluster in the kubeconfig to /,
  );
});

it('an exporter that does not answer within --request-timeout is named with the way around it', async () => {
  const clock = new ManualClock();
  await using folder = await temporaryFolder();
  await using cluster = await SimulatedCluster.start({ clock, scenario: emptyScenario('node-1') });
  await using exporter = await LoopbackServer.listen();
  exporter.answer = () => undefined;
  addExporter(cluster.model, Number(exporter.url.port));
  const kubeconfig = path.join(folder.path, 'config');
  const rules = [{ resources: ['services', 'services/proxy'], verbs: ['get', 'list'] }];
  await writeFile(kubeconfig, cluster.kubeconfig(cluster.issueToken({ user: 'reader', rules })));
  const { context, error } = aCommandContext({ clock });
  const running = runArguments(['top', '--kubeconfig', kubeconfig, '--request-timeout=5'], context);
  await expect.poll(() => exporter.requests.length).toBe(1);
  await clock.advance(5_000);
  expect(await running).toBe(1);
  expect(error()).toMatch(/within 5 s \(--request-timeout\); --from kubelets reads the kubelets instead\n$/);
});

it('a request that exceeds its limit ends the command with the server, the request and the time', async () => {
  await using silent = await startSilent(5000);
  const { failure } = await silent.open('/api/v1/nodes');
  await silent.clock.advance(4999);
  expect(silent.requests.timedOut.aborted).toBe(false);
  await silent.clock.advance(1);
  const message = `${silent.server.url.origin}: no complete response to GET /api/v1/nodes within 5 s (--request-timeout)`;
  expect(await failure).toMatchObject({ name: 'RequestError', reason: 'timeout', message });
  expect(silent.requests.timedOut.reason).toMatchObject({ name: 'UserError', message });
});

it('the limit of a request includes its body, and leaves no timer', async () => {
  await using silent = await startSilent(40_000);
  silent.server.answer = replyPartly;
  const { failure } = await silent.open('/api/v1/nodes');
  await expect.poll(() => silent.server.requests.length).toBe(1);
  await silent.clock.advance(39_999);
  expect(silent.requests.timedOut.aborted).toBe(false);
  await silent.clock.advance(1);
  expect(await failure).toMatchObject({ reason: 'timeout' });
  silent.server.answer = replyWith({});
  await textOf(silent.client.open({ path: '/' }, never));
  expect(silent.clock.sleeperCount).toBe(0);
});

it('a watch has no limit, and 0 is none', async () => {
  await using limited = await startSilent(5000);
  limited.server.answer = replyPartly;
  await limited.open('/api/v1/pods', { watch: 'true' });
  await limited.clock.advance(10_000);
  await using unlimited = await startSilent(0);
  await unlimited.open('/api/v1/pods');
  await unlimited.clock.advance(3_600_000);
  expect([limited.requests.timedOut.aborted, unlimited.requests.timedOut.aborted]).toEqual([false, false]);
  expect(unlimited.requests.syncTimeoutMs).toBeGreaterThan(1e9);
});

it.each(['top', 'explain node node-1', 'top evictions'])(
  '%s with --request-timeout fails in one line when the server does not answer',
  async (line) => {
    await using silent = await startSilent();
    const clock = new ManualClock();
    const { context, out, error } = aCommandContext({ clock });
    const server = silent.server.url.origin;
    const args = [...line.split(' '), '-s', server, '--request-timeout=3'];
    let status: number | undefined;
    const running = runArguments(args, context).then((code) => (status = code));
    await expect.poll(() => clock.advance(500).then(() => status), { interval: 5 }).toBeDefined();
    await running;
    expect({ status, out: out() }).toEqual({ status: 1, out: '' });
    const [notice, ...failure] = error().trim().split('\n');
    expect(notice).toMatch(new RegExp(`^Waiting for ${server}: no complete response to GET /api/v1/`));
    expect(failure).toHaveLength(1);
    expect(failure[0]).toMatch(new RegExp(`^${server}: no complete response to GET /api/v1/\\S+ within 3 s`));
  },
);

it.each([
  ['0', 0],
  ['5', 5000],
  ['1m30s', 90_000],
  ['500ms', 500],
  ['2h', 7_200_000],
])('the limit "%s" is %d ms, as with kubectl', (text, expected) => {
  expect(parseRequestTimeout(text)).toBe(expected);
});

it.each(['', 'abc', '-5', '-5s', '5d', '1.5', '5 s', 's'])('the limit "%s" is refused', (text) => {
  expect(() => parseRequestTimeout(text)).toThrow(InvalidArgumentError);
});

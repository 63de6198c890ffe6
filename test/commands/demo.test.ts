// @module-tag sockets

import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { hash } from 'bcryptjs';
import { expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';

import { topResources } from '../../src/commands/resources.js';
import { scenarioNames } from '../../src/commands/simulate.js';
import { TestAuthority } from '../support/certificates.js';
import { send } from '../support/http-get.js';
import { temporaryFolder } from '../support/programs.js';
import { printedCommands, readJson, run, startDemo } from '../support/running-demo.js';

/** Of the event loop: sockets need some of them, however long a busy machine takes for each. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await delay(1);
}

it('demo prints addresses with the scheme that it serves, and that it cannot scrape itself once', async () => {
  await using folder = await temporaryFolder();
  const { cert, key } = await (await TestAuthority.create()).issueServer();
  const users = `basic_auth_users: {reader: ${await hash('secret', 4)}}`;
  const webFile = `tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n${users}\n`;
  for (const [name, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key, 'web.yml': webFile })) {
    await writeFile(path.join(folder.path, name), text);
  }
  const values = { 'web.config.file': path.join(folder.path, 'web.yml') };
  await using running = await startDemo({ values }, { nodes: '2' });
  expect(running.shown('exporter')).toMatch(/^https:\/\/localhost:\d+$/);
  expect(running.shown('metrics')).toMatch(/^https:\/\/localhost:\d+\/metrics$/);
  for (let count = 0; count < 3; count++) {
    await running.clock.advance(10_000);
    await turns();
  }
  await expect.poll(running.error).toMatch(/cannot scrape itself: HTTP 401\n/);
  expect(running.error().match(/cannot scrape/g)).toHaveLength(1);
});

it('demo with web.authorization: kubernetes prints a header that lets its reader in', async () => {
  await using running = await startDemo({ assignments: ['web.authorization=kubernetes'] }, { nodes: '2' });
  const port = Number(new URL(running.shown('exporter')).port);
  const [, authorization = ''] = /^Authorization: (.+)$/.exec(running.shown('required header')) ?? [];
  const read = (headers: Readonly<Record<string, string>>) => send({ port, path: '/metrics', headers });
  expect(await read({})).toMatchObject({ status: 401 });
  expect(await read({ authorization })).toMatchObject({ status: 200 });
});

it.each([
  ...scenarioNames.map((scenario) => ({ scenario, nodes: '2' })),
  { scenario: 'ci-burst', nodes: '3', pods: '60', seed: '7' },
] as const)('each command that demo prints works as printed: %j', async (simulation) => {
  await using running = await startDemo({}, simulation);
  const port = Number(new URL(running.shown('exporter')).port);
  await expect.poll(() => send({ port, path: '/readyz' })).toMatchObject({ status: 200 });
  const commands = printedCommands(running.out());
  expect(commands).toHaveLength(5);
  expect(running.shown('metrics')).toMatch(/^http:\/\/localhost:\d+\/metrics$/);
  expect(running.shown('read-only')).toMatch(/kubectl edit, cordon, debug, exec, logs, port-forward; /);
  // The words of a newer program.
  const isKnown = ([command, resource = '']: readonly string[]): boolean =>
    command !== 'top' || (topResources as readonly string[]).includes(resource);
  for (const args of commands.filter(isKnown)) {
    const { command, status, out, error } = await run(args, running);
    expect({ command, status, error }).toMatchObject({ command, status: 0 });
    expect(error, command).not.toMatch(/No exporter was read/); // what is asked for goes through the Service
    if (args[0] === 'explain') expect(out, command).toContain(args.at(-3));
  }
  const url = running.shown('break a kubelet').split(' ').at(-1) ?? '';
  expect((await fetch(url, { method: 'PUT', body: 'hang' })).status).toBe(204);
});

it('the demo scrapes itself: a pod that nobody looked at is evicted with its last usage, which a command explains', async () => {
  await using running = await startDemo({}, { scenario: 'log-flood', nodes: '2' });
  expect(running.shown('scraped')).toBe('every 10 s by the demo itself, as by Prometheus');
  const explanations = () => printedCommands(running.out()).filter(([, resource]) => resource === 'eviction');
  expect(explanations()).toEqual([]);
  for (let elapsedMs = 0; elapsedMs < 240_000; elapsedMs += 10_000) {
    await running.clock.advance(10_000);
    await turns(); // scrapes and watch events come over sockets
  }
  const evictions = async () => (await readJson(running, '/api/v1/evictions'))['items'];
  const pod = expect.stringMatching(/^ledger-/) as unknown;
  await expect.poll(evictions, { interval: 20 }).toMatchObject([{ pod, lastUsage: { limits: [{}, {}] } }]);
  await expect.poll(explanations, { interval: 20 }).toHaveLength(1);
  for (const args of explanations()) {
    const { status, out } = await run(args, running);
    expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining('ledger-') as unknown });
  }
});

it('the kubeconfig of demo is readable by its owner alone, names the cluster demo, and is removed at the end', async () => {
  await using running = await startDemo({}, { nodes: '2' });
  const file = running.shown('kubeconfig');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(parseYaml(await readFile(file, 'utf8'))).toMatchObject({
    'current-context': 'demo',
    clusters: [{ name: 'demo' }],
    contexts: [{ name: 'demo', context: { cluster: 'demo' } }, { name: 'demo-certificate' }],
  });
  await running.stop();
  await expect(stat(path.dirname(file))).rejects.toThrow('ENOENT');
});

it('the page of demo shows the name of its cluster, with a settings file too, unless they name another', async () => {
  await using folder = await temporaryFolder();
  const configFile = path.join(folder.path, 'config.yaml');
  await writeFile(configFile, 'cache: {ttl: 10s}\n');
  for (const [assignments, clusterName] of [
    [[], 'demo'],
    [['web.clusterName=mine'], 'mine'],
  ] as const) {
    await using running = await startDemo({ configFile, assignments }, { nodes: '2' });
    expect(await readJson(running, '/api/v1/status')).toMatchObject({ clusterName });
  }
});

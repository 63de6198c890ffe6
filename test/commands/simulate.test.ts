// @module-tag sockets

import { readFile } from 'node:fs/promises';
import { request } from 'node:https';

import { expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';

import { runArguments } from '../../src/commands/command-line.js';
import { aCommandContext } from '../support/command-context.js';
import { answerOf, responseTo } from '../support/http-get.js';

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** The items of a list of the cluster that the kubeconfig names. */
async function itemsOf(kubeconfig: string, path: string) {
  const { clusters, users } = parseYaml(kubeconfig) as Kubeconfig;
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0].cluster;
  const headers = { Authorization: `Bearer ${users[0].user.token}` };
  const options = { ca: Buffer.from(ca, 'base64'), agent: false, headers };
  const { text } = await answerOf(await responseTo(request(server + path, options)));
  return (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
}

it.each([
  { flags: ['--nodes', '2'], nodeCount: 2, pod: 'thumbnailer' },
  {
    flags: ['--nodes', '2', '--pods', '50', '--scenario', 'ci-burst'],
    nodeCount: 2,
    podCount: 50,
    pod: 'coding-agent',
  },
  {
    flags: ['--nodes', '200', '--pods', '900', '--scenario', 'log-flood', '--seed', '9'],
    nodeCount: 200,
    podCount: 900,
    pod: 'ledger',
  },
])('simulate $flags runs that cluster, without an exporter', async ({ flags, nodeCount, podCount, pod }) => {
  const { context, out, stop } = aCommandContext();
  const running = runArguments(['simulate', ...flags], context);
  await expect.poll(out, { interval: 20 }).toContain('kubectl');
  const kubeconfig = await readFile(/^kubeconfig +(\S+)$/m.exec(out())?.[1] ?? '', 'utf8');
  const pods = await itemsOf(kubeconfig, '/api/v1/pods');
  expect((await itemsOf(kubeconfig, '/api/v1/nodes')).length).toBe(nodeCount);
  expect(pods.filter((name) => name.startsWith(pod))).not.toEqual([]);
  expect(pods.length).toBe(podCount ?? pods.length);
  expect(await itemsOf(kubeconfig, '/api/v1/services')).toEqual([]);
  stop();
  expect(await running).toBe(0);
});

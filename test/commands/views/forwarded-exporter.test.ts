// @module-tag sockets

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hash } from 'bcryptjs';
import { expect, test } from 'vitest';

import type { Rule } from '../../../sim/access.js';
import { addExporter } from '../../../sim/model/exporter-pod.js';
import { runArguments } from '../../../src/commands/command-line.js';
import { aCommandContext } from '../../support/command-context.js';
import { Exporter } from '../../support/exporter.js';
import { untilEnd } from '../../support/fixtures.js';
import { temporaryFolder } from '../../support/programs.js';

const readers: readonly Rule[] = [
  { verbs: ['get', 'list'], resources: ['services', 'pods'] },
  { verbs: ['get'], resources: ['services/proxy'] },
];
const forwarders: readonly Rule[] = [...readers, { verbs: ['get', 'create'], resources: ['pods/portforward'] }];

const service = 'ephemeral-storage-exporter/ephemeral-storage-exporter';

/** An exporter whose listener requires a password, in the cluster that it measures. */
const it = test
  .extend('exporter', async ({ onTestFinished }) => {
    const users = new Map([['night', await hash('shift', 4)]]);
    const exporter = await untilEnd(onTestFinished, Exporter.start({ web: { users } }));
    addExporter(exporter.cluster.model, exporter.app.ports[0] ?? 0);
    return exporter.synced();
  })
  .extend('folder', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()));

async function run(
  { cluster }: Exporter,
  folder: { readonly path: string },
  { rules, login }: { readonly rules: readonly Rule[]; readonly login?: string },
) {
  const { context, out, error } = aCommandContext();
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  const passwordFile = path.join(folder.path, 'password');
  await writeFile(kubeconfig, cluster.kubeconfig(cluster.issueToken({ user: 'reader', rules })));
  await writeFile(passwordFile, login ?? '');
  const withLogin = login === undefined ? [] : ['--exporter', service, '--exporter-basic-auth-file', passwordFile];
  const line = ['top', 'nodes', '-o', 'name', '--from', 'exporter', '--kubeconfig', kubeconfig, ...withLogin];
  const status = await runArguments(line, context);
  return { status, out: out(), error: error() };
}

it('a listener with passwords is read through a forwarded port', async ({ exporter, folder }) => {
  const answer = await run(exporter, folder, { rules: forwarders, login: 'night:shift' });
  expect(answer).toEqual({ status: 0, out: 'node/node-1\n', error: '' });
});

it('a wrong password is refused in one line that names the flag', async ({ exporter, folder }) => {
  const { status, error } = await run(exporter, folder, { rules: forwarders, login: 'night:watch' });
  expect(status).toBe(1);
  expect(error).toMatch(/^GET \/api\/v1\/nodes: the exporter answered 401[^\n]*--exporter-basic-auth-file[^\n]*\n$/);
});

it('without a password, the line names the flags that forward a port', async ({ exporter, folder }) => {
  const { status, error } = await run(exporter, folder, { rules: readers });
  expect(status).toBe(1);
  expect(error).toMatch(
    /^[^\n]*requires credentials[^\n]*--exporter ephemeral\S+ and --exporter-token-file[^\n]*pods\/portforward[^\n]*\n$/,
  );
});

it('without the permission to forward ports, the line says so', async ({ exporter, folder }) => {
  const { status, error } = await run(exporter, folder, { rules: readers, login: 'night:shift' });
  expect(status).toBe(1);
  expect(error).toMatch(/^[^\n]*port-forward[^\n]*403[^\n]*\n$/);
});

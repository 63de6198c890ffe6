// @module-tag sockets

import { expect, test } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { aCommandContext } from '../support/command-context.js';
import { untilEnd } from '../support/fixtures.js';

const it = test.extend('server', ({ onTestFinished }) => untilEnd(onTestFinished, LoopbackServer.listen()));

const commands = [
  ...[
    'top pods',
    'top containers',
    'top volumes',
    'top workloads',
    'top nodes',
    'top namespaces',
    'top evictions',
    'top next',
  ],
  ...['explain pod a', 'explain workload a', 'explain node a', 'explain namespace a', 'explain eviction a'],
];

const coverage = { freshNodeCount: 1, staleNodeCount: 0, skippedNodeCount: 0, ttlMs: 55_000, absences: [] };

const names = { workload: 'a', workloadType: 'a', workloadNamespace: 'a', uid: 'a' };
const named = { node: 'a', namespace: 'a', pod: 'a', container: 'a', volume: 'a', ...names };

/** Values of other types in answers with the outline of one. */
const answers: readonly object[] = [
  ...[null, 5, 'x', {}, { node: 5, pod: {}, namespace: [] }, { ...named, usedBytes: 'x' }].map((item) => ({
    ...{ coverage, generatedAtMs: 1_000, items: [item], pods: item, node: item, workload: item, namespace: item },
    ...{ totalCount: 1, isComplete: true, limit: 1, evictions: [] },
  })),
  { coverage: { ...coverage, absences: [null] }, generatedAtMs: 'x', items: [] },
  { coverage: { absences: [5] }, generatedAtMs: 1_000, items: [] },
];

it.for(commands)('an answer with values of other types names the exporter: %s', async (line, { server }) => {
  const errors: string[] = [];
  for (const answer of answers) {
    server.answer = replyWith({ body: JSON.stringify(answer) });
    const { context, error } = aCommandContext();
    await runArguments([...line.split(' '), '--exporter', server.url.href], context);
    errors.push(error());
  }
  const hint = 'use the same version of this program and of the exporter, or --from kubelets\n';
  const refused = new RegExp(`^${server.url.origin}: GET \\S+: not as this version expects; ${hint}$`);
  expect(errors.filter((error) => !refused.test(error))).toEqual([]);
});

it('a value that no command can show names the exporter too', async ({ server }) => {
  const row = { ...named, state: 'fresh', filesystems: 5 };
  server.answer = replyWith({ body: JSON.stringify({ coverage, generatedAtMs: 1_000, items: [row], totalCount: 1 }) });
  const { context, error } = aCommandContext();
  await runArguments(['top', 'nodes', '--exporter', server.url.href], context);
  expect(error()).toMatch(`the answer of ${server.url.origin} is not as this version expects (`);
});

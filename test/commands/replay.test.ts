import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { replay } from '../../src/commands/replay.js';
import { aCommandContext } from '../support/command-context.js';
import { type ParsedFamily, parseExposition } from '../support/exposition-parser.js';
import { untilEnd } from '../support/fixtures.js';
import { temporaryFolder } from '../support/programs.js';

const noSettings = { configFile: undefined, values: {} };

const summary = (nodeName: string, pods: readonly unknown[]): string =>
  JSON.stringify({ node: { nodeName, fs: { time: '2026-01-01T00:10:00Z', usedBytes: 1000 } }, pods });

const podSummary = {
  podRef: { namespace: 'shop', name: 'cart-5d4f8-a', uid: 'u1' },
  containers: [{ name: 'app', rootfs: { usedBytes: 100 }, logs: { usedBytes: 20 } }],
  'ephemeral-storage': { usedBytes: 4216 },
};

const pods = `
kind: PodList
items:
  - metadata:
      {namespace: shop, name: cart-5d4f8-a, uid: u1, labels: {pod-template-hash: 5d4f8},
       ownerReferences: [{kind: ReplicaSet, name: cart-5d4f8, controller: true}]}
    spec: {nodeName: n1, containers: [{name: app}]}
    status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
kind: Node
metadata: {name: n1, uid: n1, resourceVersion: "7"}
---
kind: ConfigMap
metadata: {name: other}
`;

const samplesOf = (families: readonly ParsedFamily[], name: string) =>
  families.find((family) => family.name === `ephemeral_storage_${name}`)?.samples ?? [];

async function replayed(summaries: string, objects?: string) {
  const { context, out, error } = aCommandContext();
  await replay({ settings: noSettings, summaries, objects }, context);
  return { families: parseExposition(out(), 'text'), error: error() };
}

const it = test.extend('folder', ({ onTestFinished }) => untilEnd(onTestFinished, temporaryFolder()));

it('the replay has the exposition of summaries with the workloads of objects', async ({ folder }) => {
  await writeFile(path.join(folder.path, 'n1.json'), summary('n1', [podSummary]));
  await writeFile(path.join(folder.path, 'objects.yaml'), pods);
  const { families, error } = await replayed(folder.path, folder.path);
  expect(samplesOf(families, 'workload_used_bytes')).toEqual([
    {
      name: 'ephemeral_storage_workload_used_bytes',
      labels: { namespace: 'shop', workload: 'cart', workload_type: 'deployment' },
      value: 4216,
    },
  ]);
  expect(samplesOf(families, 'workload_complete').map(({ value }) => value)).toEqual([1]);
  expect(error).toBe('');
});

it('the replay has the pods that were evicted within the retention time, and counts none', async ({ folder }) => {
  const evicted = (name: string, finishedAt: string): string => `
metadata: {namespace: shop, name: ${name}, uid: ${name}}
kind: Pod
spec: {nodeName: n1, containers: [{name: app}]}
status:
  phase: Failed
  reason: Evicted
  message: "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "
  containerStatuses: [{name: app, state: {terminated: {finishedAt: "${finishedAt}"}}}]
`;
  await writeFile(path.join(folder.path, 'n1.json'), summary('n1', [podSummary]));
  const objects = [pods, evicted('new', '2026-01-01T00:05:00Z'), evicted('old', '2025-12-31T23:00:00Z')];
  await writeFile(path.join(folder.path, 'objects.yaml'), objects.join('\n---\n'));
  const { families } = await replayed(folder.path, folder.path);
  expect(samplesOf(families, 'pod_evicted_timestamp_seconds')).toMatchObject([
    { labels: { pod: 'new', cause: 'pod_limit' }, value: Date.UTC(2026, 0, 1, 0, 5) / 1000 },
  ]);
  expect(samplesOf(families, 'pod_evicted_limit_bytes').map(({ value }) => value)).toEqual([2 ** 30]);
  expect(samplesOf(families, 'node_evictions_total')).toEqual([]);
});

it('the replay has series of all pods without API objects', async ({ folder }) => {
  await writeFile(path.join(folder.path, 'n1.json'), summary('n1', [podSummary]));
  const { families, error } = await replayed(folder.path);
  expect(error).toBe('');
  expect(samplesOf(families, 'pod_used_bytes').map(({ value }) => value)).toEqual([4216]);
});

it('the replay is the same text each time: recordings do not age while they are read', async ({ folder }) => {
  for (let number = 0; number < 40; number += 1) {
    await writeFile(path.join(folder.path, `n${number}.json`), summary(`n${number}`, [podSummary]));
  }
  const { families } = await replayed(folder.path);
  const fetched = samplesOf(families, 'node_data_timestamp_seconds');
  expect(fetched).toHaveLength(40);
  expect(new Set(fetched.map(({ value }) => value)).size).toBe(1);
});

it('the replay reads UTF-16 as Windows PowerShell writes it, and summaries without a time have none', async ({
  folder,
}) => {
  const summaryOf = (name: string) => JSON.stringify({ node: { nodeName: name, fs: { usedBytes: 5 } }, pods: [] });
  await writeFile(path.join(folder.path, 'n1.json'), Buffer.from(`\uFEFF${summaryOf('n1')}`, 'utf16le'));
  await writeFile(path.join(folder.path, 'n2.json'), Buffer.from(summaryOf('n2'), 'utf16le'));
  const { families, error } = await replayed(folder.path);
  expect(samplesOf(families, 'node_used_bytes')).toMatchObject([{ labels: { node: 'n1' }, value: 5 }]);
  expect(samplesOf(families, 'node_data_timestamp_seconds')).toEqual([]);
  expect(error).toMatch(
    /^left out: \S+n2\.json: it has NUL characters, as UTF-32, and UTF-16 without a byte order mark/,
  );
});

it('the replay says what it leaves out and goes on', async ({ folder }) => {
  await writeFile(path.join(folder.path, 'n1.json'), summary('n1', [podSummary]));
  await writeFile(path.join(folder.path, 'broken.json'), '{"node": ');
  await writeFile(path.join(folder.path, 'broken.yaml'), 'a: [');
  const { families, error } = await replayed(folder.path, folder.path);
  expect(samplesOf(families, 'node_data_available')).toHaveLength(1);
  expect(error).toMatch(/left out: .*broken\.json/);
  expect(error).toMatch(/left out: .*broken\.yaml/);
});

it.for([
  { what: 'a missing path', files: {}, at: 'nowhere', message: /nowhere: cannot be read/ },
  { what: 'a folder without summaries', files: {}, at: '', message: /no kubelet summary found/ },
  {
    what: 'two summaries of one node',
    files: { 'a.json': summary('n1', []), 'b.json': summary('n1', []) },
    at: '',
    message: /a\.json and .*b\.json are both summaries of node n1/,
  },
])('the replay refuses $what', async ({ files, at, message }, { folder }) => {
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder.path, name), text);
  const { context } = aCommandContext();
  const run = replay({ settings: noSettings, summaries: path.join(folder.path, at), objects: undefined }, context);
  await expect(run).rejects.toThrow(message);
});

import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import { aCommandContext } from '../support/command-context.js';
import { temporaryFolder } from '../support/programs.js';

const summary = {
  node: { nodeName: 'n1', fs: { time: '2026-01-01T00:10:00Z', capacityBytes: 100_000, availableBytes: 9_000 } },
  pods: [
    {
      podRef: { namespace: 'shop', name: 'cart-0', uid: 'u1' },
      containers: [{ name: 'app', rootfs: { usedBytes: 100 }, logs: { usedBytes: 20 } }],
      'ephemeral-storage': { usedBytes: 120 },
    },
  ],
};

/** No Node object, and an evicted pod beside the running one. */
const objects = `
kind: Pod
metadata: {namespace: shop, name: cart-0, uid: u1}
spec: {nodeName: n1, containers: [{name: app, resources: {requests: {ephemeral-storage: "50"}}}]}
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
kind: Pod
metadata: {namespace: shop, name: cart-1, uid: u2}
spec: {nodeName: n1, containers: [{name: app}]}
status: {phase: Failed, reason: Evicted, message: 'Container app exceeded its local ephemeral storage limit "1Gi". '}
`;

async function run(
  line: string,
  body: object = summary,
): Promise<{ readonly status: number; readonly out: string; readonly error: string }> {
  await using folder = await temporaryFolder();
  const [summaries, pods] = [path.join(folder.path, 'n1.json'), path.join(folder.path, 'pods.yaml')];
  await writeFile(summaries, JSON.stringify(body));
  await writeFile(pods, objects);
  const { context, out, error } = aCommandContext();
  const status = await runArguments([...line.split(' '), '--summaries', summaries, '--objects', pods], context);
  return { status, out: out(), error: error() };
}

it.each(['-o json', '-n=shop -o=json', '-nshop -ojson'])(
  'the recordings have pods with the flags %s',
  async (flags) => {
    const { status, out } = await run(`top pods ${flags}`);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ namespace: 'shop', pod: 'cart-0', usedBytes: 120, node: 'n1' }]);
  },
);

it.each([
  ['top pods -o json -n other', '[]\n'],
  ['top evictions -o name', 'pod/cart-1\n'],
])('the output of "%s" on recordings is %j', async (line, expected) => {
  expect((await run(line)).out).toBe(expected);
});

it('a recorded pod is explained', async () => {
  expect((await run('explain pod cart-0')).out).toContain('Pod shop/cart-0\n');
});

it('a recorded node is explained without its object, and without pods that have ended', async () => {
  const { out } = await run('explain node n1 -o yaml');
  expect(out).toContain('node: n1\n');
  expect(out).toMatch(/signal: nodefs\.available\n +thresholdBytes: 10000\n +isAssumed: true/);
  expect(out).toMatch(/ usage: 120\n(?: +\w+: .*\n)* +rank: 1\n +namespace: shop\n +pod: cart-0\n +request: 50\n/);
  expect(out).not.toContain('cart-1');
});

it.each([
  [
    'cluster.namespaces=other',
    '1 pod of this node is not read: it is out of scope, or the API server does not know it.',
  ],
  ['cluster.namespaces=shop', 'settings leave pods out, or the API server is not reachable.'],
  ['cluster.podSelector=a=b', 'settings leave pods out, or the API server is not reachable.'],
])('no recorded pods of a node are ranked when %s leaves some out', async (setting, text) => {
  const { out } = await run(`explain node n1 --set ${setting}`);
  expect(out).toContain(`: unknown, ${text}\n`);
  expect(out).not.toContain('RANK');
});

it('a recorded summary without storage is no data, as that of a live kubelet', async () => {
  const imagesAlone = { nodeName: 'n1', fs: { time: '2026-01-01T00:10:00Z' }, runtime: { imageFs: summary.node.fs } };
  const empty = { node: imagesAlone, pods: [{ podRef: summary.pods[0]?.podRef, volume: [{ name: 'data' }] }] };
  const [node] = JSON.parse((await run('top nodes -o json', empty)).out) as readonly object[];
  expect(node).toMatchObject({ node: 'n1', state: 'absent', reason: 'no_storage_stats' });
  expect((await run('explain pod cart-0', empty)).out).toContain('no_storage_stats');
});

it('a command on recordings fails without a summary', async () => {
  const { context, error } = aCommandContext();
  expect(await runArguments(['top', '--summaries', '/nonexistent'], context)).toBe(1);
  expect(error()).toContain('/nonexistent: cannot be read');
});

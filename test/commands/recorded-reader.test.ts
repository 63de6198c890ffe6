import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

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

async function run(line: string): Promise<{ readonly status: number; readonly out: string; readonly error: string }> {
  await using folder = await temporaryFolder();
  const [summaries, pods] = [path.join(folder.path, 'n1.json'), path.join(folder.path, 'pods.yaml')];
  await writeFile(summaries, JSON.stringify(summary));
  await writeFile(pods, objects);
  const { context, out, error } = aCommandContext();
  const status = await runArguments([...line.split(' '), '--summaries', summaries, '--objects', pods], context);
  return { status, out: out(), error: error() };
}

describe('recordings without a cluster', () => {
  it('have the pods of all namespaces', async () => {
    const { status, out } = await run('top pods -o json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ namespace: 'shop', pod: 'cart-0', usedBytes: 120, node: 'n1' }]);
  });

  it('are narrowed to a namespace', async () => {
    expect((await run('top pods -o json -n other')).out).toBe('[]\n');
  });

  it.each([
    ['-n=shop', '-o=json'],
    ['-nshop', '-ojson'],
  ])('are narrowed to a namespace with %s %s', async (...flags) => {
    const { status, out } = await run(`top pods ${flags.join(' ')}`);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ namespace: 'shop', pod: 'cart-0' }]);
  });

  it.each(['-A=true', '-w=1'])('are not read with a value for the switch %s', async (flag) => {
    expect(await run(`top pods ${flag}`)).toMatchObject({ status: 2, out: '' });
  });

  it('have the evictions that the status of pods shows', async () => {
    expect((await run('top evictions -o name')).out).toBe('pod/cart-1\n');
  });

  it('explain a pod', async () => {
    expect((await run('explain pod cart-0')).out).toContain('Pod shop/cart-0 on n1');
  });

  it('explain a node without an object, without pods that have ended', async () => {
    const { out } = await run('explain node n1 -o yaml');
    expect(out).toContain('node: n1\n');
    expect(out).toMatch(/signal: nodefs\.available\n +thresholdBytes: 10000\n +isAssumed: true/);
    expect(out).toMatch(/- rank: 1\n +namespace: shop\n +pod: cart-0\n +usage: 120\n +request: 50\n/);
    expect(out).not.toContain('cart-1');
  });

  it.each([
    [
      'cluster.namespaces=other',
      '1 pod of this node is not read: it is out of scope, or the API server does not know it.',
    ],
    ['cluster.namespaces=shop', 'pods that the settings leave out are not read.'],
    ['cluster.podSelector=a=b', 'pods that the settings leave out are not read.'],
  ])('rank no pods of a node when %s leaves some out', async (setting, text) => {
    const { out } = await run(`explain node n1 --set ${setting}`);
    expect(out).toContain(`\nOrder of eviction: unknown, ${text}\n`);
    expect(out).not.toContain('RANK');
  });

  it('fail without a summary', async () => {
    const { context, error } = aCommandContext();
    expect(await runArguments(['top', '--summaries', '/nonexistent'], context)).toBe(1);
    expect(error()).toContain('/nonexistent: cannot be read');
  });
});

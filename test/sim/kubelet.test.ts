// @module-tag sockets

import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from 'node:tls';

import { describe, expect, test } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { type Fault, parseFault } from '../../sim/simulated-faults.js';
import { untilEnd } from '../support/fixtures.js';
import { ManualClock } from '../support/manual-clock.js';
import { podSpec } from './pods.js';
import { callKubelet } from './wire.js';

const statsRule: Rule = { verbs: ['get'], resources: ['nodes/stats'] };

interface Summary {
  readonly node: {
    readonly nodeName: string;
    readonly startTime: string;
    readonly systemContainers: readonly { readonly name: string; readonly startTime: string }[];
    readonly fs: { readonly usedBytes: number };
  };
  readonly pods: readonly { readonly podRef: { readonly name: string }; readonly volume?: readonly object[] }[];
}

const scenario = emptyScenario('node-1', 'node-2');
const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', async ({ clock, onTestFinished }) => {
    const sim = await untilEnd(onTestFinished, SimulatedCluster.start({ scenario, clock }));
    sim.model.addPod(podSpec('a', { volumes: [{ name: 'tmp', source: 'emptyDir', content: { initialBytes: 4096 } }] }));
    return sim;
  });

async function summaryOf(sim: SimulatedCluster, nodeName = 'node-1'): Promise<Summary> {
  const { status, text } = await callKubelet(sim, nodeName);
  expect(status).toBe(200);
  return JSON.parse(text) as Summary;
}

describe('a kubelet', () => {
  it('a simulated kubelet serves the summary of its node, in chunks, indented and uncompressed', async ({ sim }) => {
    const { headers, text } = await callKubelet(sim, 'node-1', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(text.startsWith('{\n "node": {\n  "nodeName": "node-1"')).toBe(true);
    expect((await summaryOf(sim, 'node-2')).pods).toEqual([]);
  });

  it('a simulated kubelet lists the pods that it knows, by the UIDs by which it knows them', async () => {
    const known = new Map<string, string>();
    await using sim = await SimulatedCluster.start({
      scenario: emptyScenario('node-1'),
      clock: new ManualClock(),
      kubeletUidOf: ({ uid }) => known.get(uid),
    });
    const { uid } = sim.model.addPod(podSpec('a'));
    expect((await summaryOf(sim)).pods).toEqual([]);
    known.set(uid, 'of another API server');
    expect((await summaryOf(sim)).pods.map(({ podRef }) => podRef)).toEqual([
      { namespace: 'default', name: 'a', uid: 'of another API server' },
    ]);
  });

  it('a simulated kubelet authorizes requests as it is set to', async () => {
    const user = { name: 'reader', groups: [] };
    await using sim = await SimulatedCluster.start({
      scenario,
      kubeletAccess: {
        authenticate: ({ headers }) => Promise.resolve(headers.authorization === 'Bearer known' ? user : undefined),
        isAllowed: ({ name }, wanted) =>
          Promise.resolve(name === 'reader' && 'name' in wanted && wanted.name === 'node-1'),
      },
    });
    const statusOf = async (nodeName: string, token: string): Promise<number> =>
      (await callKubelet(sim, nodeName, { token })).status;
    expect(await statusOf('node-1', 'known')).toBe(200);
    expect(await statusOf('node-2', 'known')).toBe(403);
    expect(await statusOf('node-1', sim.token)).toBe(401);
  });

  it.for([
    ['no token', undefined],
    ['a token that nobody has', 'unknown'],
  ])('a simulated kubelet responds with 401 to %s', async ([, token], { sim }) => {
    const { status, text, headers } = await callKubelet(sim, 'node-1', { token });
    expect([status, text]).toEqual([401, 'Unauthorized']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.for<[string, Rule, number, number]>([
    ['nodes/stats', statsRule, 200, 200],
    ['nodes/stats of one node', { ...statsRule, resourceNames: ['node-1'] }, 200, 403],
    ['another verb', { ...statsRule, verbs: ['create'] }, 403, 403],
    ['nodes/proxy', { verbs: ['get'], resources: ['nodes/proxy'] }, 403, 403],
    ['everything', { verbs: ['*'], resources: ['*'] }, 200, 200],
  ])('a simulated kubelet grants %s', async ([, rule, firstStatus, secondStatus], { sim }) => {
    const token = sim.issueToken({ user: 'exporter', rules: [rule] });
    expect((await callKubelet(sim, 'node-1', { token })).status).toBe(firstStatus);
    expect((await callKubelet(sim, 'node-2', { token })).status).toBe(secondStatus);
  });

  it('a simulated kubelet accepts a client certificate', async ({ sim }) => {
    const { cert, key } = await sim.issueClient({ commonName: 'exporter' });
    expect((await callKubelet(sim, 'node-1', { cert, key })).text).toBe(
      'Forbidden (user=exporter, verb=get, resource=nodes, subresource=stats)',
    );
    sim.access.setRules('exporter', [statsRule]);
    expect((await callKubelet(sim, 'node-1', { cert, key })).status).toBe(200);
  });

  it('a simulated kubelet rejects a revoked token and applies changed rules', async ({ sim }) => {
    const token = sim.issueToken({ user: 'exporter', rules: [statsRule] });
    sim.access.setRules('exporter', []);
    expect((await callKubelet(sim, 'node-1', { token })).status).toBe(403);
    sim.access.revokeToken(token);
    expect((await callKubelet(sim, 'node-1', { token })).status).toBe(401);
  });

  it.for<[string, Rule, number]>([
    ['nodes/configz', { verbs: ['get'], resources: ['nodes/configz'] }, 200],
    ['nodes/configz of another node', { verbs: ['get'], resources: ['nodes/configz'], resourceNames: ['node-2'] }, 403],
    ['nodes/proxy', { verbs: ['get'], resources: ['nodes/proxy'] }, 200],
    ['nodes/stats', statsRule, 403],
  ])('a simulated kubelet grants its configuration for %s: %i', async ([, rule, expected], { sim }) => {
    const token = sim.issueToken({ user: 'exporter', rules: [rule] });
    const { status, text } = await callKubelet(sim, 'node-1', { path: '/configz', token });
    expect(status).toBe(expected);
    if (status === 403) {
      expect(text).toBe('Forbidden (user=exporter, verb=get, resource=nodes, subresource=proxy)');
    }
  });

  it('a simulated kubelet serves its eviction thresholds: the default ones, its own, or none', async ({ sim }) => {
    await sim.addNode({ name: 'own', evictionHard: { 'nodefs.available': '1Gi' } });
    await sim.addNode({ name: 'none', evictionHard: {} });
    const evictionHardOf = async (name: string): Promise<unknown> => {
      const { text } = await callKubelet(sim, name, { path: '/configz' });
      return (JSON.parse(text) as { kubeletconfig: { evictionHard?: object } }).kubeletconfig.evictionHard;
    };
    expect(await evictionHardOf('node-1')).toMatchObject({ 'nodefs.available': '10%', 'imagefs.available': '15%' });
    expect(await evictionHardOf('own')).toEqual({ 'nodefs.available': '1Gi' });
    expect(await evictionHardOf('none')).toBeUndefined();
  });

  it.for([
    ['/pods', 'proxy'],
    ['/metrics', 'metrics'],
    ['/metrics/cadvisor', 'metrics'],
    ['/logs/', 'log'],
    ['/spec/', 'spec'],
  ] as const)('a simulated kubelet requires another permission for %s', async ([path, subresource], { sim }) => {
    const token = sim.issueToken({ user: 'exporter', rules: [statsRule] });
    const { status, text } = await callKubelet(sim, 'node-1', { path, token });
    expect([status, text]).toEqual([
      403,
      `Forbidden (user=exporter, verb=get, resource=nodes, subresource=${subresource})`,
    ]);
    expect((await callKubelet(sim, 'node-1', { path })).status).toBe(404);
  });

  it('a simulated kubelet denies HEAD to a user with the verb get only', async ({ sim }) => {
    const token = sim.issueToken({ user: 'exporter', rules: [statsRule] });
    expect((await callKubelet(sim, 'node-1', { method: 'HEAD', token })).status).toBe(403);
  });

  it('a simulated kubelet counts the requests', async ({ sim }) => {
    await callKubelet(sim, 'node-1');
    await callKubelet(sim, 'node-1', { token: 'unknown' });
    expect(sim.kubeletRequestCount('node-1')).toBe(2);
    expect(sim.kubeletRequestCount('node-2')).toBe(0);
  });

  it.for(['127.0.0.1', 'node-1'])('a simulated kubelet serves a certificate for %s', async (name, { sim }) => {
    const certificate = await certificateOf(sim, 'node-1');
    expect(checkServerIdentity(name, certificate)).toBeUndefined();
    expect(checkServerIdentity('node-2', certificate)).toBeInstanceOf(Error);
  });

  it('a simulated kubelet stops when its node is removed with its pods', async ({ sim }) => {
    const port = sim.model.node('node-1')?.kubeletPort ?? 0;
    await sim.removeNode('node-1');
    expect(sim.model.pods).toEqual([]);
    const socket = connectPlain(port, '127.0.0.1');
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
    expect(() => sim.kubeletRequestCount('node-1')).toThrow('unknown node node-1; the nodes are node-2');
  });

  it('a simulated kubelet starts with a node that is added', async ({ sim }) => {
    await sim.addNode({ name: 'node-3' });
    expect((await summaryOf(sim, 'node-3')).node.nodeName).toBe('node-3');
  });
});

/** The certificate that the kubelet shows; trusted, or the handshake fails. */
async function certificateOf(sim: SimulatedCluster, nodeName: string): Promise<PeerCertificate> {
  const port = sim.model.node(nodeName)?.kubeletPort;
  const socket = connectTls({ host: '127.0.0.1', port, ca: sim.caPem });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

describe('the faults of a kubelet', () => {
  it.for<[Fault, number, string, RegExp]>([
    ['status:500', 500, 'text/plain; charset=utf-8', /^Internal Error/],
    ['status:429', 429, 'text/plain; charset=utf-8', /^Internal Error/],
    ['html', 200, 'text/html; charset=utf-8', /^<!doctype html>/],
    ['wrong-body', 200, 'application/json', /^\{"kind":"PodList"/],
  ])('a kubelet with the fault %s responds with %i and %s', async ([fault, status, contentType, body], { sim }) => {
    await sim.setFault('node-1', fault);
    const answer = await callKubelet(sim, 'node-1');
    expect([answer.status, answer.headers['content-type']]).toEqual([status, contentType]);
    expect(answer.text).toMatch(body);
    expect((await callKubelet(sim, 'node-2')).status).toBe(200);
    await sim.setFault('node-1', undefined);
    await summaryOf(sim);
  });

  it.for<[Fault, RegExp]>([
    ['reset', /ECONNRESET|socket hang up/],
    ['truncated', /aborted/],
    ['down', /ECONNREFUSED/],
    ['expired-certificate', /certificate has expired/],
  ])('a kubelet with the fault %s fails a request: %s', async ([fault, message], { sim }) => {
    await sim.setFault('node-1', fault);
    await expect(callKubelet(sim, 'node-1')).rejects.toThrow(message);
    await sim.setFault('node-1', undefined);
    expect((await summaryOf(sim)).pods.length).toBe(1);
  });

  it('the fault redirect sends a request to another address', async ({ sim }) => {
    await sim.setFault('node-1', 'redirect');
    const { status, headers } = await callKubelet(sim, 'node-1');
    expect([status, headers.location]).toEqual([307, 'https://elsewhere.invalid/stats/summary']);
  });

  it('the fault slow responds after its delay', async ({ clock, sim }) => {
    await sim.setFault('node-1', 'slow:3000');
    const before = clock.sleeperCount;
    const answer = callKubelet(sim, 'node-1');
    await expect.poll(() => clock.sleeperCount).toBe(before + 1);
    await clock.advance(3_000);
    expect((await answer).status).toBe(200);
  });

  it('the fault hang ends the connection when the kubelet is disposed of', async ({ sim }) => {
    await sim.setFault('node-1', 'hang');
    const answer = expect(callKubelet(sim, 'node-1')).rejects.toThrow(/socket hang up|ECONNRESET/);
    await expect.poll(() => sim.kubeletRequestCount('node-1')).toBe(1);
    await sim.setFault('node-1', 'down');
    await answer;
  });

  it('the fault empty lists no pods, although the disk usage is unchanged', async ({ sim }) => {
    const before = await summaryOf(sim);
    await sim.setFault('node-1', 'empty');
    const empty = await summaryOf(sim);
    expect(empty.pods).toEqual([]);
    expect(empty.node.fs.usedBytes).toBe(before.node.fs.usedBytes);
  });

  it('the fault restarted has no volumes until it has measured them again', async ({ clock, sim }) => {
    expect((await summaryOf(sim)).pods[0]?.volume).toBeUndefined();
    await clock.advance(60_000);
    expect((await summaryOf(sim)).pods[0]?.volume?.length).toBe(1);
    await sim.setFault('node-1', 'restarted');
    expect((await summaryOf(sim)).pods[0]?.volume).toBeUndefined();
    await clock.advance(60_000);
    expect((await summaryOf(sim)).pods[0]?.volume?.length).toBe(1);
  });

  it('the fault restarted is a new start of the kubelet, but not of its node', async ({ clock, sim }) => {
    const startTimes = async (): Promise<readonly unknown[]> => {
      const { node } = await summaryOf(sim);
      const kubelet = node.systemContainers.find(({ name }) => name === 'kubelet');
      return [node.startTime, kubelet?.startTime];
    };
    await clock.advance(60_000);
    expect(await startTimes()).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z']);
    await sim.setFault('node-1', 'restarted');
    await sim.setFault('node-1', undefined);
    expect(await startTimes()).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']);
  });

  it('faults are set one after the other', async ({ sim }) => {
    await Promise.all([
      sim.setFault('node-1', 'down'),
      sim.setFault('node-1', undefined),
      sim.setFault('node-1', 'down'),
      sim.setFault('node-1', undefined),
    ]);
    expect((await callKubelet(sim, 'node-1')).status).toBe(200);
  });

  it.each(['down', 'slow:250', 'status:503', 'expired-certificate'])('faults are known by name: %s', (name) => {
    expect(parseFault(name)).toBe(name);
  });

  it.each(['', 'broken', 'slow:', 'slow:-1', 'status:200', 'status:5000', 'down '])('"%s" is no fault', (name) => {
    expect(() => parseFault(name)).toThrow(/unknown fault/);
  });
});

// @module-tag sockets

import { describe, expect, test } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { untilEnd } from '../support/fixtures.js';
import type { HttpAnswer } from '../support/http-get.js';
import { ManualClock } from '../support/manual-clock.js';
import { podSpec } from './pods.js';
import { callApi, callKubelet, type ListBody, type StatusBody, WatchClient } from './wire.js';

interface Recording {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

function recording(name: string): Recording {
  const [head = '', ...body] = readRecording(name).split(/\r?\n\r?\n/);
  const [statusLine = '', ...headerLines] = head.split(/\r?\n/).filter((line) => line !== '');
  const headers = headerLines.map((line) => line.split(/: (.*)/).slice(0, 2));
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    text: body.join('\n\n'),
  };
}

/** Whether a body has a length depends on its size alone. */
const framing = ['Content-Length', 'Transfer-Encoding'];
const fixedHeaders = [
  'Cache-Control',
  'Content-Type',
  'Content-Encoding',
  'Vary',
  'Retry-After',
  'X-Content-Type-Options',
];

function expectSameHead(answer: Pick<HttpAnswer, 'status' | 'headers' | 'headerNames'>, recorded: Recording): void {
  expect(answer.status).toBe(recorded.status);
  const withoutFraming = (names: readonly string[]): readonly string[] =>
    names.filter((name) => !framing.includes(name)).toSorted();
  expect(withoutFraming(answer.headerNames)).toEqual(withoutFraming(Object.keys(recorded.headers)));
  for (const name of fixedHeaders) expect(answer.headers[name.toLowerCase()], name).toBe(recorded.headers[name]);
}

/** The keys of an object and of the objects in it. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

/** The recorded server is 1.26; the simulated one, as 1.37, words some causes in another way. */
function withoutMessages({ code, reason, details }: StatusBody): unknown {
  return { code, reason, causes: details?.causes?.map(({ field, reason: why }) => ({ field, reason: why })) };
}

/** A reviver: 1.37 leaves a time out that is not set. */
function withoutNullTime(key: string, value: unknown): unknown {
  return key === 'creationTimestamp' && value === null ? undefined : value;
}

async function start(clock: ManualClock): Promise<SimulatedCluster> {
  const sim = await SimulatedCluster.start({ scenario: emptyScenario('node-1'), clock });
  for (const name of ['a', 'b', 'c']) sim.model.addPod(podSpec(name));
  return sim;
}

const it = test
  .extend('clock', () => new ManualClock())
  .extend('sim', ({ clock, onTestFinished }) => untilEnd(onTestFinished, start(clock)));

describe.skipIf(!hasCaptures)(`answers of the simulated API server (${capturesNeeded})`, () => {
  it('a watch-list is refused with the same causes as the recorded one', async ({ sim }) => {
    const answer = await callApi(
      sim,
      '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    );
    const recorded = recording('apiserver/watch-list.http');
    expectSameHead(answer, recorded);
    const ours = JSON.parse(answer.text) as StatusBody;
    const theirs = JSON.parse(recorded.text) as StatusBody;
    expect(shapeOf(ours)).toEqual(shapeOf(theirs));
    expect(withoutMessages(ours)).toEqual(withoutMessages(theirs));
  });

  it('lists of pods that have expired are answered as the recorded ones', async ({ sim }) => {
    const first = JSON.parse((await callApi(sim, '/api/v1/pods?limit=1')).text) as ListBody;
    sim.model.addPod(podSpec('d'));
    sim.expireResourceVersions();
    for (const [name, query] of [
      ['list-pods-expired-continue', `continue=${first.metadata.continue ?? ''}`],
      ['list-pods-exact-expired', `resourceVersionMatch=Exact&resourceVersion=${first.metadata.resourceVersion}`],
    ] as const) {
      const answer = await callApi(sim, `/api/v1/pods?${query}`);
      const recorded = recording(`apiserver/${name}.http`);
      expectSameHead(answer, recorded);
      expect(shapeOf(JSON.parse(answer.text))).toEqual(shapeOf(JSON.parse(recorded.text)));
    }
  });

  it('bookmarks of a watch have the recorded object and times', async ({ clock, sim }) => {
    const lines = recording('apiserver/watch-bookmarks.http').text.trim().split('\n');
    const { resourceVersion } = (JSON.parse((await callApi(sim, '/api/v1/pods')).text) as ListBody).metadata;
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=190&resourceVersion=${resourceVersion}`;
    using watch = await WatchClient.open(sim, `/api/v1/pods?${query}`);
    const startMs = clock.nowMs();
    for (const line of lines.slice(0, -1)) {
      const [seconds = '', json = ''] = line.split(' | ');
      const dueMs = startMs + (Number.parseFloat(seconds) + 1) * 1000; // as the recorded time, give or take a second
      await clock.advance(dueMs - clock.nowMs());
      const event = await watch.next();
      expect(shapeOf(event)).toEqual(shapeOf(JSON.parse(json, withoutNullTime)));
      expect(event?.type).toBe('BOOKMARK');
    }
    await clock.advance(startMs + 191_000 - clock.nowMs());
    expect(await watch.next()).toBeUndefined();
  });

  it('the proxy answers as recorded for a kubelet that is down and for a summary', async ({ sim }) => {
    const path = '/api/v1/nodes/node-1/proxy/stats/summary';
    expectSameHead(await callApi(sim, path), recording('apiserver/proxy-summary-ok.http'));
    await sim.setFault('node-1', 'down');
    const answer = await callApi(sim, path);
    const recorded = recording('apiserver/proxy-kubelet-down.http');
    expectSameHead(answer, recorded);
    const withoutAddress = (text: string): string => text.replace(/tcp [^ ]+: connect/, 'tcp: connect').trim();
    expect(withoutAddress(answer.text)).toBe(withoutAddress(recorded.text));
  });
});

describe.skipIf(!hasCaptures)(`answers of the simulated kubelet (${capturesNeeded})`, () => {
  it.for([
    ['kubelet_no_token', undefined, '/stats/summary'],
    ['kubelet_bad_token', 'bad', '/stats/summary'],
    ['kubelet_forbidden', 'exporter', '/pods'],
  ] as const)('the response of the kubelet is the recorded %s', async ([name, user, path], { sim }) => {
    const exporter = sim.issueToken({ user: 'system:serviceaccount:default:exporter', rules: [] });
    const answer = await callKubelet(sim, 'node-1', { path, token: user === 'exporter' ? exporter : user });
    const recorded = recording(`live/${name}.http`);
    expectSameHead(answer, recorded);
    expect(answer.text).toBe(recorded.text);
  });

  it('the configuration of the kubelet has the recorded shape', async ({ sim }) => {
    const answer = await callKubelet(sim, 'node-1', { path: '/configz' });
    const recorded = recording('live/kubelet_configz.http');
    expectSameHead(answer, recorded);
    expect(additions(shapeOf(JSON.parse(answer.text)), shapeOf(JSON.parse(recorded.text)))).toEqual([
      'kubeletconfig.evictionHard.imagefs.inodesFree', // not set there
      'kubeletconfig.evictionHard.nodefs.inodesFree',
    ]);
  });

  it('the summary of the kubelet has the recorded shape', async ({ clock, sim }) => {
    const content = { initialBytes: 4096 };
    sim.model.addPod(podSpec('web-1', { volumes: [{ name: 'scratch', source: 'emptyDir', content }] }));
    await clock.advance(60_000);
    const answer = await callKubelet(sim, 'node-1');
    const recorded = recording('live/kubelet_summary.http');
    expectSameHead(answer, recorded);
    expect(podShape(answer.text)).toEqual(podShape(recorded.text));
    const theirs = shapeOf((JSON.parse(recorded.text) as { node: object }).node);
    const ours = shapeOf((JSON.parse(answer.text) as { node: object }).node);
    expect(additions(ours, theirs)).toEqual(['io', 'runtime.containerFs']); // of later versions
  });
});

/** The keys of the pod `web-1`, without `io` of later versions, with those of everything about storage. */
function podShape(text: string): unknown {
  const { pods } = JSON.parse(text) as { pods: ({ podRef: { name: string } } & Record<string, unknown>)[] };
  const pod = pods.find(({ podRef }) => podRef.name === 'web-1');
  const [container] = pod?.['containers'] as { rootfs: object; logs: object }[];
  return {
    keys: Object.keys(pod ?? {}).filter((key) => key !== 'io'),
    container: Object.keys(container ?? {}),
    shapes: [container?.rootfs, container?.logs, pod?.['volume'], pod?.['ephemeral-storage'], pod?.podRef].map(shapeOf),
  };
}

/** Paths that `ours` has and `theirs` has not. */
function additions(ours: unknown, theirs: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof ours !== 'object' || ours === null) return [];
  if (typeof theirs !== 'object' || theirs === null) return [path.join('.')];
  const known = theirs as Readonly<Record<string, unknown>>;
  return Object.entries(ours).flatMap(([key, inner]) =>
    key in known ? additions(inner, known[key], [...path, key]) : [[...path, key].join('.')],
  );
}

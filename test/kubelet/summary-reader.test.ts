import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { maxListedCount } from '../../src/cluster/kube/pod-bounds.js';
import { SummaryDecoder } from '../../src/cluster/kubelet/decode-summary.js';
import { cutPod } from '../../src/cluster/kubelet/pod-others.js';
import type { NodeSummary } from '../../src/cluster/kubelet/summary.js';
import { decodeSummary, SummaryReader } from '../../src/cluster/kubelet/summary-reader.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { objectOf, objectsOf } from '../../src/lib/json/json.js';
import { cut } from '../support/cut.js';
import { sumOf } from '../support/figures.js';
import { containerWithPressure } from '../support/hostile-bodies.js';

const podRef = { name: 'web-0', namespace: 'shop', uid: 'uid-1' };

function read(pieces: readonly Buffer[]): NodeSummary {
  const reader = new SummaryReader('summary of node a');
  for (const piece of pieces) reader.write(piece);
  return reader.finish();
}

/** The summary from JSON.parse of the whole document, with the same decoder; undefined for a document that is none. */
function wholeSummary(text: string): NodeSummary | undefined {
  const { node, pods } = objectOf(JSON.parse(text));
  const decoder = new SummaryDecoder();
  const stats = decoder.node(node);
  if (stats === undefined || !(pods === undefined || pods === null || Array.isArray(pods))) return undefined;
  const all = objectsOf(pods)
    .map((pod) => decoder.pod(pod))
    .filter((pod) => pod !== undefined)
    .map((pod) => cutPod(pod, maxListedCount));
  const distinct = [...new Map(all.map((each) => [each.uid, each])).values()];
  const { waitingUs = 0, stalledUs = 0 } = stats.ioPressure ?? { waitingUs: 1 };
  const saturated = decoder.saturated;
  if (waitingUs !== 0 || stalledUs !== 0) return { ...stats, pods: distinct, saturatedCount: saturated.all };
  const unmeasured = distinct.map((pod) => ({ ...pod, ioPressure: undefined }));
  return { ...stats, ioPressure: undefined, pods: unmeasured, saturatedCount: saturated.all - saturated.ofPressure };
}

const anything = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
const name = fc.oneof(
  fc.constantFrom('app', 'log-shipper', 'größe', '"}],{"podRef":', '', 'x'.repeat(254)),
  fc.string(),
);
const value = fc.oneof(fc.nat(), fc.constantFrom(2 ** 53, 2 ** 60, -1, 1.5, null, '7', true));
const time = fc.constantFrom('2026-11-20T12:40:44Z', '0001-01-01T00:00:00Z', 'yesterday', 5);
const fs = { time, availableBytes: value, capacityBytes: value, usedBytes: value, inodesUsed: value };
const fsStats = fc.oneof(
  { weight: 5, arbitrary: fc.record(fs, { requiredKeys: [] }) },
  { weight: 1, arbitrary: anything },
);
const io = fc.record({ psi: fc.record({ some: fc.record({ total: value }), full: anything }, { requiredKeys: [] }) });
const container = fc.record({ name, rootfs: fsStats, logs: fsStats, cpu: anything }, { requiredKeys: [] });
const volume = fc.record({ name, ...fs, pvcRef: anything }, { requiredKeys: [] });
const pod = fc.record(
  {
    podRef: fc.record({ name, namespace: name, uid: name }),
    startTime: time,
    containers: fc.oneof(fc.array(container, { maxLength: 4 }), fc.constant(null)),
    volume: fc.array(volume, { maxLength: 4 }),
    'ephemeral-storage': fsStats,
    io,
    memory: anything,
  },
  { requiredKeys: ['podRef'] },
);
const node = fc.record(
  {
    nodeName: fc.constant('a'),
    fs: fsStats,
    runtime: fc.record({ imageFs: fsStats, containerFs: fsStats }, { requiredKeys: [] }),
    io,
    systemContainers: fc.array(fc.record({ name: fc.constantFrom('kubelet', 'pods'), startTime: time })),
    network: anything,
  },
  { requiredKeys: ['nodeName'] },
);
/** Members in any order, any others, and any indentation; texts are escaped or not. */
const document = fc
  .record({
    node,
    pods: fc.oneof(
      { weight: 5, arbitrary: fc.array(pod, { maxLength: 8 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    others: fc.dictionary(fc.constantFrom('kind', 'x', 'é', 'pod'), anything),
    indent: fc.constantFrom('', ' ', '\t', '    '),
    isNodeFirst: fc.boolean(),
    isEscaped: fc.boolean(),
  })
  .map(({ node: ofNode, pods, others, indent, isNodeFirst, isEscaped }) => {
    const members = isNodeFirst ? { node: ofNode, ...others, pods } : { ...others, pods, node: ofNode };
    const text = JSON.stringify(members, undefined, indent);
    return isEscaped
      ? text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text;
  });

describe('a summary reader', () => {
  it('a summary has what JSON.parse of the whole body has, however the bytes are cut', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(), { maxLength: 20 }), (text, places) => {
        expect(read(cut(Buffer.from(text), places))).toEqual(wholeSummary(text));
      }),
    );
  });

  it('the pressure of pods that come before a node without is dropped', () => {
    const zeros = { psi: { some: { total: 0 }, full: { total: 0 } } };
    const saturated = { psi: { some: { total: 2 ** 60 }, full: { total: 2 ** 60 } } };
    const summary = decodeSummary(
      JSON.stringify({ pods: [{ podRef, io: saturated }], node: { nodeName: 'a', io: zeros } }),
      'x',
    );
    expect(summary.pods.map(({ ioPressure }) => ioPressure)).toEqual([undefined]);
    expect(summary).toMatchObject({ ioPressure: undefined, saturatedCount: 0 });
  });

  it('names are made well-formed', () => {
    const half = String.fromCharCode(0xd800);
    const text = JSON.stringify({
      node: { nodeName: `a${half}` },
      pods: [
        { podRef: { ...podRef, name: `web${half}` }, containers: [{ name: half }], volume: [{ name: `${half}🐳` }] },
      ],
    });
    expect(text).toContain(String.raw`\ud800`);
    expect(decodeSummary(text, 'x')).toMatchObject({
      nodeName: 'a\uFFFD',
      pods: [{ name: 'web\uFFFD', containers: [{ name: '\uFFFD' }], volumes: [{ name: '\uFFFD🐳' }] }],
    });
  });
});

/** The summary, or the reason why there is none. */
function outcomeOf(decode: () => unknown): unknown {
  try {
    return decode() ?? 'decode';
  } catch (error) {
    if (error instanceof SyntaxError) return 'decode';
    if (error instanceof RequestError) return error.reason;
    throw error;
  }
}

describe('a summary of any kind', () => {
  const before = '{"node":{"nodeName":"a"},"pods":[';

  it('a summary is refused wherever a byte of a pod breaks it, and read where it does not', () => {
    const bytes = fc.constantFrom(...Buffer.from('{}[]",:\\01-.eE \n\0u/t'), 0xff, 0xc3);
    fc.assert(
      fc.property(fc.array(pod, { minLength: 1, maxLength: 3 }), fc.nat(), bytes, fc.nat(), (pods, place, byte, at) => {
        const body = Buffer.from(`${before}${JSON.stringify(pods).slice(1)}}`);
        body[before.length + (place % (body.length - before.length - 2))] = byte;
        expect(outcomeOf(() => read(cut(body, [at])))).toEqual(outcomeOf(() => wholeSummary(body.toString())));
      }),
      { numRuns: 500 },
    );
  });

  it('a summary is refused when it is cut anywhere', () => {
    const pods = fc.sample(pod, { numRuns: 3, seed: 1 });
    const body = Buffer.from(JSON.stringify({ node: { nodeName: 'a', fs: { usedBytes: 1 } }, pods }, undefined, 1));
    for (let end = 0; end < body.length; end += 1)
      expect(outcomeOf(() => decodeSummary(body.subarray(0, end), 'x'))).toBe('decode');
  });

  it('a summary does not overflow the stack, however deep it is nested', () => {
    const deep = `${'['.repeat(3_000)}${']'.repeat(3_000)}`;
    const text = `${before}{"podRef":{"name":"a","namespace":"n","uid":"u"},"containers":${deep},"cpu":${deep}}]}`;
    expect(decodeSummary(text, 'x').pods).toHaveLength(1);
  });
});

const named = (count: number, prefix: string): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}` }));

describe('a summary above the limits', () => {
  const body = (...pods: unknown[]): Buffer => Buffer.from(JSON.stringify({ node: { nodeName: 'a' }, pods }));
  const podOf = (uid: number, fields: object) => ({ podRef: { ...podRef, uid: `uid-${uid}` }, ...fields });
  const pods = (count: number, fields: object) => Array.from({ length: count }, (_, uid) => podOf(uid, fields));

  it.each([
    ['pods', pods(3_001, {}), ': more than 3000 pods, which no node has'],
    ['items that are no pods', Array.from({ length: 3_001 }, () => []), ': more than 3000 pods, which no node has'],
    [
      'bytes of a name',
      [{ podRef: { ...podRef, name: 'x'.repeat(2 ** 20) } }],
      ': a pod: a member is larger than 65536 bytes',
    ],
    [
      'values of one container',
      [podOf(1, { containers: [{ name: 'c', more: Array.from({ length: 40_000 }, () => ({})) }] })],
      ': a pod: a container or volume has more than 2000 values',
    ],
  ])('a summary is refused above the limits: too many %s', (_case, list, message) => {
    expect(() => decodeSummary(body(...list), 'summary of node a')).toThrow(
      expect.objectContaining({ reason: 'too_large', message: `summary of node a${message}` }) as Error,
    );
  });

  it('a summary is accepted at the limits', () => {
    expect(decodeSummary(body(...pods(3_000, { containers: named(20, 'c') })), 'x').pods).toHaveLength(3_000);
    const [pod_] = decodeSummary(body(podOf(1, { containers: named(500, 'c'), volume: named(500, 'v') })), 'x').pods;
    expect([pod_?.containers.length, pod_?.volumes?.length]).toEqual([500, 500]);
  });

  it('further pods beyond 60,000 entries keep a hundred containers and volumes, and a sum of the others', () => {
    const containers = (count: number) => named(count, 'c').map((one) => ({ ...one, rootfs: { usedBytes: 1 } }));
    const volume = (count: number) => named(count, 'v').map((one) => ({ ...one, usedBytes: 1 }));
    const large = pods(13, { volume: volume(5_000) }); // read as a whole or part by part
    const further = [
      podOf(20, { containers: containers(100), volume: volume(100) }),
      podOf(21, { containers: containers(101), volume: volume(500) }),
      podOf(22, { volume: volume(9_000) }),
    ];
    const read_ = decodeSummary(body(...large, ...further), 'x').pods;
    const entriesOf = (items: readonly object[] | undefined) => items?.length ?? 0;
    expect(read_.map(({ containers: list, volumes }) => [entriesOf(list), entriesOf(volumes)])).toEqual([
      ...Array.from({ length: 12 }, () => [0, 5_000]),
      [0, 101],
      [100, 100],
      [101, 101],
      [0, 101],
    ]);
    expect(read_.slice(12).map(({ others }) => others)).toEqual([
      { containerCount: 0, volumeCount: 4_900 },
      undefined,
      { containerCount: 1, volumeCount: 400 },
      { containerCount: 0, volumeCount: 8_900 },
    ]);
    expect(read_.slice(12).map(({ volumes = [] }) => sumOf(volumes.map(({ usedBytes }) => usedBytes)))).toEqual([
      5_000, 100, 500, 9_000,
    ]);
    expect(sumOf(read_[14]?.containers.map(({ rootfs }) => rootfs?.usedBytes) ?? [])).toBe(101);
  });

  it('of a UID that is listed twice the last entry counts, as to the kubelet', () => {
    const entry = (uid: string, usedBytes: number) => ({
      podRef: { ...podRef, uid },
      'ephemeral-storage': { usedBytes },
    });
    const { pods } = decodeSummary(body(entry('a', 9), entry('b', 2), entry('a', 1)), 'x');
    expect(pods).toMatchObject([
      { uid: 'a', usedBytes: 1 },
      { uid: 'b', usedBytes: 2 },
    ]);
  });

  it('a summary has no name of more than 253 characters', () => {
    const [longest, longer] = ['x'.repeat(253), 'x'.repeat(254)];
    const containers = [{ name: longest }, { name: longer }];
    const refs = [
      { ...podRef, name: longest },
      { ...podRef, uid: longer },
      { ...podRef, namespace: longer },
    ];
    const summary = decodeSummary(body(...refs.map((ref) => ({ podRef: ref, containers, volume: containers }))), 'x');
    expect(summary.pods).toMatchObject([
      { name: longest, containers: [{ name: longest }], volumes: [{ name: longest }] },
    ]);
    expect(() => decodeSummary(JSON.stringify({ node: { nodeName: longer } }), 'x')).toThrow('no node with a nodeName');
  });
});

describe('a pod of any size', () => {
  const used = { 'ephemeral-storage': { usedBytes: 123_456, inodesUsed: 9 }, startTime: '2026-11-20T12:40:44Z' };
  const small = { podRef: { ...podRef, name: 'small', uid: 'uid-2' }, containers: [{ name: 'app' }], ...used };
  const last = { ...small, podRef: { ...podRef, name: 'last', uid: 'uid-3' } };
  const entries = (count: number, fields: (index: number) => object): readonly object[] =>
    Array.from({ length: count }, (_, index) => ({ name: `n${index}`, ...fields(index) }));
  const stats = (index: number): object => ({ usedBytes: 1_000 + index, inodesUsed: 1, capacityBytes: 2 ** 40 });
  const container = (index: number): object => ({
    ...containerWithPressure(`n${index}`),
    rootfs: stats(index),
    logs: stats(1),
  });
  const interfaces = { interfaces: entries(20_000, () => ({ rxBytes: 1, txBytes: 2, rxErrors: 0, txErrors: 0 })) };

  const largePods: readonly (readonly [string, object, string])[] = [
    ['501 containers', { containers: entries(501, container), volume: [], ...used }, 'c 501 v 0'],
    ['501 volumes', { containers: entries(1, container), volume: entries(501, stats), ...used }, 'c 1 v 501'],
    ['240 containers with values of pressure', { containers: entries(240, container), ...used }, 'c 240 v 0'],
    ['5,100 volumes without figures', { volume: named(5_100, 'v'), ...used }, 'c 0 v 5001'],
    ['8,000 volumes', { containers: null, volume: entries(8_000, stats), ...used }, 'c 0 v 5001'],
    [
      '3,300 volumes with long names',
      { volume: entries(3_300, (index) => ({ name: `${'x'.repeat(245)}${index}`, ...stats(index) })), ...used },
      'c 0 v 3300',
    ],
    ['values that are not needed', { network: interfaces, ...used, containers: entries(2, container) }, 'c 2 v 0'],
    [
      'values that are too large for numbers',
      { volume: entries(8_000, () => ({ usedBytes: 2 ** 60 })), ...used },
      'c 0 v 5001',
    ],
  ];

  it.each(largePods)('a large pod is read beside others, with its total: %s', (_case, fields, counts) => {
    const text = JSON.stringify({ node: { nodeName: 'a' }, pods: [small, { podRef, ...fields }, last] });
    const summary = decodeSummary(text, 'x');
    const [, large] = summary.pods;
    expect(summary.pods).toHaveLength(3);
    expect(large).toMatchObject({ ...podRef, usedBytes: 123_456, inodesUsed: 9, startTimeMs: 1_795_178_444_000 });
    expect(`c ${large?.containers.length} v ${large?.volumes?.length ?? 0}`).toBe(counts);
    expect(summary).toEqual(wholeSummary(text));
    for (const size of [1_000, 65_536, 1_000_000]) {
      const bytes = Buffer.from(text);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(read(pieces)).toEqual(summary);
    }
  });

  it('the cut of a large pod loses no byte, and says how many it stands for', () => {
    const text = JSON.stringify({
      node: { nodeName: 'a' },
      pods: [{ podRef, containers: entries(700, container), volume: entries(8_000, stats), ...used }],
    });
    const [pod_] = decodeSummary(text, 'x').pods;
    const total = (count: number): number => 1_000 * count + (count * (count - 1)) / 2;
    expect(pod_?.others).toEqual({ containerCount: 0, volumeCount: 3_000 });
    expect(sumOf(pod_?.volumes?.map(({ usedBytes }) => usedBytes) ?? [])).toBe(total(8_000));
    expect(sumOf(pod_?.containers.map(({ rootfs }) => rootfs?.usedBytes) ?? [])).toBe(total(700));
  });

  it('a pod without a name has no counted value', () => {
    const volume = entries(8_000, () => ({ usedBytes: 2 ** 60 }));
    const text = JSON.stringify({ node: { nodeName: 'a' }, pods: [{ volume }] });
    expect(decodeSummary(text, 'x')).toMatchObject({ pods: [], saturatedCount: 0 });
  });

  it('a large pod is refused where a byte of it breaks it, with the node named', () => {
    const text = JSON.stringify({
      node: { nodeName: 'a' },
      pods: [{ podRef, volume: entries(8_000, stats), ...used }],
    });
    const broken = (from: string, to: string): string => text.replace(from, to);
    for (const changed of [broken('"n7000",', '"n7000",,'), broken('[{"name"', '[,{"name"'), text.slice(0, -3)])
      expect(outcomeOf(() => decodeSummary(changed, 'x'))).toBe('decode');
  });

  it('a large pod does not overflow the stack, however deep a volume of it is nested', () => {
    const text = JSON.stringify({
      node: { nodeName: 'a' },
      pods: [{ podRef, volume: entries(8_000, stats), ...used }],
    });
    for (const [depth, outcome] of [
      [1_000, 1],
      [8_000, 1],
      [100_000, 'decode'],
    ] as const) {
      const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const nested = text.replace('"usedBytes":1000,', `"usedBytes":1000,"x":${deep},`);
      expect(outcomeOf(() => decodeSummary(nested, 'x').pods.length)).toBe(outcome);
    }
  });
});

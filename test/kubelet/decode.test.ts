import { describe, expect, it } from 'vitest';

import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';
import { RequestError } from '../../src/lib/base/errors.js';
import { aContainerFs } from '../support/builders.js';

const podRef = { name: 'web-0', namespace: 'shop', uid: 'uid-1' };
const noFigures = {
  timeMs: undefined,
  availableBytes: undefined,
  capacityBytes: undefined,
  usedBytes: undefined,
  inodes: undefined,
  inodesFree: undefined,
  inodesUsed: undefined,
};

function decode(summary: unknown): ReturnType<typeof decodeSummary> {
  return decodeSummary(JSON.stringify(summary), 'summary of node a');
}

function decodePod(pod: unknown): ReturnType<typeof decodeSummary>['pods'][number] | undefined {
  return decode({ node: { nodeName: 'a' }, pods: [pod] }).pods[0];
}

function failureOf(body: string | Buffer): unknown {
  try {
    return decodeSummary(body, 'summary of node a');
  } catch (error) {
    return error;
  }
}

describe('decodeSummary: a whole summary', () => {
  const fs = { time: '2026-11-20T12:40:44Z', availableBytes: 3, capacityBytes: 10, usedBytes: 7 };
  const inodes = { inodesFree: 1, inodes: 5, inodesUsed: 4 };
  const readFigures = { availableBytes: 3, capacityBytes: 10, usedBytes: 7 };
  const read = { timeMs: Date.UTC(2026, 10, 20, 12, 40, 44), ...readFigures };

  it('a summary has the storage fields of the node and its pods and drops the rest', () => {
    const summary = decode({
      node: { nodeName: 'a', cpu: {}, fs: { ...fs, ...inodes }, runtime: { imageFs: fs, containerFs: inodes } },
      pods: [
        {
          podRef,
          startTime: '2026-11-20T12:00:00Z',
          containers: [{ name: 'app', cpu: { usageNanoCores: 1 }, rootfs: fs, logs: inodes }],
          volume: [
            { name: 'cache', ...fs },
            { name: 'data', pvcRef: { name: 'claim', namespace: 'shop' } },
          ],
          'ephemeral-storage': { ...fs, usedBytes: 123 },
        },
      ],
    });
    expect(summary).toEqual({
      nodeName: 'a',
      nodefs: { ...read, ...inodes },
      imagefs: { ...noFigures, ...read },
      containerfs: { ...noFigures, ...inodes },
      saturatedCount: 0,
      pods: [
        {
          namespace: 'shop',
          name: 'web-0',
          uid: 'uid-1',
          startTimeMs: Date.UTC(2026, 10, 20, 12),
          usedBytes: 123,
          containers: [
            { name: 'app', timeMs: read.timeMs, rootfs: aContainerFs(readFigures), logs: aContainerFs(inodes) },
          ],
          volumes: [
            { name: 'cache', hasClaim: false, ...noFigures, ...read },
            { name: 'data', hasClaim: true, ...noFigures },
          ],
        },
      ],
    });
  });

  it.each([
    [
      'where it is reported whole',
      { some: { total: 82_998_085, avg10: 0.97 }, full: { total: 11_058_814 } },
      { waitingUs: 82_998_085, stalledUs: 11_058_814 },
    ],
    ['where it is reported in part', { some: { total: 5 } }, { waitingUs: 5, stalledUs: undefined }],
    ['as unknown where it is not reported', {}, undefined],
    ['as unknown in a form that is not known', { some: { total: '5' }, full: [] }, undefined],
  ])('the pressure on the disk is read %s', (_case, psi, expected) => {
    const io = { time: '2026-11-22T03:52:30Z', psi };
    const summary = decode({
      node: { nodeName: 'a', io },
      pods: [
        { podRef, io },
        { podRef: { ...podRef, uid: 'uid-2' }, io: { time: 'x' } },
      ],
    });
    expect(summary.ioPressure).toEqual(expected);
    expect(summary.pods.map(({ ioPressure }) => ioPressure)).toEqual([expected, undefined]);
  });

  it('zeros of a node are pressure that is not measured, zeros of pods only then', () => {
    const zeros = { psi: { some: { total: 0 }, full: { total: 0 } } };
    const ofPods = (io: object): unknown =>
      decode({ node: { nodeName: 'a', io }, pods: [{ podRef, io: zeros }] }).pods[0]?.ioPressure;
    expect(ofPods(zeros)).toBeUndefined();
    expect(ofPods({ psi: { some: { total: 1 }, full: { total: 0 } } })).toEqual({ waitingUs: 0, stalledUs: 0 });
    expect(ofPods({})).toEqual({ waitingUs: 0, stalledUs: 0 });
    expect(decode({ node: { nodeName: 'a', io: zeros } }).ioPressure).toBeUndefined();
  });

  it.each([['missing'], ['null'], ['empty']])('a summary has no pods when the list is %s', (kind) => {
    const pods = { missing: undefined, null: null, empty: [] }[kind];
    expect(decode({ node: { nodeName: 'a' }, pods }).pods).toEqual([]);
  });
});

it.each([
  ['text', 'Unauthorized', 'malformed JSON: it is not a JSON object'],
  ['a truncated summary', '{"node":{"nodeName":"a"},"pods":[{"podRef":', 'truncated after 0 items'],
  ['an empty object', '{}', 'no node with a nodeName'],
  ['a Status', '{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}', 'no node with a nodeName'],
  ['pods without a node', '{"pods":[]}', 'no node with a nodeName'],
  ['an empty node', '{"node":{},"pods":[]}', 'no node with a nodeName'],
  ['a node that is a list', '{"node":[],"pods":[]}', 'no node with a nodeName'],
  ['a nodeName that is a number', '{"node":{"nodeName":1},"pods":[]}', 'no node with a nodeName'],
  ['pods that are an object', '{"node":{"nodeName":"a"},"pods":{}}', 'pods that are not a list'],
  ['pods that are text', '{"node":{"nodeName":"a"},"pods":""}', 'pods that are not a list'],
])('a body that is not a summary is refused: %s', (_name, body, message) => {
  for (const form of [body, Buffer.from(body)]) {
    const failure = failureOf(form);
    expect(failure).toBeInstanceOf(RequestError);
    expect(failure).toMatchObject({ reason: 'decode' });
    expect((failure as RequestError).message).toContain('summary of node a: ');
    expect((failure as RequestError).message).toContain(message);
  }
});

describe('decodeSummary: figures', () => {
  it.each([
    ['0', 0, 0],
    ['-0', 0, 0],
    ['4096', 4_096, 0],
    ['1e3', 1_000, 0],
    ['9007199254740991', 9_007_199_254_740_991, 0],
    ['9007199254740992', 2 ** 53, 0],
    ['9007199254740994', 2 ** 53, 1],
    ['9223372036854774784', 2 ** 53, 1],
    ['9223372036854775808', undefined, 1],
    ['18446744073709551615', undefined, 1],
    ['1e300', undefined, 1],
    ['1e400', undefined, 0],
    ['-1', undefined, 0],
    ['-9223372036854775808', undefined, 0],
    ['1.5', undefined, 0],
    ['"4096"', undefined, 0],
    ['null', undefined, 0],
    ['true', undefined, 0],
    ['{}', undefined, 0],
  ])('the figure %s is read as %s, saturated %i', (text, expected, saturatedCount) => {
    const body = `{"node":{"nodeName":"a","fs":{"usedBytes":${text}}}}`;
    const summary = decodeSummary(body, 'x');
    expect(summary.nodefs).toEqual({ ...noFigures, usedBytes: expected });
    expect(summary.saturatedCount).toBe(saturatedCount);
  });

  it('figures of parts of a pod that are negative to the kubelet are impossible, not missing', () => {
    const stats = '{"usedBytes":9223372036854775808,"inodesUsed":18446744073709551615}';
    const parts = `"containers":[{"name":"app","rootfs":${stats},"logs":{"usedBytes":9223372036854774784}}],"volume":[{"name":"v",${stats.slice(1)}]`;
    const body = `{"node":{"nodeName":"a"},"pods":[{"podRef":${JSON.stringify(podRef)},${parts},"ephemeral-storage":${stats}}]}`;
    const [pod] = decodeSummary(body, 'x').pods;
    const impossible = { usedBytes: 'impossible', inodesUsed: 'impossible' };
    expect(pod).toMatchObject({ usedBytes: undefined, inodesUsed: undefined, volumes: [impossible] });
    expect(pod?.containers).toMatchObject([{ rootfs: impossible, logs: { usedBytes: 2 ** 53 } }]);
  });

  it('every saturated figure of the body is counted', () => {
    const huge = 2 ** 60;
    const summary = decode({
      node: { nodeName: 'a', fs: { availableBytes: huge, usedBytes: 1 }, runtime: { imageFs: { inodes: huge } } },
      pods: [{ podRef, 'ephemeral-storage': { usedBytes: huge }, volume: [{ name: 'v', usedBytes: huge }] }],
    });
    expect(summary.saturatedCount).toBe(4);
    expect(summary.nodefs?.usedBytes).toBe(1);
  });

  it('more free than there is, is unknown and counted, on each filesystem', () => {
    const fs = { capacityBytes: 9, availableBytes: 10, inodes: 4, inodesFree: 5 };
    const full = { ...fs, availableBytes: 9, inodesFree: 4 };
    const summary = decode({
      node: { nodeName: 'a', fs, runtime: { imageFs: full, containerFs: { availableBytes: 10 } } },
      pods: [{ podRef, containers: [{ name: 'c', rootfs: fs, logs: full }], volume: [{ name: 'v', ...fs }] }],
    });
    const unknown = { capacityBytes: 9, availableBytes: undefined, inodes: 4, inodesFree: undefined };
    const [pod] = summary.pods;
    expect(summary.nodefs).toMatchObject(unknown);
    expect(summary.imagefs).toMatchObject(full);
    expect(summary.containerfs?.availableBytes).toBe(10);
    expect(pod?.containers[0]?.rootfs?.filesystem).toEqual(unknown);
    expect(pod?.containers[0]?.logs?.filesystem).toEqual(full);
    expect(pod?.volumes?.[0]).toMatchObject({ capacityBytes: 9, availableBytes: undefined });
    expect(summary.saturatedCount).toBe(5);
  });

  it('a filesystem of no size was not measured: none of its figures is known, of a volume only what it holds', () => {
    const fs = { capacityBytes: 0, availableBytes: 0, usedBytes: 0, inodes: 0, inodesFree: 0, inodesUsed: 0 };
    const summary = decode({
      node: { nodeName: 'a', fs, runtime: { imageFs: fs, containerFs: fs } },
      pods: [{ podRef, containers: [{ name: 'c', rootfs: fs }], volume: [{ name: 'v', ...fs, usedBytes: 3 }] }],
    });
    const [pod] = summary.pods;
    expect([summary.nodefs, summary.imagefs, summary.containerfs]).toEqual([noFigures, noFigures, noFigures]);
    expect(pod?.containers[0]?.rootfs).toMatchObject({ usedBytes: 0, filesystem: { capacityBytes: undefined } });
    expect(pod?.volumes?.[0]).toMatchObject({ capacityBytes: undefined, availableBytes: undefined, usedBytes: 3 });
    expect(summary.saturatedCount).toBe(0);
  });
});

it.each([
  ['2026-11-20T12:40:44Z', Date.UTC(2026, 10, 20, 12, 40, 44)],
  ['2026-11-20T12:40:44.123456789Z', Date.UTC(2026, 10, 20, 12, 40, 44, 123)],
  ['2026-11-20T14:40:44+02:00', Date.UTC(2026, 10, 20, 12, 40, 44)],
  ['0001-01-01T00:00:00Z', undefined],
  ['2026-13-45T99:00:00Z', undefined],
  ['2026-11-20', undefined],
  ['yesterday', undefined],
  [1_700_000_000, undefined],
  [null, undefined],
])('the time %s is read as %s', (startTime, expected) => {
  expect(decodePod({ podRef, startTime })?.startTimeMs).toBe(expected);
});

describe('decodeSummary: pods', () => {
  it.each([
    ['null', null],
    ['a number', 5],
    ['no podRef', {}],
    ['a null podRef', { podRef: null }],
    ['no name', { podRef: { ...podRef, name: undefined } }],
    ['an empty namespace', { podRef: { ...podRef, namespace: '' } }],
    ['a uid that is a number', { podRef: { ...podRef, uid: 7 } }],
  ])('pods without a workload are left out: %s', (_name, pod) => {
    const summary = decode({ node: { nodeName: 'a' }, pods: [pod, { podRef }] });
    expect(summary.pods.map((kept) => kept.uid)).toEqual(['uid-1']);
  });

  it.each([[undefined], [null], ['text'], [{}], [[]], [[null, {}, { name: '' }, { name: 3 }]]])(
    'pods have neither containers nor volumes with the lists %j',
    (list) => {
      expect(decodePod({ podRef, containers: list, volume: list })).toMatchObject({
        containers: [],
        volumes: undefined,
      });
    },
  );

  it.each(['availableBytes', 'capacityBytes', 'inodes', 'inodesFree'])(
    'containers whose filesystems differ in %s have each their own',
    (field) => {
      const ofNode = { availableBytes: 3, capacityBytes: 10, inodes: 5, inodesFree: 1 };
      const filesystems = [ofNode, { ...ofNode, [field]: 4 }, ofNode];
      const containers = filesystems.map((rootfs, index) => ({ name: `c${index}`, rootfs, logs: ofNode }));
      expect(decodePod({ podRef, containers })?.containers.map(({ rootfs }) => rootfs?.filesystem)).toEqual(
        filesystems,
      );
    },
  );

  it("an empty filesystem object is kept apart from none: its logs count in the pod's total", () => {
    expect(decodePod({ podRef, containers: [{ name: 'app', rootfs: {} }] })?.containers).toEqual([
      { name: 'app', rootfs: aContainerFs(), logs: undefined },
    ]);
  });

  it.each([
    [{ name: 'claim' }, true],
    [null, false],
    ['claim', false],
  ])('a volume has a claim when its reference has a name: %j', (pvcRef, hasClaim) => {
    expect(decodePod({ podRef, volume: [{ name: 'data', pvcRef }] })?.volumes?.[0]?.hasClaim).toBe(hasClaim);
  });
});

import { expect, it } from 'vitest';

import { summaryText, sumText } from '../../src/people/report/directory-texts.js';
import {
  type FoundPart,
  podDirectories,
  type SummarizedPod,
  type Walk,
} from '../../src/people/report/pod-directories.js';

const mib = 2 ** 20;

/** 10 MiB of rootfs, 1 MiB of logs, and 5 MiB in a volume. */
const summary: SummarizedPod = {
  usedBytes: 16 * mib,
  components: { rootfs: 10 * mib, logs: mib, emptydir: 5 * mib, configmap: 0, other: 0 },
  dataAgeMs: 20_000,
  containers: [{ container: 'app', rootfsBytes: 10 * mib, logsBytes: mib }],
  volumes: [
    { volume: 'cache', usedBytes: 5 * mib, type: 'emptydir', isCounted: true },
    { volume: 'shm', usedBytes: 7 * mib, type: 'emptydir', isCounted: false },
  ],
};

const walk = (bytes: number, state: Walk['state'] = 'complete'): Walk => ({
  state,
  bytes,
  fileCount: 1,
  skippedCount: 0,
  entries: [],
});
const rootfs: FoundPart = { part: 'rootfs', container: 'app', walk: walk(10 * mib) };
const logs: FoundPart = { part: 'logs', container: 'app', walk: walk(mib) };
const cache: FoundPart = { part: 'emptydir', volume: 'cache', walk: walk(5 * mib) };

const place = { namespace: 'shop', pod: 'cart-0', node: 'node-1' };
const reportOf = (parts: readonly FoundPart[], beside: SummarizedPod | undefined = summary) =>
  podDirectories(place, { parts, problems: [] }, beside);

const same = 'The summary, 20s old, has 16Mi: the same.';
const partlySame = 'The summary, 20s old, has 16Mi: no difference in what was measured.';
const uncompared = 'The summary, 20s old, has 16Mi.';

it.each<readonly [string, readonly FoundPart[], string, string]>([
  ['all of it', [rootfs, logs, cache], '16Mi in all', same],
  ['all but the logs', [rootfs, cache], '16Mi in all, with logs as in the summary', partlySame],
  ['nothing', [], '16Mi in all, with rootfs app, logs, emptydir cache as in the summary', uncompared],
  [
    'nothing in time',
    [rootfs, logs, cache].map((part) => ({ ...part, walk: walk(0, 'timeout') })),
    '16Mi in all, with rootfs app, logs, emptydir cache as in the summary',
    uncompared,
  ],
  [
    'less of a volume than the summary has, as the time was up',
    [rootfs, logs, { ...cache, walk: walk(mib, 'timeout') }],
    '16Mi in all, with emptydir cache as in the summary',
    partlySame,
  ],
  [
    'more of a volume than the summary has until the time was up',
    [rootfs, logs, { ...cache, walk: walk(6 * mib, 'timeout') }],
    '17Mi in all',
    'The summary, 20s old, has 16Mi: 1Mi more was found. Volumes in a summary are up to two minutes old.',
  ],
])('a pod of which %s was measured is not the same as the summary without it', (_what, parts, sum, text) => {
  const report = reportOf(parts);
  expect([sumText(report), summaryText(report)]).toEqual([sum, text]);
});

it('what was not measured has one state and the value of the summary', () => {
  const { parts, differenceBytes } = reportOf([{ ...cache, walk: walk(0, 'timeout') }]);
  const unmeasured = { state: 'unmeasured', ratio: expect.any(Number) as number };
  expect(parts).toEqual([
    { part: 'emptydir', volume: 'cache', summaryBytes: 5 * mib, ...unmeasured },
    { part: 'rootfs', container: 'app', summaryBytes: 10 * mib, ...unmeasured },
    { part: 'logs', container: 'app', summaryBytes: mib, ...unmeasured },
    { part: 'other', summaryBytes: 0, ratio: 0 },
  ]);
  expect(differenceBytes).toBeUndefined();
});

it('a cut walk that has found less than the summary has no difference', () => {
  expect(reportOf([{ ...cache, walk: walk(mib, 'timeout') }]).parts[0]).toMatchObject({
    foundBytes: mib,
    differenceBytes: undefined,
  });
});

it('without a summary, what was not measured is missing in the sum', () => {
  const report = podDirectories(
    place,
    { parts: [logs, { part: 'rootfs', container: 'app' }], problems: [] },
    undefined,
  );
  expect([sumText(report), summaryText(report)]).toEqual(['1Mi in all, without rootfs app', undefined]);
});

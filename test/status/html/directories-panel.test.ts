import { expect, it } from 'vitest';

import type { DirectoryMeasurements } from '../../../src/query/cluster-reading.js';
import type { FoundPart, PodMeasurement } from '../../../src/report/pod-directories.js';
import { viewOf } from '../../../src/status/views.js';
import { aPod } from '../../support/builders.js';
import { atOnce } from '../../support/lanes.js';
import { aClusterSnapshot, aReading } from '../../support/snapshot-builders.js';
import { aStatus, someStatusSettings } from '../../support/status-builders.js';
import { aPage } from '../../support/view-pages.js';

const mib = 2 ** 20;
const hostile = '/srv/<img src=x>\u202egpj.\n\u001b[2J';

const parts: readonly FoundPart[] = [
  {
    part: 'rootfs',
    container: 'main',
    walk: {
      state: 'unreadable',
      bytes: 3 * mib,
      skippedCount: 2,
      entries: [
        { path: '/srv', bytes: 3 * mib, isDirectory: true },
        { path: hostile, bytes: mib, isDirectory: false },
      ],
    },
    problem: 'du: cannot read',
  },
];

const measured: PodMeasurement = { state: 'measured', parts, measuredAtMs: 1, ageMs: 61_000 };

/** An exporter of `node-1` whose agent has this of each pod. */
function reading(found: PodMeasurement, asked: PodMeasurement | undefined = found, nodeName = 'node-1') {
  const askedNames: string[] = [];
  const measurements: DirectoryMeasurements = {
    peek: () => found,
    ask: ({ name }) => {
      askedNames.push(name);
      return asked;
    },
  };
  return { ...aReading({ scope: { shard: 0, totalShards: 1, nodeName }, measurements }), askedNames };
}

const path = ['shop', 'cart-0'];
const sectionOf = async (of: ReturnType<typeof reading>) =>
  (await aPage(of, { kind: 'pod', path })).part('directories');

it('the page of a pod has what the agent measured of it, beside the summary', async () => {
  const of = reading(measured);
  const { html, part } = await aPage(of, { kind: 'pod', path });
  const text = part('directories');
  expect(text).toMatch(/^Directories Measured 1m1s ago: \S+ in all\. The summary, \S+ old, has \S+: /);
  expect(text).toContain('rootfs main some of it could not be read; 2 names skipped 3Mi');
  expect(text).toContain('/srv directory rootfs main 3Mi');
  expect(text).toContain('rootfs main: du: cannot read');
  expect(of.askedNames).toEqual([]);
  expect(html).toContain(String.raw`/srv/&lt;img src=x&gt;\u202egpj.\u000a\u001b[2J`);
});

it.each([
  [
    'was not measured yet',
    reading({ state: 'unmeasured' }),
    /^Directories Measure the directories with du on its node: /,
  ],
  ['is measured now', reading({ state: 'measuring' }), /^Directories It is measured now, or waits for others/],
  ['was measured long ago', reading({ ...measured, state: 'unmeasured' }), /Measure again .* Measured 1m1s ago/],
  [
    'is on a node without an agent',
    reading(measured, measured, 'node-2'),
    /own permissions: ephemeral-storage-exporter explain pod shop\/cart-0 --directories$/,
  ],
])('the page of a pod that %s has the next step', async (_what, of, text) => {
  expect(await sectionOf(of)).toMatch(text);
  expect(of.askedNames).toEqual([]);
});

const waited: FoundPart['walk'] = { state: 'timeout', bytes: 0, skippedCount: 0, entries: [] };
const failures: readonly (readonly [string, PodMeasurement])[] = [
  ['du cannot run', { state: 'failed', parts: [], problem: 'du: it is busy', measuredAtMs: 1, ageMs: 6_000 }],
  [
    'du has not run in time',
    {
      state: 'failed',
      parts: ['a', 'b'].map((volume) => ({ part: 'emptydir', volume, walk: waited, problem: 'it is busy' })),
      measuredAtMs: 1,
      ageMs: 6_000,
    },
  ],
];

it.each(failures)(
  'where %s the page has the reason and the way without the agent, and no sum',
  async (_what, failed) => {
    const text = await sectionOf(reading(failed));
    expect(text).toMatch(/^Directories Nothing could be measured\. .*explain pod shop\/cart-0 --directories /);
    expect(text).toMatch(
      / Nothing could be measured 6s ago\. The summary, \S+ old, has 4Ki\. \S+( a, emptydir b)?: it is busy /,
    );
    expect(text).not.toMatch(/in all|the same|less|more|is large enough/);
  },
);

it.each(failures)('where %s the API has no difference and nothing that was found', async (_what, failed) => {
  const { data } = await asked(reading(failed));
  expect(data).toMatchObject({ state: 'failed', directories: { differenceBytes: undefined, usedBytes: 4096 } });
  expect(JSON.stringify(data)).not.toContain('"foundBytes"');
});

it('a pod without anything large has a line about it', async () => {
  const walk = { state: 'complete', bytes: mib, skippedCount: 0, entries: [] } as const;
  const text = await sectionOf(reading({ ...measured, parts: [{ part: 'logs', container: 'main', walk }] }));
  expect(text).toContain('No directory or file was found that is large enough to be listed.');
});

it.each(['Failed', 'Succeeded', 'Pending'] as const)(
  'of a pod in phase %s no command is offered that runs in its containers',
  async (phase) => {
    const pod = aPod({ namespace: 'shop', name: 'cart-0', phase });
    const of = aReading({ snapshot: aClusterSnapshot({}), knownPods: [{ pod, workloads: [] }] });
    const { part } = await aPage(of, { kind: 'pod', path });
    expect(part('directories')).toBe('Directories Not measured: none of its containers is known to run.');
  },
);

it('the link to have a pod measured leads to the page that does it', async () => {
  const { html } = await aPage(reading({ state: 'unmeasured' }), { kind: 'pod', path });
  expect(html).toContain('href="../../pods/shop/cart-0/directories"');
  const of = reading({ state: 'unmeasured' }, { state: 'measuring' });
  const page = await aPage(of, { kind: 'directories', path: [...path, 'directories'] });
  expect(page.text).toMatch(/^Directories of pod shop\/cart-0 Directories It is measured now/);
  expect(of.askedNames).toEqual(['cart-0']);
});

const asked = (of: ReturnType<typeof reading>, names = path, parameters = {}) =>
  viewOf(
    { kind: 'directories', path: [...names, 'directories'], parameters },
    { status: aStatus(), reading: of, settings: someStatusSettings.config, lane: atOnce },
  );

it('the API has the state, and the report once there is one', async () => {
  expect((await asked(reading({ state: 'unmeasured' }, { state: 'measuring' }))).data).toEqual({
    namespace: 'shop',
    pod: 'cart-0',
    state: 'measuring',
  });
  expect((await asked(reading(measured))).data).toMatchObject({
    state: 'measured',
    measuredAtMs: 1,
    ageMs: 61_000,
    directories: {
      parts: [
        { part: 'rootfs', foundBytes: 3 * mib, state: 'unreadable', problem: 'du: cannot read' },
        { part: 'other' },
      ],
      largest: [{ path: '/srv', bytes: 3 * mib, isDirectory: true }, { path: hostile }],
      problems: [],
    },
  });
});

it.each([
  ['a pod that there is not', reading(measured), ['shop', 'gone'], {}, /^no pod shop\/gone in scope$/],
  [
    'a pod on a node without an agent',
    reading(measured, measured, 'node-2'),
    path,
    {},
    /agent\.enabled is false; without an agent: ephemeral-storage-exporter explain pod shop\/cart-0 --directories$/,
  ],
  ['a parameter', reading(measured), path, { limit: '5' }, /^parameter "limit"/],
])('the API refuses %s', async (...[, of, names, parameters, message]) => {
  await expect(asked(of, names, parameters)).rejects.toThrow(message);
  expect(of.askedNames).toEqual([]);
});

it('the API refuses a pod while too many wait', async () => {
  const of = { ...reading(measured), measurements: { peek: () => measured, ask: () => undefined } };
  await expect(asked(of)).rejects.toMatchObject({
    name: 'BusyError',
    message: expect.stringMatching(/^too many pods/) as string,
  });
});

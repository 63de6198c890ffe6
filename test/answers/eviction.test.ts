import { expect, it } from 'vitest';

import type { EvictionRecord, LastUsage } from '../../src/facts/history/eviction-record.js';
import { evictionDocument } from '../../src/people/answers/eviction.js';
import { displayWidth } from '../../src/people/pens/terminal-text.js';
import { writeText } from '../../src/people/pens/text-pen.js';
import { evictionReport, withAge } from '../../src/people/report/eviction-report.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { aContainerUsage, aLimitRatio, aPodUsage, aReading, aVolumeUsage } from '../support/snapshot-builders.js';
import { mib } from '../support/units.js';
import { aPage } from '../support/view-pages.js';

const gib = 1024 * mib;
const readAtMs = Date.UTC(2026, 0, 1, 12, 5);
const shown = (record: Partial<EvictionRecord>) => withAge(evictionReport(anEvictionRecord(record)), readAtMs);
const textOf = (record: Partial<EvictionRecord> = {}, width = Infinity) =>
  writeText(evictionDocument(shown(record)), { width, isWhole: true });
const pageOf = (record: Partial<EvictionRecord> = {}) =>
  aPage(aReading({ readAtMs, evictions: [shown(record)] }), {
    kind: 'eviction',
    path: ['uid-cart-0'],
    status: { clusterName: 'prod' },
  });

it('an evicted pod is shown with its cause, usage, growth, and what would have let it run on, each once', async () => {
  const usage = aPodUsage({
    usedBytes: 90 * mib,
    components: { rootfs: 6 * mib, logs: 4 * mib, emptydir: 80 * mib - 4096, configmap: 0, other: 4096 },
    containers: [aContainerUsage({ usedBytes: 90 * mib, rootfsBytes: 6 * mib, logsBytes: 4 * mib })],
    volumes: [aVolumeUsage({ usedBytes: 80 * mib - 4096 })],
  });
  const text = textOf({ lastUsage: aLastUsage({ usage }) }, 90);
  await expect(text).toMatchFileSnapshot('../golden/explain-eviction.txt');
  for (const once of ['is the cause', 'Usage of EmptyDir volume', '32.7Mi a minute:'])
    expect(text.split(once)).toHaveLength(2);
});

it.each([
  ['before_start', 'The exporter was started after the eviction'],
  ['no_exporter', 'Only the status of the pod was read'],
  ['not_measured', 'evicted before a summary of its node listed it'],
] as const)(
  'an evicted pod of which nothing is known (%s) is shown with the reason, and no figure',
  (lastUsage, why) => {
    const text = textOf({ lastUsage });
    expect(text).toContain(why);
    expect(text).not.toMatch(/Growth|Last measured|Used|Parts of/);
  },
);

it.each([
  ['node_bytes', 'node low on disk space', /^ {2}.* explain node node-1$/m],
  ['node_inodes', 'node low on inodes', /^ {2}.* explain node node-1$/m],
  ['node_admission', 'refused: node under disk pressure', /^ {2}.* explain node node-1$/m],
  ['pod_limit', 'pod above the limit of its containers of 100Mi', /Raise the limits/],
  ['other', 'storage, see the message', /names the cause/],
] as const)('a pod evicted for %s is shown with what to do next', (cause, line, hint) => {
  const text = textOf({ cause, volume: '', diskPressure: true });
  expect(text).toMatch(new RegExp(`^Cause: +${line}$`, 'm'));
  expect(text).toMatch(hint);
  expect(text).toMatch(/^DiskPressure: +true$/m);
});

it('an eviction without a sentence begins with the message of the kubelet, and has it once', () => {
  const document = evictionDocument({ ...shown({ message: 'It was full. ' }), verdict: undefined });
  expect(writeText(document, { width: Infinity })).toMatch(/^It was full\.\n(?![^]*It was full)/);
});

it.each([1e300, -1e300, 8.64e15 + 1])('an eviction at %d, which is no time, is shown without it', (evictedAtMs) => {
  expect(textOf({ evictedAtMs })).toMatch(/^Evicted: +-, .* ago$/m);
});

it('an evicted pod that did not grow, or was measured once or without a total, has no rate and no sum of 0', () => {
  const none = { growthBytesPerSecond: undefined, limitForAnHourBytes: undefined };
  const samples = [0, 1].map((atMs) => ({ atMs, usedBytes: 5 }));
  expect(textOf({ lastUsage: aLastUsage({ ...none, samples }) })).toContain('It did not grow.');
  const text = textOf({ lastUsage: aLastUsage({ ...none, samples: [], usage: undefined }) });
  expect(text).toContain('Its growth is not known: it was measured less than twice.');
  expect(text).toContain('The kubelet reported no total.');
  expect(text).toMatch(/^Used: +without a total$/m);
});

it('an evicted pod whose volumes were not measured is said to have used more', () => {
  const usage = { ...aPodUsage(), volumesPending: true };
  expect(textOf({ lastUsage: aLastUsage({ usage }) })).toContain('they are missing from the total');
});

it.each([
  ['pod_limit', 60, '# rootfs 90Mi, below the limit 10Mi, | limit 100Mi'],
  ['emptydir_limit', 40, '# rootfs 90Mi'],
] as const)('the bar of a pod evicted for %s has the limit of the pod where it is known', (cause, width, names) => {
  const usage = aPodUsage({
    usedBytes: 90 * mib,
    components: { rootfs: 90 * mib, logs: 0, emptydir: 0, configmap: 0, other: 0 },
  });
  expect(textOf({ cause, lastUsage: aLastUsage({ usage }) }, width)).toContain(`]\n${names}\n`);
});

it.each([
  [{}, 'emptyDir data'],
  [{ cause: 'container_limit', container: 'main', volume: '' }, 'container main'],
  [{ cause: 'pod_limit', volume: '' }, 'the pod'],
] as const)('of the limits of an evicted pod the one that was exceeded is marked: %j', (record, name) => {
  const ratios = (['pod', 'container', 'emptydir'] as const).flatMap((rule) =>
    ['main', 'data', ''].map((of) =>
      aLimitRatio({ rule, container: rule === 'container' ? of : '', volume: rule === 'emptydir' ? of : '' }),
    ),
  );
  const text = textOf({ ...record, lastUsage: aLastUsage({ ratios: ratios.slice(2) }) });
  expect(text.match(/^.* exceeded$/gm)).toEqual([expect.stringMatching(new RegExp(`^${name} `)) as string]);
});

it('the parts of what an evicted pod used count no emptyDir twice', () => {
  const container = { name: 'render', usedBytes: 328 * mib, rootfsBytes: 2 * mib, logsBytes: mib };
  const volume = { name: 'work', type: 'emptydir', medium: '', usedBytes: 325 * mib } as const;
  const usage = { ...aPodUsage({ usedBytes: 328 * mib }), containers: [container], volumes: [volume] };
  const text = textOf({ lastUsage: aLastUsage({ usage }) });
  expect(text).toMatch(/^container render +3Mi +files 2Mi, logs 1Mi\nemptydir work +325Mi +in the total$/m);
});

it.each([20, 40, 80, 200])('the text about an evicted pod fits %i columns, whatever its names are', (width) => {
  const name = 'x\u001b[2J\u202e\n'.repeat(8);
  const usage = aPodUsage({ containers: [aContainerUsage({ name })], volumes: [aVolumeUsage({ name })] });
  const text = textOf({ pod: name, message: name, volume: name, lastUsage: aLastUsage({ usage }) }, width);
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(text).toContain('2026-01-01');
  const lines = text.split('\n').filter((line) => !/^ {2}(?:ephemeral-storage-exporter|kubectl) /.test(line));
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

const ofContainer = (usage: Parameters<typeof aContainerUsage>[0], growth: Partial<LastUsage> = {}) =>
  textOf({
    cause: 'container_limit',
    container: 'main',
    volume: '',
    limitBytes: gib,
    lastUsage: aLastUsage({
      usage: aPodUsage({ usedBytes: gib, containers: [aContainerUsage(usage)] }),
      ratios: [aLimitRatio({ rule: 'container', container: 'main', usedBytes: gib, limitBytes: gib })],
      ...growth,
    }),
  });

it('a pod above the limit of a container names its logs where they are most of it, and what to do about them', () => {
  const text = ofContainer({ rootfsBytes: 1 * mib, logsBytes: 1023 * mib }, { limitForAnHourBytes: undefined });
  expect(text).toContain('most of it the logs of container main (1023Mi), which fill a larger limit too.');
  expect(text).toContain('Have container main log less, or lower containerLogMaxSize');
  expect(text).toContain('kubectl logs -n shop deployment/cart -c main --tail=20');
  expect(text).not.toMatch(/raise|--limits|edit/i);
});

it('a pod above the limit of a container names its files where they are most of it', () => {
  const text = ofContainer({ rootfsBytes: 1023 * mib, logsBytes: 1 * mib });
  expect(text).toContain('most of it the files of container main (1023Mi).');
  expect(text).toContain("Raise the container's limit");
});

it('a pod that grew too slowly for what evicted it is not said to have grown too fast', () => {
  const ratios = [aLimitRatio({ rule: 'container', container: 'main', usedBytes: 300 * mib, limitBytes: gib })];
  const growth = { growthBytesPerSecond: 20_000, limitForAnHourBytes: undefined, ratios };
  const text = ofContainer({ rootfsBytes: 300 * mib, logsBytes: 1 * mib }, growth);
  expect(text).toContain("Raise the container's limit");
  expect(text).not.toMatch(/too fast|leaks/);
});

it('a pod that grew fast says that no limit holds what it leaks', () => {
  const growth = { growthBytesPerSecond: 50 * mib, limitForAnHourBytes: undefined, nodeCapacityBytes: 100 * gib };
  const text = ofContainer({ rootfsBytes: 1023 * mib, logsBytes: 1 * mib }, growth);
  expect(text).toContain('It leaks 2.9Gi a minute: no limit holds that, so look at what it writes.');
  expect(text).toContain('Have it write less');
  expect(text).not.toMatch(/raise|--limits/i);
});

it('the page of an eviction has its sentence once, what happened in its titles, and the message as text', async () => {
  const { html, text } = await pageOf({ message: 'Usage of EmptyDir "<img src=x>" exceeds ' });
  expect(text.split('Pod shop/cart-0 is the cause')).toHaveLength(2);
  expect(html).toContain('<title>shop/cart-0 evicted - prod');
  expect(html).toContain('Usage of EmptyDir &quot;&lt;img src=x&gt;&quot; exceeds');
  const refused = await pageOf({ cause: 'node_admission', lastUsage: 'not_measured' });
  expect(refused.html).toContain('<title>shop/cart-0 refused - prod');
  expect(refused.text).toContain('Refusal of pod shop/cart-0');
  expect(refused.part('part-facts')).toMatch(/^Refused 2026/);
  expect(refused.text).not.toMatch(/was evicted|Evicted/);
});

it('the page of an eviction that is not remembered is not found', async () => {
  await expect(aPage(aReading(), { kind: 'eviction', path: ['x'] })).rejects.toThrow(
    'no eviction of a pod with the UID x is remembered',
  );
});

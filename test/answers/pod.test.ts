import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { podDocument } from '../../src/people/answers/pod.js';
import { displayWidth } from '../../src/people/pens/terminal-text.js';
import { type TextForm, writeText } from '../../src/people/pens/text-pen.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import type { MeasuredPodExplanation, PodObject } from '../../src/people/query/pod-explanation.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import {
  aContainer,
  aContainerFs,
  aContainerSummary,
  aMount,
  aPod,
  aPodSummary,
  aVolume,
  aVolumeSummary,
} from '../support/builders.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import {
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aWorkload,
  withoutTotal,
} from '../support/snapshot-builders.js';
import { mib } from '../support/units.js';
import { aPage } from '../support/view-pages.js';
import { viewsOf } from '../support/views.js';

const id = { namespace: 'shop', name: 'cart-0' };
const pod = aPod({
  ...id,
  containers: [aContainer({ name: 'app', limitBytes: 100 * mib }), aContainer({ name: 'proxy' })],
  volumes: [aVolume({ name: 'cache' })],
});
const summary = aPodSummary({
  ...id,
  usedBytes: 90 * mib + 7,
  containers: [
    aContainerSummary({ name: 'app', rootfsBytes: 80 * mib, logsBytes: 5 * mib }),
    aContainerSummary({ name: 'proxy', rootfsBytes: 3 * mib, logsBytes: 2 * mib }),
  ],
});
const near = aLimitRatio({ usedBytes: 90 * mib, limitBytes: 100 * mib });
const inApp = aLimitRatio({ rule: 'container', container: 'app', usedBytes: 85 * mib, limitBytes: 100 * mib });
const unseen = aLimitRatio({
  ...{ rule: 'emptydir', volume: 'tmp', usedBytes: 9, limitBytes: 10, unenforced: 'memory_medium' },
});

const measured = (overrides: Parameters<typeof aMeasuredPod>[0] = {}) =>
  aMeasuredPod({
    ...{ ...id, pod, summary, usage: aPodUsage({ usedBytes: 90 * mib + 7 }) },
    ...{ ratios: [unseen, near], workloads: [aDeployment('cart')], ...overrides },
  });

const readingOf = (record = measured(), more: Partial<ClusterReading> = {}): ClusterReading =>
  aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods: [record] }))] }), ...more });

/** A pod whose usage is that of its summary. */
const plain = (of: Partial<Pod> | undefined, itsSummary = aPodSummary(id)) => {
  const itsPod = of && aPod({ ...id, ...of });
  const usage = aPodUsage({ usedBytes: itsSummary.usedBytes ?? 0 });
  const pods = [aMeasuredPod({ ...id, pod: itsPod, summary: itsSummary, usage })];
  const node = aNodeSnapshot({ pods, podsOnNode: itsPod === undefined ? [] : [itsPod] });
  return aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(node)] }) });
};

const silent = aReading({
  snapshot: aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'timeout')] }),
  knownPods: [{ pod, workloads: [aWorkload()] }],
  lastKnownOf: () => ({ snapshot: aNodeSnapshot({ pods: [measured()] }), ageMs: 300_000 }),
});

async function objectOf(reading: ClusterReading): Promise<PodObject> {
  return (await (await viewsOf(reading)).object('pod', [id.namespace, id.name], {})).data;
}

async function textOf(reading: ClusterReading, form: Partial<TextForm> = {}): Promise<string> {
  return writeText(podDocument(await objectOf(reading)), { width: Infinity, isWhole: true, ...form });
}

/** The text of a measured pod of which something is different. */
async function textWith(changes: Partial<MeasuredPodExplanation>, width = Infinity): Promise<string> {
  const data = await objectOf(readingOf());
  const pods = data.pods.flatMap((of) => (of.state === 'unmeasured' ? [] : [{ ...of, ...changes }]));
  return writeText(podDocument({ ...data, pods }), { width, isWhole: true });
}

it('at 80 columns, when volumes were measured goes before whether they are in the total is cut', async () => {
  const volume = 'a-volume-of-a-rather-long-name';
  const { pods } = await objectOf(readingOf());
  const volumes = pods.flatMap((of) => (of.state === 'unmeasured' ? [] : of.volumes));
  const text = await textWith({ volumes: volumes.map((of) => ({ ...of, volume, measuredAtMs: 1 })) }, 80);
  expect(text).toMatch(/^VOLUME .* IN THE TOTAL$/m);
  expect(text).toMatch(/^a-volume-of-a-rather-long-name .* no: mounted by no container$/m);
});

const pageOf = (reading: ClusterReading) => aPage(reading, { kind: 'pod', path: ['shop', 'cart-0'] });

/** One a minute. */
const samplesOf = (...sizes: readonly number[]) =>
  sizes.map((size, index) => ({ atMs: index * 60_000, usedBytes: size * mib }));

describe('a pod', () => {
  it('it has its verdict, its limits, its growth and its parts', async () => {
    const reading = readingOf(measured({ ratios: [unseen, near, inApp] }), {
      samplesOf: () => samplesOf(87, 88, 89, 90),
      limitSamplesOf: () => samplesOf(40, 90, 20),
      evictions: [evictionReport(anEvictionRecord())],
    });
    await expect(await textOf(reading, { width: 100 })).toMatchFileSnapshot('../golden/explain-pod.txt');
  });

  it('its components, and its containers with their parts, add up to the total to the byte', async () => {
    const { main } = await pageOf(readingOf());
    const sizesIn = (row: string): readonly number[] =>
      Array.from(row.matchAll(/title="([\d,]+) bytes"|>(\d+)B</g), ([, of, small]) =>
        Number((of ?? small ?? '').replaceAll(',', '')),
      );
    const rowsOf = (section: string): readonly (readonly number[])[] => {
      const [table = ''] = main.slice(main.indexOf(`id="${section}"`)).split('</table>', 1);
      return table.split('<tr role="row"><th scope="row"').slice(1).map(sizesIn);
    };
    for (const section of ['usage', 'containers']) {
      const sizes = rowsOf(section).map(([size = 0]) => size);
      expect(sizes.at(-1)).toBe(90 * mib + 7);
      expect(sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)).toBe(90 * mib + 7);
    }
    for (const [total, ...parts] of rowsOf('containers').slice(0, -1))
      expect(parts.reduce((sum, size) => sum + size, 0)).toBe(total);
  });

  it('one of a silent node shows what was last known, with age and reason, and nothing in the colour of a state', async () => {
    const { text, main } = await pageOf(silent);
    expect(text).toContain('No data from node node-1 (timeout). As last known 5m ago: near a limit');
    expect(text).toContain('Used 90Mi , last known 5m ago, node without data (no answer in time)');
    expect(text).toMatch(/Limits last known 5m ago/);
    expect(text).not.toContain('Data fresh');
    expect(text).toContain('No forecast: the node has no data.');
    expect(main).toContain('banner verdict unknown');
    expect(main).toContain('<div class="last-known"><svg class="icicle"');
    expect(main).not.toMatch(/t-critical|t-warning/);
  });

  it('one without figures has its reason, its limits, and no figure', async () => {
    const text = await textOf({ ...silent, lastKnownOf: () => undefined });
    expect(text).toMatch(
      /^Not measured: no data from node node-1 \(timeout\): .*\n {2}kubectl ephemeral-storage explain node node-1\n {2}kubectl describe pod -n shop cart-0\n\nPod shop\/cart-0\n/,
    );
    expect(text).toContain('\nWorkloads:  cart; incomplete without it\n');
    expect(text).toContain('It has limits; what counts towards them is not measured.');
    expect(text).not.toMatch(/^Used|^Usage|^Containers/m);
  });

  it('one without a total has the limits of its volumes and containers', async () => {
    const ratios = [aLimitRatio({ rule: 'emptydir', volume: 'cache', usedBytes: 3, limitBytes: 2 })];
    const podsWithoutTotal = [withoutTotal(aMeasuredPod({ ...id, pod, ratios }))];
    const node = aFreshNode(aNodeSnapshot({ pods: [], podsWithoutTotal }));
    const knownPods = [{ pod, workloads: [] }];
    const text = await textOf(aReading({ snapshot: aClusterSnapshot({ nodes: [node] }), knownPods }));
    expect(text).toMatch(/emptyDir cache +volume +3B +2B +150 % +binds first/);
  });

  it('one whose volumes are not measured is said to use at least what is', async () => {
    const text = await textOf(plain({ containers: [aContainer({ mounts: [aMount()] })], volumes: [aVolume()] }));
    expect(text).toMatch(/^Used: +at least .*, without volumes: pending, the kubelet has not measured them yet$/m);
    expect(text).toMatch(/data +emptydir +- +- +yes: component emptydir +-/);
  });

  it('one whose total is split evenly says so, and still adds up', async () => {
    const containers = [aContainerSummary({ name: 'a' }), aContainerSummary({ name: 'b' })];
    const text = await textOf(plain({}, aPodSummary({ ...id, usedBytes: 5, containers })));
    expect(text).toContain('Its total is split evenly over its containers.');
    expect(text).toMatch(/CONTAINER +USED\na +3B\nb +2B\n= total +5B\n/);
  });

  it.each<readonly [string, Partial<Pod> | undefined, RegExp]>([
    ['is static', { isStatic: true }, /^Eviction: +never: static$/m],
    ['is critical', { priority: 2_000_001_000 }, /^Eviction: +never: system-critical$/m],
    ['may be evicted', { priority: 1_000_000 }, /^(?![^]*never)/],
    ['is not known', undefined, /^API server: +does not know this pod: [^]*limits are not known[^]*\nNot checked/m],
    ['has no limit', { containers: [] }, /Neither the pod, nor a container, nor an emptyDir of it has a limit/],
    ['has findings', { volumes: [aVolume()] }, /Warnings:\n[^]*no container mounts emptyDir data\. Mount the volume/],
  ])('one that %s says so', async (_what, of, expected) => {
    expect(await textOf(plain(of))).toMatch(expected);
  });

  it('one without containers in its summary says so', async () => {
    expect(await textOf(plain({ containers: [] }, aPodSummary({ ...id, containers: [] })))).toContain(
      'The kubelet lists no container.',
    );
  });

  it.each<readonly [string, readonly number[], string]>([
    ['one measurement is no curve', [1], 'Growth:\nIts growth is not known: it was measured less than twice.\n'],
    ['where nothing changed, that is said', [5, 5], 'Growth:\nTotal: no change in 1m: 5Mi\n\nIt did not grow.\n'],
    [
      'growth is said',
      [1, 2],
      'Growth:\nTotal: 1Mi 2Mi in 1m\n\nIt grew 1Mi a minute. No forecast: no limit evicts it.\n',
    ],
  ])('of a pod without a limit: %s', async (_case, sizes, expected) => {
    const reading = readingOf(measured({ ratios: [] }), { samplesOf: () => samplesOf(...sizes) });
    expect(await textOf(reading)).toContain(expected);
  });

  it('the limit that it reaches first is marked, with the time, and its growth is said once', async () => {
    const forecast = { rule: 'pod', container: '', volume: '', reachedAtMs: 1_241_500, endsAtMs: Infinity } as const;
    const forecasts = { measuredAtMs: 1_000_000, pods: new Map([[summary.uid, forecast]]), thresholds: [] };
    const pods = [measured({ ratios: [{ ...inApp, ratio: 0.95 }, near] })];
    const node = aFreshNode(aNodeSnapshot({ pods, forecasts }), 1_500);
    const samples = { samplesOf: () => samplesOf(80, 90) };
    const text = await textOf(aReading({ snapshot: aClusterSnapshot({ nodes: [node] }), ...samples }));
    expect(text).toMatch(/^the pod +total +90Mi +100Mi +90 % +4m +binds first$/m);
    expect(text).toMatch(/^container app .* 95 % +- *$/m);
    expect(text).toMatch(/\n\nIt grew 10Mi a minute\.\n\n/);
  });

  it.each([
    [-1, undefined, 'is below its threshold of nodefs.available'],
    [0, undefined, 'is close to its threshold of nodefs.available'],
    [1, 120_000, 'crosses its threshold of nodefs.available in 2m if its disk goes on to fill'],
  ])(
    'one of a node with a headroom of %i says which it is of those to be evicted',
    async (headroom, time, expected) => {
      const place = { node: 'node-1', signal: 'nodefs.available', rank: 3 } as const;
      const nodePressure = { ...place, headroom, timeToEvictionMs: time };
      expect(await textWith({ nodePressure })).toContain(
        `\nNode node-1 ${expected}: this pod is number 3 of those that it evicts.\n`,
      );
    },
  );

  it.each<readonly [string, Partial<MeasuredPodExplanation>, RegExp]>([
    ['a limit that it exceeds now', { next: { rule: 'pod', timeToLimitMs: 0 } }, / 90 % +at any moment +binds first$/m],
    ['a limit as it is written', { limits: [{ ...near, limitQuantity: '500m', counted: '', samples: [] }] }, / 500m /],
    ['limits that are not compared', { limits: [] }, /It has limits, and its kubelet compares none of them\./],
    ['an impossible size', { limits: [], hasUnknownUsage: true }, /what counts towards them is not measured\./],
    ['no usage', { usedBytes: 0, components: {} }, /\nUsage:\nPART /],
    [
      'what is left to its limit',
      { limitBytes: 100 * mib, requestBytes: 10 * mib },
      /\n\[#{6}\|.* +\|\]\n.*, below the limit 10Mi, \| request 10Mi, \| limit 100Mi\n/,
    ],
  ])('one has %s', async (_what, changes, expected) => {
    expect(await textWith(changes)).toMatch(expected);
  });

  it('several of one name are shown, each with its figures', async () => {
    const former = measured({ pod: undefined, summary: { ...summary, uid: 'former' }, ratios: [] });
    const nodes = [measured(), former].map((each, index) =>
      aFreshNode(aNodeSnapshot({ nodeName: `node-${index + 1}`, pods: [each] })),
    );
    const { text, html } = await pageOf(aReading({ snapshot: aClusterSnapshot({ nodes }) }));
    expect(html).toContain('id="other-1" data-part');
    expect(html).not.toMatch(/id="other-1-\d+" data-part/);
    expect(text).toMatch(/Another pod of this name The API server does not know this pod.* Used 90Mi .* Node node-2/s);
  });

  it('one that is gone is known by its evictions', async () => {
    const evictions = [evictionReport(anEvictionRecord())];
    const text = await textOf(aReading({ snapshot: aClusterSnapshot({ nodes: [] }), evictions }));
    expect(text).toMatch(
      /^Evicted\. [^]*\nState: +not in the cluster any longer\n[^]*\nEvictions of this name:\n.* ago on node-1: /,
    );
  });

  it.each([20, 40, 80, 200])('its text fits %i columns but for its commands, whatever its names are', async (width) => {
    const name = 'x\u001b[2J\u202e\n'.repeat(8);
    const itsSummary = aPodSummary({
      ...id,
      containers: [{ name, rootfs: aContainerFs({ usedBytes: 1 }), logs: undefined }],
      volumes: [aVolumeSummary({ name, usedBytes: 5 })],
    });
    const of = aPod({ ...id, containers: [aContainer({ name })], volumes: [aVolume({ name })] });
    const ratios = [
      { ...unseen, volume: name },
      { ...inApp, container: name },
    ];
    const text = await textOf(readingOf(aMeasuredPod({ ...id, pod: of, summary: itsSummary, ratios })), { width });
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    const lines = text.split('\n').filter((line) => !/^ {2}(?:ephemeral-storage-exporter|kubectl) /.test(line));
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });

  it('a link elsewhere has the most specific of its workloads', async () => {
    const { html } = await aPage(
      readingOf(measured({ workloads: [aWorkload({ name: 'all' }), aDeployment('cart')] })),
      {
        ...{ kind: 'pod', path: ['shop', 'cart-0'] },
        status: { links: [{ name: 'Graph', url: 'https://g/{pod}/{workload}?n={node}' }] },
      },
    );
    expect(html).toContain('href="https://g/cart-0/cart?n=node-1"');
  });
});

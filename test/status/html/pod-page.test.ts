import { describe, expect, it } from 'vitest';

import type { ClusterReading } from '../../../src/people/query/cluster-reading.js';
import { aContainer, aContainerSummary, aPod, aPodSummary, aVolume } from '../../support/builders.js';
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
} from '../../support/snapshot-builders.js';
import { mib } from '../../support/units.js';
import { aPage } from '../../support/view-pages.js';

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
const unseen = aLimitRatio({
  rule: 'emptydir',
  volume: 'tmp',
  usedBytes: 9,
  limitBytes: 10,
  unenforced: 'memory_medium',
});

const measured = (overrides: Parameters<typeof aMeasuredPod>[0] = {}) =>
  aMeasuredPod({
    ...id,
    pod,
    summary,
    usage: aPodUsage({ usedBytes: 90 * mib + 7 }),
    ratios: [unseen, near],
    workloads: [aDeployment('cart')],
    ...overrides,
  });

const readingOf = (record = measured(), more: Partial<ClusterReading> = {}): ClusterReading =>
  aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods: [record] }))] }), ...more });

const silent = aReading({
  snapshot: aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'timeout')] }),
  knownPods: [{ pod, workloads: [] }],
  lastKnownOf: () => ({ snapshot: aNodeSnapshot({ pods: [measured()] }), ageMs: 300_000 }),
});

const pageOf = (reading: ClusterReading) => aPage(reading, { kind: 'pod', path: ['shop', 'cart-0'] });

const severityIn = (html: string): string | undefined => /class="banner (\w+) verdict"/.exec(html)?.[1];

describe('the page of a pod', () => {
  it('all that it names is a link', async () => {
    const { html } = await pageOf(readingOf());
    for (const href of ['../../nodes/node-1', '../../namespaces/shop', '../../workloads/shop/deployment/cart']) {
      expect(html).toContain(`href="${href}"`);
    }
  });

  it('the limit that binds is marked, and one that never evicts is in no colour of a state', async () => {
    const { part, html } = await pageOf(readingOf());
    expect(part('limits')).toContain('the pod binds first not measured 90Mi of 100Mi total 90 %');
    expect(part('limits')).toContain('emptyDir tmp not enforced: in memory, cannot hold more');
    expect(html.slice(html.indexOf('id="limits"'), html.indexOf('id="growth"')).match(/f-\w+-bar/g)).toEqual([
      'f-unknown-bar',
      'f-critical-bar',
    ]);
  });

  it('its components, and its containers, add up to the total to the byte', async () => {
    const { html } = await pageOf(readingOf());
    const panel = html.slice(html.indexOf('id="breakdown"'), html.indexOf('id="volumes"'));
    const tables = panel.split('</table>').slice(0, 2);
    for (const table of tables) {
      const rows = Array.from(
        table.matchAll(/<th [^>]*class="([^"]*)">.*?<td role="cell" class="number">([\d,]+)<\/td>/g),
        ([, kind = '', bytes = '']) => ({ kind, bytes: Number(bytes.replaceAll(',', '')) }),
      );
      const total = rows.at(-1)?.bytes;
      expect(total).toBe(90 * mib + 7);
      const parts = rows.slice(0, -1);
      const hasParts = parts.some(({ kind }) => kind === 'part');
      const sumOf = (of: typeof parts): number => of.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(sumOf(parts.filter(({ kind }) => kind !== 'part'))).toBe(total);
      if (hasParts) expect(sumOf(parts.filter(({ kind }) => kind === 'part'))).toBe(total);
    }
  });

  const inApp = aLimitRatio({ rule: 'container', container: 'app', usedBytes: 85 * mib, limitBytes: 100 * mib });

  /** Totals, or samples of the container, one a minute. */
  const samplesOf = (...sizes: readonly number[]) =>
    sizes.map((size, index) => ({ atMs: index * 60_000, usedBytes: size * mib }));

  /** The page with a limit of the pod and one of the container. */
  const curvesOf = (totals: readonly number[], ofApp: readonly number[]) =>
    pageOf(
      readingOf(measured({ ratios: [near, inApp] }), {
        samplesOf: () => samplesOf(...totals),
        limitMeasurementsOf: () => ({ ofLimit: () => samplesOf(...ofApp) }),
      }),
    );

  it('each limit has the curve of what counts towards it, the limit as a line, and the same in words', async () => {
    const { html, part } = await curvesOf([1, 2], [40, 90, 20]);
    expect(html).toContain(
      'aria-label="the pod: 1Mi at 1970-01-01 00:00:00 UTC, 2Mi at 1970-01-01 00:01:00 UTC, highest 2Mi of 2 measurements, limit 100Mi"',
    );
    expect(html).toContain(
      'aria-label="container app: 40Mi at 1970-01-01 00:00:00 UTC, 20Mi at 1970-01-01 00:02:00 UTC, highest 90Mi of 3 measurements, limit 100Mi"',
    );
    expect(part('limits')).toContain('1Mi to 2Mi in 1m 90Mi of 100Mi');
    expect(part('limits')).toContain('40Mi to 20Mi in 2m, highest 90Mi 85Mi of 100Mi');
  });

  it.each<readonly [string, readonly number[], string]>([
    ['one measurement is no curve', [85], 'measured once 85Mi'],
    ['where nothing changed, that is said', [85, 85, 85], 'no change in 2m: 85Mi 85Mi'],
    ['of a limit that is not followed, that is said', [], 'not kept: below 40 %, and no marked change seen'],
  ])('%s', async (_case, ofApp, text) => {
    const { html, part } = await curvesOf([90], ofApp);
    expect(html).not.toContain('<polyline');
    expect(part('limits')).toContain(text);
  });

  it('the total of a pod without a limit is drawn beside its growth', async () => {
    const reading = (...sizes: readonly number[]) =>
      readingOf(measured({ ratios: [] }), { samplesOf: () => samplesOf(...sizes) });
    const { html, part } = await pageOf(reading(1, 2));
    expect(html).toContain('aria-label="Total: 1Mi at ');
    expect(part('growth')).toContain('Total: 1Mi to 2Mi in 1m. It grew 1Mi a minute.');
    expect((await pageOf(reading(1))).part('growth')).toContain(
      'Its growth is not known: it was measured less than twice.',
    );
    expect((await pageOf(reading(5, 5))).part('growth')).toContain('Total: no change in 1m: 5Mi. It did not grow.');
  });

  it('a pod of a silent node shows what was last known, with age and reason, and nothing in the colour of a state', async () => {
    const { text, main } = await pageOf(silent);
    expect(text).toContain('No data from node node-1 (timeout). As last known 5m ago: near a limit');
    expect(text).toContain('last known 5m ago, node without data (no answer in time)');
    expect(severityIn(main)).toBe('unknown');
    expect(main).not.toMatch(/f-(?:ok|warning|critical)-bar|t-critical|t-warning/);
  });

  it('a pod without figures has its reason and no figure', async () => {
    const { part, text } = await pageOf({ ...silent, lastKnownOf: () => undefined });
    expect(part('part-verdict')).toMatch(/^Not measured: no data from node node-1 \(timeout\)/);
    expect(text).not.toContain('What it is made of');
    expect(part('part-facts')).not.toContain('Used');
  });

  it('hostile names are never markup', async () => {
    const name = `"><img src=x onerror=alert(1)>'`;
    const hostile = aMeasuredPod({
      ...id,
      name,
      pod: aPod({ ...id, name, nodeName: name, containers: [aContainer({ name })] }),
      ratios: [aLimitRatio({ rule: 'container', container: name, usedBytes: 2, limitBytes: 1 })],
      workloads: [aWorkload({ name: 'all' }), aDeployment(name)],
    });
    const node = aFreshNode(aNodeSnapshot({ nodeName: name, pods: [hostile] }));
    const { html } = await aPage(aReading({ snapshot: aClusterSnapshot({ nodes: [node] }) }), {
      kind: 'pod',
      path: ['shop', name],
      status: { links: [{ name: 'Graph', url: 'https://g/{pod}/{workload}?n={node}' }] },
    });
    expect(html).not.toContain('<img');
    const encoded = encodeURIComponent(name).replace("'", '&#39;');
    expect(html).toContain(`href="https://g/${encoded}/${encoded}?n=`);
  });
});

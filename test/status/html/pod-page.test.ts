import { describe, expect, it } from 'vitest';

import type { ClusterReading } from '../../../src/query/cluster-reading.js';
import { evictionReport } from '../../../src/report/eviction-report.js';
import { aContainer, aContainerSummary, aPod, aPodSummary, aVolume } from '../../support/builders.js';
import { anEvictionRecord } from '../../support/eviction-builders.js';
import {
  aClusterSnapshot,
  aDeployment,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  anAbsentNode,
  aNodeSnapshot,
  aReading,
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
  aMeasuredPod({ ...id, pod, summary, ratios: [unseen, near], workloads: [aDeployment('cart')], ...overrides });

const readingOf = (record = measured(), more: Partial<ClusterReading> = {}): ClusterReading =>
  aReading({ snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods: [record] }))] }), ...more });

const silent = aReading({
  snapshot: aClusterSnapshot({ nodes: [anAbsentNode('node-1', 'timeout')] }),
  knownPods: [{ pod, workloads: [] }],
  lastKnownOf: () => ({ snapshot: aNodeSnapshot({ pods: [measured()] }), ageMs: 300_000 }),
});

const pageOf = (reading: ClusterReading, parameters: Readonly<Record<string, unknown>> = {}) =>
  aPage(reading, { kind: 'pod', path: ['shop', 'cart-0'], parameters });

const severityIn = (html: string): string | undefined => /class="banner (\w+) verdict"/.exec(html)?.[1];

describe('the page of a pod', () => {
  it('it begins with its verdict and the next command', async () => {
    const { part, html } = await pageOf(readingOf());
    expect(part('part-verdict')).toMatch(
      /^Near a limit: the pod uses 90Mi of its limit of 100Mi\. Its growth is not known: it was measured less than twice\. ephemeral-storage-exporter explain pod shop\/cart-0 ephemeral-storage-exporter explain pod shop\/cart-0 --directories /,
    );
    expect(severityIn(html)).toBe('warning');
  });

  it('all that it names is a link', async () => {
    const { html } = await pageOf(readingOf());
    for (const href of ['../../nodes/node-1', '../../namespaces/shop', '../../workloads/shop/deployment/cart']) {
      expect(html).toContain(`href="${href}"`);
    }
  });

  it('the limit that binds is marked, and one that never evicts is in no colour of a state', async () => {
    const { part, html } = await pageOf(readingOf());
    expect(part('limits')).toContain('the pod binds first 90Mi of 100Mi total 90 %');
    expect(part('limits')).toContain('emptyDir tmp not enforced: memory medium');
    expect(html.slice(html.indexOf('id="limits"'), html.indexOf('id="time"')).match(/f-\w+-bar/g)).toEqual([
      'f-unknown-bar',
      'f-critical-bar',
    ]);
  });

  it('its components, and its containers, add up to the total to the byte', async () => {
    const { html } = await pageOf(readingOf());
    const panel = html.slice(html.indexOf('id="breakdown"'), html.indexOf('id="how-breakdown"'));
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

  it('each figure says how it comes about, and which series it is', async () => {
    const { html, part } = await pageOf(readingOf());
    expect(part('limits')).toContain('the pod: 94,371,840 ÷ 104,857,600 = 90 % (total)');
    for (const family of ['pod_used_bytes', 'limit_ratio', 'container_used_bytes', 'pod_time_to_limit_seconds']) {
      expect(html).toContain(`ephemeral_storage_${family}{namespace=&quot;shop&quot;,pod=&quot;cart-0&quot;}`);
    }
  });

  it('the last measurements are a line, and the same in words', async () => {
    const samples = [1, 2].map((index) => ({ atMs: index * 60_000, usedBytes: index * mib }));
    const { html, part } = await pageOf(readingOf(measured(), { samplesOf: () => samples }));
    expect(html).toContain('aria-label="Total over 2 measurements: 1Mi, 2Mi; limit of the pod: ');
    expect(html).toMatch(/<svg class="spark across"[^>]*><line x1="0" x2="600" y1="1.0" y2="1.0"/);
    expect(part('time')).toContain('The dashed line is the limit of the pod, 100Mi.');
    expect(part('time')).toContain('It grew 1Mi a minute.');
    expect((await pageOf(readingOf())).part('time')).toContain('Measured less than twice');
  });

  it('verdict, measurements and what another limit would do name one growth, and the one reason for no forecast', async () => {
    const samples = [0, 1, 2, 3].map((minute) => ({ atMs: minute * 60_000, usedBytes: (87 + minute) * mib }));
    const { part } = await pageOf(readingOf(measured(), { samplesOf: () => samples }), { podLimit: '200Mi' });
    const growth = 'It grew 1Mi a minute. No forecast: what counts towards the limit does not grow steadily.';
    expect(part('part-verdict')).toContain(`of its limit of 100Mi. ${growth}`);
    expect(part('time')).toContain(growth);
    expect(part('limits')).toContain('evicted in 1h50m if it goes on to grow 1Mi a minute.');
  });

  it('what another limit would do is asked for by a form, and answered', async () => {
    const { html, part } = await pageOf(readingOf(), { podLimit: '50Mi' });
    expect(html).toContain('name="podLimit" value="50Mi"');
    expect(part('limits')).toContain('With a limit of 50Mi: 90Mi is 180 % of it, and the kubelet evicts the pod.');
    expect((await pageOf(readingOf())).part('limits')).not.toContain('With a limit of');
    await expect(pageOf(readingOf(), { podLimit: 'much' })).rejects.toThrow('parameter podLimit: found "much"');
  });

  it('a pod of a silent node shows what was last known, with age and reason, and nothing in the colour of a state', async () => {
    const { text, main } = await pageOf(silent, { podLimit: '50Mi' });
    expect(text).toContain('No data from node node-1 (timeout). As last known 5m ago: near a limit');
    expect(text).toContain('last known 5m ago, node without data (timeout)');
    expect(text).toContain('90Mi as last known is 180 % of it');
    expect(severityIn(main)).toBe('unknown');
    expect(main).not.toMatch(/f-(?:ok|warning|critical)-bar|t-critical|t-warning/);
  });

  it('a pod without figures has its reason and no figure', async () => {
    const { part, text } = await pageOf({ ...silent, lastKnownOf: () => undefined });
    expect(part('part-verdict')).toMatch(/^Not measured: no data from node node-1 \(timeout\)/);
    expect(text).not.toContain('What it is made of');
    expect(part('part-facts')).not.toContain('Used');
  });

  it('a pod that is known by its eviction alone has that', async () => {
    const evictions = [evictionReport(anEvictionRecord())];
    const { text, html } = await pageOf(aReading({ snapshot: aClusterSnapshot({ nodes: [] }), evictions }));
    expect(text).toContain('Evicted. Pod shop/cart-0 is the cause');
    expect(text).toContain('not in the cluster any longer');
    expect(html).toContain('href="../../evictions/uid-cart-0"');
  });

  it('hostile names are never markup', async () => {
    const name = `"><img src=x onerror=alert(1)>'`;
    const hostile = aMeasuredPod({
      ...id,
      name,
      pod: aPod({ ...id, name, nodeName: name, containers: [aContainer({ name })] }),
      ratios: [aLimitRatio({ rule: 'container', container: name, usedBytes: 2, limitBytes: 1 })],
      workloads: [aDeployment(name)],
    });
    const node = aFreshNode(aNodeSnapshot({ nodeName: name, pods: [hostile] }));
    const { html } = await aPage(aReading({ snapshot: aClusterSnapshot({ nodes: [node] }) }), {
      kind: 'pod',
      path: ['shop', name],
      status: { links: [{ name: 'Graph', url: 'https://g/{pod}/{workload}?n={node}' }] },
    });
    expect(html).not.toContain('<img');
    expect(html).toContain(`href="https://g/${encodeURIComponent(name).replace("'", '&#39;')}/`);
  });
});

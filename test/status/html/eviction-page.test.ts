import { describe, expect, it } from 'vitest';

import type { EvictionRecord } from '../../../src/facts/history/eviction-record.js';
import { evictionReport } from '../../../src/people/report/eviction-report.js';
import { aLastUsage, anEvictionRecord } from '../../support/eviction-builders.js';
import { aPodUsage, aReading } from '../../support/snapshot-builders.js';
import { mib } from '../../support/units.js';
import { aPage } from '../../support/view-pages.js';

const readAtMs = Date.UTC(2026, 0, 1, 13);
const readingOf = (...records: readonly Partial<EvictionRecord>[]) =>
  aReading({ readAtMs, evictions: records.map((record) => evictionReport(anEvictionRecord(record))) });
const pageOf = (record: Partial<EvictionRecord> = {}) =>
  aPage(readingOf(record), { kind: 'eviction', path: [record.uid ?? 'uid-cart-0'], status: { clusterName: 'prod' } });

describe('the page of an eviction', () => {
  it('it begins with why, and has when, for what, where, and how old the last figures were', async () => {
    const { part } = await pageOf();
    expect(part('part-verdict')).toMatch(
      /^Pod shop\/cart-0 is the cause: emptyDir data above its size limit of 100Mi, 80Mi in the summary 20s before its kubelet looked \(kubelets measure volumes about once a minute\)\. A limit of 2304Mi would have let it run for an hour more at its growth of 32\.7Mi a minute: 100Mi \+ 60 × 32\.7Mi, rounded up\. ephemeral-storage-exporter explain eviction shop\/cart-0/,
    );
    expect(part('part-facts')).toContain('Evicted 2026-01-01 12:00:00 UTC , 1h ago');
    expect(part('part-facts')).toContain('Exceeded limit 100Mi of emptyDir data Node node-1');
    expect(part('part-facts')).toContain('Last measured 2026-01-01 11:59:40 UTC , 20s before');
  });

  it('it has what the pod held, by component, container and volume, and which limit was exceeded', async () => {
    const { part } = await pageOf();
    expect(part('held')).toContain('total 94,371,840 90Mi');
    expect(part('parts')).toContain('container main 3.9Ki files 2.9Ki, logs 1000B emptydir data 0B in the total');
    expect(part('limits')).toContain('emptyDir data exceeded');
  });

  it('it has the time before, and its growth', async () => {
    const { part, html } = await pageOf();
    expect(html).toMatch(/aria-label="Total: 60Mi at [^,]* UTC, 90Mi at [^,]* UTC, highest 90Mi of 2 measurements"/);
    expect(part('before')).toMatch(/It grew 32\.7Mi a minute\.$/);
  });

  it('it has the message word for word, as text', async () => {
    const message = 'Usage of EmptyDir "<img src=x>"\nexceeds ';
    const { html } = await pageOf({ message });
    expect(html).toContain('Usage of EmptyDir &quot;&lt;img src=x&gt;&quot;\nexceeds </pre>');
  });

  it.each([
    ['before_start', 'The exporter was started after the eviction'],
    ['not_measured', 'before a summary of its node listed it'],
  ] as const)('where nothing is known (%s), it says why, and shows no figure', async (lastUsage, why) => {
    const { part, text } = await pageOf({ lastUsage });
    expect(part('held')).toContain(why);
    expect(text).not.toContain('The time before');
  });

  it('a pod that was measured once, or without a total, has no growth and no sum of 0', async () => {
    const { part } = await pageOf({
      lastUsage: aLastUsage({
        samples: [],
        usage: undefined,
        growthBytesPerSecond: undefined,
        limitForAnHourBytes: undefined,
      }),
    });
    expect(part('before')).toContain('its growth is not known');
    expect(part('held')).toContain('The kubelet reported no total.');
  });

  it('a pod that was refused is called so, in title and heading', async () => {
    const { html, text, part } = await pageOf({ cause: 'node_admission', lastUsage: 'not_measured' });
    expect(html).toContain('<title>shop/cart-0 refused - prod');
    expect(text).toContain('Refusal of pod shop/cart-0');
    expect(part('part-facts')).toMatch(/^Refused 2026/);
    expect(text).not.toMatch(/was evicted from/);
    expect((await pageOf()).html).toContain('<title>shop/cart-0 evicted - prod');
  });

  it('the parts of what it held count no emptyDir twice', async () => {
    const container = { name: 'render', usedBytes: 328 * mib, rootfsBytes: 2 * mib, logsBytes: mib };
    const volume = { name: 'work', type: 'emptydir', medium: '', usedBytes: 325 * mib } as const;
    const usage = { ...aPodUsage({ usedBytes: 328 * mib }), containers: [container], volumes: [volume] };
    const { part } = await pageOf({ lastUsage: aLastUsage({ usage }) });
    expect(part('parts')).toContain('container render 3Mi files 2Mi, logs 1Mi emptydir work 325Mi');
  });

  it('one that is not remembered is not found', async () => {
    await expect(aPage(readingOf(), { kind: 'eviction', path: ['x'] })).rejects.toThrow(
      'no eviction of a pod with the UID x is remembered',
    );
  });
});

import { expect, it } from 'vitest';

import { evictionParagraph } from '../../src/report/eviction-paragraph.js';
import { evictionReport } from '../../src/report/eviction-report.js';
import { anEvictionRecord } from '../support/eviction-builders.js';

it('an eviction is told in one paragraph with all that is known', () => {
  expect(evictionParagraph(evictionReport(anEvictionRecord()), 'prod')).toBe(
    'Pod shop/cart-0 (deployment cart) was evicted from node node-1 of cluster prod at 2026-01-01 12:00:00 UTC: emptyDir data above its size limit of 100Mi. ' +
      'Pod shop/cart-0 is the cause: emptyDir data above its size limit of 100Mi, 80Mi measured 20s before. A limit of 2304Mi would have let it run for an hour more at its growth of 32.7Mi a minute: 100Mi + 60 × 32.7Mi, rounded up. ' +
      'It used 90Mi (rootfs 2.9Ki, logs 1000B, other 96B) when it was last measured, 20s before. It grew 32.7Mi a minute. ' +
      'Kubelet: Usage of EmptyDir volume "data" exceeds the limit "100Mi".',
  );
});

it('an eviction at a time that is none is told without it', () => {
  const text = evictionParagraph({ ...evictionReport(anEvictionRecord()), evictedAtMs: 1e300 }, 'prod');
  expect(text).toContain('of cluster prod at -: emptyDir data');
});

it('an eviction of which nothing is known says so, on one line whatever the message is', () => {
  const record = anEvictionRecord({ lastUsage: 'before_start', cause: 'other', workloads: [], message: 'a\nb\u0000c' });
  const text = evictionParagraph(evictionReport(record), 'prod');
  expect(text).toContain('what the pod used is unknown');
  expect(text).toMatch(/Kubelet: a b c$/);
});

import { expect, it } from 'vitest';

import {
  aClusterSnapshot,
  aContainerUsage,
  aFreshNode,
  aLimitRatio,
  aMeasuredPod,
  aNodeSnapshot,
  aPodUsage,
  aReading,
  aVolumeUsage,
  aWorkload,
  aWorkloadSnapshot,
} from '../../support/snapshot-builders.js';
import { gib, mib } from '../../support/units.js';
import { aPage } from '../../support/view-pages.js';

const pod = aMeasuredPod({
  usage: aPodUsage({
    usedBytes: 3 * gib,
    containers: [
      aContainerUsage({ name: 'main', usedBytes: 3 * gib, rootfsBytes: 2 * gib, logsBytes: gib }),
      aContainerUsage({ name: '', usedBytes: mib, rootfsBytes: undefined, logsBytes: undefined }),
    ],
    volumes: [
      aVolumeUsage({ name: 'cache', usedBytes: mib, sizeLimitBytes: 4 * mib }),
      aVolumeUsage({ name: 'tmp', medium: 'Memory', usedBytes: 2 * mib, sizeLimitBytes: 2 * mib }),
    ],
  }),
  ratios: [
    aLimitRatio({ rule: 'container', container: 'main', usedBytes: 3 * gib, limitBytes: 3 * gib }),
    aLimitRatio({
      rule: 'emptydir',
      volume: 'tmp',
      usedBytes: 2 * mib,
      limitBytes: 2 * mib,
      unenforced: 'memory_medium',
    }),
  ],
});
const reading = aReading({
  snapshot: aClusterSnapshot({ nodes: [aFreshNode(aNodeSnapshot({ pods: [pod] }))] }),
});

it('the page of containers shows the parts of each and its limit, and links to its pod and node', async () => {
  const { part, html } = await aPage(reading, { kind: 'containers' });
  expect(part('part-list')).toBe(
    '1 to 2 of 2 containers containers Container Pod Node Used Writable layer Logs Limit main shop/cart-0 node-1 3Gi 2Gi 1Gi 100 % of 3Gi - shop/cart-0 node-1 1Mi - - -',
  );
  expect(html).toContain('<span class="t-critical">100 %</span>');
  for (const href of ['./pods/shop/cart-0', './nodes/node-1']) expect(html).toContain(`href="${href}"`);
});

it('the page of volumes shows whether each counts, and no colour for a limit that cannot evict', async () => {
  const { part, main } = await aPage(reading, { kind: 'volumes' });
  expect(part('part-list')).toBe(
    '1 to 2 of 2 volumes volumes Volume Pod Node Used Size limit In the total tmp emptydir, Memory shop/cart-0 node-1 2Mi 100 % of 2Mi, not enforced: in memory, cannot hold more no: in memory cache emptydir shop/cart-0 node-1 1Mi 4Mi yes: component emptydir',
  );
  expect(main).not.toContain('t-critical');
});

it('the page of workloads mutes the random ends of names, and says what groups owners of one pod each', async () => {
  const workloads = ['builder-bxbwq', 'builder-q2xzc'].map((name) =>
    aWorkloadSnapshot({ workload: aWorkload({ name, type: 'sandbox' }), expectedPods: 1 }),
  );
  const { html, text } = await aPage(aReading({ snapshot: aClusterSnapshot({ workloads }) }), { kind: 'workloads' });
  expect(html).toContain('>builder<span class="muted">-bxbwq</span></a>');
  expect(text).toContain('such as builder-*: workloads.labels groups them');
});

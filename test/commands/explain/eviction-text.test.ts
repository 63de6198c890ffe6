import { describe, expect, it } from 'vitest';

import { evictionText } from '../../../src/commands/explain/eviction-text.js';
import type { LastUsage } from '../../../src/facts/history/eviction-record.js';
import { displayWidth } from '../../../src/people/pens/terminal-text.js';
import { evictionReport } from '../../../src/people/report/eviction-report.js';
import { aLastUsage, anEvictionRecord } from '../../support/eviction-builders.js';
import { aContainerUsage, aLimitRatio, aPodUsage, aVolumeUsage } from '../../support/snapshot-builders.js';
import { mib } from '../../support/units.js';

const readAtMs = Date.UTC(2026, 0, 1, 12, 5);

function textOf(overrides: Parameters<typeof anEvictionRecord>[0] = {}, width = 90): string {
  return evictionText(evictionReport(anEvictionRecord(overrides)), { width, readAtMs });
}

it('an evicted pod is shown with its cause, usage, growth, and what would have let it run on', async () => {
  const usage = aPodUsage({
    usedBytes: 90 * mib,
    components: { rootfs: 6 * mib, logs: 4 * mib, emptydir: 80 * mib - 4096, configmap: 0, other: 4096 },
    containers: [aContainerUsage({ usedBytes: 90 * mib, rootfsBytes: 6 * mib, logsBytes: 4 * mib })],
    volumes: [aVolumeUsage({ usedBytes: 80 * mib - 4096 })],
  });
  await expect(textOf({ lastUsage: aLastUsage({ usage }) })).toMatchFileSnapshot('../../golden/explain-eviction.txt');
});

it.each([
  ['before_start', 'The exporter was started after the eviction'],
  ['no_exporter', 'Only the status of the pod was read'],
  ['not_measured', 'evicted before a summary of its node listed it'],
] as const)('an evicted pod of which nothing is known (%s) is shown with the reason', (lastUsage, reason) => {
  expect(textOf({ lastUsage }, 200)).toContain(reason);
});

it.each([
  ['node_bytes', 'Cause: node low on disk space.', 'explain node node-1 shows'],
  ['node_inodes', 'Cause: node low on inodes.', 'explain node node-1 shows'],
  ['node_admission', 'Cause: refused: node under disk pressure.', 'explain node node-1 shows'],
  ['pod_limit', 'Cause: pod above the limit of its containers of 100Mi.', 'Raise the limits'],
  ['other', 'Cause: storage, see the message.', 'names the cause'],
] as const)('a pod evicted for %s is shown with what to do next', (cause, line, hint) => {
  const text = textOf({ cause, volume: '', diskPressure: true }, 200);
  expect(text).toContain(line);
  expect(text).toContain(hint);
  expect(text).toContain('Node node-1 had the condition DiskPressure.');
});

it.each([1e300, -1e300, 8.64e15 + 1])('an eviction at %d, which is no time, is shown without it', (evictedAtMs) => {
  expect(textOf({ evictedAtMs }, 1_000)).toContain('ago, at -.');
});

it('an evicted pod that did not grow has no limit to recommend', () => {
  const lastUsage = aLastUsage({ growthBytesPerSecond: -5, limitForAnHourBytes: undefined });
  expect(textOf({ lastUsage })).toContain('It did not grow over 2 measurements in 55s.');
});

it.each([20, 40, 80, 200])('the text about an evicted pod fits %i columns, whatever its names are', (width) => {
  const name = 'x\u001b[2J\u202e\n'.repeat(8);
  const usage = aPodUsage({ containers: [aContainerUsage({ name })], volumes: [aVolumeUsage({ name })] });
  const text = textOf({ pod: name, message: name, volume: name, lastUsage: aLastUsage({ usage }) }, width);
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  const lines = text.split('\n').filter((line) => !/^ {2}(?:ephemeral-storage-exporter|kubectl) /.test(line));
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

describe('a pod above the limit of a container', () => {
  const gib = 1024 * mib;
  const ratios = [aLimitRatio({ rule: 'container', container: 'main', usedBytes: gib, limitBytes: gib })];
  const record = (usage: Parameters<typeof aContainerUsage>[0], growth: Partial<LastUsage> = {}) =>
    textOf(
      {
        cause: 'container_limit',
        container: 'main',
        volume: '',
        limitBytes: gib,
        lastUsage: aLastUsage({
          usage: aPodUsage({ usedBytes: gib, containers: [aContainerUsage(usage)] }),
          ratios,
          ...growth,
        }),
      },
      300,
    );

  it('a pod above the limit of a container names its logs where they are most of it, and what to do about them', () => {
    const text = record({ rootfsBytes: 1 * mib, logsBytes: 1023 * mib }, { limitForAnHourBytes: undefined });
    expect(text).toContain('most of it the logs of container main (1023Mi), which fill a larger limit too.');
    expect(text).toContain('Have container main log less, or lower containerLogMaxSize');
    expect(text).toContain('kubectl logs -n shop deployment/cart -c main --tail=20');
    expect(text).not.toMatch(/raise|--limits|edit/i);
  });

  it('a pod above the limit of a container names its files where they are most of it', () => {
    const text = record({ rootfsBytes: 1023 * mib, logsBytes: 1 * mib });
    expect(text).toContain('most of it the files of container main (1023Mi).');
    expect(text).toContain("Raise the container's limit");
  });

  it('a pod that grew too slowly for what evicted it is not said to have grown too fast', () => {
    const below = [aLimitRatio({ rule: 'container', container: 'main', usedBytes: 300 * mib, limitBytes: gib })];
    const growth = { growthBytesPerSecond: 20_000, limitForAnHourBytes: undefined, ratios: below };
    const text = record({ rootfsBytes: 300 * mib, logsBytes: 1 * mib }, growth);
    expect(text).toContain("Raise the container's limit");
    expect(text).not.toMatch(/too fast|leaks/);
  });

  it('a pod that grew fast says that no limit holds what it leaks', () => {
    const growth = { growthBytesPerSecond: 50 * mib, limitForAnHourBytes: undefined, nodeCapacityBytes: 100 * gib };
    const text = record({ rootfsBytes: 1023 * mib, logsBytes: 1 * mib }, growth);
    expect(text).toContain('It leaks 2.9Gi a minute: no limit holds that, so look at what it writes.');
    expect(text).toContain('Have it write less');
    expect(text).not.toMatch(/raise|--limits/i);
  });
});

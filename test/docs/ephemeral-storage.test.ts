import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { metricsTable } from '../../src/commands/metrics.js';

const text = await readFile(new URL('../../docs/ephemeral-storage.md', import.meta.url), 'utf8');

interface Line {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The lines of the worked example. */
const lines = [...text.matchAll(/^ephemeral_storage_(\w+)\{(.*)\} (\S+)$/gm)].map(
  ([, family = '', labels = '', value = '']): Line => ({
    family,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', label = '']) => [name, label]),
    ),
    value: Number(value),
  }),
);

function values(family: string, labels: Readonly<Record<string, string>> = {}): readonly number[] {
  const isWanted = (line: Line): boolean =>
    Object.entries(labels).every(([name, value]) => line.labels[name] === value);
  return lines.filter((line) => line.family === family && isWanted(line)).map(({ value }) => value);
}

function value(family: string, labels: Readonly<Record<string, string>> = {}): number {
  const [only, ...others] = values(family, labels);
  if (only === undefined || others.length > 0) throw new Error(`not exactly one ${family}`);
  return only;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

describe('the explanation of ephemeral storage', () => {
  it('the explanation of ephemeral storage names families that exist', () => {
    const known = new Set(metricsTable().match(/ephemeral_storage_\w+/g));
    const named = new Set(text.match(/ephemeral_storage_\w+/g));
    expect(named.size).toBeGreaterThan(15);
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  });

  it('the explanation of ephemeral storage is linked from the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    expect(readme).toContain('](docs/ephemeral-storage.md)');
  });

  it('the example of ephemeral storage has components and containers that add up to the total', () => {
    const total = value('pod_used_bytes');
    expect(sum(values('pod_component_used_bytes'))).toBe(total);
    expect(sum(values('container_used_bytes'))).toBe(total);
    expect(sum(values('container_rootfs_used_bytes'))).toBe(value('pod_component_used_bytes', { component: 'rootfs' }));
    expect(sum(values('container_logs_used_bytes'))).toBe(value('pod_component_used_bytes', { component: 'logs' }));
    expect(values('volume_used_bytes', { type: 'configmap' })).toEqual([
      value('pod_component_used_bytes', { component: 'configmap' }),
    ]);
    expect(sum(values('container_limit_bytes'))).toBe(value('pod_limit_bytes'));
  });

  it('the example of ephemeral storage has ratios that are usage divided by limit', () => {
    expect(value('limit_ratio', { rule: 'pod' })).toBe(value('pod_used_bytes') / value('pod_limit_bytes'));
    for (const container of ['proxy', 'api']) {
      const own = ['container_rootfs_used_bytes', 'container_logs_used_bytes'].map((name) =>
        value(name, { container }),
      );
      const ratio = sum(own) / value('container_limit_bytes', { container });
      expect(value('limit_ratio', { rule: 'container', container })).toBe(ratio);
    }
  });

  it('the explanation of ephemeral storage has sums in its text that are right', () => {
    expect(1_048_576 + 4_108_288 + 4096 + 2048).toBe(value('container_used_bytes', { container: 'proxy' }));
    const numbers = [...text.matchAll(/\d{1,3}(?:,\d{3})+/g)].map(([number]) => Number(number.replaceAll(',', '')));
    const derived = [4096, 2048];
    expect(
      numbers.filter((number) => !derived.includes(number) && !lines.some((line) => line.value === number)),
    ).toEqual([]);
  });
});

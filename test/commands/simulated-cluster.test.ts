import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it } from 'vitest';

import type { ClusterReading } from '../../src/commands/cluster-reader.js';
import { podReports } from '../../src/commands/explain/pod-explanation.js';
import { podText } from '../../src/commands/explain/pod-text.js';
import { workloadReport } from '../../src/commands/explain/workload-explanation.js';
import { workloadText } from '../../src/commands/explain/workload-text.js';
import { topRows, topSubjects, topText } from '../../src/commands/top/text.js';
import { Exposition } from '../../src/exposition/exposition.js';
import { settingsOf } from '../support/exporter.js';
import { type ParsedFamily, parseExposition } from '../support/exposition-parser.js';
import { asking, expositionSettings } from '../support/exposition-settings.js';
import { ManualClock } from '../support/manual-clock.js';
import { readSimulated } from '../support/simulated-reading.js';

const everything = { namespace: undefined, workload: undefined };
const all = { filter: everything, limit: Infinity } as const;

let reading: ClusterReading;
let families: readonly ParsedFamily[];

beforeAll(async () => {
  reading = await readSimulated({ prepare: (cluster) => cluster.setFault('node-2', 'status:503') });
  const exposition = new Exposition({
    settings: expositionSettings(),
    selfMetrics: { registry: new Registry(), setSeries: () => undefined },
    observer: { capped: () => undefined },
    clock: new ManualClock(),
  });
  const { chunks } = await exposition.render(reading.snapshot, asking('text'), new AbortController().signal);
  families = parseExposition(Buffer.concat(chunks), 'text');
});

/** `key label=value …` to the value. */
function exposed(family: string, labels: readonly string[]): ReadonlyMap<string, number> {
  const samples = families.find(({ name }) => name === `ephemeral_storage_${family}`)?.samples ?? [];
  return new Map(samples.map((sample) => [labels.map((label) => sample.labels[label]).join(' '), sample.value]));
}

type AnyRow = Readonly<Record<string, string | number | undefined>>;

function shown(subject: (typeof topSubjects)[number], names: readonly string[], value: string) {
  const rows = topRows(reading, { ...all, subject }) as readonly AnyRow[];
  const known = rows.filter((row) => row[value] !== undefined);
  return new Map(known.map((row) => [names.map((name) => row[name]).join(' '), row[value]]));
}

describe('top agrees with the exposition of the same moment:', () => {
  const pod = ['namespace', 'pod', 'node'];
  it.each([
    { subject: 'pods', names: pod, value: 'usedBytes', family: 'pod_used_bytes' },
    { subject: 'pods', names: pod, value: 'limitBytes', family: 'pod_limit_bytes' },
    { subject: 'containers', names: [...pod, 'container'], value: 'usedBytes', family: 'container_used_bytes' },
    { subject: 'containers', names: [...pod, 'container'], value: 'logsBytes', family: 'container_logs_used_bytes' },
    {
      subject: 'volumes',
      names: [...pod, 'volume', 'type', 'medium'],
      value: 'usedBytes',
      family: 'volume_used_bytes',
    },
    { subject: 'nodes', names: ['node'], value: 'allocatableBytes', family: 'node_allocatable_bytes' },
  ] as const)('$subject, $value', ({ subject, names, value, family }) => {
    const expected = exposed(family, names);
    expect(expected.size).toBeGreaterThan(0);
    expect(shown(subject, names, value)).toEqual(expected);
  });

  it.each([
    ['usedBytes', 'workload_used_bytes'],
    ['expectedPods', 'workload_pods'],
  ])('workloads, %s', (value, family) => {
    const values = exposed(family, ['namespace', 'workload_type', 'workload']);
    const expected = Array.from(values, ([key, bytes]) => [key.replaceAll(' ', '/'), bytes]);
    const rows = Array.from(shown('workloads', ['workload'], value), ([name, bytes]) => [
      name.toLowerCase().replace('/pod/', '/barepod/').replace('/node/', '/staticpod/'),
      bytes,
    ]);
    expect(expected.length).toBeGreaterThan(0);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
  });

  it('the components of pods', () => {
    const rows = topRows(reading, { ...all, subject: 'pods' }) as readonly AnyRow[];
    const components = exposed('pod_component_used_bytes', [...pod, 'component']);
    for (const row of rows) {
      const key = pod.map((name) => row[name]).join(' ');
      for (const component of ['rootfs', 'logs', 'emptydir', 'configmap', 'other']) {
        expect(row[`${component}Bytes`]).toBe(components.get(`${key} ${component}`));
      }
    }
  });
});

describe('of the demo cluster', () => {
  it.each(topSubjects)('the table of %s is as it was', async (subject) => {
    const text = topText(reading, { subject, filter: everything, limit: 10 }, { columns: 120 });
    await expect(text).toMatchFileSnapshot(`../golden/top-demo-${subject}.txt`);
  });

  it('the sums of nodes are those of their pods', () => {
    const pods = topRows(reading, { ...all, subject: 'pods' }) as readonly AnyRow[];
    for (const node of topRows(reading, { ...all, subject: 'nodes' }) as readonly AnyRow[]) {
      const own = pods.filter((pod) => pod['node'] === node['node']).map((pod) => Number(pod['usedBytes']));
      expect(node['podsUsedBytes'] ?? 0).toBe(own.reduce((a, b) => a + b, 0));
    }
  });
});

describe('explain pod', () => {
  const reports = () =>
    reading.knownPods.flatMap(({ pod: { namespace, name } }) => podReports(reading, { namespace, name }, 'measured'));

  it('adds up, part by part, container by container', () => {
    const measured = reports().flatMap((report) => report.measured ?? []);
    expect(measured.length).toBeGreaterThan(10);
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
    for (const { usedBytes, componentBytes, containers } of measured) {
      expect(sum(Object.values(componentBytes))).toBe(usedBytes);
      expect(sum(containers.map((container) => container.usedBytes))).toBe(usedBytes);
      for (const { rootfsBytes, logsBytes, volumeShares, restBytes, ...container } of containers) {
        const parts = [rootfsBytes, logsBytes, ...volumeShares.map(({ bytes }) => bytes), restBytes];
        expect(sum(parts)).toBe(container.usedBytes);
      }
    }
  });

  it('adds up as it is printed', () => {
    const measured = reports().filter((report) => report.measured !== undefined);
    for (const report of measured) {
      const [, components = '', containers = ''] = podText(report, { width: 80, readAtMs: reading.readAtMs }).split(
        '\n\n',
      );
      expect(printedSum(components, /^(?!= )(?!COMPONENT)\S+ +(-?\d+)/gm)).toBe(report.measured?.usedBytes);
      expect(printedSum(components, /^= total +(\d+)/gm)).toBe(report.measured?.usedBytes);
      expect(printedSum(containers, /^ {2}(?!= ).*? (-?\d+)(?: +\S+)?$/gm)).toBe(report.measured?.usedBytes);
      expect(printedSum(containers, /^ {2}= attributed +(-?\d+)/gm)).toBe(report.measured?.usedBytes);
      expect(printedSum(containers, /^= total +(\d+)/gm)).toBe(report.measured?.usedBytes);
    }
  });

  it('has the values of the exposition', () => {
    const values = exposed('container_used_bytes', ['namespace', 'pod', 'container', 'node']);
    for (const { namespace, pod, node, measured } of reports()) {
      for (const { container, usedBytes } of measured?.containers ?? []) {
        expect(usedBytes).toBe(values.get([namespace, pod, container, node].join(' ')));
      }
    }
  });

  it('tells why a pod of a node without data is not measured', () => {
    const lost = reports().find(({ node }) => node === 'node-2');
    expect(lost).toMatchObject({ isExpected: true });
    expect(lost?.unmeasuredReason).toMatch(/^no data of node node-2 \(http_status\): .*503/);
  });
});

describe('explain workload', () => {
  it('lists the pods that make it incomplete, and adds up to what is exposed', async () => {
    const report = workloadReport(reading, { name: 'shop/Deployment/checkout', settings: settingsOf('').workloads });
    expect(report).toMatchObject({ expectedPods: 2, measuredPods: 1, isComplete: false });
    expect(report?.pods).toMatchObject([
      { node: 'node-2', state: 'unmeasured', isMissing: true },
      { node: 'node-4', state: 'measured', usedBytes: report?.figures?.usedBytes },
    ]);
    const text = report && workloadText(report, 100).replace(/127\.0\.0\.1:\d+/, '127.0.0.1:10250');
    await expect(text).toMatchFileSnapshot('../golden/explain-workload-demo.txt');
  });
});

function printedSum(text: string, pattern: RegExp): number {
  return Array.from(text.matchAll(pattern), ([, digits]) => Number(digits)).reduce((a, b) => a + b, 0);
}

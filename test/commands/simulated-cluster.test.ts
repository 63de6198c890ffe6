// @module-tag sockets
import { beforeAll, describe, expect, it } from 'vitest';

import { topResources } from '../../src/commands/resources.js';
import { type Listing, pageText, topPage } from '../../src/commands/top/top-page.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import type { MeasuredPodExplanation, PodExplanation } from '../../src/people/query/pod-explanation.js';
import type { PodReport } from '../../src/people/report/pod-report.js';
import type { ListResource } from '../../src/serve/source/answer-source.js';
import { answersFrom } from '../../src/serve/source/document-answers.js';
import { findWorkload } from '../../src/serve/source/list-answers.js';
import type { ViewReader } from '../../src/serve/source/view-source.js';
import { type ParsedFamily, parseExposition } from '../support/exposition-parser.js';
import { anExposition, asking } from '../support/exposition-settings.js';
import { never } from '../support/signals.js';
import { readSimulated } from '../support/simulated-reading.js';
import { podsOf, viewsOf } from '../support/views.js';

const all = {
  namespace: undefined,
  isNamespaceNamed: false,
  selector: '',
  workload: undefined,
  order: undefined,
} as const;

async function listed(resource: ListResource, limit = Infinity): Promise<Listing> {
  const question = { ...all, resource, limit };
  return { question, answer: await answersFrom(views, undefined).list(question) };
}

let reading: ClusterReading;
let views: ViewReader;
let families: readonly ParsedFamily[];

beforeAll(async () => {
  reading = await readSimulated({ prepare: (cluster) => cluster.setFault('node-2', 'status:503') });
  views = await viewsOf(reading);
  const { chunks } = await anExposition().render(reading.snapshot, asking('text'), never);
  families = parseExposition(Buffer.concat(chunks), 'text');
});

/** `key label=value …` to the value. */
function exposed(family: string, labels: readonly string[]): ReadonlyMap<string, number> {
  const samples = families.find(({ name }) => name === `ephemeral_storage_${family}`)?.samples ?? [];
  return new Map(samples.map((sample) => [labels.map((label) => sample.labels[label]).join(' '), sample.value]));
}

type AnyRow = Readonly<Record<string, string | number | undefined>>;

async function reportsOf(resource: ListResource): Promise<readonly AnyRow[]> {
  return (await listed(resource)).answer.data as readonly AnyRow[];
}

async function shown(resource: ListResource, names: readonly string[], value: string) {
  const known = (await reportsOf(resource)).filter((row) => row[value] !== undefined);
  return new Map(known.map((row) => [names.map((name) => row[name]).join(' '), row[value]]));
}

describe('top and the exposition of the same moment', () => {
  const pod = ['namespace', 'pod', 'node'];
  it.each([
    { resource: 'pods', names: pod, value: 'usedBytes', family: 'pod_used_bytes' },
    { resource: 'pods', names: pod, value: 'limitBytes', family: 'pod_limit_bytes' },
    { resource: 'containers', names: [...pod, 'container'], value: 'usedBytes', family: 'container_used_bytes' },
    { resource: 'containers', names: [...pod, 'container'], value: 'logsBytes', family: 'container_logs_used_bytes' },
    {
      resource: 'volumes',
      names: [...pod, 'volume', 'type', 'medium'],
      value: 'usedBytes',
      family: 'volume_used_bytes',
    },
    { resource: 'nodes', names: ['node'], value: 'allocatableBytes', family: 'node_allocatable_bytes' },
  ] as const)('top has the $value of $resource that is exposed', async ({ resource, names, value, family }) => {
    const expected = exposed(family, names);
    expect(expected.size).toBeGreaterThan(0);
    expect(await shown(resource, names, value)).toEqual(expected);
  });

  it.each([
    ['usedBytes', 'workload_used_bytes'],
    ['expectedPodCount', 'workload_pods'],
  ])('top has the %s of workloads that is exposed', async (value, family) => {
    const expected = exposed(family, ['namespace', 'workload_type', 'workload']);
    expect(expected.size).toBeGreaterThan(0);
    expect(await shown('workloads', ['workloadNamespace', 'workloadType', 'workload'], value)).toEqual(expected);
  });

  it('top has the components of pods that are exposed', async () => {
    const rows = (await listed('pods')).answer.data as readonly PodReport[];
    const exposedBytes = exposed('pod_component_used_bytes', [...pod, 'component']);
    for (const row of rows) {
      const { namespace, pod, node, components } = { components: {}, ...row };
      const exposedOf = (component: string) => exposedBytes.get([namespace, pod, node, component].join(' ')) ?? 0;
      expect(Object.entries(components).filter(([component, bytes]) => bytes !== exposedOf(component))).toEqual([]);
    }
  });
});

describe('top of the demo cluster', () => {
  it.each(topResources)('the table of %s of the demo cluster is as it was', async (resource) => {
    const page = topPage(await listed(resource, 10), { columns: 120 });
    await expect(pageText(page)).toMatchFileSnapshot(`../golden/top-demo-${resource}.txt`);
  });

  it('the sums of nodes are those of their pods', async () => {
    const pods = await reportsOf('pods');
    for (const node of await reportsOf('nodes')) {
      const own = pods.filter((pod) => pod['node'] === node['node']).map((pod) => Number(pod['usedBytes'] ?? 0));
      expect(node['podsUsedBytes'] ?? 0).toBe(own.reduce((a, b) => a + b, 0));
    }
  });
});

describe('explain pod', () => {
  let reports: readonly PodExplanation[];
  let measuredReports: readonly MeasuredPodExplanation[];

  beforeAll(async () => {
    reports = (await Promise.all(Array.from(reading.knownPods, ({ pod }) => podsOf(reading, pod)))).flat();
    measuredReports = reports.flatMap((report) => (report.state === 'unmeasured' ? [] : [report]));
  });

  it('explain pod has the values of the exposition', () => {
    expect(measuredReports.length).toBeGreaterThan(10);
    const values = exposed('container_used_bytes', ['namespace', 'pod', 'container', 'node']);
    for (const { namespace, pod, node, containers } of measuredReports) {
      for (const { container, usedBytes } of containers) {
        expect(usedBytes).toBe(values.get([namespace, pod, container, node].join(' ')));
      }
    }
  });

  it('explain pod shows why a pod of a node without data is not measured', () => {
    const lost = reports.find(({ node }) => node === 'node-2');
    const reason: unknown = expect.stringMatching(/^no data from node node-2 \(http_status\): .*503/);
    expect(lost).toMatchObject({ isExpected: true, reason });
  });
});

it('explain workload lists the pods that make it incomplete, and adds up to what is exposed', async () => {
  const workload = await findWorkload(views, 'deployment/checkout', 'shop');
  const { workload: report, pods, missing } = (await views.object('workload', workload.path.split('/'), {})).data;
  expect(report).toMatchObject({ expectedPodCount: 2, measuredPodCount: 1, isComplete: false });
  const lost = { node: 'node-2', state: 'unmeasured', isExpected: true };
  const expected = [{ node: 'node-4', state: 'measured', usedBytes: report.usedBytes }, lost];
  expect([pods.items, missing.items]).toMatchObject([expected, [lost]]);
});

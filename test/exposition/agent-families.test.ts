import { expect, it } from 'vitest';

import type { AgentPod } from '../../src/facts/node/agent-pod.js';
import { agentParts } from '../../src/metrics/exposition/agent-families.js';
import type { ExpositionOptions } from '../../src/metrics/exposition/exposition.js';
import type { FamilyFilter } from '../../src/metrics/exposition/selection.js';
import { anAgentPod } from '../support/agent-pods.js';
import { parseExposition } from '../support/exposition-parser.js';
import { anExposition, asking, expositionSettings } from '../support/exposition-settings.js';
import { never } from '../support/signals.js';
import { aClusterSnapshot } from '../support/snapshot-builders.js';

interface Rendering {
  readonly settings?: Partial<ExpositionOptions['settings']>;
  readonly filter?: Partial<FamilyFilter>;
  readonly format?: 'text' | 'openmetrics';
}

const isOfAgent = /^ephemeral_storage_pod_(?:cgroup_|io_written_)/;

/** The lines of the agent's series without the common prefix and the pod's labels. */
async function linesOf(pods: readonly AgentPod[], { settings, filter, format = 'text' }: Rendering = {}) {
  const snapshot = aClusterSnapshot({ agent: { pods } });
  const { chunks } = await anExposition({ settings }).render(snapshot, asking(format, filter), never);
  const body = Buffer.concat(chunks);
  parseExposition(body, format); // throws where it is not valid
  return body
    .toString()
    .split('\n')
    .filter((line) => isOfAgent.test(line))
    .map((line) => line.replace('ephemeral_storage_', '').replace(/namespace="shop",pod="cart-0",node="node-1",?/, ''));
}

it('families of the agent show every value of a pod once, times in seconds', async () => {
  expect(await linesOf([anAgentPod()])).toEqual([
    'pod_io_written_bytes_total{} 201',
    'pod_cgroup_cpu_seconds_total{mode="user"} 3',
    'pod_cgroup_cpu_seconds_total{mode="system"} 2',
    'pod_cgroup_cpu_periods_total{} 40',
    'pod_cgroup_cpu_throttled_periods_total{} 4',
    'pod_cgroup_cpu_throttled_seconds_total{} 0.25',
    'pod_cgroup_memory_bytes{kind="current"} 101',
    'pod_cgroup_memory_bytes{kind="peak"} 109',
    'pod_cgroup_memory_bytes{kind="working_set"} 102',
    'pod_cgroup_memory_bytes{kind="anon"} 103',
    'pod_cgroup_memory_bytes{kind="file"} 104',
    'pod_cgroup_memory_limit_bytes{kind="high"} 105',
    'pod_cgroup_memory_limit_bytes{kind="max"} 106',
    'pod_cgroup_memory_faults_total{kind="all"} 107',
    'pod_cgroup_memory_faults_total{kind="major"} 108',
    'pod_cgroup_io_bytes_total{device="sda",operation="read"} 202',
    'pod_cgroup_io_bytes_total{device="sda",operation="write"} 203',
    'pod_cgroup_io_bytes_total{device="sda",operation="discard"} 204',
    'pod_cgroup_io_operations_total{device="sda",operation="read"} 205',
    'pod_cgroup_io_operations_total{device="sda",operation="write"} 206',
    'pod_cgroup_io_operations_total{device="sda",operation="discard"} 207',
    'pod_cgroup_pids{kind="current"} 301',
    'pod_cgroup_pids{kind="peak"} 303',
    'pod_cgroup_pids{kind="max"} 302',
    'pod_cgroup_pressure_seconds_total{resource="cpu",kind="some"} 1.5',
    'pod_cgroup_pressure_seconds_total{resource="cpu",kind="full"} 0.5',
    'pod_cgroup_pressure_seconds_total{resource="memory",kind="some"} 2.5',
    'pod_cgroup_pressure_seconds_total{resource="memory",kind="full"} 0.75',
    'pod_cgroup_pressure_seconds_total{resource="io",kind="some"} 3.5',
    'pod_cgroup_pressure_seconds_total{resource="io",kind="full"} 1.25',
  ]);
});

it('families of the agent have no series for what is unknown', async () => {
  const nothing = { cpu: undefined, memory: undefined, io: undefined, pids: undefined, pressure: undefined };
  expect(await linesOf([anAgentPod({ resources: nothing })])).toEqual([]);
  const io = { writtenBytes: undefined, devices: [{ device: '8:0', bytes: { read: 1 }, operations: {} }] };
  expect(await linesOf([anAgentPod({ resources: { ...nothing, io } })])).toEqual([
    'pod_cgroup_io_bytes_total{device="8:0",operation="read"} 1',
  ]);
});

it.each<[what: string, rendering: Rendering, count: number]>([
  ['the profile standard', { settings: { profile: 'standard' } }, 1],
  ['the profile minimal', { settings: { profile: 'minimal' } }, 0],
  ['a pattern to allow', { settings: { profile: 'minimal', allow: ['.*_cgroup_pids'] } }, 3],
  ['a request for another level', { filter: { levels: new Set(['node']) } }, 0],
  ['OpenMetrics', { format: 'openmetrics' }, 30],
])('families of the agent follow %s', async (_what, rendering, count) => {
  expect(await linesOf([anAgentPod()], rendering)).toHaveLength(count);
});

it('families of the agent count towards the cap on series, and the largest are dropped first', async () => {
  const pods = Array.from({ length: 250 }, (_, index) => anAgentPod({ name: `cart-${index}` }));
  const names = new Set(['pids', 'memory_bytes'].map((name) => `ephemeral_storage_pod_cgroup_${name}`));
  const lines = await linesOf(pods, { settings: { maxSeries: 900 }, filter: { names } });
  expect(lines).toHaveLength(750);
  expect(lines.every((line) => line.startsWith('pod_cgroup_pids{'))).toBe(true);
});

it.each<[what: string, settings: Partial<ExpositionOptions['settings']>, parts: readonly string[]]>([
  ['the profile minimal', { profile: 'minimal' }, []],
  ['the profile standard', { profile: 'standard' }, ['io']],
  ['the profile full', { profile: 'full' }, ['io', 'cpu', 'memory', 'pids', 'pressure']],
  ['one family', { allow: ['.*_memory_limit_bytes'] }, ['memory']],
  ['no level of pods', { levels: ['node', 'volume'] }, []],
])('the agent reads only what is shown: %s', (_what, settings, parts) => {
  expect([...agentParts(expositionSettings(settings))]).toEqual(parts);
});

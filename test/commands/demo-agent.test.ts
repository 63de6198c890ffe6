// @module-tag sockets

import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { UsageError, UserError } from '../../src/base/errors.js';
import { demo } from '../../src/commands/demo.js';
import type { SimulationFlags } from '../../src/commands/simulation-flags.js';
import { aCommandContext } from '../support/command-context.js';
import { duNeeded, hasDu } from '../support/du.js';
import { parseExposition } from '../support/exposition-parser.js';
import { send } from '../support/http-get.js';
import { printedCommands, run, startDemo } from '../support/running-demo.js';

type RunningDemo = Awaited<ReturnType<typeof startDemo>>;

/** Bytes of parts and owners. */
interface Sized {
  readonly bytes: number;
}

interface NodeAnswer {
  readonly disks: readonly {
    readonly capacityBytes: number;
    readonly parts: readonly (Sized & {
      readonly kind: string;
      readonly owners?: readonly (Sized & { readonly owner: string })[];
    })[];
  }[];
  readonly node: {
    readonly unattributed?: { readonly owners: readonly { readonly owner: string; readonly usedBytes: number }[] };
  };
}

interface DirectoriesAnswer {
  readonly state: string;
  readonly directories?: {
    readonly summaryBytes: number;
    readonly differenceBytes: number;
    readonly parts: readonly { readonly part: string; readonly foundBytes?: number; readonly summaryBytes: number }[];
    readonly largest: readonly { readonly path: string; readonly bytes: number }[];
  };
}

const portOf = (running: RunningDemo): number => Number(new URL(running.shown('exporter')).port);

/** Reads until the agent has measured it; du waits while the disk of this machine is busy. */
async function untilMeasured<Answer>(running: RunningDemo, file: string, isMeasured: (answer: Answer) => boolean) {
  for (;;) {
    const { status, text } = await send({ port: portOf(running), path: file });
    const answer = status === 200 ? (JSON.parse(text) as Answer) : undefined;
    if (answer !== undefined && isMeasured(answer)) return answer;
    await delay(20); // du is a process of its own
    await running.clock.advance(100);
  }
}

const isNodeMeasured = ({ node: { unattributed } }: NodeAnswer): boolean =>
  unattributed?.owners.some(({ owner }) => owner === 'other') === true;

async function exposed(running: RunningDemo): Promise<ReturnType<typeof parseExposition>> {
  return parseExposition((await send({ port: portOf(running), path: '/metrics' })).text, 'text');
}

const sumOfBytes = (sized: readonly Sized[] = []): number => sized.reduce((sum, { bytes }) => sum + bytes, 0);

describe.skipIf(!hasDu)(`the demo of the agent on the node; ${duNeeded}`, () => {
  let running: RunningDemo;
  let answer: NodeAnswer;
  beforeAll(async () => {
    running = await startDemo({}, { scenario: 'node-agent' });
    answer = await untilMeasured(running, '/api/v1/nodes/node-1', isNodeMeasured);
  }, 120_000);
  afterAll(() => running.stop());

  it('owners add up to the bytes that are neither pods nor images, and parts to the capacity, to the byte', () => {
    const [{ capacityBytes, parts } = { capacityBytes: 0, parts: [] }] = answer.disks;
    expect(sumOfBytes(parts)).toBe(capacityBytes);
    const { bytes, owners = [] } = parts.find(({ kind }) => kind === 'unattributed') ?? { bytes: 0 };
    expect(bytes).toBeGreaterThan(50_000_000);
    expect(sumOfBytes(owners)).toBe(bytes);
    const reported = answer.node.unattributed?.owners.map(({ owner, usedBytes }) => ({ owner, bytes: usedBytes }));
    expect(reported).toEqual(owners);
    expect(owners.filter((owner) => owner.bytes > 5_000_000).map(({ owner }) => owner)).toEqual([
      'image_copies',
      'orphaned_pods',
      'runtime_volumes',
      'logs',
      'orphaned_snapshots',
      'other',
    ]);
  });

  it('directories of the pod that is near its limit add up to its summary, to the byte', async () => {
    const [, , , , pod = ''] = printedCommands(running.out())[0] ?? [];
    const isMeasured = ({ state }: DirectoriesAnswer): boolean => state === 'measured';
    const file = `/api/v1/pods/ci/${pod}/directories`;
    const { directories } = await untilMeasured<DirectoriesAnswer>(running, file, isMeasured);
    expect(directories).toMatchObject({ differenceBytes: 0 });
    expect(directories?.parts.map(({ part, foundBytes }) => [part, foundBytes !== undefined])).toEqual([
      ['rootfs', true],
      ['logs', true],
      ['emptydir', true],
      ['other', false],
    ]);
    for (const { part, foundBytes, summaryBytes } of directories?.parts ?? []) {
      expect(foundBytes ?? summaryBytes, part).toBe(summaryBytes);
    }
    expect(directories?.largest.map((entry) => entry.path)).toContain('/root/.cache/pip/wheels.tar');
  });

  it('/metrics has the families of the agent, for each pod', async () => {
    const families = await exposed(running);
    const podsOf = (name: string) =>
      new Set(
        families
          .filter((family) => family.name === `ephemeral_storage_${name}`)
          .flatMap(({ samples }) => samples.map(({ labels }) => labels['pod'])),
      ).size;
    for (const name of ['pod_io_written_bytes_total', 'pod_cgroup_memory_bytes', 'pod_cgroup_pressure_seconds_total']) {
      expect(podsOf(name), name).toBe(5);
    }
    expect(podsOf('node_unattributed_owner_bytes')).toBe(1);
  });

  it('each command that it prints works as printed, and addresses for a browser answer', async () => {
    const commands = printedCommands(running.out());
    expect(commands.map(([command, resource]) => `${command ?? ''} ${resource ?? ''}`)).toEqual([
      'explain pod',
      'explain node',
      'top next',
    ]);
    for (const args of commands) {
      const { command, status, out, error } = await run(args, running);
      expect({ command, status }).toEqual({ command, status: 0 });
      expect(error, command).not.toMatch(/kubelets/); // the agent is asked
      expect(out, command).toContain('ci');
    }
    const [, url = ''] = /curl -s (\S+) \| grep node_unattributed_\n/.exec(running.out()) ?? [];
    expect(url).toBe(running.shown('metrics'));
    const addresses = [...running.out().matchAll(/^ {2}(http\S+)$/gm)].map(([, address = '']) => new URL(address));
    expect(addresses).toHaveLength(2);
    for (const { port, pathname } of addresses) {
      expect(await send({ port: Number(port), path: pathname })).toMatchObject({ status: 200 });
    }
  });
});

it.skipIf(!hasDu)(
  `the demo of the agent takes settings of the user, and removes its folder at the end; ${duNeeded}`,
  async () => {
    await using running = await startDemo({ assignments: ['metrics.profile=standard'] }, { scenario: 'node-agent' });
    await untilMeasured(running, '/api/v1/nodes/node-1', isNodeMeasured);
    const names = (await exposed(running)).map(({ name }) => name);
    expect(names).toContain('ephemeral_storage_pod_io_written_bytes_total');
    expect(names.filter((name) => name.includes('pod_cgroup'))).toEqual([]);
    const folder = running.shown('disk of the node').replace(', removed at the end', '');
    expect(existsSync(folder)).toBe(true);
    await running.stop();
    expect(existsSync(folder)).toBe(false);
  },
);

it.each([
  [{ nodes: '3' }, '--nodes'],
  [{ pods: '30' }, '--pods'],
])('the demo of the agent rejects the size of a cluster: %j', async (flags: Partial<SimulationFlags>, name) => {
  const { context } = aCommandContext({ environment: { PATH: process.env['PATH'] } });
  const simulation = { scenario: 'node-agent', seed: '1', ...flags } as const;
  const settings = { configFile: undefined, values: {} };
  const running = demo({ settings, simulation }, context);
  await expect(running).rejects.toThrow(UsageError);
  await expect(running).rejects.toThrow(`${name}: not allowed with --scenario node-agent, which has one node`);
});

it('the demo of the agent needs programs of Linux, and says so in one sentence', async () => {
  const { context, out } = aCommandContext({ environment: { PATH: '/nonexistent' } });
  const settings = { configFile: undefined, values: {} };
  const running = demo({ settings, simulation: { scenario: 'node-agent', seed: '1' } }, context);
  await expect(running).rejects.toThrow(UserError);
  await expect(running).rejects.toThrow(
    /^--scenario node-agent needs Linux with du and nice of GNU coreutils and ionice of util-linux in PATH$/,
  );
  expect(out()).toBe('');
});

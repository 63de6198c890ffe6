import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { projectPod } from '../../src/cluster/kube/projection.js';
import { type AgentPod, resourceParts } from '../../src/facts/node/agent-pod.js';
import { capturePath, capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { aNodeAgent } from '../support/node-agents.js';
import { temporaryFolder } from '../support/programs.js';
import { recordingLogger } from '../support/recording-logger.js';
import { aBoundPod, someNodeObjects } from '../support/snapshot-builders.js';

const recorded = capturePath('cgroups/v1-cgroupfs');

/** The number in a recorded file: of the line that begins with `key`, or its only one. */
function recordedNumber(file: string, key = ''): number {
  const text = readFileSync(path.join(recorded, file), 'utf8');
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(key))
      ?.slice(key.length),
  );
}

function recordedFolders(): ReadonlyMap<string, string> {
  const folders = readdirSync(path.join(recorded, 'memory'), { recursive: true, encoding: 'utf8' });
  return new Map(folders.flatMap((folder) => (/\/pod[^/]+$/.test(folder) ? [[uidIn(folder), folder] as const] : [])));
}

const uidIn = (folder: string): string => folder.slice(folder.lastIndexOf('/pod') + 4);

/** What the agent reads of the recorded tree, by the kubelet's UID. */
async function agentPods(): Promise<ReadonlyMap<string, AgentPod>> {
  await using host = await temporaryFolder();
  mkdirSync(path.join(host.path, 'sys/fs'), { recursive: true });
  symlinkSync(recorded, path.join(host.path, 'sys/fs/cgroup'));
  const { items } = JSON.parse(readRecording('live/kubelet_1_26_pods.json')) as { readonly items: readonly unknown[] };
  const pods = items.map((item) => projectPod(item, (text) => text));
  const agent = aNodeAgent({ cgroupFolder: path.join(host.path, 'sys/fs/cgroup'), logger: recordingLogger([]) });
  const bound = pods.map((pod) => aBoundPod({ pod }));
  const read = await agent.read([someNodeObjects({ pods: bound })], new Set(resourceParts));
  const uids = new Map(pods.map(({ name, kubeletUid }) => [name, kubeletUid]));
  return new Map(read.pods.map((pod) => [uids.get(pod.name) ?? '', pod]));
}

describe.skipIf(!hasCaptures)(`the recorded cgroups v1 of a live node (${capturesNeeded})`, () => {
  it('recorded cgroups are those of the pods that ran, the static one among them', async () => {
    const pods = await agentPods();
    expect([...pods.keys()].sort()).toEqual([...recordedFolders().keys()].sort());
    expect(pods.has('2af987a8f0d0a40fa563f2d90719d0ab')).toBe(true);
    expect(pods.size).toBeGreaterThan(3);
  });

  it('recorded cgroups have the values of the files of the kernel', async () => {
    const pods = await agentPods();
    for (const [uid, folder] of recordedFolders()) {
      const { cpu, memory, pids, pressure } = pods.get(uid)?.resources ?? {};
      const inStat = (key: string): number => recordedNumber(`memory/${folder}/memory.stat`, `${key} `);
      const currentBytes = recordedNumber(`memory/${folder}/memory.usage_in_bytes`);
      expect(cpu).toEqual({
        userUs: recordedNumber(`cpuacct/${folder}/cpuacct.stat`, 'user ') * 10_000,
        systemUs: recordedNumber(`cpuacct/${folder}/cpuacct.stat`, 'system ') * 10_000,
        periods: recordedNumber(`cpu/${folder}/cpu.stat`, 'nr_periods '),
        throttledPeriods: recordedNumber(`cpu/${folder}/cpu.stat`, 'nr_throttled '),
        throttledUs: recordedNumber(`cpu/${folder}/cpu.stat`, 'throttled_time ') / 1_000,
      });
      expect(memory).toEqual({
        currentBytes,
        peakBytes: recordedNumber(`memory/${folder}/memory.max_usage_in_bytes`),
        workingSetBytes: currentBytes - inStat('total_inactive_file'),
        anonBytes: inStat('total_rss'),
        fileBytes: inStat('total_cache'),
        highBytes: undefined,
        maxBytes: undefined,
        faults: inStat('total_pgfault'),
        majorFaults: inStat('total_pgmajfault'),
      });
      expect(pids).toEqual({
        current: recordedNumber(`pids/${folder}/pids.current`),
        peak: undefined,
        max: undefined,
      });
      expect(pressure).toBeUndefined();
    }
  });
});

import { describe, expect, it } from 'vitest';

import type { ClusterSnapshot } from '../../src/facts/scrape/snapshot.js';
import { Scheduler } from '../../src/lib/base/scheduler.js';
import { AgentSlot } from '../../src/serve/app/agent-slot.js';
import { anAgentPod } from '../support/agent-pods.js';
import { aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { settingsOf } from '../support/exporter.js';
import { ManualClock } from '../support/manual-clock.js';
import { recordingLogger } from '../support/recording-logger.js';
import { aBoundPod, aClusterSnapshot, aFreshNode, anAbsentNode, aNodeSnapshot } from '../support/snapshot-builders.js';

const enabled = 'cluster: {node: node-1}\nagent: {enabled: true}\n';

/** A slot with an agent that has this many pods, and fails while `fails` returns true. */
function slotWith({ fails = () => false }: { readonly fails?: () => boolean } = {}) {
  const log: string[] = [];
  const loaded: number[] = [];
  const reads: string[] = [];
  const signals: AbortSignal[] = [];
  const pods: string[] = [];
  const slot = new AgentSlot({
    scheduler: new Scheduler(new ManualClock()),
    logger: recordingLogger(log),
    clock: new ManualClock(),
    load: ({ sampleIntervalMs }, signal) => {
      loaded.push(sampleIntervalMs);
      signals.push(signal);
      return Promise.resolve({
        read: (nodes, parts) => {
          reads.push(`${nodes.map(({ nodeName }) => nodeName).join()} ${[...parts].join()}`);
          pods.push(...nodes.flatMap((node) => [...node.pods, ...node.formerPods].map(({ pod }) => pod.name)));
          return fails() ? Promise.reject(new Error('broken')) : Promise.resolve({ pods: [anAgentPod()] });
        },
      });
    },
  });
  const scrape = (snapshot = aClusterSnapshot()): Promise<ClusterSnapshot> => slot.addTo(snapshot);
  return { slot, scrape, loaded, reads, pods, signals, log };
}

describe('the place of the agent', () => {
  it('without settings for it, the agent is not loaded and adds nothing', async () => {
    const { slot, scrape, loaded } = slotWith();
    slot.configure(settingsOf(''));
    expect(await scrape()).not.toHaveProperty('agent');
    expect(loaded).toEqual([]);
  });

  it('the agent adds to a snapshot what it reads of the nodes, as far as the settings show it', async () => {
    const { slot, scrape, reads } = slotWith();
    slot.configure(settingsOf(enabled));
    expect((await scrape()).agent?.pods).toEqual([anAgentPod()]);
    slot.configure(settingsOf(`${enabled}metrics: {profile: full}`));
    await scrape();
    expect(reads).toEqual(['node-1 io', 'node-1 io,cpu,memory,pids,pressure']);
  });

  it('a pod whose author writes the UID of another one into an annotation has none of its values', async () => {
    const { slot, scrape, pods } = slotWith();
    slot.configure(settingsOf(enabled));
    const named = (name: string, kubeletUid: string) =>
      aBoundPod({ pod: aPod({ name, kubeletUid, uid: `uid-${name}` }) });
    const objects = {
      ...aFreshNode().objects,
      pods: [named('app', 'uid-app'), named('static', 'hash'), named('thief', 'hash'), named('thief-2', 'uid-app')],
      formerPods: [named('thief-3', 'hash')],
    };
    const summary = aNodeSummary({
      pods: [aPodSummary({ name: 'app', uid: 'uid-app' }), aPodSummary({ name: 'static', uid: 'hash' })],
    });
    await scrape(aClusterSnapshot({ nodes: [{ ...aFreshNode(aNodeSnapshot({ summary })), objects }] }));
    await scrape(aClusterSnapshot({ nodes: [{ ...anAbsentNode('node-1', 'timeout'), objects }] }));
    expect(pods).toEqual(['app', 'static', 'app']);
  });

  it('the agent stays over settings of other parts, and is replaced for new ones of its own', async () => {
    const { slot, scrape, loaded } = slotWith();
    for (const settings of [enabled, `${enabled}log: {level: debug}`]) slot.configure(settingsOf(settings));
    expect(loaded).toEqual([0]);
    slot.configure(settingsOf('cluster: {node: node-1}\nagent: {enabled: true, sampleInterval: 1s}'));
    expect(loaded).toEqual([0, 1_000]);
    slot.configure(settingsOf(''));
    expect(await scrape()).not.toHaveProperty('agent');
  });

  it('what an agent does in the background ends when another replaces it, and with the exporter', () => {
    const { slot, signals } = slotWith();
    slot.configure(settingsOf(enabled));
    slot.configure(settingsOf(`${enabled}log: {level: debug}`));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    slot.configure(settingsOf('cluster: {node: node-1}\nagent: {enabled: true, sampleInterval: 1s}'));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    slot[Symbol.dispose]();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('a failure of the agent is logged once, and the rest is served', async () => {
    let isBroken = true;
    const { slot, scrape, log } = slotWith({ fails: () => isBroken });
    slot.configure(settingsOf(enabled));
    expect(await scrape()).toEqual(aClusterSnapshot());
    await scrape();
    isBroken = false;
    expect(await scrape()).toHaveProperty('agent');
    expect(log.filter((line) => !line.startsWith('debug'))).toEqual([
      'warn: the agent on the node failed {"attempt":1,"error":"broken"}',
      'info: the agent on the node reads again after 2 failed attempts {}',
    ]);
  });
});

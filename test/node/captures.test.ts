import { describe, expect, it } from 'vitest';

import { createInterner } from '../../src/cluster/kube/dedupe.js';
import type { Pod } from '../../src/cluster/kube/objects.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';
import { attributePod } from '../../src/facts/node/attribute.js';
import { joinPods } from '../../src/facts/node/join.js';
import { components, type PodUsage } from '../../src/facts/node/usage.js';
import { type Capture, capturesNeeded, hasCaptures, readCaptures } from '../support/captures.js';
import { sumOf } from '../support/figures.js';

/** The kubelet's own file for /etc/hosts takes one block. */
const blockBytes = 4096;

/** The pod in the summary's raw JSON, read without the code under test. */
interface RawPod {
  readonly podRef: { readonly namespace: string; readonly name: string };
  readonly containers?: readonly { readonly name: string; readonly rootfs?: RawFs; readonly logs?: RawFs }[] | null;
  readonly volume?: readonly (RawFs & { readonly name: string })[];
  readonly 'ephemeral-storage'?: RawFs;
}

interface RawFs {
  readonly usedBytes?: number;
}

interface RawObject {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly volumes?: readonly {
      readonly name: string;
      readonly emptyDir?: { readonly medium?: string };
      readonly configMap?: object;
      readonly gitRepo?: object;
    }[];
  };
}

/** What this project makes of a pod, next to its recorded data. */
interface Measured {
  readonly raw: RawPod;
  readonly rawObject: RawObject | undefined;
  readonly pod: Pod | undefined;
  readonly usage: PodUsage | undefined;
}

function measure({ summary: body, pods }: Capture): Measured[] {
  const summary = decodeSummary(body, 'capture');
  const intern = createInterner(2 ** 20);
  const objects = pods.map((object) => projectPod(object, intern));
  const joined = joinPods({
    nodeName: summary.nodeName,
    summary,
    findPod: (namespace, name) => objects.find((pod) => pod.namespace === namespace && pod.name === name),
    isDeleted: () => false,
    scope: { namespaces: [], hasPodSelector: false },
  });
  const rawPods = (JSON.parse(body) as { readonly pods: readonly RawPod[] }).pods;
  expect(joined.pods.size).toBe(rawPods.length);
  return Array.from(joined.pods, ([podSummary, pod], position) => {
    const raw = rawPods[position];
    if (raw === undefined) throw new Error('a pod without its JSON');
    const rawObject = (pods as readonly RawObject[]).find(
      ({ metadata }) => metadata.namespace === raw.podRef.namespace && metadata.name === raw.podRef.name,
    );
    return { raw, rawObject, pod, usage: attributePod({ summary: podSummary, pod, mode: 'measured' }) };
  });
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const rawContainers = ({ containers }: RawPod) => (containers ?? []).filter(({ rootfs }) => rootfs !== undefined);

const rawOwnBytes = (raw: RawPod, part: 'rootfs' | 'logs'): number =>
  sum(rawContainers(raw).map((container) => container[part]?.usedBytes ?? 0));

const rawVolumes = ({ volume }: RawPod, isWanted: (name: string) => boolean): number[] =>
  (volume ?? []).filter(({ name }) => isWanted(name)).map(({ usedBytes }) => usedBytes ?? 0);

function subsetSums(values: readonly number[]): Set<number> {
  return values.reduce((sums, value) => new Set([...sums, ...[...sums].map((total) => total + value)]), new Set([0]));
}

const captures = readCaptures();

describe.skipIf(!hasCaptures)(`recorded summaries (${capturesNeeded})`, () => {
  it('recorded summaries are there in many versions', () => {
    expect(captures.length).toBeGreaterThanOrEqual(18);
    expect(captures.filter(({ pods }) => pods.length > 0)).toHaveLength(5);
  });

  describe.each(captures)('$name', (capture) => {
    it('every pod has the kubelet’s total, or none where the kubelet has none', () => {
      for (const { raw, usage } of measure(capture)) {
        expect(usage?.usedBytes).toBe(raw['ephemeral-storage']?.usedBytes);
      }
    });

    it('the usage of a pod adds up to the byte, by component and by container', () => {
      for (const { raw, usage } of measure(capture)) {
        if (usage?.usedBytes === undefined) continue;
        expect(sumOf(components.map((component) => usage.components[component]))).toBe(usage.usedBytes);
        expect(usage.components.rootfs).toBe(rawOwnBytes(raw, 'rootfs'));
        expect(usage.components.logs).toBe(rawOwnBytes(raw, 'logs'));
        expect(usage.containers.map(({ name }) => name)).toEqual(raw.containers?.map(({ name }) => name) ?? []);
        expect(sumOf(usage.containers.map(({ usedBytes }) => usedBytes))).toBe(usage.usedBytes);
      }
    });

    it('nothing but volumes and one block is outside of the containers', () => {
      for (const { raw, usage } of measure(capture)) {
        if (usage?.usedBytes === undefined) continue;
        const { rootfs = 0, logs = 0 } = usage.components;
        const outsideBytes = usage.usedBytes - rootfs - logs;
        const volumes = subsetSums(rawVolumes(raw, () => true));
        expect(volumes.has(outsideBytes) || volumes.has(outsideBytes - blockBytes)).toBe(true);
      }
    });
  });

  describe.each(captures.filter(({ pods }) => pods.length > 0))('$name with its pods', (capture) => {
    it('every pod of the summary is known', () => {
      for (const { pod, rawObject } of measure(capture)) {
        expect(rawObject).toBeDefined();
        expect(pod).toMatchObject({ name: rawObject?.metadata.name });
      }
    });

    it('the rest of a pod is nothing or one block', () => {
      for (const { usage } of measure(capture)) expect([0, blockBytes]).toContain(usage?.components.other);
    });

    it('the emptyDirs on disk and the configMaps of the specs are counted', () => {
      for (const { raw, rawObject, usage } of measure(capture)) {
        const specs = rawObject?.spec.volumes ?? [];
        const bytesOf = (names: readonly string[]): number => sum(rawVolumes(raw, (name) => names.includes(name)));
        const configMaps = specs.filter(({ configMap }) => configMap !== undefined);
        const emptyDirs = specs.filter(({ emptyDir }) => emptyDir !== undefined && !emptyDir.medium);
        expect(usage?.components).toMatchObject({
          emptydir: bytesOf(emptyDirs.map(({ name }) => name)),
          configmap: bytesOf(configMaps.map(({ name }) => name)),
        });
      }
    });

    it('the type of every volume is known, and no volumes are pending', () => {
      for (const { raw, usage } of measure(capture)) {
        expect(usage?.volumes.map(({ name }) => name)).toEqual(raw.volume?.map(({ name }) => name) ?? []);
        expect(usage?.volumes.map(({ type }) => type)).not.toContain('unknown');
        expect(usage?.volumesPending).toBe(false);
      }
    });
  });
});

import { setImmediate as nextTurn } from 'node:timers/promises';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createDedupe, createInterner } from '../../src/cluster/kube/dedupe.js';
import { projectPod } from '../../src/cluster/kube/projection.js';
import { heldBytes, isLetGo, retainedBytes } from '../support/heap.js';
import { atNight } from '../support/nightly.js';

describe('createDedupe', () => {
  it('keeps nothing that others do not keep, and finds equal values as before', async () => {
    const dedupe = createDedupe();
    const kept = dedupe({ n: 0 });
    const gone = new WeakRef(dedupe({ n: 1 }));
    expect(await isLetGo(gone)).toBe(true);
    expect(dedupe({ n: 0 })).toBe(kept);
    const again = dedupe({ n: 1 });
    expect(dedupe({ n: 1 })).toBe(again);
  });

  it('takes less than four megabytes after 100,000 values that are gone', async () => {
    const [dedupe, batchCount] = [createDedupe(), atNight(10_000, 50_000)];
    const useMany = async (first: number): Promise<void> => {
      for (let n = first; n < first + 100_000; n += 1) {
        dedupe({ n });
        if ((n + 1) % batchCount !== 0) continue;
        await nextTurn(); // until then, V8 keeps what a WeakRef refers to
        heldBytes(); // collects what is gone
      }
    };
    await useMany(0);
    const beforeBytes = heldBytes();
    await useMany(100_000);
    expect(heldBytes() - beforeBytes).toBeLessThan(4 * 2 ** 20);
    expect(dedupe({ n: 1 })).toEqual({ n: 1 });
  });

  it('finds all of 5,000 sets of labels and containers in 150,000 pods, in whatever order they come', () => {
    const [intern, dedupe] = [createInterner(8 * 2 ** 20), createDedupe()];
    const podCount = 150_000;
    const kept = Array.from({ length: podCount }, (_, index) => {
      const app = `app-${(index * 7_919) % 5_000}`;
      return [
        dedupe({ app: intern(app), 'app.kubernetes.io/name': intern(app) }),
        dedupe([{ name: 'main', mounts: [intern(`/${app}`)] }]),
      ] as const;
    });
    expect(new Set(kept.map(([labels]) => labels)).size).toBe(5_000);
    expect(new Set(kept.map(([, containers]) => containers)).size).toBe(5_000);
  });

  it.each([
    ['a hash of their texts', undefined],
    ['one hash for all', () => 0],
    ['few hashes', (text: string) => text.length % 3],
  ])('returns what it was given, with %s', (_case, hash) => {
    const value = fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom('x', 'y', undefined)),
      fc.array(fc.record({ name: fc.constantFrom('x', 'y'), bytes: fc.constantFrom(1, undefined) })),
    );
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const dedupe = createDedupe(hash);
        for (const given of values) expect(dedupe(structuredClone(given))).toStrictEqual(structuredClone(given));
      }),
    );
  });
});

describe('projected pods', () => {
  const pod = (name: string) => ({
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      labels: { app: 'cart' },
      ownerReferences: [{ kind: 'ReplicaSet', name: 'cart-5d', controller: true }],
    },
    spec: { containers: [{ name: 'app' }], volumes: [{ name: 'cache', emptyDir: {} }] },
  });

  it('projected pods share what they have alike, with the same values as without sharing', () => {
    const dedupe = createDedupe();
    const keep = (text: string): string => text;
    const [first, second] = [projectPod(pod('a'), keep, dedupe), projectPod(pod('b'), keep, dedupe)];
    for (const part of ['labels', 'containers', 'volumes', 'controller'] as const) {
      expect(second[part]).toBe(first[part]);
    }
    expect(second).toEqual(projectPod(pod('b'), keep));
  });

  it('projected pods are never mixed up, whatever they have alike', () => {
    const name = fc.constantFrom('a', 'b', 'kube-api-access-a');
    const labels = fc.dictionary(fc.constantFrom('app', 'tier', '__proto__'), fc.constantFrom('x', 'y', ''));
    const quantity = fc.constantFrom('1Gi', '512Mi', '0');
    const volume = fc.oneof(
      fc.record({ name, emptyDir: fc.record({ sizeLimit: quantity }, { requiredKeys: [] }) }),
      fc.record({ name, projected: fc.constant({}) }),
      fc.record({ name, configMap: fc.constant({}) }),
    );
    const container = fc.record({
      name,
      resources: fc.record({ limits: fc.record({ 'ephemeral-storage': quantity }) }, { requiredKeys: [] }),
      volumeMounts: fc.array(fc.record({ name, mountPath: fc.constantFrom('/x', '/y') }), { maxLength: 2 }),
    });
    const anyPod = fc.record({
      metadata: fc.record({
        ...{ name, namespace: name, uid: fc.uuid(), resourceVersion: fc.constant('1'), labels },
        ownerReferences: fc.array(fc.record({ kind: name, name, controller: fc.boolean() }), { maxLength: 2 }),
      }),
      spec: fc.record({
        nodeName: name,
        containers: fc.array(container, { maxLength: 3 }),
        volumes: fc.array(volume, { maxLength: 3 }),
      }),
      status: fc.record({
        phase: fc.constantFrom('Running', 'Pending'),
        containerStatuses: fc.array(
          fc.record({
            name,
            restartCount: fc.nat(2),
            state: fc.constant({ running: { startedAt: '2026-01-01T00:00:00Z' } }),
          }),
          { maxLength: 2 },
        ),
      }),
    });
    const keep = (text: string): string => text;
    fc.assert(
      fc.property(fc.array(anyPod, { maxLength: 20 }), fc.integer({ min: 1, max: 4_000 }), (pods, maxBytes) => {
        const [intern, dedupe] = [createInterner(maxBytes), createDedupe((text) => text.length % 7)];
        const shared = pods.map((one) => projectPod(one, intern, dedupe));
        expect(shared).toStrictEqual(pods.map((one) => projectPod(one, keep)));
      }),
    );
  });

  it('projected pods share their volumes but for the one that is named at random', () => {
    const dedupe = createDedupe();
    const [first, second] = ['x7k2p', 'b8l3q'].map((suffix) => {
      const volumes = [
        { name: 'cache', emptyDir: {} },
        { name: `kube-api-access-${suffix}`, projected: {} },
      ];
      return projectPod({ ...pod(suffix), spec: { volumes } }, (text) => text, dedupe).volumes;
    });
    expect(second?.[0]).toBe(first?.[0]);
    expect(second?.[1]?.name).toBe('kube-api-access-b8l3q');
  });
});

const mebibyte = 2 ** 20;

/** A new string object each time, as a JSON parser makes them. */
const texts = (count: number, textOf: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => JSON.parse(JSON.stringify(textOf(index))) as string);

describe('createInterner', () => {
  it('gives the text that it was asked for, whatever came before', () => {
    const intern = createInterner(300);
    const asked = ['a', 'b', 'c', 'a', '', '__proto__', 'constructor', 'c', 'b', 'x'.repeat(1_000), 'a'];
    expect(asked.map(intern)).toEqual(asked);
  });

  it.each([
    ['short', (index: number) => `${index}`],
    ['as long as a name', (index: number) => `${index}-`.padEnd(253, 'x')],
    ['of two bytes for a character', (index: number) => `${index}-`.padEnd(253, '\u4e00')],
    ['longer than a name', (index: number) => `/${index}`.padEnd(4_000, 'x')],
  ])('keeps no more than its bound of texts that are %s', (_case, textOf) => {
    const bytes = retainedBytes(() => {
      const intern = createInterner(2 * mebibyte);
      texts(40_000, textOf).forEach(intern);
      return intern;
    });
    expect(bytes).toBeLessThan(2 * mebibyte);
  });

  it('keeps those that are asked for again while others come', () => {
    const intern = createInterner(mebibyte);
    const text = 'same'.padEnd(253, '.');
    const bytes = retainedBytes(() => {
      return texts(20_000, () => text).map((one, index) => {
        intern(`other ${index}`);
        return intern(one);
      });
    });
    expect(bytes).toBeLessThan(2 * mebibyte);
  });
});

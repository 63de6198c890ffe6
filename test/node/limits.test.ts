import { describe, expect, it } from 'vitest';

import type { ContainerKind } from '../../src/cluster/kube/objects.js';
import { exemptionOf, isActive, podLimitBytes, podRequestBytes } from '../../src/facts/node/limits.js';
import { aContainer, aPod } from '../support/builders.js';

type Declared = readonly [ContainerKind, number | undefined];

const declared =
  (kind: ContainerKind) =>
  (bytes?: number): Declared => [kind, bytes];
const [app, init, sidecar, ephemeral] = [declared('app'), declared('init'), declared('sidecar'), declared('ephemeral')];

const cases: readonly (readonly [string, readonly Declared[], number | undefined])[] = [
  ['no container', [], undefined],
  ['no container that declares one', [init(), app()], undefined],
  ['one app container', [app(10)], 10],
  ['the app containers that declare one', [app(10), app(), app(5)], 15],
  ['a declared zero', [app(0)], 0],
  ['app and sidecar containers together', [sidecar(3), app(10)], 13],
  ['a small init container', [init(4), app(10)], 10],
  ['a large init container', [init(40), app(10)], 40],
  ['the largest of several init containers', [init(40), init(50), app(10)], 50],
  ['an init container and the sidecars before it', [sidecar(3), sidecar(2), init(40), app(10)], 45],
  ['an init container without the sidecars after it', [init(40), sidecar(3), app(10)], 40],
  ['sidecars on both sides of an init container', [sidecar(3), init(9), sidecar(5), app(10)], 18],
  ['an init container that alone declares one', [init(7), app()], 7],
  ['a sidecar that alone declares one', [sidecar(7), init(), app()], 7],
  ['an ephemeral container, which counts for nothing', [app(10), ephemeral(99)], 10],
  ['an ephemeral container that alone declares one', [app(), ephemeral(99)], undefined],
];

const podWith = (containers: readonly Declared[], field: 'limitBytes' | 'requestBytes', overheadBytes = 0) =>
  aPod({
    overheadBytes,
    containers: containers.map(([kind, bytes], position) => aContainer({ name: `c${position}`, kind, [field]: bytes })),
  });

describe.each([
  ['podLimitBytes', podLimitBytes, 'limitBytes', 'requestBytes'],
  ['podRequestBytes', podRequestBytes, 'requestBytes', 'limitBytes'],
] as const)('%s', (_, aggregate, field, otherField) => {
  it.each(cases)('the sum of a pod is that of %s', (_name, containers, expected) => {
    expect(aggregate(podWith(containers, field))).toBe(expected);
    expect(aggregate(podWith(containers, otherField))).toBeUndefined();
  });

  it('the overhead is added to what the containers declare', () => {
    expect(aggregate(podWith([init(40), app(10)], field, 5))).toBe(45);
  });
});

it('overhead alone makes no limit: the kubelet adds it to one above zero', () => {
  expect(podLimitBytes(podWith([app()], 'limitBytes', 5))).toBeUndefined();
  expect(podLimitBytes(podWith([app(0)], 'limitBytes', 5))).toBe(0);
});

it('overhead alone is a request: the scheduler reserves it', () => {
  expect(podRequestBytes(podWith([app()], 'requestBytes', 5))).toBe(5);
});

it.each([
  [{ isStatic: true }, 'static'],
  [{ priority: 2_000_000_000 }, 'critical'],
  [{ priority: 2_000_001_000, isStatic: true }, 'static'],
  [{ priority: 1_999_999_999 }, undefined],
  [{ priorityClass: 'system-node-critical', priority: 0 }, undefined],
  [{}, undefined],
])('a pod with %j is exempt as %s', (pod, exemption) => {
  expect(exemptionOf(aPod(pod))).toBe(exemption);
});

it.each([
  ['Running', true],
  ['Pending', true],
  ['Failed', false],
  ['Succeeded', false],
])('a pod in phase %s is looked at: %s', (phase, expected) => {
  expect(isActive(aPod({ phase }))).toBe(expected);
});

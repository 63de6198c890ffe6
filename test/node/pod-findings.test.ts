import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import type { Amount } from '../../src/cluster/kube/quantity.js';
import { type PodFinding, podFindings, type PodFindingsInput } from '../../src/facts/node/pod-findings.js';
import { aContainer, aContainerSummary, aMount, aNode, aPod, aPodSummary, aVolume } from '../support/builders.js';

/** Of any size: the amounts of these tests are few bytes. */
function findingsOf(pod: Partial<Pod>, overrides: Partial<PodFindingsInput> = {}): readonly PodFinding[] {
  return allFindingsOf(pod, overrides).filter(({ kind }) => kind !== 'amount_below_1ki');
}

/** On a node without pressure whose kubelet is 1.37. */
function allFindingsOf(pod: Partial<Pod>, overrides: Partial<PodFindingsInput> = {}): readonly PodFinding[] {
  return podFindings({
    pod: aPod(pod),
    summary: undefined,
    node: aNode(),
    isNearPressure: false,
    logRotation: undefined,
    unenforced: undefined,
    ...overrides,
  });
}

const bounded = aContainer({ limitBytes: 10, requestBytes: 5 });
const unbounded = aContainer({ name: 'proxy' });
const zeroRequest = { containers: [bounded], hasPodLevelResources: true };
const mounted = aContainer({ limitBytes: 10, requestBytes: 5, mounts: [aMount('data')] });
const disk = aVolume({ sizeLimitBytes: 11 });

const near = { isNearPressure: true };

it.each<[string, Partial<Pod>, { hasLimit: boolean; hasRequest: boolean } | undefined]>([
  ['has neither a limit nor a request', { containers: [unbounded] }, { hasLimit: false, hasRequest: false }],
  ['has no limit', { containers: [aContainer({ requestBytes: 5 })] }, { hasLimit: false, hasRequest: true }],
  [
    'requests 0',
    { containers: [aContainer({ limitBytes: 10, requestBytes: 0 })] },
    { hasLimit: true, hasRequest: false },
  ],
  [
    'has overhead alone, which is no request to the kubelet',
    { containers: [unbounded], overheadBytes: 5 },
    { hasLimit: false, hasRequest: false },
  ],
  ['has both', { containers: [bounded] }, undefined],
  ['is static', { containers: [unbounded], isStatic: true }, undefined],
  ['is critical', { containers: [unbounded], priority: 2_000_000_000 }, undefined],
  ['has failed', { containers: [unbounded], phase: 'Failed' }, undefined],
])('a missing limit or request is found, or not, of a pod that %s', (_case, pod, expected) => {
  expect(findingsOf(pod, near)).toEqual(expected === undefined ? [] : [{ kind: 'no_limit_or_request', ...expected }]);
});

describe('podFindings: units', () => {
  const half = { roundedUp: 1, nanosBelow: 500_000_000 };
  const ofMain = (limitBytes?: Amount, requestBytes?: Amount) => ({
    containers: [aContainer({ name: 'main', limitBytes, requestBytes })],
  });
  const tiny = (field: 'limit' | 'request', amount: Amount) => ({
    ...{ kind: 'amount_below_1ki', field, container: 'main', amount },
  });

  it.each<[string, Partial<Pod>, readonly object[]]>([
    ['of half a byte', ofMain(half, half), [tiny('limit', half)]],
    ['of 1,023 bytes', ofMain(1023), [tiny('limit', 1023)]],
    ['of 1Ki', ofMain(1024, 1024), []],
    ['of 0, which is meant', ofMain(0, 0), []],
    ['that are a request alone', ofMain(2048, half), [tiny('request', half)]],
    ['of a fraction of a byte more than 1Ki', ofMain({ roundedUp: 1025, nanosBelow: 1 }), []],
    ['of a static pod', { ...ofMain(half), isStatic: true }, []],
  ])('amounts are found to have an unlikely unit, or not: those %s', (_case, pod, expected) => {
    expect(allFindingsOf(pod)).toEqual(expected);
  });

  it('a sizeLimit has an unlikely unit, also where the kubelet enforces no limits', () => {
    const volumes = [aVolume({ name: 'data', sizeLimitBytes: half })];
    const containers = [aContainer({ mounts: [aMount('data')] })];
    const found = allFindingsOf({ volumes, containers }, { node: aNode({ enforcesStorageLimits: false }) });
    expect(found).toEqual([{ kind: 'amount_below_1ki', field: 'sizeLimit', volume: 'data', amount: half }]);
  });
});

it.each<[string, Partial<Pod>, string | undefined, boolean]>([
  ['counts as 0 beside pod-level resources', zeroRequest, 'v1.34.0', true],
  ['counts before 1.34', zeroRequest, 'v1.33.9', false],
  ['is taken to count as 0 by a kubelet of unknown version', zeroRequest, undefined, true],
  ['counts without pod-level resources', { containers: [bounded] }, 'v1.37.1', false],
  ['that is not declared is not reported', { containers: [unbounded], hasPodLevelResources: true }, 'v1.37.1', false],
  ['of a critical pod is not reported', { ...zeroRequest, priority: 2_000_000_000 }, 'v1.37.1', false],
])('a request %s', (_case, pod, kubeletVersion, isFound) => {
  const found = findingsOf(pod, { node: aNode({ kubeletVersion }) });
  expect(found).toEqual(isFound ? [{ kind: 'request_counts_as_zero', requestBytes: 5 }] : []);
});

const lone = (container: string, limitBytes: number, ...others: readonly string[]) => [
  { kind: 'limit_of_one_container', container, limitBytes, others },
];

it.each<[string, Partial<Pod>, readonly object[]]>([
  ['of one of two app containers', { containers: [bounded, unbounded] }, lone('main', 10, 'proxy')],
  [
    'of an app container beside a sidecar and another one',
    { containers: [aContainer({ name: 'mesh', kind: 'sidecar' }), bounded, unbounded], overheadBytes: 1 },
    lone('main', 11, 'mesh', 'proxy'),
  ],
  [
    'of an init container alone',
    { containers: [aContainer({ name: 'setup', kind: 'init', limitBytes: 3 }), unbounded] },
    lone('setup', 3, 'proxy'),
  ],
  ['of 0', { containers: [aContainer({ limitBytes: 0 }), unbounded] }, lone('main', 0, 'proxy')],
  ['of its only container', { containers: [bounded] }, []],
  ['shared with an init container only', { containers: [aContainer({ name: 'setup', kind: 'init' }), bounded] }, []],
  ['shared with an ephemeral container only', { containers: [bounded, { ...unbounded, kind: 'ephemeral' }] }, []],
  ['of two containers', { containers: [bounded, { ...bounded, name: 'b' }, unbounded] }, []],
  ['that does not exist', { containers: [unbounded, aContainer()] }, []],
])('a limit is found to be of one container alone, or not: one %s', (_case, pod, expected) => {
  expect(findingsOf(pod)).toEqual(expected);
});

describe('podFindings: size limits', () => {
  const found = (sizeLimitBytes: number, podLimitBytes = 10) => [
    { kind: 'size_limit_above_pod_limit', volume: 'data', sizeLimitBytes, podLimitBytes },
  ];

  it.each<[string, Partial<Pod>, readonly object[]]>([
    ['above the limit of the pod', { containers: [mounted], volumes: [disk] }, found(11)],
    ['equal to it', { containers: [mounted], volumes: [aVolume({ sizeLimitBytes: 10 })] }, []],
    [
      'above it by a fraction of a byte',
      { containers: [mounted], volumes: [aVolume({ sizeLimitBytes: { roundedUp: 11, nanosBelow: 500_000_000 } })] },
      found(11),
    ],
    ['in memory', { containers: [mounted], volumes: [aVolume({ sizeLimitBytes: 11, medium: 'Memory' })] }, []],
    ['of a pod without a limit', { containers: [aContainer({ mounts: [aMount('data')] })], volumes: [disk] }, []],
    ['below the limit with the overhead', { containers: [mounted], volumes: [disk], overheadBytes: 2 }, []],
    ['of a static pod', { containers: [mounted], volumes: [disk], isStatic: true }, []],
  ])('a size limit is found to be above that of the pod, or not: one %s', (_case, pod, expected) => {
    expect(findingsOf(pod)).toEqual(expected);
  });

  it('no limits are judged where the kubelet enforces none', () => {
    const pod = { containers: [mounted, unbounded], volumes: [disk] };
    expect(findingsOf(pod).map(({ kind }) => kind)).toEqual(['limit_of_one_container', 'size_limit_above_pod_limit']);
    expect(findingsOf(pod, { node: aNode({ enforcesStorageLimits: false }) })).toEqual([]);
  });
});

describe('podFindings: logs', () => {
  const rotation = { maxFileBytes: 10, maxFileCount: 5 };
  const summary = aPodSummary({
    containers: [
      aContainerSummary({ name: 'main', logsBytes: 101 }),
      aContainerSummary({ name: 'proxy', logsBytes: 100 }),
      aContainerSummary({ name: 'setup' }),
    ],
  });
  const found = [{ kind: 'logs_above_rotation', container: 'main', usedBytes: 101, rotation }];

  it('logs above what rotation keeps of two runs are found, of static pods too', () => {
    expect(findingsOf({}, { summary, logRotation: rotation })).toEqual(found);
    expect(findingsOf({ isStatic: true }, { summary, logRotation: rotation })).toEqual(found);
  });
});

it.each<[string, Partial<Pod>, readonly string[]]>([
  ['that no container mounts', { volumes: [aVolume()] }, ['emptydir data']],
  ['of type configMap that no container mounts', { volumes: [aVolume({ type: 'configmap' })] }, ['configmap data']],
  ['with a size limit, once', { volumes: [disk], containers: [bounded] }, ['emptydir data']],
  ['that an init container mounts', { volumes: [aVolume()], containers: [{ ...mounted, kind: 'init' }] }, []],
  ['that does not count towards the limit', { volumes: [aVolume({ type: 'secret' })] }, []],
  ['in memory', { volumes: [aVolume({ medium: 'Memory' })] }, []],
  ['in memory with a size limit', { volumes: [aVolume({ medium: 'Memory', sizeLimitBytes: 1 })] }, ['emptydir data']],
  ['of several, with their number', { volumes: [aVolume(), aVolume({ name: 'b' })] }, ['emptydir data 2']],
])('a volume that no container mounts is found, or not: one %s', (_case, pod, expected) => {
  const names = findingsOf(pod).map((found) =>
    found.kind === 'volume_not_mounted'
      ? `${found.type} ${found.volume ?? ''}${found.count === 1 ? '' : ` ${found.count}`}`
      : found.kind,
  );
  expect(names).toEqual(expected);
});

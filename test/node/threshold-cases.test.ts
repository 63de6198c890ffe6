import { describe, expect, it } from 'vitest';

import { thresholdsOf } from '../../src/cluster/kubelet/decode-configuration.js';
import type { FsStats } from '../../src/cluster/kubelet/summary.js';
import type { StorageLayout } from '../../src/facts/node/node-layout.js';
import { type NodeThreshold, nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import { anFsStats, aNodeSummary } from '../support/builders.js';
import { readCases } from '../support/kubelet-answers.js';

interface ThresholdCase {
  readonly id: string;
  readonly layout: StorageLayout;
  readonly config: Readonly<Record<string, unknown>>;
  /** By signal: the whole and what is available. */
  readonly node: Readonly<Record<string, readonly [number, number]>>;
  readonly thresholds?: readonly ThresholdAnswer[];
  /** Why the kubelet refuses the configuration. */
  readonly errors?: readonly string[];
}

interface ThresholdAnswer {
  readonly signal: string;
  readonly soft?: true;
  readonly gracePeriod?: string;
  /** Absent: 0. */
  readonly quantity?: number;
  readonly minReclaim?: number;
  readonly met?: true;
  readonly metUntilReclaimed?: true;
  readonly unobserved?: true;
}

const answers = readCases('thresholds');
const cases = answers.cases as readonly ThresholdCase[];

describe.each([
  ['v1.26.15', 'thresholds without containerfs'],
  ['v1.36.3', 'thresholds'],
  ['v1.37.1', 'thresholds'],
])("the kubelet's own %s %s", (kubeletVersion) => {
  const isKnown = ({ signal }: ThresholdAnswer): boolean =>
    kubeletVersion !== 'v1.26.15' || !signal.startsWith('containerfs');

  it.each(casesWith(false))("the thresholds are the kubelet's in case %s", (_id, one) => {
    const answers = one.thresholds?.filter(isKnown) ?? [];
    expect(found(one, kubeletVersion).map(answered)).toEqual(inOrder(answers).map(expected));
  });

  it.each(casesWith(true))('a configuration that no kubelet starts with throws nothing in case %s', (_id, one) => {
    expect(() => found(one, kubeletVersion)).not.toThrow();
  });
});

function casesWith(hasErrors: boolean) {
  return cases.filter(({ errors }) => (errors !== undefined) === hasErrors).map((one) => [one.id, one] as const);
}

function found({ config, layout, node }: ThresholdCase, kubeletVersion: string): readonly NodeThreshold[] {
  const statsOf = (filesystem: string): FsStats | undefined => {
    const [capacityBytes, availableBytes] = node[`${filesystem}.available`] ?? [];
    const [inodes, inodesFree] = node[`${filesystem}.inodesFree`] ?? [];
    return anFsStats({ capacityBytes, availableBytes, inodes, inodesFree });
  };
  return nodeThresholds({
    summary: aNodeSummary({
      nodefs: statsOf('nodefs'),
      imagefs: statsOf('imagefs'),
      containerfs: statsOf('containerfs'),
    }),
    layout,
    thresholds: thresholdsOf(config),
    kubeletVersion,
    operatingSystem: 'linux',
  });
}

function expected({ signal, gracePeriod, quantity = 0, minReclaim = 0, ...answer }: ThresholdAnswer): object {
  const gracePeriodMs = gracePeriod === undefined ? 0 : (gracePeriods[gracePeriod] ?? NaN);
  if (answer.unobserved === true) return { signal, gracePeriodMs };
  const { met = false, metUntilReclaimed = false } = answer;
  return { signal, gracePeriodMs, threshold: quantity, minReclaim, met, metUntilReclaimed };
}

const gracePeriods: Readonly<Record<string, number>> = {
  '1h0m0s': 3_600_000,
  '2m0s': 120_000,
  '1m30s': 90_000,
  '30s': 30_000,
};

function answered(threshold: NodeThreshold): object {
  const { signal, gracePeriodMs, available, clearedAt } = threshold;
  if (available === undefined) return { signal, gracePeriodMs };
  return {
    signal,
    gracePeriodMs,
    threshold: threshold.threshold,
    minReclaim: threshold.minReclaim,
    met: threshold.isCrossed,
    metUntilReclaimed: available < (clearedAt ?? NaN),
  };
}

const signalOrder = ['nodefs.available', 'nodefs.inodesFree', 'imagefs.available', 'imagefs.inodesFree'];

/** The answers are by name of the signal; those of one signal are in the kubelet's order. */
function inOrder(answers: readonly ThresholdAnswer[]): readonly ThresholdAnswer[] {
  const position = ({ signal }: ThresholdAnswer): number => (signalOrder.indexOf(signal) + 6) % 6;
  return answers.toSorted((a, b) => position(a) - position(b) || a.signal.localeCompare(b.signal));
}

import { describe, expect, it } from 'vitest';

import { parseQuantity } from '../../src/cluster/kube/quantity.js';
import { enforcesSidecars } from '../../src/facts/node/kubelet-version.js';
import { type LimitRatio, limitRatios } from '../../src/facts/node/limit-ratios.js';
import { exemptionOf, isActive } from '../../src/facts/node/limits.js';
import { type CaseInput, type CasePod, casePods, readCases } from '../support/kubelet-answers.js';

interface LimitCase extends CaseInput {
  readonly evicted: readonly { readonly pod: string; readonly rule: string; readonly name?: string }[];
  readonly expect: readonly PodAnswer[];
}

interface PodAnswer {
  readonly pod: string;
  readonly inactive?: string;
  readonly exempt?: string;
  readonly ratios: readonly RatioAnswer[];
}

interface RatioAnswer {
  readonly rule: string;
  readonly name?: string;
  readonly usage: number;
  readonly limit: string;
  readonly over?: boolean;
  readonly noFigure?: boolean;
}

describe.each(['1.36', '1.37'])("the kubelet's own answers, version %s", (version) => {
  const answers = readCases(`limits-${version}`);
  const { kubeletVersion } = answers;
  const cases = answers.cases as readonly LimitCase[];

  it.each(cases.map((one) => [one.id, one] as const))("evictions for limits are the kubelet's: case %s", (_id, one) => {
    const pods = casePods(one);
    const ratiosOf = ({ pod, summary }: CasePod): readonly LimitRatio[] =>
      summary === undefined
        ? []
        : limitRatios({
            pod,
            summary,
            hasDedicatedImagefs: one.layout !== 'shared',
            enforcesSidecars: enforcesSidecars(kubeletVersion),
            resizesVolumes: false,
          });
    expect(pods.map((found) => answered(found, ratiosOf(found)))).toEqual(one.expect.map(expected));
    expect(pods.flatMap((found) => evictions(found, ratiosOf(found)))).toEqual(
      one.evicted.map(({ pod, rule, name }) => ({ pod, rule, name })),
    );
  });
});

function expected({ pod, inactive, exempt, ratios }: PodAnswer): object {
  return {
    pod,
    isActive: inactive === undefined,
    exempt,
    ratios: ratios
      .filter(({ noFigure }) => noFigure !== true)
      .map(({ rule, name, usage, limit, over = false }) => ({ rule, name, usage, limit: parseQuantity(limit), over }))
      .sort(byName),
  };
}

function answered({ key, pod }: CasePod, ratios: readonly LimitRatio[]): object {
  return {
    pod: key,
    isActive: isActive(pod),
    exempt: exemptionOf(pod),
    ratios: ratios
      .map(({ rule, container, volume, usedBytes, limitBytes, ratio }) => ({
        rule,
        name: container || volume || undefined,
        usage: usedBytes,
        limit: limitBytes,
        over: ratio > 1,
      }))
      .sort(byName),
  };
}

/** The answers list containers in the order of the spec, the kubelet checks them in that of the summary. */
function byName(a: { readonly rule: string; readonly name: string | undefined }, b: typeof a): number {
  return `${a.rule}/${a.name ?? ''}`.localeCompare(`${b.rule}/${b.name ?? ''}`);
}

/** For the first limit that the pod exceeds. */
function evictions({ key, pod }: CasePod, ratios: readonly LimitRatio[]): object[] {
  const broken = ratios.find(({ ratio }) => ratio > 1);
  if (broken === undefined || !isActive(pod) || exemptionOf(pod) !== undefined) return [];
  return [{ pod: key, rule: broken.rule, name: broken.container || broken.volume || undefined }];
}

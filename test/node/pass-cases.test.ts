import { describe, expect, it } from 'vitest';

import { thresholdsOf } from '../../src/cluster/kubelet/decode-configuration.js';
import { decodeSummary } from '../../src/cluster/kubelet/summary-reader.js';
import { enforcesSidecars } from '../../src/facts/node/kubelet-version.js';
import { limitRatios } from '../../src/facts/node/limit-ratios.js';
import { exemptionOf, isActive } from '../../src/facts/node/limits.js';
import { nodeThresholds } from '../../src/facts/node/node-thresholds.js';
import { rankVictims } from '../../src/facts/node/victims.js';
import { type CaseInput, type CasePod, casePods, readCases } from '../support/kubelet-answers.js';
import { firstVictims } from '../support/victims.js';

interface PassCase extends CaseInput {
  readonly pass: {
    readonly evictionHard: object;
    /** Without `imageFs`, one filesystem serves all. */
    readonly node: { readonly fs: object; readonly imageFs?: object };
    /** All that were seen: which crossed threshold drives the eviction is left to chance. */
    readonly outcomes: readonly { readonly evicted: readonly { readonly pod: string }[] }[];
  };
}

describe.each(['1.26', '1.36', '1.37'])("one pass of the kubelet's own loop, version %s", (version) => {
  const answers = readCases(`rank-${version}`);
  const { kubeletVersion } = answers;
  const cases = answers.cases as readonly PassCase[];

  it.each(cases.map((one) => [one.id, one] as const))("the first victims are the kubelet's in case %s", (_id, one) => {
    const evicted = new Set(one.pass.outcomes.flatMap(({ evicted }) => evicted.map(({ pod }) => pod)));
    const forLimits = casePods(one).filter((pod) => isAboveLimit(pod, one, kubeletVersion));
    const expected = forLimits.length > 0 ? forLimits.map(({ pod }) => pod.name) : forPressure(one, kubeletVersion);
    expect([...evicted].sort()).toEqual(expected.sort());
  });
});

function isAboveLimit({ pod, summary }: CasePod, { layout }: PassCase, kubeletVersion: string): boolean {
  if (summary === undefined || !isActive(pod) || exemptionOf(pod) !== undefined) return false;
  const ratios = limitRatios({
    pod,
    summary,
    hasDedicatedImagefs: layout !== 'shared',
    enforcesSidecars: enforcesSidecars(kubeletVersion),
    resizesVolumes: false,
  });
  return ratios.some(({ ratio }) => ratio > 1);
}

/** The first victims of all signals whose threshold is crossed: the kubelet evicts one of them. */
function forPressure(one: PassCase, kubeletVersion: string): string[] {
  const { layout, pass } = one;
  const { fs, imageFs = fs } = pass.node;
  const runtime = { imageFs, containerFs: layout === 'dedicated' ? imageFs : fs };
  const thresholds = nodeThresholds({
    summary: decodeSummary(JSON.stringify({ node: { nodeName: 'node-1', fs, runtime } }), 'summary of the case'),
    layout,
    thresholds: thresholdsOf({ evictionHard: pass.evictionHard }),
    kubeletVersion,
    operatingSystem: 'linux',
  });
  const victims = thresholds
    .filter(({ isCrossed }) => isCrossed)
    .flatMap(({ signal }) => firstVictims(rankVictims(casePods(one), { signal, layout, kubeletVersion })));
  return [...new Set(victims.map(({ pod }) => pod.name))];
}

import { findingKinds } from '../../node/pod-findings.js';
import type { FindingReport } from '../../report/finding-report.js';
import { terminalText, wrap } from '../text/terminal-text.js';

/** One paragraph for each finding of a pod. */
export function podFindingLines(findings: readonly FindingReport[], width: number): readonly string[] {
  return findings.flatMap(({ what, fix }) => wrap(terminalText(`Finding: ${what}. ${fix}`), width));
}

const maxPodCount = 5;

/** The pods of a node by kind, each kind with its fix. */
export function nodeFindingLines(findings: readonly FindingReport[], width: number): readonly string[] {
  return findingKinds.flatMap((kind) =>
    kindLines(
      findings.filter((finding) => finding.kind === kind),
      width,
    ),
  );
}

function kindLines(findings: readonly FindingReport[], width: number): readonly string[] {
  const hiddenCount = findings.length - maxPodCount;
  return [
    ...findings.slice(0, maxPodCount).map(({ namespace, pod, what }) => `Finding: ${namespace}/${pod}: ${what}.`),
    ...(hiddenCount > 0 ? [`and ${hiddenCount} more of this kind.`] : []),
    ...findings.slice(0, 1).map(({ fix }) => fix),
  ].flatMap((line) => wrap(terminalText(line), width));
}

import { isActive } from '../node/limits.js';
import { type PodDirectories, podDirectories, type PodMeasurement } from '../report/pod-directories.js';
import type { ClusterReading, DirectoryMeasurements } from './cluster-reading.js';
import type { ExplainedPod } from './pod-explanation.js';

/** What the agent on its node has measured of a pod. */
export interface MeasuredDirectories extends Pick<PodMeasurement, 'state' | 'measuredAtMs' | 'ageMs'> {
  /** The last, beside the summary as it is now; absent before the first. */
  readonly directories?: PodDirectories | undefined;
}

/** Undefined where no agent measures the pod: there is none on its node, or it does not run. */
export function measurementsOf(
  { pod }: ExplainedPod,
  { scope, measurements }: Pick<ClusterReading, 'scope' | 'measurements'>,
): DirectoryMeasurements | undefined {
  const isThere = pod?.nodeName !== undefined && pod.nodeName === scope.nodeName && isActive(pod);
  return isThere ? measurements : undefined;
}

export function measuredDirectories(
  { explanation, pod }: ExplainedPod,
  { state, measuredAtMs, ageMs, parts, problem }: PodMeasurement,
): MeasuredDirectories {
  if (parts === undefined) return { state };
  const texts = [problem, pod?.rest === undefined ? undefined : 'Only its first containers and volumes are measured.'];
  const problems = texts.flatMap((text) => (text === undefined ? [] : [{ text, commands: [] }]));
  const summary = explanation.state === 'unmeasured' ? undefined : explanation;
  return { state, measuredAtMs, ageMs, directories: podDirectories(explanation, { parts, problems }, summary) };
}

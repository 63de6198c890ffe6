import type { UsageSample } from '../../cluster/kubelet/lookup.js';
import type { LimitRatio } from '../../facts/node/limit-ratios.js';
import type { PodRecord } from '../../facts/node/pod-record.js';
import type { FoundPod, PodSource } from '../report/pod-report.js';
import type { ClusterReading } from './cluster-reading.js';

/** Returns what was compared with a limit over about the last ten minutes, the oldest first. */
export function limitSamples(
  { node, pod }: FoundPod<PodRecord, PodSource>,
  limit: LimitRatio,
  reading: ClusterReading,
): readonly UsageSample[] {
  const { nodeName, ageMs } = node;
  if (limit.rule === 'pod') return reading.samplesOf(nodeName, pod.summary);
  return reading.limitMeasurementsOf(nodeName)?.ofLimit(pod, limit, reading.readAtMs - ageMs) ?? [];
}
